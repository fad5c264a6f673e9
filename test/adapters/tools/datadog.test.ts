import { describe, expect, it } from 'vitest'
import { datadogLimitedUntil, eventRecord, labelsOf, watchedQuery } from '#shared/adapters/tools/datadog.ts'
import { withCountedLines } from '#shared/domain/investigation/deviations/counted-lines.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { type Edge, NOTHING_PULLED, type Series } from '#shared/domain/investigation/records/snapshot.ts'
import { CANARY } from './sample-configs.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
} from './tool-server.ts'

const at = (text: string): number => Date.parse(text)
const TO = at('2026-03-10T13:00:00Z')
const never = new AbortController().signal

const seconds = (text: string): number => at(text) / 1000
const monitor = (change: object = {}) => ({
  id: 1,
  name: 'Checkout is slow',
  type: 'query alert',
  query: 'avg(last_5m):p95:trace.http.request{service:checkout} by {service} > 2.5',
  priority: 1,
  overall_state: 'Alert',
  tags: ['team:shop'],
  options: { thresholds: { critical: 2.5 } },
  state: {
    groups: {
      'service:checkout,env:prod': {
        status: 'Alert',
        last_triggered_ts: seconds('2026-03-10T12:10:00Z'),
        last_resolved_ts: seconds('2026-03-01T00:00:00Z'),
      },
      'service:pay': {
        status: 'OK',
        last_triggered_ts: seconds('2026-03-10T12:12:00Z'),
        last_resolved_ts: seconds('2026-03-10T12:20:00Z'),
      },
      'service:old': { last_triggered_ts: 1, last_resolved_ts: 2 },
      'service:never': { last_triggered_ts: null },
    },
  },
  ...change,
})
const series = (service: string) => ({
  metric: 'trace.http.request.hits',
  tag_set: [`service:${service}`],
  scope: `service:${service}`,
  interval: 20,
  unit: [{ name: 'request', short_name: 'req' }, null],
  pointlist: [
    [at('2026-03-10T12:00:00Z'), 4.5],
    [at('2026-03-10T12:00:20Z'), null],
  ],
})
const log = {
  id: 'l',
  attributes: {
    timestamp: '2026-03-10T12:05:00Z',
    service: 'checkout',
    status: 'error',
    message: 'card refused',
    host: 'h1',
    attributes: { dd: { trace_id: '77' } },
  },
}
const event = (title: string, change: object = {}) => ({
  id: `e-${title}`,
  attributes: {
    timestamp: '2026-03-10T12:02:00Z',
    message: title,
    tags: ['service:checkout', 'version:v2'],
    attributes: { title },
    ...change,
  },
})

type Route = Canned | ((seen: Seen) => Canned)
async function datadog(routes: Readonly<Record<string, Route>> = {}) {
  const all: Readonly<Record<string, Route>> = {
    '/api/v1/validate': { body: { valid: true } },
    '/api/v1/monitor': { body: [monitor()] },
    '/api/v1/metrics': {
      body: {
        metrics: [
          'trace.http.request',
          'trace.http.request.hits',
          'trace.http.request.errors',
          'system.cpu.user',
        ],
      },
    },
    '/api/v1/query': { body: { status: 'ok', series: [series('checkout'), series('pay')] } },
    '/api/v2/logs/events/search': { body: { data: [log], meta: {} } },
    '/api/v2/logs/analytics/aggregate': {
      body: {
        data: {
          buckets: [
            {
              by: { service: 'checkout', status: 'error' },
              computes: { c0: [{ time: '2026-03-10T12:00:00.000Z', value: 3 }] },
            },
          ],
        },
      },
    },
    '/api/v2/events/search': { body: { data: [event('Deployed v2'), event('Node drained')], meta: {} } },
    ...routes,
  }
  const server = await serveTool((seen) => {
    if (seen.headers['dd-api-key'] !== CANARY) return { status: 403, body: { errors: ['Forbidden'] } }
    if (seen.headers['dd-application-key'] !== CANARY && seen.path !== '/api/v1/validate') {
      return { status: 403, body: { errors: ['Forbidden'] } }
    }
    const route = all[seen.path]
    return typeof route === 'function' ? route(seen) : route
  })
  const tool = loopbackTool('datadog', { now: () => TO })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, api_key: CANARY, app_key: CANARY } }
}
const pulled = async (routes?: Readonly<Record<string, Route>>, service: string | null = null) => {
  const { server, tool, config } = await datadog(routes)
  return { ...(await tool.pull(config, pullRequest(TO, { service }))), seen: server.seen }
}

