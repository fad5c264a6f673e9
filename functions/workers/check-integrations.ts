import { checkIntegrations } from '#shared/domain/check-integrations.ts'
import { scheduledWorker } from '#shared/edge/worker.ts'
import { checkActs } from '#shared/runtime.ts'

export const handler = scheduledWorker('check-integrations', () => checkIntegrations(checkActs()))
