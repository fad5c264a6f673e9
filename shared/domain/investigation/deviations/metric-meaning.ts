/**
 * What a series measures, told from the words of its name.
 *
 * Source of the vocabulary: OpenTelemetry semantic conventions, Prometheus naming practice, CloudWatch and
 * exporter metric names, and the four golden signals (Beyer et al., Site Reliability Engineering, 2016).
 */

import type { Series } from '../records/snapshot.ts'
import { keptByName, wordsOf } from './metric-words.ts'

export type Meaning =
  | 'errors'
  | 'latency'
  | 'availability'
  | 'saturation'
  | 'throughput'
  | 'setting'
  | 'expiry'
  | 'other'

export interface MetricMeaning {
  readonly meaning: Meaning
  /** The direction that hurts users; null where neither does by itself. */
  readonly bad: 'up' | 'down' | null
  /** How much a move in that direction says that the entity itself fails, 0 to 1. */
  readonly weight: number
  /** Counts what arrives from outside. */
  readonly is_demand: boolean
  readonly resource: 'cpu' | 'memory' | 'disk' | 'connections' | 'network' | null
}

const ERRORS =
  /^(error|errors|err|errs|fail|failed|fails|failure|failures|exception|exceptions|fault|faults|4xx|5xx|exhausted|exhaustion|timeout|timeouts|dropped|drops|drop|rejected|rejections|throttle|throttled|throttles|throttling|servfail|nxdomain|restart|restarts|crash|crashes|oom|evicted|refused|aborted|aborts|panic|panics|dlq|retries|retransmits|deadlock|deadlocks|denied|unavailable|unhealthy|unready|lost|corrupt|invalid|exceeded|overflow|overflows|spillover|offline|underreplicated|unavailables|broken|declined|unschedulable)$/
/**
 * What is tried again on the way, so that whoever waits may never know: TCP sends a lost segment again, a client asks
 * again where it was refused. It tells of trouble, and that users feel it only errors and waiting tell.
 * @see https://www.rfc-editor.org/rfc/rfc9293#section-3.8.1
 * @see https://sre.google/sre-book/monitoring-distributed-systems/ (the four golden signals)
 */
const TRIED_AGAIN = /^(retries|retransmits)$/
/**
 * How instances come and go: a rollout replaces them without anybody who calls noticing.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
const INSTANCES =
  /^(restarts?|replicas?|pods?|nodes|machines|evicted|unready|unschedulable|underreplicated|offline)$/
const MACHINES = /^(nodes|machines)$/
/**
 * What is met on the way to other parts, or by who looks after a part: it is counted by who asks, not by who serves, and its
 * users feel it only where their own answers fail.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ (client beside server)
 * @see https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
 */
const ON_THE_WAY = /^(client|outbound|outgoing|handshakes?|probes?|prober)$/
/**
 * What was found in a cache: what is not found there is asked of what stands behind it, and answered as well. Who is asked
 * more for it, or waits longer, shows that itself.
 * @see https://www.rfc-editor.org/rfc/rfc9111#section-4
 */
const HIT = /^(hit|hits)$/
const AVAILABILITY =
  /^(availability|available|success|successful|successes|ready|healthy|uptime|up|alive|hit|hits|freshness)$/
const SETTING =
  /^(max|maximum|limit|limits|provisioned|quota|desired|ceiling|allocatable|requested|configured|threshold)$/
const USED =
  /^(used|usage|use|utilization|utilisation|consumed|saturation|pressure|busy|active|borrowed|inflight|progress|consumption)$/
const LATENCY =
  /^(duration|latency|latencies|p50|p75|p90|p95|p99|p999|wait|waits|delay|elapsed|lag|age|ms|millis|rtt|staleness|response|await)$/
const AGE = /^(age|staleness)$/
const SATURATION =
  /^(cpu|memory|mem|heap|rss|disk|storage|swap|queue|queued|backlog|depth|pending|buffer|connections|conns|sessions|threads|goroutines|handles|fds|descriptors|gc|load|iops|inodes|evictions|working|pool|locks|bloat|waiting|blocked|outstanding|clients|backends|conntrack)$/
