import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, webhookRecords } from '#shared/runtime.ts'

export const handler = endpoint('delete-webhook', keeping, () => async ({ id }) => {
  if (!(await webhookRecords().delete(id))) throw notFound(`Webhook ${id}`)
  return {}
})
