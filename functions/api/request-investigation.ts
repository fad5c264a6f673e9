import { requestInvestigation } from '#shared/domain/request-investigation.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { incidentActs, incidentRecords, incidentRepeats, keeping } from '#shared/runtime.ts'

export const handler = endpoint('request-investigation', keeping, () =>
  repeatable('request-investigation', incidentRepeats, {
    first: async ({ id, caller }, claim) => {
      await requestInvestigation(incidentActs(claim), id, caller)
      return { analysis: 'pending' }
    },
    again: ({ id }) => incidentRecords().get(id),
    answer: ({ analysis }, { id }) => ({ body: { id, analysis } }),
  }),
)
