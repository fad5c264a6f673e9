import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { admissionUpdate, keyAdmission, staleWindows } from '#shared/adapters/dynamo/api-keys.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import type { ApiKey } from '#shared/domain/api-key.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { KeyAdmission } from '#shared/domain/ports.ts'
import { WINDOW_MS, windowOf } from '#shared/domain/rate-limit.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { itemBytes } from '#test/storage/item-bytes.ts'

let store: TestStore
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store.stop())

/** The beginning of a window. */
const NOON = Date.UTC(2026, 0, 2, 12, 0, 0)
let made = 0

async function newKey(
  change: Partial<ApiKey> = {},
): Promise<{ readonly key: ApiKey; readonly hash: string }> {
  made += 1
  const key: ApiKey = {
    id: `key_01KDZ${String(made).padStart(21, '0')}`,
    name: `key ${made}`,
    type: 'admin',
    plan: 'standard',
    prefix: 'iis_test_adm_',
    last4: 'abcd',
    created_by: 'a person',
    created_at: writeInstant(NOON),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    ...change,
  }
  const hash = keyHash(key.id)
  await keyAdmin(store.client, store.names.keys).create(key, hash, 500)
  return { key, hash }
}

/** What a process of its own would have: a memory of its own and a client of its own. */
const newProcess = (): KeyAdmission => keyAdmission(store.client, store.names.keys)
const itemOf = async (hash: string) =>
  (await store.client.send(new GetCommand({ TableName: store.names.keys, Key: { pk: `KEY#${hash}` } })))
    .Item ?? {}

test('of 200 requests at once exactly 100 are admitted, and their remaining counts are 99 to 0, each once', async () => {
  const { hash } = await newKey()
  const processes = [newProcess(), newProcess(), newProcess(), newProcess()]
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      (processes[index % 4] ?? newProcess()).admit(hash, NOON + index),
    ),
  )
  const remaining = answers.flatMap((answer) =>
    answer.outcome === 'admitted' ? [answer.rate.remaining] : [],
  )
  expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  const limited = answers.filter((answer) => answer.outcome === 'limited')
  expect(limited).toHaveLength(100)
  expect(limited[0]).toMatchObject({ rate: { limit: 100, remaining: 0, reset: (NOON + WINDOW_MS) / 1_000 } })
})

test('an admission is one update and says who the key is and where it stands', async () => {
  const { key, hash } = await newKey({ type: 'assistant', plan: 'enterprise' })
  const client = store.connect()
  const calls = countCalls(client)
  const admission = keyAdmission(client, store.names.keys)
  expect(admission.seen(hash)).toBe(false)
  expect(await admission.admit(hash, NOON + 1)).toEqual({
    outcome: 'admitted',
    key: { id: key.id, name: key.name, type: 'assistant', plan: 'enterprise' },
    rate: { limit: 1_000, remaining: 999, reset: (NOON + WINDOW_MS) / 1_000 },
  })
  expect(admission.seen(hash)).toBe(true)
  expect(calls.names()).toEqual(['UpdateItem'])
})

test('a key that used up its window causes no further writes in this process until the window ends', async () => {
  const { hash } = await newKey()
  const client = store.connect()
  const calls = countCalls(client)
  const admission = keyAdmission(client, store.names.keys)
  for (let count = 0; count < 101; count += 1) await admission.admit(hash, NOON)
  calls.reset()
  for (let count = 0; count < 50; count += 1)
    expect(await admission.admit(hash, NOON + WINDOW_MS - 1)).toMatchObject({
      outcome: 'limited',
      key: { name: expect.stringMatching(/^key/) },
    })
  expect(calls.names()).toEqual([])
  expect((await admission.admit(hash, NOON + WINDOW_MS)).outcome).toBe('admitted')
  expect(calls.names()).toEqual(['UpdateItem'])
})

test('a revoked key is refused from the very next request, and revoking again changes nothing', async () => {
  const admin = keyAdmin(store.client, store.names.keys)
  const admission = newProcess()
  for (let trial = 0; trial < 20; trial += 1) {
    const { key, hash } = await newKey()
    expect((await admission.admit(hash, NOON)).outcome).toBe('admitted')
    expect(await admin.revoke(key.id, NOON + 5, 'a person')).toBe(true)
    expect(await admission.admit(hash, NOON + 6)).toEqual({ outcome: 'unknown' })
    expect(admission.seen(hash)).toBe(false)
    expect(await admin.revoke(key.id, NOON + 9, 'a person')).toBe(true)
    expect((await itemOf(hash)).revoked_at).toBe(NOON + 5)
  }
  expect(await admin.revoke('key_01KDZ0000000000000000ZZZZZ', NOON, 'a person')).toBe(false)
})

