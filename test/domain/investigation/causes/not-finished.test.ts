import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET, series } from '../incident-scenarios.ts'
import { causes, facts, place, risen, said } from '../scene-by-hand.ts'

const IN_FLIGHT = 'http_client_requests_in_flight'
const HELD = 'db_sessions_idle_in_transaction'
const BEGUN = 'tls_handshakes_in_progress'
const FULL = 'ERROR: 512 handshakes are begun, accepting no more'
const PEER = 'login.clinic.example'
const ASKED = `WARN: ${PEER} did not answer in 10 s`

const begun = (
  entity: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  more: Partial<SeriesShift> = {},
): SeriesShift => {
  const shift = risen(entity, name, { before: 2, during: 60, ended_at: null, ...more })
  return { ...shift, series: { ...shift.series, unit: '1', ...more.series, entity, name, labels } }
}
/** `vault` has sessions that `stock` keeps, and `stock` waits for a host outside. */
const sessions = begun('vault', HELD, { client: 'stock' })
const asking = begun('stock', IN_FLIGHT, { peer: PEER })
const failing = ['vault', 'stock', 'web'].map((one) => place(one))

const of = (
  shifts: readonly SeriesShift[],
  texts: readonly ReturnType<typeof said>[] = [],
  observed: Partial<Observed> = {},
  snapshot: Partial<Snapshot> = {},
) =>
  causes({
    ...{ templates: texts, shifts },
    observed: { first: place('stock'), failing, symptom_service: 'web', ...observed },
    snapshot: { series: ['vault', 'stock', 'web'].map((one) => series(one, 'cpu', 1, 1)), ...snapshot },
  }).find(({ what }) => /begun there and not|is asked and does not/.test(what))

const change = (title: string, more: Partial<Change> = {}): Partial<Snapshot> => ({
  changes: [{ source: 'infra', id: 'c', kind: 'infra', title, recorded_at: at(ONSET - 9), ...more }],
})

