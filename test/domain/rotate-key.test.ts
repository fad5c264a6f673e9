import { describe, expect, it } from 'vitest'
import { type KeyRotationActs, rotateKey } from '#shared/domain/rotate-key.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const DAY = 86_400_000
const apiKey = (more: object = {}) => ({
  id: 'key_1',
  type: 'assistant',
  expires_at: null,
  revoked_at: null,
  ...more,
})

const rotating = (present: object | undefined, given = {}) => {
  const written: unknown[] = []
  const keys = {
    rotate: async (id: string, at: number, change: (key: unknown) => object) => {
      if (present === undefined) return undefined
      const fresh = change(present)
      written.push({ id, at, ...fresh })
      return { ...present, rotated: true }
    },
  }
  const acts = {
    keys,
    clock: () => NOW,
    random: (bytes: number) => new Uint8Array(bytes).fill(7),
    hash: (text: string) => `hash of ${text}`,
  }
  return { written, done: rotateKey(acts as unknown as KeyRotationActs, 'key_1', given, 'ada') }
}

describe('a key that is given a new value', () => {
  it('keeps everything but that, and the value before is valid for a day', async () => {
    const { written, done } = rotating(apiKey())
    const { key, previousUntil: until, apiKey: after } = await done
    expect(until).toBe(NOW + DAY)
    expect(after).toMatchObject({ id: 'key_1', rotated: true })
    expect(key).toMatch(/^iis_live_(?!undefined)[a-z]+_/)
    expect(written).toEqual([
      {
        id: 'key_1',
        at: NOW,
        hash: `hash of ${key}`,
        display: { prefix: expect.stringMatching(/^iis_live_/), last4: key.slice(-4) },
        previousUntil: until,
        by: 'ada',
      },
    ])
  })

  it('keeps the value before for as long as is asked', async () => {
    expect((await rotating(apiKey(), { overlap_seconds: 60 }).done).previousUntil).toBe(NOW + 60_000)
    expect((await rotating(apiKey(), { overlap_seconds: 0 }).done).previousUntil).toBe(NOW)
  })

  it('is there, is not revoked and has not expired', async () => {
    await expect(rotating(undefined).done).rejects.toThrow('Key key_1')
    await expect(rotating(apiKey({ revoked_at: '2026-03-01T00:00:00.000Z' })).done).rejects.toThrow(
      'This key is revoked.',
    )
    const expiring = (at: number) => rotating(apiKey({ expires_at: new Date(at).toISOString() })).done
    await expect(expiring(NOW)).rejects.toThrow('This key has expired.')
    await expect(expiring(NOW - 1)).rejects.toThrow('This key has expired.')
    expect((await expiring(NOW + 1)).apiKey).toBeDefined()
    await expect(rotating(apiKey({ expires_at: 'once' })).done).rejects.toThrow('This key has expired.')
  })
})
