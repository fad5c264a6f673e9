/**
 * Families of the twenty-fourth generation whose cause is a change, each as a published report of one organisation has it:
 * modes of files that are set by hand on a machine for mailing lists, a server that does not get up with what was merged, a
 * back office that takes all connections after its indexes were changed, a sum that a store is too slow for, and times of
 * pages that are set back. They were written without knowledge of the engine; docs/simulator/twenty-fourth.md names the
 * reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import { CPU_USED } from './seventeenth-surroundings.ts'
import { keptBy } from './sixth-surroundings.ts'
import type { Topology } from './topology.ts'
import { CONNECTIONS } from './twentieth-surroundings.ts'
import {
  amongTwentyFourthSurroundings,
  BACK_OFFICE_CONNECTIONS,
  customerIndexes,
  fileModes,
  INCOMING,
  LEFT_OUT,
  LIST_HOST,
  MOST_CONNECTIONS,
  NOT_FOUND,
  OF_BACK_OFFICE,
  PAGES_KEPT,
  PAGES_LEFT_OUT,
  PUT_AWAY,
  QUEUED,
  RUNNERS,
  RUNNING,
  SLOW_STATEMENTS,
  serverStart,
  sessionPages,
  UNSHOWN_SESSIONS,
  userBalance,
} from './twenty-fourth-surroundings.ts'
import { RESTARTS, RUNNING_THREADS } from './twenty-second-surroundings.ts'

/**
 * Somebody tidies up on a machine for mailing lists, and sets owners and modes of files. What sees to mails ends without a
 * word and does not get up when it is begun anew; mails are taken and wait, and the pages of lists answer with an error.
 */
const narrowedPermissions: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(40, 160)
  const share = chance.between(0.88, 0.98)
  const arriving = chance.between(0.8, 2.5)
  const path = chance.pick(['/var/lib/mailman', '/usr/local/mailman', '/srv/lists'])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'node'], entity: LIST_HOST, topology, delay_s },
    places: [name],
    culprits: [fileModes(LIST_HOST, path, chance.is(0.6) ? LIST_HOST : undefined)],
    hosting: hostedApart(hostingOf(topology, chance), [LIST_HOST], [name]),
    undisturbed: [name],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 2 },
      message: `${name}/mailman/listinfo answered 500: Mailman CGI error!!! The Mailman CGI wrapper encountered a fatal error.`,
    })),
    gauges: [
      {
        ...{ entity: LIST_HOST, name: 'namedprocess_namegroup_num_procs', unit: '1', labels: RUNNING },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? RUNNERS : 0) },
      },
      {
        ...{ entity: LIST_HOST, name: 'mailman_queue_files', unit: '1', labels: INCOMING, decides: true },
        level: (since_s) => QUEUED + arriving * Math.max(0, since_s),
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= delay_s ? { own_errors: share } : {}),
  }
}

/** Seconds at which a container that ends at once is begun anew: it is waited for twice as long each time, five minutes at most. */
const BEGUN_S = [0, 20, 50, 100, 190, 360, 670, 980, 1_290, 1_600, 1_910] as const
/** Seconds until it ends. */
const ENDS_S = 10

/** What is merged is served at once. With it no server gets up: each ends while it begins to listen, again and again. */
const crashingServer: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const delay_s = chance.whole(5, 25)
  const pod_s = 45
  const gone = (since_s: number): number =>
    Math.min(pods, since_s + delay_s < 0 ? 0 : 1 + Math.floor((since_s + delay_s) / pod_s))
  const isThere = (since_s: number): number => (gone(since_s) < pods ? 1 : 0)
  const isBeginning = (since_s: number): boolean =>
    BEGUN_S.some((begun_s) => since_s >= begun_s && since_s < begun_s + ENDS_S)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'infra'], entity: name, topology, delay_s },
    culprits: [
      serverStart(
        name,
        ['    servers = start_servers(config["host"], config["ports"], routes, bind_address)'],
        ['    servers = start_servers(config.server_host, config.ports, routes, bind_address)'],
        chance.pick([
          'One way to read settings',
          'Settings as attributes',
          'Settings of servers in one place',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      // No pod takes longer than a minute to follow the one before.
      ...Array.from({ length: pods }, (_, pod) => ({
        ...{ part: name, per_minute: 30, pod, after_s: pod * 60 },
        message: "AttributeError: 'dict' object has no attribute 'server_host'",
      })),
      ...callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 6, after_s: 20 },
        message: `connect ECONNREFUSED ${name}.serve.internal:8000`,
      })),
    ],
    gauges: [
      { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: isThere,
      },
      ...(['load_balancer_healthy_hosts', 'kube_deployment_status_replicas_available'] as const).map(
        (measure): Gauge => ({
          ...{ entity: name, name: measure, unit: '1', decides: true },
          ...(measure === 'load_balancer_healthy_hosts' ? {} : { labels: { deployment: name } }),
          level: (since_s) => pods - gone(since_s),
        }),
      ),
      {
        ...{ entity: name, name: 'kube_pod_container_status_restarts_total:increase10m', unit: '1' },
        ...{ decides: true, level: (since_s) => RESTARTS + 5 * progress(since_s, 300) },
      },
    ],
    k8s: Array.from({ length: pods }, (_, pod) => pod).flatMap((pod) =>
      [20, 190, 670].map((after_s) => ({
        ...{ kind: 'Pod', name: `${name}-${pod}`, decides: true, reason: 'BackOff' },
        ...{ after_s: after_s + pod * pod_s, message: `Back-off restarting failed container ${name}` },
      })),
    ),
    working: (part, _pod, since_s) =>
      part !== name ? {} : isBeginning(since_s) ? { own_errors: 1 } : { is_away: true },
  }
}

