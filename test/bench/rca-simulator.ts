/**
 * How the engine does on simulated incidents: families of faults that it may be worked on with (early), and families
 * that were written after its constants were frozen and are only scored (late). What is learnt here never feeds the
 * confidence of the service.
 */
import type { Cause, Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { EARLY_FAMILIES, type Family } from '#test/simulator/faults.ts'
import { LATE_FAMILIES } from '#test/simulator/late-faults.ts'
import { type SimulatedTruth, simulateIncident } from '#test/simulator/simulate-incident.ts'
import { farthestEntities } from './blind-controls.ts'
import { calibrationOf } from './calibration.ts'
import type { SimulatedTable } from './rca-report.ts'

/** The families by when they were written. */
export const FAMILIES: Readonly<Record<'early' | 'late', Readonly<Record<string, Family>>>> = {
  early: EARLY_FAMILIES,
  late: LATE_FAMILIES,
}

/** From here a verdict counts as believed. */
const BELIEVED = 0.5
/** From here it counts as sure. */
const SURE = 0.8
/** Seeds that are tried for one incident: some faults harm nobody, some places cannot have them. */
const MOST_TRIES = 40

/** What is kept of one incident when its snapshot is gone. */
interface Scored {
  readonly family: string
  readonly isLate: boolean
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
  readonly controls: readonly [farthest: boolean, latestDeploy: boolean]
}

function isLatestDeploy(snapshot: Snapshot, change: string | null): boolean {
  const deploys = snapshot.changes.filter(({ kind }) => kind === 'deploy')
  const latest = deploys.reduce<(typeof deploys)[number] | undefined>(
    (best, each) => (best === undefined || each.recorded_at > best.recorded_at ? each : best),
    undefined,
  )
  return change !== null && latest?.carries?.includes(change) === true
}

function isRightAtLevel(cause: Cause, truth: SimulatedTruth): boolean {
  if (cause.level === 'change') return cause.change === truth.change
  if (cause.level === 'service') return cause.entity === truth.entity
  return cause.kind === truth.kind && cause.entity === truth.entity
}

const abstains = ({ outcome }: Findings): boolean => outcome === 'inconclusive'

/** Investigates so many incidents, spread evenly over the families of both ages. */
export function scoreSimulated(count: number, tell: (done: number) => void): readonly Scored[] {
  const ages = (['early', 'late'] as const).filter((age) => Object.keys(FAMILIES[age]).length > 0)
  const families = ages.map((age) => Object.entries(FAMILIES[age]))
  const scored: Scored[] = []
  let seed = 1
  for (let index = 0; index < count; index += 1) {
    // Half from each age, whatever their number of families.
    const list = families[index % ages.length] ?? []
    const isLate = ages[index % ages.length] === 'late'
    const [name, family] = list[Math.floor(index / ages.length) % list.length] ?? []
    if (name === undefined || family === undefined) break
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const made = simulateIncident(name, family, seed++)
      if (made === null) continue
      const { snapshot, truth, undecided } = made
      const started = performance.now()
      const findings = investigate(snapshot)
      const milliseconds = performance.now() - started
      const { cause, confidence } = findings
      const isNamed = !abstains(findings)
      scored.push({
        ...{ family: name, isLate, hasChange: truth.change !== null, confidence, milliseconds },
        right:
          isNamed &&
          (truth.change === null
            ? cause.change === null && cause.entity === truth.entity
            : cause.change === truth.change),
        rightAtLevel: isNamed && isRightAtLevel(cause, truth),
        rightKind: isNamed && cause.change === null && cause.kind === truth.kind,
        // A place without a change claims nothing about changes.
        namesNoChange: isNamed && cause.change === null && cause.kind !== 'unknown',
        undecided: investigate(undecided).confidence,
        controls: [farthestEntities(snapshot)[0] === truth.entity, isLatestDeploy(snapshot, truth.change)],
      })
      break
    }
    if ((index + 1) % 50 === 0) tell(index + 1)
  }
  return scored
}

/** The figures of simulated incidents, by the age of their families. */
export function simulatedTables(scored: readonly Scored[]): readonly SimulatedTable[] {
  return (['early', 'late'] as const).flatMap((age) => {
    const all = scored.filter(({ isLate }) => isLate === (age === 'late'))
    return all.length === 0 ? [] : [tableOf(age, all)]
  })
}

function tableOf(age: 'early' | 'late', all: readonly Scored[]): SimulatedTable {
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
