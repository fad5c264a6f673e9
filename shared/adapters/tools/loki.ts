import * as z from 'zod/mini'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type {
  LogCount,
  LogLine,
  Pulled,
  Series,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import { httpAccess } from './http-access.ts'
import { eachOnce, LINES_A_SLICE, readLine, SLICES, slicesOf, TROUBLE } from './log-lines.ts'
import { askNames, askRange, instantAnswer, stepFor } from './prometheus-api.ts'
import { readEach } from './read-each.ts'
import { SERVICE_LABELS, serviceOf } from './service-labels.ts'
import { type Asking, checkTool } from './tool-check.ts'
import type { ToolDeps } from './tool-request.ts'
import { pullWith, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'Loki'
const TOOL = { tool: 'loki', title: TITLE }
/** Questions of one pull, under way at once and in all: 12 slices of two windows twice, 6 of two more, and counts. */
export const LOG_CAPS = { parallel: 8, requests: 72 }
/** Slices of a day or a week earlier: they only have to show what is usual. */
const SEASON_SLICES = 6
/** Fields of lines that a check names. */
const MOST_FIELDS = 10
const MAX_LINES_BYTES = 4 * 1024 * 1024

const labels = z.record(z.string(), z.string())
const stream = z.object({ stream: labels, values: z.array(z.unknown()) })
const linesAnswer = z.object({
  status: z.literal('success'),
  data: z.object({ resultType: z.literal('streams'), result: z.array(z.unknown()) }),
})

const statsAnswer = z.object({ streams: z.number(), entries: z.number() })
const fieldsAnswer = z.object({
  fields: z.nullish(z.array(z.object({ label: z.string(), parsers: z.nullish(z.array(z.string())) }))),
})

/** What settings say about the names of a log store. */
export interface LogSettings {
  /** A selector of the streams that matter, `{namespace="shop"}`. */
  readonly selector?: string
  readonly service_label?: string
}

export const logSettings = ({ selector, service_label }: IntegrationConfig): LogSettings => ({
  ...(typeof selector === 'string' ? { selector } : {}),
  ...(typeof service_label === 'string' ? { service_label } : {}),
})

const bareName = (name: string): string => name.toLowerCase().replace(/[-_](?:service|svc|api)$/, '')

/** One line `["nanoseconds", "line", metadata?]`; undefined where it is none. */
function lineOf(
  value: unknown,
  stream: Readonly<Record<string, string>>,
  source: string,
  preferred: string | undefined,
): LogLine | undefined {
  if (!Array.isArray(value)) return undefined
  const [at, text, metadata] = value as readonly unknown[]
  if (typeof at !== 'string' || !/^\d{1,19}$/.test(at) || typeof text !== 'string') return undefined
  const known = { ...stream, ...(typeof metadata === 'object' && metadata !== null ? metadata : {}) }
  const instance = stream.pod ?? stream.instance
  return {
    source,
    timestamp: Number(BigInt(at) / 1_000_000n),
    service: serviceOf(stream, preferred) ?? 'unknown',
    ...readLine(text, known),
    ...(instance === undefined ? {} : { instance }),
    ...(stream.node === undefined ? {} : { node: stream.node }),
  }
}

/** Lines of a query from equal slices of a window. What was cut is told with its number, by one gap for each slice. */
async function pullLines(
  session: ToolSession,
  asked: { readonly what: string; readonly query: string; readonly window: Window; readonly slices: number },
  preferred: string | undefined,
): Promise<LogLine[]> {
  const { what, query, window, slices } = asked
  const cut: string[] = []
  const pulled = await Promise.all(
    slicesOf(window, slices).map(async (slice) => {
      const search = new URLSearchParams({
        query,
        start: `${slice.from}000000`,
        end: `${slice.to}000000`,
        limit: String(LINES_A_SLICE),
        direction: 'backward',
      })
      const answer = await session.ask({
        what,
        query,
        window: slice,
        path: `/loki/api/v1/query_range?${search}`,
        ...(session.reach.shownAt === undefined ? {} : { link: session.reach.shownAt(query, slice) }),
        maxBytes: MAX_LINES_BYTES,
      })
      if (answer === undefined) return []
      const read = linesAnswer.safeParse(answer.body)
      const streams = readEach(session, answer, stream, read.success ? read.data.data.result : undefined)
      if (streams === undefined) return []
      const lines = streams.flatMap((one) =>
        one.values.flatMap((value) => lineOf(value, one.stream, answer.id, preferred) ?? []),
      )
      const isCut = lines.length >= LINES_A_SLICE
      if (isCut) cut.push(answer.id)
      session.answered(answer, { items: lines, ...(isCut ? { outcome: 'cut' as const } : {}) })
      return lines
    }),
  )
  if (cut.length > 0) {
    const held = await pullSize(session, { what, query, window })
    const why = `${cut.length} of ${slices} slices held more than the ${LINES_A_SLICE} lines that are fetched of each${held}.`
    for (const source of cut) session.gap({ what, why, source })
  }
  return pulled.flat()
}

/** How much the streams of a query hold in all, in words; nothing where the store keeps no account of it. */
async function pullSize(
  session: ToolSession,
  { what, query, window }: { readonly what: string; readonly query: string; readonly window: Window },
): Promise<string> {
  // The index knows streams, not what their lines say.
  const streams = /^\{[^}]*\}/.exec(query)?.[0] ?? query
  const search = new URLSearchParams({
    query: streams,
    start: `${window.from}000000`,
    end: `${window.to}000000`,
  })
  const answer = await session.ask({
    what: `${what}: how many there are`,
    query: streams,
    window,
    path: `/loki/api/v1/index/stats?${search}`,
    empty: ['absent', 'rejected', 'malformed'],
  })
  const read = statsAnswer.safeParse(answer?.body)
  if (answer === undefined || !read.success) return ''
  session.answered(answer, { items: [read.data] })
  return `; ${streams} holds about ${read.data.entries} in ${read.data.streams} streams`
}

/** How many lines there were, counted by the store: as counts and as a series that can leave its normal level. */
async function pullCounts(
  session: ToolSession,
  asked: {
    readonly name: string
    readonly severity?: string
    readonly expression: (step: number) => string
    readonly windows: readonly Window[]
  },
  preferred: string | undefined,
): Promise<{ readonly series: Series[]; readonly counts: LogCount[] }> {
  const widest = Math.max(...asked.windows.map(({ from, to }) => to - from))
  const step = Math.max(60, stepFor(widest))
  const query = asked.expression(step)
  const ranges = await Promise.all(
    asked.windows.map((window) =>
      askRange(session, {
        what: `${session.reach.title}: ${asked.name}`,
        query,
        window,
        step,
        path: '/loki/api/v1/query_range',
      }),
    ),
  )
  const points = new Map<string, { source: string; at: Map<number, number> }>()
  for (const range of ranges) {
    for (const { labels: found, times, values } of range?.series ?? []) {
      const service = serviceOf(found, preferred) ?? 'unknown'
      const known = points.get(service) ?? { source: range?.source ?? '', at: new Map<number, number>() }
      times.forEach((at, index) => {
        known.at.set(at, (known.at.get(at) ?? 0) + (values[index] ?? 0))
      })
      points.set(service, known)
    }
  }
  // A store counts no lines by giving no point: within a window that was answered that is 0, not unknown.
  const answered = ranges.flatMap((range, at) => (range === undefined ? [] : (asked.windows[at] ?? [])))
  const series: Series[] = []
  const counts: LogCount[] = []
  for (const [service, { source, at }] of points) {
    const instants = new Set(at.keys())
    const phase = Math.min(...instants) % (step * 1000)
    for (const { from, to } of answered) {
      const first = Math.ceil((from - phase) / (step * 1000)) * step * 1000 + phase
      for (let instant = first; instant <= to; instant += step * 1000) instants.add(instant)
    }
    const times = Float64Array.from(instants).sort()
    series.push({
      source,
      entity: service,
      name: asked.name,
      labels: {},
      type: 'rate',
      unit: '1/s',
      interval_s: step,
      query,
      times,
      values: times.map((instant) => (at.get(instant) ?? 0) / step),
    })
    for (const [instant, count] of at) {
      counts.push({
        source,
        service,
        t0: instant - step * 1000,
        interval_s: step,
        count,
        ...(asked.severity === undefined ? {} : { severity: asked.severity }),
      })
    }
  }
  return { series, counts }
}

/** Pulls from a log store that speaks Loki's API, with no configuration: counts, lines of trouble, the service's lines. */
export async function pullLogs(session: ToolSession, settings: LogSettings): Promise<Partial<Pulled>> {
  const { window, baselines, service } = session.request
  const { title } = session.reach
  const nanoseconds = { start: `${window.from}000000`, end: `${window.to}000000` }
  const names = await askNames(session, `${title}: names of labels`, '/loki/api/v1/labels', nanoseconds)
  // What was not told is a gap already, and says nothing of which labels there are.
  if (names === undefined) return {}
  const preferred = settings.service_label
  const known = new Set(names)
  const candidates = [...new Set([...(preferred === undefined ? [] : [preferred]), ...SERVICE_LABELS])]
  const label = candidates.find((name) => known.has(name))
  if (label === undefined) {
    session.gap({
      what: `${title}: lines`,
      why: 'No label names a service; `service_label` in the settings can name it.',
    })
    return {}
  }
  const selector = settings.selector ?? `{${label}=~".+"}`
  const scoped = (more: string): string =>
    `${selector.replace(/\s*\}\s*$/, '')}${/\{\s*\}/.test(selector) ? '' : ', '}${more}}`
  const values =
    service === null
      ? []
      : await askNames(session, `${title}: services`, `/loki/api/v1/label/${label}/values`, nanoseconds)
  const named = values?.find((value) => service !== null && bareName(value) === bareName(service))
  if (service !== null && values !== undefined && named === undefined) {
    session.gap({ what: `${title}: lines of ${service}`, why: `No value of the label ${label} names it.` })
  }
  const near = baselines.filter(({ from, to }) => to <= window.from && window.from - from <= 2 * 3_600_000)
  const seasons = baselines.filter((baseline) => !near.includes(baseline))
  const trouble = `${selector} |~ ${JSON.stringify(TROUBLE)}`
  const by = [...candidates.filter((name) => known.has(name))].join(', ')
  const windows = [window, ...baselines]
  const tell = (scope: string, name?: string) =>
    `${title}: ${scope}${name === undefined ? '' : ` (baseline ${name})`}`
  const lines = [
    { what: tell('lines of trouble'), query: trouble, window, slices: SLICES },
    ...near.map(({ name, from, to }) => ({
      what: tell('lines of trouble', name),
      query: trouble,
      window: { from, to },
      slices: SLICES,
    })),
    ...(named === undefined
      ? []
      : [
          { window, name: undefined },
          ...near.map(({ name, from, to }) => ({ window: { from, to }, name })),
        ].map((one) => ({
          what: tell(`lines of ${named}`, one.name),
          query: scoped(`${label}=${JSON.stringify(named)}`),
          window: one.window,
          slices: SLICES,
        }))),
    ...seasons.map(({ name, from, to }) => ({
      what: tell('lines of trouble', name),
      query: trouble,
      window: { from, to },
      slices: SEASON_SLICES,
    })),
  ]
  const [all, bad, ...pulled] = await Promise.all([
    pullCounts(
      session,
      {
        name: 'log_lines_per_second',
        expression: (step) => `sum by (${by}) (count_over_time(${selector}[${step}s]))`,
        windows,
      },
      preferred,
    ),
    pullCounts(
      session,
      {
        name: 'log_error_lines_per_second',
        severity: 'error',
        expression: (step) => `sum by (${by}) (count_over_time(${trouble}[${step}s]))`,
        windows,
      },
      preferred,
    ),
    ...lines.map((asked) => pullLines(session, asked, preferred)),
  ])
  return {
    logs: eachOnce(pulled.flat()),
    log_counts: [...all.counts, ...bad.counts],
    series: [...all.series, ...bad.series],
  }
}

/** How many services write lines at the moment: it shows at once whether the selector of the settings finds any. */
async function askWriting(ask: Asking, selector = '', label: string) {
  const streams = selector === '' ? `{${label}=~".+"}` : selector
  const query = `sum by (${label}) (count_over_time(${streams}[1h]))`
  const answer = await ask.may({ path: `/loki/api/v1/query?${new URLSearchParams({ query })}` })
  if (!answer.ok) {
    const missing = answer.kind === 'rejected' ? [`${streams} is refused: ${answer.why}`] : []
    return { missing, writing: '' }
  }
  const read = instantAnswer.safeParse(answer.body)
  if (!read.success) return { missing: [], writing: '' }
  const { length } = read.data.data.result
  return length === 0
    ? { missing: [`${streams} finds no lines of the last hour`], writing: '' }
    : { missing: [], writing: `, ${length} of them with lines of the last hour` }
}

/** What the lines themselves hold and could be made a label of. */
async function fieldsOf(ask: Asking, label: string): Promise<string> {
  const answer = await ask.may({
    path: `/loki/api/v1/detected_fields?${new URLSearchParams({ query: `{${label}=~".+"}` })}`,
  })
  const read = answer.ok ? fieldsAnswer.safeParse(answer.body) : undefined
  const fields = read?.success === true ? (read.data.fields ?? []) : []
  const told = fields.slice(0, MOST_FIELDS).map((field) => {
    const by = (field.parsers ?? []).join(' or ')
    return by === '' ? field.label : `${field.label} (${by})`
  })
  return told.length === 0 ? '' : `; the lines hold ${told.join(', ')}`
}

/** Loki: how many lines, lines of trouble of all services, lines of the service that is asked about. */
export function lokiTool(deps: ToolDeps): Tool {
  return {
    check: async (config, signal) =>
      checkTool(deps, httpAccess(config, TOOL), signal, async (ask) => {
        const { body } = await ask.must({ path: '/loki/api/v1/labels' })
        const read = z
          .object({ status: z.literal('success'), data: z.optional(z.array(z.string())) })
          .safeParse(body)
        if (!read.success) return ask.fail('What answers at this address does not answer like Loki.')
        const names = read.data.data ?? []
        const { service_label } = logSettings(config)
        const naming = [service_label ?? '', ...SERVICE_LABELS].filter((name) => names.includes(name))
        if (names.length === 0) return { missing: ['it holds no lines of the last hours'] }
        const [label] = naming
        if (label === undefined)
          return {
            missing: [
              `no label names a service; \`service_label\` can name it${await fieldsOf(ask, names[0] ?? '')}`,
            ],
          }
        const { missing, writing } = await askWriting(ask, logSettings(config).selector, label)
        return { missing, there: `services by ${label}${writing}` }
      }),
    pull: (config, request) =>
      pullWith(
        TITLE,
        () => toolSession(deps, httpAccess(config, TOOL), request, LOG_CAPS),
        (session) => pullLogs(session, logSettings(config)),
      ),
  }
}
