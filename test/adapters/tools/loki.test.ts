import { describe, expect, it } from 'vitest'
import { readLine, slicesOf } from '#shared/adapters/tools/log-lines.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { baselinesOf } from '#shared/domain/investigation/records/windows.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
  withoutWaiting,
} from './tool-server.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const WINDOW = { from: NOW - 3_600_000, to: NOW }
const BASELINES = baselinesOf(WINDOW)
const never = new AbortController().signal

const success = (data: unknown): Canned => ({ body: { status: 'success', data } })
const lines = (...result: unknown[]) => success({ resultType: 'streams', result })
const matrix = (...result: unknown[]) => success({ resultType: 'matrix', result })

interface Store {
  readonly labels?: readonly string[]
  readonly services?: readonly string[]
  readonly lines?: (query: string, from: number, to: number) => Canned
  readonly counts?: (query: string, from: number, to: number) => Canned
  /** A path that is refused. */
  readonly refused?: string
}

async function loki(store: Store, config: object = {}) {
  const server = await serveTool(({ path, search }: Seen) => {
    const query = search.get('query') ?? ''
    if (path === store.refused) return { status: 403 }
    if (path === '/loki/api/v1/labels') return success(store.labels ?? ['app', 'pod'])
    if (path.endsWith('/values')) return success(store.services ?? ['checkout', 'cart'])
    if (path !== '/loki/api/v1/query_range') return undefined
    const [start, end] = [search.get('start') ?? '', search.get('end') ?? '']
    if (query.startsWith('sum by'))
      return store.counts?.(query, Number(start) * 1000, Number(end) * 1000) ?? matrix()
    return store.lines?.(query, Number(start.slice(0, -6)), Number(end.slice(0, -6))) ?? lines()
  })
  const tool = loopbackTool('loki', { now: () => NOW, ...withoutWaiting() })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, ...config } }
}
async function pull(store: Store, config: object = {}, service: string | null = 'checkout') {
  const { server, tool, config: whole } = await loki(store, config)
  const pulled = await tool.pull(whole, pullRequest(NOW, { window: WINDOW, baselines: BASELINES, service }))
  const queries = [...new Set(server.seen.flatMap(({ search }) => search.get('query') ?? []))]
  return { ...pulled, queries, server }
}
async function check(routes: Readonly<Record<string, Canned>>, config: object = {}) {
  const server = await serveTool(({ path }) => routes[path])
  const tool = loopbackTool('loki', { now: () => NOW })
  closeAfterTest(server, tool)
  return { checked: await tool.check({ base_url: server.url, ...config }, never), seen: server.seen }
}
const vector = (...values: string[]) =>
  success({ resultType: 'vector', result: values.map((app) => ({ metric: { app }, value: [1, '7'] })) })
const gapsOf = ({ gaps }: Pulled): string[] => gaps.map(({ what, why }) => `${what}: ${why}`)
const at = (instant: number): string => `${instant}000000`

describe('a check', () => {
  it('says by which label services are named', async () => {
    const { tool, config } = await loki({})
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: 'services by app' })
  })
  it.each([
    [[], 'it holds no lines of the last hours'],
    [['filename'], 'no label names a service; `service_label` can name it'],
  ])('is degraded with the labels %j', async (labels, detail) => {
    const { tool, config } = await loki({ labels })
    expect(await tool.check(config, never)).toEqual({ status: 'degraded', detail })
  })
})

describe('a check of what is written', () => {
  const labels = { '/loki/api/v1/labels': success(['app']) }

  it('says how many services wrote lines of late', async () => {
    const { checked } = await check({ ...labels, '/loki/api/v1/query': vector('cart', 'pay') })
    expect(checked).toEqual({
      status: 'connected',
      detail: 'services by app, 2 of them with lines of the last hour',
    })
  })

  it.each([
    ['finds nothing', vector(), '{app="x"} finds no lines of the last hour'],
    [
      'is none',
      { status: 400, body: 'parse error' },
      '{app="x"} is refused: Loki cannot evaluate this request (status 400)',
    ],
  ] satisfies [string, Canned, string][])(
    'is degraded where the selector of the settings %s',
    async (_name, answer, detail) => {
      const routes = { ...labels, '/loki/api/v1/query': answer }
      const { checked, seen } = await check(routes, { selector: '{app="x"}' })
      expect(checked).toMatchObject({
        status: 'degraded',
        detail: expect.stringContaining(detail.slice(0, 20)),
      })
      const query = seen.flatMap(({ search }) => search.get('query') ?? [])
      expect(query).toEqual(['sum by (app) (count_over_time({app="x"}[1h]))'])
    },
  )

  it.each([{ status: 500 }, { body: { else: 1 } }] satisfies Canned[])(
    'is content with the labels where nothing can be counted: %j',
    async (answer) => {
      const { checked } = await check({ ...labels, '/loki/api/v1/query': answer })
      expect(checked).toEqual({ status: 'connected', detail: 'services by app' })
    },
  )

  it('names what the lines hold where no label names a service', async () => {
    const { checked, seen } = await check({
      '/loki/api/v1/labels': success(['filename']),
      '/loki/api/v1/detected_fields': {
        body: { fields: [{ label: 'svc', parsers: ['logfmt', 'json'] }, { label: 'level' }] },
      },
    })
    expect(checked).toEqual({
      status: 'degraded',
      detail:
        'no label names a service; `service_label` can name it; the lines hold svc (logfmt or json), level',
    })
    expect(seen.at(-1)?.search.get('query')).toBe('{filename=~".+"}')
  })
})

