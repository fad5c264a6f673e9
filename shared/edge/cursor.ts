import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidField } from '../domain/errors.ts'
import type { CursorKey, CursorKeys } from '../domain/ports.ts'

/** How long a cursor may be used, in milliseconds. */
const CURSOR_AGE_MS = 24 * 3_600_000
/** Bytes of the HMAC-SHA256 kept: 128 bits, far beyond guessing. */
const MAC_BYTES = 16
const refused = () =>
  invalidField('cursor', 'must be the next_cursor of a list with the same filters, at most 24 h old')

/** Bytes that name the version of the key. */
const VERSION_BYTES = 4

/** The MAC of a cursor: over the list and its filters, and over what it says. */
const macOf = ({ key, version }: CursorKey, scope: string, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${version}\n${scope}\n`).update(payload).digest().subarray(0, MAC_BYTES)

/** What a cursor is bound to: the list and its filters, in an order of its own. */
const scopeOf = (list: string, filters: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([
    list,
    Object.entries(filters)
      .filter(([name, value]) => name !== 'cursor' && name !== 'limit' && value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ])

/** Writes the cursor of the page that begins after an item. Null stays null: there is no further page. */
export async function writeCursor(
  cursorKeys: CursorKeys,
  list: string,
  filters: Readonly<Record<string, unknown>>,
  after: string | null,
  now: number,
): Promise<string | null> {
  if (after === null) return null
  const key = await cursorKeys.current()
  const version = Buffer.alloc(VERSION_BYTES)
  version.writeUInt32BE(key.version)
  const payload = Buffer.from(JSON.stringify([now, after]))
  return Buffer.concat([version, macOf(key, scopeOf(list, filters), payload), payload]).toString('base64url')
}

/**
 * Reads the item after which a page begins.
 * @throws Refusal `invalid` on `cursor` for one that was altered, belongs to other filters or is older than 24 h
 */
export async function readCursor(
  cursorKeys: CursorKeys,
  list: string,
  filters: Readonly<Record<string, unknown>>,
  cursor: string | undefined,
  now: number,
): Promise<string | null> {
  if (cursor === undefined) return null
  const bytes = Buffer.from(cursor, 'base64url')
  // Base64 has several spellings of the same bytes; only the one we wrote is ours.
  if (bytes.length <= VERSION_BYTES + MAC_BYTES || bytes.toString('base64url') !== cursor) throw refused()
  const mac = bytes.subarray(VERSION_BYTES, VERSION_BYTES + MAC_BYTES)
  const payload = bytes.subarray(VERSION_BYTES + MAC_BYTES)
  const key = await cursorKeys.find(bytes.readUInt32BE(0))
  if (key === undefined || !timingSafeEqual(macOf(key, scopeOf(list, filters), payload), mac)) throw refused()
  const [writtenAt, after] = JSON.parse(payload.toString()) as [number, string]
  if (now - writtenAt > CURSOR_AGE_MS) throw refused()
  return after
}
