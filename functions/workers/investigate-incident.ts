import { runInvestigation } from '#shared/domain/run-investigation.ts'
import { queueWorker } from '#shared/edge/worker.ts'
import { investigationActs } from '#shared/runtime.ts'

export const handler = queueWorker('investigate-incident', async ({ incident_id }, { remaining, report }) => {
  await runInvestigation(investigationActs(report), incident_id, remaining())
})
