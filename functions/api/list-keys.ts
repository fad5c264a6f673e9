import { pageSize } from '#shared/contract/filters.ts'
import { keyView } from '#shared/contract/views.ts'
import { readCursor, writeCursor } from '#shared/edge/cursor.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clock, keeping, keyCursors, keysOf } from '#shared/runtime.ts'

export const handler = endpoint('list-keys', keeping, () => async ({ query }) => {
  const after = await readCursor(keyCursors(), 'keys', {}, query.cursor, clock())
  const page = await keysOf().page({ limit: pageSize(query.limit), after })
  const next_cursor = await writeCursor(keyCursors(), 'keys', {}, page.next, clock())
  return { body: { keys: page.items.map(keyView), next_cursor } }
})
