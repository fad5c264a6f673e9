/** S3's own bound on a key, in bytes of UTF-8. */
const MOST_KEY_BYTES = 1_024
/** What file systems take for a name. */
const MOST_SEGMENT_BYTES = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/

function problem(key: string): string | null {
  if (Buffer.byteLength(key) > MOST_KEY_BYTES) return `is longer than ${MOST_KEY_BYTES} bytes`
  if (FORBIDDEN.test(key)) return 'holds a control character or a backslash'
  for (const segment of key.split('/')) {
    if (segment === '' || segment === '.' || segment === '..')
      return 'has a segment that is empty, . or .. between its slashes'
    if (Buffer.byteLength(segment) > MOST_SEGMENT_BYTES)
      return `has a segment of more than ${MOST_SEGMENT_BYTES} bytes`
  }
  return null
}

const shown = (key: string): string => JSON.stringify(key.slice(0, 200))

/**
 * The key itself, if every object store takes it.
 * @throws RangeError that shows the key and says what is wrong with it
 */
export function objectKey(key: string): string {
  const wrong = problem(key)
  if (wrong !== null) throw new RangeError(`the object key ${shown(key)} ${wrong}`)
  return key
}

/**
 * The prefix itself, if some key can begin with it: the empty one, and one that ends within a segment or in a slash.
 * @throws RangeError that shows the prefix and says what is wrong with it
 */
export function objectPrefix(prefix: string): string {
  // Whatever begins a segment can be continued; `x` stands for the rest.
  const wrong = prefix === '' ? null : problem(`${prefix}x`)
  if (wrong !== null) throw new RangeError(`the prefix ${shown(prefix)} ${wrong}`)
  return prefix
}
