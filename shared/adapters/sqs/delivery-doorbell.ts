import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { DeliveryDoorbell } from '../../domain/ports.ts'
import { type Pause, sendMessages } from './send-messages.ts'

/** The longest delay that SQS knows, in seconds. */
const MOST_DELAY_S = 900

/**
 * Rings for deliveries by messages `{"webhook_id": "wh_…", "delivery_id": "dlv_…", "due_at": ms}`, and for a recovery by
 * one without `delivery_id`. The group is the subscription: SQS lets a group with a backlog delay no other.
 */
export function deliveryDoorbell(
  client: SQSClient,
  queueUrl: string,
  clock: () => number,
  pause?: Pause,
): DeliveryDoorbell {
  return {
    async ring(calls, delayMs = 0) {
      const delaySeconds = Math.min(MOST_DELAY_S, Math.ceil(delayMs / 1_000))
      const due_at = clock() + delaySeconds * 1_000
      const messages = calls.map(({ webhook_id, delivery_id }) => ({
        body: JSON.stringify({ webhook_id, ...(delivery_id === null ? {} : { delivery_id }), due_at }),
        group: webhook_id,
        delaySeconds,
      }))
      await sendMessages(client, queueUrl, messages, pause)
    },

    async waiting() {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl: queueUrl,
          AttributeNames: ['ApproximateNumberOfMessages'],
        }),
      )
      return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
    },
  }
}
