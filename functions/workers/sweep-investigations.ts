import { sweepInvestigations } from '#shared/domain/sweep-investigations.ts'
import { log } from '#shared/edge/log.ts'
import { scheduledWorker } from '#shared/edge/worker.ts'
import { investigationSweepActs } from '#shared/runtime.ts'

export const handler = scheduledWorker('sweep-investigations', () =>
  sweepInvestigations(investigationSweepActs(), (error) =>
    log('error', 'batch_item_failed', { worker: 'sweep-investigations' }, error),
  ),
)
