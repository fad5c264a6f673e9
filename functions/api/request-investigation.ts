import { requestInvestigation } from '#shared/domain/request-investigation.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { incidentActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('request-investigation', keeping, () => async ({ id, caller }) => {
  await requestInvestigation(incidentActs(), id, caller)
  return { body: { id, analysis: 'pending' } }
})
