import { type Collecting, collectSnapshot, connectedTools } from './collect-snapshot.ts'
import type { Incident } from './incident.ts'
import { writeInstant } from './instant.ts'
import type { Findings } from './investigation/findings.ts'
import { capital, spanText, timeText } from './investigation/hypotheses/compose-answer.ts'
import { investigate } from './investigation/investigate.ts'
import { changesBy, changesNamed } from './investigation/questions/answer-changes.ts'
import { claimless } from './investigation/questions/answer-ground.ts'
import { answerInWords, answerUnknown } from './investigation/questions/answer-in-words.ts'
import { spokenOf } from './investigation/questions/asked-suspicion.ts'
import { toolAsked } from './investigation/questions/asked-tool.ts'
import type { Intent } from './investigation/questions/ways-to-ask.ts'
import { effectOf } from './investigation/records/change-record.ts'
import { entityNames } from './investigation/records/entity-names.ts'
import type { Snapshot, Window } from './investigation/records/snapshot.ts'
import { overlaps, type WindowLengths } from './investigation/records/windows.ts'
import { toldIn } from './investigation/told-text.ts'
import { givenFor, nothingOf } from './missing-time.ts'
import type { Clock, IncidentRecords, NewId, QueryStore, SnapshotStore, StoredAnswer } from './ports.ts'
import { incidentsOfTime, type Told, tellEarlier, tellListing } from './tell-incidents.ts'
import { slipIn, tellRefused, tellSlip, whyRefused } from './tell-refused.ts'
import {
  type AskedQuestion,
  type Pointed,
  pointedAt,
  type Understood,
  understand,
  understoodAs,
  windowOf,
} from './understand-question.ts'

export interface QuestionActs extends Collecting {
  readonly incidents: Pick<IncidentRecords, 'get' | 'list'>
  readonly queries: QueryStore
  readonly snapshots: Pick<SnapshotStore, 'keep' | 'read'>
  readonly clock: Clock
  readonly newId: NewId
}

const HOUR_MS = 3_600_000
/** Time kept for the engine, the snapshot and the stored answer after the tools were asked. */
const WRITE_MS = 5_000
/** Latest incidents in which a question without a time may find what it is about. */
const RECENT = 25
/** The longest stretch before now in which it is looked whether something is over. */
const MOST_RECOVERY_MS = 6 * HOUR_MS

/** Services that the analysis of an incident names: known before any tool is asked, beside those of the incidents. */
const analysedIn = ({ root_cause: found }: Incident): readonly string[] =>
  found === null
    ? []
    : [found.first_failing_service, found.cause.entity, ...found.blast_radius].filter((name) => name !== null)

/** The incident that a question without a time is about: the latest unresolved one of its service, else the latest of it. */
function subject(recent: readonly Incident[], service: string | null): Incident | undefined {
  const fitting = recent.filter((incident) => service === null || incident.service === service)
  return fitting.find(({ status }) => status !== 'resolved') ?? fitting[0]
}

/** The window of a question that names none: of the incident it is about, or of the present where it asks about that. */
function windowFor(
  { intent, measure }: Understood['question'],
  incident: Incident | undefined,
  now: number,
  lengths: WindowLengths | undefined,
): Window {
  const window = windowOf(incident, now, lengths)
  // An alert that fires since the incident began is one of now; by when they began some tools list them.
  if (measure?.measure === 'alerts') return { from: Math.max(window.from, now - MOST_RECOVERY_MS), to: now }
  if (intent === 'how_is') return { from: now - HOUR_MS, to: now }
  if (intent === 'is_recovered') return { from: Math.max(window.from, now - MOST_RECOVERY_MS), to: now }
  return window
}

/** What is told of the time that was asked about; everything else is drawn from all that was given. */
const isOfTime = (intent: Intent): boolean => intent === 'what_changed' || intent === 'what_happened'

/**
 * What an answer misses of the time that was asked about, where some tool gives what it has, whatever is asked. What
 * changed or happened is told of the time that was asked about; everything else is drawn from the whole of what was given.
 */
