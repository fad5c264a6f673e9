/**
 * Families of the eighteenth generation that no change of one's own caused, each as a published report of one organisation
 * has it: a store of messages that does not grow with what is put into it, what keeps files near that is slower and slower, a
 * machine that loses its address, work in the background that asks for what no index has, and a moment with few requests
 * after which too few pods are left. They were written without knowledge of the engine; docs/simulator/eighteenth.md names the
 * reports and the rule of choice.
 */
import {
  ALLOCATIONS,
  amongEighteenthSurroundings,
  BLOCKS_FETCHED,
  BLOCKS_KEPT,
  MEMORY_LEFT,
  MESSAGES,
  paidFor,
  READ_S,
  READ_THROUGH,
  READS,
  RENEWALS,
  RUN_S,
  SENDER,
  SENDING_MACHINE,
  STATEMENT,
  STATEMENT_S,
  STORE_UNITS,
  scalerOf,
  TO_SEND,
  TRIED_AGAIN,
  VOICE_CACHE,
  WAIT_S,
} from './eighteenth-surroundings.ts'
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import { CPU_USED } from './seventeenth-surroundings.ts'
import { ACTIVE, LONGEST_S } from './sixteenth-surroundings.ts'

/** Milliseconds after which nobody waits for an answer any more. */
const NEVER_MS = 6_000

/**
 * Very many messages are to be sent at once. The store that holds them has more and more to do and does not get larger, as it
 * was to; what does not get in is tried again, and everybody else who asks that store waits with it.
 */
const unscaledStore: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const made = sized(topology, name, chance.between(1.6, 2))
  const callers = callersOf(made, name).map((caller) => caller.name)
  const usual = arrivalsOf(made).get(name) ?? 0
  const most = usual * chance.between(1.3, 2.1)
  const growing_s = chance.whole(120, 300)
  const again = usual * chance.between(0.2, 0.5)
  const putting = (since_s: number): number =>
    most * progress(since_s, growing_s) + again * progress(since_s - growing_s, 180)
  const failed_s = chance.whole(60, 200)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['traffic', 'data', 'infra'], entity: name, places: [SENDER] },
    ...{ topology: made, isDemand: true },
    undisturbed: callers,
    arriving: (part, since_s) => (part === name ? putting(since_s) : 0),
    lines: [
      {
        ...{ part: SENDER, per_minute: 9, after_s: growing_s / 2, severity: 'WARN', decides: true },
        message: `Sidekiq: fail: 15.022 sec (SendMessages), again in ${chance.whole(16, 60)} s: ActiveRecord::StatementTimeout`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 6, after_s: growing_s / 2, decides: true },
        message:
          'ActiveRecord::ConnectionTimeoutError: could not obtain a connection from the pool within 5.000 seconds (waited 5.004 seconds)',
      })),
    ],
    gauges: [
      {
        ...{ entity: SENDER, name: 'sidekiq_queue_enqueued_jobs', unit: '1', labels: MESSAGES },
        ...{ decides: true, level: (since_s) => TO_SEND + (since_s < 0 ? 0 : 900 + since_s * 38) },
      },
      {
        ...{ entity: SENDER, name: 'sidekiq_queue_latency_seconds', unit: 's', labels: MESSAGES },
        ...{ decides: true, level: (since_s) => WAIT_S + (since_s < 0 ? 0 : since_s * 0.8) },
      },
      {
        ...{ entity: SENDER, name: 'sidekiq_retry_jobs', unit: '1', decides: true },
        level: (since_s) => TRIED_AGAIN + 14 * Math.max(0, since_s - growing_s / 2),
      },
      {
        ...{ entity: name, name: 'aws_rds_serverless_database_capacity_average', unit: '1', decides: true },
        level: () => STORE_UNITS,
      },
      {
        ...{ entity: name, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (98 - CPU_USED) * progress(since_s, growing_s),
      },
    ],
    events: [
      {
        ...{ after_s: failed_s, kind: 'notification', reason: 'state', name, decides: true },
        message:
          'The scaling operation for the DB cluster failed for this reason: A scaling point was not found.',
      },
    ],
    working: (part) => (part === name ? { cpu_factor: 3 } : {}),
  }
}

/**
 * What keeps files near the machines that need them is slower from minute to minute and has less and less of them. A service
 * that reads there takes longer and longer; it was shipped after that had begun, with what does no harm.
 */
