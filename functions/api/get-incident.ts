import { incidentFileView } from '#shared/contract/views.ts'
import { notFound } from '#shared/domain/errors.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { incidents, keeping } from '#shared/runtime.ts'

export const handler = endpoint('get-incident', keeping, () => async ({ id }) => {
  const file = await incidents().read(id)
  if (file === undefined) throw notFound(`Incident ${id}`)
  return { body: incidentFileView(file), version: file.version }
})
