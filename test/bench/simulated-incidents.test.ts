import { describe, expect, it } from 'vitest'
import { FOURTH_CHANGED } from '#test/simulator/fourth-changed-faults.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { simulateProductionIncident } from '#test/simulator/simulate-production-incident.ts'
import { THIRD_CHANGED } from '#test/simulator/third-changed-faults.ts'
import { THIRD_UNCHANGED } from '#test/simulator/third-unchanged-faults.ts'
import { type Age, simulatedIncidents, THIRD_HELD_OUT, type Turn } from './simulated-incidents.ts'

const usual = [...simulatedIncidents(4, 'usual')]
const newest = [...simulatedIncidents(12, 'newest')]
const of = (age: Age, turns: readonly Turn[]): readonly Turn[] => turns.filter((turn) => turn.age === age)

/** The truth of the first incident of a family, from a seed on. */
function firstFrom(
  name: string,
  families: Readonly<Record<string, ProductionFamily>>,
  seed: number,
): unknown {
  const made = simulateProductionIncident(name, families[name] as ProductionFamily, seed)
  return made === null ? firstFrom(name, families, seed + 1) : made.truth
}

describe('whose turn it is', () => {
  it('without the newest families: early and late in equal parts, and no other', () => {
    expect(usual.map(({ age }) => age)).toEqual(['early', 'late', 'early', 'late'])
  })

  it('with them: half of the fourth generation, and early, late and third in equal parts', () => {
    const counts = (['early', 'late', 'third', 'fourth'] as const).map((age) => of(age, newest).length)
    expect(counts).toEqual([2, 2, 2, 6])
  })

  it('the early and late incidents are the same whether the newest are among them or not', () => {
    for (const age of ['early', 'late'] as const)
      expect(of(age, newest).map(({ made }) => made)).toEqual(of(age, usual).map(({ made }) => made))
  })

  it('the third and the fourth generation have seeds of their own', () => {
    expect(of('third', newest)[0]?.made.truth).toEqual(firstFrom('pooling-opt-in', THIRD_CHANGED, 1_000_000))
    expect(of('fourth', newest)[0]?.made.truth).toEqual(firstFrom('dropped-index', FOURTH_CHANGED, 3_000_000))
  })

  it('every family of an age has its turn before one has it again', () => {
    const families = of('fourth', newest).map(({ family }) => family)
    expect(new Set(families).size).toBe(families.length)
  })

  it('what is held out of the third generation are families of it', () => {
    const names = Object.keys({ ...THIRD_CHANGED, ...THIRD_UNCHANGED })
    expect([...THIRD_HELD_OUT].every((name) => names.includes(name))).toBe(true)
    expect(names.length - THIRD_HELD_OUT.size).toBe(7)
  })
})
