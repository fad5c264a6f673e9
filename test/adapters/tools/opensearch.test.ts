import { describe, expect, it } from 'vitest'
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

const FIELDS = {
  '@timestamp': { date: {} },
  message: { text: {} },
  'kubernetes.container_name': { text: {} },
  'kubernetes.container_name.keyword': { keyword: {} },
}
interface Sent {
  readonly size: number
  readonly query: {
    readonly bool: {
      readonly filter: readonly [
        { readonly range: Readonly<Record<string, { readonly gte: string; readonly lt: string }>> },
      ]
    }
  }
}
const windowOf = ({ query }: Sent) => {
  const [range] = Object.values(query.bool.filter[0].range)
  return { from: Date.parse(range?.gte ?? ''), to: Date.parse(range?.lt ?? '') }
}

async function openSearch(
  store: {
    readonly fields?: object
    readonly lines?: (window: { readonly from: number; readonly to: number }) => readonly unknown[]
    readonly counts?: (window: { readonly from: number; readonly to: number }) => unknown
    readonly more?: object
    readonly root?: Canned
    readonly health?: Canned
  },
  config: object = {},
) {
  const server = await serveTool(({ path, body }: Seen) => {
    if (path === '/') return store.root ?? { body: { version: { number: '2.11.0' } } }
    if (path === '/_cluster/health/logs-*') return store.health
    if (path === '/logs-*/_field_caps') return { body: { fields: store.fields ?? FIELDS } }
    if (path !== '/logs-*/_search') return undefined
    const sent = JSON.parse(body) as Sent
    const window = windowOf(sent)
    const hits = sent.size === 0 ? [] : (store.lines?.(window) ?? []).map((_source) => ({ _source }))
    const aggregations = sent.size === 0 ? store.counts?.(window) : undefined
    return {
      body: {
        timed_out: false,
        _shards: { total: 5, failed: 0 },
        hits: { hits },
        aggregations,
        ...store.more,
      },
    }
  })
  const tool = loopbackTool('opensearch', { now: () => NOW, ...withoutWaiting() })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, index_pattern: 'logs-*', ...config } }
}
async function pull(store: Parameters<typeof openSearch>[0], config: object = {}) {
  const { server, tool, config: whole } = await openSearch(store, config)
  return { ...(await tool.pull(whole, pullRequest(NOW, { window: WINDOW, baselines: BASELINES }))), server }
}
const gapsOf = ({ gaps }: Pulled): string[] => gaps.map(({ what, why }) => `${what}: ${why}`)
const last =
  (lines: readonly unknown[]) =>
  ({ to }: { readonly to: number }) =>
    to === NOW ? lines : []

describe('a check', () => {
  it('says which version answers', async () => {
    const { tool, config } = await openSearch({})
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: 'version 2.11.0' })
  })

  it('is degraded where the indices have no field of the time, or cannot be read', async () => {
    const { tool, config } = await openSearch({ fields: {} })
    expect(await tool.check(config, never)).toEqual({
      status: 'degraded',
      detail: 'logs-* has no field @timestamp; version 2.11.0',
    })
    const other = { ...config, index_pattern: 'other' }
    expect(await tool.check(other, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('other cannot be read'),
    })
  })

  it.each([
    ['config.index_pattern', { index_pattern: '../_all' }],
    ['config.index_pattern', { index_pattern: undefined }],
    ['config.api_key', { api_key: 'k', bearer_token: 't' }],
    ['config.api_key', { api_key: 'a b' }],
  ])('refuses %s of %j', async (field, change) => {
    const { tool, config } = await openSearch({}, change)
    await expect(tool.check(config, never)).rejects.toMatchObject({ details: { field } })
  })

  it.each([
    [{ status: 'green', unassigned_shards: 0 }, 'connected', 'version 2.11.0'],
    [{ status: 'yellow', unassigned_shards: 1 }, 'connected', 'version 2.11.0'],
    [
      { status: 'red', unassigned_shards: 2 },
      'degraded',
      'the indices are red, so that lines are missing: 2 shards are on no node; version 2.11.0',
    ],
    [
      { status: 'red' },
      'degraded',
      'the indices are red, so that lines are missing: 0 shards are on no node; version 2.11.0',
    ],
    [{ state: 'red' }, 'connected', 'version 2.11.0'],
  ])('looks at the health of the indices: %j', async (body, status, detail) => {
    const { tool, config } = await openSearch({ health: { body } })
    expect(await tool.check(config, never)).toEqual({ status, detail })
  })

  it('sends an API key as such', async () => {
    const { tool, config, server } = await openSearch({}, { api_key: 'abc' })
    await tool.check(config, never)
    expect(server.seen[0]?.headers.authorization).toBe('ApiKey abc')
  })
})

