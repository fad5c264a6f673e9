import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withLeftUnread } from '#shared/domain/investigation/changes/left-unread.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const ELSEWHERE = '-  readsFrom: parcels\n+  readsFrom: letters'

/** Settings of a reader, in effect at a minute. */
const settings = (minute: number, diff = ELSEWHERE, more: object = {}): Arrival =>
  ({
    change: { source: 'git', id: 'c1', kind: 'config', recorded_at: at(minute) },
    diff: readDiff(diff, ['reader/reader.yaml']),
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.5, reaches: 'reader', owners: new Set(['reader']), is_named: false },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const moved = (entity: string, name: string, more: Partial<SeriesShift> = {}, minute = ONSET - 1) =>
  ({
    ...shifted(entity, name),
    ...{ ended_at: null, ...more },
    onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
  }) as SeriesShift
const fell = (name = 'NumberOfMessagesDeleted', more: Partial<SeriesShift> = {}, minute = ONSET - 1) =>
  moved('parcels', name, { direction: 'down', before: 40, during: 0, ...more }, minute)
const waits = (more: Partial<SeriesShift> = {}, entity = 'parcels') =>
  moved(entity, 'ApproximateAgeOfOldestMessage', { direction: 'up', before: 2, during: 200, ...more })
const observed = (...shifts: readonly SeriesShift[]): Observed =>
  ({ ...SEEN, shifts, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } }) as never
const seen = (arrival = settings(ONSET - 2), of = observed(fell(), waits())): Arrival =>
  withLeftUnread([arrival], of)[0] as Arrival
const isSeen = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined

