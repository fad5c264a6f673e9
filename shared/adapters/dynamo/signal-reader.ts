import { gunzipSync } from 'node:zlib'
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { Window } from '../../domain/investigation/records/snapshot.ts'
import type { FoundSignals, PushedRecords, SignalReader } from '../../domain/ports.ts'
import { SIGNAL_KINDS } from '../../domain/signals.ts'
import { RECORD_FILES } from '../bundle/record-shapes.ts'
import { sha256 } from '../digest.ts'
import { itemKeys, signalInstant } from './item-keys.ts'
import { SHORT_SPAN_MS } from './signal-keeper.ts'

/** How much one read of one stretch of time takes; what is beyond is left out, and said so. */
export interface SignalLimits {
  /** Pages of the store, of 1 MB of packed batches each. */
  readonly pages: number
  /** Bytes of unpacked batches. */
  readonly bytes: number
}

const LIMITS: SignalLimits = { pages: 8, bytes: 16 * 1024 * 1024 }
/** No batch was larger than a body when it came; canonical JSON may write its numbers and escapes longer. */
const MOST_UNPACKED = 4 * 1024 * 1024
/** After so many batches others get their turn: a deadline can only be noticed when timers run. */
const BATCHES_PER_TURN = 16

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Item {
  readonly sk: string
  readonly pushed_at: number
  readonly bytes: number
  readonly records: Uint8Array
}

interface Read {
  readonly items: readonly Item[]
  readonly cut: boolean
}

/** One partition between two sort keys, newest first, up to the limits. */
async function readItems(
  client: DynamoDBDocumentClient,
  table: string,
  partition: string,
  starts: Window,
  from: number,
  now: number,
  { pages, bytes }: SignalLimits,
  signal: AbortSignal,
): Promise<Read> {
  const items: Item[] = []
  let left = bytes
  let start: Record<string, unknown> | undefined
  for (let page = 0; page < pages; page += 1) {
    const found: QueryCommandOutput = await client.send(
      new QueryCommand({
        TableName: table,
        // What was pushed a moment ago is part of the next answer.
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
        FilterExpression: '#until >= :from AND expires_at_s > :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: {
          ':partition': partition,
          ':first': signalInstant(starts.from),
          ':last': signalInstant(starts.to),
          ':from': Math.floor(from),
          ':now': Math.floor(now / 1_000),
        },
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      }),
      { abortSignal: signal },
    )
    for (const item of (found.Items ?? []) as Item[]) {
      if (item.bytes > left) return { items, cut: true }
      left -= item.bytes
      items.push(item)
    }
    start = found.LastEvaluatedKey
    if (start === undefined) return { items, cut: false }
  }
  return { items, cut: true }
}

/** The records of one kind, decoded; counts those that are none. */
function decoded(
  kind: (typeof SIGNAL_KINDS)[number],
  values: unknown,
): { records: unknown[]; unread: number } {
  const shape = RECORD_FILES[kind].shape as z.ZodMiniType<unknown>
  const records: unknown[] = []
  let unread = 0
  for (const value of Array.isArray(values) ? values : []) {
    const read = z.safeDecode(shape, value)
    if (read.success) records.push(read.data)
    else unread += 1
  }
  return { records, unread }
}

/**
 * Finds the batches that tell of some stretches of time: of each stretch those of a short span that begin in it or
 * little before, and of all time those of a long span, whose end only the item itself tells.
 */
export function signalReader(
  client: DynamoDBDocumentClient,
  table: string,
  limits: SignalLimits = LIMITS,
): SignalReader {
  return {
    async read(windows, now, signal): Promise<FoundSignals> {
      const { short, long } = itemKeys.signals
      const first = Math.min(...windows.map(({ from }) => from))
      const last = Math.max(...windows.map(({ to }) => to))
      const read = (partition: string, starts: Window, from: number) =>
        readItems(client, table, partition, starts, from, now, limits, signal)
      const reads = await Promise.all([
        ...windows.map(({ from, to }) => read(short, { from: from - SHORT_SPAN_MS, to }, from)),
        read(long, { from: 0, to: last }, first),
      ])
      // A batch at the edge of two stretches is found twice.
      const byKey = new Map(reads.flatMap(({ items }) => items.map((item) => [item.sk, item] as const)))
      const items = [...byKey.values()].sort(
        (a, b) => a.pushed_at - b.pushed_at || (a.sk < b.sk ? -1 : a.sk > b.sk ? 1 : 0),
      )
      const batches: PushedRecords[] = []
      let unread = 0
      for (const [index, item] of items.entries()) {
        if (index % BATCHES_PER_TURN === 0) await turnOfOthers()
        signal.throwIfAborted()
        const text = gunzipSync(item.records, { maxOutputLength: MOST_UNPACKED }).toString('utf8')
        const kept = JSON.parse(text) as Record<string, unknown>
        const lists = SIGNAL_KINDS.map((kind) => {
          const { records, unread: bad } = decoded(kind, kept[kind])
          unread += bad
          return [kind, records] as const
        })
        batches.push(Object.fromEntries(lists) as unknown as PushedRecords)
      }
      return {
        batches,
        digest: sha256(items.map(({ sk }) => sk).join('\n')),
        cut: reads.some(({ cut }) => cut),
        unread,
      }
    },
  }
}
