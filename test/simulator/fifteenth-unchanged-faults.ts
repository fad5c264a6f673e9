/**
 * Families of the fifteenth generation that no change caused, each as a published report of one organisation has it: a router
 * whose hardware fails bit by bit, two of the provider's zones that are reached badly, storage of the provider that a store
 * lies on, the one machine of a service, and a disk that fills with what waits for an outside store. They were written
 * without knowledge of the engine; docs/simulator/fifteenth.md names the reports and the rule of choice.
 */
import {
  ACCESS_PORTS,
  ACCESS_ROUTER,
  amongFifteenthSurroundings,
  BUCKET,
  BUSY_WITH,
  DATA_MOUNT,
  DISK,
  ECHO_S,
  FIRST_BYTE_MS,
  FREE_BYTES,
  PORT_DOWN,
  PORT_ERRORS,
  PORT_UP,
  probeOf,
  RESENT,
  SEGMENTS,
  STORAGE,
  spoolOf,
} from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  type Gauge,
  hostedApart,
  hostedSparing,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import { hex } from './simulate-incident.ts'
import { ZONES } from './thirteenth-surroundings.ts'

/**
 * The hardware of a router fails. One of its ports comes and goes all the time, and with it what one service asks of others;
 * the other goes down after some minutes and stays so, and nobody gets to the service behind it.
 */
const bouncingRouter: ProductionFamily = (topology, chance): ProductionFault | null => {
  const behind = chance.pick(inner(topology))
  const callers = callersOf(topology, behind.name).map((caller) => caller.name)
  const others = inner(topology).filter(
    ({ name, calls }) => name !== behind.name && !callers.includes(name) && calls.length > 0,
  )
  if (others.length === 0) return null
  const other = chance.pick(others)
  const to = other.calls.map((call) => call.to)
  const down_s = chance.whole(60, 240)
  const every_s = chance.whole(70, 140)
  const part_down = chance.between(0.45, 0.65)
  const [last, first] = ACCESS_PORTS
  const errors = chance.between(40, 300)
  const [host, asked] = [chance.whole(4, 90), chance.whole(4, 90)]
  const comes = (since_s: number): boolean => since_s < 0 || (since_s / every_s) % 1 >= part_down
  const stays = (since_s: number): boolean => since_s < down_s
  const port = (ifDescr: string, isUp: (since_s: number) => boolean): readonly Gauge[] => [
    {
      ...{ entity: ACCESS_ROUTER, name: 'ifOperStatus', unit: '1', labels: { ifDescr }, decides: true },
      level: (since_s) => (isUp(since_s) ? PORT_UP : PORT_DOWN),
    },
    {
      ...{ entity: ACCESS_ROUTER, name: 'ifInErrors:rate1m', unit: '/s', labels: { ifDescr }, decides: true },
      level: (since_s) => PORT_ERRORS + (since_s < -30 || !isUp(since_s) ? 0 : errors),
    },
  ]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'node'], entity: ACCESS_ROUTER, topology },
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: down_s, decides: true },
        message: `dial tcp 10.40.6.${host}:8080: connect: no route to host`,
      })),
      {
        ...{ part: other.name, per_minute: 8, after_s: 10, decides: true },
        message: `read tcp 10.40.7.${asked}:41532->10.40.2.9:8080: read: connection timed out`,
      },
      {
        ...{ part: ACCESS_ROUTER, per_minute: 4, severity: 'WARN', decides: true },
        message: `%BGP-5-ADJCHANGE: neighbor 10.48.0.${asked} Down Interface flap`,
      },
      {
        ...{ part: ACCESS_ROUTER, per_minute: 1.5, after_s: 15, decides: true },
        message: '%DBUS-3-DBUSINTERR: Slot 2, Internal Error',
      },
      {
        ...{ part: ACCESS_ROUTER, per_minute: 2, after_s: down_s, severity: 'WARN', decides: true },
        message: `%LINK-3-UPDOWN: Interface ${last}, changed state to down`,
      },
    ],
    gauges: [
      ...port(first, comes),
      ...port(last, stays),
      {
        ...{ entity: behind.name, name: 'probe_success', unit: '1', decides: true },
        ...{ labels: probeOf(behind.name), level: (since_s) => (stays(since_s) ? 1 : 0) },
      },
      {
        ...{ entity: behind.name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
        level: (since_s) => (stays(since_s) ? behind.pods : 0),
      },
    ],
    working: (part, _pod, since_s) => {
      if (callers.includes(part) && !stays(since_s)) return { cut_off: { to: behind.name, share: 0.97 } }
      if (part === other.name && !comes(since_s)) return { cut_off: { to, share: 0.97 } }
      return {}
    },
  }
}

/**
 * Devices of the provider's network fail in two of its three zones. What has to get into them or out of them takes long or
 * is lost, for everybody; the provider says so only after the window.
 */
