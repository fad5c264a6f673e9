/**
 * Who asks a store was multiplied, and its connections with it.
 *
 * Method: each task, replica or concurrent execution that is started opens connections of its own, however little it has to do. So
 * where what runs somewhere grows to a multiple before users feel anything, and within minutes the connections of the store that
 * then fails do too, the one made the other: what runs out there afterwards, memory among it, follows from it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-rds.html
 * @see https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-MAX-CONNECTIONS
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { keptByName } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Observed } from './failing-services.ts'
import { storesAndQueues } from './stores-and-queues.ts'

/** By what factor what runs and the connections must have grown: half as many again is an everyday's scaling. */
const MULTIPLE = 2
/** How long after what runs its connections begin to grow at the latest, ms: a task has to be scheduled and to start. */
const FOLLOWS_MS = 3 * 60_000

/** Counts of what runs, as ECS, Kubernetes, Auto Scaling, Lambda and runners of jobs have them. */
const RUNNING =
  /(?:running_?tasks?|tasks?_running|(?:current|running|ready|status|desired)_replicas|replicas_(?:available|ready|current|running)|in_?service_?instances|(?:running|active|live)_?(?:instances|workers|executors|containers)|concurrent_?executions|workers?_(?:running|active|live))(?:_?count)?(?:_(?:average|maximum|minimum|sum))?$/i
const isCountOfRunning = keptByName((name) => RUNNING.test(name))

/** What was multiplied, and what it opened. */
export interface MoreAskers {
  readonly running: SeriesShift
  readonly connections: SeriesShift
}

const isMultiplied = ({ direction, before, during }: SeriesShift): boolean =>
  direction === 'up' && before > 0 && during >= MULTIPLE * before

/**
 * Who multiplied before the connections of the store that fails first did; null where nobody did. Who serves has more connections
 * because its own answers take long, so a service is none.
 */
export function moreAskers(
  snapshot: Pick<Snapshot, 'entities' | 'series'>,
  { shifts, onset, first }: Pick<Observed, 'shifts' | 'onset' | 'first'>,
): MoreAskers | null {
  if (onset === null || first === null || !storesAndQueues(snapshot).has(first.entity)) return null
  const multiplied = shifts.filter(
    (shift) =>
      isMultiplied(shift) &&
      shift.onset.at <= onset.at + CLOCK_TOLERANCE_MS &&
      (shift.ended_at === null || shift.ended_at > onset.at),
  )
  const opened = multiplied.filter(
    ({ series, meaning }) => series.entity === first.entity && meaning.resource === 'connections',
  )
  for (const running of multiplied)
    if (running.series.entity !== first.entity && isCountOfRunning(running.series.name)) {
      const connections = opened.find(
        (shift) =>
          shift.onset.latest + CLOCK_TOLERANCE_MS >= running.onset.earliest &&
          shift.onset.earliest <= running.onset.latest + FOLLOWS_MS,
      )
      if (connections !== undefined) return { running, connections }
    }
  return null
}
