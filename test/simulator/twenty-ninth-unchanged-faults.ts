/**
 * Families of the twenty-ninth generation that no change of one's own caused, each as a published report of one organisation
 * has it: a unit of storage that is lost, machines that a provider's network does not reach, a machine that is taken away as
 * a payment is said to be missing, mails that nobody else sends any more, and a link that is flooded. They were written
 * without knowledge of the engine; docs/simulator/twenty-ninth.md names the reports and the rule of choice.
 */
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { BALANCER } from './seventh-surroundings.ts'
import { harmlessLimits } from './twenty-eighth-surroundings.ts'
import {
  amongTwentyNinthSurroundings,
  DIALERS,
  DISCARDED,
  DROPPED,
  dialerProbe,
  exportOf,
  FORUM_MAILS,
  HELD_EACH,
  HOSTER,
  HOSTING_ACCOUNT,
  ISP,
  LINK,
  LINK_PORT,
  LINK_ROUTER,
  LOST,
  MAIL_RELAY,
  MAIL_WORKER,
  MAILS_BESIDE,
  NFS_TIMEOUTS,
  PACKETS_IN,
  PAGES_CREATED,
  PROCESSES_RUNNING,
  queueOf,
  RENTED_HOST,
  SERVERS_RUNNING,
  STORAGE_UNITS,
  TRUNK_VENDOR,
  UPLOADED,
  unitProbe,
  VOICE_LOST,
  VOLUMES_ONLINE,
  WAITING_MAIL,
} from './twenty-ninth-surroundings.ts'
import { presenceOf } from './twenty-seventh-surroundings.ts'
import { backendOf, STYLE_BALANCER } from './twenty-sixth-surroundings.ts'

/** One until something is gone for good. */
const untilGone = (since_s: number): number => (since_s < 0 ? 1 : 0)

/** Seconds that something has run, until nobody gets to it any more. */
const runningUntilGone = (since_s: number): number => (since_s < 0 ? RUNNING_S + since_s : Number.NaN)

/**
 * One of the units that keep what mailboxes hold does not answer any more. Whose mail lies there meets errors, and nobody else
 * does; what is sent to them waits.
 */
