import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyItem, paceOf } from '#shared/adapters/dynamo/every-item.ts'
import { exportedItem, leftOut } from '#shared/adapters/dynamo/exported-item.ts'
import { ITEM_KINDS, itemKind } from '#shared/adapters/dynamo/item-kind.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { CANARY, type OneOfEach, writeOneOfEach } from '#test/storage/one-of-each.ts'

const NOON = Date.UTC(2026, 0, 2, 12)

let store: TestStore
let folder: string
let one: OneOfEach
const items: Record<string, unknown>[] = []
beforeAll(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'export-'))
  one = await writeOneOfEach(store, folderObjects(folder), NOON)
  for (const table of Object.keys(TABLES) as TableName[])
    items.push(...((await store.client.send(new ScanCommand({ TableName: store.names[table] }))).Items ?? []))
})
afterAll(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})

describe('what is exported of an item', () => {
  it('is known for every kind that the service stores', () => {
    const kinds = new Set(items.map(itemKind))
    expect(ITEM_KINDS.filter((kind) => !kinds.has(kind))).toEqual(['unknown'])
    expect(itemKind({ pk: 'SOMETHING#1' })).toBe('unknown')
    expect(itemKind({ pk: 'INCIDENT#inc_1', sk: 'SOMETHING' })).toBe('unknown')
    expect(exportedItem({ pk: 'SOMETHING#1', secret: 'x' })).toBeNull()
  })

  it('holds no secret, no hash of a key, and nothing by which requests or cursors are known again', () => {
    const text = JSON.stringify(items.map(exportedItem))
    expect(JSON.stringify(items)).toContain(CANARY)
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain(one.keyValue)
    for (const id of [one.incident, one.query, one.largeQuery, one.webhook, one.integration, one.key])
      expect(text).toContain(id)
  })

  it('leaves out exactly these attributes', () => {
    const out: Record<string, string[]> = {}
    for (const item of items) {
      const kind = itemKind(item)
      const names = leftOut(item).map((name) => name.replace(/^w\d+$/, 'w…'))
      if (exportedItem(item) !== null) out[kind] = [...new Set([...(out[kind] ?? []), ...names])].sort()
    }
    expect(Object.fromEntries(Object.entries(out).filter(([, names]) => names.length > 0))).toEqual({
      incident: [
        'claim',
        'due_list',
        'fence',
        'lease_until',
        'list_all',
        'list_severity',
        'list_status',
        'list_status_severity',
      ],
      alert: ['rev'],
      alert_group: ['due_at', 'due_list'],
      event: ['due_list'],
      webhook: ['previous_sealed', 'previous_until', 'sealed'],
      integration: ['intake', 'sealed'],
      delivery: ['claim', 'fence', 'lease_until'],
      recovery: ['due_at', 'due_list'],
      api_key: ['list_all', 'previous_hash', 'previous_until', 'w…'],
      key_act: ['list_all'],
      user: ['list_all', 'w…'],
    })
  })

  it('is what was stored, documents and pushed records opened', () => {
    const shown = items.flatMap((item) => exportedItem(item) ?? [])
    const of = (kind: string) => shown.filter(({ item }) => item === kind)
    expect(of('incident')).toMatchObject([
      {
        pk: `INCIDENT#${one.incident}`,
        sk: 'INCIDENT',
        status: 'resolved',
        root_cause: { outcome: 'identified' },
      },
    ])
    expect(of('signals')).toMatchObject([{ records: { logs: [{ message: 'refused' }] } }])
    expect(of('answer')).toContainEqual(
      expect.objectContaining({ answer: expect.objectContaining({ id: one.query }) }),
    )
    expect(of('api_key')).toMatchObject([{ id: one.key, last4: 'efgh' }])
    expect(of('api_key')[0]).not.toHaveProperty('pk')
  })
})

describe('the pace of a command', () => {
  it('lets through what it says in a second, however it is asked', async () => {
    let now = 0
    const pauses: number[] = []
    const pace = paceOf(
      100,
      () => now,
      async (ms) => {
        pauses.push(ms)
        now += ms
      },
    )
    for (const count of [50, 50, 100, 0]) await pace(count)
    expect(pauses).toEqual([500, 500, 1_000])
    // Time in which nothing was asked is not made up for.
    now += 10_000
    await pace(100)
    expect(pauses).toHaveLength(3)
  })
})

describe('a table that is read whole', () => {
  it('goes on behind the key where an earlier reading ended', async () => {
    const pages = []
    const all = everyItem(store.client, store.names.incidents, async () => {})
    for await (const { items: page } of all) pages.push(...page)
    const [first] = pages
    const rest = []
    const after = { pk: first?.pk, sk: first?.sk }
    for await (const page of everyItem(store.client, store.names.incidents, async () => {}, after))
      rest.push(...page.items)
    expect(rest).toEqual(pages.slice(1))
  })
})
