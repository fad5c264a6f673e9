import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { DynamoDBRecord } from 'aws-lambda'
import type { StreamMapping } from './deployment.ts'
import { eventFilter } from './event-filter.ts'
import type { Invoke, InvokeOutcome } from './function-host.ts'
import { drain, failedItems, type Poller, pause } from './queue-poller.ts'

/** Region that the runner's credentials, addresses and events name. */
export const LOCAL_REGION = 'us-east-1'
/** Lambda reads each shard of a table's stream four times a second. */
const POLL_MS = 250
/** How often new shards are looked for. */
const SHARDS_MS = 5_000
/** First wait before a batch is tried again, doubled each time. */
const RETRY_MS = 200
const MOST_RETRY_MS = 30_000

/** How far each shard has been handled: sequence numbers by shard. */
export interface Checkpoints {
  read(shardId: string): string | undefined
  write(shardId: string, sequenceNumber: string): void
}

export interface StreamPollerOptions {
  readonly client: DynamoDBStreamsClient
  readonly streamArn: string
  readonly mapping: StreamMapping
  readonly invoke: Invoke
  /** A shard without a checkpoint is read from its beginning (`TRIM_HORIZON`), as the deployed mapping does. */
  readonly checkpoints: Checkpoints
  /** Where records that were given up go; absent when the mapping names no queue. */
  readonly onFailure?: { readonly client: SQSClient; readonly queueUrl: string }
  readonly now?: () => number
  readonly log?: (line: string) => void
}

/** Binary values in base64, as they stand in an event. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Date) return value.getTime() / 1_000
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, plain(inner)]),
  )
}

/** A record as the event of a stream mapping holds it. */
export const streamRecord = (record: StreamRecord, streamArn: string): DynamoDBRecord => ({
  ...(plain({
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion ?? '1.1',
    // The emulator names itself as the region.
    awsRegion: LOCAL_REGION,
    dynamodb: record.dynamodb,
    userIdentity: record.userIdentity,
  }) as DynamoDBRecord),
  eventSource: 'aws:dynamodb',
  eventSourceARN: streamArn,
})

const sequenceOf = (record: DynamoDBRecord): string => record.dynamodb?.SequenceNumber ?? ''
const writtenAt = (record: DynamoDBRecord | undefined): number =>
  (record?.dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000

type HandlerOptions = Pick<
  StreamPollerOptions,
  'mapping' | 'invoke' | 'streamArn' | 'onFailure' | 'log' | 'now'
> & {
  readonly signal: AbortSignal
  /** Waits between tries; a test gives one that does not. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Hands a batch to the function until it is done or given up, as Lambda does for streams: nothing later is handled
 * before; a partial answer tries again from the first failed record; with bisecting each half gets its own tries; what
 * is given up goes to the failure queue as a pointer. Returns early, unfinished, when the signal comes.
 *
 * @returns a function that says for a batch whether it was finished (done or given up)
 */
export function batchHandler(options: HandlerOptions) {
  const { mapping, invoke, streamArn, signal } = options
  const log = options.log ?? (() => {})
  const now = options.now ?? Date.now
  const wait = options.wait ?? pause
  // -1 in a template: as long as the record lives.
  const mostRetries = mapping.maxRetries < 0 ? Number.POSITIVE_INFINITY : mapping.maxRetries

  async function giveUp(
    shardId: string,
    records: readonly DynamoDBRecord[],
    condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded',
    tries: number,
    outcome: InvokeOutcome | undefined,
  ): Promise<void> {
    log(`${mapping.functionId}: gave up ${records.length} records of the stream: ${condition}`)
    if (options.onFailure === undefined) return
    const [first, last] = [records[0], records.at(-1)]
    const message = {
      requestContext: {
        requestId: crypto.randomUUID(),
        functionArn: `arn:aws:lambda:us-east-1:000000000000:function:${mapping.functionId}`,
        condition,
        approximateInvokeCount: tries,
      },
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        functionError: outcome?.ok === false ? 'Unhandled' : null,
      },
      version: '1.0',
      timestamp: new Date(now()).toISOString(),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first === undefined ? '' : sequenceOf(first),
        endSequenceNumber: last === undefined ? '' : sequenceOf(last),
        approximateArrivalOfFirstRecord: new Date(writtenAt(first)).toISOString(),
        approximateArrivalOfLastRecord: new Date(writtenAt(last)).toISOString(),
        batchSize: records.length,
        streamArn,
      },
    }
    const { client, queueUrl } = options.onFailure
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }))
  }

  return async function handle(shardId: string, batch: readonly DynamoDBRecord[]): Promise<boolean> {
    let records = batch
    let tries = 0
    while (records.length > 0) {
      if (signal.aborted) return false
      const age = now() - writtenAt(records[0])
      if (mapping.maxRecordAgeMs !== null && age > mapping.maxRecordAgeMs) {
        const young = records.findIndex(
          (record) => now() - writtenAt(record) <= (mapping.maxRecordAgeMs ?? 0),
        )
        const old = young === -1 ? records : records.slice(0, young)
        await giveUp(shardId, old, 'RecordAgeExceeded', tries, undefined)
        records = records.slice(old.length)
        continue
      }
      const outcome = await invoke(mapping.functionId, { Records: records })
      tries += 1
      const failed = failedItems(outcome, new Set(records.map(sequenceOf)), mapping.reportsBatchItemFailures)
      if (failed?.size === 0) return true
      if (failed !== null) {
        // All before the first failure is done; the failure and everything after it is tried again.
        const from = records.findIndex((record) => failed.has(sequenceOf(record)))
        if (from > 0) tries = 0
        records = records.slice(from)
      }
      if (mapping.bisectsBatchOnError && failed === null && records.length > 1) {
        const half = records.length >> 1
        return (await handle(shardId, records.slice(0, half))) && (await handle(shardId, records.slice(half)))
      }
      if (tries > mostRetries) {
        await giveUp(shardId, records, 'RetryAttemptsExhausted', tries, outcome)
        return true
      }
      await wait(Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (tries - 1)), signal)
    }
    return true
  }
}

