import { randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBDocumentClient,
  type NativeAttributeValue,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { Incident, ListedAlert, ServiceEvent, TimelineEntry } from '../../domain/incident.ts'
import { writeInstant } from '../../domain/instant.ts'
import type { RootCause } from '../../domain/investigation/findings.ts'
import type { IncidentStore, Lease, ObjectStore } from '../../domain/ports.ts'
import type { Claim } from '../../domain/repeat.ts'
import { OBJECTS, TABLES } from '../../names.ts'
import { incidentReader } from './incident-reader.ts'
import { DUE_NOW, dueAt, type Item, incidentOf, incidentWrites } from './incident-writes.ts'
import { incidentIdOf, incidentLists, itemKeys } from './item-keys.ts'
import { listedRootCause } from './listed-incident.ts'
import { readRootCauseText, rootCauseText } from './root-cause-text.ts'
import { conditional, madeBy, type Pause, type TransactItems, transact } from './transact.ts'
import { readWireItem } from './wire-item.ts'

/** DynamoDB takes items of 400 KB; 100 KB is room for names, keys and what later versions add. */
const LARGEST_ROOT_CAUSE_BYTES = 300_000

/** An event tells the incident as it is; people who change it in the very moment are read again this often. */
const MOST_EVENT_TRIES = 5

export interface IncidentStoreOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  /** Takes root causes too large for an item. */
  readonly objects: ObjectStore
  /** Days that an incident and all that belongs to it is kept, from its creation. */
  readonly retentionDays: number
  readonly pause?: Pause
  /** Of the request that this store is made for: recorded with what it writes. */
  readonly claim?: Claim | undefined
}

const toEntry = (item: Item): TimelineEntry => ({
  id: item.id,
  at: item.at,
  kind: item.kind,
  text: item.text,
  by: item.by,
})

/** Alerts that one incident shows; a storm of them may have thousands. */
const MOST_LISTED_ALERTS = 200

/**
 * Bytes of JSON that they may have together, a third of what Lambda lets a function answer: beside them stand the root
 * cause and the timeline. Labels are what tools write, 36 KB of one alert at most.
 */
const MOST_LISTED_ALERT_BYTES = 2_000_000

/** Those that fire first, of each the one that began first. */
const inOrder = (a: ListedAlert, b: ListedAlert): number => {
  if (a.status !== b.status) return a.status === 'firing' ? -1 : 1
  return a.starts_at < b.starts_at ? -1 : a.starts_at > b.starts_at ? 1 : 0
}

/** The first alerts in order, of those that were kept and those that a page brings. */
const firstAlerts = (kept: readonly ListedAlert[], page: readonly ListedAlert[]): readonly ListedAlert[] =>
  page.length === 0 ? kept : [...kept, ...page].sort(inOrder).slice(0, MOST_LISTED_ALERTS)

/** As many of them as may stand in one answer. */
function listedAlerts(alerts: readonly ListedAlert[]): readonly ListedAlert[] {
  let bytes = 0
  const tooMany = alerts.findIndex((alert) => {
    bytes += Buffer.byteLength(JSON.stringify(alert))
    return bytes > MOST_LISTED_ALERT_BYTES
  })
  return tooMany < 0 ? alerts : alerts.slice(0, tooMany)
}

