import { invalidField } from './errors.ts'
import { idWritten } from './ids.ts'
import type { Incident } from './incident.ts'
import { windowOfIncident } from './incident-window.ts'
import { readInstant, writeInstant } from './instant.ts'
import { measureNamed } from './investigation/questions/asked-measure.ts'
import { isCarrying, plainWords } from './investigation/questions/plain-words.ts'
import {
  type Asks,
  asksOf,
  filtersIn,
  type Question,
  questionReader,
  wordsReader,
} from './investigation/questions/read-question.ts'
import type { KnownNames } from './investigation/questions/read-subject.ts'
import { shortFollowUp } from './investigation/questions/short-follow-ups.ts'
import type { Intent } from './investigation/questions/ways-to-ask.ts'
import { nameAskedAfter } from './investigation/questions/word-fields.ts'
import type { Window } from './investigation/records/snapshot.ts'
import type { WindowLengths } from './investigation/records/windows.ts'
import type { IncidentRecords, QueryStore, StoredAnswer } from './ports.ts'

export interface AskedQuestion {
  readonly query: string
  readonly context?:
    | {
        readonly service?: string | undefined
        readonly time_range?:
          | { readonly start?: string | undefined; readonly end?: string | undefined }
          | undefined
        readonly timezone?: string | undefined
        readonly incident_id?: string | undefined
        readonly previous_query_id?: string | undefined
      }
    | undefined
}

/** What the context of a question points at. */
export interface Pointed {
  readonly incident: Incident | undefined
  readonly previous: StoredAnswer | undefined
}

/** A question with what it leaves to its context filled in. */
export interface Understood {
  readonly question: Question
  readonly service: string | null
  /** Other services that the question itself names. */
  readonly others: readonly string[]
  /** The time that the question, its context or what it follows on names; null when none does. */
  readonly window: Window | null
  /** True where the window was carried over, not asked for. */
  readonly is_window_carried: boolean
  readonly carried_over: readonly string[]
}

const HOUR_MS = 3_600_000
/** The longest window a question may concern; the contract checks it where both ends are given. */
export const MOST_RANGE_DAYS = 31
const MOST_RANGE_MS = MOST_RANGE_DAYS * 24 * HOUR_MS
/** A window that ended this close to the moment it was asked at reached to the present. */
const PRESENT_MS = 60_000

/**
 * What the context points at; an incident may also be named in the question itself.
 * @throws Refusal `invalid` naming the field when there is no such incident or answer
 */
export async function pointedAt(
  acts: { readonly incidents: Pick<IncidentRecords, 'get'>; readonly queries: Pick<QueryStore, 'get'> },
  { query, context }: AskedQuestion,
): Promise<Pointed> {
  const { previous_query_id } = context ?? {}
  const incident_id = context?.incident_id ?? idWritten(query, 'inc') ?? undefined
  const [incident, previous] = await Promise.all([
    incident_id === undefined ? undefined : acts.incidents.get(incident_id),
    previous_query_id === undefined ? undefined : acts.queries.get(previous_query_id),
  ])
  if (incident_id !== undefined && incident === undefined) {
    throw context?.incident_id === undefined
      ? invalidField('query', 'names an incident that does not exist')
      : invalidField('context.incident_id', 'must be the id of an incident')
  }
  if (previous_query_id !== undefined && previous === undefined) {
    throw invalidField('context.previous_query_id', 'must be the id of a stored answer')
  }
  return { incident, previous }
}

const timeGiven = (text: string | undefined): number | null => (text === undefined ? null : readInstant(text))

/** The window that the request names; a missing start is an hour before the end, a missing end is now. */
function windowGiven(range: NonNullable<AskedQuestion['context']>['time_range'], now: number): Window | null {
  const [start, end] = [timeGiven(range?.start), timeGiven(range?.end)]
  if (start === null && end === null) return null
  const to = end ?? Math.max(now, (start ?? now) + 1)
  const from = start ?? to - HOUR_MS
  if (to - from > MOST_RANGE_MS)
    throw invalidField('context.time_range.start', `must be at most ${MOST_RANGE_DAYS} days ago`)
  return { from, to }
}

/** The window in which an incident is looked at, or the last hour when there is none. */
export const windowOf = (incident: Incident | undefined, now: number, lengths?: WindowLengths): Window =>
  incident === undefined ? { from: now - HOUR_MS, to: now } : windowOfIncident(incident, now, lengths)

/** The window of an earlier answer; one that reached to its present reaches to ours. */
function windowBefore({ understood, timestamp }: StoredAnswer, now: number): Window | null {
  if (understood.window === null) return null
  const [from, to] = [readInstant(understood.window.start), readInstant(understood.window.end)]
  if (from === null || to === null) return null
  const wasPresent = to >= (readInstant(timestamp) ?? to) - PRESENT_MS
  return { from, to: wasPresent ? Math.max(to, Math.min(now, from + MOST_RANGE_MS)) : to }
}