describe('a pull', () => {
  it('brings lines with service, severity, message and trace, once each, in order of time', async () => {
    const { logs } = await pull({
      lines: (_, from, to) =>
        from <= NOW - 1000 && NOW - 1000 < to
          ? lines({
              stream: { app: 'checkout', pod: 'checkout-1', node: 'n1' },
              values: [
                [at(NOW - 1000), '{"level":"error","msg":"card refused","trace_id":"abc"}'],
                [at(NOW - 2000), '\u001b[31m2026-03-10 WARN pool is full\u001b[0m'],
                [at(NOW - 3000), 'all is well', { detected_level: 'info', span_id: '7' }],
                ['no time', 'x'],
                'nothing',
              ],
            })
          : lines(),
    })
    expect(logs.map(({ source: _, ...line }) => line)).toEqual([
      {
        timestamp: NOW - 3000,
        service: 'checkout',
        severity: 'info',
        message: 'all is well',
        span_id: '7',
        instance: 'checkout-1',
        node: 'n1',
      },
      {
        timestamp: NOW - 2000,
        service: 'checkout',
        severity: 'warning',
        message: '2026-03-10 WARN pool is full',
        instance: 'checkout-1',
        node: 'n1',
      },
      {
        timestamp: NOW - 1000,
        service: 'checkout',
        severity: 'error',
        message: 'card refused',
        trace_id: 'abc',
        instance: 'checkout-1',
        node: 'n1',
      },
    ])
  })

  it('asks for lines of trouble of all, and for all lines of the service, in equal slices', async () => {
    const { queries, server, sources, gaps } = await pull({ services: ['cart', 'checkout-service'] })
    expect(queries.filter((query) => !query.startsWith('sum'))).toEqual([
      expect.stringMatching(/^\{app=~"\.\+"\} \|~ "\(\?i\)/),
      '{app=~".+", app="checkout-service"}',
    ])
    expect(gaps).toEqual([])
    const ranges = server.seen.filter(({ search }) => search.get('limit') === '100')
    expect(ranges).toHaveLength(12 * 2 + 12 * 2 + 6 * 2)
    expect(new Set(sources.map(({ id }) => id)).size).toBe(sources.length)
  })

  it('says out of how many lines a slice was cut, where the store keeps an account of it', async () => {
    const values = Array.from({ length: 100 }, (_, line) => [at(NOW - 1000 - line), 'an error'])
    const store = await serveTool(({ path, search }) => {
      const query = search.get('query') ?? ''
      if (path === '/loki/api/v1/index/stats')
        return { body: { streams: 3, chunks: 9, entries: 4711, bytes: 1 } }
      if (path === '/loki/api/v1/labels') return success(['app'])
      if (path.endsWith('/values')) return success([])
      return query.startsWith('sum by') ? matrix() : lines({ stream: { app: 'cart' }, values })
    })
    const tool = loopbackTool('loki', { now: () => NOW, ...withoutWaiting() })
    closeAfterTest(store, tool)
    const { gaps } = await tool.pull(
      { base_url: store.url },
      pullRequest(NOW, { window: WINDOW, service: null }),
    )
    expect(gaps.map(({ why }) => why).join()).toContain('{app=~".+"} holds about 4711 in 3 streams.')
    const asked = store.seen.filter(({ path }) => path === '/loki/api/v1/index/stats')
    expect(new Set(asked.map(({ search }) => search.get('query')))).toEqual(new Set(['{app=~".+"}']))
  })

  it('says which share was fetched where a slice holds more than is read', async () => {
    const full = Array.from({ length: 100 }, (_, index) => [at(NOW - 1000 - index), `error ${index}`])
    const pulled = await pull(
      {
        lines: (_, from, to) =>
          to === NOW && from > 0 ? lines({ stream: { app: 'cart' }, values: full }) : lines(),
      },
      {},
      null,
    )
    expect(gapsOf(pulled)).toEqual([
      'Loki: lines of trouble: 1 of 12 slices held more than the 100 lines that are fetched of each.',
    ])
    expect(pulled.sources.filter(({ outcome }) => outcome === 'cut')).toHaveLength(1)
  })

  it('counts lines by the store, as counts and as rates in which no line is 0', async () => {
    const { log_counts, series } = await pull({
      counts: (query, from) =>
        from === WINDOW.from && query.includes('|~')
          ? matrix({
              metric: { app: 'cart' },
              values: [
                [(NOW - 120_000) / 1000, '30'],
                [(NOW - 60_000) / 1000, '60'],
              ],
            })
          : matrix(),
    })
    expect(log_counts).toMatchObject([
      {
        service: 'cart',
        severity: 'error',
        t0: NOW - 180_000,
        interval_s: 60,
        count: 30,
      },
      { service: 'cart', severity: 'error', t0: NOW - 120_000, interval_s: 60, count: 60 },
    ])
    expect(series).toMatchObject([
      { entity: 'cart', name: 'log_error_lines_per_second', type: 'rate', unit: '1/s' },
    ])
    const [rate] = series
    expect(rate?.times.length).toBeGreaterThan(60)
    expect(rate?.values[0]).toBe(0)
  })

  it('keeps to the selector of the settings', async () => {
    const { queries } = await pull({}, { selector: '{namespace="shop"}' })
    expect(queries).toContain('{namespace="shop", app="checkout"}')
    expect(queries.every((query) => query.includes('{namespace="shop"'))).toBe(true)
  })

  it('says that no label names services, or that none is the one', async () => {
    expect(gapsOf(await pull({ labels: ['filename'] }))).toEqual([
      'Loki: lines: No label names a service; `service_label` in the settings can name it.',
    ])
    expect(gapsOf(await pull({ services: ['till'] }))).toEqual([
      'Loki: lines of checkout: No value of the label app names it.',
    ])
  })

  it.each([
    ['/loki/api/v1/labels', 'Loki: names of labels'],
    ['/loki/api/v1/label/app/values', 'Loki: services'],
  ])('does not say that a name is missing where %s is refused', async (refused, what) => {
    expect((await pull({ refused })).gaps.map((gap) => gap.what)).toEqual([what])
  })

  it('reads a label of the settings, and what answers strangely is a gap', async () => {
    const pulled = await pull({ labels: ['team'], lines: () => matrix() }, { service_label: 'team' }, null)
    expect(pulled.queries[0]).toContain('by (team)')
    expect(gapsOf(pulled)[0]).toMatch(/What Loki answers is not what was asked for/)
  })
})

describe('a line', () => {
  it.each([
    ['{"severity":"WARNING","message":"slow"}', {}, { severity: 'warning', message: 'slow' }],
    [
      '{"level":50,"msg":"bang","traceId":"t","spanId":"s"}',
      {},
      { severity: 'error', message: 'bang', trace_id: 't', span_id: 's' },
    ],
    ['level=debug msg=x', {}, { severity: 'debug', message: 'level=debug msg=x' }],
    ['[CRITICAL] disk', {}, { severity: 'fatal', message: '[CRITICAL] disk' }],
    ['plain', { level: 'err' }, { severity: 'error', message: 'plain' }],
    ['{broken', {}, { severity: 'info', message: '{broken' }],
    ['{"a":1}', { trace_id: 'q' }, { severity: 'info', message: '{"a":1}', trace_id: 'q' }],
    ['plain', { level: 'strange' }, { severity: 'info', message: 'plain' }],
  ])('%s is read', (line, known, read) => {
    expect(readLine(line, known)).toEqual(read)
  })

  it('is looked for in slices that cover the window without a gap', () => {
    const slices = slicesOf({ from: 3, to: 1000 })
    expect([slices[0]?.from, slices.at(-1)?.to, slices.length]).toEqual([3, 1000, 12])
    for (const [index, { from }] of slices.slice(1).entries()) expect(from).toBe(slices[index]?.to)
  })
})
