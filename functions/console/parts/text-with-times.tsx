import { place } from '../settings.ts'
import { InstantText } from './instant-text.tsx'

/** Instants as the API and as the engine's sentences write them, and ids of incidents. */
const KNOWN =
  /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|inc_[0-9A-Z]{26})/

const instantIn = (text: string): string => text.replace(' UTC', 'Z').replace(' ', 'T')

/** A sentence of the service: its instants in the zone of the person who reads it, its incidents as links. */
export function TextWithTimes({ text }: { readonly text: string }) {
  let near: string | undefined
  return (
    <>
      {text.split(KNOWN).map((piece, index) => {
        // Every second piece is known: its place is all that tells two alike pieces apart.
        if (index % 2 === 0) return piece
        const key = `${index} ${piece}`
        if (piece.startsWith('inc_'))
          return (
            <a key={key} href={place(`incidents/${piece}`)}>
              {piece}
            </a>
          )
        const before = near
        near = instantIn(piece)
        return <InstantText key={key} at={near} near={before} />
      })}
    </>
  )
}
