/**
 * How the engine does on simulated incidents of families of every age: those it may be worked on with and those that are
 * only scored. What is learnt here never feeds the confidence of the service.
 */
import type { Cause, Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { SimulatedTruth } from '#test/simulator/simulate-incident.ts'
import { isTheChange, isTheKind, isThePlace } from '#test/simulator/truth.ts'
import { farthestEntities, latestDeployOf, latestRecordedChange } from './blind-controls.ts'
import { calibrationOf, type Stated } from './calibration.ts'
import { GENERATIONS, NEWEST } from './generations.ts'
import type { Goal, SimulatedTable } from './rca-report.ts'
import { type Age, simulatedIncidents, type Turn, type Turns } from './simulated-incidents.ts'

/** From here a verdict counts as believed. */
export const BELIEVED = 0.5
/** From here it counts as sure. */
export const SURE = 0.8

/** What an answer is, beside what is true. */
export interface Judged {
  readonly hasChange: boolean
  /** The change, or without one the place. */
  readonly right: boolean
  /** Right at the level that the cause is named at, which is what the confidence speaks of. */
  readonly rightAtLevel: boolean
  readonly rightKind: boolean
  readonly namesNoChange: boolean
  readonly confidence: number
}

/** What is kept of one incident when its snapshot is gone. */
export interface Scored extends Judged {
  readonly family: string
  readonly age: Age
  readonly undecided: number
  /** Whether what is named without what decides is right at its level. */
  readonly undecidedRight: boolean
  readonly milliseconds: number
  /** Of these, what the processor worked for it; the rest it waited for others on the machine, or for V8's own threads. */
  readonly processor_ms: number
  readonly controls: readonly [farthest: boolean, latestDeploy: boolean, latestChange: boolean]
}

/** Whether what is named is true at the level that it is named at. */
export function isRightAtLevel(cause: Cause, truth: SimulatedTruth): boolean {
  if (cause.level === 'change')
    return truth.change === null ? cause.change === null : isTheChange(truth, cause.change)
  if (cause.level === 'service') return isThePlace(truth, cause.entity)
  return isTheKind(truth, cause.kind) && isThePlace(truth, cause.entity)
}

const abstains = ({ outcome }: Findings): boolean => outcome === 'inconclusive'

/** Holds findings against what is true. */
export function judge(findings: Findings, truth: SimulatedTruth): Judged {
  const { cause, confidence } = findings
  const isNamed = !abstains(findings)
  return {
    ...{ hasChange: truth.change !== null, confidence },
    right:
      isNamed &&
      (truth.change === null
        ? cause.change === null && isThePlace(truth, cause.entity)
        : isTheChange(truth, cause.change)),
    rightAtLevel: isNamed && isRightAtLevel(cause, truth),
    rightKind: isNamed && cause.change === null && isTheKind(truth, cause.kind),
    // A place without a change claims nothing about changes.
    namesNoChange: isNamed && cause.change === null && cause.kind !== 'unknown',
  }
}

const withoutWhatDecides = (
  findings: Findings,
  truth: SimulatedTruth,
): Pick<Scored, 'undecided' | 'undecidedRight'> => {
  const { confidence, rightAtLevel } = judge(findings, truth)
  return { undecided: confidence, undecidedRight: rightAtLevel }
}

/**
 * Investigates one incident, and once more without what decides.
 * @param engine - by which; that of another checkout has not seen families that were written after it
 */
export function scoreTurn(
  { age, family, made: { snapshot, truth, undecided } }: Turn,
  engine: typeof investigate = investigate,
): Scored {
  const worked = process.threadCpuUsage()
  const started = performance.now()
  const findings = engine(snapshot)
  const milliseconds = performance.now() - started
  const { user, system } = process.threadCpuUsage(worked)
  return {
    ...{ family, age, milliseconds },
    ...judge(findings, truth),
    processor_ms: (user + system) / 1_000,
    ...withoutWhatDecides(engine(undecided), truth),
    controls: [
      isThePlace(truth, farthestEntities(snapshot)[0] ?? null),
      latestDeployOf(snapshot).some((id) => isTheChange(truth, id)),
      latestRecordedChange(snapshot).some((id) => isTheChange(truth, id)),
    ],
  }
}

/**
 * Investigates so many incidents, spread evenly over the families of each age.
 * @param turns whose turn it is, again and again
 */
export function scoreSimulated(
  count: number,
  tell: (done: number) => void,
  turns: Turns = 'usual',
): readonly Scored[] {
  const scored: Scored[] = []
  for (const turn of simulatedIncidents(count, turns)) {
    scored.push(scoreTurn(turn))
    if (scored.length % 50 === 0) tell(scored.length)
  }
  return scored
}

/** Which incidents a table is of: those of an age, of the generations in whole and by what was done with their families. */
const TABLES: readonly (readonly [SimulatedTable['age'], (one: Scored) => boolean])[] = [
  ['early', ({ age }) => age === 'early'],
  ['late', ({ age }) => age === 'late'],
  ['early_and_late', ({ age }) => age === 'early' || age === 'late'],
  ...GENERATIONS.flatMap(({ name, held_out }) => {
    const isHeldOut = (family: string): boolean => held_out.some((held) => held === family)
    return [
      [name, ({ age }: Scored) => age === name],
      [`${name}_worked_with`, ({ age, family }: Scored) => age === name && !isHeldOut(family)],
      [`${name}_held_out`, ({ age, family }: Scored) => age === name && isHeldOut(family)],
    ] as const
  }),
]

/** The figures of simulated incidents, by the age of their families; of all as well where the newest are among them. */
export function simulatedTables(scored: readonly Scored[]): readonly SimulatedTable[] {
  const tables = TABLES.flatMap(([age, is]) => {
    const own = scored.filter(is)
    return own.length === 0 ? [] : [tableOf(age, own)]
  })
  return scored.some(({ age }) => age === NEWEST.name) ? [...tables, tableOf('all', scored)] : tables
}

/** The figures of incidents that were scored, under what they are called. */
export function tableOf(age: SimulatedTable['age'], all: readonly Scored[]): SimulatedTable {
  const changed = all.filter(({ hasChange }) => hasChange)
  const unchanged = all.filter(({ hasChange }) => !hasChange)
  const row = (
    name: string,
    of: readonly Scored[],
    holds: (one: Scored) => boolean,
    goal: Goal | null = null,
  ): SimulatedTable['figures'][number] => ({ name, passed: of.filter(holds).length, total: of.length, goal })
  const right = all.filter(({ rightAtLevel }) => rightAtLevel)
  const stated = (confidence: number, isRight: boolean): Stated => ({
    ...{ system: age, confidence },
    right: isRight && confidence > 0,
  })
  const whole = all.map(({ confidence, rightAtLevel }) => stated(confidence, rightAtLevel))
  const { brier_skill, auroc, ece } = calibrationOf(whole)
  const lessened = all.map(({ undecided, undecidedRight }) => stated(undecided, undecidedRight))
  const { ece: ece_with_lessened } = calibrationOf([...whole, ...lessened])
  const times = all.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const worked = all.map(({ processor_ms }) => processor_ms).sort((a, b) => a - b)
  return {
    ...{ age, n: all.length, ece, ece_with_lessened, brier_skill, auroc },
    figures: [
      row('top-1', all, (one) => one.right, { least: 0.85 }),
      row('a change is the cause: that change', changed, (one) => one.right),
      row('no change is the cause: the right kind', unchanged, (one) => one.rightKind, { least: 0.85 }),
      row('a change is the cause: claims that none is', changed, (one) => one.namesNoChange, { most: 0.1 }),
      row('without what decides: below .5', all, (one) => one.undecided < BELIEVED, { least: 0.9 }),
      row('right at the level named', all, (one) => one.rightAtLevel),
      row(
        'wrong at ≥ .8 (at the level named)',
        all,
        ({ rightAtLevel, confidence }) => !rightAtLevel && confidence >= SURE,
        { most: 0.02 },
      ),
      row('right answers at ≥ .8', right, ({ confidence }) => confidence >= SURE, { least: 0.4 }),
      row('control: max-|z| entity', all, ({ controls }) => controls[0], { most: 0.5, of: 'a control' }),
      row('control: latest deploy', all, ({ controls }) => controls[1], { most: 0.3, of: 'a control' }),
      row('control: latest change before the alert', all, ({ controls }) => controls[2], {
        most: 0.4,
        of: 'a control',
      }),
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
    p95_processor_ms: worked[Math.ceil(worked.length * 0.95) - 1] ?? 0,
  }
}