const slowVoices: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(inner(topology))
  const growing_s = chance.whole(500, 900)
  const slowest_ms = chance.between(0.5, 0.9) * NEVER_MS
  const grown = (since_s: number): number => progress(since_s, growing_s)
  const inode = chance.whole(2_000, 9_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'dependency', 'capacity', 'provider'], entity: VOICE_CACHE },
    ...{ places: [name], topology },
    elsewhere: [
      {
        ...paidFor(
          name,
          ['  return receipt.paidUntil > now'],
          ['  return receipt.paidUntil >= now'],
          chance.pick(['Paid to the very end', 'The last day counts']),
        ),
        after_s: chance.whole(40, 140),
      },
    ],
    undisturbed: [name],
    lines: [
      {
        ...{ part: VOICE_CACHE, per_minute: 7, severity: 'WARN', after_s: 30, decides: true },
        message: `juicefs: slow operation: read (${inode},4194304,0): OK (4194304) <${chance.between(2, 9).toFixed(6)}>`,
      },
      {
        ...{ part: name, per_minute: 4, severity: 'WARN', after_s: growing_s / 3, decides: true },
        message: `voice ${chance.whole(1_000, 9_000)} was read in ${chance.whole(900, 2_900)} ms, 40 ms are usual`,
      },
    ],
    gauges: [
      {
        ...{ entity: VOICE_CACHE, name: 'juicefs_blockcache_hits:rate1m', unit: '/s', decides: true },
        level: (since_s) => BLOCKS_KEPT * (1 - 0.8 * grown(since_s)),
      },
      {
        ...{ entity: VOICE_CACHE, name: 'juicefs_blockcache_miss:rate1m', unit: '/s', decides: true },
        level: (since_s) => BLOCKS_FETCHED + 0.6 * BLOCKS_KEPT * grown(since_s),
      },
      {
        ...{ entity: VOICE_CACHE, name: 'juicefs_fuse_ops_durations_histogram_seconds:p95', unit: 's' },
        ...{ labels: READS, decides: true, level: (since_s) => READ_S + 3.4 * grown(since_s) ** 2 },
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_factor: 1 + (slowest_ms / own_ms) * grown(since_s) ** 2 } : {},
  }
}

/**
 * What sets up machines looks over all of them, and takes the memory of one just as its address is to be asked for again.
 * That does not start; the address is gone, and with it the service on that machine, which runs on.
 */
const lostAddress: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const made = withParts(topology, { [name]: { pods: 1 } })
  const callers = callersOf(made, name)
  const run_s = chance.whole(60, 150)
  const left = MEMORY_LEFT * chance.between(0.015, 0.04)
  const isThere = (since_s: number): number => (since_s < 0 ? 1 : 0)
  const address = chance.whole(4, 90)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['node', 'infra', 'capacity', 'config'], entity: SENDING_MACHINE },
    ...{ places: [name], isHosting: true, topology: made },
    hosting: hostedApart(hostingOf(made, chance), [SENDING_MACHINE], [name]),
    undisturbed: [name],
    lines: [
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 9, after_s: 8, decides: true },
        message: `com.sun.mail.util.MailConnectException: Couldn't connect to host, port: 10.47.3.${address}, 25; timeout 5000`,
      })),
      {
        ...{ part: SENDING_MACHINE, per_minute: 50, after_s: -9, until_s: 2, decides: true },
        message: 'dhclient: execve (/sbin/dhclient-script, ...): Cannot allocate memory',
      },
      {
        ...{
          part: SENDING_MACHINE,
          per_minute: 50,
          after_s: -8,
          until_s: 2,
          severity: 'WARN',
          decides: true,
        },
        message: `avahi-daemon: Withdrawing address record for 10.47.3.${address} on eth0.`,
      },
    ],
    gauges: [
      { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
      { ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true }, level: isThere },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: isThere,
      },
      {
        ...{ entity: SENDING_MACHINE, name: 'node_uptime_seconds', unit: 's', decides: true },
        ...{ labels: { node: SENDING_MACHINE } },
        level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      },
      {
        ...{ entity: SENDING_MACHINE, name: 'node_memory_MemAvailable_bytes', unit: 'By', decides: true },
        level: (since_s) => MEMORY_LEFT - (MEMORY_LEFT - left) * progress(since_s + run_s, run_s * 0.8),
      },
      {
        ...{ entity: SENDING_MACHINE, name: 'puppet_last_run_duration_seconds', unit: 's', decides: true },
        level: () => RUN_S,
      },
    ],
    k8s: [notReady(SENDING_MACHINE, 43)],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { is_away: true } : {}),
  }
}

/**
 * What works through all accounts in the background meets data such as there have hardly been any, and asks the store for them
 * in a way that no index helps. One statement runs on and on, another of the kind beside it, and the store is slow for all.
 */
