import { notFound } from './errors.ts'
import { writeInstant } from './instant.ts'
import type { IncidentActs } from './open-incident.ts'
import type { Caller } from './ports.ts'

/**
 * Makes the investigation of an incident due now, on fresh evidence. One that is running loses its lease, so that what
 * it finds is not taken for the answer to this request.
 * @throws Refusal `not_found`
 */
export async function requestInvestigation(acts: IncidentActs, id: string, caller: Caller): Promise<void> {
  const now = acts.clock()
  const entry = {
    id: acts.newId('tl', now),
    at: writeInstant(now),
    kind: 'analysis_requested',
    text: 'A new investigation was requested.',
    by: caller.id,
  } as const
  if (!(await acts.incidents.requestInvestigation(id, now, entry))) throw notFound(`Incident ${id}`)
}
