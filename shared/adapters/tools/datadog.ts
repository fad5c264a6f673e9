import * as z from 'zod/mini'
import { serviceOfTags } from '#shared/domain/alerts/datadog-tags.ts'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig, PullRequest, Tool } from '#shared/domain/integration.ts'
import type {
  Alert,
  Change,
  ControlPlaneEvent,
  LogCount,
  LogLine,
  Pulled,
  Series,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import type { OutboundAnswer } from '../http/guarded-request.ts'
import { addressOf } from './http-access.ts'
import { readEach } from './read-each.ts'
import { type Asking, checkTool } from './tool-check.ts'
import type { ToolDeps, ToolReach } from './tool-request.ts'
import { type Answered, type Asked, pullWith, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'Datadog'
/** Questions of one pull: Datadog gives an organization 300 searches of logs an hour. */
const CAPS = { parallel: 6, requests: 140 }
/** Slices of the window whose lines are asked for: the newest lines alone would say nothing of its begin. */
const SLICES = 12
/** Lines of one slice. */
const LINES = 200
/** Monitors whose own expression is asked for again. */
const MAX_MONITORS = 8
/** Operations whose traffic is asked for: those that serve requests, and those that are asked of stores. */
const MAX_OPERATIONS = 4
const MAX_OF_STORES = 2
/** Monitors of one page, and pages that are read. */
const MONITORS_A_PAGE = 200
const MAX_MONITOR_PAGES = 5
/** Series of one query that are kept. */
const MAX_SERIES = 100
/** Events that are read. */
const MAX_EVENTS = 100
/** Changes are asked for from so long before the window on, in milliseconds. */
const LEAD_MS = 24 * 3_600_000
/** Services whose lines are counted. */
const MAX_SERVICES = 50
/** Whole seconds of an interval in which lines are counted. */
const COUNT_INTERVAL_S = 60

const instant = z.pipe(
  z.union([z.string(), z.number()]).check(z.refine((at) => !Number.isNaN(new Date(at).getTime()))),
  z.transform((at: string | number) => new Date(at).getTime()),
)

export const datadogSeries = z.object({
  metric: z.string(),
  scope: z.optional(z.string()),
  tag_set: z.optional(z.array(z.string())),
  interval: z.optional(z.number()),
  unit: z.nullish(
    z.array(z.nullish(z.object({ name: z.optional(z.string()), short_name: z.nullish(z.string()) }))),
  ),
  /** Milliseconds and a value, null where nothing was measured. */
  pointlist: z.array(z.tuple([z.number(), z.nullable(z.number())])),
})
export type DatadogSeries = z.infer<typeof datadogSeries>

/** How the documentation names the webhook that sends here, and the variables that reading its messages needs. */
const WEBHOOK_NAME = 'incident-investigator'
const NEEDED = ['$ALERT_ID', '$ALERT_TRANSITION', '$ALERT_SCOPE'] as const

export const datadogMonitor = z.object({
  id: z.number(),
  name: z.string(),
  type: z.optional(z.string()),
  query: z.optional(z.string()),
  message: z.nullish(z.string()),
  priority: z.nullish(z.number()),
  overall_state: z.nullish(z.string()),
  tags: z.nullish(z.array(z.string())),
  options: z.nullish(z.object({ thresholds: z.nullish(z.object({ critical: z.nullish(z.number()) })) })),
  state: z.nullish(
    z.object({
      groups: z.nullish(
        z.record(
          z.string(),
          z.object({
            status: z.optional(z.string()),
            last_triggered_ts: z.nullish(z.number()),
            last_resolved_ts: z.nullish(z.number()),
          }),
        ),
      ),
    }),
  ),
})
export type DatadogMonitor = z.infer<typeof datadogMonitor>

/** A webhook as Datadog keeps it: what is sent is up to whoever made it. */
export const datadogWebhook = z.object({ name: z.string(), payload: z.nullish(z.string()) })

export const datadogLog = z.object({
  attributes: z.object({
    timestamp: instant,
    service: z.nullish(z.string()),
    status: z.nullish(z.string()),
    message: z.nullish(z.string()),
    host: z.nullish(z.string()),
    attributes: z.nullish(z.record(z.string(), z.unknown())),
  }),
})
export type DatadogLog = z.infer<typeof datadogLog>

export const datadogEvent = z.object({
  id: z.string(),
  attributes: z.object({
    timestamp: instant,
    message: z.nullish(z.string()),
    tags: z.nullish(z.array(z.string())),
    attributes: z.nullish(
      z.object({
        title: z.nullish(z.string()),
        service: z.nullish(z.string()),
        status: z.nullish(z.string()),
        sourcecategory: z.nullish(z.string()),
        evt: z.nullish(z.object({ name: z.nullish(z.string()) })),
      }),
    ),
  }),
})
export type DatadogEvent = z.infer<typeof datadogEvent>

const count = z.object({
  by: z.optional(z.record(z.string(), z.unknown())),
  computes: z.object({ c0: z.array(z.object({ time: z.string(), value: z.number() })) }),
})

/** Datadog says in how many seconds its limit is over. */
export function datadogLimitedUntil({ status, headers }: OutboundAnswer, now: number): number | undefined {
  const reset = Number(headers['x-ratelimit-reset'])
  if (status !== 429 || !Number.isFinite(reset)) return undefined
  return now + Math.min(Math.max(reset, 0), 3600) * 1000
}

function reachOf(config: IntegrationConfig): ToolReach {
  const [apiKey, appKey] = [String(config.api_key), String(config.app_key)]
  const site = typeof config.site === 'string' ? config.site : 'datadoghq.com'
  return {
    tool: 'datadog',
    title: TITLE,
    base_url: config.base_url === undefined ? `https://api.${site}` : addressOf(config),
    headers: { 'dd-api-key': apiKey, 'dd-application-key': appKey },
    secrets: [apiKey, appKey],
    credential: 'config.api_key',
  }
}

/** Tags `name:value` as labels; the first of a name stands. */
export function labelsOf(tags: readonly string[] | null | undefined): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const tag of tags ?? []) {
    const at = tag.indexOf(':')
    if (at > 0 && labels[tag.slice(0, at)] === undefined) labels[tag.slice(0, at)] = tag.slice(at + 1)
  }
  return labels
}

