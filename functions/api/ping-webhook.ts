import { ping } from '#shared/domain/ping-webhook.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, pingActs } from '#shared/runtime.ts'

export const handler = endpoint('ping-webhook', keeping, () => async ({ id }) => ({
  body: await ping(pingActs(), id),
}))
