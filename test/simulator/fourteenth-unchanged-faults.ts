/**
 * Families of the fourteenth generation that no change caused, each as a published report of one organisation has it: a
 * domain that the registry gives to another, a cluster that finds no master, a resolver that a machine with a failing disk
 * asks too much of, a registry outside that is slow, and a zone of the provider whose pods nothing replaces. They were
 * written without knowledge of the engine; docs/simulator/fourteenth.md names the reports and the rule of choice.
 */
import {
  amongFourteenthSurroundings,
  DOMAIN,
  FAILED_LOOKUPS,
  FAILED_PULLS,
  LOOKUPS,
  PULL_MS,
  REFUSED_NAMES,
  REGISTRY,
  RESOLVER,
  SEARCH,
  SEARCH_MEMBERS,
  SHARDS,
  WAITING_LOOKUPS,
} from './fourteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  kindOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { ZONE_ANSWER_MS, ZONES } from './thirteenth-surroundings.ts'

/**
 * The registry of names gives the domain to somebody else's name servers. As what resolvers have kept expires, fewer and
 * fewer requests come from outside, and callers that ask a service by its public name get to a stranger, whose certificate
 * has another name.
 */
const reassignedDomain: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const expiring_s = chance.whole(300, 900)
  const most = chance.between(0.85, 0.97)
  const noticed_s = chance.whole(360, 720)
  const stranger = chance.whole(11, 98)
  const lost = (since_s: number): number => most * progress(since_s, expiring_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'dns', kinds: ['provider', 'network', 'dependency'], entity: DOMAIN, topology },
    places: [name, 'registry', `${name}.${DOMAIN}`],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 10, decides: true },
      message: `Post "https://${name}.${DOMAIN}/v1/items": tls: failed to verify certificate: x509: certificate is valid for shop${stranger}.example.cn, not ${name}.${DOMAIN}`,
    })),
    gauges: [
      {
        ...{ entity: DOMAIN, name: 'probe_success_ratio', unit: '1', decides: true },
        ...{ labels: { target: `https://www.${DOMAIN}/` }, level: (since_s) => 1 - lost(since_s) },
      },
      ...callers.map((part) => ({
        ...{ entity: part, name: 'tls_names_refused_per_second', unit: '/s', decides: true },
        level: (since_s: number) =>
          REFUSED_NAMES + 0.8 * (arrivalsOf(topology).get(part) ?? 0) * lost(since_s),
      })),
    ],
    events: [
      {
        ...{ after_s: noticed_s, kind: 'notification', reason: 'state', name: DOMAIN, decides: true },
        message: `${DOMAIN}: name servers at the registry are ns${stranger}.hosted.example.cn, ns${stranger + 1}.hosted.example.cn; at the registrar ns1.${DOMAIN}, ns2.${DOMAIN}`,
      },
    ],
    demand: (since_s) => 1 - lost(since_s) / 2,
    working: (part, _pod, since_s) =>
      callers.includes(part) ? { cut_off: { to: name, share: lost(since_s) } } : {},
  }
}

/**
 * Snapshots of a search cluster cannot be deleted, and the member that is stuck on it is started again by hand. It was the
 * master; the others elect one again and again, and what is searched for is not there.
 */
const electionLoop: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 3) return null
  const first = chance.pick(called).name
  const searching = [first, chance.pick(called.filter(({ name }) => name !== first)).name]
  const master = chance.pick(SEARCH_MEMBERS)
  const others = SEARCH_MEMBERS.filter((member) => member !== master)
  const back_s = chance.whole(60, 150)
  const share = chance.between(0.6, 0.9)
  const id = chance.whole(0x100000, 0xffffff).toString(16)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'dependency', 'node'], entity: SEARCH, places: [...SEARCH_MEMBERS] },
    topology,
    undisturbed: searching,
    lines: [
      ...searching.map((part) => ({
        ...{ part, per_minute: 10, after_s: 5, decides: true },
        message: '[es/search] failed: [master_not_discovered_exception] null (status 503)',
      })),
      ...others.map((member) => ({
        ...{ part: member, per_minute: 4, after_s: 15, severity: 'WARN', decides: true },
        message: `[${member}] master not discovered or elected yet, an election requires at least 2 nodes with ids from [${id}aQ, ${id}bR, ${id}cS], have discovered [{${member}}, {${others.find((one) => one !== member)}}] which is a quorum; discovery will continue`,
      })),
      {
        ...{ part: master, per_minute: 1, after_s: -480, until_s: -15, severity: 'WARN' },
        message: `[${master}] [backups:nightly-2026.03.03] failed to delete snapshot`,
      },
      {
        ...{ part: master, per_minute: 3, after_s: back_s, severity: 'WARN', decides: true },
        message: `[${master}] failed to join {${others[0]}}: CoordinationStateRejectedException: incoming term 41 does not match current term 42`,
      },
    ],
    gauges: [
      {
        ...{ entity: SEARCH, name: 'elasticsearch_cluster_health_number_of_nodes', unit: '1', decides: true },
        level: (since_s) => (since_s >= 0 && since_s < back_s ? others.length : SEARCH_MEMBERS.length),
      },
      {
        ...{ entity: SEARCH, name: 'elasticsearch_cluster_health_active_shards', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? SHARDS : SHARDS * 0.1),
      },
      {
        ...{ entity: SEARCH, name: 'elasticsearch_elections_per_minute', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 0 : 5 + 2 * Math.sin(since_s / 40)),
      },
    ],
    events: [
      {
        ...{ after_s: -10, kind: 'notification', reason: 'state', name: master, decides: true },
        message: `${master}: elasticsearch was started again by hand (dia)`,
      },
    ],
    working: (part, _pod, since_s) =>
      searching.includes(part) && since_s >= 0 ? { own_errors: share * progress(since_s, 45) } : {},
  }
}

