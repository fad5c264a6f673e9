import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb'
import { isId, timeOf } from '../../domain/ids.ts'
import type { ObjectStore } from '../../domain/ports.ts'
import { OBJECTS, TABLES, type TableName } from '../../names.ts'
import { BoundedMap } from '../bounded-map.ts'
import { everyItem, type Pace } from './every-item.ts'
import type { Item } from './incident-writes.ts'
import { incidentIdOf, itemKeys } from './item-keys.ts'
import { countItem, type ItemCounts, itemKind } from './item-kind.ts'
import type { Pause } from './transact.ts'

/** What is to go: all of one incident or of one question, or all that is older than an instant (ms). */
export type Erasure = { readonly subject: string } | { readonly before: number }

export interface EraseOptions {
  readonly client: DynamoDBDocumentClient
  readonly names: Readonly<Record<TableName, string>>
  readonly objects: ObjectStore
  readonly pace: Pace
  readonly pause: Pause
  /** False only counts. */
  readonly really: boolean
}

export interface Erased {
  readonly items: ItemCounts
  readonly objects: number
  /** Incidents older than the instant that are not resolved, and stay with all that is theirs. */
  readonly open_incidents: number
}

/** Writes that one call takes. */
const BATCH = 25
/** First pause before what the store did not take is given again, doubled each time. */
const FIRST_PAUSE_MS = 50
const MOST_TRIES = 10
const MOST_REMEMBERED = 10_000

/** Tables that hold what was observed, answered and sent; the others hold settings, keys and who did what to them. */
const ERASED_TABLES = ['incidents', 'webhooks', 'queries', 'signals'] as const satisfies readonly TableName[]
/** Objects that belong to an incident or an answer, named by the id that follows. */
const OWNED = [OBJECTS.snapshots, OBJECTS.rootCauses, OBJECTS.answers] as const

/** The incident or question that objects may belong to, from its own item; null for another item. */
function ownerIn(item: Item): string | null {
  const kind = itemKind(item)
  if (kind === 'answer') return String(item.pk).slice(itemKeys.query('').pk.length)
  return kind === 'incident' ? incidentIdOf(String(item.pk)) : null
}

const batches = <Value>(values: readonly Value[]): Value[][] =>
  Array.from({ length: Math.ceil(values.length / BATCH) }, (_, index) =>
    values.slice(index * BATCH, (index + 1) * BATCH),
  )

/**
 * Erases what belongs to a subject or is older than an instant: items of every table, then objects. Each thing says by
 * itself that it belongs, and goes after what could not be found without it, so that whatever was broken off is
 * finished by doing it again. What is gone can be brought back from backups until these end.
 */
export async function eraseItems(erasure: Erasure, options: EraseOptions): Promise<Erased> {
  const { client, names, objects, pace, pause, really } = options
  const subject = 'subject' in erasure ? erasure.subject : null
  const counts: ItemCounts = {}
  let objectCount = 0
  const openIncidents = new Set<string>()
  const known = new BoundedMap<boolean>(MOST_REMEMBERED)

  /** Whether an incident may go for its age: a resolved one, or one that is gone already. */
  const isOver = async (id: string): Promise<boolean> => {
    const remembered = known.get(id)
    if (remembered !== undefined) return remembered
    const { Item } = await client.send(
      new GetCommand({ TableName: names.incidents, Key: itemKeys.incident(id), ConsistentRead: true }),
    )
    const over = Item === undefined || Item.status === 'resolved'
    known.set(id, over)
    if (!over) openIncidents.add(id)
    return over
  }
  const isOldIncident = async (id: unknown, before: number): Promise<boolean> =>
    typeof id === 'string' && isId(id, 'inc') && timeOf(id) < before && (await isOver(id))

  /** The whole of a stored answer, wherever it is. */
  const answerText = async (item: Item): Promise<string> => {
    if (typeof item.answer === 'string') return item.answer
    const bytes = typeof item.object === 'string' ? await objects.get(item.object) : undefined
    return Buffer.from(bytes ?? []).toString('utf8')
  }

  const belongsToSubject = async (item: Item, subject: string): Promise<boolean> => {
    switch (itemKind(item)) {
      case 'answer':
        // An answer that names the subject tells of it.
        return item.pk === itemKeys.query(subject).pk || (await answerText(item)).includes(subject)
      case 'repeat':
        return item.resource === subject
      default:
        return incidentIdOf(String(item.pk)) === subject || item.incident_id === subject
    }
  }

  const isOld = async (item: Item, before: number): Promise<boolean> => {
    switch (itemKind(item)) {
      case 'answer':
        return timeOf(String(item.pk)) < before
      case 'signals':
        return Number(item.until) < before
      case 'repeat':
        return Number(item.at) < before
      case 'alert':
        return item.incident_id === null
          ? Number(item.seen_at) < before
          : isOldIncident(item.incident_id, before)
      default:
        return isOldIncident(incidentIdOf(String(item.pk)) ?? item.incident_id, before)
    }
  }

  const belongs = (item: Item): Promise<boolean> =>
    'subject' in erasure ? belongsToSubject(item, erasure.subject) : isOld(item, erasure.before)

  /** Attempts of a delivery: they do not say whose they are, so they go before it. */
  const attemptsOf = async ({ pk, sk }: Item): Promise<Item[]> => {
    const found: Item[] = []
    let start: Item | undefined
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: names.webhooks,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': pk, ':prefix': `${sk}#` },
          ExclusiveStartKey: start,
        }),
      )
      found.push(...(page.Items ?? []))
      start = page.LastEvaluatedKey
    } while (start !== undefined)
    return found
  }

  const remove = async (table: TableName, items: readonly Item[]): Promise<void> => {
    for (const item of items) countItem(counts, table, itemKind(item))
    if (!really) return
    for (const batch of batches(items)) {
      await pace(batch.length)
      let left: NonNullable<BatchWriteCommandInput['RequestItems']>[string] = batch.map(({ pk, sk }) => ({
        DeleteRequest: { Key: TABLES[table].sort ? { pk, sk } : { pk } },
      }))
      for (let tries = 0; left.length > 0; tries += 1) {
        if (tries === MOST_TRIES) throw new Error(`the table of ${table} takes no more; do it again later`)
        if (tries > 0) await pause(FIRST_PAUSE_MS * 2 ** (tries - 1))
        const { UnprocessedItems } = await client.send(
          new BatchWriteCommand({ RequestItems: { [names[table]]: left } }),
        )
        left = UnprocessedItems?.[names[table]] ?? []
      }
    }
  }

  /** Objects go before the item that they belong to: an answer that only names a subject is not found without it. */
  const removeObjectsOf = async (owner: string): Promise<void> => {
    for (const prefix of OWNED)
      for (const { key } of await objects.list(`${prefix}${owner}`)) {
        objectCount += 1
        if (!really) continue
        await pace(1)
        await objects.delete(key)
      }
  }

  for (const table of ERASED_TABLES)
    for await (const { items } of everyItem(client, names[table], pace)) {
      const going: Item[] = []
      for (const item of items) {
        if (!(await belongs(item))) continue
        const kind = itemKind(item)
        const owner = ownerIn(item)
        if (owner !== null && owner !== subject) await removeObjectsOf(owner)
        if (kind === 'delivery') going.push(...(await attemptsOf(item)))
        going.push(item)
      }
      await remove(table, going)
    }
  // Its items may be gone already, for their age or by a try that was broken off.
  if (subject !== null) await removeObjectsOf(subject)
  return { items: counts, objects: objectCount, open_incidents: openIncidents.size }
}
