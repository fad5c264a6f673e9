import { describe, expect, it } from 'vitest'
import { oneAsker } from '#shared/domain/investigation/causes/one-asker.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, place, risen, SINCE } from '../scene-by-hand.ts'

const NAME = 'http_requests_per_second'
const part = (labels: Series['labels'], before: number, during: number, name = `${NAME}_by_client`) => ({
  ...series('web', name, before, during),
  labels,
})
/** Of 50 requests a second, and 90 since, one client makes 2 and then 42. */
const asker = (more: Partial<SeriesShift> = {}, one = part({ client: 'c-7' }, 2, 42)): SeriesShift =>
  risen('web', one.name, { before: 2, during: 42, is_bad: false, ...more }, one)
const of = (shift: SeriesShift, all?: readonly Series[]) => ofAll([shift], all)
const ofAll = (shifts: readonly SeriesShift[], all: readonly Series[] = [series('web', NAME, 50, 90)]) =>
  oneAsker({
    snapshot: { ...EMPTY, series: [...all, ...shifts.map((shift) => shift.series)] },
    observed: { ...BARE, onset: SINCE, shifts, first: place('web') },
    ...{ symptoms: [], names: entityNames(EMPTY), lines: [], onset: at(ONSET) },
  })

/** All that is asked, the same in each minute before and since. */
const exact = (before: number, during: number): Series => {
  const one = series('web', NAME, before, during)
  return { ...one, values: one.times.map((time) => (time < at(ONSET) ? before : during)) }
}

describe('one of those who ask', () => {
  it('is told where it makes most of what is asked more, and by how much all grew', () => {
    const found = of(asker())
    expect(found?.shift.series.labels).toEqual({ client: 'c-7' })
    expect(found?.growth).toBeCloseTo(1.8, 1)
  })

  it('is told by any label that says who asks, and by none that says what is asked or who serves', () => {
    for (const label of ['tenant_id', 'customer', 'api_key', 'UserAgent', 'account'])
      expect(of(asker({}, part({ [label]: 'x' }, 2, 42)))).not.toBeNull()
    for (const label of ['route', 'pod', 'version', 'code', 'clientele'])
      expect(of(asker({}, part({ [label]: 'x' }, 2, 42, NAME)), [])).toBeNull()
  })

  it('is none that asks less than a multiple, makes less than most of it, or where all is as ever', () => {
    expect(of(asker({ before: 20, during: 59 }))).toBeNull()
    expect(of(asker({ before: 14, during: 42 }))).not.toBeNull()
    expect(of(asker(), [series('web', NAME, 50, 140)])).toBeNull()
    expect(of(asker(), [series('web', NAME, 50, 57)])).toBeNull()
    expect(of(asker(), [series('web', NAME, 50, 61)])).not.toBeNull()
  })

  it('is none that began at another time, was over, fell, or asks for something that is no demand', () => {
    const late = { at: at(ONSET + 6), earliest: at(ONSET + 6), latest: at(ONSET + 6) }
    expect(of(asker({ onset: late }))).toBeNull()
    expect(of(asker({ ended_at: at(ONSET + 9) }))).toBeNull()
    expect(of(asker({ direction: 'down' }))).toBeNull()
    expect(of(asker({}, part({ client: 'c-7' }, 2, 42, 'bytes_sent_by_client')))).toBeNull()
  })

  it('is told by a label that says who asks, whatever other labels say', () => {
    expect(of(asker({}, part({ route: '/cart', client: 'c-7' }, 2, 42)))).not.toBeNull()
    // A label that only ends or begins as one that says who asks says something else.
    for (const label of ['reverse_source', 'sub_client', 'client_version', 'source_port'])
      expect(of(asker({}, part({ [label]: 'x' }, 2, 42)))).toBeNull()
    for (const label of ['organization', 'organisation', 'apiKey', 'user_agent', 'client_ip'])
      expect(of(asker({}, part({ [label]: 'x' }, 2, 42)))).not.toBeNull()
  })

  it('is told where its name says by whom it counts, in any way of writing', () => {
    for (const name of ['http_requests_by_client', 'httpRequestsByClient', 'http_requests_per_second'])
      expect(of(asker({}, part({ client: 'c-7' }, 2, 42, name)))).not.toBeNull()
    // A word that only holds these two letters says by whom of nothing.
    for (const name of ['ruby_http_requests_total', 'standby_requests_per_second'])
      expect(of(asker({}, part({ client: 'c-7' }, 2, 42, name))), name).not.toBeNull()
  })

  it('is held against what is asked of that service, whatever else is asked of others', () => {
    const others = [series('web', NAME, 50, 90), series('shop', NAME, 500, 900)]
    expect(of(asker(), others)?.growth).toBeCloseTo(1.8, 1)
  })

  it('makes most of what is asked more by what it asks more, and not by what it asked before', () => {
    expect(of(asker({ before: 11, during: 33 }))).toBeNull()
    expect(of(asker({ before: 11, during: 36 }))).not.toBeNull()
  })

  it('is nobody where nothing was asked before, since nothing can be a multiple of nothing', () => {
    expect(of(asker({ before: 0 }, part({ client: 'c-7' }, 0, 42)), [])).toBeNull()
  })

  it('may begin five minutes from when users were hurt, and no later', () => {
    const from = (minute: number) => ({ at: at(minute), earliest: at(minute), latest: at(minute) })
    expect(of(asker({ onset: from(ONSET + 5) }))).not.toBeNull()
    expect(of(asker({ onset: from(ONSET - 5) }))).not.toBeNull()
    expect(of(asker({ onset: from(ONSET + 5.1) }))).toBeNull()
  })

  it('is the one of several that makes the largest share, and of equal ones who began first', () => {
    const client = (name: string, during: number, minute = ONSET) =>
      asker(
        { during, onset: { at: at(minute), earliest: at(minute), latest: at(minute) } },
        part({ client: name }, 2, during),
      )
    const who = (...shifts: readonly SeriesShift[]) => ofAll(shifts)?.shift.series.labels.client
    expect(who(client('c-8', 28), client('c-7', 42))).toBe('c-7')
    expect(who(client('c-7', 42), client('c-8', 28))).toBe('c-7')
    const even = [exact(50, 90)]
    const first = (...shifts: readonly SeriesShift[]) => ofAll(shifts, even)?.shift.series.labels.client
    expect(first(client('c-8', 42, ONSET + 2), client('c-7', 42))).toBe('c-7')
    expect(first(client('c-7', 42), client('c-8', 42, ONSET + 2))).toBe('c-7')
  })

  it('makes six tenths of what is asked more at least, where that is a fifth of all at least', () => {
    expect(of(asker({ before: 2, during: 26 }), [exact(50, 90)])).not.toBeNull()
    expect(of(asker({ before: 2, during: 25.9 }), [exact(50, 90)])).toBeNull()
    expect(of(asker({ before: 2, during: 12 }), [exact(50, 60)])).not.toBeNull()
    expect(of(asker({ before: 2, during: 12 }), [exact(50, 59.9)])).toBeNull()
  })
})
