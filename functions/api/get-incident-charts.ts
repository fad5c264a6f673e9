import { incidentChartsView } from '#shared/contract/views.ts'
import { chartIncident } from '#shared/domain/chart-incident.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { chartActs, keeping } from '#shared/runtime.ts'

export const handler = endpoint('get-incident-charts', keeping, () => async ({ id }) => ({
  body: incidentChartsView(await chartIncident(chartActs(), id)),
}))
