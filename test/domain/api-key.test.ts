import { randomBytes } from 'node:crypto'
import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32, keyDisplay, readKey, writeKey } from '#shared/domain/api-key.ts'

describe('the text of a key', () => {
  it('says its type and passes its own checksum', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('admin' as const, 'assistant' as const),
        fc.uint8Array({ minLength: 200, maxLength: 200 }),
        (type, bytes) => {
          fc.pre(bytes.filter((byte) => byte < 248).length >= 30)
          const key = writeKey('live', type, bytes)
          expect(key).toMatch(/^iis_live_(adm|ast)_[0-9A-Za-z]{36}$/)
          expect(readKey(key)).toEqual({ type })
        },
      ),
    )
  })

  it('with any one character changed is no key', () => {
    const key = writeKey('live', 'admin', randomBytes(128))
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: key.length - 1 }),
        fc.constantFrom(...'0aZ_'),
        (index, character) => {
          fc.pre(key[index] !== character)
          expect(readKey(key.slice(0, index) + character + key.slice(index + 1))).toBeNull()
        },
      ),
    )
  })

  it('keeps every base62 character equally likely by skipping bytes of 248 and above', () => {
    expect(() => writeKey('live', 'admin', new Uint8Array(64).fill(248))).toThrow(RangeError)
    expect(writeKey('live', 'admin', new Uint8Array(64).fill(247))).toContain('z'.repeat(30))
    expect(writeKey('live', 'admin', new Uint8Array(64).fill(0))).toContain('0'.repeat(30))
  })

  it('is recognised by what is shown of it, which gives no secret away', () => {
    const key = writeKey('live', 'assistant', randomBytes(128))
    expect(keyDisplay(key)).toEqual({ prefix: 'iis_live_ast_', last4: key.slice(-4) })
  })

  it('uses the CRC-32 that everybody uses', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(crc32(text)).toBe(zlibCrc32(text))
      }),
    )
  })
})

it('a key with anything before or after it is none, and too little chance makes none', () => {
  const key = writeKey(
    'test',
    'admin',
    new Uint8Array(128).map((_, index) => (index * 37) % 248),
  )
  expect(readKey(key)).not.toBeNull()
  for (const around of [`x${key}`, `${key}x`, ` ${key}`, `${key}\n`, key.slice(1)])
    expect(readKey(around)).toBeNull()
  expect(() => writeKey('test', 'admin', new Uint8Array(3))).toThrow('too few random bytes for a key')
})
