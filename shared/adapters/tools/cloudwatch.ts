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
import { readEach } from './read-each.ts'
import { checkTool } from './tool-check.ts'
import type { Question, ToolDeps } from './tool-request.ts'
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
/** Points of one series at most. */
const MAX_POINTS = 400
/** Lines of one query of logs. */
const MAX_LINES = 300
/** How long to wait before a query of logs is looked at again, in milliseconds. */
const POLL_MS = 500
const TARGETS = {
  monitoring: 'GraniteServiceVersion20100801',
  logs: 'Logs_20140328',
  health: 'AWSHealth_20160804',
} as const
/** AWS Health answers in one region for all of them. */
const HEALTH_REGION = 'us-east-1'
/** Health events are asked for from so long before the window on: a provider's outage begins before ours. */
const HEALTH_LEAD_MS = 24 * 3_600_000
/** Traces that failed and are read whole: as many as one call gives. */
const MOST_TRACES = 5
const FAILING = '/(?i)(error|exception|fatal|panic|timeout|timed out|refused|unavailable|denied|throttl)/'

/** Events of AWS Health that can be why something is down; bills and notices cannot. */
const HEALTH_CATEGORIES: readonly string[] = ['issue', 'scheduledChange']

/** What is asked of the namespaces of AWS's own services without any configuration. */
const KNOWN: readonly {
  readonly namespace: string
  readonly of: string
  readonly metrics: Readonly<Record<string, string>>
}[] = [
  {
    namespace: 'AWS/ApplicationELB',
    of: 'TargetGroup',
    metrics: {
      RequestCount: 'Sum',
      HTTPCode_Target_5XX_Count: 'Sum',
      TargetResponseTime: 'p95',
      UnHealthyHostCount: 'Maximum',
    },
  },
  {
    namespace: 'AWS/Lambda',
    of: 'FunctionName',
    metrics: { Invocations: 'Sum', Errors: 'Sum', Duration: 'p95', Throttles: 'Sum' },
  },
  {
    namespace: 'AWS/ApiGateway',
    of: 'ApiName',
    metrics: { Count: 'Sum', '5XXError': 'Sum', Latency: 'p95' },
  },
  {
    namespace: 'AWS/ECS',
    of: 'ServiceName',
    metrics: { CPUUtilization: 'Average', MemoryUtilization: 'Average' },
  },
  {
    namespace: 'AWS/RDS',
    of: 'DBInstanceIdentifier',
    metrics: {
      CPUUtilization: 'Average',
      DatabaseConnections: 'Average',
      FreeStorageSpace: 'Minimum',
      ReadLatency: 'p95',
    },
  },
  {
    namespace: 'AWS/SQS',
    of: 'QueueName',
    metrics: { ApproximateAgeOfOldestMessage: 'Maximum', ApproximateNumberOfMessagesVisible: 'Maximum' },
  },
  { namespace: 'AWS/DynamoDB', of: 'TableName', metrics: { ThrottledRequests: 'Sum', SystemErrors: 'Sum' } },
  {
    namespace: 'AWS/ElastiCache',
    of: 'CacheClusterId',
    metrics: { EngineCPUUtilization: 'Average', Evictions: 'Sum', CurrConnections: 'Average' },
  },
]

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
  for (const { Value } of Dimensions) if (serviceMap[Value] !== undefined) return serviceMap[Value]
  const naming = [
    'ServiceName',
    'FunctionName',
    'TargetGroup',
    'LoadBalancer',
    'ApiName',
    'QueueName',
    'TableName',
  ]
  const named = naming.map((name) => Dimensions.find((each) => each.Name === name)).find((each) => each)
  const value = named?.Value ?? Dimensions[0]?.Value
  if (value === undefined) return MetricName ?? TITLE
  // `targetgroup/checkout/0123456789abcdef` and `app/checkout/0123456789abcdef` hold the name in the middle.
  return /^(?:targetgroup|app|net|gwy)\/([^/]+)\/[0-9a-f]+$/.exec(value)?.[1] ?? value
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

