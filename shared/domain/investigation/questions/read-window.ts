/**
 * Times in words: read by chrono-node (English), relative to the given instant in the given time zone, with the
 * meanings that people on call give to "last week", "this morning" and "since".
 */
import * as chrono from 'chrono-node/en'
import type { Window } from '../records/snapshot.ts'
import { AROUND, DAY_NAME, MONTH_NAME, MONTHS, TO_TWELVE } from './named-times.ts'
import { spokenTimes } from './spoken-times.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Windows further back than this are slips of the pen, unless they name their year. */
const LONGEST = 366 * DAY
/** The same of what is told in years. */
const LONGEST_YEARS = 30 * LONGEST

export const NUMBERS: Readonly<Record<string, number>> = {
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
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  'forty-five': 45,
  'forty five': 45,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  half: 0.5,
  'half a': 0.5,
  'half an': 0.5,
  few: 3,
  couple: 2,
  'couple of': 2,
}
export const UNITS: Readonly<Record<string, number>> = {
  second: 1_000,
  sec: 1_000,
  s: 1_000,
  minute: MINUTE,
  min: MINUTE,
  hour: HOUR,
  hr: HOUR,
  h: HOUR,
  m: MINUTE,
  day: DAY,
  d: DAY,
  week: 7 * DAY,
  fortnight: 14 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
}
const LAST =
  /\b(?:in|over|during|within|of|for|from)? ?(?:the )?(?:last|past|previous) (?:(\d{1,15}(?:\.\d{1,3})?|half(?: an?)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty(?:[- ]five)?|fifty|sixty|ninety|(?:a )?few|(?:a )?couple(?: of)?) ?)?(second|sec|minute|min|hour|hr|day|week|fortnight|month|year|[hmds])s?\b( (?:or two|and a half)\b)?/

/** A weekend as such, not as a part of a name. */
const WEEKEND = /(?<![-\w])(since )?(?:the )?(?:(this|last|past|previous) )?weekend(?![-\w])/

const DAY_PART = 'morning|afternoon|evening|night'
const CALENDAR_PART = 'weekend|week|month|quarter|year'
/** Where a second time is joined to a first one: "today and yesterday", "last night or this morning", "friday, saturday". */
const JOIN = new RegExp(
  `\\b(today|yesterday|tonight|${DAY_NAME}|${DAY_PART}|${CALENDAR_PART})(,? (?:and|or|&)|,)(?: (?:also|in|on|over|during)){0,2} (?=(?:today|yesterday|tonight|${DAY_NAME}|(?:this|last|the) (?:${DAY_PART}|${CALENDAR_PART}|${DAY_NAME})|the (?:day|week) before(?= yesterday\\b|$|[?.!,]))\\b)`,
)
/** The first of both is where a stretch begins that ends with the second. */
const BETWEEN = /\bbetween (?:(?:this|last|the) )?\w{1,20}$/
const BEFORE_THAT = /^the (day|week) before\b(?! yesterday)/
/** Times that one question joins; more are no question. */
const MOST_JOINED = 5

/** "since 9", "between 2 and 3 last night" and "since lunch" name times of day that are not told as such. */
const BARE_HOUR =
  /\b(since|after|before|until|around|at around|(?:between|from) (?:\d|1\d|2[0-3]) (?:and|to|till|until)) (\d|1\d|2[0-3])(?=$|[?.!,]| (?:today|yesterday|utc|last night|tonight|this morning|in the)\b)/
/** The first of two such hours, when the second is known to be one. */
const FIRST_HOUR = /\b(between|from) (\d{1,2}) (?=(?:and|to|till|until) \d{1,2}:\d\d\b)/
/** The second of two hours where the first is told by the minute. */
const SECOND_HOUR = new RegExp(
  `\\b(between|from) (\\d{1,2}):(\\d\\d) (and|to|till|until) (\\d{1,2}|${TO_TWELVE})(?![:\\d]|\\w| ?[ap]\\.?m\\b| (?:min|hour|day))`,
)
/** Two times of one day that are told by the minute, the later one first ("between 14:50 and 14:40"). */
const TURNED_ROUND =
  /\b(between|from) (\d{1,2}):(\d\d) (and|to|till|until) (\d{1,2}):(\d\d)(?![:\d]| ?[ap]\.?m\b)/