const unindexedCase: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const made = sized(topology, name, chance.between(1.5, 1.9))
  const callers = callersOf(made, name).map((caller) => caller.name)
  const growing_s = chance.whole(60, 200)
  const slower = chance.between(3.2, 5)
  const subscriptions = chance.whole(9_000, 44_000)
  const rows = chance.whole(700, 2_600) * 1_000
  const grown = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'capacity', 'traffic'], entity: name, places: [RENEWALS] },
    ...{ topology: made },
    undisturbed: callers,
    lines: [
      {
        ...{ part: RENEWALS, per_minute: 2, severity: 'INFO', after_s: 5, decides: true },
        message: `renewals: group of ${subscriptions} subscriptions, looking up what is allocated to each`,
      },
      {
        ...{ part: name, per_minute: 3, severity: 'WARN', after_s: growing_s, decides: true },
        message: `LOG:  duration: ${chance.whole(31_000, 88_000)}.204 ms  execute <unnamed>: SELECT * FROM allocations WHERE prior_component_id = $1 AND renewed_on IS NULL`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 7, after_s: 30, decides: true },
        message: 'PG::QueryCanceled: ERROR:  canceling statement due to statement timeout',
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'pg_stat_user_tables_seq_tup_read:rate1m', unit: '/s' },
        ...{ labels: ALLOCATIONS, decides: true },
        level: (since_s) => READ_THROUGH + rows * grown(since_s),
      },
      {
        ...{ entity: name, name: 'pg_stat_statements_seconds_total:rate1m', unit: '1' },
        ...{ labels: STATEMENT, decides: true },
        level: (since_s) => STATEMENT_S + 5.5 * grown(since_s),
      },
      {
        ...{ entity: name, name: 'pg_stat_activity_max_tx_duration', unit: 's', labels: ACTIVE },
        ...{ decides: true, level: (since_s) => LONGEST_S + Math.max(0, since_s) },
      },
      {
        ...{ entity: name, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (97 - CPU_USED) * grown(since_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_factor: 1 + (slower - 1) * grown(since_s), cpu_factor: 5 } : {},
  }
}

/**
 * For a minute or two hardly anybody comes, and what scales a service takes most of its pods away. Then all are there again;
 * the pods that are left say that they have too much to do, are not counted, and no other is made.
 */
const fewLeft: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const [pods, left] = [chance.whole(6, 8), 2]
  const made = sized(withParts(topology, { [name]: { pods } }), name, chance.between(1.4, 1.7))
  const few_s = chance.whole(150, 260)
  const removed_s = chance.whole(70, 120)
  const share = chance.between(0.25, 0.4)
  const wanted = (since_s: number): number => (since_s < removed_s ? pods : left)
  const unready_s = few_s + chance.whole(40, 80)
  const set = `${name}-${chance.whole(10_000, 99_999).toString(16)}`
  const gauge = (metric: string, labels: Gauge['labels'], level: (since_s: number) => number): Gauge => ({
    ...{ entity: name, name: metric, unit: '1', decides: true, level },
    ...(labels === undefined ? {} : { labels }),
  })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['config', 'infra', 'traffic'], entity: name, topology: made },
    undisturbed: [name],
    demand: (since_s) => (since_s < few_s ? share : 1.05),
    lines: [
      {
        ...{ part: name, per_minute: 9, severity: 'WARN', after_s: few_s + 15, decides: true },
        message: `taking no more pages: ${chance.whole(40, 90)} in work, not ready until there are fewer`,
      },
    ],
    gauges: [
      gauge('kube_horizontalpodautoscaler_status_desired_replicas', scalerOf(name), wanted),
      gauge('kube_deployment_status_replicas_available', { deployment: name }, (since_s) =>
        since_s < unready_s ? wanted(since_s) : 1,
      ),
    ],
    k8s: [
      {
        ...{ after_s: removed_s, kind: 'HorizontalPodAutoscaler', name, reason: 'SuccessfulRescale' },
        ...{ message: `New size: ${left}; reason: All metrics below target`, decides: true },
      },
      {
        ...{ after_s: removed_s + 1, kind: 'Deployment', name, reason: 'ScalingReplicaSet', decides: true },
        message: `Scaled down replica set ${set} to ${left} from ${pods}`,
      },
      ...[0, 1].map((pod) => ({
        ...{ after_s: unready_s + 10 * pod, kind: 'Pod', name: `${name}-${pod}`, reason: 'Unhealthy' },
        ...{ message: 'Readiness probe failed: HTTP probe failed with statuscode: 429', decides: true },
      })),
      {
        ...{ after_s: unready_s + 45, kind: 'HorizontalPodAutoscaler', name, decides: true },
        reason: 'FailedGetResourceMetric',
        message:
          'failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)',
      },
    ],
    working: (part, pod, since_s) =>
      part === name && since_s >= removed_s && pod >= left ? { is_away: true } : {},
  }
}

/** The families of the eighteenth generation that no change of one's own caused. */
export const EIGHTEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unscaled-store': amongEighteenthSurroundings(unscaledStore),
  'slow-voices': amongEighteenthSurroundings(slowVoices),
  'lost-address': unmeasuredWhileGone(amongEighteenthSurroundings(lostAddress)),
  'unindexed-case': amongEighteenthSurroundings(unindexedCase),
  'few-left': amongEighteenthSurroundings(fewLeft),
}
