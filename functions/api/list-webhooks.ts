import { pageSize } from '#shared/contract/filters.ts'
import { webhookView } from '#shared/contract/views.ts'
import { readCursor, writeCursor } from '#shared/edge/cursor.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clock, keeping, webhookCursors, webhookRecords } from '#shared/runtime.ts'

export const handler = endpoint('list-webhooks', keeping, () => async ({ query }) => {
  const after = await readCursor(webhookCursors(), 'webhooks', {}, query.cursor, clock())
  const page = await webhookRecords().list({ limit: pageSize(query.limit), after })
  const next_cursor = await writeCursor(webhookCursors(), 'webhooks', {}, page.next, clock())
  return { body: { webhooks: page.items.map(webhookView), next_cursor } }
})
