/**
 * Families of the third generation whose cause is a change, each at another place: a shared library, a repository of
 * configuration, a flag turned up in steps, the service's own code, machines that somebody else renews. They were
 * written from accounts of real incidents, without knowledge of the engine; docs/simulator/third.md says what was looked at.
 */
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
  withParts,
} from './production-fault.ts'
import type { Part } from './topology.ts'

/** Ports that a Linux host has for outgoing connections by default (net.ipv4.ip_local_port_range 32768 to 60999). */
const PORTS = 28_232

/**
 * A library that every service is built with no longer keeps connections unless asked to. All that are built anew work
 * harder; the one that calls most runs out of ports, minutes after a deploy that its own team thinks harmless.
 */
const poolingOptIn: ProductionFamily = (topology, chance): ProductionFault | null => {
  const arrivals = arrivalsOf(topology)
  const callsOf = ({ name, pods, calls }: Part): number =>
    ((arrivals.get(name) ?? 0) / pods) * calls.reduce((sum, { per_request }) => sum + per_request, 0)
  const [busiest, ...others] = inner(topology)
    .filter(({ calls }) => calls.length > 0)
    .sort((a, b) => callsOf(b) - callsOf(a))
  const callee = busiest?.calls[0]
  if (busiest === undefined || callee === undefined || others.length === 0) return null
  const rebuilt = others.slice(0, chance.whole(1, 2))
  const own_after_s = chance.whole(60, 540)
  const exhausted_s = chance.whole(240, 480)
  const share = chance.between(0.4, 0.75)
  const path = 'libs/http-client/src/agent.ts'
  const delay_s = own_after_s + exhausted_s
  const address = `10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}:8080`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', entity: busiest.name, places: ['http-client'], topology, delay_s },
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, files: [path, 'libs/http-client/CHANGES.md'] },
        title: chance.pick([
          'Let callers choose how connections are kept',
          'http-client: options for agents',
          'Simplify the default agent',
        ]),
        diff: [
          hunk(
            path,
            ['  const agent = new Agent({ keepAlive: true, maxSockets: 128 })'],
            ['  const agent = new Agent({ keepAlive: options.keepAlive ?? false, maxSockets: 128 })'],
          ),
          hunk('libs/http-client/CHANGES.md', [], ['- `keepAlive` can be chosen by the caller']),
        ].join('\n'),
        ...(chance.is(0.5) ? { entity: 'http-client' } : {}),
      },
    ],
    shipped: [
      { part: busiest.name, after_s: own_after_s },
      ...rebuilt.map(({ name }, index) => ({
        part: name,
        after_s: index === 0 ? 0 : chance.whole(30, 900),
      })),
    ],
    lines: [
      {
        part: busiest.name,
        message: `connect EADDRNOTAVAIL ${address} - Local (0.0.0.0:0)`,
        per_minute: 14,
      },
    ],
    gauges: chance.is(0.5)
      ? [
          {
            ...{ entity: busiest.name, name: 'sockets_time_wait', unit: '1' },
            level: (since_s) => 180 + (PORTS - 180) * progress(since_s + exhausted_s, exhausted_s),
          },
        ]
      : [],
    working: (part, _pod, since_s) => {
      const isHit = part === busiest.name
      if (!isHit && !rebuilt.some(({ name }) => name === part)) return {}
      const dearer = { own_factor: 1.6, cpu_factor: 1.9 }
      return isHit && since_s >= exhausted_s ? { ...dearer, cut_off: { to: callee.to, share } } : dearer
    },
  }
}

