import { createHash } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import middy from '@middy/core'

const client = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 1 }))

/** Reads one item; a function as the service has them, as far as bundling goes. */
export const handler = middy(async ({ name }: { readonly name: string }) => {
  const pk = createHash('sha256').update(name).digest('hex')
  const { Item } = await client.send(new GetCommand({ TableName: 'things', Key: { pk } }))
  return Item
})
