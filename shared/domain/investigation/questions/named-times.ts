/** What times are called, and what an instant means; whoever needs no more than that need not read times. */

/** A single instant ("at 10:30") means the time around it, milliseconds on either side. */
export const AROUND = 30 * 60_000

export const DAY_NAME = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'
export const MONTHS =
  'january february march april may june july august september october november december'.split(' ')
export const MONTH_NAME = `${MONTHS.map((name) => (name === 'may' ? name : `${name.slice(0, 3)}(?:${name.slice(3)})?`)).join('|')}|sept`

/** Numbers of hours as words, for an expression. */
export const TO_TWELVE = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
