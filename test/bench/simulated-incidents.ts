/**
 * Simulated incidents by when their families were written, and whose turn it is: families that the engine may be worked
 * on with (early), families that were written after its constants were frozen (late), and eleven generations that
 * were written without knowledge of the engine (third to thirteenth). Nothing here runs the engine.
 */
import { EIGHTH_CHANGED } from '#test/simulator/eighth-changed-faults.ts'
import { EIGHTH_UNCHANGED } from '#test/simulator/eighth-unchanged-faults.ts'
import { ELEVENTH_CHANGED } from '#test/simulator/eleventh-changed-faults.ts'
import { ELEVENTH_UNCHANGED } from '#test/simulator/eleventh-unchanged-faults.ts'
import { EARLY_FAMILIES, type Family } from '#test/simulator/faults.ts'
import { FIFTH_CHANGED } from '#test/simulator/fifth-changed-faults.ts'
import { FIFTH_UNCHANGED } from '#test/simulator/fifth-unchanged-faults.ts'
import { FOURTH_CHANGED } from '#test/simulator/fourth-changed-faults.ts'
import { FOURTH_UNCHANGED } from '#test/simulator/fourth-unchanged-faults.ts'
import { LATE_FAMILIES } from '#test/simulator/late-faults.ts'
import { NINTH_CHANGED } from '#test/simulator/ninth-changed-faults.ts'
import { NINTH_UNCHANGED } from '#test/simulator/ninth-unchanged-faults.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { SEVENTH_CHANGED } from '#test/simulator/seventh-changed-faults.ts'
import { SEVENTH_UNCHANGED } from '#test/simulator/seventh-unchanged-faults.ts'
import { type Simulated, simulateIncident } from '#test/simulator/simulate-incident.ts'
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

export type Age =
  | 'early'
  | 'late'
  | 'third'
  | 'fourth'
  | 'fifth'
  | 'sixth'
  | 'seventh'
  | 'eighth'
  | 'ninth'
  | 'tenth'
  | 'eleventh'
  | 'twelfth'
  | 'thirteenth'
export type Turns = 'usual' | 'newest'
/** Makes an incident of a family; null where the seed has no place for one. */
export type Maker = (seed: number) => Simulated | null

const makersOf = (families: Readonly<Record<string, Family>>): readonly (readonly [string, Maker])[] =>
  Object.entries(families).map(([name, family]) => [name, (seed) => simulateIncident(name, family, seed)])
const productionMakersOf = (
  families: Readonly<Record<string, ProductionFamily>>,
): readonly (readonly [string, Maker])[] =>
  Object.entries(families).map(([name, family]) => [
    name,
    (seed) => simulateProductionIncident(name, family, seed),
  ])

/** The families by when they were written. */
const FAMILIES: Readonly<Record<Age, readonly (readonly [string, Maker])[]>> = {
  early: makersOf(EARLY_FAMILIES),
  late: makersOf(LATE_FAMILIES),
  third: productionMakersOf({ ...THIRD_CHANGED, ...THIRD_UNCHANGED }),
  fourth: productionMakersOf({ ...FOURTH_CHANGED, ...FOURTH_UNCHANGED }),
  fifth: productionMakersOf({ ...FIFTH_CHANGED, ...FIFTH_UNCHANGED }),
  sixth: productionMakersOf({ ...SIXTH_CHANGED, ...SIXTH_UNCHANGED }),
  seventh: productionMakersOf({ ...SEVENTH_CHANGED, ...SEVENTH_UNCHANGED }),
  eighth: productionMakersOf({ ...EIGHTH_CHANGED, ...EIGHTH_UNCHANGED }),
  ninth: productionMakersOf({ ...NINTH_CHANGED, ...NINTH_UNCHANGED }),
  tenth: productionMakersOf({ ...TENTH_CHANGED, ...TENTH_UNCHANGED }),
  eleventh: productionMakersOf({ ...ELEVENTH_CHANGED, ...ELEVENTH_UNCHANGED }),
  twelfth: productionMakersOf({ ...TWELFTH_CHANGED, ...TWELFTH_UNCHANGED }),
  thirteenth: productionMakersOf({ ...THIRTEENTH_CHANGED, ...THIRTEENTH_UNCHANGED }),
}

