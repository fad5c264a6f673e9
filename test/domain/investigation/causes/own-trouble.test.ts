import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, deploy, ONSET } from '../incident-scenarios.ts'
import { causes, counted, event, facts, graphOf, place, risen, said } from '../scene-by-hand.ts'

const WHAT = 'a part that fails by itself, by what it says'
const KEPT: Snapshot['entities'] = [
  { name: 'vault', kind: 'datastore', aliases: [] },
  { name: 'web', kind: 'service', aliases: [] },
  { name: 'stock', kind: 'service', aliases: [] },
]
const seen: Partial<Observed> = {
  first: place('vault'),
  graph: graphOf({ web: ['stock'], stock: ['vault'] }),
  flows: new Map(['web', 'stock', 'vault'].map((one) => [one, counted(one, one === 'vault' ? 400 : 3)])),
}
const of = (
  templates: readonly ReturnType<typeof said>[],
  observed: Partial<Observed> = {},
  snapshot: Partial<Snapshot> = {},
) =>
  causes({
    templates,
    observed: { ...seen, ...observed },
    snapshot: { entities: KEPT, ...snapshot },
  }).find(({ what }) => what === WHAT)
const OWN = 'ERROR:  segment 7 of the ledger does not add up'
const own = said(OWN, 'vault')

