/** Headers that the client sets itself: another Host would reach a neighbour of the address that was checked. */
export const OWN_HEADERS: readonly string[] = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'keep-alive',
  'te',
  'trailer',
]

/** Those, and the ones that another setting is for. */
const RESERVED = [...OWN_HEADERS, 'content-type', 'accept', 'accept-encoding', 'user-agent']

// JSON Schema knows no flag that leaves case out of account.
const inAnyCase = (word: string): string =>
  word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

/** The name (RFC 9110, 5.1) of a header that a setting may add. */
export const HEADER_NAME = {
  pattern: `^(?!(?:${RESERVED.map(inAnyCase).join('|')})$)[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,100}$`,
  words: 'that of a header which is not the client’s own',
} as const

/** The value of a header: what every server and proxy takes. */
export const HEADER_VALUE = { pattern: '^ *[!-~][ -~]*$', words: 'printable ASCII' } as const
