/**
 * Families of the twenty-third generation that no change of one's own caused, each as a published report of one organisation
 * has it: a database of a cloud that fails, discs and the controller of a machine for mails that die one after the other, a
 * clock whose date falls back by twenty years, a service that does not get up after it was begun anew while its platform leads
 * requests badly, and a hall whose batteries are spent before the power is back. They were written without knowledge of the
 * engine; docs/simulator/twenty-third.md names the reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
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
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  amongTwentyThirdSurroundings,
  CLOCK,
  CONNECT_MS,
  CONTROLLER,
  DISC_ERRORS,
  DRIFT_S,
  discIn,
  FOLLOWERS,
  HALL_HOSTS,
  HALL_SUPPLY,
  harmlessReports,
  harmlessSignIn,
  INPUT_VOLTS,
  MAIL_HOST,
  ON_BATTERY,
  OTHER_FOLLOWERS,
  ROLLOVER_S,
  ROUTER,
  ROUTER_ERRORS,
  RUNTIME_S,
  routed,
  SATELLITES,
  SKEWED,
  SLOTS,
  TICKETS_REFUSED,
} from './twenty-third-surroundings.ts'

/** 1 until it is gone, as what others say of something has it. */
const isThere = (since_s: number): number => (since_s < 0 ? 1 : 0)

/** What others measure of a service whose pods are all gone. */
const goneService = (name: string, pods: number): readonly Gauge[] => [
  { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
  {
    ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
    level: (since_s) => pods * isThere(since_s),
  },
  {
    ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
    level: isThere,
  },
  {
    ...{ entity: name, name: 'kube_deployment_status_replicas_available', unit: '1' },
    ...{ labels: { deployment: name }, decides: true, level: (since_s) => pods * isThere(since_s) },
  },
]

/** What others measure of a store that is gone. */
const goneStore = (name: string): readonly Gauge[] =>
  ['db_up', 'pg_up'].map((measure) => ({
    ...{ entity: name, name: measure, unit: '1', decides: true },
    level: isThere,
  }))

/** A database of a cloud fails by itself, and nobody who asks it gets anything: it has to be restored. */
const failedDatabase: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const noted_s = chance.whole(60, 240)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'dependency', 'provider', 'node'], entity: name, topology },
    elsewhere: [{ ...harmlessSignIn(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 1, decides: true },
      message: `SQLSTATE[HY000] [2003] Can't connect to MySQL server on '${name}.c4kq7t.eu-west-1.rds.amazonaws.com' (111)`,
    })),
    gauges: goneStore(name),
    events: [
      {
        ...{
          after_s: noted_s,
          kind: 'failure',
          reason: 'RDS-EVENT-0031',
          name,
          service: name,
          decides: true,
        },
        message:
          'The DB instance has failed due to an incompatible configuration or an underlying storage issue. Begin a point-in-time-restore for the DB instance.',
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { is_away: true } : {}),
  }
}

/**
 * Discs of an array die one after the other, and the controller with them; they were to be replaced already. First those
 * are without their mails whose mailboxes lie on one volume, and some minutes later all others.
 */
const dyingDiscs: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const first = chance.between(0.35, 0.55)
  const second_s = chance.whole(480, 660)
  const worn_s = chance.whole(1_500, 3_000)
  const errorsOf = (index: number, since_s: number): number =>
    DISC_ERRORS + (index === 0 ? 90 : 70) * progress(since_s + worn_s, worn_s + index * second_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'data'], entity: MAIL_HOST, places: [name], topology },
    hosting: hostedApart(hostingOf(topology, chance), [MAIL_HOST], [name]),
    undisturbed: [name],
    lines: [
      {
        ...{ part: MAIL_HOST, per_minute: 4, until_s: 90, decides: true },
        message:
          'MR_MONITOR[2114]: <MRMON114> Controller ID: 0 State change on PD: 32:2 Previous = Online Current = Failed',
      },
      {
        ...{ part: MAIL_HOST, per_minute: 5, after_s: 2, decides: true },
        message: 'disk: The driver detected a controller error on \\Device\\Harddisk2\\DR2.',
      },
      {
        ...{ part: MAIL_HOST, per_minute: 5, after_s: second_s, decides: true },
        message: 'MR_MONITOR[2114]: <MRMON251> Controller ID: 0 VD is now OFFLINE VD 1',
      },
      {
        ...{ part: name, per_minute: 8, after_s: 3, decides: true },
        message:
          'ESE: Information Store - Mailbox Database 01: an attempt to read from the file "D:\\DB01\\DB01.edb" failed with system error 1117 (0x0000045d): "The request could not be performed because of an I/O device error."',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 6, after_s: 5, decides: true },
        message: `${name}: 432 4.3.2 STOREDRV; mailbox database is offline`,
      })),
    ],
    gauges: [
      ...SLOTS.map((slot, index) => ({
        ...{ entity: MAIL_HOST, name: 'megaraid_pd_media_errors', unit: '1', labels: discIn(slot) },
        ...{ decides: true, level: (since_s: number) => errorsOf(index, since_s) },
      })),
      {
        ...{ entity: MAIL_HOST, name: 'megaraid_degraded', unit: '1', labels: CONTROLLER, decides: true },
        level: (since_s) => (since_s < 0 ? 0 : 1),
      },
      {
        ...{ entity: MAIL_HOST, name: 'megaraid_failed', unit: '1', labels: CONTROLLER, decides: true },
        level: (since_s) => (since_s < second_s ? 0 : 1),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_errors: since_s < second_s ? first : 0.98 } : {},
  }
}

