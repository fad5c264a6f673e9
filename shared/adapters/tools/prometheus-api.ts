import * as z from 'zod/mini'
import type { Window } from '#shared/domain/investigation/records/snapshot.ts'
import { readEach } from './read-each.ts'
import type { Answered, ToolSession } from './tool-session.ts'

/** A range of 500 points of 200 series, with their labels. */
const MAX_RANGE_BYTES = 8 * 1024 * 1024
/** Longer queries are posted: proxies refuse long addresses. */
const LONGEST_IN_ADDRESS = 1500
/** Series of one query that are kept. */
export const MOST_SERIES = 200
/** Points of one series that are asked for. */
export const MOST_POINTS = 500

const labels = z.record(z.string(), z.string())
const rangeSeries = z.object({ metric: labels, values: z.array(z.unknown()) })
const rangeAnswer = z.object({
  status: z.literal('success'),
  data: z.object({ resultType: z.literal('matrix'), result: z.array(z.unknown()) }),
  warnings: z.optional(z.array(z.string())),
})
/** One value a series, at one instant. */
export const instantAnswer = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('vector'),
    result: z.array(z.object({ metric: labels, value: z.tuple([z.number(), z.string()]) })),
  }),
})
const namesAnswer = z.object({ status: z.literal('success'), data: z.optional(z.array(z.string())) })

/** One series as it came back. */
export interface RangeSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly times: Float64Array
  /** NaN where nothing was measured, and for infinities, which measure nothing. */
  readonly values: Float64Array
}

/** What one range query gave. */
export interface Range {
  /** Id of the source. */
  readonly source: string
  readonly series: readonly RangeSeries[]
}

/** Points `[unix seconds, "value"]`; others are left out. */
function pointsOf(values: readonly unknown[]): Pick<RangeSeries, 'times' | 'values'> {
  const times = new Float64Array(values.length)
  const numbers = new Float64Array(values.length)
  let count = 0
  for (const point of values) {
    if (!Array.isArray(point)) continue
    const [at, text] = point as readonly unknown[]
    if (typeof at !== 'number' || typeof text !== 'string') continue
    const value = Number(text)
    times[count] = Math.round(at * 1000)
    numbers[count] = Number.isFinite(value) ? value : Number.NaN
    count += 1
  }
  return { times: times.slice(0, count), values: numbers.slice(0, count) }
}

const secondsOf = (milliseconds: number): string => String(Math.floor(milliseconds / 1000))

/** Seconds between two points so that a span has at most as many points as are asked for, a number people would choose. */
export function stepFor(milliseconds: number): number {
  const least = milliseconds / 1000 / (MOST_POINTS - 1)
  return [15, 30, 60, 120, 300, 600].find((step) => step >= least) ?? Math.ceil(least / 600) * 600
}

/** Where Prometheus itself shows a query over a window. */
export const graphLink = (base_url: string, query: string, { from, to }: Window): string =>
  `${base_url}/graph?g0.expr=${encodeURIComponent(query)}&g0.tab=0&g0.range_input=${Math.round((to - from) / 1000)}s&g0.end_input=${encodeURIComponent(new Date(to).toISOString())}`

/** Where a person sees the same, if there is such a place. */
function linkOf(session: ToolSession, query: string, window: Window, path: string): { link?: string } {
  const { shownAt, base_url } = session.reach
  if (shownAt !== undefined) return { link: shownAt(query, window) }
  // Loki has no page of its own.
  return path === '/api/v1/query_range' ? { link: graphLink(base_url, query, window) } : {}
}

/**
 * Asks a query over a window. Where it gives more series than are kept, those with the highest values are, and a gap
 * says how many there were.
 */