/**
 * How a metric of traces is called where it is no count: a distribution, of which the query says what is taken.
 * @see https://docs.datadoghq.com/tracing/metrics/metrics_namespace/
 */
function nameOf(metric: string, query: string): string {
  if (!/^trace\.[\w.]+$/.test(metric) || /\.(hits|errors|duration|apdex)(\.|$)/.test(metric)) return metric
  const taken = /\b(p\d\d|avg|max|min):/.exec(query)?.[1]
  return `${metric}.latency${taken === undefined ? '' : `_${taken}`}`
}

/** A monitor's group as an alert: when it last went off, and whether it is over. */
export function monitorAlerts(monitor: DatadogMonitor, window: Window, source: string): Alert[] {
  const threshold = monitor.options?.thresholds?.critical
  return Object.entries(monitor.state?.groups ?? {}).flatMap(([group, state]): Alert[] => {
    const fired = (state.last_triggered_ts ?? 0) * 1000
    const resolved = (state.last_resolved_ts ?? 0) * 1000
    const isOver = resolved > fired
    if (fired === 0 || fired >= window.to || (isOver && resolved < window.from)) return []
    const labels = { ...labelsOf(monitor.tags), ...labelsOf(group.split(',')) }
    const service = serviceOfTags(labels)
    return [
      {
        source,
        name: monitor.name,
        fired_at: fired,
        ...(isOver ? { resolved_at: resolved } : {}),
        ...(service === undefined ? {} : { service }),
        ...(typeof threshold === 'number' ? { threshold } : {}),
        ...(monitor.priority ? { severity: `P${monitor.priority}` } : {}),
        ...(monitor.query ? { detail: monitor.query } : {}),
        labels: { ...labels, ...(state.status ? { status: state.status } : {}) },
      },
    ]
  })
}

