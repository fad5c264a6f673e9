/**
 * Families of the fifth generation whose cause is a change, each at another place: rules of who may call whom, a setting
 * of the ingress, a dependency with other behaviour, the machine of a store, a query of a new version. They were written
 * from accounts of real incidents, without knowledge of the engine; docs/simulator/fifth.md says what was looked at.
 */
import { amongFurtherReadings } from './everyday-readings.ts'
import { hunk } from './faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Part, Topology } from './topology.ts'

/** What a caller says of a store that does not answer in time. */
const STATEMENT_TIMEOUT = 'error: canceling statement due to statement timeout'

/** Lines of everybody who asks a store that is slow. */
const waitingFor = (topology: Topology, store: string) =>
  callersOf(topology, store).map(({ name }) => ({
    ...{ part: name, per_minute: 5, after_s: 30, message: STATEMENT_TIMEOUT },
  }))

type Lines = readonly string[]

/** Lines of a file that is no program: what stands before, what goes, what comes, what stands after. */
export function edited(
  path: string,
  at: number,
  [before, gone, come, after]: readonly [Lines, Lines, Lines, Lines],
): string {
  const kept = before.length + after.length
  return [
    ...[`--- a/${path}`, `+++ b/${path}`],
    `@@ -${at},${kept + gone.length} +${at},${kept + come.length} @@`,
    ...before.map((line) => ` ${line}`),
    ...gone.map((line) => `-${line}`),
    ...come.map((line) => `+${line}`),
    ...after.map((line) => ` ${line}`),
  ].join('\n')
}

/** The only datastore that a part asks, or the first of them. */
export const storeOf = (topology: Topology, name: string): string | undefined =>
  topology.parts
    .find((part) => part.name === name)
    ?.calls.find(({ to }) => kindOf(topology, to) === 'datastore')?.to

/** Services behind the first that ask a datastore. */
export const storing = (topology: Topology) =>
  inner(topology).filter(({ name }) => storeOf(topology, name) !== undefined)

/**
 * Whoever may call a service is written down, workload by workload, and one caller is not on the list. Connections that
 * are open last; new ones get no answer, and the caller waits for each until it gives up.
 */
const narrowedPolicy: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = topology.parts.filter(
    ({ kind, name }) => kind !== 'external' && callersOf(topology, name).length >= 2,
  )
  if (called.length === 0) return null
  const callee = chance.pick(called)
  const callers = callersOf(topology, callee.name)
  const hit = chance.pick(callers)
  const delay_s = chance.whole(40, 300)
  const lasting_s = chance.whole(100, 420)
  const wait_ms = chance.whole(400, 1_000)
  const others = called.filter(({ name }) => name !== callee.name).slice(0, chance.whole(0, 2))
  const file = (name: string): string => `policies/prod/${name}.yaml`
  const portOf = (kind: Part['kind']): number => (kind === 'datastore' ? 5_432 : 8_080)
  const rules = ({ name, kind }: Part): string =>
    edited(file(name), 8, [
      ['  ingress:', '    - from:'],
      ['        - namespaceSelector: {}'],
      callersOf(topology, name)
        .filter((caller) => name !== callee.name || caller.name !== hit.name)
        .map((caller) => `        - podSelector: {matchLabels: {app: ${caller.name}}}`),
      ['      ports:', `        - port: ${portOf(kind)}`],
    ])
  const listed = [callee, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const refused = (since_s: number): number => 0.97 * progress(since_s - delay_s, lasting_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['network', 'infra'], entity: callee.name, topology, delay_s },
    places: [hit.name, 'cluster-policies'],
    culprits: [
      {
        ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(60, 400) },
        title: chance.pick([
          'Ingress rules by workload',
          'Only from those who call',
          'Policies as the review asked for',
        ]),
        files: listed.map(({ name }) => file(name)),
        diff: listed.map(rules).join('\n'),
        ...(chance.is(0.5) ? { entity: 'cluster-policies' } : {}),
      },
    ],
    lines: [
      {
        ...{ part: hit.name, per_minute: 13 },
        message: `connect ETIMEDOUT 10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}:${portOf(callee.kind)}`,
      },
    ],
    gauges: chance.is(0.5)
      ? [
          {
            ...{ entity: callee.name, name: 'network_policy_dropped_packets_per_second', unit: '/s' },
            level: (since_s) => 0.2 + 60 * progress(since_s, lasting_s),
          },
        ]
      : [],
    working: (part, _pod, since_s) => {
      const share = refused(since_s)
      if (part !== hit.name || share === 0) return {}
      return {
        cut_off: { to: callee.name, share },
        own_factor: 1 + (share * wait_ms) / hit.own_ms,
      }
    },
  }
}

