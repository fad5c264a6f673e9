import { webhookView } from '#shared/contract/views.ts'
import { changeWebhook } from '#shared/domain/subscribe-webhook.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, webhookChangeActs } from '#shared/runtime.ts'

export const handler = endpoint('update-webhook', keeping, () => async ({ id, body, host, expected }) => {
  const webhook = await changeWebhook(webhookChangeActs(), id, body, host, expected)
  return { body: webhookView(webhook), version: webhook.version }
})
