/**
 * Families of the seventeenth generation whose cause is a change, each as a published report of one organisation has it: a
 * rule of who may get into machines, an upgrade that begins machines anew one after the other, an update of a store that
 * leaves it with less than it needs, a release that asks more of its store than both can do, and a check of data that puts
 * good ones aside. They were written without knowledge of the engine; docs/simulator/seventeenth.md names the reports and the
 * rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  ASIDE_ROWS,
  amongSeventeenthSurroundings,
  CHECKER,
  CONNECTOR,
  CORE_POOL,
  CORES,
  CPU_USED,
  checkedData,
  DELETED_ROWS,
  DROPPED,
  hostRule,
  LIVE_ROWS,
  LOAD_AVERAGE,
  listQuery,
  MEASUREMENTS,
  MOST_THREADS,
  machineUpgrade,
  managedUpdate,
  NOT_LET_IN,
  PUT_ASIDE,
  ROWS,
  statedIn,
  THREADS,
} from './seventeenth-surroundings.ts'

/** Seconds that a store is not there while it changes to another machine. */
const CHANGING_OVER_S = 15

/** Seconds after which the orchestrator says of a machine that it has not heard of it. */
const UNHEARD_S = 42

/**
 * Who may get into the machines of a service is written down by ranges, and the range of its callers is no longer among
 * them. Connections that are open last; a new one gets no answer, and more and more calls need a new one.
 */
const unlistedRange: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(10, 50)
  const renewing_s = chance.whole(60, 200)
  const most = chance.between(0.93, 0.99)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const kept_out = (since_s: number): number => most * progress(since_s, renewing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['network', 'infra'], entity: name, topology, delay_s },
    culprits: [
      hostRule(
        name,
        ['10.40.0.0/21', '10.44.0.0/21'],
        chance.pick(['Ranges as they are planned', 'Rules of the new network', `Who asks ${name}`]),
        chance,
      ),
    ],
    undisturbed: [name, ...callers],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 10 },
      message: `requests.exceptions.ConnectTimeout: HTTPConnectionPool(host='${name}', port=8080): Max retries exceeded with url: /v1/builds (Caused by ConnectTimeoutError('timed out. (connect timeout=2.0)'))`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'iptables_default_packets_total:rate1m', unit: '/s', labels: DROPPED },
        ...{ decides: true, level: (since_s) => NOT_LET_IN + 2 * asked * kept_out(since_s) },
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { cut_off: { to: name, share: kept_out(since_s - delay_s) } }
        : {},
  }
}

/**
 * The machines that others lean on get another release of what runs on them, and are begun anew one after the other, twice
 * each. What runs on one is not there as long as that takes: services go and come back, and nobody knows which is next.
 */
