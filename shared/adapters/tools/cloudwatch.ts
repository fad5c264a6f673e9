import type * as z from 'zod/mini'
import { namedByDimensions, nameInValue } from '#shared/domain/alerts/aws-names.ts'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig, PullRequest, Tool } from '#shared/domain/integration.ts'
import {
  type Alert,
  type Edge,
  type LogCount,
  type LogLine,
  NOTHING_PULLED,
  type ProviderStatus,
  type Pulled,
  type Series,
  type Span,
  type Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import {
  type AwsCredentials,
  type AwsDeps,
  awsReach,
  externalIdFor,
  READER_ROLE,
  RoleDenied,
  roleKeeper,
  signedQuestion,
} from './aws-access.ts'
import {
  alarmAnswer,
  alarmsAnswer,
  type CloudwatchAlarm,
  type CloudwatchMetric,
  graphService,
  healthEvent,
  historyData,
  historyItem,
  metricAnswer,
  metricDataResult,
  queryResults,
  queryStarted,
} from './cloudwatch-answers.ts'
import { KNOWN_NAMESPACES, knownMetric } from './cloudwatch-metrics.ts'
import { readLine, SLICES, slicesOf } from './log-lines.ts'
import { readEach } from './read-each.ts'
import { checkTool } from './tool-check.ts'
import { askTool, type Question, type ToolDeps, waitFor } from './tool-request.ts'
import { type Answered, type Asked, pullWith, type ToolSession, toolSession } from './tool-session.ts'
import { traceAnswer, traceSummary, xraySpans } from './xray-traces.ts'

const TITLE = 'CloudWatch'
/** Questions of one pull, polls of a running query of logs among them. */
const CAPS = { parallel: 6, requests: 80 }
/** Pages of alarms that are read, each of 100. */
const MAX_PAGES = 3
/** Metrics of one namespace that are asked for, and of all together: each costs a hundred-thousandth of a dollar. */
const MAX_OF_NAMESPACE = 40
const MAX_METRICS = 200
/** What happened so lately may not be told yet, in milliseconds. */
const DELAY_MS = 2 * 60_000
/** Pages of one namespace's metrics that are read, each of 500. */
const MAX_METRIC_PAGES = 4
/** Metrics that told something so lately can be listed alone, in milliseconds; without it those of two weeks are. */
const RECENTLY_MS = 3 * 3_600_000
/** Pages of the history of alarms that are read, each of 100. */
const MAX_HISTORY_PAGES = 3
/** Points of one series at most. */
const MAX_POINTS = 400
/** Lines of one query of logs. */
const MAX_LINES = 300
/** How long to wait before a query of logs is looked at again, in milliseconds. */
const POLL_MS = 500
/**
 * Time to stop a query of logs, in milliseconds: less than a pull that is told to stop has to hand over what it has. What
 * is asked only reaches AWS; nobody needs its answer.
 */
const STOP_MS = 300
const TARGETS = {
  monitoring: 'GraniteServiceVersion20100801',
  logs: 'Logs_20140328',
  health: 'AWSHealth_20160804',
} as const
/** AWS Health answers in one region for all of them. */
const HEALTH_REGION = 'us-east-1'
/** Health events are asked for from so long before the window on: a provider's outage begins before ours. */
const HEALTH_LEAD_MS = 24 * 3_600_000
/** Slices of normal time whose service graph is asked for: they only have to show what is usual. */
const BASELINE_SLICES = 6
/** Traces that failed and are read whole: as many as one call gives. */
const MOST_TRACES = 5
const FAILING = '/(?i)(error|exception|fatal|panic|timeout|timed out|refused|unavailable|denied|throttl)/'

/**
 * The container that wrote a line, where a cluster's log router says so.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-view-metrics.html
 */
const CONTAINER = 'kubernetes.container_name'

/** Events of AWS Health that can be why something is down; bills and notices cannot. */
const HEALTH_CATEGORIES: readonly string[] = ['issue', 'scheduledChange']

interface Settings {
  readonly region: string
  readonly roleArn: string | undefined
  readonly logGroups: readonly string[]
  /** Values of dimensions, and the services that they stand for. */
  readonly serviceMap: Readonly<Record<string, string>>
}

function settingsOf(config: IntegrationConfig): Settings {
  const { region, role_arn, log_groups, service_map } = config
  if (typeof region !== 'string' || !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    throw invalidField('config.region', 'must be a region, such as eu-central-1')
  }
  if (role_arn !== undefined && !READER_ROLE.test(String(role_arn))) {
    throw invalidField('config.role_arn', 'must be arn:aws:iam::ACCOUNT:role/iis-reader-NAME')
  }
  return {
    region,
    roleArn: role_arn === undefined ? undefined : String(role_arn),
    logGroups: Array.isArray(log_groups) ? (log_groups as readonly string[]) : [],
    serviceMap: (service_map ?? {}) as Readonly<Record<string, string>>,
  }
}

/** One way to ask AWS: the session, and whose credentials sign. */
interface Access {
  readonly session: ToolSession
  readonly settings: Settings
  readonly credentials: AwsCredentials
  readonly aws: AwsDeps
  readonly now: () => number
}

type Service = 'monitoring' | 'logs' | 'xray' | 'health'

const reachTo = (aws: AwsDeps, service: Service, region: string, credentials: AwsCredentials) =>
  awsReach(aws, { service, region, title: TITLE, tool: 'cloudwatch' }, credentials)

const headersFor = (service: Service, action: string): Readonly<Record<string, string>> =>
  service === 'xray'
    ? { 'content-type': 'application/json' }
    : {
        'content-type': `application/x-amz-json-${service === 'monitoring' ? '1.0' : '1.1'}`,
        'x-amz-target': `${TARGETS[service]}.${action}`,
      }

const questionOf = (service: Service, action: string, json: object): Question => ({
  path: service === 'xray' ? `/${action}` : '/',
  json,
  headers: headersFor(service, action),
})

/** Asks one action of a service within a pull. */
async function ask(
  { session, settings: { region }, credentials, aws, now }: Access,
  service: Service,
  action: string,
  json: object,
  asked: Pick<Asked, 'what' | 'window' | 'link' | 'empty'> & { readonly query?: string },
): Promise<Answered | undefined> {
  const place = service === 'health' ? HEALTH_REGION : region
  const reach = reachTo(aws, service, place, credentials)
  const question = await signedQuestion(
    questionOf(service, action, json),
    { base_url: reach.base_url, service, region: place },
    credentials,
    now(),
  )
  return session.by(reach).ask({ query: `${action} ${JSON.stringify(json)}`, ...asked, ...question })
}

const console = (region: string, path: string): string =>
  `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#${path}`

/** The service that dimensions stand for: as the settings map it, else by the first of them that names one. */
export function entityOf(
  { Dimensions = [], MetricName }: CloudwatchMetric,
  serviceMap: Readonly<Record<string, string>>,
): string {
  return namedBy(Dimensions, serviceMap) ?? MetricName ?? TITLE
}

/** The same of dimensions alone; undefined where there are none. */
function namedBy(
  Dimensions: NonNullable<CloudwatchMetric['Dimensions']>,
  serviceMap: Readonly<Record<string, string>>,
): string | undefined {
  for (const { Value } of Dimensions) if (serviceMap[Value] !== undefined) return serviceMap[Value]
  const [first] = Dimensions
  const named = namedByDimensions(Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])))
  return named ?? (first === undefined ? undefined : nameInValue(first.Value))
}

