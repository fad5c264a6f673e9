import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { tellingOfHarm } from '#shared/domain/investigation/place/harm-since.ts'
import { alert, at, calls, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { failingIn, seen } from '../observed-by-hand.ts'
import { risen } from '../scene-by-hand.ts'

const SINCE = new Map([
  ['press', at(ONSET)],
  ['stock', at(ONSET + 3)],
])
/** Something that left normal at a minute and was over at another, or is not. */
const moved = (from: number, to: number | null, entity = 'stock', name = 'http_5xx_ratio'): SeriesShift =>
  risen(entity, name, {
    onset: { at: at(from), earliest: at(from - 1), latest: at(from + 1) },
    ended_at: to === null ? null : at(to),
  })
/** A series of which nothing is known from a minute on. */
const endingAt = (shift: SeriesShift, minute: number): SeriesShift => {
  const until = shift.series.times.findIndex((time) => time >= at(minute))
  const { times, values } = shift.series
  return {
    ...shift,
    series: { ...shift.series, times: times.slice(0, until), values: values.slice(0, until) },
  }
}
const HARM = moved(ONSET, null)
const tells = (
  shift: SeriesShift,
  beside: readonly SeriesShift[] = [HARM],
  since = SINCE,
  behind: readonly string[] = [],
): boolean => tellingOfHarm([shift, ...beside], 'web', since, () => new Set(behind))(shift)

describe('what tells when harm began', () => {
  it('is there while calls fail: what stirred before and is over was another matter', () => {
    expect(tells(moved(ONSET - 8, ONSET - 4))).toBe(false)
    expect(tells(moved(ONSET - 8, ONSET + 5))).toBe(false)
    expect(tells(moved(ONSET - 8, ONSET + 5.1))).toBe(true)
    expect(tells(moved(ONSET - 8, null))).toBe(true)
  })

  it('is what began as calls did, however soon it was over', () => {
    expect(tells(moved(ONSET - 1, ONSET + 1))).toBe(true)
    expect(tells(moved(ONSET - 1.1, ONSET + 1))).toBe(false)
    expect(tells(moved(ONSET + 2, ONSET + 4))).toBe(true)
  })

  it('is not what certainly began before calls did and was soon over, however short before', () => {
    const began = (latest: number, to: number | null): boolean => {
      const shift = moved(ONSET - 0.5, to)
      return tells({ ...shift, onset: { ...shift.onset, latest: at(latest) } })
    }
    expect(began(ONSET - 0.1, ONSET + 4)).toBe(false)
    expect(began(ONSET, ONSET + 4)).toBe(true)
    expect(began(ONSET - 0.1, ONSET + 5.1)).toBe(true)
    expect(began(ONSET - 0.1, null)).toBe(true)
  })

  it('is measured for two minutes after: what ends with its machine ends in whatever it did', () => {
    expect(tells(endingAt(moved(ONSET - 8, null), ONSET + 3))).toBe(true)
    expect(tells(endingAt(moved(ONSET - 8, null), ONSET + 2))).toBe(false)
    const gone = moved(ONSET - 8, null)
    const values = gone.series.values.map((value, minute) => (minute >= ONSET ? Number.NaN : value))
    expect(tells({ ...gone, series: { ...gone.series, values } })).toBe(false)
  })

  it('is what is there while users of who was asked about are hurt, where nobody counted calls', () => {
    const before = moved(ONSET - 8, ONSET - 4)
    const tellsUncounted = (shift: SeriesShift, harm: SeriesShift): boolean => tells(shift, [harm], new Map())
    const hurt = moved(ONSET, null, 'web')
    expect(tellsUncounted(before, hurt)).toBe(false)
    expect(tellsUncounted(moved(ONSET - 8, ONSET + 5), hurt)).toBe(false)
    expect(tellsUncounted(moved(ONSET - 8, ONSET + 5.1), hurt)).toBe(true)
    expect(tellsUncounted(moved(ONSET - 1, ONSET + 1), hurt)).toBe(true)
    expect(tellsUncounted(moved(ONSET - 1.1, ONSET + 1), hurt)).toBe(false)
    // Somebody else's harm says nothing of when these users were hurt, nor does what they do not feel or what was over.
    expect(tellsUncounted(before, HARM)).toBe(true)
    expect(tellsUncounted(before, moved(ONSET, null, 'web', 'cpu_utilization_ratio'))).toBe(true)
    expect(tellsUncounted(before, moved(ONSET, ONSET + 9, 'web'))).toBe(true)
    expect(tellsUncounted(before, endingAt(hurt, ONSET + 2))).toBe(true)
  })

  it('is whom these users need, however soon it was over after, where nobody counted calls', () => {
    const hurt = [moved(ONSET, null, 'web')]
    const needed = (to: number, since: ReadonlyMap<string, number> = new Map()): boolean =>
      tells(moved(ONSET - 8, to), hurt, new Map(since), ['stock'])
    expect(needed(ONSET)).toBe(false)
    expect(needed(ONSET + 0.1)).toBe(true)
    expect(needed(ONSET + 5, SINCE)).toBe(false)
  })

  it('reaches back to the first that lasts of who was asked about, where nobody counted calls', () => {
    const smouldered = moved(ONSET - 8, null, 'web')
    const harm = [smouldered, moved(ONSET, null, 'web')]
    expect(tells(moved(ONSET - 12, ONSET - 9), harm, new Map())).toBe(false)
    expect(tells(moved(ONSET - 12, ONSET - 2), harm, new Map())).toBe(true)
  })

  it('is everything where no harm lasts that users feel', () => {
    const before = moved(ONSET - 8, ONSET - 4)
    expect(tells(before, [HARM], new Map())).toBe(true)
    expect(tells(before, [])).toBe(true)
    expect(tells(before, [moved(ONSET, ONSET + 5)])).toBe(true)
    expect(tells(before, [moved(ONSET, null, 'stock', 'cpu_utilization_ratio')])).toBe(true)
    expect(tells(before, [{ ...HARM, is_bad: false }])).toBe(true)
    expect(tells(before, [endingAt(HARM, ONSET + 2)])).toBe(true)
  })

  it('is harm that is over again where callers counted it from its beginning on, and for minutes', () => {
    const before = moved(ONSET - 8, ONSET - 4)
    const over = (from: number, to: number): boolean => tells(before, [moved(from, to)])
    expect(over(ONSET, ONSET + 5.1)).toBe(false)
    expect(over(ONSET + 1, ONSET + 9)).toBe(false)
    expect(over(ONSET - 1, ONSET + 9)).toBe(false)
    expect(over(ONSET + 1.1, ONSET + 9)).toBe(true)
    expect(over(ONSET - 1.1, ONSET + 9)).toBe(true)
  })

  it('is not what stirred last before it was gone, though it is as before only when it is back', () => {
    const stirred = moved(ONSET - 8, ONSET + 12)
    const { times, values } = stirred.series
    const goneFrom = (minute: number): SeriesShift => {
      const kept = values.map((value, index) => {
        const time = times[index] as number
        return time >= at(minute) && time < at(ONSET + 12) ? Number.NaN : value
      })
      return { ...stirred, series: { ...stirred.series, values: kept } }
    }
    expect(tells(stirred)).toBe(true)
    expect(tells(goneFrom(ONSET))).toBe(false)
    expect(tells(goneFrom(ONSET + 1))).toBe(true)
  })

  it('is harm of what was asked about, or of somebody whose callers count it', () => {
    const before = moved(ONSET - 8, ONSET - 4)
    expect(tells(before, [moved(ONSET, null, 'web')])).toBe(false)
    expect(tells(before, [moved(ONSET, null, 'vault')])).toBe(true)
  })
})

describe('an incident before which something stirred', () => {
  const CALLS = calls('web', 'stock', 0.4)
  const web = series('web', 'http_5xx_ratio', 0.003, 0.3)
  const stirred = (to: number) => series('stock', 'event_loop_lag_seconds', 0.01, 0.6, ONSET - 8, to)
  const incident = (to: number, more = {}) => ({
    ...EMPTY,
    baselines: [{ name: 'b1', from: at(0), to: at(60) }],
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [web, series('stock', 'http_5xx_ratio', 0.003, 0.4), stirred(to)],
    edges: CALLS,
    ...more,
  })

  it('begins when calls fail, and with what stirred where that lasts', () => {
    const onset = (to: number) => Date.parse(investigate(incident(to)).onset?.at ?? '')
    expect(onset(ONSET - 4)).toBe(at(ONSET))
    expect(onset(LENGTH)).toBe(at(ONSET - 8))
  })

  it('begins when users of who was alerted are hurt, where nobody counted calls, and is nobody else who only stirred', () => {
    const lag = series('balancer', 'event_loop_lag_seconds', 0.01, 0.6, ONSET - 8, ONSET - 4)
    const uncounted = { ...incident(ONSET - 4), series: [web, lag], edges: [] }
    const { onset, cause } = investigate(uncounted)
    expect(Date.parse(onset?.at ?? '')).toBe(at(ONSET))
    expect(cause.entity).toBe('web')
  })

  it('has a service that has been failing since its callers count it, where all that it shows of itself was over', () => {
    const silent = incident(ONSET - 4, { series: [web, stirred(ONSET - 4)] })
    expect(failingIn(seen(silent), 'stock')?.onset.at).toBe(at(ONSET))
    const earlier = series('stock', 'cpu_utilization_ratio', 0.2, 0.9, ONSET - 2)
    const busy = { ...silent, series: [...silent.series, earlier] }
    expect(failingIn(seen(busy), 'stock')?.onset.at).toBeLessThanOrEqual(at(ONSET))
  })
})
