import { rotationView } from '#shared/contract/views.ts'
import { rotatedAt, rotateSecret } from '#shared/domain/rotate-secret.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, rotationActs, webhookRecords, webhookRepeats } from '#shared/runtime.ts'

export const handler = endpoint('rotate-webhook-secret', keeping, () =>
  repeatable('rotate-webhook-secret', webhookRepeats, {
    first: ({ id, body }, claim) => rotateSecret(rotationActs(claim), id, body),
    again: async ({ id, body }, { at }) => {
      const webhook = await webhookRecords().get(id)
      return webhook === undefined ? undefined : rotatedAt(at, webhook, body)
    },
    answer: (rotation) => ({ body: rotationView(rotation) }),
  }),
)