/** The service that an alarm is about; nothing of one that puts other alarms together, or whose metrics name none. */
function serviceOf(
  { MetricName, Dimensions = [], Metrics = [] }: CloudwatchAlarm,
  { serviceMap }: Settings,
): { readonly service?: string } {
  const all = [Dimensions, ...Metrics.map(({ MetricStat }) => MetricStat?.Metric.Dimensions ?? [])]
  const service = all.map((one) => namedBy(one, serviceMap)).find((one) => one !== undefined) ?? MetricName
  return service === undefined ? {} : { service }
}

async function pullAlarms(access: Access, window: Window): Promise<CloudwatchAlarm[]> {
  const { session } = access
  const what = `${TITLE}: alarms`
  const alarms: CloudwatchAlarm[] = []
  let token: string | undefined
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await ask(
      access,
      'monitoring',
      'DescribeAlarms',
      {
        MaxRecords: 100,
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
        ...(token ? { NextToken: token } : {}),
      },
      { what, link: console(access.settings.region, 'alarmsV2:') },
    )
    if (answer === undefined) break
    const read = alarmsAnswer.safeParse(answer.body)
    const all = read.success
      ? [...(read.data.MetricAlarms ?? []), ...(read.data.CompositeAlarms ?? [])]
      : undefined
    const items = readEach(session, answer, alarmAnswer, all) ?? []
    token = read.success ? (read.data.NextToken ?? undefined) : undefined
    const cut = token !== undefined && page === MAX_PAGES
    if (read.success) session.answered(answer, { items, ...(cut ? { outcome: 'cut' as const } : {}) })
    if (cut) session.gap({ what, why: `The first ${MAX_PAGES * 100} are read.`, source: answer.id })
    alarms.push(...items)
    if (token === undefined) break
  }
  // Autoscaling's own alarms fire in normal operation.
  const own = ({ AlarmName, AlarmActions = [] }: CloudwatchAlarm): boolean =>
    AlarmName.startsWith('TargetTracking-') || AlarmActions.some((action) => action.includes(':autoscaling:'))
  return alarms.filter(
    (alarm) =>
      !own(alarm) &&
      (alarm.StateValue === 'ALARM' ||
        (alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp ?? 0) >= window.from),
  )
}

