/**
 * How the engine does on simulated incidents: families of faults that it may be worked on with (early), families that
 * were written after its constants were frozen (late), and a third generation that was written without knowledge of the
 * engine; the last two are only scored. What is learnt here never feeds the confidence of the service.
 */
import type { Cause, Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { EARLY_FAMILIES, type Family } from '#test/simulator/faults.ts'
import { LATE_FAMILIES } from '#test/simulator/late-faults.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import { type Simulated, type SimulatedTruth, simulateIncident } from '#test/simulator/simulate-incident.ts'
import { simulateProductionIncident } from '#test/simulator/simulate-production-incident.ts'
import { THIRD_CHANGED } from '#test/simulator/third-changed-faults.ts'
import { THIRD_UNCHANGED } from '#test/simulator/third-unchanged-faults.ts'
import { isTheChange, isTheKind, isThePlace } from '#test/simulator/truth.ts'
import { farthestEntities, latestDeployOf, latestRecordedChange } from './blind-controls.ts'
import { calibrationOf } from './calibration.ts'
import type { SimulatedTable } from './rca-report.ts'

type Age = 'early' | 'late' | 'third'
/** Makes an incident of a family; null where the seed has no place for one. */
type Maker = (seed: number) => Simulated | null

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
}

/** Whose turn it is. With the newest families they are half of all, the others what they are without them. */
const TURNS: Readonly<Record<'usual' | 'newest', readonly Age[]>> = {
  usual: ['early', 'late'],
  newest: ['third', 'early', 'third', 'late'],
}

/** First seed of the third generation: its own, so that the others stay the same incidents beside it. */
const THIRD_SEEDS = 1_000_000

/** From here a verdict counts as believed. */
const BELIEVED = 0.5
/** From here it counts as sure. */
const SURE = 0.8
/** Seeds that are tried for one incident: some faults harm nobody, some places cannot have them. */
const MOST_TRIES = 40

/** What is kept of one incident when its snapshot is gone. */
interface Scored {
  readonly family: string
  readonly age: Age
  readonly hasChange: boolean
  /** The change, or without one the place. */
  readonly right: boolean
  /** Right at the level that the cause is named at, which is what the confidence speaks of. */
  readonly rightAtLevel: boolean
  readonly rightKind: boolean
  readonly namesNoChange: boolean
  readonly confidence: number
  readonly undecided: number
  readonly milliseconds: number
  readonly controls: readonly [farthest: boolean, latestDeploy: boolean, latestChange: boolean]
}

function isRightAtLevel(cause: Cause, truth: SimulatedTruth): boolean {
  if (cause.level === 'change')
    return truth.change === null ? cause.change === null : isTheChange(truth, cause.change)
  if (cause.level === 'service') return isThePlace(truth, cause.entity)
  return isTheKind(truth, cause.kind) && isThePlace(truth, cause.entity)
}

const abstains = ({ outcome }: Findings): boolean => outcome === 'inconclusive'

/**
 * Investigates so many incidents, spread evenly over the families of each age.
 * @param turns whose turn it is, again and again
 */
