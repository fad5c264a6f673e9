/**
 * Machines that were worked on and have begun anew since: an upgrade of a set of them, one after the other.
 *
 * Method: machines are begun anew by whoever works on them, and each of them counts from when. A record that names a machine, or
 * a set of machines by what their names begin with (`print-machines` or `print-nodes` for `print-1-3`, `print-2-7`), and clocks of these
 * very machines that begin anew minutes after it, are one event: machines of one set seldom do so by themselves within minutes of
 * each other, and less so after somebody wrote that it is their turn (Hill, The environment and disease: association or
 * causation?, 1965: temporality, specificity). So of a set at least two have to. What a set does to users it does by what
 * runs there: one of the machines has to be of what fails, or of what that calls.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { begunAnew, CLOCK, hasBegunAnew, machinesBehind } from '../place/begun-anew.ts'
import type { Observed } from '../place/failing-services.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { APPLIED_MS } from './moved-itself.ts'
import { isActRecord } from './named-resources.ts'
import { WRITES } from './place-of-changes.ts'
import { namedIn } from './stopped-since.ts'

/** Machines of a set that have to begin anew after its record. */
const LEAST_OF_SET = 2
/** What stands behind the name that the machines of a set have in common. */
const SET =
  /^(.{2,100}?)[-_.](?:machines|nodes|hosts|servers|workers|instances|members|vms|(?:node[-_]?)?pool|fleet|group)$/

/** Whether a set of that name is one of machines whose names begin so and go on with a number. */
function isSetOf(name: string, machine: string): boolean {
  const stem = SET.exec(name)?.[1]
  return stem !== undefined && machine.startsWith(stem) && /^[-_.]?\d/.test(machine.slice(stem.length))
}

/** The clocks of the machines that a record is of and that began anew minutes after it; none of a set of which only one did. */
function clocksSince({ change, effective }: Arrival, clocks: readonly SeriesShift[]): readonly SeriesShift[] {
  const named = [...namedIn(change)]
  const since = (effective.known ? effective.from : change.recorded_at) - CLOCK_TOLERANCE_MS
  const isSoon = ({ series }: SeriesShift): boolean => {
    const found = begunAnew(series, since)
    return found !== null && found.stopped >= since && found.stopped <= since + APPLIED_MS
  }
  const machineOf = ({ series }: SeriesShift): string => series.entity.toLowerCase()
  const own = clocks.filter((clock) => named.includes(machineOf(clock)) && isSoon(clock))
  if (own.length > 0) return own
  const ofSet = clocks.filter((clock) => named.some((name) => isSetOf(name, machineOf(clock))))
  const begun = ofSet.filter(isSoon)
  return new Set(begun.map(machineOf)).size >= LEAST_OF_SET ? begun : []
}

/** The same arrivals; work on machines that have begun anew since is at the very place, with the clock of the one that hurts. */
export function withBegunAnew(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
  names: EntityNames,
): readonly Arrival[] {
  const { onset, shifts } = observed
  const clocks = shifts.filter(({ series }) => CLOCK.test(series.name))
  if (onset === null || clocks.length === 0) return arrivals
  const behind = machinesBehind(snapshot, names, observed).flat()
  return arrivals.map((arrival) => {
    const { change, effective, place, trivial, seen } = arrival
    if (trivial !== null || seen !== undefined || change.kind !== 'infra' || !isActRecord(change))
      return arrival
    const begun = clocksSince(arrival, clocks)
    // The one that is told to have failed first comes first, so that both are told of the same machine.
    const hurting = behind.flatMap((machine) => begun.filter(({ series }) => series.entity === machine))
    const found = hurting.find((clock) => hasBegunAnew(clock, onset.at)) ?? hurting[0]
    return found === undefined
      ? arrival
      : {
          ...arrival,
          seen: found,
          effective: { ...effective, known: true },
          place: { ...place, score: Math.max(place.score, WRITES), reaches: found.series.entity },
        }
  })
}