/** Reads what an action lists, page by page; a gap says where pages are left. */
async function pagesOf<T extends object>(
  access: Access,
  action: string,
  json: object,
  { most, ...asked }: Pick<Asked, 'what' | 'window'> & { readonly most: number },
  read: (answer: Answered) => readonly T[] | undefined,
): Promise<{ readonly id: string; readonly items: readonly T[] }[]> {
  const { session } = access
  const pages: { readonly id: string; readonly items: readonly T[] }[] = []
  let token: string | undefined
  do {
    const more = token === undefined ? {} : { NextToken: token }
    const answer = await ask(access, 'monitoring', action, { ...json, ...more }, asked)
    const items = answer === undefined ? undefined : read(answer)
    if (answer === undefined || items === undefined) break
    const next = (answer.body as { NextToken?: unknown } | null)?.NextToken
    token = typeof next === 'string' && next !== '' ? next : undefined
    pages.push({ id: answer.id, items })
    const cut = token !== undefined && pages.length === most
    session.answered(answer, { items, ...(cut ? { outcome: 'cut' as const } : {}) })
    if (cut) session.gap({ what: asked.what, why: `The first ${most} pages are read.`, source: answer.id })
  } while (token !== undefined && pages.length < most)
  return pages
}

/** When alarms went off and came back within the window, by their history. */
async function pullHistory(
  access: Access,
  window: Window,
  alarms: readonly CloudwatchAlarm[],
): Promise<Alert[]> {
  const { session, settings } = access
  const known = new Map(alarms.map((alarm) => [alarm.AlarmName, alarm]))
  const alerts = new Map<string, Alert[]>()
  const alertOf = (
    alarm: CloudwatchAlarm,
    fired: number,
    source: string,
    reason: string | undefined,
  ): Alert => ({
    source,
    name: alarm.AlarmName,
    fired_at: fired,
    ...serviceOf(alarm, settings),
    ...(alarm.MetricName === undefined ? {} : { metric: alarm.MetricName }),
    ...(alarm.Threshold === undefined ? {} : { threshold: alarm.Threshold }),
    ...(alarm.AlarmDescription ? { summary: alarm.AlarmDescription } : {}),
    ...(reason === undefined ? {} : { detail: reason }),
    ...(alarm.Period === undefined ? {} : { for_s: alarm.Period * (alarm.EvaluationPeriods ?? 1) }),
  })
  const pages = await pagesOf(
    access,
    'DescribeAlarmHistory',
    {
      HistoryItemType: 'StateUpdate',
      StartDate: window.from / 1000,
      EndDate: window.to / 1000,
      MaxRecords: 100,
      ScanBy: 'TimestampAscending',
    },
    { what: `${TITLE}: history of alarms`, window, most: MAX_HISTORY_PAGES },
    (answer) => {
      const list = (answer.body as { AlarmHistoryItems?: unknown } | null)?.AlarmHistoryItems
      return readEach(session, answer, historyItem, list)
    },
  )
  const changes = pages.flatMap(({ id, items }) => items.map((item) => ({ ...item, source: id })))
  for (const { AlarmName, Timestamp, HistoryData, source } of changes.toSorted(
    (a, b) => a.Timestamp - b.Timestamp,
  )) {
    const alarm = known.get(AlarmName)
    const state = stateIn(HistoryData)
    if (alarm === undefined || state === undefined) continue
    const own = alerts.get(AlarmName) ?? []
    alerts.set(AlarmName, own)
    const last = own.at(-1)
    if (state.stateValue === 'ALARM') own.push(alertOf(alarm, Timestamp, source, state.stateReason))
    else if (last !== undefined && last.resolved_at === undefined && state.stateValue === 'OK') {
      own[own.length - 1] = { ...last, resolved_at: Timestamp }
    }
  }
  const source =
    pages[0]?.id ?? session.sources.find(({ query }) => query.startsWith('DescribeAlarms '))?.id ?? ''
  // What went off before the window stands in no history of it.
  const earlier = alarms.filter(
    ({ AlarmName, StateValue }) => StateValue === 'ALARM' && (alerts.get(AlarmName) ?? []).length === 0,
  )
  return [
    ...[...alerts.values()].flat(),
    ...earlier.flatMap((alarm) => {
      const at = alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp
      return at === undefined || at >= window.to ? [] : [alertOf(alarm, at, source, alarm.StateReason)]
    }),
  ].toSorted((a, b) => a.fired_at - b.fired_at || (a.name < b.name ? -1 : 1))
}

function stateIn(text: string | undefined) {
  try {
    const read = historyData.safeParse(JSON.parse(text ?? ''))
    return read.success ? read.data.newState : undefined
  } catch {
    return undefined
  }
}

