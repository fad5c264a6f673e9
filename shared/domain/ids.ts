/** What a ULID looks like: Crockford's base32 has neither I, L, O nor U, and 130 bits are two more than it tells. */
export const ULID_PATTERN = '[0-7][0-9A-HJKMNP-TV-Z]{25}'
const ULID_FORM = new RegExp(`^${ULID_PATTERN}$`)
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Characters of a ULID that tell the time; the other 16 are random. */
const TIME_CHARACTERS = 10
const RANDOM_CHARACTERS = 16

/** True when `id` is `<prefix>_<ULID>`, so that an id no resource can have costs no read. */
export function isId(id: string, prefix: string): boolean {
  return id.startsWith(`${prefix}_`) && ULID_FORM.test(id.slice(prefix.length + 1))
}

/**
 * The first word of a text that is written like an id of a prefix, in capitals as ids are, or null. Somebody may have
 * mistaken a letter of it: whether it can be one, `isId` says.
 */
export function idWritten(text: string, prefix: string): string | null {
  const [, ulid] = new RegExp(`\\b${prefix}_([0-9A-Z]{26})\\b`, 'i').exec(text) ?? []
  return ulid === undefined ? null : `${prefix}_${ulid.toUpperCase()}`
}

/** The ten characters with which the ULIDs of an instant (milliseconds since the epoch) begin. */
function timeCharacters(at: number): string {
  let rest = at
  let text = ''
  for (let index = 0; index < TIME_CHARACTERS; index += 1) {
    text = (ALPHABET[rest % 32] ?? '0') + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/**
 * An id of another prefix that tells the same instant as `id`, its rest taken from a digest: the same for the same id
 * and digest. @param digest at least 16 bytes @throws RangeError when the id ends in no ULID or the digest is shorter
 */
export function derivedId(prefix: string, id: string, digest: Uint8Array): string {
  timeOf(id)
  if (digest.length < RANDOM_CHARACTERS) throw new RangeError('the digest is too short')
  let rest = ''
  for (const byte of digest.subarray(0, RANDOM_CHARACTERS)) rest += ALPHABET[byte % 32] ?? ''
  return `${prefix}_${id.slice(-(TIME_CHARACTERS + RANDOM_CHARACTERS), -RANDOM_CHARACTERS)}${rest}`
}

/** The smallest and the greatest id of a prefix that an instant can have. */
export const idBounds = (prefix: string, at: number): { readonly first: string; readonly last: string } => {
  const time = timeCharacters(at)
  return {
    first: `${prefix}_${time}${'0'.repeat(RANDOM_CHARACTERS)}`,
    last: `${prefix}_${time}${'Z'.repeat(RANDOM_CHARACTERS)}`,
  }
}

/** The instant (ms) that the ULID of an id tells. @throws RangeError when the id ends in no ULID */
export function timeOf(id: string): number {
  const ulid = id.slice(-(TIME_CHARACTERS + RANDOM_CHARACTERS))
  if (!ULID_FORM.test(ulid)) throw new RangeError(`not an id: ${id}`)
  let at = 0
  for (const character of ulid.slice(0, TIME_CHARACTERS)) at = at * 32 + ALPHABET.indexOf(character)
  return at
}

/**
 * The greatest id of the same prefix that is smaller than `id`: with it a range that ends before an id can include
 * its bounds. @throws RangeError when the id ends in no ULID or in the smallest one
 */
export function idBefore(id: string): string {
  timeOf(id)
  for (let index = id.length - 1; index >= id.length - TIME_CHARACTERS - RANDOM_CHARACTERS; index -= 1) {
    const value = ALPHABET.indexOf(id[index] ?? '')
    if (value > 0) return id.slice(0, index) + ALPHABET[value - 1] + 'Z'.repeat(id.length - index - 1)
  }
  throw new RangeError(`no id is smaller than ${id}`)
}
