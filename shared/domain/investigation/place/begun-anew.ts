/**
 * Machines that stopped and began anew, told by their own clocks.
 *
 * Method: how long a machine has run is a clock that says when it began (`node_uptime_seconds`, `node_boot_time_seconds`), so it
 * is read as one and not as a level that fell. The last sample of the old clock says by when it had stopped, the new clock when it
 * was there again.
 * @see https://github.com/prometheus/node_exporter
 * @see https://www.rfc-editor.org/rfc/rfc3418 (sysUpTime), https://www.rfc-editor.org/rfc/rfc2790 (hrSystemUptime), https://www.rfc-editor.org/rfc/rfc2578#section-7.1.8
 */
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { machinesOf } from '../records/hosting.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import type { Observed } from './failing-services.ts'
import { LEAD_MS, NEAR_MS } from './told-lines.ts'

/** Names of how long something has run, and of when it began. */
export const CLOCK = /(^|_)(uptime|boot_?time|start_?time)(_|$)|^(sysUpTime|hrSystemUptime)$/i
const IN_MS = /(_ms|_milliseconds|_millis)$/i
/** Clocks of SNMP run in hundredths of a second (TimeTicks), unless who asks for them says another unit. */
const IN_TICKS = /^(sysUpTime|hrSystemUptime)$/i
/** Seconds from which a clock tells an instant since 1970 and not how long something has run: thirty years. */
const INSTANT_S = 1e9

/** When a clock was last seen to run on, and when the one after it began, both in epoch milliseconds. */
export interface BegunAnew {
  readonly stopped: number
  readonly began: number
}

/** The first time that a clock is seen to have begun from an instant on, after it was seen to run on; null where it did not. */
export function begunAnew({ name, unit: told, times, values }: Series, since: number): BegunAnew | null {
  const unit = IN_TICKS.test(name) && told !== 's' ? 10 : IN_MS.test(name) ? 1 : 1_000
  let stopped: number | null = null
  for (let index = 0; index < times.length; index++) {
    const time = times[index] as number
    const value = values[index] as number
    if (!Number.isFinite(value)) continue
    const began = value * unit >= INSTANT_S * 1_000 ? value * unit : time - value * unit
    if (began >= since) return stopped === null ? null : { stopped, began }
    stopped = time
  }
  return null
}

/** Whether a clock was last seen to run on near an instant, and then to have begun at most a quarter of an hour after it. */
export function hasBegunAnew({ series }: SeriesShift, onset: number): boolean {
  const found = begunAnew(series, onset - NEAR_MS)
  return found !== null && Math.abs(found.stopped - onset) <= NEAR_MS && found.began <= onset + LEAD_MS
}

/**
 * What failed first, and what that or who was asked about goes on to call, without what all callers were answered by as ever: each
 * with the machines that it was seen to run on.
 */
export function machinesBehind(
  snapshot: Snapshot,
  names: EntityNames,
  { first, graph, symptom_service: asked, counted_as_ever: asEver }: Observed,
): readonly (readonly string[])[] {
  if (first === null) return []
  const runsOn = machinesOf(snapshot, names)
  const behind = [first.entity, asked ?? first.entity].flatMap((from) =>
    [...graph.reachableFrom(from)].sort(),
  )
  return [first.entity, ...behind]
    .filter((entity) => !asEver(entity))
    .map((entity) => [...(runsOn.get(entity) ?? [])].sort())
}
