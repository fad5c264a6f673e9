/**
 * A queue that a change no longer names, from which nothing is taken since: what is put there waits, and so does whoever asked for it.
 *
 * Method: who reads a queue finds its name in settings, and with another name there takes from another queue. That fails nobody by
 * itself: the reader answers as ever, has nothing to do and says that it is well, and the harm is with who waits for what never
 * comes. So the queue has to be looked at and not the reader: what is taken from it falls to next to nothing in the minutes after the
 * change, while what waits there grows, which means that others still put something there. That the diff takes that
 * very name away ties the two, wherever in the graph of calls the reader stands. A queue that both sides left is empty, and says nothing.
 */
import { queueStateOf } from '../deviations/metric-meaning.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { NEAR_MS, outlasts } from '../place/told-lines.ts'
import type { Arrival } from './closeness.ts'
import { APPLIED_MS } from './moved-itself.ts'
import { hasMoved, seenAt, sinceOf } from './seen-at.ts'
import { HURTS_MS } from './seen-settings.ts'

/**
 * Names of what is taken from a queue.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html (NumberOfMessagesDeleted, NumberOfMessagesReceived)
 * @see https://www.rabbitmq.com/docs/prometheus (rabbitmq_queue_messages_acked_total, rabbitmq_channel_messages_delivered_total)
 * @see https://cloud.google.com/monitoring/api/metrics_gcp_p_z (pubsub: subscription/ack_message_count)
 * @see https://kafka.apache.org/documentation/#consumer_monitoring (records-consumed-total)
 * @see https://learn.microsoft.com/en-us/azure/service-bus-messaging/monitor-service-bus-reference (CompleteMessage)
 */
const TAKEN =
  /\b(?:messages?|records?) (?:acked|acknowledged|deleted|received|delivered|consumed|completed?)\b|\b(?:ack|acked|completed?|consumed) (?:messages?|records?)\b/
const isTaken = keptByName((name) => TAKEN.test(wordsOf(name).join(' ')))
/** Share of the usual that is next to nothing. */
const NOTHING = 0.1
/** Names as settings and code write those of queues, with dots: `orders` is not `orders.fifo`. */
const NAME = /[\p{L}\d_][\p{L}\d_.-]{2,100}/gu

/** A queue from which nothing is taken since, while something waits there. */
interface Unread {
  readonly taken: SeriesShift
  /** By which names it goes: whose series it is, and what their labels say. */
  readonly names: readonly string[]
}

/** Whether next to nothing is taken any more since shortly before users are hurt, for as long as they are. */
const isNothingTaken = (shift: SeriesShift, observed: Observed, harmedAt: number): boolean =>
  isTaken(shift.series.name) &&
  shift.direction === 'down' &&
  shift.before > 0 &&
  shift.during <= NOTHING * shift.before &&
  shift.onset.at >= harmedAt - HURTS_MS &&
  shift.onset.at <= harmedAt + NEAR_MS &&
  outlasts(observed, shift)

/** Queues from which nothing is taken since users are hurt, and where more waits than before. */
function unreadQueues(observed: Observed): readonly Unread[] {
  const { shifts, onset } = observed
  if (onset === null) return []
  const filling = new Set(
    shifts
      .filter(
        (shift) =>
          shift.direction === 'up' &&
          queueStateOf(shift.series.name) === 'waits' &&
          outlasts(observed, shift),
      )
      .map(({ series }) => series.entity),
  )
  return shifts
    .filter((shift) => filling.has(shift.series.entity) && isNothingTaken(shift, observed, onset.at))
    .map((taken) => ({ taken, names: [taken.series.entity, ...Object.values(taken.series.labels)] }))
}

/** Whole names that lines hold, in lower case. */
export const namesOf = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.match(NAME) ?? []).map((name) => name.toLowerCase()))

/** The same arrivals; those whose diff takes away the name of a queue that nobody reads since are where it waits. */
export function withLeftUnread(arrivals: readonly Arrival[], observed: Observed): readonly Arrival[] {
  const unread = unreadQueues(observed)
  if (unread.length === 0) return arrivals
  return arrivals.map((arrival) => {
    const { diff, trivial, seen } = arrival
    if (trivial !== null || seen !== undefined || diff.lines_gone.length === 0) return arrival
    const [gone, come] = [namesOf(diff.lines_gone), namesOf(diff.lines_new)]
    const since = sinceOf(arrival)
    const found = unread.find(
      ({ taken, names }) =>
        hasMoved(taken, since, since + APPLIED_MS) &&
        names.some((name) => gone.has(name.toLowerCase()) && !come.has(name.toLowerCase())),
    )
    return found === undefined ? arrival : { ...seenAt(arrival, found.taken), seen: found.taken }
  })
}
