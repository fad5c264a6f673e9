import { integrationView } from '#shared/contract/views.ts'
import { checkIntegration } from '#shared/domain/check-integrations.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { integrationActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('check-integration', keeping, () => async ({ id, base }) => {
  const integration = await checkIntegration(integrationActs(), id)
  return { body: integrationView(integration, base), version: integration.version }
})
