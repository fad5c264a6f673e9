import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('rotate-key', () => service)

const newKey = (type = 'admin') => service.done('create-key', { body: { name: 'rotated', type } })
const rotate = (id: string, body: object = {}) => service.done('rotate-key', { id, body })
const list = (value: string) => service.call('list-incidents', { headers: withKey(value) })

describe('200', () => {
  it('answers a new value of the same key, and until when the one before is valid: by default a day', async () => {
    const made = await newKey()
    const rotated = await rotate(made.id)
    const { value: _old, last4: _ending, ...same } = made
    expect(rotated).toMatchObject(same)
    expect(rotated.value).toMatch(/^iis_live_adm_/)
    expect(rotated.value).not.toBe(made.value)
    expect(rotated.last4).toBe(rotated.value.slice(-4))
    const day = Date.parse(rotated.previous_value_valid_until) - Date.now()
    expect(Math.abs(day - 86_400_000)).toBeLessThan(10_000)
    const { keys } = await service.done('list-keys', { query: { limit: '100' } })
    expect(keys.filter(({ id }: { id: string }) => id === made.id)).toHaveLength(1)
  })

  it('lets both values in during the overlap, counted together', async () => {
    const made = await newKey()
    const used = Number((await list(made.value)).headers['X-RateLimit-Remaining'])
    const rotated = await rotate(made.id)
    let before = used
    for (const value of [made.value, rotated.value, made.value, rotated.value]) {
      const got = await list(value)
      expect(got.status).toBe(200)
      const remaining = Number(got.headers['X-RateLimit-Remaining'])
      // The minute may turn on the way; within one, nothing is counted twice or anew.
      expect([99, before - 1]).toContain(remaining)
      before = remaining
    }
  })

  it('refuses the value before at once where there is no overlap, and after another rotation', async () => {
    const made = await newKey()
    const second = await rotate(made.id, { overlap_seconds: 0 })
    expect((await list(made.value)).status).toBe(401)
    const third = await rotate(made.id)
    const fourth = await rotate(made.id)
    const answers = await Promise.all(
      [second, third, fourth].map(async ({ value }) => (await list(value)).status),
    )
    expect(answers).toEqual([401, 200, 200])
  })

  it('ends with the key: both values are refused once it is revoked', async () => {
    const made = await newKey()
    const rotated = await rotate(made.id)
    expect((await list(made.value)).status).toBe(200)
    await service.call('revoke-key', { id: made.id })
    for (const { value } of [made, rotated]) expect((await list(value)).status).toBe(401)
  })

  it('is done once with one Idempotency-Key, and the value is not answered again', async () => {
    const { id } = await newKey()
    const headers = { ...service.asUser('admin'), 'Idempotency-Key': randomUUID() }
    const body = { overlap_seconds: 60 }
    const first = await service.call('rotate-key', { id, headers, body })
    const again = await service.call('rotate-key', { id, headers, body })
    expect(again.headers['Idempotency-Replayed']).toBe('true')
    const { value, ...shown } = first.body
    expect(again.body).toEqual({ ...shown, value: null, warnings: [expect.any(String)] })
    expect((await list(value)).status).toBe(200)
  })

  it('writes down who rotated it, and keeps neither value', async () => {
    const made = await newKey()
    const headers = service.asUser('admin')
    const { value } = await service.done('rotate-key', { id: made.id, headers, body: {} })
    const items = await allItems(service, 'keys')
    expect(items.filter(({ key_id, act }) => key_id === made.id && act === 'rotated')).toMatchObject([
      { by: 'admin' },
    ])
    for (const secret of [value, made.value]) expect(JSON.stringify(items)).not.toContain(secret)
  })

  it('keeps every request counted that comes in meanwhile', async () => {
    const made = await newKey()
    const before = Number((await list(made.value)).headers['X-RateLimit-Remaining'])
    const [, ...answers] = await Promise.all([
      rotate(made.id),
      ...Array.from({ length: 20 }, () => list(made.value)),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const after = Number((await list(made.value)).headers['X-RateLimit-Remaining'])
    // Unless the minute turned on the way, not one of them is forgotten.
    if (after < before) expect(before - after).toBe(21)
  })
})

describe('400', () => {
  it.each([
    [{ overlap_seconds: -1 }, 'overlap_seconds'],
    [{ overlap_seconds: 604_801 }, 'overlap_seconds'],
    [{ overlap_seconds: 1.5 }, 'overlap_seconds'],
    [{ overlap: 60 }, 'overlap'],
  ])('for %j names %s', async (body, field) => {
    const { id } = await newKey()
    expectInvalid(await service.call('rotate-key', { id, body }), field)
  })
})

describe('409', () => {
  it('is for a key that is revoked, or has expired', async () => {
    const { id } = await newKey()
    await service.call('revoke-key', { id })
    expectError(await service.call('rotate-key', { id, body: {} }), 409, 'INVALID_REQUEST')
    const expired = await service.newKey('admin', { expired: true })
    expectError(await service.call('rotate-key', { id: expired.id, body: {} }), 409, 'INVALID_REQUEST')
  })
})
