import { afterEach, describe, expect, it } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { type GuardedRequest, guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { awsEndpoint, externalIdFor } from '#shared/adapters/tools/aws-access.ts'
import { cloudwatchTool, entityOf } from '#shared/adapters/tools/cloudwatch.ts'
import type { ToolDeps } from '#shared/adapters/tools/tool-request.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { type Change, NOTHING_PULLED } from '#shared/domain/investigation/records/snapshot.ts'
import { type Canned, closeAfterTest, pullRequest, type Seen, serveTool } from './tool-server.ts'

const at = (text: string): number => Date.parse(text)
const TO = at('2026-03-10T13:00:00Z')
const never = new AbortController().signal
const ROLE = 'arn:aws:iam::123456789012:role/iis-reader-shop'
const SECRET = 'own-s3cr3t-0f-th3-r0l3'
const ASSUMED = 'assum3d-s3cr3t-0f-th3-r0l3'

const seconds = (text: string): number => at(text) / 1000
const alarm = (name: string, change: object = {}) => ({
  AlarmName: name,
  StateValue: 'ALARM',
  StateReason: 'Threshold Crossed',
  StateTransitionedTimestamp: seconds('2026-03-10T12:10:00Z'),
  Namespace: 'AWS/Lambda',
  MetricName: 'Errors',
  Dimensions: [{ Name: 'FunctionName', Value: 'checkout' }],
  Statistic: 'Sum',
  Period: 60,
  EvaluationPeriods: 3,
  Threshold: 5,
  ...change,
})
const update = (name: string, time: string, state: string) => ({
  AlarmName: name,
  Timestamp: seconds(time),
  HistoryData: JSON.stringify({ newState: { stateValue: state, stateReason: `is ${state}` } }),
})
const credentials = (secret: string) =>
  JSON.stringify({
    AssumeRoleResponse: {
      AssumeRoleResult: {
        Credentials: { AccessKeyId: 'ASIA1', SecretAccessKey: secret, SessionToken: 'token-of-the-session' },
      },
    },
  })

type Route = Canned | ((json: Readonly<Record<string, unknown>>) => Canned)
const actionOf = ({ headers, path, search }: Seen): string =>
  headers['x-amz-target']?.toString().split('.')[1] ?? search.get('Action') ?? path.split('/').at(-1) ?? ''

async function cloudwatch(routes: Readonly<Record<string, Route>> = {}, deps: Partial<ToolDeps> = {}) {
  let polls = 0
  const all: Readonly<Record<string, Route>> = {
    AssumeRole: { body: credentials(ASSUMED) },
    DescribeAlarms: ({ NextToken }) => ({
      body:
        NextToken === undefined
          ? { MetricAlarms: [alarm('errors')], CompositeAlarms: [], NextToken: 'n' }
          : {
              MetricAlarms: [
                alarm('TargetTracking-service'),
                alarm('scales', { AlarmActions: ['arn:aws:autoscaling:x'] }),
                alarm('long since', { StateTransitionedTimestamp: seconds('2026-03-01T00:00:00Z') }),
                alarm('calm', { StateValue: 'OK', StateTransitionedTimestamp: 1 }),
              ],
            },
    }),
    DescribeAlarmHistory: {
      body: {
        AlarmHistoryItems: [
          update('errors', '2026-03-10T12:10:00Z', 'ALARM'),
          update('errors', '2026-03-10T12:30:00Z', 'OK'),
          update('nobody knows', '2026-03-10T12:30:00Z', 'ALARM'),
          { AlarmName: 'errors', Timestamp: 1, HistoryData: 'no json' },
        ],
      },
    },
    ListMetrics: ({ Namespace }) => ({
      body: {
        Metrics:
          Namespace === 'AWS/Lambda'
            ? [
                {
                  Namespace,
                  MetricName: 'Duration',
                  Dimensions: [{ Name: 'FunctionName', Value: 'checkout' }],
                },
                {
                  Namespace,
                  MetricName: 'Errors',
                  Dimensions: [{ Name: 'FunctionName', Value: 'checkout' }],
                },
                { Namespace, MetricName: 'Else', Dimensions: [{ Name: 'FunctionName', Value: 'checkout' }] },
                {
                  Namespace,
                  MetricName: 'Errors',
                  Dimensions: [
                    { Name: 'FunctionName', Value: 'checkout' },
                    { Name: 'Resource', Value: 'checkout:1' },
                  ],
                },
              ]
            : [],
      },
    }),
    GetMetricData: ({ MetricDataQueries, StartTime }) => ({
      body: {
        MetricDataResults: (MetricDataQueries as { Id: string }[]).map(({ Id }) => ({
          Id,
          Label: Id,
          Timestamps: [StartTime],
          Values: [7],
          StatusCode: 'Complete',
        })),
      },
    }),
    StartQuery: ({ queryString }) => ({
      body: { queryId: String(queryString).includes('stats') ? 'count' : 'lines' },
    }),
    GetQueryResults: ({ queryId }) => {
      polls += 1
      if (polls === 1) return { body: { status: 'Running', results: [] } }
      const row =
        queryId === 'count'
          ? { 'bin(1m)': '2026-03-10 12:01:00.000', '@log': '123456789012:/aws/lambda/checkout', lines: '4' }
          : {
              '@timestamp': '2026-03-10 12:01:02.345',
              '@message': 'ERROR card refused',
              '@log': '123456789012:/aws/lambda/checkout',
            }
      return {
        body: {
          status: 'Complete',
          results: [Object.entries(row).map(([field, value]) => ({ field, value }))],
          statistics: { recordsMatched: queryId === 'count' ? 1 : 9 },
        },
      }
    },
    TraceSummaries: { body: { TraceSummaries: [] } },
    DescribeEvents: { body: { events: [] } },
    ServiceGraph: {
      body: {
        Services: [
          {
            ReferenceId: 0,
            Name: 'shop',
            Edges: [
              {
                ReferenceId: 1,
                SummaryStatistics: {
                  TotalCount: 10,
                  FaultStatistics: { TotalCount: 4 },
                  TotalResponseTime: 2.5,
                },
              },
              { ReferenceId: 9 },
            ],
          },
          { ReferenceId: 1, Name: 'checkout' },
        ],
      },
    },
    ...routes,
  }
  const server = await serveTool((seen) => {
    const route = all[actionOf(seen)]
    return typeof route === 'function' ? route(seen.body.startsWith('{') ? JSON.parse(seen.body) : {}) : route
  })
  const request = guardedRequest(localRules())
  closeAfterTest(server, request)
  const tool = cloudwatchTool({
    request,
    now: () => TO,
    wait: () => Promise.resolve(),
    ...deps,
    aws: {
      issuer: 'this-stack',
      credentials: () => ({ accessKeyId: 'AKIA1', secretAccessKey: SECRET, sessionToken: undefined }),
      endpoint: () => server.url,
    },
  })
  return { server, tool, config: { region: 'eu-central-1' } }
}
const pulled = async (routes?: Readonly<Record<string, Route>>, settings: object = {}) => {
  const { server, tool, config } = await cloudwatch(routes)
  return { ...(await tool.pull({ ...config, ...settings }, pullRequest(TO))), seen: server.seen }
}

describe('a pull', () => {
  it('brings alarms with when they went off and came back, autoscaling’s own left out', async () => {
    const { alerts, gaps } = await pulled()
    expect(gaps).toEqual([])
    expect(alerts).toMatchObject([
      { name: 'long since', fired_at: at('2026-03-01T00:00:00Z') },
      {
        name: 'errors',
        service: 'checkout',
        metric: 'Errors',
        threshold: 5,
        for_s: 180,
        fired_at: at('2026-03-10T12:10:00Z'),
        resolved_at: at('2026-03-10T12:30:00Z'),
        detail: 'is ALARM',
      },
    ])
  })

  it('brings what alarms watch and what AWS’s services report, each once, for the window and its baselines', async () => {
    const { series } = await pulled()
    expect(series.map(({ name, agg, window_of }) => `${name} ${agg} ${window_of}`)).toEqual([
      'Errors Sum incident',
      'Duration p95 incident',
      'Errors Sum b1',
      'Duration p95 b1',
    ])
    expect(series[0]).toMatchObject({
      entity: 'checkout',
      interval_s: 60,
      labels: { FunctionName: 'checkout', namespace: 'AWS/Lambda' },
      times: Float64Array.of(at('2026-03-10T12:00:00Z')),
      values: Float64Array.of(7),
    })
  })

  it('brings failing lines and their counts of the log groups that are named, and says what it left', async () => {
    const { logs, log_counts, gaps } = await pulled(
      {},
      {
        log_groups: ['/aws/lambda/checkout'],
        service_map: { '/aws/lambda/checkout': 'shop-checkout' },
      },
    )
    expect(logs).toMatchObject([
      { timestamp: at('2026-03-10T12:01:02.345Z'), service: 'shop-checkout', message: 'ERROR card refused' },
    ])
    expect(log_counts).toMatchObject([
      { service: 'shop-checkout', t0: at('2026-03-10T12:01:00Z'), count: 4 },
      { service: 'shop-checkout' },
    ])
    expect(gaps).toMatchObject([{ why: 'The first 1 of 9 lines are read.' }])
  })

  it('brings who called whom how often, in slices, so that what began within the window shows', async () => {
    const { edges } = await pulled()
    expect(edges.map(({ t0 }) => t0)).toEqual([
      ...Array.from({ length: 12 }, (_, at) => TO - 3_600_000 + at * 300_000),
      ...Array.from({ length: 6 }, (_, at) => TO - 3 * 3_600_000 + at * 600_000),
    ])
    expect(edges[0]).toMatchObject({
      caller: 'shop',
      callee: 'checkout',
      calls: 10,
      failed: 4,
      latency_sum_ms: 2500,
      latency_count: 10,
      interval_s: 300,
    })
  })

  const segment = (change: object = {}) =>
    JSON.stringify({
      id: 's1',
      name: 'shop',
      start_time: seconds('2026-03-10T12:05:00Z'),
      end_time: seconds('2026-03-10T12:05:00Z') + 0.25,
      fault: true,
      http: { request: { method: 'POST' }, response: { status: 500 } },
      cause: { exceptions: [{ type: 'CardRefused', message: 'x'.repeat(900) }] },
      subsegments: [
        {
          id: 's2',
          name: 'payments',
          start_time: 1,
          end_time: 1.5,
          throttle: true,
          error: true,
          cause: 's1',
        },
        { id: 's3', name: 'goes on', start_time: 1 },
        'nothing',
      ],
      ...change,
    })

  it('brings a few traces that failed, whole: what was thrown where, and who had called', async () => {
    const Documents = [
      segment(),
      segment({ id: 's9', parent_id: 's2', name: 'orders-queue', fault: false }),
      '{',
    ]
    const { spans, gaps, seen } = await pulled(
      {
        TraceSummaries: { body: { TraceSummaries: Array.from({ length: 9 }, (_, n) => ({ Id: `1-${n}` })) } },
        Traces: ({ TraceIds }) => ({
          body: {
            Traces: [
              { Id: (TraceIds as string[])[0], Segments: Documents.map((Document) => ({ Document })) },
            ],
          },
        }),
      },
      { service_map: { 'orders-queue': 'orders' } },
    )
    expect(JSON.parse(seen.find(({ path }) => path === '/Traces')?.body ?? '')).toEqual({
      TraceIds: ['1-0', '1-1', '1-2', '1-3', '1-4'],
    })
    const told = spans.map(({ span_id, parent_id, service, status, duration_us }) => ({
      span_id,
      parent_id,
      service,
      status,
      duration_us,
    }))
    expect(told).toEqual([
      { span_id: 's1', parent_id: null, service: 'shop', status: 'error', duration_us: 250_000 },
      { span_id: 's2', parent_id: 's1', service: 'payments', status: 'error', duration_us: 500_000 },
      { span_id: 's9', parent_id: 's2', service: 'orders', status: 'ok', duration_us: 250_000 },
      { span_id: 's2', parent_id: 's9', service: 'payments', status: 'error', duration_us: 500_000 },
    ])
    expect(spans[0]).toMatchObject({
      trace_id: '1-0',
      start: at('2026-03-10T12:05:00Z'),
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 500,
        'exception.type': 'CardRefused',
        'exception.message': 'x'.repeat(500),
      },
    })
    expect(spans[1]?.attributes).toEqual({ 'error.throttled': true })
    expect(gaps.map(({ why }) => why)).toContain('3 segments could not be read.')
  })

  it.each([
    ['TraceSummaries', 'traces that failed'],
    ['Traces', '1 traces that failed, whole'],
    ['DescribeEvents', 'AWS Health'],
  ])('says of a strange answer to %s that it cannot be read', async (action, what) => {
    const some = { TraceSummaries: { body: { TraceSummaries: [{ Id: '1-0' }] } } }
    const { gaps } = await pulled({ ...some, [action]: { body: { strange: true } } })
    expect(gaps.map((gap) => gap.what)).toContain(`CloudWatch: ${what}`)
  })

  it('brings what AWS says of its own services, and nothing where the account may not ask', async () => {
    const event = (category: string, change: object = {}) => ({
      service: 'ECS',
      eventTypeCode: 'AWS_ECS_OPERATIONAL_ISSUE',
      eventTypeCategory: category,
      startTime: seconds('2026-03-10T12:00:00Z'),
      ...change,
    })
    const events = [
      event('issue', { endTime: seconds('2026-03-10T12:30:00Z') }),
      event('accountNotification'),
      event('scheduledChange'),
    ]
    const { status, seen } = await pulled({ DescribeEvents: { body: { events } } })
    const begun = {
      timestamp: at('2026-03-10T12:00:00Z'),
      status: 'investigating',
      detail: 'AWS_ECS_OPERATIONAL_ISSUE',
    }
    expect(status.map(({ provider, component, events: told }) => ({ provider, component, told }))).toEqual([
      {
        provider: 'AWS',
        component: 'ECS',
        told: [begun, { ...begun, timestamp: at('2026-03-10T12:30:00Z'), status: 'resolved' }],
      },
      { provider: 'AWS', component: 'ECS', told: [begun] },
    ])
    const asked = seen.find(({ headers }) => headers['x-amz-target'] === 'AWSHealth_20160804.DescribeEvents')
    expect(asked?.headers.authorization).toContain('/us-east-1/health/aws4_request')
    for (const code of [400, 403]) {
      const denied = { status: code, body: { __type: 'SubscriptionRequiredException' } }
      const without = await pulled({ DescribeEvents: denied })
      expect([without.status, without.gaps.filter(({ what }) => what.includes('Health'))]).toEqual([[], []])
    }
  })

  it('signs each request for its service and region, and repeats no credential', async () => {
    const { seen, ...rest } = await pulled({ DescribeAlarms: { body: { MetricAlarms: [alarm(SECRET)] } } })
    const scopes = new Set(
      seen.map(
        ({ headers }) =>
          /Credential=AKIA1\/\d{8}\/([^,]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1],
      ),
    )
    // AWS Health answers in one region for all of them.
    expect(scopes).toEqual(new Set(['eu-central-1/monitoring', 'eu-central-1/xray', 'us-east-1/health']))
    expect(JSON.stringify(rest)).not.toContain(SECRET)
    expect(JSON.stringify(rest)).toContain('[redacted]')
  })

  it('reads another account by a role, assumed once with the external id of this deployment', async () => {
    const { server, tool, config } = await cloudwatch()
    const other = { ...config, role_arn: ROLE }
    await tool.pull(other, pullRequest(TO))
    await tool.pull(other, pullRequest(TO))
    const assumed = server.seen.filter((seen) => actionOf(seen) === 'AssumeRole')
    expect(assumed).toHaveLength(1)
    expect(assumed[0]?.search.get('ExternalId')).toBe(externalIdFor('this-stack', ROLE))
    const signed = server.seen.filter((seen) => actionOf(seen) !== 'AssumeRole')
    expect(signed.every(({ headers }) => headers['x-amz-security-token'] === 'token-of-the-session')).toBe(
      true,
    )
  })

  it.each([
    [
      'a role is refused',
      { AssumeRole: { status: 403, body: '<Error/>' } },
      { role_arn: ROLE },
      'refuses access',
    ],
    ['a role’s answer is none', { AssumeRole: { body: 'hello' } }, { role_arn: ROLE }, 'are no credentials'],
    ['settings are wrong', {}, { region: 'nowhere' }, 'must be a region'],
    [
      'a query ends badly',
      { GetQueryResults: { body: { status: 'Failed', results: [] } } },
      { log_groups: ['a'] },
      'The query ended as Failed.',
    ],
    [
      'a query’s results are none',
      { GetQueryResults: { body: {} } },
      { log_groups: ['a'] },
      'not what was asked for',
    ],
    [
      'results cannot be had',
      { GetQueryResults: { status: 400, body: {} } },
      { log_groups: ['a'] },
      'could not be asked for',
    ],
    ['a query does not start', { StartQuery: { body: {} } }, { log_groups: ['a'] }, 'not what was asked for'],
    [
      'points are missing',
      { GetMetricData: { body: { MetricDataResults: [], NextToken: 'n' } } },
      {},
      'Only a part',
    ],
    [
      'answers are others',
      { DescribeAlarms: { body: [] }, ListMetrics: { body: [] }, ServiceGraph: { body: [] } },
      {},
      'not what was asked for',
    ],
    [
      'metrics are many',
      {
        ListMetrics: ({ Namespace }: Readonly<Record<string, unknown>>) => ({
          body: {
            Metrics: Array.from({ length: Namespace === 'AWS/SQS' ? 41 : 0 }, (_, index) => ({
              Namespace,
              MetricName: 'ApproximateAgeOfOldestMessage',
              Dimensions: [{ Name: 'QueueName', Value: `q${index}` }],
            })),
          },
        }),
      },
      {},
      '40 of 41 are asked for.',
    ],
  ] as [string, Readonly<Record<string, Route>>, object, string][])(
    'says in a gap that %s',
    async (_, routes, settings, why) => {
      const { gaps } = await pulled(routes, settings)
      expect(gaps.map((gap) => gap.why).join()).toContain(why)
    },
  )
})

