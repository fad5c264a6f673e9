import { textPieces } from '../instants-in-text.ts'
import { place } from '../settings.ts'
import { InstantText } from './instant-text.tsx'

/** A sentence of the service: its instants in the zone of the person who reads it, its incidents as links. */
export function TextWithTimes({ text }: { readonly text: string }) {
  let near: string | undefined
  return (
    <>
      {textPieces(text).map((piece, index) => {
        if ('text' in piece) return piece.text
        // Its place is all that tells two alike pieces apart.
        if ('incident' in piece)
          return (
            <a key={`${index} ${piece.incident}`} href={place(`incidents/${piece.incident}`)}>
              {piece.incident}
            </a>
          )
        const before = near
        near = piece.at
        return (
          <InstantText key={`${index} ${piece.at}`} at={piece.at} near={before} isExact={piece.isExact} />
        )
      })}
    </>
  )
}
