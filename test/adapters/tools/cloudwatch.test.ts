import { afterEach, describe, expect, it } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { awsEndpoint, externalIdFor } from '#shared/adapters/tools/aws-access.ts'
import { cloudwatchTool, entityOf } from '#shared/adapters/tools/cloudwatch.ts'
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

async function cloudwatch(routes: Readonly<Record<string, Route>> = {}) {
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

  it('brings who called whom how often', async () => {
    const { edges } = await pulled()
    expect(edges).toHaveLength(2)
    expect(edges[0]).toMatchObject({
      caller: 'shop',
      callee: 'checkout',
      calls: 10,
      failed: 4,
      latency_sum_ms: 2500,
      latency_count: 10,
      interval_s: 3600,
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