const twoZones: ProductionFamily = (topology, chance): ProductionFault | null => {
  const base = hostingOf(topology, chance)
  const offset = chance.whole(0, 2)
  const spared = chance.whole(0, 2)
  const zoneOf = (node: string): number => (base.nodes.indexOf(node) + offset) % ZONES.length
  const there = base.nodes.filter((node) => zoneOf(node) !== spared)
  const elsewhere = base.nodes.filter((node) => zoneOf(node) === spared)
  const [zone, second] = ZONES.filter((_, index) => index !== spared)
  if (zone === undefined || second === undefined || elsewhere.length === 0) return null
  const services = topology.parts.filter(({ kind, calls }) => kind === 'service' && calls.length > 0)
  const growing_s = chance.whole(20, 90)
  const share = chance.between(0.2, 0.4)
  const way_ms = chance.whole(250, 800)
  const resent = chance.between(60, 220)
  const store = chance.whole(4, 60)
  const lost = (since_s: number): number =>
    progress(since_s, growing_s) * (0.8 + 0.2 * Math.sin(since_s / 50))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['network', 'infra', 'node'], entity: zone, isHosting: true, topology },
    places: [second, ...there],
    hosting: hostedSparing(base, topology, elsewhere),
    lines: services.flatMap(({ name }, index) => [
      {
        ...{ part: name, per_minute: 6, after_s: 20, decides: true },
        message:
          index % 2 === 0
            ? `dial tcp 10.40.3.${store}:8080: i/o timeout`
            : `Get "http://10.40.3.${store}:8080/v1/items": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
      },
    ]),
    gauges: [
      ...[zone, second].flatMap((entity): Gauge[] => [
        {
          ...{ entity, name: 'probe_icmp_duration_seconds', unit: 's', decides: true },
          ...{ labels: { phase: 'rtt' }, level: (since_s) => ECHO_S + (way_ms / 1_000) * lost(since_s) },
        },
        {
          ...{ entity, name: 'probe_success', unit: '1', decides: true },
          ...{ labels: { target: entity }, level: (since_s) => 1 - 1.3 * share * lost(since_s) },
        },
      ]),
      ...there.map((node) => ({
        ...{ entity: node, name: 'node_netstat_Tcp_RetransSegs:rate1m', unit: '/s', labels: { node } },
        ...{ decides: true, level: (since_s: number) => RESENT + resent * lost(since_s) },
      })),
    ],
    working: (part, pod, since_s) => {
      const calls = services.find(({ name }) => name === part)?.calls
      if (calls === undefined || since_s < 0) return {}
      const to = calls.map((call) => call.to)
      // Who runs in the third zone still has to get into the other two for most of what it asks.
      const as_much = there.includes(base.on(part, pod)) ? 1 : 0.6
      return {
        on_way: { to, ms: way_ms * as_much * lost(since_s) },
        cut_off: { to, share: share * as_much * lost(since_s) },
      }
    },
  }
}

/**
 * The provider's storage that a store lies on does not answer, and then answers with errors. The store ends, and does not
 * come back; the provider says so minutes later.
 */
const lostStorage: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const host = `${name}-host`
  const ends_s = chance.whole(60, 170)
  const slower = chance.between(60, 160)
  const busy = chance.whole(90, 240)
  const noticed_s = chance.whole(420, 840)
  const [a, b] = [hex(chance).slice(0, 8), hex(chance).slice(0, 12)]
  const address = chance.whole(4, 60)
  const isGone = (since_s: number): boolean => since_s >= ends_s
  const disk = (entity: string): Gauge => ({
    ...{ entity, name: 'node_disk_io_now', unit: '1', labels: DISK, decides: true },
    level: (since_s) => BUSY_WITH + busy * progress(since_s, ends_s),
  })
  const kernel = { part: host, decides: true } as const
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'data', 'dependency', 'node'], entity: STORAGE, topology },
    places: [name, host],
    lines: [
      {
        ...{ ...kernel, per_minute: 6, after_s: 5 },
        message: `hv_storvsc ${a}-1e82-4818-a1c3-${b}: tag#${chance.whole(2, 90)} cmd 0x2a status: scsi 0x2 srb 0x4 hv 0xc0000001`,
      },
      {
        ...{ ...kernel, per_minute: 5, after_s: ends_s - 30 },
        message: `Buffer I/O error on dev sdc1, logical block ${chance.whole(1_000_000, 90_000_000)}, lost sync page write`,
      },
      {
        ...{ ...kernel, per_minute: 6, after_s: ends_s, until_s: ends_s + 60 },
        message: 'EXT4-fs (sdc1): Remounting filesystem read-only',
      },
      {
        ...{ part: name, per_minute: 10, after_s: ends_s - 30, until_s: ends_s, decides: true },
        message: 'PANIC:  could not fdatasync file "00000001000000A30000004F": Input/output error',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 9, after_s: ends_s, decides: true },
        message: `Error: connect ECONNREFUSED 10.48.2.${address}:5432`,
      })),
    ],
    gauges: [
      disk(host),
      disk('reports-host-2'),
      {
        ...{ entity: host, name: 'node_filesystem_readonly', unit: '1', labels: DATA_MOUNT, decides: true },
        level: (since_s) => (isGone(since_s) ? 1 : 0),
      },
      ...['db_up', 'pg_up'].map((measure) => ({
        ...{ entity: name, name: measure, unit: '1', decides: true },
        level: (since_s: number) => (isGone(since_s) ? 0 : 1),
      })),
    ],
    events: [
      {
        ...{ after_s: noticed_s, kind: 'notification', reason: 'state', name: STORAGE, decides: true },
        message:
          'A subset of customers using Storage in West Europe may experience difficulties connecting to resources that are hosted there. Engineers are investigating.',
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      return isGone(since_s) ? { is_away: true } : { own_factor: 1 + slower * progress(since_s, ends_s) }
    },
  }
}