function gapsOfTime(
  { question: { intent }, window: asked, is_window_carried }: Understood,
  { window }: Snapshot,
): Told['gaps'] {
  if (asked === null || is_window_carried) return []
  const isWithin = asked.from >= window.from && asked.to <= window.to
  const isSame = isWithin && asked.from === window.from && asked.to === window.to
  if (isSame || (isOfTime(intent) && isWithin)) return []
  const given = givenFor(window)
  return isOfTime(intent)
    ? [{ what: `all of the time ${spanText(asked.from, asked.to)}`, why: given }]
    : [
        {
          what: `the time ${spanText(asked.from, asked.to)} by itself`,
          why: `${given}, all of which the answer rests on`,
        },
      ]
}

/** What changed or happened in a time, with which part of it was looked at: nothing on record of the rest is no news of it. */
function withMissing<Reply extends Pick<Told, 'answer'>>(
  reply: Reply,
  { question: { intent } }: Understood,
  [missing]: Told['gaps'],
): Reply {
  if (missing === undefined || !isOfTime(intent)) return reply
  return {
    ...reply,
    answer: `${reply.answer}\n${capital(missing.why)}; of the rest little or nothing is known.`,
  }
}

/**
 * A question about a time of which no tool knows anything: some tools give what they have, whatever is asked. What they
 * have is no answer then.
 */
const tellElsewhere = (read: Understood, asked: Window, { window, gaps }: Snapshot, digest: string): Told => {
  const of = spanText(asked.from, asked.to)
  const answer = `Nothing is known about ${of}. What the connected tools gave covers ${spanText(window.from, window.to)}.`
  return {
    ...claimless(answer, [nothingOf(asked, window), ...gaps.map(({ what, why }) => ({ what, why }))]),
    ...understoodAs(read, read.service, asked),
    snapshot_digest: digest,
  }
}

/** Whether anything that was given is of a time: changes may be, where nothing was measured. */
const isKnownOf = ({ question: { intent } }: Understood, asked: Window, snapshot: Snapshot): boolean =>
  overlaps(asked, snapshot.window) ||
  (intent === 'what_changed' &&
    snapshot.changes.some((change) => effectOf(change) >= asked.from && effectOf(change) < asked.to))

/** Intents that are about an answer that was given: they are answered from what that one was drawn from. */
const ABOUT_AN_ANSWER: ReadonlySet<string> = new Set(['what_contradicts', 'what_was_asked'])

/** The snapshot behind the answer or the analysis that a follow-up is about, with its digest, where it is still kept. */
async function snapshotBefore(acts: QuestionActs, read: Understood, { incident, previous }: Pointed) {
  if (!ABOUT_AN_ANSWER.has(read.question.intent) || (read.window !== null && !read.is_window_carried))
    return null
  const [owner, digest, service] =
    previous === undefined
      ? [incident?.id, incident?.root_cause?.snapshot_digest, incident?.service]
      : ['queries', previous.snapshot_digest, previous.understood.service]
  if (owner === undefined || digest === undefined || digest === null) return null
  if (read.service !== null && read.service !== service) return null
  const snapshot = await acts.snapshots.read(owner, digest)
  return snapshot === undefined ? null : { snapshot, digest }
}

/** A name of several parts, which is no word that anybody says of something else. */
const OF_PARTS = /^\S*(?:\p{Ll}\p{Lu}|\w[-_]\w)\S*$/u
/** What no tool is asked for. */
const NOT_FROM_TOOLS = /^unknown$|_incidents$|^seen_/

/** A question as it is read with the names that the tools know, which may leave nothing of it to ask them: then as before. */
const withIntentOf = (first: Understood, again: Understood): Understood =>
  NOT_FROM_TOOLS.test(again.question.intent)
    ? { ...again, question: { ...again.question, intent: first.question.intent, refusal: null } }
    : again

/** What is told of a name that no record has: whether it answers where it is a tool's, else that nothing is known of it. */
async function tellOfUnknown(
  acts: QuestionActs,
  unknown: string,
  read: Understood,
  shown: Window,
  snapshot: Snapshot,
) {
  // Whoever asks how Prometheus does asks whether it answers, where no service is called so.
  const tool = toolAsked(unknown)
  if (tool === null || tool.type === null) return answerUnknown(unknown, snapshot, entityNames(snapshot).all)
  const question = { ...read.question, intent: 'what_was_asked' as const, tool }
  const connected = await connectedTools(acts, question)
  const reply = answerInWords({ ...question, connected }, null, snapshot, investigate(snapshot))
  return { ...reply, ...understoodAs({ ...read, question }, null, shown) }
}

