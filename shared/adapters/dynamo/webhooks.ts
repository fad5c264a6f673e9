import { randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { HEALTHY, type Health } from '../../domain/delivery.ts'
import type { Sealer, WebhookStore } from '../../domain/ports.ts'
import type { Claim } from '../../domain/repeat.ts'
import type { Webhook } from '../../domain/webhook.ts'
import { itemKeys } from './item-keys.ts'
import { type Item, listedMembers } from './listed-members.ts'
import { conditional, madeBy, type Pause, transact } from './transact.ts'

export interface WebhookStoreOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  readonly sealer: Sealer
  readonly pause?: Pause
  /** Of the request that this store is made for: recorded with what it writes. */
  readonly claim?: Claim | undefined
}

const fromItem = (item: Item): Webhook => ({
  id: item.id,
  url: item.url,
  events: item.events,
  status: item.status,
  disabled_reason: item.disabled_reason ?? null,
  created_at: item.created_at,
  updated_at: item.updated_at,
  version: item.version,
})

const HEALTH_FIELDS = Object.keys(HEALTHY) as (keyof Health)[]

const healthOf = (item: Item): Health =>
  Object.fromEntries(HEALTH_FIELDS.map((name) => [name, item[name] ?? 0])) as unknown as Health

/** Secrets that were opened, by their sealed text, at most so many. */
const MOST_OPENED = 256

