import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Erasure, eraseItems } from '#shared/adapters/dynamo/erase-items.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { queryStore } from '#shared/adapters/dynamo/queries.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { OBJECTS } from '#shared/names.ts'
import { dumpTables } from '#test/storage/dump-tables.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { type OneOfEach, writeOneOfEach } from '#test/storage/one-of-each.ts'
import { sampleEntry, sampleEvent, sampleIncident } from '#test/storage/sample-incidents.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const NEXT_DAY = NOON + 86_400_000
const noPause = () => Promise.resolve()

let store: TestStore
let folder: string
let objects: ObjectStore
let one: OneOfEach
beforeEach(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'erase-'))
  objects = folderObjects(folder)
  one = await writeOneOfEach(store, objects, NOON)
})
afterEach(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})

const erase = (erasure: Erasure, really = true, client = store.client) =>
  eraseItems(erasure, { client, names: store.names, objects, pace: noPause, pause: noPause, really })
/** Every key and every text that is kept, objects included. */
async function everything(): Promise<string> {
  const items = [...(await dumpTables(store.client, store.names))].flat().join('\n')
  const kept = await objects.list('')
  return `${items}\n${kept.map(({ key }) => key).join('\n')}`
}
const incidentsWith = () =>
  incidentStore({ client: store.client, table: store.names.incidents, objects, retentionDays: 400 })
/** An incident that nobody has resolved. */
async function openIncident(at: number): Promise<string> {
  const incident = sampleIncident(at)
  await incidentsWith().create(incident, sampleEntry(at), sampleEvent(incident, at))
  return incident.id
}

describe('an incident that is erased', () => {
  it('is gone with alerts, events, deliveries, objects and the answers that name it; others stay', async () => {
    const other = await openIncident(NOON)
    const erased = await erase({ subject: one.incident })
    expect(erased).toEqual({
      items: {
        incidents: {
          incident: 1,
          description: 1,
          root_cause: 1,
          timeline_entry: 3,
          incident_alert: 1,
          alert: 1,
          alert_group: 1,
          event: 2,
          repeat: 1,
        },
        webhooks: { delivery: 1, attempt: 1 },
        queries: { answer: 1 },
      },
      objects: 2 + 1,
      open_incidents: 0,
    })
    const left = await everything()
    expect(left).not.toContain(one.incident)
    for (const id of [other, one.largeQuery, one.webhook, one.integration, one.key])
      expect(left).toContain(id)
  })

  it('is only counted as long as nobody confirms it', async () => {
    const before = await everything()
    const counted = await erase({ subject: one.incident }, false)
    expect(await everything()).toBe(before)
    expect(await erase({ subject: one.incident })).toEqual(counted)
  })

  it('is erased whole by doing again what was broken off, wherever that was', async () => {
    for (let call = 1; ; call += 1) {
      const client = store.connect()
      failCalls(client).failNext(call, new Error('the terminal was closed'))
      const whole = await erase({ subject: one.incident }, true, client).then(
        () => true,
        () => false,
      )
      if (whole) break
    }
    expect(await everything()).not.toContain(one.incident)
    expect((await erase({ subject: one.incident })).items).toEqual({})
  })

  it('leaves its events and deliveries neither due nor findable', async () => {
    await erase({ subject: one.incident })
    expect(await incidentsWith().get(one.incident)).toBeUndefined()
    expect(await incidentsWith().dueInvestigations(NEXT_DAY, 10)).toEqual([])
  })
})

describe('a question that is erased', () => {
  it('is gone with its large answer and its evidence, and the incident stays', async () => {
    for (const query of [one.query, one.largeQuery]) await erase({ subject: query })
    const left = await everything()
    for (const query of [one.query, one.largeQuery]) expect(left).not.toContain(query)
    expect(left).toContain(one.incident)
  })

  it('is found in a large answer that names it, which goes too', async () => {
    const queries = queryStore({
      client: store.client,
      table: store.names.queries,
      objects,
      retentionDays: 400,
    })
    const large = await queries.get(one.largeQuery)
    if (large === undefined) throw new Error('it was not written')
    await queries.put({ ...large, answer: `${large.answer} ${one.query}` })
    await erase({ subject: one.query })
    expect(await queries.get(one.largeQuery)).toBeUndefined()
  })
})

describe('a large answer whose text is lost', () => {
  it('names nobody, so that it stays until it is erased itself', async () => {
    for (const { key } of await objects.list(OBJECTS.answers)) await objects.delete(key)
    expect((await erase({ subject: one.incident })).items.queries).toEqual({ answer: 1 })
    expect(await everything()).toContain(one.largeQuery)
    await erase({ subject: one.largeQuery })
    expect(await everything()).not.toContain(one.largeQuery)
  })
})

describe('all that is older than an instant', () => {
  it('goes, except for incidents that are not resolved, and settings, keys and acts', async () => {
    const open = await openIncident(NOON + 1)
    const young = await writeYoung()
    const erased = await erase({ before: NEXT_DAY })
    expect(erased.open_incidents).toBe(1)
    const left = await everything()
    for (const id of [one.incident, one.query, one.largeQuery]) expect(left).not.toContain(id)
    for (const id of [open, young, one.webhook, one.integration, one.key]) expect(left).toContain(id)
    expect(erased.items.signals).toEqual({ signals: 1, repeat: 1 })
    expect(left).not.toMatch(/\bALERT#a{64}|DELIVERY#|SIGNALS#/)
  })

  it('goes by when it was seen last where it is an alert that opened no incident', async () => {
    const key = itemKeys.alert('a'.repeat(64))
    await store.client.send(
      new UpdateCommand({
        TableName: store.names.incidents,
        Key: key,
        UpdateExpression: 'SET incident_id = :none, seen_at = :at',
        ExpressionAttributeValues: { ':none': null, ':at': NOON },
      }),
    )
    expect((await erase({ before: NOON }, false)).items.incidents?.alert).toBeUndefined()
    expect((await erase({ before: NOON + 1 }, false)).items.incidents?.alert).toBe(1)
  })

  it('is nothing where everything is younger', async () => {
    const before = await everything()
    expect(await erase({ before: NOON - 1 })).toEqual({ items: {}, objects: 0, open_incidents: 0 })
    expect(await everything()).toBe(before)
  })

  const writeYoung = async (): Promise<string> => {
    const incident = sampleIncident(NEXT_DAY, { status: 'resolved', analysis: 'done' })
    await incidentsWith().create(incident, sampleEntry(NEXT_DAY), sampleEvent(incident, NEXT_DAY))
    return incident.id
  }
})

describe('a table that takes no more', () => {
  /** A client whose batches leave everything undone, a number of times. */
  const overloaded = (times: number) => {
    const client = store.connect()
    let refusals = 0
    const send = client.send.bind(client)
    client.send = (async (command: unknown) => {
      if (!(command instanceof BatchWriteCommand) || refusals >= times) return send(command as never)
      refusals += 1
      return { UnprocessedItems: command.input.RequestItems }
    }) as never
    return client
  }

  it('is asked again, longer and longer apart', async () => {
    const pauses: number[] = []
    await eraseItems(
      { subject: one.incident },
      {
        client: overloaded(3),
        names: store.names,
        objects,
        pace: noPause,
        pause: async (ms) => pauses.push(ms),
        really: true,
      },
    )
    expect(pauses).toEqual([50, 100, 200])
    expect(await everything()).not.toContain(one.incident)
  })

  it('ends the command when it goes on refusing', async () => {
    await expect(erase({ subject: one.incident }, true, overloaded(100))).rejects.toThrow('do it again later')
  })
})
