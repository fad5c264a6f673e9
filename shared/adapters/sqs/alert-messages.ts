import { gunzipSync, gzipSync } from 'node:zlib'
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Sent } from '../../domain/alerts/alert.ts'
import { MOST_SENT_BYTES } from '../../domain/alerts/intake.ts'
import { objectOf, type Payload } from '../../domain/alerts/payload-fields.ts'
import { Refusal } from '../../domain/errors.ts'
import type { MessageQueue, VerifiedMessage } from '../../domain/ports.ts'
import type { SentBodies } from '../objects/sent-bodies.ts'
import { type Pause, sendMessages } from './send-messages.ts'

/** Largest message that SQS is sure to take, in bytes. */
export const MOST_MESSAGE_BYTES = 256 * 1_024

const pack = (body: Uint8Array): Buffer => gzipSync(body)
const written = ({ body: _, ...rest }: VerifiedMessage, place: object): string =>
  JSON.stringify({ ...rest, ...place })
/** @returns null when it is larger than SQS takes */
function inline(message: VerifiedMessage, packed: Buffer): string | null {
  const text = written(message, { body: packed.toString('base64') })
  return Buffer.byteLength(text) > MOST_MESSAGE_BYTES ? null : text
}

/**
 * A verified message of a tool on its way through the queue: its body as it came, packed.
 * @returns the text of the message, or null when it is larger than SQS takes however it is packed
 */
export const writeAlertMessage = (message: VerifiedMessage): string | null =>
  inline(message, pack(message.body))

/** What a body says; a body that is no JSON says nothing that anybody reads. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** A message of a tool as it comes out of the queue, with its packed body or where that is kept. */
interface Envelope {
  readonly sent: Omit<Sent, 'body'>
  readonly body: string | null
  readonly stored: string | null
}

function envelopeOf(text: string): Envelope {
  const message = JSON.parse(text) as Partial<Omit<Sent, 'body'>> & {
    readonly body?: unknown
    readonly stored?: unknown
  }
  const { integration_id, config = {}, headers = {}, received_at, body, stored, confirms } = message
  const place = {
    body: typeof body === 'string' ? body : null,
    stored: typeof stored === 'string' ? stored : null,
  }
  if (
    typeof integration_id !== 'string' ||
    typeof received_at !== 'number' ||
    (place.body === null) === (place.stored === null)
  )
    throw new Error('the message is none of a tool')
  const sent = { integration_id, config, headers, received_at }
  return { sent: confirms === true ? { ...sent, confirms } : sent, ...place }
}

const unpacked = (packed: Uint8Array): unknown =>
  parsed(gunzipSync(packed, { maxOutputLength: MOST_SENT_BYTES }).toString('utf8'))

/** @throws Error for a text that `writeAlertMessage` did not write */
export function readAlertMessage(text: string): Sent {
  const { sent, body } = envelopeOf(text)
  if (body === null) throw new Error('the body of the message is kept elsewhere')
  return { ...sent, body: unpacked(Buffer.from(body, 'base64')) }
}

/** A message as a worker has it. */
export interface MessageInHand {
  /** Null for one whose body was let go: it was taken in before. */
  readonly sent: Sent | null
  /** To be called once it was taken in; nothing for one that is whole in the queue. */
  readonly letGo?: () => Promise<void>
}

/**
 * Reads a message of a tool, wherever its body is.
 * @throws Error for a text that the queue of what tools send did not write, and for one whose body is not there
 */
export async function openAlertMessage(text: string, bodies: SentBodies): Promise<MessageInHand> {
  const { sent, stored } = envelopeOf(text)
  if (stored === null) return { sent: readAlertMessage(text) }
  const body = await bodies.read(stored)
  if (body === null) return { sent: null }
  return { sent: { ...sent, body: unpacked(body) }, letGo: () => bodies.letGo(stored) }
}

/**
 * The event that EventBridge put into the queue of what tools send, as it is; null for any other message.
 * @throws Error for a text that is no JSON
 */
export function readAwsEvent(text: string): Payload | null {
  const event = objectOf(JSON.parse(text))
  return typeof event.source === 'string' && event['detail-type'] !== undefined ? event : null
}

export interface MessageQueueOptions {
  /** Keeps what no message holds; without it that is refused. */
  readonly bodies?: SentBodies
  readonly pause?: Pause
}

/**
 * The queue of what tools send. A body that no message holds, however it is packed, is kept first: whoever dies between
 * the two leaves a body of which no message tells, and was not told to have taken it.
 */
export function messageQueue(
  client: SQSClient,
  queueUrl: string,
  { bodies, pause }: MessageQueueOptions = {},
): MessageQueue {
  const kept = (id: string, packed: Uint8Array): Promise<string> => {
    if (bodies !== undefined) return bodies.keep(id, packed)
    throw new Refusal('too_large', 'The body is too large, and too little of it repeats itself.', {
      field: 'body',
      reason: `must have at most ${MOST_MESSAGE_BYTES} bytes when it is packed`,
    })
  }
  return {
    async put(message) {
      const packed = pack(message.body)
      const body =
        inline(message, packed) ?? written(message, { stored: await kept(message.integration_id, packed) })
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
