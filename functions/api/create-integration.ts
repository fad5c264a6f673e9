import { integrationView } from '#shared/contract/views.ts'
import { connectIntegration } from '#shared/domain/connect-integration.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { integrationActs, integrationRecords, integrationRepeats, keeping } from '#shared/runtime.ts'

export const handler = endpoint('create-integration', keeping, () =>
  repeatable('create-integration', integrationRepeats, {
    first: ({ body }, claim) => connectIntegration(integrationActs(claim), body),
    again: (_call, { resource }) => integrationRecords().get(resource),
    answer: (integration, { path }) => {
      const headers = { Location: `${path}/${integration.id}` }
      return { body: integrationView(integration), version: integration.version, headers }
    },
  }),
)
