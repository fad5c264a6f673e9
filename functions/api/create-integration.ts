import { integrationView } from '#shared/contract/views.ts'
import { connectIntegration } from '#shared/domain/connect-integration.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { integrationActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('create-integration', keeping, () => async ({ body, path }) => {
  const integration = await connectIntegration(integrationActs(), body)
  const headers = { Location: `${path}/${integration.id}` }
  return { body: integrationView(integration), version: integration.version, headers }
})
