import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { integrationRecords, keeping } from '#shared/runtime.ts'

export const handler = endpoint('delete-integration', keeping, () => async ({ id, expected }) => {
  if (!(await integrationRecords().delete(id, expected))) throw notFound(`Integration ${id}`)
  return {}
})
