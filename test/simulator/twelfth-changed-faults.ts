/**
 * Families of the twelfth generation whose cause is a change, each as a published report of one organisation has it: a
 * column that others do not write, machines whose pages ask for files that nobody gives out, a tag for tests that goes
 * into everything, a release that may not begin what it stopped (plain), and a mailbox that is read although nobody
 * wants it (plain). They were written without knowledge of the engine; docs/simulator/twelfth.md names the reports and
 * the rule by which they were chosen.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  ABSENT_FILES,
  ASSETS,
  amongTwelfthSurroundings,
  anotherColumn,
  MAILS,
  madeBy,
  mailSetting,
  PIPELINE,
  REFUSED_ROWS,
  REFUSED_STEPS,
  replacedMachines,
  SCRIPT_ERRORS,
  TAGS,
  tagScope,
} from './twelfth-surroundings.ts'

/**
 * A service gives a table that it shares with another a column which each row must have. It writes the column itself; the
 * other knows nothing of it, and none of its new rows is taken.
 */
const requiredColumn: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores).name
  const asking = callersOf(topology, store).map(({ name }) => name)
  const owner = chance.pick(asking)
  const other = chance.pick(asking.filter((name) => name !== owner))
  const [table, column] = chance.pick([
    ['persons', 'version'],
    ['profiles', 'revision'],
    ['visitors', 'generation'],
  ] as const)
  const share = chance.between(0.3, 0.55)
  const delay_s = chance.whole(5, 30)
  const made = (arrivalsOf(topology).get(other) ?? 0) * share
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config'], entity: owner, places: [store, other], topology, delay_s },
    culprits: [anotherColumn(owner, table, column, 'NOT NULL', chance)],
    shipped: [{ part: owner, after_s: 0 }],
    undisturbed: [other],
    lines: [
      {
        ...{ part: other, per_minute: 12 },
        message: `error: null value in column "${column}" of relation "${table}" violates not-null constraint (23502)`,
      },
    ],
    gauges: [
      {
        ...{ entity: other, name: 'db_constraint_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => REFUSED_ROWS + made * progress(since_s, 15),
      },
    ],
    k8s: [
      {
        ...{
          after_s: -delay_s - 3,
          kind: 'Job',
          name: `${owner}-migrate`,
          reason: 'Completed',
          decides: true,
        },
        message: 'Job completed',
      },
    ],
    // Who writes without the column is shipped nothing.
    working: () => ({}),
    beyond: (part, _pod, since_s) => (part === other && since_s >= delay_s ? { own_errors: share } : {}),
  }
}

/**
 * The machines of a service are replaced, as every few weeks. Some of the new ones come with pages whose files have other
 * names, and nobody gave those files to what hands them out.
 */
const unpushedAssets: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const share = chance.between(0.7, 0.92)
  const digest = chance.whole(0x100000, 0xffffff).toString(16)
  /** One machine in two has the other files, the first among them. */
  const isOther = (pod: number): boolean => pod % 2 === 0
  const asked = (arrivalsOf(topology).get(name) ?? 0) * share
  const reached_s = 110 * pods
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['code', 'config', 'dependency', 'node'], entity: name, places: [ASSETS] },
    ...{ topology, delay_s: chance.whole(20, 45) },
    culprits: [replacedMachines(name, chance.is(0.6) ? name : undefined)],
    renewed: [{ part: name, after_s: 15 }],
    undisturbed: [name],
    lines: [
      ...Array.from({ length: pods }, (_, pod) => pod)
        .filter(isOther)
        .map((pod) => ({
          ...{ part: name, per_minute: 8, pod, after_s: 100 * pod },
          message: `ChunkLoadError: loading /assets/app-${digest}.js failed`,
        })),
      { part: ASSETS, per_minute: 9, severity: 'WARN', message: `404 /assets/app-${digest}.js (${name})` },
    ],
    gauges: [
      {
        ...{ entity: ASSETS, name: 'cdn_not_found_per_second', unit: '/s', labels: { site: name } },
        level: (since_s) =>
          ABSENT_FILES + 0.5 * asked * (since_s < 0 ? 0 : 0.4 + 0.6 * progress(since_s, reached_s)),
        decides: true,
      },
    ],
    working: (part, pod) => (part === name && isOther(pod) ? { own_errors: share } : {}),
  }
}

/**
 * A tag for tests is set to go into all that a service hands out, not only into what its own seat asks for. Who asks that
 * service cannot read what it gets.
 */