const lostStorageUnit: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.3))
  const unit = chance.pick(STORAGE_UNITS)
  const share = chance.between(0.2, 0.36)
  const noticed_s = chance.whole(20, 60)
  const waiting = chance.between(1.5, 4)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'data', 'dependency', 'capacity'], entity: unit, topology },
    elsewhere: [{ ...harmlessLimits(chance.pick(hit), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: hit,
    lines: [
      ...hit.flatMap((part) => [
        {
          ...{ part, per_minute: 3, after_s: noticed_s, decides: true },
          message: `kernel: nfs: server ${unit} not responding, timed out`,
        },
        {
          ...{ part, per_minute: 8, after_s: 4, decides: true },
          message: `imap-login: user u${chance.whole(10_000, 99_000)}: stat(/accounts/${unit}/INBOX) failed: Input/output error`,
        },
      ]),
      {
        ...{ part: MAIL_RELAY, per_minute: 3, after_s: 40, severity: 'WARN', decides: true },
        message:
          'postfix/lmtp: status=deferred (mail for this account cannot be stored now, /accounts is not reachable)',
      },
    ],
    gauges: [
      {
        ...{ entity: unit, name: 'probe_success', unit: '1', labels: unitProbe(unit), decides: true },
        level: untilGone,
      },
      {
        ...{ entity: unit, name: 'storage_volumes_online', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? VOLUMES_ONLINE : Number.NaN),
      },
      ...hit.map((entity) => ({
        ...{ entity, name: 'node_mountstats_nfs_operations_major_timeouts_total:rate1m', unit: '/s' },
        ...{ labels: exportOf(unit), decides: true },
        level: (since_s: number) => NFS_TIMEOUTS + 4 * progress(since_s, noticed_s),
      })),
      {
        ...{ entity: MAIL_RELAY, name: 'postfix_showq_message_size_bytes_count', unit: '1' },
        ...{ labels: queueOf('deferred'), decides: true },
        level: (since_s) => WAITING_MAIL + waiting * Math.max(0, since_s - 20),
      },
    ],
    working: (part, _pod, since_s) => (hit.includes(part) && since_s >= 0 ? { own_errors: share } : {}),
  }
}

/**
 * All but one of the machines that hold connections to the networks of others stand with one provider, and its network does
 * not get to them any more. They run on there; who is connected through them is not any more, and the one that is left has
 * no room for all.
 */
const isolatedDialers: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.35))
  const left = chance.pick(DIALERS)
  const lost = DIALERS.filter((machine) => machine !== left)
  const share = chance.between(0.62, 0.86)
  const told_s = chance.whole(600, 1_300)
  const falling_s = chance.whole(30, 90)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['network', 'dependency', 'infra'], entity: ISP, topology },
    places: lost,
    elsewhere: [{ ...harmlessLimits(chance.pick(hit), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: hit,
    lines: hit.flatMap((part) => [
      {
        ...{ part, per_minute: 7, after_s: 4, decides: true },
        message: `no connection to ${chance.pick(lost)}: connect ETIMEDOUT 203.0.113.${chance.whole(10, 80)}:4502`,
      },
      {
        ...{ part, per_minute: 4, after_s: 20, severity: 'WARN', decides: true },
        message: `user is disconnected from network ${chance.whole(100, 900)}, no place is left to connect from`,
      },
    ]),
    gauges: [
      ...lost.flatMap((machine) => [
        {
          ...{ entity: machine, name: 'probe_success', unit: '1', labels: dialerProbe(machine) },
          ...{ decides: true, level: untilGone },
        },
        {
          ...{ entity: machine, name: 'outbound_connections_open', unit: '1', decides: true },
          level: (since_s: number) => (since_s < 0 ? HELD_EACH : Number.NaN),
        },
        {
          ...{ entity: machine, name: 'node_uptime_seconds', unit: 's', labels: { node: machine } },
          ...{ decides: true, level: runningUntilGone },
        },
      ]),
      {
        ...{ entity: left, name: 'outbound_connections_open', unit: '1', decides: true },
        level: (since_s) => HELD_EACH * (1 + 0.3 * progress(since_s, 300)),
      },
      ...hit.map((entity) => ({
        ...{ entity, name: 'outbound_disconnects_total:rate1m', unit: '/s', decides: true },
        level: (since_s: number) => {
          if (since_s < 0) return DROPPED
          return DROPPED + (since_s < falling_s + 60 ? 640 : 14)
        },
      })),
    ],
    events: [
      {
        ...{ after_s: told_s, kind: 'notification', reason: 'state', name: ISP, decides: true },
        message: `${ISP}: some customers are not reachable, a technician is asked to go there`,
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0 ? { own_errors: share * progress(since_s, falling_s) } : {},
  }
}

/**
 * Who rents out a machine takes it for unpaid, and takes it away with all that runs there. The account says so; everybody else
 * only that the machine is not there.
 */
const unpaidHost: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const invoice = chance.whole(20_000, 90_000)
  const due_s = chance.whole(1_500, 3_600)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'node', 'config', 'dependency'], entity: RENTED_HOST, topology },
    ...{ places: [name, HOSTER, HOSTING_ACCOUNT], isHosting: true },
    hosting: hostedApart(hostingOf(topology, chance), [RENTED_HOST], [name]),
    undisturbed: [name, ...callers],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 3, decides: true },
      message: `connect EHOSTUNREACH ${name}.${RENTED_HOST}.internal:8080`,
    })),
    gauges: [
      ...presenceOf(name, pods, (since_s) => (since_s < 0 ? pods : 0)),
      {
        ...{ entity: RENTED_HOST, name: 'node_uptime_seconds', unit: 's', labels: { node: RENTED_HOST } },
        ...{ decides: true, level: runningUntilGone },
      },
      {
        ...{
          entity: RENTED_HOST,
          name: 'node_conntrack_used_ratio',
          unit: '1',
          labels: { node: RENTED_HOST },
        },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? 0.27 : Number.NaN) },
      },
      {
        ...{ entity: RENTED_HOST, name: 'node_ready', unit: '1', labels: { node: RENTED_HOST } },
        ...{ decides: true, level: untilGone },
      },
      {
        ...{ entity: HOSTING_ACCOUNT, name: 'account_invoices_overdue', unit: '1', decides: true },
        level: (since_s) => (since_s < -due_s ? 0 : 1),
      },
      {
        ...{ entity: HOSTING_ACCOUNT, name: 'account_servers_running', unit: '1', decides: true },
        level: (since_s) => SERVERS_RUNNING - (since_s < 0 ? 0 : 1),
      },
    ],
    k8s: [notReady(RENTED_HOST, 40)],
    events: [
      {
        ...{ after_s: 2, kind: 'notification', reason: 'state', name: RENTED_HOST, service: HOSTER },
        ...{ decides: true, message: `${RENTED_HOST}: server is terminated, invoice ${invoice} is not paid` },
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { is_away: true } : {}),
  }
}

