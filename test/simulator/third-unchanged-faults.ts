/**
 * Families of the third generation that no change caused: something ran out, broke, or was asked for too much. They
 * were written from accounts of real incidents, without knowledge of the engine; docs/simulator/third.md says what was
 * looked at.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'

/** A provider that is well and refuses us: what we may ask for is used up. */
const quotaUsedUp: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name)
  const [first] = callers
  if (first === undefined) return null
  const isDaily = chance.is(0.6)
  const share = isDaily ? 0.98 : chance.between(0.35, 0.6)
  const drained_s = chance.whole(4_500, 20_000)
  const message = isDaily
    ? `POST https://${provider.name}.example/v2/check answered 429: {"error":"quota_exceeded","detail":"daily limit of 500000 requests reached"}`
    : `${provider.name}: 429 Too Many Requests, retry-after: 21, x-ratelimit-remaining: 0`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['capacity'], entity: provider.name, topology },
    lines: callers.map(({ name }) => ({ part: name, message, per_minute: 18, decides: true })),
    gauges: chance.is(0.5)
      ? [
          {
            ...{ entity: first.name, name: 'provider_quota_remaining_ratio', unit: '1', decides: true },
            labels: { provider: provider.name },
            level: (since_s) => Math.max(0, -since_s / drained_s),
          },
        ]
      : [],
    working: (part) =>
      callers.some(({ name }) => name === part) ? { cut_off: { to: provider.name, share } } : {},
  }
}

/**
 * A process that still shows the certificate that it read when it started, renewed on disk long ago. Connections that
 * are open last; every new one is refused by the callee, which is well and serves everybody else.
 */
