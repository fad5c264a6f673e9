import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { jaegerSpans, otlpSpans } from '#shared/adapters/tools/spans.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
  withoutWaiting,
} from './tool-server.ts'

/** A trace as Tempo keeps it: ids in base64, a failing call from checkout to its database. */
const trace = JSON.parse(
  readFileSync(new URL('../../data/tempo/trace.json', import.meta.url), 'utf8'),
) as unknown
const NOW = Date.parse('2026-03-10T12:00:00Z')
const never = new AbortController().signal

async function store(answer: (seen: Seen) => Canned | undefined, config: object = {}) {
  const server = await serveTool(answer)
  const tool = loopbackTool('tempo', { now: () => NOW, ...withoutWaiting() })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, ...config } }
}
async function pull(
  answer: (seen: Seen) => Canned | undefined,
  config: object = {},
  service: string | null = 'checkout',
) {
  const { server, tool, config: whole } = await store(answer, config)
  return { ...(await tool.pull(whole, pullRequest(NOW, { service }))), server }
}
const gapsOf = ({ gaps }: Pulled): string[] => gaps.map(({ what, why }) => `${what}: ${why}`)

describe('Tempo', () => {
  const tempo = ({ path }: Seen): Canned | undefined =>
    path === '/api/search'
      ? { body: { traces: [{ traceID: 'aa11' }, { traceID: '../etc' }] } }
      : path === '/api/traces/aa11'
        ? { body: trace }
        : path === '/api/search/tags'
          ? { body: { tagNames: ['service.name'] } }
          : undefined

  it('is asked for failed, slow and usual traces of the service, and for each trace once', async () => {
    const { spans, sources, server, gaps } = await pull(tempo)
    expect(server.seen.map(({ path, search }) => search.get('q') ?? path)).toEqual([
      '{ resource.service.name="checkout" && status=error }',
      '{ resource.service.name="checkout" && duration>1s }',
      '{ resource.service.name="checkout" }',
      '{ resource.service.name="checkout" }',
      '/api/traces/aa11',
    ])
    expect(gaps).toEqual([])
    expect(spans).toEqual([
      {
        source: sources.find(({ query }) => query.includes('/api/traces/'))?.id,
        trace_id: '23d79e755c13e871eb8b5928963926' + '43',
        span_id: '26f18cb6d17be4c3',
        parent_id: null,
        service: 'checkout',
        instance: 'checkout-1',
        name: 'POST /pay',
        start: NOW - 5000,
        duration_us: 2_000_000,
        status: 'ok',
        attributes: { 'http.response.status_code': 500, 'service.version': '1.2.0' },
      },
      expect.objectContaining({
        parent_id: '26f18cb6d17be4c3',
        service: 'checkout',
        status: 'error',
        attributes: expect.objectContaining({
          'exception.message': 'too many connections',
          'db.system': 'postgresql',
          'error.message': 'query failed',
        }),
      }),
    ])
  })

  it('is asked about all services where none is named', async () => {
    const { server } = await pull(tempo, {}, null)
    expect(server.seen[0]?.search.get('q')).toBe('{ status=error }')
  })

  it('that answers something else is a gap', async () => {
    expect(gapsOf(await pull(() => ({ body: { traces: 7 } })))).toContain(
      'Tempo: traces: What Tempo answers is not what was asked for.',
    )
    const strange = await pull((seen) =>
      seen.path === '/api/search' ? tempo(seen) : { body: { batches: 'none' } },
    )
    expect(gapsOf(strange)).toEqual(['Tempo: trace aa11: What Tempo answers is not what was asked for.'])
  })

  it('is connected, or degraded where it holds nothing', async () => {
    const { tool, config } = await store(tempo)
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: null })
    const empty = await store(() => ({ body: { tagNames: [] } }))
    expect(await empty.tool.check(empty.config, never)).toMatchObject({
      status: 'degraded',
      detail: 'it holds no traces of the last hour',
    })
  })
})