/**
 * Feeds a function from a table's stream as Lambda's event source mapping does: shard by shard in order, filtered by
 * the mapping's patterns, its place kept in `checkpoints`.
 */
export function startStreamPoller(options: StreamPollerOptions): Poller {
  const { client, streamArn, mapping, checkpoints } = options
  const log = options.log ?? (() => {})
  const ending = new AbortController()
  const signal = ending.signal
  const accepts = eventFilter(mapping.filters)
  const handle = batchHandler({ ...options, signal })
  const running = new Set<Promise<void>>()
  const known = new Set<string>()

  async function iteratorOf(shardId: string): Promise<string | undefined> {
    const after = checkpoints.read(shardId)
    const from = { StreamArn: streamArn, ShardId: shardId }
    if (after !== undefined) {
      try {
        const place = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after } as const
        return (await client.send(new GetShardIteratorCommand({ ...from, ...place }))).ShardIterator
      } catch (error) {
        // The place has been trimmed meanwhile: everything that is left is later.
        if ((error as Error).name !== 'TrimmedDataAccessException') throw error
      }
    }
    const start = new GetShardIteratorCommand({ ...from, ShardIteratorType: 'TRIM_HORIZON' })
    return (await client.send(start)).ShardIterator
  }

  async function readShard(shardId: string): Promise<void> {
    let iterator = await iteratorOf(shardId)
    while (iterator !== undefined && !signal.aborted) {
      const batch: DynamoDBRecord[] = []
      let last: string | undefined
      let windowEnd: number | undefined
      while (iterator !== undefined && !signal.aborted) {
        const page: GetRecordsCommandOutput = await client.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: mapping.batchSize }),
          { abortSignal: signal },
        )
        iterator = page.NextShardIterator
        const records = (page.Records ?? []).map((record) => streamRecord(record, streamArn))
        for (const record of records) {
          last = sequenceOf(record)
          if (accepts(record)) batch.push(record)
        }
        windowEnd ??= batch.length > 0 ? Date.now() + mapping.windowMs : undefined
        if (batch.length >= mapping.batchSize) break
        if (windowEnd !== undefined && Date.now() >= windowEnd) break
        if (batch.length === 0 && last !== undefined) break
        if (records.length === 0) await pause(POLL_MS, signal)
      }
      for (let index = 0; index < batch.length; index += mapping.batchSize) {
        const part = batch.slice(index, index + mapping.batchSize)
        if (!(await handle(shardId, part))) return
        checkpoints.write(shardId, sequenceOf(part.at(-1) as DynamoDBRecord))
      }
      if (last !== undefined && !signal.aborted) checkpoints.write(shardId, last)
    }
  }

  async function readShardForGood(shardId: string): Promise<void> {
    while (!signal.aborted) {
      try {
        await readShard(shardId)
        return
      } catch (error) {
        if (signal.aborted) return
        log(`stream of ${mapping.table}: ${(error as Error).message}`)
        await pause(POLL_MS, signal)
      }
    }
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const described = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }), {
          abortSignal: signal,
        })
        for (const shard of described.StreamDescription?.Shards ?? []) {
          const id = shard.ShardId
          if (id === undefined || known.has(id)) continue
          known.add(id)
          const reading = readShardForGood(id).finally(() => running.delete(reading))
          running.add(reading)
        }
        await pause(SHARDS_MS, signal)
      } catch (error) {
        if (signal.aborted) return
        log(`stream of ${mapping.table}: ${(error as Error).message}`)
        await pause(POLL_MS, signal)
      }
    }
  }

  const following = follow()
  return { close: (mostMs) => drain(ending, [following], running, mostMs) }
}
