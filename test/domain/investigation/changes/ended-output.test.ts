import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withEndedOutput } from '#shared/domain/investigation/changes/ended-output.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { at, EMPTY, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { graphOf, place, risen } from '../scene-by-hand.ts'

const NAMES = entityNames({
  ...EMPTY,
  entities: ['press', 'desk', 'web'].map((name) => ({ name, kind: 'service' as const, aliases: [] })),
})

/** A change that arrived at `press` at a minute. */
const made = (minute: number, more: object = {}): Arrival =>
  ({
    change: { source: 'git', id: 'c1', kind: 'commit', recorded_at: at(minute) },
    diff: readDiff('', []),
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.7, reaches: 'press', owners: new Set(['press']), is_named: false },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const sent = (
  minute = ONSET - 2,
  more: Partial<SeriesShift> = {},
  name = 'aws_sqs_number_of_messages_sent_average',
  labels: Readonly<Record<string, string>> = { queue: 'press-pages' },
): SeriesShift => ({
  ...risen('pages', name, { direction: 'down', before: 900, during: 18, ...more }, { labels }),
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})
const asked = (during: number, ended_at: number | null = null): SeriesShift => ({
  ...risen('press', 'http_server_requests_per_second', {
    ...{ direction: 'down', before: 40, during, ended_at },
  }),
  meaning: readMetricName('http_server_requests_per_second'),
})

/** The desk asks the press and fails. */
const observed = (shifts: readonly SeriesShift[], more: Partial<Observed> = {}): Observed =>
  ({
    ...{ ...SEEN, shifts, first: place('desk'), graph: graphOf({ web: ['desk'], desk: ['press'] }) },
    onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) },
    ...more,
  }) as never
const seen = (arrival = made(ONSET - 3), of = observed([sent()])): Arrival =>
  withEndedOutput([arrival], of, NAMES)[0] as Arrival
const isSeen = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined

describe('a change since which its place puts out next to nothing', () => {
  it('is next to whoever waits for that, however well the place answers', () => {
    expect(seen()).toMatchObject({
      seen: { series: { labels: { queue: 'press-pages' } } },
      place: { score: 0.95, reaches: 'press' },
    })
    expect(isSeen(undefined, observed([sent()], { first: place('press') }))).toBe(true)
    expect(isSeen(undefined, observed([sent()], { first: place('web') }))).toBe(true)
  })

  it('is one where the count is of that place, by a label or by whose series it is', () => {
    const by = (labels: Readonly<Record<string, string>>, entity = 'pages'): boolean => {
      const one = sent(ONSET - 2, {}, 'messages_published_total', labels)
      return isSeen(undefined, observed([{ ...one, series: { ...one.series, entity } }]))
    }
    expect(by({}, 'press')).toBe(true)
    expect(by({ queue: 'desk-pages' })).toBe(false)
    expect(by({})).toBe(false)
  })

  it('is one that arrived in the minutes in which the count fell', () => {
    expect(isSeen(made(ONSET - 4.4))).toBe(true)
    expect(isSeen(made(ONSET - 9))).toBe(false)
    expect(isSeen(made(ONSET + 2))).toBe(false)
    expect(isSeen(made(ONSET - 3, { effective: { from: at(ONSET - 3), to: at(ONSET), known: false } }))).toBe(
      false,
    )
    expect(isSeen(made(ONSET - 3, { trivial: { reason: 'a comment', factor: 0.1 } }))).toBe(false)
  })

  it('is none where the place is asked as much less as it puts out, which who fails may bring about', () => {
    expect(isSeen(undefined, observed([sent(), asked(16)]))).toBe(true)
    expect(isSeen(undefined, observed([sent(), asked(2)]))).toBe(false)
    expect(isSeen(undefined, observed([sent(), asked(2, at(ONSET + 1))]))).toBe(true)
  })

  it('is none where the count fell by less, came back, fell after the harm, or counts what comes in', () => {
    for (const more of [
      { during: 91 },
      { ended_at: at(ONSET + 5) },
      { direction: 'up' as const },
      { before: 0 },
    ])
      expect([more, isSeen(undefined, observed([sent(ONSET - 2, more)]))]).toEqual([more, false])
    expect(isSeen(made(ONSET + 7), observed([sent(ONSET + 8)]))).toBe(false)
    for (const name of ['messages_received_total', 'records_read_total', 'pages_sent_bytes'])
      expect([name, isSeen(undefined, observed([sent(ONSET - 2, {}, name)]))]).toEqual([name, false])
    for (const name of [
      'NumberOfMessagesSent',
      'rabbitmq_channel_messages_published_total',
      'record-send-total',
    ])
      expect([name, isSeen(undefined, observed([sent(ONSET - 2, {}, name)]))]).toEqual([name, true])
  })

  it('is none of a place that who fails is known not to ask, and may be one where that is not known', () => {
    const apart = graphOf({ desk: ['web'] })
    expect(isSeen(undefined, observed([sent()], { graph: apart }))).toBe(false)
    expect(isSeen(undefined, observed([sent()], { graph: graphOf({}) }))).toBe(true)
    expect(isSeen(undefined, observed([sent()], { first: null }))).toBe(false)
    expect(isSeen(undefined, observed([sent()], { onset: null }))).toBe(false)
  })

  it('is, of several that arrived together, the one that names where it goes instead', () => {
    const diff = (text: string) => ({ diff: readDiff(text, ['press/src/out.ts']) })
    const [where, other] = [
      made(ONSET - 3, diff('-  if (asked) name.DRAFT = 1\n+  name.DRAFT = String(asked)')),
      made(ONSET - 3, diff('-  one()\n+  two()')),
    ]
    const fills = (
      labels: Readonly<Record<string, string>>,
      more: Partial<SeriesShift> = {},
    ): SeriesShift => ({
      ...sent(ONSET - 2, { direction: 'up', before: 0, during: 900 }, 'messages_visible', labels),
      ...more,
    })
    const which = (...others: readonly SeriesShift[]) =>
      withEndedOutput([where, other], observed([sent(), ...others]), NAMES).map(
        ({ seen: found }) => found !== undefined,
      )
    expect(which(fills({ queue: 'press-pages-draft' }))).toEqual([true, false])
    expect(which()).toEqual([true, true])
    expect(which(fills({ queue: 'desk-pages-draft' }))).toEqual([true, true])
    expect(which(fills({ queue: 'press-pages-spare' }))).toEqual([true, true])
    expect(which(fills({ queue: 'press-pages-draft' }, { before: 800 }))).toEqual([true, true])
    expect(which(fills({ queue: 'press-pages-draft' }, { direction: 'down' }))).toEqual([true, true])
    expect(which(fills({ queue: 'press-pages-draft' }, { ended_at: at(ONSET + 1) }))).toEqual([true, true])
  })
})
