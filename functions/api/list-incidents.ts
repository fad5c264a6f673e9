import { incidentFilterOf, pageSize } from '#shared/contract/filters.ts'
import { incidentView } from '#shared/contract/views.ts'
import { readCursor, writeCursor } from '#shared/edge/cursor.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clock, incidentCursors, incidentRecords, keeping } from '#shared/runtime.ts'

export const handler = endpoint('list-incidents', keeping, () => async ({ query }) => {
  const after = await readCursor(incidentCursors(), 'incidents', query, query.cursor, clock())
  const page = await incidentRecords().list(incidentFilterOf(query), { limit: pageSize(query.limit), after })
  const next_cursor = await writeCursor(incidentCursors(), 'incidents', query, page.next, clock())
  return { body: { incidents: page.items.map(incidentView), next_cursor } }
})
