import { setTimeout as wait } from 'node:timers/promises'
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs'

/** A message to be sent. */
export interface Outgoing {
  readonly body: string
  /** Messages of one group do not delay those of another (SQS fair queues). */
  readonly group?: string
  /** At most 900. */
  readonly delaySeconds?: number
}

/** SQS takes ten messages in one call. */
const BATCH = 10
/** Tries of what SQS refused of a batch; the SDK repeats only whole calls. */
const MOST_TRIES = 4
/** First pause, doubled each time. */
const FIRST_PAUSE_MS = 50
/** Calls under way at once. */
const AT_ONCE = 8

/** Milliseconds to let pass; tests pass one that does not. */
export type Pause = (milliseconds: number) => Promise<unknown>

async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  messages: readonly Outgoing[],
  pause: Pause,
): Promise<void> {
  let left = messages
  for (let tries = 1; ; tries += 1) {
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: left.map(({ body, group, delaySeconds }, index) => ({
          Id: String(index),
          MessageBody: body,
          ...(group === undefined ? {} : { MessageGroupId: group }),
          ...(delaySeconds === undefined || delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
        })),
      }),
    )
    if (Failed.length === 0) return
    const reasons = [...new Set(Failed.map(({ Code, Message }) => `${Code}: ${Message}`))].join(', ')
    const hopeless = Failed.some(({ SenderFault }) => SenderFault === true)
    if (hopeless || tries >= MOST_TRIES)
      throw new Error(`${Failed.length} of ${messages.length} messages were not taken (${reasons})`)
    left = Failed.flatMap(({ Id }) => left[Number(Id)] ?? [])
    await pause(FIRST_PAUSE_MS * 2 ** (tries - 1))
  }
}

/**
 * Sends messages, ten in a call. Those that SQS refuses for reasons of its own are sent again.
 * @throws Error, or AggregateError for several batches, when some could not be sent; the others were
 */
export async function sendMessages(
  client: SQSClient,
  queueUrl: string,
  messages: readonly Outgoing[],
  pause: Pause = wait,
): Promise<void> {
  const failures: unknown[] = []
  for (let start = 0; start < messages.length; start += BATCH * AT_ONCE) {
    const round: Promise<void>[] = []
    for (let at = start; at < Math.min(messages.length, start + BATCH * AT_ONCE); at += BATCH) {
      // One batch that fails keeps no other from being sent.
      const sending = sendBatch(client, queueUrl, messages.slice(at, at + BATCH), pause)
      round.push(sending.catch((error: unknown) => void failures.push(error)))
    }
    await Promise.all(round)
  }
  if (failures.length > 0)
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'several batches were not taken')
}
