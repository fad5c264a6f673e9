import { randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Intake, intakeContext } from '../../domain/alerts/intake.ts'
import type { Integration, IntegrationConfig, Unasked } from '../../domain/integration.ts'
import type { Asked, IntegrationStore, Sealer } from '../../domain/ports.ts'
import type { Claim } from '../../domain/repeat.ts'
import { itemKeys } from './item-keys.ts'
import { type Item, listedMembers } from './listed-members.ts'
import { conditional, type Pause } from './transact.ts'

export interface IntegrationStoreOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  readonly sealer: Sealer
  readonly pause?: Pause
  /** Of the request that this store is made for: recorded with what it writes. */
  readonly claim?: Claim | undefined
}

const fromItem = (item: Item): Integration => ({
  id: item.id,
  type: item.type,
  status: item.status,
  status_detail: item.status_detail,
  config: item.config,
  created_at: item.created_at,
  updated_at: item.updated_at,
  connected_at: item.connected_at,
  version: item.version,
})

/** Attributes that `openIntake` needs: what the settings are sealed into stays in the table. */
const INTAKE_ATTRIBUTES = [
  'id',
  'type',
  'status',
  'status_detail',
  'config',
  'created_at',
  'updated_at',
  'connected_at',
  'version',
  'intake',
] as const

const askedIn = ({ asked_at, unasked }: Item): Asked => ({
  asked_at: typeof asked_at === 'number' ? asked_at : null,
  unasked: (unasked ?? null) as Unasked | null,
})

/**
 * Integrations; their settings, secrets included, are one sealed attribute, and what messages of the tool are verified
 * by is another, sealed for a context of its own: who may open one cannot open the other.
 */
export function integrationStore(options: IntegrationStoreOptions): IntegrationStore {
  const { client, table, sealer, pause, claim } = options
  const members = listedMembers(client, table, itemKeys.integrations, 'integrations', pause, claim)

  const toItem = async (
    integration: Integration,
    config: IntegrationConfig,
    intake: Intake | null,
  ): Promise<Item> => {
    const { id } = integration
    const [sealed, sealedIntake] = await Promise.all([
      sealer.seal(id, Buffer.from(JSON.stringify(config))),
      intake === null ? null : sealer.seal(intakeContext(id), Buffer.from(JSON.stringify(intake))),
    ])
    return { ...integration, sealed, ...(sealedIntake === null ? {} : { intake: sealedIntake }) }
  }
  const intakeIn = async ({ id, intake }: Item): Promise<Intake | null> =>
    typeof intake === 'string'
      ? (JSON.parse(
          Buffer.from(await sealer.open(intakeContext(id as string), intake)).toString('utf8'),
        ) as Intake)
      : null
  const opened = async (item: Item) => ({
    integration: fromItem(item),
    config: JSON.parse(
      Buffer.from(await sealer.open(item.id as string, item.sealed as string)).toString('utf8'),
    ) as IntegrationConfig,
  })

  return {
    async create(integration, config, quota, intake) {
      await members.add(integration.id, await toItem(integration, config, intake), quota)
    },

    async get(id) {
      const item = await members.get(id)
      return item === undefined ? undefined : fromItem(item)
    },

    async open(id) {
      const item = await members.get(id)
      if (item === undefined) return undefined
      const [intake, rest] = await Promise.all([intakeIn(item), opened(item)])
      return { ...rest, intake, ...askedIn(item) }
    },

    async openIntake(id) {
      const names = Object.fromEntries(INTAKE_ATTRIBUTES.map((name) => [`#${name}`, name]))
      const { Item: item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: itemKeys.member(itemKeys.integrations, id),
          // A token that was replaced is refused from then on.
          ConsistentRead: true,
          ProjectionExpression: Object.keys(names).join(),
          ExpressionAttributeNames: names,
        }),
      )
      return item === undefined ? undefined : { integration: fromItem(item), intake: await intakeIn(item) }
    },

    async list(page) {
      const { items, next } = await members.page(page)
      return { items: items.map(fromItem), next }
    },

    async openAll() {
      const items = await members.all()
      return Promise.all(
        items.map(async (item) => {
          // What is disabled is not asked, so its secrets stay sealed; that it is there has to be told all the same.
          if (item.status === 'disabled') return { integration: fromItem(item), config: null }
          // Settings that cannot be opened keep one tool from being asked, not the others.
          return opened(item).catch(() => ({ integration: fromItem(item), config: null }))
        }),
      )
    },

    async openForCheck() {
      const items = (await members.all()).filter(({ status }) => status !== 'disabled')
      return Promise.all(
        items.map(async (item) => {
          const { integration, config } = await opened(item).catch(() => ({
            integration: fromItem(item),
            config: null,
          }))
          const checked_at = typeof item.checked_at === 'number' ? item.checked_at : null
          const failures = Number(item.failures ?? 0)
          return { integration, config, checked_at, failures, ...askedIn(item) }
        }),
      )
    },

    async recordCheck(before, after, { checked_at, failures, asked_at, unasked }) {
      // Its own write, repeated by the SDK, finds the new version, or the same one with nothing left to do.
      const written = await conditional(
        () =>
          client.send(
            new UpdateCommand({
              TableName: table,
              Key: itemKeys.member(itemKeys.integrations, before.id),
              UpdateExpression:
                'SET #status = :status, status_detail = :detail, updated_at = :updated, connected_at = :connected, version = :after, checked_at = :checked, failures = :failures' +
                (asked_at === undefined ? '' : ', asked_at = :asked') +
                (unasked ? ', unasked = :unasked' : unasked === null ? ' REMOVE unasked' : ''),
              ConditionExpression: 'attribute_exists(pk) AND version = :before',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: {
                ':status': after.status,
                ':detail': after.status_detail,
                ':updated': after.updated_at,
                ':connected': after.connected_at,
                ':after': after.version,
                ':before': before.version,
                ':checked': checked_at,
                ':failures': failures,
                ...(asked_at === undefined ? {} : { ':asked': asked_at }),
                ...(unasked ? { ':unasked': unasked } : {}),
              },
            }),
          ),
        pause,
      )
      return written !== undefined
    },

    async askedAt(id) {
      const { Item: item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: itemKeys.member(itemKeys.integrations, id),
          ConsistentRead: true,
          ProjectionExpression: '#status, asked_at',
          ExpressionAttributeNames: { '#status': 'status' },
        }),
      )
      return item === undefined || item.status === 'disabled'
        ? undefined
        : (item.asked_at as number | undefined)
    },

    async change(before, after, config, intake, { asked_at, unasked }) {
      // Tells our own write, whose answer got lost and which the SDK repeated, from somebody else's.
      const write = randomUUID()
      const item = await toItem(after, config, intake)
      const written = await conditional(async () => {
        try {
          return await client.send(
            new PutCommand({
              TableName: table,
              Item: {
                ...itemKeys.member(itemKeys.integrations, before.id),
                ...item,
                ...(asked_at === null ? {} : { asked_at }),
                ...(unasked === null ? {} : { unasked }),
                write,
              },
              ConditionExpression: 'attribute_exists(pk) AND version = :before',
              ExpressionAttributeValues: { ':before': before.version },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
        } catch (error) {
          if (error instanceof ConditionalCheckFailedException && error.Item?.write?.S === write) return true
          throw error
        }
      }, pause)
      return written !== undefined
    },

    delete: (id, expected) => members.remove(id, expected),
  }
}