/**
 * A disk of one of the hosting provider's machines fails, and that machine asks for names more and more often. The resolver
 * has no room for the lookups of others, is slow, and then answers hardly anybody.
 */
const floodedResolver: ProductionFamily = (topology, chance): ProductionFault | null => {
  const services = topology.parts.filter(({ kind, calls }) => kind === 'service' && calls.length > 0)
  const host = `host-${chance.whole(20, 80)}`
  const labels = { node: host }
  const filling_s = chance.whole(120, 300)
  const share = chance.between(0.35, 0.6)
  const most = LOOKUPS * chance.between(14, 30)
  const errors = chance.whole(40, 200)
  const address = chance.whole(4, 90)
  const full = (since_s: number): number => progress(since_s, filling_s)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'dns',
      kinds: ['infra', 'network', 'provider', 'capacity', 'node'],
      entity: RESOLVER,
      topology,
    },
    places: [host],
    lines: [
      ...services.flatMap(({ name, calls: [asked] }) => {
        if (asked === undefined) return []
        const zone = kindOf(topology, asked.to) === 'external' ? 'example' : 'internal'
        return [
          {
            ...{ part: name, per_minute: 6, after_s: 30, decides: true },
            message: `Error: getaddrinfo EAI_AGAIN ${asked.to}.${zone}`,
          },
        ]
      }),
      {
        ...{ part: RESOLVER, per_minute: 8, after_s: filling_s / 2, severity: 'WARN', decides: true },
        message: `client @0x7f40c4${address}d0 10.40.12.${address}#53217 (array-7.internal): no more recursive clients (1000/900/1000): quota reached`,
      },
      {
        ...{ part: host, per_minute: 6, decides: true },
        message: `blk_update_request: I/O error, dev sdc, sector ${chance.whole(10_000_000, 900_000_000)} op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0`,
      },
    ],
    gauges: [
      {
        ...{ entity: RESOLVER, name: 'resolver_lookups_per_second', unit: '/s', decides: true },
        level: (since_s) => LOOKUPS + most * full(since_s),
      },
      {
        ...{ entity: RESOLVER, name: 'resolver_recursive_clients', unit: '1', decides: true },
        level: (since_s) => WAITING_LOOKUPS + (1_000 - WAITING_LOOKUPS) * Math.min(1, 2 * full(since_s)),
      },
      {
        ...{ entity: host, name: 'disk_errors_per_minute', unit: '1', labels, decides: true },
        level: (since_s) => (since_s < -60 ? 0 : errors),
      },
      ...services.map(({ name }) => ({
        ...{ entity: name, name: 'name_lookups_failed_per_second', unit: '/s', decides: true },
        level: (since_s: number) =>
          FAILED_LOOKUPS + 0.5 * (arrivalsOf(topology).get(name) ?? 0) * share * full(since_s),
      })),
    ],
    working: (part, _pod, since_s) => {
      const calls = services.find(({ name }) => name === part)?.calls
      if (calls === undefined || since_s < 0) return {}
      const to = calls.map((call) => call.to)
      return { on_way: { to, ms: 400 * full(since_s) }, cut_off: { to, share: share * full(since_s) } }
    },
  }
}

/**
 * What comes from a registry outside takes long, for many who ask it and for minutes at a time; part of it does not come in
 * time. The registry says nothing of it meanwhile.
 */
