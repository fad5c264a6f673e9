import { incidentView } from '#shared/contract/views.ts'
import { openIncident } from '#shared/domain/open-incident.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { incidentActs, incidentRecords, incidentRepeats, keeping } from '#shared/runtime.ts'

export const handler = endpoint('create-incident', keeping, () =>
  repeatable('create-incident', incidentRepeats, {
    first: ({ body, caller }, claim) => openIncident(incidentActs(claim), body, caller),
    again: (_call, { resource }) => incidentRecords().get(resource),
    answer: (incident, { path }) => {
      const headers = { Location: `${path}/${incident.id}` }
      return { body: incidentView(incident), version: incident.version, headers }
    },
  }),
)
