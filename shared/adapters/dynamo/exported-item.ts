import { gunzipSync } from 'node:zlib'
import type { Item } from './incident-writes.ts'
import { type ItemKind, itemKind } from './item-kind.ts'

/**
 * What leaves the account of each kind of item: attributes by name, so that one which a later version adds stays where
 * it is until somebody has decided. `w…` are counters of requests.
 */
const EXPORTED: Readonly<Record<ItemKind, readonly string[]>> = {
  incident: [
    'id',
    'title',
    'status',
    'severity',
    'service',
    'description',
    'started_at',
    'created_at',
    'updated_at',
    'resolved_at',
    'analysis',
    'root_cause',
    'version',
    'attempt',
    'due_at',
    'expires_at_s',
  ],
  description: ['description', 'expires_at_s'],
  root_cause: ['root_cause', 'object', 'expires_at_s'],
  timeline_entry: ['id', 'at', 'kind', 'text', 'by', 'expires_at_s'],
  incident_alert: ['alert', 'expires_at_s'],
  alert: [
    'key',
    'group',
    'incident_id',
    'integration_id',
    'fired_at',
    'resolved_at',
    'severity',
    'ending',
    'seen_at',
    'stale',
    'expires_at_s',
  ],
  alert_group: ['key', 'incident_id', 'firing', 'quiet_until', 'stale_at', 'version', 'expires_at_s'],
  event: ['id', 'kind', 'incident_id', 'at', 'sequence', 'body', 'due_at', 'expires_at_s'],
  integration: [
    'id',
    'type',
    'status',
    'status_detail',
    'config',
    'created_at',
    'updated_at',
    'connected_at',
    'version',
    'checked_at',
    'failures',
  ],
  webhook: [
    'id',
    'url',
    'events',
    'status',
    'disabled_reason',
    'created_at',
    'updated_at',
    'version',
    'failures',
    'failing_since',
    'openings',
    'open_until',
  ],
  delivery: [
    'id',
    'webhook_id',
    'event_id',
    'event_kind',
    'incident_id',
    'status',
    'reason',
    'trigger',
    'attempts',
    'next_attempt_at',
    'created_at',
    'updated_at',
    'expires_at_s',
  ],
  attempt: ['number', 'at', 'duration_ms', 'status', 'error', 'response', 'expires_at_s'],
  recovery: ['id', 'webhook_id', 'since', 'after', 'resent', 'expires_at_s'],
  api_key: [
    'id',
    'name',
    'type',
    'plan',
    'lim',
    'prefix',
    'last4',
    'created_by',
    'created_at',
    'expires_at',
    'revoked_at',
    'last_used_at',
  ],
  key_act: ['id', 'at', 'act', 'key_id', 'by'],
  user: ['id', 'name', 'last_used_at', 'disabled_at', 'tokens_valid_after'],
  answer: ['answer', 'object', 'expires_at_s'],
  signals: ['until', 'pushed_at', 'bytes', 'records', 'expires_at_s'],
  // Of the service's own working, or secret as a whole.
  moved_api_key: [],
  lateness: [],
  count: [],
  cursor_keys: [],
  repeat: [],
  unknown: [],
}

/** Packed by the service: its records as they were pushed. */
const unpacked = (value: unknown): unknown =>
  value instanceof Uint8Array ? (JSON.parse(gunzipSync(value).toString('utf8')) as unknown) : value
/** Texts that hold JSON. */
const DOCUMENTS = new Set(['root_cause', 'answer', 'body'])
const readable = (name: string, value: unknown): unknown =>
  DOCUMENTS.has(name) && typeof value === 'string' ? (JSON.parse(value) as unknown) : unpacked(value)

/** An item as an export shows it. */
export interface ExportedItem {
  readonly item: ItemKind
  /** The form in which it is stored. */
  readonly schema_v: unknown
  /** The key; that of an API key is its hash, which stays here. */
  readonly pk?: string
  readonly sk?: string
  readonly [attribute: string]: unknown
}

/** What an export shows of every item, in its own way. */
const ALWAYS = new Set(['pk', 'sk', 'schema_v'])

/** Names of the attributes that an export leaves out of an item. */
export const leftOut = (item: Item): string[] => {
  const kept = EXPORTED[itemKind(item)]
  return Object.keys(item).filter((name) => !ALWAYS.has(name) && !kept.includes(name))
}

/** What of an item leaves the account, secrets left out; null for what is the service's own working. */
export function exportedItem(item: Item): ExportedItem | null {
  const kind = itemKind(item)
  const kept = EXPORTED[kind]
  if (kept.length === 0) return null
  const { pk, sk } = item
  return {
    item: kind,
    schema_v: item.schema_v,
    ...(kind === 'api_key' ? {} : { pk, ...(sk === undefined ? {} : { sk }) }),
    ...Object.fromEntries(
      kept.flatMap((name): [string, unknown][] => (name in item ? [[name, readable(name, item[name])]] : [])),
    ),
  }
}
