import { describe, expect, it } from 'vitest'
import { openedByMore } from '#shared/domain/investigation/causes/opened-by-more.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { moreAskers } from '#shared/domain/investigation/place/more-askers.ts'
import type { Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET } from '../incident-scenarios.ts'
import { BARE, place, risen, SINCE } from '../scene-by-hand.ts'

const since = (minute: number): SeriesShift['onset'] => ({
  ...{ earliest: at(minute - 1), at: at(minute), latest: at(minute + 1) },
})
const running = (
  more: Partial<SeriesShift> = {},
  name = 'aws_ecs_containerinsights_running_task_count_average',
) => risen('workers', name, { before: 10, during: 80, onset: since(ONSET - 5), ...more })
const opened = (more: Partial<SeriesShift> = {}, entity = 'stock-db') =>
  risen(entity, 'aws_rds_database_connections_average', {
    ...{ before: 100, during: 900, onset: since(ONSET - 4) },
    ...more,
  })
const STORES: Snapshot = {
  ...EMPTY,
  entities: [
    { name: 'stock-db', kind: 'datastore', aliases: [] },
    { name: 'stock', kind: 'service', aliases: [] },
  ],
}
const seen = (shifts: readonly SeriesShift[], more: Partial<Scene['observed']> = {}) =>
  moreAskers(STORES, { ...BARE, onset: SINCE, first: place('stock-db'), shifts, ...more })

describe('who asks a store was multiplied', () => {
  it('is told by what runs, and by the connections of the store that fails, soon after', () => {
    expect(seen([opened(), running()])).toMatchObject({
      running: { series: { entity: 'workers' } },
      connections: { series: { entity: 'stock-db' } },
    })
  })

  it.each([
    'kube_horizontalpodautoscaler_status_current_replicas',
    'kube_deployment_status_replicas_available',
    'aws_autoscaling_group_in_service_instances_average',
    'aws_lambda_concurrent_executions_maximum',
    'sidekiq_workers_active',
  ])('is told by %s', (name) => {
    expect(seen([opened(), running({}, name)])).not.toBeNull()
  })

  it.each(['kube_deployment_status_replicas_unavailable', 'jobs_pending', 'requests_running_total_seconds'])(
    'is not told by %s',
    (name) => {
      expect(seen([opened(), running({}, name)])).toBeNull()
    },
  )

  it('is not told where either grew by less than a multiple, or became fewer', () => {
    expect(seen([opened(), running({ during: 19 })])).toBeNull()
    expect(seen([opened({ during: 190 }), running()])).toBeNull()
    expect(seen([opened(), running({ direction: 'down' })])).toBeNull()
    expect(seen([opened(), running({ before: 0 })])).toBeNull()
  })

  it('is not told where the connections are those of another store, or what runs is the store', () => {
    expect(seen([opened({}, 'reports-db'), running()])).toBeNull()
    expect(seen([opened(), { ...running(), series: { ...running().series, entity: 'stock-db' } }])).toBeNull()
  })

  it('is not told of a service, whose own answers take long', () => {
    expect(seen([opened({}, 'stock'), running()], { first: place('stock') })).toBeNull()
    expect(seen([opened({}, 'front'), running()], { first: place('front') })).toBeNull()
  })

  it('is not told where the connections grew before, or long after', () => {
    expect(seen([opened({ onset: since(ONSET - 12) }), running()])).toBeNull()
    expect(seen([opened({ onset: since(ONSET) }), running({ onset: since(ONSET - 9) })])).toBeNull()
  })

  it('is not told where it began after the harm, was over before it, or no harm is known', () => {
    const late = since(ONSET + 5)
    expect(seen([opened({ onset: late }), running({ onset: late })])).toBeNull()
    expect(seen([opened({ ended_at: at(ONSET - 1) }), running()])).toBeNull()
    expect(seen([opened(), running({ ended_at: at(ONSET - 1) })])).toBeNull()
    expect(seen([opened(), running()], { onset: null })).toBeNull()
    expect(seen([opened(), running()], { first: null })).toBeNull()
  })
})

describe('many more connections than ever, as a cause', () => {
  const found = (shifts: readonly SeriesShift[]) =>
    openedByMore({
      ...{ snapshot: STORES, symptoms: [], names: entityNames(STORES), lines: [], onset: at(ONSET) },
      observed: { ...BARE, onset: SINCE, first: place('stock-db'), shifts },
    })

  it('is placed at the store, with what runs and the connections as its signs, and yields to what was changed', () => {
    expect(found([opened(), running()])).toMatchObject({
      ...{ kind: 'capacity', entity: 'stock-db', score: 0.75, action: 'scale' },
      ...{ yields_to_changes: true, is_placed: true },
      what: 'many more connections than ever, by what was started',
      signs: [{ strength: 0.5 }, { strength: 0.5 }],
    })
  })

  it('is none where nothing was multiplied', () => {
    expect(found([opened()])).toBeNull()
  })
})
