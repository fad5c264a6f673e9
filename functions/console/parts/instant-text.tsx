const inZone = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const inZoneLong = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** An instant in the zone of the person who reads it; the pointer, and the focus, show it in UTC. */
export function InstantText({ at }: { readonly at: string }) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  const utc = `${date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`
  return (
    <time dateTime={at} title={`${utc} · here ${inZoneLong.format(date)}`}>
      {inZone.format(date)}
    </time>
  )
}
