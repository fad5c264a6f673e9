import { webhookView } from '#shared/contract/views.ts'
import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, webhookRecords } from '#shared/runtime.ts'

export const handler = endpoint('get-webhook', keeping, () => async ({ id }) => {
  const webhook = await webhookRecords().get(id)
  if (webhook === undefined) throw notFound(`Webhook ${id}`)
  return { body: webhookView(webhook), version: webhook.version }
})