/** One metric with how it is read over a period. */
interface Wanted {
  readonly metric: CloudwatchMetric
  readonly stat: string
}

/** What the services of AWS report, as far as somebody has it. */
async function discover(access: Access, { service, window }: PullRequest): Promise<Wanted[]> {
  // What was silent since an older incident is not listed as recently active.
  const recent = access.now() - window.from <= RECENTLY_MS ? { RecentlyActive: 'PT3H' } : {}
  const found = await Promise.all(
    KNOWN_NAMESPACES.map(async ({ namespace, of, beside = [], metrics }) => {
      const what = `${TITLE}: metrics of ${namespace} by ${of}`
      const pages = await pagesOf(
        access,
        'ListMetrics',
        { Namespace: namespace, Dimensions: [{ Name: of }], ...recent },
        { what, most: MAX_METRIC_PAGES },
        (answer) => {
          const list = (answer.body as { Metrics?: unknown } | null)?.Metrics
          return readEach(access.session, answer, metricAnswer, list)?.filter(
            ({ MetricName = '', Dimensions = [] }) =>
              metrics[MetricName] !== undefined &&
              Dimensions.every(({ Name }) => Name === of || beside.includes(Name)),
          )
        },
      )
      const known = pages.flatMap(({ items }) => items)
      const about = (metric: CloudwatchMetric) =>
        service !== null && entityOf(metric, access.settings.serviceMap).includes(service) ? 0 : 1
      const kept = known.toSorted((a, b) => about(a) - about(b)).slice(0, MAX_OF_NAMESPACE)
      if (kept.length < known.length) {
        access.session.gap({ what, why: `${kept.length} of ${known.length} are asked for.` })
      }
      return kept.map((metric) => ({ metric, stat: metrics[metric.MetricName ?? '']?.stat ?? 'Average' }))
    }),
  )
  return found.flat()
}

/** A period that keeps a window within the points of a series, as CloudWatch keeps them. */
const periodFor = ({ from, to }: Window): number =>
  Math.max(60, Math.ceil((to - from) / 1000 / MAX_POINTS / 60) * 60)

async function pullSeries(
  access: Access,
  request: PullRequest,
  wanted: readonly Wanted[],
): Promise<Series[]> {
  const { session, settings } = access
  const chosen = wanted.slice(0, MAX_METRICS)
  if (chosen.length < wanted.length) {
    session.gap({
      what: `${TITLE}: ${wanted.length - chosen.length} metrics`,
      why: `One investigation asks for at most ${MAX_METRICS}.`,
    })
  }
  if (chosen.length === 0) return []
  const spans = [{ ...request.window, name: 'incident' }, ...request.baselines]
  const found = await Promise.all(
    spans.map(async (span) => {
      const period = periodFor(span)
      const what = `${TITLE}: ${chosen.length} metrics (${span.name})`
      const answer = await ask(
        access,
        'monitoring',
        'GetMetricData',
        {
          StartTime: Math.floor(span.from / 1000),
          EndTime: Math.ceil(span.to / 1000),
          ScanBy: 'TimestampAscending',
          MetricDataQueries: chosen.map(({ metric, stat }, index) => ({
            Id: `m${index}`,
            MetricStat: { Metric: metric, Period: period, Stat: stat },
          })),
        },
        { what, window: { from: span.from, to: span.to }, link: console(settings.region, 'metricsV2:') },
      )
      if (answer === undefined) return []
      const body = answer.body as { MetricDataResults?: unknown; NextToken?: unknown } | null
      const read = readEach(session, answer, metricDataResult, body?.MetricDataResults)
      if (read === undefined) return []
      const cut =
        typeof body?.NextToken === 'string' || read.some(({ StatusCode }) => StatusCode === 'PartialData')
      session.answered(answer, { items: read, ...(cut ? { outcome: 'cut' as const } : {}) })
      if (cut) session.gap({ what, why: 'Only a part of the points came back.', source: answer.id })
      const told = Math.min(span.to, access.now() - DELAY_MS)
      const last = read.reduce((most, { Timestamps }) => Math.max(most, ...Timestamps.slice(-1)), told)
      return read.flatMap(({ Id, Timestamps, Values }): Series[] => {
        const one = chosen[Number(Id.slice(1))]
        if (one === undefined) return []
        const { metric, stat } = one
        const known = knownMetric(metric.Namespace, metric.MetricName ?? '')
        const points =
          known?.leaves_out_none === true && stat === 'Sum' && !cut
            ? withNone(
                { Timestamps, Values },
                { from: span.from, to: Math.min(last, span.to - 1) },
                period * 1000,
              )
            : { Timestamps, Values }
        if (points.Timestamps.length === 0) return []
        const labels = Object.fromEntries((metric.Dimensions ?? []).map(({ Name, Value }) => [Name, Value]))
        return [
          {
            source: answer.id,
            entity: entityOf(metric, settings.serviceMap),
            name: metric.MetricName ?? '',
            labels: { ...labels, ...(metric.Namespace ? { namespace: metric.Namespace } : {}) },
            type: 'gauge',
            agg: stat,
            ...(known?.unit === undefined ? {} : { unit: known.unit }),
            interval_s: period,
            query: `${metric.Namespace} ${metric.MetricName} ${stat} by ${JSON.stringify(labels)}`,
            window_of: span.name,
            times: Float64Array.from(points.Timestamps),
            values: Float64Array.from(points.Values),
          },
        ]
      })
    }),
  )
  return found.flat()
}

