import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { idBefore, idBounds } from '../../domain/ids.ts'
import type { IncidentFilter, IncidentStore } from '../../domain/ports.ts'
import { TABLES } from '../../names.ts'
import { type Item, incidentOf } from './incident-writes.ts'
import { incidentLists, itemKeys } from './item-keys.ts'

const PREFIX = 'inc'
/** Every id of an incident lies between these two texts. */
const ALL_IDS = { first: `${PREFIX}_`, last: `${PREFIX}_~` }

/** The index and the partition in which a filter's incidents, and no others, stand in order of time. */
function indexFor({ status, severity }: IncidentFilter) {
  const { byTime, byStatus, bySeverity, byStatusAndSeverity } = TABLES.incidents.indexes
  if (status !== undefined && severity !== undefined)
    return { index: byStatusAndSeverity, value: incidentLists.statusAndSeverity(status, severity) }
  if (status !== undefined) return { index: byStatus, value: status }
  if (severity !== undefined) return { index: bySeverity, value: severity }
  return { index: byTime, value: incidentLists.all }
}

/** Incidents as lists show them, for who only reads: what writes them is in no bundle that has this alone. */
export function incidentReader({
  client,
  table,
}: {
  readonly client: DynamoDBDocumentClient
  readonly table: string
}) {
  const getItem = async (id: string): Promise<Item | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: itemKeys.incident(id), ConsistentRead: true }),
    )
    return Item
  }
  const reads: Pick<IncidentStore, 'get' | 'list'> = {
    async get(id) {
      const item = await getItem(id)
      return item === undefined ? undefined : incidentOf(item)
    },

    async list(filter, page) {
      // Bounds are included in the range of a query; those of the filter are not, so they move by one.
      const lows = [ALL_IDS.first]
      const highs = [ALL_IDS.last]
      if (filter.after !== undefined) lows.push(idBounds(PREFIX, filter.after + 1).first)
      if (filter.before !== undefined) {
        if (filter.before <= 0) return { items: [], next: null }
        highs.push(idBounds(PREFIX, filter.before - 1).last)
      }
      if (page.after !== null) highs.push(idBefore(page.after))
      const low = lows.reduce((a, b) => (a > b ? a : b))
      const high = highs.reduce((a, b) => (a < b ? a : b))
      if (low > high) return { items: [], next: null }

      const { index, value } = indexFor(filter)
      const answer = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: index.name,
          KeyConditionExpression: '#list = :list AND #id BETWEEN :low AND :high',
          ExpressionAttributeNames: { '#list': index.partition, '#id': index.sort },
          ExpressionAttributeValues: { ':list': value, ':low': low, ':high': high },
          ScanIndexForward: false,
          // One more than asked for tells whether there is a next page, without asking again.
          Limit: page.limit + 1,
        }),
      )
      const found = answer.Items ?? []
      const items = found.slice(0, page.limit).map(incidentOf)
      const more =
        found.length > page.limit || (answer.LastEvaluatedKey !== undefined && items.length < page.limit)
      return { items, next: more ? (items.at(-1)?.id ?? null) : null }
    },
  }
  return { ...reads, getItem }
}
