/**
 * Fits the confidence: `node test/bench/fit-confidence.ts --data DIR` prints what leave-one-system-out gives and writes
 * the coefficients with their provenance. An answer counts as right by the set's own metric; windows without a fault and
 * cases whose culprit was neutralised are answers that cannot be right. Abstentions state nothing and are left out.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ConfidenceInput, inputsOf } from '#shared/domain/investigation/confidence.ts'
import { investigate, statedOf } from '#shared/domain/investigation/investigate.ts'
import { calibrationOf, type Stated } from './calibration.ts'
import { randomName, snapshotOfCase } from './case-files.ts'
import { chanceOf, fitLogistic, type Sample } from './fit-logistic.ts'
import { inNormalWindow, loadPetShopNormalPeriod } from './load-petshop.ts'
import { casesOf, rankOfTruth, SETS } from './rca-cases.ts'
import { neutralised } from './rca-passes.ts'
import { labelOf } from './rootcausebench-truth.ts'

const FILE = new URL('../../shared/domain/investigation/confidence-coefficients.ts', import.meta.url)

type Answer = Sample & { readonly input: ConfidenceInput }

const answer = (system: string, input: ConfidenceInput, right: boolean): Answer => ({
  system,
  inputs: inputsOf(input),
  right,
  input,
})

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

async function answersOf(rca: string): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const targets = new Map<string, Set<string>>()
  for (const set of SETS) {
    for (const one of await casesOf(rca, set)) {
      const snapshot = await snapshotOfCase(await one.load(), randomName())
      const findings = investigate(snapshot)
      const stated = statedOf(snapshot)
      const truth = await one.truth()
      if (set === 'petshop') {
        const [alert] = snapshot.alerts
        const scenario = one.id.split('/')[0] ?? ''
        targets.set(scenario, (targets.get(scenario) ?? new Set()).add(`${alert?.service}\n${alert?.metric}`))
      }
      if (stated !== null && stated.margin > 0)
        answers.push(answer(set, stated, rankOfTruth(one, truth, findings, snapshot) === 1))
      if (set !== 'rootcausebench' || truth.answer === 'none') continue
      const without = neutralised(snapshot, truth.answer)
      const other = statedOf(without)
      if (other !== null && other.margin > 0 && labelOf(investigate(without), without.changes) !== 'none')
        answers.push(answer(set, other, false))
    }
    tell(`${set}: ${answers.filter(({ system }) => system === set).length} answers`)
  }
  for (const [scenario, of] of targets)
    for (const target of of) {
      const [node = '', metric = ''] = target.split('\n')
      const period = await loadPetShopNormalPeriod(join(rca, 'petshop', scenario), node, metric)
      if (period === undefined) continue
      const whole = await snapshotOfCase(period.whole, randomName())
      for (const window of period.windows) {
        const stated = statedOf(inNormalWindow(whole, window))
        // What a cap decides needs no coefficient.
        if (stated !== null && stated.margin > 0 && stated.caps.length === 0)
          answers.push(answer('petshop', stated, false))
      }
    }
  return answers
}

const stateBy = (samples: readonly Answer[], weights: readonly number[]): Stated[] =>
  samples.map(({ system, inputs, right, input }) => ({
    system,
    right,
    confidence: Math.min(0.95, chanceOf(weights, inputs), ...input.caps),
  }))

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { data: { type: 'string' } } })
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  if (data === undefined) throw new Error('--data DIR or INCIDENT_DATA is needed')
  const answers = await answersOf(join(data, 'rca'))
  const systems = [...new Set(answers.map(({ system }) => system))]
  const out: Stated[] = []
  for (const system of systems)
    out.push(
      ...stateBy(
        answers.filter((one) => one.system === system),
        fitLogistic(answers.filter((one) => one.system !== system)),
      ),
    )
  const judged = calibrationOf(out)
  const weights = fitLogistic(answers)
  const inSample = calibrationOf(stateBy(answers, weights))
  const line = (
    name: string,
    { brier_skill, auroc, wrong_at_80, right, right_at_80 }: typeof judged,
  ): string =>
    `${name}: Brier skill ${brier_skill.toFixed(2)}, AUROC ${auroc?.toFixed(2) ?? 'not defined'}, wrong at ≥ .8 ${wrong_at_80}, right at ≥ .8 ${right_at_80} of ${right}`
  const report = [line('out of system', judged), line('in sample', inSample)]
  for (const text of report) tell(text)
  const count = systems.map((system) => {
    const of = answers.filter((one) => one.system === system)
    return `${system} ${of.filter(({ right }) => right).length} of ${of.length}`
  })
  const [intercept, margin, kind, coverage] = weights.map((weight) => Number(weight.toFixed(3)))
  const least = Math.min(...answers.map(({ input }) => input.coverage))
  await writeFile(
    FILE,
    `/**
 * Written by \`node test/bench/fit-confidence.ts\`; nobody edits it by hand.
 *
 * Fitted on answers of public benchmarks, every set weighing the same; the sets name their sources in test/bench.
 * In all ${answers.length} answers, ${answers.filter(({ right }) => right).length} of them right, with windows without a fault and cases without their culprit among the wrong ones.
 * Judged on the set that was left out of the fit, ${line('every set in turn', judged)}.
 * ${line('In sample', inSample)}.
 */
export const COEFFICIENTS = {
  intercept: ${intercept},
  per_margin: ${margin},
  per_kind: ${kind},
  per_coverage: ${coverage},
} as const

/** What the fit has seen: below the coverage the confidence is capped, kinds beyond the most add nothing. */
export const FITTED_RANGE = { least_coverage: ${least}, most_kinds: 2 } as const
`,
  )
  tell(count.join('; '))
}

await main()