/** A day that is named: of two, the end lies on another one than the beginning. */
const A_DAY = new RegExp(`\\b(?:today|yesterday|tonight|${DAY_NAME}|\\d{4}-\\d\\d-\\d\\d)\\b`, 'g')
/** What goes on past midnight is shorter than this, in minutes; what would be longer is a slip, and was meant the other way round. */
const LONGEST_NIGHT = 12 * 60
/** A time of day as it is spoken: "quarter past 1", "ten to three". */
const SPOKEN_TIME = new RegExp(
  `\\b(half|quarter|five|ten|twenty|twenty[- ]five|\\d{1,2}) (?:min(?:ute)?s? )?(past|to) (\\d{1,2}|${TO_TWELVE})\\b(?![:.\\d-]| ?(?:min|h|hours|days|%)\\b)`,
  'g',
)
/** Minutes of an hour that are spoken of by a word; digits and other words are numbers. */
const SPOKEN_MINUTES: Readonly<Record<string, number>> = {
  half: 30,
  quarter: 15,
  twenty: 20,
  'twenty five': 25,
}
/** A time of the clock with the mark of UTC ("17:30Z"). */
const UTC_MARK = /(?<![\w:-])(\d{1,2}:\d\d(?::\d\d)?)z\b/g
/** "since two hours" is how long ago a stretch began, as "for the last two hours" is. */
const SINCE_LONG = new RegExp(
  `\\bsince (?:about |around |like |the )?(?=(?:\\d{1,4}|an?|${TO_TWELVE}|fifteen|twenty|thirty|forty(?:[- ]five)?|fifty|sixty|ninety|half an|(?:a )?few|a couple of) ?(?:m|h|d|minute|min|hour|hr|day|week)s?\\b(?! (?:ago|before|after)))`,
)
/** An hour as it is spoken, or written with its h: "two o'clock", "10h", "11h30"; "2h" by itself is how long something is. */
const ON_THE_CLOCK = new RegExp(`\\b(\\d{1,2}|${TO_TWELVE}) ?o'? ?clock\\b(?! (?:in the|at night|[ap]m)\\b)`)
const HOUR_MARK =
  /\b(between|and|from|to|at|around|until|till|before|after|since) (\d|1\d|2[0-3]) ?h(?:rs)?(?=$|[?.!,]| (?:and|to|until|till|today|yesterday|utc)\b)(?! ago)/g
/** "since 13:00 on", and the four digits of a clock behind a word that tells when; those of a year are none. */
const FROM_ON = /\bfrom (.{1,30}?) (?:on|onwards?)(?=$|[?.!,])/
const FOUR_DIGITS =
  /\b(at|since|around|from|until|till|before|after|between|and|to) (?!19|20)([01]\d|2[0-3])([0-5]\d)(?=$|[?.!,]| (?:and|to|until|till|today|yesterday|utc|hours|hrs)\b)/g
const ABOUT_HOUR = /\b(\d{1,2})ish\b/
const QUARTERS = /\b(?:a )?quarter of an hour\b/
const HOUR_MARK_MINUTES = /\b(\d|1\d|2[0-3])h([0-5]\d)\b/g
const LUNCH = /\b(since|after|before|at|around|between|from|until|till) lunch(?:time)?\b/
/** "The hour before 14:00" is that hour, as "2 hours before 14:00" is an instant. */
const STRETCH_BESIDE =
  /\bthe (?:(\d{1,3}|an?|two|three|four|five|six|ten|fifteen|twenty|thirty|forty[- ]five|half) )?(hour|minute|min|hr)s? (?:right |just |directly )?(before|leading up to|up to|after|following) (\d{1,2}):(\d\d)(?![:\d])/
/** A day of a month that is not named ("on the 20th"); the 95th of all requests is none. */
const DAY_OF_MONTH =
  /\b(on|since|after|before|until|till|from|between|and|to) the (\d|[12]\d|3[01])(?:st|nd|rd|th)(?=$|[?.!,]| (?:at|around|in the|between|since|after|before|until|till|and|to|utc|morning|afternoon|evening|night)\b)/g