/** When alarms went off and came back within the window, by their history. */
async function pullHistory(
  access: Access,
  window: Window,
  alarms: readonly CloudwatchAlarm[],
): Promise<Alert[]> {
  const { session, settings } = access
  const answer = await ask(
    access,
    'monitoring',
    'DescribeAlarmHistory',
    {
      HistoryItemType: 'StateUpdate',
      StartDate: window.from / 1000,
      EndDate: window.to / 1000,
      MaxRecords: 100,
      ScanBy: 'TimestampAscending',
    },
    { what: `${TITLE}: history of alarms`, window },
  )
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
    service: entityOf(alarm, settings.serviceMap),
    ...(alarm.MetricName === undefined ? {} : { metric: alarm.MetricName }),
    ...(alarm.Threshold === undefined ? {} : { threshold: alarm.Threshold }),
    ...(alarm.AlarmDescription ? { summary: alarm.AlarmDescription } : {}),
    ...(reason === undefined ? {} : { detail: reason }),
    ...(alarm.Period === undefined ? {} : { for_s: alarm.Period * (alarm.EvaluationPeriods ?? 1) }),
  })
  if (answer !== undefined) {
    const list = (answer.body as { AlarmHistoryItems?: unknown } | null)?.AlarmHistoryItems
    const read = readEach(session, answer, historyItem, list)
    if (read !== undefined) session.answered(answer, { items: read })
    for (const { AlarmName, Timestamp, HistoryData } of (read ?? []).toSorted(
      (a, b) => a.Timestamp - b.Timestamp,
    )) {
      const alarm = known.get(AlarmName)
      const state = stateIn(HistoryData)
      if (alarm === undefined || state === undefined) continue
      const own = alerts.get(AlarmName) ?? []
      alerts.set(AlarmName, own)
      const last = own.at(-1)
      if (state.stateValue === 'ALARM') own.push(alertOf(alarm, Timestamp, answer.id, state.stateReason))
      else if (last !== undefined && last.resolved_at === undefined && state.stateValue === 'OK') {
        own[own.length - 1] = { ...last, resolved_at: Timestamp }
      }
    }
  }
  const source =
    answer?.id ?? session.sources.find(({ query }) => query.startsWith('DescribeAlarms '))?.id ?? ''
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
async function discover(access: Access, service: string | null): Promise<Wanted[]> {
  const found = await Promise.all(
    KNOWN.map(async ({ namespace, of, metrics }) => {
      const what = `${TITLE}: metrics of ${namespace}`
      const answer = await ask(
        access,
        'monitoring',
        'ListMetrics',
        { Namespace: namespace, Dimensions: [{ Name: of }], RecentlyActive: 'PT3H' },
        { what },
      )
      if (answer === undefined) return []
      const list = (answer.body as { Metrics?: unknown } | null)?.Metrics
      const read = readEach(access.session, answer, metricAnswer, list)
      if (read === undefined) return []
      const known = read.filter(({ MetricName = '', Dimensions = [] }) => {
        // One series for each thing, not another for each zone, version or pair of them.
        const extra = Dimensions.filter(
          ({ Name }) => Name !== of && Name !== 'LoadBalancer' && Name !== 'ClusterName',
        )
        return metrics[MetricName] !== undefined && extra.length === 0
      })
      const about = (metric: CloudwatchMetric) =>
        service !== null && entityOf(metric, access.settings.serviceMap).includes(service) ? 0 : 1
      const kept = known.toSorted((a, b) => about(a) - about(b)).slice(0, MAX_OF_NAMESPACE)
      access.session.answered(answer, { items: kept })
      if (kept.length < known.length) {
        access.session.gap({
          what,
          why: `${kept.length} of ${known.length} are asked for.`,
          source: answer.id,
        })
      }
      return kept.map((metric) => ({ metric, stat: metrics[metric.MetricName ?? ''] ?? 'Average' }))
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
      return read.flatMap(({ Id, Timestamps, Values }): Series[] => {
        const one = chosen[Number(Id.slice(1))]
        if (one === undefined || Timestamps.length === 0) return []
        const { metric, stat } = one
        const labels = Object.fromEntries((metric.Dimensions ?? []).map(({ Name, Value }) => [Name, Value]))
        return [
          {
            source: answer.id,
            entity: entityOf(metric, settings.serviceMap),
            name: metric.MetricName ?? '',
            labels: { ...labels, ...(metric.Namespace ? { namespace: metric.Namespace } : {}) },
            type: 'gauge',
            agg: stat,
            interval_s: period,
            query: `${metric.Namespace} ${metric.MetricName} ${stat} by ${JSON.stringify(labels)}`,
            window_of: span.name,
            times: Float64Array.from(Timestamps),
            values: Float64Array.from(Values),
          },
        ]
      })
    }),
  )
  return found.flat()
}

