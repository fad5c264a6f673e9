import { pageSize } from '#shared/contract/filters.ts'
import { loggedDeliveryView } from '#shared/contract/views.ts'
import { notFound } from '#shared/domain/errors.ts'
import { readCursor, writeCursor } from '#shared/edge/cursor.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clock, deliveries, keeping, webhookCursors, webhookRecords } from '#shared/runtime.ts'

export const handler = endpoint('list-deliveries', keeping, () => async ({ id, query }) => {
  const list = `deliveries of ${id}`
  const after = await readCursor(webhookCursors(), list, {}, query.cursor, clock())
  const page = await deliveries().list(id, { limit: pageSize(query.limit), after })
  // The log outlives its subscription; only an empty one needs to know whether there is any.
  const known = page.items.length > 0 || (await webhookRecords().get(id)) !== undefined
  if (!known) throw notFound(`Webhook ${id}`)
  const next_cursor = await writeCursor(webhookCursors(), list, {}, page.next, clock())
  return { body: { deliveries: page.items.map(loggedDeliveryView), next_cursor } }
})
