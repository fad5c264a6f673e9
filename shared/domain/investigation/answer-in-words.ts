/** The answer to a question of any intent that is answered from what the tools said. */
import { answerChanges } from './answer-changes.ts'
import { answerAsked, answerDoubts, answerRollBack } from './answer-doubts.ts'
import { answerGround, argued, type Ground, type Reply } from './answer-ground.ts'
import { answerAffected, answerHowIs, answerRecovered, answerWhen } from './answer-state.ts'
import { EvidenceList } from './evidence-list.ts'
import type { Findings } from './findings.ts'
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
      return argued(ground, [findings.summary, ...suspicion(ground, question.suspect)].join('\n'))
  }
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
  const names = [...known].sort()
  const some =
    names.length > MOST_KNOWN
      ? `Some of what is known: ${names.slice(0, MOST_KNOWN).join(', ')}.`
      : `Known are: ${names.join(', ')}.`
  const evidence = new EvidenceList(snapshot)
  evidence.add('topology', 'statement', some, snapshot.sources[0]?.id ?? '')
  return {
    answer: `Nothing is known by the name “${unknown}”. ${some}`,
    evidence: evidence.items,
    confidence: 0,
    outcome: 'inconclusive',
    hypotheses: [],
    ruled_out: [],
    gaps: [{ what: `“${unknown}”`, why: 'no connected tool and no incident names it' }],
  }
}
