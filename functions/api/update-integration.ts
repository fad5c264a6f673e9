import { readConfigChange } from '#shared/contract/integrations.ts'
import { integrationView } from '#shared/contract/views.ts'
import { changeIntegration } from '#shared/domain/connect-integration.ts'
import { rotateIngestToken } from '#shared/domain/rotate-ingest-token.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { integrationActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('update-integration', keeping, () => async ({ id, body, base, expected }) => {
  const { rotate_ingest_token: rotation, ...change } = body
  const { integration, token } =
    rotation === undefined
      ? {
          integration: await changeIntegration(integrationActs(), id, change, readConfigChange, expected),
          token: null,
        }
      : await rotateIngestToken(integrationActs(), id, rotation, expected)
  return { body: integrationView(integration, base, token), version: integration.version }
})