describe('a pull', () => {
  it('brings the groups of monitors that went off in the window, or still do', async () => {
    const { alerts, gaps } = await pulled()
    expect(gaps).toEqual([])
    expect(alerts).toMatchObject([
      {
        name: 'Checkout is slow',
        service: 'checkout',
        severity: 'P1',
        threshold: 2.5,
        fired_at: at('2026-03-10T12:10:00Z'),
        labels: { team: 'shop', env: 'prod', status: 'Alert' },
      },
      { service: 'pay', resolved_at: at('2026-03-10T12:20:00Z') },
    ])
    expect(alerts[0]?.resolved_at).toBeUndefined()
  })

  it('asks again what the monitors watch, and traffic by service, for the window and its baselines', async () => {
    const { series: found, seen } = await pulled()
    const queries = new Set(
      seen.flatMap(({ path, search }) => (path === '/api/v1/query' ? [search.get('query')] : [])),
    )
    expect([...queries]).toEqual(
      expect.arrayContaining([
        'sum:trace.http.request.hits{*} by {service}.as_rate()',
        'sum:trace.http.request.errors{*} by {service}.as_rate()',
        'p95:trace.http.request{*} by {service}',
        'p95:trace.http.request{service:checkout} by {service}',
      ]),
    )
    expect(
      found.find(({ name, entity }) => name === 'requests_per_second' && entity === 'checkout'),
    ).toMatchObject({
      type: 'rate',
      unit: 'req',
      interval_s: 20,
      window_of: 'incident',
      labels: { service: 'checkout' },
      values: Float64Array.of(4.5, Number.NaN),
    })
    expect(new Set(found.map(({ window_of }) => window_of))).toEqual(new Set(['incident', 'b1']))
  })

  it('brings lines from twelve equal slices of the window, of all that fail, and counts', async () => {
    const { logs, log_counts, seen } = await pulled({}, 'check"out')
    const searches = seen
      .filter(({ path }) => path === '/api/v2/logs/events/search')
      .map(({ body }) => JSON.parse(body))
    expect(searches.map(({ filter }) => filter.from).toSorted()[1]).toBe('2026-03-10T12:05:00.000Z')
    expect(searches).toHaveLength(12)
    expect(searches[0].filter.query).toBe(
      'status:(emergency OR alert OR critical OR error) OR (service:"checkout" status:warn)',
    )
    expect(logs[0]).toMatchObject({ service: 'checkout', severity: 'error', trace_id: '77', node: 'h1' })
    expect(log_counts[0]).toMatchObject({ service: 'checkout', severity: 'error', count: 3, interval_s: 60 })
  })

  it('takes an event that speaks of a deploy for a change, others for events', async () => {
    const { changes, events } = await pulled()
    expect(changes).toMatchObject([
      { id: 'e-Deployed v2', kind: 'deploy', entity: 'checkout', after: 'v2', certainty: 'inferred' },
    ])
    expect(events).toMatchObject([{ message: 'Node drained', service: 'checkout' }])
  })

  it('names everything that it leaves out', async () => {
    const many = Array.from({ length: 101 }, (_, index) => series(`s${index}`))
    const { gaps } = await pulled({
      '/api/v1/metrics': { body: { metrics: ['a', 'b', 'c', 'd', 'e'].map((name) => `trace.${name}.hits`) } },
      '/api/v1/query': { body: { series: many } },
      '/api/v2/events/search': { body: { data: [], meta: { page: { after: 'x' } } } },
      '/api/v2/logs/events/search': { body: { data: [log], meta: { page: { after: 'x' } } } },
      '/api/v1/monitor': {
        body: Array.from({ length: 9 }, (_, index) =>
          monitor({ id: index, name: `m${index}`, query: `avg(last_5m):avg:m${index}{*} > 1` }),
        ),
      },
    })
    const whats = gaps.map(({ what, why }) => `${what}: ${why}`).join('\n')
    expect(whats).toContain('traffic of 1 operations')
    expect(whats).toContain('100 of 101 series are kept.')
    expect(whats).toContain('Datadog: events: The newest 0 are read.')
    expect(whats).toContain('slice 12 of 12: The first 1 lines are read.')
    expect(whats).toContain('what 1 monitors watch')
  })

  it('stays away as long as a limit says in its own header', async () => {
    const { gaps } = await pulled({
      '/api/v1/monitor': { status: 429, headers: { 'x-ratelimit-reset': '600' }, body: {} },
    })
    expect(gaps.map(({ why }) => why).join()).toContain('until 2026-03-10T13:10:00.000Z')
  })

  it('says of answers of another kind that they could not be read', async () => {
    const { gaps } = await pulled({
      '/api/v1/metrics': { body: {} },
      '/api/v1/monitor': { body: {} },
      '/api/v2/logs/analytics/aggregate': { body: {} },
      '/api/v2/logs/events/search': { body: {} },
      '/api/v2/events/search': { body: {} },
    })
    expect(gaps.filter(({ why }) => why === 'What Datadog answers is not what was asked for.')).toHaveLength(
      17,
    )
  })
})

