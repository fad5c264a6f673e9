import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { DAY_MS, DELIVERY_DAYS } from '../../domain/delivery.ts'
import { isId, timeOf } from '../../domain/ids.ts'
import type { EventKind } from '../../domain/incident.ts'
import { readInstant } from '../../domain/instant.ts'
import type { Clock, DeliveryStore, ObjectStore, WebhookStore } from '../../domain/ports.ts'
import type { Webhook } from '../../domain/webhook.ts'
import { OBJECTS, TABLES, type TableName } from '../../names.ts'
import { SCHEMA_VERSION } from './document-client.ts'
import { everyItem, type Pace } from './every-item.ts'
import { DUE_NOW, dueAt, type Item, listAttributes } from './incident-writes.ts'
import { dueListOf, incidentIdOf, incidentLists, itemKeys, KEY_LIST } from './item-keys.ts'
import { countItem, type ItemCounts, itemKind } from './item-kind.ts'
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

interface Mendable extends Finding {
  /** Mends it, unless it has changed since it was found; null where nothing can. @returns whether it was mended */
  readonly mend: (() => Promise<boolean>) | null
}

export interface RepairOptions {
  readonly client: DynamoDBDocumentClient
  readonly names: Readonly<Record<TableName, string>>
  readonly objects: ObjectStore
  readonly deliveries: Pick<DeliveryStore, 'idOf'>
  readonly webhooks: Pick<WebhookStore, 'subscribed'>
  readonly pace: Pace
  readonly clock: Clock
  readonly pause?: Pause
  /** False only finds. */
  readonly really: boolean
  readonly tell: (finding: Finding) => void
}

export interface Repaired {
  readonly looked_at: ItemCounts & { objects: number }
  readonly found: Partial<Record<FindingKind, number>>
  readonly mended: number
}

/** An object may be written so long before the item that names it; anything younger is left alone. */
const UNSETTLED_MS = DAY_MS

const keyText = ({ pk, sk }: Item): string => (sk === undefined ? String(pk) : `${pk} ${sk}`)

/**
 * Finds what does not fit together between items, the lists and indexes they stand in, the events that wait to be sent
 * and the objects they name, as it is after tables were restored to different seconds or somebody wrote to them by
 * hand, and mends it. Every mending holds only if the item is still as it was found, so that it may be done beside the
 * running service, and again.
 */
