/** The answer to a question of any intent that is answered from what the tools said. */

import { nothingOf } from '../../missing-time.ts'
import { isRollout } from '../changes/place-of-changes.ts'
import type { Findings, Outcome } from '../findings.ts'
import { spanText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import { nearestName } from '../records/near-names.ts'
import type { Change, Snapshot, Window } from '../records/snapshot.ts'
import { overlaps } from '../records/windows.ts'
import { toldIn } from '../told-text.ts'
import { answerOfCause } from './answer-cause-change.ts'
import {
  answerChanges,
  changeMeant,
  changesBy,
  changesNamed,
  changesOf,
  effectSentence,
  isOfCause,
} from './answer-changes.ts'
import { answerAsked, answerDoubts, answerRollBack } from './answer-doubts.ts'
import {
  answerGround,
  argued,
  claimless,
  type Ground,
  NO_HYPOTHESES,
  nearest,
  type Reply,
  say,
  sinceOf,
} from './answer-ground.ts'
import { answerMeasure, besideNormal, isShifted, levelLines } from './answer-measure.ts'
import { answerOfChanges } from './answer-of-changes.ts'
import { answerRecord, changesCalled } from './answer-record.ts'
import { answerRolledBack } from './answer-rolled-back.ts'
import {
  answerAffected,
  answerHowIs,
  answerRecovered,
  answerSpared,
  answerWhen,
  calmLines,
} from './answer-state.ts'
import { suspicion } from './answer-suspicion.ts'
import { answerTimeline, type IncidentsOfTime } from './answer-timeline.ts'
import { answerTool, type ConnectedTool } from './answer-tool.ts'
import { answerVersion } from './answer-version.ts'
import { VERSION_OR_DIGEST } from './asked-record.ts'
import { nameMeant } from './name-meant.ts'
import { AROUND } from './named-times.ts'
import type { ChangeSide, Question } from './read-question.ts'

/** Entities that are named to somebody who asks about an unknown one, and those of them that may be meant. */
const MOST_KNOWN = 10
const MOST_NEAR = 3

type Asked = Pick<Question, 'intent' | 'suspect' | 'window'> &
  Partial<
    Pick<
      Question,
      | 'unknown'
      | 'words'
      | 'measure'
      | 'level'
      | 'is_last'
      | 'is_compared'
      | 'compared_with'
      | 'is_at_instant'
      | 'part'
      | 'side'
      | 'is_of_roll_back'
      | 'is_of_missing'
      | 'is_of_spared'
      | 'tool'
      | 'except'
      | 'calls'
      | 'ability'
      | 'of_cause'
      | 'of_changes'
      | 'onset_side'
      | 'beside_ms'
      | 'record'
      | 'version'
    >
  > & {
    /** Incidents of the time that is asked about; only what happened in it needs them. */
    readonly incidents?: IncidentsOfTime | null
    /** The tools that are connected; only what was asked of one tool needs them. */
    readonly connected?: readonly ConnectedTool[] | null
    /** The time that the question itself names, where `window` may be taken over from before it. */
    readonly named_window?: Question['window']
  }

/** Questions that are answered for each service that they name together; the others are about what fails, which is one. */
const OF_EACH: ReadonlySet<Question['intent']> = new Set([
  'what_changed',
  'how_is',
  'when_started',
  'is_recovered',
])
/** The more is left open, the further behind. */
const ORDER: readonly Outcome[] = ['identified', 'best_effort', 'inconclusive']

/**
 * Answers from a snapshot and its findings. What the question itself suspects is looked up among the hypotheses and
 * changes none of them. No credential is told.
 *
 * @param others further services that the question names together with the first
 */
export function answerInWords(
  question: Asked,
  service: string | null,
  snapshot: Snapshot,
  findings: Findings,
  others: readonly string[] = [],
): Reply {
  return toldIn(answerTo(question, service, snapshot, findings, others))
}

function answerTo(
  question: Asked,
  service: string | null,
  snapshot: Snapshot,
  findings: Findings,
  others: readonly string[],
): Reply {
  const ground = answerGround(snapshot, findings, service)
  if (others.length === 0) return answerOne(question, ground)
  if (!OF_EACH.has(question.intent)) {
    const reply = answerOne(question, ground)
    const alone = `This is answered for ${ground.service ?? 'what fails'} alone, not for ${others.join(', ')}.`
    return { ...reply, answer: `${reply.answer}\n${alone}` }
  }
  return joined(
    [ground, ...others.map((other) => answerGround(snapshot, findings, other))].map((each) =>
      answerOne(question, each),
    ),
  )
}

/** Answers one below the other, as sure as the least sure of them; a fact that several cite stands once. */
function joined(replies: readonly Reply[]): Reply {
  const items = new Map(replies.flatMap(({ evidence }) => evidence.map((item) => [item.content, item])))
  const outcome = Math.max(...replies.map((reply) => ORDER.indexOf(reply.outcome)))
  return {
    answer: replies.map(({ answer }) => answer).join('\n'),
    evidence: [...items.values()].map((item, index) => ({ ...item, id: `ev_${index + 1}` })),
    confidence: Math.min(...replies.map(({ confidence }) => confidence)),
    outcome: ORDER[outcome] ?? 'inconclusive',
    ...NO_HYPOTHESES,
    gaps: replies[0]?.gaps ?? [],
  }
}

/** Questions about a time in which something failed or did not. */
const OF_A_TIME: ReadonlySet<Question['intent']> = new Set([
  'why',
  'how_is',
  'what_is_affected',
  'is_recovered',
])

function answerOne(asked: Asked, ground: Ground): Reply {
  if (asked.side) return answerBeside(asked, asked.side, ground)
  return answerInTime(asked, ground)
}

/** Answers of the time on one side of the change that is meant, which is said first. */
function answerBeside(question: Asked, side: ChangeSide, ground: Ground): Reply {
  const { from, to } = ground.snapshot.window
  const change = changeMeant(ground)
  if (change === null || effectOf(change) <= from || effectOf(change) >= to) {
    const reply = answerInTime(question, ground)
    return { ...reply, answer: `Which change is meant is not known.\n${reply.answer}` }
  }
  // What took effect at that instant is after it.
  const at = effectOf(change)
  const reply = answerInTime(
    { ...question, window: side === 'after' ? { from: at, to } : { from, to: at } },
    ground,
  )
  const evidence = new EvidenceList(ground.snapshot, reply.evidence)
  const meant = say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source)
  return {
    ...reply,
    answer: `The change that is meant is taken to be this one: ${meant}\n${reply.answer}`,
    evidence: evidence.items,
  }
}

