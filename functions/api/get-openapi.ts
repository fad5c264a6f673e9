import document from '#shared/contract/openapi.json' with { type: 'json' }
import { endpoint } from '#shared/edge/endpoint.ts'
import { keepingNobodyOut } from '#shared/runtime.ts'

export const handler = endpoint('get-openapi', keepingNobodyOut, () => async () => ({ body: document }))
