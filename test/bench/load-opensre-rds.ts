import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CaseWriter, iso, type LoadedCase } from './case-files.ts'
import { foldersIn } from './load-petshop.ts'

/**
 * Turns opensre's RDS scenarios (Tracer-Cloud/opensre, Apache-2.0) into incident bundles: CloudWatch metrics, control
 * plane events, statement load and the alert. Of the alert neither its title nor `rds_failure_mode` is read, of the
 * folder neither its name nor the files that describe or answer the scenario.
 */

type Raw = Readonly<Record<string, unknown>>

const UNITS: Readonly<Record<string, string>> = {
  Percent: '%',
  Bytes: 'By',
  Seconds: 's',
  Milliseconds: 'ms',
  Count: '1',
  'Count/Second': '1/s',
  'Bytes/Second': 'By/s',
}
const LABELS = ['alertname', 'severity', 'service', 'engine']
const ANNOTATIONS = ['summary', 'error', 'suspected_symptom', 'db_instance_identifier']
const METRIC_KEYS = ['metric_name', 'dimensions', 'stat', 'unit', 'timestamps', 'values']
const EVENT_KEYS = ['date', 'message', 'source_identifier', 'source_type', 'event_categories']

const raws = (value: unknown): readonly Raw[] => (Array.isArray(value) ? (value as Raw[]) : [])
const words = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export interface OpensreOptions {
  readonly alert_text: boolean
  readonly events: boolean
}

export async function loadOpensreCase(folder: string, options: OpensreOptions): Promise<LoadedCase> {
  const out = new CaseWriter()
  const json = async (name: string): Promise<Raw> =>
    JSON.parse(await readFile(join(folder, name), 'utf8')) as Raw
  const metrics: Raw[] = []
  for (const name of (await readdir(folder)).sort())
    if (/^aws_cloudwatch_metrics\w*\.json$/.test(name)) {
      const file = await json(name)
      metrics.push(...(Array.isArray(file.values) ? [file] : raws(file.metric_data_results)))
    }
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  const records: Raw[] = []
  const seen = new Set<string>()
  for (const raw of metrics) {
    const metric = out.only('metrics', raw, METRIC_KEYS)
    const times = (metric.timestamps as string[]).map((at) => Date.parse(at))
    const entity = words(raws(metric.dimensions)[0]?.Value)
    const name = words(metric.metric_name)
    if (entity === undefined || name === undefined || seen.has(`${entity} ${name}`)) continue
    seen.add(`${entity} ${name}`)
    const values = metric.values as (number | null)[]
    from = Math.min(from, times[0] ?? from)
    to = Math.max(to, (times.at(-1) ?? to) + 60_000)
    records.push({
      entity,
      name,
      labels: {},
      type: 'gauge',
      unit: UNITS[String(metric.unit)] ?? String(metric.unit),
      agg: String(metric.stat),
      points: times.map((at, index) => [iso(at), values[index] ?? null]),
    })
  }
  out.put('series.ndjson', records)

  const events = options.events ? raws((await json('aws_rds_events.json')).events) : []
  out.put(
    'events.ndjson',
    events.map((raw) => {
      const event = out.only('aws_rds_events.json', raw, EVENT_KEYS)
      const at = Date.parse(String(event.date))
      if (at >= from) to = Math.max(to, at + 1)
      return {
        timestamp: iso(at),
        resource: event.source_identifier,
        service: event.source_identifier,
        kind: (event.event_categories as string[]).join(', '),
        message: event.message,
      }
    }),
  )

  const insights = out.only('aws_performance_insights.json', await json('aws_performance_insights.json'), [
    'start_time',
    'end_time',
    'top_sql',
  ])
  out.put(
    'statements.json',
    raws(insights.top_sql).map((statement) => ({
      start: insights.start_time,
      end: insights.end_time,
      statement: statement.statement,
      load: statement.db_load_avg,
      waits: Object.fromEntries(raws(statement.wait_events).map((wait) => [wait.name, wait.db_load_avg])),
      calls_per_s: statement.calls_per_sec,
    })),
  )

  const { commonLabels, commonAnnotations } = await json('alert.json')
  const labels = out.only('alert.json labels', commonLabels as Raw, LABELS)
  const notes = out.only('alert.json annotations', commonAnnotations as Raw, ANNOTATIONS)
  const text = [notes.error, notes.suspected_symptom].filter(
    (part) => words(part) !== undefined && part !== '',
  )
  out.put('alerts.json', [
    {
      name: options.alert_text ? labels.alertname : 'alert',
      service: notes.db_instance_identifier,
      severity: labels.severity,
      // The alert carries no time of its own: it is what somebody looks at when the window ends.
      fired_at: iso(to - 1),
      ...(options.alert_text && words(notes.summary) !== undefined ? { summary: notes.summary } : {}),
      ...(options.alert_text && text.length > 0 ? { detail: text.join('. ') } : {}),
    },
  ])
  return out.done({ from, to })
}

export const opensreCases = (set: string): Promise<readonly string[]> => foldersIn(set)

export interface OpensreTruth {
  readonly category: string
  readonly forbidden: readonly string[]
  readonly keywords: readonly string[]
}

/** Category, forbidden categories and keywords of the answer; read only when all findings are there. */
export async function opensreTruth(folder: string): Promise<OpensreTruth> {
  const text = await readFile(join(folder, 'answer.yml'), 'utf8')
  const list = (key: string): string[] => {
    const block = new RegExp(`^${key}:\\n((?:  .*\\n)*)`, 'm').exec(text)?.[1] ?? ''
    return [...block.matchAll(/^ {2}- (.+)$/gm)].map((match) => (match[1] as string).trim())
  }
  return {
    category: /^root_cause_category: *(\S+)/m.exec(text)?.[1] ?? '',
    forbidden: list('forbidden_categories'),
    keywords: list('required_keywords'),
  }
}
