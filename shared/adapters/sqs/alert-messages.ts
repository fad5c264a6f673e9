import { gunzipSync, gzipSync } from 'node:zlib'
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Sent } from '../../domain/alerts/alert.ts'
import { objectOf, type Payload } from '../../domain/alerts/payload-fields.ts'
import { Refusal } from '../../domain/errors.ts'
import type { MessageQueue, VerifiedMessage } from '../../domain/ports.ts'
import { type Pause, sendMessages } from './send-messages.ts'

/** Largest message that SQS is sure to take, in bytes. */
export const MOST_MESSAGE_BYTES = 256 * 1_024
/** No body was larger when it came. */
const MOST_BODY_BYTES = 256 * 1_024

/**
 * A verified message of a tool on its way through the queue: its body as it came, packed.
 * @returns the text of the message, or null when it is larger than SQS takes however it is packed
 */
export function writeAlertMessage({ body, ...rest }: VerifiedMessage): string | null {
  const text = JSON.stringify({ ...rest, body: gzipSync(body).toString('base64') })
  return text.length > MOST_MESSAGE_BYTES ? null : text
}

/** What a body says; a body that is no JSON says nothing that anybody reads. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** @throws Error for a text that `writeAlertMessage` did not write */
export function readAlertMessage(text: string): Sent {
  const message = JSON.parse(text) as Partial<Omit<Sent, 'body'>> & { readonly body?: unknown }
  const { integration_id, config = {}, headers = {}, received_at, body, confirms } = message
  if (typeof integration_id !== 'string' || typeof received_at !== 'number' || typeof body !== 'string')
    throw new Error('the message is none of a tool')
  const bytes = gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength: MOST_BODY_BYTES })
  const sent = { integration_id, config, headers, received_at, body: parsed(bytes.toString('utf8')) }
  return confirms === true ? { ...sent, confirms } : sent
}

/**
 * The event that EventBridge put into the queue of what tools send, as it is; null for any other message.
 * @throws Error for a text that is no JSON
 */
export function readAwsEvent(text: string): Payload | null {
  const event = objectOf(JSON.parse(text))
  return typeof event.source === 'string' && event['detail-type'] !== undefined ? event : null
}

/** The queue of what tools send. `put` throws `too_large` for a body that no message holds, however it is packed. */
export function messageQueue(client: SQSClient, queueUrl: string, pause?: Pause): MessageQueue {
  return {
    async put(message) {
      const body = writeAlertMessage(message)
      if (body === null)
        throw new Refusal('too_large', 'The body is too large, and too little of it repeats itself.', {
          field: 'body',
          reason: `must have at most ${MOST_MESSAGE_BYTES} bytes when it is packed`,
        })
      // A storm of one tool keeps no other waiting.
      await sendMessages(client, queueUrl, [{ body, group: message.integration_id }], pause)
    },
  }
}

/** Whether messages of tools wait in their queue, or are with a worker that has not said that it took them. */
export async function messagesWait(client: SQSClient, queueUrl: string): Promise<boolean> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  )
  return Object.values(Attributes).some((count) => Number(count) > 0)
}
