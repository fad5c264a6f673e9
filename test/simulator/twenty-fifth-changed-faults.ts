/**
 * Families of the twenty-fifth generation whose cause is a change, each as a published report of one organisation has it:
 * sendings that are not written down and are made again, a router whose new firmware does not get on with a firewall, clusters
 * that are set up otherwise and lose what they hold, a machine with more processes than it bears, and a web server that sends
 * everybody to another scheme. They were written without knowledge of the engine; docs/simulator/twenty-fifth.md names the
 * reports and the rule of choice.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import type { Topology } from './topology.ts'
import {
  addressRules,
  amongTwentyFifthSurroundings,
  begunAnew,
  CRAWL_HOST,
  CRAWLER,
  CRAWLERS,
  CRAWLING,
  clusterMembers,
  DENIED,
  LOAD,
  MEMBERS,
  MOVED,
  OCTETS_IN,
  processesOn,
  RECORDS,
  routerFirmware,
  SENDINGS_KEPT,
  SENT_ELSEWHERE,
  SITE_FIREWALL,
  SITE_ROUTER,
  storeSessions,
  UPDATE_MAILER,
  UPDATES,
  UPDATES_SENT,
} from './twenty-fifth-surroundings.ts'

/**
 * A release of what gives others the store writes less of what they hand it. That an update was sent is not written down any
 * more, so what sends updates makes the same ones in each of its runs, and asks again for all that is in them.
 */
const repeatedUpdates: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const usual = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(120, 300)
  const run_s = chance.whole(60, 110)
  const each = chance.between(0.8, 1.6)
  const most = chance.between(4, 7)
  const shipping_s = pods * 45
  const kept = (since_s: number): number => SENDINGS_KEPT * (1 - progress(since_s + delay_s, shipping_s))
  /** Each run has what the runs before sent, until it has no time for more. */
  const again = (since_s: number): number =>
    since_s < 0 ? 0 : Math.min(most, each * (1 + Math.floor(since_s / run_s)))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'traffic', 'capacity'], entity: name, places: [UPDATE_MAILER] },
    ...{ topology: sized(topology, name, chance.between(1.7, 2.3)), delay_s },
    culprits: [
      storeSessions(
        name,
        ['    session.setHibernateFlushMode(FlushMode.AUTO);'],
        ['    session.setHibernateFlushMode(FlushMode.MANUAL);'],
        chance.pick(['Whole rows or none', 'No half written rows', 'Rows are written by who asks for it']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: UPDATE_MAILER, per_minute: 3, after_s: 5, severity: 'INFO' },
        message: `run ${chance.whole(4_000, 9_000)}: updates for ${chance.whole(20, 60)}000 subscribers are due`,
      },
      {
        ...{ part: UPDATE_MAILER, per_minute: 5, after_s: 60, severity: 'WARN' },
        message: `GET http://${name}.internal/listings/changed took longer than 2 s`,
      },
    ],
    gauges: [
      {
        ...{ entity: UPDATE_MAILER, name: 'mails_sent_total:rate1m', unit: '/s', labels: UPDATES },
        ...{ decides: true, level: (since_s) => UPDATES_SENT * (1 + 4 * again(since_s)) },
      },
      {
        ...{ entity: name, name: 'sendings_kept_total:rate1m', unit: '/s', decides: true, level: kept },
      },
    ],
    arriving: (part, since_s) => (part === name ? usual * again(since_s) : 0),
    working: () => ({}),
  }
}

/**
 * A router of a site is brought to another firmware, as was planned. What it passes on since then is not what the firewall
 * behind it expects: it denies nearly everything that comes from outside, while within the site all is well.
 */
