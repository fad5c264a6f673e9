import { answerView } from '#shared/contract/views.ts'
import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, queries } from '#shared/runtime.ts'

export const handler = endpoint('get-query', keeping, () => async ({ id }) => {
  const answer = await queries().get(id)
  if (answer === undefined) throw notFound(`Query ${id}`)
  // An answer never changes.
  return { body: answerView(answer), version: 1 }
})
