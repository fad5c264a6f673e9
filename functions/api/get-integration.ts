import { integrationView } from '#shared/contract/views.ts'
import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { integrationRecords, keeping } from '#shared/runtime.ts'

export const handler = endpoint('get-integration', keeping, () => async ({ id, base }) => {
  const integration = await integrationRecords().get(id)
  if (integration === undefined) throw notFound(`Integration ${id}`)
  return { body: integrationView(integration, base), version: integration.version }
})