const routerVersion: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.3))
  const asking = [...new Set(hit.flatMap((name) => callersOf(topology, name).map((caller) => caller.name)))]
  const outside = asking.filter((name) => !hit.includes(name))
  if (outside.length === 0) return null
  const away_s = chance.whole(90, 180)
  const delay_s = away_s + chance.whole(10, 90)
  const growing_s = chance.whole(20, 120)
  const share = chance.between(0.85, 0.98)
  const denied = (since_s: number): number => share * progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'config', 'provider'], entity: SITE_ROUTER, topology, delay_s },
    places: [SITE_FIREWALL],
    culprits: [
      routerFirmware(
        SITE_ROUTER,
        chance.pick([
          ['16.12.4', '17.9.4'],
          ['17.3.5', '17.12.2'],
          ['15.7.3', '17.6.6'],
        ] as const),
        chance.is(0.6) ? SITE_ROUTER : undefined,
      ),
    ],
    undisturbed: hit,
    lines: [
      {
        ...{ part: SITE_FIREWALL, per_minute: 12, after_s: 2, severity: 'WARN' },
        message:
          '%ASA-6-106015: Deny TCP (no connection) from 203.0.113.20/443 to 10.72.4.31/8443 flags SYN ACK on interface outside',
      },
      {
        ...{ part: SITE_ROUTER, per_minute: 30, after_s: away_s - delay_s, until_s: away_s - delay_s + 12 },
        ...{ severity: 'INFO', message: '%SYS-5-RESTART: System restarted --' },
      },
      ...outside.flatMap((part) =>
        hit
          .filter((name) => callersOf(topology, name).some((caller) => caller.name === part))
          .map((name) => ({
            ...{ part, per_minute: 6, after_s: 4 },
            message: `connect ETIMEDOUT ${name}.site.example:8443`,
          })),
      ),
    ],
    gauges: [
      {
        ...{ entity: SITE_ROUTER, name: 'sysUpTime', unit: 's', decides: true },
        level: begunAnew(-delay_s, away_s),
      },
      {
        ...{ entity: SITE_ROUTER, name: 'ifHCInOctets:rate1m', unit: '/s', decides: true },
        level: (since_s) => OCTETS_IN * (1 - 0.9 * denied(since_s)),
      },
      {
        ...{ entity: SITE_FIREWALL, name: 'firewall_connections_denied_per_second', unit: '/s' },
        ...{ decides: true, level: (since_s) => DENIED + 140 * denied(since_s) },
      },
    ],
    working: (part, _pod, since_s) =>
      outside.includes(part) && since_s >= delay_s
        ? { cut_off: { to: hit, share: denied(since_s - delay_s) } }
        : {},
  }
}

/**
 * Settings of a cluster are rolled out that name its members in another way. The cluster takes most of them for gone, and what
 * it takes for theirs is deleted, faster and faster; whoever asks for it is told that it is not there.
 */
const collapsedClusters: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts
    .filter(({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length > 0)
    .map(({ name }) => name)
  if (stores.length === 0) return null
  const first = chance.pick(stores)
  const callers = callersOf(topology, first).map((caller) => caller.name)
  const delay_s = chance.whole(25, 110)
  const deleting_s = chance.whole(150, 420)
  const lost = chance.between(0.8, 0.97)
  const gone = (since_s: number): number => lost * progress(since_s, deleting_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['data', 'infra'], entity: first, topology, delay_s },
    places: ['fleet-config'],
    culprits: [
      clusterMembers(
        first,
        [`  members: [${first}-1, ${first}-2, ${first}-3, ${first}-4, ${first}-5]`],
        [`  members: ["${first}-[1-5]"]`],
        chance.pick([
          'Members of clusters by range',
          'Shorter lists of members',
          'One form for all clusters',
        ]),
        chance,
      ),
    ],
    undisturbed: callers,
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: 5 },
        message:
          'MongoServerError: Could not find host matching read preference { mode: "primary" } for set rs-2',
      })),
      {
        ...{ part: first, per_minute: 10, after_s: 2, severity: 'INFO' },
        message: '[RangeDeleter] finished deletion of range owned by no shard',
      },
    ],
    gauges: [
      {
        ...{ entity: first, name: 'mongodb_dbstats_objects', unit: '1', decides: true },
        level: (since_s) => RECORDS * (1 - gone(since_s)),
      },
      {
        ...{ entity: first, name: 'mongodb_mongod_replset_number_of_members', unit: '1', decides: true },
        level: (since_s) => (since_s < -5 ? MEMBERS : 1),
      },
    ],
    working: (part, _pod, since_s) =>
      part === first && since_s >= delay_s ? { own_errors: gone(since_s - delay_s) } : {},
  }
}

/**
 * More processes that follow links are begun on a machine on which a store runs as well. What they do grows until the machine
 * has no time left: the store is slower and slower, then it says nothing any more.
 */