describe('a part that fails by itself', () => {
  it('is told by what it says of itself, what was counted there, and who is told the same', () => {
    expect(of([own])).toMatchObject({
      ...{ kind: 'infra', entity: 'vault', score: 0.545, action: 'escalate', yields_to_changes: true },
      at_most: CONFIDENCE_CAP_UNLINKED,
    })
    const quoted = of([own, said('query failed: segment 7 of the ledger does not add up', 'stock')])
    expect(facts(quoted)).toEqual([
      [0.35, OWN],
      [0.3, 'calls'],
      [0.3, 'query failed: segment 7 of the ledger does not add up'],
    ])
    expect(of([own, said('segment 7 of the', 'stock')])?.signs).toHaveLength(2)
    expect(of([own, said('segment 7 of the ledger does not add up', 'other')])?.signs).toHaveLength(2)
  })

  it('is told by what a store counts of its own failing, where it says nothing', () => {
    const counts = (more: Partial<SeriesShift> = {}, name = 'db_statement_errors_per_second') => ({
      shifts: [risen('vault', name, more)],
    })
    expect(facts(of([], counts()))).toEqual([
      [0.35, 'db_statement_errors_per_second'],
      [0.3, 'calls'],
    ])
    for (const shifts of [
      counts({ ended_at: at(ONSET + 4) }),
      counts({ onset: { at: at(ONSET - 40), earliest: at(ONSET - 40), latest: at(ONSET - 40) } }),
      counts({}, 'http_errors_ratio'),
      counts({}, 'db_rows_read_per_second'),
    ])
      expect(of([], shifts)).toBeUndefined()
  })

  it('is told where nobody counts its calls only with who asks it being told the same', () => {
    const uncounted = { flows: new Map() }
    expect(of([own], uncounted)).toBeUndefined()
    const quoted = said('query failed: segment 7 of the ledger does not add up', 'stock')
    expect(facts(of([own, quoted], uncounted))).toHaveLength(2)
  })

  it('leaves a place to whatever else explains it', () => {
    const full = said('no space left on device', 'vault')
    const symptoms = ['no space left on device']
    const seenBoth = causes({
      templates: [own, full],
      symptoms,
      observed: seen,
      snapshot: { entities: KEPT },
    })
    expect(seenBoth.some(({ entity, what }) => entity === 'vault' && what !== WHAT)).toBe(true)
    expect(seenBoth.some(({ what }) => what === WHAT)).toBe(false)
  })

  it.each([
    ['data', 'page 7 of the ledger is corrupt'],
    ['capacity', 'ledger: maximum number of entries reached'],
    ['data', 'capacity record of the ledger is corrupt'],
  ])('is of its %s where one of its lines says so: %s', (kind, text) => {
    const line = said(text, 'vault')
    expect(of([line])?.kind).toBe(kind)
    expect(of([line], {}, { entities: [] })?.kind).toBe(kind)
    expect(of([own, line])?.kind).toBe(kind)
  })

  it('is none by words that say how it fails, name another, are said by another, or hardly ever', () => {
    for (const line of [
      said('request timed out', 'vault'),
      said('answered 503', 'vault'),
      said('segment 7 is away since stock asked', 'vault'),
      said(OWN, 'stock'),
      said(OWN, 'vault', { during: 4 }),
      said(OWN, 'vault', { severity: 'information' }),
      said(OWN, 'vault', { risen_at: own.first_seen - 3_600_000 }),
    ])
      expect(of([line])).toBeUndefined()
  })

  it('is none that dies of its own exception, cannot read what it is given, or is given it again', () => {
    for (const text of ['Uncaught TypeError', 'JsonMappingException of order 7', 'order 7 was redelivered'])
      expect(of([own, said(text, 'vault')])).toBeUndefined()
  })

  it('may call others where its calls are counted and nothing else is told of what happened', () => {
    const graph = graphOf({ stock: ['vault'], vault: ['disk'] })
    expect(of([own], { graph })).toMatchObject({ kind: 'infra', entity: 'vault', score: 0.545 })
    const quoting = said('query failed: segment 7 of the ledger does not add up', 'stock')
    expect(of([own, quoting], { graph, flows: new Map() })).toBeUndefined()
    const events = [event('failover of the primary', 'disk'), event('primary down', 'disk')]
    const happened = { events }
    expect(of([own], { graph }, happened)).toBeUndefined()
    expect(of([own], {}, happened)).toBeDefined()
  })

  it('is none of which most fails elsewhere, or that was changed just before', () => {
    const more = new Map([...(seen.flows as Observed['flows']), ['stock', counted('stock', 420)]])
    expect(of([own], { flows: more })).toBeUndefined()
    expect(of([own], { flows: new Map([['vault', counted('vault', 0.4)]]) })).toBeUndefined()
    expect(of([own], { first: null })).toBeUndefined()
    const made = { caller: 'web', callee: 'stock', factor: 3, since: own.first_seen } as Observed['made']
    expect(of([own], { made })).toBeUndefined()
    const changes = [
      commit('aa11', ONSET - 8, 'Add up otherwise', ['vault/ledger.sql'], null),
      deploy('d1', ONSET - 5, 'vault', 'v2', ['aa11']),
    ]
    expect(of([own], {}, { changes })).toBeUndefined()
  })

  it('is told by the two loudest of its lines, one count and one who is told the same', () => {
    const lines = [own, said('the ledger lost a page of its own', 'vault'), said('page 9 is torn', 'vault')]
    const quoting = ['stock', 'stock'].map((by, nth) =>
      said(`query ${nth} failed: segment 7 of the ledger does not add up`, by),
    )
    const shifts = ['db_statement_errors_per_second', 'db_transaction_errors_per_second'].map((name) =>
      risen('vault', name),
    )
    expect(facts(of([...lines, ...quoting], { shifts }))?.map(([strength]) => strength)).toEqual([
      0.35, 0.35, 0.35, 0.3, 0.3,
    ])
    expect(facts(of([own], { shifts: shifts.slice(0, 1) }))).toEqual([
      [0.35, OWN],
      [0.35, 'db_statement_errors_per_second'],
      [0.3, 'calls'],
    ])
  })

  it('is quoted by the beginning of one of its lines without its level, long enough to be no chance', () => {
    const isQuoted = (line: string, other: string): boolean =>
      of([said(line, 'vault'), said(other, 'stock')])?.signs.length === 3
    expect(isQuoted(OWN, 'cannot read segment 7 of the ledger')).toBe(true)
    expect(isQuoted(OWN, 'segment 7 of the ledger does not add up, so I gave up')).toBe(true)
    expect(isQuoted('FATAL segment 7 of the ledger is off', 'segment 7 of the ledger is off')).toBe(true)
    expect(isQuoted('segment ALPHA is off by seven', 'no: segment ALPHA is off by seven')).toBe(true)
    expect(isQuoted('segment 7 is all off', 'query failed: segment 7 is all off')).toBe(true)
    expect(isQuoted('ledger is torn', 'query failed: ledger is torn')).toBe(false)
    const more = [own, said('page 9 is torn', 'vault'), said(`query failed: ${OWN.slice(8)}`, 'stock')]
    expect(of(more)?.signs).toHaveLength(4)
  })

  it('is told by what is logged, and not by what its platform records', () => {
    const recorded = (by: string) =>
      Array.from({ length: 5 }, () => event('segment 7 of the ledger does not add up', by))
    expect(of([], {}, { events: recorded('vault') })).toBeUndefined()
    expect(of([own], {}, { events: recorded('stock') })?.signs).toHaveLength(2)
  })

  it('may name itself', () => {
    expect(of([said('segment 7 of vault does not add up', 'vault')])).toMatchObject({ entity: 'vault' })
  })

  it('fails half of all that fails at least, by counts of its own calls', () => {
    const flows = (stock: number) =>
      new Map([
        ['stock', counted('stock', stock)],
        ['vault', counted('vault', 400)],
      ])
    expect(of([own], { flows: flows(400) })).toBeDefined()
    expect(of([own], { flows: flows(401) })).toBeUndefined()
    expect(of([own], { flows: new Map([['stock', counted('stock', 0.1)]]) })).toBeUndefined()
  })

  it('is not told by what another store counts, or by how long its own takes', () => {
    for (const shift of [
      risen('stock', 'db_statement_errors_per_second'),
      risen('vault', 'db_query_duration_p99_ms'),
    ])
      expect(of([], { shifts: [shift] })).toBeUndefined()
  })

  it('is none by a wait that ran out, however that is written', () => {
    for (const text of ['read timeout of page 7', 'read time-out of page 7', 'read timed out of page 7'])
      expect(of([said(text, 'vault')])).toBeUndefined()
  })
})
