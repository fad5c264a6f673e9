import { SWEEP_LIMIT } from '#shared/domain/due-incident.ts'
import { scheduledWorker } from '#shared/edge/worker.ts'
import { clock, doorbell, incidentRecords } from '#shared/runtime.ts'

export const handler = scheduledWorker('sweep-investigations', async () => {
  const due = await incidentRecords().dueInvestigations(clock(), SWEEP_LIMIT)
  if (due.length > 0) await doorbell().ring(due)
  return due.length
})
