import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import type { Finding } from '#shared/adapters/dynamo/item-findings.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { repairItems } from '#shared/adapters/dynamo/repair-items.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { OBJECTS, type TableName } from '#shared/names.ts'
import { dumpTables } from '#test/storage/dump-tables.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { CANARY, type OneOfEach, openSealer, writeOneOfEach } from '#test/storage/one-of-each.ts'
import { sampleEntry, sampleEvent, sampleId, sampleIncident } from '#test/storage/sample-incidents.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const DAY_MS = 86_400_000
const noPause = () => Promise.resolve()

let store: TestStore
let folder: string
let objects: ObjectStore
let one: OneOfEach
beforeEach(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'repair-'))
  objects = folderObjects(folder)
  one = await writeOneOfEach(store, objects, NOON)
})
afterEach(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})

const deliveries = () => deliveryStore(store.client, store.names.webhooks)
const incidents = () =>
  incidentStore({ client: store.client, table: store.names.incidents, objects, retentionDays: 400 })
const events = () => eventStore(store.client, store.names.incidents)

/** @param meanwhile happens between finding something and mending it */
async function repair(really: boolean, now = NOON + 10, meanwhile?: () => Promise<unknown>) {
  const findings: Finding[] = []
  const { client, names } = store
  let waiting = meanwhile
  const result = await repairItems({
    ...{ client, names, objects, really, pause: noPause },
    deliveries: deliveries(),
    webhooks: webhookStore({ client, table: names.webhooks, sealer: openSealer }),
    clock: () => now,
    tell: (finding) => findings.push(finding),
    pace: async () => {
      if (findings.length === 0 || waiting === undefined) return
      const happens = waiting
      waiting = undefined
      await happens()
    },
  })
  return { ...result, findings }
}
const set = (
  table: TableName,
  Key: object,
  expression: string,
  values?: object,
  names?: Record<string, string>,
) =>
  store.client.send(
    new UpdateCommand({
      TableName: store.names[table],
      Key,
      UpdateExpression: expression,
      ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
      ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
    }),
  )
const remove = (table: TableName, Key: object) =>
  store.client.send(new DeleteCommand({ TableName: store.names[table], Key }))
const there = async (table: TableName, Key: object) =>
  (await store.client.send(new GetCommand({ TableName: store.names[table], Key }))).Item !== undefined
const deliveryKey = async () => {
  const [delivery] = (await deliveries().list(one.webhook, { limit: 10, after: null })).items
  if (delivery === undefined) throw new Error('there is no delivery')
  return { id: delivery.id, eventId: delivery.event_id, key: itemKeys.delivery(one.webhook, delivery.id) }
}
const partition = () => itemKeys.incidentPartition(one.incident)

it('finds nothing where everything fits, and has looked at every item and object', async () => {
  const before = await dumpTables(store.client, store.names)
  const { looked_at, ...rest } = await repair(true)
  expect(rest).toEqual({ found: {}, mended: 0, findings: [] })
  const { objects: count, ...tables } = looked_at
  expect(count).toBe((await objects.list('')).length)
  // Pushed signals point to nothing and are in no list.
  const looked = Object.values(tables).flatMap((kinds) => Object.values(kinds))
  const all = [...before.keys()].filter((key) => !key.startsWith('signals '))
  expect(looked.reduce((sum, each) => sum + each, 0)).toBe(all.length)
  expect(await dumpTables(store.client, store.names)).toEqual(before)
})

