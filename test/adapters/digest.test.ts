import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, digestOf } from '#shared/adapters/digest.ts'

/** The same content with every object's members in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

test('the same content has the same text, whatever the order of members, and the text reads back as the content', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(reversed(value))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('members stand in the order of code units, also those that look like numbers', () => {
  expect(canonicalJson({ 9: 1, 10: 2, b: 3, B: 4, é: 5, '\u{1f600}': 6, '\uffff': 7 })).toBe(
    '{"10":2,"9":1,"B":4,"b":3,"é":5,"😀":6,"\uffff":7}',
  )
})

test('what JSON does not know is null in lists, and left out of objects where it is undefined', () => {
  expect(canonicalJson([undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1])).toBe(
    '[null,null,null,null]',
  )
  expect(canonicalJson({ a: undefined, b: Number.NaN, c: null })).toBe('{"b":null,"c":null}')
  expect(canonicalJson(Float64Array.of(1, Number.NaN, 0.5))).toBe('[1,null,0.5]')
  expect(canonicalJson(undefined)).toBe('null')
  expect(canonicalJson([[], {}, '', -0])).toBe('[[],{},"",0]')
})

test('the digest is the SHA-256 of that text', () => {
  expect(digestOf({ b: 1, a: 2 })).toBe(digestOf({ a: 2, b: 1 }))
  // printf '{}' | sha256sum
  expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
})
