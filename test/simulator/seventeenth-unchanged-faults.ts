/**
 * Families of the seventeenth generation that no change of one's own caused, each as a published report of one organisation
 * has it: what feeds a rack does not take over and a switch is without power, devices that come by another way because the
 * first is slow, a member that its host's switch cuts off while its clients go to the others, a session that ends at a
 * messenger, and an array of which a third disk fails. They were written without knowledge of the engine;
 * docs/simulator/seventeenth.md names the reports and the rule of choice.
 */
import { DATA_MOUNT, probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import {
  ACTIVE_DISKS,
  ARRAY_DISKS,
  ASKED_OTHERWISE,
  amongSeventeenthSurroundings,
  COLOCATION,
  devicesOf,
  FAILED_DISKS,
  HELD_OPEN,
  LOGGED_IN,
  MEMBERS,
  MESSENGER,
  memberOf,
  NEWLY_OPEN,
  ON_LINE,
  RACK_PORT,
  RACK_SUPPLY,
  RACK_SWITCH,
  TAKEN_EACH,
  TICKS_A_SECOND,
  UPPER_SWITCH,
  VOLTS,
  WAITING_REQUESTS,
} from './seventeenth-surroundings.ts'

/** Milliseconds after which nobody waits for an answer any more. */
const NEVER_MS = 6_000

/**
 * The mains of a rack fail for a moment, and what should feed it then does not take over. A switch is without power; the
 * machines behind it run on by their other supply, out of everybody's reach, until somebody leads the power past it.
 */
const unpoweredSwitch: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  const members = [...new Set([chance.pick(called), chance.pick(called)])]
  const names = members.map(({ name }) => name)
  const nodes = Array.from({ length: 2 }, () => `rack-2b-${chance.whole(10, 99)}`)
  if (new Set(nodes).size < 2) return null
  const callers = [...new Set(names.flatMap((name) => callersOf(topology, name)))].filter(
    ({ name }) => !names.includes(name),
  )
  const away_s = chance.whole(420, 700)
  const starting_s = chance.whole(60, 110)
  const address = chance.whole(4, 90)
  const isGone = (since_s: number): boolean => since_s >= 0 && since_s < away_s
  const isThere = (since_s: number): number => (isGone(since_s) ? 0 : 1)
  const powered_s = away_s - starting_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'node'], entity: RACK_SWITCH, isHosting: true, topology },
    places: [RACK_SUPPLY, ...nodes],
    hosting: hostedApart(hostingOf(topology, chance), nodes, names),
    undisturbed: names,
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 9, after_s: 4, until_s: away_s, decides: true },
        message: `dial tcp 10.46.2.${address}:8080: connect: no route to host`,
      })),
      {
        ...{ part: UPPER_SWITCH, per_minute: 6, until_s: 60, severity: 'WARN', decides: true },
        message: '%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/12 is down (Link failure)',
      },
      {
        ...{ part: RACK_SUPPLY, per_minute: 4, until_s: 90, severity: 'WARN', decides: true },
        message: 'upsmon: UPS rack-2b@localhost: output is off, transfer to battery did not complete',
      },
    ],
    gauges: [
      {
        ...{ entity: RACK_SUPPLY, name: 'network_ups_tools_ups_status', unit: '1', labels: ON_LINE },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? 1 : 0) },
      },
      {
        ...{ entity: RACK_SUPPLY, name: 'network_ups_tools_output_voltage', unit: 'V', decides: true },
        level: (since_s) => (since_s < 0 ? VOLTS : 0),
      },
      {
        ...{ entity: RACK_SWITCH, name: 'sysUpTime', unit: '1', decides: true },
        level: (since_s) =>
          isGone(since_s)
            ? Number.NaN
            : TICKS_A_SECOND * (since_s < 0 ? RUNNING_S + since_s : since_s - powered_s),
      },
      {
        ...{ entity: UPPER_SWITCH, name: 'ifOperStatus', unit: '1', labels: RACK_PORT, decides: true },
        level: (since_s) => (since_s >= 0 && since_s < powered_s ? 2 : 1),
      },
      ...members.flatMap(({ name, pods }): readonly Gauge[] => [
        { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
        {
          ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
          level: (since_s) => pods * isThere(since_s),
        },
        {
          ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
          level: isThere,
        },
      ]),
      ...nodes.map((node) => ({
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: (since_s: number) => (isGone(since_s) ? Number.NaN : RUNNING_S + since_s),
      })),
    ],
    k8s: nodes.map((node, index) => notReady(node, 41 + 3 * index)),
    working: (part, _pod, since_s) => (names.includes(part) && isGone(since_s) ? { is_away: true } : {}),
  }
}

/**
 * Devices hold more and more connections open to one service, until it answers too late. They connect again and again, and
 * after some tries ask another service for their settings by the way that is there for emergencies, all of them at once.
 */
