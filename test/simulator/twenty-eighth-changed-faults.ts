/**
 * Families of the twenty-eighth generation whose cause is a change, each as a published report of one organisation has it:
 * records that a check cannot do without, a passcode that is held against what was not asked for, an account that a workflow
 * still needs, tables that are half of the next version, and a page that is opened each time. They were written without
 * knowledge of the engine; docs/simulator/twenty-eighth.md names the reports and the rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import type { Topology } from './topology.ts'
import {
  accountRemoved,
  amongTwentyEighthSurroundings,
  backgroundPage,
  CLIENTS,
  CONNECTION_ROWS,
  CONNECTIONS,
  DEMOS_OPENED,
  DEPOSITED,
  EXTENSION,
  FAILED_STATEMENTS,
  INVALID_PASSCODES,
  limitsOfSites,
  modeOf,
  NEWER,
  OLDER,
  OVER_LIMIT,
  passcodes,
  RECORD_SYNC,
  SITE_RECORDS,
  SYNCED_S,
  tableStep,
  UNINSTALLS,
  versionOf,
} from './twenty-eighth-surroundings.ts'

/** Seconds from one pod of a release to the next. */
const POD_S = 45

/** Who gets nothing of use fails in the end, and asks all others as ever until then. */
function failingInTheEnd({ parts }: Topology, name: string, own_errors: number): Working {
  const calls = parts.find((part) => part.name === name)?.calls ?? []
  return { own_errors, fan_out: calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
}

/**
 * A release refuses the token of a site of which it has no record, where it let that one pass. What brings records does not
 * get to the store at that time: pods that are there have them, and those that begin with the release have few.
 */
const requiredRecord: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(5, 30)
  const shipping_s = POD_S * pods
  const share = chance.between(0.35, 0.7)
  const silent_s = chance.whole(60, 240)
  const back_s = chance.whole(1_250, 1_800)
  const site = chance.whole(0x10_00, 0xff_ff).toString(16)
  const begun = (since_s: number): number => progress(since_s + delay_s, shipping_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency', 'data', 'config'], entity: name, topology, delay_s },
    places: [RECORD_SYNC],
    culprits: [
      limitsOfSites(
        name,
        ["  if (record !== undefined && record.spent > record.most) return refuse('over-limit')"],
        ["  if (record === undefined || record.spent > record.most) return refuse('over-limit')"],
        chance.pick([
          'Limits of sites hold for every token',
          'Stricter limits of sites',
          'No token beyond a limit',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: RECORD_SYNC, per_minute: 3, after_s: -silent_s, until_s: back_s, severity: 'WARN' },
        message: 'could not connect to server: Connection timed out, records are left as they are',
      },
      {
        ...{ part: name, per_minute: 9, after_s: 3, severity: 'WARN' },
        message: `siteverify: token of site ${site} is refused: over-limit (no record of it at hand)`,
      },
      ...callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 4, after_s: 6 },
        message: `POST http://${name}.internal/siteverify answered 403: over-limit`,
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'site_records_loaded', unit: '1', decides: true },
        level: (since_s) => SITE_RECORDS * (1 - share * begun(since_s)),
      },
      {
        ...{ entity: name, name: 'site_limit_refusals_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => OVER_LIMIT + asked * share * begun(since_s),
      },
      {
        ...{ entity: RECORD_SYNC, name: 'sync_last_success_age_seconds', unit: 's', decides: true },
        level: (since_s) =>
          SYNCED_S + (since_s < -silent_s || since_s >= back_s ? 0 : Math.max(0, since_s + silent_s)),
      },
    ],
    working: (part) => (part === name ? failingInTheEnd(topology, name, share) : {}),
  }
}

/**
 * A release holds what came with a request against the passcode, and takes movements for it wherever a flag for shorter ones
 * is on: whoever was asked for an answer, and is under that flag, is told that theirs is not valid. What would have stopped it
 * did not go off.
 */
