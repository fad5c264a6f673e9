/** The answer to a question of any intent that is answered from what the tools said. */
import { answerChanges } from './answer-changes.ts'
import { answerAsked, answerDoubts, answerRollBack } from './answer-doubts.ts'
import { answerGround, argued, type Ground, type Reply, sinceOf } from './answer-ground.ts'
import { answerAffected, answerHowIs, answerRecovered, answerWhen, calmLines } from './answer-state.ts'
import { EvidenceList } from './evidence-list.ts'
import type { Findings } from './findings.ts'
import { nearestName } from './near-names.ts'
import type { Question } from './read-question.ts'
import type { Snapshot } from './snapshot.ts'

/** Entities that are named to somebody who asks about an unknown one. */
const MOST_KNOWN = 10

/**
 * Answers from a snapshot and its findings. What the question itself suspects is looked up among the hypotheses and
 * changes none of them.
 */
export function answerInWords(
  question: Pick<Question, 'intent' | 'suspect' | 'window'>,
  service: string | null,
  snapshot: Snapshot,
  findings: Findings,
): Reply {
  const ground = answerGround(snapshot, findings, service)
  switch (question.intent) {
    case 'what_changed':
      return answerChanges(ground, question.window ?? snapshot.window)
    case 'what_is_affected':
      return answerAffected(ground)
    case 'how_is':
      return answerHowIs(ground)
    case 'when_started':
      return answerWhen(ground)
    case 'is_recovered':
      return answerRecovered(ground)
    case 'what_contradicts':
      return answerDoubts(ground)
    case 'what_was_asked':
      return answerAsked(ground)
    case 'should_roll_back':
      return answerRollBack(ground)
    default:
      return answerWhy(ground, question.suspect)
  }
}

/** Why it fails: whether what was asked about fails at all, what fits best, and what the question suspects. */
function answerWhy(ground: Ground, suspect: string | null): Reply {
  const evidence = new EvidenceList(ground.snapshot, ground.findings.evidence)
  const place = placeInTrouble(ground, evidence)
  const lines = [...place, ground.findings.summary, ...suspicion(ground, suspect)]
  return { ...argued(ground, lines.join('\n')), evidence: evidence.items }
}

/**
 * How the service that was asked about stands to what fails, where that is something else: the cause of one service
 * must not be read as that of another which is well. An alert of a service is a sign of its own.
 */
function placeInTrouble(ground: Ground, evidence: EvidenceList): string[] {
  const { service, observed, snapshot, names } = ground
  const { cause } = ground.findings
  if (service === null || observed.first === null || cause.entity === service) return []
  const failing = observed.failing.find(({ entity }) => entity === service)
  if (failing !== undefined) return observed.first === failing ? [] : [sinceOf(failing, evidence)]
  const isAlerted = snapshot.alerts.some(
    ({ service: of }) => of !== undefined && names.canonical(of) === service,
  )
  return isAlerted ? [] : [...calmLines(ground, evidence), 'What fails is this:']
}

/** What the evidence says of the question's own suspicion. */
function suspicion({ findings, names }: Ground, suspect: string | null): string[] {
  if (suspect === null) return []
  const name = names.canonical(suspect)
  const isNamed = ({ cause }: Findings['hypotheses'][number]): boolean =>
    cause.entity === name || cause.contributing.includes(name)
  const place = findings.hypotheses.findIndex(isNamed)
  const asked = `You asked about “${suspect}”:`
  if (place === 0) return [`${asked} what fits best points there too.`]
  if (place > 0) return [`${asked} it is a possibility, but another fits better.`]
  const ruled = findings.ruled_out.find(({ statement }) => statement.includes(name))
  if (ruled !== undefined) return [`${asked} ruled out. ${ruled.reason}`]
  return [`${asked} nothing that was measured points there.`]
}

/** The answer to a question about something that no tool and no incident knows by that name. */
export function answerUnknown(unknown: string, snapshot: Snapshot, known: readonly string[]): Reply {
  const near = nearestName(unknown, known)
  const names = [...known].sort((a, b) => Number(b === near) - Number(a === near) || (a < b ? -1 : 1))
  const some =
    names.length > MOST_KNOWN
      ? `Some of what is known: ${names.slice(0, MOST_KNOWN).join(', ')}.`
      : `Known are: ${names.join(', ')}.`
  const meant = near === null ? '' : `Did you mean ${near}? `
  const evidence = new EvidenceList(snapshot)
  evidence.add('topology', 'statement', some, snapshot.sources[0]?.id ?? '')
  return {
    answer: `Nothing is known by the name “${unknown}”. ${meant}${some}`,
    evidence: evidence.items,
    confidence: 0,
    outcome: 'inconclusive',
    hypotheses: [],
    ruled_out: [],
    gaps: [{ what: `“${unknown}”`, why: 'no connected tool and no incident names it' }],
  }
}
