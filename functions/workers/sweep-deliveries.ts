import { sweepDeliveries } from '#shared/domain/sweep-deliveries.ts'
import { scheduledWorker } from '#shared/edge/worker.ts'
import { sweepActs } from '#shared/runtime.ts'

export const handler = scheduledWorker('sweep-deliveries', () => sweepDeliveries(sweepActs()))