/** Answers from what the tools say, or said when the answer was drawn that this question is about. */
async function tellFromTools(
  acts: QuestionActs,
  first: Understood,
  pointed: Pointed,
  incident: Incident | undefined,
  reread: (services: readonly string[], aliases: ReadonlyMap<string, string>) => Understood,
  deadline: number,
  further: readonly Further[],
): Promise<Answered> {
  const now = acts.clock()
  const before = await snapshotBefore(acts, first, pointed)
  const window = first.window ?? windowFor(first.question, incident, now, acts.windows)
  const within = Math.max(0, deadline - now - WRITE_MS)
  const snapshot =
    before?.snapshot ?? (await collectSnapshot(acts, { window, service: first.service, within }))
  const digest = before?.digest ?? (await acts.snapshots.keep('queries', snapshot))
  const names = entityNames(snapshot)
  const aliases = new Map([
    ...spokenOf(snapshot.entities),
    ...snapshot.alerts.flatMap(({ name, service }) =>
      service !== undefined && OF_PARTS.test(name) ? [[name.toLowerCase(), service] as const] : [],
    ),
    ...snapshot.entities.flatMap(({ name, aliases: of }) =>
      of.map(({ alias }) => [alias.toLowerCase(), name] as const),
    ),
  ])
  const again = withIntentOf(first, reread(names.all, aliases))
  const read = before === null ? again : { ...again, carried_over: [...again.carried_over, 'snapshot'] }
  if (first.window !== null && before === null && !isKnownOf(first, first.window, snapshot)) {
    return { told: tellElsewhere(read, first.window, snapshot, digest), also: [] }
  }
  // What an earlier answer rests on is of its time.
  const shown = before === null ? (read.window ?? snapshot.window) : snapshot.window
  const common = { ...understoodAs(read, read.service, shown), snapshot_digest: digest }
  const { unknown } = read.question
  const isActor = read.question.intent === 'what_changed' && changesBy(snapshot, unknown).length > 0
  // What is to be taken back may be a change by its own name.
  const isChange =
    read.question.intent === 'should_roll_back' &&
    unknown !== null &&
    changesNamed(snapshot, [unknown]).length > 0
  if (read.service === null && unknown !== null && !isActor && !isChange && names.all.length > 0)
    return { told: { ...common, ...(await tellOfUnknown(acts, unknown, read, shown, snapshot)) }, also: [] }
  const findings = investigate(snapshot, { service: read.service })
  const incidents =
    read.question.intent === 'what_happened' ? await incidentsOfTime(acts.incidents, shown) : null
  const connected = await connectedTools(acts, read.question)
  const question = {
    ...read.question,
    ...{ window: read.window, named_window: read.question.window, incidents, connected },
  }
  const reply = answerInWords(question, read.service, snapshot, findings, read.others)
  const aged = withSlip(withAge(reply, read, snapshot, now), read)
  const missing = before === null ? gapsOfTime(read, snapshot) : []
  const told: Told = { ...withMissing(aged, read, missing), gaps: [...missing, ...aged.gaps], ...common }
  // What is asked of the same time is answered of the same records.
  const others =
    before === null
      ? further.map(({ text, read: reader }) => ({ text, next: reader(names.all, aliases) }))
      : []
  const replies = await answerBeside(acts, others, read, snapshot, findings)
  return {
    told: replies.reduce((one, { reply, text }) => withFurther(one, reply, text), told),
    also: replies.map(({ text }) => text),
  }
}

/** Answers those of further questions that are of the same time, from the same records. */
function answerBeside(
  acts: QuestionActs,
  others: readonly { readonly text: string; readonly next: Understood }[],
  read: Understood,
  snapshot: Snapshot,
  findings: Findings,
) {
  const same = others.filter(
    ({ next }) =>
      !NOT_FROM_TOOLS.test(next.question.intent) &&
      next.question.window === null &&
      next.question.unknown === null,
  )
  return Promise.all(
    same.map(async ({ next, text }) => {
      const service = next.question.service ?? read.service
      const of = service === read.service ? findings : investigate(snapshot, { service })
      const tools = await connectedTools(acts, next.question)
      const asked = { ...next.question, window: read.window, incidents: null, connected: tools }
      return { text, reply: answerInWords(asked, service, snapshot, of, next.others) }
    }),
  )
}

