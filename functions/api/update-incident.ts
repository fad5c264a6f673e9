import { incidentView } from '#shared/contract/views.ts'
import { amendIncident } from '#shared/domain/amend-incident.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { incidentActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('update-incident', keeping, () => async ({ id, body, caller, expected }) => {
  const incident = await amendIncident(incidentActs(), id, body, caller, expected)
  return { body: incidentView(incident), version: incident.version }
})