interface Points {
  readonly Timestamps: readonly number[]
  readonly Values: readonly number[]
}

/** Points of what is told only where it is more than 0, with the zeros up to the last that anything was told of. */
function withNone({ Timestamps, Values }: Points, { from, to }: Window, periodMs: number): Points {
  const told = new Map(Timestamps.map((at, index) => [at, Values[index] ?? 0]))
  const phase = (Timestamps[0] ?? 0) % periodMs
  const first = Math.ceil((from - phase) / periodMs) * periodMs + phase
  for (let at = first; at <= to; at += periodMs) if (!told.has(at)) told.set(at, 0)
  const all = [...told].toSorted(([a], [b]) => a - b)
  return { Timestamps: all.map(([at]) => at), Values: all.map(([, value]) => value) }
}

type QueryResults = z.infer<typeof queryResults>

/** How a query of logs went. */
type QueryEnd =
  | { readonly results: QueryResults }
  | {
      readonly outcome: 'failed' | 'timed_out'
      readonly why: string
      /** Whether it still runs, as far as is known. */
      readonly runs: boolean
    }

/** Looks at a query of logs until it has ended, as long as there is time. */
async function queryEnd(
  access: Access,
  query: z.infer<typeof queryStarted>,
  what: string,
  { wait, signal }: Waiting,
): Promise<QueryEnd> {
  while (!signal.aborted) {
    const answer = await ask(access, 'logs', 'GetQueryResults', query, { what })
    if (signal.aborted) break
    if (answer === undefined) {
      return { outcome: 'failed', why: 'The results could not be asked for.', runs: true }
    }
    const read = queryResults.safeParse(answer.body)
    if (!read.success) {
      return { outcome: 'failed', why: `What ${TITLE} answers is not what was asked for.`, runs: true }
    }
    const { status } = read.data
    if (status === 'Complete') return { results: read.data }
    if (!/^(Scheduled|Running|Unknown)$/.test(status)) {
      return { outcome: 'failed', why: `The query ended as ${status}.`, runs: false }
    }
    await wait(POLL_MS, signal)
  }
  return { outcome: 'timed_out', why: 'The query did not end in time.', runs: true }
}

/**
 * Stops a query of logs that nobody waits for any more: AWS charges for what it goes on to scan. Beside the session, whose
 * time may be up. Never rejects.
 * @returns why it may go on, if it may
 */
async function stopQuery(
  { settings: { region }, credentials, aws, now }: Access,
  query: z.infer<typeof queryStarted>,
  deps: ToolDeps,
): Promise<string | undefined> {
  const reach = reachTo(aws, 'logs', region, credentials)
  const question = await signedQuestion(
    questionOf('logs', 'StopQuery', query),
    { base_url: reach.base_url, service: 'logs', region },
    credentials,
    now(),
  )
  const answer = await askTool(deps, reach, question, STOP_MS, AbortSignal.timeout(STOP_MS))
  // What has ended meanwhile is rejected.
  return answer.ok || answer.kind === 'rejected' ? undefined : answer.why
}

/** How to wait, and until when. */
interface Waiting {
  readonly wait: NonNullable<ToolDeps['wait']>
  readonly signal: AbortSignal
}

/** Starts a query of logs and waits for its end, as long as there is time; one that goes on after that is stopped. */
async function runQuery(
  access: Access,
  asked: { readonly queryString: string; readonly window: Window; readonly what: string },
  deps: ToolDeps,
  signal: AbortSignal,
) {
  const { session, settings } = access
  const { what, window, queryString } = asked
  const start = await ask(
    access,
    'logs',
    'StartQuery',
    {
      logGroupNames: settings.logGroups,
      startTime: Math.floor(window.from / 1000),
      endTime: Math.floor(window.to / 1000),
      queryString,
    },
    { what, window, query: queryString, link: console(settings.region, 'logsV2:logs-insights') },
  )
  if (start === undefined) return undefined
  const fail = (outcome: 'failed' | 'timed_out', why: string) => {
    session.answered(start, { items: [], outcome, detail: why })
    session.gap({ what, why, source: start.id })
    return undefined
  }
  const started = queryStarted.safeParse(start.body)
  if (!started.success) return fail('failed', `What ${TITLE} answers is not what was asked for.`)
  const end = await queryEnd(access, started.data, what, { wait: deps.wait ?? waitFor, signal })
  if ('results' in end) {
    const { results, statistics } = end.results
    const rows = results.map((row) => Object.fromEntries(row.map(({ field, value = '' }) => [field, value])))
    return { rows, matched: statistics?.recordsMatched ?? rows.length, start }
  }
  const goesOn = end.runs ? await stopQuery(access, started.data, deps) : undefined
  return fail(end.outcome, goesOn === undefined ? end.why : `${end.why} It could not be stopped: ${goesOn}`)
}

