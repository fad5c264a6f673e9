import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { writeInstant } from '../../domain/instant.ts'
import type { UserAdmin } from '../../domain/ports.ts'
import type { KnownUser } from '../../domain/user.ts'
import { TABLES } from '../../names.ts'
import { itemKeys, USER_LIST } from './item-keys.ts'
import { conditional } from './transact.ts'
import type { UserItem } from './users.ts'

const instant = (at: number | undefined): string | null => (at === undefined ? null : writeInstant(at))

const fromItem = ({ id, name, last_used_at, disabled_at }: UserItem): KnownUser => ({
  id,
  name,
  last_used_at: instant(last_used_at),
  disabled_at: instant(disabled_at),
})

/** Listing users who have called, refusing and signing them out: what operators do. */
export function userAdmin(client: DynamoDBDocumentClient, table: string): UserAdmin {
  const update = async (id: string, expression: string, now: number): Promise<boolean> => {
    const written = await conditional(() =>
      client.send(
        new UpdateCommand({
          TableName: table,
          Key: itemKeys.user(id),
          UpdateExpression: expression,
          ConditionExpression: 'attribute_exists(pk)',
          ...(expression.includes(':now') ? { ExpressionAttributeValues: { ':now': now } } : {}),
        }),
      ),
    )
    return written !== undefined
  }

  const read = async (pk: unknown): Promise<KnownUser[]> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: { pk }, ConsistentRead: true }),
    )
    return Item === undefined ? [] : [fromItem(Item as UserItem)]
  }

  return {
    async list() {
      const users: KnownUser[] = []
      let ExclusiveStartKey: Record<string, unknown> | undefined
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: table,
            IndexName: TABLES.keys.indexes.byId.name,
            KeyConditionExpression: 'list_all = :users',
            ExpressionAttributeValues: { ':users': USER_LIST },
            ExclusiveStartKey,
          }),
        )
        for (const { pk } of page.Items ?? []) users.push(...(await read(pk)))
        ExclusiveStartKey = page.LastEvaluatedKey
      } while (ExclusiveStartKey !== undefined)
      return users
    },

    setDisabled: (id, disabled, now) =>
      update(id, disabled ? 'SET disabled_at = if_not_exists(disabled_at, :now)' : 'REMOVE disabled_at', now),

    signOut: (id, now) => update(id, 'SET tokens_valid_after = :now', now),
  }
}