export async function askRange(
  session: ToolSession,
  asked: {
    readonly what: string
    readonly query: string
    readonly window: Window
    readonly step: number
    /** Of too many series these are kept first. */
    readonly prefer?: (labels: Readonly<Record<string, string>>) => boolean
    /** Where the store answers ranges; Loki's path is another one. */
    readonly path?: string
  },
): Promise<Range | undefined> {
  const { what, query, window, step, prefer, path = '/api/v1/query_range' } = asked
  const parameters = {
    query,
    start: secondsOf(window.from),
    end: secondsOf(window.to),
    step: String(step),
  }
  const long = query.length > LONGEST_IN_ADDRESS
  const answer = await session.ask({
    what,
    query,
    window,
    ...linkOf(session, query, window, path),
    maxBytes: MAX_RANGE_BYTES,
    ...(long
      ? { path, method: 'POST' as const, form: parameters }
      : { path: `${path}?${new URLSearchParams(parameters)}` }),
  })
  if (answer === undefined) return undefined
  const read = rangeAnswer.safeParse(answer.body)
  if (!read.success) return void strange(session, answer)
  const rows = readEach(session, answer, rangeSeries, read.data.data.result)
  if (rows === undefined) return undefined
  const all = rows
    .map(({ metric, values }) => ({ labels: metric, ...pointsOf(values) }))
    .filter(({ times }) => times.length > 0)
  const weight = (series: RangeSeries): number =>
    series.values.reduce((most, value) => (value > most ? value : most), Number.NEGATIVE_INFINITY)
  const kept =
    all.length <= MOST_SERIES
      ? all
      : all
          .map((series) => ({
            series,
            first: prefer?.(series.labels) === true ? 1 : 0,
            most: weight(series),
          }))
          .toSorted((a, b) => b.first - a.first || b.most - a.most)
          .slice(0, MOST_SERIES)
          .map(({ series }) => series)
  const cut = all.length > kept.length
  if (cut) {
    session.gap({
      what,
      why: `${kept.length} of ${all.length} series are kept, those with the highest values.`,
      source: answer.id,
    })
  }
  for (const warning of read.data.warnings ?? []) {
    session.gap({ what, why: `${session.reach.title} warns: ${warning.slice(0, 200)}`, source: answer.id })
  }
  session.answered(answer, {
    items: kept.map((series) => [series.labels, series.times, series.values]),
    ...(cut ? { outcome: 'cut' as const } : {}),
  })
  return { source: answer.id, series: kept }
}

function strange(session: ToolSession, answer: Answered): void {
  const why = `What ${session.reach.title} answers is not what was asked for.`
  session.answered(answer, { items: [], outcome: 'failed', detail: why })
  session.gap({ what: answer.asked.what, why, source: answer.id })
}

/** Asks a query at one instant; gives the first value, undefined where there is none. */
export async function askNumber(
  session: ToolSession,
  what: string,
  query: string,
  at: number,
): Promise<number | undefined> {
  const answer = await session.ask({
    what,
    query,
    path: `/api/v1/query?${new URLSearchParams({ query, time: secondsOf(at) })}`,
  })
  if (answer === undefined) return undefined
  const read = instantAnswer.safeParse(answer.body)
  if (!read.success) return void strange(session, answer)
  session.answered(answer, { items: read.data.data.result })
  const value = Number(read.data.data.result[0]?.value[1])
  return Number.isFinite(value) ? value : undefined
}

/** Asks for a list of names: labels, or the values of one. */
export async function askNames(
  session: ToolSession,
  what: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly string[] | undefined> {
  const answer = await session.ask({ what, path: `${path}?${new URLSearchParams(query)}` })
  if (answer === undefined) return undefined
  const read = namesAnswer.safeParse(answer.body)
  if (!read.success) return void strange(session, answer)
  const names = read.data.data ?? []
  session.answered(answer, { items: names })
  return names
}

/** One alert of a rule, as it stands now. */
export const ruleAlert = z.object({
  labels,
  annotations: z.optional(labels),
  state: z.optional(z.string()),
  activeAt: z.optional(z.string()),
  value: z.optional(z.string()),
})
const rule = z.object({
  name: z.string(),
  query: z.string(),
  duration: z.optional(z.number()),
  labels: z.optional(labels),
  state: z.optional(z.string()),
  alerts: z.optional(z.nullable(z.array(ruleAlert))),
})
export type AlertRule = z.infer<typeof rule>
const rulesAnswer = z.object({
  status: z.literal('success'),
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.unknown()) })) }),
})

/** Asks for the rules of alerts. Stores that have none, such as a store behind a query frontend, answer 404. */
export async function askRules(session: ToolSession): Promise<readonly AlertRule[]> {
  const path = '/api/v1/rules?type=alert'
  const what = `${session.reach.title}: rules of alerts`
  const answer = await session.ask({ what, path, link: `${session.reach.base_url}/alerts` })
  if (answer === undefined) return []
  const read = rulesAnswer.safeParse(answer.body)
  if (!read.success) {
    strange(session, answer)
    return []
  }
  const rules = readEach(
    session,
    answer,
    rule,
    read.data.data.groups.flatMap((group) => group.rules),
  )
  session.answered(answer, { items: rules ?? [] })
  return rules ?? []
}