/** The time before that of the question before it: "and before that?", "what changed the hour before". */
const EARLIER = /\b(?:before (?:that|then)|the (hour|day|week) before)[ ?!.]*$/i
/** The same stretch so long before that of the question before it, or after it: "an hour earlier?". */
const MOVED =
  /^\W*(?:\w+ ){0,2}(an?|one|two|three|\d{1,3}) (minute|hour|day|week)s? (earlier|before(?: that)?|later|after(?: that)?)[ ?!.]*$/i
const AMOUNTS: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3 }
const LENGTHS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 168 * HOUR_MS,
}

/** The time before that of an earlier answer, as long as that one where the question does not say. */
function windowEarlier(query: string, previous: StoredAnswer | undefined, now: number): Window | null {
  const moved = MOVED.exec(query)
  const told = EARLIER.exec(query)
  const then = previous === undefined ? null : windowBefore(previous, now)
  if (moved !== null && then !== null) {
    const [, amount = '', unit = '', side = ''] = moved.map((part) => part.toLowerCase())
    const by = (AMOUNTS[amount] ?? Number(amount)) * (LENGTHS[unit] ?? 0) * (/^[eb]/.test(side) ? -1 : 1)
    return { from: then.from + by, to: Math.min(then.to + by, now) }
  }
  if (told === null || then === null) return null
  return { from: then.from - (LENGTHS[told[1]?.toLowerCase() ?? ''] ?? then.to - then.from), to: then.from }
}

/** A follow-up says little of its own: "and payments?", "what about yesterday", "only the critical ones". */
const FOLLOWS =
  /^\s*(?:(?:ok(?:ay)?|so|hm+|yes|no|nah|sorry|wait|oops|right|fine|thanks|thx)[ ,.!]+)?(and|or|but|also|same|only|just|what about|how about|what of|i meant?|n\/m|nvm)\b/i
/** Words of meaning that a follow-up without such a beginning has at most. */
const FEW_WORDS = 3

/** The intent that a question leaves to the one before it, with that one's filters; null where it says its own. */
function intentBefore(query: string, read: Question, previous: StoredAnswer | undefined): Question | null {
  if (read.refusal !== 'unreadable' || previous === undefined) return null
  const says = read.service !== null || read.window !== null || read.unknown !== null
  const follows = FOLLOWS.test(query) || (says && read.words.length <= FEW_WORDS)
  if (!follows || readInstant(previous.timestamp) === null) return null
  const { intent } = previous.understood
  if (intent === 'unknown') return null
  const before = askedBefore(previous)
  // A time that it names itself is asked about, not the one before; so is what it filters by.
  const side = read.window === null ? before.side : null
  const { status, severity } = /_incidents$/.test(intent)
    ? filtersIn(plainWords(query))
    : { status: null, severity: null }
  return {
    ...read,
    ...before,
    side,
    status: status ?? before.status,
    severity: severity ?? before.severity,
    intent,
    unknown: read.unknown ?? strangerAsked(query, read),
    refusal: null,
  }
}

/** Says that something else was meant. */
const CORRECTS = /\bi meant?\b/i

/** Whoever a follow-up asks after by a word that is no service, no time and no measure: it is not the service before. */
function strangerAsked(query: string, { service, window }: Question): string | null {
  const plain = plainWords(query)
  const [alone = null] = CORRECTS.test(query) ? (/^[\p{L}][\w.-]{2,}$/u.exec(plain) ?? []) : []
  const name = service === null && window === null ? (nameAskedAfter(plain) ?? alone) : null
  const isNone = name === null || isCarrying(name) || measureNamed(name) !== null
  const { status, severity } = filtersIn(name ?? '')
  return isNone || status !== null || severity !== null ? null : name
}

/** What the question of an answer asked for, which it may itself have taken over. */
const askedBefore = ({ asks, query }: StoredAnswer): Asks =>
  asks ?? asksOf(wordsReader(query)({ services: [] }))

/** The incidents that were just counted or listed, by nothing but a word for them. */
const THEM =
  /^\W*(?:please |can you |could you )?(?:list|show|name|which)(?: me| us)? (?:them|those|these|ones?|which)\b/i

/** How many there are of those that were just listed. */
const HOW_MANY =
  /^\W*(?:and |so |ok(?:ay)?,? )*how many(?: (?:of (?:them|those|these)|(?:are|is|were) (?:there|they|those|it|that)|in total|in all|altogether|overall))*\W*$/i

/** A count of those that the question before it asked for, with that one's filters. */
function countedBefore(query: string, read: Question, previous: StoredAnswer | undefined): Question | null {
  if (previous === undefined || !HOW_MANY.test(query)) return null
  if (readInstant(previous.timestamp) === null || !/_incidents$/.test(previous.understood.intent)) return null
  const { status, severity } = askedBefore(previous)
  return { ...read, intent: 'count_incidents', refusal: null, status, severity }
}

