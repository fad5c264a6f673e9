import { invalidField } from './errors.ts'
import {
  createdEventId,
  type Incident,
  type ServiceEvent,
  type Severity,
  type TimelineEntry,
} from './incident.ts'
import { MOST_AHEAD_MS, readInstant, writeInstant } from './instant.ts'
import type { Caller, Clock, IncidentRecords, NewId } from './ports.ts'

export interface NewIncident {
  readonly title: string
  readonly severity: Severity
  readonly service?: string | undefined
  readonly description?: string | undefined
  /** ISO 8601 UTC; when the disturbance began, if somebody knows. */
  readonly started_at?: string | undefined
}

export interface IncidentActs {
  readonly incidents: IncidentRecords
  readonly clock: Clock
  readonly newId: NewId
}

/** A timestamp as the service writes it, from one that a client gave and the contract checked. */
const rewritten = (given: string | undefined): string | null => {
  const at = given === undefined ? null : readInstant(given)
  return at === null ? null : writeInstant(at)
}

/** What is written when an incident is opened. */
export interface OpenedIncident {
  readonly incident: Incident
  readonly entry: TimelineEntry
  readonly event: ServiceEvent
}

/**
 * An incident as it begins, whoever opens it: with its first timeline entry and `incident.created`, its investigation
 * due at once. The id carries `created_at`, to the millisecond, so that lists need no other order.
 * @param by id of who opens it, and what the timeline says of that
 */
export function incidentOpened(
  given: NewIncident,
  by: { readonly id: string; readonly text: string },
  now: number,
  newId: NewId,
): OpenedIncident {
  const at = writeInstant(now)
  const incident: Incident = {
    id: newId('inc', now),
    title: given.title,
    status: 'open',
    severity: given.severity,
    service: given.service ?? null,
    description: given.description ?? null,
    started_at: rewritten(given.started_at),
    created_at: at,
    updated_at: at,
    resolved_at: null,
    analysis: 'pending',
    root_cause: null,
    version: 1,
  }
  return {
    incident,
    entry: { id: newId('tl', now), at, kind: 'created', text: by.text, by: by.id },
    event: {
      id: createdEventId(incident.id),
      kind: 'incident.created',
      incident_id: incident.id,
      at,
      sequence: 1,
      incident,
    },
  }
}

/**
 * Opens an incident: the incident, its first timeline entry and `incident.created` in one transaction.
 * @throws Refusal `invalid` on a `started_at` that is still to come: nothing was measured there
 */
export async function openIncident(
  acts: IncidentActs,
  given: NewIncident,
  caller: Caller,
): Promise<Incident> {
  const { incidents, clock, newId } = acts
  const now = clock()
  const startedAt = given.started_at === undefined ? null : readInstant(given.started_at)
  if (startedAt !== null && startedAt > now + MOST_AHEAD_MS)
    throw invalidField('started_at', 'must not lie in the future')
  const by = { id: caller.id, text: 'Incident opened.' }
  const { incident, entry, event } = incidentOpened(given, by, now, newId)
  await incidents.create(incident, entry, event)
  return incident
}