/** Questions whose answer holds what was recorded or counted in a time. */
const OF_RECORDS: ReadonlySet<Question['intent']> = new Set([
  'what_changed',
  'what_happened',
  'what_is_affected',
])
/** So close to an instant that is asked about what is recorded or counted is of it, ms on either side. */
const CLOSE = 5 * 60_000

/** A question about an instant is one about what is close to it; about the time around it where nothing is recorded there. */
function closeTo(question: Asked, { snapshot }: Ground): Asked {
  const { window, is_at_instant, intent, measure } = question
  if (window === null || is_at_instant !== true || window.to - window.from > 2 * AROUND) return question
  const at = window.from + AROUND
  const close = { from: at - CLOSE, to: Math.min(at + CLOSE, window.to) }
  const isChange = (change: Change): boolean => effectOf(change) >= close.from && effectOf(change) < close.to
  if (intent === 'what_changed' && !snapshot.changes.some(isChange)) return question
  return OF_RECORDS.has(intent) || measure?.is_counted === true
    ? { ...question, window: close, named_window: close }
    : question
}

function answerInTime(given: Asked, ground: Ground): Reply {
  const question = closeTo(given, ground)
  const reply = answerAs(question, ground)
  const outside = OF_A_TIME.has(question.intent) ? outsideOf(ground, question.window) : null
  return outside === null ? reply : { ...reply, answer: `${outside}\n${reply.answer}` }
}

/** That what fails did not fail in the time that was asked about: what comes later must not be read into it. */
function outsideOf({ service, observed }: Ground, window: Question['window']): string | null {
  const one = service === null ? observed.first : observed.failing.find(({ entity }) => entity === service)
  if (window === null || one === null || one === undefined) return null
  const asked = 'in the time that was asked about, as far as anything measured shows.'
  if (window.to <= one.onset.at) return `${one.entity} did not fail yet ${asked}`
  return one.ended_at !== null && one.ended_at <= window.from
    ? `${one.entity} no longer failed ${asked}`
    : null
}

