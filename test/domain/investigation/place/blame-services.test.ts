import { describe, expect, it } from 'vitest'
import type { BrokenSequence } from '#shared/domain/investigation/deviations/log-sequences.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { blameServices } from '#shared/domain/investigation/place/blame-services.ts'
import type { EdgeGap } from '#shared/domain/investigation/place/edge-gaps.ts'
import type { NodeFlow } from '#shared/domain/investigation/place/node-flow.ts'
import { at, ONSET, series } from '../incident-scenarios.ts'

const nothing = { flows: [], shifts: [], gaps: [], broken: [] }

const flow = (entity: string, own: number, z = 12): NodeFlow => ({
  entity,
  kind: 'failing',
  excess: own,
  own,
  z,
  beyond_chance: z,
  total: 100,
  interval_s: 60,
  onset_at: at(ONSET),
  is_usual: false,
  has_level: true,
  adds_up: true,
  unmeasured: [],
  total_of: 'alerted',
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

  it('a flow is as sure as its distance from normal: even at three, slowly growing, by its square where chance makes it up', () => {
    const strength = (z: number, beyond: number) =>
      blameServices({ ...nothing, flows: [{ ...flow('a', 100), z, beyond_chance: beyond }] })[0]?.strength
    expect([1, 3, 12].map((distance) => strength(distance, distance))).toEqual([0.25, 0.5, 0.8])
    // Few calls: by chance alone it would be there as often as not.
    expect([strength(1_000, 1), strength(1_000, 3)]).toEqual([0.25, 0.5])
    expect([strength(1_000, 6), strength(7, 6)]).toEqual([0.8, 0.7])
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

  it('each scorer gives half of the most at its own measure, and never more than the most', () => {
    expect(blameServices({ ...nothing, shifts: [shift('a', 20)] })[0]?.score).toBe(5)
    expect(blameServices({ ...nothing, gaps: [gap('a', 100)] })[0]?.score).toBe(5)
    expect(blameServices({ ...nothing, broken: [broken('a', 6)] })[0]?.score).toBe(5)
    expect(blameServices({ ...nothing, shifts: [shift('a', 1e12)] })[0]?.score).toBeCloseTo(10, 6)
  })

  it('the strength is the score as a share of certainty', () => {
    expect(blameServices({ ...nothing, shifts: [shift('a', 20)] })[0]?.strength).toBe(0.5)
    expect(blameServices({ ...nothing, shifts: [shift('a', 60)] })[0]?.strength).toBe(0.6)
  })

  describe('what is used of a whole', () => {
    const used = (name: string, during: number, more: Partial<SeriesShift['series']> = {}): SeriesShift => {
      const one = shift('a', 20, name)
      return { ...one, during, series: { ...one.series, ...more } }
    }
    const blame = (one: SeriesShift) => blameServices({ ...nothing, shifts: [one] })[0]?.score

    it('is blamed by how much calls wait for it beside the work itself, until that is as much', () => {
      expect(blame(used('cpu_usage', 20, { unit: '%' }))).toBeCloseTo(5 * 0.25, 6)
      expect(blame(used('cpu_usage', 40, { unit: '%' }))).toBeCloseTo((5 * 2) / 3, 6)
      expect([50, 51, 90, 300].map((during) => blame(used('cpu_usage', during, { unit: '%' })))).toEqual([
        5, 5, 5, 5,
      ])
      expect(blame(used('cpu_usage', 4, { unit: '%' }))).toBeUndefined()
      expect(blame(used('cpu_usage', -4, { unit: '%' }))).toBeUndefined()
    })

    it.each(['cpu_utilization', 'memory_used_ratio', 'cpu_pct', 'cpu_percent'])(
      'is a share by its name, %s, where its unit is that of any number',
      (name) => expect(blame(used(name, 0.2, { unit: '1' }))).toBeCloseTo(5 * 0.25, 6),
    )

    it('is unknown of a number of cores, of what has no unit, and of what is left', () => {
      expect(blame(used('cpu_cores', 0.2, { unit: '1' }))).toBe(5)
      const { unit: _, ...bare } = used('cpu_percent', 0.2).series
      expect(blame({ ...used('cpu_percent', 0.2), series: bare })).toBe(5)
      const left = used('memory_free_percent', 10, { unit: '%' })
      expect(blame({ ...left, meaning: { ...left.meaning, bad: 'down' } })).toBe(5)
      const failing = used('error_percent', 10, { unit: '%' })
      expect(blame({ ...failing, meaning: { ...failing.meaning, meaning: 'errors' } })).toBe(5)
    })

    it('speaks for its service by that and not by its distance from normal alone', () => {
      const far = { ...used('cpu_usage', 4, { unit: '%' }), z: 1_000 }
      const near = { ...used('memory_usage', 90, { unit: '%' }), z: 20 }
      for (const shifts of [
        [far, near],
        [near, far],
      ])
        expect(blameServices({ ...nothing, shifts })).toMatchObject([{ shift: near, score: 5 }])
    })
  })

  it('of several shifts of a service the strongest speaks for it, whichever comes first', () => {
    const [weak, strong] = [shift('a', 20, 'cpu_usage_percent'), shift('a', 60, 'memory_usage_percent')]
    for (const shifts of [
      [weak, strong],
      [strong, weak],
    ]) {
      expect(blameServices({ ...nothing, shifts })).toMatchObject([{ shift: strong, score: 7.5 }])
    }
  })

  it('of shifts as strong as each other the earlier speaks, then the one whose name or labels come first', () => {
    const early = { ...shift('a', 20, 'z_percent'), onset: { at: at(1), earliest: at(0), latest: at(2) } }
    const late = shift('a', 20, 'a_percent')
    const later = shift('a', 20, 'b_percent')
    const one = { ...late, series: { ...late.series, labels: { pod: '1' } } }
    const two = { ...late, series: { ...late.series, labels: { pod: '2' } } }
    const speaker = (...shifts: SeriesShift[]) => blameServices({ ...nothing, shifts })[0]?.shift
    expect([speaker(late, early), speaker(early, late)]).toEqual([early, early])
    expect([speaker(later, late), speaker(late, later)]).toEqual([late, late])
    expect([speaker(two, one), speaker(one, two)]).toEqual([one, one])
  })

  it('of several gaps of a service the widest speaks for it', () => {
    const [narrow, wide] = [gap('a', 100), gap('a', 300)]
    for (const gaps of [
      [narrow, wide],
      [wide, narrow],
    ]) {
      expect(blameServices({ ...nothing, gaps })).toMatchObject([{ gap: wide, score: 7.5 }])
    }
  })

  it('its onset is the earliest of what speaks for it', () => {
    const early = { ...gap('a', 100), from: at(3) }
    const both = (found: Partial<typeof nothing>) => blameServices({ ...nothing, ...found })[0]?.onset_at
    expect(both({ shifts: [shift('a', 20)], gaps: [early] } as never)).toBe(at(3))
    expect(both({ shifts: [shift('a', 20)], gaps: [{ ...early, from: at(ONSET + 9) }] } as never)).toBe(
      at(ONSET),
    )
  })

  it.each([
    ['a setting', 'setting', null, true],
    ['an expiry', 'expiry', null, true],
    ['less traffic', 'throughput', 'down', true],
    ['more of what is good', 'availability', 'down', false],
  ] as const)('%s says nothing of how a service does', (_, meaning, bad, is_bad) => {
    const silent = { ...shift('a', 90), meaning: { ...shift('a', 1).meaning, meaning, bad }, is_bad }
    expect(blameServices({ ...nothing, shifts: [silent] })).toEqual([])
  })

  it('what has no bad direction speaks when it moves at all', () => {
    const other = {
      ...shift('a', 20),
      is_bad: false,
      meaning: { ...shift('a', 1).meaning, meaning: 'other', bad: null },
    } as const
    expect(blameServices({ ...nothing, shifts: [other] })).toHaveLength(1)
  })

  it('services blamed alike stand in the order of their onsets, then of their names', () => {
    const early = { ...shift('z', 20), onset: { at: at(1), earliest: at(0), latest: at(2) } }
    const blames = blameServices({
      ...nothing,
      shifts: [shift('b', 20), shift('a', 20), early, shift('c', 21)],
    })
    expect(blames.map(({ entity }) => entity)).toEqual(['c', 'z', 'a', 'b'])
  })

  it('what scores exactly the least is blamed, what scores less is not', () => {
    // 10 z / (z + 20) is .5 where z is 20 / 19.
    expect(blameServices({ ...nothing, shifts: [shift('a', 20 / 19)] })).toHaveLength(1)
    expect(blameServices({ ...nothing, shifts: [shift('a', 20 / 19 - 0.001)] })).toHaveLength(0)
  })

  it('by flow the score is the share of what arises there, and the order of the flows is kept', () => {
    const blames = blameServices({ ...nothing, flows: [flow('b', 50), flow('a', 50), flow('c', 200)] })
    expect(blames.map(({ entity, score }) => [entity, score])).toEqual([
      ['b', 5],
      ['a', 4.95],
      ['c', 9.9],
    ])
    expect(blames[0]).toMatchObject({
      strength: 0.4,
      onset_at: at(ONSET),
      shift: null,
      gap: null,
      broken: null,
    })
    expect(blameServices({ ...nothing, flows: [flow('b', -5)] })).toMatchObject([{ score: 0, strength: 0 }])
  })

  it('by flow the first is blamed however little arises there, others from one part in a hundred on', () => {
    const blames = blameServices({
      ...nothing,
      flows: [flow('a', 0.1), flow('b', 1.25, 12), flow('c', 1.24, 12)],
    })
    expect(blames.map(({ entity }) => entity)).toEqual(['a', 'b'])
  })
})
