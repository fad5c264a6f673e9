import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, webhookRecords } from '#shared/runtime.ts'

export const handler = endpoint('delete-webhook', keeping, () => async ({ id, expected }) => {
  if (!(await webhookRecords().delete(id, expected))) throw notFound(`Webhook ${id}`)
  return {}
})
