import { describe, expect, it } from 'vitest'
import { simulatedTables } from './rca-simulator.ts'
import type { Age } from './simulated-incidents.ts'

const scored = (age: Age, family: string, right: boolean) => ({
  ...{ age, family, right, rightAtLevel: right, rightKind: right, hasChange: true, namesNoChange: false },
  ...{ confidence: 0.6, undecided: 0.1, milliseconds: 1, controls: [false, false, false] as const },
})

describe('the tables of simulated incidents', () => {
  it('are one for each age, from the third on also by what was done with their families, and one for all', () => {
    const tables = simulatedTables([
      scored('early', 'surge', true),
      scored('third', 'full-volume', true),
      scored('third', 'greedy-client', false),
      scored('fourth', 'dropped-index', false),
      scored('fourth', 'lagging-replica', true),
      scored('fifth', 'long-leak', false),
      scored('fifth', 'lossy-link', true),
      scored('sixth', 'flipped-plan', true),
      scored('sixth', 'larger-pool', false),
      scored('seventh', 'locked-table', false),
      scored('seventh', 'kept-list', true),
      scored('seventh', 'damaged-table', true),
      scored('eighth', 'unhealthy-release', true),
      scored('eighth', 'two-at-once', false),
      scored('ninth', 'full-log-disk', true),
      scored('ninth', 'silent-sender', false),
      scored('tenth', 'missing-file', true),
      scored('tenth', 'waiting-job', false),
      scored('eleventh', 'malformed-variable', true),
      scored('eleventh', 'slow-confirms', false),
      scored('twelfth', 'stopped-release', true),
      scored('twelfth', 'one-full-pool', false),
      scored('thirteenth', 'full-archive', true),
      scored('thirteenth', 'filled-field', false),
    ])
    const top = tables.map(({ age, n, figures }) => [age, n, figures[0]?.passed])
    expect(top).toEqual([
      ['early', 1, 1],
      ['third', 2, 1],
      ['third_worked_with', 1, 1],
      ['third_held_out', 1, 0],
      ['fourth', 2, 1],
      ['fourth_worked_with', 1, 0],
      ['fourth_held_out', 1, 1],
      ['fifth', 2, 1],
      ['fifth_worked_with', 1, 0],
      ['fifth_held_out', 1, 1],
      ['sixth', 2, 1],
      ['sixth_worked_with', 1, 1],
      ['sixth_held_out', 1, 0],
      ['seventh', 3, 2],
      ['seventh_worked_with', 1, 0],
      ['seventh_held_out', 2, 2],
      ['eighth', 2, 1],
      ['eighth_worked_with', 1, 1],
      ['eighth_held_out', 1, 0],
      ['ninth', 2, 1],
      ['ninth_worked_with', 1, 1],
      ['ninth_held_out', 1, 0],
      ['tenth', 2, 1],
      ['tenth_worked_with', 1, 1],
      ['tenth_held_out', 1, 0],
      ['eleventh', 2, 1],
      ['eleventh_worked_with', 1, 1],
      ['eleventh_held_out', 1, 0],
      ['twelfth', 2, 1],
      ['twelfth_worked_with', 1, 1],
      ['twelfth_held_out', 1, 0],
      ['thirteenth', 2, 1],
      ['thirteenth_worked_with', 1, 1],
      ['thirteenth_held_out', 1, 0],
      ['all', 24, 13],
    ])
  })

  it('are of the early and late ones alone where no others were made', () => {
    const tables = simulatedTables([scored('early', 'surge', true), scored('late', 'growing-list', false)])
    expect(tables.map(({ age }) => age)).toEqual(['early', 'late'])
  })
})
