/**
 * Families of the sixth generation whose cause is a change, each at another place: the pages that browsers load, the
 * connections that one service may keep, a feature that is no longer listed, the image that services are built on, how
 * the orchestrator asks whether a service is alive. They were written from accounts of real incidents, without knowledge
 * of the engine; docs/simulator/sixth.md says what was looked at.
 */
import { hunk } from './faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  type ToldLine,
  type ToldRecord,
  UNREMARKABLE,
} from './production-fault.ts'
import { STEP_S } from './run-system.ts'
import {
  amongSixthSurroundings,
  archivedFeature,
  imagesOf,
  KEPT,
  keptBy,
  PAGES,
  poolSetting,
  probeSetting,
} from './sixth-surroundings.ts'

/**
 * A page asks for its list whenever what it asks with is another object, and it makes that object anew each time it draws.
 * Browsers that have loaded it ask again with every answer; one service gets a multiple, all others what they had.
 */
const loopingPage: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  const called = root?.calls.filter(({ to }) => kindOf(topology, to) === 'service') ?? []
  if (root === undefined || called.length < 2) return null
  const hit = chance.pick(called)
  const more = chance.between(1.3, 2.6)
  const what = chance.pick(['orders', 'visits', 'messages', 'documents'])
  const path = `${PAGES}/src/${what}/use-${what}.ts`
  // What browsers and the edge keep of the pages is old for a while; then one reader after the other loads them anew.
  const kept_s = chance.whole(60, 300)
  const growing_s = chance.whole(200, 600)
  const grown = (since_s: number): number => more * progress(since_s, growing_s)
  const usual = topology.demand
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['traffic'], entity: PAGES, places: [root.name], delay_s: kept_s },
    ...{ topology: sized(topology, hit.to, chance.between(1.4, 1.7)), isDemand: true },
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, entity: PAGES, files: [path, `${PAGES}/src/${what}/list.tsx`] },
        title: chance.pick(['Lists keep their filter', `Tell the list of ${what} what it shows`]),
        diff: [
          hunk(
            path,
            ['  useEffect(() => void load(state, page), [state, page])'],
            ['  const filter = { state, page }', '  useEffect(() => void load(filter), [filter])'],
          ),
          hunk(
            `${PAGES}/src/${what}/list.tsx`,
            ['  return <Rows of={rows} />'],
            ['  return <Rows of={rows} under={filter} />'],
          ),
        ].join('\n'),
      },
    ],
    shipped: [{ part: PAGES, after_s: 0 }],
    lines: [
      {
        ...{ part: 'ingress-nginx', per_minute: 16, after_s: 20, severity: 'INFO' },
        message: `"GET /v1/${what}?state=open&page=1 HTTP/2" 200 rt=0.${chance.whole(210, 980)} referer="https://www.example/${what}"`,
      },
    ],
    gauges: [
      ...Object.entries({ settings: 0.1, search: 0.2, account: 0.15 }).map(([route, share]) => ({
        ...{ entity: root.name, name: 'http_server_requests_by_route_per_second', unit: '/s' },
        ...{ labels: { route: `/v1/${route}` }, level: () => share * usual, decides: true },
      })),
      {
        ...{ entity: root.name, name: 'http_server_requests_by_route_per_second', unit: '/s' },
        labels: { route: `/v1/${what}` },
        level: (since_s) => usual * (0.18 + grown(since_s)),
        decides: true,
      },
    ],
    demand: (since_s) => 1 + grown(since_s),
    working: () => ({}),
    beyond: (part, _pod, since_s) => {
      const again = grown(since_s - kept_s)
      if (part !== root.name || again === 0) return {}
      // Every further request is for the one service.
      return {
        fan_out: root.calls.map(({ to, per_request }) => ({
          to,
          factor: (to === hit.to ? (per_request + again) / per_request : 1) / (1 + again),
        })),
      }
    },
  }
}

