/**
 * Simulated incidents by when their families were written, and whose turn it is: families that the engine may be worked
 * on with (early), families that were written after its constants were frozen (late), and the generations that were
 * written without knowledge of the engine. Nothing here runs the engine.
 */
import { EARLY_FAMILIES, type Family } from '#test/simulator/faults.ts'
import { LATE_FAMILIES } from '#test/simulator/late-faults.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { type Simulated, simulateIncident } from '#test/simulator/simulate-incident.ts'
import { simulateProductionIncident } from '#test/simulator/simulate-production-incident.ts'
import { GENERATIONS, type GenerationName, NEWEST } from './generations.ts'

export type Age = 'early' | 'late' | GenerationName
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

/** The families of the generations, by what they are called, oldest first. */
const OF_GENERATIONS = GENERATIONS.map(({ name, families }) => [name, productionMakersOf(families)] as const)

/** The families by when they were written. */
const FAMILIES: ReadonlyMap<Age, readonly (readonly [string, Maker])[]> = new Map<
  Age,
  readonly (readonly [string, Maker])[]
>([['early', makersOf(EARLY_FAMILIES)], ['late', makersOf(LATE_FAMILIES)], ...OF_GENERATIONS])

/** What is held out, whoever asks for it: families that are only scored. */
const HELD_OUT: ReadonlySet<string> = new Set(NEWEST.held_out)

/** The newest generation that the constants of the engine were measured on. */
const LAST_MEASURED: GenerationName = 'eleventh'

/**
 * Families of the third to eleventh generation, all of them open to work, on seeds from 2,000,000 to 2,999,999. It ends
 * there although later ones are open as well: the constants of the engine and its confidence were last measured on
 * these, and figures of more families could not be compared with the ones that are kept.
 */
export const OPEN_TO_WORK: readonly (readonly [string, Maker])[] = OF_GENERATIONS.slice(
  0,
  GENERATIONS.findIndex(({ name }) => name === LAST_MEASURED) + 1,
).flatMap(([, families]) => families)

/** Seeds on which families may be looked at; the scored ones lie elsewhere. */
export const LOOKED_AT = { from: 2_000_000, until: 3_000_000 } as const

/** Names of the early and late families, all of them open to work. */
export const EARLY_AND_LATE: readonly string[] = [EARLY_FAMILIES, LATE_FAMILIES].flatMap(Object.keys)

interface KnownFamily {
  readonly age: Age
  readonly family: string
  readonly make: Maker
}

/**
 * Families that may be looked at, in the order in which they were named.
 * @param names - of families; all of the generations that are open to work where none are named
 * @throws RangeError where a family is held out, or there is none of that name
 */
export function familiesToLookAt(names: readonly string[]): readonly KnownFamily[] {
  const known = [...FAMILIES].flatMap(([age, families]) =>
    families.map(([family, make]): KnownFamily => ({ age, family, make })),
  )
  const held = names.find((name) => HELD_OUT.has(name))
  if (held !== undefined) throw new RangeError(`"${held}" is held out`)
  if (names.length === 0)
    return known.filter(({ age, family }) => age !== 'early' && age !== 'late' && !HELD_OUT.has(family))
  return names.map((name) => {
    const one = known.find(({ family }) => family === name)
    if (one === undefined) throw new RangeError(`there is no family "${name}"`)
    return one
  })
}

/**
 * So many incidents of each of some families, on seeds that may be looked at, one family after the other.
 * @param names - of families; all of the generations that are open to work where none are named
 * @param count - of each, fewer where no more find a place
 * @param from - first seed
 * @throws RangeError where a seed is not to be looked at, a family is held out, or there is none of that name
 */
export function* incidentsOf(names: readonly string[], count: number, from: number): Generator<Turn> {
  let seed = from
  for (const { age, family, make } of familiesToLookAt(names)) {
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
  newest: [...FAMILIES.keys()].filter((age) => age !== NEWEST.name).flatMap((age) => [NEWEST.name, age]),
}

/** The early and late families share their seeds, which begin here; each generation has its own. */
const FIRST_USUAL_SEED = 1

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
export const simulatedIncidents = (count: number, turns: Turns): Generator<Turn> =>
  inTurn(count, TURNS[turns])

/** So many incidents of one generation alone, as it is scored, held out or not. */
export const scoredIncidentsOf = (generation: GenerationName, count: number): Generator<Turn> =>
  inTurn(count, [generation])

function* inTurn(count: number, ages: readonly Age[]): Generator<Turn> {
  const next = new Map<'usual' | GenerationName, number>([
    ['usual', FIRST_USUAL_SEED],
    ...GENERATIONS.map(({ name, first_seed }) => [name, first_seed] as const),
  ])
  const taken = new Map<Age, number>()
  for (let index = 0; index < count; index += 1) {
    const age = ages[index % ages.length] as Age
    const families = FAMILIES.get(age) ?? []
    const before = taken.get(age) ?? 0
    const [family, make] = families[before % families.length] as (typeof families)[number]
    taken.set(age, before + 1)
    const seeds = age === 'early' || age === 'late' ? 'usual' : age
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const seed = next.get(seeds) as number
      next.set(seeds, seed + 1)
      const made = make(seed)
      if (made === null) continue
      yield { age, family, made }
      break
    }
  }
}
