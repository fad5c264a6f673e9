import type { Findings } from '#shared/domain/investigation/findings.ts'
import type { IncidentCharts } from '#shared/domain/investigation/screen/incident-charts.ts'

/** What a report shows. */
export interface ReportData {
  readonly findings: Findings
  readonly snapshot_digest: string
  readonly card: readonly string[]
  readonly charts: IncidentCharts
}
