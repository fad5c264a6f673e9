import { runInvestigation } from '#shared/domain/run-investigation.ts'
import { log } from '#shared/edge/log.ts'
import { queueWorker } from '#shared/edge/worker.ts'
import { investigationActs } from '#shared/runtime.ts'

export const handler = queueWorker('investigate-incident', async ({ incident_id }, { remaining, report }) => {
  const gaveUp = (incident: string) => log('error', 'analysis_given_up', { incident_id: incident })
  await runInvestigation(investigationActs(report, gaveUp), incident_id, remaining())
})
