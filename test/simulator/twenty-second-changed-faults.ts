/**
 * Families of the twenty-second generation whose cause is a change, each as a published report of one organisation has it:
 * settings by which an outside party takes no changes any more, a release whose mails are taken in and thrown away, a release
 * whose senders stop again and again, a tool that writes wrong settings on some machines, and an upgrade after which parts do
 * not find each other. They were written without knowledge of the engine; docs/simulator/twenty-second.md names the reports
 * and the rule of choice.
 */
import { MAIL_BROKER } from './eleventh-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import {
  amongTwentySecondSurroundings,
  ENSEMBLE,
  ENSEMBLE_MEMBERS,
  ensembleUpgrade,
  FOLLOWED,
  FOLLOWED_LIMIT,
  HOST_CONFIG,
  hostSettings,
  interfaceOf,
  linkTracking,
  MAIL_EXCHANGE,
  MAIL_SENDER,
  MAILS,
  METAL_HOSTS,
  MISSING,
  MISSING_MAILS,
  mailQueue,
  OUTSTANDING,
  QUORUM,
  REFUSED,
  REFUSED_CHANGES,
  RESTARTS,
  SESSIONS,
  STALLED,
  TRIGGERED,
  UNROUTABLE,
} from './twenty-second-surroundings.ts'

/**
 * Somebody who looks into upgrades of rooms sets how a service speaks with the system of an outside party. That system takes
 * no change of this service any more; whatever it tells by itself, and whatever is only read, comes as ever.
 */
const refusedChanges: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const candidates = callersOf(topology, provider.name).filter(({ name }) => name !== topology.parts[0]?.name)
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const delay_s = chance.whole(20, 80)
  const growing_s = chance.whole(20, 90)
  const share = chance.between(0.5, 0.85)
  const per_request = calls.find(({ to }) => to === provider.name)?.per_request ?? 0
  const asked = (arrivalsOf(topology).get(name) ?? 0) * per_request
  const refused = (since_s: number): number => share * progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['code', 'infra'], entity: name, places: ['fleet-config'] },
    ...{ topology, delay_s },
    culprits: [
      interfaceOf(
        name,
        [['  mode: twoWay'], ['  mode: inboundOnly', '  upgradeCodes: [UPG1, UPG2]']],
        chance.pick(['Codes of room upgrades', 'Look into upgrades of rooms', 'Upgrades by code']),
        chance,
      ),
    ],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 2 },
        message: `PUT /rsv/v1/reservations/${chance.whole(20_000, 90_000)} answered 403: interface KIOSK2 is not active for updates`,
      },
      {
        ...{ part: name, per_minute: 4, after_s: 15 },
        message: `POST /csh/v1/postings answered 403: interface KIOSK2 is not active for updates`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'pms_changes_total:rate1m', unit: '/s', labels: REFUSED, decides: true },
        level: (since_s) => REFUSED_CHANGES + asked * refused(since_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s
        ? { refused: { to: provider.name, share: refused(since_s - delay_s) } }
        : {},
  }
}

/**
 * A release brings a service to newer frameworks. What it hands on goes to an exchange by a name that no queue is bound by:
 * the broker takes it and throws it away, the service says that all is well, and who waits for a mail waits in vain.
 */
const discardedMails: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const hit = callersOf(topology, name).map((caller) => caller.name)
  const waits_s = chance.whole(25, 60)
  const delay_s = waits_s + chance.whole(10, 60)
  const shipping_s = pods * 45
  const share = chance.between(0.4, 0.8)
  const arrivals = arrivalsOf(topology)
  const [from, to] = chance.pick([
    ['3.3.7', '3.5.9'],
    ['2.7.18', '3.4.4'],
    ['3.2.12', '3.5.6'],
  ] as const)
  const gone = (since_s: number): number => progress(since_s + delay_s, shipping_s)
  const missed = (since_s: number): number => share * progress(since_s, shipping_s)
  /** Who waits in vain asks all others as ever: it is only in the end that nothing has come. */
  const waiting = (part: string, since_s: number): Working => {
    const caller = topology.parts.find((each) => each.name === part)
    if (caller === undefined || !hit.includes(part) || since_s < delay_s) return {}
    const own_errors = missed(since_s - delay_s)
    return { own_errors, fan_out: caller.calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'dependency'], entity: name, places: [MAIL_BROKER] },
    ...{ topology, delay_s },
    culprits: [
      mailQueue(
        name,
        [from, to],
        [
          ['    rabbit.convertAndSend("mails", "mail.triggered", mail);'],
          ['    bridge.send("mails-out-0", mail);'],
        ],
        chance.pick([`Spring Boot ${to}`, 'Newer frameworks', `Frameworks of this year (${to})`]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [...hit, name],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 8, after_s: 3 },
      message: `mail ${chance.whole(0x10_00, 0xff_ff).toString(16)} was not confirmed within ${waits_s} s, giving up`,
    })),
    gauges: [
      {
        ...{ entity: MAIL_BROKER, name: 'rabbitmq_channel_messages_unroutable_dropped_total:rate1m' },
        ...{ unit: '/s', labels: MAIL_EXCHANGE, decides: true },
        level: (since_s) => UNROUTABLE + MAILS * gone(since_s),
      },
      {
        ...{ entity: MAIL_SENDER, name: 'mails_sent_total:rate1m', unit: '/s', labels: TRIGGERED },
        ...{ decides: true, level: (since_s) => MAILS * (1 - gone(since_s)) },
      },
      ...hit.map((part) => ({
        ...{ entity: part, name: 'mails_awaited_total:rate1m', unit: '/s', labels: MISSING, decides: true },
        level: (since_s: number) => MISSING_MAILS + (arrivals.get(part) ?? 0) * missed(since_s),
      })),
    ],
    working: (part, _pod, _since_s, changed_for_s) => waiting(part, changed_for_s),
    beyond: (part, _pod, since_s) => waiting(part, since_s),
  }
}

