/**
 * Families of the eighth generation whose cause is a change, each as a published report of one organisation has it: a
 * tool that was run over the files of a machine, an extension that was taken out of all builds, pages that were made in
 * the database itself, a release that fails (plain), settings of routers that show at once (plain), and a release whose
 * migration did not run while somebody else's release fails beside it. They were written without knowledge of the
 * engine; docs/simulator/eighth.md names the reports and the rule by which they were chosen.
 */
import {
  amongEighthSurroundings,
  anotherSource,
  FREE,
  fileOperation,
  LOAD,
  madeInStore,
  moreSectors,
  PARTNER_RULES,
  PATHS_READ_EVERY_S,
  ROUTERS,
  readEvery,
  removedExtension,
  routerSetting,
  SUPPORT,
} from './eighth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { twoSites } from './fifth-unchanged-faults.ts'
import { inner } from './late-faults.ts'
import {
  hostedApart,
  hostingOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import { byHand, schemaStep } from './seventh-surroundings.ts'

/**
 * Somebody runs a tool over the many files of the machine that a service runs on. It takes all memory that there is and
 * does not end; the machine answers nothing any more, and all pods of that service are on it.
 */
const bulkFileOperation: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const base = hostingOf(topology, chance)
  const host = `ip-10-40-9-${chance.whole(2, 250)}`
  const delay_s = chance.whole(60, 180)
  const growing_s = chance.whole(60, 150)
  const slower = chance.between(60, 110)
  const record = fileOperation(host, chance.is(0.6) ? host : undefined)
  const labels = { node: host }
  const full = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'capacity'], entity: host, places: [name], topology, delay_s },
    hosting: hostedApart(base, [host], [name]),
    culprits: [record],
    // Who is shipped begins on the same machine; nobody ships it meanwhile.
    undisturbed: [name],
    lines: [{ part: name, message: 'event loop was busy for 8112 ms', per_minute: 5, after_s: 20 }],
    gauges: [
      {
        ...{ entity: host, name: 'node_memory_available_ratio', unit: '1', labels, decides: true },
        level: (since_s) => FREE - 0.4 * progress(since_s + delay_s, delay_s + growing_s),
      },
      {
        ...{ entity: host, name: 'node_load_average', unit: '1', labels, decides: true },
        level: (since_s) => LOAD + 3 * progress(since_s + delay_s, delay_s) + 88 * full(since_s),
      },
    ],
    k8s: [
      {
        ...{ after_s: growing_s + 30, kind: 'Node', name: host, reason: 'SystemOOM', decides: true },
        message: `System OOM encountered, victim process: archive-tool, pid: ${chance.whole(4_000, 30_000)}`,
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s
        ? { own_factor: 1 + slower * full(since_s - delay_s), own_errors: 0.25 * full(since_s - delay_s) }
        : {},
  }
}

/**
 * An extension is taken out of what all services are built with, because its repository is archived. Another extension
 * stands on it, and one service cannot answer without that one.
 */
const removedFromBuilds: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const others = inner(topology)
    .filter((part) => part.name !== name)
    .slice(0, chance.whole(1, 3))
  if (others.length === 0) return null
  const delay_s = chance.whole(20, 300)
  const share = chance.between(0.88, 0.98)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency', 'config'], entity: name, places: [SUPPORT], topology, delay_s },
    culprits: [{ kind: 'commit', after_s: 0, ...removedExtension(SUPPORT, '0.9.4', chance) }],
    shipped: [
      { part: name, after_s: delay_s },
      ...others.map((part, index) => ({
        part: part.name,
        after_s: index === 0 ? 0 : chance.whole(10, 700),
      })),
    ],
    lines: [
      {
        ...{ part: name, per_minute: 16 },
        message: 'ReferenceError: EmbedSupport is not defined (wide-player/index.js:12)',
      },
    ],
    working: (part) => (part === name ? { own_errors: share } : {}),
  }
}

/** Site whose pages were made twice. */
const SITES = [4_117, 4_411, 5_208, 6_033] as const

/**
 * Pages of a site are made in the database itself, where nothing checks them, and some have the same path. When the
 * service that resolves paths reads its table again, it can make no table of it and knows no path of anybody.
 */