test('a key that nobody made is unknown and stays unmade', async () => {
  const hash = keyHash('nobody')
  expect(await newProcess().admit(hash, NOON)).toEqual({ outcome: 'unknown' })
  expect(await itemOf(hash)).toEqual({})
})

test('a key holds until the millisecond at which it expires; one without expiry holds on', async () => {
  const { hash: expiring } = await newKey({ expires_at: writeInstant(NOON + 1_000) })
  const { hash: lasting } = await newKey()
  const admission = newProcess()
  expect((await admission.admit(expiring, NOON + 999)).outcome).toBe('admitted')
  expect(await admission.admit(expiring, NOON + 1_000)).toEqual({ outcome: 'unknown' })
  expect((await admission.admit(lasting, NOON + 5 * 365 * 24 * 3_600_000)).outcome).toBe('admitted')
})

test('a key that expires while this process refuses it for its limit is unknown from then on', async () => {
  const { hash } = await newKey({ expires_at: writeInstant(NOON + 1_000) })
  const admission = newProcess()
  for (let count = 0; count < 101; count += 1) await admission.admit(hash, NOON)
  expect((await admission.admit(hash, NOON + 999)).outcome).toBe('limited')
  expect(await admission.admit(hash, NOON + 1_000)).toEqual({ outcome: 'unknown' })
})

test('processes whose clocks are 90 s ahead and behind admit no more than the limit in any window', async () => {
  const { hash } = await newKey()
  const ahead = newProcess()
  const behind = newProcess()
  const admitted = new Map<number, number>()
  for (let second = 0; second < 360; second += 1) {
    const now = NOON + second * 1_000
    for (const [process, clock] of [
      [ahead, now + 90_000],
      [behind, now - 90_000],
    ] as const) {
      const { outcome } = await process.admit(hash, clock)
      if (outcome === 'admitted') admitted.set(windowOf(clock), (admitted.get(windowOf(clock)) ?? 0) + 1)
    }
  }
  expect(Math.max(...admitted.values())).toBeLessThanOrEqual(100)
  // Windows that both clocks live through get 60 requests from each side and grant 100 of them in all.
  expect(admitted.get(windowOf(NOON) + 2)).toBe(100)
})

test('counters up to three windows back survive: removing them would hand a slower clock its window again', async () => {
  const { hash } = await newKey()
  const slow = newProcess()
  const fast = newProcess()
  for (let count = 0; count < 100; count += 1) await slow.admit(hash, NOON)
  // 180 s ahead: three windows. Twice, since the first answer tells what the second removes.
  await fast.admit(hash, NOON + 3 * WINDOW_MS)
  await fast.admit(hash, NOON + 3 * WINDOW_MS)
  expect((await newProcess().admit(hash, NOON + 1)).outcome).toBe('limited')
  // Under a rule of two windows the counter that decides this would have been removed.
  expect(staleWindows({ [`w${windowOf(NOON)}`]: 100 }, NOON + 3 * WINDOW_MS)).toEqual([])
  expect(staleWindows({ [`w${windowOf(NOON)}`]: 100 }, NOON + 4 * WINDOW_MS)).toEqual([windowOf(NOON)])
  await fast.admit(hash, NOON + 4 * WINDOW_MS)
  await fast.admit(hash, NOON + 4 * WINDOW_MS)
  expect(await itemOf(hash)).not.toHaveProperty(`w${windowOf(NOON)}`)
})

test('no update removes the window it counts in, whatever the clock does', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.uniqueArray(fc.nat(200), { maxLength: 40 }), (now, stale) => {
      const update = admissionUpdate(now, stale)
      const names = Object.values(update.ExpressionAttributeNames)
      expect(new Set(names).size).toBe(names.length)
      const removed = Object.entries(update.ExpressionAttributeNames).filter(([name]) => name !== '#w')
      for (const [, attribute] of removed)
        expect(Number(attribute.slice(1))).toBeLessThanOrEqual(windowOf(now) - 4)
    }),
  )
})

test('a clock that is set back does not remove counters that are live again', async () => {
  const { hash } = await newKey()
  const admission = newProcess()
  await admission.admit(hash, NOON)
  await admission.admit(hash, NOON + 10 * WINDOW_MS)
  for (let count = 0; count < 98; count += 1) await newProcess().admit(hash, NOON)
  expect(await admission.admit(hash, NOON)).toMatchObject({ outcome: 'admitted', rate: { remaining: 0 } })
  expect((await admission.admit(hash, NOON)).outcome).toBe('limited')
})

