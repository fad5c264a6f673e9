import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { KEY } from '#shared/names.ts'

/** One table whose items expire. */
export interface ExpiringTable {
  readonly tableName: string
  readonly sort: boolean
  /** Number attribute with the second (since the epoch) after which an item may go. */
  readonly ttl: string
}

/**
 * Deletes what has expired, as DynamoDB's time to live does: the emulator accepts the setting and never acts on it.
 * An item whose time was moved meanwhile stays.
 * @param now ms since the epoch
 * @returns how many items went
 */
export async function sweepExpired(
  client: DynamoDBClient,
  table: ExpiringTable,
  now: number,
): Promise<number> {
  const { tableName, ttl, sort } = table
  const names = { '#ttl': ttl }
  const values = { ':now': { N: String(Math.floor(now / 1_000)) } }
  let gone = 0
  let from: Record<string, AttributeValue> | undefined
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: tableName,
        FilterExpression: '#ttl < :now',
        ProjectionExpression: sort ? '#pk, #sk' : '#pk',
        ExpressionAttributeNames: {
          ...names,
          '#pk': KEY.partition,
          ...(sort ? { '#sk': KEY.sort } : {}),
        },
        ExpressionAttributeValues: values,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    )
    for (const key of page.Items ?? []) {
      try {
        await client.send(
          new DeleteItemCommand({
            TableName: tableName,
            Key: key,
            ConditionExpression: '#ttl < :now',
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: values,
          }),
        )
        gone += 1
      } catch (error) {
        if ((error as Error).name !== 'ConditionalCheckFailedException') throw error
      }
    }
    from = page.LastEvaluatedKey
  } while (from !== undefined)
  return gone
}
