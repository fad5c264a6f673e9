import { conflict } from '../errors.ts'
import { writeInstant } from '../instant.ts'
import type { Integration } from '../integration.ts'
import type { Clock, MessageQueue, SentMessage } from '../ports.ts'
import { senderOf } from './intake.ts'

export interface MessageActs {
  readonly messages: MessageQueue
  readonly clock: Clock
}

/** What a tool is told that its message was taken in. */
export interface TakenMessage {
  readonly integration_id: string
  readonly received_at: string
}

/**
 * Puts a verified message of a tool where it waits until it is read. Nothing of it is read here: some tools give up on a
 * receiver that is slow a few times.
 * @throws Refusal `conflict` for an integration that is disabled
 */
export async function takeMessage(
  { messages, clock }: MessageActs,
  { id, type, status, config }: Integration,
  { body, header }: SentMessage,
): Promise<TakenMessage> {
  if (status === 'disabled')
    throw conflict('This integration is disabled: messages of its tool are not accepted.')
  const { settings = [], headers = [] } = senderOf(type) ?? {}
  const received_at = clock()
  await messages.put({
    integration_id: id,
    config: Object.fromEntries(settings.map((name) => [name, config[name]])),
    headers: Object.fromEntries(
      headers.flatMap((name) =>
        header(name)
          .slice(0, 1)
          .map((value) => [name, value]),
      ),
    ),
    received_at,
    body,
  })
  return { integration_id: id, received_at: writeInstant(received_at) }
}
