/**
 * Who cannot be why its callers fail: a callee that answers all who call it as ever, by their own count.
 *
 * Method: conservation of failed calls and of waiting (`call-graph.ts`), read the other way round. A caller can fail for a
 * callee only by calls that fail or that last; where neither became more, what else is odd about the callee (instances that
 * come and go, calls of its own that it tried again, fewer requests) is its own matter, or a consequence. Fewer requests
 * reach those who lie behind what fails. An answer that is given as ever and cannot be used is the caller's to tell.
 */
import {
  type CallCounts,
  failedShare,
  intervalsOf,
  meanWait,
  sumOfCalls,
  usualAndSince,
} from '../records/calls-by-interval.ts'
import { type Pair, pairsByCallee, pairsOfOthersTo } from '../records/calls-by-pair.ts'
import type { NormalTime } from '../records/normal-time.ts'
import type { Edge } from '../records/snapshot.ts'

/** Calls below which nothing is known of how they are answered, of normal time and since the onset each. */
const LEAST_CALLS = 30
/** Share of its calls by which more may fail than usual while all are served: half a percent is within chance for few. */
const AS_EVER_FAILED = 0.005
/** Share of the usual time of an answer by which it may last longer while nobody waits for it. */
const AS_EVER_WAIT = 0.25
/** The same in milliseconds, where the usual time is next to nothing: a person notices a hundred (Nielsen, 1993). */
const AS_EVER_WAIT_MS = 5

/** Whether calls are answered since the onset as they were before, as far as that was counted. */
function isAsEver(before: CallCounts, since: CallCounts): boolean {
  if (before.calls < LEAST_CALLS || since.calls < LEAST_CALLS) return false
  if (failedShare(since) - failedShare(before) > AS_EVER_FAILED) return false
  // That nobody measured how long answers last says nothing of how long they do.
  if (before.waits < LEAST_CALLS || since.waits < LEAST_CALLS) return false
  const usual = meanWait(before)
  return meanWait(since) - usual <= Math.max(AS_EVER_WAIT_MS, AS_EVER_WAIT * usual)
}

const isTold = ({ calls, failed }: Edge): boolean => calls !== undefined && failed !== undefined

/** Whether a caller is answered as ever by one whom it calls. */
function isAnsweredAsEver(pair: Pair, normal: NormalTime, from: number): boolean {
  if (!pair.edges.every(isTold)) return false
  const { usual, since } = usualAndSince(intervalsOf(pair), normal, from)
  return isAsEver(sumOfCalls(usual), sumOfCalls(since))
}

/**
 * Tells of an entity whether everybody who calls it is answered as ever since an instant.
 * @param from - milliseconds since 1970
 * @returns false where too few calls were counted, or not how many failed and how long they lasted
 */
export function answersAsEver(
  edges: readonly Edge[],
  normal: NormalTime,
  from: number,
): (entity: string) => boolean {
  const asEver = new Set<string>()
  for (const callee of pairsByCallee(edges).keys()) {
    const pairs = pairsOfOthersTo(edges, callee)
    if (pairs.length > 0 && pairs.every((pair) => isAnsweredAsEver(pair, normal, from))) asEver.add(callee)
  }
  return (entity) => asEver.has(entity)
}
