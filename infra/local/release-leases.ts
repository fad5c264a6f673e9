import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { incidentLists } from '#shared/adapters/dynamo/item-keys.ts'
import { TABLES } from '#shared/names.ts'

/**
 * Ends the leases of investigations that a runner held when it was killed, and makes them due now. Only for one who has
 * the tables alone: then nobody is left to hold a lease, and there is no need to wait until it runs out.
 * @param now ms since the epoch
 * @returns how many there were
 */
export async function releaseLeases(client: DynamoDBClient, table: string, now: number): Promise<number> {
  const documents = DynamoDBDocumentClient.from(client)
  const { name, partition, sort } = TABLES.incidents.indexes.byDue
  const held: Record<string, unknown>[] = []
  for await (const page of paginateQuery(
    { client: documents },
    {
      TableName: table,
      IndexName: name,
      KeyConditionExpression: '#list = :due AND #at > :now',
      ExpressionAttributeNames: { '#list': partition, '#at': sort },
      ExpressionAttributeValues: { ':due': incidentLists.due, ':now': now },
    },
  )) {
    held.push(...(page.Items ?? []))
  }
  let released = 0
  for (const { pk, sk } of held) {
    try {
      await documents.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk, sk },
          UpdateExpression: 'SET lease_until = :zero, due_at = :now',
          // One that waits for another try keeps its time.
          ConditionExpression: 'analysis = :running',
          ExpressionAttributeValues: { ':zero': 0, ':now': now, ':running': 'running' },
        }),
      )
      released += 1
    } catch (error) {
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error
    }
  }
  return released
}