export async function repairItems(options: RepairOptions): Promise<Repaired> {
  const { client, names, objects, deliveries, webhooks, pace, clock, pause, really, tell } = options
  const looked_at: ItemCounts & { objects: number } = { objects: 0 }
  const found: Repaired['found'] = {}
  let mended = 0

  const handle = async ({ mend, ...finding }: Mendable): Promise<void> => {
    found[finding.kind] = (found[finding.kind] ?? 0) + 1
    tell(finding)
    if (!really || mend === null) return
    await pace(1)
    if (await mend()) mended += 1
  }

  const read = async (table: TableName, Key: Item): Promise<Item | undefined> => {
    await pace(1)
    const { Item } = await client.send(new GetCommand({ TableName: names[table], Key, ConsistentRead: true }))
    return Item
  }
  const update = (
    table: TableName,
    { pk, sk }: Item,
    expression: string,
    condition: string,
    values: Record<string, unknown>,
    statusNamed = true,
  ) => {
    const Key = TABLES[table].sort ? { pk, sk } : { pk }
    return async () =>
      (await conditional(
        () =>
          client.send(
            new UpdateCommand({
              TableName: names[table],
              Key,
              UpdateExpression: expression,
              ConditionExpression: condition,
              ExpressionAttributeValues: values,
              ...(statusNamed ? { ExpressionAttributeNames: { '#status': 'status' } } : {}),
            }),
          ),
        pause,
      )) !== undefined
  }

  // Items of one incident come together: one read says whether it is there.
  let lastIncident = { id: '', there: false }
  const incidentExists = async (id: string): Promise<boolean> => {
    if (lastIncident.id !== id)
      lastIncident = { id, there: (await read('incidents', itemKeys.incident(id))) !== undefined }
    return lastIncident.there
  }

  /** What expires by itself and points to nothing goes by itself. */
  const hasExpired = (item: Item): boolean => Number(item.expires_at_s ?? Infinity) * 1_000 <= clock()

  async function* inIncident(item: Item): AsyncGenerator<Mendable> {
    const at = `incidents ${keyText(item)}`
    const lists = { list_all: incidentLists.all, ...listAttributes(item as never) }
    const names_ = Object.keys(lists) as (keyof typeof lists)[]
    if (names_.some((name) => item[name] !== lists[name]))
      yield {
        kind: 'missing_in_lists',
        at,
        says: 'puts it into the lists of its status and severity',
        mend: update(
          'incidents',
          item,
          `SET ${names_.map((name) => `${name} = :${name}`).join(', ')}`,
          '#status = :status AND severity = :severity',
          {
            ...Object.fromEntries(names_.map((name) => [`:${name}`, lists[name]])),
            ':status': item.status,
            ':severity': item.severity,
          },
        ),
      }
    if (['pending', 'running'].includes(String(item.analysis)) && typeof item.due_at !== 'number')
      yield {
        kind: 'not_due',
        at,
        says: 'makes its investigation due now',
        mend: update(
          'incidents',
          item,
          `SET ${DUE_NOW}`,
          'analysis = :found AND attribute_not_exists(due_at)',
          { ...dueAt(clock()), ':found': item.analysis },
          false,
        ),
      }
  }

  const withoutIncident = (item: Item, incidentId: string): Mendable => ({
    kind: 'without_incident',
    at: `incidents ${keyText(item)}`,
    says: `deletes what is left of ${incidentId}, which is not there`,
    mend: async () => {
      const { pk, sk } = item
      const outcome = await transact(
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
      return outcome.written
    },
  })

  const subscribed = new Map<EventKind, Promise<readonly Webhook[]>>()
  const subscribedTo = (kind: EventKind): Promise<readonly Webhook[]> => {
    const known = subscribed.get(kind) ?? webhooks.subscribed(kind)
    subscribed.set(kind, known)
    return known
  }

  async function* inEvent(item: Item): AsyncGenerator<Mendable> {
    const at = `incidents ${keyText(item)}`
    const due = { ':list': incidentLists.fanOut, ':now': clock() }
    if (item.due_list !== undefined) {
      if (typeof item.due_at !== 'number')
        yield {
          kind: 'not_due',
          at,
          says: 'makes it due now',
          mend: update(
            'incidents',
            item,
            'SET due_list = :list, due_at = :now',
            'attribute_exists(due_list)',
            due,
            false,
          ),
        }
      return
    }
    const happened = readInstant(String(item.at)) ?? 0
    // What is kept of deliveries ends a day or two around this; nothing older can be told from what has ended.
    if (happened < clock() - (DELIVERY_DAYS - 2) * DAY_MS) return
    for (const webhook of await subscribedTo(item.kind as EventKind)) {
      // One that was changed since may not have been subscribed then.
      if ((readInstant(webhook.updated_at) ?? Infinity) > happened) continue
      const key = itemKeys.delivery(webhook.id, deliveries.idOf(String(item.id), webhook.id))
      if ((await read('webhooks', key)) !== undefined) continue
      yield {
        kind: 'event_not_sent',
        at,
        says: `gives ${webhook.id} and whoever else lacks it a delivery`,
        mend: update(
          'incidents',
          item,
          'SET due_list = :list, due_at = :now',
          'attribute_exists(pk) AND attribute_not_exists(due_list)',
          due,
          false,
        ),
      }
      return
    }
  }

  async function* inDelivery(item: Item): AsyncGenerator<Mendable> {
    const at = `webhooks ${keyText(item)}`
    const pending = item.status === 'pending'
    const values = { ':status': item.status }
    if (pending && (item.due_list === undefined || typeof item.due_at !== 'number'))
      yield {
        kind: 'not_due',
        at,
        says: 'makes it due now',
        mend: update('webhooks', item, 'SET due_list = :list, due_at = :now', '#status = :status', {
          ...values,
          ':list': dueListOf(String(item.id)),
          ':now': clock(),
        }),
      }
    if (!pending && item.due_list !== undefined)
      yield {
        kind: 'due_for_nothing',
        at,
        says: `takes it out of what is due: it is ${item.status}`,
        mend: update('webhooks', item, 'REMOVE due_list, due_at', '#status = :status', values),
      }
  }

  async function* inItem(table: TableName, item: Item): AsyncGenerator<Mendable> {
    const kind = itemKind(item)
    switch (kind) {
      case 'incident':
        yield* inIncident(item)
        return
      case 'event':
        yield* inEvent(item)
        return
      case 'delivery':
        yield* inDelivery(item)
        return
      case 'root_cause':
      case 'answer':
        if (typeof item.object === 'string' && (await objects.get(item.object)) === undefined)
          yield {
            kind: 'object_lost',
            at: `${table} ${keyText(item)}`,
            says: `nothing: ${item.object} is not there; a version of it may be`,
            mend: null,
          }
    }
    const incidentId =
      kind === 'alert' || kind === 'alert_group' ? item.incident_id : incidentIdOf(String(item.pk))
    if (typeof incidentId === 'string' && !hasExpired(item) && !(await incidentExists(incidentId)))
      yield withoutIncident(item, incidentId)
  }

  const countOf = async (table: TableName, Key: Item, present: () => Promise<number>): Promise<void> => {
    // Read before the members are counted: one that comes meanwhile changes it, and the mending does not hold.
    const counted = await read(table, Key)
    const members = await present()
    if (Number(counted?.members ?? 0) === members) return
    await handle({
      kind: 'wrong_count',
      at: `${table} ${keyText(Key)}`,
      says: `counts ${members} instead of ${Number(counted?.members ?? 0)}`,
      mend: update(
        table,
        Key,
        'SET members = :members, schema_v = :schema',
        counted === undefined ? 'attribute_not_exists(pk)' : 'members = :counted',
        {
          ':members': members,
          ':schema': SCHEMA_VERSION,
          ...(counted === undefined ? {} : { ':counted': counted.members }),
        },
        false,
      ),
    })
  }

  const look = async (table: TableName, each: (item: Item) => AsyncIterable<Mendable> | undefined) => {
    for await (const { items } of everyItem(client, names[table], pace))
      for (const item of items) {
        countItem(looked_at, table, itemKind(item))
        for await (const finding of each(item) ?? []) await handle(finding)
      }
  }
  const counting = async (table: TableName, Key: Item, isMember: (item: Item) => boolean): Promise<void> =>
    countOf(table, Key, async () => {
      let members = 0
      await look(table, (item) => {
        if (isMember(item)) members += 1
        return inItem(table, item)
      })
      return members
    })

  for (const table of ['incidents', 'queries'] as const) await look(table, (item) => inItem(table, item))
  await counting('webhooks', itemKeys.memberCount(itemKeys.webhooks), (item) => item.pk === itemKeys.webhooks)
  await counting(
    'integrations',
    itemKeys.memberCount(itemKeys.integrations),
    (item) => item.pk === itemKeys.integrations,
  )
  await counting('keys', itemKeys.apiKeyCount, (item) => item.list_all === KEY_LIST)

  for (const prefix of [OBJECTS.snapshots, OBJECTS.rootCauses, OBJECTS.answers])
    for (const { key } of await objects.list(prefix)) {
      looked_at.objects += 1
      const owner = /^[^/.]+/.exec(key.slice(prefix.length))?.[0] ?? ''
      const isIncident = isId(owner, 'inc')
      if (!isIncident && !isId(owner, 'query')) continue
      if (timeOf(owner) > clock() - UNSETTLED_MS) continue
      const there = isIncident
        ? await incidentExists(owner)
        : (await read('queries', itemKeys.query(owner))) !== undefined
      if (there) continue
      await handle({
        kind: 'object_without_owner',
        at: key,
        says: `deletes it: ${owner} is not there`,
        mend: async () => {
          await objects.delete(key)
          return true
        },
      })
    }
  return { looked_at, found, mended }
}