export function scoreSimulated(
  count: number,
  tell: (done: number) => void,
  turns: 'usual' | 'newest' = 'usual',
): readonly Scored[] {
  const scored: Scored[] = []
  const next = { usual: 1, third: THIRD_SEEDS }
  const taken = { early: 0, late: 0, third: 0 }
  for (let index = 0; index < count; index += 1) {
    const age = TURNS[turns][index % TURNS[turns].length] as Age
    const families = FAMILIES[age]
    const [name, make] = families[taken[age]++ % families.length] as (typeof families)[number]
    const seeds = age === 'third' ? 'third' : 'usual'
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const made = make(next[seeds]++)
      if (made === null) continue
      const { snapshot, truth, undecided } = made
      const started = performance.now()
      const findings = investigate(snapshot)
      const milliseconds = performance.now() - started
      const { cause, confidence } = findings
      const isNamed = !abstains(findings)
      scored.push({
        ...{ family: name, age, hasChange: truth.change !== null, confidence, milliseconds },
        right:
          isNamed &&
          (truth.change === null
            ? cause.change === null && isThePlace(truth, cause.entity)
            : isTheChange(truth, cause.change)),
        rightAtLevel: isNamed && isRightAtLevel(cause, truth),
        rightKind: isNamed && cause.change === null && isTheKind(truth, cause.kind),
        // A place without a change claims nothing about changes.
        namesNoChange: isNamed && cause.change === null && cause.kind !== 'unknown',
        undecided: investigate(undecided).confidence,
        controls: [
          isThePlace(truth, farthestEntities(snapshot)[0] ?? null),
          latestDeployOf(snapshot).some((id) => isTheChange(truth, id)),
          latestRecordedChange(snapshot).some((id) => isTheChange(truth, id)),
        ],
      })
      break
    }
    if ((index + 1) % 50 === 0) tell(index + 1)
  }
  return scored
}

/** The figures of simulated incidents, by the age of their families, and of all where the newest are among them. */
export function simulatedTables(scored: readonly Scored[]): readonly SimulatedTable[] {
  const tables = (['early', 'late', 'third'] as const).flatMap((age) => {
    const own = scored.filter((one) => one.age === age)
    return own.length === 0 ? [] : [tableOf(age, own)]
  })
  return scored.some(({ age }) => age === 'third') ? [...tables, tableOf('all', scored)] : tables
}

function tableOf(age: SimulatedTable['age'], all: readonly Scored[]): SimulatedTable {
  const changed = all.filter(({ hasChange }) => hasChange)
  const unchanged = all.filter(({ hasChange }) => !hasChange)
  const row = (
    name: string,
    of: readonly Scored[],
    holds: (one: Scored) => boolean,
    goal = '',
  ): SimulatedTable['figures'][number] => ({ name, passed: of.filter(holds).length, total: of.length, goal })
  const right = all.filter(({ rightAtLevel }) => rightAtLevel)
  const { brier_skill, auroc, ece } = calibrationOf(
    all.map(({ confidence, rightAtLevel }) => ({
      ...{ system: age, confidence },
      right: rightAtLevel && confidence > 0,
    })),
  )
  const times = all.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  return {
    ...{ age, n: all.length, ece, brier_skill, auroc },
    figures: [
      row('top-1', all, (one) => one.right, 'goal 85 %'),
      row('a change is the cause: that change', changed, (one) => one.right),
      row('no change is the cause: the right kind', unchanged, (one) => one.rightKind, 'goal 85 %'),
      row(
        'a change is the cause: claims that none is',
        changed,
        (one) => one.namesNoChange,
        'goal at most 10 %',
      ),
      row('without what decides: below .5', all, (one) => one.undecided < BELIEVED, 'goal 90 %'),
      row('right at the level named', all, (one) => one.rightAtLevel),
      row(
        'wrong at ≥ .8 (at the level named)',
        all,
        ({ rightAtLevel, confidence }) => !rightAtLevel && confidence >= SURE,
        'goal at most 2 %',
      ),
      row('right answers at ≥ .8', right, ({ confidence }) => confidence >= SURE, 'goal at least 40 %'),
      row('control: max-|z| entity', all, ({ controls }) => controls[0], 'hard enough at ≤ 50 %'),
      row('control: latest deploy', all, ({ controls }) => controls[1], 'hard enough at ≤ 30 %'),
      row(
        'control: latest change before the alert',
        all,
        ({ controls }) => controls[2],
        'hard enough at ≤ 40 %',
      ),
      ...[...new Set(all.map(({ family }) => family))].map((family) =>
        row(
          `top-1 of ${family}`,
          all.filter((one) => one.family === family),
          (one) => one.right,
        ),
      ),
    ],
    median_ms: times[Math.floor(times.length / 2)] ?? 0,
    p95_ms: times[Math.ceil(times.length * 0.95) - 1] ?? 0,
  }
}
