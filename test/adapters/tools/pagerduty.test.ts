import { describe, expect, it } from 'vitest'
import { pagerDutyLimitedUntil } from '#shared/adapters/tools/pagerduty.ts'
import { readSent } from '#shared/domain/alerts/read-sent.ts'
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

const service = { id: 'P1', summary: 'checkout' }
const incident = (id: string, change: object = {}) => ({
  id,
  title: 'Checkout is slow',
  created_at: '2026-03-10T12:10:00Z',
  status: 'triggered',
  urgency: 'high',
  priority: { summary: 'P1' },
  service,
  ...change,
})
const alert = {
  id: 'A1',
  summary: 'p95 above 2 s',
  created_at: '2026-03-10T12:09:00Z',
  status: 'triggered',
  severity: 'critical',
  service,
  body: { details: { firing: 'latency', value: 2.4, nested: {} } },
}
const change = {
  id: 'C1',
  summary: 'Deployed checkout v2',
  timestamp: '2026-03-10T11:55:00Z',
  source: 'pipeline',
  services: [service],
  custom_details: { version: 'v2', author: 'ada' },
}

type Route = Canned | ((seen: Seen) => Canned)
async function pagerDuty(routes: Readonly<Record<string, Route>> = {}) {
  const all: Readonly<Record<string, Route>> = {
    '/abilities': { body: { abilities: ['sso'] } },
    '/incidents': { body: { incidents: [incident('I1')], more: false } },
    '/incidents/I1/alerts': { body: { alerts: [alert], more: false } },
    '/change_events': { body: { change_events: [change], more: false } },
    '/webhook_subscriptions': { body: { webhook_subscriptions: [], more: false } },
    ...routes,
  }
  const server = await serveTool((seen) => {
    if (seen.headers.authorization !== `Token token=${CANARY}`) return { status: 401, body: { error: {} } }
    const silent = seen.path.endsWith('/log_entries') ? { body: { log_entries: [], more: false } } : undefined
    const route = all[seen.path] ?? silent
    return typeof route === 'function' ? route(seen) : route
  })
  const tool = loopbackTool('pagerduty')
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, api_token: CANARY } }
}
const pulled = async (routes?: Readonly<Record<string, Route>>, settings: object = {}) => {
  const { server, tool, config } = await pagerDuty(routes)
  return { ...(await tool.pull({ ...config, ...settings }, pullRequest(TO))), seen: server.seen }
}

