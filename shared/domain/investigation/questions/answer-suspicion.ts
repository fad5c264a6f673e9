/** What the evidence says of what a question itself takes for the cause. */

import { isRollout } from '../changes/place-of-changes.ts'
import { changeSentence } from '../hypotheses/compose-answer.ts'
import type { EvidenceList } from '../hypotheses/evidence-list.ts'
import { ownNameIn } from '../hypotheses/ruled-out.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { holdsName } from '../records/whole-name.ts'
import { changesBy, changesNamed, changesOf, changesOfKind, isOfCause, spokenId } from './answer-changes.ts'
import { callLines } from './answer-count.ts'
import { type Ground, say, sinceOf } from './answer-ground.ts'
import { providerLines } from './answer-state.ts'
import { entitiesMeant, meansCause } from './asked-suspicion.ts'
import { strangerIn } from './read-subject.ts'

/** Parts of one kind that a suspicion means, which are looked at one by one. */
const MOST_MEANT = 3

/** What was measured of a part that services lean on: that it fails, how calls to it fared and what its provider says. */
function measuredOf(ground: Ground, name: string, evidence: EvidenceList): string[] {
  const { snapshot, observed } = ground
  const { to } = snapshot.window
  if (!snapshot.entities.some((entity) => entity.name === name && entity.kind !== 'service')) return []
  const failing = observed.failing.find(({ entity }) => entity === name)
  const lines = failing === undefined ? [] : [sinceOf(failing, evidence)]
  const from = observed.first?.onset.at ?? snapshot.window.from
  lines.push(...callLines(ground, name, { from, to }, evidence))
  return [...lines, ...providerLines(ground, name, evidence)]
}

/** What the evidence says of the question's own suspicion. */
export function suspicion(ground: Ground, suspect: string | null, evidence: EvidenceList): string[] {
  if (suspect === null) return []
  const { names, snapshot } = ground
  const name = names.canonical(suspect)
  // Whatever is of the kind that is meant is looked at one by one.
  const parts = names.all.includes(name) ? [] : entitiesMeant(suspect, snapshot.entities)
  if (parts.length > 0) return parts.slice(0, MOST_MEANT).flatMap((one) => suspicion(ground, one, evidence))
  return [
    `You asked about “${suspect}”: ${standingOf(ground, suspect, evidence)}`,
    ...measuredOf(ground, name, evidence),
  ]
}

/** The changes that a suspicion means by their id, their version or whoever made them. */
function changesMeant(snapshot: Snapshot, suspect: string): readonly Change[] {
  const words = suspect.split(' ')
  const named = changesNamed(snapshot, words)
  return named.length > 0 ? named : words.flatMap((word) => changesBy(snapshot, word.replace(/'s?$/, '')))
}

/** Whether a suspicion means any of its kind ("the deploy"): one of a name that no record holds is none of those on record. */
function meansAny({ names, snapshot }: Ground, suspect: string): boolean {
  // What a service is said to have done is another's where another did it.
  if (names.mentionedIn(suspect).length > 0) return false
  const stranger = strangerIn(suspect)
  return (
    stranger === null ||
    snapshot.changes.some(({ id, title = '' }) =>
      [id, title].some((text) => holdsName(text.toLowerCase(), stranger)),
    )
  )
}

/** Where what is suspected stands among what was found, else what is on record of it. */
function standingOf(ground: Ground, suspect: string, evidence: EvidenceList): string {
  const { findings, names, snapshot } = ground
  const name = names.canonical(suspect)
  const meant = changesMeant(snapshot, suspect)
  const isAny = meant.length === 0 && meansAny(ground, suspect)
  // A new release is any of them; whoever asks only for what is new asks for every kind.
  const words = suspect.split(' ').filter((word) => word !== 'new')
  const ofKind = isAny ? changesOfKind(snapshot, words) : []
  const place = findings.hypotheses.findIndex(
    ({ cause }) =>
      cause.entity === name ||
      cause.contributing.includes(name) ||
      [...meant, ...ofKind].some((change) => isOfCause(change, cause)) ||
      (isAny && meansCause(suspect, cause)),
  )
  const cause = findings.hypotheses[place]?.cause
  if (cause !== undefined) {
    const own = meant.find((change) => isOfCause(change, cause))
    // Whoever wrote a change is not what failed: what is on record is told, and nobody is blamed.
    if (own !== undefined && changesBy(snapshot, suspect).includes(own))
      return `causes are looked for in systems, not in people. On record by that name: ${told(own, evidence)}`
    const fit =
      place === 0 ? 'what fits best points there too.' : 'it is a possibility, but another fits better.'
    return own === undefined ? fit : `${fit} ${told(own, evidence)}`
  }
  // Whoever made several changes is not ruled out because one of them is.
  const [one, ...others] = meant
  const called = [name, ...(one === undefined || others.length > 0 ? [] : [one.id, spokenId(one.id)])]
  const ruled = findings.ruled_out.find((each) => called.some((own) => holdsName(ownNameIn(each), own)))
  if (ruled !== undefined) return `ruled out. ${ruled.reason}`
  const ofName = meant.length > 0 ? meant : changesOf(ground, new Set([name]))
  // Rollouts bring all the others: the last of them is no record of the one that is meant.
  const own = ofName.length > 0 ? ofName : ofKind.filter((change) => !isRollout(change))
  return recordOf(ground, own, evidence)
}

const told = (change: Change, evidence: EvidenceList): string =>
  say(evidence, [CHANGE_SOURCE[change.kind], 'change'], changeSentence({ change }), change.source)

/** That nothing points to changes, with the last of them: whoever asks has a reason to, and its time tells most. */
function recordOf({ observed }: Ground, changes: readonly Change[], evidence: EvidenceList): string {
  const last = [...changes].sort((a, b) => effectOf(b) - effectOf(a))[0]
  const onset = observed.first?.onset
  if (last === undefined || onset === undefined) return 'nothing that was measured points there.'
  const isLate = changes.every((change) => effectOf(change) > onset.latest)
  const lead = isLate
    ? 'what changed there came after the symptoms began'
    : 'nothing that was measured points there'
  return `${lead}. ${told(last, evidence)}`
}
