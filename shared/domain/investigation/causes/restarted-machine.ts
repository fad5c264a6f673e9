/**
 * A machine that stopped when users were hurt and began anew, under what fails or what that calls and is not answered by as ever: what it does afterwards, however
 * odd, is a consequence of it.
 *
 * Method: how long a machine has run is a clock that says when it began (`node_uptime_seconds`, `node_boot_time_seconds`), so it
 * is read as one and not as a level that fell. The last sample of the old clock says by when it had stopped, the new clock when it
 * was there again; the records of platforms say the same in their own words. It counts where all machines of a place did so, since
 * the others would serve.
 * @see https://github.com/prometheus/node_exporter
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { isRecorded, LEAD_MS, type Line, NEAR_MS, type Scene } from '../place/told-lines.ts'
import { machinesOf } from '../records/hosting.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, shown, sign } from './operational-cause.ts'

/** Names of how long something has run, and of when it began. */
export const CLOCK = /(^|_)(uptime|boot_?time|start_?time)(_|$)/i
const IN_MS = /(_ms|_milliseconds|_millis)$/i
/** Seconds from which a clock tells an instant since 1970 and not how long something has run: thirty years. */
const INSTANT_S = 1e9
/** What a clock that began anew is worth, and each record of the machine besides. */
const WORTH = { clock: 0.6, record: 0.3 } as const
const MOST_RECORDS = 2

/** The machine of the first failing place, or of what that or who was asked about goes on to call, that stopped with the harm and began anew. */
export function restartedMachine(scene: Scene): OperationalCause | null {
  const { snapshot, names, onset, observed } = scene
  const { first, graph, shifts, symptom_service: asked, counted_as_ever: asEver } = observed
  if (first === null || onset === null) return null
  const runsOn = machinesOf(snapshot, names)
  const restarted = shifts.filter((shift) => CLOCK.test(shift.series.name) && hasBegunAnew(shift, onset))
  const behind = [first.entity, asked ?? first.entity].flatMap((from) =>
    [...graph.reachableFrom(from)].sort(),
  )
  for (const entity of [first.entity, ...behind]) {
    if (asEver(entity)) continue
    const machines = [...(runsOn.get(entity) ?? [])].sort()
    const clocks = machines.map((machine) => restarted.find(({ series }) => series.entity === machine))
    const [machine, shift] = [machines[0], clocks[0]]
    if (machine === undefined || shift === undefined || clocks.includes(undefined)) continue
    const records = scene.lines.filter((line) => isRecordOf(line, machine, onset)).slice(0, MOST_RECORDS)
    const signs = [...shown(shift, WORTH.clock), ...records.map((line) => sign(line, WORTH.record))]
    return {
      kind: 'node',
      entity: machine,
      score: round6(chanceOf(signs)),
      what: 'a machine that stopped and began anew',
      signs,
      action: 'failover',
      yields_to_changes: false,
      // Who had it begin anew is not known where nobody recorded anything of it.
      ...(records.length > 0 ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
    }
  }
  return null
}

/** What a platform records of a machine near the onset. */
const isRecordOf = (line: Line, machine: string, onset: number): boolean =>
  isRecorded(line) && line.entity === machine && line.at !== null && Math.abs(line.at - onset) <= NEAR_MS

/** Whether a clock was last seen to run on near an instant, and then to have begun at most a quarter of an hour after it. */
function hasBegunAnew({ series: { name, times, values } }: SeriesShift, onset: number): boolean {
  const unit = IN_MS.test(name) ? 1 : 1_000
  let last: number | null = null
  for (let index = 0; index < times.length; index++) {
    const time = times[index] as number
    const value = values[index] as number
    if (!Number.isFinite(value)) continue
    const began = value * unit >= INSTANT_S * 1_000 ? value * unit : time - value * unit
    if (began < onset - NEAR_MS) last = time
    else return last !== null && Math.abs(last - onset) <= NEAR_MS && began <= onset + LEAD_MS
  }
  return false
}