const THROUGHPUT =
  /^(request|requests|rps|qps|tps|sec|second|min|minute|throughput|rate|count|processed|flushed|completed|messages|served|calls|total|received|sent|invocations|transactions|orders|results|records|bytes|writes|reads)$/
/**
 * How long something is open already: who has it open need not wait, and who waits shows it.
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW (xact_start)
 */
const OPEN = /^(transactions?|xacts?|txns?)$/
const OPEN_FOR = /^(age|oldest|longest)$/
const COLLECTING = /^(gc|garbage)$/
/**
 * How much of a thing is there to be taken, which is no word about whether anybody is served.
 * @see https://github.com/prometheus/node_exporter (node_memory_MemAvailable_bytes, node_filesystem_avail_bytes)
 * @see https://kubernetes.io/docs/reference/instrumentation/metrics/ (kubelet_volume_stats_available_bytes)
 */
const AVAILABLE = /^(avail|available|usable)$/
const TO_BE_TAKEN =
  /^(bytes|kb|mb|gb|bits|space|slots|permits|calls|capacity|connections|conns|threads|workers|tokens|inodes|files|memory|mem|disk|storage|filesystem|volume|ports|addresses|ips)$/
/**
 * A page of memory that is fetched when it is touched is a fault by name alone.
 * @see https://docs.kernel.org/admin-guide/mm/concepts.html
 */
const FETCHED_PAGES = /(^| )(paging|pages?|major|minor|pg ?maj|pg) ?faults?( |$)/
/** Connections that are ended and not forgotten yet; nobody waits for them (RFC 9293, section 3.3.2). */
const SOCKET_STATES = /(^| )(time|close|fin) wait(\d)?( |$)/
/**
 * Sessions that a store has.
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW
 */
const SESSIONS_COUNTED = /(^| )stat activity count$/
/**
 * How long the oldest thing is open.
 * @see https://github.com/prometheus-community/postgres_exporter (pg_stat_activity_max_tx_duration)
 */
const OLDEST_OPEN = /(^| )max (tx|transaction|xact|query) duration/
/**
 * How far a reader is behind what was written.
 * @see https://dev.mysql.com/doc/refman/8.4/en/show-replica-status.html (Seconds_Behind_Source)
 * @see https://docs.aws.amazon.com/streams/latest/dev/monitoring-with-cloudwatch.html (MillisBehindLatest)
 */
const BEHIND = /(^| )(seconds|millis|ms) behind( |$)/
/** How large a thing is that is kept: neither what is done nor what is used up, without its limit. */
const SIZE = /^sizes?$/
const FREE = /^(free|freeable|remaining|headroom|credit|credits|balance)$/

const RESOURCES: readonly (readonly [MetricMeaning['resource'], RegExp])[] = [
  ['cpu', /^(cpu|cores|load|cfs)$/],
  ['memory', /^(memory|mem|heap|rss|swap|freeable|oom|gc)$/],
  ['disk', /^(disk|storage|inodes|filesystem|volume|iops|ebs)$/],
  ['connections', /^(connections|conns|connection|sessions|pool|clients|backends)$/],
  ['network', /^(network|packets|packet|retransmits|bandwidth|conntrack|allowance)$/],
]

/** Below what anybody asks for: an error there is made good, or shows in the answers. */
const isBelow = (resource: MetricMeaning['resource']): boolean =>
  resource === 'cpu' || resource === 'memory' || resource === 'network'

/**
 * When something was: an instant says neither how much nor how well, also where what it dates would ("last success").
 * @see https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics (process_start_time_seconds)
 */
const INSTANT =
  /(^| )(timestamp|unixtime|mtime|ctime|((start|boot|create|creation)|last( \w{1,20}){1,2}) time)( (seconds?|s|ms|milliseconds))?$/
/** For how long something runs: it only falls when that starts anew; what share of a time it ran is another matter. */
const RUNNING = /(^| )up ?time( |$)(?!.*\b(ratio|percent|percentage|pct)$)/
const NO_LEVEL = { meaning: 'other', bad: null, weight: 0, resource: null } as const

/**
 * Answers that are counted, of which only labels say how they ended.
 * @see https://linkerd.io/2-edge/reference/proxy-metrics/ (response_total)
 */