/** What is broken, and what is found and holds again afterwards. */
const BREACHES: readonly (readonly [
  what: string,
  kind: Finding['kind'],
  breach: () => Promise<unknown>,
  holds: () => Promise<boolean>,
])[] = [
  [
    'an incident that stands in the list of another status',
    'missing_in_lists',
    () => set('incidents', itemKeys.incident(one.incident), 'SET list_status = :open', { ':open': 'open' }),
    async () =>
      (await incidents().list({ status: 'resolved' }, { limit: 5, after: null })).items.length === 1,
  ],
  [
    'an incident that stands in no list at all',
    'missing_in_lists',
    () =>
      set(
        'incidents',
        itemKeys.incident(one.incident),
        'REMOVE list_all, list_status, list_severity, list_status_severity',
      ),
    async () => (await incidents().list({}, { limit: 5, after: null })).items.length === 1,
  ],
  [
    'an investigation that nothing would wake',
    'not_due',
    () => set('incidents', itemKeys.incident(one.incident), 'REMOVE due_list, due_at'),
    async () => (await incidents().dueInvestigations(NOON + 20, 5)).includes(one.incident),
  ],
  [
    'a delivery that nothing would wake',
    'not_due',
    async () =>
      set(
        'webhooks',
        (await deliveryKey()).key,
        'SET #status = :pending',
        { ':pending': 'pending' },
        { '#status': 'status' },
      ),
    async () => {
      const { id } = await deliveryKey()
      return (await deliveries().due(NOON + 20, 5)).some(({ delivery_id }) => delivery_id === id)
    },
  ],
  [
    'a delivery that has ended and still waits',
    'due_for_nothing',
    async () =>
      set('webhooks', (await deliveryKey()).key, 'SET due_list = :list, due_at = :at', {
        ':list': 'DUE#0',
        ':at': NOON,
      }),
    async () => {
      const { id } = await deliveryKey()
      return (await deliveries().due(NOON + 20, 5)).every(({ delivery_id }) => delivery_id !== id)
    },
  ],
  [
    'an event that waits for its deliveries at no instant',
    'not_due',
    async () => {
      const { eventId } = await deliveryKey()
      await set('incidents', itemKeys.event(eventId), 'SET due_list = :list', { ':list': 'FAN_OUT' })
    },
    async () => {
      const { eventId } = await deliveryKey()
      return (await events().waiting(NOON + 20, 5)).includes(eventId)
    },
  ],
  [
    'what is left of an incident that is gone',
    'without_incident',
    () => remove('incidents', itemKeys.incident(one.incident)),
    async () =>
      ![...(await dumpTables(store.client, store.names, ['incidents'])).keys()].some(
        (key) => key.includes(partition()) || key.includes('ALERT'),
      ),
  ],
  [
    'an event that a subscription never got',
    'event_not_sent',
    async () => remove('webhooks', (await deliveryKey()).key),
    async () => (await events().waiting(NOON + 20, 5)).length === 2,
  ],
  [
    'a count of subscriptions that is wrong',
    'wrong_count',
    () => set('webhooks', itemKeys.memberCount(itemKeys.webhooks), 'SET members = :n', { ':n': 7 }),
    async () =>
      (
        await store.client.send(
          new GetCommand({
            TableName: store.names.webhooks,
            Key: itemKeys.memberCount(itemKeys.webhooks),
          }),
        )
      ).Item?.members === 1,
  ],
  [
    'a count of subscriptions that lost its number',
    'wrong_count',
    () => set('webhooks', itemKeys.memberCount(itemKeys.webhooks), 'REMOVE members'),
    async () => {
      const Key = itemKeys.memberCount(itemKeys.webhooks)
      const { Item } = await store.client.send(new GetCommand({ TableName: store.names.webhooks, Key }))
      return Item?.members === 1
    },
  ],
  [
    'a count of tools that is gone',
    'wrong_count',
    () => remove('integrations', itemKeys.memberCount(itemKeys.integrations)),
    () => there('integrations', itemKeys.memberCount(itemKeys.integrations)),
  ],
  [
    'a count of keys that is gone',
    'wrong_count',
    () => remove('keys', itemKeys.apiKeyCount),
    () => there('keys', itemKeys.apiKeyCount),
  ],
]

