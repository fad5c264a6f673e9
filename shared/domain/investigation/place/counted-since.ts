/**
 * Since when the callers of an entity count that their calls to it fail, whatever it says of itself.
 *
 * Who is gone says nothing, and who is overrun says so late: its own lines and measurements begin when it is well enough to
 * write them. Its callers have counted since the first call that was refused.
 */
import {
  type CallCounts,
  type CallsOfInterval,
  callsByInterval,
  failedShare,
  meanWait,
  usualAndSince,
  usualShare,
  usualWait,
} from '../records/calls-by-interval.ts'
import { pairsByCallee, pairsOfOthersTo } from '../records/calls-by-pair.ts'
import type { NormalTime } from '../records/normal-time.ts'
import type { Edge } from '../records/snapshot.ts'

/** Share of its calls, beyond the usual, from which an entity fails its callers. */
const FAILS = 0.1
/** Calls of one interval below which it tells nothing. */
const LEAST_CALLS = 30
/** Times the usual wait for an answer from which callers wait for it, and at least so many ms more. */
const WAITS = 3
const WAITS_MS = 50
/** Intervals in a row: one alone may be a blip. */
const IN_A_ROW = 2

const isEnough = ({ told }: CallCounts): boolean => told >= LEAST_CALLS

/**
 * The instant of the first of two intervals in a row in which callers count much more to fail than usual, or wait a multiple
 * of the usual, for each entity, milliseconds since 1970; none for who serves them.
 */
export function countedSince(edges: readonly Edge[], normal: NormalTime): ReadonlyMap<string, number> {
  const since = new Map<string, number>()
  for (const callee of pairsByCallee(edges).keys()) {
    const began = beganToFail(callsByInterval(pairsOfOthersTo(edges, callee)), normal)
    if (began !== undefined) since.set(callee, began)
  }
  return since
}

/** When the first of so many intervals in a row began in which an entity fails its callers. */
function beganToFail(counted: readonly CallsOfInterval[], normal: NormalTime): number | undefined {
  const { usual, since } = usualAndSince(counted.filter(isEnough), normal)
  const share = usualShare(usual)
  const most = (Number.isFinite(share) ? share : 0) + FAILS
  // Not a number where nobody measured how long answers last, which nothing reaches.
  const wait = usualWait(usual)
  const longest = Math.max(WAITS * wait, wait + WAITS_MS)
  let bad = 0
  const last = since.findIndex((one) => {
    bad = failedShare(one) >= most || meanWait(one) >= longest ? bad + 1 : 0
    return bad === IN_A_ROW
  })
  return since[last - IN_A_ROW + 1]?.t0
}
