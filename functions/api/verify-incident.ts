import { verifyIncident } from '#shared/domain/verify-evidence.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { incidentVerificationActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('verify-incident', keeping, () => async ({ id, deadline }) => ({
  body: await verifyIncident(incidentVerificationActs(), id, deadline),
}))
