import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HEADER_NAME, HEADER_VALUE, OWN_HEADERS } from '#shared/domain/header-form.ts'

const isName = (text: string): boolean => new RegExp(HEADER_NAME.pattern).test(text)
const isValue = (text: string): boolean => new RegExp(HEADER_VALUE.pattern).test(text)
const CLIENTS = [
  ...[
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'upgrade',
    'expect',
    'keep-alive',
    'te',
    'trailer',
  ],
  ...['content-type', 'accept', 'accept-encoding', 'user-agent'],
]

describe('the name of a header that a setting may add', () => {
  it.each([
    'X-Scope-OrgID',
    'authorization',
    'hosts',
    'x-host',
    'accepted',
    'te2',
    "!#$%&'*+.^_`|~-9",
    'x'.repeat(100),
  ])('is %j', (name) => {
    expect(isName(name)).toBe(true)
  })

  it.each(['', 'a b', 'a:b', 'a\n', 'a\u00e9', 'a(b)', 'x'.repeat(101)])('is not %j', (name) => {
    expect(isName(name)).toBe(false)
  })

  it.each(CLIENTS)('is not the client’s own %s, in any case', (name) => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.boolean()), (upper) => {
        const written = [...name]
          .map((letter) => (upper.next().value === true ? letter.toUpperCase() : letter))
          .join('')
        expect(isName(written)).toBe(false)
      }),
      { numRuns: 20 },
    )
  })

  it('is said in words, and what the client sets is known as a list', () => {
    expect(HEADER_NAME.words).toBe('that of a header which is not the client’s own')
    expect(OWN_HEADERS).toEqual(CLIENTS.slice(0, 9))
  })
})

describe('the value of a header', () => {
  it.each(['a', 'Bearer a.b', ' padded ', '~!', 'a b'])('is %j', (value) => {
    expect(isValue(value)).toBe(true)
  })

  it.each(['', ' ', 'a\nb', '\ta', '\u00e9', 'a\u007f', 'a\u0000'])('is not %j', (value) => {
    expect(isValue(value)).toBe(false)
  })

  it('is said in words', () => {
    expect(HEADER_VALUE.words).toBe('printable ASCII')
  })
})