/** What a metric monitor watches, without its aggregation over time and its threshold; undefined for other monitors. */
export function watchedQuery(monitor: DatadogMonitor): string | undefined {
  if (!/^(metric|query) alert$/.test(monitor.type ?? '')) return undefined
  return /^\s*(?:avg|max|min|sum|percentile|change)\([^)]*\)\s*:\s*(.+?)\s*(?:>=?|<=?)\s*-?[\d.e+-]+\s*$/is.exec(
    monitor.query ?? '',
  )?.[1]
}

/** One answer of `/api/v1/query` as series. */
export function seriesOf(
  list: readonly DatadogSeries[],
  from: {
    readonly source: string
    readonly query: string
    readonly name?: string
    readonly type?: Series['type']
  },
  windowName: string,
): Series[] {
  return list.slice(0, MAX_SERIES).map((one) => {
    // What the query groups by stands in both, what it picks in the scope alone.
    const labels = labelsOf([...(one.tag_set ?? []), ...(one.scope?.split(',') ?? [])])
    const unit = one.unit?.[0]?.short_name ?? one.unit?.[0]?.name
    return {
      source: from.source,
      entity: serviceOfTags(labels) ?? labels.host ?? one.metric,
      name: from.name ?? nameOf(one.metric, from.query),
      labels,
      type: from.type ?? 'gauge',
      query: from.query,
      window_of: windowName,
      ...(unit ? { unit } : {}),
      ...(one.interval === undefined ? {} : { interval_s: one.interval }),
      times: Float64Array.from(one.pointlist, ([at]) => at),
      values: Float64Array.from(one.pointlist, ([, value]) => value ?? Number.NaN),
    }
  })
}

export function logLine({ attributes }: DatadogLog, source: string): LogLine {
  const more = attributes.attributes ?? {}
  const dd = (more.dd ?? {}) as Readonly<Record<string, unknown>>
  const trace = dd.trace_id ?? more.trace_id
  return {
    source,
    timestamp: attributes.timestamp,
    service: attributes.service ?? attributes.host ?? 'unknown',
    severity: attributes.status ?? 'info',
    message: attributes.message ?? '',
    ...(typeof trace === 'string' ? { trace_id: trace } : {}),
    ...(attributes.host ? { node: attributes.host } : {}),
  }
}

const DEPLOY = /\b(deploy(ed|ment|ing)?|release[ds]?|rollout|rolled (out|back)|roll ?back)\b/i

/** An event: a change where it speaks of a deploy, else an event of a control plane. */
export function eventRecord(
  { id, attributes }: DatadogEvent,
  source: string,
): { readonly change: Change } | { readonly event: ControlPlaneEvent } {
  const { timestamp, message } = attributes
  const own = attributes.attributes
  const labels = labelsOf(attributes.tags)
  const service = own?.service ?? serviceOfTags(labels)
  const title = own?.title ?? own?.evt?.name ?? message ?? 'event'
  if (DEPLOY.test(title) || labels.event_type === 'deployment') {
    return {
      change: {
        source,
        id,
        recorded_at: timestamp,
        effective_at: { from: timestamp, to: timestamp },
        kind: 'deploy',
        title,
        certainty: 'inferred',
        ...(service ? { entity: service } : {}),
        ...(labels.version === undefined ? {} : { after: labels.version }),
      },
    }
  }
  return {
    event: {
      source,
      timestamp,
      resource: labels.host ?? service ?? TITLE,
      kind: own?.evt?.name ?? 'event',
      message: [title, message].filter((part, index, all) => part && all.indexOf(part) === index).join(': '),
      ...(service ? { service } : {}),
    },
  }
}

const seconds = (at: number): number => Math.floor(at / 1000)

/** Asks with the limit's header understood. */
const ask = (session: ToolSession, asked: Asked): Promise<Answered | undefined> =>
  session.ask({ ...asked, limitedUntil: datadogLimitedUntil })

const appLink = ({ base_url }: ToolReach, path: string): string =>
  `${base_url.replace('://api.', '://app.')}${path}`

