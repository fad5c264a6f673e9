/**
 * Since when the callers of an entity count that their calls to it fail, whatever it says of itself.
 *
 * Who is gone says nothing, and who is overrun says so late: its own lines and measurements begin when it is well enough to
 * write them. Its callers have counted since the first call that was refused.
 */
import { isNormalTime, type NormalTime } from './normal-time.ts'
import type { Edge } from './snapshot.ts'
import { median } from './statistics.ts'

/** Share of its calls, beyond the usual, from which an entity fails its callers. */
const FAILS = 0.1
/** Calls of one interval below which it tells nothing. */
const LEAST_CALLS = 30
/** Intervals in a row: one alone may be a blip. */
const IN_A_ROW = 2

/**
 * The instant of the first of two intervals in a row in which callers count much more to fail than usual, for each entity,
 * milliseconds since 1970; none for who serves them.
 */
export function countedSince(edges: readonly Edge[], normal: NormalTime): ReadonlyMap<string, number> {
  const byCallee = new Map<string, Map<number, { calls: number; failed: number }>>()
  for (const { caller, callee, t0, calls, failed } of edges) {
    if (calls === undefined || failed === undefined || caller === callee) continue
    const times = byCallee.get(callee) ?? new Map<number, { calls: number; failed: number }>()
    byCallee.set(callee, times)
    const sum = times.get(t0) ?? { calls: 0, failed: 0 }
    times.set(t0, { calls: sum.calls + calls, failed: sum.failed + failed })
  }
  const since = new Map<string, number>()
  for (const [callee, times] of byCallee) {
    const counted = [...times].filter(([, { calls }]) => calls >= LEAST_CALLS).sort(([a], [b]) => a - b)
    const shares = counted.map(([t0, { calls, failed }]) => ({ t0, share: failed / calls }))
    const usual = median(shares.flatMap(({ t0, share }) => (isNormalTime(normal, t0) ? [share] : [])))
    const limit = (Number.isFinite(usual) ? usual : 0) + FAILS
    const later = shares.filter(({ t0 }) => !isNormalTime(normal, t0) && t0 < normal.incident.to)
    const at = later.findIndex((_, index) =>
      Array.from({ length: IN_A_ROW }, (__, next) => later[index + next]?.share ?? 0).every(
        (share) => share >= limit,
      ),
    )
    if (at >= 0) since.set(callee, (later[at] as { t0: number }).t0)
  }
  return since
}