function answerAs(question: Asked, ground: Ground): Reply {
  const { snapshot } = ground
  switch (question.intent) {
    case 'what_changed':
      if (question.of_cause !== undefined) {
        const other = otherRecord(ground, question.words ?? [])
        if (other !== null) return answerRecord(ground, other)
        const reply = answerOfCause(ground, question.of_cause)
        if (reply !== null) return reply
      }
      if (question.version !== undefined) return answerVersion(ground, question.version, question.window)
      if (question.record !== undefined) return answerRecord(ground, question.record)
      return answerChanged(question, ground)
    case 'what_is_affected':
      if (question.is_of_spared && ground.service === null) return answerSpared(ground)
      return answerAbility(question, ground)
    case 'what_happened':
      return answerTimeline(
        ground,
        question.window ?? windowBesideOnset(question, ground) ?? snapshot.window,
        question.incidents ?? { incidents: [], query: '' },
      )
    case 'how_is':
      return answerHow(question, ground)
    case 'when_started':
      return answerBegun(ground, question)
    case 'is_recovered':
      return question.is_of_roll_back ? answerRolledBack(ground) : answerRecovered(ground, question.words)
    case 'what_contradicts':
      return answerDoubt(ground, question.suspect, question.words ?? [])
    case 'what_was_asked':
      return question.tool === undefined
        ? answerAsked(ground, question.is_of_missing, question.words)
        : answerTool(ground, question.tool, question.connected ?? [])
    case 'should_roll_back':
      return answerAct(ground, question.words ?? [])
    default:
      return answerWhyLevel(question, ground)
  }
}

/** What fails; where it is asked whether people can do something, behind that nothing measures that by itself. */
function answerAbility({ part, calls, named_window, ability }: Asked, ground: Ground): Reply {
  const reply = answerAffected(ground, part ?? null, calls ?? null, named_window ?? null)
  if (ability === undefined || (ability.is_reaching && ground.service !== null)) return reply
  return nearest(
    reply,
    `No connected tool measures whether ${ability.who} can ${ability.what}. What was measured is this:`,
  )
}

/** A version or a digest that is asked about in place of the change that is taken for the cause; null where it is that one. */
function otherRecord({ snapshot, findings }: Ground, words: readonly string[]): string | null {
  const name = words.find((word) => RECORD_NAME.test(word))
  if (name === undefined) return null
  return changesCalled(snapshot, name).some((change) => isOfCause(change, findings.cause)) ? null : name
}
const RECORD_NAME = new RegExp(`^(?:${VERSION_OR_DIGEST})$`)

/** The time on the side of the onset that is asked about; null where none is, or nothing is known to have begun. */
function windowBesideOnset(
  { onset_side, beside_ms = Number.POSITIVE_INFINITY }: Pick<Asked, 'onset_side' | 'beside_ms'>,
  { snapshot, observed }: Ground,
): Window | null {
  const { from, to } = snapshot.window
  const onset = observed.first?.onset
  if (onset_side === undefined || onset === undefined) return null
  return onset_side === 'after'
    ? { from: onset.at, to: Math.min(to, onset.at + beside_ms) }
    : { from: Math.max(from, onset.at - beside_ms), to: onset.latest + 1 }
}

/** What changed in a time, or on the side of the onset that is asked for; when it began is said first then. */
function answerChanged(question: Asked, ground: Ground): Reply {
  const { snapshot, observed } = ground
  const side = question.window === null ? question.onset_side : undefined
  const window = question.window ?? windowBesideOnset(question, ground) ?? windowOfChanges(ground, question)
  const { of_changes = 'first', words = [] } = question
  if (of_changes !== 'first' && of_changes !== 'size' && of_changes !== 'reason')
    return answerOfChanges(ground, of_changes, window, words)
  const reply = answerChanges(ground, window, {
    actor: question.unknown ?? null,
    isLast: question.is_last ?? false,
    isFirst: question.of_changes === 'first',
    except: question.except ?? null,
    words,
  })
  if (of_changes === 'reason' && reply.confidence > 0)
    return nearest(
      broughtBy(ground, window) ?? reply,
      'Why somebody made a change stands in no record. What is recorded is this:',
    )
  if (of_changes === 'size' && reply.confidence > 0)
    return nearest(reply, 'How large or how risky a change is stands in no record. What is recorded is this:')
  if (side === undefined) return reply
  if (observed.first === null)
    return { ...reply, answer: `Nothing is known to have begun to fail.\n${reply.answer}` }
  const evidence = new EvidenceList(snapshot, reply.evidence)
  return {
    ...reply,
    answer: `${sinceOf(observed.first, evidence)}\n${reply.answer}`,
    evidence: evidence.items,
  }
}

/** What the rollout of a service brought, where it had but one in a time; null where it had none, or several. */
function broughtBy(ground: Ground, { from, to }: Window): Reply | null {
  const own = ground.service === null ? [] : changesOf(ground, new Set([ground.service]))
  const [one, ...others] = own.filter(
    (change) => isRollout(change) && effectOf(change) >= from && effectOf(change) < to,
  )
  return one === undefined || others.length > 0 ? null : answerRecord(ground, one.id)
}