/** `2026-03-10 12:00:00.000`, as Insights writes it, in UTC. */
const insightsInstant = (text: string | undefined): number => Date.parse(`${text?.replace(' ', 'T')}Z`)

async function pullLogs(
  access: Access,
  request: PullRequest,
  deps: ToolDeps,
): Promise<{ logs: LogLine[]; log_counts: LogCount[] }> {
  const { settings, session } = access
  if (settings.logGroups.length === 0) return { logs: [], log_counts: [] }
  const serviceIn = (row: Readonly<Record<string, string>>): string => {
    // `123456789012:/aws/lambda/checkout`
    const group = row['@log']?.replace(/^\d+:/, '') ?? settings.logGroups[0] ?? ''
    // A cluster's containers write into one group.
    const container = row[CONTAINER]
    if (container !== undefined && container !== '') return settings.serviceMap[container] ?? container
    return settings.serviceMap[group] ?? group.slice(group.lastIndexOf('/') + 1)
  }
  const run = (window: Window, what: string, queryString: string) =>
    runQuery(access, { window, what: `${TITLE}: ${what}`, queryString }, deps, request.signal)
  const baseline = request.baselines[0]
  const counting = `filter @message like ${FAILING} | stats count(*) as lines by bin(1m), @log, ${CONTAINER}`
  const spans = [request.window, ...(baseline === undefined ? [] : [baseline])]
  const [lines, ...counts] = await Promise.all([
    run(
      request.window,
      'failing log lines',
      `fields @timestamp, @message, @log, ${CONTAINER} | filter @message like ${FAILING} | sort @timestamp asc | limit ${MAX_LINES}`,
    ),
    ...spans.map((span, index) =>
      run(span, index === 0 ? 'counts of log lines' : 'counts of log lines before', counting),
    ),
  ])
  const logs = (lines?.rows ?? []).flatMap((row): LogLine[] => {
    const timestamp = insightsInstant(row['@timestamp'])
    if (lines === undefined || Number.isNaN(timestamp)) return []
    // Without a level of its own it is what was searched for.
    const line = readLine(row['@message'] ?? '', { level: 'error' })
    return [{ source: lines.start.id, timestamp, service: serviceIn(row), ...line }]
  })
  if (lines !== undefined) {
    const cut = lines.matched > lines.rows.length
    session.answered(lines.start, { items: logs, ...(cut ? { outcome: 'cut' as const } : {}) })
    if (cut) {
      const why = `The first ${lines.rows.length} of ${lines.matched} lines are read.`
      session.gap({ what: lines.start.asked.what, why, source: lines.start.id })
    }
  }
  const log_counts = counts.flatMap((counted): LogCount[] => {
    if (counted === undefined) return []
    const records = counted.rows.flatMap((row): LogCount[] => {
      const t0 = insightsInstant(row['bin(1m)'])
      if (Number.isNaN(t0)) return []
      const service = serviceIn(row)
      return [
        {
          source: counted.start.id,
          service,
          severity: 'error',
          t0,
          interval_s: 60,
          count: Number(row.lines),
        },
      ]
    })
    session.answered(counted.start, { items: records })
    return records
  })
  return { logs, log_counts }
}

