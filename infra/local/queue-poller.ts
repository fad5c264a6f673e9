import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSMessageAttribute, SQSRecord } from 'aws-lambda'
import type { QueueMapping } from './deployment.ts'
import type { Invoke, InvokeOutcome } from './function-host.ts'

/** Messages that one receive or one delete can hold. */
const MOST_PER_CALL = 10
/** Longest wait of one receive. */
const LONG_POLL_SECONDS = 20
/** Invocations at once where the mapping sets no bound: what Lambda begins with. */
const FIRST_CONCURRENCY = 5
/** Wait after a receive that failed, so that an emulator that is gone is not asked in a busy loop. */
const AFTER_ERROR_MS = 500

export interface QueuePollerOptions {
  readonly client: SQSClient
  readonly queueUrl: string
  readonly queueArn: string
  readonly mapping: QueueMapping
  readonly invoke: Invoke
  readonly log?: (line: string) => void
}

export interface Poller {
  /** Takes nothing more and waits for what is in hand, at most so many ms. */
  close(mostMs?: number): Promise<void>
}

function attributeOf(value: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
    ...(value.BinaryValue === undefined
      ? {}
      : { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType ?? 'String',
  }
}

/** A message as the event of a queue mapping holds it. */
export const queueRecord = (message: Message, queueArn: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'local',
    ApproximateFirstReceiveTimestamp: '0',
    ...message.Attributes,
  },
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attributeOf(value)]),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: queueArn.split(':')[3] ?? '',
})

/**
 * The identifiers that a batch's answer names as failed.
 * @returns null when the whole batch failed: the function failed, the answer has another form, an identifier is empty
 * or is none of the batch (what Lambda documents for `ReportBatchItemFailures`)
 */
export function failedItems(
  outcome: InvokeOutcome,
  identifiers: ReadonlySet<string>,
  reportsFailures: boolean,
): ReadonlySet<string> | null {
  if (!outcome.ok) return null
  if (!reportsFailures) return new Set()
  const payload = outcome.payload
  if (payload === null || payload === undefined || payload === '') return new Set()
  if (typeof payload !== 'object') return null
  const failures = (payload as { batchItemFailures?: unknown }).batchItemFailures
  if (failures === undefined || failures === null) return new Set()
  if (!Array.isArray(failures)) return null
  const failed = new Set<string>()
  for (const entry of failures as unknown[]) {
    const identifier = (entry as { itemIdentifier?: unknown } | null)?.itemIdentifier
    if (typeof identifier !== 'string' || !identifiers.has(identifier)) return null
    failed.add(identifier)
  }
  return failed
}

/**
 * Feeds a function from a queue as Lambda's event source mapping does. What fails is left in the queue: it becomes
 * visible again by the queue's visibility timeout and moves to the dead-letter queue by the queue's own policy.
 */
export function startQueuePoller(options: QueuePollerOptions): Poller {
  const { client, queueUrl, queueArn, mapping, invoke } = options
  const log = options.log ?? (() => {})
  const mostAtOnce = mapping.maxConcurrency ?? FIRST_CONCURRENCY
  const ending = new AbortController()
  const running = new Set<Promise<void>>()

  async function receive(most: number, waitSeconds: number): Promise<Message[]> {
    const received = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(most, MOST_PER_CALL),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: ending.signal },
    )
    return received.Messages ?? []
  }

  /** Waits for the first message, then for more until the batch is full or its window is over. */
  async function gather(): Promise<Message[]> {
    const batch = await receive(mapping.batchSize, LONG_POLL_SECONDS)
    const until = Date.now() + mapping.windowMs
    while (batch.length > 0 && batch.length < mapping.batchSize && !ending.signal.aborted) {
      const rest = until - Date.now()
      // A window without time takes what one receive gives; SQS waits whole seconds only.
      if (rest <= 0) break
      batch.push(...(await receive(mapping.batchSize - batch.length, Math.ceil(rest / 1_000))))
    }
    return batch
  }

  async function handle(batch: readonly Message[]): Promise<void> {
    const records = batch.map((message) => queueRecord(message, queueArn))
    const outcome = await invoke(mapping.functionId, { Records: records })
    const failed = failedItems(
      outcome,
      new Set(records.map((record) => record.messageId)),
      mapping.reportsBatchItemFailures,
    )
    if (failed === null) {
      const reason = outcome.ok ? 'its answer names no items of the batch' : outcome.error.message
      log(`${mapping.functionId}: batch of ${batch.length} failed: ${reason}`)
      return
    }
    const done = records.filter((record) => !failed.has(record.messageId))
    for (let index = 0; index < done.length; index += MOST_PER_CALL) {
      await client.send(
        new DeleteMessageBatchCommand({
          QueueUrl: queueUrl,
          Entries: done.slice(index, index + MOST_PER_CALL).map((record, position) => ({
            Id: String(position),
            ReceiptHandle: record.receiptHandle,
          })),
        }),
      )
    }
  }

  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      if (running.size >= mostAtOnce) {
        await Promise.race(running)
        continue
      }
      try {
        const batch = await gather()
        if (batch.length === 0) continue
        const work = handle(batch)
          .catch((error: unknown) => log(`${mapping.functionId}: ${(error as Error).message}`))
          .finally(() => running.delete(work))
        running.add(work)
      } catch (error) {
        if (ending.signal.aborted) break
        log(`queue ${mapping.queue}: ${(error as Error).message}`)
        await pause(AFTER_ERROR_MS, ending.signal)
      }
    }
  }

  const polling = poll()
  return { close: (mostMs) => drain(ending, [polling], running, mostMs) }
}

/** Waits so many ms or until the signal, whichever is first. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

/** Ends a poller: no new work, and at most `mostMs` (for ever when absent) for the work in hand. */
export async function drain(
  ending: AbortController,
  loops: readonly Promise<void>[],
  running: ReadonlySet<Promise<void>>,
  mostMs?: number,
): Promise<void> {
  ending.abort()
  const all = Promise.all(loops).then(() => Promise.all(running))
  if (mostMs === undefined) {
    await all
    return
  }
  const limit = new AbortController()
  await Promise.race([all, pause(mostMs, limit.signal)])
  limit.abort()
}