/**
 * A release counts better who follows a link. It is well for some minutes, then what sends stops and begins anew again and
 * again, each pod at its own time; what it was sending is stuck for a while before, and is lost to who waits for it.
 */
const stalledSenders: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const delay_s = chance.whole(200, 480)
  const round_s = chance.whole(80, 150)
  const apart_s = chance.whole(15, 30)
  const share = chance.between(0.6, 0.9)
  const slower = chance.between(5, 14)
  const asked = arrivalsOf(topology).get(name) ?? 0
  /** A round of a pod: it is well, then it is stuck, then it is gone until it has begun anew. */
  const round = (pod: number, since_s: number): Working => {
    const at = ((since_s + pod * apart_s) % round_s) / round_s
    if (at < 0.3) return {}
    return at < 0.8 ? { own_errors: share, own_factor: slower } : { is_away: true }
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['infra', 'capacity'], entity: name, topology, delay_s },
    culprits: [
      linkTracking(
        name,
        ['        counted.Add(link.Href);'],
        ['        counted.Add(Resolve(link, message, depth + 1));'],
        chance.pick(['Better tracking of links', 'Follow links to where they lead', 'Links of links count']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 5, after_s: 20, severity: 'INFO' },
        message: 'Microsoft.Hosting.Lifetime[0] Application is shutting down...',
      },
      {
        ...{ part: name, per_minute: 6, after_s: 25, severity: 'WARN' },
        message: `SendWorker stopped, ${chance.whole(40, 300)} sends are not completed`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'kube_pod_container_status_restarts_total:increase10m', unit: '1' },
        ...{ decides: true },
        level: (since_s) => RESTARTS + ((pods * 600) / round_s) * progress(since_s - 30, 570),
      },
      {
        ...{ entity: name, name: 'sends_stalled', unit: '1', decides: true },
        level: (since_s) => STALLED + 0.5 * asked * share * Math.max(0, since_s),
      },
    ],
    k8s: [1, 3, 5, 8].map((rounds) => ({
      ...{ after_s: rounds * round_s, kind: 'Pod', name: `${name}-${rounds % pods}`, reason: 'BackOff' },
      ...{ message: `Back-off restarting failed container ${name}`, decides: true },
    })),
    working: (part, pod, _since_s, changed_for_s) =>
      part === name && changed_for_s >= delay_s ? round(pod, changed_for_s - delay_s) : {},
  }
}

/**
 * A tool that writes the settings of machines writes wrong ones on some of them, outside of any maintenance: they may follow
 * a fraction of the connections that they have. Two services run there, and are well on the other machines.
 */
