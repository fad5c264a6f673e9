import { readConfigChange } from '#shared/contract/integrations.ts'
import { integrationView } from '#shared/contract/views.ts'
import { changeIntegration } from '#shared/domain/connect-integration.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { integrationActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('update-integration', keeping, () => async ({ id, body, base, expected }) => {
  const integration = await changeIntegration(integrationActs(), id, body, readConfigChange, expected)
  return { body: integrationView(integration, base), version: integration.version }
})