const rebootedMachines: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const [first, second] = [chance.pick(inner(topology)).name, chance.pick(inner(topology)).name]
  const members = [...new Set([...stores, first, second])]
  if (members.length < 3) return null
  const base = hostingOf(topology, chance)
  const machines = members.map((_, index) => `core-${index + 1}-${chance.whole(100, 999)}`)
  const machineOf = new Map(members.map((name, index) => [name, machines[index] as string]))
  const delay_s = chance.whole(40, 150)
  const away_s = chance.whole(75, 125)
  const every_s = away_s + chance.whole(15, 60)
  const from_s = chance.whole(0, members.length - 1)
  // Seconds into the turn of a machine, whichever round it is; less than nothing before its first.
  const turnOf = (machine: string, since_s: number): number => {
    const at = (machines.indexOf(machine) - from_s + machines.length) % machines.length
    const into_s = since_s - at * every_s
    const round_s = machines.length * every_s
    return into_s < 0 || into_s >= 2 * round_s ? -1 : into_s % round_s
  }
  const isGone = (machine: string, since_s: number): boolean => {
    const into_s = turnOf(machine, since_s)
    return into_s >= 0 && into_s < away_s
  }
  /** Seconds that a machine has run since it was begun anew last. */
  const ranFor = (machine: string, since_s: number): number => {
    let last_s = Number.NaN
    for (let at_s = 0; at_s <= since_s; at_s += 5) if (isGone(machine, at_s)) last_s = at_s
    return Number.isNaN(last_s) ? RUNNING_S + since_s : since_s - last_s
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'config'], entity: CORE_POOL, isHosting: true, topology, delay_s },
    places: machines,
    hosting: {
      nodes: [...base.nodes, ...machines],
      on: (part, pod) => machineOf.get(part) ?? base.on(part, pod),
    },
    culprits: [
      machineUpgrade(
        CORE_POOL,
        chance.pick([
          ['9.3', '9.4'],
          ['9.2', '9.4'],
          ['22.04.4', '22.04.5'],
        ] as const),
        chance.is(0.6) ? CORE_POOL : undefined,
      ),
    ],
    undisturbed: members,
    lines: members.flatMap((name) =>
      callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 3, after_s: 5 },
        message: `dial tcp: connect to ${name}:${stores.includes(name) ? 5432 : 8080}: connection refused`,
      })),
    ),
    gauges: machines.flatMap((node): readonly Gauge[] => [
      {
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: (since_s) => (isGone(node, since_s) ? Number.NaN : ranFor(node, since_s)),
      },
      {
        ...{ entity: node, name: 'kube_node_spec_unschedulable', unit: '1', labels: { node }, decides: true },
        level: (since_s) => {
          const into_s = turnOf(node, since_s)
          return into_s >= 0 && into_s < away_s + 20 ? 1 : 0
        },
      },
    ]),
    k8s: machines.flatMap((node, index) => {
      const begins_s = ((index - from_s + machines.length) % machines.length) * every_s
      return [begins_s, begins_s + machines.length * every_s].flatMap((at_s) => [
        {
          ...{ after_s: at_s + UNHEARD_S, kind: 'Node', name: node, reason: 'NodeNotReady', decides: true },
          message: `Node ${node} status is now: NodeNotReady`,
        },
        {
          ...{ after_s: at_s + away_s, kind: 'Node', name: node, reason: 'Rebooted', decides: true },
          message: `Node ${node} has been rebooted, boot id: 0c6e7b2a-1f4d-4e8a-b5c3-9d2f6a7e${4_000 + index}`,
        },
      ])
    }),
    working: (part, _pod, since_s) => {
      const machine = machineOf.get(part)
      return machine !== undefined && since_s >= delay_s && isGone(machine, since_s - delay_s)
        ? { is_away: true }
        : {}
    },
  }
}

/**
 * Who runs a store gives it another version, and a machine with fewer cores than what is asked of it needs. It is gone for
 * seconds while it changes over; from then on it is slower than its callers wait for.
 */
const smallerMachine: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(30, 150)
  const filling_s = chance.whole(20, 80)
  const cores = chance.pick([2, 4])
  const workers = cores * 5
  const asked = arrivalsOf(topology).get(name) ?? 0
  // What it can do is a part of what is asked of it, so that it never gets through.
  const own_factor = (workers * 1_000) / (own_ms * asked * chance.between(0.5, 0.8))
  const changed = (since_s: number): number => progress(since_s - CHANGING_OVER_S, filling_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['capacity', 'data', 'config', 'dependency'], entity: name },
    ...{ topology, delay_s },
    culprits: [
      managedUpdate(
        name,
        chance.pick([
          ['13.11', '14.9'],
          ['14.9', '15.4'],
          ['15.2', '16.1'],
        ] as const),
        chance.is(0.6) ? name : undefined,
      ),
    ],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 25 },
      message: 'pq: canceling statement due to statement timeout (SQLSTATE 57014)',
    })),
    gauges: [
      {
        ...{ entity: name, name: 'rdsosmetrics_General_numVCPUs', unit: '1', decides: true },
        level: (since_s) => (since_s < CHANGING_OVER_S ? CORES : cores),
      },
      {
        ...{ entity: name, name: 'rdsosmetrics_loadAverageMinute_one', unit: '1', decides: true },
        level: (since_s) => LOAD_AVERAGE + 60 * changed(since_s),
      },
      {
        ...{ entity: name, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (98 - CPU_USED) * changed(since_s),
      },
    ],
    events: [
      {
        ...{ after_s: CHANGING_OVER_S, kind: 'notification', reason: 'state', name, decides: true },
        message: 'Database instance patched',
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < delay_s) return {}
      if (since_s < delay_s + CHANGING_OVER_S) return { is_away: true }
      return { workers, own_factor: 1 + own_factor * changed(since_s - delay_s), cpu_factor: 5 }
    },
  }
}

/**
 * A release asks the store for every message of every conversation that it lists. Accounts with many of them take so long
 * that the threads of the service are all busy after some minutes; the store reads far more rows, and still answers.
 */