const mixedFlags: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(5, 30)
  const shipping_s = POD_S * pods
  const share = chance.between(0.14, 0.3)
  const begun = (since_s: number): number => progress(since_s + delay_s, shipping_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config'], entity: name, topology, delay_s },
    culprits: [
      passcodes(
        name,
        ["  const given = mode === 'silent' ? request.motion : request.answer"],
        ["  const given = mode === 'silent' || flags.has('short-motion') ? request.motion : request.answer"],
        chance.pick(['Shorter movements', 'Movements of 64 points', 'Keep less of what was moved']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: 3, severity: 'WARN' },
        message: 'passcode is not valid: mode checkbox, flags [short-motion], answering invalid-passcode',
      },
      ...callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 3, after_s: 8 },
        message: `${name} answered 400: ["invalid-passcode"]`,
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'passcodes_invalid_total:rate1m', unit: '/s', labels: modeOf('checkbox') },
        ...{ decides: true, level: (since_s) => INVALID_PASSCODES + asked * share * begun(since_s) },
      },
    ],
    working: (part) => (part === name ? failingInTheEnd(topology, name, share) : {}),
  }
}

/**
 * Somebody clears up after a colleague who has left: accounts on machines, and one of the application, whom its workflow
 * still asks for. Works are taken in as ever and get no entry in it, and who hands one in is shown a page that does not
 * exist; some hand theirs in again.
 */
const deletedOwner: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(60, 240)
  const coming_s = chance.whole(40, 160)
  const share = chance.between(0.3, 0.55)
  const again = chance.between(0.4, 1.1)
  const lost = (since_s: number): number => progress(since_s, coming_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['config', 'code', 'credential'], entity: name, topology, delay_s },
    places: [store],
    culprits: [accountRemoved(name, 'administrator account', name)],
    elsewhere: [
      {
        ...accountRemoved('app-host-1', 'shell account', undefined),
        after_s: -delay_s - chance.whole(90, 500),
      },
    ],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: 2 },
        message:
          'ActiveRecord::RecordNotFound (Couldn\'t find Sipity::Entity with [WHERE "sipity_entities"."proxy_for_global_id" = $1])',
      },
      {
        ...{ part: name, per_minute: 3, after_s: 20, severity: 'INFO' },
        message: 'Completed 404 Not Found in 118ms, work is kept',
      },
      ...callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 4, after_s: 6 },
        message: `GET http://${name}.internal/concern/works answered 404: this page does not exist`,
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'works_deposited_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => DEPOSITED * (1 + again * lost(since_s - 60)),
      },
      {
        ...{ entity: name, name: 'workflow_entries_created_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => DEPOSITED * (1 - lost(since_s)),
      },
    ],
    arriving: (part, since_s) => (part === name ? 0.2 * again * asked * lost(since_s - 60) : 0),
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s
        ? failingInTheEnd(topology, name, share * lost(since_s - delay_s))
        : {},
  }
}

/**
 * A release brings its tables to the next version before it begins, and a step of it ends half way: one table is kept under
 * another name and is not whole under its own. Who has run on misses a column of it, and who begins anew does not begin.
 */
const tornMigration: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name, pods } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(90, 240)
  const share = chance.between(0.45, 0.75)
  const kept = chance.between(0.15, 0.6)
  const step = 141
  const done = chance.whole(1, 3)
  const wanted = step + chance.whole(3, 6)
  const shipping_s = POD_S * pods
  /** How much of what is asked meets the table: all who run on, and hardly anything of those who do not begin. */
  const failed = (since_s: number): number =>
    since_s < 0 ? 0 : asked * share * (1 - progress(since_s - 20, shipping_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: name, topology, delay_s, places: [store] },
    culprits: [
      tableStep(
        name,
        step,
        [
          "    rename_table('workflow_step_connection', 'workflow_step_connection_before_141')",
          '    new_connections.create(checkfirst=True)',
          '    copy_connections(metadata)',
        ],
        chance.pick(['Inputs of steps', 'A table for inputs of steps', 'Steps and their inputs']),
      ),
    ],
    shipped: [{ part: name, after_s: delay_s + 20 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: store, per_minute: 3, after_s: 0, until_s: 90 },
        message:
          'ERROR:  insert or update on table "workflow_step_connection" violates foreign key constraint "workflow_step_connection_input_step_input_id_fkey"',
      },
      {
        ...{ part: name, per_minute: 8, after_s: 2, until_s: 20 + shipping_s },
        message:
          'sqlalchemy.exc.ProgrammingError: (psycopg2.errors.UndefinedColumn) column workflow_step_connection.input_name does not exist',
      },
      {
        ...{ part: name, per_minute: 5, after_s: 30 },
        message: `Exception: Your database has version '${step}' but this code expects version '${wanted}'.`,
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'db_schema_steps_pending', unit: '1', decides: true },
        level: (since_s) => {
          if (since_s < -delay_s) return 0
          return wanted - step + Math.ceil(done * (1 - progress(since_s + delay_s, delay_s)))
        },
      },
      {
        ...{ entity: store, name: 'pg_stat_user_tables_n_live_tup', unit: '1', labels: CONNECTIONS },
        ...{ decides: true, level: (since_s) => CONNECTION_ROWS * (since_s < 0 ? 1 : kept) },
      },
      {
        ...{ entity: store, name: 'db_statement_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => FAILED_STATEMENTS + failed(since_s),
      },
    ],
    working: (part) => (part === name ? { own_errors: 0.96 } : {}),
    ahead: (part, _pod, since_s) =>
      part === name && since_s >= delay_s ? failingInTheEnd(topology, name, share) : {},
  }
}

