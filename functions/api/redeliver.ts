import { deliveryView } from '#shared/contract/views.ts'
import { redeliver } from '#shared/domain/redeliver.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, redeliveryActs } from '#shared/runtime.ts'

export const handler = endpoint('redeliver', keeping, () => async ({ id, innerId }) => ({
  body: deliveryView(await redeliver(redeliveryActs(), id, innerId)),
}))