const listedMessages: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const made = sized(topology, name, chance.between(1.4, 1.7))
  const delay_s = chance.whole(20, 90)
  const shipping_s = chance.whole(90, 180)
  const piling_s = chance.whole(120, 300)
  const slower = chance.between(2.4, 3.4)
  const read = chance.between(9, 22)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'capacity'], entity: name, topology: made, delay_s },
    culprits: [
      listQuery(
        name,
        [
          '  , (SELECT json_agg(m ORDER BY m.sent_at)',
          '       FROM messages m WHERE m.conversation_id = c.id) AS extra',
        ],
        chance.pick([
          'Lists show what was said last',
          'Additions to lists of conversations',
          'One answer for lists and their messages',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 6, after_s: 60 },
        message:
          'java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms (total=20, active=20, idle=0, waiting=171)',
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'pg_stat_database_tup_returned:rate1m', unit: '/s' },
        ...{ labels: statedIn(store), decides: true },
        level: (since_s) => ROWS * (1 + read * progress(since_s + delay_s, shipping_s)),
      },
      {
        ...{ entity: name, name: 'tomcat_threads_busy_threads', unit: '1', labels: CONNECTOR, decides: true },
        level: (since_s) =>
          THREADS + (MOST_THREADS - THREADS) * progress(since_s + delay_s, shipping_s + piling_s / 2),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name
        ? { own_factor: 1.3 + (slower - 1.3) * progress(since_s, piling_s), cpu_factor: 1.6 }
        : {},
    // The store reads more for everybody's sake, and takes somewhat longer for all of them.
    beyond: (part, _pod, since_s) =>
      part === store ? { own_factor: 1 + 0.9 * progress(since_s, shipping_s), cpu_factor: 5 } : {},
  }
}

/**
 * What looks at data every few minutes gets a release by which it judges those of one source otherwise, and puts them where
 * nobody reads them. The store is well; services that read it find nothing, for more and more of what they are asked.
 */
const heldRows: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const readers = chance.is(0.5) ? callers.slice(0, 1) : callers.slice(0, 2)
  const delay_s = chance.whole(40, 200)
  const moving_s = chance.whole(150, 420)
  const share = chance.between(0.35, 0.65)
  const moved = LIVE_ROWS * chance.between(0.2, 0.4)
  const away = (since_s: number): number => progress(since_s, moving_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: CHECKER, places: [name], topology, delay_s },
    culprits: [
      checkedData(
        ['    if row.source is Source.LABORATORY:', '        return row.value is not None'],
        ['    if row.code not in CODES[row.schema]:', '        return False'],
        chance.pick([
          'Checks by schema, as the new import has them',
          'One rule for all sources',
          'Rules for what comes with a schema',
        ]),
      ),
    ],
    shipped: [{ part: CHECKER, after_s: 0 }],
    undisturbed: readers,
    lines: readers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 15 },
      message: `NoResultFound: No row was found when one was required (measurements, sample ${chance.whole(10_000, 99_000)})`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'pg_stat_user_tables_n_live_tup', unit: '1', labels: MEASUREMENTS },
        ...{ decides: true, level: (since_s) => LIVE_ROWS - moved * away(since_s) },
      },
      {
        ...{ entity: name, name: 'pg_stat_user_tables_n_live_tup', unit: '1', labels: PUT_ASIDE },
        ...{ decides: true, level: (since_s) => ASIDE_ROWS + moved * away(since_s) },
      },
      {
        ...{ entity: name, name: 'pg_stat_user_tables_n_tup_del:rate1m', unit: '/s', labels: MEASUREMENTS },
        ...{
          decides: true,
          level: (since_s) => DELETED_ROWS + (since_s < 0 || since_s >= moving_s ? 0 : moved / moving_s),
        },
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      readers.includes(part) ? { own_errors: share * away(since_s - delay_s) } : {},
  }
}

/** The families of the seventeenth generation whose cause is a change. */
export const SEVENTEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unlisted-range': amongSeventeenthSurroundings(unlistedRange),
  'rebooted-machines': unmeasuredWhileGone(amongSeventeenthSurroundings(rebootedMachines)),
  'smaller-machine': amongSeventeenthSurroundings(smallerMachine),
  'listed-messages': amongSeventeenthSurroundings(listedMessages),
  'held-rows': amongSeventeenthSurroundings(heldRows),
}
