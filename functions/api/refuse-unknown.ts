import { catchAll } from '#shared/edge/endpoint.ts'
import { keeping } from '#shared/runtime.ts'

export const handler = catchAll(keeping)