describe('a pull', () => {
  it('brings the alerts of incidents with what their sender told', async () => {
    const { alerts, gaps } = await pulled()
    expect(gaps).toEqual([])
    expect(alerts).toMatchObject([
      {
        name: 'p95 above 2 s',
        service: 'checkout',
        severity: 'critical',
        fired_at: at('2026-03-10T12:09:00Z'),
        detail: 'firing: latency; value: 2.4',
        labels: { status: 'triggered' },
      },
    ])
  })

  it('takes an incident without alerts for one itself', async () => {
    const { alerts } = await pulled({
      '/incidents': {
        body: {
          incidents: [
            incident('I1', {
              status: 'resolved',
              last_status_change_at: '2026-03-10T12:40:00Z',
              priority: null,
            }),
          ],
        },
      },
      '/incidents/I1/alerts': { body: { alerts: [] } },
    })
    expect(alerts).toMatchObject([
      {
        name: 'Checkout is slow',
        severity: 'high',
        fired_at: at('2026-03-10T12:10:00Z'),
        resolved_at: at('2026-03-10T12:40:00Z'),
      },
    ])
  })

  it('brings what pipelines reported as changes', async () => {
    const other = {
      id: 'C2',
      summary: null,
      timestamp: '2026-03-10T11:56:00Z',
      services: [service, { summary: 'pay' }],
    }
    const { changes } = await pulled({ '/change_events': { body: { change_events: [change, other] } } })
    expect(changes).toMatchObject([
      {
        id: 'C1',
        kind: 'deploy',
        entity: 'checkout',
        after: 'v2',
        actor: 'ada',
        effective_at: { from: at('2026-03-10T11:55:00Z'), to: at('2026-03-10T11:55:00Z') },
      },
      { id: 'C2', kind: 'other', title: 'change event' },
    ])
    expect(changes[1]?.entity).toBeUndefined()
  })

  it('asks for the services and the time that are wanted, page by page', async () => {
    const pages = ({ search }: Seen): Canned => ({
      body:
        search.get('offset') === '0'
          ? { incidents: [incident('I1'), { id: 7 }], more: true }
          : { incidents: [incident('I2')], more: false },
    })
    const { seen, sources, gaps, alerts } = await pulled(
      { '/incidents': pages, '/incidents/I2/alerts': { body: { alerts: [] } } },
      { service_ids: ['P1', 'P2'] },
    )
    const asked = seen.filter(({ path }) => path === '/incidents')
    expect(asked.map(({ search }) => search.get('offset'))).toEqual(['0', '2'])
    expect(asked[0]?.search.getAll('service_ids[]')).toEqual(['P1', 'P2'])
    expect(asked[0]?.search.get('since')).toBe('2026-03-10T12:00:00.000Z')
    expect(seen.find(({ path }) => path === '/change_events')?.search.get('since')).toBe(
      '2026-03-09T12:00:00.000Z',
    )
    expect(alerts).toHaveLength(2)
    expect(gaps).toMatchObject([{ why: '1 of 2 items could not be read.' }])
    expect(sources.every(({ digest }) => digest !== undefined)).toBe(true)
  })

  it('asks for the alerts of twenty incidents and names the others', async () => {
    const { alerts, gaps, seen } = await pulled({
      '/incidents': { body: { incidents: Array.from({ length: 21 }, (_, index) => incident(`X${index}`)) } },
      ...Object.fromEntries(
        Array.from({ length: 21 }, (_, index) => [
          `/incidents/X${index}/alerts`,
          { body: { alerts: [alert] } },
        ]),
      ),
    })
    expect(seen.filter(({ path }) => path.endsWith('/alerts'))).toHaveLength(20)
    expect(alerts).toHaveLength(21)
    expect(gaps).toMatchObject([{ what: 'PagerDuty: alerts of 1 incidents' }])
  })

  it('waits as long as a limit asks for', async () => {
    let tries = 0
    const { gaps } = await pulled({
      '/change_events': () => {
        tries += 1
        return tries === 1
          ? { status: 429, headers: { 'retry-after': '0' }, body: {} }
          : { body: { change_events: [] } }
      },
    })
    expect([tries, gaps]).toEqual([2, []])
  })

  it('leaves PagerDuty alone until the limit that it names is over, and asks nothing more in vain', async () => {
    let tries = 0
    const { gaps } = await pulled({
      '/change_events': () => {
        tries += 1
        return { status: 429, headers: { 'ratelimit-limit': '960', 'ratelimit-reset': '42' }, body: {} }
      },
    })
    expect(tries).toBe(1)
    expect(gaps.map(({ why }) => why).join()).toContain('asks to be left alone until')
  })

  it.each([
    [429, { 'ratelimit-reset': '42' }, 43_000],
    [429, { 'ratelimit-reset': '999999' }, 3_601_000],
    [429, { 'ratelimit-reset': 'soon' }, undefined],
    [429, {}, undefined],
    [429, { 'ratelimit-reset': '42', 'retry-after': '2' }, undefined],
    [200, { 'ratelimit-reset': '42' }, undefined],
  ])('is over, of status %d and %j, at %s', (status, headers, until) => {
    expect(pagerDutyLimitedUntil({ status, headers, body: new Uint8Array(), cut: false }, 1_000)).toBe(until)
  })
})

describe('an incident without alerts', () => {
  const declared = { '/incidents/I1/alerts': { body: { alerts: [] } } }
  const entry = (change: object) => ({
    id: 'E1',
    type: 'trigger_log_entry',
    summary: 'Triggered through the website',
    created_at: '2026-03-10T12:10:00Z',
    ...change,
  })
  const detailOf = async (log_entries: readonly unknown[]) => {
    const log = { '/incidents/I1/log_entries': { body: { log_entries, more: false } } }
    const { alerts } = await pulled({ ...declared, ...log })
    return alerts[0]?.detail
  }

  it('is told with how it began, by the first trigger of its log', async () => {
    const later = entry({ id: 'E2', summary: 'again', created_at: '2026-03-10T12:20:00Z' })
    const acknowledged = entry({
      type: 'acknowledge_log_entry',
      summary: 'Acknowledged',
      created_at: '2026-03-10T12:00:00Z',
    })
    const first = entry({
      event_details: { description: 'customers call' },
      channel: { summary: 'customers call', details: { queue: 40 } },
    })
    expect(await detailOf([later, acknowledged, first])).toBe(
      'Triggered through the website; customers call; queue: 40',
    )
  })

  it.each([[[]], [[entry({ type: 'annotate_log_entry' })]], [[entry({ summary: null })]]])(
    'is told without it where its log says nothing: %j',
    async (entries) => {
      expect(await detailOf(entries)).toBeUndefined()
    },
  )
})

