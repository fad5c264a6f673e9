import { madeKeyView } from '#shared/contract/views.ts'
import { createKey, type MadeKey, newKeyOf } from '#shared/domain/create-key.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, keyActs, keyRepeats, keysOf } from '#shared/runtime.ts'

export const handler = endpoint('create-key', keeping, () =>
  repeatable('create-key', keyRepeats, {
    first: ({ body, caller }, claim): Promise<MadeKey> => createKey(keyActs(claim), newKeyOf(body, caller)),
    again: async (_call, { resource }) => {
      const apiKey = await keysOf().get(resource)
      return apiKey && { apiKey, key: null }
    },
    answer: (made, { path }) => {
      const body = madeKeyView(made)
      return { body, headers: { Location: `${path}/${body.id}` } }
    },
  }),
)
