/**
 * Work that a change brings and that is done elsewhere than where it was delivered: statements that change stored data,
 * and jobs that run at times of their own.
 *
 * A migration is delivered with a service and is done in the store that the service uses; a job is written down in a
 * folder of settings and does its work, whenever it runs, on what its owner calls. So who looks at what fails has to ask
 * who began to use it otherwise (PostgreSQL, Explicit Locking: data definition takes locks that hold up everybody else's
 * statements; Kubernetes, CronJob: what is scheduled is done by a Job at each time of the schedule).
 */
import type { CallGraph } from '../place/call-graph.ts'
import type { Change, Entity } from '../records/snapshot.ts'
import type { DiffReading } from './read-diff.ts'

export interface ActingWork {
  readonly of: 'stored data' | 'job'
  /** What runs it bears one of these names, or one that begins with it. */
  readonly names: readonly string[]
  /** When it runs, as it is written down. */
  readonly schedules: readonly string[]
}

/** Statements of data definition, and what Rails, Knex, Sequelize, Django and Alembic call them. */
const DEFINITION =
  /\b(?:CREATE|DROP|ALTER|RENAME|TRUNCATE|REINDEX)\s+(?:UNIQUE\s+|MATERIALIZED\s+)?(?:TABLE|INDEX|VIEW|TYPE|COLUMN|CONSTRAINT|TRIGGER|SEQUENCE)\b|\bVACUUM\s+FULL\b|\b(?:add|remove|drop|create|rename|change|alter)_?(?:column|index|table|foreign_?key|constraint|reference|field|model)\w*(?:\s*\(|\s+:)|\bmigrations\.(?:Run|Add|Remove|Alter|Create|Delete|Rename)\w+\(/i
/** Kubernetes, systemd.timer(5), Amazon EventBridge Scheduler, Spring, node-cron, Celery and Quartz write a schedule so. */
export const SCHEDULED =
  /\bkind:\s*["']?(?:CronJob|ScheduledJob|ScheduledTask|CronWorkflow)\b|\bOnCalendar\s*=|\b(?:cron|rate)\(\s*["'\d*]|@Scheduled\(|\bcron\.schedule\(|\bcrontab\(|\b(?:schedule|cron)(?:_?expression)?["']?\s*[:=]\s*["']?(?:@\w+|(?:[\d*/,-]+\s+){4})/i
const SCHEDULE =
  /\b(?:schedule|cron)(?:_?expression)?["']?\s*[:=]\s*["']?(@\w+|(?:[\d*/,-]+\s+){4}[\w*/,-]+)|\bcron\(\s*["']?((?:[\d*/,-]+\s+){4}[\w*/,-]+)/gi
/** A name that a manifest gives to what it describes. */
const NAMED = /^\s*(?:-\s*)?["']?name["']?\s*[:=]\s*["']?([a-z\d](?:[a-z\d._-]*[a-z\d])?)["']?\s*,?\s*$/i
/** One word, as "backup" or "main", may be anybody's name. */
const TELLING = /[-_.\d]/

/** What runs because of a change, apart from the service that it is of; null where it brings nothing of the kind. */
export function workOf({ kind }: Change, diff: DiffReading): ActingWork | null {
  if (kind === 'migration' || diff.lines_new.some((line) => DEFINITION.test(line)))
    return { of: 'stored data', names: [], schedules: [] }
  if (!diff.lines_new.some((line) => SCHEDULED.test(line))) return null
  const written = diff.added.flatMap((line) => NAMED.exec(line)?.[1] ?? [])
  const files = diff.files.map((path) => path.replace(/^.*\//, '').replace(/\.\w+$/, ''))
  const names = [...written, ...files].map((name) => name.toLowerCase()).filter((name) => TELLING.test(name))
  const schedules = diff.added.flatMap((line) =>
    [...line.matchAll(SCHEDULE)].map((match) => (match[1] ?? match[2] ?? '').trim()),
  )
  return { of: 'job', names: [...new Set(names)], schedules: [...new Set(schedules)] }
}

/**
 * What such work is done on: of what its owner calls, the stores for statements that change stored data, anything for a
 * job. Where no tool says what is a store, whoever calls nobody may be one.
 */
export function actsOn(
  { of }: ActingWork,
  owners: Iterable<string>,
  { callees }: CallGraph,
  entities: readonly Entity[],
): readonly string[] {
  const kinds = new Map(entities.map(({ name, kind }) => [name, kind]))
  const isStore = (name: string): boolean =>
    kinds.get(name) === 'datastore' ||
    (kinds.get(name) !== 'external' && (callees.get(name)?.size ?? 0) === 0)
  const found = new Set<string>()
  for (const owner of owners)
    for (const callee of callees.get(owner) ?? []) if (of === 'job' || isStore(callee)) found.add(callee)
  return [...found]
}
