import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clock, keeping, keysOf } from '#shared/runtime.ts'

export const handler = endpoint('revoke-key', keeping, () => async ({ id, caller }) => {
  if (!(await keysOf().revoke(id, clock(), caller.name ?? caller.id))) throw notFound(`Key ${id}`)
  return {}
})