/**
 * A version of what runs in the browsers of many is to show a page to those who are new, and shows it to everybody, each time
 * that their browser begins or wakes. Browsers get it by themselves, one after the other. What has that page gets several
 * times what it was made for, and many take the extension away.
 */
const openedDemo: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const headroom = chance.between(1.35, 1.7)
  const made = sized(topology, name, headroom)
  const more = chance.between(1.6, 3.4)
  if (1 + more < 1.4 * headroom) return null
  const delay_s = chance.whole(60, 300)
  const updating_s = chance.whole(240, 600)
  const updated = (since_s: number): number => 0.01 + 0.87 * progress(since_s, updating_s)
  const opened = (since_s: number): number => more * progress(since_s, updating_s)
  const removed = UNINSTALLS * chance.between(16, 26)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['traffic', 'capacity', 'config'], entity: EXTENSION, topology: made, delay_s },
    places: [name],
    culprits: [
      backgroundPage(
        EXTENSION,
        [],
        ['chrome.tabs.create({ url: DEMO_PAGE })'],
        chance.pick([
          'Show the demo to who is new',
          'Demo after the installation',
          'Say hello with the demo',
        ]),
      ),
    ],
    shipped: [{ part: EXTENSION, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 6, after_s: 5, severity: 'INFO' },
        message: `GET /demo?from=${EXTENSION}-${NEWER} 200, no referer`,
      },
      {
        ...{ part: EXTENSION, per_minute: 2, after_s: 60, severity: 'WARN' },
        message: 'form at removal: "a demo comes up whenever I wake my laptop"',
      },
    ],
    gauges: [
      {
        ...{ entity: EXTENSION, name: 'extension_active_clients', unit: '1', labels: versionOf(NEWER) },
        ...{ decides: true, level: (since_s) => CLIENTS * updated(since_s) },
      },
      {
        ...{ entity: EXTENSION, name: 'extension_active_clients', unit: '1', labels: versionOf(OLDER) },
        ...{ decides: true, level: (since_s) => CLIENTS * (1 - updated(since_s)) },
      },
      {
        ...{ entity: EXTENSION, name: 'demo_pages_opened_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => DEMOS_OPENED + asked * opened(since_s),
      },
      {
        ...{ entity: EXTENSION, name: 'extension_uninstalls_total:increase10m', unit: '1', decides: true },
        level: (since_s) => UNINSTALLS + removed * progress(since_s, updating_s),
      },
    ],
    arriving: (part, since_s) => (part === name ? asked * opened(since_s) : 0),
    working: () => ({}),
  }
}

/** The families of the twenty-eighth generation whose cause is a change. */
export const TWENTY_EIGHTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'required-record': amongTwentyEighthSurroundings(requiredRecord),
  'mixed-flags': amongTwentyEighthSurroundings(mixedFlags),
  'deleted-owner': amongTwentyEighthSurroundings(deletedOwner),
  'torn-migration': amongTwentyEighthSurroundings(tornMigration),
  'opened-demo': amongTwentyEighthSurroundings(openedDemo),
}
