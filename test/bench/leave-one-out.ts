/**
 * What the rankings would be had one system not been in sight: each constant that ranks is chosen anew, of its half, its
 * value and its double, by how the other systems do; the engine with all that they chose is scored on the one left out.
 * Where a figure falls much, the constants remember that system.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { type EngineConstant, engineConstants, engineWith } from './engine-constants.ts'
import type { SetName } from './rca-cases.ts'
import { FAST, type Scores, scored, scoredScenes } from './scored-scenes.ts'

/** Files whose numbers weigh causes and places against each other. */
const RANKING = [
  'absent-instance.ts',
  'blame-services.ts',
  'candidate.ts',
  'change-evidence.ts',
  'clock-tolerance.ts',
  'closeness.ts',
  'echoed-settings.ts',
  'failing-machine.ts',
  'fuse-hypotheses.ts',
  'joined-causes.ts',
  'lead-of-candidates.ts',
  'more-traffic.ts',
  'operational-cause.ts',
  'quoted-changes.ts',
  'rank-changes.ts',
  'ranked-change.ts',
  'troubled-node.ts',
  'unmeasured-providers.ts',
  'unsteady-instance.ts',
  'used-up-resource.ts',
  'weigh-candidates.ts',
  'word-overlap.ts',
]
/** Systems that take seconds together; with the spans of Nezha it would be hours. */
const SYSTEMS: readonly SetName[] = [...FAST, 'rcd-sock-shop']
/** Values that are tried, as shares of what the code says; that one first, so that it stays where others do as well. */
const TRIED = [1, 0.5, 2]

export interface LeftOut {
  readonly system: string
  readonly n: number
  /** Percent right with the constants as they are, and as the other systems choose them. */
  readonly as_is: number
  readonly without: number
  /** Names of the constants that the others would set to another value. */
  readonly chosen: readonly string[]
}

export interface Tried {
  readonly constant: Pick<EngineConstant, 'file' | 'name' | 'value'>
  readonly scores: Scores
}

/** Of the values that were tried for one constant the one that does best on all systems but one; of equals the first. */
export function bestWithout(tried: readonly Tried[], system: string): Tried['constant'] | undefined {
  const others = ({ scores }: Tried): number =>
    [...scores].reduce((sum, [name, share]) => sum + (name === system ? 0 : share), 0)
  return tried.reduce<Tried | undefined>(
    (best, one) => (best === undefined || others(one) > others(best) ? one : best),
    undefined,
  )?.constant
}

/** Leaves out one system after the other; `tell` hears how far it is. */
export async function leaveOneOut(data: string, tell: (line: string) => void): Promise<readonly LeftOut[]> {
  const all = await scoredScenes(data, SYSTEMS)
  const base = scored(all, investigate)
  const work = await mkdtemp(join(tmpdir(), 'leave-one-out-'))
  try {
    const constants = (await engineConstants()).filter(({ file }) => RANKING.includes(file))
    const tried: Tried[][] = []
    for (const [index, constant] of constants.entries()) {
      const values: Tried[] = []
      for (const factor of TRIED) {
        const other = { ...constant, value: constant.value * factor }
        const scores = factor === 1 ? base : scored(all, await engineWith(work, [other]))
        values.push({ constant: other, scores })
      }
      tried.push(values)
      if ((index + 1) % 10 === 0) tell(`left out: ${index + 1} of ${constants.length} constants`)
    }
    const out: LeftOut[] = []
    for (const [system, asIs] of base) {
      const chosen = tried.flatMap((values, index) => {
        const best = bestWithout(values, system)
        return best === undefined || best.value === constants[index]?.value ? [] : [best]
      })
      const own = all.filter(({ group }) => group === system)
      const without = chosen.length === 0 ? base : scored(own, await engineWith(work, chosen))
      out.push({
        ...{ system, n: own.length, as_is: asIs, without: without.get(system) ?? 0 },
        chosen: chosen.map(({ name, value }) => `${name} ${value}`),
      })
    }
    return out
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
