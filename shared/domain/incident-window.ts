import type { Incident } from './incident.ts'
import { readInstant } from './instant.ts'
import type { Window } from './investigation/records/snapshot.ts'
import { incidentWindow, type WindowLengths } from './investigation/records/windows.ts'

/**
 * The window in which an incident is looked at, as it is known at an instant (ms): from before somebody knew that the
 * disturbance began, or else before the incident was opened.
 */
export function windowOfIncident(
  { started_at, created_at, resolved_at }: Pick<Incident, 'started_at' | 'created_at' | 'resolved_at'>,
  now: number,
  lengths?: WindowLengths,
): Window {
  const began = readInstant(started_at ?? created_at) ?? now
  return incidentWindow(began, now, resolved_at === null ? null : readInstant(resolved_at), lengths)
}
