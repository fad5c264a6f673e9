/**
 * What the rankings would be had one system not been in sight: each constant that ranks is chosen anew, of its half, its
 * value and its double, by how the other systems do; the engine with all that they chose is scored on the one left out.
 * Where a figure falls much, the constants remember that system.
 */
import { basename } from 'node:path'
import { adjustableEngine, type ConstantValue } from './altered-engine.ts'
import type { EngineConstant } from './engine-constants.ts'
import type { SetName } from './rca-cases.ts'
import { FAST, type Scores, scoredScenes, scoring } from './scored-scenes.ts'

/** Files whose numbers weigh causes and places against each other, by their names in whichever folder. */
export const RANKING: readonly string[] = [
  'absent-instance.ts',
  'blame-services.ts',
  'candidate.ts',
  'change-evidence.ts',
  'clock-tolerance.ts',
  'closeness.ts',
  'echoed-settings.ts',
  'failing-machine.ts',
  'fuse-hypotheses.ts',
  'happened-elsewhere.ts',
  'joined-causes.ts',
  'lead-of-candidates.ts',
  'more-traffic.ts',
  'operational-cause.ts',
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
  readonly constant: ConstantValue
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

/** Those of the engine's constants that weigh causes and places. */
export const rankingConstants = (all: readonly EngineConstant[]): readonly EngineConstant[] =>
  all.filter(({ file }) => RANKING.includes(basename(file)))

/** Leaves out one system after the other; `tell` hears how far it is. */
export async function leaveOneOut(data: string, tell: (line: string) => void): Promise<readonly LeftOut[]> {
  const all = await scoredScenes(data, SYSTEMS)
  const engine = await adjustableEngine()
  const scores = scoring(all, engine)
  const constants = rankingConstants(engine.constants)
  const tried = constants.map((constant, index) => {
    const values = TRIED.map((factor): Tried => {
      const other = { ...constant, value: constant.value * factor }
      return { constant: other, scores: factor === 1 ? scores.base : scores.with([other]) }
    })
    if ((index + 1) % 10 === 0) tell(`left out: ${index + 1} of ${constants.length} constants`)
    return values
  })
  return Array.from(scores.base, ([system, asIs]) => {
    const chosen = tried.flatMap((values, index) => {
      const best = bestWithout(values, system)
      return best === undefined || best.value === constants[index]?.value ? [] : [best]
    })
    return {
      ...{ system, n: all.filter(({ group }) => group === system).length, as_is: asIs },
      without: scores.with(chosen).get(system) ?? 0,
      chosen: chosen.map(({ name, value }) => `${name} ${value}`),
    }
  })
}
