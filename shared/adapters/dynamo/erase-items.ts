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
  const { client, names, pace } = options
  const subject = 'subject' in erasure ? erasure.subject : null
  const items: ItemCounts = {}
  let objects = 0
  const incidents = incidentsForAge(options)
  const belongs = (item: Item): Promise<boolean> =>
    'subject' in erasure
      ? belongsToSubject(item, erasure.subject, options.objects)
      : isOlder(item, erasure.before, incidents.isOver)

  for (const table of ERASED_TABLES)
    for await (const page of everyItem(client, names[table], pace)) {
      const going: Item[] = []
      for (const item of page.items) {
        if (!(await belongs(item))) continue
        const owner = ownerIn(item)
        if (owner !== null && owner !== subject) objects += await eraseObjectsOf(owner, options)
        if (itemKind(item) === 'delivery') going.push(...(await attemptsOf(item, options)))
        going.push(item)
      }
      for (const item of going) countItem(items, table, itemKind(item))
      if (options.really) await deleteItems(table, going, options)
    }
  // Its items may be gone already, for their age or by a try that was broken off.
  if (subject !== null) objects += await eraseObjectsOf(subject, options)
  return { items, objects, open_incidents: incidents.open.size }
}

/** The whole of a stored answer, wherever it is. */
async function answerText(item: Item, objects: ObjectStore): Promise<string> {
  if (typeof item.answer === 'string') return item.answer
  const bytes = typeof item.object === 'string' ? await objects.get(item.object) : undefined
  return Buffer.from(bytes ?? []).toString('utf8')
}

/** Whether an item is of an incident or a question, or tells of it. */
async function belongsToSubject(item: Item, subject: string, objects: ObjectStore): Promise<boolean> {
  switch (itemKind(item)) {
    case 'answer':
      // An answer that names the subject tells of it.
      return item.pk === itemKeys.query(subject).pk || (await answerText(item, objects)).includes(subject)
    case 'repeat':
      return item.resource === subject
    default:
      return incidentIdOf(String(item.pk)) === subject || item.incident_id === subject
  }
}

/** Which incidents may go for their age, as far as they were asked about. */
interface IncidentsForAge {
  /** Whether an incident is resolved, or gone already. */
  readonly isOver: (id: string) => Promise<boolean>
  /** Those that are neither. */
  readonly open: ReadonlySet<string>
}

function incidentsForAge({ client, names }: EraseOptions): IncidentsForAge {
  const open = new Set<string>()
  const known = new BoundedMap<boolean>(MOST_REMEMBERED)
  return {
    open,
    async isOver(id) {
      const remembered = known.get(id)
      if (remembered !== undefined) return remembered
      const { Item } = await client.send(
        new GetCommand({ TableName: names.incidents, Key: itemKeys.incident(id), ConsistentRead: true }),
      )
      const over = Item === undefined || Item.status === 'resolved'
      known.set(id, over)
      if (!over) open.add(id)
      return over
    },
  }
}

/** Whether an item is older than an instant (ms), and of no incident that is still open. */
async function isOlder(item: Item, before: number, isOver: IncidentsForAge['isOver']): Promise<boolean> {
  const isOfOldIncident = async (id: unknown): Promise<boolean> =>
    typeof id === 'string' && isId(id, 'inc') && timeOf(id) < before && (await isOver(id))
  switch (itemKind(item)) {
    case 'answer':
      return timeOf(String(item.pk)) < before
    case 'signals':
      return Number(item.until) < before
    case 'repeat':
      return Number(item.at) < before
    case 'alert':
      return item.incident_id === null ? Number(item.seen_at) < before : isOfOldIncident(item.incident_id)
    default:
      return isOfOldIncident(incidentIdOf(String(item.pk)) ?? item.incident_id)
  }
}

/** Attempts of a delivery: they do not say whose they are, so they go before it. */
async function attemptsOf({ pk, sk }: Item, { client, names }: EraseOptions): Promise<readonly Item[]> {
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

/** Deletes items of a table, batch by batch. */
async function deleteItems(table: TableName, items: readonly Item[], options: EraseOptions): Promise<void> {
  for (const batch of batches(items)) {
    await options.pace(batch.length)
    await deleteBatch(table, batch, options)
  }
}

/** Deletes what one call takes, again as long as the store leaves some of it. @throws Error where it keeps doing so */
async function deleteBatch(
  table: TableName,
  batch: readonly Item[],
  { client, names, pause }: EraseOptions,
): Promise<void> {
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

/**
 * Objects go before the item that they belong to: an answer that only names a subject is not found without it.
 * @returns how many there are
 */
async function eraseObjectsOf(owner: string, { objects, pace, really }: EraseOptions): Promise<number> {
  let count = 0
  for (const prefix of OWNED)
    for (const { key } of await objects.list(`${prefix}${owner}`)) {
      count += 1
      if (!really) continue
      await pace(1)
      await objects.delete(key)
    }
  return count
}
