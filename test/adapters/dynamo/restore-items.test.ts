import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConditionalCheckFailedException, DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTables, type TableNames, tableNames } from '#infra/local/create-tables.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { RESTORE_ORDER, restoreItems } from '#shared/adapters/dynamo/restore-items.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import { dumpTables } from '#test/storage/dump-tables.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { type OneOfEach, writeOneOfEach } from '#test/storage/one-of-each.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const AN_HOUR_LATER = NOON + 3_600_000
const TWO_YEARS_LATER = NOON + 730 * 86_400_000
const noPause = () => Promise.resolve()

let store: TestStore
let backup: TableNames
let folder: string
let one: OneOfEach
beforeEach(async () => {
  store = await startTestStore()
  backup = tableNames(store.names.incidents.replace('incidents', 'backup'))
  await createTables(store.client, backup, { expiring: false })
  folder = await mkdtemp(join(tmpdir(), 'restore-'))
  one = await writeOneOfEach({ client: store.client, names: backup }, folderObjects(folder), NOON)
})
afterEach(async () => {
  for (const TableName of Object.values(backup))
    await store.client.send(new DeleteTableCommand({ TableName }))
  await store.stop()
  await rm(folder, { recursive: true })
})

const restore = ({
  really = true,
  tables = RESTORE_ORDER as readonly TableName[],
  now = AN_HOUR_LATER,
  client = store.client,
} = {}) =>
  restoreItems({ client, names: store.names, from: backup, tables, pace: noPause, clock: () => now, really })
const dump = (names = store.names) => dumpTables(store.client, names)
const sizeOf = (counts: Readonly<Record<string, Readonly<Record<string, number>>>>) =>
  Object.values(counts)
    .flatMap((kinds) => Object.values(kinds))
    .reduce((sum, each) => sum + each, 0)

describe('a backup that is brought back', () => {
  it('knows every table of the service', () => {
    expect([...RESTORE_ORDER].sort()).toEqual(Object.keys(TABLES).sort())
  })

  it('makes empty tables what they were, item by item', async () => {
    const restored = await restore()
    expect(await dump()).toEqual(await dump(backup))
    expect(restored).toEqual({ looked_at: (await dump()).size, missing: expect.any(Object), expired: 0 })
    expect(sizeOf(restored.missing)).toBe(restored.looked_at)
    expect(restored.missing.incidents).toMatchObject({
      incident: 1,
      root_cause: 1,
      event: expect.any(Number),
    })
  })

  it('only counts until it is told to write', async () => {
    const counted = await restore({ really: false })
    expect((await dump()).size).toBe(0)
    expect(counted).toEqual(await restore())
  })

  it('finds nothing more to bring back when it is done again', async () => {
    await restore()
    expect(await restore()).toMatchObject({ missing: {}, expired: 0 })
  })

  it('leaves what is there as it is: a key that was revoked since stays revoked', async () => {
    await restore()
    const Key = itemKeys.apiKey(keyHash(one.keyValue))
    const revoked = { TableName: store.names.keys, Key, UpdateExpression: 'SET revoked_at = :now' }
    await store.client.send(
      new UpdateCommand({ ...revoked, ExpressionAttributeValues: { ':now': AN_HOUR_LATER } }),
    )
    await store.client.send(
      new DeleteCommand({ TableName: store.names.incidents, Key: itemKeys.incident(one.incident) }),
    )
    const before = await dump()
    expect((await restore()).missing).toEqual({ incidents: { incident: 1 } })
    const after = await dump()
    for (const [key, item] of before) expect(after.get(key)).toBe(item)
    expect(after.size).toBe(before.size + 1)
  })

  it('touches the tables alone that are named', async () => {
    const { missing } = await restore({ tables: ['queries'] })
    expect(Object.keys(missing)).toEqual(['queries'])
    expect([...(await dump()).keys()].every((key) => key.startsWith('queries '))).toBe(true)
  })

  it('leaves away what has run out since', async () => {
    const { looked_at, missing, expired } = await restore({ now: TWO_YEARS_LATER })
    expect(expired).toBeGreaterThan(0)
    expect(sizeOf(missing) + expired).toBe(looked_at)
    for (const item of (await dump()).values()) expect(item).not.toContain('"expires_at_s"')
  })

  it('does not count what somebody else made meanwhile', async () => {
    const client = store.connect()
    // The table is read, both of its items are looked for, and only then written.
    failCalls(client).failNext(4, new ConditionalCheckFailedException({ message: 'there', $metadata: {} }))
    const { looked_at, missing } = await restore({ tables: ['signals'], client })
    expect([looked_at, sizeOf(missing)]).toEqual([2, 1])
  })

  it('is whole in the end wherever it was broken off, also when an answer got lost', async () => {
    const client = store.connect()
    const faults = failCalls(client)
    const lost = new Error('the terminal was closed')
    let tries = 0
    for (let number = 3; ; number += 5) {
      faults.clear()
      if (tries % 2 === 0) faults.failNext(number, lost)
      else faults.loseAnswer(number, lost)
      tries += 1
      const done = await restore({ client }).then(
        () => true,
        (error: unknown) => {
          expect(error).toBe(lost)
          return false
        },
      )
      if (done) break
    }
    expect(tries).toBeGreaterThan(1)
    expect(await dump()).toEqual(await dump(backup))
  })
})
