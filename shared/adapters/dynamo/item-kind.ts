import type { TableName } from '../../names.ts'
import type { Item } from './incident-writes.ts'

/** What an item is, by its key: the words that operators' commands count it under. */
export const ITEM_KINDS = [
  'incident',
  'description',
  'root_cause',
  'timeline_entry',
  'incident_alert',
  'alert',
  'alert_group',
  'event',
  'integration',
  'webhook',
  'delivery',
  'attempt',
  'recovery',
  'lateness',
  'count',
  'cursor_keys',
  'repeat',
  'api_key',
  'moved_api_key',
  'key_act',
  'user',
  'answer',
  'signals',
  'unknown',
] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

/** Beginnings of sort keys within an incident's partition. */
const OF_INCIDENT = [
  ['INCIDENT', 'incident'],
  ['DESCRIPTION', 'description'],
  ['ROOT_CAUSE', 'root_cause'],
  ['TIMELINE#', 'timeline_entry'],
  ['ALERT#', 'incident_alert'],
] as const

/** Beginnings of partition keys; those that begin alike stand with the longer one first. */
const BY_PARTITION = [
  ['ALERT_GROUP#', 'alert_group'],
  ['ALERT#', 'alert'],
  ['EVENT#', 'event'],
  ['RECOVERY#', 'recovery'],
  ['LATENESS', 'lateness'],
  ['CURSOR_KEYS', 'cursor_keys'],
  ['REPEAT#', 'repeat'],
  ['INTEGRATION_COUNT', 'count'],
  ['WEBHOOK_COUNT', 'count'],
  ['KEY_COUNT', 'count'],
  ['INTEGRATION', 'integration'],
  ['WEBHOOK', 'webhook'],
  ['AUDIT#', 'key_act'],
  ['USER#', 'user'],
  ['QUERY#', 'answer'],
  ['SIGNALS#', 'signals'],
] as const

/** What an item is. @returns `unknown` for one that this version does not write */
export function itemKind(item: Item): ItemKind {
  const [pk, sk] = [String(item.pk), String(item.sk ?? '')]
  if (pk.startsWith('INCIDENT#'))
    return OF_INCIDENT.find(([beginning]) => sk.startsWith(beginning))?.[1] ?? 'unknown'
  if (pk.startsWith('DELIVERY#')) return sk.includes('#') ? 'attempt' : 'delivery'
  if (pk.startsWith('KEY#')) return 'moved_to' in item ? 'moved_api_key' : 'api_key'
  return BY_PARTITION.find(([beginning]) => pk.startsWith(beginning))?.[1] ?? 'unknown'
}

/** How many items of each kind, and of which table. */
export type ItemCounts = Partial<Record<TableName, Partial<Record<ItemKind, number>>>>

/** Counts one more. */
export function countItem(counts: ItemCounts, table: TableName, kind: ItemKind): void {
  const of = counts[table] ?? {}
  of[kind] = (of[kind] ?? 0) + 1
  counts[table] = of
}