/** A list of those that the question before it asked for has that one's filters. */
function listedBefore(query: string, read: Question, previous: StoredAnswer | undefined): Question | null {
  if (read.intent !== 'list_incidents' || previous === undefined || !THEM.test(query)) return null
  if (readInstant(previous.timestamp) === null || !/_incidents$/.test(previous.understood.intent)) return null
  const { status, severity } = askedBefore(previous)
  return { ...read, status, severity }
}

/** What is asked on in a word or two of the same, or of the same incidents, asks for what the question before it did, but for what it says itself. */
function shortBefore(
  read: Question,
  short: Intent | null,
  previous: StoredAnswer | undefined,
): Question | null {
  if (short === null || previous === undefined || readInstant(previous.timestamp) === null) return null
  const intent = previous.understood.intent
  const isOfList = /_incidents$/.test(intent) && /_incidents$/.test(short)
  if (intent !== short && !isOfList) return null
  const before = askedBefore(previous)
  return {
    ...read,
    ...before,
    measure: read.measure ?? before.measure,
    side: read.window === null ? before.side : null,
  }
}

/** How alerts are called, alone. */
const CALLED = /^\s*(?:[A-Z][a-z\d]+){2,}[A-Z]*\W*$/

/** Nothing but the name of a service asks how it does, and nothing but that of an alert whether it fires. */
function namedAlone(query: string, read: Question): Question {
  const isOpen = read.refusal === 'unreadable' && read.words.length === 1
  if (isOpen && read.service === null && CALLED.test(query))
    return { ...read, intent: 'how_is', refusal: null, measure: { measure: 'alerts', quantile: null } }
  const isName = isOpen && read.service !== null && !FOLLOWS.test(query)
  return isName ? { ...read, intent: 'how_is', refusal: null } : read
}

/**
 * Reads a question with its context, as often as names become known; what it says itself comes before what is carried
 * over.
 * @param lengths how far back an incident is looked at; the usual lengths where nothing else is set
 */
export function understand(
  { query, context }: AskedQuestion,
  { incident, previous }: Pointed,
  now: number,
  lengths?: WindowLengths,
): (known: KnownNames) => Understood {
  const { timezone } = context ?? {}
  const clock = { now, ...(timezone === undefined ? {} : { timezone }) }
  // What is asked on in a word or two means something by what was answered alone.
  const intentLeft = previous?.understood.intent
  const short = intentLeft === undefined ? null : shortFollowUp(plainWords(query), intentLeft)
  const read = questionReader(query, clock, false, short)
  const readAfter = previous === undefined ? undefined : questionReader(query, clock, true)
  const named = [context?.service, incident?.service, previous?.understood.service].filter(
    (name) => typeof name === 'string',
  )
  return (known) => {
    const services = [...new Set([...known.services, ...named])]
    const names = { ...known, services }
    const after = readAfter?.(names)
    // What leaves its intent to the question before it is not read by a single word of it.
    const before = after === undefined || short !== null ? null : intentBefore(query, after, previous)
    const own = read(names)
    return inContext(
      before,
      shortBefore(own, short, previous) ?? own,
      { query, context },
      { incident, previous },
      now,
      lengths,
    )
  }
}

/** A question as its words are read, with what it leaves to its context. */
function inContext(
  before: Question | null,
  read: Question,
  { query, context }: AskedQuestion,
  { incident, previous }: Pointed,
  now: number,
  lengths: WindowLengths | undefined,
): Understood {
  const carried_over: string[] = []
  const carry = <Value>(what: string, value: Value | null | undefined): Value | null => {
    if (value === null || value === undefined) return null
    carried_over.push(what)
    return value
  }
  const question =
    countedBefore(query, read, previous) ??
    carry('intent', before) ??
    listedBefore(query, read, previous) ??
    namedAlone(query, read)
  const isListing = question.intent === 'list_incidents' || question.intent === 'count_incidents'
  const service =
    context?.service ??
    question.service ??
    (question.unknown === null ? carry('service', incident?.service ?? previous?.understood.service) : null)
  const others = [question.service, ...question.others].filter(
    (name) => typeof name === 'string' && name !== service,
  ) as string[]
  const asked =
    windowGiven(context?.time_range, now) ?? windowEarlier(query, previous, now) ?? question.window
  // An incident's own time is no filter for a list of others.
  const pointed = incident === undefined || isListing ? null : windowOf(incident, now, lengths)
  const window =
    asked ?? carry('window', pointed ?? (previous === undefined ? null : windowBefore(previous, now)))
  return {
    question,
    service,
    others,
    window,
    is_window_carried: asked === null && window !== null,
    carried_over,
  }
}

/** What is told of how a question was understood, and what is kept of it for the next one. */
export const understoodAs = (
  { question, carried_over }: Understood,
  service: string | null,
  window: Window | null,
): Pick<StoredAnswer, 'understood' | 'asks'> => ({
  understood: {
    intent: question.intent,
    service,
    window: window === null ? null : { start: writeInstant(window.from), end: writeInstant(window.to) },
    carried_over,
  },
  asks: asksOf(question),
})