/**
 * The antenna of a clock fails. After some minutes the clock begins to count weeks anew and says that it is twenty years ago;
 * machines that follow it believe it, and whoever runs there gets no ticket of the domain any more.
 */
const oldDate: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const others = candidates.filter((name) => name !== first)
  if (others.length === 0) return null
  const names = [first, chance.pick(others)]
  // Each machine asks its clock at its own time.
  const asked_s = FOLLOWERS.map((_, index) => index * chance.whole(20, 80) + chance.whole(5, 20))
  const lost_s = chance.whole(200, 700)
  const share = chance.between(0.75, 0.95)
  const slower = chance.between(1.5, 4)
  const followers: readonly string[] = FOLLOWERS
  const hosts = [...followers, ...OTHER_FOLLOWERS]
  const hosting = hostedApart(hostingOf(topology, chance), hosts, names)
  const podsOf = new Map(topology.parts.map(({ name, pods }) => [name, pods]))
  const arrivals = arrivalsOf(topology)
  const believes = (host: string, since_s: number): boolean => {
    const index = followers.indexOf(host)
    return index >= 0 && since_s >= (asked_s[index] as number)
  }
  const refusedOf = (name: string, since_s: number): number => {
    const pods = podsOf.get(name) as number
    const hit = Array.from({ length: pods }, (_, pod) => hosting.on(name, pod)).filter((host) =>
      believes(host, since_s),
    )
    return ((arrivals.get(name) ?? 0) * share * hit.length) / pods
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'dependency', 'data'], entity: CLOCK, topology, hosting },
    undisturbed: names,
    lines: [
      {
        ...{ part: CLOCK, per_minute: 3, decides: true },
        message: '$GNTXT,01,01,01,ANTSTATUS=OPEN*2B',
      },
      ...FOLLOWERS.map((part, index) => ({
        ...{ part, per_minute: 5, after_s: asked_s[index] as number, until_s: 240, decides: true },
        message: `W32Time: The time service has set the time with offset ${ROLLOVER_S} seconds.`,
      })),
      ...names.map((part) => ({
        ...{ part, per_minute: 9, after_s: asked_s[0] as number, decides: true },
        message: 'Kerberos: KRB_AP_ERR_SKEW (0x25) for krbtgt/APP.EXAMPLE: Clock skew too great',
      })),
    ],
    gauges: [
      {
        ...{ entity: CLOCK, name: 'gpsd_uSat', unit: '1', decides: true },
        level: (since_s) => (since_s < -lost_s ? SATELLITES : 0),
      },
      {
        ...{ entity: CLOCK, name: 'ntp_drift_seconds', unit: 's', decides: true },
        level: (since_s) => (since_s < 0 ? DRIFT_S : ROLLOVER_S),
      },
      ...FOLLOWERS.map((entity) => ({
        ...{ entity, name: 'windows_time_current_timestamp_seconds:offset', unit: 's', decides: true },
        level: (since_s: number) => (believes(entity, since_s) ? ROLLOVER_S : DRIFT_S),
      })),
      ...names.map((entity) => ({
        ...{ entity, name: 'kerberos_tickets_refused_total:rate1m', unit: '/s', labels: SKEWED },
        ...{ decides: true, level: (since_s: number) => TICKETS_REFUSED + refusedOf(entity, since_s) },
      })),
    ],
    working: (part, pod, since_s) =>
      names.includes(part) && believes(hosting.on(part, pod), since_s)
        ? { own_errors: share, own_factor: slower }
        : {},
  }
}

/**
 * A service ends. Its platform begins it anew by itself, and it does not get up in time, again and again; what leads requests
 * to all services there connects late besides, and some requests not at all.
 */
