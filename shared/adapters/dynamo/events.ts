import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { EventStore } from '../../domain/ports.ts'
import { TABLES } from '../../names.ts'
import { eventIdOf, incidentLists, itemKeys } from './item-keys.ts'
import { conditional, type Pause } from './transact.ts'

/** Events as they were written with their incidents; what has not been fanned out stands in the index of what is due. */
export function eventStore(client: DynamoDBDocumentClient, table: string, pause?: Pause): EventStore {
  return {
    async get(id) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: itemKeys.event(id), ConsistentRead: true }),
      )
      if (Item === undefined) return undefined
      return {
        id: Item.id,
        kind: Item.kind,
        incident_id: Item.incident_id,
        body: Item.body,
        fanned_out: Item.due_list === undefined,
      }
    },

    async markFannedOut(id) {
      await conditional(
        () =>
          client.send(
            new UpdateCommand({
              TableName: table,
              Key: itemKeys.event(id),
              UpdateExpression: 'REMOVE due_list, due_at',
              ConditionExpression: 'attribute_exists(pk)',
            }),
          ),
        pause,
      )
    },

    async waiting(before, limit) {
      const { byDue } = TABLES.incidents.indexes
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: byDue.name,
          KeyConditionExpression: '#list = :list AND #at < :before',
          ExpressionAttributeNames: { '#list': byDue.partition, '#at': byDue.sort },
          ExpressionAttributeValues: { ':list': incidentLists.fanOut, ':before': before },
          Limit: limit,
        }),
      )
      return Items.flatMap(({ pk }) => eventIdOf(String(pk)) ?? [])
    },
  }
}
