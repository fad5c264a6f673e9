import { readInstant, writeInstant } from '#shared/domain/instant.ts'
import { requestRecovery } from '#shared/domain/recover-deliveries.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, redeliveryActs, webhookRepeats } from '#shared/runtime.ts'

export const handler = endpoint('recover-webhook', keeping, () =>
  repeatable('recover-webhook', webhookRepeats, {
    first: ({ id, body }, claim) => requestRecovery(redeliveryActs(claim), id, readInstant(body.since) ?? 0),
    again: async ({ body }) => ({ since: readInstant(body.since) ?? 0 }),
    answer: ({ since }, { id }) => ({ body: { webhook_id: id, since: writeInstant(since) } }),
  }),
)