async function pullMonitors(session: ToolSession, window: Window) {
  const what = `${TITLE}: monitors`
  const alerts: Alert[] = []
  const monitors: DatadogMonitor[] = []
  for (let page = 0; page < MAX_MONITOR_PAGES; page += 1) {
    const answer = await ask(session, {
      what,
      path: `/api/v1/monitor?group_states=alert,warn,no%20data&page=${page}&page_size=${MONITORS_A_PAGE}`,
      link: appLink(session.reach, '/monitors/manage'),
    })
    if (answer === undefined) break
    const read = readEach(session, answer, datadogMonitor, answer.body)
    if (read === undefined) break
    const found = read.flatMap((monitor) => monitorAlerts(monitor, window, answer.id))
    const isFull = Array.isArray(answer.body) && answer.body.length >= MONITORS_A_PAGE
    const cut = isFull && page === MAX_MONITOR_PAGES - 1
    session.answered(answer, { items: found, ...(cut ? { outcome: 'cut' as const } : {}) })
    if (cut) {
      const why = `The first ${MAX_MONITOR_PAGES * MONITORS_A_PAGE} are read.`
      session.gap({ what, why, source: answer.id })
    }
    alerts.push(...found)
    monitors.push(...read)
    if (!isFull) break
  }
  const names = new Set(alerts.map(({ name }) => name))
  const watched = monitors
    .filter(({ name }) => names.has(name))
    .flatMap((monitor) => watchedQuery(monitor) ?? [])
  if (watched.length > MAX_MONITORS) {
    session.gap({
      what: `${TITLE}: what ${watched.length - MAX_MONITORS} monitors watch`,
      why: `The expressions of ${MAX_MONITORS} are asked for.`,
    })
  }
  return { alerts, watched: [...new Set(watched)].slice(0, MAX_MONITORS) }
}

/** What a query gave for one window. */
interface Found {
  readonly source: string
  readonly span: string
  readonly series: readonly Series[]
}

/** Asks one query for the window and its baselines. */
async function pullSeries(
  session: ToolSession,
  { window, baselines }: PullRequest,
  query: string,
  as: { readonly name?: string; readonly type?: Series['type'] } = {},
): Promise<readonly Found[]> {
  const asked = [{ ...window, name: 'incident' }, ...baselines]
  const found = await Promise.all(
    asked.map(async (span): Promise<readonly Found[]> => {
      const what = `${TITLE}: ${query} (${span.name})`
      const answer = await ask(session, {
        what,
        path: `/api/v1/query?from=${seconds(span.from)}&to=${seconds(span.to)}&query=${encodeURIComponent(query)}`,
        query,
        window: { from: span.from, to: span.to },
        link: appLink(session.reach, `/metric/explorer?start=${span.from}&end=${span.to}`),
      })
      if (answer === undefined) return []
      const list = (answer.body as { series?: unknown } | null)?.series
      const read = readEach(session, answer, datadogSeries, list)
      if (read === undefined) return []
      const cut = read.length > MAX_SERIES
      const series = seriesOf(read, { source: answer.id, query, ...as }, span.name)
      session.answered(answer, { items: series, ...(cut ? { outcome: 'cut' as const } : {}) })
      if (cut)
        session.gap({ what, why: `${MAX_SERIES} of ${read.length} series are kept.`, source: answer.id })
      return [{ source: answer.id, span: span.name, series }]
    }),
  )
  return found.flat()
}

const seriesIn = (found: readonly Found[]): Series[] => found.flatMap(({ series }) => series)

/**
 * Operations that a service asks of others, which would count as its own traffic; those that are asked of stores, under
 * the name of the store unless services are told to keep their own; and what happens inside, where one that serves the
 * request comes before it.
 * @see https://docs.datadoghq.com/tracing/guide/configuring-primary-operation/
 * @see https://docs.datadoghq.com/tracing/services/inferred_services/
 */
const ASKED_OF_OTHERS =
  /(^|\.)(client|okhttp|requests|urllib3?|undici|fetch|axios|httpx|guzzle|faraday|aws|produce|send|enqueue|publish)(\.|$)/
