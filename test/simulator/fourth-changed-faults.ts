/**
 * Families of the fourth generation whose cause is a change, each by another way: a migration of a database that others
 * read too, an answer that one reader cannot read, limits in a repository of manifests, a secret that one service did not
 * get, a job that was added long before it runs. They were written from accounts of real incidents, without knowledge of
 * the engine; docs/simulator/fourth.md says what was looked at.
 */
import { amongEverydayReadings } from './everyday-readings.ts'
import { hunk } from './faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  type ToldRecord,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Chance } from './random.ts'

/** A file that was not there before, as version control shows it. */
const added = (path: string, lines: readonly string[]): string =>
  [
    ...['--- /dev/null', `+++ b/${path}`, `@@ -0,0 +1,${lines.length} @@`],
    ...lines.map((line) => `+${line}`),
  ].join('\n')

/**
 * A migration drops indexes that its own service no longer needs. The store waits for transactions that are open; then
 * another service's query reads the whole table, and everybody who asks the store waits.
 */
const droppedIndex: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const owner = chance.pick(callers)
  const waited_s = chance.whole(90, 420)
  const slower = chance.between(4, 8)
  const [table, by, and] = chance.pick([
    ['entries', 'account_id', 'state'],
    ['bookings', 'member_id', 'opened_at'],
    ['letters', 'recipient_id', 'folder'],
    ['visits', 'place_id', 'day'],
  ] as const)
  const path = `${owner.name}/migrations/${chance.whole(118, 460)}_${table}_indexes.sql`
  const query = `SELECT * FROM ${table} WHERE ${by} = $1 AND ${and} = $2 ORDER BY id DESC LIMIT 20`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data'], entity: store.name, places: [owner.name], delay_s: waited_s },
    topology: sized(topology, store.name, 2.2),
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, entity: owner.name, files: [path] },
        title: chance.pick([`Fewer indexes on ${table}`, 'Make writes cheaper', `Tidy up ${table}`]),
        diff: added(path, [
          '-- no transaction',
          `DROP INDEX CONCURRENTLY IF EXISTS ${table}_${by}_${and}_idx;`,
          `DROP INDEX CONCURRENTLY IF EXISTS ${table}_updated_at_idx;`,
          `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${table}_kind_idx ON ${table} (kind);`,
        ]),
      },
    ],
    shipped: [{ part: owner.name, after_s: 0 }],
    lines: [
      {
        ...{ part: store.name, per_minute: 9, severity: 'INFO' },
        message: `LOG:  duration: ${chance.whole(2_000, 9_000)}.318 ms  execute <unnamed>: ${query}`,
      },
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 5, after_s: 30 },
        message: 'error: canceling statement due to statement timeout',
      })),
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 70 * progress(since_s, 120),
      },
      ...(chance.is(0.5)
        ? [
            {
              ...{ entity: store.name, name: 'db_rows_read_per_second', unit: '/s' },
              level: (since_s: number) => (since_s < 0 ? 1_900 : 640_000),
            },
          ]
        : []),
    ],
    k8s: [
      {
        ...{ after_s: -10, kind: 'Job', name: `${owner.name}-migrate`, reason: 'Completed' },
        ...{ message: 'Job completed', decides: true },
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === store.name && since_s >= waited_s ? { own_factor: slower, cpu_factor: slower } : {},
  }
}

/** Ways in which an answer says more than before, and what a reader of another make says of it. */
const WIDER = [
  {
    ...{
      title: 'Amounts keep their cents',
      gone: 'amount: row.amount,',
      come: 'amount: row.amount.toFixed(2),',
    },
    message: 'json: cannot unmarshal string into Go struct field Line.amount of type int64',
  },
  {
    ...{
      title: 'Tell entries that wait from open ones',
      gone: 'state: row.closedAt ? "DONE" : "OPEN",',
      come: 'state: row.heldAt ? "ON_HOLD" : row.closedAt ? "DONE" : "OPEN",',
    },
    message:
      'Cannot deserialize value of type `EntryState` from String "ON_HOLD": not one of the values accepted for Enum class: [OPEN, DONE]',
  },
  {
    ...{ title: 'No name is no name', gone: 'owner: row.owner ?? "",', come: 'owner: row.owner,' },
    message:
      'ZodError: [{"code":"invalid_type","expected":"string","received":"null","path":["items",3,"owner"]}]',
  },
] as const