const devicesFallBack: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  const first = chance.pick(called)
  const apart = called.filter(
    ({ name, calls }) =>
      name !== first.name &&
      !calls.some(({ to }) => to === first.name) &&
      !first.calls.some(({ to }) => to === name),
  )
  if (apart.length === 0) return null
  const second = chance.pick(apart)
  const made = sized(sized(topology, first.name, 1.45), second.name, chance.between(1.8, 2.4))
  const arrivals = arrivalsOf(topology)
  const [usual, other] = [arrivals.get(first.name) ?? 0, arrivals.get(second.name) ?? 0]
  const growing_s = chance.whole(900, 1_500)
  const falling_back_s = chance.whole(120, 240)
  const spreading_s = chance.whole(60, 160)
  const again = chance.between(1.1, 1.9)
  const otherwise = chance.between(2.2, 3.6)
  const open = HELD_OPEN * chance.between(0.9, 1.2)
  const grown = open * chance.between(0.55, 0.85)
  const back = (since_s: number): number => usual * again * progress(since_s, 100)
  const asking = (since_s: number): number =>
    other * otherwise * progress(since_s - falling_back_s, spreading_s)
  const tries = chance.whole(4, 6)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['traffic'], entity: first.name, places: [second.name] },
    ...{ topology: made, isDemand: true },
    undisturbed: [first.name, second.name],
    arriving: (part, since_s) =>
      part === first.name ? back(since_s) : part === second.name ? asking(since_s) : 0,
    lines: [
      {
        ...{ part: first.name, per_minute: 10, after_s: 10, severity: 'WARN', decides: true },
        message: `device ${chance.whole(1_000, 9_000)} reconnected after ${tries} tries, the one before was closed: ping timeout`,
      },
      {
        ...{ part: second.name, per_minute: 10, severity: 'WARN', decides: true },
        ...{ after_s: falling_back_s },
        message: `settings asked for over HTTP by device ${chance.whole(1_000, 9_000)}: socket gave up after ${tries} tries`,
      },
    ],
    gauges: [
      {
        ...{ entity: first.name, name: 'haproxy_frontend_current_sessions', unit: '1' },
        ...{ labels: devicesOf(first.name), decides: true },
        level: (since_s) =>
          since_s < 0
            ? open + grown * progress(since_s + growing_s, growing_s)
            : (open + grown) * (1 - 0.4 * progress(since_s, 200)),
      },
      {
        ...{ entity: first.name, name: 'haproxy_frontend_connections_total:rate1m', unit: '/s' },
        ...{ labels: devicesOf(first.name), decides: true },
        level: (since_s) =>
          NEWLY_OPEN + 6 * progress(since_s + growing_s, growing_s) + (since_s < 0 ? 0 : back(since_s)),
      },
      {
        ...{ entity: first.name, name: 'haproxy_backend_current_queue', unit: '1' },
        ...{ labels: devicesOf(first.name), decides: true },
        level: (since_s) => WAITING_REQUESTS + 90 * progress(since_s, 90),
      },
      {
        ...{ entity: second.name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s' },
        ...{ labels: { uri: '/v1/devices/settings' }, decides: true },
        level: (since_s) => ASKED_OTHERWISE + (since_s < 0 ? 0 : asking(since_s)),
      },
    ],
    working: () => ({}),
  }
}

/**
 * A switch of the host cuts off one of the three members of a service. Its clients connect to the two that are left; these
 * have no place for so many new ones at once, and answer nobody any more, one after the other.
 */
const lostMember: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const made = withParts(topology, { [name]: { pods: MEMBERS.length } })
  const own_ms = made.parts.find((part) => part.name === name)?.own_ms ?? 10
  const base = hostingOf(made, chance)
  const member = `colo-${chance.whole(10, 99)}-${chance.whole(100, 999)}`
  const port = `sw-hall4-${chance.whole(1, 24)}`
  const hangs_s = [0, chance.whole(70, 160), chance.whole(200, 380)] as const
  const hanging_s = chance.whole(20, 60)
  const usual = arrivalsOf(made).get(name) ?? 0
  const surge = chance.between(0.35, 0.7)
  const address = chance.whole(4, 90)
  const noted_s = chance.whole(420, 840)
  const hung = (pod: number, since_s: number): number => progress(since_s - (hangs_s[pod] ?? 0), hanging_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['infra', 'node', 'provider', 'capacity'], entity: name },
    ...{ isHosting: true, topology: made },
    places: [member, port, COLOCATION],
    hosting: {
      nodes: [...base.nodes, member],
      on: (part, pod) => (part === name && pod === 0 ? member : base.on(part, pod)),
    },
    undisturbed: [name],
    arriving: (part, since_s) => (part === name ? usual * surge * progress(since_s, 60) : 0),
    lines: [
      ...callersOf(made, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 6, after_s: 5, decides: true },
        message: `member 0 of ${name} (172.27.4.${address}:443): i/o timeout, asking another`,
      })),
      {
        ...{ part: name, per_minute: 9, after_s: 50, severity: 'WARN', decides: true },
        message: `too many handshakes at once: ${chance.whole(900, 4_000)} clients wait for one`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: memberOf(name, 0), decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      ...[1, 2].map((pod) => ({
        ...{ entity: name, name: 'probe_success', unit: '1', labels: memberOf(name, pod), decides: true },
        level: (since_s: number) => (hung(pod, since_s) < 1 ? 1 : 0),
      })),
      ...MEMBERS.map((pod) => ({
        ...{ entity: name, name: 'envoy_listener_downstream_cx_total:rate1m', unit: '/s' },
        ...{ labels: { member: String(pod) }, decides: true },
        level: (since_s: number) =>
          since_s < 0
            ? TAKEN_EACH
            : pod === 0
              ? Number.NaN
              : TAKEN_EACH + 140 * progress(since_s, 45) * (1 - 0.95 * hung(pod, since_s)),
      })),
      {
        ...{ entity: member, name: 'node_uptime_seconds', unit: 's', labels: { node: member } },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN) },
      },
    ],
    k8s: [notReady(member, 43)],
    events: [
      {
        ...{ after_s: noted_s, kind: 'notification', reason: 'state', name: COLOCATION, decides: true },
        message: `${COLOCATION}: switch ${port} does not answer, ${member} is behind it`,
      },
    ],
    working: (part, pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      if (pod === 0) return { is_away: true }
      return { own_factor: 1 + (NEVER_MS / own_ms) * hung(pod, since_s) }
    },
  }
}

