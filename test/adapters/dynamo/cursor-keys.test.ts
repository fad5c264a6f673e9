import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTables, tableNames } from '#infra/local/create-tables.ts'
import { cursorKeys } from '#shared/adapters/dynamo/cursor-keys.ts'
import { keyFileSealer } from '#shared/adapters/seal/key-file-sealer.ts'
import type { Sealer } from '#shared/domain/ports.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'

let store: TestStore
let folder: string
let sealer: Sealer
let table = ''
let now = 0
beforeAll(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'seal-'))
  sealer = keyFileSealer(join(folder, 'key'))
})
afterAll(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})
let made = 0
beforeEach(async () => {
  made += 1
  now = 1_000_000
  const names = tableNames(`t${made}`)
  await createTables(store.client, names, { expiring: false })
  table = names.incidents
})

/** What another process would have. */
const newProcess = (client = store.client) => cursorKeys({ client, table, sealer, clock: () => now })

test('ten processes that need the first key at once get the same one, of 32 bytes', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, () => newProcess().current()))
  expect(keys[0]?.key).toHaveLength(32)
  expect(keys[0]?.version).toBe(1)
  for (const key of keys) expect(key).toEqual(keys[0])
})

/** A process that another one overtakes between its read and its write. */
const overtaken = (overtake: () => Promise<unknown>) =>
  cursorKeys({
    client: store.client,
    table,
    sealer: {
      ...sealer,
      seal: async (context, plain) => {
        await overtake()
        return sealer.seal(context, plain)
      },
    },
    clock: () => now,
  })

test('a process that is overtaken at the first use takes the key that the other one made', async () => {
  const quick = newProcess()
  const slow = overtaken(() => quick.current())
  const key = await slow.current()
  expect(key).toEqual(await quick.current())
  expect(key).toEqual(await newProcess().current())
})

test('the key is stored sealed, and differs from table to table', async () => {
  const { key } = await newProcess().current()
  const { Item } = await store.client.send(
    new GetCommand({ TableName: table, Key: { pk: 'CURSOR_KEYS', sk: 'CURSOR_KEYS' } }),
  )
  expect(JSON.stringify(Item)).not.toContain(Buffer.from(key).toString('base64url'))
  expect(Item?.current).toMatch(/^f1\./)
  const first = Buffer.from(key)
  made += 1
  const names = tableNames(`t${made}`)
  await createTables(store.client, names, { expiring: false })
  table = names.incidents
  expect(first.equals(Buffer.from((await newProcess().current()).key))).toBe(false)
})

test('a warm process makes no call, and several needs at once make one read', async () => {
  await newProcess().current()
  const client = store.connect()
  const calls = countCalls(client)
  const keys = newProcess(client)
  await Promise.all([keys.current(), keys.current(), keys.find(1), keys.find(1)])
  await keys.current()
  expect(calls.names()).toEqual(['GetItem'])
})

test('after a rotation both keys are found, after the next one the first is not', async () => {
  const keys = newProcess()
  const first = await keys.current()
  await keys.rotate()
  const second = await keys.current()
  expect(second.version).toBe(2)
  expect(await keys.find(1)).toEqual(first)
  expect(await keys.find(2)).toEqual(second)
  await keys.rotate()
  expect((await keys.current()).version).toBe(3)
  expect(await keys.find(1)).toBeUndefined()
  expect(await keys.find(2)).toEqual(second)
  expect(await newProcess().find(2)).toEqual(second)
})

test('a process that has not seen the rotation finds the new key by its version, and signs on with the old', async () => {
  const slow = newProcess()
  const first = await slow.current()
  const rotator = newProcess()
  await rotator.rotate()
  expect(await slow.current()).toEqual(first)
  now += 10_000
  expect(await slow.find(2)).toEqual(await rotator.current())
  expect((await slow.current()).version).toBe(2)
})

test('within 15 minutes every process signs with the new key', async () => {
  const slow = newProcess()
  await slow.current()
  await newProcess().rotate()
  now += 15 * 60_000
  expect((await slow.current()).version).toBe(2)
})

test('cursors of versions that nobody made cost at most a read in ten seconds', async () => {
  await newProcess().current()
  const client = store.connect()
  const calls = countCalls(client)
  const keys = newProcess(client)
  await keys.current()
  calls.reset()
  for (let count = 0; count < 50; count += 1) {
    now += 1_000
    expect(await keys.find(77)).toBeUndefined()
  }
  expect(calls.names()).toHaveLength(5)
})

test('a rotation that meets another one leaves it at that: no key is lost between them', async () => {
  const first = await newProcess().current()
  const slow = overtaken(() => newProcess().rotate())
  await slow.rotate()
  expect((await slow.current()).version).toBe(2)
  expect(await slow.find(1)).toEqual(first)
})
