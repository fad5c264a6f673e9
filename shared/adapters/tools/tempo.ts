import * as z from 'zod/mini'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type { Edge, Pulled, Span, Window } from '#shared/domain/investigation/records/snapshot.ts'
import { httpAccess } from './http-access.ts'
import { jaegerSpans, otlpSpans } from './spans.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps } from './tool-request.ts'
import { type Answered, pullWith, type ToolSession, toolSession } from './tool-session.ts'

/** Questions of one pull, under way at once and in all. */
export const TRACE_CAPS = { parallel: 8, requests: 60 }
/** Traces that are read of one search; a few of each kind show where time and errors are. */
const MOST_TRACES = 15
/** Services whose traces are searched where none is asked about and the store cannot search all. */
const MOST_SERVICES = 8
const MAX_TRACE_BYTES = 4 * 1024 * 1024
/** From this on a request counts as slow, for the search alone. */
const SLOW = '1s'

export type TraceApi = 'tempo' | 'jaeger'
export const traceApi = ({ api }: IntegrationConfig): TraceApi => (api === 'jaeger' ? 'jaeger' : 'tempo')
const titleOf = (api: TraceApi): string => (api === 'jaeger' ? 'Jaeger' : 'Tempo')

const bareName = (name: string): string => name.toLowerCase().replace(/[-_](?:service|svc|api)$/, '')
/** Without any trace some versions leave the list out; the figures of the search are always there. */
const searchAnswer = z
  .object({
    traces: z.optional(z.array(z.object({ traceID: z.string() }))),
    metrics: z.optional(z.unknown()),
  })
  .check(z.refine(({ traces, metrics }) => traces !== undefined || metrics !== undefined))
const jaegerAnswer = z.object({ data: z.nullable(z.array(z.unknown())) })
const servicesAnswer = z.object({ data: z.nullable(z.array(z.string())) })
const dependenciesAnswer = z.object({
  data: z.nullable(z.array(z.object({ parent: z.string(), child: z.string(), callCount: z.number() }))),
})

function strange(session: ToolSession, answer: Answered): void {
  const why = `What ${session.reach.title} answers is not what was asked for.`
  session.answered(answer, { items: [], outcome: 'failed', detail: why })
  session.gap({ what: answer.asked.what, why, source: answer.id })
}

/** Writes down the spans of one answer, and counts those that could not be read. */
function told(
  session: ToolSession,
  answer: Answered,
  read: { readonly spans: Span[]; readonly malformed: number } | undefined,
): Span[] {
  if (read === undefined) {
    strange(session, answer)
    return []
  }
  if (read.malformed > 0) {
    session.gap({
      what: answer.asked.what,
      why: `${read.malformed} spans could not be read.`,
      source: answer.id,
    })
  }
  session.answered(answer, { items: read.spans })
  return read.spans
}

interface Search {
  readonly what: string
  readonly query: string
  readonly window: Window
}

/** The ids of traces that a search finds. */
async function findTraces(session: ToolSession, { what, query, window }: Search): Promise<readonly string[]> {
  const search = new URLSearchParams({
    q: query,
    start: String(Math.floor(window.from / 1000)),
    end: String(Math.ceil(window.to / 1000)),
    limit: String(MOST_TRACES),
  })
  const answer = await session.ask({ what, query, window, path: `/api/search?${search}` })
  if (answer === undefined) return []
  const read = searchAnswer.safeParse(answer.body)
  if (!read.success) {
    strange(session, answer)
    return []
  }
  const ids = (read.data.traces ?? [])
    .map(({ traceID }) => traceID)
    .filter((id) => /^[0-9a-f]{1,32}$/i.test(id))
  session.answered(answer, { items: ids })
  return ids.slice(0, MOST_TRACES)
}

async function pullTempo(session: ToolSession): Promise<Partial<Pulled>> {
  const { window, baselines, service } = session.request
  const { title } = session.reach
  const one = service === null ? '' : `resource.service.name=${JSON.stringify(service)}`
  const matching = (...conditions: string[]): string =>
    `{ ${[one, ...conditions].filter((part) => part !== '').join(' && ')} }`
  const [near] = baselines
  const searches: Search[] = [
    { what: `${title}: failed traces`, query: matching('status=error'), window },
    { what: `${title}: slow traces`, query: matching(`duration>${SLOW}`), window },
    { what: `${title}: traces`, query: matching(), window },
    ...(near === undefined
      ? []
      : [
          {
            what: `${title}: traces (baseline ${near.name})`,
            query: matching(),
            window: { from: near.from, to: near.to },
          },
        ]),
  ]
  const found = await Promise.all(searches.map((search) => findTraces(session, search)))
  const ids = [...new Set(found.flat())]
  const pulled = await Promise.all(
    ids.map(async (id) => {
      const answer = await session.ask({
        what: `${title}: trace ${id}`,
        path: `/api/traces/${id}`,
        maxBytes: MAX_TRACE_BYTES,
      })
      return answer === undefined ? [] : told(session, answer, otlpSpans(answer.body, answer.id))
    }),
  )
  return { spans: pulled.flat() }
}