const COUNTED_RESPONSES = /(^| )response (total|count)$/

const TIMED = /(duration|latency|latencies|response_?time|seconds|milliseconds|microseconds)$/i

/**
 * Of which times a series is the sum or the count, as of a histogram and a summary; null where it is neither.
 * @see https://prometheus.io/docs/concepts/metric_types/#histogram
 */
export const timedBy = keptByName((name): { readonly of: string; readonly tells: 'sum' | 'count' } | null => {
  const [, of, tells] = /^(.+)[._](sum|count)$/i.exec(name) ?? []
  if (of === undefined || tells === undefined || !TIMED.test(of)) return null
  return { of, tells: tells.toLowerCase() === 'sum' ? 'sum' : 'count' }
})

/** A unit of time, as words that end a name have it. */
const UNIT_OF_TIME = '(?:seconds?|s|milliseconds?|millis|ms|microseconds?|micros)'
/**
 * The highest of times that were measured: a client tells it of each timer, a store of its copies. What only may be as long is
 * a limit.
 * @see https://docs.micrometer.io/micrometer/reference/concepts/timers.html (`_seconds_max`)
 * @see https://docs.aws.amazon.com/msk/latest/developerguide/metrics-details.html (MaxOffsetLag)
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.AuroraMonitoring.Metrics.html (AuroraReplicaLagMaximum)
 * @see https://kafka.apache.org/documentation/#consumer_monitoring (records-lag-max)
 */
const HIGHEST_TIME = new RegExp(
  `(^| )(${UNIT_OF_TIME}|duration|latency|lag|elapsed|rtt|(response|request|processing|wait|execution|query) time) max(imum)?( ${UNIT_OF_TIME})?$|(^| )max(imum)? (\\w+ ){0,2}(latency|lag|rtt|response time)( ${UNIT_OF_TIME})?$`,
)
/** Words beside which a highest time is one that is set. */
const IS_SET =
  /^(limit|limits|provisioned|quota|desired|ceiling|allocatable|requested|configured|threshold|allowed|lifetime|ttl|idle|retention)$/

/**
 * Calls as Datadog counts them; what a cache finds is called alike.
 * @see https://docs.datadoghq.com/tracing/metrics/metrics_namespace/ (trace.SPAN_NAME.hits)
 */
const TRACED_CALLS = /^trace\.[\w.]+\.hits(\.by_http_status)?$/

const CREDENTIAL = /^(certs?|certificates?|credentials?|tokens?|secrets?|licen[cs]es?)$/
const LEFT = /^(remaining|left|until|ttl|validity|lifetime)$/
const TIME = /^(seconds?|sec|s|minutes?|hours?|days?|time|ttl|until|lifetime)$/

/**
 * Whether a series tells how long something is valid yet: a certificate, a credential, a licence.
 * @see https://github.com/prometheus/blackbox_exporter (probe_ssl_earliest_cert_expiry)
 * @see https://developer.hashicorp.com/vault/docs/concepts/lease
 */
export const isTimeLeft = keptByName((name) => {
  if (/expir|not_?after/i.test(name)) return true
  const words = wordsOf(name)
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  if (has(/^(certs?|certificates?)$/) && has(/^(remaining|until|days)$/)) return true
  return has(CREDENTIAL) && has(LEFT) && has(TIME)
})

/**
 * Reads the name of a series. Errors, latency and lost availability weigh as failures, used-up resources
 * as signs of one, traffic and settings not at all.
 */