/**
 * The machine that a service runs on alone does not answer any more. It has one pod, and nothing is begun in its place as
 * long as nobody knows whether the old one still runs: who asks it gets nothing.
 */
const singleHost: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const node = `ip-10-40-${20 + chance.whole(0, 9)}-${chance.whole(2, 250)}`
  const alone = sized(withParts(topology, { [name]: { pods: 1 } }), name, chance.between(1.8, 2.6))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const noticed_s = chance.whole(360, 900)
  const address = `${node.slice(3).replaceAll('-', '.')}:50051`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'node', kinds: ['infra', 'provider'], entity: node, places: [name], topology: alone },
    hosting: hostedApart(hostingOf(alone, chance), [node], [name]),
    undisturbed: [name],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 5, decides: true },
      message: `Error: 14 UNAVAILABLE: No connection established. Last error: connect EHOSTUNREACH ${address}`,
    })),
    gauges: [
      ...['up', 'load_balancer_healthy_hosts'].map((measure) => ({
        ...{ entity: name, name: measure, unit: '1', decides: true },
        level: (since_s: number) => (since_s < 0 ? 1 : 0),
      })),
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      {
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      },
      {
        ...{ entity: node, name: 'node_ready', unit: '1', labels: { node }, decides: true },
        level: (since_s) => (since_s < 40 ? 1 : 0),
      },
      {
        ...{ entity: node, name: 'aws_ec2_status_check_failed_system_maximum', unit: '1', labels: { node } },
        ...{ decides: true, level: (since_s) => (since_s < 60 ? 0 : 1) },
      },
    ],
    k8s: [
      notReady(node, 42),
      {
        ...{ after_s: 345, kind: 'Pod', name: `${name}-0`, reason: 'TaintManagerEviction', decides: true },
        message: `Marking for deletion Pod prod/${name}-0`,
      },
    ],
    events: [
      {
        ...{ after_s: noticed_s, kind: 'notification', reason: 'state', name: node, decides: true },
        message: `EC2 has detected degradation of the underlying hardware hosting your Amazon EC2 instance (instance-ID: i-0${hex(chance).slice(0, 9)}) associated with your AWS account`,
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { is_away: true } : {}),
  }
}

/**
 * An outside store takes long to take what a service brings it, so more and more of it waits on a disk, for the better part
 * of an hour. When the disk is full the service can do nothing any more.
 */
const filledSpool: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const filling_s = chance.whole(2_400, 4_000)
  const least = chance.between(0.55, 0.9)
  const slow_ms = chance.whole(500, 1_600)
  const segments = chance.whole(600, 3_000)
  const segment = chance.whole(1_000, 9_999)
  const filled = (since_s: number): number => progress(since_s + filling_s, filling_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'provider', 'dependency', 'node'], entity: name, topology },
    places: [`${name}-spool`, BUCKET],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 1.5, after_s: -filling_s, severity: 'WARN' },
        message:
          'RequestTimeout: Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
      },
      {
        ...{ part: name, per_minute: 9, after_s: 2, decides: true },
        message: `Error: ENOSPC: no space left on device, write '/srv/spool/seg-${segment}'`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'kubelet_volume_stats_available_bytes', unit: 'By', decides: true },
        ...{ labels: spoolOf(name), level: (since_s) => FREE_BYTES * (1 - filled(since_s)) + 4_096 },
      },
      {
        ...{ entity: name, name: 'spool_segments_pending', unit: '1', decides: true },
        level: (since_s) => SEGMENTS + segments * filled(since_s),
      },
      {
        ...{ entity: BUCKET, name: 'aws_s3_first_byte_latency_average', unit: 'ms', decides: true },
        level: (since_s) =>
          FIRST_BYTE_MS + (since_s < -filling_s ? 0 : slow_ms * (0.8 + 0.2 * Math.sin(since_s / 200))),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_errors: least * progress(since_s, 40) } : {},
  }
}

/** The families of the fifteenth generation that no change caused. */
export const FIFTEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'bouncing-router': amongFifteenthSurroundings(bouncingRouter),
  'two-zones': amongFifteenthSurroundings(twoZones),
  'lost-storage': unmeasuredWhileGone(amongFifteenthSurroundings(lostStorage)),
  'single-host': unmeasuredWhileGone(amongFifteenthSurroundings(singleHost)),
  'filled-spool': amongFifteenthSurroundings(filledSpool),
}
