import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseInstant } from '#shared/domain/instant.ts'

/**
 * Turns one case of RootCauseBench into an incident bundle. What it takes is a list of allowed files and, within each,
 * of allowed keys; what is not on the lists (the truth, the case's description, its folder's name) never gets in. Keys
 * that were left out are returned, so that a list that is too short is seen.
 */

/** The only files of a case that are ever opened here. */
export const ALLOWED_FILES = [
  'alert.json',
  'logs.ndjson',
  'metrics.csv',
  'traces.json',
  'patterns.json',
  'status_feed.json',
  'context/commits.json',
  'context/deploys.json',
  'context/flags.json',
] as const
type AllowedFile = (typeof ALLOWED_FILES)[number]

type Raw = Readonly<Record<string, unknown>>

/** Attributes of logs and spans: names with a namespace, as OpenTelemetry has them, and these without one. */
const PLAIN_ATTRIBUTES = new Set([
  'bytes',
  'component',
  'error',
  'event_type',
  'fields',
  'goroutine_stack',
  'level',
  'lines',
  'peer',
  'reason',
  'result_count',
  'status_message',
])
const DOTTED = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/

export interface LoadedCase {
  /** Files of the bundle by name. */
  readonly files: ReadonlyMap<string, string>
  /** Keys of the allowed files that no list names, as `file: key`. */
  readonly left_out: readonly string[]
}

/** `+20` or `-260`, as the log tool writes how far a count is from its baseline. */
const DELTA = /^[+-]\d+$/

const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const objects = (value: unknown): readonly Raw[] => (Array.isArray(value) ? (value as Raw[]) : [])
/** Drops members that are undefined, so that records hold only what the case has. */
const present = (record: Raw): Raw =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/**
 * @param folder one case's folder, whose data lie in `data/`
 * @throws Error when an allowed file that is there cannot be parsed
 */