export const readMetricName = keptByName((name): MetricMeaning => {
  const words = wordsOf(name)
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  const used = RESOURCES.find(([, pattern]) => has(pattern))?.[0] ?? null
  // A pool of machines is none of connections.
  const resource = used === 'connections' && has(MACHINES) ? null : used
  const found = ((): Omit<MetricMeaning, 'is_demand'> => {
    if (isTimeLeft(name)) return { meaning: 'expiry', bad: null, weight: 0, resource: null }
    const text = words.join(' ')
    if (tellsInstant(words)) return NO_LEVEL
    if (FETCHED_PAGES.test(text) || SOCKET_STATES.test(text))
      return { meaning: 'other', bad: null, weight: 0.2, resource }
    if (BEHIND.test(text)) return { meaning: 'latency', bad: 'up', weight: 1, resource }
    if (SESSIONS_COUNTED.test(text))
      return { meaning: 'saturation', bad: 'up', weight: 0.5, resource: 'connections' }
    if (has(ERRORS))
      return {
        meaning: 'errors',
        bad: 'up',
        weight: isBelow(resource) || has(INSTANCES) || has(TRIED_AGAIN) || has(ON_THE_WAY) ? 0.7 : 1,
        resource,
      }
    // Time that goes into collecting garbage is not waited for by itself: it says that the memory is used up.
    if (has(COLLECTING)) return { meaning: 'saturation', bad: 'up', weight: 0.5, resource: 'memory' }
    if (has(FREE) || (has(AVAILABLE) && has(TO_BE_TAKEN)))
      return { meaning: 'saturation', bad: 'down', weight: 0.5, resource }
    if (OLDEST_OPEN.test(text)) return { meaning: 'saturation', bad: 'up', weight: 0.5, resource }
    if (HIGHEST_TIME.test(text) && !has(IS_SET)) return { meaning: 'latency', bad: 'up', weight: 1, resource }
    if (has(SETTING) && !has(USED)) return { meaning: 'setting', bad: null, weight: 0, resource }
    if (has(OPEN) && has(OPEN_FOR)) return { meaning: 'saturation', bad: 'up', weight: 0.5, resource }
    const timed = timedBy(name)
    if (timed?.tells === 'count' || COUNTED_RESPONSES.test(text) || TRACED_CALLS.test(name))
      return { meaning: 'throughput', bad: 'down', weight: 0.3, resource }
    // How long all of them took together grows with how many there are as well.
    if (timed?.tells === 'sum') return { meaning: 'other', bad: null, weight: 0.2, resource }
    // How many wait to be taken from a queue is what fills it, whether they are called ready or visible.
    if (!has(LATENCY) && queueStateOf(name) === 'waits')
      return { meaning: 'saturation', bad: 'up', weight: 0.5, resource }
    // How old a list, a copy or the last success is nobody waits for; how old what waits in a queue is, somebody does.
    if (has(LATENCY) && !has(USED))
      return {
        meaning: 'latency',
        bad: 'up',
        weight: has(AGE) && queueStateOf(name) === null ? 0.7 : 1,
        resource,
      }
    if (has(AVAILABILITY))
      return {
        ...{ meaning: 'availability', bad: 'down', resource },
        weight: has(INSTANCES) || has(HIT) ? 0.7 : 0.9,
      }
    if (has(USED) || has(SATURATION)) return { meaning: 'saturation', bad: 'up', weight: 0.5, resource }
    if (has(THROUGHPUT) && !has(SIZE)) return { meaning: 'throughput', bad: 'down', weight: 0.3, resource }
    return { meaning: 'other', bad: null, weight: 0.2, resource }
  })()
  const isNamed = TRACED_CALLS.test(name) || namesDemand(words)
  return { ...found, is_demand: isNamed && countsDemand(words, found) }
})

/** Whether words are of an instant, or of how long something runs since one. */
const tellsInstant = (words: readonly string[]): boolean => {
  const text = words.join(' ')
  return INSTANT.test(text) || RUNNING.test(text)
}

const DEMAND =
  /^(requests|rps|qps|tps|calls|invocations|arrivals|sessions|signins|logins|orders|incoming|visits)$/
/**
 * Calls that a service makes itself, and counts per request, are no demand; nor is how many are there at one time, which
 * grows with how long each stays (Little's law, Operations Research 9, 1961).
 */
const NO_DEMAND =
  /^(outbound|outgoing|upstream|origin|client|db|queries|retry|retries|pending|queued|request|waiting|blocked|outstanding|inflight|flight|active|concurrent|open|progress)$/

/**
 * Requests that are counted under the name of one.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html (RequestCount)
 * @see https://linkerd.io/2-edge/reference/proxy-metrics/ (request_total)
 */
const COUNTED_REQUESTS = /^(.* )?request (count|total)$/
/**
 * Requests that are counted as those whose time was taken, or by no name but that of what has nothing else to count.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration
 * @see https://github.com/grpc-ecosystem/go-grpc-middleware/tree/main/providers/prometheus (grpc_server_handling_seconds)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html (Count)
 */