/** An answer that says a little more than before; all who read it can but one, and that one fails, not its writer. */
const widenedAnswer: ProductionFamily = (topology, chance): ProductionFault | null => {
  const writers = inner(topology).filter(({ name }) => callersOf(topology, name).length >= 2)
  if (writers.length === 0) return null
  const { name } = chance.pick(writers)
  const reader = chance.pick(callersOf(topology, name))
  const { title, gone, come, message } = chance.pick(WIDER)
  // What was asked before is kept for a while, and only some of it is of the new kind.
  const kept_s = chance.whole(60, 330)
  const share = chance.between(0.35, 0.7)
  const path = `${name}/src/view.ts`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data'], entity: name, places: [reader.name], topology, delay_s: kept_s },
    culprits: [
      {
        ...{ kind: 'commit', after_s: 0, entity: name, title },
        files: [path, `${name}/test/view.test.ts`],
        diff: [
          hunk(path, [`    ${gone}`], [`    ${come}`]),
          hunk(`${name}/test/view.test.ts`, [], ['  expect(view(row)).toMatchSnapshot()']),
        ].join('\n'),
      },
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [{ part: reader.name, message, per_minute: 15 }],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === reader.name ? { own_errors: share * progress(since_s - kept_s, 150) } : {},
  }
}

/** Seconds for which a pod that was killed is away: longer each time (Kubernetes' back-off, 10 s doubled up to 300). */
const awayFor = (times: number, start_s: number): number =>
  start_s + (times === 0 ? 0 : Math.min(300, 10 * 2 ** times))

/** When a pod is away that is killed after so long at first, and sooner when it comes back to what waits for it. */
function absences(
  first_s: number,
  again_s: number,
  start_s: number,
): readonly { from: number; to: number }[] {
  const away: { from: number; to: number }[] = []
  for (let from = first_s; from < 3_600; from = (away.at(-1)?.to ?? from) + again_s)
    away.push({ from, to: from + awayFor(away.length, start_s) })
  return away
}

/** Memory that pods may use, set to what they used in a quiet week; one of them needs more once it is warm. */
const tightLimits: ProductionFamily = (topology, chance): ProductionFault | null => {
  const services = inner(topology)
  const hit = chance.pick(services)
  const others = services.filter(({ name }) => name !== hit.name).slice(0, chance.whole(1, 3))
  const limit_mb = Math.round(hit.memory_mb * chance.between(1.2, 1.4))
  const first_s = chance.whole(200, 520)
  const again_s = Math.round(first_s * chance.between(0.3, 0.5))
  const own_after_s = chance.whole(0, 150)
  const away = absences(first_s, again_s, chance.whole(35, 70))
  const file = (service: string): string => `apps/${service}/resources.yaml`
  const setting = (service: string, from: number, to: number): string =>
    [
      ...[`--- a/${file(service)}`, `+++ b/${file(service)}`, '@@ -5,5 +5,5 @@', ' limits:'],
      ...['   cpu: "2"', `-  memory: ${from}Mi`, `+  memory: ${to}Mi`, ' requests:'],
    ].join('\n')
  const listed = [hit, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const killed: readonly ToldRecord[] = away.slice(0, 6).map(({ from }, index) => ({
    ...{ after_s: from - first_s + 2, kind: 'Pod', name: `${hit.name}-0`, decides: true },
    reason: index % 2 === 0 ? 'OOMKilling' : 'BackOff',
    message:
      index % 2 === 0
        ? `Memory cgroup out of memory: Killed process ${2_000 + 61 * index} (node) anon-rss:${limit_mb * 1_012}kB`
        : 'Back-off restarting failed container',
  }))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['capacity'], entity: hit.name, places: ['fleet-manifests'], topology },
    delay_s: own_after_s + first_s,
    culprits: [
      {
        ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(100, 500) },
        title: chance.pick([
          'Right-size limits',
          'Limits as the recommender has them',
          'Tidy up resources.yaml',
        ]),
        files: listed.map(({ name }) => file(name)),
        diff: listed
          .map(({ name, memory_mb }) =>
            name === hit.name
              ? setting(name, Math.round(memory_mb * 2.4), limit_mb)
              : setting(name, Math.round(memory_mb * 3), Math.round(memory_mb * 2)),
          )
          .join('\n'),
        ...(chance.is(0.5) ? { entity: 'fleet-manifests' } : {}),
      },
    ],
    renewed: [
      { part: hit.name, after_s: own_after_s },
      ...others.map(({ name }) => ({ part: name, after_s: chance.whole(0, 500) })),
    ],
    k8s: killed,
    lines: [
      {
        ...{ part: hit.name, per_minute: 3, severity: 'INFO' },
        message: `listening, ${chance.whole(20_000, 90_000)} entries to warm`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== hit.name) return {}
      if (away.some(({ from, to }) => since_s >= from && since_s < to)) return { own_errors: 0.95 }
      const warm_s = since_s < first_s ? first_s : again_s
      return { leak_mb: ((limit_mb - hit.memory_mb) * 62) / warm_s, memory_limit_mb: limit_mb }
    },
  }
}

/**
 * A password is changed as every quarter; those who are told begin anew with the next one. One service read it when it
 * started: its open connections last, and every one that comes to its age is refused when it is opened again.
 */
