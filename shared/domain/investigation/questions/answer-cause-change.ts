/** What the record of the change that is taken for the cause says: which it is, who made it, and the lines of it that decide. */

import { authorText, changeSentence } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE } from '../records/change-record.ts'
import { diffExcerpt } from '../screen/diff-excerpt.ts'
import { type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'
import type { AskedOfCause } from './asked-of-cause.ts'

/** The record of the change that is taken for the cause; null where none is. */
export function answerOfCause(ground: Ground, asked: AskedOfCause): Reply | null {
  const { snapshot, findings } = ground
  const change = snapshot.changes.find(({ id }) => id === findings.cause.change)
  if (change === undefined) return null
  const evidence = new EvidenceList(snapshot)
  const source = CHANGE_SOURCE[change.kind]
  const told = say(evidence, [source, 'change'], changeSentence({ change }), change.source)
  const lines = [`The change that is taken for the cause: ${told}`]
  if (asked === 'author') {
    if (authorText(change) === '') lines.push('Its record names nobody.')
    return stated(ground, lines.join('\n'), evidence)
  }
  if (asked === 'which') {
    const { trigger } = findings.cause
    const rollout = snapshot.changes.find(({ id }) => id === trigger && id !== change.id)
    if (rollout !== undefined)
      lines.push(
        `It was carried by this one: ${say(evidence, [CHANGE_SOURCE[rollout.kind], 'change'], changeSentence({ change: rollout }), rollout.source)}`,
      )
    return stated(ground, lines.join('\n'), evidence)
  }
  const excerpt = diffExcerpt(findings.decisive_lines)
  if (excerpt.length === 0)
    return notKnown(ground, [...lines, 'No line of it is known that decides.'].join('\n'), evidence.items)
  lines.push('The lines of its diff that decide:')
  for (const line of excerpt) lines.push(say(evidence, [source, 'change'], line, change.source))
  return stated(ground, lines.join('\n'), evidence)
}
