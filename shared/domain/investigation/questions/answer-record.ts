/** Answers about a record that a question names: what it is, what it carries, and how it stands to what fails. */

import { reversalOf, reversalsIn } from '../changes/reversals.ts'
import { counted, quoteText, spanText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { ownNameIn } from '../hypotheses/ruled-out.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { holdsName } from '../records/whole-name.ts'
import { effectSentence, isOfCause } from './answer-changes.ts'
import { type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'
import { levelsByLabel } from './answer-measure.ts'

/** Records of one name that are told, and changes that each of them carries. */
const MOST_RECORDS = 3
const MOST_CARRIED = 10
/** Letters of the shortest beginning of a digest by which a commit is called. */
const SHORTEST_DIGEST = 7

/**
 * The changes that bear a name: as their id or the version that they brought, else in their title; else those that went
 * away from it. A number may be written with its hash, a version with its v.
 */
export function changesCalled({ changes }: Pick<Snapshot, 'changes'>, name: string): readonly Change[] {
  const asked = name.toLowerCase()
  const bare = asked.replace(/^[#v](?=\d)/, '')
  const isAsked = (text: string | undefined): boolean =>
    text !== undefined && [asked, bare, `v${bare}`].includes(text.toLowerCase())
  const isDigest = asked.length >= SHORTEST_DIGEST && /^[a-f\d]+$/.test(asked)
  const ways: readonly ((change: Change) => boolean)[] = [
    ({ id, after }) => isAsked(id) || (isDigest && id.toLowerCase().startsWith(asked)) || isAsked(after),
    ({ title = '' }) =>
      [asked, /^\d+$/.test(bare) ? `#${bare}` : asked].some((text) => holdsName(title.toLowerCase(), text)),
    ({ before }) => isAsked(before),
  ]
  for (const fits of ways) {
    const found = changes.filter(fits)
    if (found.length > 0) return found.toSorted((a, b) => effectOf(b) - effectOf(a))
  }
  return []
}

/** What is on record under a name that a question asks for; that nothing is where there is nothing. */
export function answerRecord(ground: Ground, name: string): Reply {
  const { snapshot } = ground
  const evidence = new EvidenceList(snapshot)
  const found = changesCalled(snapshot, name)
  const [record] = snapshot.changes
  const told = (change: Change): string =>
    say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source)
  if (found.length === 0) {
    if (record === undefined)
      return notKnown(
        ground,
        `No connected tool gave any change, so what ${quoteText(name)} is is not known.`,
      )
    const times = snapshot.changes.map(effectOf)
    const looked = `${counted(snapshot.changes.length, 'change is', 'changes are')} recorded from ${spanText(Math.min(...times), Math.max(...times))}.`
    say(evidence, ['deploys', 'absence'], looked, record.source)
    return notKnown(ground, `Nothing is on record by the name ${quoteText(name)}. ${looked}`, evidence.items)
  }
  const lines = found.slice(0, MOST_RECORDS).flatMap((change) => {
    const isBefore = change.before?.toLowerCase() === name.toLowerCase()
    return [
      `${isBefore ? `${change.before} was in place until this: ` : ''}${told(change)}`,
      ...companions(ground, change, told),
      ...standing(ground, change, told),
    ]
  })
  if (found.length > MOST_RECORDS) lines.push('The earlier ones by that name are not listed here.')
  lines.push(...levelsByLabel(ground, name, evidence))
  return stated(ground, lines.join('\n'), evidence)
}

/** What a change carries, and what carried it. */
function companions({ snapshot }: Ground, change: Change, told: (change: Change) => string): string[] {
  const carried = (change.carries ?? []).flatMap((id) => snapshot.changes.find((one) => one.id === id) ?? [])
  const carrier = snapshot.changes.find(({ carries = [] }) => carries.includes(change.id))
  return [
    ...carried.slice(0, MOST_CARRIED).map((one) => `It carries: ${told(one)}`),
    ...(carrier === undefined ? [] : [`It came with: ${told(carrier)}`]),
  ]
}

/** How a change stands to what fails, and what took it back. */
function standing(
  { snapshot, findings, observed }: Ground,
  change: Change,
  told: (change: Change) => string,
): string[] {
  const back = reversalOf(reversalsIn(snapshot.changes), [change.id])?.change
  const lines = back === undefined ? [] : [`It was taken back by this: ${told(back)}`]
  const place = findings.hypotheses.findIndex(({ cause }) => isOfCause(change, cause))
  const own = findings.hypotheses[place]?.cause
  if (place === 0 && own !== undefined)
    return [
      own.change === change.id
        ? 'It is the change that fits best as the cause.'
        : 'It brought the change that fits best as the cause.',
      ...lines,
    ]
  if (place > 0) return ['It is a possible cause, but another fits better.', ...lines]
  const ruled = findings.ruled_out.find(
    (each) => holdsName(ownNameIn(each), change.id) || holdsName(ownNameIn(each), change.id.slice(0, 8)),
  )
  if (ruled !== undefined) return [`As the cause it is ruled out. ${ruled.reason}`, ...lines]
  if (observed.first === null) return lines
  return [
    effectOf(change) > observed.first.onset.latest
      ? 'It came after the symptoms began.'
      : 'Nothing that was measured points to it as the cause.',
    ...lines,
  ]
}
