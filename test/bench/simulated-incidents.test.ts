import { describe, expect, it } from 'vitest'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { simulateProductionIncident } from '#test/simulator/simulate-production-incident.ts'
import { GENERATIONS, NEWEST } from './generations.ts'
import {
  type Age,
  familiesToLookAt,
  incidentsOf,
  LOOKED_AT,
  simulatedIncidents,
  type Turn,
} from './simulated-incidents.ts'

const OLDER: readonly Age[] = ['early', 'late', ...GENERATIONS.slice(0, -1).map(({ name }) => name)]
const usual = [...simulatedIncidents(4, 'usual')]
/** Each of the older ages has two turns, and the newest as many as all of them. */
const newest = [...simulatedIncidents(4 * OLDER.length, 'newest')]
const of = (age: Age, turns: readonly Turn[]): readonly Turn[] => turns.filter((turn) => turn.age === age)

/** The truth of the first incident of a family, from a seed on. */
function firstFrom(name: string, family: ProductionFamily, seed: number): unknown {
  const made = simulateProductionIncident(name, family, seed)
  return made === null ? firstFrom(name, family, seed + 1) : made.truth
}

describe('whose turn it is', () => {
  it('without the newest families: early and late in equal parts, and no other', () => {
    expect(usual.map(({ age }) => age)).toEqual(['early', 'late', 'early', 'late'])
  })

  it('with them: half of the newest generation, and all others in equal parts', () => {
    expect(OLDER.map((age) => of(age, newest).length)).toEqual(OLDER.map(() => 2))
    expect(of(NEWEST.name, newest)).toHaveLength(2 * OLDER.length)
  })

  it('the early and late incidents are the same whether the newest are among them or not', () => {
    for (const age of ['early', 'late'] as const)
      expect(of(age, newest).map(({ made }) => made)).toEqual(of(age, usual).map(({ made }) => made))
  })

  it.each(GENERATIONS)('the $name generation has its own seeds from $first_seed on', (generation) => {
    const [[name, family]] = Object.entries(generation.families) as [[string, ProductionFamily]]
    expect(of(generation.name, newest)[0]?.made.truth).toEqual(firstFrom(name, family, generation.first_seed))
  })

  it('no seed is of two generations, or scored and looked at: a million lie from each first one to the next', () => {
    const firsts = [1, LOOKED_AT.from, ...GENERATIONS.map(({ first_seed }) => first_seed)].sort(
      (a, b) => a - b,
    )
    const gaps = firsts.slice(1).map((first, index) => first - (firsts[index] as number))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(999_999)
  })

  it('every family of an age has its turn before one has it again', () => {
    const families = of(NEWEST.name, newest).map(({ family }) => family)
    const all = Object.keys(NEWEST.families)
    expect(families.slice(0, all.length)).toEqual(all)
  })

  it.each(GENERATIONS)(
    'of the $name generation three of ten families are held out',
    ({ families, held_out }) => {
      const names = Object.keys(families)
      expect(held_out.every((name) => names.includes(name))).toBe(true)
      expect([names.length, new Set<string>(held_out).size]).toEqual([10, 3])
    },
  )
})

describe('incidents that may be looked at', () => {
  it('are of the families that were named, in that order, and from the first seed on that has a place for one', () => {
    const turns = [...incidentsOf(['missing-file', 'updated-switches'], 2, LOOKED_AT.from)]
    expect(turns.map(({ family }) => family)).toEqual([
      'missing-file',
      'missing-file',
      'updated-switches',
      'updated-switches',
    ])
    const tenth = GENERATIONS.find(({ name }) => name === 'tenth')?.families
    expect(turns[0]?.made.truth).toEqual(
      firstFrom('missing-file', tenth?.['missing-file'] as ProductionFamily, LOOKED_AT.from),
    )
  })

  it('are of no family that is held out, named or not', () => {
    for (const name of NEWEST.held_out)
      expect(() => incidentsOf([name], 1, LOOKED_AT.from).next()).toThrow(`"${name}" is held out`)
    const families = familiesToLookAt([]).map(({ family }) => family)
    const all = GENERATIONS.flatMap((generation) => Object.keys(generation.families))
    expect(families).toEqual(all.filter((name) => !NEWEST.held_out.includes(name)))
  })

  it.each([LOOKED_AT.from - 1, LOOKED_AT.until, 12_000_000, NEWEST.first_seed, Number.NaN])(
    'are on none of the seeds that are scored: %d',
    (seed) => {
      expect(() => incidentsOf(['missing-file'], 1, seed).next()).toThrow(RangeError)
    },
  )

  it('are of families that there are', () => {
    expect(() => incidentsOf(['no-such-family'], 1, LOOKED_AT.from).next()).toThrow(
      'there is no family "no-such-family"',
    )
  })
})
