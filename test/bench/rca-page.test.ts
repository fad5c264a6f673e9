import { describe, expect, it } from 'vitest'
import { GENERATIONS, NEWEST } from './generations.ts'
import { reportMarkdown } from './rca-page.ts'
import { type Figure, goalText, type Report } from './rca-report.ts'
import { type Scored, simulatedTables } from './rca-simulator.ts'
import type { Age } from './simulated-incidents.ts'

const SCORED: Omit<Scored, 'age' | 'family'> = {
  ...{ hasChange: false, right: true, rightAtLevel: true, rightKind: true, namesNoChange: false },
  ...{
    confidence: 0.9,
    undecided: 0.1,
    undecidedRight: false,
    milliseconds: 10,
    processor_ms: 8,
    controls: [false, false, false],
  },
}
const times = (count: number, age: Age, family: string, changed: Partial<Scored> = {}): readonly Scored[] =>
  Array.from({ length: count }, () => ({ ...SCORED, age, family, ...changed }))

const report = (scored: readonly Scored[], figures: readonly Figure[] = []): Report => ({
  engine: '1.2.3',
  sets: [{ set: 'petshop', published: 'nothing', figures, notes: [], misses: ['a case: not named'] }],
  robustness: [],
  calibration: null,
  times: [],
  rules: [],
  large: null,
  simulated: simulatedTables(scored),
  left_out: null,
})

/** The lines of a page below a heading. */
const below = (page: string, heading: string): readonly string[] =>
  (page.split(`## ${heading}\n`)[1] ?? '').split('\n## ')[0]?.split('\n') ?? []

describe('the document of the benchmark', () => {
  it('begins with every figure that has a goal, and says of each whether it is met', () => {
    const figures = [
      { name: 'top-1', passed: 20, total: 20 },
      { name: 'top-3', passed: 19, total: 20 },
      { name: 'control: constant answer', passed: 3, total: 20 },
    ]
    const short = below(reportMarkdown(report([], figures)), 'In short').filter((line) =>
      /^\| petshop/.test(line),
    )
    expect(short).toEqual([
      '| petshop | top-1 | 20 of 20, 84 to 100 % | at least 95 % | met |',
      '| petshop | top-3 | 19 of 20, 76 to 99 % | at least 100 % | MISSED |',
    ])
  })

  it('says what simulated incidents miss, beside what is met, with how many there are', () => {
    const scored = [
      ...times(9, 'early', 'surge'),
      ...times(1, 'late', 'growing-list', { right: false }),
      ...times(2, NEWEST.name, NEWEST.held_out[0] as string, { right: false }),
    ]
    const short = below(reportMarkdown(report(scored)), 'In short')
    expect(short).toContain(
      `| figure | goal | early and late families, n = 10 | ${NEWEST.name} generation, n = 2 | all families, n = 12 |`,
    )
    expect(short.find((line) => line.startsWith('| top-1'))).toBe(
      '| top-1 | at least 85 % | 90 % (60 to 98 %): met | 0 % (0 to 66 %): MISSED | 75 % (47 to 91 %): MISSED |',
    )
    expect(short.find((line) => line.includes('control'))).toBeUndefined()
  })

  it('holds the calibration error against its goal from 1,000 incidents on', () => {
    const page = (count: number): string =>
      reportMarkdown(report([...times(count, 'early', 'surge'), ...times(500, 'late', 'growing-list')]))
    const error = (text: string): string | undefined =>
      below(text, 'In short').find((line) => line.startsWith('| expected calibration error'))
    expect(error(page(499))).toBe('| expected calibration error | at most .05, from 1,000 on | 0.100 |')
    expect(error(page(500))).toBe(
      '| expected calibration error | at most .05, from 1,000 on | 0.100 (goal 0.05: MISSED) |',
    )
  })

  it('shows each family once, below the generation that it is of', () => {
    const scored = [...times(2, 'early', 'surge'), ...times(3, NEWEST.name, NEWEST.held_out[1] as string)]
    const ages = ['early', 'late', ...GENERATIONS.map(({ name }) => name)]
    const rows = below(reportMarkdown(report(scored)), 'Simulated incidents: every family').filter((line) =>
      ages.some((age) => line.startsWith(`| ${age} |`)),
    )
    expect(rows).toEqual([
      '| early | surge | 2 of 2, 34 to 100 % |',
      `| ${NEWEST.name} | ${NEWEST.held_out[1]} | 3 of 3, 44 to 100 % |`,
    ])
  })

  it('has no part for what was not run', () => {
    const page = reportMarkdown({ ...report([]), simulated: null })
    expect(page).not.toContain('Simulated incidents')
    expect(page).toContain('Not first: a case: not named.')
  })
})

describe('a goal', () => {
  it.each([
    [{ least: 0.5 }, 1, 2, 'goal at least 50 %: met'],
    [{ least: 0.5 }, 1, 3, 'goal at least 50 %: MISSED'],
    [{ most: 0.5 }, 1, 2, 'goal at most 50 %: met'],
    [{ most: 0.5 }, 2, 3, 'goal at most 50 %: MISSED'],
    [{ most: 0.5, of: 'a control' }, 2, 3, 'hard enough at most 50 %: NO'],
    [{ most: 0.5, of: 'a control' }, 1, 3, 'hard enough at most 50 %: yes'],
    [{ least: 0.5 }, 0, 0, ''],
    [null, 1, 2, ''],
  ] as const)('%j is looked at for %i of %i: %s', (goal, passed, total, text) => {
    expect(goalText(goal, { name: 'a figure', passed, total })).toBe(text)
  })
})