/** Starts a query of logs and waits for its end, as long as there is time. */
async function runQuery(
  access: Access,
  asked: { readonly queryString: string; readonly window: Window; readonly what: string },
  wait: (milliseconds: number) => Promise<void>,
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
  const started = queryStarted.safeParse(start.body)
  const fail = (why: string) => {
    session.answered(start, { items: [], outcome: 'failed', detail: why })
    session.gap({ what, why, source: start.id })
    return undefined
  }
  if (!started.success) return fail(`What ${TITLE} answers is not what was asked for.`)
  while (!signal.aborted) {
    const answer = await ask(access, 'logs', 'GetQueryResults', started.data, { what })
    if (answer === undefined) return fail('The results could not be asked for.')
    const read = queryResults.safeParse(answer.body)
    if (!read.success) return fail(`What ${TITLE} answers is not what was asked for.`)
    if (read.data.status === 'Complete') {
      const rows = read.data.results.map((row) =>
        Object.fromEntries(row.map(({ field, value = '' }) => [field, value])),
      )
      const matched = read.data.statistics?.recordsMatched ?? rows.length
      return { rows, matched, start }
    }
    if (!/^(Scheduled|Running|Unknown)$/.test(read.data.status))
      return fail(`The query ended as ${read.data.status}.`)
    await wait(POLL_MS)
  }
  session.answered(start, { items: [], outcome: 'timed_out', detail: 'The query did not end in time.' })
  session.gap({ what, why: 'The query did not end in time.', source: start.id })
  return undefined
}

/** `2026-03-10 12:00:00.000`, as Insights writes it, in UTC. */
const insightsInstant = (text: string | undefined): number => Date.parse(`${text?.replace(' ', 'T')}Z`)

async function pullLogs(
  access: Access,
  request: PullRequest,
  wait: (milliseconds: number) => Promise<void>,
): Promise<{ logs: LogLine[]; log_counts: LogCount[] }> {
  const { settings, session } = access
  if (settings.logGroups.length === 0) return { logs: [], log_counts: [] }
  const serviceOf = (log: string | undefined): string => {
    // `123456789012:/aws/lambda/checkout`
    const group = log?.replace(/^\d+:/, '') ?? settings.logGroups[0] ?? ''
    return settings.serviceMap[group] ?? group.slice(group.lastIndexOf('/') + 1)
  }
  const run = (window: Window, what: string, queryString: string) =>
    runQuery(access, { window, what: `${TITLE}: ${what}`, queryString }, wait, request.signal)
  const baseline = request.baselines[0]
  const counting = `filter @message like ${FAILING} | stats count(*) as lines by bin(1m), @log`
  const spans = [request.window, ...(baseline === undefined ? [] : [baseline])]
  const [lines, ...counts] = await Promise.all([
    run(
      request.window,
      'failing log lines',
      `fields @timestamp, @message, @log | filter @message like ${FAILING} | sort @timestamp asc | limit ${MAX_LINES}`,
    ),
    ...spans.map((span, index) =>
      run(span, index === 0 ? 'counts of log lines' : 'counts of log lines before', counting),
    ),
  ])
  const logs = (lines?.rows ?? []).flatMap((row): LogLine[] => {
    const timestamp = insightsInstant(row['@timestamp'])
    if (lines === undefined || Number.isNaN(timestamp)) return []
    const message = row['@message'] ?? ''
    return [
      { source: lines.start.id, timestamp, service: serviceOf(row['@log']), severity: 'error', message },
    ]
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
      const service = serviceOf(row['@log'])
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

/** Who called whom how often, by X-Ray's service graph. */
async function pullGraph(access: Access, request: PullRequest): Promise<Edge[]> {
  const spans = [request.window, ...request.baselines.slice(0, 1)]
  const found = await Promise.all(
    spans.map(async (span, index) => {
      const window = { from: span.from, to: span.to }
      const answer = await ask(
        access,
        'xray',
        'ServiceGraph',
        { StartTime: Math.floor(span.from / 1000), EndTime: Math.floor(span.to / 1000) },
        {
          what: `${TITLE}: service graph${index === 0 ? '' : ' before'}`,
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
          const { TotalCount, FaultStatistics, TotalResponseTime } = of ?? {}
          const { serviceMap } = access.settings
          return [
            {
              source: answer.id,
              caller: serviceMap[Name] ?? Name,
              callee: serviceMap[callee] ?? callee,
              t0: span.from,
              interval_s: Math.round((span.to - span.from) / 1000),
              ...(TotalCount === undefined
                ? {}
                : { calls: TotalCount, failed: FaultStatistics?.TotalCount ?? 0 }),
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

/** The metric of an alarm, read as the alarm reads it. */
const alarmMetric = (alarm: CloudwatchAlarm): Wanted[] => {
  const { Namespace, MetricName, Dimensions = [] } = alarm
  if (Namespace === undefined || MetricName === undefined) return []
  return [
    {
      metric: { Namespace, MetricName, Dimensions },
      stat: alarm.ExtendedStatistic ?? alarm.Statistic ?? 'Average',
    },
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
  const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

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
            discover(access, request.service),
            pullLogs(access, request, wait),
            pullGraph(access, request),
            pullTraces(access, request),
            pullHealth(access, request),
          ])
          // What alarms watch comes first: where there is a cap, it ends with the others.
          const wanted = new Map(
            [...alarms.flatMap(alarmMetric), ...known].map((one) => [sameMetric(one), one]),
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
