import { webhookView } from '#shared/contract/views.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { rotateSecret } from '#shared/domain/rotate-secret.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, rotationActs } from '#shared/runtime.ts'

export const handler = endpoint('rotate-webhook-secret', keeping, () => async ({ id, body }) => {
  const { secret, overlap_seconds } = body
  const { webhook, previousUntil, warnings } = await rotateSecret(rotationActs(), id, secret, overlap_seconds)
  const told = warnings.length > 0 ? { warnings } : {}
  return {
    body: { ...webhookView(webhook), previous_secret_valid_until: writeInstant(previousUntil), ...told },
  }
})
