/**
 * Since when the callers of an entity count that their calls to it fail, and whether they still do, whatever it says of itself.
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
/** Intervals in a row that tell so, and that tell that it is over: one alone may be a blip. */
const IN_A_ROW = 2

const isEnough = ({ told }: CallCounts): boolean => told >= LEAST_CALLS

/** What callers count of an entity that fails them. */
export interface CountedHarm {
  /** When the first of two intervals in a row began in which much more fails than usual, or is waited for a multiple of it; epoch ms. */
  readonly since: number
  /** When the last of two such in a row ended; epoch ms. Null while no two in a row have been well since: it goes on. */
  readonly until: number | null
}

/** What callers count of each entity that fails them; nothing of who serves them. */
export function countedHarm(edges: readonly Edge[], normal: NormalTime): ReadonlyMap<string, CountedHarm> {
  const harm = new Map<string, CountedHarm>()
  for (const callee of pairsByCallee(edges).keys()) {
    const counted = harmIn(callsByInterval(pairsOfOthersTo(edges, callee)), normal)
    if (counted !== null) harm.set(callee, counted)
  }
  return harm
}

/** Since when that is, for each of them, milliseconds since 1970. */
export const countedSince = (harm: ReadonlyMap<string, CountedHarm>): ReadonlyMap<string, number> =>
  new Map([...harm].map(([entity, { since }]) => [entity, since]))

/** Since and until which of its intervals an entity fails its callers; null where it does not. */
function harmIn(counted: readonly CallsOfInterval[], normal: NormalTime): CountedHarm | null {
  const { usual, since } = usualAndSince(counted.filter(isEnough), normal)
  const share = usualShare(usual)
  const most = (Number.isFinite(share) ? share : 0) + FAILS
  // Not a number where nobody measured how long answers last, which nothing reaches.
  const wait = usualWait(usual)
  const longest = Math.max(WAITS * wait, wait + WAITS_MS)
  let [bad, well] = [0, 0]
  let began: number | null = null
  let until: number | null = null
  let isOver = false
  for (let index = 0; index < since.length; index++) {
    const one = since[index] as CallsOfInterval
    const isBad = failedShare(one) >= most || meanWait(one) >= longest
    bad = isBad ? bad + 1 : 0
    well = isBad ? 0 : well + 1
    if (well === IN_A_ROW) isOver = true
    if (bad < IN_A_ROW) continue
    began ??= (since[index - IN_A_ROW + 1] as CallsOfInterval).t0
    until = one.t0 + one.interval_s * 1_000
    isOver = false
  }
  return began === null ? null : { since: began, until: isOver ? until : null }
}
