const inZone = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const inZoneExactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const inZoneLong = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const clockExactly = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** Whether two instants are of one day where they are read; what is no instant is of none. */
function isSameDay(date: Date, at: string | undefined): boolean {
  const other = new Date(at ?? Number.NaN)
  return !Number.isNaN(other.getTime()) && day.format(date) === day.format(other)
}

/**
 * An instant in the zone of the person who reads it; the pointer shows it in UTC.
 * @param near instant that was told just before: of the same day, it needs no date again
 * @param isExact to the second, where minutes are too coarse
 */
export function InstantText({
  at,
  near,
  isExact = false,
}: {
  readonly at: string
  readonly near?: string | undefined
  readonly isExact?: boolean
}) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  const utc = `${date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`
  const [short, exact] = isSameDay(date, near) ? [clock, clockExactly] : [inZone, inZoneExactly]
  return (
    <time dateTime={at} title={`${utc} · here ${inZoneLong.format(date)}`}>
      {(isExact ? exact : short).format(date)}
    </time>
  )
}