/** Incidents, their root causes, timelines, events, and the leases of their investigations, in one table. */
export function incidentStore(options: IncidentStoreOptions): IncidentStore {
  const { client, table, objects, retentionDays, pause, claim } = options
  const writes = incidentWrites(table, retentionDays)
  const { expiry, timelinePut, eventPut } = writes
  const { getItem, ...reader } = incidentReader(options)

  /** Ends a try of an investigation in one transaction, if the lease is still held. */
  const endTry = async (
    lease: Lease,
    entry: TimelineEntry,
    update: string,
    values: Record<string, NativeAttributeValue>,
    more: TransactItems,
    condition = '',
  ): Promise<boolean> => {
    const { id } = lease.incident
    const outcome = await transact(
      client,
      [
        {
          Update: {
            TableName: table,
            Key: itemKeys.incident(id),
            UpdateExpression: update,
            ConditionExpression: `attribute_exists(pk) AND fence = :fence AND analysis = :running${condition}`,
            ExpressionAttributeValues: {
              ...values,
              ':fence': lease.fence,
              ':running': 'running',
              ':zero': 0,
              ':one': 1,
              ':at': entry.at,
            },
          },
        },
        timelinePut(id, entry),
        ...more,
      ],
      pause,
    )
    return outcome.written
  }

  const rootCausePut = async (
    id: string,
    fence: number,
    rootCause: RootCause,
  ): Promise<TransactItems[number]> => {
    const text = rootCauseText(rootCause)
    const item = { ...itemKeys.rootCause(id), expires_at_s: expiry(id) }
    if (Buffer.byteLength(text) <= LARGEST_ROOT_CAUSE_BYTES)
      return { Put: { TableName: table, Item: { ...item, root_cause: text } } }
    // Named by the fence: a holder that lost its lease cannot overwrite what its successor wrote.
    const key = `${OBJECTS.rootCauses}${id}/${fence}.json`
    await objects.put(key, Buffer.from(text))
    return { Put: { TableName: table, Item: { ...item, object: key } } }
  }

  const readRootCause = async (
    item: Item | undefined,
    listed: RootCause | null,
  ): Promise<RootCause | null> => {
    if (item === undefined) return listed
    if (typeof item.root_cause === 'string') return readRootCauseText(item.root_cause)
    const bytes = await objects.get(String(item.object))
    if (bytes !== undefined) return readRootCauseText(Buffer.from(bytes).toString('utf8'))
    // What is left is shorter than what was found, and says so.
    const gap = { what: 'the root cause in full', why: 'its object is missing; this is its short form' }
    return listed === null ? null : { ...listed, gaps: [...listed.gaps, gap] }
  }

  return {
    ...reader,

    async create(incident, entry, event) {
      const items = writes.created(incident, entry, event)
      const outcome = await transact(client, items, pause, madeBy(claim, incident.id))
      if (!outcome.written) throw new Error(`an incident with the id ${incident.id} exists already`)
    },

    async read(id) {
      const timelinePrefix = itemKeys.timelineEntry(id, '').sk
      const alertPrefix = itemKeys.incidentAlert(id, '').sk
      const items = new Map<string, Item>()
      // They stand in no order that says which come first: all are read, but no more are kept than are shown.
      let alerts: readonly ListedAlert[] = []
      let ExclusiveStartKey: Item | undefined
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': itemKeys.incidentPartition(id) },
            ConsistentRead: true,
            ExclusiveStartKey,
          }),
        )
        const isAlert = ({ sk }: Item) => String(sk).startsWith(alertPrefix)
        const found = page.Items ?? []
        for (const item of found) if (!isAlert(item)) items.set(String(item.sk), item)
        alerts = firstAlerts(
          alerts,
          found.filter(isAlert).map((item) => item.alert as ListedAlert),
        )
        ExclusiveStartKey = page.LastEvaluatedKey
      } while (ExclusiveStartKey !== undefined)

      const item = items.get(itemKeys.incident(id).sk)
      if (item === undefined) return undefined
      const incident = incidentOf(item)
      const description = items.get(itemKeys.description(id).sk)?.description ?? incident.description
      return {
        ...incident,
        description,
        root_cause: await readRootCause(items.get(itemKeys.rootCause(id).sk), incident.root_cause),
        alerts: listedAlerts(alerts),
        // The items come in order of their ids, which is the order of time.
        timeline: [...items.values()].filter(({ sk }) => String(sk).startsWith(timelinePrefix)).map(toEntry),
      }
    },

    async change(before, after, entries, event) {
      return (await transact(client, writes.changed(before, after, { entries, event }), pause)).written
    },

    async requestInvestigation(id, now, entry) {
      const outcome = await transact(
        client,
        [
          {
            Update: {
              TableName: table,
              Key: itemKeys.incident(id),
              UpdateExpression: `SET ${DUE_NOW}, version = version + :one, updated_at = :at`,
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ...dueAt(now), ':at': entry.at },
            },
          },
          timelinePut(id, entry),
        ],
        pause,
        madeBy(claim, id),
      )
      return outcome.written
    },

    async claimInvestigation(id, now, leaseUntil) {
      // Tells our own claim, whose answer got lost and which the SDK repeated, from somebody else's.
      const mine = randomUUID()
      const lease = (item: Item | undefined): Lease | undefined =>
        item === undefined
          ? undefined
          : { incident: incidentOf(item), fence: item.fence as number, attempt: item.attempt as number }
      return conditional(async () => {
        try {
          const { Attributes } = await client.send(
            new UpdateCommand({
              TableName: table,
              Key: itemKeys.incident(id),
              // While it is leased it is due when the lease runs out: the same index finds both.
              UpdateExpression:
                'SET analysis = :running, lease_until = :until, due_at = :until, fence = fence + :one,' +
                ' attempt = attempt + :one, version = version + :one, updated_at = :at, claim = :claim',
              ConditionExpression:
                'attribute_exists(pk) AND attribute_exists(due_list) AND due_at <= :now AND lease_until <= :now',
              ExpressionAttributeValues: {
                ':running': 'running',
                ':until': leaseUntil,
                ':one': 1,
                ':now': now,
                ':at': writeInstant(now),
                ':claim': mine,
              },
              ReturnValues: 'ALL_NEW',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
          return lease(Attributes)
        } catch (error) {
          if (error instanceof ConditionalCheckFailedException && error.Item?.claim?.S === mine)
            return lease(readWireItem(error.Item))
          throw error
        }
      }, pause)
    },

    async completeInvestigation(lease, rootCause, entry, eventId = null, nextAt = null) {
      const listed = listedRootCause(rootCause)
      const end = (condition: string, values: Record<string, NativeAttributeValue>, more: TransactItems) =>
        endTry(
          lease,
          entry,
          'SET analysis = :done, root_cause = :root_cause, lease_until = :zero, version = version + :one,' +
            ' updated_at = :at' +
            (nextAt === null
              ? ' REMOVE due_list, due_at'
              : ', due_list = :due, due_at = :next, attempt = :zero'),
          {
            ':done': 'done',
            ':root_cause': listed,
            ...(nextAt === null ? {} : { ':due': incidentLists.due, ':next': nextAt }),
            ...values,
          },
          [put, ...more],
          condition,
        )
      const put = await rootCausePut(lease.incident.id, lease.fence, rootCause)
      if (eventId === null) return end('', {}, [])
      for (let tries = 0; tries < MOST_EVENT_TRIES; tries += 1) {
        const item = await getItem(lease.incident.id)
        if (item === undefined || item.fence !== lease.fence || item.analysis !== 'running') return false
        const incident: Incident = {
          ...incidentOf(item),
          analysis: 'done',
          root_cause: JSON.parse(listed) as RootCause,
          updated_at: entry.at,
          version: (item.version as number) + 1,
        }
        const event: ServiceEvent = {
          id: eventId,
          kind: 'incident.analyzed',
          incident_id: incident.id,
          at: entry.at,
          sequence: incident.version,
          incident,
        }
        if (await end(' AND version = :before', { ':before': item.version }, [eventPut(event)])) return true
      }
      throw new Error('others keep changing the incident whose root cause is to be written')
    },

    async failInvestigation(lease, retryAt, entry) {
      return retryAt === null
        ? endTry(
            lease,
            entry,
            'SET analysis = :failed, lease_until = :zero, version = version + :one, updated_at = :at' +
              ' REMOVE due_list, due_at',
            { ':failed': 'failed' },
            [],
          )
        : endTry(
            lease,
            entry,
            'SET analysis = :pending, due_at = :retry, lease_until = :zero, version = version + :one,' +
              ' updated_at = :at',
            { ':pending': 'pending', ':retry': retryAt },
            [],
          )
    },

    async dueInvestigations(now, limit) {
      const { byDue } = TABLES.incidents.indexes
      const { Items } = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: byDue.name,
          KeyConditionExpression: '#list = :due AND #at <= :now',
          ExpressionAttributeNames: { '#list': byDue.partition, '#at': byDue.sort },
          ExpressionAttributeValues: { ':due': incidentLists.due, ':now': now },
          Limit: limit,
        }),
      )
      return (Items ?? []).flatMap((item) => incidentIdOf(String(item.pk)) ?? [])
    },
  }
}
