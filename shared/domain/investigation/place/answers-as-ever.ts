/**
 * Who cannot be why its callers fail: a callee that answers all who call it as ever, by their own count.
 *
 * Method: conservation of failed calls and of waiting (`call-graph.ts`), read the other way round. A caller can fail for a
 * callee only by calls that fail or that last; where neither became more, what else is odd about the callee (instances that
 * come and go, calls of its own that it tried again, fewer requests) is its own matter, or a consequence. Fewer requests
 * reach those who lie behind what fails. An answer that is given as ever and cannot be used is the caller's to tell.
 */
import { pairsOf } from '../records/calls-by-pair.ts'
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import type { Edge } from '../records/snapshot.ts'

/** Calls below which nothing is known of how they are answered, of normal time and since the onset each. */
const LEAST_CALLS = 30
/** Share of its calls by which more may fail than usual while all are served: half a percent is within chance for few. */
const AS_EVER_FAILED = 0.005
/** Share of the usual time of an answer by which it may last longer while nobody waits for it. */
const AS_EVER_WAIT = 0.25
/** The same in milliseconds, where the usual time is next to nothing: a person notices a hundred (Nielsen, 1993). */
const AS_EVER_WAIT_MS = 5

interface Sum {
  calls: number
  failed: number
  wait: number
  waits: number
}

const nothing = (): Sum => ({ calls: 0, failed: 0, wait: 0, waits: 0 })

function add(sum: Sum, { calls = 0, failed = 0, latency_sum_ms, latency_count }: Edge): void {
  sum.calls += calls
  sum.failed += failed
  if (latency_sum_ms !== undefined && latency_count !== undefined) {
    sum.wait += latency_sum_ms
    sum.waits += latency_count
  }
}

/** Whether calls are answered since the onset as they were before, as far as that was counted. */
function isAsEver(before: Sum, since: Sum): boolean {
  if (before.calls < LEAST_CALLS || since.calls < LEAST_CALLS) return false
  if (since.failed / since.calls - before.failed / before.calls > AS_EVER_FAILED) return false
  // That nobody measured how long answers last says nothing of how long they do.
  if (before.waits < LEAST_CALLS || since.waits < LEAST_CALLS) return false
  const usual = before.wait / before.waits
  return since.wait / since.waits - usual <= Math.max(AS_EVER_WAIT_MS, AS_EVER_WAIT * usual)
}

/** Whether a caller is answered as ever by one whom it calls. */
function answersPair(own: readonly Edge[], normal: NormalTime, from: number): boolean {
  const [before, since] = [nothing(), nothing()]
  for (const edge of own) {
    if (edge.calls === undefined || edge.failed === undefined) return false
    if (isNormalTime(normal, edge.t0)) add(before, edge)
    else if (edge.t0 >= from && edge.t0 < normal.incident.to) add(since, edge)
  }
  return isAsEver(before, since)
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
  const called = Map.groupBy(
    pairsOf(edges).filter(({ caller, callee }) => caller !== callee),
    ({ callee }) => callee,
  )
  const asEver = new Set(
    [...called].flatMap(([callee, pairs]) =>
      pairs.every((pair) => answersPair(pair.edges, normal, from)) ? [callee] : [],
    ),
  )
  return (entity) => asEver.has(entity)
}