const misconfiguredHosts: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const names = [first, chance.pick(candidates.filter((name) => name !== first))]
  // Each pair has one of the first two machines, where every service has a pod.
  const [one, other] = chance.pick([
    [0, 1],
    [1, 2],
    [0, 3],
    [0, 2],
  ] as const)
  const hosts: readonly string[] = [METAL_HOSTS[one], METAL_HOSTS[other]]
  const hosting = hostedApart(hostingOf(topology, chance), METAL_HOSTS, names)
  const delay_s = chance.whole(30, 100)
  const growing_s = chance.whole(20, 80)
  const share = chance.between(0.6, 0.9)
  const slower = chance.between(4, 12)
  const few = 4_096
  const limit = (since_s: number): number => (since_s < -delay_s ? FOLLOWED_LIMIT : few)
  const followed = (since_s: number): number =>
    since_s < -delay_s ? FOLLOWED : FOLLOWED + (few - FOLLOWED) * progress(since_s + delay_s, delay_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'node', 'network'], entity: HOST_CONFIG, places: hosts },
    ...{ topology, delay_s, hosting },
    culprits: [
      hostSettings(
        'base',
        ['net.netfilter.nf_conntrack_max = {{ conntrack_max }}'],
        [`net.netfilter.nf_conntrack_max = {{ network.conntrack_max | default(${few}) }}`],
        chance.pick(['Settings of machines by group', 'One template for all machines', 'Network by group']),
        chance,
      ),
    ],
    undisturbed: names,
    lines: hosts.flatMap((part) => [
      {
        ...{ part, per_minute: 8, after_s: 2, severity: 'WARN' },
        message: 'kernel: nf_conntrack: nf_conntrack: table full, dropping packet',
      },
      {
        ...{ part, per_minute: 12, after_s: -delay_s, until_s: 10 - delay_s, severity: 'INFO' },
        message: 'ansible-pull: base changed 3 of 41 tasks',
      },
    ]),
    gauges: hosts.flatMap((entity) => [
      {
        ...{ entity, name: 'node_nf_conntrack_entries_limit', unit: '1', decides: true },
        level: limit,
      },
      { ...{ entity, name: 'node_nf_conntrack_entries', unit: '1', decides: true }, level: followed },
      {
        ...{ entity, name: 'node_conntrack_used_ratio', unit: '1', labels: { node: entity }, decides: true },
        level: (since_s: number) => Math.min(1, followed(since_s) / limit(since_s)),
      },
    ]),
    working: (part, pod, since_s) => {
      if (!names.includes(part) || since_s < delay_s || !hosts.includes(hosting.on(part, pod))) return {}
      const grown = progress(since_s - delay_s, growing_s)
      return { own_errors: share * grown, own_factor: 1 + (slower - 1) * grown }
    },
  }
}

/**
 * What parts find each other by is brought to another version, as was planned. Its members do not find each other any more;
 * session after session ends, and services no longer learn who has what they look for.
 */
const coordinationUpgrade: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  if (candidates.length < 2) return null
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.6))
  const delay_s = chance.whole(30, 120)
  const growing_s = chance.whole(60, 200)
  const share = chance.between(0.3, 0.6)
  const slower = chance.between(6, 20)
  const grown = (since_s: number): number => progress(since_s, growing_s)
  const [before, after] = chance.pick([
    ['3.5.10', '3.9.3'],
    ['3.6.4', '3.8.4'],
    ['3.7.2', '3.9.3'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['dependency', 'config', 'code'], entity: ENSEMBLE, topology, delay_s },
    places: ENSEMBLE_MEMBERS,
    culprits: [ensembleUpgrade(ENSEMBLE, [before, after], chance.is(0.6) ? ENSEMBLE : undefined)],
    undisturbed: hit,
    lines: [
      ...hit.map((part) => ({
        ...{ part, per_minute: 8, after_s: 5 },
        message:
          'org.apache.zookeeper.KeeperException$ConnectionLossException: KeeperErrorCode = ConnectionLoss for /queues/owners',
      })),
      ...ENSEMBLE_MEMBERS.map((part, index) => ({
        ...{ part, per_minute: 4, after_s: 3, severity: 'WARN' },
        message: `QuorumCnxManager: Cannot open channel to ${((index + 1) % ENSEMBLE_MEMBERS.length) + 1} at election address (java.net.ConnectException: Connection refused)`,
      })),
    ],
    gauges: [
      ...ENSEMBLE_MEMBERS.flatMap((entity) => [
        {
          ...{ entity, name: 'quorum_size', unit: '1', decides: true },
          level: (since_s: number) => (since_s < 0 ? QUORUM : 1),
        },
        {
          ...{ entity, name: 'num_alive_connections', unit: '1', decides: true },
          level: (since_s: number) => SESSIONS * (1 - 0.95 * grown(since_s)),
        },
        {
          ...{ entity, name: 'outstanding_requests', unit: '1', decides: true },
          level: (since_s: number) => OUTSTANDING + 600 * grown(since_s),
        },
      ]),
      ...hit.map((part) => ({
        ...{ entity: part, name: 'sends_stalled', unit: '1', decides: true },
        level: (since_s: number) => STALLED + 6 * grown(since_s) * Math.max(0, since_s),
      })),
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= delay_s
        ? {
            own_errors: share * grown(since_s - delay_s),
            own_factor: 1 + (slower - 1) * grown(since_s - delay_s),
          }
        : {},
  }
}

/** The families of the twenty-second generation whose cause is a change. */
export const TWENTY_SECOND_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'refused-changes': amongTwentySecondSurroundings(refusedChanges),
  'discarded-mails': amongTwentySecondSurroundings(discardedMails),
  'stalled-senders': amongTwentySecondSurroundings(stalledSenders),
  'misconfigured-hosts': amongTwentySecondSurroundings(misconfiguredHosts),
  'coordination-upgrade': amongTwentySecondSurroundings(coordinationUpgrade),
}