/** An answer, with the further questions that it answers too. */
interface Answered {
  readonly told: Told
  readonly also: readonly string[]
}

/** What the tools gave may end so long before a question about the present without a word about it. */
const STALE_MS = 5 * 60_000
const ABOUT_PRESENT: ReadonlySet<string> = new Set(['how_is', 'is_recovered'])

/** Says of an answer about the present, or a time up to it, when what it rests on ends, where that is a while before. */
function withAge<Reply extends Pick<Told, 'answer' | 'gaps'>>(
  reply: Reply,
  { question: { intent }, window, is_window_carried }: Understood,
  snapshot: Snapshot,
  now: number,
): Reply {
  const { to } = snapshot.window
  const isNow = window === null || is_window_carried
  if (!ABOUT_PRESENT.has(intent) || (isNow ? now : window.to) - to <= STALE_MS) return reply
  const ends = `What the connected tools gave ends at ${timeText(to)}`
  // Of a time that was asked about it stands among the gaps already how much of it is not known.
  if (!isNow) return { ...reply, answer: `${reply.answer}\n${ends}; how it was after that is not known.` }
  return {
    ...reply,
    answer: `${reply.answer}\n${ends}; how it is now is not known.`,
    gaps: [
      { what: `the time since ${timeText(to)}`, why: 'what the connected tools gave ends there' },
      ...reply.gaps,
    ],
  }
}

/** Says which name was taken for a known one that is a slip away from it. */
const withSlip = <Reply extends Pick<Told, 'answer'>>(
  reply: Reply,
  { question, service }: Understood,
): Reply =>
  question.slip === null || question.service !== service
    ? reply
    : { ...reply, answer: `${reply.answer}\n“${question.slip}” is read as ${service}.` }

/** Further questions of one text that are answered beside the first, at most. */
const MOST_FURTHER = 2

/** A further question of the same text, with what reads it. */
interface Further {
  readonly text: string
  readonly read: Reading
}

/** The questions of a text beside the one that it is read as which can be answered by themselves. */
const furtherOf = (
  { question: { left } }: Understood,
  asked: AskedQuestion,
  pointed: Pointed,
  now: number,
  lengths: WindowLengths | undefined,
): readonly Further[] =>
  left
    .filter(({ refusal }) => refusal === null)
    .slice(0, MOST_FURTHER)
    .map(({ text }) => {
      const read = understand({ ...asked, query: text }, pointed, now, lengths)
      return {
        text,
        read: (services, aliases) => read({ services, ...(aliases === undefined ? {} : { aliases }) }),
      }
    })

/** The more is left open, the further behind. */
const OUTCOMES = ['identified', 'best_effort', 'inconclusive'] as const

/** An answer with one to a further question below it, which is named there, as sure as the less sure of both; hypotheses are of the first. */
function withFurther<First extends Pick<Told, 'answer' | 'evidence' | 'confidence' | 'outcome' | 'gaps'>>(
  first: First,
  next: Pick<Told, 'answer' | 'evidence' | 'confidence' | 'outcome' | 'gaps'>,
  text: string,
): First {
  const known = new Set(first.evidence.map(({ content }) => content))
  const items = next.evidence.filter(({ content }) => !known.has(content))
  const gaps = new Set(first.gaps.map(({ what }) => what))
  const outcome = Math.max(OUTCOMES.indexOf(first.outcome), OUTCOMES.indexOf(next.outcome))
  return {
    ...first,
    answer: `${first.answer}\nOn “${text}”:\n${next.answer}`,
    evidence: [
      ...first.evidence,
      ...items.map((item, index) => ({ ...item, id: `ev_${first.evidence.length + index + 1}` })),
    ],
    confidence: Math.min(first.confidence, next.confidence),
    outcome: OUTCOMES[outcome] ?? 'inconclusive',
    gaps: [...first.gaps, ...next.gaps.filter(({ what }) => !gaps.has(what))],
  }
}

/** Says which further questions of the same text stay open. */
function withLeftOut(told: Told, left: Understood['question']['left']): Told {
  if (left.length === 0) return told
  const lines = left.map(({ text, refusal }) => {
    if (refusal === null) return `Not answered here: “${text}”. Ask it by itself.`
    if (refusal === 'unreadable') return `I could not read: “${text}”.`
    return `Not answered: “${text}”; ${whyRefused(refusal)}.`
  })
  const gaps = left.map(({ text, refusal }) => ({
    what: `the question “${text}”`,
    why: refusal === null ? 'one question is answered at a time' : whyRefused(refusal),
  }))
  return { ...told, answer: [told.answer, ...lines].join('\n'), gaps: [...told.gaps, ...gaps] }
}

