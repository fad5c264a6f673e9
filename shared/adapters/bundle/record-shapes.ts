import * as z from 'zod/mini'
import { formatInstant, parseInstant } from '#shared/domain/instant.ts'
import {
  type Alert,
  CHANGE_CERTAINTIES,
  CHANGE_KINDS,
  type Change,
  type ControlPlaneEvent,
  type Edge,
  type Gap,
  type KubernetesRecord,
  type LogCount,
  type LogLine,
  type LogPattern,
  type ProviderStatus,
  SERIES_TYPES,
  type Series,
  type Span,
  type Statement,
} from '#shared/domain/investigation/records/snapshot.ts'

/**
 * The shape of every record of `incident-bundle/1`, once: decoding reads the file form (instants as ISO 8601 UTC,
 * series as `t0` and `values` or as `points`), encoding writes it, and the JSON Schema is generated from it.
 */

/** Attributes may nest this deep; deeper ones would exhaust the stack of whoever walks them. */
const MAX_DEPTH = 16

/** True when every number in the value is finite and it nests no deeper than allowed. */
function plainJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return depth < MAX_DEPTH && Object.values(value).every((member) => plainJson(member, depth + 1))
}

/** A shape that is made at its first use: a request meets a few kinds of records, if any. */
function atUse<Shape>(make: () => Shape): () => Shape {
  let made: Shape | undefined
  return () => {
    made ??= make()
    return made
  }
}

const text = z.string().check(z.minLength(1))
const count = z.number().check(z.nonnegative())
const positive = z.number().check(z.positive())
const labels = z.record(z.string(), z.string())
const attributes = z
  .record(z.string(), z.unknown())
  .check(
    z.refine((value) => plainJson(value), `must hold finite numbers only and nest at most ${MAX_DEPTH} deep`),
  )

