import { describe, expect, it } from 'vitest'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { answerLikePrometheus, type FakeStore } from './fake-prometheus.ts'
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
const TOKEN = 'glsa_c4n4ry-0f-gr4f4n4'
const never = new AbortController().signal

const METRICS = { uid: 'p1', name: 'Metrics', type: 'prometheus', isDefault: true }
const OTHER = { uid: 'p2', name: 'More metrics', type: 'prometheus' }
const SQL = { uid: 's1', name: 'Sales', type: 'mysql' }
const STORE: FakeStore = {
  prefix: '/api/datasources/proxy/uid/p1',
  metrics: ['http_requests_total'],
  series: (query) => (query.startsWith('sum by') ? [{ metric: { service: 'checkout' }, at: () => 20 }] : []),
}

async function grafana(change: Readonly<Record<string, Canned>> = {}, config: object = {}) {
  const server = await serveTool((seen: Seen) => {
    const canned = change[seen.path]
    if (canned !== undefined) return canned
    switch (seen.path) {
      case '/api/org':
        return { body: { id: 1, name: 'Acme' } }
      case '/api/datasources':
        return { body: [SQL, OTHER, METRICS] }
      case '/api/annotations':
      case '/api/alertmanager/grafana/api/v2/alerts':
        return { body: [] }
      default:
        return seen.path.startsWith('/api/datasources/proxy/uid/p1')
          ? answerLikePrometheus(STORE, seen)
          : undefined
    }
  })
  const tool = loopbackTool('grafana', { now: () => NOW, ...withoutWaiting() })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, token: TOKEN, ...config } }
}
async function pull(change: Readonly<Record<string, Canned>> = {}, config: object = {}) {
  const made = await grafana(change, config)
  return { ...(await made.tool.pull(made.config, pullRequest(NOW))), server: made.server }
}
const gapsOf = ({ gaps }: Pulled): string[] => gaps.map(({ what, why }) => `${what}: ${why}`)

describe('what fires now', () => {
  it('is asked of its Alertmanager with the token, and of nobody without one', async () => {
    const alert = {
      fingerprint: 'f',
      startsAt: '2026-03-10T11:00:00Z',
      labels: { alertname: 'Slow', team: 'x' },
    }
    const { tool, config, server } = await grafana({
      '/api/alertmanager/grafana/api/v2/alerts': { body: [alert] },
    })
    expect(await tool.firing?.(config, never)).toEqual({
      version: '4',
      status: 'firing',
      alerts: [
        {
          status: 'firing',
          fingerprint: 'f',
          startsAt: '2026-03-10T11:00:00.000Z',
          labels: { alertname: 'Slow' },
        },
      ],
    })
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    const { token: _, ...without } = config
    expect(await tool.firing?.(without, never)).toBeNull()
  })
})

describe('a check', () => {
  it('names the organisation and the stores that are asked', async () => {
    const { tool, config, server } = await grafana({}, { org_id: 7 })
    expect(await tool.check(config, never)).toEqual({
      status: 'connected',
      detail: 'organisation Acme, Metrics (prometheus)',
    })
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'x-grafana-org-id': '7',
    })
  })

  it('is degraded where data sources cannot be listed, or none is of a kind that is asked', async () => {
    const refused = await grafana({
      '/api/datasources': { status: 403, body: { message: 'Permission denied' } },
    })
    expect(await refused.tool.check(refused.config, never)).toEqual({
      status: 'degraded',
      detail:
        'data sources cannot be listed, so only alerts and annotations are read: Grafana refuses access (status 403): Permission denied; organisation Acme',
    })
    const none = await grafana({ '/api/datasources': { body: [SQL] } })
    expect(await none.tool.check(none.config, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('no data source is of the kinds'),
    })
  })

  it('needs a token', async () => {
    const { tool, config } = await grafana({}, { token: undefined })
    await expect(tool.check(config, never)).rejects.toMatchObject({ details: { field: 'config.token' } })
  })
})

