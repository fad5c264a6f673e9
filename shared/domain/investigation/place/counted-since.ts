/**
 * Since when the callers of an entity count that their calls to it fail, whatever it says of itself.
 *
 * Who is gone says nothing, and who is overrun says so late: its own lines and measurements begin when it is well enough to
 * write them. Its callers have counted since the first call that was refused.
 */
import { firstInstant, pairsOf } from '../records/calls-by-pair.ts'
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import type { Edge } from '../records/snapshot.ts'
import { median } from '../statistics.ts'

/** Share of its calls, beyond the usual, from which an entity fails its callers. */
const FAILS = 0.1
/** Calls of one interval below which it tells nothing. */
const LEAST_CALLS = 30
/** Times the usual wait for an answer from which callers wait for it, and at least so many ms more. */
const WAITS = 3
const WAITS_MS = 50
/** Intervals in a row: one alone may be a blip. */
const IN_A_ROW = 2

/** What all callers together counted of one interval; the wait is the sum of so many answers, ms. */
interface Counted {
  readonly t0: number
  calls: number
  failed: number
  wait: number
  waits: number
}

/** The intervals in which calls to one entity were counted. */
class CountedIntervals {
  readonly all: Counted[] = []
  readonly #indices = new Map<number, number>()
  #next = 0

  /** Before the counts of another caller, which as a rule are of the same intervals one after the other. */
  rewind(): void {
    this.#next = 0
  }

  /** What was counted of an interval so far; looked up only where it is not the one behind the last. */
  at(t0: number, first: number): Counted {
    const likely = this.all[this.#next]
    if (likely !== undefined && likely.t0 === t0) {
      this.#next += 1
      return likely
    }
    let index = this.#indices.get(t0 - first)
    if (index === undefined) {
      index = this.all.push({ t0, calls: 0, failed: 0, wait: 0, waits: 0 }) - 1
      this.#indices.set(t0 - first, index)
    }
    this.#next = index + 1
    return this.all[index] as Counted
  }
}

const isEnough = ({ calls }: Counted): boolean => calls >= LEAST_CALLS
const inTime = (a: Counted, b: Counted): number => a.t0 - b.t0
const shareOf = ({ calls, failed }: Counted): number => failed / calls
/** Not a number where nobody measured how long answers last. */
const meanOf = ({ wait, waits }: Counted): number => wait / waits

/**
 * The instant of the first of two intervals in a row in which callers count much more to fail than usual, or wait a multiple
 * of the usual, for each entity, milliseconds since 1970; none for who serves them.
 */
export function countedSince(edges: readonly Edge[], normal: NormalTime): ReadonlyMap<string, number> {
  const byCallee = new Map<string, CountedIntervals>()
  const first = firstInstant(edges)
  for (const { caller, callee, edges: own } of pairsOf(edges)) {
    if (caller === callee) continue
    let counted = byCallee.get(callee)
    if (counted === undefined) {
      counted = new CountedIntervals()
      byCallee.set(callee, counted)
    }
    counted.rewind()
    for (let index = 0; index < own.length; index++) {
      const { t0, calls, failed, latency_sum_ms: wait, latency_count: waits } = own[index] as Edge
      if (calls === undefined || failed === undefined) continue
      const sum = counted.at(t0, first)
      sum.calls += calls
      sum.failed += failed
      if (wait === undefined || waits === undefined) continue
      sum.wait += wait
      sum.waits += waits
    }
  }
  const since = new Map<string, number>()
  for (const [callee, { all }] of byCallee) {
    const counted = all.filter(isEnough).sort(inTime)
    const calm = counted.filter(({ t0 }) => isNormalTime(normal, t0))
    const usual = median(calm.map(shareOf))
    const limit = (Number.isFinite(usual) ? usual : 0) + FAILS
    // Not a number where nobody measured how long answers last, which nothing reaches.
    const wait = median(calm.map(meanOf))
    const longest = Math.max(WAITS * wait, wait + WAITS_MS)
    const later = counted.filter(({ t0 }) => t0 < normal.incident.to && !isNormalTime(normal, t0))
    let bad = 0
    const last = later.findIndex((one) => {
      bad = shareOf(one) >= limit || meanOf(one) >= longest ? bad + 1 : 0
      return bad === IN_A_ROW
    })
    const began = later[last - IN_A_ROW + 1]
    if (last >= 0 && began !== undefined) since.set(callee, began.t0)
  }
  return since
}