/** Settings of all services made alike in another repository: one cache keeps its entries a hundredth of the time. */
const shortLivedCache: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stored = inner(topology).filter(({ calls }) =>
    calls.some(({ to }) => kindOf(topology, to) === 'datastore'),
  )
  if (stored.length === 0) return null
  const { name, calls } = chance.pick(stored)
  const store = calls.find(({ to }) => kindOf(topology, to) === 'datastore')?.to ?? ''
  const hits = chance.between(0.85, 0.93)
  const cold = 0.12
  const cached = withParts(topology, { [name]: { cache_hits: hits } })
  const before = arrivalsOf(cached).get(store) ?? 0
  const after = arrivalsOf(withParts(topology, { [name]: { cache_hits: cold } })).get(store) ?? 0
  const headroom = 1.45
  if (after < before * headroom * 1.3) return null
  const age_s = chance.whole(300, 600)
  const others = inner(topology)
    .filter((part) => part.name !== name)
    .slice(0, 3)
  const ttl = chance.pick([1_800, 3_600, 7_200])
  const file = (service: string): string => `prod/${service}/cache.yaml`
  const setting = (service: string, from: number, to: number): string =>
    [
      ...[`--- a/${file(service)}`, `+++ b/${file(service)}`, '@@ -2,5 +2,5 @@', ' cache:'],
      ...['   maxEntries: 50000', `-  ttlSeconds: ${from}`, `+  ttlSeconds: ${to}`, '   refresh: lazy'],
    ].join('\n')
  const levels = (since_s: number): number => hits + (cold - hits) * progress(since_s, age_s)
  const listed = [...others.map((part) => part.name), name].sort()
  const delay_s = Math.round(age_s * 0.45)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', entity: name, places: ['fleet-config'], delay_s },
    topology: sized(cached, store, headroom),
    culprits: [
      {
        ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(100, 500) },
        title: chance.pick(['Unify cache settings', 'One shape for cache.yaml', 'Tidy up prod overlays']),
        files: listed.map(file),
        diff: listed
          .map((service) =>
            service === name ? setting(service, ttl, ttl / 100) : setting(service, 600, 900),
          )
          .join('\n'),
        ...(chance.is(0.5) ? { entity: 'fleet-config' } : {}),
      },
    ],
    lines: callersOf(topology, store).map((caller) => ({
      part: caller.name,
      message: 'FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute',
      per_minute: 9,
      after_s: 40,
    })),
    gauges: [
      ...(chance.is(0.5)
        ? [
            {
              ...{ entity: name, name: 'cache_hit_ratio', unit: '1' },
              level: (since_s: number) => levels(since_s + delay_s),
            },
          ]
        : []),
      {
        ...{ entity: store, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 78 * progress(since_s + 60, 120),
      },
    ],
    working: (part, _pod, since_s) => (part === name ? { cache_hits: levels(since_s) } : {}),
  }
}

/** A feature turned up in steps: one in ten does no harm, one in two asks more of what lies below than it can do. */
const rampedFeature: ProductionFamily = (topology, chance): ProductionFault | null => {
  const arrivals = arrivalsOf(topology)
  const edges = topology.parts
    .filter(({ kind }) => kind === 'service')
    .flatMap(({ name, calls }) =>
      calls
        .filter(({ to }) => kindOf(topology, to) !== 'external')
        .map(({ to, per_request }) => ({ name, to, asked: (arrivals.get(name) ?? 0) * per_request })),
    )
  const { name, to, asked } = chance.pick(edges)
  const more = chance.whole(6, 10) - 1
  const weight = (asked / (arrivals.get(to) ?? asked)) * more
  const headroom = 1 + weight * 0.27
  if (headroom < 1.4) return null
  const every_s = chance.whole(240, 420)
  const shares = [0.01, 0.1, 0.5, 1]
  const feature = chance.pick([
    'related-items',
    'inline-preview',
    'live-stock',
    'family-view',
    'quick-totals',
  ])
  const percent = (share: number): string => `${share * 100} %`
  const entity = chance.is(0.6) ? { entity: name } : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'flag', entity: name, topology: sized(topology, to, headroom), tipping: 2 },
    delay_s: 2 * every_s + 15,
    culprits: shares.map((share, index) => ({
      ...{ kind: 'flag', title: feature, after_s: index * every_s, ...entity },
      ...{ before: percent(shares[index - 1] ?? 0), after: percent(share) },
    })),
    working: (part, _pod, since_s) => {
      const share = shares[Math.min(shares.length - 1, Math.floor(since_s / every_s))] ?? 0
      return part === name ? { fan_out: { to, factor: 1 + more * share } } : {}
    },
  }
}

