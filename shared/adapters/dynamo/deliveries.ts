import { createHash, randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { type Attempt, DAY_MS, DELIVERY_DAYS, type Delivery, EARLY_MS } from '../../domain/delivery.ts'
import { derivedId, idBounds } from '../../domain/ids.ts'
import type { DeliveryStore, Due, LoggedDelivery, Recovery } from '../../domain/ports.ts'
import type { Claim } from '../../domain/repeat.ts'
import { TABLES } from '../../names.ts'
import { DUE_LISTS, dueKeyOf, dueListOf, type ItemKey, itemKeys } from './item-keys.ts'
import type { Item } from './listed-members.ts'
import { conditional, madeBy, type Pause, transact } from './transact.ts'

/** Greater than every id of a delivery, and than its attempts. */
const LAST = 'dlv_~'
/** Rows read for each delivery of a page: itself and a whole round of attempts. */
const ROWS_EACH = 11

const DELIVERY_FIELDS = [
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
  'lease_until',
  'fence',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Delivery)[]
const ATTEMPT_FIELDS = ['number', 'at', 'duration_ms', 'status', 'error', 'response'] as const

const pick = <Wanted>(item: Item, names: readonly string[]): Wanted =>
  Object.fromEntries(names.map((name) => [name, item[name]])) as Wanted
const toDelivery = (item: Item): Delivery => pick(item, DELIVERY_FIELDS)
const toAttempt = (item: Item): Attempt => pick(item, ATTEMPT_FIELDS)

const toRecovery = (item: Item): Recovery => ({
  id: item.id,
  webhook_id: item.webhook_id,
  since: item.since,
  after: item.after,
  resent: item.resent,
})

const expiry = (from: number): number => Math.floor((from + DELIVERY_DAYS * DAY_MS) / 1_000)

/**
 * Deliveries and their attempts: one partition for each subscription, so that its log is one query.
 * @param claim of the request that this store is made for: recorded with what it writes
 */
export function deliveryStore(
  client: DynamoDBDocumentClient,
  table: string,
  pause?: Pause,
  claim?: Claim,
): DeliveryStore {
  const keyOf = ({ webhook_id, id }: Pick<Delivery, 'webhook_id' | 'id'>): ItemKey =>
    itemKeys.delivery(webhook_id, id)

  const get = async (webhookId: string, id: string): Promise<Delivery | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: itemKeys.delivery(webhookId, id), ConsistentRead: true }),
    )
    return Item === undefined ? undefined : toDelivery(Item)
  }

  /** A conditional update; whether it was written. */
  const update = async (
    Key: ItemKey,
    expression: string,
    condition: string,
    values: Record<string, unknown>,
    names: Record<string, string> = {},
  ): Promise<boolean> => {
    const input = {
      TableName: table,
      Key,
      UpdateExpression: expression,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    }
    if (claim !== undefined)
      return (await transact(client, [{ Update: input }], pause, madeBy(claim, Key.sk))).written
    return (await conditional(() => client.send(new UpdateCommand(input)), pause)) !== undefined
  }

  return {
    idOf: (eventId, webhookId) =>
      derivedId('dlv', eventId, createHash('sha256').update(`${eventId}\n${webhookId}`).digest()),

    async add(delivery) {
      await conditional(
        () =>
          client.send(
            new PutCommand({
              TableName: table,
              Item: {
                ...keyOf(delivery),
                ...delivery,
                due_list: dueListOf(delivery.id),
                due_at: delivery.next_attempt_at,
                expires_at_s: expiry(delivery.created_at),
              },
              ConditionExpression: 'attribute_not_exists(pk)',
            }),
          ),
        pause,
      )
    },

    get,

    async claim(delivery, now, leaseUntil) {
      // Tells our own claim, whose answer got lost and which the SDK repeated, from somebody else's.
      const mine = randomUUID()
      return conditional(async () => {
        try {
          const { Attributes } = await client.send(
            new UpdateCommand({
              TableName: table,
              Key: keyOf(delivery),
              // While it is leased it is due when the lease runs out: the same index finds both.
              UpdateExpression:
                'SET lease_until = :until, due_at = :until, fence = fence + :one, claim = :claim',
              ConditionExpression: '#status = :pending AND lease_until <= :now AND next_attempt_at <= :soon',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: {
                ':until': leaseUntil,
                ':one': 1,
                ':claim': mine,
                ':pending': 'pending',
                ':now': now,
                ':soon': now + EARLY_MS,
              },
              ReturnValues: 'ALL_NEW',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
          return toDelivery(Attributes ?? {})
        } catch (error) {
          if (error instanceof ConditionalCheckFailedException && error.Item?.claim?.S === mine) {
            const ours = await get(delivery.webhook_id, delivery.id)
            if (ours !== undefined) return ours
          }
          throw error
        }
      }, pause)
    },

    async commit(claimed, after, attempt) {
      const pending = after.status === 'pending'
      const outcome = await transact(
        client,
        [
          {
            Update: {
              TableName: table,
              Key: keyOf(claimed),
              UpdateExpression:
                'SET #status = :status, reason = :reason, attempts = :attempts, next_attempt_at = :next,' +
                ` lease_until = :zero, updated_at = :at${pending ? ', due_at = :next' : ' REMOVE due_list, due_at'}`,
              ConditionExpression: '#status = :pending AND fence = :fence',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: {
                ':status': after.status,
                ':reason': after.reason,
                ':attempts': after.attempts,
                ':next': after.next_attempt_at,
                ':zero': 0,
                ':at': after.updated_at,
                ':pending': 'pending',
                ':fence': claimed.fence,
              },
            },
          },
          {
            Put: {
              TableName: table,
              Item: {
                ...itemKeys.attempt(claimed.webhook_id, claimed.id, attempt.number),
                ...attempt,
                expires_at_s: expiry(attempt.at),
              },
            },
          },
        ],
        pause,
      )
      return outcome.written
    },

    async postpone(delivery, until) {
      await update(
        keyOf(delivery),
        'SET next_attempt_at = :until, due_at = :until',
        '#status = :pending AND fence = :fence AND lease_until <= :now',
        { ':until': until, ':pending': 'pending', ':fence': delivery.fence, ':now': delivery.lease_until },
        { '#status': 'status' },
      )
    },

    async end(delivery, status, reason, now) {
      await update(
        keyOf(delivery),
        'SET #status = :status, reason = :reason, lease_until = :zero, updated_at = :at REMOVE due_list, due_at',
        '#status = :pending AND lease_until <= :at',
        { ':status': status, ':reason': reason, ':zero': 0, ':pending': 'pending', ':at': now },
        { '#status': 'status' },
      )
    },

    resend: (delivery, trigger, now) =>
      update(
        keyOf(delivery),
        'SET #status = :pending, reason = :none, attempts = :zero, next_attempt_at = :now, due_at = :now,' +
          ' due_list = :list, #trigger = :trigger, lease_until = :zero, fence = :next, updated_at = :now,' +
          ' expires_at_s = :expires, claim = :mine',
        // The last tells our own write, whose answer got lost and which the SDK repeated, from somebody else's.
        'attribute_exists(pk) AND lease_until <= :now AND (fence = :fence OR claim = :mine)',
        {
          ':pending': 'pending',
          ':none': null,
          ':zero': 0,
          ':fence': delivery.fence,
          ':next': delivery.fence + 1,
          ':now': now,
          ':list': dueListOf(delivery.id),
          ':trigger': trigger,
          ':expires': expiry(now),
          ':mine': randomUUID(),
        },
        { '#status': 'status', '#trigger': 'trigger' },
      ),

    async list(webhookId, { limit, after }) {
      const found: LoggedDelivery[] = []
      let attempts: Attempt[] = []
      let ExclusiveStartKey: Item | undefined =
        after === null ? undefined : itemKeys.delivery(webhookId, after)
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': itemKeys.deliveryPartition(webhookId) },
            ScanIndexForward: false,
            Limit: (limit + 1) * ROWS_EACH,
            ExclusiveStartKey,
          }),
        )
        for (const item of page.Items ?? []) {
          // Backwards: the attempts come before their delivery, the last one first.
          if (String(item.sk).includes('#')) attempts.push(toAttempt(item))
          else {
            found.push({ ...toDelivery(item), log: attempts.reverse() })
            attempts = []
          }
        }
        ExclusiveStartKey = page.LastEvaluatedKey
        // A page ends at its limit or where the store stopped, whichever is first.
      } while (ExclusiveStartKey !== undefined && found.length === 0)
      const items = found.slice(0, limit)
      const more = found.length > limit || (ExclusiveStartKey !== undefined && items.length > 0)
      return { items, next: more ? (items.at(-1)?.id ?? null) : null }
    },

    async failed(webhookId, { since, after }, limit) {
      const low = after ?? idBounds('dlv', since).first
      const items: Delivery[] = []
      let ExclusiveStartKey: Item | undefined
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :last',
            FilterExpression: '#status IN (:failed, :cancelled)',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':pk': itemKeys.deliveryPartition(webhookId),
              ':low': low,
              ':last': LAST,
              ':failed': 'failed',
              ':cancelled': 'cancelled',
            },
            ExclusiveStartKey,
          }),
        )
        items.push(...(page.Items ?? []).map(toDelivery).filter(({ id }) => id !== after))
        ExclusiveStartKey = page.LastEvaluatedKey
      } while (ExclusiveStartKey !== undefined && items.length <= limit)
      const given = items.slice(0, limit)
      const more = items.length > limit || ExclusiveStartKey !== undefined
      return { items: given, next: more ? (given.at(-1)?.id ?? null) : null }
    },

    async due(before, limit) {
      const { byDue } = TABLES.webhooks.indexes
      const listed = await Promise.all(
        DUE_LISTS.map(async (list) => {
          const found: Item[] = []
          let ExclusiveStartKey: Item | undefined
          do {
            const page = await client.send(
              new QueryCommand({
                TableName: table,
                IndexName: byDue.name,
                KeyConditionExpression: '#list = :list AND #at < :before',
                ExpressionAttributeNames: { '#list': byDue.partition, '#at': byDue.sort },
                ExpressionAttributeValues: { ':list': list, ':before': before },
                Limit: limit - found.length,
                ExclusiveStartKey,
              }),
            )
            found.push(...(page.Items ?? []))
            ExclusiveStartKey = page.LastEvaluatedKey
          } while (ExclusiveStartKey !== undefined && found.length < limit)
          return found
        }),
      )
      return listed
        .flat()
        .flatMap((item): Due[] => {
          const key = dueKeyOf(item as unknown as ItemKey)
          return key === null ? [] : [{ ...key, due_at: item.due_at as number }]
        })
        .sort((a, b) => a.due_at - b.due_at)
        .slice(0, limit)
    },

    async rung({ webhook_id, delivery_id, due_at }, again) {
      const key =
        delivery_id === null ? itemKeys.recovery(webhook_id) : itemKeys.delivery(webhook_id, delivery_id)
      // Only what is still as it was found: whoever claimed it meanwhile has set another instant.
      await update(key, 'SET due_at = :again', 'due_at = :seen', { ':again': again, ':seen': due_at })
    },

    async beginRecovery(recovery, now) {
      const input = {
        TableName: table,
        Item: {
          ...itemKeys.recovery(recovery.webhook_id),
          ...recovery,
          due_list: dueListOf(recovery.webhook_id),
          due_at: now,
          expires_at_s: expiry(now),
        },
      }
      if (claim === undefined) await client.send(new PutCommand(input))
      else await transact(client, [{ Put: input }], pause, madeBy(claim, recovery.webhook_id))
    },

    async recovery(webhookId) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: itemKeys.recovery(webhookId), ConsistentRead: true }),
      )
      return Item?.due_list === undefined ? undefined : toRecovery(Item)
    },

    stepRecovery: (before, after, now) =>
      update(
        itemKeys.recovery(before.webhook_id),
        'SET #after = :after, resent = :resent, due_at = :now',
        'id = :id AND resent = :before AND attribute_exists(due_list)',
        {
          ':after': after.after,
          ':resent': after.resent,
          ':now': now,
          ':id': before.id,
          ':before': before.resent,
        },
        { '#after': 'after' },
      ),

    async endRecovery(recovery) {
      await update(itemKeys.recovery(recovery.webhook_id), 'REMOVE due_list, due_at', 'id = :id', {
        ':id': recovery.id,
      })
    },

    async noteLateness(now, latenessMs) {
      await client.send(
        new PutCommand({
          TableName: table,
          Item: { ...itemKeys.lateness, at: now, lateness_ms: latenessMs },
        }),
      )
    },

    async lateness() {
      const { Item } = await client.send(new GetCommand({ TableName: table, Key: itemKeys.lateness }))
      return Item === undefined
        ? undefined
        : { at: Item.at as number, lateness_ms: Item.lateness_ms as number }
    },
  }
}
