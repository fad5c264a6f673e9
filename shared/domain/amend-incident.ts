import { conflict, notFound } from './errors.ts'
import { changeIncident, type Incident, type IncidentChange } from './incident.ts'
import { writeInstant } from './instant.ts'
import type { IncidentActs } from './open-incident.ts'
import type { Caller } from './ports.ts'
import { requireVersion, type Versions } from './precondition.ts'

/**
 * Writers that meet on one incident read again this often before one of them is told. Every try that is lost means that another
 * write got through: of five clients at once, and of an investigation, which writes the incident when it begins, ends and is told.
 */
const MOST_TRIES = 9

/**
 * Changes status, severity or title: the incident, what happened and the event in one transaction. What already holds
 * writes nothing.
 * @param expected versions that the change is meant for
 * @throws Refusal `not_found`; `precondition_failed`; `conflict` for a status that may not follow, or when others keep changing the incident
 */
export async function amendIncident(
  acts: IncidentActs,
  id: string,
  change: IncidentChange,
  caller: Caller,
  expected?: Versions,
): Promise<Incident> {
  const { incidents, clock, newId } = acts
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = await incidents.get(id)
    if (before === undefined) throw notFound(`Incident ${id}`)
    requireVersion(expected, before.version)
    const now = clock()
    const at = writeInstant(now)
    const { incident, happened, event } = changeIncident(before, change, at)
    if (happened.length === 0) return before
    const entries = happened.map((entry) => ({ ...entry, id: newId('tl', now), at, by: caller.id }))
    const told =
      event === null
        ? null
        : { id: newId('evt', now), kind: event, incident_id: id, at, sequence: incident.version, incident }
    if (await incidents.change(before, incident, entries, told)) return incident
  }
  throw conflict('Somebody else is changing this incident; read it and try again.')
}