test('a key used by 10,000 new processes, a window each, keeps an item of at most 1 KB', async () => {
  const { hash } = await newKey({ name: 'n'.repeat(100) })
  let most = 0
  for (let count = 0; count < 10_000; count += 1) {
    const { outcome } = await newProcess().admit(hash, NOON + count * WINDOW_MS)
    expect(outcome).toBe('admitted')
    if (count % 7 === 0) most = Math.max(most, itemBytes(await itemOf(hash)))
  }
  expect(most).toBeGreaterThan(200)
  expect(most).toBeLessThanOrEqual(1_024)
}, 300_000)

test('a failed clean-up of old counters does not fail the request', async () => {
  const { hash } = await newKey()
  for (let count = 0; count < 17; count += 1) await newProcess().admit(hash, NOON + count * WINDOW_MS)
  const late = NOON + 100 * WINDOW_MS
  const client = store.connect()
  const faults = failCalls(client)
  faults.failNext(2, new Error('throttled'))
  expect((await keyAdmission(client, store.names.keys).admit(hash, late)).outcome).toBe('admitted')
  expect(staleWindows(await itemOf(hash), late)).toHaveLength(17)
  expect((await newProcess().admit(hash, late)).outcome).toBe('admitted')
  expect(staleWindows(await itemOf(hash), late)).toHaveLength(0)
})

test('when the store does not answer, nobody is admitted', async () => {
  const { hash } = await newKey()
  const client = store.connect()
  const faults = failCalls(client)
  faults.failNext(1, new Error('the store is gone'))
  await expect(keyAdmission(client, store.names.keys).admit(hash, NOON)).rejects.toThrow('the store is gone')
})

test('keys are listed newest first with what people recognise them by, and never with their hash', async () => {
  const names = { ...store.names }
  const { key, hash } = await newKey({ expires_at: writeInstant(NOON + 60_000) })
  await newProcess().admit(hash, NOON + 5)
  const admin = keyAdmin(store.client, names.keys)
  await admin.revoke(key.id, NOON + 9, 'a person')
  const keys = await admin.list()
  expect(keys[0]).toEqual({
    ...key,
    last_used_at: writeInstant(NOON + 5),
    revoked_at: writeInstant(NOON + 9),
  })
  expect(keys.map(({ id }) => id)).toEqual(
    keys
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
  expect(JSON.stringify(keys)).not.toContain(hash)
})

test('a key past the quota is refused naming the limit, and nothing of it is written', async () => {
  const admin = keyAdmin(store.client, store.names.keys)
  const { key } = await newKey()
  const hash = keyHash('one too many')
  await expect(admin.create({ ...key, id: 'key_x' }, hash, 3)).rejects.toMatchObject({
    kind: 'conflict',
    details: { limit: 3 },
  })
  expect(await itemOf(hash)).toEqual({})
})

test('a key cannot take the place of another one, nor expire at what is no instant', async () => {
  const admin = keyAdmin(store.client, store.names.keys)
  const { key, hash } = await newKey()
  await expect(admin.create(key, hash, 500)).rejects.toThrow('exists already')
  await expect(admin.create({ ...key, expires_at: 'soon' }, keyHash('z'), 500)).rejects.toThrow(RangeError)
  await store.client.send(
    new PutCommand({ TableName: store.names.keys, Item: { pk: 'KEY#other', note: 'no list' } }),
  )
  expect((await admin.list()).every(({ name }) => name.startsWith('key') || name.startsWith('n'))).toBe(true)
})

// Last, since its keys stay in the list.
test('of 1,000 keys that are revoked between two requests all are refused by the second', async () => {
  const admin = keyAdmin(store.client, store.names.keys)
  const process = newProcess()
  const template = await itemOf((await newKey()).hash)
  let refused = 0
  for (let batch = 0; batch < 50; batch += 1) {
    const trials = Array.from({ length: 20 }, async (_, index) => {
      const id = `key_01KE0${String(batch * 20 + index).padStart(21, '0')}`
      const hash = keyHash(id)
      const Item = { ...template, pk: `KEY#${hash}`, id }
      await store.client.send(new PutCommand({ TableName: store.names.keys, Item }))
      expect((await process.admit(hash, NOON)).outcome).toBe('admitted')
      await admin.revoke(id, NOON + 1, 'a person')
      if ((await process.admit(hash, NOON + 2)).outcome === 'unknown') refused += 1
    })
    await Promise.all(trials)
  }
  expect(refused).toBe(1_000)
}, 300_000)
