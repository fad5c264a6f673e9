import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alertStore } from '#shared/adapters/dynamo/alerts.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { keyAdmission } from '#shared/adapters/dynamo/api-keys.ts'
import { cursorKeys } from '#shared/adapters/dynamo/cursor-keys.ts'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { SCHEMA_VERSION } from '#shared/adapters/dynamo/document-client.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { integrationStore } from '#shared/adapters/dynamo/integrations.ts'
import { queryStore } from '#shared/adapters/dynamo/queries.ts'
import { repairItems } from '#shared/adapters/dynamo/repair-items.ts'
import { repeatStore } from '#shared/adapters/dynamo/repeats.ts'
import { signalReader } from '#shared/adapters/dynamo/signal-reader.ts'
import { userAdmin } from '#shared/adapters/dynamo/user-admin.ts'
import { userAdmission } from '#shared/adapters/dynamo/users.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { changeIncident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import {
  putStored,
  readStored,
  type StoredVersion,
  shapesOf,
  storedVersions,
  takeStored,
} from '#test/storage/item-fixtures.ts'
import { CANARY, openSealer, writeOneOfEach } from '#test/storage/one-of-each.ts'
import { sampleEntry, sampleEvent } from '#test/storage/sample-incidents.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const noPause = () => Promise.resolve()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'versions-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(storedVersions())('items that version %s stored', (version) => {
  let store: TestStore
  let objects: ObjectStore
  let stored: StoredVersion
  beforeAll(async () => {
    store = await startTestStore()
    objects = folderObjects(join(folder, version))
    stored = readStored(version)
    await putStored(store, objects, stored)
  })
  afterAll(() => store.stop())

  const kept = () => ({ client: store.client, objects, retentionDays: 400, pause: noPause })
  const incidents = () => incidentStore({ ...kept(), table: store.names.incidents })
  const webhooks = () =>
    webhookStore({ client: store.client, table: store.names.webhooks, sealer: openSealer })
  const deliveries = () => deliveryStore(store.client, store.names.webhooks, noPause)

  it('say in which form they are', () => {
    for (const item of Object.values(stored.items).flat()) {
      expect(item).toHaveProperty('schema_v.N')
      expect(Number(item.schema_v?.N)).toBeLessThanOrEqual(SCHEMA_VERSION)
    }
  })

  it('fit together', async () => {
    const { client, names } = store
    const { found } = await repairItems({
      ...{ client, names, objects, really: false, pace: noPause, pause: noPause, tell: () => {} },
      deliveries: deliveries(),
      webhooks: webhooks(),
      clock: () => stored.at + 10,
    })
    expect(found).toEqual({})
  })

  it('are an incident with its alert, its timeline and the whole of its large root cause', async () => {
    const { incident } = stored.one
    const file = await incidents().read(incident)
    expect(file).toMatchObject({
      status: 'resolved',
      service: 'checkout',
      alerts: [{ title: 'CheckoutErrors' }],
    })
    expect(file?.description).toHaveLength(3_000)
    expect(file?.root_cause?.evidence).toHaveLength(40)
    expect(file?.timeline.map(({ kind }) => kind)).toEqual(['created', 'analysed', 'status_changed'])
    for (const filter of [
      {},
      { status: 'resolved' },
      { severity: 'high' },
      { status: 'resolved', severity: 'high' },
    ] as const)
      expect((await incidents().list(filter, { limit: 5, after: null })).items.map(({ id }) => id)).toEqual([
        incident,
      ])
    expect(await incidents().dueInvestigations(stored.at + 10, 5)).toEqual([incident])
  })

  it('are events, of which one waits, with a delivery that was accepted', async () => {
    const events = eventStore(store.client, store.names.incidents)
    const [waiting] = await events.waiting(stored.at + 10, 5)
    expect(await events.get(waiting ?? '')).toMatchObject({ kind: 'incident.resolved', fanned_out: false })
    expect((await webhooks().subscribed('incident.created')).map(({ id }) => id)).toEqual([
      stored.one.webhook,
    ])
    const { items } = await deliveries().list(stored.one.webhook, { limit: 5, after: null })
    expect(items).toMatchObject([{ status: 'delivered', log: [{ status: 200 }] }])
    expect(await deliveries().recovery(stored.one.webhook)).toMatchObject({ since: stored.at })
    expect(await deliveries().lateness()).toEqual({ at: stored.at, lateness_ms: 10 })
  })

  it('are a subscription and a tool whose secrets open', async () => {
    expect((await webhooks().open(stored.one.webhook, stored.at))?.secrets).toEqual([
      `${CANARY}-of-webhook-2`,
      `${CANARY}-of-webhook`,
    ])
    const tools = integrationStore({
      client: store.client,
      table: store.names.integrations,
      sealer: openSealer,
    })
    expect(await tools.open(stored.one.integration)).toMatchObject({
      integration: { type: 'prometheus', status: 'connected' },
      config: { bearer_token: `${CANARY}-of-tool` },
      intake: { token: `${CANARY}-of-intake` },
    })
  })

  it('are answers, a small one and a large one, and what was pushed', async () => {
    const queries = queryStore({ ...kept(), table: store.names.queries })
    expect((await queries.get(stored.one.query))?.answer).toBe(`It is ${stored.one.incident}.`)
    expect((await queries.get(stored.one.largeQuery))?.answer).toHaveLength(400_000)
    const read = signalReader(store.client, store.names.signals)
    const found = await read.read(
      [{ from: stored.at - 1_000, to: stored.at + 1_000 }],
      stored.at + 10,
      AbortSignal.timeout(60_000),
    )
    expect(found.batches[0]?.logs).toMatchObject([{ message: 'refused' }])
  })

  it('are a key that was rotated and still admits by both values, and a user', async () => {
    const admission = keyAdmission(store.client, store.names.keys)
    expect(await admission.admit(stored.one.keyValue, stored.at + 5)).toMatchObject({
      outcome: 'admitted',
      key: { id: stored.one.key, plan: 'standard' },
    })
    const keys = keyAdmin(store.client, store.names.keys)
    expect(await keys.list()).toMatchObject([{ id: stored.one.key, last4: 'efgh' }])
    expect((await keys.acts()).map(({ act }) => act)).toEqual(['rotated', 'created'])
    expect(await userAdmin(store.client, store.names.keys).list()).toMatchObject([
      { id: 'user_ann', name: 'ann' },
    ])
  })

  it('are requests that are still known when they are sent again, and cursor keys that open', async () => {
    for (const table of ['incidents', 'webhooks', 'integrations', 'keys', 'queries', 'signals'] as const) {
      const sort = table !== 'keys' && table !== 'queries'
      const request = { caller: 'key_1', route: table, key: `${CANARY}-${table}`, says: { a: 1 } }
      const repeats = repeatStore({ client: store.client, table: store.names[table], sort })
      expect(await repeats.find(request, stored.at + 5)).toMatchObject({ state: 'done', status: 201 })
      if (table === 'queries' || table === 'signals') continue
      const cursors = cursorKeys({
        client: store.client,
        table: store.names[table],
        sort,
        sealer: openSealer,
        clock: () => stored.at,
      })
      expect((await cursors.current()).version).toBe(1)
    }
  })

  it('are worked on by this version: changed, counted, redelivered, folded', async () => {
    const before = await incidents().get(stored.one.incident)
    if (before === undefined) throw new Error('it is not there')
    const at = stored.at + 20
    const { incident: after } = changeIncident(before, { severity: 'low' }, writeInstant(at))
    expect(
      await incidents().change(before, after, [sampleEntry(at, 'status_changed')], sampleEvent(after, at, 3)),
    ).toBe(true)
    const [delivery] = (await deliveries().list(stored.one.webhook, { limit: 5, after: null })).items
    if (delivery === undefined) throw new Error('there is no delivery')
    expect(await deliveries().resend(delivery, 'manual', at)).toBe(true)
    const users = userAdmission(store.client, store.names.keys)
    const ann = { id: 'user_ann', name: 'ann', group: 'admin', issued_at: at } as const
    expect(await users.admit(ann, at)).toMatchObject({ outcome: 'admitted' })
    const alerts = alertStore({ ...kept(), table: store.names.incidents, clock: () => at })
    const { group } = await alerts.state('b'.repeat(64))
    expect(group).toMatchObject({ incident_id: stored.one.incident, firing: 1 })
  })
})

describe('the items that are kept', () => {
  it('are of this version too, in the form that it stores', async () => {
    const store = await startTestStore()
    try {
      const at = Date.UTC(2026, 0, 31, 12)
      const objects = folderObjects(join(folder, 'now'))
      const one = await writeOneOfEach(store, objects, at)
      const now = await takeStored(store, objects, at, one)
      // Another form: `npm run fixtures:items`; once a version is released, with a new SCHEMA_VERSION.
      expect(shapesOf(now)).toEqual(shapesOf(readStored(packageJson.version)))
    } finally {
      await store.stop()
    }
  })
})
