import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { ROOT } from '#infra/root.ts'
import { itemKind } from '#shared/adapters/dynamo/item-kind.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import { EMULATOR_CREDENTIALS, type TestStore } from './emulator.ts'
import type { OneOfEach } from './one-of-each.ts'

/** Where the items of each version lie. */
const FOLDER = join(ROOT, 'test/data/items')
/** What stands for bytes in JSON. */
interface Packed {
  readonly base64: string
}

/** One of everything as a version of the service stored it: items as they are on the wire, and objects. */
export interface StoredVersion {
  /** The instant (ms) at which all of it happened. */
  readonly at: number
  readonly one: OneOfEach
  readonly items: Readonly<Record<TableName, readonly Record<string, Record<string, unknown>>[]>>
  readonly objects: Readonly<Record<string, Packed>>
}

const pack = (bytes: Uint8Array): Packed => ({ base64: Buffer.from(bytes).toString('base64') })
const inWire = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'B' in value && value.B instanceof Uint8Array
    ? { B: pack(value.B) }
    : value
const outOfWire = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'B' in value
    ? { B: Buffer.from((value.B as Packed).base64, 'base64') }
    : value

/** Reads everything that a store holds. */
export async function takeStored(
  { client, names }: Pick<TestStore, 'client' | 'names'>,
  objects: ObjectStore,
  at: number,
  one: OneOfEach,
): Promise<StoredVersion> {
  const items = {} as Record<TableName, Record<string, Record<string, unknown>>[]>
  for (const table of Object.keys(TABLES) as TableName[]) {
    const { Items = [] } = await client.send(
      new ScanCommand({ TableName: names[table], ConsistentRead: true }),
    )
    items[table] = Items as unknown as Record<string, Record<string, unknown>>[]
  }
  const kept: Record<string, Packed> = {}
  for (const { key } of await objects.list('')) kept[key] = pack((await objects.get(key)) ?? new Uint8Array())
  return { at, one, items, objects: kept }
}

/** Puts what a version stored into an empty store, as it is: by a client that knows nothing of the service. */
export async function putStored(
  { endpoint, names }: Pick<TestStore, 'endpoint' | 'names'>,
  objects: ObjectStore,
  stored: StoredVersion,
): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: EMULATOR_CREDENTIALS })
  for (const table of Object.keys(TABLES) as TableName[])
    for (const item of stored.items[table] ?? [])
      await client.send(new PutItemCommand({ TableName: names[table], Item: item as never }))
  client.destroy()
  for (const [key, { base64 }] of Object.entries(stored.objects))
    await objects.put(key, Buffer.from(base64, 'base64'))
}

/** Versions of which items are kept. */
export const storedVersions = (): string[] =>
  readdirSync(FOLDER)
    .flatMap((name) => (name.endsWith('.json.gz') ? [name.slice(0, -'.json.gz'.length)] : []))
    .sort()

const fileOf = (version: string): string => join(FOLDER, `${version}.json.gz`)

export const readStored = (version: string): StoredVersion =>
  JSON.parse(gunzipSync(readFileSync(fileOf(version))).toString('utf8'), outOfWire) as StoredVersion

export function writeStored(version: string, stored: StoredVersion): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(version), gzipSync(JSON.stringify(stored, inWire), { level: 9 }))
}

/** The attributes of each kind of item with their types on the wire, counters of requests under one name. */
export function shapesOf({ items }: StoredVersion): Record<string, string[]> {
  const shapes: Record<string, Set<string>> = {}
  for (const item of Object.values(items).flat()) {
    const text = (name: string) => item[name]?.S
    const kind = itemKind({ ...item, pk: text('pk'), sk: text('sk') })
    const shape = shapes[kind] ?? new Set()
    shapes[kind] = shape
    for (const [name, value] of Object.entries(item))
      shape.add(`${name.replace(/^w\d+$/, 'w…')}: ${Object.keys(value).join()}`)
  }
  return Object.fromEntries(Object.entries(shapes).map(([kind, shape]) => [kind, [...shape].sort()]))
}
