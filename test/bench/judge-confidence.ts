/**
 * What a stated confidence is worth on families that are open to work, on seeds that nothing else uses, and what it is worth
 * where what is named explains most of what fails, or little of it. With the engine of another folder it is judged as that
 * engine states it: an older one has not seen the families that were written after it.
 */
import { parseArgs } from 'node:util'
import { CONFIDENCE_CAP } from '#shared/domain/investigation/confidence.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { MOSTLY, shareExplainedBy } from '#shared/domain/investigation/hypotheses/explained-share.ts'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { withOneName } from '#shared/domain/investigation/records/join-names.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { EARLY_FAMILIES } from '#test/simulator/faults.ts'
import type { SimulatedTruth } from '#test/simulator/simulate-incident.ts'
import { simulateIncident } from '#test/simulator/simulate-incident.ts'
import { calibrationOf } from './calibration.ts'
import { type Engine, engineOf } from './engine-of-checkout.ts'
import { isRightAtLevel } from './rca-simulator.ts'
import { familiesToLookAt, type Maker, OPEN_TO_WORK } from './simulated-incidents.ts'

const HELP = `Usage: node test/bench/judge-confidence.ts [options]

Investigates incidents of the families that are open to work, whole and without what decides, and prints of each family, and
of all, what the stated confidence is worth; then how many were right of those stated at each tenth: of answers that name a change
and of the others. Of each sort of answer (a change, a place, or the kind of what happened) that explains most of what fails or less,
with the lowest bound in force, it prints how many were right, what was stated on average, and in how many families any was right,
whole and without what decides.

  --engine DIR    investigates with the engine of another checkout (default: this one)
  --families A,B  only these, of any generation that may be looked at (default: early families, third to eleventh generation)
  --each N        incidents of each family (default 10)
  --from SEED     the first seed, from 2,400,000 to 2,499,999 (default 2,450,000)
  --help          print this
`
const FIRST_SEED = 2_400_000
const LAST_SEED = 2_499_999
/** Seeds that are tried for one incident; some have no place for it. */
const MOST_TRIES = 40
/** From here a verdict counts as believed. */
const BELIEVED = 0.5

/** One answer, whole or without what decides. */
interface Answer {
  readonly right: boolean
  readonly namesChange: boolean
  readonly family: string
  /** What sort of answer it is, whether what is named explains most of what fails, and the lowest bound in force. */
  readonly sort: string
  readonly confidence: number
  /** Of what fails, the share that is at the place that is named or depends on it; null where none is named or known. */
  readonly explained: number | null
}

interface Judged extends Answer {
  readonly undecided: Answer
}

const sortOf = ({ cause }: Findings, explained: number | null, bounds: readonly number[]): string =>
  [
    cause.change !== null ? 'a change' : cause.level === 'service' ? 'a place' : cause.kind,
    explained === null ? 'extent unknown' : explained >= MOSTLY ? 'explains most' : 'explains less',
    `at most ${Math.min(CONFIDENCE_CAP, ...bounds)}`,
  ].join(', ')

/** The share that the named place explains, told by this engine whichever engine named it. */
function explainedBy(entity: string | null, given: Snapshot): number | null {
  const snapshot = withOneName(given)
  const places = new Set(entity === null ? [] : [entity])
  return shareExplainedBy(places, observe(snapshot, entityNames(snapshot), null))
}

function answerOf(
  { investigate, statedOf }: Engine,
  family: string,
  snapshot: Snapshot,
  truth: SimulatedTruth,
): Answer {
  const findings = investigate(snapshot)
  const { cause, confidence, outcome } = findings
  const explained = explainedBy(cause.entity, snapshot)
  const sort = sortOf(findings, explained, statedOf(snapshot)?.caps ?? [])
  return {
    ...{ family, confidence, explained, sort, namesChange: cause.change !== null },
    right: outcome !== 'inconclusive' && isRightAtLevel(cause, truth),
  }
}

const early: readonly (readonly [string, Maker])[] = Object.entries(EARLY_FAMILIES).map(([name, family]) => [
  name,
  (seed) => simulateIncident(name, family, seed),
])

