import { deliveryView } from '#shared/contract/views.ts'
import { redeliver } from '#shared/domain/redeliver.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { deliveries, keeping, redeliveryActs, webhookRepeats } from '#shared/runtime.ts'

export const handler = endpoint('redeliver', keeping, () =>
  repeatable('redeliver', webhookRepeats, {
    first: ({ id, innerId }, claim) => redeliver(redeliveryActs(claim), id, innerId),
    again: ({ id, innerId }) => deliveries().get(id, innerId),
    answer: (delivery) => ({ body: deliveryView(delivery) }),
  }),
)
