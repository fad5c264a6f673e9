import { describe, expect, it } from 'vitest'
import type { ActingWork } from '#shared/domain/investigation/changes/acting-changes.ts'
import { lastRun } from '#shared/domain/investigation/changes/first-runs.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { KubernetesRecord, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const record = (minute: number, kind: string, name: string, message?: string): KubernetesRecord => ({
  source: 'k8s',
  timestamp: at(minute),
  kind,
  name,
  ...(message === undefined ? {} : { message }),
})
const JOB: ActingWork = { of: 'job', names: ['count-parcels'], schedules: ['*/15 * * * *'] }
const STORED: ActingWork = { of: 'stored data', names: [], schedules: [] }

const run = (work: ActingWork, k8s: readonly KubernetesRecord[], until = 80) => {
  const snapshot: Snapshot = { ...EMPTY, entities: [{ name: 'till', kind: 'service', aliases: [] }], k8s }
  return lastRun(work, new Set(['till']), snapshot, entityNames(snapshot), at(10), at(until))
}

describe('when the work of a change ran', () => {
  it('is told by the record of a job that bears its name, whatever its schedule says', () => {
    const seen = record(71, 'CronJob', 'prod/count-parcels')
    expect(run(JOB, [seen])).toEqual({ at: at(71), share: 1, seen, schedule: null })
    expect(run(JOB, [record(71, 'Job', 'count-parcels-2954')])?.at).toBe(at(71))
  })

  it('is not told by other jobs, by pods, by what ran before the change or after the onset', () => {
    const others = [
      record(71, 'Job', 'recount-parcels'),
      record(71, 'Pod', 'count-parcels-2954'),
      record(5, 'Job', 'count-parcels-1'),
      record(85, 'Job', 'count-parcels-3'),
    ]
    expect(run(JOB, others)).toMatchObject({ seen: null, schedule: '*/15 * * * *', at: at(75) })
  })

  it('counts for less the more often it ran before without harm, a start and an end being one run', () => {
    const runs = [20, 40, 60].map((minute) => record(minute, 'Job', `count-parcels-${minute}`))
    expect(run(JOB, runs)).toMatchObject({ at: at(60), share: 1 / 3 })
    expect(
      run(JOB, [record(60, 'Job', 'count-parcels-1'), record(61, 'Job', 'count-parcels-1')])?.share,
    ).toBe(1)
    expect(run(JOB, [], 20)).toMatchObject({ at: at(15), share: 1 })
  })

  it('is unknown where neither a record nor a schedule tells', () => {
    expect(run({ ...JOB, schedules: ['soon'] }, [])).toBeNull()
    expect(run(JOB, [], 12)).toBeNull()
  })

  it('of stored data is that of its owner’s job that migrates', () => {
    expect(run(STORED, [record(70, 'Job', 'till-flyway-7')])?.at).toBe(at(70))
    expect(run(STORED, [record(70, 'Job', 'till-hook', 'alembic upgrade head')])?.at).toBe(at(70))
    expect(run(STORED, [record(70, 'Job', 'till-report')])).toBeNull()
    expect(run(STORED, [record(70, 'Job', 'mail-migrate')])).toBeNull()
  })
})