/** The time in which changes are told where none is named: of somebody, or by name, all that are on record. */
function windowOfChanges({ snapshot }: Ground, { unknown = null, words = [] }: Asked): Window {
  const isNamed =
    [unknown, ...words].some((word) => changesBy(snapshot, word).length > 0) ||
    changesNamed(snapshot, words).length > 0
  const { from, to } = snapshot.window
  return isNamed ? { from: Math.min(from, ...snapshot.changes.map(effectOf)), to } : { from, to }
}

/** Words by which it is asked how long answers take, told by how that feels. */
const SLOW = /^(?:slow|slower|sluggish|fast|faster|laggy)$/

/** How a service does, with how long its answers take. */
function withLatency(reply: Reply, window: Question['window'], ground: Ground): Reply {
  const evidence = new EvidenceList(ground.snapshot, reply.evidence)
  const lines = levelLines(ground, 'latency', window, evidence)
  return { ...reply, answer: [reply.answer, ...lines].join('\n'), evidence: evidence.items }
}

/** How a service does or what a measure is; where now is compared, with which time: only that one was measured. */
function answerHow(asked: Asked, ground: Ground): Reply {
  const { measure, window, is_compared, compared_with, words = [] } = asked
  const reply = measure
    ? answerMeasures(ground, measure, window, words)
    : asked.is_at_instant === true && is_compared !== true && window !== null
      ? answerThen(ground, window)
      : words.some((word) => SLOW.test(word))
        ? withLatency(answerHowIs(ground), window, ground)
        : answerHowIs(ground)
  const spans = ground.observed.normal.baselines.map(({ from, to }) => spanText(from, to))
  if (is_compared !== true || spans.length === 0) return reply
  const evidence = new EvidenceList(ground.snapshot, reply.evidence)
  const sentence = `Normal time is ${spans.join(', and ')}.`
  const [source] = ground.snapshot.sources
  const line = say(evidence, ['metrics', 'statement'], sentence, source?.id ?? '')
  const lines = besideNormal(ground, measure ?? null, evidence)
  const told = { ...reply, answer: [reply.answer, ...lines, line].join('\n'), evidence: evidence.items }
  const { snapshot } = ground
  if (
    compared_with === undefined ||
    [snapshot.window, ...snapshot.baselines].some((read) => overlaps(read, compared_with))
  )
    return told
  const lead = `Nothing that was read is of ${spanText(compared_with.from, compared_with.to)}, so it is not compared with that.`
  return {
    ...nearest(told, `${lead} What was measured, beside normal time:`),
    gaps: [nothingOf(compared_with, snapshot.window), ...told.gaps],
  }
}

/** The measures that a question names together, one below the other. */
function answerMeasures(
  ground: Ground,
  asked: NonNullable<Asked['measure']>,
  window: Question['window'],
  words: readonly string[],
): Reply {
  const first = answerMeasure(ground, asked, window, words)
  const { also = [], ...of } = asked
  if (also.length === 0) return first
  return joined([first, ...also.map((measure) => answerMeasure(ground, { ...of, measure }, window, words))])
}

/** How something did at an instant: by its errors then, else by what is measured at all. */
function answerThen(ground: Ground, window: Window): Reply {
  const then = answerMeasure(ground, { measure: 'errors', quantile: null, is_at_instant: true }, window)
  return then.confidence > 0 ? then : answerHowIs(ground)
}

/** Why it fails: whether what was asked about fails at all, what fits best, and what the question suspects. */
function answerWhy(ground: Ground, suspect: string | null): Reply {
  const evidence = new EvidenceList(ground.snapshot, ground.findings.evidence)
  const place = placeInTrouble(ground, evidence)
  const lines = [...place, ground.findings.summary, ...suspicion(ground, suspect, evidence)]
  return { ...argued(ground, lines.join('\n')), evidence: evidence.items }
}

/** Why a level is as it is: where it is as usual, or nothing tells it, why something else fails is no answer to that. */
function answerWhyLevel({ suspect, level, window }: Asked, ground: Ground): Reply {
  const reply = answerWhy(ground, suspect)
  if (level === undefined || isShifted(ground, level)) return reply
  const told = answerMeasure(ground, { measure: level, quantile: null }, window)
  const lead = `Nothing that was measured shows the ${level} of ${ground.service ?? 'anything'} away from its normal level.`
  return {
    ...nearest(reply, `${lead}\n${told.answer}\nWhat fails is this:`),
    // Its own evidence keeps its ids, by which its hypotheses cite it.
    evidence: joined([reply, told]).evidence,
  }
}

