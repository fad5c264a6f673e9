import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { StreamMapping } from '#infra/local/deployment.ts'
import { type RunningDynamoDb, startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import type { InvokeOutcome } from '#infra/local/function-host.ts'
import { createQueues, type QueueAddress, type RunningSqs, startSqs } from '#infra/local/queue-emulator.ts'
import type { Poller } from '#infra/local/queue-poller.ts'
import { batchHandler, type Checkpoints, startStreamPoller } from '#infra/local/stream-poller.ts'

const MAPPING: StreamMapping = {
  table: 'incidents',
  functionId: 'relay',
  batchSize: 10,
  windowMs: 0,
  filters: [],
  maxRetries: 2,
  maxRecordAgeMs: null,
  bisectsBatchOnError: false,
  reportsBatchItemFailures: true,
  onFailure: null,
}
const fail: InvokeOutcome = { ok: false, error: { type: 'Error', message: 'broken' } }
const settle = (payload: unknown = null): InvokeOutcome => ({ ok: true, payload })

const recordOf = (sequence: number, writtenAtSeconds = 1_000): DynamoDBRecord => ({
  eventID: String(sequence),
  dynamodb: { SequenceNumber: String(sequence), ApproximateCreationDateTime: writtenAtSeconds },
})
const sequencesOf = (event: unknown): string[] =>
  (event as DynamoDBStreamEvent).Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '')

/** Runs one batch of records 1…`count` and tells every invocation's sequence numbers. */
async function run(
  count: number,
  answer: (sequences: string[], call: number) => InvokeOutcome,
  mapping: Partial<StreamMapping> = {},
  options: { now?: number; records?: DynamoDBRecord[] } = {},
) {
  const calls: string[][] = []
  const waits: number[] = []
  const lines: string[] = []
  const handle = batchHandler({
    mapping: { ...MAPPING, ...mapping },
    streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/1',
    signal: new AbortController().signal,
    now: () => options.now ?? 1_000_000,
    wait: (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
    log: (line) => lines.push(line),
    invoke: (_, event) => {
      calls.push(sequencesOf(event))
      return Promise.resolve(answer(sequencesOf(event), calls.length))
    },
  })
  const records = options.records ?? Array.from({ length: count }, (_, index) => recordOf(index + 1))
  return { finished: await handle('shard', records), calls, waits, lines }
}

describe('a batch of a stream', () => {
  it('is done after one invocation that succeeds', async () => {
    expect(await run(3, () => settle())).toMatchObject({ finished: true, calls: [['1', '2', '3']] })
  })

  it('is tried again as often as the mapping says, ever more slowly, and then given up', async () => {
    const { finished, calls, waits, lines } = await run(2, () => fail)
    expect(finished).toBe(true)
    expect(calls).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
    ])
    expect(waits).toEqual([200, 400])
    expect(lines).toEqual(['relay: gave up 2 records of the stream: RetryAttemptsExhausted'])
  })

  it('goes on from the first record that the answer names', async () => {
    const { calls } = await run(4, (_, call) =>
      settle(call === 1 ? { batchItemFailures: [{ itemIdentifier: '4' }, { itemIdentifier: '3' }] } : null),
    )
    expect(calls).toEqual([
      ['1', '2', '3', '4'],
      ['3', '4'],
    ])
  })

  it('is tried again whole when the answer names a record that it does not hold', async () => {
    const { calls } = await run(2, (_, call) =>
      settle(call === 1 ? { batchItemFailures: [{ itemIdentifier: '9' }] } : null),
    )
    expect(calls).toEqual([
      ['1', '2'],
      ['1', '2'],
    ])
  })

  it('is halved until the record that breaks it stands alone, and only that one is given up', async () => {
    const { finished, calls, lines } = await run(
      4,
      (sequences) => (sequences.includes('3') ? fail : settle()),
      { bisectsBatchOnError: true, maxRetries: 1 },
    )
    expect(finished).toBe(true)
    expect(calls).toEqual([['1', '2', '3', '4'], ['1', '2'], ['3', '4'], ['3'], ['3'], ['4']])
    expect(lines).toEqual(['relay: gave up 1 records of the stream: RetryAttemptsExhausted'])
  })

  it('gives up records that are too old without invoking the function with them', async () => {
    const { calls, lines } = await run(
      0,
      () => settle(),
      { maxRecordAgeMs: 60_000 },
      {
        records: [recordOf(1, 900), recordOf(2, 930), recordOf(3, 950)],
        now: 1_000_000,
      },
    )
    expect(calls).toEqual([['3']])
    expect(lines).toEqual(['relay: gave up 2 records of the stream: RecordAgeExceeded'])
  })

  it('handles every record at least once and the good ones in order, whichever records are bad', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.integer({ min: 1, max: 9 })),
        async (count, bad) => {
          const good: string[] = []
          const { finished, lines } = await run(
            count,
            (sequences) => {
              if (sequences.some((sequence) => bad.includes(Number(sequence)))) return fail
              good.push(...sequences)
              return settle()
            },
            { bisectsBatchOnError: true, maxRetries: 0 },
          )
          const all = Array.from({ length: count }, (_, index) => index + 1)
          expect(finished).toBe(true)
          expect(good).toEqual(all.filter((sequence) => !bad.includes(sequence)).map(String))
          expect(lines).toHaveLength(all.filter((sequence) => bad.includes(sequence)).length)
        },
      ),
    )
  })

  it('is left unfinished when the runner ends', async () => {
    const ending = new AbortController()
    const handle = batchHandler({
      mapping: MAPPING,
      streamArn: 'arn',
      signal: ending.signal,
      invoke: () => {
        ending.abort()
        return Promise.resolve(fail)
      },
    })
    expect(await handle('shard', [recordOf(1, Date.now() / 1_000)])).toBe(false)
  })
})

