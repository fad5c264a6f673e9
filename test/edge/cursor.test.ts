import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '#shared/domain/errors.ts'
import type { CursorKey } from '#shared/domain/ports.ts'
import { readCursor, writeCursor } from '#shared/edge/cursor.ts'

const NOW = 1_770_000_000_000
const DAY_MS = 86_400_000
const key: CursorKey = { version: 7, key: randomBytes(32) }
const other = (version: number): CursorKey => ({ version, key: randomBytes(32) })
/** The newest key first. */
const keys = (...held: [CursorKey, ...CursorKey[]]) => ({
  current: async () => held[0],
  find: async (version: number) => held.find((each) => each.version === version),
  rotate: async () => undefined,
})
const write = async (filters = {}, after = 'inc_1', at = NOW) =>
  (await writeCursor(keys(key), 'incidents', filters, after, at)) ?? ''
const read = (cursor: string, filters = {}, at = NOW, held = keys(key)) =>
  readCursor(held, 'incidents', filters, cursor, at)

describe('a cursor', () => {
  it('is null at the end and absent at the beginning', async () => {
    expect(await writeCursor(keys(key), 'incidents', {}, null, NOW)).toBeNull()
    expect(await readCursor(keys(key), 'incidents', {}, undefined, NOW)).toBeNull()
  })

  it('leads to where it was written, with the same filters in any order and any limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.dictionary(fc.string(), fc.string()), async (after, filters) => {
        const { cursor: _cursor, limit: _limit, ...own } = filters
        const cursor = await write(own, after)
        const reversed = Object.fromEntries(Object.entries(own).reverse())
        expect(await read(cursor, { ...reversed, limit: '7', cursor })).toBe(after)
      }),
    )
  })

  it('altered in any way is refused, 10,000 times of 10,000', async () => {
    const cursor = await write({ status: 'open' })
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: cursor.length - 1 }),
        fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ '),
        fc.constantFrom('replace', 'insert', 'cut'),
        async (index, character, how) => {
          const rest = how === 'replace' ? index + 1 : index
          const altered =
            how === 'cut' ? cursor.slice(0, index) : cursor.slice(0, index) + character + cursor.slice(rest)
          fc.pre(altered !== cursor)
          try {
            await read(altered, { status: 'open' })
            accepted += 1
          } catch (error) {
            expect(error).toMatchObject({ kind: 'invalid', details: { field: 'cursor' } })
          }
        },
      ),
      { numRuns: 10_000 },
    )
    expect(accepted).toBe(0)
  })

  it('of other filters, of another list or of another key is refused', async () => {
    const cursor = await write({ status: 'open' })
    await expect(read(cursor, { status: 'resolved' })).rejects.toThrow(Refusal)
    await expect(read(cursor, {})).rejects.toThrow(Refusal)
    await expect(readCursor(keys(key), 'webhooks', { status: 'open' }, cursor, NOW)).rejects.toThrow(Refusal)
    await expect(read(cursor, { status: 'open' }, NOW, keys(other(7)))).rejects.toThrow(Refusal)
  })

  it('is valid for 24 hours and no longer', async () => {
    const cursor = await write()
    expect(await read(cursor, {}, NOW + DAY_MS)).toBe('inc_1')
    await expect(read(cursor, {}, NOW + DAY_MS + 1)).rejects.toThrow(Refusal)
  })

  it('of the key before stays valid while rotating', async () => {
    const cursor = await write()
    expect(await read(cursor, {}, NOW, keys(other(8), key))).toBe('inc_1')
  })
})
