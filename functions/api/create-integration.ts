import { connectedView } from '#shared/contract/views.ts'
import { connectIntegration } from '#shared/domain/connect-integration.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { integrationActs, integrationRecords, integrationRepeats, keeping } from '#shared/runtime.ts'

export const handler = endpoint('create-integration', keeping, () =>
  repeatable('create-integration', integrationRepeats, {
    first: ({ body }, claim) => connectIntegration(integrationActs(claim), body),
    again: async (_call, { resource }) => {
      const integration = await integrationRecords().get(resource)
      return integration && { integration, token: null }
    },
    answer: (made, { path, base }) => {
      const headers = { Location: `${path}/${made.integration.id}` }
      return { body: connectedView(made, base), version: made.integration.version, headers }
    },
  }),
)
