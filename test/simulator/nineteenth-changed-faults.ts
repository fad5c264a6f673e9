/**
 * Families of the nineteenth generation whose cause is a change, each as a published report of one organisation has it: a
 * migration that drops an index before it makes another, a migration that keeps everybody out of a table while it makes one,
 * tables of development that are moved over those in use, a release that sets down as owed what is paid, and a balancer that
 * somebody takes away by hand. They were written without knowledge of the engine; docs/simulator/nineteenth.md names the
 * reports and the rule of choice.
 */

import { probeOf } from './fifteenth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  amongNineteenthSurroundings,
  BALANCER_ERRORS,
  balancerGone,
  balancerOf,
  FOUND_BY_INDEX,
  LOCK_WAITERS,
  ledgerRule,
  locksOf,
  ON_LOCK,
  ORDERS,
  OWED,
  OWED_ENTRIES,
  READ_ALL,
  REFRESH_TASK,
  REFUSED_ORDERS,
  rubyMigration,
  SHARE_LOCKS,
  SOURCE_TABLE,
  SOURCES,
  TRIPS,
  tableMigration,
  tableTask,
} from './nineteenth-surroundings.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { CPU_USED } from './seventeenth-surroundings.ts'
import { ACTIVE, LONGEST_S } from './sixteenth-surroundings.ts'

/**
 * A migration drops an index to make it anew, so that it lets nothing in twice. Until the other one is there, the query of
 * the first page reads a table through; so many of them run that the other is never made, and the store is slow for all.
 */
