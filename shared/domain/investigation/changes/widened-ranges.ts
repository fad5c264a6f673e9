/**
 * Rules of a network that let in all whom they let in before, and more: they keep nobody out.
 *
 * Method: a range of addresses holds another where its prefix is no longer and both begin with it (RFC 4632, section 3.1). Where the
 * lines of a diff differ in nothing but ranges, each new one holds the old one, and the line lets somebody in, nobody is turned away
 * who was not. Of what is written otherwise nothing is concluded.
 * @see https://www.rfc-editor.org/rfc/rfc4632
 */

/** A range of addresses of version 4, as rules write it. */
const RANGE = /(?<![\d.])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})(?![\d.])/g
/** Says that what a range holds is turned away, or that what it does not hold is meant. */
const TURNS_AWAY = /\b(?:drop|deny|denied|reject|block|except|not)\b|!/i
/** Bits of an address. */
const BITS = 32

interface Range {
  readonly address: number
  readonly prefix: number
}

const rangesIn = (line: string): readonly Range[] =>
  Array.from(line.matchAll(RANGE), ([, a, b, c, d, prefix]) => ({
    address: ((Number(a) * 256 + Number(b)) * 256 + Number(c)) * 256 + Number(d),
    prefix: Number(prefix),
  }))

const holds = (outer: Range, inner: Range): boolean =>
  outer.prefix <= inner.prefix &&
  Math.floor(outer.address / 2 ** (BITS - outer.prefix)) ===
    Math.floor(inner.address / 2 ** (BITS - outer.prefix))

/** Whether one line is another one whose ranges hold those of the other. */
function widens(before: string, after: string): boolean {
  if (TURNS_AWAY.test(before) || before.replace(RANGE, '') !== after.replace(RANGE, '')) return false
  const [old, now] = [rangesIn(before), rangesIn(after)]
  return (
    old.length > 0 &&
    old.length === now.length &&
    now.every((each, index) => holds(each, old[index] as Range))
  )
}

/** Whether lines that are gone came back, each in its place, with wider ranges and nothing else. */
export const onlyWidens = (gone: readonly string[], added: readonly string[]): boolean =>
  gone.length > 0 &&
  gone.length === added.length &&
  gone.every((line, index) => widens(line, added[index] as string))
