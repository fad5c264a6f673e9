/**
 * The times of a schedule in the five fields of crontab(5): minute, hour, day of the month, month, day of the week, in
 * UTC, which is what cluster schedulers use where nothing else is said (Kubernetes, CronJob, "Time zones").
 */

/** No schedule of five fields is finer, ms. */
const MINUTE_MS = 60_000
/** Longer spans are not asked about: an incident's window holds at most hours, ms. */
const LONGEST_MS = 48 * 3_600_000
/** What crontab(5) lets stand for five fields. */
const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}
/** First and last value of each field. */
const RANGES: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
]

/** The values that one field allows; null where it cannot be read. */
function valuesOf(field: string, [first, last]: readonly [number, number]): ReadonlySet<number> | null {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part)
    if (match === null) return null
    const [, from, to, step] = match
    const begin = from === undefined ? first : Number(from)
    const end = to === undefined ? (from === undefined || step !== undefined ? last : begin) : Number(to)
    const by = step === undefined ? 1 : Number(step)
    if (by === 0 || begin < first || end > last) return null
    for (let value = begin; value <= end; value += by) values.add(value)
  }
  return values
}

/** The minutes of a span, its ends included, at which a schedule is due; none where it cannot be read. */
export function timesOf(schedule: string, from: number, to: number): readonly number[] {
  const fields = (NAMED[schedule.toLowerCase()] ?? schedule).trim().split(/\s+/)
  if (fields.length !== RANGES.length) return []
  const allowed = fields.map((field, index) => valuesOf(field, RANGES[index] as readonly [number, number]))
  const [minutes, hours, days, months, weekdays] = allowed
  if (!minutes || !hours || !days || !months || !weekdays) return []
  // Where both days are limited either is enough: crontab(5).
  const isEither = fields[2] !== '*' && fields[4] !== '*'
  const times: number[] = []
  const begin = Math.ceil(Math.max(from, to - LONGEST_MS) / MINUTE_MS) * MINUTE_MS
  for (let at = begin; at <= to; at += MINUTE_MS) {
    const date = new Date(at)
    if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours())) continue
    if (!months.has(date.getUTCMonth() + 1)) continue
    const isDay = days.has(date.getUTCDate())
    const isWeekday = weekdays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekdays.has(7))
    if (isEither ? isDay || isWeekday : isDay && isWeekday) times.push(at)
  }
  return times
}
