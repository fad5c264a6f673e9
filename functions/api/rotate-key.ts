import { rotatedKeyView } from '#shared/contract/views.ts'
import { overlapEnds } from '#shared/domain/overlap.ts'
import { type RotatedKey, rotateKey } from '#shared/domain/rotate-key.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, keyActs, keyRepeats, keysOf } from '#shared/runtime.ts'

export const handler = endpoint('rotate-key', keeping, () =>
  repeatable('rotate-key', keyRepeats, {
    first: ({ id, body, caller }, claim): Promise<RotatedKey> =>
      rotateKey(keyActs(claim), id, body, caller.name ?? caller.id),
    again: async ({ id, body }, { at }) => {
      const apiKey = await keysOf().get(id)
      return apiKey && { apiKey, key: null, previousUntil: overlapEnds(at, body) }
    },
    answer: (rotated) => ({ body: rotatedKeyView(rotated) }),
  }),
)