/** Subscriptions; the secret of each is a sealed attribute that only `open` opens. */
export function webhookStore(options: WebhookStoreOptions): WebhookStore {
  const { client, table, sealer, pause, claim } = options
  const members = listedMembers(client, table, itemKeys.webhooks, 'webhooks', pause, claim)
  const keyOf = (id: string) => itemKeys.member(itemKeys.webhooks, id)
  const opened = new Map<string, string>()

  const openSecret = async (id: string, sealed: string): Promise<string> => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const secret = Buffer.from(await sealer.open(id, sealed)).toString('utf8')
    const [oldest] = opened.keys()
    if (opened.size >= MOST_OPENED && oldest !== undefined) opened.delete(oldest)
    opened.set(sealed, secret)
    return secret
  }

  /** A conditional update of a subscription's item; what it is afterwards, or nothing when the condition did not hold. */
  const update = async (
    id: string,
    expression: string,
    condition: string,
    values: Record<string, unknown>,
    names: Record<string, string> = {},
  ): Promise<Item | undefined> => {
    const input = {
      TableName: table,
      Key: keyOf(id),
      UpdateExpression: expression,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    }
    if (claim !== undefined) {
      const { written } = await transact(client, [{ Update: input }], pause, madeBy(claim, id))
      return written ? {} : undefined
    }
    const written = await conditional(
      () => client.send(new UpdateCommand({ ...input, ReturnValues: 'ALL_NEW' })),
      pause,
    )
    return written === undefined ? undefined : (written.Attributes ?? {})
  }

  /** A conditional update that tells our own write, whose answer got lost and which the SDK repeated, from another's. */
  const ownUpdate = async (
    id: string,
    set: string,
    condition: string,
    values: Record<string, unknown>,
    names: Record<string, string>,
    remove = '',
  ): Promise<boolean> => {
    const write = randomUUID()
    const command = new UpdateCommand({
      TableName: table,
      Key: keyOf(id),
      UpdateExpression: `${set}, #write = :write${remove}`,
      ConditionExpression: condition,
      ExpressionAttributeNames: { ...names, '#write': 'write' },
      ExpressionAttributeValues: { ...values, ':write': write },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const written = await conditional(async () => {
      try {
        return await client.send(command)
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException && error.Item?.write?.S === write) return true
        throw error
      }
    }, pause)
    return written !== undefined
  }

  return {
    async create(webhook, secret, quota) {
      const sealed = await sealer.seal(webhook.id, Buffer.from(secret))
      await members.add(webhook.id, { ...webhook, sealed }, quota)
    },

    async get(id) {
      const item = await members.get(id)
      return item === undefined ? undefined : fromItem(item)
    },

    async open(id, now) {
      const item = await members.get(id)
      if (item === undefined) return undefined
      const secrets = [await openSecret(id, item.sealed as string)]
      if (typeof item.previous_sealed === 'string' && now < Number(item.previous_until))
        secrets.push(await openSecret(id, item.previous_sealed))
      return { webhook: fromItem(item), health: healthOf(item), secrets }
    },

    async subscribed(kind) {
      const items = await members.all()
      return items.map(fromItem).filter(({ status, events }) => status === 'enabled' && events.includes(kind))
    },

    async rotateSecret(before, after, secret, previousUntil) {
      const sealed = await sealer.seal(before.id, Buffer.from(secret))
      const written = await update(
        before.id,
        'SET previous_sealed = sealed, previous_until = :until, sealed = :sealed, version = :version,' +
          ' updated_at = :at',
        'attribute_exists(pk) AND version = :before',
        {
          ':until': previousUntil,
          ':sealed': sealed,
          ':version': after.version,
          ':at': after.updated_at,
          ':before': before.version,
        },
      )
      // Sealing twice never gives the same text: it tells our own write, whose answer got lost, from somebody else's.
      return written !== undefined || (await members.get(before.id))?.sealed === sealed
    },

    async countFailure(id, now) {
      const item = await update(
        id,
        'SET failures = if_not_exists(failures, :zero) + :one, failing_since = if_not_exists(failing_since, :now)',
        'attribute_exists(pk)',
        { ':zero': 0, ':one': 1, ':now': now },
      )
      return item === undefined ? undefined : healthOf(item)
    },

    async openBreaker(id, now, until) {
      await update(
        id,
        'SET open_until = :until, openings = if_not_exists(openings, :zero) + :one, probe_until = :zero',
        'attribute_exists(pk) AND (attribute_not_exists(open_until) OR open_until <= :now)',
        { ':until': until, ':zero': 0, ':one': 1, ':now': now },
      )
    },

    async takeProbe(id, now, until) {
      const written = await update(
        id,
        'SET probe_until = :until',
        'attribute_exists(pk) AND open_until <= :now AND (attribute_not_exists(probe_until) OR probe_until <= :now)',
        { ':until': until, ':now': now },
      )
      return written !== undefined
    },

    async recover(id) {
      await conditional(
        () =>
          client.send(
            new UpdateCommand({
              TableName: table,
              Key: keyOf(id),
              UpdateExpression: `REMOVE ${HEALTH_FIELDS.join(', ')}`,
              ConditionExpression: 'attribute_exists(pk)',
            }),
          ),
        pause,
      )
    },

    disable: ({ id, url }, reason, at) =>
      ownUpdate(
        id,
        'SET #status = :disabled, disabled_reason = :reason, updated_at = :at, version = version + :one',
        'attribute_exists(pk) AND #status = :enabled AND #url = :url',
        {
          ':disabled': 'disabled',
          ':enabled': 'enabled',
          ':reason': reason,
          ':at': at,
          ':one': 1,
          ':url': url,
        },
        { '#status': 'status', '#url': 'url' },
      ),

    async list(page) {
      const { items, next } = await members.page(page)
      return { items: items.map(fromItem), next }
    },

    change(before, after) {
      // It starts afresh where it was changed to be right again.
      const isMended = before.status !== after.status || before.url !== after.url
      return ownUpdate(
        before.id,
        'SET #url = :url, #events = :events, #status = :status, disabled_reason = :reason,' +
          ' updated_at = :updated, version = :version',
        'attribute_exists(pk) AND version = :before',
        {
          ':before': before.version,
          ':url': after.url,
          ':events': after.events,
          ':status': after.status,
          ':reason': after.disabled_reason,
          ':updated': after.updated_at,
          ':version': after.version,
        },
        { '#url': 'url', '#events': 'events', '#status': 'status' },
        isMended ? ` REMOVE ${HEALTH_FIELDS.join(', ')}` : '',
      )
    },

    delete: (id, expected) => members.remove(id, expected),
  }
}