const instant = z.codec(
  z
    .string()
    .check(
      z.meta({ format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$' }),
    ),
  z.number(),
  {
    decode(value, context) {
      const at = parseInstant(value)
      if (at !== undefined) return at
      context.issues.push({
        code: 'custom',
        message: 'must be an ISO 8601 UTC instant ending in Z',
        input: value,
      })
      return z.NEVER
    },
    encode: (value) => formatInstant(value),
  },
)

const ordered = z.refine<{ from: number; to: number }>(
  (value) => value.from < value.to,
  '`from` must be before `to`',
)
const window = z.object({ from: instant, to: instant }).check(ordered)
const baseline = z.object({ name: text, from: instant, to: instant }).check(ordered)
// A change may have taken effect at one known instant.
const interval = z
  .object({ from: instant, to: instant })
  .check(z.refine((value) => value.from <= value.to, '`from` must not be after `to`'))

const sourceAsked = z.object({
  id: text,
  integration_id: z.exactOptional(text),
  tool: text,
  query: z.string(),
  window: z.exactOptional(window),
  link: z.exactOptional(z.string()),
  outcome: z.enum(['answered', 'empty', 'cut', 'failed', 'timed_out']),
  records: count,
  digest: z.exactOptional(z.string()),
  detail: z.exactOptional(z.string()),
})

const entity = z.object({
  name: text,
  kind: z.enum(['service', 'workload', 'pod', 'node', 'datastore', 'queue', 'host', 'external']),
  namespace: z.exactOptional(z.string()),
  environment: z.exactOptional(z.string()),
  aliases: z.array(z.object({ alias: text, learnt_from: z.string() })),
})

/** In a file a record may leave its source out: the file is its source then. */
const source = z.exactOptional(text)

const alert = atUse(() =>
  z.object({
    source,
    name: text,
    service: z.exactOptional(z.string()),
    metric: z.exactOptional(z.string()),
    threshold: z.exactOptional(z.number()),
    observed: z.exactOptional(z.number()),
    fired_at: instant,
    resolved_at: z.exactOptional(instant),
    for_s: z.exactOptional(count),
    severity: z.exactOptional(z.string()),
    summary: z.exactOptional(z.string()),
    detail: z.exactOptional(z.string()),
    labels: z.exactOptional(labels),
  }),
)

const seriesInFile = atUse(() =>
  z.object({
    source,
    entity: text,
    name: text,
    labels: z._default(labels, {}),
    type: z.enum(SERIES_TYPES),
    type_guessed: z.exactOptional(z.boolean()),
    unit: z.exactOptional(z.string()),
    agg: z.exactOptional(z.string()),
    interval_s: z.exactOptional(positive),
    query: z.exactOptional(z.string()),
    window_of: z.exactOptional(text),
    t0: z.exactOptional(instant),
    values: z.exactOptional(z.array(z.nullable(z.number()))),
    points: z.exactOptional(z.array(z.tuple([instant, z.nullable(z.number())]))),
  }),
)

type SeriesRecord = Omit<Series, 'source'> & { readonly source?: string }

/** Instants of a series written as `t0` and one value per interval. */
function regularTimes(t0: number, intervalSeconds: number, length: number): Float64Array {
  const times = new Float64Array(length)
  for (let index = 0; index < length; index++) times[index] = t0 + index * intervalSeconds * 1000
  return times
}

const series = atUse(() =>
  z.codec(seriesInFile(), z.custom<SeriesRecord>(), {
    decode(record, context) {
      const refuse = (message: string): never => {
        context.issues.push({ code: 'custom', message, input: record })
        return z.NEVER
      }
      const { t0, values, points, ...rest } = record
      if ((values === undefined) === (points === undefined))
        return refuse('must have either `values` with `t0` and `interval_s`, or `points`')
      if (values !== undefined) {
        if (t0 === undefined || rest.interval_s === undefined)
          return refuse('`values` need `t0` and `interval_s`')
        const times = regularTimes(t0, rest.interval_s, values.length)
        return { ...rest, times, values: Float64Array.from(values, (value) => value ?? Number.NaN) }
      }
      if (t0 !== undefined) return refuse('`t0` belongs to `values`, `points` have their own instants')
      const pairs = points ?? []
      for (let index = 1; index < pairs.length; index++)
        if ((pairs[index]?.[0] ?? 0) <= (pairs[index - 1]?.[0] ?? 0))
          return refuse(`points[${index}] must be later than the one before it`)
      return {
        ...rest,
        times: Float64Array.from(pairs, ([at]) => at),
        values: Float64Array.from(pairs, ([, value]) => value ?? Number.NaN),
      }
    },
    encode(record) {
      const { times, values, ...rest } = record
      const plain = Array.from(values, (value) => (Number.isNaN(value) ? null : value))
      const [t0] = times
      if (t0 !== undefined && rest.interval_s !== undefined) {
        const regular = regularTimes(t0, rest.interval_s, times.length)
        if (regular.every((at, index) => at === times[index])) return { ...rest, t0, values: plain }
      }
      return {
        ...rest,
        points: plain.map((value, index): [number, number | null] => [times[index] ?? 0, value]),
      }
    },
  }),
)

const edge = atUse(() =>
  z.object({
    source,
    caller: text,
    callee: text,
    t0: instant,
    interval_s: positive,
    calls: z.exactOptional(count),
    failed: z.exactOptional(count),
    latency_sum_ms: z.exactOptional(count),
    latency_count: z.exactOptional(count),
  }),
)

const span = atUse(() =>
  z.object({
    source,
    trace_id: text,
    span_id: text,
    parent_id: z.nullable(text),
    service: text,
    instance: z.exactOptional(z.string()),
    name: z.string(),
    start: instant,
    duration_us: count,
    status: z.string(),
    attributes: z.exactOptional(attributes),
  }),
)

const logLine = atUse(() =>
  z.object({
    source,
    timestamp: instant,
    service: text,
    severity: z.string(),
    message: z.string(),
    trace_id: z.exactOptional(z.string()),
    span_id: z.exactOptional(z.string()),
    instance: z.exactOptional(z.string()),
    node: z.exactOptional(z.string()),
    attributes: z.exactOptional(attributes),
  }),
)

const logCount = atUse(() =>
  z.object({
    source,
    service: text,
    severity: z.exactOptional(z.string()),
    t0: instant,
    interval_s: positive,
    count,
  }),
)

const change = atUse(() =>
  z.object({
    source,
    id: text,
    effective_at: z.exactOptional(interval),
    recorded_at: instant,
    kind: z.enum(CHANGE_KINDS),
    entity: z.exactOptional(text),
    title: z.exactOptional(z.string()),
    before: z.exactOptional(z.string()),
    after: z.exactOptional(z.string()),
    actor: z.exactOptional(z.string()),
    certainty: z.exactOptional(z.enum(CHANGE_CERTAINTIES)),
    carries: z.exactOptional(z.array(text)),
    files: z.exactOptional(z.array(z.string())),
    diff: z.exactOptional(z.nullable(z.string())),
  }),
)

const kubernetesRecord = atUse(() =>
  z.object({
    source,
    timestamp: instant,
    kind: text,
    name: text,
    namespace: z.exactOptional(z.string()),
    reason: z.exactOptional(z.string()),
    message: z.exactOptional(z.string()),
    count: z.exactOptional(count),
    attributes: z.exactOptional(attributes),
  }),
)

const controlPlaneEvent = atUse(() =>
  z.object({
    source,
    timestamp: instant,
    resource: text,
    service: z.exactOptional(z.string()),
    kind: z.string(),
    message: z.string(),
  }),
)

const statement = atUse(() =>
  z
    .object({
      source,
      start: instant,
      end: instant,
      statement: z.string(),
      load: count,
      waits: z.exactOptional(z.record(z.string(), z.number())),
      calls_per_s: z.exactOptional(count),
    })
    .check(
      z.refine((value) => value.start <= value.end, {
        error: '`end` must not be before `start`',
        path: ['end'],
      }),
    ),
)

const logPattern = atUse(() =>
  z.object({
    source,
    signature: z.string(),
    service: text,
    count,
    baseline_count: z.exactOptional(count),
  }),
)

const providerStatus = atUse(() =>
  z.object({
    source,
    provider: text,
    component: z.exactOptional(z.string()),
    events: z.array(
      z.object({ timestamp: instant, status: z.string(), detail: z.exactOptional(z.string()) }),
    ),
  }),
)

const gap = atUse(() => z.object({ source, what: z.string(), why: z.string() }))

/** `bundle.json`: which format, which time is which, who was asked. */
export const bundleHead = atUse(() =>
  z.object({
    format: z.literal('incident-bundle/1'),
    window,
    baselines: z._default(z.array(baseline), []),
    sources: z._default(z.array(sourceAsked), []),
    entities: z._default(z.array(entity), []),
  }),
)

export type BundleHead = z.output<ReturnType<typeof bundleHead>>

/** A record as read: its source may be missing. */
export type Unsourced<Of extends { readonly source?: string }> = Omit<Of, 'source'> & {
  readonly source?: string
}

export interface RecordsByList {
  alerts: Alert
  series: Series
  edges: Edge
  spans: Span
  logs: LogLine
  log_counts: LogCount
  changes: Change
  k8s: KubernetesRecord
  events: ControlPlaneEvent
  statements: Statement
  patterns: LogPattern
  status: ProviderStatus
  gaps: Gap
}

export type RecordList = keyof RecordsByList

export interface RecordFile<List extends RecordList = RecordList> {
  readonly list: List
  /** Name of the file, without `.gz`. */
  readonly name: string
  /** `ndjson`: one record a line. `json`: one array. */
  readonly form: 'json' | 'ndjson'
  readonly shape: z.ZodMiniType<Unsourced<RecordsByList[List]>>
  /** The fields that are read; others are named in a gap. */
  readonly fields: ReadonlySet<string>
}

/** @param inFile the shape that tells the fields of a record in its file */
function recordFile<List extends RecordList>(
  list: List,
  name: string,
  form: RecordFile['form'],
  shape: () => RecordFile<List>['shape'],
  inFile: () => { readonly shape: object },
): RecordFile<List> {
  const fields = atUse(() => new Set(Object.keys(inFile().shape)))
  return {
    ...{ list, name, form },
    get shape() {
      return shape()
    },
    get fields() {
      return fields()
    },
  }
}

/** Every file of records, in the order in which they are read and written. */
export const RECORD_FILES: { readonly [List in RecordList]: RecordFile<List> } = {
  alerts: recordFile('alerts', 'alerts.json', 'json', alert, alert),
  series: recordFile('series', 'series.ndjson', 'ndjson', series, seriesInFile),
  edges: recordFile('edges', 'edges.json', 'json', edge, edge),
  spans: recordFile('spans', 'spans.ndjson', 'ndjson', span, span),
  logs: recordFile('logs', 'logs.ndjson', 'ndjson', logLine, logLine),
  log_counts: recordFile('log_counts', 'log_counts.ndjson', 'ndjson', logCount, logCount),
  changes: recordFile('changes', 'changes.ndjson', 'ndjson', change, change),
  k8s: recordFile('k8s', 'k8s.ndjson', 'ndjson', kubernetesRecord, kubernetesRecord),
  events: recordFile('events', 'events.ndjson', 'ndjson', controlPlaneEvent, controlPlaneEvent),
  statements: recordFile('statements', 'statements.json', 'json', statement, statement),
  patterns: recordFile('patterns', 'patterns.json', 'json', logPattern, logPattern),
  status: recordFile('status', 'status.json', 'json', providerStatus, providerStatus),
  gaps: recordFile('gaps', 'gaps.json', 'json', gap, gap),
}

/** One record in the form that its file has. */
export const encodeRecord = <List extends RecordList>(list: List, record: RecordsByList[List]): unknown =>
  z.encode(RECORD_FILES[list].shape as z.ZodMiniType<unknown>, record)

/** What is wrong with one member of a record. */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.join(', ')}`
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty'
    return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
  }
  // Shapes have words for their own checks alone; those of the library differ with the language that it was set to.
  return issue.code === 'custom' ? issue.message : 'has the wrong form'
}

/** The first complaint about a record, with where in it: `values[3]: …`. */
export function complaint(error: z.core.$ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'is malformed'
  const path = issue.path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('')
  return path === '' ? reasonOf(issue) : `${path}: ${reasonOf(issue)}`
}

/** JSON Schema (2020-12) of the whole format: one definition per file, an array where the file is one. */
export function bundleJsonSchema(): Record<string, unknown> {
  const schemaOf = (shape: z.core.$ZodType): Record<string, unknown> => {
    const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
    return schema
  }
  const definitions: Record<string, unknown> = { 'bundle.json': schemaOf(bundleHead()) }
  for (const { list, name, form, shape } of Object.values(RECORD_FILES)) {
    const record = schemaOf(list === 'series' ? seriesInFile() : shape)
    if (list === 'series')
      record.oneOf = [{ required: ['t0', 'interval_s', 'values'] }, { required: ['points'] }]
    definitions[name] = form === 'json' ? { type: 'array', items: record } : record
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'incident-bundle/1',
    description:
      'One definition per file of an incident bundle. A definition of an .ndjson file describes one line of it.',
    $defs: definitions,
  }
}