const staleClientCertificate: ProductionFamily = (topology, chance): ProductionFault | null => {
  const edges = inner(topology).flatMap(({ name, calls }) =>
    calls
      .filter(({ to }) => topology.parts.find((part) => part.name === to)?.kind !== 'external')
      .map(({ to }) => ({ name, to })),
  )
  if (edges.length === 0) return null
  const { name, to } = chance.pick(edges)
  const lasting_s = chance.whole(180, 480)
  const peer = `10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'certificate', entity: name, topology },
    lines: [
      { part: name, message: `${to}: remote error: tls: expired certificate`, per_minute: 16, decides: true },
      {
        part: to,
        message: `TLS handshake error from ${peer}: tls: failed to verify certificate: x509: certificate has expired or is not yet valid`,
        ...{ per_minute: 10, severity: 'WARN', decides: true },
      },
    ],
    gauges: chance.is(0.4)
      ? [
          {
            ...{ entity: name, name: 'tls_client_certificate_remaining_seconds', unit: 's', decides: true },
            level: (since_s) => -since_s,
          },
        ]
      : [],
    working: (part, _pod, since_s) =>
      part === name ? { cut_off: { to, share: 0.96 * Math.min(1, since_s / lasting_s) } } : {},
  }
}

/** A volume that fills by itself, because a reader that nobody misses has left its place in the log behind. */
const fullVolume: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const writes = chance.between(0.3, 0.65)
  const filling_s = chance.whole(20_000, 90_000)
  const file = `base/16401/${chance.whole(20_000, 90_000)}`
  const refusal = `could not extend file "${file}": No space left on device`
  const elsewhere = chance.pick(topology.parts.filter(({ kind }) => kind === 'service'))
  const used = (since_s: number): number => Math.min(1, 1 + since_s / filling_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', entity: store.name, topology },
    lines: [
      { part: store.name, message: `ERROR: ${refusal}`, per_minute: 14, decides: true },
      ...callersOf(topology, store.name).map(({ name }) => ({
        ...{ part: name, message: `error: ${refusal}`, per_minute: 9, decides: true },
      })),
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'volume_used_ratio', unit: '1', decides: true },
        labels: { volume: 'data' },
        level: used,
      },
      // Fuller than most, and nobody's trouble.
      {
        ...{ entity: elsewhere.name, name: 'volume_used_ratio', unit: '1', labels: { volume: 'scratch' } },
        level: () => 0.94,
      },
      ...(chance.is(0.5)
        ? [
            {
              ...{ entity: store.name, name: 'replication_slot_retained_bytes', unit: 'By', decides: true },
              level: (since_s: number) => 3e11 * used(since_s),
            },
          ]
        : []),
    ],
    events: chance.is(0.4)
      ? [
          {
            ...{
              after_s: 25,
              kind: 'notification',
              reason: 'storage',
              name: store.name,
              service: store.name,
            },
            message: `The free storage capacity of ${store.name} is at 0 % of what is provisioned`,
            decides: true,
          },
        ]
      : [],
    working: (part) => (part === store.name ? { own_errors: writes } : {}),
  }
}

/** One machine that drops packets or has lost its disk: a pod of each of several services fails, its brothers are well. */
const degradedNode: ProductionFamily = (topology, chance): ProductionFault | null => {
  const hosting = hostingOf(topology, chance)
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const guests = (node: string) =>
    services.flatMap(({ name, pods }) =>
      Array.from({ length: pods }, (_, pod) => ({ name, pod })).filter(
        ({ pod }) => hosting.on(name, pod) === node,
      ),
    )
  const crowded = hosting.nodes.filter((node) => guests(node).length >= 3)
  if (crowded.length === 0) return null
  const node = chance.pick(crowded)
  const drops = chance.is(0.5)
  const lost = chance.between(0.35, 0.7)
  const slower = chance.between(4, 9)
  const complaint = drops
    ? 'connect ETIMEDOUT: no answer within 3000 ms'
    : "EROFS: read-only file system, open '/var/lib/app/spool/00017'"
  return {
    ...UNREMARKABLE,
    ...{ kind: 'node', entity: node, topology, hosting },
    lines: guests(node).map(({ name, pod }) => ({
      ...{ part: name, pod, message: complaint, per_minute: 8, decides: true },
    })),
    k8s: [
      {
        ...{ after_s: chance.whole(20, 150), kind: 'Node', name: node, decides: true },
        reason: drops ? 'ConntrackFull' : 'ReadonlyFilesystem',
        message: drops
          ? 'kernel: nf_conntrack: nf_conntrack: table full, dropping packet'
          : 'kernel: EXT4-fs (nvme1n1p1): Remounting filesystem read-only',
      },
    ],
    gauges: hosting.nodes.flatMap((each) => [
      {
        ...{ entity: each, name: 'node_conntrack_used_ratio', unit: '1', labels: { node: each } },
        level: (since_s: number) => (drops && each === node && since_s >= -60 ? 1 : 0.3),
        decides: true,
      },
    ]),
    working: (part, pod) =>
      services.some(({ name }) => name === part) && hosting.on(part, pod) === node
        ? { own_errors: lost, own_factor: slower }
        : {},
  }
}

/** One client that walks through everything: not many more requests, but the dear ones. */
const greedyClient: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const { name } = chance.pick(inner(topology))
  const headroom = 1.5
  const more = chance.between(0.4, 0.9)
  const dearer = chance.between(1.7, 2.4)
  const growing_s = chance.whole(90, 300)
  const id = (): string => `c-${chance.whole(0x1000, 0xffff).toString(16)}`
  const usual = Array.from({ length: 5 }, id)
  const greedy = id()
  const demand = arrivalsOf(topology).get(root.name) ?? 0
  const grown = (since_s: number): number => Math.min(1, Math.max(0, since_s / growing_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'traffic', entity: root.name, places: [name], isDemand: true },
    topology: sized(topology, name, headroom),
    demand: (since_s) => 1 + more * grown(since_s),
    lines: [
      {
        ...{ part: name, per_minute: 8, severity: 'WARN', decides: true },
        message: `slow request GET /v1/export?page_size=5000 client=${greedy}`,
      },
    ],
    gauges: [
      ...usual.map((client, index) => ({
        ...{ entity: root.name, name: 'http_server_requests_per_second_by_client', unit: '/s' },
        ...{ labels: { client }, level: () => (demand * (index + 1)) / 18, decides: true },
      })),
      {
        ...{ entity: root.name, name: 'http_server_requests_per_second_by_client', unit: '/s' },
        labels: { client: greedy },
        level: (since_s) => demand * (0.02 + more * grown(since_s)),
        decides: true,
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { own_factor: 1 + (dearer - 1) * grown(since_s) } : {},
  }
}

/** The families of the third generation that no change caused. */
export const THIRD_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'quota-used-up': quotaUsedUp,
  'stale-client-certificate': staleClientCertificate,
  'full-volume': fullVolume,
  'degraded-node': degradedNode,
  'greedy-client': greedyClient,
}
