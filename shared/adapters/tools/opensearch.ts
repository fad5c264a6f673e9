import * as z from 'zod/mini'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type {
  LogCount,
  LogLine,
  Pulled,
  Series,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import { httpAccess } from './http-access.ts'
import { eachOnce, LINES_A_SLICE, readLine, SLICES, slicesOf } from './log-lines.ts'
import { readEach } from './read-each.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps, ToolReach } from './tool-request.ts'
import { type Answered, pullWith, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'OpenSearch'
const TOOL = { tool: 'opensearch', title: TITLE }
/** Questions of one pull, under way at once and in all: 12 slices of two windows, 6 of two more, and counts. */
const CAPS = { parallel: 6, requests: 50 }
const SEASON_SLICES = 6
/** Seconds of one interval of counts. */
const COUNT_INTERVAL_S = 60
/** Services that lines are counted of. */
const MOST_SERVICES = 50
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Fields by which shippers name the service, the surest first. */
const SERVICE_FIELDS = [
  'service.name',
  'resource.attributes.service.name',
  'kubernetes.labels.app.kubernetes.io/name',
  'kubernetes.labels.app',
  'kubernetes.container_name',
  'kubernetes.container.name',
  'service',
  'app',
  'application',
]
const MESSAGE_FIELDS = ['message', 'log', 'msg', 'body', 'event.original']
/** What a line of trouble says, as a query string has it. */
const TROUBLE =
  'error OR warn OR warning OR fatal OR panic OR exception OR critical OR fail OR failed OR refused OR timeout OR unavailable OR denied OR oom'

const hit = z.object({ _source: z.record(z.string(), z.unknown()) })
const searchAnswer = z.object({
  timed_out: z.optional(z.boolean()),
  _shards: z.optional(z.object({ failed: z.optional(z.number()), total: z.optional(z.number()) })),
  hits: z.object({ hits: z.array(z.unknown()) }),
  aggregations: z.optional(z.unknown()),
})
const bucket = z.object({ key: z.number(), doc_count: z.number() })
const countsAnswer = z.object({
  services: z.object({
    buckets: z.array(z.object({ key: z.string(), times: z.object({ buckets: z.array(bucket) }) })),
    sum_other_doc_count: z.optional(z.number()),
  }),
})
const healthAnswer = z.object({ status: z.string(), unassigned_shards: z.optional(z.number()) })
const fieldsAnswer = z.object({ fields: z.record(z.string(), z.record(z.string(), z.unknown())) })

interface OpenSearchSettings {
  readonly index: string
  readonly timeField: string
  readonly serviceField: string | undefined
  readonly messageField: string | undefined
}

const textOf = (config: IntegrationConfig, name: string): string | undefined => {
  const value = config[name]
  return typeof value === 'string' ? value : undefined
}

function settingsOf(config: IntegrationConfig): OpenSearchSettings {
  const index = textOf(config, 'index_pattern') ?? ''
  // It stands in a path: nothing in it may lead to another one.
  if (!/^[a-z0-9][a-z0-9._*,-]*$/.test(index)) {
    throw invalidField('config.index_pattern', 'must be names of indices, with * and commas')
  }
  return {
    index,
    timeField: textOf(config, 'time_field') ?? '@timestamp',
    serviceField: textOf(config, 'service_field'),
    messageField: textOf(config, 'message_field'),
  }
}

/** The common settings, or an API key in place of a token. */
function reachOf(config: IntegrationConfig): ToolReach {
  const reach = httpAccess(config, TOOL)
  const key = textOf(config, 'api_key')
  if (key === undefined) return reach
  if ('authorization' in reach.headers)
    throw invalidField('config.api_key', 'does not go with a token or a user')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw invalidField('config.api_key', 'must be printable ASCII without spaces')
  return {
    ...reach,
    headers: { ...reach.headers, authorization: `ApiKey ${key}` },
    secrets: [...reach.secrets, key],
    credential: 'config.api_key',
  }
}

/** The value of a field by its path, whether it lies nested or under a name with dots. */
function valueAt(source: Readonly<Record<string, unknown>>, path: string): unknown {
  if (path in source) return source[path]
  const parts = path.split('.')
  for (let at = parts.length - 1; at > 0; at -= 1) {
    const inner = source[parts.slice(0, at).join('.')]
    if (typeof inner === 'object' && inner !== null) {
      return valueAt(inner as Readonly<Record<string, unknown>>, parts.slice(at).join('.'))
    }
  }
  return undefined
}

const textAt = (source: Readonly<Record<string, unknown>>, paths: readonly string[]): string | undefined =>
  paths.map((path) => valueAt(source, path)).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined

/** Names of the fields as this index has them. */
interface Fields {
  readonly time: string
  readonly message: string
  /** Undefined where no field names the service. */
  readonly service: string | undefined
  /** The same as a whole word, which can be counted by. */
  readonly serviceWord: string | undefined
}

async function findFields(session: ToolSession, settings: OpenSearchSettings): Promise<Fields | undefined> {
  const services = settings.serviceField === undefined ? SERVICE_FIELDS : [settings.serviceField]
  const messages = settings.messageField === undefined ? MESSAGE_FIELDS : [settings.messageField]
  const wanted = [settings.timeField, ...messages, ...services.flatMap((name) => [name, `${name}.keyword`])]
  const what = `${TITLE}: fields`
  const answer = await session.ask({
    what,
    path: `/${settings.index}/_field_caps?fields=${encodeURIComponent(wanted.join(','))}&ignore_unavailable=true`,
  })
  if (answer === undefined) return undefined
  const read = fieldsAnswer.safeParse(answer.body)
  const known = read.success ? read.data.fields : {}
  session.answered(answer, { items: Object.keys(known).toSorted() })
  const message = messages.find((name) => name in known)
  if (!(settings.timeField in known) || message === undefined) {
    session.gap({
      what,
      why: `The index has no field ${message === undefined ? messages.join(', ') : settings.timeField}; the settings can name it.`,
      source: answer.id,
    })
    return undefined
  }
  const service = services.find((name) => name in known || `${name}.keyword` in known)
  const words = service === undefined ? [] : [service, `${service}.keyword`]
  return {
    time: settings.timeField,
    message,
    service,
    serviceWord: words.find((name) => 'keyword' in (known[name] ?? {})),
  }
}

const range = (fields: Fields, { from, to }: Window): unknown => ({
  range: {
    [fields.time]: {
      gte: new Date(from).toISOString(),
      lt: new Date(to).toISOString(),
      format: 'strict_date_optional_time',
    },
  },
})
const trouble = (fields: Fields): unknown => ({
  query_string: { query: TROUBLE, fields: [fields.message], lenient: true },
})

/** Tells where an answer rests on a part of the data only. */
function tellPartial(session: ToolSession, answer: Answered, read: z.infer<typeof searchAnswer>): boolean {
  const failed = read._shards?.failed ?? 0
  if (read.timed_out !== true && failed === 0) return false
  const why = [
    ...(read.timed_out === true ? ['it ran out of time'] : []),
    ...(failed > 0 ? [`${failed} of ${read._shards?.total ?? 'its'} shards failed`] : []),
  ].join(', and ')
  session.gap({ what: answer.asked.what, why: `The answer is partial: ${why}.`, source: answer.id })
  return true
}

async function search(
  session: ToolSession,
  settings: OpenSearchSettings,
  asked: { readonly what: string; readonly window: Window; readonly body: object },
): Promise<
  | { readonly answer: Answered; readonly read: z.infer<typeof searchAnswer>; readonly partial: boolean }
  | undefined
> {
  const answer = await session.ask({
    what: asked.what,
    window: asked.window,
    method: 'POST',
    path: `/${settings.index}/_search?ignore_unavailable=true&allow_no_indices=true`,
    query: `POST /${settings.index}/_search ${JSON.stringify(asked.body)}`,
    json: asked.body,
    maxBytes: MAX_ANSWER_BYTES,
  })
  if (answer === undefined) return undefined
  const read = searchAnswer.safeParse(answer.body)
  if (!read.success) {
    const why = `What ${TITLE} answers is not what was asked for.`
    session.answered(answer, { items: [], outcome: 'failed', detail: why })
    session.gap({ what: asked.what, why, source: answer.id })
    return undefined
  }
  return { answer, read: read.data, partial: tellPartial(session, answer, read.data) }
}

/** Lines of trouble from equal slices of a window. */
async function pullLines(
  session: ToolSession,
  settings: OpenSearchSettings,
  fields: Fields,
  asked: { readonly what: string; readonly window: Window; readonly slices: number },
): Promise<LogLine[]> {
  const cut: string[] = []
  const pulled = await Promise.all(
    slicesOf(asked.window, asked.slices).map(async (window) => {
      const found = await search(session, settings, {
        what: asked.what,
        window,
        body: {
          size: LINES_A_SLICE,
          query: { bool: { filter: [range(fields, window), trouble(fields)] } },
          sort: [{ [fields.time]: 'desc' }],
        },
      })
      if (found === undefined) return []
      const { answer, read, partial } = found
      const hits = readEach(session, answer, hit, read.hits.hits) ?? []
      const lines = hits.flatMap(({ _source }) => lineOf(_source, fields, answer.id) ?? [])
      if (lines.length < hits.length) {
        session.gap({
          what: asked.what,
          why: `${hits.length - lines.length} lines have no time or no message.`,
          source: answer.id,
        })
      }
      const isCut = hits.length >= LINES_A_SLICE
      if (isCut) cut.push(answer.id)
      session.answered(answer, { items: lines, ...(isCut || partial ? { outcome: 'cut' as const } : {}) })
      return lines
    }),
  )
  for (const source of cut) {
    session.gap({
      what: asked.what,
      why: `${cut.length} of ${asked.slices} slices held more than the ${LINES_A_SLICE} lines that are fetched of each.`,
      source,
    })
  }
  return pulled.flat()
}

function lineOf(source: Readonly<Record<string, unknown>>, fields: Fields, id: string): LogLine | undefined {
  const at = valueAt(source, fields.time)
  const timestamp = typeof at === 'number' ? at : typeof at === 'string' ? Date.parse(at) : Number.NaN
  const message = textAt(source, [fields.message, ...MESSAGE_FIELDS])
  if (Number.isNaN(timestamp) || message === undefined) return undefined
  const service = textAt(source, [
    ...(fields.service === undefined ? [] : [fields.service]),
    ...SERVICE_FIELDS,
  ])
  const instance = textAt(source, ['kubernetes.pod_name', 'kubernetes.pod.name', 'host.name'])
  const level = textAt(source, ['log.level', 'level', 'severity', 'severity_text'])
  const trace_id = textAt(source, ['trace.id', 'trace_id', 'traceId'])
  return {
    source: id,
    timestamp,
    service: service ?? 'unknown',
    ...readLine(message, {
      ...(level === undefined ? {} : { level }),
      ...(trace_id === undefined ? {} : { trace_id }),
    }),
    ...(instance === undefined ? {} : { instance }),
  }
}

/** How many lines of trouble each service wrote, counted by the store. */
async function pullCounts(
  session: ToolSession,
  settings: OpenSearchSettings,
  fields: Fields,
  windows: readonly Window[],
): Promise<{ readonly series: Series[]; readonly counts: LogCount[] }> {
  const what = `${TITLE}: number of lines of trouble`
  if (fields.serviceWord === undefined) {
    session.gap({ what, why: 'No field names the service as a whole word; `service_field` can name one.' })
    return { series: [], counts: [] }
  }
  const counts: LogCount[] = []
  const whole: Window[] = []
  const parts = await Promise.all(
    windows.map((window) =>
      search(session, settings, {
        what,
        window,
        body: {
          size: 0,
          query: { bool: { filter: [range(fields, window), trouble(fields)] } },
          aggs: {
            services: {
              terms: { field: fields.serviceWord, size: MOST_SERVICES },
              aggs: {
                times: {
                  date_histogram: {
                    field: fields.time,
                    fixed_interval: `${COUNT_INTERVAL_S}s`,
                    min_doc_count: 0,
                    extended_bounds: { min: window.from, max: window.to - 1 },
                  },
                },
              },
            },
          },
        },
      }),
    ),
  )
  for (const [index, part] of parts.entries()) {
    if (part === undefined) continue
    const read = countsAnswer.safeParse(part.read.aggregations)
    const buckets = read.success ? read.data.services.buckets : []
    session.answered(part.answer, { items: buckets, ...(part.partial ? { outcome: 'cut' as const } : {}) })
    const others = read.success ? (read.data.services.sum_other_doc_count ?? 0) : 0
    const window = windows[index]
    if (window !== undefined && read.success && others === 0 && !part.partial) whole.push(window)
    if (others > 0) {
      session.gap({
        what,
        why: `${others} lines of further services are not counted.`,
        source: part.answer.id,
      })
    }
    for (const { key, times } of buckets) {
      for (const { key: t0, doc_count } of times.buckets) {
        counts.push({
          source: part.answer.id,
          service: key,
          severity: 'error',
          t0,
          interval_s: COUNT_INTERVAL_S,
          count: doc_count,
        })
      }
    }
  }
  const series = [...Map.groupBy(counts, ({ service }) => service)].map(([entity, own]): Series => {
    const byTime = new Map(own.map(({ t0, count }) => [t0, count]))
    // A window that was counted whole and does not name a service holds none of its lines.
    const step = COUNT_INTERVAL_S * 1000
    for (const { from, to } of whole) {
      for (let at = Math.floor(from / step) * step; at < to; at += step)
        if (!byTime.has(at)) byTime.set(at, 0)
    }
    const times = Float64Array.from(byTime.keys()).sort()
    return {
      source: own[0]?.source ?? '',
      entity,
      name: 'log_error_lines_per_second',
      labels: {},
      type: 'rate',
      unit: '1/s',
      interval_s: COUNT_INTERVAL_S,
      times,
      values: times.map((at) => (byTime.get(at) ?? 0) / COUNT_INTERVAL_S),
    }
  })
  return { series, counts }
}

async function pullDocuments(session: ToolSession, settings: OpenSearchSettings): Promise<Partial<Pulled>> {
  const fields = await findFields(session, settings)
  if (fields === undefined) return {}
  const { window, baselines } = session.request
  const what = `${TITLE}: lines of trouble`
  const [counted, ...pulled] = await Promise.all([
    pullCounts(session, settings, fields, [window, ...baselines]),
    pullLines(session, settings, fields, { what, window, slices: SLICES }),
    ...baselines.map(({ name, from, to }) =>
      pullLines(session, settings, fields, {
        what: `${what} (baseline ${name})`,
        window: { from, to },
        slices: to <= window.from && window.from - from <= 2 * 3_600_000 ? SLICES : SEASON_SLICES,
      }),
    ),
  ])
  return { logs: eachOnce(pulled.flat()), log_counts: counted.counts, series: counted.series }
}

/** OpenSearch and Elasticsearch: how many lines of trouble there were, and what they say. */
export function openSearchTool(deps: ToolDeps): Tool {
  return {
    check: async (config, signal) =>
      checkTool(deps, reachOf(config), signal, async (ask) => {
        const settings = settingsOf(config)
        const { body } = await ask.must({ path: '/' })
        const read = z.object({ version: z.object({ number: z.string() }) }).safeParse(body)
        if (!read.success) return ask.fail('What answers at this address does not answer like OpenSearch.')
        const there = `version ${read.data.version.number}`
        const fields = await ask.may({
          path: `/${settings.index}/_field_caps?fields=${encodeURIComponent(settings.timeField)}`,
        })
        if (!fields.ok) return { missing: [`${settings.index} cannot be read: ${fields.why}`], there }
        const known = fieldsAnswer.safeParse(fields.body)
        const missing =
          known.success && settings.timeField in known.data.fields
            ? []
            : [`${settings.index} has no field ${settings.timeField}`]
        // A right that reading lines does not need: without it nothing is missing.
        const health = await ask.may({ path: `/_cluster/health/${settings.index}` })
        const state = health.ok ? healthAnswer.safeParse(health.body) : undefined
        if (state?.success === true && state.data.status === 'red') {
          const shards = state.data.unassigned_shards ?? 0
          missing.push(`the indices are red, so that lines are missing: ${shards} shards are on no node`)
        }
        return { missing, there }
      }),
    pull: (config, request) =>
      pullWith(
        TITLE,
        () => toolSession(deps, reachOf(config), request, CAPS),
        (session) => pullDocuments(session, settingsOf(config)),
      ),
  }
}