describe('a pull', () => {
  it('brings lines of trouble with service, pod, severity and trace', async () => {
    const { logs, gaps } = await pull({
      lines: last([
        {
          '@timestamp': '2026-03-10T11:59:00.5+00:00',
          message: '\u001b[31mERROR card refused\u001b[0m',
          kubernetes: { container_name: 'checkout', pod_name: 'checkout-1' },
          trace: { id: 'abc' },
        },
        {
          '@timestamp': NOW - 5000,
          'kubernetes.container_name': 'cart',
          message: 'slow',
          'log.level': 'warn',
        },
      ]),
      counts: () => ({ services: { buckets: [] } }),
    })
    expect(logs.map(({ source: _, ...line }) => line)).toEqual([
      {
        timestamp: NOW - 59_500,
        service: 'checkout',
        instance: 'checkout-1',
        severity: 'error',
        message: 'ERROR card refused',
        trace_id: 'abc',
      },
      { timestamp: NOW - 5000, service: 'cart', severity: 'warning', message: 'slow' },
    ])
    expect(gaps).toEqual([])
  })

  it('counts lines by the store, where none is 0', async () => {
    const { log_counts, series } = await pull({
      counts: ({ from, to }) => ({
        services: {
          buckets:
            to === NOW
              ? [
                  {
                    key: 'cart',
                    times: {
                      buckets: [
                        { key: from, doc_count: 0 },
                        { key: from + 60_000, doc_count: 120 },
                      ],
                    },
                  },
                ]
              : [],
          sum_other_doc_count: to === NOW ? 9 : 0,
        },
      }),
    })
    expect(log_counts).toMatchObject([
      { service: 'cart', count: 0, t0: WINDOW.from, interval_s: 60 },
      { service: 'cart', count: 120 },
    ])
    expect(series).toMatchObject([{ entity: 'cart', name: 'log_error_lines_per_second' }])
    const [counted] = series
    const within = (from: number, to: number) =>
      counted?.values.filter((_, index) => {
        const at = counted.times[index] ?? 0
        return at >= from && at < to
      })
    // Of the window others are left out, so that who is not named in a minute need not have been silent.
    expect(within(WINDOW.from, WINDOW.to)).toEqual(Float64Array.of(0, 2))
    for (const { from, to } of BASELINES)
      expect(within(from, to)).toEqual(new Float64Array((to - from) / 60_000))
  })

  it('says what was left out: slices that are full, lines without time, services that are not counted', async () => {
    const full = Array.from({ length: 99 }, (_, index) => ({
      '@timestamp': NOW - index,
      message: `error ${index}`,
    }))
    const pulled = await pull({
      lines: last([...full, { message: 'no time' }]),
      counts: ({ to }) => ({ services: { buckets: [], sum_other_doc_count: to === NOW ? 9 : 0 } }),
    })
    expect(gapsOf(pulled)).toEqual([
      'OpenSearch: lines of trouble: 1 lines have no time or no message.',
      'OpenSearch: lines of trouble: 1 of 12 slices held more than the 100 lines that are fetched of each.',
      'OpenSearch: number of lines of trouble: 9 lines of further services are not counted.',
    ])
    expect(pulled.logs[0]?.service).toBe('unknown')
  })

  it('says that an answer is partial', async () => {
    const pulled = await pull({ more: { timed_out: true, _shards: { total: 5, failed: 2 } } })
    expect(gapsOf(pulled)).toContain(
      'OpenSearch: lines of trouble: The answer is partial: it ran out of time, and 2 of 5 shards failed.',
    )
    expect(pulled.sources.some(({ outcome }) => outcome === 'cut')).toBe(true)
  })

  it('asks nothing of indices without the fields, and says which', async () => {
    const none = await pull({ fields: { message: {} } })
    expect(gapsOf(none)).toEqual([
      'OpenSearch: fields: The index has no field @timestamp; the settings can name it.',
    ])
    expect(none.server.seen).toHaveLength(1)
    const mute = await pull(
      { fields: { at: {} } },
      { time_field: 'at', message_field: 'line', service_field: 'svc' },
    )
    expect(gapsOf(mute)).toEqual([
      'OpenSearch: fields: The index has no field line; the settings can name it.',
    ])
    const uncounted = await pull({ fields: { '@timestamp': {}, log: {} } })
    expect(gapsOf(uncounted)).toEqual([
      'OpenSearch: number of lines of trouble: No field names the service as a whole word; `service_field` can name one.',
    ])
  })

  it('writes down each question whole, so that it can be asked again', async () => {
    const { sources } = await pull({})
    const [first] = sources.filter(({ query }) => query.startsWith('POST /logs-*/_search'))
    expect(JSON.parse(first?.query.replace('POST /logs-*/_search ', '') ?? '')).toMatchObject({
      query: { bool: {} },
    })
  })
})