/** Who called whom how often, by X-Ray's service graph: one graph tells a whole span as one number, so it is asked in slices. */
async function pullGraph(access: Access, request: PullRequest): Promise<Edge[]> {
  const [before] = request.baselines
  const spans = [
    ...slicesOf(request.window, SLICES).map((span) => ({ span, scope: '' })),
    ...(before === undefined
      ? []
      : slicesOf(before, BASELINE_SLICES).map((span) => ({ span, scope: ' before' }))),
  ]
  const found = await Promise.all(
    spans.map(async ({ span, scope }) => {
      const window = { from: span.from, to: span.to }
      const answer = await ask(
        access,
        'xray',
        'ServiceGraph',
        { StartTime: Math.floor(span.from / 1000), EndTime: Math.floor(span.to / 1000) },
        {
          what: `${TITLE}: service graph${scope}`,
          window,
          link: console(access.settings.region, 'xray:service-map/map'),
        },
      )
      if (answer === undefined) return []
      const list = (answer.body as { Services?: unknown } | null)?.Services
      const services = readEach(access.session, answer, graphService, list)
      if (services === undefined) return []
      const names = new Map(services.map(({ ReferenceId, Name }) => [ReferenceId, Name]))
      const edges = services.flatMap(({ Name, Edges = [] }) =>
        Edges.flatMap(({ ReferenceId, SummaryStatistics: of }): Edge[] => {
          const callee = names.get(ReferenceId)
          if (Name === undefined || callee === undefined) return []
          const { TotalCount, FaultStatistics, ErrorStatistics, TotalResponseTime } = of ?? {}
          // Who is throttled got no answer; other errors are the caller's own.
          const failed = (FaultStatistics?.TotalCount ?? 0) + (ErrorStatistics?.ThrottleCount ?? 0)
          const { serviceMap } = access.settings
          return [
            {
              source: answer.id,
              caller: serviceMap[Name] ?? Name,
              callee: serviceMap[callee] ?? callee,
              t0: span.from,
              interval_s: Math.round((span.to - span.from) / 1000),
              ...(TotalCount === undefined ? {} : { calls: TotalCount, failed }),
              ...(TotalResponseTime === undefined || TotalCount === undefined
                ? {}
                : { latency_sum_ms: TotalResponseTime * 1000, latency_count: TotalCount }),
            },
          ]
        }),
      )
      access.session.answered(answer, { items: edges })
      return edges
    }),
  )
  return found.flat()
}

/** A few of the traces that failed, whole: what was thrown where, and who had called. */
async function pullTraces(access: Access, { window }: PullRequest): Promise<Span[]> {
  const { session, settings } = access
  const asked = { window, link: console(settings.region, 'xray:traces/query') }
  const found = await ask(
    access,
    'xray',
    'TraceSummaries',
    {
      StartTime: Math.floor(window.from / 1000),
      EndTime: Math.floor(window.to / 1000),
      FilterExpression: 'fault = true',
      Sampling: true,
    },
    { what: `${TITLE}: traces that failed`, ...asked },
  )
  if (found === undefined) return []
  const summaries = (found.body as { TraceSummaries?: unknown } | null)?.TraceSummaries
  const ids = readEach(session, found, traceSummary, summaries)
  if (ids === undefined) return []
  session.answered(found, { items: ids })
  if (ids.length === 0) return []
  const what = `${TITLE}: ${Math.min(ids.length, MOST_TRACES)} traces that failed, whole`
  const TraceIds = ids.slice(0, MOST_TRACES).map(({ Id }) => Id)
  const answer = await ask(access, 'xray', 'Traces', { TraceIds }, { what, ...asked })
  if (answer === undefined) return []
  const traces = readEach(session, answer, traceAnswer, (answer.body as { Traces?: unknown } | null)?.Traces)
  if (traces === undefined) return []
  const read = traces.map((trace) => xraySpans(trace, answer.id, (name) => settings.serviceMap[name] ?? name))
  const spans = read.flatMap((trace) => trace.spans)
  const malformed = read.reduce((sum, trace) => sum + trace.malformed, 0)
  if (malformed > 0) session.gap({ what, why: `${malformed} segments could not be read.`, source: answer.id })
  session.answered(answer, { items: spans })
  return spans
}

/** What AWS says of its own services, where the account's support plan lets it ask. */
async function pullHealth(access: Access, { window }: PullRequest): Promise<ProviderStatus[]> {
  const { session, settings } = access
  const lead = { from: window.from - HEALTH_LEAD_MS, to: window.to }
  const answer = await ask(
    access,
    'health',
    'DescribeEvents',
    {
      filter: {
        regions: [settings.region, 'global'],
        eventTypeCategories: HEALTH_CATEGORIES,
        startTimes: [{ from: lead.from / 1000, to: lead.to / 1000 }],
      },
      maxResults: 100,
    },
    {
      what: `${TITLE}: AWS Health`,
      window: lead,
      link: 'https://health.console.aws.amazon.com/health/home#/account/event-log',
      // Most accounts and roles may not ask, which is no lack of theirs: what concerns them is also sent.
      empty: ['rejected', 'refused'],
    },
  )
  if (answer === undefined) return []
  const events = readEach(session, answer, healthEvent, (answer.body as { events?: unknown } | null)?.events)
  if (events === undefined) return []
  const told = events.filter(({ eventTypeCategory }) => HEALTH_CATEGORIES.includes(eventTypeCategory))
  session.answered(answer, { items: told })
  return told.map(({ service, eventTypeCode, startTime, endTime }) => ({
    source: answer.id,
    provider: 'AWS',
    component: service,
    events: [
      { timestamp: startTime, status: 'investigating', detail: eventTypeCode },
      ...(endTime === undefined ? [] : [{ timestamp: endTime, status: 'resolved', detail: eventTypeCode }]),
    ],
  }))
}

