import { shortened } from '../../domain/incident.ts'
import type { RootCause } from '../../domain/investigation/findings.ts'

/**
 * Bytes that a description and a root cause take in an incident's own item, which lists read: with a title and a
 * service of 200 four-byte characters each, keys and the rest (below 800 bytes) the item stays below 8 KB.
 */
export const LISTED_DESCRIPTION_BYTES = 1_024
export const LISTED_ROOT_CAUSE_BYTES = 4_608

/** Bytes that a character takes in JSON, where control characters and lone surrogates become escapes. */
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** Cuts a text to a number of bytes of JSON, at a character's boundary, and shows that it did. */
export function cutToBytes(text: string, most: number): string {
  if (jsonBytes(text) <= most) return text
  const mark = '…'
  let room = most - jsonBytes(mark)
  let kept = ''
  for (const character of text) {
    room -= jsonBytes(character)
    if (room < 0) break
    kept += character
  }
  return kept + mark
}

/**
 * Longest text (bytes) and list of each step; the first that fits is taken. No step cuts below 96 bytes, so that
 * instants, digests (64) and words of the vocabulary stay whole.
 */
const STEPS = [
  [300, 20],
  [200, 10],
  [120, 6],
  [96, 3],
  [96, 1],
] as const
/** The summary says the most: it keeps this many times the length of other texts. */
const SUMMARY_FACTOR = 4

function tightened(value: unknown, mostBytes: number, mostItems: number): unknown {
  if (typeof value === 'string') return cutToBytes(value, mostBytes)
  if (Array.isArray(value)) {
    return value.slice(0, mostItems).map((item) => tightened(item, mostBytes, mostItems))
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      // A cut address leads nowhere.
      name === 'link' && typeof member === 'string' && jsonBytes(member) > mostBytes
        ? null
        : tightened(member, name === 'summary' ? mostBytes * SUMMARY_FACTOR : mostBytes, mostItems),
    ]),
  )
}

/** The root cause as an incident's own item carries it, as JSON of at most `LISTED_ROOT_CAUSE_BYTES`. */
export function listedRootCause(rootCause: RootCause): string {
  const listed = shortened(rootCause)
  let text = JSON.stringify(listed)
  for (const [mostBytes, mostItems] of STEPS) {
    if (Buffer.byteLength(text) <= LISTED_ROOT_CAUSE_BYTES) break
    text = JSON.stringify(tightened(listed, mostBytes, mostItems))
  }
  return text
}
