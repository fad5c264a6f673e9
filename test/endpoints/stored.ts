import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { TableName } from '#shared/names.ts'
import type { Service } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into items of every shape
export type StoredItem = Readonly<Record<string, any>>

/** Every item of a table, as it is stored. */
export async function allItems({ store }: Service, table: TableName): Promise<StoredItem[]> {
  const found: StoredItem[] = []
  let ExclusiveStartKey: StoredItem | undefined
  do {
    const page = await store.client.send(
      new ScanCommand({ TableName: store.names[table], ConsistentRead: true, ExclusiveStartKey }),
    )
    found.push(...(page.Items ?? []))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return found
}

/** The items of an incident's own partition. */
export async function itemsOfIncident({ store }: Service, id: string): Promise<StoredItem[]> {
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.names.incidents,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `INCIDENT#${id}` },
      ConsistentRead: true,
    }),
  )
  return Items
}

/** The events of an incident, in the order in which they were raised. */
export async function eventsOf(service: Service, id: string): Promise<StoredItem[]> {
  const events = (await allItems(service, 'incidents')).filter(({ incident_id }) => incident_id === id)
  return events.sort((a, b) => a.sequence - b.sequence)
}