const tagForAll: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ name }) => callersOf(topology, name).length > 0)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const share = chance.between(0.45, 0.75)
  const tag = chance.whole(4_401, 4_800)
  const delay_s = chance.whole(10, 45)
  const growing_s = chance.whole(20, 60)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['flag', 'data', 'code'], entity: name, places: [TAGS], topology, delay_s },
    culprits: [tagScope(tag, 'try-out', ['seat', 'platform'])],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 10 },
      message: `SyntaxError: Unexpected token 's', "secure" is not valid JSON (tag ${tag}, from ${name})`,
    })),
    gauges: callers.map((entity) => ({
      ...{ entity, name: 'script_errors_per_second', unit: '/s', decides: true },
      level: (since_s: number) =>
        SCRIPT_ERRORS + (arrivalsOf(topology).get(entity) ?? 0) * share * progress(since_s, growing_s),
    })),
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { own_errors: share * progress(since_s - delay_s, growing_s) }
        : {},
  }
}

/**
 * Plain: a release is made under another identity than those before. That may stop a service and replace what it consists
 * of, and may not begin it again: each pod stays stopped, and its requests get a page that says so.
 */
const stoppedRelease: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const identity = `release-${chance.whole(3, 9)}`
  const share = chance.between(0.95, 0.99)
  const before = chance.pick(['release-all', 'release-2'])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['code', 'infra'], entity: name, topology, delay_s: 5 },
    culprits: [madeBy(name, [before, identity], chance)],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      ...callers.map((part) => ({ part, per_minute: 8, message: `${name}: 503, stopped for a release` })),
      {
        ...{ part: PIPELINE, per_minute: 6, after_s: 5 },
        message: `403: ${identity} has no right to start ${name}, it stays stopped`,
      },
    ],
    gauges: [
      {
        ...{
          entity: PIPELINE,
          name: 'release_steps_refused_per_minute',
          unit: '1',
          labels: { service: name },
        },
        level: (since_s) => REFUSED_STEPS + pods * 2 * progress(since_s, 60),
        decides: true,
      },
    ],
    k8s: [0, 45, 100, 220].map((later_s) => ({
      ...{ after_s: 8 + later_s, kind: 'ReplicaSet', name, reason: 'FailedCreate', decides: true },
      message: `pods is forbidden: User "${identity}" cannot create resource "pods"`,
    })),
    working: (part) => (part === name ? { own_errors: share, cpu_factor: 0.05 } : {}),
  }
}

/**
 * Plain: a service is connected to the mails again, to another mailbox than before and so that it takes out by itself all
 * that is there. It works through years of mails, and those who ask it wait or are sent away.
 */
const fetchedMailbox: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(15, 60)
  const growing_s = chance.whole(20, 70)
  const share = chance.between(0.45, 0.7)
  const fetched = chance.whole(90, 260)
  const gone = ['  host: inbox-2.internal', '  fetch: by hand', '  afterFetch: keep']
  const come = ['  host: inbox.internal', '  fetch: always', '  afterFetch: delete']
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['code', 'infra', 'data'], entity: name, places: ['fleet-config'] },
    ...{ topology, delay_s },
    culprits: [mailSetting(name, gone, come, chance)],
    lines: [
      {
        ...{ part: name, per_minute: 8 },
        message: `503: no worker is free, 12 of 12 import mails`,
      },
      {
        ...{ part: name, per_minute: 6, severity: 'INFO' },
        message: `mail import from inbox.internal: ${chance.whole(900, 4_000)} messages, ${chance.whole(12, 60)} tickets closed`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'mailbox_messages_fetched_per_second', unit: '/s', decides: true },
        level: (since_s) => MAILS + fetched * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) => {
      const so_far = progress(since_s - delay_s, growing_s)
      return part === name && since_s >= delay_s
        ? { own_errors: share * so_far, own_factor: 1 + 5 * so_far, cpu_factor: 1 + 4 * so_far }
        : {}
    },
  }
}

/** The families of the twelfth generation whose cause is a change. */
export const TWELFTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'required-column': amongTwelfthSurroundings(requiredColumn),
  'unpushed-assets': amongTwelfthSurroundings(unpushedAssets),
  'tag-for-all': amongTwelfthSurroundings(tagForAll),
  'stopped-release': amongTwelfthSurroundings(stoppedRelease),
  'fetched-mailbox': amongTwelfthSurroundings(fetchedMailbox),
}
