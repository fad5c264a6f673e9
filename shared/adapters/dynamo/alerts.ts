import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb'
import type {
  AlertGroup,
  AlertWrite,
  Fold,
  IncidentWrite,
  KnownAlert,
} from '../../domain/alerts/alert-group.ts'
import { isFiring } from '../../domain/alerts/fold-alerts.ts'
import type { AlertStore } from '../../domain/ports.ts'
import { TABLES } from '../../names.ts'
import { type Item, incidentOf, incidentWrites } from './incident-writes.ts'
import { alertGroupOf, alertKeyOf, incidentLists, itemKeys } from './item-keys.ts'
import { metOthers, type Pause, type TransactItems, transact } from './transact.ts'

export interface AlertStoreOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  readonly retentionDays: number
  readonly clock: () => number
  readonly pause?: Pause
}

const DAY_S = 86_400
/** How long an alert that is over is remembered, so that a message about it that comes late changes nothing. */
const OVER_DAYS = 7
/** Items read at once. One call for many would be a right that no function has. */
const READS_AT_ONCE = 50

const knownOf = (item: Item): KnownAlert => ({
  key: item.key,
  integration_id: item.integration_id ?? null,
  group: item.group,
  incident_id: item.incident_id,
  fired_at: item.fired_at,
  resolved_at: item.resolved_at,
  severity: item.severity,
  ending: item.ending,
  seen_at: item.seen_at,
  stale: item.stale,
  rev: item.rev,
})

const groupOf = (item: Item): AlertGroup => ({
  key: item.key,
  incident_id: item.incident_id,
  firing: item.firing,
  quiet_until: item.quiet_until,
  stale_at: item.stale_at,
  version: item.version,
})

/** Alerts and their groups, beside the incidents that they make: one table, one transaction. */
export function alertStore(options: AlertStoreOptions): AlertStore {
  const { client, table, retentionDays, clock, pause } = options
  const incidents = incidentWrites(table, retentionDays)
  const inDays = (days: number): number => Math.floor(clock() / 1_000) + days * DAY_S

  const getItem = async (key: Item): Promise<Item | undefined> => {
    const { Item } = await client.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }))
    return Item
  }

  const groupPut = (before: AlertGroup | undefined, after: AlertGroup): TransactItems[number] => {
    const instants = [after.quiet_until, after.stale_at].filter((at) => at !== null)
    const due =
      instants.length > 0 ? { due_list: incidentLists.alertGroups, due_at: Math.min(...instants) } : {}
    return {
      Put: {
        TableName: table,
        Item: { ...itemKeys.alertGroup(after.key), ...after, ...due, expires_at_s: inDays(retentionDays) },
        ...(before === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: 'version = :before',
              ExpressionAttributeValues: { ':before': before.version },
            }),
      },
    }
  }

  const alertPuts = ({ before, after, shown }: AlertWrite): TransactItems => {
    const known: TransactItems[number] = {
      Put: {
        TableName: table,
        Item: {
          ...itemKeys.alert(after.key),
          ...after,
          expires_at_s: inDays(isFiring(after) ? retentionDays : OVER_DAYS),
        },
        ...(before === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'rev = :before', ExpressionAttributeValues: { ':before': before.rev } }),
      },
    }
    if (shown.how === 'anew' && after.incident_id !== null) {
      const { incident_id } = after
      const place = itemKeys.incidentAlert(incident_id, after.key)
      const Item = { ...place, alert: shown.alert, expires_at_s: incidents.expiry(incident_id) }
      return [known, { Put: { TableName: table, Item } }]
    }
    return [known]
  }

  /** An alert is over, as its incident shows it. */
  const endUpdates = ({ after, shown }: AlertWrite): TransactItems =>
    shown.how !== 'over'
      ? []
      : [
          {
            Update: {
              TableName: table,
              Key: itemKeys.incidentAlert(shown.incident_id, after.key),
              UpdateExpression: 'SET alert.#status = :resolved, alert.ends_at = :ends',
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: { ':resolved': 'resolved', ':ends': shown.ends_at },
            },
          },
        ]

  const incidentPuts = (write: IncidentWrite): TransactItems => {
    switch (write.how) {
      case 'untouched':
        return []
      case 'opened':
        return incidents.created(write.incident, write.entry, write.event)
      case 'joined':
        // Somebody who resolves it in this very moment must not leave an alert behind that nobody sees.
        return [
          {
            ConditionCheck: {
              TableName: table,
              Key: itemKeys.incident(write.incident.id),
              ConditionExpression: '#status = :status',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: { ':status': write.incident.status },
            },
          },
        ]
      case 'changed':
        return incidents.changed(write.before, write.after, {
          entries: write.entries,
          event: write.event,
          investigate: write.investigate,
        })
    }
  }

  return {
    async known(keys) {
      const found: Item[] = []
      for (let start = 0; start < keys.length; start += READS_AT_ONCE) {
        const reads = keys.slice(start, start + READS_AT_ONCE).map((key) => getItem(itemKeys.alert(key)))
        found.push(...(await Promise.all(reads)).filter((item) => item !== undefined))
      }
      return new Map(found.map((item) => [item.key as string, knownOf(item)]))
    },

    async state(key) {
      const item = await getItem(itemKeys.alertGroup(key))
      if (item === undefined) return { key, group: undefined, incident: undefined }
      const group = groupOf(item)
      const incident = await getItem(itemKeys.incident(group.incident_id))
      return { key, group, incident: incident === undefined ? undefined : incidentOf(incident) }
    },

    async members(incidentId) {
      const { pk, sk } = itemKeys.incidentAlert(incidentId, '')
      const keys: string[] = []
      let start: Item | undefined
      do {
        const page: QueryCommandOutput = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: { ':pk': pk, ':prefix': sk },
            ProjectionExpression: 'sk',
            ConsistentRead: true,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        )
        keys.push(...(page.Items ?? []).flatMap((item) => alertKeyOf(String(item.sk)) ?? []))
        start = page.LastEvaluatedKey
      } while (start !== undefined)
      return keys
    },

    async write({ before, after, alerts, incident }: Fold) {
      const puts = [
        ...(after === undefined ? [] : [groupPut(before, after)]),
        ...incidentPuts(incident),
        ...alerts.flatMap(alertPuts),
      ]
      const ends = alerts.flatMap(endUpdates)
      const write = (items: TransactItems) => transact(client, items, pause, undefined, 1)
      try {
        const outcome = await write([...puts, ...ends])
        if (outcome.written) return true
        const { failed } = outcome
        if (failed.some((index) => index < puts.length)) return false
        // An alert may fire for longer than its incident is kept: what is gone shows no end, and nothing else waits for it.
        return (await write([...puts, ...ends.filter((_, index) => !failed.includes(puts.length + index))]))
          .written
      } catch (error) {
        // Whoever was met has most likely written what this rests on: it is read again, not written again.
        if (metOthers(error)) return false
        throw error
      }
    },

    async due(now, limit) {
      const { byDue } = TABLES.incidents.indexes
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: byDue.name,
          KeyConditionExpression: '#list = :list AND #at <= :now',
          ExpressionAttributeNames: { '#list': byDue.partition, '#at': byDue.sort },
          ExpressionAttributeValues: { ':list': incidentLists.alertGroups, ':now': now },
          Limit: limit,
        }),
      )
      return Items.flatMap(({ pk }) => alertGroupOf(String(pk)) ?? [])
    },
  }
}
