import { alertWorker } from '#shared/edge/alert-worker.ts'
import { alertWork } from '#shared/runtime.ts'

export const handler = alertWorker('take-alerts', alertWork)