const TIMED_REQUESTS =
  /^((.* )?(request|server|handler)( (duration|latency|handling|response time))?( (seconds|milliseconds))? )?count$|^(.* )?grpc server (handled|started) total$/

/**
 * What was done with some of the requests stands before them, as in sampled, cached or explained requests: those are a part of
 * what is asked, chosen inside; and what is done with every one of them, before which they count as any.
 */
const CHOSEN = /^[a-z]{3,}[^e]ed$/
const EVERY_ONE =
  /^(received|accepted|admitted|allowed|handled|processed|served|answered|completed|finished|started|executed|proxied|forwarded|routed|dispatched|submitted|authenticated|authorized|failed|succeeded|elapsed|observed|total(?:l)?ed)$/

/** Whether a name is of what is asked of a part by others. */
const namesDemand = (words: readonly string[]): boolean => {
  const text = words.join(' ')
  const isCounted = COUNTED_REQUESTS.test(text) || TIMED_REQUESTS.test(text)
  return (
    (isCounted ||
      words.some((word, index) => {
        const before = words[index - 1] ?? ''
        return DEMAND.test(word) && (!CHOSEN.test(before) || EVERY_ONE.test(before))
      })) &&
    !words.some((word) => NO_DEMAND.test(word) && !(isCounted && word === 'request'))
  )
}

/** How large or how long what is asked is, which part of it, or how much of a machine is set aside for who asks. */
const MEASURE =
  /^(bytes?|octets|kb|mb|kilobytes|megabytes|sizes?|ratio|percent|percentage|pct|share|resource)$/

/**
 * Whether what a name says of demand counts it: neither how large or long it is (of which only `_count` counts, as of
 * every histogram), nor how much may come or failed, nor what a container requests of its machine.
 * @see https://prometheus.io/docs/concepts/metric_types/#histogram
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
 */
function countsDemand(
  words: readonly string[],
  { meaning, resource }: Pick<MetricMeaning, 'meaning' | 'resource'>,
): boolean {
  if (meaning === 'errors' || resource === 'cpu' || resource === 'memory' || tellsInstant(words)) return false
  if (words.at(-1) === 'count') return true
  // A name of a service may hold "time".
  const isTimed = words.some(
    (word, index) =>
      (word === 'seconds' && words[index - 1] !== 'per') || (word === 'time' && index === words.length - 1),
  )
  return (
    !isTimed && meaning !== 'latency' && meaning !== 'setting' && !words.some((word) => MEASURE.test(word))
  )
}

/** The state of a thing that others lean on, as its own measurements tell it. */
export type StoreState = 'kept' | 'found' | 'pushed_out' | 'behind'

/** What a store keeps, counted; what is done to it in a time is no stock. */
const KEPT = /^(items?|keys|entries)$/
const NO_STOCK =
  /^(conntrack|expir\w*|evict\w*|reclaimed|scanned|processed|hits?|per|rate|sec|seconds?|total|read|reads|written|writes|lookups?|max|limit|locked|lock|size|bytes)$/
const MISSED = /^(miss|misses|missed)$/
const SHARE = /^(ratio|rate|percent|percentage|pct)$/
const PUSHED_OUT = /^(evictions?|evicted)$/
/** Instances that a platform moves are evicted, too. */
const MOVED = /^(pods?|containers?|workloads?|nodes?|kubelet|connections?)$/
const COPY =
  /^(replicas?|replication|slaves?|standby|secondary|follower|master|primary|wal|replay|apply|oplog)$/
const LATE = /^(lag|behind|delay|staleness)$/

/**
 * Which state of a store a series tells; null where it tells none.
 * @see https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/CacheMetrics.Redis.html
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-metrics.html
 */
export const storeStateOf = keptByName((name): StoreState | null => {
  const words = wordsOf(name)
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  if (has(PUSHED_OUT)) return has(MOVED) ? null : 'pushed_out'
  if (has(MISSED) || (has(HIT) && has(SHARE))) return 'found'
  if (has(COPY) && has(LATE)) return 'behind'
  return has(KEPT) && !has(NO_STOCK) && !has(QUEUE) ? 'kept' : null
})