const rotatedPassword: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const hit = chance.pick(callers)
  const delay_s = chance.whole(120, 480)
  const lasting_s = chance.whole(200, 500)
  const id = (): string => `v-${chance.whole(0x100000, 0xffffff).toString(16)}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'certificate'], entity: hit.name, places: [store.name] },
    ...{ topology, delay_s },
    culprits: [
      {
        ...{ kind: 'infra', after_s: 0, before: id(), after: id() },
        title: chance.pick([`Secret prod/${store.name}/app: scheduled rotation`, `prod/${store.name}/app`]),
        ...(chance.is(0.5) ? { entity: store.name } : {}),
      },
    ],
    renewed: callers
      .filter(({ name }) => name !== hit.name)
      .map(({ name }) => ({ part: name, after_s: chance.whole(15, 240) })),
    lines: [
      { part: hit.name, message: 'error: password authentication failed for user "app"', per_minute: 14 },
      {
        ...{ part: store.name, per_minute: 11, severity: 'ERROR' },
        message: 'FATAL:  password authentication failed for user "app"',
      },
    ],
    gauges: chance.is(0.5)
      ? [
          {
            ...{ entity: hit.name, name: 'db_pool_connections_open', unit: '1' },
            level: (since_s) => 24 - 23 * progress(since_s, lasting_s),
          },
        ]
      : [],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === hit.name
        ? { cut_off: { to: store.name, share: 0.97 * progress(since_s - delay_s, lasting_s) } }
        : {},
  }
}

/** Records of jobs that begin at round times, this one among them. */
function jobRecords(job: string, every_s: number, chance: Chance): readonly ToldRecord[] {
  const record = (name: string, after_s: number): ToldRecord => ({
    ...{ after_s, kind: 'CronJob', name, reason: 'SuccessfulCreate' },
    message: `Created job ${name}-${chance.whole(29_540_000, 29_549_999)}`,
  })
  const own = [0, every_s].map((after_s) => ({ ...record(job, after_s - 4), decides: true }))
  const usual = ['nightly-export', 'sweep-sessions', 'send-digests']
  return [...own, ...usual.map((name) => record(name, chance.whole(-60, 40) * 60))]
}

/** A job that somebody adds, and that nobody notices until its hour comes: it reads and locks what everybody needs. */
const scheduledJob: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, store.name)
  const owner = chance.pick(callers)
  const every_s = chance.pick([1_200, 1_800, 3_600])
  const runs_s = chance.whole(480, 900)
  const slower = chance.between(3.5, 7)
  const locked = chance.between(0.03, 0.15)
  const delay_s = chance.whole(1_200, 3_300)
  const job = `${chance.pick(['recount', 'rebuild', 'refresh', 'compact'])}-${chance.pick(['totals', 'ranks', 'labels'])}`
  const path = `prod/${owner.name}/jobs/${job}.yaml`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['capacity', 'code'], entity: store.name },
    places: [job, owner.name, 'fleet-config'],
    ...{ topology: sized(topology, store.name, 2), delay_s },
    culprits: [
      {
        ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(100, 500), files: [path] },
        title: chance.pick([`Keep ${job.split('-')[1]} fresh`, `Jobs of ${owner.name}`, `Add ${job}`]),
        diff: added(path, [
          ...['kind: CronJob', `name: ${job}`],
          `schedule: "${every_s === 3_600 ? '0' : `*/${every_s / 60}`} * * * *"`,
          ...['concurrencyPolicy: Forbid', `command: ["node", "jobs/${job}.js", "--all"]`],
        ]),
        ...(chance.is(0.5) ? { entity: chance.pick([owner.name, 'fleet-config']) } : {}),
      },
    ],
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 5, after_s: 20 },
        message: 'error: canceling statement due to lock timeout',
      })),
      {
        ...{ part: store.name, per_minute: 6, after_s: 20, severity: 'INFO' },
        message: `LOG:  process ${chance.whole(700, 9_000)} still waiting for ShareLock on transaction ${chance.whole(1e6, 9e6)} after 1000.114 ms`,
      },
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) =>
          since_s >= 0 && since_s % every_s < runs_s ? 22 + 55 * progress(since_s, 90) : 22,
      },
    ],
    k8s: jobRecords(job, every_s, chance),
    working: (part, _pod, since_s) => {
      const ran_s = since_s - delay_s
      if (part !== store.name || ran_s < 0 || ran_s % every_s >= runs_s) return {}
      return { own_factor: slower, cpu_factor: slower, own_errors: locked }
    },
  }
}

/** The families of the fourth generation whose cause is a change. */
export const FOURTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'dropped-index': amongEverydayReadings(droppedIndex),
  'widened-answer': amongEverydayReadings(widenedAnswer),
  'tight-limits': amongEverydayReadings(tightLimits),
  'rotated-password': amongEverydayReadings(rotatedPassword),
  'scheduled-job': amongEverydayReadings(scheduledJob),
}