export async function loadRootCauseBenchCase(folder: string): Promise<LoadedCase> {
  const read = async (name: AllowedFile): Promise<string | undefined> =>
    readFile(join(folder, 'data', name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  const json = async (name: AllowedFile): Promise<unknown> => {
    const text = await read(name)
    return text === undefined ? undefined : JSON.parse(text)
  }
  const leftOut = new Set<string>()
  const instants: number[] = []
  const seen = (instant: unknown): void => {
    const at = typeof instant === 'string' ? parseInstant(instant) : undefined
    if (at !== undefined) instants.push(at)
  }
  /** The named members of a record; what else it has is noted. */
  const only = (file: AllowedFile, record: Raw, names: readonly string[]): Raw => {
    for (const key of Object.keys(record)) if (!names.includes(key)) leftOut.add(`${file}: ${key}`)
    return Object.fromEntries(names.map((name) => [name, record[name]]))
  }
  /** Splits a telemetry record into its named members and its attributes. */
  const withAttributes = (file: AllowedFile, record: Raw, names: readonly string[]): readonly [Raw, Raw] => {
    const rest = Object.entries(record).filter(([key]) => !names.includes(key))
    const allowed = rest.filter(([key]) => DOTTED.test(key) || PLAIN_ATTRIBUTES.has(key))
    for (const [key] of rest) if (!allowed.some(([name]) => name === key)) leftOut.add(`${file}: ${key}`)
    return [Object.fromEntries(names.map((name) => [name, record[name]])), Object.fromEntries(allowed)]
  }
  const orNothing = (attributes: Raw): Raw | undefined =>
    Object.keys(attributes).length === 0 ? undefined : attributes

  const files = new Map<string, string>()
  const put = (name: string, records: readonly Raw[]) => {
    if (records.length === 0) return
    const lines = records.map((record) => JSON.stringify(present(record)))
    files.set(name, name.endsWith('.json') ? `[${lines.join(',\n')}]\n` : `${lines.join('\n')}\n`)
  }

  const alert = only('alert.json', ((await json('alert.json')) ?? {}) as Raw, [
    'service',
    'metric',
    'threshold',
    'observed',
    'fired_at',
    'severity',
    'monitor',
    'summary',
    'detail',
  ])
  seen(alert.fired_at)
  const { monitor, ...alertFields } = alert
  put('alerts.json', [{ name: monitor, ...alertFields }])

  const logText = (await read('logs.ndjson')) ?? ''
  put(
    'logs.ndjson',
    logText
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [log, attributes] = withAttributes('logs.ndjson', JSON.parse(line) as Raw, [
          'timestamp',
          'service',
          'severity_text',
          'msg',
          'trace_id',
          'span_id',
        ])
        seen(log.timestamp)
        const { 'k8s.node': node, 'k8s.pod': instance, ...others } = attributes
        return {
          timestamp: log.timestamp,
          service: log.service,
          severity: log.severity_text,
          message: log.msg,
          trace_id: log.trace_id,
          span_id: log.span_id,
          instance,
          node,
          attributes: orNothing(others),
        }
      }),
  )

  const csv = await read('metrics.csv')
  if (csv !== undefined) {
    const [header = '', ...rows] = csv.split(/\r?\n/).filter((row) => row !== '')
    if (header !== 'timestamp,service,metric,value') throw new Error(`metrics.csv has the columns ${header}`)
    for (const row of rows) seen(row.slice(0, row.indexOf(',')))
    files.set('metrics.csv', `${[header, ...rows].join('\n')}\n`)
  }

  put(
    'spans.ndjson',
    objects(await json('traces.json')).map((raw) => {
      const { attributes: nested, ...record } = raw
      const [span, attributes] = withAttributes('traces.json', record, [
        'trace_id',
        'span_id',
        'parent_id',
        'service',
        'name',
        'start',
        'duration_ms',
        'status',
      ])
      const [, inner] = withAttributes('traces.json', (nested ?? {}) as Raw, [])
      seen(span.start)
      return {
        trace_id: span.trace_id,
        span_id: span.span_id,
        parent_id: span.parent_id,
        service: span.service,
        name: span.name,
        start: span.start,
        duration_us: Number(span.duration_ms) * 1000,
        status: span.status,
        attributes: orNothing({ ...attributes, ...inner }),
      }
    }),
  )

  put(
    'patterns.json',
    objects(await json('patterns.json')).map((raw) => {
      const { delta_vs_baseline, ...pattern } = only('patterns.json', raw, [
        'signature',
        'service',
        'count',
        'delta_vs_baseline',
      ])
      const delta = string(delta_vs_baseline)
      const known = delta !== undefined && DELTA.test(delta)
      return {
        ...pattern,
        baseline_count: known ? Math.max(0, Number(pattern.count) - Number(delta)) : undefined,
      }
    }),
  )

  const feed = (await json('status_feed.json')) as Raw | undefined
  if (feed !== undefined) {
    const status = only('status_feed.json', feed, [
      'source',
      'provider',
      'component',
      'events',
      'fetched_at',
      'components',
      'incidents',
      'api_error_rate_pct',
    ])
    const provider = string(status.provider) ?? string(status.source)
    const events = objects(status.events).map((event) =>
      present(only('status_feed.json', event, ['timestamp', 'status', 'detail'])),
    )
    const told = objects(status.incidents).map((raw) => {
      const incident = only('status_feed.json', raw, ['name', 'impact', 'status', 'started_at', 'updates'])
      return {
        provider,
        component: incident.name,
        events: [
          { timestamp: incident.started_at, status: incident.impact, detail: incident.name },
          ...objects(incident.updates).map((raw) => {
            const update = only('status_feed.json', raw, ['timestamp', 'body'])
            return { timestamp: update.timestamp, status: incident.impact, detail: update.body }
          }),
        ],
      }
    })
    const components = objects(status.components).map((raw) => {
      const component = only('status_feed.json', raw, ['name', 'endpoint', 'status'])
      return {
        provider,
        component: component.name,
        events: [
          present({
            timestamp: status.fetched_at,
            status: component.status,
            detail: component.endpoint,
          }),
        ],
      }
    })
    const own = events.length > 0 ? [{ provider, component: status.component, events }] : []
    put('status.json', [...own, ...told, ...components])
    const points = new Map<string, [unknown, unknown][]>()
    for (const raw of objects(status.api_error_rate_pct)) {
      const point = only('status_feed.json', raw, ['timestamp', 'endpoint', 'value'])
      const endpoint = string(point.endpoint) ?? ''
      points.set(endpoint, [...(points.get(endpoint) ?? []), [point.timestamp, point.value]])
    }
    put(
      'series.ndjson',
      [...points].map(([endpoint, of]) => ({
        entity: provider,
        name: 'api_error_rate_pct',
        labels: { endpoint },
        type: 'gauge',
        unit: '%',
        points: of,
      })),
    )
  }

  const commits = objects(await json('context/commits.json')).map((raw) => {
    const commit = only('context/commits.json', raw, [
      'sha',
      'author',
      'timestamp',
      'message',
      'files_changed',
      'diff',
    ])
    return {
      id: commit.sha,
      recorded_at: commit.timestamp,
      kind: 'commit',
      title: commit.message,
      actor: commit.author,
      files: commit.files_changed,
      diff: commit.diff,
    }
  })
  // Rows of one service, version and instant are one deploy that carries several commits.
  const deploys = new Map<string, { readonly record: Raw; readonly carries: unknown[] }>()
  for (const raw of objects(await json('context/deploys.json'))) {
    const deploy = only('context/deploys.json', raw, ['timestamp', 'service', 'commit_sha', 'version'])
    const { timestamp, service, commit_sha, version } = deploy
    const id = `${String(service)}@${String(version)}@${String(timestamp)}`
    const known = deploys.get(id)
    if (known !== undefined) known.carries.push(commit_sha)
    else
      deploys.set(id, {
        carries: [commit_sha],
        record: {
          id,
          recorded_at: timestamp,
          effective_at: { from: timestamp, to: timestamp },
          kind: 'deploy',
          entity: service,
          after: version,
          certainty: 'recorded',
        },
      })
  }
  const flags = objects(await json('context/flags.json')).map((raw) => {
    const flag = only('context/flags.json', raw, ['timestamp', 'flag', 'service', 'change', 'actor'])
    const [before, after] = (string(flag.change) ?? '').split('->')
    return {
      id: flag.flag,
      recorded_at: flag.timestamp,
      effective_at: { from: flag.timestamp, to: flag.timestamp },
      kind: 'flag',
      entity: flag.service,
      title: flag.flag,
      before,
      after,
      actor: flag.actor,
      certainty: 'recorded',
    }
  })
  put('changes.ndjson', [
    ...commits,
    ...[...deploys.values()].map(({ record, carries }) => ({ ...record, carries })),
    ...flags,
  ])

  // The window is all that was recorded; nothing in a case says which part of it is normal, so no baseline is declared.
  if (instants.length === 0) throw new Error('the case holds no telemetry')
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const instant of instants) {
    from = Math.min(from, instant)
    to = Math.max(to, instant)
  }
  files.set(
    'bundle.json',
    `${JSON.stringify({
      format: 'incident-bundle/1',
      // One millisecond more: the end of a window does not belong to it.
      window: { from: new Date(from).toISOString(), to: new Date(to + 1).toISOString() },
    })}\n`,
  )
  return { files, left_out: [...leftOut].sort() }
}

/** Writes a loaded case into a folder below `root` whose name says nothing, or the one given; returns that name. */
export async function writeCase(
  loaded: LoadedCase,
  root: string,
  name: string = randomBytes(8).toString('hex'),
): Promise<string> {
  await mkdir(join(root, name), { recursive: true })
  for (const [file, text] of loaded.files) await writeFile(join(root, name, file), text)
  return name
}