describe.each(BREACHES)('%s', (_, kind, breach, holds) => {
  it('is told and left alone as long as nobody confirms it', async () => {
    await breach()
    const before = await dumpTables(store.client, store.names)
    const { found, mended, findings } = await repair(false)
    expect(found[kind]).toBeGreaterThan(0)
    expect(mended).toBe(0)
    expect(JSON.stringify(findings)).not.toContain(CANARY)
    expect(await dumpTables(store.client, store.names)).toEqual(before)
  })

  it('is mended, and then everything fits', async () => {
    await breach()
    const { found, mended } = await repair(true)
    expect(mended).toBe(Object.values(found).reduce((sum, each) => sum + each, 0))
    expect(await holds()).toBe(true)
    // What goes with a whole incident leaves its objects and its deliveries behind for the next look.
    await repair(true, NOON + 3 * DAY_MS)
    expect((await repair(true, NOON + 3 * DAY_MS)).found).toEqual({})
  })
})

describe('an object', () => {
  it('of an incident or an answer that is gone is deleted, once it is a day old', async () => {
    const gone = [sampleId('inc', NOON), sampleId('query', NOON)]
    const keys = gone.map((id) => `${OBJECTS.snapshots}${id}/${'0'.repeat(64)}`)
    for (const key of [...keys, `${OBJECTS.snapshots}notes.txt`]) await objects.put(key, Buffer.from('x'))
    expect((await repair(true, NOON + 10)).found).toEqual({})
    expect((await repair(true, NOON + 2 * DAY_MS)).found).toEqual({ object_without_owner: 2 })
    for (const key of keys) expect(await objects.get(key)).toBeUndefined()
    expect(await objects.get(`${OBJECTS.snapshots}notes.txt`)).toBeDefined()
  })

  it('that an item names and that is lost is told, and nothing can mend it', async () => {
    for (const prefix of [OBJECTS.rootCauses, OBJECTS.answers])
      for (const { key } of await objects.list(prefix)) await objects.delete(key)
    const { found, mended } = await repair(true)
    expect({ found, mended }).toEqual({ found: { object_lost: 2 }, mended: 0 })
  })
})

describe('what is left of an incident that is gone', () => {
  it('is left to go by itself once it has expired', async () => {
    await remove('incidents', itemKeys.incident(one.incident))
    const all = (await repair(false)).found.without_incident ?? 0
    const alert = itemKeys.alert('a'.repeat(64))
    await set('incidents', alert, 'SET expires_at_s = :at', { ':at': NOON / 1_000 })
    expect((await repair(false)).found.without_incident).toBe(all - 1)
    expect((await repair(false, NOON - 1)).found.without_incident).toBe(all)
    await repair(true)
    expect(await there('incidents', alert)).toBe(true)
  })
})

describe('an event', () => {
  it('is not sent again for who was changed after it, or when it is too old to tell', async () => {
    const { key } = await deliveryKey()
    await remove('webhooks', key)
    expect((await repair(false, NOON + 29 * DAY_MS)).found).not.toHaveProperty('event_not_sent')
    await set('webhooks', itemKeys.member(itemKeys.webhooks, one.webhook), 'SET updated_at = :at', {
      ':at': writeInstant(NOON + 1),
    })
    expect((await repair(false)).found).toEqual({})
  })
})

describe('what changes between the look and the mending', () => {
  it('is left alone: an incident that comes back keeps what is its own', async () => {
    const incident = sampleIncident(NOON)
    await incidents().create(incident, sampleEntry(NOON), sampleEvent(incident, NOON))
    const { Item } = await store.client.send(
      new GetCommand({ TableName: store.names.incidents, Key: itemKeys.incident(incident.id) }),
    )
    await remove('incidents', itemKeys.incident(incident.id))
    const { found, mended } = await repair(true, NOON + 10, () =>
      store.client.send(new PutCommand({ TableName: store.names.incidents, Item })),
    )
    expect({ found, mended }).toEqual({ found: { without_incident: 1 }, mended: 0 })
    expect((await incidents().read(incident.id))?.timeline).toHaveLength(1)
  })

  it('is left alone: a count that somebody else has changed', async () => {
    const key = itemKeys.memberCount(itemKeys.webhooks)
    await set('webhooks', key, 'SET members = :n', { ':n': 7 })
    const { found, mended } = await repair(true, NOON + 10, () =>
      set('webhooks', key, 'SET members = :n', { ':n': 8 }),
    )
    expect({ found, mended }).toEqual({ found: { wrong_count: 1 }, mended: 0 })
  })
})