function judgedBy(
  engine: Engine,
  families: readonly (readonly [string, Maker])[],
  each: number,
  from: number,
): readonly Judged[] {
  const judged: Judged[] = []
  let seed = from
  for (const [family, make] of families) {
    for (let count = 0, tries = 0; count < each && tries < MOST_TRIES * each; tries += 1) {
      if (seed > LAST_SEED) throw new Error(`no seeds are left at ${family}`)
      const made = make(seed++)
      if (made === null) continue
      count += 1
      const { snapshot, undecided, truth } = made
      judged.push({
        ...answerOf(engine, family, snapshot, truth),
        undecided: answerOf(engine, family, undecided, truth),
      })
    }
    process.stderr.write(`${family}\n`)
  }
  return judged
}

function line(name: string, of: readonly Judged[]): string {
  const { ece, brier_skill, wrong_at_80, right, right_at_80 } = calibrationOf(
    of.map((one) => ({ ...one, system: 'all', right: one.right && one.confidence > 0 })),
  )
  const without = of.filter(({ undecided }) => undecided.confidence < BELIEVED).length
  const brier = of.reduce((sum, one) => sum + (one.confidence - Number(one.right)) ** 2, 0) / of.length
  return [
    `${name.padEnd(26)} n ${of.length}`,
    `right ${right}`,
    `ECE ${ece.toFixed(3)}`,
    `Brier ${brier.toFixed(3)} (skill ${brier_skill.toFixed(2)})`,
    `wrong at ≥ .8 ${wrong_at_80}`,
    `right at ≥ .8 ${right_at_80}`,
    `without what decides < .5 ${without}`,
  ].join(', ')
}

const countRight = (of: readonly Answer[]): number => of.filter(({ right }) => right).length

/** How many were right of those stated at each tenth. */
function byTenth(name: string, of: readonly Answer[]): string {
  const tenths = Map.groupBy(of, ({ confidence }) => Math.floor(confidence * 10) / 10)
  const told = [...tenths]
    .sort(([one], [other]) => one - other)
    .map(([tenth, there]) => `${tenth}: ${countRight(there)} of ${there.length}`)
  return `${name.padEnd(26)} ${told.join(', ')}`
}

/** How many of a sort were right, what was stated of them, and of how many families any was. */
function ofSort(name: string, of: readonly Answer[]): string {
  const families = [...Map.groupBy(of, ({ family }) => family).values()]
  const stated = of.reduce((sum, { confidence }) => sum + confidence, 0) / of.length
  const found = families.filter((answers) => countRight(answers) > 0).length
  return `${name.padEnd(44)} ${countRight(of)} of ${of.length}, stated ${stated.toFixed(2)}, ${found} of ${families.length} families`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: new URL('../..', import.meta.url).pathname },
      families: { type: 'string' },
      each: { type: 'string', default: '10' },
      from: { type: 'string', default: '2450000' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(HELP)
  const from = Number(values.from)
  if (!(from >= FIRST_SEED && from <= LAST_SEED)) throw new Error(`--from ${from} is no seed of this command`)
  const asked = values.families?.split(',')
  const families: readonly (readonly [string, Maker])[] =
    asked === undefined
      ? [...early, ...OPEN_TO_WORK]
      : asked.flatMap((name) => {
          const own = early.filter(([family]) => family === name)
          return own.length > 0
            ? own
            : familiesToLookAt([name]).map(({ family, make }) => [family, make] as const)
        })
  const engine = await engineOf(values.engine)
  const judged = judgedBy(engine, families, Number(values.each), from)
  const named = judged.filter(({ confidence }) => confidence > 0)
  const lines = [
    `engine ${engine.ENGINE_VERSION}, seeds from ${from}`,
    ...families.map(([family]) =>
      line(
        family,
        judged.filter((one) => one.family === family),
      ),
    ),
    line('all', judged),
    line(
      'explains most',
      named.filter(({ explained }) => explained !== null && explained >= MOSTLY),
    ),
    line(
      'explains less',
      named.filter(({ explained }) => explained !== null && explained < MOSTLY),
    ),
    byTenth(
      'a change',
      named.filter(({ namesChange }) => namesChange),
    ),
    byTenth(
      'no change',
      named.filter(({ namesChange }) => !namesChange),
    ),
  ]
  const sorts = (title: string, answers: readonly Answer[]): readonly string[] => [
    title,
    ...[
      ...Map.groupBy(
        answers.filter(({ confidence }) => confidence > 0),
        ({ sort }) => sort,
      ),
    ]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([sort, of]) => ofSort(sort, of)),
  ]
  lines.push(
    ...sorts('whole:', judged),
    ...sorts(
      'without what decides:',
      judged.map(({ undecided }) => undecided),
    ),
  )
  process.stdout.write(`${lines.join('\n')}\n`)
}

await main()