const crowdedMachine: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(
    ({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length > 0,
  )
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(240, 720)
  const hanging_s = chance.whole(150, 330)
  const more = chance.whole(12, 20)
  const slower = chance.between(60, 160)
  const crowd = (since_s: number): number => progress(since_s + delay_s, delay_s)
  const load = (since_s: number): number =>
    LOAD * (1 + 1.5 * crowd(since_s) + (since_s < 0 ? 0 : 4 * progress(since_s, hanging_s)))
  const untilHung =
    (level: (since_s: number) => number): ((since_s: number) => number) =>
    (since_s) =>
      since_s >= hanging_s ? Number.NaN : level(since_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['capacity', 'infra', 'node'], entity: CRAWL_HOST, topology, delay_s },
    places: [name, CRAWLER],
    culprits: [
      processesOn(
        CRAWL_HOST,
        CRAWLING.groupname,
        [CRAWLERS, CRAWLERS + more],
        chance.pick(['More crawlers', 'Keep up with links', 'Links of the week']),
        chance,
      ),
    ],
    hosting: hostedApart(hostingOf(topology, chance), [CRAWL_HOST], [name]),
    undisturbed: callers,
    lines: [
      {
        ...{ part: CRAWLER, per_minute: 2, after_s: 5 - delay_s, severity: 'INFO' },
        message: `taking ${chance.whole(300, 900)} links at a time`,
      },
      {
        ...{ part: CRAWL_HOST, per_minute: 5, after_s: 90, until_s: hanging_s, severity: 'WARN' },
        message: 'kernel: INFO: task mysqld:2211 blocked for more than 120 seconds.',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 7, after_s: 60 },
        message: "Lost connection to MySQL server at 'reading authorization packet', system error: 110",
      })),
    ],
    gauges: [
      {
        ...{ entity: CRAWL_HOST, name: 'namedprocess_namegroup_num_procs', unit: '1', labels: CRAWLING },
        ...{ decides: true },
        level: untilHung((since_s) => (since_s < -delay_s ? CRAWLERS : CRAWLERS + more)),
      },
      {
        ...{ entity: CRAWL_HOST, name: 'node_load5', unit: '1', decides: true, level: untilHung(load) },
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < delay_s) return {}
      return since_s - delay_s >= hanging_s
        ? { is_away: true }
        : { own_factor: slower ** progress(since_s - delay_s, hanging_s) }
    },
  }
}

/** Who gets nothing of use fails in the end, and asks all others as ever until then. */
function failingInTheEnd({ parts }: Topology, name: string, own_errors: number): Working {
  const calls = parts.find((part) => part.name === name)?.calls ?? []
  return { own_errors, fan_out: calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
}

/**
 * What fetches certificates writes a rule for a web server by which everybody is sent to the same address with encryption.
 * Those who ask from within do not go there: they are answered at once, and never with what they asked for.
 */
const forcedHttps: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const hit = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(5, 30)
  const share = chance.between(0.8, 0.92)
  const asked = arrivalsOf(topology).get(name) ?? 0
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'code'], entity: name, topology, delay_s },
    culprits: [
      addressRules(
        name,
        [
          `RewriteCond %{SERVER_NAME} =${name}.example`,
          'RewriteRule ^ https://%{SERVER_NAME}%{REQUEST_URI} [END,NE,R=permanent]',
        ],
        chance.pick([`${name}: certificate is fetched anew`, `${name}: certbot, site.conf`]),
        chance,
      ),
    ],
    undisturbed: [...hit, name],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 9, after_s: 2 },
      message: `http://${name}.example/api/version is not JSON: Unexpected token < in "<!DOCTYPE HTML PUBLIC", title "301 Moved Permanently"`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'apache_responses_total:rate1m', unit: '/s', labels: MOVED },
        ...{ decides: true, level: (since_s) => SENT_ELSEWHERE + (since_s < 0 ? 0 : asked) },
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < delay_s) return {}
      if (part === name) return { own_factor: 0.3, cache_hits: 1 }
      return hit.includes(part) ? failingInTheEnd(topology, part, share) : {}
    },
  }
}

/** The families of the twenty-fifth generation whose cause is a change. */
export const TWENTY_FIFTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'repeated-updates': amongTwentyFifthSurroundings(repeatedUpdates),
  'router-version': amongTwentyFifthSurroundings(routerVersion),
  'collapsed-clusters': amongTwentyFifthSurroundings(collapsedClusters),
  'crowded-machine': amongTwentyFifthSurroundings(crowdedMachine),
  'forced-https': amongTwentyFifthSurroundings(forcedHttps),
}
