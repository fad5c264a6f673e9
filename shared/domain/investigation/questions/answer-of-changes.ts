/** Answers to how long a change took, who made most of them, what had most of them, and what had none. */

import { isRollout } from '../changes/place-of-changes.ts'
import { reversalsIn } from '../changes/reversals.ts'
import { counted, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { Change, Window } from '../records/snapshot.ts'
import { changeMeant, changesNamed, changesOf, effectSentence, kindAsked } from './answer-changes.ts'
import {
  exactLengthText,
  type Ground,
  namesText,
  nearest,
  notKnown,
  type Reply,
  say,
  stated,
} from './answer-ground.ts'
import type { AskedOfChanges } from './asked-of-changes.ts'

/** Names that are told, and those of whom it is said how many are theirs. */
const MOST_NAMES = 20
const MOST_COUNTED = 5

/** What is asked of the changes of a time, beside which they are. */
export function answerOfChanges(
  ground: Ground,
  asked: Exclude<AskedOfChanges, 'first' | 'size' | 'reason'>,
  window: Window,
  words: readonly string[],
): Reply {
  const { snapshot, service } = ground
  const [record] = snapshot.changes
  if (record === undefined)
    return notKnown(ground, 'No connected tool gave any change, so what changed is not known.')
  if (asked === 'length') return answerLength(ground, words)
  if (asked === 'age' || asked === 'lead') return answerAge(ground, asked, words)
  if (asked === 'checks') return answerChecks(ground, window, record.source)
  if (asked === 'unchanged') return answerUnchanged(ground, window, record.source)
  const kinds = kindAsked(words)
  const own = service === null ? snapshot.changes : changesOf(ground, new Set([service]))
  const within = own.filter((change) => isWithin(change, window) && kinds?.has(change.kind) !== false)
  return answerShares(ground, asked, within, { window, source: record.source, isOfKind: kinds !== null })
}

const isWithin = (change: Change, { from, to }: Window): boolean =>
  effectOf(change) >= from && effectOf(change) < to

/** How long a change took, by when it began to be in effect and was everywhere; where only its record is known, that. */
function answerLength(ground: Ground, words: readonly string[]): Reply {
  const { snapshot, service } = ground
  const isBack = words.some((word) => TAKEN_BACK.test(word))
  const named = isBack ? reversalsIn(snapshot.changes).at(-1)?.change : changesNamed(snapshot, words)[0]
  if (named === undefined && isBack) return notKnown(ground, 'No rollback is on record.')
  const own = service === null ? [] : changesOf(ground, new Set([service]))
  const [last] = own.filter(isRollout).toSorted((a, b) => effectOf(b) - effectOf(a))
  const change = named ?? (service === null ? changeMeant(ground) : (last ?? own[0]))
  if (change == null) return notKnown(ground, `No change of ${service ?? 'anything'} is recorded.`)
  const evidence = new EvidenceList(snapshot)
  const told = say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source)
  const { from, to } = change.effective_at ?? { from: 0, to: 0 }
  if (to <= from)
    return nearest(
      stated(ground, told, evidence),
      'When it ended stands in no record, so that how long it took is not known.',
    )
  const length = `It went into effect from ${spanText(from, to)}: ${exactLengthText(to - from)}.`
  say(evidence, [CHANGE_SOURCE[change.kind], 'change'], length, change.source)
  return stated(ground, `${told}\n${length}`, evidence)
}

/** Words for a change that takes another back. */
const TAKEN_BACK = /^(?:roll-?back|revert)/

/** How long a change has been in effect, up to what took its place or to the end of what was read; or how long it waited for that. */
function answerAge(ground: Ground, asked: 'age' | 'lead', words: readonly string[]): Reply {
  const { snapshot } = ground
  const [named] = changesNamed(snapshot, words)
  const change = named ?? (words.some((word) => /\d/.test(word)) ? null : changeMeant(ground))
  if (change === null) return notKnown(ground, 'When that began stands in no record.')
  const evidence = new EvidenceList(snapshot)
  const tell = (one: Change, sentence = effectSentence(one)): string =>
    say(evidence, [CHANGE_SOURCE[one.kind], 'change'], sentence, one.source)
  const carriers = snapshot.changes.filter(({ carries = [] }) => carries.includes(change.id))
  const [by = change] = carriers.toSorted((a, b) => effectOf(a) - effectOf(b))
  const lines = [...new Set([tell(change), tell(by)])]
  if (asked === 'lead') {
    const length = `From its record to its effect it took ${exactLengthText(effectOf(by) - change.recorded_at)}.`
    return by === change && change.effective_at === undefined
      ? nearest(stated(ground, lines.join('\n'), evidence), 'When it took effect stands in no record.')
      : stated(ground, [...lines, tell(by, length)].join('\n'), evidence)
  }
  const [next] = snapshot.changes
    .filter((one) => one.kind === by.kind && one.entity === by.entity && effectOf(one) > effectOf(by))
    .toSorted((a, b) => effectOf(a) - effectOf(b))
  const until = next === undefined ? snapshot.window.to : effectOf(next)
  const ends = next === undefined ? `${timeText(until)}, where what was read ends` : `this: ${tell(next)}`
  const length = exactLengthText(Math.max(0, until - effectOf(by)))
  lines.push(tell(by, `That is ${length} up to ${ends}${next === undefined ? '.' : ''}`))
  return stated(ground, lines.join('\n'), evidence)
}

