/**
 * What does not fit together about one item: with the lists and indexes it stands in, with what waits to be done about it, with
 * the incident it belongs to and the object it names. Each finding carries what mends it.
 */
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { DAY_MS, DELIVERY_DAYS } from '../../domain/delivery.ts'
import type { EventKind } from '../../domain/incident.ts'
import { readInstant } from '../../domain/instant.ts'
import type { Clock, DeliveryStore, ObjectStore, WebhookStore } from '../../domain/ports.ts'
import type { Webhook } from '../../domain/webhook.ts'
import { TABLES, type TableName } from '../../names.ts'
import type { Pace } from './every-item.ts'
import { DUE_NOW, dueAt, type Item, listAttributes } from './incident-writes.ts'
import { dueListOf, incidentIdOf, incidentLists, itemKeys } from './item-keys.ts'
import { itemKind } from './item-kind.ts'
import { conditional, type Pause, transact } from './transact.ts'

/** What may not fit together. */
export const FINDING_KINDS = [
  'missing_in_lists',
  'not_due',
  'due_for_nothing',
  'without_incident',
  'event_not_sent',
  'wrong_count',
  'object_lost',
  'object_without_owner',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** One thing that does not fit together with the rest. */
export interface Finding {
  readonly kind: FindingKind
  /** The table and key of an item, or the key of an object. */
  readonly at: string
  /** What mends it, or why nothing can. */
  readonly says: string
}

export interface Mendable extends Finding {
  /** Mends it, unless it has changed since it was found; null where nothing can. @returns whether it was mended */
  readonly mend: (() => Promise<boolean>) | null
}

/** Where items and what belongs to them are kept. */
export interface Stores {
  readonly client: DynamoDBDocumentClient
  readonly names: Readonly<Record<TableName, string>>
  readonly objects: ObjectStore
  readonly deliveries: Pick<DeliveryStore, 'idOf'>
  readonly webhooks: Pick<WebhookStore, 'subscribed'>
  readonly pace: Pace
  readonly clock: Clock
  readonly pause?: Pause
}

/** What items are held against. */
export interface Surroundings extends Stores {
  /** An item as it is at this moment. */
  readonly read: (table: TableName, key: Item) => Promise<Item | undefined>
  readonly incidentExists: (id: string) => Promise<boolean>
  readonly subscribedTo: (kind: EventKind) => Promise<readonly Webhook[]>
}

/** What items are held against, read as seldom as one look over all of them allows. */
export function surroundingsOf(stores: Stores): Surroundings {
  const { client, names, webhooks, pace } = stores
  const read: Surroundings['read'] = async (table, Key) => {
    await pace(1)
    const { Item } = await client.send(new GetCommand({ TableName: names[table], Key, ConsistentRead: true }))
    return Item
  }
  // Items of one incident come together: one read says whether it is there.
  let lastIncident = { id: '', there: false }
  const subscribed = new Map<EventKind, Promise<readonly Webhook[]>>()
  return {
    ...stores,
    read,
    async incidentExists(id) {
      if (lastIncident.id !== id)
        lastIncident = { id, there: (await read('incidents', itemKeys.incident(id))) !== undefined }
      return lastIncident.there
    },
    subscribedTo(kind) {
      const known = subscribed.get(kind) ?? webhooks.subscribed(kind)
      subscribed.set(kind, known)
      return known
    },
  }
}

/** A write of one item that holds only where the item is still as it was found. */
interface Mending {
  readonly update: string
  readonly condition: string
  readonly values: Record<string, unknown>
}

/** Mends an item by a conditional write. */
export function mending(
  { client, names, pause }: Pick<Stores, 'client' | 'names' | 'pause'>,
  table: TableName,
  { pk, sk }: Item,
  { update, condition, values }: Mending,
): () => Promise<boolean> {
  const command = () =>
    new UpdateCommand({
      TableName: names[table],
      Key: TABLES[table].sort ? { pk, sk } : { pk },
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      // A name that is not asked for is refused.
      ...(condition.includes('#status') ? { ExpressionAttributeNames: { '#status': 'status' } } : {}),
    })
  return async () => (await conditional(() => client.send(command()), pause)) !== undefined
}

/** Where an item is, as findings tell it. */
export const placeOf = (table: TableName, { pk, sk }: Item): string =>
  sk === undefined ? `${table} ${pk}` : `${table} ${pk} ${sk}`

/** All that does not fit together about an item. */
export async function* findingsOfItem(
  around: Surroundings,
  table: TableName,
  item: Item,
): AsyncGenerator<Mendable> {
  switch (itemKind(item)) {
    case 'incident':
      yield* findingsOfIncident(around, item)
      return
    case 'event':
      yield* findingsOfEvent(around, item)
      return
    case 'delivery':
      yield* findingsOfDelivery(around, item)
      return
    case 'root_cause':
    case 'answer':
      yield* lostObject(around, table, item)
  }
  yield* lostIncident(around, item)
}

function* findingsOfIncident(around: Surroundings, item: Item): Generator<Mendable> {
  const at = placeOf('incidents', item)
  const lists = { list_all: incidentLists.all, ...listAttributes(item as never) }
  const names = Object.keys(lists) as (keyof typeof lists)[]
  if (names.some((name) => item[name] !== lists[name]))
    yield {
      kind: 'missing_in_lists',
      at,
      says: 'puts it into the lists of its status and severity',
      mend: mending(around, 'incidents', item, {
        update: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
        condition: '#status = :status AND severity = :severity',
        values: {
          ...Object.fromEntries(names.map((name) => [`:${name}`, lists[name]])),
          ':status': item.status,
          ':severity': item.severity,
        },
      }),
    }
  if (['pending', 'running'].includes(String(item.analysis)) && typeof item.due_at !== 'number')
    yield {
      kind: 'not_due',
      at,
      says: 'makes its investigation due now',
      mend: mending(around, 'incidents', item, {
        update: `SET ${DUE_NOW}`,
        condition: 'analysis = :found AND attribute_not_exists(due_at)',
        values: { ...dueAt(around.clock()), ':found': item.analysis },
      }),
    }
}

async function* findingsOfEvent(around: Surroundings, item: Item): AsyncGenerator<Mendable> {
  const at = placeOf('incidents', item)
  const now = around.clock()
  const dueNow = (condition: string) =>
    mending(around, 'incidents', item, {
      update: 'SET due_list = :list, due_at = :now',
      condition,
      values: { ':list': incidentLists.fanOut, ':now': now },
    })
  if (item.due_list === undefined) {
    const lacking = await subscriptionWithout(around, item)
    if (lacking !== undefined)
      yield {
        kind: 'event_not_sent',
        at,
        says: `gives ${lacking.id} and whoever else lacks it a delivery`,
        mend: dueNow('attribute_exists(pk) AND attribute_not_exists(due_list)'),
      }
  } else if (typeof item.due_at !== 'number')
    yield { kind: 'not_due', at, says: 'makes it due now', mend: dueNow('attribute_exists(due_list)') }
}

/** The first subscription that an event which waits for nothing has no delivery for, though it should have had one. */
async function subscriptionWithout(around: Surroundings, event: Item): Promise<Webhook | undefined> {
  const happened = readInstant(String(event.at)) ?? 0
  // What is kept of deliveries ends a day or two around this; nothing older can be told from what has ended.
  if (happened < around.clock() - (DELIVERY_DAYS - 2) * DAY_MS) return undefined
  for (const webhook of await around.subscribedTo(event.kind as EventKind)) {
    // One that was changed since may not have been subscribed then.
    if ((readInstant(webhook.updated_at) ?? Infinity) > happened) continue
    const key = itemKeys.delivery(webhook.id, around.deliveries.idOf(String(event.id), webhook.id))
    if ((await around.read('webhooks', key)) === undefined) return webhook
  }
  return undefined
}

function* findingsOfDelivery(around: Surroundings, item: Item): Generator<Mendable> {
  const at = placeOf('webhooks', item)
  const pending = item.status === 'pending'
  const asFound = { condition: '#status = :status', values: { ':status': item.status } }
  if (pending && (item.due_list === undefined || typeof item.due_at !== 'number'))
    yield {
      kind: 'not_due',
      at,
      says: 'makes it due now',
      mend: mending(around, 'webhooks', item, {
        ...asFound,
        update: 'SET due_list = :list, due_at = :now',
        values: { ...asFound.values, ':list': dueListOf(String(item.id)), ':now': around.clock() },
      }),
    }
  if (!pending && item.due_list !== undefined)
    yield {
      kind: 'due_for_nothing',
      at,
      says: `takes it out of what is due: it is ${item.status}`,
      mend: mending(around, 'webhooks', item, { ...asFound, update: 'REMOVE due_list, due_at' }),
    }
}

/** The object that an item names, where it is not there. */
async function* lostObject(
  { objects }: Surroundings,
  table: TableName,
  item: Item,
): AsyncGenerator<Mendable> {
  if (typeof item.object === 'string' && (await objects.get(item.object)) === undefined)
    yield {
      kind: 'object_lost',
      at: placeOf(table, item),
      says: `nothing: ${item.object} is not there; a version of it may be`,
      mend: null,
    }
}

/** An item of an incident that is not there, unless it goes by itself: what expires and points to nothing does. */
async function* lostIncident(around: Surroundings, item: Item): AsyncGenerator<Mendable> {
  const kind = itemKind(item)
  const incidentId =
    kind === 'alert' || kind === 'alert_group' ? item.incident_id : incidentIdOf(String(item.pk))
  const hasExpired = Number(item.expires_at_s ?? Infinity) * 1_000 <= around.clock()
  if (typeof incidentId === 'string' && !hasExpired && !(await around.incidentExists(incidentId)))
    yield {
      kind: 'without_incident',
      at: placeOf('incidents', item),
      says: `deletes what is left of ${incidentId}, which is not there`,
      mend: () => deleteUnlessThere(around, incidentId, item),
    }
}

/** Deletes an item of an incident, unless that is there again. @returns whether it was deleted */
async function deleteUnlessThere(
  { client, names, pause }: Surroundings,
  incidentId: string,
  { pk, sk }: Item,
): Promise<boolean> {
  const { written } = await transact(
    client,
    [
      {
        ConditionCheck: {
          TableName: names.incidents,
          Key: itemKeys.incident(incidentId),
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
      { Delete: { TableName: names.incidents, Key: { pk, sk } } },
    ],
    pause,
  )
  return written
}
