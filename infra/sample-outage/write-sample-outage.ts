import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleChanges } from './sample-changes.ts'
import { sampleHours } from './sample-hours.ts'
import { sampleAlerts, sampleHead, samplePodEvents, sampleStatus } from './sample-incident.ts'
import { sampleErrorCounts, sampleLogs, samplePatterns } from './sample-logs.ts'
import { sampleEdges, sampleSeries } from './sample-series.ts'
import { sampleTraces } from './sample-traces.ts'

const GAPS = [{ what: 'slow query log of orders-db', why: 'no tool that is connected collects it' }]

const array = (records: readonly object[]): string =>
  `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`
const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Files of the bundle as text, by name; `endsAt` (milliseconds since the epoch) is rounded down to a minute. */
export function sampleOutageFiles(endsAt: number): ReadonlyMap<string, string> {
  const hours = sampleHours(endsAt)
  const traces = sampleTraces(hours)
  const traced = traces.flatMap(({ logs }) => logs)
  return new Map([
    ['bundle.json', `${JSON.stringify(sampleHead(hours), null, 2)}\n`],
    ['alerts.json', array(sampleAlerts(hours))],
    ['series.ndjson', lines(sampleSeries(hours))],
    ['edges.json', array(sampleEdges(hours))],
    ['spans.ndjson', lines(traces.flatMap(({ spans }) => spans))],
    ['logs.ndjson', lines(sampleLogs(hours, traced))],
    ['log_counts.ndjson', lines(sampleErrorCounts(hours))],
    ['changes.ndjson', lines(sampleChanges(hours))],
    ['k8s.ndjson', lines(samplePodEvents(hours))],
    ['patterns.json', array(samplePatterns(hours))],
    ['status.json', array(sampleStatus(hours))],
    ['gaps.json', array(GAPS)],
  ])
}

/**
 * Writes the sample outage as an incident bundle: two hours of a small shop, the second of which holds an outage that is
 * still going on. The same `endsAt` gives the same bytes.
 * @param folder is made if it does not exist
 * @param options `endsAt`: when the bundle's window ends, milliseconds since the epoch, rounded down to a minute
 */
export async function writeSampleOutage(folder: string, options: { readonly endsAt: number }): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of sampleOutageFiles(options.endsAt)) await writeFile(join(folder, name), text)
}
