import { describe, expect, it } from 'vitest'
import { blameServices } from '#shared/domain/investigation/blame-services.ts'
import type { EdgeGap } from '#shared/domain/investigation/edge-gaps.ts'
import type { BrokenSequence } from '#shared/domain/investigation/log-sequences.ts'
import type { NodeFlow } from '#shared/domain/investigation/node-flow.ts'
import type { SeriesShift } from '#shared/domain/investigation/series-shift.ts'
import { at, ONSET, series } from './incident-scenarios.ts'

const nothing = { flows: [], shifts: [], gaps: [], broken: [] }

const flow = (entity: string, own: number, z = 12): NodeFlow => ({
  entity,
  kind: 'failing',
  excess: own,
  own,
  z,
  total: 100,
  interval_s: 60,
  onset_at: at(ONSET),
  is_usual: false,
  has_level: true,
  series: series(entity, 'availability', 100, 90),
})

const shift = (entity: string, z: number, name = 'cpu_usage_percent'): SeriesShift => ({
  series: series(entity, name, 10, 90),
  meaning: { meaning: 'saturation', bad: 'up', weight: 0.5, is_demand: false, resource: 'cpu' },
  direction: 'up',
  is_bad: true,
  before: 10,
  during: 90,
  extreme: 92,
  latest: 90,
  z,
  onset: { at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) },
  ended_at: null,
  normal_count: 60,
})

const gap = (service: string, excess: number): EdgeGap => ({
  service,
  instance: null,
  excess_ms: excess,
  edges: 3,
  spans: 30,
  source: 'traces',
  from: at(ONSET),
})

const broken = (service: string, score: number): BrokenSequence => ({
  service,
  operation: 'GET /x',
  after: null,
  expected: 'order stored',
  instead: null,
  score,
  broken: 20,
  spans: 20,
  normal_share: 1,
  normal_spans: 40,
  first_seen: at(ONSET),
  source: 'logs',
})

describe('which services the measurements point to', () => {
  it('an entity in which nothing of the flow arises is not blamed, so no tie of zeros is broken by name', () => {
    const blames = blameServices({ ...nothing, flows: [flow('b', 80), flow('c', 0), flow('a', 0)] })
    expect(blames.map(({ entity }) => entity)).toEqual(['b'])
  })

  it('a flow decides alone, because it accounts for the whole symptom', () => {
    const blames = blameServices({ ...nothing, flows: [flow('b', 80)], shifts: [shift('a', 900)] })
    expect(blames.map(({ entity }) => entity)).toEqual(['b'])
  })

  it('two scorers that agree outvote one that shouts', () => {
    const blames = blameServices({
      ...nothing,
      shifts: [shift('loud', 1e6), shift('broken', 40)],
      gaps: [gap('broken', 150)],
      broken: [broken('broken', 6)],
    })
    expect(blames[0]).toMatchObject({ entity: 'broken' })
  })

  it('beside the widest gap those of neighbours count for less', () => {
    const [first, second] = blameServices({ ...nothing, gaps: [gap('far', 100), gap('near', 200)] })
    expect(first?.entity).toBe('near')
    expect(second?.score).toBeCloseTo(10 * 0.5 * 0.5)
  })

  it('what hardly moved is not blamed', () => {
    expect(blameServices({ ...nothing, shifts: [shift('a', 0.5)], gaps: [gap('b', 0)] })).toEqual([])
  })
})