/**
 * Who runs the processes of others takes away those that send the mails of a forum, by a setting of its own. Who shows pages
 * sends the mails then, beside its work; meanwhile one user sends the same large file again and again, and others make pages
 * by a program. None of it alone would be too much.
 */
const absentMailer: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const made = sized(topology, name, chance.between(1.5, 1.8))
  const workers = made.parts.find((part) => part.name === name)?.workers ?? 0
  const uploading_s = chance.whole(60, 180)
  const making_s = chance.whole(150, 330)
  const by_mails = chance.between(0.2, 0.3)
  const by_uploads = chance.between(0.15, 0.25)
  const more = chance.between(0.3, 0.6)
  const created = chance.between(20, 45)
  const mailing = (since_s: number): number => progress(since_s, 40)
  const uploading = (since_s: number): number => progress(since_s - uploading_s, 30)
  const making = (since_s: number): number => progress(since_s - making_s, 120)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'provider', 'traffic', 'config'], entity: name, topology: made },
    ...{ places: [MAIL_WORKER], isDemand: true },
    elsewhere: [{ ...harmlessLimits(name, chance), after_s: -chance.whole(120, 480) }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 6, after_s: 3, severity: 'INFO', decides: true },
        message: 'no process takes queue mailers, performing ForumMailer here',
      },
      {
        ...{ part: name, per_minute: 2, after_s: uploading_s, severity: 'WARN', decides: true },
        message: `upload of 5368709120 bytes by user ${chance.whole(10_000, 99_000)}: it is not a picture, refused at its end`,
      },
      {
        ...{ part: name, per_minute: 5, after_s: making_s, severity: 'INFO', decides: true },
        message: `POST /plan/characters by user ${chance.whole(10_000, 99_000)}, ${chance.whole(9_000, 40_000)} pages of theirs are listed anew`,
      },
    ],
    gauges: [
      {
        ...{ entity: MAIL_WORKER, name: 'worker_processes_running', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? PROCESSES_RUNNING : 0),
      },
      {
        ...{ entity: MAIL_WORKER, name: 'notification_mails_sent_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => (since_s < 0 ? FORUM_MAILS : Number.NaN),
      },
      {
        ...{ entity: name, name: 'notification_mails_sent_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => MAILS_BESIDE + FORUM_MAILS * 0.8 * mailing(since_s),
      },
      {
        ...{ entity: name, name: 'upload_bytes_total:rate1m', unit: 'By/s', decides: true },
        level: (since_s) => UPLOADED * (1 + 44 * uploading(since_s)),
      },
      {
        ...{ entity: name, name: 'pages_created_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => PAGES_CREATED + created * making(since_s),
      },
      // Whoever hands requests on to it counts those that a program makes as well.
      {
        ...{ entity: BALANCER, name: 'balancer_target_requests_per_second', unit: '/s', decides: true },
        ...{ labels: { target: name }, level: (since_s) => asked * (1 + more * making(since_s)) },
      },
      {
        ...{ entity: STYLE_BALANCER, name: 'haproxy_backend_http_requests_total:rate1m', unit: '/s' },
        ...{ labels: backendOf(name), decides: true },
        level: (since_s) => asked * (1 + more * making(since_s)),
      },
    ],
    events: [
      {
        ...{ after_s: 1, kind: 'notification', reason: 'state', name: MAIL_WORKER, decides: true },
        message: `${MAIL_WORKER}: formation is 0, set by the platform`,
      },
    ],
    arriving: (part, since_s) => (part === name ? asked * more * making(since_s) : 0),
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      const taken = by_mails * mailing(since_s) + by_uploads * uploading(since_s)
      return { workers: workers * (1 - taken), cpu_factor: 1 + 3 * taken }
    },
  }
}

