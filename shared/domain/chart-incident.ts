import { notFound } from './errors.ts'
import { type IncidentCharts, incidentCharts } from './investigation/screen/incident-charts.ts'
import type { IncidentStore, SnapshotStore } from './ports.ts'

export interface ChartActs {
  readonly incidents: Pick<IncidentStore, 'read'>
  readonly snapshots: Pick<SnapshotStore, 'read'>
}

/** What is drawn of an incident; null before it was analysed, and when what the analysis rested on is kept no more. */
export interface ChartedIncident {
  readonly id: string
  readonly charts: IncidentCharts | null
}

/**
 * Draws from the kept snapshot that the root cause rests on: no tool is asked.
 * @throws Refusal `not_found`
 */
export async function chartIncident(acts: ChartActs, id: string): Promise<ChartedIncident> {
  const incident = await acts.incidents.read(id)
  if (incident === undefined) throw notFound(`Incident ${id}`)
  const { root_cause } = incident
  if (root_cause === null) return { id, charts: null }
  const snapshot = await acts.snapshots.read(id, root_cause.snapshot_digest)
  return { id, charts: snapshot === undefined ? null : incidentCharts(snapshot, root_cause) }
}