export type QueueState = 'waits' | 'set_aside'

const QUEUE =
  /^(queue|queues|topic|subscription|consumer|consumergroup|messages?|sqs|kafka|rabbitmq|amqp|jobs?|backlog)$/
const WAITING =
  /^(age|oldest|ready|visible|unacked|unacknowledged|undelivered|depth|length|backlog|lag|waiting|available|pending)$/
const SET_ASIDE = /^(dlq|dlx|deadletter|deadletters|deadlettered)$|^dead$/

/**
 * Which state of a queue a series tells; null where it tells none.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 * @see https://www.rabbitmq.com/docs/prometheus
 */
export const queueStateOf = keptByName((name): QueueState | null => {
  const words = wordsOf(name)
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  if (has(SET_ASIDE)) return 'set_aside'
  return has(QUEUE) && has(WAITING) ? 'waits' : null
})

/** What a store does: its sessions wait for each other's locks, or it reads and sorts for those who ask. */
export type StoreWork = 'waits' | 'works'

const LOCKS = /^(locks?|locked|blocked|blocking|blockers?|deadlocks?|latch|latches)$/
const READ_THINGS =
  /^(rows?|tuples?|tup|documents?|docs|blocks?|blks|buffers?|pages|records|partitions|segments|tombstones)$/
const READING =
  /^(read|reads|scanned|scans?|examined|fetched|returned|accessed|filtered|sorted|hit|processed)$/
const FULL_SCANS = /^(scans?|joins?)$/
const FULL = /^(seq|sequential|full|table|collection)$/
/** What only stores count. */
const OF_STORES =
  /^(db|database|sql|pg|postgres\w*|mysql\w*|mariadb|innodb|mongo\w*|oracle|mssql|rds|aurora|cassandra|redis|tuples?|transactions?|xacts?|replication|wal|binlog|oplog)$/

/**
 * Which work of a store a series tells; null where it tells none.
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html
 * @see https://dev.mysql.com/doc/refman/8.4/en/server-status-variables.html
 * @see https://www.mongodb.com/docs/manual/reference/command/serverStatus/
 */
export const storeWorkOf = keptByName((name): StoreWork | null => {
  const words = wordsOf(name)
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  if (has(LOCKS)) return 'waits'
  return (has(READ_THINGS) && has(READING)) || (has(FULL_SCANS) && has(FULL)) ? 'works' : null
})

/** Whether only a store measures such a thing; who asks one measures its own pool of connections. */
export const isStore = keptByName((name) => {
  const words = wordsOf(name)
  return words.some((word) => OF_STORES.test(word)) && !words.includes('pool') && !words.includes('client')
})

/** What has been done with what came in. */
const FINISHED =
  /^(completed|processed|finished|done|handled|sent|published|produced|emitted|delivered|dispatched|flushed|committed|written|consumed|acked|acknowledged|executed|indexed|exported|settled)$/
const WAITS =
  /^(waiting|waits|pending|queued|queue|backlog|lag|depth|outstanding|unacked|unacknowledged|undelivered|unprocessed|oldest|age|overdue)$/

/**
 * Whether a series counts what a part finishes.
 * @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-metrics/ (consumed, sent)
 */
export const countsFinished = ({ name, type }: Pick<Series, 'name' | 'type'>): boolean =>
  (type !== 'gauge' || /per_|rate|throughput/i.test(name)) && isOfFinished(name)

const isOfFinished = keptByName((name) => wordsOf(name).some((word) => FINISHED.test(word)))

/** Whether a series tells of what waits to be done. */
export const countsWaiting = keptByName((name) => wordsOf(name).some((word) => WAITS.test(word)))

/** Whether a series counts what is tried again. */
export const countsRetries = keptByName((name) => wordsOf(name).some((word) => TRIED_AGAIN.test(word)))

/** Whether a series tells of instances that come and go. */
export const countsInstances = keptByName((name) => wordsOf(name).some((word) => INSTANCES.test(word)))

/** Whether a series counts demand that arrives from outside (and not, say, calls that the service makes itself). */
export const isDemand = (name: string): boolean => readMetricName(name).is_demand
