/**
 * What is counted under a name that one change alone edits, and is another number since: an exchange, a topic, a table, a rule, a pool.
 *
 * Method: who publishes to an exchange by a name that no queue is bound by is told that all is well, and the broker throws the message
 * away; publisher and broker answer as ever, and the harm is with who waits for what never comes. What ties the two is a count of the
 * broker's, under a label of that very name, as counters are told apart (dimensions): next to nothing as a rule, and many times as much from the
 * minutes in which the change took effect, for as long as users are hurt; or next to nothing since. That the lines which the change
 * edits hold that name whole, and those of no other change, is specific, whoever counts and wherever in the graph of calls
 * it stands (Hill, The environment and disease: association or causation?, 1965: temporality, specificity). Words that code and labels
 * have everywhere name nothing, and what demand moves comes with those who ask.
 * @see https://prometheus.io/docs/practices/naming/ (labels)
 * @see https://github.com/rabbitmq/rabbitmq-server/blob/main/deps/rabbitmq_prometheus/metrics.md (messages_unroutable_dropped_total)
 */
import { isBusy } from '../deviations/felt-symptoms.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { NEAR_MS, outlasts } from '../place/told-lines.ts'
import type { Entity, Series } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { namesOf } from './left-unread.ts'
import { APPLIED_MS } from './moved-itself.ts'
import { WRITES } from './place-of-changes.ts'
import type { DiffReading } from './read-diff.ts'
import { hasMoved, seenAt, sinceOf } from './seen-at.ts'
import { HURTS_MS } from './seen-settings.ts'
import { COMMON } from './word-overlap.ts'

/** By what factor it is more than ever, or less: what is of one kind or another all day moves by less. */
const FACTOR = 10
/** Shorter values are codes and units. */
const SHORTEST = 4
/** Values that stand for what has no name, or for all of it. */
const NAMELESS = /^(?:none|null|true|false|others?|default|unknown|all|any|\d.*)$/
/** Labels of where a series was read, and of which of a few kinds it counts, which name no thing. */
const NO_THING =
  /^(?:job|instance|pod|node|container|namespace|cluster|region|zone|env|service|app|version|kind|type|state|status|mode|method|operation|op|action|outcome|result|reason|level|severity|code|le|quantile|\w+_(?:kind|type|state|status|mode|reason|code))$/

/** A level with the names under which it counts, in lower case. */
interface Named {
  readonly shift: SeriesShift
  readonly names: readonly string[]
}

const isNameOf = (label: string, value: string): boolean =>
  !NO_THING.test(label) && value.length >= SHORTEST && !NAMELESS.test(value) && !COMMON.has(value)

const namesIn = ({ labels }: Series): readonly string[] =>
  Object.entries(labels).flatMap(([label, value]) => {
    const name = value.toLowerCase()
    return isNameOf(label, name) ? [name] : []
  })

const isOther = ({ direction, before, during }: SeriesShift): boolean =>
  direction === 'up' ? during >= FACTOR * before : before > 0 && during <= before / FACTOR

/** What counts under a name and is another number since users are hurt, or minutes before. */
function namedLevels(observed: Observed, harmedAt: number, entities: readonly Entity[]): readonly Named[] {
  const found = observed.shifts
    .filter(
      (shift) =>
        isOther(shift) &&
        !shift.meaning.is_demand &&
        !isBusy(shift) &&
        shift.onset.at >= harmedAt - HURTS_MS &&
        shift.onset.at <= harmedAt + NEAR_MS &&
        outlasts(observed, shift),
    )
    .map((shift): Named => ({ shift, names: namesIn(shift.series) }))
    .filter(({ names }) => names.length > 0)
  if (found.length === 0) return found
  // Who is spoken of everywhere is named by any change of it.
  const known = new Set(entities.map(({ name }) => name.toLowerCase()))
  return found.map(({ shift, names }) => ({ shift, names: names.filter((name) => !known.has(name)) }))
}

/** Whether the lines that a diff edits hold a name whole, in whatever case; most do not hold it at all. */
function edits({ lines_gone: gone, lines_new: added }: DiffReading, name: string): boolean {
  const lines = [...gone, ...added].filter((line) => line.toLowerCase().includes(name))
  return lines.length > 0 && namesOf(lines).has(name)
}

/** The same arrivals; the one whose edited lines alone hold the name by which a level moved since is next to who waits for it. */
export function withNamedLabels(
  arrivals: readonly Arrival[],
  observed: Observed,
  entities: readonly Entity[],
): readonly Arrival[] {
  const { onset } = observed
  const levels = onset === null ? [] : namedLevels(observed, onset.at, entities)
  if (onset === null || levels.length === 0) return arrivals
  const recorded = arrivals.filter(({ change }) => change.recorded_at <= onset.latest)
  return arrivals.map((arrival) => {
    const { diff, trivial, seen, place } = arrival
    if (trivial !== null || seen !== undefined) return arrival
    const since = sinceOf(arrival)
    const isAlone = (name: string): boolean =>
      edits(diff, name) && !recorded.some((other) => other !== arrival && edits(other.diff, name))
    const found = levels.find(
      ({ shift, names }) => hasMoved(shift, since, since + APPLIED_MS) && names.some(isAlone),
    )?.shift
    if (found === undefined) return arrival
    // Who was changed is the place where that is known, and where it is not, what counts.
    return place.reaches === null
      ? { ...seenAt(arrival, found), seen: found }
      : { ...arrival, seen: found, place: { ...place, score: Math.max(place.score, WRITES) } }
  })
}