/** Families of the third generation that were never worked with; the others may be, on other seeds than those here. */
export const THIRD_HELD_OUT: ReadonlySet<string> = new Set([
  'short-lived-cache',
  'quota-used-up',
  'greedy-client',
])

/** Those of the fourth. */
export const FOURTH_HELD_OUT: ReadonlySet<string> = new Set([
  'lagging-replica',
  'tight-limits',
  'slow-provider',
])

/** Those of the fifth. */
export const FIFTH_HELD_OUT: ReadonlySet<string> = new Set(['counted-as-one', 'lossy-link', 'old-primary'])

/** Those of the sixth: who is changed is not who fails, machines that are gone, and demand that no caller makes. */
export const SIXTH_HELD_OUT: ReadonlySet<string> = new Set([
  'larger-pool',
  'reclaimed-machines',
  'delivered-at-once',
])

/** Those of the seventh: names that nobody answers for, requests that come to few of many, data that are damaged. */
export const SEVENTH_HELD_OUT: ReadonlySet<string> = new Set([
  'hand-deployed-zone',
  'kept-list',
  'damaged-table',
])

/** Those of the eighth: data that were made by hand, a way out that no call takes, two causes that no call joins. */
export const EIGHTH_HELD_OUT: ReadonlySet<string> = new Set([
  'same-path-twice',
  'downed-tunnel',
  'two-at-once',
])

/** Those of the ninth: who says nothing any more, demand that comes from outside, two causes that no call joins. */
export const NINTH_HELD_OUT: ReadonlySet<string> = new Set(['silent-sender', 'passed-on', 'unrelated-pair'])

/** Those of the tenth: who is changed is not who fails, what did not happen in time, two causes that no call joins. */
export const TENTH_HELD_OUT: ReadonlySet<string> = new Set(['kept-target', 'waiting-job', 'memory-and-list'])

/** Those of the eleventh: pods that the change did not get to, a wait that no call shows, two causes that no call joins. */
export const ELEVENTH_HELD_OUT: ReadonlySet<string> = new Set([
  'moved-table',
  'slow-confirms',
  'taken-connections',
])

/** Those of the twelfth: who is changed answers as ever, one pod of many has nothing left, two causes that no call joins. */
export const TWELFTH_HELD_OUT: ReadonlySet<string> = new Set([
  'tag-for-all',
  'one-full-pool',
  'defaults-and-keys',
])

/** Those of the thirteenth: another refuses what a change sends, most fail long after the first, machines of one zone. */
export const THIRTEENTH_HELD_OUT: ReadonlySet<string> = new Set([
  'filled-field',
  'remaining-members',
  'unreachable-zone',
])

/** What is held out, whoever asks for it: families that are only scored. */
const HELD_OUT = THIRTEENTH_HELD_OUT

/** The families of the third to eleventh generation, which are all open to work, on seeds from 2,000,000 to 2,999,999. */
export const OPEN_TO_WORK: readonly (readonly [string, Maker])[] = [
  ...[...FAMILIES.third, ...FAMILIES.fourth, ...FAMILIES.fifth, ...FAMILIES.sixth],
  ...[...FAMILIES.seventh, ...FAMILIES.eighth, ...FAMILIES.ninth, ...FAMILIES.tenth],
  ...FAMILIES.eleventh,
]

/** Seeds on which families may be looked at; the scored ones lie elsewhere. */
export const LOOKED_AT = { from: 2_000_000, until: 3_000_000 } as const

/**
 * So many incidents of each of some families of the third to thirteenth generation, on seeds that may be looked at, one
 * family after the other.
 * @param names - of families; all that are open to work where none are named
 * @param count - of each, fewer where no more find a place
 * @param from - first seed
 * @throws RangeError where a seed is not to be looked at, a family is held out, or there is none of that name
 */
