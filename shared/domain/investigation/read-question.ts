/**
 * What a question asks for: intent, service, window, filters. Words only; what it cannot read is `unknown`.
 *
 * Times are read by chrono-node (English), relative to the given instant in the given time zone.
 */
import * as chrono from 'chrono-node/en'
import { stemOf } from './entity-names.ts'
import type { Window } from './snapshot.ts'

export const INTENTS = ['why', 'list_incidents', 'count_incidents', 'unknown'] as const
export type Intent = (typeof INTENTS)[number]
export type AskedStatus = 'open' | 'investigating' | 'resolved'
export type AskedSeverity = 'low' | 'medium' | 'high' | 'critical'

export interface Question {
  readonly intent: Intent
  /** One of the known services, as it is written there. */
  readonly service: string | null
  readonly window: Window | null
  /** Filters; only a list or a count has them. */
  readonly status: AskedStatus | null
  readonly severity: AskedSeverity | null
  /** The words that carry meaning, in lower case, in order, each once. */
  readonly words: readonly string[]
}

export interface Known {
  readonly services: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** IANA name; UTC when absent or not known to the runtime. */
  readonly timezone?: string
}

/** Longer questions are read up to here: nobody asks at greater length, and time expressions cost time. */
const READ_UP_TO = 600
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A single instant ("at 10:30") means the time around it. */
const AROUND = 30 * MINUTE
/** Windows further back than this are slips of the pen. */
const LONGEST = 366 * DAY
/** Words kept. */
const MOST_WORDS = 20

