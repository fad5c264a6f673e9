import { deliveryWorker } from '#shared/edge/delivery-worker.ts'
import { log } from '#shared/edge/log.ts'
import { deliveryWork } from '#shared/runtime.ts'

export const handler = deliveryWorker('deliver-webhook', () =>
  deliveryWork((webhook_id, reason) => log('warn', 'webhook_disabled', { webhook_id, reason })),
)