const slowPulls: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = topology.parts.filter(({ kind }) => kind === 'external')
  if (called.length === 0) return null
  const { name, own_ms } = chance.pick(called)
  const callers = callersOf(topology, name)
  const growing_s = chance.whole(120, 420)
  const slower = chance.between(1_100, 2_400) / own_ms
  const share = chance.between(0.05, 0.2)
  const waves = (since_s: number): number => 0.8 + 0.2 * Math.sin(since_s / 70)
  const slow = (since_s: number): number => progress(since_s, growing_s) * waves(since_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency', 'network'], entity: name, places: [REGISTRY], topology },
    lines: callers.map((caller) => ({
      ...{ part: caller.name, per_minute: 8, after_s: 60, decides: true },
      message: `Error response from daemon: Get "https://${name}.${REGISTRY}/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`,
    })),
    gauges: callers.flatMap((caller) => [
      {
        ...{ entity: caller.name, name: 'image_pull_duration_p99_ms', unit: 'ms', decides: true },
        ...{ labels: { registry: REGISTRY }, level: (since_s: number) => PULL_MS * (1 + 20 * slow(since_s)) },
      },
      {
        ...{ entity: caller.name, name: 'image_pulls_failed_per_minute', unit: '1', decides: true },
        labels: { registry: REGISTRY },
        level: (since_s: number) => FAILED_PULLS + 30 * slow(since_s),
      },
    ]),
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? { own_factor: 1 + slower * slow(since_s), own_errors: share * slow(since_s) }
        : {},
  }
}

/**
 * One of the provider's zones is not reached, and most pods of a service are in it. Others are begun in the zones that are
 * well, but their image comes from a registry that fails for the same reason, so the few that are left take everything.
 */
const unreplacedZone: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ pods }) => pods > 2)
  if (candidates.length === 0) return null
  const { name, pods } = chance.pick(candidates)
  const base = hostingOf(topology, chance)
  const there = Array.from({ length: pods - 1 }, (_, pod) => `ip-10-40-${20 + pod}-${chance.whole(2, 250)}`)
  const apart = hostedApart(base, there, [name])
  const zone = chance.pick(ZONES)
  const noticed_s = chance.whole(480, 900)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  /** The last of its pods is on a machine of another zone. */
  const isThere = (part: string, pod: number): boolean => part === name && pod < pods - 1
  const image = `${REGISTRY}/prod/${name}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'network', 'node', 'capacity'], entity: zone, isHosting: true },
    places: [...there, name],
    topology: sized(topology, name, chance.between(1.4, 1.8)),
    hosting: {
      nodes: apart.nodes,
      on: (part, pod) => (isThere(part, pod) ? apart.on(part, pod) : base.on(part, pod)),
    },
    undisturbed: [name],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 7, after_s: 5, decides: true },
      message: `upstream connect error or disconnect/reset before headers. reset reason: connection timeout (${name} 10.40.20.7:8080)`,
    })),
    gauges: [
      ...there.map((node, index) => ({
        ...{ entity: node, name: 'node_ready', unit: '1', labels: { node }, decides: true },
        level: (since_s: number) => (since_s < 40 + 5 * index ? 1 : 0),
      })),
      {
        ...{ entity: zone, name: 'zone_api_duration_p99_ms', unit: 'ms', decides: true },
        level: (since_s) => (since_s < 0 ? ZONE_ANSWER_MS : 5_200 + 1_400 * Math.sin(since_s / 110)),
      },
      {
        ...{ entity: name, name: 'image_pulls_failed_per_minute', unit: '1', decides: true },
        ...{ labels: { registry: REGISTRY }, level: (since_s) => (since_s < 330 ? FAILED_PULLS : 9) },
      },
    ],
    k8s: [
      ...there.map((node, index) => notReady(node, 42 + 5 * index)),
      ...there.map((_, index) => ({
        ...{ after_s: 345 + 20 * index, kind: 'Pod', name: `${name}-${pods + index}`, reason: 'Failed' },
        message: `Failed to pull image "${image}:v14": rpc error: code = Unknown desc = failed to pull and unpack image "${image}:v14": failed to resolve reference: unexpected status from HEAD request: 502 Bad Gateway`,
        decides: true,
      })),
    ],
    events: [
      {
        ...{ after_s: noticed_s, kind: 'notification', reason: 'state', name: zone, decides: true },
        message: `AWS_EC2_OPERATIONAL_ISSUE: loss of power and network connectivity for some instances in a single Availability Zone (${zone})`,
      },
    ],
    working: (part, pod, since_s) => (since_s >= 0 && isThere(part, pod) ? { is_away: true } : {}),
  }
}

/** The families of the fourteenth generation that no change caused. */
export const FOURTEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'reassigned-domain': amongFourteenthSurroundings(reassignedDomain),
  'election-loop': amongFourteenthSurroundings(electionLoop),
  'flooded-resolver': amongFourteenthSurroundings(floodedResolver),
  'slow-pulls': amongFourteenthSurroundings(slowPulls),
  'unreplaced-zone': amongFourteenthSurroundings(unreplacedZone),
}