/**
 * Somebody else who sends over the same link sends many times as many packets as ever, and the router at its end has no buffers
 * left for them: of all that comes over it a part is lost. Who has another way in notices nothing.
 */
const floodedLink: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ name }) => callersOf(topology, name).length > 0)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const all = callersOf(topology, name).map((caller) => caller.name)
  const first = chance.pick(all)
  const hit = all.filter((caller) => caller === first || chance.is(0.5))
  const share = chance.between(0.25, 0.45)
  const late_ms = chance.between(250, 600)
  const rising_s = chance.whole(20, 120)
  const flood = PACKETS_IN * chance.between(14, 26)
  const flooded = (since_s: number): number => progress(since_s, rising_s)
  /** It comes in waves, none of which lasts as long as it would take to empty all buffers. */
  const wave = (since_s: number): number => flooded(since_s) * (1 + 0.12 * Math.sin(since_s / 47))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['traffic', 'dependency', 'provider', 'infra'], entity: LINK, topology },
    places: [LINK_ROUTER, TRUNK_VENDOR],
    undisturbed: [name, ...hit],
    lines: [
      {
        ...{ part: LINK_ROUTER, per_minute: 5, after_s: 5, decides: true },
        message: 'fpc0: et-0/0/3: no buffers are available, packets of all queues are dropped',
      },
      {
        ...{ part: LINK_ROUTER, per_minute: 1, after_s: 30, severity: 'WARN', decides: true },
        message: `flow: 91 % of packets on et-0/0/3 are from ${TRUNK_VENDOR}, 72 bytes each`,
      },
      ...hit.map((part) => ({
        ...{ part, per_minute: 7, after_s: 8, severity: 'WARN', decides: true },
        message: `RTP: ${(100 * share).toFixed(0)} % of packets are lost on calls with ${name}, jitter of ${late_ms.toFixed(0)} ms`,
      })),
    ],
    gauges: [
      {
        ...{ entity: LINK, name: 'link_packet_loss_ratio', unit: '1', decides: true },
        level: (since_s) => LOST + share * wave(since_s),
      },
      {
        ...{ entity: LINK_ROUTER, name: 'ifHCInUcastPkts:rate1m', unit: '/s', labels: LINK_PORT },
        ...{ decides: true, level: (since_s) => PACKETS_IN + flood * wave(since_s) },
      },
      {
        ...{ entity: LINK_ROUTER, name: 'ifInDiscards:rate1m', unit: '/s', labels: LINK_PORT },
        ...{ decides: true, level: (since_s) => DISCARDED + share * (PACKETS_IN + flood) * wave(since_s) },
      },
      ...hit.flatMap((entity) => [
        {
          ...{ entity, name: 'rtp_packets_lost_ratio', unit: '1', decides: true },
          level: (since_s: number) => VOICE_LOST + share * wave(since_s),
        },
        {
          ...{ entity, name: 'tcp_retransmits_per_second', unit: '/s', decides: true },
          level: (since_s: number) => 0.5 + 70 * share * wave(since_s),
        },
      ]),
    ],
    working: (part, _pod, since_s) => {
      if (!hit.includes(part) || since_s < 0) return {}
      const now = flooded(since_s)
      return { cut_off: { to: name, share: share * now }, on_way: { to: [name], ms: late_ms * now } }
    },
  }
}

/** The families of the twenty-ninth generation that no change of one's own caused. */
export const TWENTY_NINTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'lost-storage-unit': amongTwentyNinthSurroundings(lostStorageUnit),
  'isolated-dialers': unmeasuredWhileGone(amongTwentyNinthSurroundings(isolatedDialers)),
  'unpaid-host': unmeasuredWhileGone(amongTwentyNinthSurroundings(unpaidHost)),
  'absent-mailer': amongTwentyNinthSurroundings(absentMailer),
  'flooded-link': amongTwentyNinthSurroundings(floodedLink),
}
