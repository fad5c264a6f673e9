/**
 * What was changed has less since: processors, memory, or another bound that somebody set.
 *
 * Method: what a part is given is no measure of how it is doing. It stands still for weeks, no load and no harm moves it, and
 * only who changes the part does: another machine, another size, another setting. So where it became less after the record of a
 * change to that very part, near the instant in which users are hurt, the change is seen to have done that, whether its record says
 * so or not (an update that moves a store says which version comes, and not which machine). Where nobody recorded when it took
 * effect, it did then.
 */
import { keptByName } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Arrival } from './closeness.ts'
import { APPLIED_MS } from './moved-itself.ts'
import { isDelivered } from './place-of-changes.ts'
import { effectSeen, hasFallen, hasMoved, sinceOf } from './seen-at.ts'

/**
 * Names of what a part is given.
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring-Available-OS-Metrics.html (numVCPUs)
 * @see https://github.com/google/cadvisor/blob/master/docs/storage/prometheus.md (machine_cpu_cores, machine_memory_bytes)
 * @see https://github.com/prometheus/node_exporter (node_memory_MemTotal_bytes)
 * @see https://github.com/kubernetes/kube-state-metrics/tree/main/docs/metrics (kube_node_status_capacity, kube_node_status_allocatable)
 * @see https://opentelemetry.io/docs/specs/semconv/system/system-metrics/ (system.cpu.logical.count, system.cpu.physical.count, system.memory.limit)
 * @see https://docs.micrometer.io/micrometer/reference/reference/jvm.html (system.cpu.count)
 * @see https://cloud.google.com/monitoring/api/metrics_gcp_c (cloudsql: database/cpu/reserved_cores, database/memory/quota)
 * @see https://github.com/prometheus-community/postgres_exporter (pg_settings_max_connections)
 * @see https://github.com/oliver006/redis_exporter (redis_memory_max_bytes)
 */
const GIVEN =
  /(?:^|[_.:/])(?:num_?v?cpus|machine_(?:cpu_cores|memory_bytes)|memory_memtotal_bytes|node_status_(?:capacity|allocatable)|cpu[._](?:(?:logical|physical)[._])?count|memory[._]limit|cpu[_/]reserved_cores|memory[_/]quota|pg_settings_\w+|memory_max_bytes)$/i
const isGiven = keptByName((name) => GIVEN.test(name))

/** Share of what it had from which it has less, and not as much on a machine of another make. */
const LESS = 0.8

/** What parts are given and became less near the onset, and stays so. */
const lessened =
  (onsetAt: number) =>
  (shift: SeriesShift): boolean =>
    hasFallen(shift, onsetAt, LESS) && isGiven(shift.series.name)

/** The same arrivals; who changed a part that has less since took effect then, with what became less. */
export function withLess(
  arrivals: readonly Arrival[],
  { onset, shifts }: Pick<Observed, 'onset' | 'shifts'>,
): readonly Arrival[] {
  if (onset === null) return arrivals
  const less = shifts.filter(lessened(onset.at))
  if (less.length === 0) return arrivals
  return arrivals.map((arrival) => {
    const { change, place, trivial, seen } = arrival
    if (trivial !== null || seen !== undefined || !(isDelivered(change) || change.kind === 'scale'))
      return arrival
    const since = sinceOf(arrival)
    const found = less.find(
      (shift) =>
        (shift.series.entity === place.reaches || place.owners.has(shift.series.entity)) &&
        hasMoved(shift, since, since + APPLIED_MS),
    )
    return found === undefined ? arrival : { ...arrival, seen: found, effective: effectSeen(arrival, found) }
  })
}
