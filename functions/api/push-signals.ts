import { pushSignals } from '#shared/domain/signals.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, signalActs } from '#shared/runtime.ts'

export const handler = endpoint('push-signals', keeping, () => async ({ body }) => ({
  body: await pushSignals(signalActs(), body),
}))