describe('a pull', () => {
  it('asks the default store through the proxy, with the token, and links to where Grafana shows the same', async () => {
    const pulled = await pull()
    expect(pulled.series).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ entity: 'checkout', name: 'http_requests_per_second' }),
      ]),
    )
    const rate = pulled.sources.find(({ query }) => query.startsWith('sum by'))
    expect(rate).toMatchObject({
      tool: 'grafana',
      link: expect.stringContaining(`${pulled.server.url}/explore?schemaVersion=1&panes=`),
    })
    const proxied = pulled.server.seen.filter(({ path }) => path.includes('/proxy/'))
    expect(proxied.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true)
    expect(gapsOf(pulled)).toEqual([
      'Grafana: data sources More metrics: One of each kind is asked; `datasource_uids` in the settings can name others.',
    ])
  })

  it.each(['grafana-amazonprometheus-datasource', 'victoriametrics-metrics-datasource'])(
    'asks a store of the plugin %s, which answers as Prometheus does',
    async (type) => {
      const store = { uid: 'amp', name: 'Managed', type, isDefault: true }
      const { server } = await pull({ '/api/datasources': { body: [store] } })
      expect(server.seen.some(({ path }) => path.startsWith('/api/datasources/proxy/uid/amp/api/v1/'))).toBe(
        true,
      )
    },
  )

  it('asks the stores that settings name, and says which of them are none', async () => {
    const pulled = await pull({}, { datasource_uids: ['p1', 's1', 'x'] })
    expect(gapsOf(pulled)).toEqual(
      ['s1', 'x'].map(
        (uid) =>
          `Grafana: data sources ${uid}: It is not there, or of none of the kinds prometheus, loki, tempo, jaeger.`,
      ),
    )
  })

  it('reaches stores of logs and traces by the same way', async () => {
    const logs = { uid: 'l1', name: 'Logs', type: 'loki' }
    const traces = { uid: 't1', name: 'Traces', type: 'tempo' }
    const old = { uid: 'j1', name: 'Old traces', type: 'jaeger' }
    const proxy = (uid: string, path: string) => `/api/datasources/proxy/uid/${uid}${path}`
    const { server, gaps } = await pull({
      '/api/datasources': { body: [logs, traces, old] },
      [proxy('l1', '/loki/api/v1/labels')]: { body: { status: 'success', data: ['app'] } },
      [proxy('l1', '/loki/api/v1/query_range')]: {
        body: { status: 'success', data: { resultType: 'streams', result: [] } },
      },
      [proxy('t1', '/api/search')]: { body: { traces: [] } },
      [proxy('j1', '/api/services')]: { body: { data: [] } },
      [proxy('j1', '/api/dependencies')]: { body: { data: [] } },
    })
    for (const uid of ['l1', 't1', 'j1'])
      expect(server.seen.some(({ path }) => path.includes(uid))).toBe(true)
    expect(gaps.every(({ what }) => what.startsWith('Logs behind Grafana'))).toBe(true)
  })

  it.each([0, NOW - 90_000])(
    'takes a note whose end is told as %i, before its begin, as one of the moment when it begins',
    async (timeEnd) => {
      const note = { id: 1, time: NOW - 60_000, timeEnd, text: 'v2', tags: ['deploy'] }
      const { changes } = await pull({ '/api/annotations': { body: [note] } })
      expect(changes.map(({ effective_at }) => effective_at)).toEqual([
        { from: NOW - 60_000, to: NOW - 60_000 },
      ])
    },
  )

  it('takes notes of deployments as changes, and others as events', async () => {
    const note = (change: object) => ({
      id: 1,
      time: NOW - 60_000,
      timeEnd: NOW - 30_000,
      text: '',
      tags: [],
      login: '',
      ...change,
    })
    const { changes, events } = await pull({
      '/api/annotations': {
        body: [
          note({ tags: ['deploy', 'service:checkout'], text: '<b>checkout 1.4</b>', login: 'ann' }),
          note({ id: 2, tags: ['release'] }),
          note({ id: 3, text: 'sale begins', tags: ['marketing'] }),
          note({ id: 4, alertName: 'HighErrorRate', newState: 'Alerting', text: 'fires', tags: null }),
        ],
      },
    })
    expect(changes.map(({ source: _, ...change }) => change)).toEqual([
      {
        id: 'annotation 1',
        recorded_at: NOW - 60_000,
        effective_at: { from: NOW - 60_000, to: NOW - 30_000 },
        kind: 'deploy',
        title: 'checkout 1.4',
        entity: 'checkout',
        actor: 'ann',
        certainty: 'recorded',
      },
      expect.objectContaining({ id: 'annotation 2', title: 'release' }),
    ])
    expect(events).toMatchObject([
      { resource: 'Grafana', kind: 'annotation', message: 'sale begins · marketing' },
      { resource: 'HighErrorRate', kind: 'alert Alerting', message: 'fires' },
    ])
  })

  it('brings the alerts of its own rules', async () => {
    const { alerts } = await pull({
      '/api/alertmanager/grafana/api/v2/alerts': {
        body: [
          {
            fingerprint: 'a',
            startsAt: '2026-03-10T12:30:00+01:00',
            labels: { alertname: 'Slow', service: 'cart' },
          },
          { fingerprint: 'b', startsAt: '2026-03-10T13:30:00Z', labels: { alertname: 'Later' } },
        ],
      },
    })
    expect(alerts).toMatchObject([{ name: 'Slow', service: 'cart', fired_at: NOW - 1_800_000 }])
    expect(alerts).toHaveLength(1)
  })

  it('says that notes were cut, and is content without alerting or annotations', async () => {
    const many = Array.from({ length: 500 }, (_, id) => ({ id, time: NOW }))
    expect(gapsOf(await pull({ '/api/annotations': { body: many } }))).toContain(
      'Grafana: annotations: The newest 500 are read.',
    )
    const gone = { status: 404, body: { message: 'Not found' } }
    const without = await pull({ '/api/annotations': gone, '/api/alertmanager/grafana/api/v2/alerts': gone })
    expect(without.gaps).toHaveLength(1)
    const strange = await pull({
      '/api/annotations': { body: {} },
      '/api/alertmanager/grafana/api/v2/alerts': { body: {} },
      '/api/datasources': { body: {} },
    })
    expect(strange.gaps.length).toBeGreaterThanOrEqual(3)
  })
})