describe('an entity', () => {
  it.each([
    [[{ Name: 'LoadBalancer', Value: 'app/shop/0123456789abcdef' }], 'shop'],
    [[{ Name: 'TargetGroup', Value: 'targetgroup/checkout/0123456789abcdef' }], 'checkout'],
    [
      [
        { Name: 'ClusterName', Value: 'c' },
        { Name: 'ServiceName', Value: 'pay' },
      ],
      'pay',
    ],
    [[{ Name: 'QueueName', Value: 'orders' }], 'order-queue'],
    [[], 'Errors'],
  ])('is named by dimensions %j', (Dimensions, entity) => {
    expect(entityOf({ MetricName: 'Errors', Dimensions }, { orders: 'order-queue' })).toBe(entity)
  })
})

describe('a check', () => {
  it('is connected where alarms and metrics can be read', async () => {
    const { tool, config } = await cloudwatch()
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: null })
    expect(await tool.check({ ...config, role_arn: ROLE }, never)).toEqual({
      status: 'connected',
      detail: null,
    })
  })

  it('tells the external id that the trust policy must name where a role is refused', async () => {
    const { tool, config } = await cloudwatch({ AssumeRole: { status: 403, body: '<Error/>' } })
    await expect(tool.check({ ...config, role_arn: ROLE }, never)).rejects.toMatchObject({
      details: {
        field: 'config.role_arn',
        reason: expect.stringContaining(externalIdFor('this-stack', ROLE)),
      },
    })
  })

  it('makes another external id for another deployment and another role', () => {
    const ids = [externalIdFor('a', ROLE), externalIdFor('b', ROLE), externalIdFor('a', `${ROLE}2`)]
    expect(new Set(ids).size).toBe(3)
  })

  it.each([
    ['region', { region: 'Frankfurt' }, {}],
    ['role_arn', { role_arn: 'arn:aws:iam::123456789012:role/Admin' }, {}],
    [
      'region',
      {},
      { DescribeAlarms: { status: 400, body: { __type: 'AccessDeniedException', message: 'no' } } },
    ],
    ['role_arn', { role_arn: ROLE }, { DescribeAlarms: { status: 403, body: { message: 'no' } } }],
  ] as [string, object, Readonly<Record<string, Route>>][])(
    'refuses by the name of %s: %j',
    async (field, change, routes) => {
      const { tool, config } = await cloudwatch(routes)
      await expect(tool.check({ ...config, ...change }, never)).rejects.toMatchObject({
        details: { field: `config.${field}` },
      })
    },
  )

  it.each([
    [{ DescribeAlarms: { status: 500, body: {} } }, 'has trouble'],
    [{ DescribeAlarms: { body: [] } }, 'does not answer like CloudWatch'],
    [{ AssumeRole: { status: 500, body: '' } }, 'has trouble'],
  ] as [Readonly<Record<string, Route>>, string][])(
    'is an error when it meets %j',
    async (routes, detail) => {
      const { tool, config } = await cloudwatch(routes)
      expect(await tool.check({ ...config, role_arn: ROLE }, never)).toMatchObject({
        status: 'error',
        detail: expect.stringContaining(detail),
      })
    },
  )

  it('is degraded where metrics cannot be listed', async () => {
    const { tool, config } = await cloudwatch({ ListMetrics: { status: 400, body: { message: 'no' } } })
    expect((await tool.check(config, never)).status).toBe('degraded')
  })
})

