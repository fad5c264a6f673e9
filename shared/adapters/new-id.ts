import { randomInt } from 'node:crypto'
import { incrementBase32, ulid } from 'ulid'
import type { NewId } from '../domain/ports.ts'

/** Characters of a ULID that tell its time. */
const TIME_CHARACTERS = 10

/** A character of a ULID is one of 32. */
const CHARACTERS = 32
/** A fraction that picks one of them: the library would ask the Web's cryptography, which Node loads for that alone. */
const fraction = (): number => randomInt(CHARACTERS) / CHARACTERS

/**
 * Makes ids whose ULID tells exactly the instant that is given. Ids of the same instant, asked for in a row, are in
 * the order of their making; so the library's own monotonic factory does, but it also answers a clock that was set
 * back with ids of the later time, and lists filter by the time in the id.
 */
export function idMaker(): NewId {
  let last: { readonly at: number; readonly ulid: string } | undefined
  return (prefix, at) => {
    const next =
      last?.at === at
        ? last.ulid.slice(0, TIME_CHARACTERS) + incrementBase32(last.ulid.slice(TIME_CHARACTERS))
        : ulid(at, fraction)
    last = { at, ulid: next }
    return `${prefix}_${next}`
  }
}
