import * as z from 'zod/mini'
import { ULID_PATTERN } from '../domain/ids.ts'
import { readInstant } from '../domain/instant.ts'
import { MOST_OVERLAP_S } from '../domain/overlap.ts'

/** Length as people count it and JSON Schema does: in code points, not in UTF-16 units. */
const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Control characters, and the bidirectional controls that let a text show as something else than it is. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/** Spaces, and what takes no room at all: soft hyphens, joiners and marks of direction. */
const UNSEEN = '\\s\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff'
const SEEN = new RegExp(`[^${UNSEEN}]`)

/** Something to see; no body may hold NUL. */
const TEXT_FORM = `^[^\\u0000]*[^${UNSEEN}\\u0000][^\\u0000]*$`

/** Free text, line breaks included, of at most `most` code points, not blank. */
export const text = (most: number) =>
  z
    .string()
    .check(
      z.refine((value) => SEEN.test(value), { error: 'must not be empty', abort: true }),
      z.refine((value) => codePoints(value) <= most, { error: `must have at most ${most} characters` }),
    )
    .register(z.globalRegistry, { minLength: 1, maxLength: most, pattern: TEXT_FORM })

/** The same in the regular expressions that every reader of JSON Schema knows: something to see, nothing unprintable. */
const HIDDEN = '\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069'
const LINE_FORM = `^[^${HIDDEN}]*[^${UNSEEN}${HIDDEN}][^${HIDDEN}]*$`

/** One line of text without control characters, of at most `most` code points, not blank. */
export const line = (most: number) =>
  z
    .string()
    .check(
      z.refine((value) => SEEN.test(value), { error: 'must not be empty', abort: true }),
      z.refine((value) => codePoints(value) <= most, { error: `must have at most ${most} characters` }),
      z.refine((value) => !UNPRINTABLE.test(value), { error: 'must not hold control characters' }),
    )
    .register(z.globalRegistry, { minLength: 1, maxLength: most, pattern: LINE_FORM })

/** What JSON Schema can say of a timestamp that is taken: that the day exists it cannot. */
const INSTANT_FORM =
  '^(19[7-9][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$'

/** A timestamp given by a client: ISO 8601 UTC ending in `Z`, a real date. */
export const instantIn = () =>
  z
    .string()
    .check(
      z.refine((value) => readInstant(value) !== null, {
        error: 'must be an ISO 8601 UTC timestamp from 1970 on ending in Z, such as 2026-01-31T12:00:00Z',
      }),
    )
    .register(z.globalRegistry, {
      format: 'date-time',
      pattern: INSTANT_FORM,
      examples: ['2026-01-31T12:00:00Z'],
    })

const instantShown = z
  .string()
  .check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
  .register(z.globalRegistry, {
    id: 'Instant',
    description: 'An instant in UTC, to the millisecond.',
    format: 'date-time',
    examples: ['2026-01-31T12:00:00.000Z'],
  })
/** A timestamp given by the service: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const instantOut = () => instantShown

/** An id the service gave: the prefix of its kind, `_`, and a ULID. */
export const idOut = (prefix: string) => z.string().check(z.regex(new RegExp(`^${prefix}_${ULID_PATTERN}$`)))

/** An id that a client names in a body: of the right form, which says nothing of whether it exists. */
export const idIn = (prefix: string, what: string) =>
  z.string().check(z.regex(new RegExp(`^${prefix}_${ULID_PATTERN}$`), { error: `must be the id of ${what}` }))

/** For how many seconds something stays valid beside what replaces it. */
export const overlapSeconds = () => z.int().check(z.minimum(0), z.maximum(MOST_OVERLAP_S))

/** A probability. */
export const fraction = () => z.number().check(z.minimum(0), z.maximum(1))