/**
 * The session by which one service speaks to a messenger ends there: it is logged out. The messenger is well and answers
 * everybody else; whatever that service asks of it is refused, until somebody logs it in by hand.
 */
const endedSession: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name)
  if (callers.length === 0) return null
  const { name } = chance.pick(callers)
  const share = chance.between(0.95, 0.99)
  const device = chance.whole(2, 60)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency', 'certificate', 'config'], entity: name },
    ...{ places: [provider.name], topology },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 4, until_s: 60, decides: true },
        message: `whatsmeow: Got device removed stream error, sending LoggedOut event and deleting session (device ${device})`,
      },
      {
        ...{ part: name, per_minute: 9, after_s: 5, decides: true },
        message: 'whatsmeow: failed to send message: the store does not contain a device JID',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: LOGGED_IN, unit: '1', labels: MESSENGER, decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      {
        ...{ entity: name, name: 'bridge_connected', unit: '1', labels: MESSENGER, decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { refused: { to: provider.name, share } } : {},
  }
}

/**
 * One of the disks of an array has not worked for long, and nobody has seen its light. A second one fails, and a third: the
 * array is gone, and the store on it ends and does not come back.
 */
const failedArray: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const host = `${name}-host`
  const second_s = chance.whole(40, 260)
  const ends_s = chance.whole(5, 30)
  const [one, other] = chance.pick([
    ['sdd', 'sdf'],
    ['sde', 'sdg'],
    ['sdc', 'sdh'],
  ] as const)
  const sector = chance.whole(1_000_000, 90_000_000)
  const failed = (since_s: number): number => (since_s < -second_s ? 1 : since_s < 0 ? 2 : 3)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'data', 'capacity', 'dependency'], entity: name },
    ...{ places: [host], topology },
    undisturbed: callers,
    lines: [
      {
        ...{ part: host, per_minute: 6, until_s: 40, severity: 'ERROR', decides: true },
        message: `md/raid:md2: Disk failure on ${other}, disabling device. md/raid:md2: Cannot continue operation (3/8 failed).`,
      },
      {
        ...{ part: host, per_minute: 6, after_s: 2, until_s: 120, decides: true },
        message: `blk_update_request: I/O error, dev ${one}, sector ${sector} op 0x1:(WRITE) flags 0x800 phys_seg 4 prio class 0`,
      },
      {
        ...{ part: host, per_minute: 5, after_s: 6, until_s: 120, decides: true },
        message: 'EXT4-fs error (device md2): ext4_journal_check_start:83: Detected aborted journal',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 9, after_s: ends_s, decides: true },
        message: 'FATAL: could not open file "global/pg_filenode.map": Input/output error',
      })),
    ],
    gauges: [
      {
        ...{ entity: host, name: 'node_md_disks', unit: '1', labels: FAILED_DISKS, decides: true },
        level: failed,
      },
      {
        ...{ entity: host, name: 'node_md_disks', unit: '1', labels: ACTIVE_DISKS, decides: true },
        level: (since_s) => ARRAY_DISKS - failed(since_s),
      },
      {
        ...{ entity: host, name: 'node_filesystem_readonly', unit: '1', labels: DATA_MOUNT, decides: true },
        level: (since_s) => (since_s < 5 ? 0 : 1),
      },
      {
        ...{ entity: name, name: 'pg_up', unit: '1', decides: true },
        level: (since_s) => (since_s < ends_s ? 1 : 0),
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      return since_s < ends_s ? { own_errors: 0.5 } : { is_away: true }
    },
  }
}

/** The families of the seventeenth generation that no change of one's own caused. */
export const SEVENTEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unpowered-switch': unmeasuredWhileGone(amongSeventeenthSurroundings(unpoweredSwitch)),
  'devices-fall-back': amongSeventeenthSurroundings(devicesFallBack),
  'lost-member': unmeasuredWhileGone(amongSeventeenthSurroundings(lostMember)),
  'ended-session': amongSeventeenthSurroundings(endedSession),
  'failed-array': amongSeventeenthSurroundings(failedArray),
}
