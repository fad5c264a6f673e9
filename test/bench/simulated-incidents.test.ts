import { describe, expect, it } from 'vitest'
import { EIGHTH_CHANGED } from '#test/simulator/eighth-changed-faults.ts'
import { EIGHTH_UNCHANGED } from '#test/simulator/eighth-unchanged-faults.ts'
import { ELEVENTH_CHANGED } from '#test/simulator/eleventh-changed-faults.ts'
import { ELEVENTH_UNCHANGED } from '#test/simulator/eleventh-unchanged-faults.ts'
import { FIFTH_CHANGED } from '#test/simulator/fifth-changed-faults.ts'
import { FIFTH_UNCHANGED } from '#test/simulator/fifth-unchanged-faults.ts'
import { FOURTH_CHANGED } from '#test/simulator/fourth-changed-faults.ts'
import { FOURTH_UNCHANGED } from '#test/simulator/fourth-unchanged-faults.ts'
import { NINTH_CHANGED } from '#test/simulator/ninth-changed-faults.ts'
import { NINTH_UNCHANGED } from '#test/simulator/ninth-unchanged-faults.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { SEVENTH_CHANGED } from '#test/simulator/seventh-changed-faults.ts'
import { SEVENTH_UNCHANGED } from '#test/simulator/seventh-unchanged-faults.ts'
import { simulateProductionIncident } from '#test/simulator/simulate-production-incident.ts'
import { SIXTH_CHANGED } from '#test/simulator/sixth-changed-faults.ts'
import { SIXTH_UNCHANGED } from '#test/simulator/sixth-unchanged-faults.ts'
import { TENTH_CHANGED } from '#test/simulator/tenth-changed-faults.ts'
import { TENTH_UNCHANGED } from '#test/simulator/tenth-unchanged-faults.ts'
import { THIRD_CHANGED } from '#test/simulator/third-changed-faults.ts'
import { THIRD_UNCHANGED } from '#test/simulator/third-unchanged-faults.ts'
import { THIRTEENTH_CHANGED } from '#test/simulator/thirteenth-changed-faults.ts'
import { THIRTEENTH_UNCHANGED } from '#test/simulator/thirteenth-unchanged-faults.ts'
import { TWELFTH_CHANGED } from '#test/simulator/twelfth-changed-faults.ts'
import { TWELFTH_UNCHANGED } from '#test/simulator/twelfth-unchanged-faults.ts'
import {
  type Age,
  EIGHTH_HELD_OUT,
  ELEVENTH_HELD_OUT,
  FIFTH_HELD_OUT,
  FOURTH_HELD_OUT,
  incidentsOf,
  LOOKED_AT,
  NINTH_HELD_OUT,
  SEVENTH_HELD_OUT,
  SIXTH_HELD_OUT,
  simulatedIncidents,
  TENTH_HELD_OUT,
  THIRD_HELD_OUT,
  THIRTEENTH_HELD_OUT,
  type Turn,
  TWELFTH_HELD_OUT,
} from './simulated-incidents.ts'