/** What is measured each minute, by metric, thing and instant (ms); undefined where AWS writes no sample. */
type Measured = (metric: string, of: string, instant: number) => number | undefined

interface Query {
  readonly Id: string
  readonly MetricStat: {
    readonly Metric: { readonly MetricName: string; readonly Dimensions: readonly { Value: string }[] }
  }
}

/** Answers as CloudWatch does to metrics of these names by dimensions, minute by minute. */
const measuring = (
  listed: Readonly<Record<string, readonly (readonly [metric: string, ...dimensions: string[]])[]>>,
  measured: Measured,
): Readonly<Record<string, Route>> => ({
  ListMetrics: ({ Namespace, Dimensions }) => ({
    body: {
      Metrics: (listed[String(Namespace)] ?? [])
        .map(([MetricName, ...dimensions]) => ({
          Namespace,
          MetricName,
          Dimensions: dimensions.map((one) => {
            const [Name, Value] = one.split('=')
            return { Name, Value }
          }),
        }))
        .filter((one) =>
          one.Dimensions.some(({ Name }) => Name === (Dimensions as { Name: string }[])[0]?.Name),
        ),
    },
  }),
  GetMetricData: ({ MetricDataQueries, StartTime, EndTime }) => ({
    body: {
      MetricDataResults: (MetricDataQueries as Query[]).map(({ Id, MetricStat: { Metric } }) => {
        const told: [number, number][] = []
        for (let second = Math.ceil(Number(StartTime) / 60) * 60; second < Number(EndTime); second += 60) {
          const value = measured(Metric.MetricName, Metric.Dimensions[0]?.Value ?? '', second * 1000)
          if (value !== undefined) told.push([second, value])
        }
        const [Timestamps, Values] = [told.map(([at]) => at), told.map(([, value]) => value)]
        return { Id, Timestamps, Values, StatusCode: 'Complete' }
      }),
    },
  }),
  DescribeAlarms: { body: { MetricAlarms: [] } },
  DescribeAlarmHistory: { body: { AlarmHistoryItems: [] } },
})