/** An early return that keeps what it borrowed: a quarter of an hour later the pool is empty. */
const keptConnection: ProductionFamily = (topology, chance): ProductionFault | null => {
  const borrowing = inner(topology).filter(({ calls }) => calls.length > 0)
  if (borrowing.length === 0) return null
  const { name, workers } = chance.pick(borrowing)
  const empty_s = chance.whole(480, 1_000)
  const what = chance.pick(['discount', 'profile', 'shipment', 'invoice'])
  const path = `${name}/src/find-${what}.ts`
  const delay_s = Math.round(empty_s * 0.94)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', entity: name, topology, delay_s },
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, entity: name, files: [path, `${name}/test/find-${what}.test.ts`] },
        title: chance.pick([`Answer sooner when there is no ${what}`, `No ${what} is not an error`]),
        diff: [
          hunk(
            path,
            [
              '  const { rows } = await client.query(text, [id])',
              '  client.release()',
              `  if (rows.length === 0) throw new Missing("${what}")`,
            ],
            [
              '  const { rows } = await client.query(text, [id])',
              '  if (rows.length === 0) return null',
              '  client.release()',
            ],
          ),
          hunk(`${name}/test/find-${what}.test.ts`, [], ['  expect(await find("none")).toBeNull()']),
        ].join('\n'),
      },
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        part: name,
        message: 'Timeout acquiring a connection. The pool is probably full.',
        per_minute: 16,
      },
    ],
    gauges: chance.is(0.6)
      ? [
          {
            ...{ entity: name, name: 'db_pool_connections_in_use', unit: '1' },
            level: (since_s) => 3 + (workers - 3) * progress(since_s + delay_s, empty_s),
          },
        ]
      : [],
    working: (part, _pod, since_s) =>
      part === name ? { workers: Math.max(0.4, workers * (1 - progress(since_s, empty_s))) } : {},
  }
}

/** The provider of the machines renews them with another image; nobody here wrote a line, and there is no diff. */
const renewedMachines: ProductionFamily = (topology, chance): ProductionFault | null => {
  const services = inner(topology)
  const hit = chance.pick(services)
  const others = services.filter(({ name }) => name !== hit.name).slice(0, chance.whole(1, 2))
  const pool = `${chance.pick(['general', 'compute', 'standard'])}-${chance.whole(1, 4)}`
  const minor = chance.whole(1, 6)
  const delay_s = chance.whole(150, 420)
  const slower = chance.between(7, 14)
  const images = { before: `2026.02.${minor}`, after: `2026.02.${minor + 1}` }
  const moved = [
    { part: hit.name, after_s: delay_s },
    ...others.map(({ name }) => ({ part: name, after_s: chance.whole(0, 600) })),
  ]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', entity: pool, places: [hit.name], topology, delay_s },
    culprits: [
      {
        ...{ kind: 'infra', title: `Node pool ${pool}: automatic upgrade`, after_s: 0, ...images },
        ...(chance.is(0.6) ? { entity: pool } : {}),
      },
    ],
    renewed: moved,
    k8s: moved.flatMap(({ part, after_s }, index) => {
      const node = `${pool}-${index}`
      const at = { after_s: after_s - delay_s - 20, decides: true }
      return [
        {
          ...{ ...at, kind: 'Node', name: node, reason: 'NodeNotSchedulable' },
          message: `Node ${node} status is now: NodeNotSchedulable`,
        },
        {
          ...{ ...at, kind: 'Pod', name: `${part}-0`, reason: 'TaintManagerEviction' },
          message: `Marking for deletion Pod prod/${part}-0 on ${node}`,
        },
      ]
    }),
    // What runs hot there is throttled; what mostly waits hardly notices.
    working: (part) => {
      if (!moved.some((each) => each.part === part)) return {}
      return part === hit.name ? { own_factor: slower, cpu_factor: 3, workers: 4 } : { own_factor: 1.15 }
    },
  }
}

/** The families of the third generation whose cause is a change. */
export const THIRD_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'pooling-opt-in': poolingOptIn,
  'short-lived-cache': shortLivedCache,
  'ramped-feature': rampedFeature,
  'kept-connection': keptConnection,
  'renewed-machines': renewedMachines,
}
