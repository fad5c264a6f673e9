import { readInstant, writeInstant } from '#shared/domain/instant.ts'
import { requestRecovery } from '#shared/domain/recover-deliveries.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, redeliveryActs } from '#shared/runtime.ts'

export const handler = endpoint('recover-webhook', keeping, () => async ({ id, body }) => {
  const { webhook_id, since } = await requestRecovery(redeliveryActs(), id, readInstant(body.since) ?? 0)
  return { body: { webhook_id, since: writeInstant(since) } }
})