/**
 * A service may keep several times as many connections as before, and keeps them. The pooler before the store has no more
 * to lend: who shares the store waits for a connection whenever one of its own has come to its age.
 */
const largerPool: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const greedy = chance.pick(callers)
  const others = callers.filter(({ name }) => name !== greedy.name)
  const own_after_s = chance.whole(0, 60)
  const delay_s = own_after_s + chance.whole(120, 360)
  const lasting_s = chance.whole(150, 500)
  const waiting = new Map(
    others.map(({ name }) => [
      name,
      { share: chance.between(0.3, 0.65), wait_ms: chance.whole(300, 900) } as const,
    ]),
  )
  const most = chance.pick([30, 40, 50])
  const pooler = `${store.name}-pooler`
  const filling_s = delay_s - own_after_s
  // What the pooler has to lend, and what it lends to the one when the others give it back.
  const usual = keptBy(callers)
  const spare = greedy.pods * chance.whole(8, 14)
  const given = others.reduce((sum, { name, pods }) => sum + KEPT * pods * (waiting.get(name)?.share ?? 0), 0)
  const peer = `10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}:${chance.whole(33_000, 60_000)}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['capacity'], entity: greedy.name, topology, delay_s },
    places: [store.name, pooler, 'fleet-config'],
    culprits: [poolSetting(greedy.name, 8, most, chance)],
    renewed: [{ part: greedy.name, after_s: own_after_s }],
    lines: [
      ...others.map(({ name }) => ({
        ...{ part: name, per_minute: 11 },
        message: 'error: query_wait_timeout',
      })),
      {
        ...{ part: pooler, per_minute: 12, severity: 'WARN' },
        message: `C-0x55e1${chance.whole(0x1000, 0xffff).toString(16)}: prod/app@${peer} pooler error: query_wait_timeout`,
      },
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_connections_open', unit: '1', decides: true },
        level: (since_s) => usual + spare * progress(since_s + filling_s, filling_s),
      },
      {
        ...{ entity: greedy.name, name: 'db_pool_connections_open', unit: '1', decides: true },
        level: (since_s) =>
          Math.min(
            most * greedy.pods,
            KEPT * greedy.pods +
              spare * progress(since_s + filling_s, filling_s) +
              given * progress(since_s, lasting_s),
          ),
      },
      ...others.map(({ name, pods }) => ({
        ...{ entity: name, name: 'db_pool_connections_open', unit: '1' },
        level: (since_s: number) =>
          KEPT * pods * (1 - (waiting.get(name)?.share ?? 0) * progress(since_s, lasting_s)),
      })),
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) => {
      const one = waiting.get(part)
      const level = progress(since_s - delay_s, lasting_s)
      const own_ms = others.find(({ name }) => name === part)?.own_ms
      if (one === undefined || own_ms === undefined || level === 0) return {}
      const share = one.share * level
      return { cut_off: { to: store.name, share }, own_factor: 1 + (share * one.wait_ms) / own_ms }
    },
  }
}

/** Features that everybody had for months, and what the way without them says, which nobody has kept since. */
const LEFT_BEHIND: Readonly<Record<'datastore' | 'service', readonly (readonly [string, string])[]>> = {
  datastore: [
    ['ledger-v2', 'error: relation "ledger_v1_entries" does not exist'],
    ['split-addresses', 'error: column "address_line" does not exist'],
    ['sessions-by-device', 'error: relation "sessions_by_browser" does not exist'],
  ],
  service: [
    ['orders-api-v3', 'POST /v2/orders answered 404: Cannot POST /v2/orders'],
    ['stock-by-place', 'GET /stock/total answered 404: no such route'],
    ['batched-quotes', 'POST /quote answered 404: no such route'],
  ],
}

/**
 * A feature that has been on for everybody is taken off the list of features. Whoever asks for it gets what stands in the
 * code for that case, which is off: the old way, whose table or route is gone. Each process hears of it at another time.
 */
const archivedFlag: ProductionFamily = (topology, chance): ProductionFault | null => {
  const calls = inner(topology).flatMap(({ name, pods, calls: own }) =>
    own.flatMap(({ to }) => {
      const kind = kindOf(topology, to)
      return kind === 'datastore' || kind === 'service' ? [{ name, pods, to, kind } as const] : []
    }),
  )
  if (calls.length === 0) return null
  const { name, pods, to, kind } = chance.pick(calls)
  const [feature, message] = chance.pick(LEFT_BEHIND[kind])
  const share = chance.between(0.3, 0.7)
  const heard_s = Array.from({ length: pods }, () => chance.whole(25, 300))
  const delay_s = Math.min(...heard_s)
  const heard = (since_s: number): number => heard_s.filter((at_s) => since_s + delay_s >= at_s).length / pods
  return {
    ...UNREMARKABLE,
    ...{ kind: 'flag', kinds: ['config', 'code'], entity: name, topology, delay_s },
    culprits: [archivedFeature(feature, chance.is(0.6) ? name : undefined, 0)],
    lines: [{ part: name, message: kind === 'service' ? `${to}: ${message}` : message, per_minute: 15 }],
    gauges: [
      {
        ...{ entity: name, name: 'feature_flag_defaults_per_second', unit: '/s', decides: true },
        level: (since_s) => 0.02 + 14 * heard(since_s),
      },
    ],
    working: (part, pod, since_s) =>
      part === name && since_s >= (heard_s[pod] ?? delay_s) ? { refused: { to, share } } : {},
  }
}

/**
 * Services are built on another image. Its library for encrypted connections no longer speaks the old version of the
 * protocol, and one service calls somebody who speaks no other; whoever else is built on it is well.
 */
const newerImage: ProductionFamily = (topology, chance): ProductionFault | null => {
  const calls = inner(topology).flatMap(({ name, calls: own }) =>
    own.filter(({ to }) => kindOf(topology, to) !== 'service').map(({ to }) => ({ name, to })),
  )
  if (calls.length === 0) return null
  const { name, to } = chance.pick(calls)
  const calling = new Set(callersOf(topology, to).map((caller) => caller.name))
  const others = inner(topology)
    .filter((part) => part.name !== name && !calling.has(part.name))
    .slice(0, chance.whole(1, 3))
  if (others.length === 0) return null
  const own_after_s = chance.whole(60, 480)
  const built = [name, ...others.map((part) => part.name)].toSorted()
  const [from, into] = chance.pick([
    ['16-bullseye', '20-bookworm'],
    ['16-buster', '22-bookworm'],
    ['14-bullseye', '20-bookworm'],
  ] as const)
  const host = kindOf(topology, to) === 'external' ? `${to}.example:443` : `${to}:5432`
  const id = `${chance.whole(0x1000, 0xffff).toString(16).toUpperCase()}8C7F0000`
  const refusal = chance.pick([
    'error:0A000102:SSL routines:ssl_choose_client_version:unsupported protocol',
    'error:0A000152:SSL routines:final_renegotiate:unsafe legacy renegotiation disabled',
  ])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency', 'config'], entity: name, topology, delay_s: own_after_s },
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, files: built.map((service) => `${service}/Dockerfile`) },
        title: chance.pick(['Supported images only', 'Images on bookworm', 'One image for all services']),
        diff: imagesOf(built, from, into),
      },
    ],
    shipped: [
      { part: name, after_s: own_after_s },
      ...others.map((part, index) => ({
        part: part.name,
        after_s: index === 0 ? 0 : chance.whole(20, 900),
      })),
    ],
    lines: [{ part: name, message: `${host}: write EPROTO ${id}:${refusal}`, per_minute: 14 }],
    gauges: [
      {
        ...{ entity: name, name: 'tls_handshake_errors_per_second', unit: '/s' },
        level: (since_s) => 0.03 + 9 * progress(since_s, 120),
      },
    ],
    working: (part) => (part === name ? { cut_off: { to, share: 0.96 } } : {}),
  }
}

/**
 * The orchestrator asks more, waits less and gives up sooner. One service does not answer that in time while it collects
 * its garbage: its pods are ended one after the other, begin cold, and are ended again.
 */
const strictProbe: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const own_after_s = chance.whole(0, 60)
  const first_s = chance.whole(150, 540)
  // Longer than a pod takes to be renewed, so that each is before its time comes.
  const gap_s = chance.whole(142, 165)
  const cycle_s = chance.whole(180, 240)
  const away_s = chance.whole(60, 90)
  const cold_s = chance.whole(60, 90)
  const delay_s = own_after_s + first_s
  /** Seconds since a pod was ended last, of the seconds since the effect began; negative where it never was. */
  const endedFor = (pod: number, on_s: number): number =>
    on_s < pod * gap_s ? -1 : (on_s - pod * gap_s) % cycle_s
  const once = (pod: number, after_s: number, message: string): ToldLine => ({
    ...{ part: name, pod, message, severity: 'INFO', per_minute: 60 / STEP_S, after_s: after_s - 1 },
    until_s: after_s + STEP_S - 1,
  })
  const records = Array.from({ length: pods }, (_, pod) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((time): readonly ToldRecord[] => {
      const after_s = pod * gap_s + time * cycle_s
      const told = { kind: 'Pod', name: `${name}-${pod}`, decides: true }
      return [
        {
          ...{ ...told, after_s: after_s - 12, reason: 'Unhealthy' },
          message: `Liveness probe failed: Get "http://10.40.${pod}.9:8080/health": context deadline exceeded`,
        },
        {
          ...{ ...told, after_s, reason: 'Killing' },
          message: `Container ${name} failed liveness probe, will be restarted`,
        },
      ]
    }),
  )
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra'], entity: name, places: ['fleet-manifests'], topology, delay_s },
    culprits: [
      probeSetting(
        name,
        { path: '/live', timeout: 5, failures: 6 },
        { path: '/health', timeout: 1, failures: chance.pick([1, 2]) },
        chance,
      ),
    ],
    renewed: [{ part: name, after_s: own_after_s }],
    lines: Array.from({ length: pods }, (_, pod) =>
      [0, 1, 2, 3, 4, 5, 6, 7].flatMap((time): readonly ToldLine[] => {
        const after_s = pod * gap_s + time * cycle_s
        return [
          once(pod, after_s, `SIGTERM received, finishing ${3 + time} requests`),
          once(pod, after_s + away_s, `listening on 8080 after ${away_s - 9}114 ms`),
        ]
      }),
    ).flat(),
    gauges: [
      {
        ...{ entity: name, name: 'prober_probe_failures_per_second', unit: '/s', decides: true },
        level: (since_s) => 0.004 + 0.12 * progress(since_s, 60),
      },
    ],
    k8s: records.flat(),
    working: (part, pod, _since_s, changed_for_s) => {
      const ended_s = part === name ? endedFor(pod, changed_for_s - delay_s) : -1
      if (ended_s < 0) return {}
      // A pod that is ended is one that holds more than nothing and may hold nothing.
      if (ended_s < away_s) return { own_errors: 0.95, ...(ended_s < STEP_S ? { memory_limit_mb: 0 } : {}) }
      return ended_s < away_s + cold_s ? { own_factor: 2.5, own_errors: 0.3, cpu_factor: 3 } : {}
    },
  }
}

/** The families of the sixth generation whose cause is a change. */
export const SIXTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'looping-page': amongSixthSurroundings(loopingPage),
  'larger-pool': amongSixthSurroundings(largerPool),
  'archived-flag': amongSixthSurroundings(archivedFlag),
  'newer-image': amongSixthSurroundings(newerImage),
  'strict-probe': amongSixthSurroundings(strictProbe),
}
