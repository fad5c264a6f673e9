/** A piece of a sentence of the service: words, an instant, or the id of an incident. */
export type TextPiece =
  | { readonly text: string }
  | { readonly at: string; readonly isExact: boolean }
  | { readonly incident: string }

const CLOCK = '\\d\\d:\\d\\d:\\d\\d'
/**
 * Instants as the API and as the engine's sentences write them, ids of incidents, and the clock times between which
 * something began: those stand behind the instant alone whose day they are of, and in UTC as it does.
 */
const KNOWN = new RegExp(
  `(?<at>\\d{4}-\\d\\d-\\d\\dT${CLOCK}(?:\\.\\d+)?Z|\\d{4}-\\d\\d-\\d\\d ${CLOCK} UTC)(?: \\(between (?<from>${CLOCK}) and (?<to>${CLOCK})\\))?|(?<incident>inc_[0-9A-Z]{26})`,
  'g',
)
const DAY_MS = 24 * 3_600_000
const HALF_DAY_MS = DAY_MS / 2

const instantIn = (text: string): string => text.replace(' UTC', 'Z').replace(' ', 'T')

/** The instant of a clock time in UTC that is nearest to another: of its day, or beside midnight of one next to it. */
function nearestAt(clock: string, near: string): string {
  const of = Date.parse(near)
  const same = Date.parse(`${new Date(of).toISOString().slice(0, 10)}T${clock}Z`)
  const days = same - of > HALF_DAY_MS ? -1 : of - same > HALF_DAY_MS ? 1 : 0
  return new Date(same + days * DAY_MS).toISOString()
}

/** What a sentence of the service is made of, in order; none of it is lost. */
export function textPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let end = 0
  for (const match of text.matchAll(KNOWN)) {
    pieces.push({ text: text.slice(end, match.index) })
    end = match.index + match[0].length
    const { at, from, to, incident = '' } = match.groups ?? {}
    if (at === undefined) {
      pieces.push({ incident })
      continue
    }
    const instant = instantIn(at)
    pieces.push({ at: instant, isExact: from !== undefined })
    // What is no instant at all has no day that a clock time could be of.
    if (from === undefined || to === undefined) continue
    if (Number.isNaN(Date.parse(instant))) {
      pieces.push({ text: ` (between ${from} and ${to})` })
      continue
    }
    pieces.push(
      ...[{ text: ' (between ' }, { at: nearestAt(from, instant), isExact: true }, { text: ' and ' }],
      ...[{ at: nearestAt(to, instant), isExact: true }, { text: ')' }],
    )
  }
  return [...pieces, { text: text.slice(end) }]
}
