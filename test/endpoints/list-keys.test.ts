import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('list-keys', () => service)

describe('200', () => {
  it('is newest first, each key once over the pages, its value nowhere', async () => {
    const before = (await service.done('list-keys', { query: { limit: '100' } })).keys
    const made: { id: string; value: string }[] = []
    for (let count = 0; count < 7; count += 1)
      made.unshift(await service.done('create-key', { body: { name: `key ${count}`, type: 'assistant' } }))
    for (const limit of ['1', '3', '100']) {
      const seen: { id: string }[] = []
      let cursor: string | null = null
      do {
        const query: Record<string, string> = { limit, ...(cursor === null ? {} : { cursor }) }
        const body = await service.done('list-keys', { query })
        for (const { value } of made) expect(JSON.stringify(body)).not.toContain(value)
        seen.push(...body.keys)
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(seen.map(({ id }) => id)).toEqual([...made, ...before].map(({ id }) => id))
    }
  })

  it('tells when a key was last used, and that it is revoked', async () => {
    const { id, value } = await service.done('create-key', { body: { name: 'used', type: 'admin' } })
    const shown = async () => {
      const { keys } = await service.done('list-keys')
      return keys.find((key: { id: string }) => key.id === id)
    }
    expect(await shown()).toMatchObject({ last_used_at: null, revoked_at: null })
    await service.call('list-incidents', { headers: withKey(value) })
    expect(Math.abs(Date.parse((await shown()).last_used_at) - Date.now())).toBeLessThan(10_000)
    await service.call('revoke-key', { id })
    expect((await shown()).revoked_at).toMatch(/Z$/)
  })
})

describe('400', () => {
  it.each([
    ['limit', '0'],
    ['cursor', 'nonsense'],
  ])('names %s for %j', async (field, value) => {
    expectInvalid(await service.call('list-keys', { query: { [field]: value } }), field)
  })
})