/** What a time is the beginning of, and what it is the end of. */
const SINCE =
  /\b(since|after|from|starting( at| from)?|beginning)\s*(?:about |around |roughly |approximately )?(the\s*)?$/
const ENDS =
  /\b(before|until|till|prior to|up to|by|earlier than)\s*(?:about |around |roughly |approximately )?(?:the\s*)?$/
const NIGHT = /(?<!mid)night/
const OVERNIGHT = /(?<![-\w])overnight(?![-\w])/
/** Such a word inside the text of one time ("yesterday after 15:00"); "2 hours before 14:00" is an instant. */
const DIRECTED =
  /^(?!.*\b(?:day|days|weeks?|hours?|hrs?|min|mins|minutes?) (?:before|after)\b).{2,40}? (?:(before|until|till|by)|after|since|from) /

/** What any way to name a time holds: a look for it is cheap beside the expressions below, and most questions name none. */
const NAMES_TIME =
  /\d|day|night|morning|evening|noon|lunch|week|month|quarter|year|hour|minute|last|past|previous|(?:five|ten|twenty) to |since (?:an?|one|two) |clock|\dh|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/
/** What any expression of a time holds that counts here; a month alone ("may", "march") is more often a word. */
const TELLS_TIME = /\d|day|night|morning|evening|noon|week|month|hour|minute/

/** A year that a question may name; earlier ones are more often counts, or hours of a clock. */
const YEAR_NAME = '20\\d\\d|19[89]\\d'
/** The month up to which a stretch of months goes. */
const UNTIL_MONTH = new RegExp(
  `^ (?:to|until|till|through|and) (${MONTH_NAME})\\.?(?: (${YEAR_NAME}))?\\b(?! \\d{1,2}\\b)`,
)
/** A month with its year, or behind a word that makes "may" and "march" a time; a day beside it is another matter. */
const MONTH = new RegExp(
  `(?<!\\d(?:st|nd|rd|th)? )\\b(?:(in|during|since|last|this|of|for|from|between) )?(${MONTH_NAME})\\.?(?:(?: of)? (${YEAR_NAME}))?\\b(?! \\d{1,2}(?:st|nd|rd|th)?\\b)`,
)
const QUARTER = /\b(?:(in|during|since|last|this|of|for|from) )?q([1-4])(?:(?: of)? (20\d\d|19[89]\d))?\b/
/** A year by itself, which no unit follows. */
const YEAR =
  /\b(in|during|since|of|for|from) (?:the year )?(20\d\d|19[89]\d)(?![\d.:/-]|\s?(?:m?s|sec|requests?|errors?|calls?|users?)\b)/
/** Calendar units that a question may call the present or the one before. */
const CALENDAR = /(\bsince )?\b(this|last|previous) (quarter|year)\b/

/** What "in" a place means: the ways in which zones of America are spoken of, beside the cities of the others. */
const SPOKEN_ZONES: Readonly<Record<string, string>> = {
  pacific: 'America/Los_Angeles',
  mountain: 'America/Denver',
  central: 'America/Chicago',
  eastern: 'America/New_York',
}
const PLACE = /\b([a-z]{3,20}) ?([a-z]{3,20})? (?:local )?time\b/

/** The zone that a question names by a place ("9:30 berlin time"), or null. */
function placeOf(plain: string): string | null {
  const [, one = '', two] = PLACE.exec(plain) ?? []
  if (one === '') return null
  const names = two === undefined ? [one] : [`${one} ${two}`, two]
  const spoken = names.flatMap((name) => SPOKEN_ZONES[name] ?? [])[0]
  if (spoken !== undefined) return spoken
  const zones = Intl.supportedValuesOf('timeZone')
  for (const name of names) {
    const zone = zones.find((each) => each.toLowerCase().endsWith(`/${name.replace(' ', '_')}`))
    if (zone !== undefined) return zone
  }
  return null
}

export interface ReaderClock {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** IANA name; UTC when absent or not known to the runtime. */
  readonly timezone?: string
  /** How far a time reaches back that only says which day it ends before, milliseconds; a day when absent. */
  readonly reach?: number
}