describe('a check', () => {
  const ours = 'https://api.example/v1/integrations/pagerduty_01KG0000000000000000000000/events'
  const subscription = (url: string, change: object = {}, disabled = false) => ({
    id: 'PY1',
    active: true,
    delivery_method: { url, temporarily_disabled: disabled },
    ...change,
  })
  const detailOf = async (...webhook_subscriptions: readonly unknown[]) => {
    const { tool, config } = await pagerDuty({
      '/webhook_subscriptions': { body: { webhook_subscriptions, more: false } },
    })
    return (await tool.check(config, never)).detail
  }
  const OFF = 'PagerDuty does not send the webhook PY1 at the moment: it is switched off there'

  it('says of a webhook that leads here that PagerDuty does not send it', async () => {
    expect(await detailOf(subscription(ours, { active: false }))).toBe(OFF)
    expect(await detailOf(subscription(ours, {}, true))).toBe(OFF)
    expect(await detailOf(subscription(ours))).toBeNull()
    expect(await detailOf(subscription('https://example.com/other', { active: false }))).toBeNull()
    expect(await detailOf({ strange: true })).toBeNull()
  })

  it('is connected with a token that may read', async () => {
    const { tool, config } = await pagerDuty()
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: null })
  })

  it('refuses a wrong token by its name', async () => {
    const { tool, config } = await pagerDuty()
    await expect(tool.check({ ...config, api_token: 'wrong' }, never)).rejects.toMatchObject({
      details: { field: 'config.api_token' },
    })
  })

  it('is degraded by what cannot be read, and by services that are not there', async () => {
    const { tool, config } = await pagerDuty({ '/change_events': { status: 403, body: {} } })
    expect(await tool.check({ ...config, service_ids: ['P9'] }, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringMatching(/^change_events cannot be read: .*; service P9: /),
    })
  })
})

describe('the history of what it sent', () => {
  const SINCE = at('2026-03-10T12:30:00Z')
  const here = 'https://api.example/v1/integrations/pagerduty_01KG0000000000000000000000/events'
  const webhook = (filter: object, change: object = {}) => ({
    id: 'S1',
    active: true,
    delivery_method: { url: here, temporarily_disabled: true },
    filter,
    ...change,
  })
  const history = async (
    webhooks: readonly object[],
    incidents: readonly object[],
    routes: Readonly<Record<string, Route>> = {},
  ) => {
    const { server, tool, config } = await pagerDuty({
      '/webhook_subscriptions': { body: { webhook_subscriptions: webhooks } },
      '/incidents': { body: { incidents } },
      ...routes,
    })
    const bodies = await tool.history?.(config, SINCE, never)
    const queries = server.seen.filter(({ path }) => path === '/incidents').map(({ search }) => search)
    return { bodies, queries }
  }
  const whole = (id: string, change: object = {}) => incident(id, { type: 'incident', ...change })
  const ended = { status: 'resolved', last_status_change_at: '2026-03-10T12:40:00Z' }

  it('is what began or ended since, as its webhooks would have told it, the oldest first', async () => {
    const { bodies } = await history(
      [webhook({ type: 'account_reference' })],
      [
        whole('new', { created_at: '2026-03-10T12:35:00Z' }),
        whole('ended', ended),
        whole('before'),
        whole('over', { status: 'resolved', last_status_change_at: '2026-03-10T12:20:00Z' }),
        { id: 'no incident' },
      ],
    )
    const read = (bodies ?? []).flatMap((body) => {
      const sent = { integration_id: 'pagerduty_1', config: {}, headers: {}, received_at: TO, body }
      return readSent('pagerduty', sent).alerts
    })
    expect(read.map(({ fingerprint, status, at: when }) => [fingerprint, status, when])).toEqual([
      ['ended', 'firing', at('2026-03-10T12:10:00Z')],
      ['new', 'firing', at('2026-03-10T12:35:00Z')],
      ['ended', 'resolved', at('2026-03-10T12:40:00Z')],
    ])
  })

  it('is of what its webhooks were told to send here, and of nothing else', async () => {
    const { queries } = await history(
      [
        webhook({ type: 'service_reference', id: 'P1' }),
        webhook({ type: 'team_reference', id: 'T&1' }),
        webhook({ type: 'account_reference' }, { active: false }),
        webhook({ type: 'account_reference' }, { delivery_method: { url: 'https://other.example/' } }),
      ],
      [],
    )
    expect(queries).toHaveLength(1)
    expect(queries[0]?.getAll('service_ids[]')).toEqual(['P1'])
    expect(queries[0]?.getAll('team_ids[]')).toEqual(['T&1'])
  })

  it.each([
    ['no webhook leads here', [], {}],
    ['webhooks may not be read', [], { '/webhook_subscriptions': { status: 403 } }],
    ['a webhook names what nobody knows', [webhook({ type: 'moon_reference', id: 'M' })], {}],
    [
      'incidents may not be read',
      [webhook({ type: 'account_reference' })],
      { '/incidents': { status: 403 } },
    ],
    [
      'the list is something else',
      [webhook({ type: 'account_reference' })],
      { '/incidents': { body: { incidents: 7 } } },
    ],
  ] satisfies [string, object[], Readonly<Record<string, Route>>][])(
    'is not known where %s',
    async (_name, webhooks, routes) => {
      expect((await history(webhooks, [whole('I1')], routes)).bodies).toBeNull()
    },
  )
})
