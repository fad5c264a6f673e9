import { describe, expect, it } from 'vitest'
import { actsOn, workOf } from '#shared/domain/investigation/changes/acting-changes.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { callGraph } from '#shared/domain/investigation/place/call-graph.ts'
import type { Change, Entity } from '#shared/domain/investigation/records/snapshot.ts'
import { calls, commit } from '../incident-scenarios.ts'

const work = (diff: string, files: readonly string[] = [], kind: Change['kind'] = 'commit') =>
  workOf({ ...commit('a', 1, 'x', files, diff), kind }, readDiff(diff, files))

describe('what a change makes run elsewhere', () => {
  it.each([
    '+ALTER TABLE parcel ADD COLUMN weight numeric;',
    '+CREATE UNIQUE INDEX parcel_code ON parcel (code);',
    '+    add_index :parcels, :code',
    '+  remove_column(:parcels, :code)',
    "+        migrations.RemoveIndex('parcel', 'code'),",
    "+    op.drop_index('ix_parcel_code')",
  ])('is a change of stored data in %s', (diff) => {
    expect(work(diff)).toMatchObject({ of: 'stored data' })
  })

  it('is one in every migration that a tool records as such', () => {
    expect(work('', [], 'migration')).toMatchObject({ of: 'stored data' })
  })

  it.each([
    [
      '+kind: CronJob\n+metadata:\n+  name: nightly-parcels\n+  schedule: "5 2 * * *"',
      ['nightly-parcels'],
      ['5 2 * * *'],
    ],
    ['+[Timer]\n+OnCalendar=hourly', ['sweep-parcels'], []],
    ['+  ScheduleExpression: "cron(0 8 * * ? *)"', ['sweep-parcels'], []],
    ['+@Scheduled(fixedRate = 5000)', ['sweep-parcels'], []],
    ["+  cron: '@hourly'", ['sweep-parcels'], ['@hourly']],
  ])('is a job in %s', (diff, names, schedules) => {
    const files = names[0] === 'sweep-parcels' ? ['timers/sweep-parcels.timer'] : []
    expect(work(diff, files)).toEqual({ of: 'job', names, schedules })
  })

  it('bears no name that is one everyday word, and is nothing where nothing is scheduled or defined', () => {
    expect(work('+kind: CronJob\n+name: backup', ['jobs/cron.yaml'])?.names).toEqual([])
    expect(work('+  retries: 3\n+  name: parcels')).toBeNull()
    expect(work('+-- ALTER TABLE parcel')).toBeNull()
  })
})

describe('what that is done on', () => {
  const graph = callGraph(
    [
      ...calls('till', 'vault'),
      ...calls('till', 'mail'),
      ...calls('mail', 'relay'),
      ...calls('till', 'bank'),
    ],
    { nodes: [] } as never,
    [],
  )
  const entities: readonly Entity[] = [{ name: 'bank', kind: 'external', aliases: [] }]

  it('are the stores of its owner for stored data, known as such or asking nobody', () => {
    const stored = { of: 'stored data', names: [], schedules: [] } as const
    expect(actsOn(stored, ['till'], graph, entities)).toEqual(['vault'])
    const known: readonly Entity[] = [...entities, { name: 'mail', kind: 'datastore', aliases: [] }]
    expect(actsOn(stored, ['till'], graph, known)).toEqual(['vault', 'mail'])
  })

  it('is all that its owner calls for a job, and nothing for who calls nobody', () => {
    const job = { of: 'job', names: [], schedules: [] } as const
    expect(actsOn(job, ['till'], graph, entities)).toEqual(['vault', 'mail', 'bank'])
    expect(actsOn(job, ['nobody'], graph, entities)).toEqual([])
  })
})