const usual = [...simulatedIncidents(4, 'usual')]
const newest = [...simulatedIncidents(48, 'newest')]
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

  it('with them: half of the thirteenth generation, and early, late, third to twelfth in equal parts', () => {
    const counts = (
      [
        ...(['early', 'late', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'] as const),
        ...(['ninth', 'tenth', 'eleventh', 'twelfth', 'thirteenth'] as const),
      ] as const
    ).map((age) => of(age, newest).length)
    expect(counts).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 24])
  })

  it('the early and late incidents are the same whether the newest are among them or not', () => {
    for (const age of ['early', 'late'] as const)
      expect(of(age, newest).map(({ made }) => made)).toEqual(of(age, usual).map(({ made }) => made))
  })

  it('the generations from the third to the thirteenth have seeds of their own', () => {
    expect(of('third', newest)[0]?.made.truth).toEqual(firstFrom('pooling-opt-in', THIRD_CHANGED, 1_000_000))
    expect(of('fourth', newest)[0]?.made.truth).toEqual(firstFrom('dropped-index', FOURTH_CHANGED, 3_000_000))
    expect(of('fifth', newest)[0]?.made.truth).toEqual(firstFrom('narrowed-policy', FIFTH_CHANGED, 4_000_000))
    expect(of('sixth', newest)[0]?.made.truth).toEqual(firstFrom('looping-page', SIXTH_CHANGED, 6_000_000))
    expect(of('seventh', newest)[0]?.made.truth).toEqual(
      firstFrom('replaced-firewall', SEVENTH_CHANGED, 8_000_000),
    )
    expect(of('eighth', newest)[0]?.made.truth).toEqual(
      firstFrom('bulk-file-operation', EIGHTH_CHANGED, 10_000_000),
    )
    expect(of('ninth', newest)[0]?.made.truth).toEqual(
      firstFrom('updated-switches', NINTH_CHANGED, 12_000_000),
    )
    expect(of('tenth', newest)[0]?.made.truth).toEqual(firstFrom('left-out-field', TENTH_CHANGED, 16_000_000))
    expect(of('eleventh', newest)[0]?.made.truth).toEqual(
      firstFrom('moved-table', ELEVENTH_CHANGED, 18_000_000),
    )
    expect(of('twelfth', newest)[0]?.made.truth).toEqual(
      firstFrom('required-column', TWELFTH_CHANGED, 20_000_000),
    )
    expect(of('thirteenth', newest)[0]?.made.truth).toEqual(
      firstFrom('unsteady-upgrade', THIRTEENTH_CHANGED, 22_000_000),
    )
  })

  it('every family of an age has its turn before one has it again', () => {
    const families = of('thirteenth', newest).map(({ family }) => family)
    const all = Object.keys({ ...THIRTEENTH_CHANGED, ...THIRTEENTH_UNCHANGED })
    expect(families.slice(0, all.length)).toEqual(all)
  })

  it.each([
    ['third', { ...THIRD_CHANGED, ...THIRD_UNCHANGED }, THIRD_HELD_OUT],
    ['fourth', { ...FOURTH_CHANGED, ...FOURTH_UNCHANGED }, FOURTH_HELD_OUT],
    ['fifth', { ...FIFTH_CHANGED, ...FIFTH_UNCHANGED }, FIFTH_HELD_OUT],
    ['sixth', { ...SIXTH_CHANGED, ...SIXTH_UNCHANGED }, SIXTH_HELD_OUT],
    ['seventh', { ...SEVENTH_CHANGED, ...SEVENTH_UNCHANGED }, SEVENTH_HELD_OUT],
    ['eighth', { ...EIGHTH_CHANGED, ...EIGHTH_UNCHANGED }, EIGHTH_HELD_OUT],
    ['ninth', { ...NINTH_CHANGED, ...NINTH_UNCHANGED }, NINTH_HELD_OUT],
    ['tenth', { ...TENTH_CHANGED, ...TENTH_UNCHANGED }, TENTH_HELD_OUT],
    ['eleventh', { ...ELEVENTH_CHANGED, ...ELEVENTH_UNCHANGED }, ELEVENTH_HELD_OUT],
    ['twelfth', { ...TWELFTH_CHANGED, ...TWELFTH_UNCHANGED }, TWELFTH_HELD_OUT],
    ['thirteenth', { ...THIRTEENTH_CHANGED, ...THIRTEENTH_UNCHANGED }, THIRTEENTH_HELD_OUT],
  ] as const)('what is held out of the %s generation are families of it', (_age, families, heldOut) => {
    const names = Object.keys(families)
    expect([...heldOut].every((name) => names.includes(name))).toBe(true)
    expect(names.length - heldOut.size).toBe(7)
  })
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
    expect(turns[0]?.made.truth).toEqual(firstFrom('missing-file', TENTH_CHANGED, LOOKED_AT.from))
  })

  it('are of no family that is held out, named or not', () => {
    const heldOut = [...THIRTEENTH_HELD_OUT]
    for (const name of heldOut)
      expect(() => incidentsOf([name], 1, LOOKED_AT.from).next()).toThrow(`"${name}" is held out`)
    const families = [...incidentsOf([], 1, LOOKED_AT.from)].map(({ family }) => family)
    expect(families).toHaveLength(107)
    expect(families.filter((name) => heldOut.includes(name))).toEqual([])
    expect(families).toEqual(expect.arrayContaining([...ELEVENTH_HELD_OUT, ...TWELFTH_HELD_OUT]))
  })

  it.each([LOOKED_AT.from - 1, LOOKED_AT.until, 12_000_000, 22_000_000, Number.NaN])(
    'are on none of the seeds that are scored: %d',
    (seed) => {
      expect(() => incidentsOf(['missing-file'], 1, seed).next()).toThrow(RangeError)
    },
  )

  it('are of families that there are', () => {
    expect(() => incidentsOf(['no-such-family'], 1, LOOKED_AT.from).next()).toThrow(
      'there is no family "no-such-family" in any generation',
    )
  })
})