/** What a tool writes into the record of a change of which checks failed. */
const CHECKS_FAILED = /check runs failed/

/** Which changes went out although checks failed: that they passed stands in no record. */
function answerChecks(ground: Ground, window: Window, source: string): Reply {
  const { snapshot, service } = ground
  const own = service === null ? snapshot.changes : changesOf(ground, new Set([service]))
  const failed = own.filter((change) => CHECKS_FAILED.test(change.title ?? '') && isWithin(change, window))
  const evidence = new EvidenceList(snapshot)
  const amount = failed.length === 0 ? 'No change' : counted(failed.length, 'change')
  const lead = `${amount} from ${spanText(window.from, window.to)} ${failed.length > 1 ? 'are' : 'is'} on record with checks that failed.`
  say(evidence, ['deploys', failed.length === 0 ? 'absence' : 'statement'], lead, failed[0]?.source ?? source)
  const lines = failed.map((change) =>
    say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source),
  )
  const reply = stated(ground, [lead, ...lines].join('\n'), evidence)
  return failed.length > 0 ? reply : nearest(reply, 'That checks passed stands in no record.')
}

/** Which of the known services no change is recorded of. */
function answerUnchanged(ground: Ground, window: Window, source: string): Reply {
  const { snapshot, names, service } = ground
  const nodes = new Set(snapshot.entities.flatMap(({ name, kind }) => (kind === 'node' ? [name] : [])))
  const within = new Set(snapshot.changes.filter((change) => isWithin(change, window)))
  const isChanged = (name: string): boolean =>
    changesOf(ground, new Set([name])).some((change) => within.has(change))
  const all = (service === null ? [...names.all] : [service]).filter((name) => !nodes.has(name)).sort()
  const [changed, rest] = [all.filter(isChanged), all.filter((name) => !isChanged(name))]
  const evidence = new EvidenceList(snapshot)
  const list = (of: readonly string[], lead: string): string[] =>
    of.length === 0
      ? []
      : [say(evidence, ['deploys', 'absence'], `${lead}: ${namesText(of, MOST_NAMES)}.`, source)]
  const span = `recorded from ${spanText(window.from, window.to)} of`
  const lines = [...list(rest, `No change is ${span}`), ...list(changed, `Changes are ${span}`)]
  return lines.length === 0
    ? notKnown(ground, 'No service is known by name, so which changed is not known.')
    : stated(ground, lines.join('\n'), evidence)
}

/** How many changes are whose, or of what, the most first or the fewest. */
function answerShares(
  ground: Ground,
  asked: 'most_by' | 'fewest_by' | 'most_of' | 'fewest_of',
  changes: readonly Change[],
  { window, source, isOfKind }: { window: Window; source: string; isOfKind: boolean },
): Reply {
  const { snapshot, names } = ground
  const isByWhom = asked.endsWith('_by')
  const counts = new Map<string, number>()
  for (const { actor, entity } of changes) {
    const whose = isByWhom ? actor : entity === undefined ? undefined : names.canonical(entity)
    if (whose !== undefined) counts.set(whose, (counts.get(whose) ?? 0) + 1)
  }
  const sign = asked.startsWith('most') ? -1 : 1
  const shares = [...counts].sort(([a, m], [b, n]) => sign * (m - n) || (a < b ? -1 : 1))
  const told = shares.slice(0, MOST_COUNTED).map(([whose, count]) => `${whose} ${count}`)
  const rest = shares.length > MOST_COUNTED ? ' The others are not listed here.' : ''
  const of = isOfKind ? ' of that kind' : ''
  const lead = `${counted(changes.length, `change${of} is`, `changes${of} are`)} recorded from ${spanText(window.from, window.to)}`
  const line =
    told.length === 0
      ? `${lead}; none says ${isByWhom ? 'who made it' : 'of what it is'}.`
      : `${lead}, ${isByWhom ? 'by' : 'of'}: ${told.join(', ')}.${rest}`
  const evidence = new EvidenceList(snapshot)
  say(evidence, ['deploys', told.length === 0 ? 'absence' : 'statement'], line, source)
  if (told.length === 0) return notKnown(ground, line, evidence.items)
  const best = shares.filter(([, count]) => count === shares[0]?.[1]).map(([whose]) => whose)
  const what = sign < 0 ? 'The most' : 'The fewest'
  return stated(
    ground,
    `${what} are ${isByWhom ? 'by' : 'of'} ${namesText(best, MOST_COUNTED)}.\n${line}`,
    evidence,
  )
}
