/**
 * What was worked on and came to nothing there and then: switches whose ports are all down, an account of which no machine
 * runs any more, a tunnel, a pool, a listener.
 *
 * Method: three clocks that agree. A record says that somebody did something to a part, a level of that very part falls to next
 * to nothing within minutes and stays there, and users are hurt in that same minute: a temporal order that chance seldom makes
 * (Hill, The environment and disease: association or causation?, 1965: strength, specificity, temporality). The part need
 * not be on any counted call: who calls through it or runs under it is seldom recorded, and that it reached nothing which fails
 * cannot be said. What is asked for, passes through or waits is left out, since that falls with those who ask. Records name a part,
 * or the group that it is a numbered one of (`sw-3` for `sw-3-1` and `sw-3-2`), as who works on one after another does.
 *
 * What a store holds is let in although calls to it are counted: rows do not become fewer because fewer ask for them. A record may
 * name the store as what something was moved from or to.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { queueStateOf, storeStateOf } from '../deviations/metric-meaning.ts'
import { keptByName } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { onCalls } from '../place/call-graph.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Change } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { isActRecord } from './named-resources.ts'
import { WRITES } from './place-of-changes.ts'
import { hasFallen } from './seen-at.ts'

/** Share of the usual level that is next to nothing: one of ten that run is left. */
const NOTHING = 0.1
/** From the record until the level falls, ms: who works on a part does it within minutes of writing so. */
const DONE_MS = 5 * 60_000
/** Letters from which a word names one thing. */
const SHORTEST = 3
/** The number at the end by which one of several alike is told from the others. */
const NUMBER = /[-_.]?\d{1,4}$/

/**
 * Names of how much a store holds: rows, documents.
 * @see https://github.com/prometheus-community/postgres_exporter (pg_stat_user_tables_n_live_tup)
 * @see https://github.com/prometheus/mysqld_exporter (mysql_info_schema_table_rows)
 * @see https://github.com/prometheus-community/elasticsearch_exporter (elasticsearch_indices_docs, elasticsearch_indices_docs_primary)
 * @see https://docs.aws.amazon.com/opensearch-service/latest/developerguide/managedomains-cloudwatchmetrics.html (SearchableDocuments)
 */
const HELD =
  /(?:^|[_.])(?:n_live_tup|info_schema_table_rows|indices_docs(?:_primary)?|searchable_?documents(?:_average)?)$/i
/** Whether a series says how much a store holds. */
export const isHeld = keptByName((name) => HELD.test(name))

/** What was read before of a change, as long as it is kept: several steps ask. */
const namedBefore = new WeakMap<Change, ReadonlySet<string>>()

/** Names in a title: of several parts, as no everyday word is, or what stands before a colon. */
export function namedIn(change: Change): ReadonlySet<string> {
  const before = namedBefore.get(change)
  if (before !== undefined) return before
  const named = readNames(change)
  namedBefore.set(change, named)
  return named
}

function readNames({ title = '', entity }: Change): ReadonlySet<string> {
  const names = (title.slice(0, 300).match(/[\p{L}\d][\p{L}\d._-]{0,100}/gu) ?? []).map((name) =>
    name.replace(/[._-]+$/, ''),
  )
  const lead = /^([\p{L}\d._-]{1,100}):/u.exec(title)?.[1]
  return new Set(
    [...names.filter((name) => /[\p{L}\d][-_.\d]/u.test(name)), lead, entity].flatMap((name) =>
      name === undefined || name.length < SHORTEST ? [] : [name.toLowerCase()],
    ),
  )
}

/** What a record names, and from where to where it moved something. */
const namedOrMoved = (change: Change): ReadonlySet<string> =>
  new Set([
    ...namedIn(change),
    ...[change.before, change.after].flatMap((end) => (end === undefined ? [] : [end.toLowerCase()])),
  ])

/** Whether a record is of a part, by its name or by that of the numbered ones. */
function isOf(named: ReadonlySet<string>, entity: string): boolean {
  const name = entity.toLowerCase()
  return named.has(name) || (NUMBER.test(name) && named.has(name.replace(NUMBER, '')))
}

/** Whether a level fell to next to nothing with the harm and has stayed there. */
const cameToNothing =
  (onsetAt: number) =>
  (shift: SeriesShift): boolean =>
    (shift.meaning.meaning === 'availability' || shift.meaning.meaning === 'other') &&
    !shift.meaning.is_demand &&
    hasFallen(shift, onsetAt, NOTHING) &&
    queueStateOf(shift.series.name) === null &&
    storeStateOf(shift.series.name) === null

/** The same arrivals; who worked on a part that came to nothing there and then was at the very place. */
export function withStopped(arrivals: readonly Arrival[], observed: Observed): readonly Arrival[] {
  const { onset, shifts, graph } = observed
  if (onset === null) return arrivals
  const called = new Set(onCalls(graph))
  const isNothing = cameToNothing(onset.at)
  const ended = shifts.filter(
    (shift) => isNothing(shift) && (!called.has(shift.series.entity) || isHeld(shift.series.name)),
  )
  if (ended.length === 0) return arrivals
  return arrivals.map((arrival) => {
    const { change, effective, place, trivial } = arrival
    if (!isActRecord(change) || trivial !== null) return arrival
    const named = namedOrMoved(change)
    const stopped = ended.find(
      ({ series, onset: fell }) =>
        isOf(named, series.entity) &&
        effective.from <= fell.latest + CLOCK_TOLERANCE_MS &&
        effective.from >= fell.earliest - DONE_MS,
    )
    return stopped === undefined
      ? arrival
      : {
          ...arrival,
          ...{ stopped, effective: { ...effective, known: true } },
          place: { ...place, score: Math.max(place.score, WRITES), reaches: stopped.series.entity },
        }
  })
}