const samePathTwice: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const site = chance.pick(SITES)
  const delay_s = chance.whole(2_000, 3_300)
  const share = chance.between(0.85, 0.95)
  const read = readEvery(PATHS_READ_EVERY_S, 0)
  const noticed_s = Array.from({ length: 8 }, () => chance.whole(0, 40))
  // A volume of files grows full meanwhile and is made larger; it has to do with nothing.
  const larger_s = -delay_s * chance.between(0.3, 0.6)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['infra', 'config', 'code'], entity: store, places: [name], topology, delay_s },
    culprits: [madeInStore(store, 'pages of site', site, chance.is(0.6) ? store : undefined)],
    // A pod that is made anew reads the same table.
    undisturbed: [name],
    lines: [
      { part: name, message: 'internal error: no path is known (GET /en/welcome)', per_minute: 14 },
      { part: name, message: `path table: reading ended at site ${site}, keeping none`, per_minute: 5 },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'path_table_age_seconds', unit: 's', decides: true },
        level: (since_s) => (since_s < 0 ? read(since_s) : PATHS_READ_EVERY_S + since_s),
      },
      {
        ...{ entity: 'assets', name: 'volume_used_ratio', unit: '1', labels: { volume: 'assets' } },
        level: (since_s) => (since_s < larger_s ? 0.97 + (since_s - larger_s) / 40_000 : 0.49),
      },
    ],
    events: [
      {
        ...{ after_s: larger_s, kind: 'notification', reason: 'state', name: 'assets' },
        message: 'assets: volume expanded to 400 GB',
      },
    ],
    working: (part, pod, since_s) =>
      part === name && since_s >= delay_s + (noticed_s[pod % noticed_s.length] ?? 0)
        ? { own_errors: share }
        : {},
  }
}

/** Plain: a service gets a release and fails, pod after pod, as they are replaced. */
const unhealthyRelease: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.6, 0.9)
  const warming_s = chance.whole(30, 90)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency'], entity: name, topology, delay_s: 5 },
    culprits: [anotherSource(name, 'options', chance)],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 15 },
        message: 'options of a merchant could not be read: registry.load is not ready',
      },
    ],
    k8s: [70, 130, 200].map((after_s, pod) => ({
      ...{ after_s, kind: 'Pod', name: `${name}-${pod % 2}`, reason: 'Unhealthy' },
      message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
    })),
    working: (part, _pod, since_s) =>
      part === name ? { own_errors: share * progress(since_s, warming_s), own_factor: 2.5 } : {},
  }
}

/** Seconds between the first router that is changed and the second one. */
const SECOND_ROUTER_S = 360

/**
 * Plain: routers get another setting, one after the other. The first drops part of what goes to the other site from the
 * same minute on, the second, six minutes later, nearly all of what comes from there.
 */
const routerSettings: ProductionFamily = (topology, chance): ProductionFault | null => {
  const sites = twoSites(topology, chance)
  const [root] = topology.parts
  if (sites === null || root === undefined || sites.farFrom(root.name).length === 0) return null
  const delay_s = chance.whole(3, 20)
  const shares = [chance.between(0.35, 0.6), chance.between(0.85, 0.97)] as const
  const isNamed = chance.is(0.5)
  const at_s = [0, SECOND_ROUTER_S] as const
  const sideOf = (part: string): 0 | 1 => (sites.far.has(part) ? 1 : 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['network', 'infra'], entity: ROUTERS[0], topology, delay_s },
    places: [ROUTERS[1], 'network-settings'],
    culprits: ROUTERS.map((router, side) =>
      routerSetting(
        router,
        at_s[side as 0 | 1],
        chance,
        isNamed ? router : chance.is(0.5) ? 'network-settings' : undefined,
      ),
    ),
    lines: sites.callers.map((part) => {
      const to = chance.pick(sites.farFrom(part))
      const port = kindOf(topology, to) === 'datastore' ? 5_432 : 8_080
      return { part, per_minute: 7, after_s: at_s[sideOf(part)], message: `connect ETIMEDOUT ${to}:${port}` }
    }),
    gauges: ROUTERS.map((entity, side) => ({
      ...{ entity, name: 'router_packets_dropped_per_second', unit: '/s', decides: true },
      level: (since_s: number) =>
        since_s + delay_s < at_s[side as 0 | 1] ? 0.4 : 2_600 * shares[side as 0 | 1],
    })),
    working: (part, _pod, since_s) => {
      const to = sites.farFrom(part)
      const side = sideOf(part)
      if (to.length === 0 || since_s < delay_s + at_s[side]) return {}
      return { cut_off: { to, share: shares[side] } }
    },
  }
}

