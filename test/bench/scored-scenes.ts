/** What the engine is scored on when one of its numbers is another: cases and simulated incidents that are read once. */
import { join } from 'node:path'
import type { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { EARLY_FAMILIES } from '#test/simulator/faults.ts'
import { type Simulated, simulateIncident } from '#test/simulator/simulate-incident.ts'
import { isTheChange, isThePlace } from '#test/simulator/truth.ts'
import { type AdjustableEngine, type ConstantValue, keyOf } from './altered-engine.ts'
import { randomName, snapshotOfCase } from './case-files.ts'
import { type BenchCase, type CaseTruth, casesOf, rankOfTruth, type SetName } from './rca-cases.ts'
import { type Maker, OPEN_TO_WORK } from './simulated-incidents.ts'

/** Sets that take a second together; the others would take hours for all constants. */
export const FAST: readonly SetName[] = ['rootcausebench', 'opensre-rds', 'petshop']
/** Simulated incidents of each early family. */
const OF_EACH = 4
/** Simulated incidents of each later family that is open to work. */
const OF_EACH_LATER = 2
/** Seeds that are tried for one incident. */
const MOST_TRIES = 40
/** Seeds apart from those of the benchmark's own run, which counts up from one. */
const FIRST_SEED = 500_000
/** Among the seeds on which families are worked with. */
const FIRST_SEED_LATER = 2_990_000

export interface Scene {
  readonly snapshot: Snapshot
  readonly group: string
  readonly isRight: (findings: ReturnType<typeof investigate>) => boolean
}

const ofCase = (one: BenchCase, truth: CaseTruth, snapshot: Snapshot): Scene => ({
  ...{ snapshot, group: one.set },
  isRight: (findings) => rankOfTruth(one, truth, findings, snapshot) === 1,
})

const ofSimulated = (group: string, { snapshot, truth }: Simulated): Scene => ({
  ...{ snapshot, group },
  isRight: ({ cause, outcome }) =>
    outcome !== 'inconclusive' &&
    (truth.change === null
      ? cause.change === null && isThePlace(truth, cause.entity)
      : isTheChange(truth, cause.change)),
})

/** Incidents of each of some families; fewer where too few seeds have a place for one. */
function simulatedScenes(
  group: string,
  families: readonly (readonly [string, Maker])[],
  ofEach: number,
  firstSeed: number,
): readonly Scene[] {
  const found: Scene[] = []
  let seed = firstSeed
  for (const [, make] of families)
    for (let count = 0, tries = 0; count < ofEach && tries < MOST_TRIES * ofEach; tries += 1) {
      const made = make(seed++)
      if (made === null) continue
      count += 1
      found.push(ofSimulated(group, made))
    }
  return found
}

/** What the later scenes are, for whoever reads their scores. */
export const LATER = `The later simulated ones are ${OF_EACH_LATER} of each family of the third to eleventh generation, on seeds from ${FIRST_SEED_LATER.toLocaleString('en')}; none is of a generation after it`

/** Incidents of later families that are open to work, which ask for what the engine has learnt since the early ones. */
export const laterScenes = (): readonly Scene[] =>
  simulatedScenes('later simulated', OPEN_TO_WORK, OF_EACH_LATER, FIRST_SEED_LATER)

/** Reads the cases of sets and makes the simulated incidents.
 * @param data - the folder that holds rca/ */
export async function scoredScenes(data: string, sets: readonly SetName[]): Promise<readonly Scene[]> {
  const found: Scene[] = []
  for (const set of sets)
    for (const one of await casesOf(join(data, 'rca'), set))
      found.push(ofCase(one, await one.truth(), await snapshotOfCase(await one.load(), randomName())))
  const early = Object.entries(EARLY_FAMILIES).map(
    ([name, family]) => [name, (seed: number) => simulateIncident(name, family, seed)] as const,
  )
  return [...found, ...simulatedScenes('early simulated', early, OF_EACH, FIRST_SEED)]
}

/** Percent right by group. */
export type Scores = ReadonlyMap<string, number>

/** Whether the engine is right about a scene; an engine that throws is not. */
function isRightAbout({ snapshot, isRight }: Scene, engine: typeof investigate): boolean {
  try {
    return isRight(engine(snapshot))
  } catch {
    // A value that the engine cannot work with gets nothing right; the row shows it.
    return false
  }
}

function sharesOf(all: readonly Scene[], right: readonly boolean[]): Scores {
  const counts = new Map<string, { right: number; of: number }>()
  for (const [index, { group }] of all.entries()) {
    const count = counts.get(group) ?? { right: 0, of: 0 }
    counts.set(group, count)
    count.of += 1
    if (right[index] === true) count.right += 1
  }
  return new Map([...counts].map(([group, { right, of }]) => [group, (100 * right) / of]))
}

/** Percent right by group. */
export const scored = (all: readonly Scene[], engine: typeof investigate): Scores =>
  sharesOf(
    all,
    all.map((scene) => isRightAbout(scene, engine)),
  )

/** Scores of an engine as it is and with other values of its constants. */
export interface Scoring {
  readonly base: Scores
  /** Scenes in which a constant can make a difference. */
  readIn(constant: ConstantValue): number
  /** Percent right by group with other values; the same as of an engine that investigates every scene anew. */
  with(values: readonly ConstantValue[]): Scores
}

/** Scores with other values: only scenes whose investigation reads one of them are investigated again. */
export function scoring(all: readonly Scene[], engine: AdjustableEngine): Scoring {
  const asIs = engine.with([])
  const right = all.map((scene) => isRightAbout(scene, asIs))
  const reads = all.map(({ snapshot }) => engine.readIn(snapshot))
  return {
    base: sharesOf(all, right),
    readIn: (constant) => reads.filter((read) => read.has(keyOf(constant))).length,
    with(values) {
      const keys = values.map(keyOf)
      const other = engine.with(values)
      return sharesOf(
        all,
        all.map((scene, index) =>
          keys.some((key) => reads[index]?.has(key)) ? isRightAbout(scene, other) : right[index] === true,
        ),
      )
    },
  }
}
