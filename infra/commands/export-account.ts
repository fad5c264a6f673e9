import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { TableNames } from '#infra/local/create-tables.ts'
import { writeWhole } from '#infra/local/data-folder.ts'
import { everyItem, type Pace } from '#shared/adapters/dynamo/every-item.ts'
import { exportedItem } from '#shared/adapters/dynamo/exported-item.ts'
import { countItem, type ItemCounts } from '#shared/adapters/dynamo/item-kind.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { TABLES, type TableName } from '#shared/names.ts'

export interface ExportOptions {
  readonly client: DynamoDBDocumentClient
  readonly names: TableNames
  readonly objects: ObjectStore
  readonly pace: Pace
  /** Which service it is of, in the same words each time. */
  readonly of: string
  /** Where the files go. */
  readonly folder: string
}

/** What was exported, by table and kind. */
export interface Exported {
  readonly items: ItemCounts
  readonly objects: number
}

type Part = TableName | 'objects'

/** How far an export has come. */
interface Progress {
  /** Which service it is of. */
  readonly of: string
  /** Bytes of each file that hold; what stands behind them was being written. */
  readonly bytes: Partial<Record<Part, number>>
  readonly done: readonly Part[]
  /** Where the part that is under way goes on. */
  readonly after: Record<string, unknown> | string | null
  readonly counts: { readonly items: ItemCounts; readonly objects: number }
}

const PROGRESS = 'progress.json'
/** Says that the export is whole, and counts. */
const WHOLE = 'export.json'
const fresh = (of: string): Progress => ({
  of,
  bytes: {},
  done: [],
  after: null,
  counts: { items: {}, objects: 0 },
})

/**
 * Writes everything of an account as lines of JSON, a file for each table and one for the objects, secrets left out.
 * One that was broken off goes on where it ended.
 * @throws Error when the folder holds a whole export already, or the beginning of another service's
 */
export async function exportAccount({
  client,
  names,
  objects,
  pace,
  of,
  folder,
}: ExportOptions): Promise<Exported> {
  const at = (name: string): string => join(folder, name)
  if (existsSync(at(WHOLE))) throw new Error(`${folder} holds a whole export already`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let progress: Progress = existsSync(at(PROGRESS))
    ? (JSON.parse(readFileSync(at(PROGRESS), 'utf8')) as Progress)
    : fresh(of)
  if (progress.of !== of)
    throw new Error(`${folder} holds the beginning of an export of ${progress.of}: give a folder of its own`)

  const begin = (part: Part): void => {
    const file = at(`${part}.jsonl`)
    if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 })
    truncateSync(file, progress.bytes[part] ?? 0)
  }
  const step = (part: Part, lines: readonly unknown[], after: Progress['after'], done: boolean): void => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    appendFileSync(at(`${part}.jsonl`), text)
    progress = {
      of,
      bytes: { ...progress.bytes, [part]: (progress.bytes[part] ?? 0) + Buffer.byteLength(text) },
      done: done ? [...progress.done, part] : progress.done,
      after: done ? null : after,
      counts: progress.counts,
    }
    writeWhole(at(PROGRESS), JSON.stringify(progress))
  }

  for (const table of Object.keys(TABLES) as TableName[]) {
    if (progress.done.includes(table)) continue
    begin(table)
    const after = progress.after as Record<string, unknown> | null
    for await (const { items, next } of everyItem(client, names[table], pace, after)) {
      const shown = items.flatMap((item) => exportedItem(item) ?? [])
      for (const { item } of shown) countItem(progress.counts.items, table, item)
      step(table, shown, next, next === null)
    }
  }
  if (!progress.done.includes('objects')) {
    begin('objects')
    for (const { key } of await objects.list('')) {
      if (
        typeof progress.after === 'string' &&
        Buffer.compare(Buffer.from(key), Buffer.from(progress.after)) <= 0
      )
        continue
      await pace(1)
      const bytes = await objects.get(key)
      // One that was erased meanwhile is no longer part of the account.
      if (bytes === undefined) continue
      progress = { ...progress, counts: { ...progress.counts, objects: progress.counts.objects + 1 } }
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      step(
        'objects',
        [{ key, bytes: bytes.length, sha256, base64: Buffer.from(bytes).toString('base64') }],
        key,
        false,
      )
    }
    step('objects', [], null, true)
  }
  writeWhole(at(WHOLE), `${JSON.stringify(progress.counts)}\n`)
  rmSync(at(PROGRESS))
  return progress.counts
}
