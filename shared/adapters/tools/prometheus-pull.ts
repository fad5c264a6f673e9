import type {
  Alert,
  Change,
  Edge,
  Entity,
  Pulled,
  Series,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import {
  type AlertRule,
  askNames,
  askNumber,
  askRange,
  askRules,
  MOST_SERIES,
  type Range,
  stepFor,
} from './prometheus-api.ts'
import {
  bare,
  EDGE_FAMILIES,
  type EdgeFamily,
  familiesOf,
  type Grouping,
  KNOWN_METRICS,
  type MetricQuery,
  queriesOf,
  type RequestFamily,
  SATURATION,
  SEASONAL,
  VERSIONS,
} from './prometheus-queries.ts'
import { measuredBy, plainMeasure, quoted, widenedBy } from './promql.ts'
import { SERVICE_LABELS, serviceOf } from './service-labels.ts'
import type { ToolSession } from './tool-session.ts'

/** What a person may say about the names in a metrics store. */
export interface MetricsSettings {
  /** Label that names the service, before the usual ones. */
  readonly service_label?: string
  /** Queries of the operator's own, by the name that their series get. */
  readonly queries: Readonly<Record<string, string>>
}

/** Questions of one pull, under way at once and in all. */
export const METRICS_CAPS = { parallel: 6, requests: 100 }
/** Seconds between two scrapes where the store does not tell. */
const USUAL_SCRAPE_S = 30
/** Rules of alerts whose own expression is asked. */
const MOST_RULES = 3
/** Families of request metrics that are asked: teams differ, but not that much. */
const MOST_FAMILIES = 3
/** Queries of saturation that are asked. */
const MOST_SATURATION = 24
/** Fewer requests than this make a ratio that decides nothing. */
const LEAST_REQUESTS = 30
/** Names of metrics that one question asks for: this question goes by the address only, which must not grow long. */
const NAMES_AT_ONCE = 25
/** Seconds of one interval of edges. */
const EDGE_INTERVAL_S = 60

/** What nothing says of what it is about. */
const UNKNOWN = 'unknown'
/** Labels that tell copies in several places apart, which one store of all of them holds side by side. */
const PLACES = ['cluster', 'region'] as const

/** Everything that the parts of a pull share. */
interface Ground {
  readonly session: ToolSession
  readonly settings: MetricsSettings
  /** The hour before and the window in one stretch. */
  readonly main: Window
  readonly step: number
  /** Other times that count as normal. */
  readonly seasons: readonly { readonly name: string; readonly window: Window }[]
  readonly grouping: Grouping
  readonly has: (metric: string) => boolean
  /** Whether the store told all names that it was asked for: without them, that one is absent is not known. */
  readonly knowsNames: boolean
  readonly isAsked: (labels: Readonly<Record<string, string>>) => boolean
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const bareName = (name: string): string => name.toLowerCase().replace(/[-_](?:service|svc|api)$/, '')
/** A host without its port, an address without its scheme and path. */
const hostOf = (instance: string): string =>
  instance
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '')

/** What an address is about: within a cluster `NAME.NAMESPACE.svc`, with or without its domain, is the service NAME. */
function hostOrService(instance: string): string {
  const host = hostOf(instance)
  return /^([a-z\d][-a-z\d]*)\.[a-z\d][-a-z\d]*\.svc(?:\.|$)/.exec(host)?.[1] ?? host
}

/** The incident's window together with the baselines that lie close before it: one query serves both. */
function stretches({ request }: ToolSession): Pick<Ground, 'main' | 'seasons'> {
  const { window, baselines } = request
  const near = baselines.filter(({ from, to }) => to <= window.from && window.from - from <= 2 * 3_600_000)
  const main = { from: Math.min(window.from, ...near.map(({ from }) => from)), to: window.to }
  const seasons = baselines
    .filter((baseline) => !near.includes(baseline))
    .map(({ name, from, to }) => ({ name, window: { from, to } }))
  return { main, seasons }
}

async function lookAround(session: ToolSession, settings: MetricsSettings): Promise<Ground> {
  const { title } = session.reach
  const { main, seasons } = stretches(session)
  const time = { start: String(Math.floor(main.from / 1000)), end: String(Math.floor(main.to / 1000)) }
  const parts = Array.from({ length: Math.ceil(KNOWN_METRICS.length / NAMES_AT_ONCE) }, (_, at) =>
    KNOWN_METRICS.slice(at * NAMES_AT_ONCE, (at + 1) * NAMES_AT_ONCE),
  )
  const [labels, names, scrapes] = await Promise.all([
    askNames(session, `${title}: names of labels`, '/api/v1/labels', time),
    Promise.all(
      parts.map((names) =>
        askNames(session, `${title}: names of metrics`, '/api/v1/label/__name__/values', {
          ...time,
          'match[]': `{__name__=~${quoted(names.join('|'))}}`,
        }),
      ),
    ),
    askNumber(session, `${title}: interval of scrapes`, 'quantile(0.5, count_over_time(up[10m]))', main.to),
  ])
  const known = new Set(labels ?? [])
  const preferred = settings.service_label === undefined ? [] : [settings.service_label]
  const by = [...new Set([...preferred, ...SERVICE_LABELS])].filter((name) => known.has(name))
  const scrape = scrapes === undefined || scrapes <= 0 ? USUAL_SCRAPE_S : 600 / scrapes
  const step = stepFor(main.to - main.from)
  const metrics = new Set(names.flatMap((part) => part ?? []))
  const { service } = session.request
  return {
    session,
    settings,
    main,
    seasons,
    step,
    grouping: {
      by: [
        ...(by.length === 0 ? ['job'] : by),
        ...['namespace', ...PLACES].filter((name) => known.has(name)),
      ].join(', '),
      place: PLACES.filter((name) => known.has(name))
        .map((name) => `${name}, `)
        .join(''),
      rate: `${Math.round(Math.max(4 * scrape, 60, step))}s`,
    },
    has: (metric) => metrics.has(metric),
    knowsNames: names.every((part) => part !== undefined),
    isAsked: (found) => {
      const name = serviceOf(found, settings.service_label)
      return service !== null && name !== undefined && bareName(name) === bareName(service)
    },
  }
}

/** Labels under the usual names: of several that stand for one, the first that says something. */
function renamed(
  labels: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const told: Record<string, string> = {}
  for (const [name, usual] of Object.entries(names)) {
    const value = labels[name] ?? ''
    if (value !== '' && told[usual] === undefined) told[usual] = plainName(value)
  }
  const others = Object.entries(labels).filter(([name]) => names[name] === undefined)
  return { ...Object.fromEntries(others), ...told }
}

/**
 * A service of Traefik without what found it, `NAMESPACE-NAME-PORT@kubernetes`, `NAME@docker`.
 * @see https://doc.traefik.io/traefik/reference/routing-configuration/dynamic-configuration-methods/ (provider namespace)
 */
const plainName = (name: string): string => name.replace(/(-\d{1,5})?@[a-z]+$/, '')

/** Ports on which stores listen: an exporter that is told whom to look at is scraped under the store's own address. */
const STORE_PORT = /:(5432|3306|6379|27017)$/

/** The store that an exporter looks at: by the store's own address, else by the exporter's name without that it is one. */
function storeOf(ground: Ground, labels: Readonly<Record<string, string>>): string | undefined {
  const { instance = '' } = labels
  if (STORE_PORT.test(instance)) return hostOrService(instance)
  return serviceOf(labels, ground.settings.service_label)?.replace(
    /[-_](prometheus[-_])?(exporter|metrics)$/,
    '',
  )
}

const entityOf = (
  ground: Ground,
  labels: Readonly<Record<string, string>>,
  { entity: own, is_of_store: isOfStore }: Pick<MetricQuery, 'entity' | 'is_of_store'> = {},
): string | undefined => {
  const store = isOfStore === true ? storeOf(ground, labels) : undefined
  if (store !== undefined) return store
  const named = own === undefined ? undefined : labels[own]
  if (named !== undefined) return own === 'instance' ? hostOf(named) : named
  const service = serviceOf(labels, ground.settings.service_label)
  if (service !== undefined) return service
  return labels.instance === undefined ? labels.node : hostOrService(labels.instance)
}

/** Joins what several windows gave for one query into one series for each set of labels. */
function seriesOf(
  ground: Ground,
  query: Pick<MetricQuery, 'name' | 'type' | 'unit' | 'entity' | 'is_of_store'>,
  text: string,
  ranges: readonly Range[],
  rename?: Readonly<Record<string, string>>,
): Series[] {
  const byLabels = new Map<
    string,
    {
      labels: Readonly<Record<string, string>>
      parts: { source: string; times: Float64Array; values: Float64Array }[]
    }
  >()
  for (const { source, series } of ranges) {
    for (const { labels, times, values } of series) {
      const shown = renamed(labels, rename)
      const key = JSON.stringify(Object.entries(shown).toSorted(([a], [b]) => order(a, b)))
      const known = byLabels.get(key) ?? { labels: shown, parts: [] }
      known.parts.push({ source, times, values })
      byLabels.set(key, known)
    }
  }
  return [...byLabels.values()].flatMap(({ labels, parts }) => {
    const { __name__: _, ...rest } = labels
    const inOrder = parts.toSorted((a, b) => (a.times[0] ?? 0) - (b.times[0] ?? 0))
    // Where two windows touch, an instant that both have counts once.
    const points = new Map<number, number>()
    for (const { times, values } of inOrder) {
      times.forEach((at, index) => {
        points.set(at, values[index] ?? Number.NaN)
      })
    }
    const times = Float64Array.from(points.keys()).sort()
    return [
      {
        // The window's own question stands for all: the seasons' are the same one at other times.
        source: parts[0]?.source ?? '',
        entity: entityOf(ground, labels, query) ?? UNKNOWN,
        name: query.name,
        labels: rest,
        type: query.type,
        ...(query.unit === undefined ? {} : { unit: query.unit }),
        interval_s: ground.step,
        query: text,
        times,
        values: times.map((at) => points.get(at) ?? Number.NaN),
      },
    ]
  })
}

/** Asks one query for the window, and for the seasons where that is wanted. */
async function pullQuery(
  ground: Ground,
  query: Pick<MetricQuery, 'name' | 'type' | 'unit' | 'entity' | 'is_of_store'>,
  text: string,
  options: {
    readonly seasonal?: boolean
    readonly rename?: Readonly<Record<string, string>> | undefined
  } = {},
): Promise<Series[]> {
  const { session, main, seasons, step, isAsked } = ground
  const what = `${session.reach.title}: ${query.name}`
  const windows = [
    { what, window: main },
    ...(options.seasonal === true
      ? seasons.map(({ name, window }) => ({ what: `${what} (baseline ${name})`, window }))
      : []),
  ]
  const ranges = await Promise.all(
    windows.map((each) => askRange(session, { ...each, query: text, step, prefer: isAsked })),
  )
  return seriesOf(
    ground,
    query,
    text,
    ranges.filter((range) => range !== undefined),
    options.rename,
  )
}

/** How many requests a series of rates stands for. */
const requestsIn = ({ times, values }: Series, window: Window, step: number): number =>
  values.reduce(
    (sum, value, index) =>
      (times[index] ?? 0) >= window.from && !Number.isNaN(value) ? sum + value * step : sum,
    0,
  )

async function pullFamily(ground: Ground, family: RequestFamily): Promise<Series[]> {
  const { session, has } = ground
  const grouping =
    family.rename === undefined
      ? ground.grouping
      : {
          ...ground.grouping,
          by: `${ground.grouping.place}${Object.keys(family.rename).join(', ')}`,
        }
  // Before a fan-out: a store with thousands of services would answer with all of them.
  const what = `${session.reach.title}: number of services in ${family.count}`
  const groups = await askNumber(
    session,
    what,
    `count(count by (${grouping.by}) (${family.count}))`,
    ground.main.to,
  )
  if (groups !== undefined && groups > MOST_SERIES) {
    session.gap({ what, why: `${groups} groups; of each query ${MOST_SERIES} series are kept.` })
  }
  const pulled = await Promise.all(
    queriesOf(family, has).map((query) =>
      pullQuery(ground, query, query.query(grouping), {
        seasonal: SEASONAL.includes(query.name),
        rename: family.rename,
      }),
    ),
  )
  return withoutThinRatios(ground, withoutSpareMeans(pulled.flat()))
}

/** Of whom quantiles are told, the mean is left out: some of a family's services have buckets, others have none. */
function withoutSpareMeans(series: readonly Series[]): Series[] {
  const told = new Set(
    series.flatMap(({ entity, name, values }) =>
      name === 'http_latency_p95_seconds' && values.some((value) => Number.isFinite(value)) ? [entity] : [],
    ),
  )
  return series.filter(({ entity, name }) => name !== 'http_latency_mean_seconds' || !told.has(entity))
}

/** A ratio of a handful of requests says nothing: it is left out, with a gap that says how many there were. */
function withoutThinRatios({ session, step }: Ground, series: readonly Series[]): Series[] {
  const { window } = session.request
  const keyOf = ({ entity, labels }: Series): string => JSON.stringify([entity, labels])
  const requests = new Map(
    series
      .filter(({ name }) => name === 'http_requests_per_second')
      .map((each) => [keyOf(each), requestsIn(each, window, step)]),
  )
  return series.filter((each) => {
    const count = requests.get(keyOf(each)) ?? Number.POSITIVE_INFINITY
    if (each.name !== 'http_error_ratio' || count >= LEAST_REQUESTS) return true
    session.gap({
      what: `${session.reach.title}: error ratio of ${each.entity}`,
      why: `It rests on ${Math.round(count)} requests, fewer than ${LEAST_REQUESTS}, so it is left out.`,
      source: each.source,
    })
    return false
  })
}

/** Of a service that several families tell about, the first family counts. */
function firstOfEach(families: readonly (readonly Series[])[]): Series[] {
  const told = new Set<string>()
  return families.flatMap((series) => {
    const kept = series.filter(({ entity }) => !told.has(entity))
    for (const { entity } of kept) told.add(entity)
    return kept
  })
}

async function pullEdges(ground: Ground, family: EdgeFamily): Promise<Edge[]> {
  const { session, main, has, grouping } = ground
  const by = `${family.caller}, ${family.callee}`
  const step = Math.max(EDGE_INTERVAL_S, ground.step)
  const ask = (what: string, metric: string) => {
    const rate = `rate(${metric}[${grouping.rate}])`
    const { reporter } = family
    // Where both sides counted a call, it was one.
    const made =
      reporter === undefined
        ? `sum by (${by}) (${rate})`
        : `max by (${by}) (sum by (${by}, ${reporter}) (${rate}))`
    const query = `${made} * ${step}`
    return askRange(session, { what: `${session.reach.title}: ${what}`, query, window: main, step })
  }
  const { latency } = family
  const [calls, failed, sum, count] = await Promise.all([
    ask('calls between services', family.calls),
    ask('failed calls between services', family.failed),
    latency !== undefined && has(bare(latency.sum))
      ? ask('time of calls between services', latency.sum)
      : undefined,
    latency !== undefined && has(bare(latency.count))
      ? ask('timed calls between services', latency.count)
      : undefined,
  ])
  const edges = new Map<string, Edge>()
  const add = (
    range: Range | undefined,
    field: 'calls' | 'failed' | 'latency_sum_ms' | 'latency_count',
    factor = 1,
  ) => {
    for (const { labels, times, values } of range?.series ?? []) {
      const [caller, callee] = [labels[family.caller], labels[family.callee]]
      if (caller === undefined || callee === undefined || caller === '' || callee === '') continue
      times.forEach((at, index) => {
        const value = values[index]
        if (value === undefined || Number.isNaN(value)) return
        // A rate at an instant is about the time before it.
        const t0 = at - step * 1000
        const key = JSON.stringify([caller, callee, t0])
        const edge = edges.get(key) ?? { source: range?.source ?? '', caller, callee, t0, interval_s: step }
        edges.set(key, { ...edge, [field]: (edge[field] ?? 0) + value * factor })
      })
    }
  }
  add(calls, 'calls')
  add(failed, 'failed')
  add(sum, 'latency_sum_ms', latency?.milliseconds)
  add(count, 'latency_count')
  return [...edges.values()]
}

/** The stretches in which an alert fired. */
function alertsOf(ground: Ground, range: Range, rules: readonly AlertRule[]): Alert[] {
  const { step, main } = ground
  return range.series.flatMap(({ labels, times, values }) => {
    const { __name__: _, alertstate: __, alertname = 'alert without a name', ...rest } = labels
    const rule = rules.find(({ name }) => name === alertname)
    const now = rule?.alerts?.find((each) =>
      Object.entries(rest).every(([name, value]) => each.labels[name] === value),
    )
    const service = serviceOf(rest, ground.settings.service_label)
    const severity = rest.severity ?? rest.priority
    const { summary, description } = now?.annotations ?? {}
    const found: Alert[] = []
    let from = 0
    times.forEach((at, index) => {
      const next = times[index + 1]
      const goesOn = next !== undefined && next - at <= 3 * step * 1000
      if (goesOn) return
      const fired = times[from] ?? at
      // Firing at the last point is firing still.
      const resolved = at >= main.to - 2 * step * 1000 ? undefined : at
      from = index + 1
      const observed = now === undefined || resolved !== undefined ? Number.NaN : Number(now.value)
      found.push({
        source: range.source,
        name: alertname,
        fired_at: fired,
        labels: { alertname, ...rest },
        ...(service === undefined ? {} : { service }),
        ...(severity === undefined ? {} : { severity }),
        ...(resolved === undefined ? {} : { resolved_at: resolved }),
        ...(rule?.duration === undefined ? {} : { for_s: rule.duration }),
        ...(summary === undefined ? {} : { summary }),
        ...(description === undefined ? {} : { detail: description }),
        ...(Number.isFinite(observed) ? { observed } : {}),
      })
    })
    return values.length === 0 ? [] : found
  })
}

/** The expressions of the rules that fired, without their comparison, and once more by one more label. */
async function pullRules(
  ground: Ground,
  rules: readonly AlertRule[],
  alerts: readonly Alert[],
): Promise<Series[]> {
  const { session, grouping } = ground
  const firing = rules.filter(
    ({ name, state }) => state === 'firing' || alerts.some((alert) => alert.name === name),
  )
  const labelsOf = (rule: AlertRule): Readonly<Record<string, string>>[] =>
    [...(rule.alerts ?? []), ...alerts.filter(({ name }) => name === rule.name)].map(
      ({ labels = {} }) => labels,
    )
  const about = (rule: AlertRule): boolean => labelsOf(rule).some((labels) => ground.isAsked(labels))
  const inOrder = firing.toSorted((a, b) => Number(about(b)) - Number(about(a)) || order(a.name, b.name))
  if (inOrder.length > MOST_RULES) {
    session.gap({
      what: `${session.reach.title}: expressions of ${inOrder.length - MOST_RULES} more alerts`,
      why: `${MOST_RULES} are asked.`,
    })
  }
  const spread = /\bpod\b/.test(grouping.by) ? 'instance' : 'pod'
  const pulled = await Promise.all(
    inOrder.slice(0, MOST_RULES).flatMap((rule) => {
      const { name, query } = rule
      const measured = measuredBy(query)
      // What it makes of several metrics, or of some calls of one, is what the alert is called for.
      const shown = plainMeasure(measured) ?? { name, type: 'gauge' as const }
      const wide = widenedBy(measured, spread) ?? widenedBy(measured, 'instance')
      const services = new Set(
        labelsOf(rule).map((labels) => serviceOf(labels, ground.settings.service_label)),
      )
      const [service, ...others] = services
      return [measured, ...(wide === undefined ? [] : [wide])].map(async (text) => {
        const series = await pullQuery(ground, shown, text, { seasonal: text === measured })
        // What is added up over everything keeps no label: it is about what the alert is about.
        return service === undefined || others.length > 0
          ? series
          : series.map((one) => (one.entity === UNKNOWN ? { ...one, entity: service } : one))
      })
    }),
  )
  return pulled.flat()
}

/** A new value of a label that names a version: something was put in place. */
function versionChanges(ground: Ground, label: string, range: Range): Change[] {
  const { main, step } = ground
  const byEntity = new Map<string, { value: string; first: number; last: number }[]>()
  for (const { labels, times } of range.series) {
    const entity = entityOf(ground, labels)
    const value = labels[label]
    if (entity === undefined || value === undefined || value === '') continue
    const seen = byEntity.get(entity) ?? []
    seen.push({ value, first: times[0] ?? 0, last: times.at(-1) ?? 0 })
    byEntity.set(entity, seen)
  }
  return [...byEntity].flatMap(([entity, seen]) =>
    seen.flatMap(({ value, first }) => {
      // What was there at the first point was there before.
      if (first <= main.from + 2 * step * 1000) return []
      const before = seen
        .filter((other) => other.value !== value && other.first < first)
        .toSorted((a, b) => b.last - a.last)[0]
      if (before === undefined) return []
      return [
        {
          source: range.source,
          id: `${entity} ${label} ${value}`,
          recorded_at: first,
          // It began at some time after the point before; it is whole when the version before is gone.
          effective_at: { from: first - step * 1000, to: Math.max(first, before.last) },
          kind: 'deploy' as const,
          entity,
          title: `${label} of ${entity} became ${value}`,
          before: before.value,
          after: value,
          certainty: 'inferred' as const,
        },
      ]
    }),
  )
}

async function pullVersions(ground: Ground): Promise<Change[]> {
  const { session, main, step, grouping, has } = ground
  const pulled = await Promise.all(
    VERSIONS.filter(({ needs }) => has(needs)).map(async ({ label, query }) => {
      const range = await askRange(session, {
        what: `${session.reach.title}: ${label}s that run`,
        query: query(grouping),
        window: main,
        step,
      })
      return range === undefined ? [] : versionChanges(ground, label, range)
    }),
  )
  return pulled.flat()
}

/** The services that series are about, with the names that labels give them. */
function entitiesOf(ground: Ground, series: readonly Series[]): Entity[] {
  const found = new Map<string, { aliases: Map<string, string>; namespaces: Set<string> }>()
  for (const { entity, labels } of series) {
    const service = serviceOf(labels, ground.settings.service_label)
    if (service !== entity) continue
    const known = found.get(entity) ?? { aliases: new Map<string, string>(), namespaces: new Set<string>() }
    for (const name of [ground.settings.service_label ?? '', ...SERVICE_LABELS]) {
      const alias = labels[name]
      // A job or a container shared by many would join what does not belong together.
      if (alias === undefined || alias === '' || serviceOf({ [name]: alias }) === undefined) continue
      if (alias !== entity) known.aliases.set(alias, `label ${name} in ${ground.session.reach.title}`)
    }
    if (labels.namespace !== undefined) known.namespaces.add(labels.namespace)
    found.set(entity, known)
  }
  const shared = Map.groupBy(
    [...found].flatMap(([name, { aliases }]) => [...aliases.keys()].map((alias) => ({ alias, name }))),
    ({ alias }) => alias,
  )
  return [...found].map(([name, { aliases, namespaces }]) => {
    const [namespace, ...others] = namespaces
    return {
      name,
      kind: 'service' as const,
      ...(namespace !== undefined && others.length === 0 ? { namespace } : {}),
      aliases: [...aliases]
        .filter(([alias]) => shared.get(alias)?.length === 1 && !found.has(alias))
        .map(([alias, learnt_from]) => ({ alias, learnt_from })),
    }
  })
}

/**
 * Pulls from a metrics store that speaks Prometheus' API, with no configuration: the alerts' own expressions, requests,
 * errors and durations by the usual names, saturation, calls between services, versions that run.
 */
export async function pullMetrics(session: ToolSession, settings: MetricsSettings): Promise<Partial<Pulled>> {
  const { title } = session.reach
  const ground = await lookAround(session, settings)
  const { main, step, has, grouping } = ground
  const [rules, history] = await Promise.all([
    askRules(session),
    askRange(session, {
      what: `${title}: history of alerts`,
      query: 'ALERTS{alertstate="firing"}',
      window: main,
      step,
      prefer: ground.isAsked,
    }),
  ])
  const alerts = history === undefined ? [] : alertsOf(ground, history, rules)
  const families = familiesOf(has)
  if (families.length > MOST_FAMILIES) {
    session.gap({
      what: `${title}: ${families
        .slice(MOST_FAMILIES)
        .map(({ count }) => count)
        .join(', ')}`,
      why: `${MOST_FAMILIES} families of request metrics are asked.`,
    })
  }
  const saturation = SATURATION.filter(
    ({ needs, some }) => needs.every(has) && (some === undefined || some.some(has)),
  )
  if (saturation.length > MOST_SATURATION) {
    session.gap({
      what: `${title}: ${saturation
        .slice(MOST_SATURATION)
        .map(({ name }) => name)
        .join(', ')}`,
      why: `${MOST_SATURATION} queries of saturation are asked.`,
    })
  }
  const own = pullRules(ground, rules, alerts)
  const configured = Object.entries(settings.queries).map(([name, query]) =>
    pullQuery(ground, { name, type: 'gauge' }, query, { seasonal: true }),
  )
  const red = families.slice(0, MOST_FAMILIES).map((family) => pullFamily(ground, family))
  const edges = EDGE_FAMILIES.filter(({ calls }) => has(bare(calls))).map((family) =>
    pullEdges(ground, family),
  )
  const changes = pullVersions(ground)
  const saturated = saturation
    .slice(0, MOST_SATURATION)
    .map((query) => pullQuery(ground, query, query.query(grouping)))
  const series = [
    ...(await own),
    ...(await Promise.all(configured)).flat(),
    ...firstOfEach(await Promise.all(red)),
    ...(await Promise.all(saturated)).flat(),
  ]
  // Where the names were not told, that is the gap: nobody knows which metrics there are.
  if (families.length === 0 && ground.knowsNames) {
    session.gap({
      what: `${title}: rates, errors and durations`,
      why: 'No metric of requests by a usual name exists; `queries` in the settings can name others.',
    })
  }
  return {
    alerts,
    series,
    edges: (await Promise.all(edges)).flat(),
    changes: await changes,
    entities: entitiesOf(ground, series),
  }
}
