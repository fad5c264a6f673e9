import { incidentView } from '#shared/contract/views.ts'
import { openIncident } from '#shared/domain/open-incident.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { incidentActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('create-incident', keeping, () => async ({ body, caller, path }) => {
  const incident = await openIncident(incidentActs(), body, caller)
  const headers = { Location: `${path}/${incident.id}` }
  return { body: incidentView(incident), version: incident.version, headers }
})