/** The time that a question in plain lower-case words is about, or null when it names none. Never in the future. */
export function readWindow(plain: string, { now, timezone: given, reach = DAY }: ReaderClock): Window | null {
  if (!NAMES_TIME.test(plain)) return null
  const zone = placeOf(plain) ?? given
  const offset = offsetMinutes(zone, now)
  // Clocks that are set forward or back between a time and now tell that time by another offset than today's.
  const onClock = (at: number): number =>
    offset === 0 && zone === undefined ? at : at + (offset - offsetMinutes(zone, at)) * MINUTE
  const local = now + offset * MINUTE
  const told = spokenTimes(plain, local)
    .replace(SPOKEN_TIME, spokenTime(local))
    .replace(UTC_MARK, '$1 utc')
    .replace(FROM_ON, 'since $1')
    .replace(SECOND_HOUR, secondHour)
    .replace(TURNED_ROUND, plain.match(A_DAY)?.length === 2 ? (all) => all : inOrder)
    .replace(QUARTERS, '15 minutes')
    .replace(FOUR_DIGITS, '$1 $2:$3')
    .replace(ABOUT_HOUR, "$1 o'clock")
    .replace(HOUR_MARK_MINUTES, '$1:$2')
    .replace(/\b(?:between|from) \d{1,2} ?h\b.*/, (text) => text.replace(HOUR_MARK, '$1 $2:00'))
    .replace(/\b(?:at|around|before|until|till) \d{1,2} ?h\b/, (text) => text.replace(HOUR_MARK, '$1 $2:00'))
    .replace(
      ON_THE_CLOCK,
      (_, hour: string) => `${latestHour(NUMBERS[hour] ?? Number(hour), now + offset * MINUTE, plain)}:00`,
    )
    .replace(SINCE_LONG, 'in the last ')
    .replace(
      BARE_HOUR,
      (_, word: string, hour: string) =>
        `${word} ${/ /.test(word) ? hour : latestHour(Number(hour), local, plain)}:00`,
    )
    .replace(FIRST_HOUR, '$1 $2:00 ')
    .replace(LUNCH, '$1 12:00')
    .replace(STRETCH_BESIDE, stretchBeside)
    .replace(OVERNIGHT, 'last night')
    .replace(DAY_OF_MONTH, (all, word: string, day: string) => {
      const date = latestOf(Number(day), now + offset * MINUTE)
      return date === null ? all : `${word} ${date}`
    })
  return joinedWindow(told, (text) => windowOf(text, { now, offset, onClock, reach }), MOST_JOINED)
}

/** Other days, of which either half may be meant, and what says which is. */
const OTHER_DAY = new RegExp(
  `\\b(?:yesterday|last|${DAY_NAME}|\\d{4}-\\d\\d|[ap]\\.?m)\\b|morning|night|evening|noon`,
)
/** The hour of the clock that is meant by one of its twelve: the latest that has begun today. */
function latestHour(hour: number, local: number, plain: string): number {
  const later = (hour % 12) + 12
  return hour > 12 || OTHER_DAY.test(plain) || later * HOUR > local % DAY ? hour : later
}

/** The hour that ends a stretch whose beginning is told by the minute: the next of that number. */
function secondHour(
  _: string,
  word: string,
  hour: string,
  minute: string,
  join: string,
  end: string,
): string {
  const [from, to] = [Number(hour) * 60 + Number(minute), (NUMBERS[end] ?? Number(end)) * 60]
  const at = to > from || to + 12 * 60 <= from ? to : to + 12 * 60
  return `${word} ${hour}:${minute} ${join} ${Math.floor(at / 60) % 24}:00`
}

/** "Between 14:40 and 14:50" for "between 14:50 and 14:40"; a stretch over midnight stays as it is. */
function inOrder(all: string, word: string, ...[h1, m1, join, h2, m2]: readonly string[]): string {
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)]
  const isSlip = to < from && to + 24 * 60 - from > LONGEST_NIGHT
  return isSlip ? `${word} ${h2}:${m2} ${join} ${h1}:${m1}` : all
}