/**
 * Answers a question in words from what the connected tools say, and stores the answer.
 * What cannot be read or found is said so: the outcome is `inconclusive` and the confidence 0.
 * @param deadline instant (ms) by which the answer must stand
 */
export async function answerQuestion(
  acts: QuestionActs,
  asked: AskedQuestion,
  deadline: number,
): Promise<StoredAnswer> {
  const pointed = await pointedAt(acts, asked)
  const told = await tell(acts, asked, pointed, deadline)
  const at = acts.clock()
  const answer: StoredAnswer = {
    id: acts.newId('query', at),
    query: asked.query,
    timestamp: writeInstant(at),
    ...toldIn(told),
  }
  await acts.queries.put(answer)
  return answer
}

async function tell(
  acts: QuestionActs,
  asked: AskedQuestion,
  pointed: Pointed,
  deadline: number,
): Promise<Told> {
  const now = acts.clock()
  const read = understand(asked, pointed, now, acts.windows)
  const reading: Reading = (services, aliases) =>
    read({ services, ...(aliases === undefined ? {} : { aliases }) })
  const unaided = reading([])
  // What the context says of the time is what is meant.
  const slip = asked.context?.time_range === undefined ? slipIn(asked.query) : null
  if (slip !== null && unaided.question.intent !== 'unknown') return tellSlip(slip, unaided)
  const further = furtherOf(unaided, asked, pointed, now, acts.windows)
  const { told, also } = await tellRead(acts, unaided, reading, { asked, pointed, deadline, further })
  return tellFurther(acts, { asked, pointed, deadline, further }, told, also, unaided.question.left)
}

/** The answer with those to further questions that the store of incidents answers, or tools that were not asked before. */
async function tellFurther(
  acts: QuestionActs,
  given: Given,
  first: Told,
  also: readonly string[],
  left: Understood['question']['left'],
): Promise<Told> {
  const answered = new Set(also)
  let told = first
  for (const { text, read } of given.further) {
    const isFromStore = NOT_FROM_TOOLS.test(read([]).question.intent)
    if (answered.has(text) || !(isFromStore || told.snapshot_digest === null)) continue
    const next = await tellRead(acts, read([]), read, { ...given, further: [] })
    told = {
      ...withFurther(told, next.told, text),
      snapshot_digest: told.snapshot_digest ?? next.told.snapshot_digest,
    }
    answered.add(text)
  }
  return withLeftOut(
    told,
    left.filter(({ text }) => !answered.has(text)),
  )
}

/** What a question is asked with. */
interface Given {
  readonly asked: AskedQuestion
  readonly pointed: Pointed
  readonly deadline: number
  readonly further: readonly Further[]
}

type Reading = (services: readonly string[], aliases?: ReadonlyMap<string, string>) => Understood

async function tellRead(
  acts: QuestionActs,
  unaided: Understood,
  reading: Reading,
  { asked, pointed, deadline, further }: Given,
): Promise<Answered> {
  const now = acts.clock()
  const alone = async (told: Told | Promise<Told>): Promise<Answered> => ({ told: await told, also: [] })
  if (unaided.question.intent === 'list_incidents' || unaided.question.intent === 'count_incidents') {
    return alone(tellListing(acts.incidents, unaided, reading))
  }
  const recent = (await acts.incidents.list({}, { limit: RECENT, after: null })).items
  const services = recent.flatMap((incident) => incident.service ?? [])
  const named = reading(services)
  // What an analysis calls a service may be called otherwise today: it counts where nothing else is known by that name.
  const read = named.service === null ? reading([...services, ...recent.flatMap(analysedIn)]) : named
  if (read.question.intent === 'unknown') return alone(tellRefused(read, asked.query))
  const incident = pointed.incident ?? subject(recent, read.service)
  if (read.question.intent === 'seen_before') return alone(tellEarlier(acts.incidents, read, incident, now))
  return tellFromTools(
    acts,
    read,
    pointed,
    incident,
    (names, aliases) => reading([...services, ...names], aliases),
    deadline,
    further,
  )
}