/** A query's series as Datadog answers: by tag, its value at an instant (ms); undefined where there is no point. */
type Metrics = (query: string) => Readonly<Record<string, (instant: number) => number | undefined>>

/** Answers queries minute by minute. */
const answering =
  (metrics: Metrics): Route =>
  ({ search }) => {
    const query = search.get('query') ?? ''
    const [from, to] = ['from', 'to'].map((name) => Number(search.get(name)) * 1000)
    const told = Object.entries(metrics(query)).map(([tag, at]) => {
      const pointlist: [number, number][] = []
      for (let instant = from ?? 0; instant < (to ?? 0); instant += 60_000) {
        const value = at(instant)
        if (value !== undefined) pointlist.push([instant, value])
      }
      const metric = /:([\w.]+)\{/.exec(query)?.[1] ?? query
      const time = [{ name: 'second', short_name: 's' }, null]
      return {
        ...{ metric, tag_set: [tag], scope: tag, interval: 60, pointlist },
        ...(/^p95/.test(query) ? { unit: time } : {}),
      }
    })
    return { body: { status: 'ok', series: told.filter(({ pointlist }) => pointlist.length > 0) } }
  }

describe('traffic', () => {
  const ONSET = TO - 20 * 60_000
  const metricsOf = (...operations: string[]): Canned => ({
    body: { metrics: operations.flatMap((name) => [`trace.${name}.hits`, `trace.${name}.errors`]) },
  })
  const named = (list: readonly Series[], name: string) => list.filter((one) => one.name === name)

  it('of a service is told once, by the operation that serves its requests, and not by what it asks of others', async () => {
    const { series: found, seen } = await pulled({
      '/api/v1/metrics': metricsOf(
        'spring.handler',
        'servlet.request',
        'http.client.request',
        'aws.http',
        'grpc.client',
      ),
      '/api/v1/query': answering(() => ({ 'service:orders': () => 5 })),
      '/api/v1/monitor': { body: [] },
    })
    expect(named(found, 'requests_per_second').map(({ query }) => query)).toEqual([
      'sum:trace.servlet.request.hits{*} by {service}.as_rate()',
      'sum:trace.servlet.request.hits{*} by {service}.as_rate()',
    ])
    expect(seen.some(({ search }) => /client|aws/.test(search.get('query') ?? ''))).toBe(false)
  })

  it('has no errors where calls are counted and no error is told', async () => {
    const { series: found } = await pulled({
      '/api/v1/metrics': metricsOf('express.request'),
      '/api/v1/query': answering((query) => ({
        'service:web': (instant) => (query.includes('errors') ? (instant < ONSET ? undefined : 2) : 5),
      })),
      '/api/v1/monitor': { body: [] },
    })
    const [incident, before] = named(found, 'errors_per_second')
    expect([incident?.window_of, before?.window_of]).toEqual(['incident', 'b1'])
    expect(before?.values).toEqual(new Float64Array(60))
    expect([incident?.values[39], incident?.values[40]]).toEqual([0, 2])
    expect(before?.query).toContain('.errors{')
  })

  it('of what a monitor watches is named by what is taken of it, and by the service that the query picks', async () => {
    const { series: found } = await pulled({
      '/api/v1/metrics': { body: { metrics: [] } },
      '/api/v1/query': ({ search }) => ({
        body: {
          series: [
            {
              metric: 'trace.http.request',
              tag_set: ['resource_name:get_/'],
              scope: 'resource_name:get_/,service:checkout',
              pointlist: [[Number(search.get('from')) * 1000, 0.4]],
            },
          ],
        },
      }),
    })
    expect(found[0]).toMatchObject({ name: 'trace.http.request.latency_p95', entity: 'checkout' })
  })

  it('of monitors beyond the first page is asked for', async () => {
    const all = Array.from({ length: 201 }, (_, id) => monitor({ id, name: `m${id}`, query: 'none' }))
    const { alerts, seen } = await pulled({
      '/api/v1/monitor': ({ search }) => {
        const page = Number(search.get('page'))
        return { body: all.slice(page * 200, (page + 1) * 200) }
      },
    })
    expect(seen.filter(({ path }) => path === '/api/v1/monitor')).toHaveLength(2)
    expect(alerts.some(({ name }) => name === 'm200')).toBe(true)
  })

  it('leads the engine to the store whose queries fail, and to the deploy before it', async () => {
    const breath = (instant: number): number => Math.sin(instant / 150_000)
    const asked: Readonly<Record<string, readonly string[]>> = {
      'express.request': ['service:web'],
      'servlet.request': ['service:orders'],
      'postgres.query': ['service:orders-db'],
    }
    const { tool, config } = await datadog({
      '/api/v1/metrics': metricsOf(...Object.keys(asked), 'http.client.request'),
      '/api/v1/query': answering((query) => {
        const operation = /trace\.(.+?)(?:\.hits|\.errors)?\{/.exec(query)?.[1] ?? ''
        return Object.fromEntries(
          (asked[operation] ?? []).map((tag) => [
            tag,
            (instant: number): number | undefined => {
              const bad = instant >= ONSET
              if (query.includes('.errors{')) return bad ? 8 : undefined
              if (query.startsWith('p95')) return (bad ? 2.5 : 0.2) + breath(instant) / 100
              return 20 + breath(instant)
            },
          ]),
        )
      }),
      '/api/v1/monitor': {
        body: [
          monitor({
            name: 'web fails',
            query: 'sum(last_5m):sum:trace.express.request.errors{service:web} by {service}.as_rate() > 1',
            state: { groups: { 'service:web': { status: 'Alert', last_triggered_ts: ONSET / 1000 + 180 } } },
          }),
        ],
      },
      '/api/v2/logs/events/search': { body: { data: [] } },
      '/api/v2/logs/analytics/aggregate': ({ body }) => {
        const { filter } = JSON.parse(body) as { filter: { from: string; to: string } }
        const isIncident = Date.parse(filter.to) === TO
        const c0 = Array.from({ length: 20 }, (_, minute) => ({
          time: new Date(ONSET + minute * 60_000).toISOString(),
          value: 480,
        }))
        return {
          body: {
            data: {
              buckets: isIncident ? [{ by: { service: 'orders', status: 'error' }, computes: { c0 } }] : [],
            },
          },
        }
      },
      '/api/v2/events/search': {
        body: {
          data: [
            event('Deployed orders 1.9.0', {
              timestamp: new Date(ONSET - 60_000).toISOString(),
              tags: ['service:orders', 'version:1.9.0'],
            }),
          ],
        },
      },
    })
    const request = pullRequest(TO, { service: 'web' })
    const told = await tool.pull(config, request)
    const calls = (caller: string, callee: string): Edge => ({
      ...{ source: 'traces', caller, callee, t0: request.window.from, interval_s: 3600 },
    })
    const edges = [calls('web', 'orders'), calls('orders', 'orders-db')]
    const snapshot = mergePulled(request.window, request.baselines, [told, { ...NOTHING_PULLED, edges }])
    const findings = investigate(snapshot, { service: 'web' })
    expect(findings.first_failing_service).toBe('orders-db')
    expect(findings.cause).toMatchObject({ level: 'change', entity: 'orders' })
    // Lines that nobody wrote before the incident were counted as none there.
    const lines = withCountedLines(snapshot).series.find(({ name }) => name === 'log_error_lines')
    expect([lines?.entity, lines?.times[0], lines?.values[0], lines?.values.at(-1)]).toEqual([
      'orders',
      request.baselines[0]?.from,
      0,
      480,
    ])
  })
})

describe('reading', () => {
  it.each([
    ['avg(last_5m):avg:system.cpu.user{env:prod} by {host} > 90', 'avg:system.cpu.user{env:prod} by {host}'],
    [
      'sum(last_10m):sum:a.b{*}.as_count() / sum:c.d{*}.as_count() >= 0.05',
      'sum:a.b{*}.as_count() / sum:c.d{*}.as_count()',
    ],
    ['max(last_1h):max:disk{*} < 1e3', 'max:disk{*}'],
    ['avg(last_4h):anomalies(avg:x{*}, "basic", 2) >= 1', 'anomalies(avg:x{*}, "basic", 2)'],
    ['no comparison', undefined],
  ])('takes from %s what it watches', (query, watched) => {
    expect(watchedQuery({ id: 1, name: 'm', type: 'metric alert', query })).toBe(watched)
    expect(watchedQuery({ id: 1, name: 'm', type: 'log alert', query })).toBeUndefined()
  })

  it('keeps the first tag of a name and leaves out what is no pair', () => {
    expect(labelsOf(['a:1', 'a:2', 'b', ':c', 'd:e:f'])).toEqual({ a: '1', d: 'e:f' })
    expect(labelsOf(null)).toEqual({})
  })

  it('gives an event without a title its message', () => {
    const record = eventRecord(
      { id: 'x', attributes: { timestamp: 1, message: 'disk full', tags: ['host:h1'], attributes: null } },
      's',
    )
    expect(record).toMatchObject({ event: { message: 'disk full', resource: 'h1', kind: 'event' } })
  })

  it('takes a limit’s reset for seconds from now, at most an hour', () => {
    const answer = (status: number, reset: string) => ({
      status,
      headers: { 'x-ratelimit-reset': reset },
      body: new Uint8Array(),
      cut: false,
    })
    expect([
      datadogLimitedUntil(answer(429, '5'), 0),
      datadogLimitedUntil(answer(429, '99999'), 0),
      datadogLimitedUntil(answer(429, 'x'), 0),
      datadogLimitedUntil(answer(200, '5'), 0),
    ]).toEqual([5000, 3_600_000, undefined, undefined])
  })
})

describe('a check', () => {
  it('is connected when both keys are right', async () => {
    const { tool, config } = await datadog()
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: null })
  })

  it.each(['api_key', 'app_key'])('refuses a wrong %s by its name', async (name) => {
    const { tool, config } = await datadog()
    await expect(tool.check({ ...config, [name]: 'wrong' }, never)).rejects.toMatchObject({
      details: { field: `config.${name}` },
    })
  })

  it.each([
    ['{"id":"$ALERT_ID"}', 'leaves out $ALERT_TRANSITION, $ALERT_SCOPE'],
    [null, 'leaves out $ALERT_ID, $ALERT_TRANSITION, $ALERT_SCOPE'],
    ['{"a":"$ALERT_ID","b":"$ALERT_TRANSITION","c":"$ALERT_SCOPE"}', null],
  ])('looks whether the webhook of our name sends what is needed: %s', async (payload, words) => {
    const path = '/api/v1/integration/webhooks/configuration/webhooks/incident-investigator'
    const { tool, config } = await datadog({ [path]: { body: { name: 'incident-investigator', payload } } })
    const checked = await tool.check(config, never)
    if (words === null) expect(checked).toEqual({ status: 'connected', detail: null })
    else
      expect(checked).toEqual({
        status: 'degraded',
        detail: `the payload of the webhook incident-investigator ${words}`,
      })
  })

  it('is degraded where the application key lacks a scope', async () => {
    const { tool, config } = await datadog({ '/api/v2/logs/events/search': { status: 403, body: {} } })
    expect(await tool.check(config, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('logs cannot be read'),
    })
  })
})