async function jaegerServices(session: ToolSession): Promise<readonly string[]> {
  const { title } = session.reach
  const what = `${title}: services`
  const answer = await session.ask({ what, path: '/api/services' })
  const read = servicesAnswer.safeParse(answer?.body)
  if (answer === undefined || !read.success) {
    if (answer !== undefined) strange(session, answer)
    return []
  }
  const all = (read.data.data ?? []).toSorted()
  session.answered(answer, { items: all })
  const { service } = session.request
  const named = all.filter((name) => service !== null && bareName(name) === bareName(service))
  if (named.length > 0) return named
  if (service !== null) session.gap({ what, why: `None of them is ${service}.`, source: answer.id })
  if (all.length > MOST_SERVICES) {
    session.gap({
      what: `${title}: traces of ${all.length - MOST_SERVICES} services`,
      why: `Those of ${MOST_SERVICES} are searched.`,
    })
  }
  return all.slice(0, MOST_SERVICES)
}

async function pullJaegerEdges(session: ToolSession, { from, to }: Window): Promise<Edge[]> {
  const what = `${session.reach.title}: calls between services`
  const answer = await session.ask({
    what,
    window: { from, to },
    path: `/api/dependencies?endTs=${to}&lookback=${to - from}`,
    empty: ['absent'],
  })
  if (answer === undefined) return []
  const read = dependenciesAnswer.safeParse(answer.body)
  if (!read.success) {
    strange(session, answer)
    return []
  }
  const edges = (read.data.data ?? []).map(({ parent, child, callCount }) => ({
    source: answer.id,
    caller: parent,
    callee: child,
    t0: from,
    interval_s: (to - from) / 1000,
    calls: callCount,
  }))
  session.answered(answer, { items: edges })
  return edges
}

async function pullJaeger(session: ToolSession): Promise<Partial<Pulled>> {
  const { window, baselines } = session.request
  const { title } = session.reach
  const services = await jaegerServices(session)
  const [near] = baselines
  const windows = [
    { scope: 'failed traces', window, tags: '{"error":"true"}' },
    { scope: 'traces', window, tags: undefined },
    ...(near === undefined
      ? []
      : [
          {
            scope: `traces (baseline ${near.name})`,
            window: { from: near.from, to: near.to },
            tags: undefined,
          },
        ]),
  ]
  const edges = pullJaegerEdges(session, window)
  const pulled = await Promise.all(
    services.flatMap((service) =>
      windows.map(async ({ scope, window: asked, tags }) => {
        const search = new URLSearchParams({
          service,
          start: `${asked.from}000`,
          end: `${asked.to}000`,
          limit: String(MOST_TRACES),
          ...(tags === undefined ? {} : { tags }),
        })
        const answer = await session.ask({
          what: `${title}: ${scope} of ${service}`,
          window: asked,
          path: `/api/traces?${search}`,
          maxBytes: MAX_TRACE_BYTES,
          link: `${session.reach.base_url}/search?${search}`,
        })
        if (answer === undefined) return []
        const read = jaegerAnswer.safeParse(answer.body)
        const traces = read.success
          ? (read.data.data ?? []).map((trace) => jaegerSpans(trace, answer.id))
          : undefined
        const whole = traces?.filter((trace) => trace !== undefined)
        return told(
          session,
          answer,
          traces === undefined || whole === undefined || whole.length < traces.length
            ? undefined
            : {
                spans: whole.flatMap(({ spans }) => spans),
                malformed: whole.reduce((sum, { malformed }) => sum + malformed, 0),
              },
        )
      }),
    ),
  )
  return { spans: eachSpanOnce(pulled.flat()), edges: await edges }
}

/** Two searches may find the same trace. */
const eachSpanOnce = (spans: readonly Span[]): Span[] => [
  ...new Map(spans.map((span) => [`${span.trace_id} ${span.span_id}`, span])).values(),
]

/** Pulls traces from a store that speaks Tempo's or Jaeger's API. */
export const pullTraces = (session: ToolSession, api: TraceApi): Promise<Partial<Pulled>> =>
  api === 'jaeger' ? pullJaeger(session) : pullTempo(session)

/** Tempo, and Jaeger by its query API: failed, slow and usual traces. */
export function tempoTool(deps: ToolDeps): Tool {
  const open = (config: IntegrationConfig) =>
    httpAccess(config, { tool: 'tempo', title: titleOf(traceApi(config)) })
  return {
    check: async (config, signal) =>
      checkTool(deps, open(config), signal, async (ask) => {
        const api = traceApi(config)
        const { body } = await ask.must({ path: api === 'jaeger' ? '/api/services' : '/api/search/tags' })
        const read =
          api === 'jaeger'
            ? servicesAnswer.safeParse(body)
            : z.object({ tagNames: z.optional(z.array(z.string())) }).safeParse(body)
        if (!read.success || !('tagNames' in (body as object) || 'data' in (body as object))) {
          return ask.fail(`What answers at this address does not answer like ${titleOf(api)}.`)
        }
        const names =
          'tagNames' in read.data ? read.data.tagNames : (read.data as { data: string[] | null }).data
        return { missing: (names ?? []).length === 0 ? ['it holds no traces of the last hour'] : [] }
      }),
    pull: (config, request) =>
      pullWith(
        titleOf(traceApi(config)),
        () => toolSession(deps, open(config), request, TRACE_CAPS),
        (session) => pullTraces(session, traceApi(config)),
      ),
  }
}