/**
 * The ingress no longer believes the addresses that the balancer before it passes on: its limit by address counts all
 * who come through one balancer as one client, and refuses what is beyond.
 */
const countedAsOne: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const delay_s = chance.whole(20, 240)
  const reloads_s = chance.whole(60, 240)
  const share = chance.between(0.14, 0.42)
  const path = 'ingress/prod/values.yaml'
  const balancer = `10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'network'], entity: root.name, topology, delay_s },
    places: ['ingress-nginx', 'edge-config'],
    culprits: [
      {
        ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(100, 600), files: [path] },
        title: chance.pick(['Defaults of the chart', 'Tidy up ingress values', 'Chart 4.11 for the ingress']),
        diff: edited(path, 11, [
          ['controller:', '  config:'],
          ['    use-forwarded-headers: "true"', '    compute-full-forwarded-for: "true"'],
          [],
          ['    keep-alive: "75"', '    upstream-keepalive-timeout: "60"'],
        ]),
        ...(chance.is(0.6) ? { entity: chance.pick(['edge-config', 'ingress-nginx']) } : {}),
      },
    ],
    lines: [
      {
        ...{ part: 'ingress-nginx', per_minute: 22 },
        message: `limiting requests, excess: ${chance.whole(40, 90)}.${chance.whole(100, 999)} by zone "prod_${root.name}_rps", client: ${balancer}, server: _`,
      },
    ],
    working: (part, _pod, since_s) =>
      part === root.name ? { own_errors: share * progress(since_s - delay_s, reloads_s) } : {},
  }
}

/**
 * A dependency is bumped by a robot. Its new major version tests a connection that is some minutes old before it lends it
 * and cleans up after each: the store is asked a multiple by one service, and everybody who asks it waits.
 */
const bumpedDriver: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const arrivals = arrivalsOf(topology)
  const per_request = calls.find(({ to }) => to === store)?.per_request ?? 0
  const weight = ((arrivals.get(name) ?? 0) * per_request) / (arrivals.get(store) ?? 1)
  const factor = chance.whole(3, 4)
  const headroom = 1 + weight * (factor - 1) * 0.62
  if (headroom < 1.45) return null
  const [minor, patch] = [chance.whole(2, 9), chance.whole(0, 6)]
  const young_s = chance.pick([120, 180, 240, 300])
  const delay_s = young_s + chance.whole(25, 50)
  const lock = `${name}/package-lock.json`
  const old = `2.${minor}.${patch}`
  const hash = (): string => chance.whole(0x10000000, 0x7fffffff).toString(36).repeat(3)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency'], entity: name, places: ['sql-pool'], delay_s },
    topology: sized(topology, store, headroom),
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, entity: name, files: [`${name}/package.json`, lock] },
        title: chance.pick([`Bump sql-pool from ${old} to 3.0.1`, 'Bump the runtime group with 4 updates']),
        diff: [
          edited(`${name}/package.json`, 21, [
            ['  "dependencies": {'],
            [`    "sql-pool": "^${old}",`],
            ['    "sql-pool": "^3.0.1",'],
            ['    "uri-parts": "^4.1.0"'],
          ]),
          edited(lock, chance.whole(300, 4_000), [
            ['    "node_modules/sql-pool": {'],
            [`      "version": "${old}",`, `      "integrity": "sha512-${hash()}",`],
            ['      "version": "3.0.1",', `      "integrity": "sha512-${hash()}",`],
            ['      "license": "MIT",'],
          ]),
        ].join('\n'),
      },
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: callersOf(topology, store).map((caller) => ({
      ...{ part: caller.name, per_minute: 6, after_s: 30 },
      message: 'Error: timeout exceeded when trying to connect',
    })),
    gauges: [
      {
        ...{ entity: store, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 70 * progress(since_s, 150),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= young_s ? { fan_out: { to: store, factor } } : {},
  }
}

/**
 * A store gets a cheaper machine of a kind that may work hard for a while only. A quarter of an hour or three later what
 * it had saved up is used up, and it gets the share of a processor that it pays for.
 */
const burstableStore: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const delay_s = chance.whole(840, 2_700)
  const slower = chance.between(3.5, 6)
  const [before, after] = chance.pick([
    ['db.t4g.2xlarge', 'db.t4g.medium'],
    ['db.t4g.2xlarge', 'db.t4g.large'],
    ['db.t3.2xlarge', 'db.t3.medium'],
  ] as const)
  const usual = chance.whole(1_800, 4_000)
  const saved = chance.whole(60, 140)
  const told = { reason: 'modification', name: store.name, service: store.name, decides: true }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['capacity', 'config'], entity: store.name, delay_s },
    topology: sized(topology, store.name, 2.1),
    culprits: [
      {
        ...{ kind: 'infra', after_s: 0, before, after },
        title: chance.pick([`${store.name}: instance class`, `Right-size ${store.name}`]),
        ...(chance.is(0.6) ? { entity: store.name } : {}),
      },
    ],
    lines: waitingFor(topology, store.name),
    gauges: [
      {
        ...{ entity: store.name, name: 'instance_cpu_credit_balance', unit: '1', decides: true },
        level: (since_s) =>
          since_s < -delay_s ? usual : Math.max(0, saved * Math.min(1, -since_s / delay_s)),
      },
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 68 * progress(since_s, 140),
      },
    ],
    events: [
      {
        ...{ ...told, kind: 'configuration change', after_s: -delay_s - chance.whole(60, 400) },
        message: `Applying modification to database instance class of ${store.name}`,
      },
      {
        ...{ ...told, kind: 'configuration change', after_s: chance.whole(20, 50) - delay_s },
        message: `Finished applying modification to DB instance class of ${store.name}`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== store.name) return {}
      // While it moves to the other machine it is away for some seconds.
      if (since_s < 20) return { own_errors: 0.7 }
      return since_s < delay_s ? { cpu_factor: 1.6 } : { own_factor: slower, cpu_factor: slower }
    },
  }
}

/**
 * What must not be seen is filtered before the page is cut, so the query gets everything of an owner. Of most that is
 * little; those who have much come some minutes later, and then memory and the store are full of their lists.
 */
const lateLimit: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const hit = chance.pick(candidates)
  const { name, memory_mb } = hit
  const store = storeOf(topology, name) as string
  const what = chance.pick(['message', 'order', 'visit', 'booking', 'document'])
  const path = `${name}/src/list-${what}s.ts`
  const delay_s = chance.whole(90, 540)
  const growing_s = chance.whole(60, 240)
  const slower = chance.between(2.6, 4.5)
  const dearer = chance.between(5, 12)
  const full_s = chance.whole(240, 600)
  const select = `select * from ${what}s where owner_id = $1 order by id desc`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', entity: name, delay_s, topology: sized(topology, store, 1.9) },
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, entity: name, files: [path, `${name}/test/list-${what}s.test.ts`] },
        title: chance.pick([`Hidden ${what}s leave no gaps in a page`, `Pages of ${what}s are full again`]),
        diff: [
          hunk(
            path,
            [
              `  const { rows } = await store.query("${select} limit $2", [owner, size])`,
              '  return rows.filter(isVisible)',
            ],
            [
              `  const { rows } = await store.query("${select}", [owner])`,
              '  return rows.filter(isVisible).slice(0, size)',
            ],
          ),
          hunk(`${name}/test/list-${what}s.test.ts`, [], ['  expect(await list(owner, 3)).toHaveLength(3)']),
        ].join('\n'),
      },
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      ...waitingFor(topology, store),
      {
        ...{ part: store, per_minute: 5, severity: 'INFO' },
        message: `LOG:  duration: ${chance.whole(2_000, 9_000)}.907 ms  execute <unnamed>: ${select}`,
      },
      {
        ...{ part: name, per_minute: 4, severity: 'WARN' },
        message: `response of ${chance.whole(20_000, 60_000)}112 bytes took ${chance.whole(2_000, 9_000)} ms`,
      },
    ],
    gauges: chance.is(0.5)
      ? [
          {
            ...{ entity: store, name: 'db_rows_read_per_second', unit: '/s' },
            level: (since_s: number) => 2_100 + 380_000 * progress(since_s, growing_s),
          },
        ]
      : [],
    working: (part, _pod, since_s) => {
      const grown = progress(since_s - delay_s, growing_s)
      if (part !== name || grown === 0) return {}
      return {
        ...{ own_factor: 1 + (dearer - 1) * grown, cpu_factor: 1 + 3 * grown },
        ...{ leak_mb: (memory_mb * 1.6 * 60) / full_s, memory_limit_mb: memory_mb * 2.5 },
      }
    },
    beyond: (part, _pod, since_s) => {
      const grown = progress(since_s - delay_s, growing_s)
      return part === store ? { own_factor: 1 + (slower - 1) * grown, cpu_factor: 1 + slower * grown } : {}
    },
  }
}

/** The families of the fifth generation whose cause is a change. */
export const FIFTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'narrowed-policy': amongFurtherReadings(narrowedPolicy),
  'counted-as-one': amongFurtherReadings(countedAsOne),
  'bumped-driver': amongFurtherReadings(bumpedDriver),
  'burstable-store': amongFurtherReadings(burstableStore),
  'late-limit': amongFurtherReadings(lateLimit),
}
