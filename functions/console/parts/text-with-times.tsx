import { place } from '../settings.ts'
import { InstantText } from './instant-text.tsx'

/** Instants as the API and as the engine's sentences write them, and ids of incidents. */
const KNOWN =
  /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|inc_[0-9A-Z]{26})/

function Known({ text }: { readonly text: string }) {
  if (text.startsWith('inc_')) return <a href={place(`incidents/${text}`)}>{text}</a>
  return <InstantText at={text.replace(' UTC', 'Z').replace(' ', 'T')} />
}

/** A sentence of the service: its instants in the zone of the person who reads it, its incidents as links. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(KNOWN)
        // Every second piece is known: its place is all that tells two alike pieces apart.
        .map((piece, index) => (index % 2 === 1 ? <Known key={`${index} ${piece}`} text={piece} /> : piece))}
    </>
  )
}