describe('a stream mapping', () => {
  const connection = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }
  let dynamo: RunningDynamoDb
  let sqs: RunningSqs
  let tables: DynamoDBClient
  let streams: DynamoDBStreamsClient
  let queues: SQSClient
  let dead: QueueAddress
  let serial = 0
  const pollers: Poller[] = []

  beforeAll(async () => {
    dynamo = await startDynamoDb()
    sqs = await startSqs()
    tables = new DynamoDBClient({ ...connection, endpoint: dynamo.endpoint })
    streams = new DynamoDBStreamsClient({ ...connection, endpoint: dynamo.endpoint })
    queues = new SQSClient({ ...connection, endpoint: sqs.endpoint })
    const settings = { visibilityTimeoutMs: 30_000, retentionMs: 345_600_000, redrive: null }
    dead = (await createQueues(queues, sqs.endpoint, { dead: settings }, 't')).dead as QueueAddress
  })
  afterEach(async () => {
    await Promise.all(pollers.splice(0).map((poller) => poller.close(1_000)))
  })
  afterAll(async () => {
    for (const client of [tables, streams, queues]) client.destroy()
    await Promise.all([dynamo.stop(), sqs.stop()])
  })

  async function createTable(): Promise<{ table: string; streamArn: string }> {
    serial += 1
    const table = `table-${serial}`
    await tables.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    )
    const { Table } = await tables.send(new DescribeTableCommand({ TableName: table }))
    return { table, streamArn: Table?.LatestStreamArn ?? '' }
  }
  const put = (table: string, pk: string, kind: string) =>
    tables.send(
      new PutItemCommand({
        TableName: table,
        Item: { pk: { S: pk }, kind: { S: kind }, raw: { B: new Uint8Array([0, 255]) } },
      }),
    )
  const inMemory = (): Checkpoints & { readonly places: Map<string, string> } => {
    const places = new Map<string, string>()
    return {
      places,
      read: (shard) => places.get(shard),
      write: (shard, place) => void places.set(shard, place),
    }
  }

  function follow(
    streamArn: string,
    answer: (event: DynamoDBStreamEvent) => InvokeOutcome,
    options: { mapping?: Partial<StreamMapping>; checkpoints?: Checkpoints } = {},
  ): DynamoDBStreamEvent[] {
    const events: DynamoDBStreamEvent[] = []
    pollers.push(
      startStreamPoller({
        client: streams,
        streamArn,
        mapping: { ...MAPPING, ...options.mapping },
        checkpoints: options.checkpoints ?? inMemory(),
        onFailure: { client: queues, queueUrl: dead.url },
        invoke: (_, event) => {
          events.push(event as DynamoDBStreamEvent)
          return Promise.resolve(answer(event as DynamoDBStreamEvent))
        },
      }),
    )
    return events
  }
  const keysOf = (events: readonly DynamoDBStreamEvent[]): (string | undefined)[] =>
    events.flatMap(({ Records }) => Records.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S))

  it('hands over what was written before and after it began, in order and as Lambda writes it', async () => {
    const { table, streamArn } = await createTable()
    await put(table, 'a', 'x')
    const events = follow(streamArn, () => settle())
    await expect.poll(() => keysOf(events)).toEqual(['a'])
    await put(table, 'b', 'x')
    await put(table, 'a', 'y')
    await expect.poll(() => keysOf(events)).toEqual(['a', 'b', 'a'])
    const [first] = events[0]?.Records ?? []
    expect(first).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      eventSourceARN: streamArn,
      awsRegion: 'us-east-1',
      dynamodb: {
        NewImage: { pk: { S: 'a' }, kind: { S: 'x' }, raw: { B: 'AP8=' } },
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    })
    expect(first?.dynamodb?.ApproximateCreationDateTime).toBeTypeOf('number')
  })

  it('hands over only what a filter takes and still moves past the rest', async () => {
    const { table, streamArn } = await createTable()
    for (const [pk, kind] of [
      ['a', 'no'],
      ['b', 'yes'],
      ['c', 'no'],
    ] as const) {
      await put(table, pk, kind)
    }
    const checkpoints = inMemory()
    const filters = [{ dynamodb: { NewImage: { kind: { S: ['yes'] } } } }]
    const events = follow(streamArn, () => settle(), { mapping: { filters }, checkpoints })
    await expect.poll(() => [...checkpoints.places.values()]).toEqual(['3'])
    expect(keysOf(events)).toEqual(['b'])
  })

  it('goes on after its checkpoint when it begins again', async () => {
    const { table, streamArn } = await createTable()
    await put(table, 'a', 'x')
    const checkpoints = inMemory()
    const before = follow(streamArn, () => settle(), { checkpoints })
    await expect.poll(() => checkpoints.places.size).toBe(1)
    await Promise.all(pollers.splice(0).map((poller) => poller.close()))
    await put(table, 'b', 'x')
    const after = follow(streamArn, () => settle(), { checkpoints })
    await expect.poll(() => keysOf(after)).toEqual(['b'])
    expect(keysOf(before)).toEqual(['a'])
  })

  it('sends a pointer to what it gave up to the failure queue and goes on', async () => {
    const { table, streamArn } = await createTable()
    await put(table, 'bad', 'x')
    const events = follow(streamArn, (event) => (keysOf([event]).includes('bad') ? fail : settle()), {
      mapping: { maxRetries: 0, bisectsBatchOnError: true },
    })
    await expect.poll(() => keysOf(events)).toEqual(['bad'])
    await put(table, 'good', 'x')
    await expect.poll(() => keysOf(events)).toEqual(['bad', 'good'])
    const { Messages } = await queues.send(
      new ReceiveMessageCommand({ QueueUrl: dead.url, WaitTimeSeconds: 2 }),
    )
    expect(JSON.parse(Messages?.[0]?.Body ?? '{}')).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 1 },
      responseContext: { functionError: 'Unhandled' },
      DDBStreamBatchInfo: { startSequenceNumber: '1', endSequenceNumber: '1', batchSize: 1, streamArn },
    })
  })
})