describe('what AWS’s services report', () => {
  const ONSET = TO - 20 * 60_000
  const table = [
    ['ThrottledRequests', 'TableName=orders-table', 'Operation=PutItem'],
    ['WriteThrottleEvents', 'TableName=orders-table'],
    ['SuccessfulRequestLatency', 'TableName=orders-table', 'Operation=PutItem'],
    ['WriteThrottleEvents', 'TableName=orders-table', 'GlobalSecondaryIndexName=by-day'],
  ] as const
  const named = (series: readonly { readonly name: string; readonly entity: string }[]): string[] =>
    [...new Set(series.map(({ name, entity }) => `${entity} ${name}`))].sort()

  it('is read of tables by operation, which is how they are told', async () => {
    const { series } = await pulled(measuring({ 'AWS/DynamoDB': table }, () => 1))
    expect(named(series)).toEqual([
      'orders-table SuccessfulRequestLatency',
      'orders-table ThrottledRequests',
      'orders-table WriteThrottleEvents',
    ])
    expect(series.some(({ labels }) => 'GlobalSecondaryIndexName' in labels)).toBe(false)
    expect(series.find(({ name }) => name === 'SuccessfulRequestLatency')).toMatchObject({ unit: 'ms' })
  })

  it('is read of what a load balancer answers itself, and of HTTP APIs by their own names', async () => {
    const { series } = await pulled(
      measuring(
        {
          'AWS/ApplicationELB': [
            ['RequestCount', 'LoadBalancer=app/shop/0123456789abcdef'],
            ['HTTPCode_ELB_5XX_Count', 'LoadBalancer=app/shop/0123456789abcdef'],
            [
              'HTTPCode_ELB_5XX_Count',
              'LoadBalancer=app/shop/0123456789abcdef',
              'AvailabilityZone=eu-central-1a',
            ],
            [
              'TargetResponseTime',
              'TargetGroup=targetgroup/web/0123456789abcdef',
              'LoadBalancer=app/shop/0123456789abcdef',
            ],
          ],
          'AWS/ApiGateway': [
            ['5xx', 'ApiId=a1b2c3'],
            ['5xx', 'ApiId=a1b2c3', 'Stage=$default'],
          ],
        },
        () => 1,
      ),
      { service_map: { a1b2c3: 'web-api' } },
    )
    expect(named(series)).toEqual([
      'shop HTTPCode_ELB_5XX_Count',
      'shop RequestCount',
      'web TargetResponseTime',
      'web-api 5xx',
    ])
    expect(series.find(({ name }) => name === 'TargetResponseTime')).toMatchObject({ unit: 's', agg: 'p95' })
  })

  it('is 0 where AWS writes a sample only of what is more, up to the last that was told, and else not measured', async () => {
    const { series } = await pulled(
      measuring({ 'AWS/DynamoDB': table }, (metric, _, instant) =>
        metric === 'SuccessfulRequestLatency'
          ? instant % 120_000 === 0
            ? 4
            : undefined
          : instant >= ONSET && instant < TO - 300_000
            ? 7
            : undefined,
      ),
    )
    const throttled = series.filter(({ name }) => name === 'ThrottledRequests')
    expect(throttled.map(({ window_of }) => window_of)).toEqual(['incident', 'b1'])
    const [incident, before] = throttled
    expect(new Set(before?.values)).toEqual(new Set([0]))
    expect(before?.times).toHaveLength(60)
    expect([incident?.values[0], incident?.values[45], incident?.values.at(-1)]).toEqual([0, 7, 0])
    // What happened in the last two minutes may not be told yet.
    expect(incident?.times.at(-1)).toBe(TO - 120_000)
    const latency = series.find(({ name }) => name === 'SuccessfulRequestLatency')
    expect(latency?.times).toHaveLength(30)
  })

  it('is listed page by page, and what is left is a gap', async () => {
    let pages = 0
    const { seen, gaps } = await pulled({
      ListMetrics: ({ Namespace }) => ({
        body: { Metrics: [], ...(Namespace === 'AWS/SQS' ? { NextToken: `page ${++pages}` } : {}) },
      }),
    })
    const asked = seen.filter((one) => actionOf(one) === 'ListMetrics' && one.body.includes('AWS/SQS'))
    expect(asked.map(({ body }) => (JSON.parse(body) as { NextToken?: string }).NextToken)).toEqual([
      undefined,
      'page 1',
      'page 2',
      'page 3',
    ])
    expect(gaps).toMatchObject([
      { what: 'CloudWatch: metrics of AWS/SQS by QueueName', why: 'The first 4 pages are read.' },
    ])
  })

  it('of an older incident is listed whether or not it was active lately', async () => {
    const { server, tool, config } = await cloudwatch()
    await tool.pull(config, pullRequest(TO))
    await tool.pull(config, pullRequest(TO - 24 * 3_600_000))
    const recently = server.seen
      .filter((one) => actionOf(one) === 'ListMetrics')
      .map(({ body }) => (JSON.parse(body) as { RecentlyActive?: string }).RecentlyActive)
    expect(recently.filter((one) => one === 'PT3H')).toHaveLength(recently.length / 2)
    expect(new Set(recently)).toEqual(new Set(['PT3H', undefined]))
  })

  it('reads what an alarm on an expression is made of, and whom it is about', async () => {
    const part = (MetricName: string) => ({
      MetricStat: {
        Metric: {
          Namespace: 'AWS/Lambda',
          MetricName,
          Dimensions: [{ Name: 'FunctionName', Value: 'checkout' }],
        },
        Stat: 'Sum',
        Period: 60,
      },
    })
    const own = { MetricName: undefined, Namespace: undefined, Dimensions: undefined }
    const { alerts, series } = await pulled({
      DescribeAlarms: {
        body: {
          MetricAlarms: [
            alarm('share of errors', {
              ...own,
              Metrics: [{ Id: 'e', Expression: 'm1 / m2' }, part('Errors'), part('Invocations')],
            }),
          ],
          CompositeAlarms: [
            {
              AlarmName: 'all of it',
              StateValue: 'ALARM',
              StateTransitionedTimestamp: seconds('2026-03-10T12:11:00Z'),
            },
          ],
        },
      },
      DescribeAlarmHistory: { body: { AlarmHistoryItems: [] } },
    })
    expect(alerts.map(({ name, service }) => [name, service])).toEqual([
      ['share of errors', 'checkout'],
      ['all of it', undefined],
    ])
    expect(named(series)).toEqual(['checkout Duration', 'checkout Errors', 'checkout Invocations'])
  })

  it('counts calls that were throttled as failed, and those that the caller got wrong as answered', async () => {
    const of = {
      TotalCount: 10,
      FaultStatistics: { TotalCount: 1 },
      ErrorStatistics: { ThrottleCount: 3, OtherCount: 2, TotalCount: 5 },
    }
    const { edges } = await pulled({
      ServiceGraph: {
        body: {
          Services: [
            { ReferenceId: 0, Name: 'orders', Edges: [{ ReferenceId: 1, SummaryStatistics: of }] },
            { ReferenceId: 1, Name: 'orders-table', Type: 'AWS::DynamoDB::Table' },
          ],
        },
      },
    })
    expect(edges[0]).toMatchObject({ caller: 'orders', callee: 'orders-table', calls: 10, failed: 4 })
  })

  it('takes lines of a cluster’s log group for those of their containers, as their libraries write them', async () => {
    const line = {
      '@timestamp': '2026-03-10 12:01:02.345',
      '@message': JSON.stringify({ log: 'ERROR no connection', kubernetes: { container_name: 'orders' } }),
      '@log': '123456789012:/aws/containerinsights/shop/application',
      'kubernetes.container_name': 'orders',
    }
    const count = { ...line, 'bin(1m)': '2026-03-10 12:01:00.000', lines: '4' }
    const { logs, log_counts, seen } = await pulled(
      {
        GetQueryResults: ({ queryId }) => ({
          body: {
            status: 'Complete',
            results: [
              Object.entries(queryId === 'count' ? count : line).map(([field, value]) => ({ field, value })),
            ],
          },
        }),
      },
      { log_groups: ['/aws/containerinsights/shop/application'] },
    )
    expect(logs).toMatchObject([{ service: 'orders', severity: 'error', message: 'ERROR no connection' }])
    expect(log_counts[0]).toMatchObject({ service: 'orders', count: 4 })
    const asked = seen.filter((one) => actionOf(one) === 'StartQuery').map(({ body }) => body)
    expect(asked.every((body) => body.includes('kubernetes.container_name'))).toBe(true)
  })

  it('leads the engine from the API to the table that throttles, and to the deploy before it', async () => {
    const { tool, config } = await cloudwatch({
      ...measuring(
        {
          'AWS/ApiGateway': [
            ['Count', 'ApiName=web'],
            ['5XXError', 'ApiName=web'],
            ['Latency', 'ApiName=web'],
          ],
          'AWS/Lambda': ['Invocations', 'Errors', 'Duration', 'Throttles'].map(
            (metric) => [metric, 'FunctionName=orders'] as const,
          ),
          'AWS/DynamoDB': table,
        },
        (metric, of, instant) => {
          const bad = instant >= ONSET
          // Traffic breathes a little.
          const breath = Math.round(10 * Math.sin(instant / 150_000))
          if (/^(Count|Invocations)$/.test(metric)) return 600 + breath
          if (/^(5XXError|Errors)$/.test(metric)) return bad ? 240 : 0
          if (metric === 'Throttles') return 0
          if (metric === 'SuccessfulRequestLatency') return 5 + breath / 20
          if (/Throttle/.test(metric)) return bad ? 300 : undefined
          return (bad ? 900 : 80) + breath / (of === 'web' ? 2 : 3)
        },
      ),
      ServiceGraph: ({ EndTime }) => {
        const bad = Number(EndTime) * 1000 > ONSET
        const share = Number(EndTime) * 1000 > TO - 3_600_000 ? 1 : 2
        const calls = (ReferenceId: number, failed: number) => ({
          ReferenceId,
          SummaryStatistics: {
            TotalCount: share * 3000,
            FaultStatistics: { TotalCount: ReferenceId === 2 || !bad ? 0 : failed },
            ErrorStatistics: { ThrottleCount: ReferenceId === 2 && bad ? failed : 0 },
            TotalResponseTime: share * 300,
          },
        })
        return {
          body: {
            Services: [
              { ReferenceId: 0, Name: 'web', Edges: [calls(1, 1200)] },
              { ReferenceId: 1, Name: 'orders', Edges: [calls(2, 1500)] },
              { ReferenceId: 2, Name: 'orders-table', Type: 'AWS::DynamoDB::Table' },
            ],
          },
        }
      },
      DescribeAlarms: {
        body: {
          MetricAlarms: [
            alarm('web 5xx', {
              Namespace: 'AWS/ApiGateway',
              MetricName: '5XXError',
              Dimensions: [{ Name: 'ApiName', Value: 'web' }],
              StateTransitionedTimestamp: (ONSET + 180_000) / 1000,
            }),
          ],
        },
      },
    })
    const request = pullRequest(TO, { service: 'web' })
    const told = await tool.pull(config, request)
    const deploy: Change = {
      source: 'deploys',
      id: 'd-17',
      kind: 'deploy',
      entity: 'orders',
      recorded_at: ONSET - 60_000,
      effective_at: { from: ONSET - 60_000, to: ONSET - 60_000 },
      title: 'orders 1.9.0',
      certainty: 'recorded',
    }
    const snapshot = mergePulled(request.window, request.baselines, [
      told,
      { ...NOTHING_PULLED, changes: [deploy] },
    ])
    const findings = investigate(snapshot, { service: 'web' })
    expect(findings.first_failing_service).toBe('orders-table')
    expect(findings.cause).toMatchObject({ level: 'change', entity: 'orders', change: 'd-17' })
  })
})

