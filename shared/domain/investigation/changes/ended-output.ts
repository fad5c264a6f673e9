/**
 * A part that gives out next to nothing since a change arrived there, while it is asked as ever, and whoever asks it waits in vain.
 *
 * Method: who takes a task, answers that it did and puts the result somewhere else is well by all that is counted of its calls; the
 * one who waits for the result fails. What ties the two is a count of what is put out: messages sent to a queue, records written to
 * a topic. That it falls to nothing in the very minutes in which a change arrived at the part whose name it bears, and stays there
 * however many it is still asked for, is seldom chance (Hill, The environment and disease: association or causation?, 1965:
 * temporality, specificity). Where something else of that part fills from then on, a change that has the word by which the two differ
 * says where the results go; of several that arrived together it is that one.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Arrival } from './closeness.ts'
import { WRITES } from './place-of-changes.ts'
import { things } from './seen-settings.ts'
import { SHOWS_WITHIN_MS } from './stepped-at-rollout.ts'

/**
 * Says that a series counts what is put out.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html (NumberOfMessagesSent)
 * @see https://www.rabbitmq.com/docs/prometheus (rabbitmq_channel_messages_published_total)
 * @see https://kafka.apache.org/documentation/#producer_monitoring (record-send-total)
 */
const OUTPUT =
  /\b(?:messages?|records?|events?|items?|tasks?|jobs?)(?: \w+)? (?:sent|send|published|produced|enqueued|emitted)\b/
const countsOutput = keptByName((name) => OUTPUT.test(wordsOf(name).join(' ')))
/** Share of the usual for each request that is next to nothing. */
const NOTHING = 0.1

/** Whether a count of what is put out fell to next to nothing before or with the harm, and has stayed there. */
const isEnded = (shift: SeriesShift, harmedAt: number): boolean =>
  shift.direction === 'down' &&
  shift.before > 0 &&
  shift.during <= NOTHING * shift.before &&
  shift.ended_at === null &&
  shift.onset.at <= harmedAt + CLOCK_TOLERANCE_MS &&
  countsOutput(shift.series.name)

/** What is left of the requests to a part, as a share of its usual ones: whoever fails asks others less, and has less to give. */
const askedStill = ({ shifts }: Observed, entity: string): number =>
  Math.min(
    1,
    ...shifts.flatMap(({ series, meaning, direction, before, during, ended_at: ended }) =>
      series.entity === entity &&
      meaning.is_demand &&
      !countsOutput(series.name) &&
      direction === 'down' &&
      ended === null
        ? [during / before]
        : [],
    ),
  )

/** The same arrivals; those since which their place puts out nothing are next to who waits for it. */
export function withEndedOutput(
  arrivals: readonly Arrival[],
  observed: Observed,
  names: EntityNames,
): readonly Arrival[] {
  const { onset, first, graph, shifts } = observed
  if (onset === null || first === null) return arrivals
  const ended = shifts
    .filter((shift) => isEnded(shift, onset.latest))
    .map((shift) => ({ shift, of: namedBy(shift, names) }))
  if (ended.length === 0) return arrivals
  // Whom one calls that is on no counted call is not known.
  const waitsFor = (entity: string): boolean =>
    entity === first.entity ||
    !graph.callees.has(first.entity) ||
    graph.reachableFrom(first.entity).has(entity)
  const foundFor = ({ effective, place: { reaches }, trivial }: Arrival): SeriesShift | null => {
    if (trivial !== null || !effective.known || reaches === null || !waitsFor(reaches)) return null
    const found = ended.find(
      ({ shift, of }) =>
        of.has(reaches) &&
        shift.onset.latest >= effective.from - CLOCK_TOLERANCE_MS &&
        shift.onset.earliest <= effective.to + SHOWS_WITHIN_MS,
    )
    return found !== undefined &&
      found.shift.during <= NOTHING * askedStill(observed, reaches) * found.shift.before
      ? found.shift
      : null
  }
  const since = new Map(
    arrivals.flatMap((arrival) => {
      const shift = foundFor(arrival)
      return shift === null
        ? []
        : [[arrival, { shift, isNaming: namesWhere(arrival, shift, shifts) }] as const]
    }),
  )
  // Of several that arrived at once, those that name where it goes instead.
  const named = new Set([...since.values()].flatMap(({ shift, isNaming }) => (isNaming ? [shift] : [])))
  return arrivals.map((arrival) => {
    const found = since.get(arrival)
    if (found === undefined || (named.has(found.shift) && !found.isNaming)) return arrival
    const { place } = arrival
    return { ...arrival, seen: found.shift, place: { ...place, score: Math.max(place.score, WRITES) } }
  })
}

/** The words of the labels of a series. */
const labelled = ({ series: { labels } }: SeriesShift): readonly string[] =>
  Object.values(labels).flatMap(things)

/** Whether a change has a word by which what fills since then differs from what is put out no more. */
function namesWhere({ change, diff }: Arrival, ended: SeriesShift, shifts: readonly SeriesShift[]): boolean {
  const known = new Set(labelled(ended))
  const others = new Set(
    shifts
      .filter(
        ({ series, direction, ended_at: over, before, during, onset }) =>
          series.entity === ended.series.entity &&
          direction === 'up' &&
          over === null &&
          before <= NOTHING * during &&
          Math.abs(onset.at - ended.onset.at) <= SHOWS_WITHIN_MS,
      )
      .map(labelled)
      .filter((words) => [...known].every((word) => words.includes(word)))
      .flat()
      .filter((word) => !known.has(word)),
  )
  return things([change.title ?? '', ...diff.lines_gone, ...diff.lines_new].join(' ')).some((word) =>
    others.has(word),
  )
}

/** Whose output a series counts: of whom it is, or whom its labels name. */
const namedBy = ({ series: { entity, labels } }: SeriesShift, names: EntityNames): ReadonlySet<string> =>
  new Set([entity, ...Object.values(labels).flatMap((label) => names.mentionedIn(label))])
