import { createdEventId, type Incident, type Severity } from './incident.ts'
import { readInstant, writeInstant } from './instant.ts'
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

/**
 * Opens an incident: the incident, its first timeline entry and `incident.created` in one transaction. Its
 * investigation is due at once. The id carries `created_at`, to the millisecond, so that lists need no other order.
 */
export async function openIncident(
  acts: IncidentActs,
  given: NewIncident,
  caller: Caller,
): Promise<Incident> {
  const { incidents, clock, newId } = acts
  const now = clock()
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
  const entry = {
    id: newId('tl', now),
    at,
    kind: 'created',
    text: 'Incident opened.',
    by: caller.id,
  } as const
  const event = {
    id: createdEventId(incident.id),
    kind: 'incident.created',
    incident_id: incident.id,
    at,
    sequence: 1,
    incident,
  } as const
  await incidents.create(incident, entry, event)
  return incident
}
