import type { NativeAttributeValue } from '@aws-sdk/lib-dynamodb'
import { eventBody } from '../../domain/event-body.ts'
import { timeOf } from '../../domain/ids.ts'
import type { Incident, ServiceEvent, TimelineEntry } from '../../domain/incident.ts'
import { readInstant } from '../../domain/instant.ts'
import type { RootCause } from '../../domain/investigation/findings.ts'
import { incidentLists, itemKeys } from './item-keys.ts'
import { cutToBytes, LISTED_DESCRIPTION_BYTES } from './listed-incident.ts'
import type { TransactItems } from './transact.ts'

const DAY_S = 86_400
/** Events are for receivers that were down and for people who look back; delivery gives up far earlier. */
const EVENT_DAYS = 30

export type Item = Readonly<Record<string, NativeAttributeValue>>

/** An incident as lists show it, from its item. */
export function incidentOf(item: Item): Incident {
  return {
    id: item.id,
    title: item.title,
    status: item.status,
    severity: item.severity,
    service: item.service,
    description: item.description,
    started_at: item.started_at,
    created_at: item.created_at,
    updated_at: item.updated_at,
    resolved_at: item.resolved_at,
    analysis: item.analysis,
    root_cause: typeof item.root_cause === 'string' ? (JSON.parse(item.root_cause) as RootCause) : null,
    version: item.version,
  }
}

/** Instants leave the domain as text; here the order of them is a matter of numbers. */
function milliseconds(instant: string): number {
  const at = readInstant(instant)
  if (at === null) throw new RangeError(`not an instant: ${instant}`)
  return at
}

/** The attributes by which lists find an incident; they change with its status and severity. */
export const listAttributes = ({ status, severity }: Pick<Incident, 'status' | 'severity'>) => ({
  list_status: status,
  list_severity: severity,
  list_status_severity: incidentLists.statusAndSeverity(status, severity),
})

/** Makes an investigation due, its tries counted anew; one that runs loses its lease. */
export const DUE_NOW =
  'analysis = :pending, due_list = :due, due_at = :now, lease_until = :zero, attempt = :zero, fence = fence + :one'
export const dueAt = (now: number) => ({
  ':pending': 'pending',
  ':due': incidentLists.due,
  ':now': now,
  ':zero': 0,
  ':one': 1,
})

/** What a change of an incident writes beside the change itself. */
export interface ChangeWrites {
  readonly entries: readonly TimelineEntry[]
  readonly event: ServiceEvent | null
  /** Its investigation is due again, as it is for one that is resolved; one that runs loses its lease. */
  readonly investigate?: boolean
}

/**
 * The items that a transaction writes for an incident, whoever opens or changes it: people or alerts.
 * @param retentionDays days that an incident and all that belongs to it is kept, from its creation
 */
export function incidentWrites(table: string, retentionDays: number) {
  /** When TTL may remove what belongs to an incident (seconds). */
  const expiry = (id: string): number => Math.floor(timeOf(id) / 1_000) + retentionDays * DAY_S

  const timelinePut = (incident: string, entry: TimelineEntry): TransactItems[number] => ({
    Put: {
      TableName: table,
      Item: { ...itemKeys.timelineEntry(incident, entry.id), ...entry, expires_at_s: expiry(incident) },
    },
  })

  const eventPut = (event: ServiceEvent): TransactItems[number] => ({
    Put: {
      TableName: table,
      Item: {
        ...itemKeys.event(event.id),
        id: event.id,
        kind: event.kind,
        incident_id: event.incident_id,
        at: event.at,
        sequence: event.sequence,
        body: eventBody(event),
        // Until every subscription that matches has its delivery: what the relay misses, the sweeper finds.
        due_list: incidentLists.fanOut,
        due_at: milliseconds(event.at),
        expires_at_s: Math.floor(milliseconds(event.at) / 1_000) + EVENT_DAYS * DAY_S,
      },
    },
  })

  /** A new incident with its first timeline entry and its event. */
  const created = (incident: Incident, entry: TimelineEntry, event: ServiceEvent): TransactItems => {
    const at = milliseconds(incident.created_at)
    if (timeOf(incident.id) !== at)
      throw new RangeError('the id of an incident must tell the instant of its creation: lists filter by it')
    const { id, description, root_cause, ...rest } = incident
    if (root_cause !== null) throw new RangeError('a new incident has no root cause yet')
    const listed = description === null ? null : cutToBytes(description, LISTED_DESCRIPTION_BYTES)
    const expires_at_s = expiry(id)
    const due = incident.analysis === 'pending' ? { due_list: incidentLists.due, due_at: at } : {}
    return [
      {
        Put: {
          TableName: table,
          ConditionExpression: 'attribute_not_exists(pk)',
          Item: {
            ...itemKeys.incident(id),
            id,
            ...rest,
            description: listed,
            list_all: incidentLists.all,
            ...listAttributes(incident),
            ...due,
            lease_until: 0,
            fence: 0,
            attempt: 0,
            expires_at_s,
          },
        },
      },
      timelinePut(id, entry),
      eventPut(event),
      ...(listed === description
        ? []
        : [{ Put: { TableName: table, Item: { ...itemKeys.description(id), description, expires_at_s } } }]),
    ]
  }

  /** An incident that nobody has changed since `before`, with what happened. */
  const changed = (
    before: Incident,
    after: Incident,
    { entries, event, investigate = false }: ChangeWrites,
  ): TransactItems => {
    const isDue = investigate || (before.status !== 'resolved' && after.status === 'resolved')
    return [
      {
        Update: {
          TableName: table,
          Key: itemKeys.incident(before.id),
          UpdateExpression:
            'SET title = :title, #status = :status, severity = :severity, updated_at = :updated,' +
            ' resolved_at = :resolved, version = :version, list_status = :list_status,' +
            ' list_severity = :list_severity, list_status_severity = :list_status_severity' +
            (isDue ? `, ${DUE_NOW}` : ''),
          ConditionExpression: 'attribute_exists(pk) AND version = :before',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':before': before.version,
            ':title': after.title,
            ':status': after.status,
            ':severity': after.severity,
            ':updated': after.updated_at,
            ':resolved': after.resolved_at,
            ':version': after.version,
            ...Object.fromEntries(
              Object.entries(listAttributes(after)).map(([name, value]) => [`:${name}`, value]),
            ),
            ...(isDue ? dueAt(milliseconds(after.updated_at)) : {}),
          },
        },
      },
      ...entries.map((entry) => timelinePut(before.id, entry)),
      ...(event === null ? [] : [eventPut(event)]),
    ]
  }

  return { expiry, timelinePut, eventPut, created, changed }
}
