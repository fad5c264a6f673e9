import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { oneAsker } from '#shared/domain/investigation/one-asker.ts'
import type { SeriesShift } from '#shared/domain/investigation/series-shift.ts'
import type { Series } from '#shared/domain/investigation/snapshot.ts'
import { at, EMPTY, ONSET, series } from './incident-scenarios.ts'
import { BARE, place, risen, SINCE } from './scene-by-hand.ts'

const NAME = 'http_requests_per_second'
const part = (labels: Series['labels'], before: number, during: number, name = `${NAME}_by_client`) => ({
  ...series('web', name, before, during),
  labels,
})
/** Of 50 requests a second, and 90 since, one client makes 2 and then 42. */
const asker = (more: Partial<SeriesShift> = {}, one = part({ client: 'c-7' }, 2, 42)): SeriesShift =>
  risen('web', one.name, { before: 2, during: 42, is_bad: false, ...more }, one)
const of = (shift: SeriesShift, all: readonly Series[] = [series('web', NAME, 50, 90)]) =>
  oneAsker({
    snapshot: { ...EMPTY, series: [...all, shift.series] },
    observed: { ...BARE, onset: SINCE, shifts: [shift], first: place('web') },
    ...{ symptoms: [], names: entityNames(EMPTY), lines: [], onset: at(ONSET) },
  })

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
})
