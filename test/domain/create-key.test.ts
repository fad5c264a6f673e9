import { describe, expect, it } from 'vitest'
import { type ApiKey, readKey } from '#shared/domain/api-key.ts'
import { createKey, KEY_QUOTA, type KeyActs, type NewKey } from '#shared/domain/create-key.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const YEAR = 366 * 86_400_000

function keeping() {
  const kept: { readonly key: ApiKey; readonly hash: string; readonly quota: number }[] = []
  const acts: KeyActs = {
    keys: {
      create: async (key, hash, quota) => void kept.push({ key, hash, quota }),
      rotate: () => Promise.resolve(undefined),
    },
    clock: () => NOW,
    newId: (prefix, at) => `${prefix}_${at}`,
    random: (bytes) => Uint8Array.from({ length: bytes }, (_, index) => index),
    hash: (key) => `hash of ${key}`,
  }
  return { kept, acts }
}
const given: NewKey = { name: ' Ines ', type: 'admin', plan: 'standard', expires_at: null, created_by: 'cli' }

describe('a new key', () => {
  it('is returned once, and only its hash and what people recognise it by are kept', async () => {
    const { kept, acts } = keeping()
    const { apiKey, key } = await createKey(acts, given)
    expect(readKey(key)).toEqual({ type: 'admin' })
    expect(kept).toEqual([{ key: apiKey, hash: `hash of ${key}`, quota: KEY_QUOTA }])
    expect(apiKey).toEqual({
      id: `key_${NOW}`,
      name: 'Ines',
      type: 'admin',
      plan: 'standard',
      prefix: 'iis_live_adm_',
      last4: key.slice(-4),
      created_by: 'cli',
      created_at: '2026-01-31T12:00:00.000Z',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    })
    expect(JSON.stringify(apiKey)).not.toContain(key)
  })

  it('writes its end of life as the service writes instants', async () => {
    const { acts } = keeping()
    const { apiKey } = await createKey(acts, { ...given, expires_at: '2026-02-28T00:00:00Z' })
    expect(apiKey.expires_at).toBe('2026-02-28T00:00:00.000Z')
    const longest = new Date(NOW + 5 * YEAR).toISOString()
    expect((await createKey(acts, { ...given, expires_at: longest })).apiKey.expires_at).toBe(longest)
  })

  it.each([
    ['a blank name', { name: '  ' }, 'name', '1 to 100'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name', '1 to 100'],
    ['an end that is no instant', { expires_at: '2026-02-30T00:00:00Z' }, 'expires_at', 'ISO 8601'],
    ['an end that is now', { expires_at: '2026-01-31T12:00:00Z' }, 'expires_at', 'in the future'],
    [
      'an end beyond five years',
      { expires_at: new Date(NOW + 5 * YEAR + 1).toISOString() },
      'expires_at',
      'five years',
    ],
  ])('is refused for %s, naming the field', async (_name, change, field, reason) => {
    const { kept, acts } = keeping()
    await expect(createKey(acts, { ...given, ...change })).rejects.toMatchObject({
      kind: 'invalid',
      details: { field, reason: expect.stringContaining(reason) },
    })
    expect(kept).toEqual([])
  })
})

it('a name has 1 to 100 characters', async () => {
  const { acts } = keeping()
  expect((await createKey(acts, { ...given, name: 'n'.repeat(100) })).apiKey.name).toHaveLength(100)
  for (const name of ['n'.repeat(101), '', '  '])
    await expect(createKey(acts, { ...given, name })).rejects.toMatchObject({ details: { field: 'name' } })
})
