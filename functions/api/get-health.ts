import { endpoint } from '#shared/edge/endpoint.ts'
import { keepingNobodyOut, version } from '#shared/runtime.ts'

export const handler = endpoint('get-health', keepingNobodyOut, () => async () => ({
  body: { status: 'ok', version },
}))
