const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?Z$/

/**
 * Reads an ISO 8601 UTC instant, `2026-03-01T12:00:00Z` with up to nine digits of fraction.
 * Checked against the calendar: 30 February, second 60 and hour 24 are refused, which `Date.parse` rolls over.
 * @returns milliseconds since the epoch, with microseconds as its fraction (a double holds no finer instant of
 * today), or undefined when the text is no such instant.
 */
export function parseInstant(text: string): number | undefined {
  const parts = INSTANT.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (minute > 59 || second > 59) return undefined
  const whole = Date.UTC(year, month - 1, day, hour, minute, second)
  const calendar = new Date(whole)
  // Date.UTC rolls a month that does not exist over into another year and a day or an hour into another day, and reads
  // years below 100 as 19xx.
  if (calendar.getUTCFullYear() !== year || calendar.getUTCDate() !== day) return undefined
  const fraction = parts[7]
  return fraction === undefined ? whole : whole + Number(fraction.padEnd(6, '0').slice(0, 6)) / 1000
}

/**
 * Writes an instant as `YYYY-MM-DDTHH:mm:ss.sssZ`, with six digits of fraction where it is no whole millisecond.
 * For instants of this century `parseInstant` gives back exactly what was written (beyond 2109 a double is too coarse
 * for microseconds).
 * @param instant milliseconds since the epoch
 */
export function formatInstant(instant: number): string {
  const microseconds = Math.round((instant - Math.floor(instant)) * 1000)
  if (microseconds === 0) return new Date(Math.floor(instant)).toISOString()
  if (microseconds === 1000) return new Date(Math.floor(instant) + 1).toISOString()
  const text = new Date(Math.floor(instant)).toISOString()
  return `${text.slice(0, -1)}${String(microseconds).padStart(3, '0')}Z`
}

/**
 * Reads a timestamp as clients give it: the same form, from 1970 on, fractions cut to milliseconds.
 * @returns milliseconds since the epoch, or null when the text is anything else
 */
export function readInstant(text: string): number | null {
  const at = parseInstant(text)
  return at === undefined || at < 0 ? null : Math.floor(at)
}

/** The clock of whoever tells of an instant may be ahead of ours by this much, ms. */
export const MOST_AHEAD_MS = 5 * 60_000

/** Writes an instant (whole milliseconds since the epoch) as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const writeInstant = (at: number): string => new Date(at).toISOString()