describe('an endpoint', () => {
  const before = process.env.AWS_ENDPOINT_URL_CLOUDWATCH
  afterEach(() => {
    if (before === undefined) delete process.env.AWS_ENDPOINT_URL_CLOUDWATCH
    else process.env.AWS_ENDPOINT_URL_CLOUDWATCH = before
  })

  it('is where the environment says, else where AWS has it', () => {
    process.env.AWS_ENDPOINT_URL_CLOUDWATCH = 'http://127.0.0.1:4566/'
    expect([
      awsEndpoint('monitoring', 'eu-central-1'),
      awsEndpoint('xray', 'eu-central-1'),
      awsEndpoint('logs', 'cn-north-1'),
      awsEndpoint('logs', 'eusc-de-east-1'),
    ]).toEqual([
      'http://127.0.0.1:4566',
      'https://xray.eu-central-1.amazonaws.com',
      'https://logs.cn-north-1.amazonaws.com.cn',
      'https://logs.eusc-de-east-1.amazonaws.eu',
    ])
  })
})

describe('a query of logs', () => {
  const RUNNING = { body: { status: 'Running', results: [] } }
  const GROUPS = { log_groups: ['/aws/lambda/checkout'] }
  /** A pull that is aborted as soon as `when` says so. */
  const abortedPull = async (
    when: { readonly polled?: true; readonly waiting?: true },
    routes: Readonly<Record<string, Route>> = {},
    request?: GuardedRequest,
  ) => {
    const abort = new AbortController()
    const { server, tool, config } = await cloudwatch(
      {
        GetQueryResults: () => {
          if (when.polled) abort.abort()
          return RUNNING
        },
        StopQuery: { body: { success: true } },
        ...routes,
      },
      {
        wait: async () => {
          if (when.waiting) abort.abort()
        },
        ...(request === undefined ? {} : { request }),
      },
    )
    const pulled = await tool.pull({ ...config, ...GROUPS }, pullRequest(TO, { signal: abort.signal }))
    const stopped = server.seen.filter((seen) => actionOf(seen) === 'StopQuery')
    return {
      gaps: pulled.gaps,
      sources: pulled.sources,
      stopped: stopped.map(({ body }) => JSON.parse(body)),
    }
  }
  const EACH = [{ queryId: 'count' }, { queryId: 'count' }, { queryId: 'lines' }]
  const byId = (queries: readonly { queryId: string }[]) =>
    queries.toSorted((a, b) => a.queryId.localeCompare(b.queryId))

  it.each([
    ['between two looks at it', { waiting: true }],
    ['while it is looked at', { polled: true }],
  ] as const)('that the time of the pull ends %s is stopped', async (_, when) => {
    const { stopped, gaps } = await abortedPull(when)
    expect(byId(stopped)).toEqual(EACH)
    expect(gaps.map(({ why }) => why)).toContain('The query did not end in time.')
  })

  it('whose results cannot be read is stopped', async () => {
    const { seen } = await pulled(
      { GetQueryResults: { body: {} }, StopQuery: { body: { success: true } } },
      GROUPS,
    )
    expect(seen.filter((one) => actionOf(one) === 'StopQuery')).toHaveLength(3)
  })

  it('that has ended, well or badly, is not stopped', async () => {
    for (const routes of [{}, { GetQueryResults: { body: { status: 'Failed', results: [] } } }]) {
      const { seen } = await pulled(routes, GROUPS)
      expect(seen.filter((one) => actionOf(one) === 'StopQuery')).toEqual([])
    }
  })

  it('that has ended just before it is stopped leaves no word of that', async () => {
    const ended = { status: 400, body: { message: 'The query is not running.' } }
    const { gaps } = await abortedPull({ waiting: true }, { StopQuery: ended })
    expect(gaps.map(({ why }) => why).join()).not.toContain('stopped')
  })

  it('that may not be stopped is a gap that says why', async () => {
    const { gaps, sources } = await abortedPull(
      { waiting: true },
      { StopQuery: { status: 403, body: { message: 'no logs:StopQuery' } } },
    )
    const why =
      'The query did not end in time. It could not be stopped: CloudWatch refuses access (status 403): no logs:StopQuery'
    expect(gaps.map((gap) => gap.why)).toContain(why)
    expect(sources).toContainEqual(expect.objectContaining({ outcome: 'timed_out', detail: why }))
  })

  it('is stopped within the time in which a pull hands over what it has', async () => {
    const request = guardedRequest(localRules())
    closeAfterTest(request)
    const deadlines: number[] = []
    const watched: GuardedRequest = Object.assign(
      (one: Parameters<GuardedRequest>[0]) => {
        if (one.headers?.['x-amz-target']?.endsWith('StopQuery')) deadlines.push(one.deadlineMs)
        return request(one)
      },
      { close: () => request.close() },
    )
    await abortedPull({ waiting: true }, {}, watched)
    expect(deadlines).toHaveLength(3)
    expect(Math.max(...deadlines)).toBeLessThan(500)
  })
})
