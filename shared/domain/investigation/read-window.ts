/**
 * Times in words: read by chrono-node (English), relative to the given instant in the given time zone, with the
 * meanings that people on call give to "last week", "this morning" and "since".
 */
import * as chrono from 'chrono-node/en'
import type { Window } from './snapshot.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A single instant ("at 10:30") means the time around it. */
const AROUND = 30 * MINUTE
/** Windows further back than this are slips of the pen. */
const LONGEST = 366 * DAY

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

/** What any expression of a time holds that counts here; a month alone ("may", "march") is more often a word. */
const TELLS_TIME = /\d|day|night|morning|evening|noon|week|month|hour|minute/

export interface ReaderClock {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** IANA name; UTC when absent or not known to the runtime. */
  readonly timezone?: string
}

/** The time that a question in plain lower-case words is about, or null when it names none. Never in the future. */
export function readWindow(plain: string, { now, timezone }: ReaderClock): Window | null {
  const offset = offsetMinutes(timezone, now)
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
  const current = /\bthis (week|month)\b/.exec(plain)
  if (current !== null) {
    const local = new Date(now + offset * MINUTE)
    const days = current[1] === 'week' ? (local.getUTCDay() + 6) % 7 : local.getUTCDate() - 1
    return { from: midnight(now) - days * DAY, to: now }
  }
  const reference = { instant: new Date(now), timezone: offset }
  const between = /\bbetween (.{1,60}?) and (.{1,60})/.exec(plain)
  const readable =
    between === null
      ? plain
      : `${plain.slice(0, between.index)}${between[1]} to ${plain.slice(between.index + between[0].indexOf(' and ') + 5)}`
  // Reading times is most of what a question costs, and many name none.
  if (!TELLS_TIME.test(readable)) return null
  const result = chrono.parse(readable, reference).find(({ text }) => TELLS_TIME.test(text))
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