/** Seconds before the effect from when on everything of the pair of incidents is told. */
const BEFORE_S = 600

/**
 * Two at once. A service gets a release that asks for a column, and the migration that makes it loses its connection and
 * ends. Some minutes before or after, the partners' rules, which nobody here calls, get a release that ends them again
 * and again. The alert is of the first.
 */
const twoAtOnce: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const share = chance.between(0.8, 0.95)
  const step = `0${chance.whole(140, 188)}_state`
  const migrated_s = chance.whole(40, 120)
  const other_s = chance.is(0.5) ? -chance.whole(180, 480) : chance.whole(100, 420)
  const others = chance.between(0.6, 0.9)
  const column = schemaStep(name, {
    ...{ title: chance.pick(['One save at a time', 'Order of saves']), step },
    sql: ['ALTER TABLE user_state ADD COLUMN state_seq bigint;'],
  })
  const path = `${name}/src/save-state.ts`
  const query = [
    ...[`--- a/${path}`, `+++ b/${path}`, '@@ -18,3 +18,3 @@', '   const saved = await db.query('],
    "-    'SELECT body FROM user_state WHERE id = $1', [id],",
    "+    'SELECT body, state_seq FROM user_state WHERE id = $1', [id],",
    '   )',
  ]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'infra'], entity: name, topology },
    ...{ places: [store, `${name}-migrate`], delay_s: BEFORE_S },
    culprits: [
      { ...column, files: [...(column.files ?? []), path], diff: [column.diff, ...query].join('\n') },
      byHand(
        `${name}: migration ${step} on ${store}`,
        BEFORE_S + migrated_s,
        chance.is(0.6) ? name : undefined,
      ),
    ],
    shipped: [{ part: name, after_s: BEFORE_S }],
    undisturbed: [PARTNER_RULES],
    elsewhere: [moreSectors(other_s, chance.pick(['toys', 'garden', 'books']))],
    lines: [
      { part: name, message: 'GET /v1/state: DatabaseError (42703)', per_minute: 15 },
      {
        ...{ part: `${name}-migrate`, per_minute: 8, after_s: migrated_s, until_s: migrated_s + 150 },
        message: `could not connect to ${store}:5432: Network is unreachable`,
      },
      {
        ...{ part: PARTNER_RULES, per_minute: 14, after_s: other_s },
        message: 'fatal error: concurrent map writes (sectors.go:41)',
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'db_statement_errors_per_second', unit: '/s' },
        level: (since_s) => (since_s < 0 ? 0.3 : 9),
      },
    ],
    k8s: [
      {
        ...{ after_s: migrated_s, kind: 'Job', name: `${name}-migrate`, reason: 'SuccessfulCreate' },
        ...{ message: `Created pod: ${name}-migrate-${chance.whole(1_000, 9_999)}`, decides: true },
      },
      {
        ...{
          after_s: migrated_s + 160,
          kind: 'Job',
          name: `${name}-migrate`,
          reason: 'BackoffLimitExceeded',
        },
        ...{ message: 'Job has reached the specified backoff limit', decides: true },
      },
      ...[0, 1].map((pod) => ({
        ...{ after_s: other_s + 50 + pod * 45, kind: 'Pod', name: `${PARTNER_RULES}-${pod}` },
        ...{ reason: 'BackOff', message: `Back-off restarting failed container ${PARTNER_RULES}` },
      })),
    ],
    working: (part) => (part === name ? { own_errors: share } : {}),
    beyond: (part, pod, since_s) =>
      part === PARTNER_RULES && since_s >= BEFORE_S + other_s + pod * 40 ? { own_errors: others } : {},
  }
}

/** The families of the eighth generation whose cause is a change. */
export const EIGHTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'bulk-file-operation': amongEighthSurroundings(bulkFileOperation),
  'removed-extension': amongEighthSurroundings(removedFromBuilds),
  'same-path-twice': amongEighthSurroundings(samePathTwice),
  'unhealthy-release': amongEighthSurroundings(unhealthyRelease),
  'router-settings': amongEighthSurroundings(routerSettings),
  'two-at-once': amongEighthSurroundings(twoAtOnce),
}
