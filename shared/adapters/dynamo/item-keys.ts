import { KEY } from '../../names.ts'

/** The primary key of an item. */
export interface ItemKey {
  readonly [KEY.partition]: string
  readonly [KEY.sort]: string
}

/** Length of the ULID at the end of every id. */
const ULID_LENGTH = 26

/** The one place that knows how items are keyed. */
export const itemKeys = {
  incidentPartition: (id: string): string => `INCIDENT#${id}`,
  incident: (id: string): ItemKey => ({ pk: itemKeys.incidentPartition(id), sk: 'INCIDENT' }),
  /** The whole description of an incident, when it is too long for lists. */
  description: (id: string): ItemKey => ({ pk: itemKeys.incidentPartition(id), sk: 'DESCRIPTION' }),
  /** The whole root cause; the incident's own item carries it shortened. */
  rootCause: (id: string): ItemKey => ({ pk: itemKeys.incidentPartition(id), sk: 'ROOT_CAUSE' }),
  timelineEntry: (incident: string, id: string): ItemKey => ({
    pk: itemKeys.incidentPartition(incident),
    sk: `TIMELINE#${id}`,
  }),
  /** An alert as the incident shows it that it belongs or belonged to, by the digest that names it. */
  incidentAlert: (incident: string, key: string): ItemKey => ({
    pk: itemKeys.incidentPartition(incident),
    sk: `ALERT#${key}`,
  }),
  /** What is known of an alert, whichever incident it belongs to. */
  alert: (key: string): ItemKey => ({ pk: `ALERT#${key}`, sk: 'ALERT' }),
  /** What is known of alerts that belong together; it points to their incident. */
  alertGroup: (key: string): ItemKey => ({ pk: `ALERT_GROUP#${key}`, sk: 'ALERT_GROUP' }),
  event: (id: string): ItemKey => ({ pk: `EVENT#${id}`, sk: 'EVENT' }),

  integrations: 'INTEGRATION',
  webhooks: 'WEBHOOK',
  /**
   * A member of a list that is one partition. The ULID goes first: ids of integrations begin with their type, and by
   * the id itself a list would be in order of types before it is in order of time.
   */
  member: (list: string, id: string): ItemKey => ({
    pk: list,
    sk: `${id.slice(-ULID_LENGTH)}#${id.slice(0, -ULID_LENGTH - 1)}`,
  }),
  /** The deliveries of a subscription and, after each, its attempts: one partition, in order of the events' time. */
  deliveryPartition: (webhook: string): string => `DELIVERY#${webhook}`,
  delivery: (webhook: string, id: string): ItemKey => ({ pk: itemKeys.deliveryPartition(webhook), sk: id }),
  attempt: (webhook: string, id: string, number: number): ItemKey => ({
    pk: itemKeys.deliveryPartition(webhook),
    sk: `${id}#${String(number).padStart(6, '0')}`,
  }),
  recovery: (webhook: string): ItemKey => ({ pk: `RECOVERY#${webhook}`, sk: 'RECOVERY' }),
  /** How late the queue of deliveries is. */
  lateness: { pk: 'LATENESS', sk: 'LATENESS' } satisfies ItemKey,

  /** How many members a list has; a partition of its own, so that reading the list does not read it. */
  memberCount: (list: string): ItemKey => ({ pk: `${list}_COUNT`, sk: 'COUNT' }),

  /** The keys that sign the cursors of the lists in this table. */
  cursorKeys: { pk: 'CURSOR_KEYS', sk: 'CURSOR_KEYS' } satisfies ItemKey,

  /** A request that was sent with a key, by the digest of who sent it where with which key. */
  repeat: (digest: string): ItemKey => ({ pk: `REPEAT#${digest}`, sk: 'REPEAT' }),

  /** An API key by its hash. The table of keys has no sort key. */
  apiKey: (hash: string): { readonly pk: string } => ({ pk: `KEY#${hash}` }),
  apiKeyCount: { pk: 'KEY_COUNT' },
  /** Something that was done to a key. */
  keyAct: (id: string): { readonly pk: string } => ({ pk: `AUDIT#${id}` }),
  /** A signed-in user, in the same table: counted as keys are. */
  user: (id: string): { readonly pk: string } => ({ pk: `USER#${id}` }),

  /** A stored answer. The table of queries has no sort key. */
  query: (id: string): { readonly pk: string } => ({ pk: `QUERY#${id}` }),

  /** Pushed batches by how long a time their records span, each in order of its earliest record. */
  signals: { short: 'SIGNALS#SHORT', long: 'SIGNALS#LONG' },
  signalBatch: (partition: string, from: number, digest: string): ItemKey => ({
    pk: partition,
    sk: `${signalInstant(from)}#${digest}`,
  }),
} as const

/** Digits of the milliseconds since the epoch up to the year 9999. */
const INSTANT_DIGITS = 15

/** An instant (ms) as the sort key of a batch begins: their order as texts is the order of time. */
export const signalInstant = (at: number): string =>
  String(Math.max(0, Math.floor(at))).padStart(INSTANT_DIGITS, '0')

/** The id in the partition key of an incident's items, or null when the item is of another kind. */
export const incidentIdOf = (partition: string): string | null =>
  partition.startsWith('INCIDENT#') ? partition.slice('INCIDENT#'.length) : null

/** What the lists of incidents are found by. */
export const incidentLists = {
  all: 'INCIDENT',
  statusAndSeverity: (status: string, severity: string): string => `${status}#${severity}`,
  due: 'DUE',
  /** Events that wait for their deliveries. */
  fanOut: 'FAN_OUT',
  /** Groups of alerts with something due. */
  alertGroups: 'ALERT_GROUPS',
} as const

/** The key of the alert that an item of an incident shows, or null when it is another item. */
export const alertKeyOf = (sort: string): string | null =>
  sort.startsWith('ALERT#') ? sort.slice('ALERT#'.length) : null

/** The key of the group in the partition key of its item, or null when the item is of another kind. */
export const alertGroupOf = (partition: string): string | null =>
  partition.startsWith('ALERT_GROUP#') ? partition.slice('ALERT_GROUP#'.length) : null

/** The id in the partition key of an event, or null when the item is of another kind. */
export const eventIdOf = (partition: string): string | null =>
  partition.startsWith('EVENT#') ? partition.slice('EVENT#'.length) : null

/** Lists of what is due in the table of webhooks: several, because one partition takes 1,000 writes a second. */
export const DUE_LISTS = ['DUE#0', 'DUE#1', 'DUE#2', 'DUE#3'] as const

/** The list on which an item is due: ids end in random characters. */
export const dueListOf = (id: string): (typeof DUE_LISTS)[number] =>
  DUE_LISTS[((id.codePointAt(id.length - 1) ?? 0) % DUE_LISTS.length) as 0 | 1 | 2 | 3]

/** The subscription and the delivery (null: its recovery) that a key of something due names. */
export function dueKeyOf({ pk, sk }: ItemKey): { webhook_id: string; delivery_id: string | null } | null {
  if (pk.startsWith('DELIVERY#')) return { webhook_id: pk.slice('DELIVERY#'.length), delivery_id: sk }
  if (pk.startsWith('RECOVERY#')) return { webhook_id: pk.slice('RECOVERY#'.length), delivery_id: null }
  return null
}

/** What the list of keys is found by. */
export const KEY_LIST = 'KEY'
/** What the list of what was done to keys is found by. */
export const KEY_ACT_LIST = 'KEY_ACT'
/** What the list of users is found by. */
export const USER_LIST = 'USER'