/**
 * The back office of a store sees to indexes otherwise, for all customers at once, each with a connection of its own. When
 * the store takes no more of them, one of those who ask it gets none at all, and the others, who keep theirs, now and then.
 */
const reindexedCustomers: ProductionFamily = (topology, chance): ProductionFault | null => {
  const isInner = (part: string): boolean => inner(topology).some(({ name }) => name === part)
  const stores = sharedStores(topology).filter(({ name }) =>
    callersOf(topology, name).some((caller) => isInner(caller.name)),
  )
  if (stores.length === 0) return null
  const store = chance.pick(stores).name
  const asking = callersOf(topology, store)
  const { name } = chance.pick(asking.filter((part) => isInner(part.name)))
  const others = asking.filter((part) => part.name !== name).map((part) => part.name)
  const hardest = chance.pick(others)
  const delay_s = chance.whole(200, 700)
  const growing_s = chance.whole(60, 200)
  const most = chance.between(0.85, 0.97)
  const least = chance.between(0.05, 0.15)
  const kept = keptBy(asking)
  const taken = (since_s: number): number =>
    (MOST_CONNECTIONS - CONNECTIONS) * progress(since_s + delay_s, delay_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'data', 'config'], entity: name, topology, delay_s },
    places: [store],
    culprits: [
      customerIndexes(
        name,
        ['  for (const customer of customers) await indexed(customer, pool)'],
        [
          '  await Promise.all(customers.map(async (customer) => {',
          "    const client = new Client({ user: 'backoffice' })",
          '    await client.connect()',
          '    await indexed(customer, client)',
          '  }))',
        ],
        chance.pick(['Indexes by plan and region', 'New indexes for all customers', 'Indexes side by side']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: asking.map((part) => part.name),
    lines: [
      ...others.map((part) => ({
        ...{ part, per_minute: part === hardest ? 9 : 3, after_s: 5 },
        message: 'FATAL: remaining connection slots are reserved for non-replication superuser connections',
      })),
      {
        ...{ part: store, per_minute: 8, after_s: 3 },
        message: 'FATAL: sorry, too many clients already',
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'pg_stat_activity_count', unit: '1', labels: OF_BACK_OFFICE },
        ...{ decides: true, level: (since_s) => BACK_OFFICE_CONNECTIONS + taken(since_s) },
      },
      {
        ...{ entity: store, name: 'aws_rds_database_connections_average', unit: '1', decides: true },
        level: (since_s) => CONNECTIONS + taken(since_s),
      },
      {
        ...{ entity: store, name: 'db_connections_open', unit: '1', decides: true },
        level: (since_s) => kept + taken(since_s),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      others.includes(part)
        ? {
            refused: {
              to: store,
              share: (part === hardest ? most : least) * progress(since_s - delay_s, growing_s),
            },
          }
        : {},
  }
}

/**
 * A release tells what somebody has by a sum in the database, where it was put together by the program before. The store is
 * busy with such sums, and slower and slower for all who ask it, whatever they ask.
 */
const summedBalance: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asksStore = ({ calls }: Topology['parts'][number]): boolean =>
    calls.some(({ to }) => kindOf(topology, to) === 'datastore')
  const candidates = inner(topology).filter(asksStore)
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const store = calls.find(({ to }) => kindOf(topology, to) === 'datastore')?.to as string
  const asking = callersOf(topology, store).map((part) => part.name)
  const delay_s = chance.whole(240, 480)
  const growing_s = chance.whole(200, 400)
  const slower = chance.between(150, 400)
  const busy = (changed_for_s: number): number => progress(changed_for_s, delay_s + growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'capacity'], entity: name, topology, delay_s },
    places: [store],
    culprits: [
      userBalance(
        name,
        ['    user.entries.map(&:cents).sum'],
        [
          '    Ledger::Line.joins(:entry).where("entries.owner_id = :id OR entries.payer_id = :id", id: user.id).sum(:cents)',
        ],
        chance.pick([
          'Balance by its own table',
          'Total balance without loading entries',
          'Balance from the ledger',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: asking,
    lines: asking.map((part) => ({
      ...{ part, per_minute: 8, after_s: 60 },
      message:
        'Mysql2::Error::TimeoutError: Timeout waiting for a response from the last query. (waited 3 seconds)',
    })),
    gauges: [
      {
        ...{ entity: store, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (95 - CPU_USED) * busy(since_s + delay_s),
      },
      {
        ...{ entity: store, name: 'mysql_global_status_threads_running', unit: '1', decides: true },
        level: (since_s) => RUNNING_THREADS + 70 * busy(since_s + delay_s) ** 2,
      },
      {
        ...{ entity: store, name: 'mysql_global_status_slow_queries:rate1m', unit: '/s', decides: true },
        level: (since_s) => SLOW_STATEMENTS + 25 * busy(since_s + delay_s) ** 2,
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) => (part === store ? { own_factor: slower ** busy(since_s) } : {}),
  }
}

/** Who gets nothing of use fails in the end, and asks all others as ever until then. */
function failingInTheEnd({ parts }: Topology, name: string, own_errors: number): Working {
  const calls = parts.find((part) => part.name === name)?.calls ?? []
  return { own_errors, fan_out: calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
}

/**
 * A release sets back the times of pages that seem to come from the future, as clocks of clients are ahead. What puts
 * sessions away leaves such pages out or with another's session, and who is to show one of them has none.
 */
const clampedPages: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const hit = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(60, 240)
  const shipping_s = pods * 45
  const share = chance.between(0.15, 0.3)
  const arrivals = arrivalsOf(topology)
  const leftOut = (since_s: number): number => share * progress(since_s + delay_s, shipping_s)
  const unshown = (since_s: number): number => share * progress(since_s, shipping_s)
  const waiting = (part: string, since_s: number): Working =>
    hit.includes(part) && since_s >= delay_s
      ? failingInTheEnd(topology, part, unshown(since_s - delay_s))
      : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: name, topology, delay_s },
    culprits: [
      sessionPages(
        name,
        [],
        ['\tif now := s.clock.Now(); page.Start.After(now) {', '\t\tpage.Start = now', '\t}'],
        chance.pick(['Clocks of clients that are ahead', 'Pages begin no later than now', 'Skew of clocks']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [...hit, name],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 7, after_s: 3, severity: 'WARN' },
      message: `Unable to retrieve session ${chance.whole(0x10_00, 0xff_ff).toString(16)}: no pages`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'session_pages_archived_total:rate1m', unit: '/s', labels: PUT_AWAY },
        ...{ decides: true, level: (since_s) => PAGES_KEPT * (1 - leftOut(since_s)) },
      },
      {
        ...{ entity: name, name: 'session_pages_archived_total:rate1m', unit: '/s', labels: LEFT_OUT },
        ...{ decides: true, level: (since_s) => PAGES_LEFT_OUT + PAGES_KEPT * leftOut(since_s) },
      },
      ...hit.map((part) => ({
        ...{ entity: part, name: 'sessions_played_total:rate1m', unit: '/s', labels: NOT_FOUND },
        ...{
          decides: true,
          level: (since_s: number) => UNSHOWN_SESSIONS + (arrivals.get(part) ?? 0) * unshown(since_s),
        },
      })),
    ],
    working: (part, _pod, _since_s, changed_for_s) => waiting(part, changed_for_s),
    beyond: (part, _pod, since_s) => waiting(part, since_s),
  }
}

/** The families of the twenty-fourth generation whose cause is a change. */
export const TWENTY_FOURTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'narrowed-permissions': amongTwentyFourthSurroundings(narrowedPermissions),
  'crashing-server': unmeasuredWhileGone(amongTwentyFourthSurroundings(crashingServer)),
  'reindexed-customers': amongTwentyFourthSurroundings(reindexedCustomers),
  'summed-balance': amongTwentyFourthSurroundings(summedBalance),
  'clamped-pages': amongTwentyFourthSurroundings(clampedPages),
}
