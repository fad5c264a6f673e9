import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAmong } from '#shared/domain/precondition.ts'
import { entityTag, readTags } from '#shared/edge/entity-tags.ts'

const versions = fc.integer({ min: 1, max: 999_999_999_999_999 })
const lists = fc.array(versions, { minLength: 1, maxLength: 20 })
const separators = fc.constantFrom(',', ', ', ' ,', '\t, ')

describe('entity tags', () => {
  it('are read back as the versions that they were made of, in one header or several', () => {
    fc.assert(
      fc.property(lists, separators, fc.nat({ max: 20 }), (given, separator, cut) => {
        const tags = given.map(entityTag)
        const headers = [tags.slice(0, cut), tags.slice(cut)].filter((part) => part.length > 0)
        const read = readTags(
          'If-Match',
          headers.map((part) => part.join(separator)),
          true,
        )
        expect(read).toEqual(given)
      }),
    )
  })

  it('name a version if and only if one of them was made of it', () => {
    fc.assert(
      fc.property(lists, versions, (given, version) => {
        const read = readTags('If-Match', [given.map(entityTag).join()], true) ?? []
        expect(isAmong(read, version)).toBe(given.includes(version))
        for (const each of given) expect(isAmong(read, each)).toBe(true)
      }),
    )
  })

  it('that are weak count for reads and not for writes', () => {
    expect(readTags('If-None-Match', ['W/"3", "4"'], false)).toEqual([3, 4])
    expect(readTags('If-Match', ['W/"3", "4"'], true)).toEqual([4])
  })

  it('that the service never gave are no version', () => {
    const strange = fc
      .string({ unit: fc.constantFrom('!', '#', 'a', '-', '0', '1', '9', '.', 'é') })
      .filter((text) => !/^[1-9]\d{0,14}$/.test(text))
    fc.assert(
      fc.property(strange, (text) => {
        expect(readTags('If-Match', [`"${text}"`], true)).toEqual([])
      }),
    )
  })

  it('that were not sent ask nothing, and `*` asks for any version', () => {
    expect(readTags('If-Match', [], true)).toBeUndefined()
    expect(readTags('If-Match', ['*'], true)).toBe('any')
    expect(isAmong('any', 3)).toBe(true)
  })

  it('are either read or refused by the name of their header, whatever was sent, within the time of a request', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', ',', ' ', 'W/', '*', 'a', '1', '\t', '\\') }),
        (text) => {
          try {
            readTags('If-Match', [text], true)
          } catch (error) {
            expect(error).toMatchObject({ kind: 'invalid', details: { field: 'If-Match' } })
          }
        },
      ),
    )
    const startedAt = performance.now()
    for (const part of ['"1",', ' ', '"', 'W/"1" ', '\t,'])
      expect(() => readTags('If-Match', [part.repeat(20_000)], true)).toThrow('If-Match')
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })
})