describe('what is begun and not finished', () => {
  it('is told at whom the one waits who holds what others lack', () => {
    const found = of([sessions, asking], [said(ASKED, 'stock')])
    expect(found).toMatchObject({
      ...{ kind: 'provider', entity: PEER, action: 'failover', yields_to_changes: true, score: 0.8185 },
      ...{ at_most: CONFIDENCE_CAP_UNMAPPED, is_whole: true },
    })
    expect(facts(found)).toEqual([
      [0.45, HELD],
      [0.45, IN_FLIGHT],
      [0.4, ASKED],
    ])
    expect(of([sessions, asking])).toMatchObject({
      entity: PEER,
      at_most: CONFIDENCE_CAP_UNLINKED,
      score: 0.6975,
    })
    // A row of one needs a word of it.
    expect(of([asking])).toBeUndefined()
    expect(of([asking], [said(ASKED, 'stock')])).toMatchObject({ entity: PEER, score: 0.67 })
    expect(of([asking], [said(ASKED, 'web')])).toBeUndefined()
    expect(of([asking], [said('WARN: login.other.example did not answer', 'stock')])).toBeUndefined()
    expect(of([asking], [said(ASKED, 'stock', { severity: 'information' })])).toBeUndefined()
    // A name within another one is another party's.
    expect(of([asking], [said(`WARN: old-${PEER} did not answer`, 'stock')])).toBeUndefined()
    expect(of([asking], [said(ASKED, 'stock')], {}, change(`Ask old-${PEER} no more`))).toBeDefined()
    expect(of([asking], [said(ASKED, 'stock')], {}, change(`Ask ${PEER} twice`))).toBeUndefined()
  })

  it('is told at who holds it, where that one waits for nobody, and at the place itself, where nobody is named', () => {
    const keeps = said('ERROR: 60 sessions of this process are open', 'stock')
    expect(of([sessions], [keeps])).toMatchObject({
      ...{ kind: 'capacity', entity: 'stock', action: 'escalate', at_most: CONFIDENCE_CAP_UNMAPPED },
      what: 'what is begun there and not finished',
    })
    expect(of([begun('stock', BEGUN)], [said(FULL)])).toMatchObject({ kind: 'capacity', entity: 'stock' })
    // Only in words of what is counted, of five letters or more.
    expect(of([begun('stock', BEGUN)], [said('ERROR: accepting no more')])).toBeUndefined()
    expect(of([begun('stock', BEGUN)], [said('ERROR: tls is full')])).toBeUndefined()
    expect(of([begun('stock', 'locks_held')], [said('ERROR: 60 locks')])).toBeDefined()
    expect(of([begun('stock', BEGUN)], [said(FULL, 'web')])).toBeUndefined()
    expect(of([begun('stock', BEGUN)], [said(FULL, 'stock', { during: 4 })])).toBeUndefined()
  })

  it('is not told at a peer inside, which tells it by itself, nor twice of those that wait for each other', () => {
    const inside = begun('stock', IN_FLIGHT, { peer: 'vault' })
    expect(of([inside], [said('WARN: vault did not answer in 10 s', 'stock')])).toBeUndefined()
    const words = said('ERROR: 60 requests are in flight', 'vault')
    expect(of([inside], [words])).toBeUndefined()
    expect(of([sessions, inside], [words])).toBeUndefined()
    const back = begun('vault', IN_FLIGHT, { peer: 'stock' })
    expect(of([inside, back], [said('WARN: vault did not answer in 10 s', 'stock')])).toBeUndefined()
  })

  it('is of one client or peer alone, though each of its copies counts it', () => {
    const other = begun('vault', HELD, { client: 'web' })
    const keeps = [said('ERROR: 60 sessions of this process are open', 'stock')]
    expect(of([sessions], keeps)).toBeDefined()
    expect(of([sessions, other], keeps)).toBeUndefined()
    expect(of([sessions, { ...other, series: { ...other.series, entity: 'ledger' } }], keeps)).toBeDefined()
    expect(of([sessions, { ...other, series: { ...other.series, name: 'locks_held' } }], keeps)).toBeDefined()
    const copies = ['a', 'b'].map((pod) => begun('stock', IN_FLIGHT, { peer: PEER, pod }))
    expect(of([sessions, ...copies])).toMatchObject({ entity: PEER })
    // What others hold elsewhere, or count otherwise, is another matter.
    expect(of([sessions, asking, begun('web', IN_FLIGHT, { peer: 'x.example' })])).toMatchObject({
      entity: PEER,
    })
  })

  it('grew to three times what it was when users were hurt, and stays so', () => {
    const grown = (more: Partial<SeriesShift>) => of([begun('stock', BEGUN, {}, more)], [said(FULL)])
    const from = (minute: number) => ({ onset: { at: at(minute), earliest: at(minute), latest: at(minute) } })
    expect(grown({ during: 6 })).toBeDefined()
    expect(grown({ during: 5.9 })).toBeUndefined()
    expect(grown({ before: 0, during: 3 })).toBeDefined()
    expect(grown({ before: 0, during: 2.9 })).toBeUndefined()
    for (const minute of [ONSET - 2, ONSET + 2]) expect(grown(from(minute)), String(minute)).toBeDefined()
    for (const minute of [ONSET - 2.1, ONSET + 2.1])
      expect(grown(from(minute)), String(minute)).toBeUndefined()
    expect(grown({ direction: 'down' })).toBeUndefined()
    expect(
      of([begun('stock', BEGUN, {}, { ended_at: at(ONSET + 3) })], [said(FULL)], { first: place('stock') }),
    ).toBeUndefined()
    expect(of([begun('stock', BEGUN)], [said(FULL)], { onset: null })).toBeUndefined()
  })

  it('is a count of what is in progress, and no rate', () => {
    expect(of([begun('stock', 'tls_handshakes')], [said(FULL)])).toBeUndefined()
    expect(of([begun('stock', `${BEGUN}_per_second`)], [said(FULL)])).toBeUndefined()
    expect(of([begun('stock', `${BEGUN}_total`)], [said(FULL)])).toBeUndefined()
    for (const name of [
      'handshakes_unfinished',
      'handshakes_outstanding',
      'handshakes_half_open',
      'handshakes_held',
    ])
      expect(of([begun('stock', name)], [said(FULL)]), name).toBeDefined()
  })

  it('says nothing where no such place is hurt still, or the last one was changed just before', () => {
    const over = { ...place('stock'), ended_at: at(ONSET + 9) }
    expect(of([begun('stock', BEGUN)], [said(FULL)], { failing: [over, place('web')] })).toBeUndefined()
    // One of the row is enough: who gives a session away need not be hurt.
    expect(of([sessions, asking], [], { failing: [place('stock')] })).toBeDefined()
    // Whom another waits for is no matter of this row.
    expect(of([sessions, begun('web', IN_FLIGHT, { peer: PEER })])).toBeUndefined()
    expect(of([begun('stock', BEGUN)], [said(FULL)], {}, change('stock: other certificates'))).toBeUndefined()
    expect(of([begun('stock', BEGUN)], [said(FULL)], {}, change('vault: other certificates'))).toBeDefined()
    const told = [said(ASKED, 'stock')]
    expect(of([asking], told, {}, change(`Ask ${PEER.toUpperCase()} for metadata`))).toBeUndefined()
    expect(of([asking], told, {}, change('clinic: other colours'))).toBeDefined()
  })

  it('is told of neither of two that are told as well', () => {
    const both = [begun('stock', BEGUN), begun('web', BEGUN)]
    expect(of(both, [said(FULL), said(FULL, 'web')])).toBeUndefined()
    expect(of([...both, sessions, asking], [said(FULL), said(FULL, 'web')])).toMatchObject({ entity: PEER })
  })
})
