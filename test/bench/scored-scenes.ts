/** What the engine is scored on when one of its numbers is another: cases and simulated incidents that are read once. */
import { join } from 'node:path'
import type { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { EARLY_FAMILIES } from '#test/simulator/faults.ts'
import { type SimulatedTruth, simulateIncident } from '#test/simulator/simulate-incident.ts'
import { randomName, snapshotOfCase } from './case-files.ts'
import { type BenchCase, type CaseTruth, casesOf, rankOfTruth, type SetName } from './rca-cases.ts'

/** Sets that take a second together; the others would take hours for all constants. */
export const FAST: readonly SetName[] = ['rootcausebench', 'opensre-rds', 'petshop']
/** Simulated incidents of each early family. */
const OF_EACH = 4
/** Seeds that are tried for one incident. */
const MOST_TRIES = 40
/** Seeds apart from those of the benchmark's own run, which counts up from one. */
const FIRST_SEED = 500_000

export interface Scene {
  readonly snapshot: Snapshot
  readonly group: string
  readonly isRight: (findings: ReturnType<typeof investigate>) => boolean
}

const ofCase = (one: BenchCase, truth: CaseTruth, snapshot: Snapshot): Scene => ({
  ...{ snapshot, group: one.set },
  isRight: (findings) => rankOfTruth(one, truth, findings, snapshot) === 1,
})

const ofSimulated = (snapshot: Snapshot, truth: SimulatedTruth): Scene => ({
  ...{ snapshot, group: 'early simulated' },
  isRight: ({ cause, outcome }) =>
    outcome !== 'inconclusive' &&
    (truth.change === null
      ? cause.change === null && cause.entity === truth.entity
      : cause.change === truth.change),
})

/** Reads the cases of sets and makes the simulated incidents.
 * @param data - the folder that holds rca/ */
export async function scoredScenes(data: string, sets: readonly SetName[]): Promise<readonly Scene[]> {
  const found: Scene[] = []
  for (const set of sets)
    for (const one of await casesOf(join(data, 'rca'), set))
      found.push(ofCase(one, await one.truth(), await snapshotOfCase(await one.load(), randomName())))
  let seed = FIRST_SEED
  for (const [name, family] of Object.entries(EARLY_FAMILIES))
    for (let count = 0, tries = 0; count < OF_EACH && tries < MOST_TRIES * OF_EACH; tries += 1) {
      const made = simulateIncident(name, family, seed++)
      if (made === null) continue
      count += 1
      found.push(ofSimulated(made.snapshot, made.truth))
    }
  return found
}

/** Percent right by group. */
export type Scores = ReadonlyMap<string, number>

/** Percent right by group; an engine that throws has none right. */
export function scored(all: readonly Scene[], engine: typeof investigate): Scores {
  const counts = new Map<string, { right: number; of: number }>()
  for (const { snapshot, group, isRight } of all) {
    const count = counts.get(group) ?? { right: 0, of: 0 }
    counts.set(group, count)
    count.of += 1
    try {
      if (isRight(engine(snapshot))) count.right += 1
    } catch {
      // A value that the engine cannot work with gets nothing right; the row shows it.
    }
  }
  return new Map([...counts].map(([group, { right, of }]) => [group, (100 * right) / of]))
}