const unrestoredService: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const hit = inner(topology).map((part) => part.name)
  const late_ms = chance.whole(120, 400)
  const lost = chance.between(0.03, 0.08)
  const arrivals = arrivalsOf(topology)
  const app = `/v1/customers/${chance.whole(1_000, 9_000)}`
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['dependency', 'provider', 'network', 'code', 'node'],
      entity: name,
      topology,
    },
    places: [ROUTER],
    elsewhere: [{ ...harmlessReports(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: [name, ...callers],
    lines: [
      {
        ...{ part: ROUTER, per_minute: 10, after_s: 2, decides: true },
        message: `at=error code=H10 desc="App crashed" method=GET path="${app}" host=${name}.example dyno= connect= service= status=503`,
      },
      {
        ...{ part: ROUTER, per_minute: 4, after_s: 4, decides: true },
        message:
          'at=error code=H19 desc="Backend connection timeout" method=POST path="/v1/redemptions" status=503',
      },
      {
        ...{ part: ROUTER, per_minute: 2, after_s: 60, decides: true },
        message: `app[${name}]: Error R10 (Boot timeout) -> Web process failed to bind to $PORT within 60 seconds of launch`,
      },
    ],
    gauges: [
      ...goneService(name, pods),
      {
        ...{ entity: ROUTER, name: 'router_connect_ms', unit: 'ms', decides: true },
        level: (since_s) => (since_s < 0 ? CONNECT_MS : late_ms),
      },
      {
        ...{ entity: ROUTER, name: 'router_errors_total:rate1m', unit: '/s', labels: routed(name, 'H10') },
        ...{
          decides: true,
          level: (since_s) => ROUTER_ERRORS + (since_s < 0 ? 0 : (arrivals.get(name) ?? 0)),
        },
      },
      ...hit.map((service) => ({
        ...{ entity: ROUTER, name: 'router_errors_total:rate1m', unit: '/s', labels: routed(service, 'H19') },
        ...{
          decides: true,
          level: (since_s: number) => ROUTER_ERRORS + (since_s < 0 ? 0 : lost * (arrivals.get(service) ?? 0)),
        },
      })),
    ],
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      if (part === name) return { is_away: true }
      return { on_way: { to: hit, ms: late_ms }, cut_off: { to: hit, share: lost } }
    },
  }
}

/**
 * The power of a hall is gone, and its batteries last for a while. When they are spent nobody has got there, and all machines
 * of the hall are off at once, with every store and nearly all services.
 */
const spentBatteries: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const services = inner(topology)
  const names = [...services, ...stores].map(({ name }) => name)
  const lasting_s = chance.whole(1_200, 2_700)
  const callers = topology.parts.filter(({ name, kind }) => kind === 'service' && !names.includes(name))
  const asked = services.filter(({ name }) =>
    callersOf(topology, name).some((caller) => callers.includes(caller)),
  )
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'provider'], entity: HALL_SUPPLY, places: HALL_HOSTS },
    ...{ topology, isHosting: true },
    hosting: hostedApart(hostingOf(topology, chance), HALL_HOSTS, names),
    undisturbed: names,
    lines: [
      ...HALL_HOSTS.map((part) => ({
        ...{ part, per_minute: 30, after_s: -8, until_s: 2, decides: true },
        message: 'upsmon[812]: UPS hall@10.40.9.2 battery is low',
      })),
      ...HALL_HOSTS.map((part) => ({
        ...{ part, per_minute: 30, after_s: -6, until_s: 6, decides: true },
        message: 'upsmon[812]: Executing automatic power-fail shutdown',
      })),
      ...callers.flatMap((part) =>
        asked.map(({ name }) => ({
          ...{ part: part.name, per_minute: 5, after_s: 4, decides: true },
          message: `connect EHOSTUNREACH ${name}.hall.example:8443`,
        })),
      ),
    ],
    gauges: [
      {
        ...{ entity: HALL_SUPPLY, name: 'network_ups_tools_ups_status', unit: '1', labels: ON_BATTERY },
        ...{
          decides: true,
          level: (since_s) => (since_s < -lasting_s ? 0 : since_s < 0 ? 1 : Number.NaN),
        },
      },
      {
        ...{ entity: HALL_SUPPLY, name: 'network_ups_tools_input_voltage', unit: 'V', decides: true },
        level: (since_s) => (since_s < -lasting_s ? INPUT_VOLTS : since_s < 0 ? 0 : Number.NaN),
      },
      {
        ...{ entity: HALL_SUPPLY, name: 'network_ups_tools_battery_runtime', unit: 's', decides: true },
        level: (since_s) =>
          since_s < 0 ? RUNTIME_S * (1 - progress(since_s + lasting_s, lasting_s)) : Number.NaN,
      },
      ...services.flatMap(({ name, pods }) => goneService(name, pods)),
      ...stores.flatMap(({ name }) => goneStore(name)),
      ...HALL_HOSTS.map((node) => ({
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: (since_s: number) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      })),
    ],
    events: [
      {
        ...{ after_s: -lasting_s, kind: 'notification', reason: 'state', name: HALL_SUPPLY, decides: true },
        message: `${HALL_SUPPLY}: input power is lost, running on battery`,
      },
    ],
    k8s: HALL_HOSTS.map((node, index) => notReady(node, 42 + 2 * index)),
    working: (part, _pod, since_s) => (names.includes(part) && since_s >= 0 ? { is_away: true } : {}),
  }
}

/** The families of the twenty-third generation that no change of one's own caused. */
export const TWENTY_THIRD_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'failed-database': unmeasuredWhileGone(amongTwentyThirdSurroundings(failedDatabase)),
  'dying-discs': amongTwentyThirdSurroundings(dyingDiscs),
  'old-date': amongTwentyThirdSurroundings(oldDate),
  'unrestored-service': unmeasuredWhileGone(amongTwentyThirdSurroundings(unrestoredService)),
  'spent-batteries': unmeasuredWhileGone(amongTwentyThirdSurroundings(spentBatteries)),
}