const ASKED_OF_STORES = /\.(query|command)$/
const SERVING =
  /(^|\.)(server|web|servlet|rack|express|fastify|koa|hapi|next|flask|django|fastapi|starlette|aspnet|aspnet_core|laravel|symfony|gin|echo|chi|fiber|play|akka-http|undertow|jetty|tomcat|graphql)(\.|$)/
const INSIDE = /handler|middleware|view|render|template|controller|resolve|dispatch/

/** Which operations are asked for, in the order in which they tell about a service. */
function chooseOperations(all: readonly string[]): readonly string[] {
  const rank = (name: string): number =>
    SERVING.test(name) && !INSIDE.test(name)
      ? 0
      : INSIDE.test(name)
        ? 3
        : /request|http|rpc/.test(name)
          ? 1
          : 2
  const inOrder = all.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const ofStores = inOrder.filter((name) => ASKED_OF_STORES.test(name))
  const serving = inOrder.filter((name) => !ASKED_OF_STORES.test(name) && !ASKED_OF_OTHERS.test(name))
  return [...serving.slice(0, MAX_OPERATIONS), ...ofStores.slice(0, MAX_OF_STORES)]
}

/** Errors where calls were counted: where none is told there was none. */
function withoutGaps(errors: readonly Found[], hits: readonly Found[], query: string): Series[] {
  return errors.flatMap(({ source, span, series }) => {
    const calls = hits.find((one) => one.span === span)?.series ?? []
    return calls.map((counted) => {
      const told = series.find(({ entity }) => entity === counted.entity)
      const at = new Map(Array.from(told?.times ?? [], (time, index) => [time, told?.values[index]]))
      return {
        ...counted,
        ...{ source, query, name: 'errors_per_second' },
        values: counted.values.map((value, index) => {
          const failed = at.get(counted.times[index] ?? Number.NaN) ?? Number.NaN
          return Number.isFinite(value) && !Number.isFinite(failed) ? 0 : failed
        }),
      }
    })
  })
}

/** Rate, errors and latency of one operation, by service. */
async function pullOperation(
  session: ToolSession,
  request: PullRequest,
  operation: string,
): Promise<Series[]> {
  const failed = `sum:trace.${operation}.errors{*} by {service}.as_rate()`
  const [hits, errors, latency] = await Promise.all([
    pullSeries(session, request, `sum:trace.${operation}.hits{*} by {service}.as_rate()`, {
      name: 'requests_per_second',
      type: 'rate',
    }),
    pullSeries(session, request, failed, { name: 'errors_per_second', type: 'rate' }),
    pullSeries(session, request, `p95:trace.${operation}{*} by {service}`, { name: 'latency_p95' }),
  ])
  return [...seriesIn(hits), ...withoutGaps(errors, hits, failed), ...seriesIn(latency)]
}

/** Rate, errors and latency of the operations that are traced, by service, whatever they are called. */
async function pullTraffic(session: ToolSession, request: PullRequest): Promise<Series[]> {
  const answer = await ask(session, {
    what: `${TITLE}: names of metrics`,
    path: `/api/v1/metrics?from=${seconds(request.window.from)}`,
  })
  if (answer === undefined) return []
  const names = readEach(session, answer, z.string(), (answer.body as { metrics?: unknown } | null)?.metrics)
  if (names === undefined) return []
  const operations = names
    .flatMap((name) => /^trace\.(.+)\.hits$/.exec(name)?.[1] ?? [])
    .filter((name) => !name.includes('.hits.'))
  session.answered(answer, { items: operations })
  const chosen = chooseOperations(operations)
  if (chosen.length < operations.length) {
    session.gap({
      what: `${TITLE}: traffic of ${operations.length - chosen.length} operations`,
      why: `The traffic of ${chosen.join(', ')} is asked for.`,
    })
  }
  const found = await Promise.all(chosen.map((operation) => pullOperation(session, request, operation)))
  // A request goes through several operations of one service: the first that tells about it counts.
  const told = new Set<string>()
  return found.flatMap((series) => {
    const kept = series.filter(({ entity }) => !told.has(entity))
    for (const { entity } of kept) told.add(entity)
    return kept
  })
}

