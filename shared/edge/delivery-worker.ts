import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { isId } from '../domain/ids.ts'
import type { DeliveryCall } from '../domain/ports.ts'
import { log } from './log.ts'

interface DeliveryMessage extends DeliveryCall {
  /** When it was to arrive (ms). */
  readonly due_at: number
}

function readCall(body: string): DeliveryMessage {
  const value: unknown = JSON.parse(body)
  const { webhook_id, delivery_id, due_at } = (value ?? {}) as Record<string, unknown>
  const named = delivery_id === undefined || (typeof delivery_id === 'string' && isId(delivery_id, 'dlv'))
  if (typeof webhook_id !== 'string' || !isId(webhook_id, 'wh') || !named || typeof due_at !== 'number')
    throw new Error('the message is no doorbell')
  return { webhook_id, delivery_id: (delivery_id as string | undefined) ?? null, due_at }
}

/** What the worker does. */
export interface DeliveryWork {
  readonly now: () => number
  /** @returns what became of it, in a word */
  readonly deliver: (
    call: { readonly webhook_id: string; readonly delivery_id: string },
    remaining: () => number,
  ) => Promise<string>
  readonly recover: (webhookId: string) => Promise<unknown>
  /** Told how late a message was taken (ms). */
  readonly late: (milliseconds: number) => Promise<void>
}

/**
 * Makes the handler of the deliveries queue. All messages of a batch are worked at once, so that a receiver that hangs
 * delays no other; one whose work fails is named in the answer, so that the queue gives only that one again.
 */
export function deliveryWorker(
  name: string,
  work: () => DeliveryWork,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return async (event, context) => {
    const { now, deliver, recover, late } = work()
    const outcomes: Record<string, number> = {}
    const handle = async ({ body, messageId }: SQSRecord) => {
      try {
        const { webhook_id, delivery_id, due_at } = readCall(body)
        // A note that cannot be written keeps no delivery.
        await late(now() - due_at).catch((error: unknown) =>
          log('warn', 'lateness_not_noted', { worker: name, message_id: messageId }, error),
        )
        const outcome =
          delivery_id === null
            ? await recover(webhook_id).then(() => 'recovered')
            : await deliver({ webhook_id, delivery_id }, () => context.getRemainingTimeInMillis())
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        return []
      } catch (error) {
        log('error', 'batch_item_failed', { worker: name, message_id: messageId }, error)
        return [{ itemIdentifier: messageId }]
      }
    }
    const batchItemFailures = (await Promise.all(event.Records.map(handle))).flat()
    log('info', 'worker_finished', {
      worker: name,
      items: event.Records.length,
      failed: batchItemFailures.length,
      deliveries_delivered: outcomes.delivered ?? 0,
      deliveries_failed: outcomes.failed ?? 0,
      deliveries_later: outcomes.later ?? 0,
    })
    return { batchItemFailures }
  }
}
