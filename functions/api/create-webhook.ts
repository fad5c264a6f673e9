import { webhookView } from '#shared/contract/views.ts'
import { subscribeWebhook } from '#shared/domain/subscribe-webhook.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, webhookActs } from '#shared/runtime.ts'

export const handler = endpoint('create-webhook', keeping, () => async ({ body, host, path }) => {
  const { webhook, warnings } = await subscribeWebhook(webhookActs(), body, host)
  const told = warnings.length > 0 ? { warnings } : {}
  const headers = { Location: `${path}/${webhook.id}` }
  return { body: { ...webhookView(webhook), ...told }, version: webhook.version, headers }
})
