import { wholeListSize } from '#shared/contract/filters.ts'
import { integrationView } from '#shared/contract/views.ts'
import { readCursor, writeCursor } from '#shared/edge/cursor.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clock, integrationCursors, integrationRecords, keeping } from '#shared/runtime.ts'

export const handler = endpoint('list-integrations', keeping, () => async ({ query, base }) => {
  const after = await readCursor(integrationCursors(), 'integrations', {}, query.cursor, clock())
  const page = await integrationRecords().list({ limit: wholeListSize(query.limit), after })
  const next_cursor = await writeCursor(integrationCursors(), 'integrations', {}, page.next, clock())
  return {
    body: { integrations: page.items.map((integration) => integrationView(integration, base)), next_cursor },
  }
})
