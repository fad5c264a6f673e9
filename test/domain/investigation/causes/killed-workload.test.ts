import { describe, expect, it } from 'vitest'
import { killedWorkload } from '#shared/domain/investigation/causes/killed-workload.ts'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { at, EMPTY, ONSET } from '../incident-scenarios.ts'
import { BARE, counted, place, risen } from '../scene-by-hand.ts'

const since = (minute: number) => ({ onset: { at: at(minute), earliest: at(minute), latest: at(minute) } })
const begun = (entity = 'ticker', more: Partial<SeriesShift> = {}, name = 'container_restarts_recent') =>
  risen(entity, name, { before: 0, during: 3, extreme: 4, ...more })
const filling = (entity = 'ticker', more: Partial<SeriesShift> = {}, name = 'container_memory_usage_bytes') =>
  risen(entity, name, { before: 200, during: 600, meaning: readMetricName(name), ...more })
const flowing = (...entities: readonly string[]) =>
  new Map(entities.map((entity) => [entity, counted(entity, 9)]))
const found = (
  shifts: readonly SeriesShift[] = [begun(), filling()],
  more: Partial<Scene['observed']> = {},
  onset: number | null = at(ONSET),
) =>
  killedWorkload({
    ...{ snapshot: EMPTY, symptoms: [], names: entityNames(EMPTY), lines: [], onset },
    observed: { ...BARE, first: place('stock'), shifts, flows: flowing('stock'), ...more },
  })

describe('a workload that is begun anew again and again', () => {
  it('is possible where its platform counts that and its memory fills', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'capacity', entity: 'ticker', score: 0.58, at_most: CONFIDENCE_CAP_UNLINKED },
      ...{ action: 'scale', yields_to_changes: true, is_placed: true },
      what: 'a workload that fills its memory and is begun anew again and again',
    })
    expect(found()?.signs).toHaveLength(2)
  })

  it('needs both of the very part, from when users are hurt', () => {
    for (const shifts of [
      [begun()],
      [filling()],
      [begun(), filling('web')],
      [begun('ticker', { extreme: 1 }), filling()],
      [begun('ticker', { direction: 'down' }), filling()],
      [begun('ticker', {}, 'container_starts_recent'), filling()],
      [begun('ticker', since(ONSET + 3)), filling()],
      [begun('ticker', since(ONSET - 3)), filling()],
      [begun(), filling('ticker', { direction: 'down' })],
      [begun(), filling('ticker', since(ONSET - 6))],
      [begun(), filling('ticker', {}, 'container_cpu_usage_ratio')],
    ])
      expect(found(shifts)).toBeNull()
    expect(found([begun('ticker', since(ONSET + 2)), filling('ticker', since(ONSET - 5))])?.entity).toBe(
      'ticker',
    )
  })

  it('is over with what users feel', () => {
    const over = begun('ticker', { ended_at: at(ONSET + 2) })
    expect(found([over, filling()])).toBeNull()
  })

  it('is none of several, and none to which calls are counted, or where nobody counts any', () => {
    expect(found([begun(), filling(), begun('teller'), filling('teller')])).toBeNull()
    expect(found([begun(), filling(), begun('ticker', {}, 'kube_restarts'), begun('teller')])?.entity).toBe(
      'ticker',
    )
    expect(found(undefined, { flows: flowing('stock', 'ticker') })).toBeNull()
    expect(found(undefined, { flows: new Map() })).toBeNull()
    expect(found(undefined, { first: null })).toBeNull()
    expect(found(undefined, {}, null)).toBeNull()
  })
})