/** Since when it fails; with a change that it is suspected to have begun with, what the evidence says of that one. */
function answerBegun(ground: Ground, { suspect, words }: Asked): Reply {
  if (suspect === null) return answerWhen(ground, words)
  const { observed, names, service } = ground
  // Whose change is suspected is not by that who fails.
  const isElsewhere = service === null || service === names.canonical(suspect)
  const reply = answerWhen(
    isElsewhere && observed.first !== null ? { ...ground, service: observed.first.entity } : ground,
  )
  const evidence = new EvidenceList(ground.snapshot, reply.evidence)
  const lines = suspicion(ground, suspect, evidence)
  return { ...reply, answer: [reply.answer, ...lines].join('\n'), evidence: evidence.items }
}

/** Acts beside going back of which nothing is measured before somebody does them. */
const OTHER_ACTS =
  /^(restart|reboot|bounc|scal|fail(?!ing$|ed$|s$)|drain|deploy|ship|releas|merg|freez|turn|switch|disabl|flip|toggl|remov|kill)/
const GOING_BACK = /^(roll|revert|back)/

/** What speaks for going back and what to do; another act that is asked about is not weighed, which is said first. */
function answerAct(ground: Ground, words: readonly string[]): Reply {
  const reply = answerRollBack(ground)
  if (!words.some((word) => OTHER_ACTS.test(word)) || words.some((word) => GOING_BACK.test(word)))
    return reply
  const lead =
    'Nothing that was measured says what that would do. What speaks for going back and against it, and what is advised:'
  // What is to be switched off is told by what the evidence says of it.
  const [named] = changesNamed(ground.snapshot, words)
  const evidence = new EvidenceList(ground.snapshot, reply.evidence)
  const lines = named === undefined ? [] : suspicion(ground, named.id, evidence)
  return { ...reply, answer: [...lines, lead, reply.answer].join('\n'), evidence: evidence.items }
}

/** What speaks against what fits best, and first what the evidence says of what somebody takes for likelier. */
function answerDoubt(ground: Ground, suspect: string | null, words: readonly string[]): Reply {
  const reply = answerDoubts(ground, words)
  if (suspect === null) return reply
  const evidence = new EvidenceList(ground.snapshot, reply.evidence)
  const lines = suspicion(ground, suspect, evidence)
  return { ...reply, answer: [...lines, reply.answer].join('\n'), evidence: evidence.items }
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

/** Who told of most of some entities, so that whoever asks it again finds them; else of those that answered the first. */
function sourceNaming(names: readonly string[], { sources, series, logs, edges, alerts }: Snapshot): string {
  const named = new Set(names)
  const told = new Map<string, Set<string>>()
  const tell = (source: string, name: string | undefined): void => {
    if (name === undefined || !named.has(name)) return
    const known = told.get(source)
    if (known === undefined) told.set(source, new Set([name]))
    else known.add(name)
  }
  for (const { source, entity } of series) tell(source, entity)
  for (const { source, service } of [...logs, ...alerts]) tell(source, service)
  for (const { source, caller, callee } of edges) for (const name of [caller, callee]) tell(source, name)
  const count = (id: string): number => told.get(id)?.size ?? 0
  const [best] = sources.filter(({ records }) => records > 0).toSorted((a, b) => count(b.id) - count(a.id))
  return best?.id ?? ''
}

/** The answer to a question about something that no tool and no incident knows by that name. */
export function answerUnknown(unknown: string, snapshot: Snapshot, known: readonly string[]): Reply {
  const one = nearestName(unknown, known)
  // Of several that are as near none is chosen.
  const near = one === null ? (nameMeant(unknown.toLowerCase(), known, () => false)?.services ?? []) : [one]
  const names = [...known].sort(
    (a, b) => Number(near.includes(b)) - Number(near.includes(a)) || (a < b ? -1 : 1),
  )
  const some =
    names.length > MOST_KNOWN
      ? `Some of what is known: ${names.slice(0, MOST_KNOWN).join(', ')}.`
      : `Known are: ${names.join(', ')}.`
  const meant = near.length === 0 ? '' : `Did you mean ${near.slice(0, MOST_NEAR).join(' or ')}? `
  const evidence = new EvidenceList(snapshot)
  evidence.add('topology', 'statement', some, sourceNaming(names, snapshot))
  return claimless(
    `Nothing is known by the name “${unknown}”. ${meant}${some}`,
    [{ what: `“${unknown}”`, why: 'no connected tool and no incident names it' }],
    evidence.items,
  )
}
