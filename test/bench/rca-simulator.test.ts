import { describe, expect, it } from 'vitest'
import { GENERATIONS, NEWEST } from './generations.ts'
import { joinedTables, simulatedLines } from './rca-report.ts'
import { simulatedTables } from './rca-simulator.ts'
import type { Age } from './simulated-incidents.ts'

const scored = (age: Age, family: string, right: boolean) => ({
  ...{ age, family, right, rightAtLevel: right, rightKind: right, hasChange: true, namesNoChange: false },
  ...{
    confidence: 0.6,
    undecided: 0.1,
    undecidedRight: false,
    milliseconds: 1,
    processor_ms: 1,
    controls: [false, false, false] as const,
  },
})

describe('the tables of simulated incidents', () => {
  it('are one for each age, of a generation also by what was done with its families, and one for all', () => {
    const tables = simulatedTables([
      scored('early', 'surge', true),
      ...GENERATIONS.flatMap(({ name, families, held_out }) => {
        const workedWith = Object.keys(families).find((family) => !held_out.some((held) => held === family))
        return [
          scored(name, workedWith as string, true),
          scored(name, held_out[0], false),
          scored(name, held_out[1], true),
        ]
      }),
    ])
    const count = GENERATIONS.length
    expect(tables.map(({ age, n, figures }) => [age, n, figures[0]?.passed])).toEqual([
      ['early', 1, 1],
      ['early_and_late', 1, 1],
      ...GENERATIONS.flatMap(({ name }) => [
        [name, 3, 2],
        [`${name}_worked_with`, 1, 1],
        [`${name}_held_out`, 2, 1],
      ]),
      ['all', 1 + 3 * count, 1 + 2 * count],
    ])
  })

  it('are headed by what they are of', () => {
    const headings = simulatedLines(
      simulatedTables([
        scored('late', 'growing-list', true),
        scored('third', 'full-volume', true),
        scored('twelfth', 'tag-for-all', false),
      ]),
    ).filter((line) => line.startsWith('simulated, '))
    expect(headings).toEqual([
      'simulated, late families (only scored), n = 1',
      'simulated, early and late families together, n = 1',
      'simulated, third generation (written without knowledge of the engine), n = 1',
      'simulated, third generation, its families that may be worked with (on other seeds), n = 1',
      'simulated, twelfth generation (from published reports, written without knowledge of the engine), n = 1',
      'simulated, twelfth generation, its families that are only scored, n = 1',
    ])
  })

  it('are of the early and late ones alone where no others were made', () => {
    const tables = simulatedTables([scored('early', 'surge', true), scored('late', 'growing-list', false)])
    expect(tables.map(({ age }) => age)).toEqual(['early', 'late', 'early_and_late'])
  })

  it('of several runs are those of most incidents, in their order', () => {
    const usual = simulatedTables([
      scored('early', 'surge', true),
      scored('early', 'surge', true),
      scored('late', 'growing-list', false),
    ])
    const newest = simulatedTables([
      scored('early', 'surge', false),
      scored('late', 'growing-list', true),
      scored('late', 'growing-list', true),
      scored(NEWEST.name, NEWEST.held_out[0] as string, true),
    ])
    const joined = joinedTables([...newest, ...usual])
    expect(joined.map(({ age, n, figures }) => [age, n, figures[0]?.passed])).toEqual([
      ['early', 2, 2],
      ['late', 2, 2],
      ['early_and_late', 3, 2],
      [NEWEST.name, 1, 1],
      [`${NEWEST.name}_held_out`, 1, 1],
      ['all', 4, 3],
    ])
  })
})

it('the calibration error over whole and lessened incidents counts each of both once', () => {
  // Whole: .6 stated and right; lessened: .1 stated and wrong. Each bin holds half of all answers.
  const [table] = simulatedTables([scored('early', 'surge', true), scored('early', 'surge', true)])
  expect(table?.ece).toBeCloseTo(0.4, 6)
  expect(table?.ece_with_lessened).toBeCloseTo(0.4 / 2 + 0.1 / 2, 6)
})