/** "1:15" for "quarter past 1"; what is no time of a clock stays as it is. */
const spokenTime =
  (local: number) =>
  (all: string, minutes: string, side: string, hours: string, index: number, plain: string): string => {
    const numberOf = (word: string): number =>
      SPOKEN_MINUTES[word.replace('-', ' ')] ?? NUMBERS[word] ?? Number(word)
    const [minute, hour] = [numberOf(minutes), numberOf(hours)]
    // "10 to 3" is a stretch as well, "half to 3" is nothing that is said.
    const isTo =
      minutes !== 'half' && (/^\D/.test(minutes) || /\b(at|around|since) $/.test(plain.slice(0, index)))
    const isRead = side === 'past' ? minute < 60 : isTo && minute < 60
    if (!isRead || hour > 24) return all
    const told = hour * 60 + (side === 'past' ? minute : -minute)
    const at = Math.round(60 * latestHour(told / 60, local, plain))
    return `${Math.floor(at / 60) % 24}:${String(at % 60).padStart(2, '0')}`
  }

/** "From 13:00 to 14:00" for "the hour before 14:00"; what does not lie within that day stays as it is. */
function stretchBeside(
  all: string,
  amount: string | undefined,
  unit: string,
  side: string,
  hour: string,
  minute: string,
): string {
  const at = Number(hour) * 60 + Number(minute)
  const number = amount === undefined ? 1 : (NUMBERS[amount.replace('-', ' ')] ?? Number(amount))
  const length = Math.round((number * (UNITS[unit] ?? HOUR)) / MINUTE)
  const [from, to] = /^(?:after|following)$/.test(side) ? [at, at + length] : [at - length, at]
  const clock = (minutes: number): string =>
    `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
  return from < 0 || to >= 24 * 60 ? all : `from ${clock(from)} to ${clock(to)}`
}

/** What an expression of a time is read beside. */
interface Clock {
  readonly now: number
  /** Minutes that local time is ahead of UTC now. */
  readonly offset: number
  /** An instant that was told by the clock, read with today's offset, as the clock of that day tells it. */
  readonly onClock: (at: number) => number
  readonly reach: number
}

/** The latest day of the calendar with that number that has begun; null where no month has one. */
function latestOf(day: number, local: number): string | null {
  const date = new Date(local)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const back = [0, 1, 2].find((months) => {
    const at = Date.UTC(year, month - months, day)
    return at <= local && new Date(at).getUTCDate() === day
  })
  return back === undefined ? null : new Date(Date.UTC(year, month - back, day)).toISOString().slice(0, 10)
}

/** From the first to the last of the times that a question joins, or the one that it names. */
function joinedWindow(plain: string, read: (text: string) => Window | null, most: number): Window | null {
  const join = most > 1 ? JOIN.exec(plain) : null
  if (join === null) return read(plain)
  const head = plain.slice(0, join.index + (join[1] as string).length)
  if (BETWEEN.test(head)) return read(plain)
  const tail = plain.slice(join.index + join[0].length)
  const first = read(head)
  if (first === null) return read(plain)
  const unit = BEFORE_THAT.exec(tail)?.[1]
  if (unit !== undefined) return { ...first, from: first.from - (UNITS[unit] as number) }
  const second = joinedWindow(tail, read, most - 1)
  if (second === null) return first
  return { from: Math.min(first.from, second.from), to: Math.max(first.to, second.to) }
}

/** The first time that a text names. */
function windowOf(plain: string, clock: Clock): Window | null {
  const last = LAST.exec(plain)
  const isInThe = last !== null && /\b(in|over|during|within) the\b/.test(last[0])
  // "last year" alone is one of the calendar, as "last week" is.
  if (last !== null && (last[2] !== 'year' || last[1] !== undefined || isInThe))
    return lastSpan(last, isInThe, clock)
  const named =
    currentSpan(plain, clock) ?? weekendSpan(plain, clock) ?? calendarSpan(plain, clock.now, clock.offset)
  if (named !== null) return byClock(named, clock)
  const told = timeIn(plain, clock)
  return told === null ? null : windowOfTime(told, clock)
}

/** The instant at which the local day of another began. */
const midnightOf = (at: number, { offset }: Clock): number =>
  Math.floor((at + offset * MINUTE) / DAY) * DAY - offset * MINUTE

/** Days of the local week that are over, 0 on a Monday. */
const weekdayOf = ({ now, offset }: Clock): number => (new Date(now + offset * MINUTE).getUTCDay() + 6) % 7

/** A stretch that was told by the clock; now is now whatever clocks say. */
const byClock = ({ from, to }: Window, { now, onClock }: Clock): Window => ({
  from: onClock(from),
  to: to === now ? now : onClock(to),
})

/** "last week" and "last month" of the calendar, and what is counted back from now: "in the last two hours". */
function lastSpan([text, count, unit, more]: RegExpExecArray, isInThe: boolean, clock: Clock): Window | null {
  const { now, offset } = clock
  const isBare = count === undefined && more === undefined && !isInThe
  // "last week" alone, without "in the", is the calendar week before this one.
  if (isBare && unit === 'week') {
    const monday = midnightOf(now, clock) - weekdayOf(clock) * DAY
    return byClock({ from: monday - 7 * DAY, to: monday }, clock)
  }
  // So is "last month", which "the past month" is not.
  if (isBare && unit === 'month' && !/past/.test(text)) {
    const local = new Date(now + offset * MINUTE)
    const [from = 0, to = 0] = [1, 0].map((back) =>
      Date.UTC(local.getUTCFullYear(), local.getUTCMonth() - back),
    )
    return byClock({ from: from - offset * MINUTE, to: to - offset * MINUTE }, clock)
  }
  const told = count === undefined ? 1 : (NUMBERS[count.replace(/^a (?=[cf])/, '')] ?? Number(count))
  const amount = more === undefined ? told : more === ' or two' ? told + 1 : told + 0.5
  const length = amount * (UNITS[unit as string] as number)
  return length > 0 && length <= (unit === 'year' ? LONGEST_YEARS : LONGEST)
    ? { from: now - length, to: now }
    : null
}

/** The week or month of the calendar that is not over yet. */
function currentSpan(plain: string, clock: Clock): Window | null {
  const current = /\bthis (week|month)\b/.exec(plain)
  if (current === null) return null
  const { now, offset } = clock
  const days = current[1] === 'week' ? weekdayOf(clock) : new Date(now + offset * MINUTE).getUTCDate() - 1
  return { from: midnightOf(now, clock) - days * DAY, to: now }
}

/** The weekend that is named, or the time since it began. */
function weekendSpan(plain: string, clock: Clock): Window | null {
  const weekend = WEEKEND.exec(plain)
  if (weekend === null) return null
  const { now } = clock
  const weekday = weekdayOf(clock)
  // On a weekend the last one is the one before it; on other days it is the latest.
  const isBefore = weekday >= 5 && weekend[2] !== undefined && weekend[2] !== 'this'
  const saturday = midnightOf(now, clock) - (((weekday + 2) % 7) + (isBefore ? 7 : 0)) * DAY
  return { from: saturday, to: weekend[1] === undefined ? Math.min(saturday + 2 * DAY, now) : now }
}

/** An expression of a time, with what stands around it. */
interface ToldTime {
  readonly result: chrono.ParsedResult
  /** What stands before it. */
  readonly before: string
  /** The time of that day where it is told apart from it ("today since 9:30"), with what stands before that. */
  readonly clock: chrono.ParsedResult | undefined
  readonly apart: string
}

/** The first expression of a time in a text that counts as one. */
function timeIn(plain: string, { now, offset }: Clock): ToldTime | null {
  const between = /\bbetween (.{1,60}?) and ./.exec(plain)
  const readable =
    between === null
      ? plain
      : `${plain.slice(0, between.index)}${between[1]} to ${plain.slice(between.index + between[0].indexOf(' and ') + 5)}`
  // Reading times is most of what a question costs, and many name none.
  if (!TELLS_TIME.test(readable)) return null
  const results = chrono
    .parse(readable, { instant: new Date(now), timezone: offset })
    .filter(({ text, index }) => TELLS_TIME.test(text) && !isInName(readable, index, index + text.length))
  const [result] = results
  if (result === undefined) return null
  const clock = result.start.isCertain('hour')
    ? undefined
    : results.find(
        ({ start }) => start.isCertain('hour') && !start.isCertain('day') && !start.isCertain('weekday'),
      )
  return {
    result,
    before: readable.slice(0, result.index),
    clock,
    apart: clock === undefined ? '' : readable.slice(0, clock.index),
  }
}

/** The stretch of time that an expression means; null where it is none that has begun, or too far back. */
function windowOfTime(told: ToldTime, at: Clock): Window | null {
  const { result, clock } = told
  const { now, reach } = at
  const midnight = (instant: number): number => midnightOf(instant, at)
  const first = begunBy(result.start.date().getTime(), result.start, at)
  const dayOf = midnight(first)
  const end = (clock ?? result).end
  const hasTime = result.start.isCertain('hour') || (clock !== undefined && result.end == null)
  const part = hasTime && !NIGHT.test(result.text) ? null : partOfDay(result, dayOf, midnight(now), now)
  /** The instant of a time of day on the day that is named; after midnight it is still that night. */
  const onDay = (instant: number): number => {
    const onIt = midnight(part?.from ?? dayOf) + instant - midnight(instant)
    return part !== null && onIt < part.from ? onIt + DAY : onIt
  }
  const from =
    hasTime && (clock !== undefined || part !== null)
      ? onDay((clock ?? result).start.date().getTime())
      : first
  const valid = (start: number, until: number): Window | null => begunWindow(start, until, result, at)
  if (end !== null && end !== undefined) {
    // Days that are named without an hour are meant as a whole, the last of them up to its end.
    const start = hasTime ? from : dayOf
    const endOf = (instant: number): number => (end.isCertain('hour') ? instant : midnight(instant) + DAY)
    // Both hours of a night are of that night.
    const isOnDay = clock !== undefined || (hasTime && part !== null)
    const until = isOnDay ? onDay(end.date().getTime()) : end.date().getTime()
    const to = endOf(begunBy(until, end, at))
    // What a stretch that has begun ends with may be still to come.
    return valid(start, to > start ? to : endOf(until))
  }
  const { isEnd, isOpenInDay, isOpenEnded } = directionOf(told)
  if (isEnd) {
    if (hasTime) return valid(Math.min(part?.from ?? midnight(from), from - HOUR), from)
    const until = part?.from ?? dayOf
    return valid(Math.max(until - reach, now - LONGEST), until)
  }
  if (isOpenInDay && hasTime) return valid(from, part?.to ?? midnight(from) + DAY)
  if (isOpenEnded) return valid(part !== null && !hasTime ? part.from : hasTime ? from : dayOf, now)
  if (part !== null && !hasTime) return valid(part.from, part.to)
  if (!hasTime) return valid(dayOf, dayOf + DAY)
  return valid(from - AROUND, from + AROUND)
}

/** Whether what is meant ends at the time that is told, or begins there: for that day, or up to now. */
function directionOf({ result, before, apart }: ToldTime): {
  readonly isEnd: boolean
  readonly isOpenInDay: boolean
  readonly isOpenEnded: boolean
} {
  const inside = DIRECTED.exec(result.text)
  return {
    isEnd: ENDS.test(before) || ENDS.test(apart) || inside?.[1] !== undefined,
    isOpenInDay: SINCE.test(apart) || (inside !== null && inside[1] === undefined),
    isOpenEnded: SINCE.test(before),
  }
}

/** The latest instant that may be meant by one that is still to come: a day, a week or a year before it. */
function begunBy(
  instant: number,
  component: Pick<chrono.ParsedResult['start'], 'isCertain'>,
  clock: Clock,
): number {
  // A day that is named without an hour has begun at its midnight.
  if ((component.isCertain('hour') ? instant : midnightOf(instant, clock)) <= clock.now) return instant
  if (!component.isCertain('day')) return instant - (component.isCertain('weekday') ? 7 * DAY : DAY)
  // A day of the year that is still to come was last year.
  return component.isCertain('year')
    ? instant
    : new Date(instant).setUTCFullYear(new Date(instant).getUTCFullYear() - 1)
}

/** A stretch of time up to now at most; null where it is none, has not begun, or began too long ago without naming its year. */
function begunWindow(start: number, end: number, result: chrono.ParsedResult, clock: Clock): Window | null {
  const { now } = clock
  const isNear = now - start <= LONGEST || result.start.isCertain('year')
  if (!(start < end && start <= now && isNear)) return null
  const window = { from: start, to: Math.min(end, now) }
  // What is counted back from now, or says its zone, is an instant whatever clocks say.
  const isInstant =
    result.start.isCertain('timezoneOffset') || result.tags().has('result/relativeDateAndTime')
  return isInstant ? window : byClock(window, clock)
}

/** True of a stretch of a text that is a part of a name with hyphens: `weekend-batch`, `nightly-friday`. */
const isInName = (text: string, from: number, to: number): boolean =>
  /[a-z]-$/.test(text.slice(Math.max(0, from - 2), from)) || /^-[a-z]/.test(text.slice(to, to + 2))

/** A part of a day that is named in words; a night begins on the evening of the day that is named, else of this one. */
function partOfDay(
  { text, start }: { readonly text: string; readonly start: { isCertain(part: 'weekday'): boolean } },
  dayOf: number,
  today: number,
  now: number,
): Window | null {
  // Who is up before it is morning means the night that is not over yet.
  const latest = (from: number, length: number): Window =>
    from > now && now < today + 12 * HOUR
      ? { from: from - DAY, to: from - DAY + length }
      : { from, to: from + length }
  if (/morning/.test(text))
    return { from: dayOf + (now < dayOf + 6 * HOUR ? 0 : 6 * HOUR), to: dayOf + 12 * HOUR }
  if (/afternoon/.test(text)) return { from: dayOf + 12 * HOUR, to: dayOf + 18 * HOUR }
  if (/evening/.test(text)) return latest(dayOf + 18 * HOUR, 6 * HOUR)
  if (!NIGHT.test(text)) return null
  if (/yesterday/.test(text)) return { from: dayOf + 18 * HOUR, to: dayOf + 30 * HOUR }
  if (start.isCertain('weekday')) {
    const evening = dayOf + 18 * HOUR - (dayOf + 18 * HOUR > now ? 7 * DAY : 0)
    return { from: evening, to: evening + 12 * HOUR }
  }
  return latest(today - (/last/.test(text) ? DAY : 0) + 18 * HOUR, 12 * HOUR)
}

/** A month, a quarter or a year of the calendar that has begun; one that names no year is the latest. */
function calendarSpan(plain: string, now: number, offset: number): Window | null {
  const local = new Date(now + offset * MINUTE)
  const [thisYear, thisMonth] = [local.getUTCFullYear(), local.getUTCMonth()]
  const start = (year: number, month: number): number => Date.UTC(year, month) - offset * MINUTE
  const span = (year: number, month: number, months: number, word: string | undefined): Window | null => {
    const from = start(year, month)
    if (from >= now) return null
    return { from, to: word === 'since' ? now : Math.min(start(year, month + months), now) }
  }
  /** The year of a month that names none: this one, or the one before where it is still to come. */
  const latest = (year: string | undefined, month: number): number =>
    year === undefined ? thisYear - (month > thisMonth ? 1 : 0) : Number(year)
  const quarter = QUARTER.exec(plain)
  if (quarter !== null && (quarter[1] ?? quarter[3]) !== undefined) {
    const month = 3 * (Number(quarter[2]) - 1)
    return span(latest(quarter[3], month), month, 3, quarter[1])
  }
  const named = MONTH.exec(plain)
  if (named !== null && (named[1] ?? named[3]) !== undefined) {
    const monthOf = (name = ''): number => MONTHS.findIndex((each) => each.startsWith(name.slice(0, 3)))
    const month = monthOf(named[2])
    const until = UNTIL_MONTH.exec(plain.slice(named.index + named[0].length))
    const year = latest(named[3] ?? until?.[2], month)
    const months = until === null ? 0 : monthOf(until[1]) - month
    return span(year, month, 1 + (months < 0 ? months + 12 : months), named[1])
  }
  const year = YEAR.exec(plain)
  if (year !== null) return span(Number(year[2]), 0, 12, year[1])
  const called = CALENDAR.exec(plain)
  if (called === null) return null
  const back = called[2] === 'this' ? 0 : 1
  const word = called[1]?.trim()
  return called[3] === 'year'
    ? span(thisYear - back, 0, 12, word)
    : span(thisYear, 3 * (Math.floor(thisMonth / 3) - back), 3, word)
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