const replacedIndex: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const made = sized(topology, store, chance.between(1.5, 1.9))
  const callers = callersOf(made, store).map((caller) => caller.name)
  const delay_s = chance.whole(25, 120)
  const growing_s = chance.whole(40, 120)
  const slower = chance.between(3.2, 5)
  const rows = chance.whole(700, 2_600) * 1_000
  const grown = (since_s: number): number => progress(since_s, growing_s)
  const [column, other] = chance.pick([
    ['booking_ref', 'community_id'],
    ['external_id', 'account_id'],
    ['leg_number', 'request_id'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config', 'capacity'], entity: name, places: [store] },
    ...{ topology: made, delay_s },
    culprits: [
      rubyMigration(
        name,
        'unique_trip_indexes',
        [
          '  disable_ddl_transaction!',
          '  def up',
          `    remove_index :trips, [:${other}, :${column}], algorithm: :concurrently`,
          `    add_index :trips, [:${other}, :${column}], unique: true, algorithm: :concurrently`,
          '  end',
        ],
        chance.pick(['Trips are there once', 'Unique indexes for trips', 'Let no trip in twice']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: callers,
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 6, after_s: 20 },
        message: `ActiveRecord::QueryCanceled: PG::QueryCanceled: ERROR:  canceling statement due to statement timeout: SELECT "trips".* FROM "trips" WHERE "trips"."${other}" = $1 ORDER BY pickup_at`,
      })),
      {
        ...{ part: store, per_minute: 2, severity: 'WARN', after_s: growing_s },
        message: `LOG:  duration: ${chance.whole(31_000, 79_000)}.118 ms  execute a14: SELECT "trips".* FROM "trips" WHERE "trips"."${other}" = $1`,
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'pg_stat_user_tables_seq_tup_read:rate1m', unit: '/s', labels: TRIPS },
        ...{ decides: true, level: (since_s) => READ_ALL + rows * grown(since_s) },
      },
      {
        ...{ entity: store, name: 'pg_stat_user_tables_idx_scan:rate1m', unit: '/s', labels: TRIPS },
        ...{ decides: true, level: (since_s) => FOUND_BY_INDEX * (1 - 0.93 * progress(since_s, 20)) },
      },
      {
        ...{ entity: store, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (99 - CPU_USED) * grown(since_s),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === store && since_s >= delay_s
        ? { own_factor: 1 + (slower - 1) * grown(since_s - delay_s), cpu_factor: 5 }
        : {},
  }
}

/**
 * Migrations run after a release, and after some minutes one makes an index while nobody may write to its table. Whoever
 * asks that store waits until it is made; the store itself has little to do.
 */
const lockingIndex: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const { own_ms } = topology.parts.find((part) => part.name === store) ?? { own_ms: 4 }
  const callers = callersOf(topology, store).map((caller) => caller.name)
  const delay_s = chance.whole(360, 720)
  const locked_s = chance.whole(420, 800)
  const wait_ms = chance.between(1_300, 2_600)
  const waiting = chance.whole(60, 180)
  const isLocked = (since_s: number): boolean => since_s >= 0 && since_s < locked_s
  const column = chance.pick(['channel_id', 'reseller_id', 'checkout_id'])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config'], entity: name, places: [store], topology, delay_s },
    culprits: [
      tableMigration(
        name,
        'tickets-by-channel',
        [
          "  await knex.schema.alterTable('tickets', (table) => {",
          `    table.bigInteger('${column}')`,
          '  })',
          "  await knex.schema.alterTable('tickets', (table) => {",
          `    table.index(['${column}'])`,
          '  })',
        ],
        chance.pick(['Tickets know where they were sold', 'A column for the channel', 'Tickets by channel']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 7, after_s: 10, until_s: locked_s },
      message:
        'error: insert into "tickets" ("event_id", "holder", "price") values ($1, $2, $3) - canceling statement due to lock timeout',
    })),
    gauges: [
      {
        ...{ entity: store, name: 'pg_locks_count', unit: '1', labels: locksOf(store), decides: true },
        level: (since_s) => (isLocked(since_s) ? 1 : SHARE_LOCKS),
      },
      {
        ...{ entity: store, name: 'pg_stat_activity_count', unit: '1', labels: ON_LOCK, decides: true },
        level: (since_s) =>
          isLocked(since_s) ? LOCK_WAITERS + waiting * progress(since_s, 60) : LOCK_WAITERS,
      },
      {
        ...{ entity: store, name: 'pg_stat_activity_max_tx_duration', unit: 's', labels: ACTIVE },
        ...{ decides: true, level: (since_s) => LONGEST_S + (isLocked(since_s) ? since_s : 0) },
      },
      {
        ...{ entity: store, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED * (isLocked(since_s) ? 0.8 : 1),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === store && isLocked(since_s - delay_s) ? { own_factor: 1 + wait_ms / own_ms } : {},
  }
}

/**
 * Somebody moves tables of development to a store, which is the one in use, and its rows are gone. The store answers as
 * quickly as ever that there is nothing; services keep what they have read for minutes, and fail by themselves then.
 */
const overwrittenTables: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(10, 45)
  const kept_s = chance.whole(170, 190)
  const share = chance.between(0.7, 0.93)
  const left = chance.whole(12, 60)
  const source = chance.whole(1_000, 40_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['config', 'infra', 'code'], entity: name, places: [REFRESH_TASK], topology },
    delay_s,
    culprits: [tableTask(REFRESH_TASK, [`${name}-dev`, name], chance)],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 5 },
      message: `SourceNotFound: no row in sources for source ${source}, answered with 500`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'pg_stat_user_tables_n_live_tup', unit: '1', labels: SOURCE_TABLE },
        ...{ decides: true, level: (since_s) => (since_s < -delay_s / 2 ? SOURCES : left) },
      },
      {
        ...{ entity: REFRESH_TASK, name: 'aws_dms_full_load_throughput_rows_target_average', unit: '/s' },
        ...{ decides: true, level: (since_s) => (since_s >= -delay_s && since_s < 60 ? left * 4 : 0) },
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { own_errors: share * progress(since_s - delay_s, kept_s) }
        : {},
  }
}

/**
 * A release ends a condition before what it was for, and whatever is charged is set down as owed. Whoever owes something may
 * not order: more and more are refused, all of whom have paid, and pods that the release did not get to refuse them as well.
 */
