/** Times as they are said in passing, put into the words that times are read of. */

import { TO_TWELVE } from './named-times.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LENGTH = `(?:\\d{1,4}|an?|${TO_TWELVE}|fifteen|twenty|thirty|forty(?:[- ]five)?|sixty|ninety|half an|a few|a couple of) ?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|m|h|d)`
/** "For two hours already" began two hours ago, as "for the last two hours" did. */
const FOR_SO_LONG = new RegExp(
  `\\b(?:for|since) (?:about |over |more than |at least |nearly |almost |roughly )?(${LENGTH}) (?:now|already)\\b|\\b(?:already|now) for (?:about |over |more than |at least |nearly |almost |roughly )?(${LENGTH})(?![\\w-])`,
)
/** "An hour back" is an hour ago. */
const BACK = new RegExp(`\\b(${LENGTH}) back\\b(?! to\\b)`)
/** "-1h" and "t-30m", as programs take them. */
const MINUS = /(?<!\S)(?:t ?|now ?)?-(\d{1,4}) ?(s|m|min|h|d)(?![\w-])/
/** A stretch beside what has no time of the clock is no stretch that is told. */
const BESIDE_EVENT = new RegExp(
  `\\b(?:in |during |over |within )?the (?:last |first )?(?:${LENGTH}|hour|minute|day|week)s? (?:right |just |directly )?(?:before|after|leading up to|of|around) (?=(?:it|this|that|things|everything|the (?!last|past|day|week|hour)\\w+|our|we|they)\\b)(?!(?:that|this) (?:day|week|hour)\\b)`,
)
/** "This time yesterday" is so long ago. */
const THIS_TIME =
  /\b(?:at |than |around |about )?(?:this|the same) time (yesterday|last week|(\d|two|three) days ago)\b/
/** "Yesterday at the same time" is that, too. */
const THEN_AT =
  /\b(yesterday|last week|(?:\d|two|three) days ago),? (?:(?:at )?(?:this|the same) time|same time)\b/
const DAYS_AGO: Readonly<Record<string, number>> = { yesterday: 1, 'last week': 7, two: 2, three: 3 }
/** "12-13h" is from an hour to an hour. */
const HOURS_DASHED = /(?<![\w:.-])(\d|1\d|2[0-3]) ?(?:-|\u2013) ?(\d|1\d|2[0-4]) ?(?:h|hrs|uhr|o'clock)(?!\w)/
const DURING_LUNCH = /\b(?:during|over) lunch(?: ?time| break)?\b/
/** "The night from monday to tuesday" is that of monday. */
const NIGHT_BETWEEN =
  /\bnight (?:from|between) ((?:mon|tues|wednes|thurs|fri|satur|sun)day) (?:to|and|on|till) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b/
/** A day as it is written with points ("08.06.", "8.6.2026"); two numbers with one point are a version. */
const POINTED_DAY = /(?<![\w.])(\d{1,2})\.(\d{1,2})\.(20\d\d)?(?=$|[\s,?!])/
/** The end of a stretch that is written without the day of its beginning. */
const SAME_DAY =
  /(\d{4}-\d\d-\d\d)t(\d\d:\d\d(?::\d\d)?z?) (?:to|until|till|-) (\d\d:\d\d(?::\d\d)?z?)(?![\d-])/
/** What somebody did between "since" and the time of it. */
const SINCE_DOING =
  /\b(since|after) (?:i|we|you|they|it|everybody|every(?:one|thing)) (?:\w+ ){1,3}(?=(?:at|around) \d|yesterday\b|last night\b|this morning\b|on \w+day\b)/
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

/**
 * The text with such times told plainly.
 *
 * @param local now as the clock of the zone shows it, milliseconds
 */
export function spokenTimes(plain: string, local: number): string {
  return plain
    .replace(BESIDE_EVENT, 'before ')
    .replace(FOR_SO_LONG, (_, one?: string, other?: string) => `in the last ${one ?? other}`)
    .replace(BACK, '$1 ago')
    .replace(MINUS, 'in the last $1 $2')
    .replace(THEN_AT, 'this time $1')
    .replace(THIS_TIME, (_, when: string, days?: string) => {
      const ago = DAYS_AGO[days ?? when] ?? Number(days)
      return ` at ${dayText(local - ago * DAY)} ${new Date(local).toISOString().slice(11, 16)}`
    })
    .replace(HOURS_DASHED, 'from $1:00 to $2:00')
    .replace(DURING_LUNCH, 'from 12:00 to 13:00')
    .replace(NIGHT_BETWEEN, '$1 night')
    .replace(POINTED_DAY, (all, day: string, month: string, year?: string) => {
      const of = Number(year ?? new Date(local).getUTCFullYear())
      const at = Date.UTC(of, Number(month) - 1, Number(day))
      const isDay = new Date(at).getUTCMonth() === Number(month) - 1 && Number(day) > 0
      if (!isDay) return all
      // A day without its year is the latest of it.
      return dayText(year === undefined && at > local ? Date.UTC(of - 1, Number(month) - 1, Number(day)) : at)
    })
    .replace(SAME_DAY, '$1t$2 to $1t$3')
    .replace(SINCE_DOING, '$1 ')
}
