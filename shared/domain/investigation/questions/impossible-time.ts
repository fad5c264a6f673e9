/** Days that a question names and no calendar has, and times that no clock shows: slips, which must not be answered of another time. */

/** A day as it is written, not as a part of a name or of a longer number. */
const WRITTEN_DAY = /(?<![\w.-])(\d{4})-(\d{2})-(\d{2})(?![\d-]|\.\d)/g
/** Months with fewer than 31 days; other numbers than such a day beside a month may count anything. */
const SHORT_MONTH = 'feb(?:ruary)?|apr(?:il)?|june?|sept?(?:ember)?|nov(?:ember)?'
const NAMED_YEAR = '(?:,? (20\\d\\d|19\\d\\d))?(?![\\w:%-])'
const MONTH_FIRST = new RegExp(`(?<![\\w-])(${SHORT_MONTH}) (29|30|31)(?:st|th)?${NAMED_YEAR}`, 'gi')
const DAY_FIRST = new RegExp(`(?<![\\w.:-])(29|30|31)(?:st|th)? (?:of )?(${SHORT_MONTH})${NAMED_YEAR}`, 'gi')

/** Whether a month that is short never has such a day, or not in that year; some year has a 29 February. */
function lacks(month: string, day: number, year: string | undefined): boolean {
  if (!/^feb/i.test(month)) return day === 31
  return day > 29 || (year !== undefined && new Date(Date.UTC(Number(year), 1, day)).getUTCMonth() !== 1)
}

/** The first day in a text that no calendar has, as it is written there; null where there is none. */
export function impossibleDay(text: string): string | null {
  for (const [day, year, month, date] of text.matchAll(WRITTEN_DAY)) {
    const told = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)))
    // What does not exist is rolled over into what does; years below 100 are read as those of another century.
    if (told.getUTCMonth() !== Number(month) - 1 || told.getUTCDate() !== Number(date)) return day
  }
  for (const [told, month = '', day, year] of text.matchAll(MONTH_FIRST))
    if (lacks(month, Number(day), year)) return told
  for (const [told, day, month = '', year] of text.matchAll(DAY_FIRST))
    if (lacks(month, Number(day), year)) return told
  return null
}

/** A time of the clock where a question tells when; other pairs of numbers (from 90:10 to 50:50) are ratios, ports and scores. */
const TOLD_TIME =
  /\b(?:at|since|after|before|around|until|till|between)\s{1,3}((\d{1,2}):(\d{2})(?::(\d{2}))?)(?![\w:.%-])/gi

/** The first time in a text that no clock shows, as it is written there; null where there is none. */
export function impossibleTime(text: string): string | null {
  for (const [, told = '', hour, minute, second = '0'] of text.matchAll(TOLD_TIME)) {
    // The end of a day is written 24:00 (ISO 8601-1, section 4.3.8), and a minute may have a leap second.
    const isEndOfDay = Number(hour) === 24 && Number(minute) === 0 && Number(second) === 0
    if (!isEndOfDay && (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60)) return told
  }
  return null
}