const paidAsOwed: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(60, 260)
  const growing_s = chance.whole(300, 800)
  const share = chance.between(0.4, 0.75)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const charged = asked * chance.between(0.2, 0.35)
  const refused = (since_s: number): number => share * progress(since_s, growing_s)
  const refusing = (changed_for_s: number) => ({ own_errors: refused(changed_for_s - delay_s) })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data'], entity: name, topology, delay_s },
    culprits: [
      ledgerRule(
        name,
        [
          '    if (charge.isDeclined())',
          '    {',
          '      ledger.owe(charge.rider(), charge.amount());',
          '    }',
        ],
        [
          '    if (charge.isDeclined() || charge.isReversed());',
          '    {',
          '      ledger.owe(charge.rider(), charge.amount());',
          '    }',
        ],
        chance.pick([
          'Reversed charges are owed',
          'Reversed is as good as declined',
          'Charges that came back',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, severity: 'WARN' },
        message: `order of rider ${chance.whole(10_000, 99_000)} refused: ${chance.whole(6, 48)}.40 EUR are owed`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s', labels: ORDERS },
        ...{ decides: true, level: (since_s) => REFUSED_ORDERS + asked * refused(since_s) },
      },
      {
        ...{ entity: name, name: 'ledger_entries_total:rate1m', unit: '/s', labels: OWED_ENTRIES },
        ...{ decides: true, level: (since_s) => OWED + charged * progress(since_s + delay_s, 90) },
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) => (part === name ? refusing(changed_for_s) : {}),
    ahead: (part, _pod, since_s) => (part === name ? refusing(since_s) : {}),
  }
}

/**
 * Somebody who works on another service takes away a balancer by hand, and it is one that is needed. The service behind it
 * is well and is asked for nothing; whoever asks for it finds nobody as soon as the address is looked up again.
 */
const deletedBalancer: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const balancer = balancerOf(name)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(5, 30)
  const looked_up_s = chance.whole(20, 70)
  const most = chance.between(0.93, 0.99)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const isThere = (level: number) => (since_s: number) => (since_s < -delay_s ? level : Number.NaN)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'config'], entity: balancer, places: [name], topology, delay_s },
    culprits: [balancerGone(balancer, chance.is(0.6) ? balancer : undefined)],
    elsewhere: [{ ...balancerGone('lb-images-blue', 'lb-images-blue'), after_s: -chance.whole(60, 400) }],
    undisturbed: [name, ...callers],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 3 },
      message: `getaddrinfo ENOTFOUND internal-${balancer}-${chance.whole(100_000_000, 999_000_000)}.elb.internal`,
    })),
    gauges: [
      {
        ...{ entity: balancer, name: 'aws_applicationelb_healthy_host_count_average', unit: '1' },
        ...{ decides: true, level: isThere(pods) },
      },
      {
        ...{ entity: balancer, name: 'aws_applicationelb_request_count_sum', unit: '1' },
        ...{ decides: true, level: isThere(asked * 60) },
      },
      {
        ...{ entity: balancer, name: 'aws_applicationelb_httpcode_elb_5_xx_count_sum', unit: '1' },
        ...{ decides: true, level: isThere(BALANCER_ERRORS) },
      },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: (since_s) => (since_s < looked_up_s / 2 ? 1 : 0),
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { cut_off: { to: name, share: most * progress(since_s - delay_s, looked_up_s) } }
        : {},
  }
}

/** The families of the nineteenth generation whose cause is a change. */
export const NINETEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'replaced-index': amongNineteenthSurroundings(replacedIndex),
  'locking-index': amongNineteenthSurroundings(lockingIndex),
  'overwritten-tables': amongNineteenthSurroundings(overwrittenTables),
  'paid-as-owed': amongNineteenthSurroundings(paidAsOwed),
  'deleted-balancer': amongNineteenthSurroundings(deletedBalancer),
}