export function* incidentsOf(names: readonly string[], count: number, from: number): Generator<Turn> {
  const { early: _, late: __, ...generations } = FAMILIES
  const known = Object.entries(generations).flatMap(([age, families]) =>
    families.map(([family, make]) => ({ age: age as Age, family, make })),
  )
  const held = names.find((name) => HELD_OUT.has(name))
  if (held !== undefined) throw new RangeError(`"${held}" is held out`)
  const chosen = names.map((name) => {
    const one = known.find(({ family }) => family === name)
    if (one === undefined) throw new RangeError(`there is no family "${name}" in any generation`)
    return one
  })
  const open = known.filter(({ family }) => !HELD_OUT.has(family))
  let seed = from
  for (const { age, family, make } of names.length > 0 ? chosen : open) {
    for (let tries = 0, made = 0; made < count && tries < MOST_TRIES * count; tries += 1, seed += 1) {
      if (!(seed >= LOOKED_AT.from && seed < LOOKED_AT.until))
        throw new RangeError(
          `seeds from ${LOOKED_AT.from} to ${LOOKED_AT.until - 1} may be looked at, not ${seed}`,
        )
      const incident = make(seed)
      if (incident === null) continue
      made += 1
      yield { age, family, made: incident }
    }
  }
}

/** Whose turn it is. With the newest families they are half of all, the early and late ones what they are without. */
const TURNS: Readonly<Record<Turns, readonly Age[]>> = {
  usual: ['early', 'late'],
  newest: (
    [
      ...(['early', 'late', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'] as const),
      ...(['ninth', 'tenth', 'eleventh', 'twelfth'] as const),
    ] as const
  ).flatMap((age) => ['thirteenth', age] as const),
}

/** Which seeds an age takes its incidents from: generations have their own, so that no other age's depend on them. */
const SEEDS = {
  early: 'usual',
  late: 'usual',
  third: 'third',
  fourth: 'fourth',
  fifth: 'fifth',
  sixth: 'sixth',
  seventh: 'seventh',
  eighth: 'eighth',
  ninth: 'ninth',
  tenth: 'tenth',
  eleventh: 'eleventh',
  twelfth: 'twelfth',
  thirteenth: 'thirteenth',
} as const
/** First seed of each. */
const FIRST_SEEDS = {
  usual: 1,
  third: 1_000_000,
  fourth: 3_000_000,
  fifth: 4_000_000,
  sixth: 6_000_000,
  seventh: 8_000_000,
  eighth: 10_000_000,
  ninth: 12_000_000,
  tenth: 16_000_000,
  eleventh: 18_000_000,
  twelfth: 20_000_000,
  thirteenth: 22_000_000,
} as const

/** Seeds that are tried for one incident: some faults harm nobody, some places cannot have them. */
const MOST_TRIES = 40

/** One incident, and which family of which age it is of. */
export interface Turn {
  readonly age: Age
  readonly family: string
  readonly made: Simulated
}

/**
 * So many incidents, spread evenly over the families of each age; a family that finds no place gives up its turn.
 * @param turns whose turn it is, again and again
 */
export function* simulatedIncidents(count: number, turns: Turns): Generator<Turn> {
  const next: Record<keyof typeof FIRST_SEEDS, number> = { ...FIRST_SEEDS }
  const taken: Record<Age, number> = {
    ...{
      early: 0,
      late: 0,
      third: 0,
      fourth: 0,
      fifth: 0,
      sixth: 0,
      seventh: 0,
      eighth: 0,
      ninth: 0,
      tenth: 0,
      eleventh: 0,
      twelfth: 0,
      thirteenth: 0,
    },
  }
  for (let index = 0; index < count; index += 1) {
    const age = TURNS[turns][index % TURNS[turns].length] as Age
    const families = FAMILIES[age]
    const [family, make] = families[taken[age]++ % families.length] as (typeof families)[number]
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const made = make(next[SEEDS[age]]++)
      if (made === null) continue
      yield { age, family, made }
      break
    }
  }
}
