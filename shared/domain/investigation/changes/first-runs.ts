/**
 * When what a change brought began to run: a change acts when its work is done, not when it was merged.
 *
 * Method: an orchestrator writes down each job that it starts or ends (Kubernetes, CronJob and Job: the job's name begins
 * with that of its CronJob; Helm, Chart Hooks and Argo CD, Resource Hooks run a release's migration as a job of its own).
 * Where nobody did, the schedule tells. What has run before without harm is the less likely to do harm now: after n such
 * runs 1 in n + 1 (Laplace's rule of succession, with the run in question among them).
 */

import type { EntityNames } from '../records/entity-names.ts'
import type { KubernetesRecord, Snapshot } from '../records/snapshot.ts'
import type { ActingWork } from './acting-changes.ts'
import { timesOf } from './cron-times.ts'

export interface Run {
  readonly at: number
  /** Share that remains after the runs before it that did no harm, 0 to 1. */
  readonly share: number
  /** The record that says so; null where only the schedule does. */
  readonly seen: KubernetesRecord | null
  /** The schedule that says so; null where a record does. */
  readonly schedule: string | null
}

/** What tools and their documentation call the job that changes stored data. */
const MIGRATING =
  /migrat|schema|flyway|liquibase|alembic|prisma|goose|\bdb-?(?:init|update|upgrade|push|setup)\b/i
/** A job that was started and the record that it ended are one run, ms: what takes longer counts as two. */
const ONE_RUN_MS = 60_000

const bears = (name: string, given: string): boolean => name === given || name.startsWith(`${given}-`)

/** The owner of a job: its name up to the parts that say what it does. */
function isOf({ name }: KubernetesRecord, owners: ReadonlySet<string>, names: EntityNames): boolean {
  for (let base = name.replace(/^.*\//, ''); base !== ''; base = base.replace(/-?[^-]*$/, ''))
    if (owners.has(names.canonical(base))) return true
  return false
}

/** The last run before an instant of work that a change brought; null where nothing says that it ran. */
export function lastRun(
  work: ActingWork,
  owners: ReadonlySet<string>,
  { k8s }: Snapshot,
  names: EntityNames,
  since: number,
  until: number,
): Run | null {
  const isOwn = (record: KubernetesRecord): boolean =>
    work.of === 'job'
      ? work.names.some((name) => bears(record.name.replace(/^.*\//, '').toLowerCase(), name))
      : MIGRATING.test(`${record.name} ${record.message ?? ''}`) && isOf(record, owners, names)
  const seen = k8s
    .filter(
      (record) =>
        /^(cron)?job$/i.test(record.kind) &&
        record.timestamp >= since &&
        record.timestamp <= until &&
        isOwn(record),
    )
    .sort((a, b) => a.timestamp - b.timestamp)
  const last = seen.at(-1)
  if (last !== undefined) {
    const runs = seen.filter(
      ({ timestamp }, index) => index === 0 || timestamp - (seen[index - 1]?.timestamp ?? 0) > ONE_RUN_MS,
    )
    return { at: last.timestamp, share: 1 / runs.length, seen: last, schedule: null }
  }
  const due = work.schedules
    .flatMap((schedule) => timesOf(schedule, since, until).map((at) => ({ at, schedule })))
    .sort((a, b) => a.at - b.at)
  const latest = due.at(-1)
  return latest === undefined
    ? null
    : { at: latest.at, share: 1 / due.length, seen: null, schedule: latest.schedule }
}