describe('Jaeger', () => {
  const span = (change: object = {}) => ({
    traceID: 't1',
    spanID: 's1',
    operationName: 'POST /pay',
    references: [],
    startTime: (NOW - 5000) * 1000,
    duration: 1500,
    tags: [
      { key: 'error', value: true },
      { key: 'http.status_code', value: 500 },
      { key: 'internal.thing', value: 'x' },
    ],
    processID: 'p1',
    ...change,
  })
  const jaegerTrace = (...spans: unknown[]) => ({
    spans,
    processes: { p1: { serviceName: 'checkout', tags: [{ key: 'hostname', value: 'h1' }] } },
  })
  const jaeger =
    (traces: readonly unknown[], services: readonly string[] | null = ['cart', 'checkout-service']) =>
    ({ path }: Seen): Canned | undefined =>
      path === '/api/services'
        ? { body: { data: services } }
        : path === '/api/traces'
          ? { body: { data: traces } }
          : path === '/api/dependencies'
            ? { body: { data: [{ parent: 'web', child: 'checkout', callCount: 12 }] } }
            : undefined
  const API = { api: 'jaeger' }

  it('is asked for failed and usual traces of the service, and for who calls whom', async () => {
    const child = span({ spanID: 's2', references: [{ refType: 'CHILD_OF', spanID: 's1' }], tags: [] })
    const { spans, edges, gaps, server } = await pull(jaeger([jaegerTrace(span(), child)]), API)
    expect(gaps).toEqual([])
    expect(spans.map(({ source: _, ...one }) => one)).toEqual([
      {
        trace_id: 't1',
        span_id: 's1',
        parent_id: null,
        service: 'checkout',
        instance: 'h1',
        name: 'POST /pay',
        start: NOW - 5000,
        duration_us: 1500,
        status: 'error',
        attributes: { error: true, 'http.status_code': 500 },
      },
      {
        trace_id: 't1',
        span_id: 's2',
        parent_id: 's1',
        service: 'checkout',
        instance: 'h1',
        name: 'POST /pay',
        start: NOW - 5000,
        duration_us: 1500,
        status: 'ok',
        attributes: {},
      },
    ])
    expect(edges).toMatchObject([
      { caller: 'web', callee: 'checkout', calls: 12, interval_s: 3600, t0: NOW - 3_600_000 },
    ])
    expect(
      server.seen
        .filter(({ path }) => path === '/api/traces')
        .map(({ search }) => [search.get('service'), search.get('tags')]),
    ).toEqual([
      ['checkout-service', '{"error":"true"}'],
      ['checkout-service', null],
      ['checkout-service', null],
    ])
  })

  it('counts spans that cannot be read, and takes a trace that is none as a gap', async () => {
    const counted = await pull(jaeger([jaegerTrace(span(), span({ processID: 'p9' }), {})]), API)
    expect(gapsOf(counted)).toContain('Jaeger: failed traces of checkout-service: 2 spans could not be read.')
    const strange = await pull(jaeger([{}]), API)
    expect(gapsOf(strange)).toContain(
      'Jaeger: traces of checkout-service: What Jaeger answers is not what was asked for.',
    )
  })

  it('without the asked service searches some of all, and says so', async () => {
    const many = Array.from({ length: 10 }, (_, at) => `s${at}`)
    expect(gapsOf(await pull(jaeger([], many), API))).toEqual([
      'Jaeger: services: None of them is checkout.',
      'Jaeger: traces of 2 services: Those of 8 are searched.',
    ])
  })

  it('is connected, or degraded where it knows no service', async () => {
    const { tool, config } = await store(jaeger([]), API)
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: null })
    const empty = await store(jaeger([], null), API)
    expect(await empty.tool.check(empty.config, never)).toMatchObject({ status: 'degraded' })
  })
})

describe('spans', () => {
  it('are read in every wrapping of OpenTelemetry, and what is none is none', () => {
    const { batches } = trace as { batches: unknown[] }
    for (const body of [
      trace,
      { resourceSpans: batches },
      { trace: { resourceSpans: batches } },
      { result: { resourceSpans: batches } },
    ]) {
      expect(otlpSpans(body, 's')?.spans).toHaveLength(2)
    }
    for (const body of [null, 7, {}, { batches: [{ scopeSpans: 7 }] }])
      expect(otlpSpans(body, 's')).toBeUndefined()
    expect(jaegerSpans({ spans: 7 }, 's')).toBeUndefined()
  })

  it('with ids in hex, status by number and values of all kinds are read, and others counted', () => {
    const good = {
      traceId: 'ABCDEF0123456789abcdef0123456789',
      spanId: '0123456789abcdef',
      name: 'n',
      startTimeUnixNano: 1_000_000,
      endTimeUnixNano: '3000000',
      status: { code: 2 },
      attributes: [
        { key: 'http.a', value: { intValue: '7' } },
        { key: 'http.b', value: { boolValue: true } },
        { key: 'http.c', value: { doubleValue: 1.5 } },
        { key: 'http.d' },
        { key: 'http.e', value: { stringValue: 'x'.repeat(900) } },
      ],
    }
    const read = otlpSpans(
      {
        batches: [
          { instrumentationLibrarySpans: [{ spans: [good, { ...good, startTimeUnixNano: 'soon' }, 7] }] },
        ],
      },
      's',
    )
    expect(read?.malformed).toBe(2)
    expect(read?.spans).toMatchObject([
      {
        service: 'unknown',
        trace_id: 'abcdef0123456789abcdef0123456789',
        status: 'error',
        start: 1,
        duration_us: 2000,
        attributes: { 'http.a': 7, 'http.b': true, 'http.c': 1.5, 'http.e': 'x'.repeat(500) },
      },
    ])
  })
})