/** The metrics of an alarm, read as the alarm reads them: one, or those that its expression is made of. */
const alarmMetrics = ({
  Namespace,
  MetricName,
  Dimensions = [],
  ExtendedStatistic,
  Statistic,
  Metrics = [],
}: CloudwatchAlarm): Wanted[] => {
  const parts = Metrics.flatMap(({ MetricStat }): Wanted[] =>
    MetricStat === undefined ? [] : [{ metric: MetricStat.Metric, stat: MetricStat.Stat }],
  )
  if (Namespace === undefined || MetricName === undefined) return parts
  return [
    { metric: { Namespace, MetricName, Dimensions }, stat: ExtendedStatistic ?? Statistic ?? 'Average' },
    ...parts,
  ]
}

const sameMetric = ({ metric, stat }: Wanted): string =>
  JSON.stringify([metric.Namespace, metric.MetricName, metric.Dimensions, stat])

/**
 * CloudWatch: alarms with their history and their metrics, the usual metrics of AWS's services, failing lines of the
 * log groups that the settings name, and X-Ray's service graph. Another account is read by a role, assumed with an
 * external id of this deployment.
 */
export function cloudwatchTool(deps: ToolDeps & { readonly aws: AwsDeps }): Tool {
  const { aws } = deps
  const assume = roleKeeper(deps, aws)
  const credentialsFor = ({ roleArn, region }: Settings, signal: AbortSignal): Promise<AwsCredentials> =>
    roleArn === undefined ? Promise.resolve(aws.credentials()) : assume(roleArn, region, signal)

  return {
    async check(config, signal) {
      const settings = settingsOf(config)
      const { region, roleArn } = settings
      let credentials: AwsCredentials
      try {
        credentials = await credentialsFor(settings, signal)
      } catch (error) {
        const why = error instanceof RoleDenied ? error.message : 'The role could not be assumed.'
        if (roleArn === undefined || !(error instanceof RoleDenied && error.refused)) {
          return { status: 'error', detail: why }
        }
        throw invalidField(
          'config.role_arn',
          `cannot be assumed: its trust policy must allow this service with the external id ${externalIdFor(aws.issuer, roleArn)} (${why})`,
        )
      }
      const reach = reachTo(aws, 'monitoring', region, credentials)
      return checkTool(deps, reach, signal, async (look) => {
        const asking = async (service: Service, action: string, json: object) => {
          const at = reachTo(aws, service, region, credentials)
          const question = await signedQuestion(
            questionOf(service, action, json),
            { base_url: at.base_url, service, region },
            credentials,
            deps.now(),
          )
          return { at, question }
        }
        const first = await look.may(
          (await asking('monitoring', 'DescribeAlarms', { MaxRecords: 1 })).question,
        )
        if (!first.ok && (first.kind === 'refused' || first.kind === 'rejected')) {
          throw invalidField(roleArn === undefined ? 'config.region' : 'config.role_arn', first.why)
        }
        if (!first.ok) return look.fail(first.why)
        if (!alarmsAnswer.safeParse(first.body).success) {
          return look.fail('What answers at this address does not answer like CloudWatch.')
        }
        const metrics = await look.may(
          (await asking('monitoring', 'ListMetrics', { RecentlyActive: 'PT3H' })).question,
        )
        return { missing: metrics.ok ? [] : [`metrics cannot be listed: ${metrics.why}`] }
      })
    },

    async pull(config, request): Promise<Pulled> {
      let settings: Settings
      let credentials: AwsCredentials
      try {
        settings = settingsOf(config)
        credentials = await credentialsFor(settings, request.signal)
      } catch (error) {
        const why = error instanceof Error ? error.message : 'The role could not be assumed.'
        return { ...NOTHING_PULLED, gaps: [{ what: TITLE, why }] }
      }
      return pullWith(
        TITLE,
        () => toolSession(deps, reachTo(aws, 'monitoring', settings.region, credentials), request, CAPS),
        async (session) => {
          const access: Access = { session, settings, credentials, aws, now: deps.now }
          const [alarms, known, logs, edges, spans, status] = await Promise.all([
            pullAlarms(access, request.window),
            discover(access, request),
            pullLogs(access, request, deps),
            pullGraph(access, request),
            pullTraces(access, request),
            pullHealth(access, request),
          ])
          // What alarms watch comes first: where there is a cap, it ends with the others.
          const wanted = new Map(
            [...alarms.flatMap(alarmMetrics), ...known].map((one) => [sameMetric(one), one]),
          )
          const [alerts, series] = await Promise.all([
            pullHistory(access, request.window, alarms),
            pullSeries(access, request, [...wanted.values()]),
          ])
          return { alerts, series, ...logs, edges, spans, status }
        },
      )
    },
  }
}