const INCIDENT = /\b(incidents?|outages?)\b/
const WHY =
  /\b(why|root[- ]?causes?|rca|diagnose|investigate|troubleshoot|debug|explain|reasons? (for|behind|why|of)|cause[sd]? (of|by|the|this)|caus(ed|es|ing))\b|\bwhat(?:'?s| is| was| went| are)? (wrong|broken|broke|causing|going on|happening|the (cause|reason|problem|matter|issue))\b|\bwhat (broke|caused|happened (to|with|in|at|on)|failed|happened\??$)/
const COUNT = /\b(how many|count( of)?|number of|total( number)? of)\b/
const LIST =
  /\b(list|show|give|display|find|get|any|which|what|are there|all|recent|latest|current|have (we|there)|did we)\b/
const SYMPTOM =
  /\b(slow|slower|down|fail(s|ed|ing|ure|ures)?|errors?|erroring|broken|latency|time ?outs?|timing out|unavailable|spik(e|es|ed|ing)|degraded|crash(es|ed|ing)?|5\d\ds?|outage|unreachable|stuck|hanging)\b/
/** Questions about something else, which a symptom word must not turn into a why. */
const OTHER_ASK = /\b(should|recovered|who|when|how (do|to|is|are|long)|roll ?back|list|show)\b/

const STATUSES: readonly (readonly [AskedStatus, RegExp])[] = [
  ['open', /\b(unresolved|not (yet )?(resolved|closed|fixed)|still open)\b/],
  ['investigating', /\b(investigating|under investigation|being investigated)\b/],
  ['resolved', /\b(resolved|closed|fixed|over)\b/],
  ['open', /\b(open|ongoing|active|current(ly)?)\b/],
]
const SEVERITIES: readonly (readonly [AskedSeverity, RegExp])[] = [
  ['critical', /\b(critical|sev ?-?[01]|p[01])\b/],
  ['high', /\b(high|major|sev ?-?2|p2)\b(?! (latency|load|cpu|memory|error|traffic|rate))/],
  ['medium', /\b(medium|moderate|sev ?-?3|p3)\b/],
  ['low', /\b(low|minor|sev ?-?4|p4)\b(?! (latency|load|memory|disk|traffic))/],
]

const STOP = new Set(
  'a an the is are was were be been do does did has have had i we you it he she they this that these those there of to in on for with from at by as and or not no any all some me my our your what which who when where why how many much list show give since last past between ago today yesterday please can could would should will'.split(
    ' ',
  ),
)

/** Reads a question. Never throws. */
export function readQuestion(text: string, known: Known): Question {
  const plain = normalise(text)
  const intent = intentOf(plain)
  const isListing = intent === 'list_incidents' || intent === 'count_incidents'
  const service = serviceIn(plain, known.services)
  return {
    intent:
      intent === 'unknown' && service !== null && SYMPTOM.test(plain) && !OTHER_ASK.test(plain)
        ? 'why'
        : intent,
    service,
    window: plain.trim() === '' ? null : windowIn(plain, known),
    status: isListing ? (STATUSES.find(([, pattern]) => pattern.test(plain))?.[0] ?? null) : null,
    severity: isListing ? (SEVERITIES.find(([, pattern]) => pattern.test(plain))?.[0] ?? null) : null,
    words: wordsIn(plain),
  }
}

/** Compatibility forms, curly quotes and odd spaces become plain; case goes. */
function normalise(text: string): string {
  return text
    .slice(0, READ_UP_TO)
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

function intentOf(plain: string): Intent {
  const isAboutIncidents = INCIDENT.test(plain)
  if (isAboutIncidents && COUNT.test(plain)) return 'count_incidents'
  if (WHY.test(plain)) return 'why'
  if (!isAboutIncidents) return 'unknown'
  const isListed =
    LIST.test(plain) ||
    STATUSES.some(([, pattern]) => pattern.test(plain)) ||
    /^(incidents|outages)\b/.test(plain)
  return isListed ? 'list_incidents' : 'unknown'
}

/** The known service that is named first; of two that begin at one place the longer one. */
function serviceIn(plain: string, services: readonly string[]): string | null {
  const stems = new Map<string, number>()
  for (const service of services) {
    const stem = stemOf(service)
    if (stem !== null) stems.set(stem, (stems.get(stem) ?? 0) + 1)
  }
  let best: { service: string; at: number; length: number } | null = null
  for (const service of services) {
    const stem = stemOf(service)
    const forms = [service.toLowerCase(), ...(stem !== null && stems.get(stem) === 1 ? [stem] : [])]
    for (const form of forms) {
      if (form.trim() === '') continue
      const pattern = form
        .split(/[-_. ]+/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
        .join('[-_. ]?')
      const match = new RegExp(
        `(?<![\\p{L}\\p{N}_-])${pattern}(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}])`,
        'u',
      ).exec(plain)
      if (match === null) continue
      const found = { service, at: match.index, length: match[0].length }
      if (
        best === null ||
        found.at < best.at ||
        (found.at === best.at &&
          (found.length > best.length || (found.length === best.length && found.service < best.service)))
      )
        best = found
    }
  }
  return best?.service ?? null
}

const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  few: 3,
  couple: 2,
  'couple of': 2,
}
const UNITS: Readonly<Record<string, number>> = {
  minute: MINUTE,
  min: MINUTE,
  hour: HOUR,
  hr: HOUR,
  h: HOUR,
  m: MINUTE,
  day: DAY,
  d: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
}
const LAST =
  /\b(?:in|over|during|within|of|for|from)? ?(?:the )?(?:last|past|previous) (?:(\d{1,15}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple(?: of)?) ?)?(minute|min|hour|hr|day|week|month|[hmd])s?\b/

function windowIn(plain: string, known: Known): Window | null {
  const { now } = known
  const offset = offsetMinutes(known.timezone, now)
  const midnight = (at: number): number => Math.floor((at + offset * MINUTE) / DAY) * DAY - offset * MINUTE
  const last = LAST.exec(plain)
  if (last !== null) {
    const [whole, count, unit] = last
    // "last week" alone, without "in the", is the calendar week before this one.
    if (count === undefined && unit === 'week' && !/\b(in|over|during|within) the\b/.test(whole)) {
      const weekday = (new Date(midnight(now) + offset * MINUTE).getUTCDay() + 6) % 7
      const monday = midnight(now) - weekday * DAY
      return { from: monday - 7 * DAY, to: monday }
    }
    const amount = count === undefined ? 1 : (NUMBERS[count] ?? Number(count))
    const length = amount * (UNITS[unit as string] as number)
    return length > 0 && length <= LONGEST ? { from: now - length, to: now } : null
  }
  const reference = { instant: new Date(now), timezone: offset }
  const between = /\bbetween (.{1,60}?) and (.{1,60})/.exec(plain)
  const readable =
    between === null
      ? plain
      : `${plain.slice(0, between.index)}${between[1]} to ${plain.slice(between.index + between[0].indexOf(' and ') + 5)}`
  const results = chrono
    .parse(readable, reference)
    .filter((result) => /\d|day|night|morning|evening|noon|week|month|hour|minute/.test(result.text))
  const [result] = results
  if (result === undefined) return null
  const back = (at: number, component: { isCertain(part: 'day' | 'weekday'): boolean }): number =>
    at <= now || component.isCertain('day') ? at : at - (component.isCertain('weekday') ? 7 * DAY : DAY)
  const from = back(result.start.date().getTime(), result.start)
  const before = readable.slice(0, result.index)
  const isOpenEnded = /\b(since|after|from|starting( at| from)?|beginning)\s*(the\s*)?$/.test(before)
  const hasTime = result.start.isCertain('hour')
  const dayOf = midnight(from)
  const valid = (start: number, end: number): Window | null =>
    start < end && now - start <= LONGEST && start <= now ? { from: start, to: Math.min(end, now) } : null
  if (result.end !== null && result.end !== undefined) {
    const to = back(result.end.date().getTime(), result.end)
    return valid(from, to)
  }
  if (isOpenEnded) return valid(hasTime ? from : dayOf, now)
  if (/morning/.test(result.text)) return valid(dayOf + 6 * HOUR, dayOf + 12 * HOUR)
  if (/afternoon/.test(result.text)) return valid(dayOf + 12 * HOUR, dayOf + 18 * HOUR)
  if (/evening/.test(result.text)) return valid(dayOf + 18 * HOUR, dayOf + DAY)
  if (/night/.test(result.text)) {
    const evening = midnight(now) - (/last/.test(result.text) ? DAY : 0) + 18 * HOUR
    return valid(evening, evening + 12 * HOUR)
  }
  if (!hasTime) return valid(dayOf, dayOf + DAY)
  return valid(from - AROUND, from + AROUND)
}

/** Minutes that local time is ahead of UTC; 0 for a zone that the runtime does not know. */
function offsetMinutes(timezone: string | undefined, at: number): number {
  if (timezone === undefined || timezone === 'UTC') return 0
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    }).formatToParts(new Date(at))
    const part = (type: string): number => Number(parts.find((candidate) => candidate.type === type)?.value)
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
    return Math.round((local - Math.floor(at / MINUTE) * MINUTE) / MINUTE)
  } catch {
    return 0
  }
}

function wordsIn(plain: string): readonly string[] {
  const found = new Set<string>()
  for (const match of plain.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu)) {
    const word = match[0]
    if (word.length > 1 && word.length <= 60 && !STOP.has(word)) found.add(word)
    if (found.size >= MOST_WORDS) break
  }
  return [...found]
}
