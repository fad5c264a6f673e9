/** What a rule is worth: answers with it beside answers in which it finds nothing. */
import { join } from 'node:path'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import type { SwitchedEngine } from './altered-engine.ts'
import { randomName, snapshotOfCase } from './case-files.ts'
import { casesOf, rankOfTruth, type SetName } from './rca-cases.ts'
import { BELIEVED, type Judged, judge, SURE } from './rca-simulator.ts'
import type { RuleWorth } from './rules-page.ts'
import { FAST } from './scored-scenes.ts'
import type { Turn } from './simulated-incidents.ts'

/** Sets that take a minute together with each rule left out; with the spans of the others it would be hours. */
const GIVEN: readonly SetName[] = [...FAST, 'rcd-sock-shop']

/** An answer to an incident, and what it is without what decides. */
interface Answers {
  readonly findings: Findings
  readonly judged: Judged
  readonly undecided: number
  /** The keys of the rules that found something, and without what decides. */
  readonly found: ReadonlySet<string>
  readonly found_undecided: ReadonlySet<string>
}

/** The same to whoever reads the answer. */
const isSameAnswer = (a: Answers, b: Answers): boolean =>
  JSON.stringify([a.findings.cause, a.findings.confidence, a.undecided]) ===
  JSON.stringify([b.findings.cause, b.findings.confidence, b.undecided])

const isSure = ({ confidence }: Judged): boolean => confidence >= SURE

/** Adds one incident to what a rule is worth. */
function weigh(worth: RuleWorth, turn: Turn, withIt: Answers, without: Answers): void {
  worth.found += 1
  if (isSameAnswer(withIt, without)) return
  worth.altered += 1
  if (withIt.judged.right && !without.judged.right) worth.right_with.push(turn)
  if (!withIt.judged.right && without.judged.right) worth.right_without.push(turn)
  const wrong = ({ judged }: Answers): boolean => isSure(judged) && !judged.rightAtLevel
  const sure = ({ judged }: Answers): boolean => isSure(judged) && judged.rightAtLevel
  worth.wrong += Number(wrong(withIt)) - Number(wrong(without))
  worth.sure += Number(sure(withIt)) - Number(sure(without))
  worth.undecided += Number(withIt.undecided < BELIEVED) - Number(without.undecided < BELIEVED)
}

/** What is answered to an incident, and without what decides, and which rules found something there. */
function answersOf({ investigate, ask }: SwitchedEngine, { made }: Turn): Answers {
  ask.silent = null
  ask.takeFound()
  const findings = investigate(made.snapshot)
  const found = ask.takeFound()
  const { confidence: undecided } = investigate(made.undecided)
  return {
    ...{ findings, undecided, found, found_undecided: ask.takeFound() },
    judged: judge(findings, made.truth),
  }
}

/** The same where a rule finds nothing; what it found nothing in before is as it was. */
function answersWithout(
  rule: string,
  { investigate, ask }: SwitchedEngine,
  { made }: Turn,
  as: Answers,
): Answers {
  ask.silent = rule
  const findings = as.found.has(rule) ? investigate(made.snapshot) : as.findings
  const undecided = as.found_undecided.has(rule) ? investigate(made.undecided).confidence : as.undecided
  return { ...as, findings, undecided, judged: judge(findings, made.truth) }
}

/** Adds one simulated incident to what each rule is worth; gives whether the answer with all rules is right. */
export function weighSimulated(
  worths: ReadonlyMap<string, RuleWorth>,
  engine: SwitchedEngine,
  turn: Turn,
): boolean {
  const withAll = answersOf(engine, turn)
  for (const key of new Set([...withAll.found, ...withAll.found_undecided]))
    weigh(worths.get(key) as RuleWorth, turn, withAll, answersWithout(key, engine, turn, withAll))
  return withAll.judged.right
}

/**
 * Adds the cases of the public sets to what each rule is worth.
 * @param data - the folder that holds rca/
 * @returns how many cases there are, and how many are answered right with all rules
 */
export async function weighGiven(
  worths: ReadonlyMap<string, RuleWorth>,
  { investigate, ask }: SwitchedEngine,
  data: string,
): Promise<{ readonly n: number; readonly right: number }> {
  let [n, right] = [0, 0]
  for (const set of GIVEN)
    for (const one of await casesOf(join(data, 'rca'), set)) {
      const snapshot = await snapshotOfCase(await one.load(), randomName())
      const truth = await one.truth()
      const isRight = (): boolean => rankOfTruth(one, truth, investigate(snapshot), snapshot) === 1
      ask.silent = null
      ask.takeFound()
      const withAll = isRight()
      n += 1
      right += Number(withAll)
      for (const key of ask.takeFound()) {
        ask.silent = key
        const worth = worths.get(key) as RuleWorth
        worth.given_found += 1
        worth.given_net += Number(withAll) - Number(isRight())
      }
    }
  return { n, right }
}