describe('a queue that a change no longer names and that nobody reads since', () => {
  it('is where the change did its harm, in effect as recorded, or else as nothing was taken any more', () => {
    expect(seen()).toMatchObject({
      place: { score: 0.95, reaches: 'parcels' },
      effective: { from: at(ONSET - 2), known: true },
      seen: { series: { entity: 'parcels' } },
    })
    const unknown = { effective: { from: at(ONSET - 5), to: at(ONSET - 5), known: false } }
    expect(seen(settings(ONSET - 5, ELSEWHERE, unknown)).effective).toEqual({
      ...{ from: at(ONSET - 1.5), to: at(ONSET - 0.5), known: true },
    })
  })

  it.each([
    'aws_sqs_number_of_messages_deleted_sum',
    'NumberOfMessagesReceived',
    'rabbitmq_queue_messages_acked_total:rate1m',
    'rabbitmq_channel_messages_delivered_total',
    'subscription/ack_message_count',
    'kafka_consumer_records_consumed_total',
    'CompleteMessage',
  ])('is told by what is taken from it: %s', (name) => {
    expect(isSeen(settings(ONSET - 2), observed(fell(name), waits()))).toBe(true)
  })

  it.each(['NumberOfMessagesSent', 'rabbitmq_channel_messages_published_total', 'requests_per_second'])(
    'is not told by %s, which falls with those who ask',
    (name) => {
      expect(isSeen(settings(ONSET - 2), observed(fell(name), waits()))).toBe(false)
    },
  )

  it('may be named by a label of who counts, and with its number of an account', () => {
    const taken = fell('kafka_consumer_records_consumed_total')
    const labelled = { ...taken, series: { ...taken.series, labels: { topic: 'orders.v1' } } }
    const of = observed(labelled, waits())
    expect(isSeen(settings(ONSET - 2, '-topic = orders.v1\n+topic = orders.v2'), of)).toBe(true)
    expect(isSeen(settings(ONSET - 2, '-topic = orders\n+topic = letters'), of)).toBe(false)
    const url = '-url: https://sqs.eu-1.example/17/parcels\n+url: https://sqs.eu-1.example/17/letters'
    expect(isSeen(settings(ONSET - 2, url))).toBe(true)
  })

  it('is named whole, and no more: a longer name is another queue', () => {
    for (const other of ['parcels-v2', 'parcels.fifo', 'all-parcels', 'parcels_two'])
      expect(isSeen(settings(ONSET - 2, `-  readsFrom: parcels\n+  readsFrom: ${other}`))).toBe(true)
    for (const other of ['parcels-v2', 'parcels.fifo', 'all-parcels', 'parcels_two'])
      expect(isSeen(settings(ONSET - 2, `-  readsFrom: ${other}\n+  readsFrom: letters`))).toBe(false)
    expect(isSeen(settings(ONSET - 2, '-  readsFrom: parcels\n+  queue: parcels'))).toBe(false)
    expect(isSeen(settings(ONSET - 2, '   readsFrom: parcels\n-  batch: 5\n+  batch: 6'))).toBe(false)
    expect(isSeen(settings(ONSET - 2, '+  readsFrom: parcels'))).toBe(false)
  })

  it('has something that waits: what both sides left is empty', () => {
    expect(isSeen(settings(ONSET - 2), observed(fell()))).toBe(false)
    expect(isSeen(settings(ONSET - 2), observed(fell(), waits({}, 'letters')))).toBe(false)
    expect(isSeen(settings(ONSET - 2), observed(fell(), waits({ direction: 'down' })))).toBe(false)
    expect(isSeen(settings(ONSET - 2), observed(fell(), waits({ ended_at: at(ONSET + 1) })))).toBe(false)
  })

  it('is hardly read any more, since the change and near the harm, as long as that lasts', () => {
    const by = (taken: SeriesShift, minute = ONSET - 2): boolean =>
      isSeen(settings(minute), observed(taken, waits()))
    expect(by(fell(undefined, { during: 4 }))).toBe(true)
    expect(by(fell(undefined, { during: 4.1 }))).toBe(false)
    expect(by(fell(undefined, { before: 0 }))).toBe(false)
    expect(by(fell(undefined, { direction: 'up' }))).toBe(false)
    expect(by(fell(undefined, { ended_at: at(ONSET + 1) }))).toBe(false)
    expect(by(fell(undefined, {}, ONSET - 15), ONSET - 16)).toBe(true)
    expect(by(fell(undefined, {}, ONSET - 15.1), ONSET - 16)).toBe(false)
    expect(by(fell(undefined, {}, ONSET + 5))).toBe(true)
    expect(by(fell(undefined, {}, ONSET + 5.1))).toBe(false)
    expect(by(fell(), ONSET - 11.5)).toBe(true)
    expect(by(fell(), ONSET - 11.6)).toBe(false)
    expect(by(fell(), ONSET + 1)).toBe(false)
  })

  it('says nothing of what does nothing, what is seen to do something else, or where no harm is known', () => {
    expect(isSeen(settings(ONSET - 2, ELSEWHERE, { trivial: { reason: 'words', factor: 0.1 } }))).toBe(false)
    const other = moved('reader', 'threads')
    expect(seen(settings(ONSET - 2, ELSEWHERE, { seen: other })).seen).toBe(other)
    expect(isSeen(settings(ONSET - 2), { ...observed(fell(), waits()), onset: null })).toBe(false)
  })
})

describe('an incident after a reader was told to read another queue', () => {
  const diff =
    '--- a/prod/reader/reader.yaml\n+++ b/prod/reader/reader.yaml\n@@ -1,2 +1,2 @@\n reader:\n-  readsFrom: parcels\n+  readsFrom: letters'
  const change: Change = {
    ...{ source: 'changes', id: 'c1', kind: 'config', recorded_at: at(ONSET - 2), diff },
    ...{ title: 'Names by their content', files: ['prod/reader/reader.yaml'] },
    effective_at: { from: at(ONSET - 1), to: at(ONSET - 1) },
  }
  const snapshot: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.001, 0.4),
      series('reader', 'http_5xx_ratio', 0.001, 0.001),
      series('parcels', 'aws_sqs_number_of_messages_deleted_sum', 40, 0),
      series('parcels', 'aws_sqs_approximate_age_of_oldest_message_maximum', 2, 300),
    ],
    edges: calls('web', 'reader', 0.001),
    logs: lines('web', 'ERROR', 'no answer for parcel within 40 s', ONSET, ONSET + 20),
    changes: [change],
  }

  it('is told as that of the reader’s settings, at the queue', () => {
    expect(investigate(snapshot).cause).toMatchObject({ level: 'change', change: 'c1', entity: 'parcels' })
  })

  it('is not where the queue is read as ever', () => {
    const [web, reader] = snapshot.series
    const quiet = { ...snapshot, series: [web, reader].flatMap((one) => one ?? []) }
    expect(investigate(quiet).cause.entity).not.toBe('parcels')
  })
})
