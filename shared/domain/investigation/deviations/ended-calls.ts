/**
 * How calls ended, as the names and labels of series tell it: which share was answered or failed, how many did.
 *
 * Tools tell one and the same in as many ways as there are of them: a share that is answered, failed calls beside all
 * calls, one count for each status code. What is read here is only what a series says; `measured-calls.ts` puts it together.
 */
import { countsInstances, readMetricName } from './metric-meaning.ts'
import { keptByName, wordsOf } from './metric-words.ts'

/** What a series tells of how calls ended: the share, or how many; of all of an entity's calls. */
export interface CallsTold {
  readonly of: 'answered' | 'failed'
  readonly as: 'share' | 'count'
}

const FAILED = /^(error|errors|err|errs|fail|failed|fails|failure|failures|fault|faults|5xx)$/
const ANSWERED = /^(availability|success|successes|successful|succeeded)$/
/** What is called, so that what fails of it is calls. */
const CALLS =
  /^(http|https|grpc|rpc|request|requests|rq|call|calls|invocation|invocations|response|responses|transaction|transactions|server|api|5xx|availability)$/
/** Words that tell nothing of whether what is counted is calls. */
const PLAIN =
  /^(code|status|target|elb|system|service|total|all|overall|count|counts|number|rate|ratio|percent|percentage|pct|share|fraction|per|second|sec|s|min|minute|ps|avg|average|mean|sum|of)$/
const SHARE_OF_CALLS = /^(ratio|rate|percent|percentage|pct|share|fraction|availability)$/
/** Others' answers, what is no call, how long or large one was, or calls that the one who asked got wrong. */
const NO_CALL =
  /^(latency|latencies|duration|durations|time|seconds|milliseconds|bytes|size|client|outbound|outgoing|upstream|egress|probe|probes|prober|log|logs|logged|line|lines|job|jobs|cache|connection|connections|query|queries|db|queue|messages?|budget|4xx|retry|retries|timeout|timeouts|page|hit|hits)$/

/** What a machine does is below what anybody asks for. */
const isBelow = (name: string): boolean => {
  const { resource } = readMetricName(name)
  return resource === 'cpu' || resource === 'memory' || resource === 'network'
}

/**
 * Whether a name tells how calls ended, and how it tells it; null where it tells something else, or nobody can say of what.
 * @see https://sre.google/sre-book/monitoring-distributed-systems/ (errors: the rate of requests that fail)
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html (Errors, of Invocations)
 */
export const callsToldBy = keptByName((name): CallsTold | null => {
  const words = wordsOf(name)
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  const isFailed = has(FAILED)
  if (!(isFailed || has(ANSWERED)) || has(NO_CALL) || countsInstances(name)) return null
  const isOfCalls =
    has(CALLS) || words.every((word) => [FAILED, ANSWERED, PLAIN].some((one) => one.test(word)))
  if (!isOfCalls || isBelow(name)) return null
  return { of: isFailed ? 'failed' : 'answered', as: has(SHARE_OF_CALLS) ? 'share' : 'count' }
})

/** Labels that say how a call ended, or whose calls they are, in any spelling. */
const STATUS =
  /^((http_)?(response_)?(status_)?(code|class)|(http_)?(response_)?status|(http_)?response_(status_)?code|.*response_code_class|.*_status_code|grpc_(code|status)|outcome|result|classification)$/
/** Whether a label is one of these; thousands of series have the same few. */
const saysHowEnded = keptByName((label) => STATUS.test(label.toLowerCase().replace(/[^a-z\d]+/g, '_')))
const FAILED_STATUS =
  /^(5\d\d|5xx|5|error|errors|failure|failed|fault|server_error|status_code_error|unknown|deadline_?exceeded|internal|unavailable|data_?loss|resource_?exhausted)$/i
const ANY_STATUS =
  /^([1-5]\d\d|[1-5]xx|[0-5]|ok|success|successful|unset|status_code_(ok|unset)|redirection|informational|client_error|canceled|cancelled|aborted|invalid_?argument|not_?found|already_?exists|permission_?denied|failed_?precondition|out_?of_?range|unimplemented|unauthenticated)$/i

/**
 * Whether labels say that the calls counted under them failed; null where they do not say how calls ended.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ (http.response.status_code)
 * @see https://grpc.io/docs/guides/status-codes/
 * @see https://docs.micrometer.io/micrometer/reference/ (outcome)
 * @see https://linkerd.io/2-edge/reference/proxy-metrics/ (classification)
 */
export function endedBadly(labels: Readonly<Record<string, string>>): boolean | null {
  for (const [label, value] of Object.entries(labels)) {
    if (!saysHowEnded(label)) continue
    if (FAILED_STATUS.test(value)) return true
    if (ANY_STATUS.test(value)) return false
  }
  return null
}

/**
 * Whether labels say that calls are those which the entity makes itself, so that their end is another's.
 * @see https://opentelemetry.io/docs/specs/otel/trace/api/#spankind
 * @see https://istio.io/latest/docs/reference/config/metrics/ (reporter)
 * @see https://linkerd.io/2-edge/reference/proxy-metrics/ (direction)
 */
export function areOutgoing(labels: Readonly<Record<string, string>>): boolean {
  for (const label of Object.keys(labels))
    if (outgoingValuesOf(label)?.test(labels[label] as string) === true) return true
  return false
}

/** Labels that say whose calls are counted, each with its values for those that the entity makes itself. */
const OUTGOING: readonly (readonly [label: RegExp, values: RegExp])[] = [
  [/^(span[._]?kind|kind)$/i, /(client|producer|internal)$/i],
  [/^direction$/i, /^(outbound|egress|outgoing)$/i],
  [/^reporter$/i, /^source$/i],
]
const outgoingValuesOf = keptByName(
  (label): RegExp | null => OUTGOING.find(([pattern]) => pattern.test(label))?.[1] ?? null,
)
