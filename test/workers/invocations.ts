import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import type { DynamoDBRecord, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { streamRecord } from '#infra/local/stream-poller.ts'
import { contextOf } from '#test/edge/call-endpoint.ts'
import { handlerOf, type QueuedMessage, type Service } from '#test/endpoints/service.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

/** What a worker answers, as the service that called it reads it. */
type Worker<Event, Answer> = (event: Event, context: unknown) => Promise<Answer>

async function workerOf<Event, Answer>(name: string): Promise<Worker<Event, Answer>> {
  return (await handlerOf(`workers/${name}`)) as unknown as Worker<Event, Answer>
}

/** A doorbell as it comes out of the queue. */
export const doorbellFor = (incident_id: string, messageId = `message-${incident_id}`): QueuedMessage => ({
  messageId,
  body: JSON.stringify({ incident_id }),
})

/** Hands messages to the worker that investigates. @returns ids of the messages that it gave back */
export async function investigate(messages: readonly QueuedMessage[], remaining = 20_000): Promise<string[]> {
  const worker = await workerOf<SQSEvent, SQSBatchResponse>('investigate-incident')
  const answer = await worker({ Records: messages } as unknown as SQSEvent, contextOf(remaining))
  return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
}

/** Hands records of the stream to the relay; it fails as a whole. @returns sequence numbers that it gave back */
export async function relay(records: readonly DynamoDBRecord[]): Promise<string[]> {
  const worker = await workerOf<DynamoDBStreamEvent, SQSBatchResponse>('relay-events')
  const answer = await worker({ Records: [...records] }, contextOf())
  return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
}

/** Hands messages of tools to the worker that takes them in. @returns ids of the messages that it gave back */
export async function takeIn(messages: readonly QueuedMessage[], remaining?: number): Promise<string[]> {
  const worker = await workerOf<SQSEvent, SQSBatchResponse>('take-alerts')
  const answer = await worker({ Records: messages } as unknown as SQSEvent, contextOf(remaining))
  return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
}

/** Runs the sweeper. @returns how many it rang for */
export async function sweep(): Promise<number> {
  const worker = await workerOf<unknown, { rung: number }>('sweep-investigations')
  return (await worker({}, contextOf())).rung
}

/** Every record of the incidents table's stream since the table was made, in order. */
export async function streamedRecords({ store }: Service): Promise<DynamoDBRecord[]> {
  const { Table } = await store.client.send(new DescribeTableCommand({ TableName: store.names.incidents }))
  const arn = Table?.LatestStreamArn ?? ''
  const client = new DynamoDBStreamsClient({
    endpoint: store.endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
  })
  try {
    const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: arn }))
    const records: DynamoDBRecord[] = []
    for (const { ShardId } of StreamDescription?.Shards ?? []) {
      const from = { StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
      let { ShardIterator } = await client.send(new GetShardIteratorCommand(from))
      while (ShardIterator !== undefined) {
        const page: GetRecordsCommandOutput = await client.send(new GetRecordsCommand({ ShardIterator }))
        if (page.Records === undefined || page.Records.length === 0) break
        records.push(...page.Records.map((record) => streamRecord(record, arn)))
        ShardIterator = page.NextShardIterator
      }
    }
    return records
  } finally {
    client.destroy()
  }
}
