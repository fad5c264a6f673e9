import { SETTLE_LIMIT, settleAlerts } from '#shared/domain/alerts/take-alerts.ts'
import { SWEEP_LIMIT } from '#shared/domain/due-incident.ts'
import { log } from '#shared/edge/log.ts'
import { scheduledWorker } from '#shared/edge/worker.ts'
import { clock, doorbell, incidentRecords, settleActs } from '#shared/runtime.ts'

export const handler = scheduledWorker('sweep-investigations', async () => {
  const due = await incidentRecords().dueInvestigations(clock(), SWEEP_LIMIT)
  if (due.length > 0) await doorbell().ring(due)
  const report = (error: unknown) =>
    log('error', 'batch_item_failed', { worker: 'sweep-investigations' }, error)
  return due.length + (await settleAlerts(settleActs(), SETTLE_LIMIT, report))
})