const ERRORS = 'status:(emergency OR alert OR critical OR error)'
/** The term that names a service. A quote would end it. */
const termOf = (service: string): string => `service:"${service.replaceAll(/["\\]/g, '')}"`

async function pullLogs(session: ToolSession, { window, service }: PullRequest): Promise<LogLine[]> {
  // What fails may be another service than the one that was asked about, whose warnings are read as well.
  const query =
    service === null
      ? 'status:(emergency OR alert OR critical OR error OR warn)'
      : `${ERRORS} OR (${termOf(service)} status:warn)`
  const length = (window.to - window.from) / SLICES
  const found = await Promise.all(
    Array.from({ length: SLICES }, async (_, index) => {
      const span = { from: window.from + index * length, to: window.from + (index + 1) * length }
      const what = `${TITLE}: log lines, slice ${index + 1} of ${SLICES}`
      const answer = await ask(session, {
        what,
        path: '/api/v2/logs/events/search',
        method: 'POST',
        json: {
          filter: { query, from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
          sort: 'timestamp',
          page: { limit: LINES },
        },
        query,
        window: span,
        link: appLink(
          session.reach,
          `/logs?query=${encodeURIComponent(query)}&from_ts=${Math.floor(span.from)}&to_ts=${Math.floor(span.to)}`,
        ),
      })
      if (answer === undefined) return []
      const body = answer.body as { data?: unknown; meta?: { page?: { after?: unknown } } } | null
      const read = readEach(session, answer, datadogLog, body?.data)
      if (read === undefined) return []
      const lines = read.map((log) => logLine(log, answer.id))
      const cut = typeof body?.meta?.page?.after === 'string'
      session.answered(answer, { items: lines, ...(cut ? { outcome: 'cut' as const } : {}) })
      if (cut) session.gap({ what, why: `The first ${lines.length} lines are read.`, source: answer.id })
      return lines
    }),
  )
  return found.flat()
}

async function pullCounts(session: ToolSession, request: PullRequest): Promise<LogCount[]> {
  const { service } = request
  const query = service === null ? '*' : `${ERRORS} OR ${termOf(service)}`
  const spans = [{ ...request.window, name: 'incident' }, ...request.baselines.slice(0, 1)]
  const found = await Promise.all(
    spans.map(async (span) => {
      const answer = await ask(session, {
        what: `${TITLE}: counts of log lines (${span.name})`,
        path: '/api/v2/logs/analytics/aggregate',
        method: 'POST',
        json: {
          filter: { query, from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
          compute: [{ aggregation: 'count', type: 'timeseries', interval: `${COUNT_INTERVAL_S}s` }],
          group_by: [
            { facet: 'service', limit: MAX_SERVICES },
            { facet: 'status', limit: 5 },
          ],
        },
        query,
        window: { from: span.from, to: span.to },
      })
      if (answer === undefined) return []
      const buckets = (answer.body as { data?: { buckets?: unknown } } | null)?.data?.buckets
      const read = readEach(session, answer, count, buckets)
      if (read === undefined) return []
      const counts = read.flatMap(({ by = {}, computes }) =>
        computes.c0.map(
          ({ time, value }): LogCount => ({
            source: answer.id,
            service: String(by.service ?? 'unknown'),
            ...(by.status === undefined ? {} : { severity: String(by.status) }),
            t0: Date.parse(time),
            interval_s: COUNT_INTERVAL_S,
            count: value,
          }),
        ),
      )
      session.answered(answer, { items: counts })
      return counts.filter(({ t0 }) => !Number.isNaN(t0))
    }),
  )
  return found.flat()
}

async function pullEvents(
  session: ToolSession,
  window: Window,
): Promise<{ changes: Change[]; events: ControlPlaneEvent[] }> {
  const lead = { from: window.from - LEAD_MS, to: window.to }
  const what = `${TITLE}: events`
  // The monitors' own events say again what the monitors say.
  const query = '-source:alert'
  const answer = await ask(session, {
    what,
    path: '/api/v2/events/search',
    method: 'POST',
    json: {
      filter: { query, from: new Date(lead.from).toISOString(), to: new Date(lead.to).toISOString() },
      sort: '-timestamp',
      page: { limit: MAX_EVENTS },
    },
    query,
    window: lead,
    link: appLink(session.reach, '/event/explorer'),
  })
  if (answer === undefined) return { changes: [], events: [] }
  const body = answer.body as { data?: unknown; meta?: { page?: { after?: unknown } } } | null
  const read = readEach(session, answer, datadogEvent, body?.data)
  if (read === undefined) return { changes: [], events: [] }
  const records = read.map((event) => eventRecord(event, answer.id))
  const cut = typeof body?.meta?.page?.after === 'string'
  session.answered(answer, { items: records, ...(cut ? { outcome: 'cut' as const } : {}) })
  if (cut) session.gap({ what, why: `The newest ${records.length} are read.`, source: answer.id })
  return {
    changes: records.flatMap((record) => ('change' in record ? [record.change] : [])),
    events: records.flatMap((record) =>
      'event' in record && record.event.timestamp >= window.from ? [record.event] : [],
    ),
  }
}

/**
 * What the webhook of our name leaves out that no alert can be read without. One that is not there, or that the key may
 * not read, says nothing: it may have another name.
 */
async function leftOut(look: Asking): Promise<readonly string[]> {
  const path = `/api/v1/integration/webhooks/configuration/webhooks/${WEBHOOK_NAME}`
  const answer = await look.may({ path })
  const read = answer.ok ? datadogWebhook.safeParse(answer.body) : undefined
  if (read?.success !== true) return []
  const { name, payload } = read.data
  const lacking = NEEDED.filter((variable) => !(payload ?? '').includes(variable))
  return lacking.length === 0 ? [] : [`the payload of the webhook ${name} leaves out ${lacking.join(', ')}`]
}

/** Datadog: what its monitors watch, traffic by service, log lines with their counts, and events. */
export function datadogTool(deps: ToolDeps): Tool {
  return {
    check: (config, signal) =>
      checkTool(deps, reachOf(config), signal, async (look) => {
        const { body } = await look.must({ path: '/api/v1/validate' })
        if (!z.object({ valid: z.boolean() }).safeParse(body).success) {
          return look.fail('What answers at this address does not answer like Datadog.')
        }
        // Whether a key is valid says nothing of the application key: that is told by what it may read.
        const now = seconds(deps.now())
        const search = { filter: { query: '*', from: 'now-1m', to: 'now' }, page: { limit: 1 } }
        const answers = await Promise.all(
          [
            { what: 'monitors', path: '/api/v1/monitor?page=0&page_size=1' },
            { what: 'metrics', path: `/api/v1/metrics?from=${now - 60}` },
            { what: 'logs', path: '/api/v2/logs/events/search', method: 'POST' as const, json: search },
            { what: 'events', path: '/api/v2/events/search', method: 'POST' as const, json: search },
          ].map(async ({ what, ...question }) => ({ what, answer: await look.may(question) })),
        )
        const missing = answers.flatMap(({ what, answer }) => (answer.ok ? [] : [{ what, answer }]))
        if (missing.length === answers.length && missing.every(({ answer }) => answer.kind === 'refused')) {
          throw invalidField('config.app_key', missing[0]?.answer.why ?? 'is refused')
        }
        const unread = missing.map(({ what, answer }) => `${what} cannot be read: ${answer.why}`)
        return { missing: [...unread, ...(await leftOut(look))] }
      }),
    pull: (config, request): Promise<Pulled> =>
      pullWith(
        TITLE,
        () => toolSession(deps, reachOf(config), request, CAPS),
        async (session) => {
          const [{ alerts, watched }, traffic, logs, counts, events] = await Promise.all([
            pullMonitors(session, request.window),
            pullTraffic(session, request),
            pullLogs(session, request),
            pullCounts(session, request),
            pullEvents(session, request.window),
          ])
          const own = await Promise.all(watched.map((query) => pullSeries(session, request, query)))
          return {
            alerts,
            series: [...traffic, ...own.flatMap(seriesIn)],
            logs,
            log_counts: counts,
            ...events,
          }
        },
      ),
  }
}
