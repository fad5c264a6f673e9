import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSent } from '#shared/domain/alerts/read-sent.ts'
import type { IntegrationConfig } from '#shared/domain/integration.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
  type ToolServer,
} from './tool-server.ts'

/** What a real Alertmanager 0.25 answered. */
const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../data/alertmanager/${name}.json`, import.meta.url), 'utf8'))
const NOW = Date.parse('2026-11-21T05:10:00Z')
const never = new AbortController().signal

const REAL: Readonly<Record<string, Canned>> = {
  '/api/v2/status': { body: recorded('status') },
  '/api/v2/alerts': { body: recorded('alerts') },
  '/api/v2/silences': { body: recorded('silences') },
}

async function alertmanager(change: Readonly<Record<string, Canned>> = {}) {
  const routes = { ...REAL, ...change }
  const server = await serveTool(({ path }: Seen) => routes[path])
  const tool = loopbackTool('alertmanager', { now: () => NOW })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: `${server.url}/` } }
}
const pulled = async (
  change?: Readonly<Record<string, Canned>>,
): Promise<Pulled & { server: ToolServer }> => {
  const { server, tool, config } = await alertmanager(change)
  return { ...(await tool.pull(config, pullRequest(NOW))), server }
}

describe('a check', () => {
  it('says which version answers', async () => {
    const { tool, config } = await alertmanager()
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: 'version 0.25.0' })
  })

  it('is degraded where alerts cannot be read', async () => {
    const { tool, config } = await alertmanager({ '/api/v2/alerts': { status: 403, body: '"no"' } })
    expect(await tool.check(config, never)).toEqual({
      status: 'degraded',
      detail: 'alerts cannot be read: Alertmanager refuses access (status 403): no; version 0.25.0',
    })
  })
})

describe('what fires now', () => {
  const firing = async (body: unknown, status = 200, config?: IntegrationConfig) => {
    const made = await alertmanager({ '/api/v2/alerts': { status, body } })
    return made.tool.firing?.(config ?? made.config, never)
  }
  const sent = (body: object | null | undefined) =>
    readSent('alertmanager', {
      integration_id: 'alertmanager_1',
      config: {},
      headers: {},
      received_at: 0,
      body,
    })

  it('is told as the tool itself would send it: the same alerts, by the same names and beginnings', async () => {
    const { body: webhook } = recorded('webhook_firing_single') as {
      body: { alerts: Record<string, unknown>[] }
    }
    const [alert] = webhook.alerts
    const body = await firing([{ ...alert, endsAt: '2999-01-01T00:00:00Z', status: { state: 'active' } }])
    const [read] = sent(body).alerts
    const [told] = sent(webhook).alerts
    expect(read).toMatchObject({
      fingerprint: told?.fingerprint,
      status: 'firing',
      at: told?.at,
      severity: told?.severity,
      ending: 'repeats',
    })
    expect(sent(await firing(recorded('alerts'))).alerts).toHaveLength(
      (recorded('alerts') as unknown[]).length,
    )
  })

  const one = { fingerprint: 'f', startsAt: '2026-03-10T12:00:00Z', labels: {} }
  it.each([
    ['the tool fails', [], 500],
    ['it answers something else', { alerts: [] }, 200],
    ['one of its alerts cannot be read', [one, { fingerprint: 7 }], 200],
    ['there are more than come through the queue', Array.from({ length: 1_001 }, () => one), 200],
  ])('is not known where %s', async (_name, body, status) => {
    expect(await firing(body, status)).toBeNull()
    expect(await firing([one], 200, {})).toBeNull()
  })
})

describe('a pull', () => {
  it('brings what fires, with its labels and its start', async () => {
    const { alerts, sources, gaps, server } = await pulled()
    expect(alerts).toEqual([
      {
        source: sources[0]?.id,
        name: 'TooManyFDs',
        service: 'prometheus',
        severity: 'info',
        summary: 'no for, no description',
        fired_at: Date.parse('2026-11-21T04:53:30.568Z'),
        labels: {
          alertname: 'TooManyFDs',
          cluster: 'local-test',
          instance: '127.0.0.1:19090',
          job: 'prometheus',
          severity: 'info',
        },
      },
    ])
    expect(gaps).toEqual([])
    expect(sources[0]).toMatchObject({
      query: 'GET /api/v2/alerts?active=true&silenced=true&inhibited=true&unprocessed=true',
      outcome: 'answered',
      records: 1,
      link: `${server.url}/#/alerts`,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('tells who muted what', async () => {
    const { events } = await pulled()
    expect(events).toMatchObject([
      {
        resource: 'Alertmanager',
        kind: 'silence',
        timestamp: Date.parse('2026-11-21T05:09:25.618Z'),
        message: 'Alerts {alertname="TooManyFDs"} silenced by root: known noise',
      },
    ])
  })

  it('writes matchers as Alertmanager does, and names the service that one of them names', async () => {
    const silence = {
      id: 'a',
      startsAt: '2026-11-21T05:00:00Z',
      endsAt: '2026-11-21T06:00:00Z',
      matchers: [
        { name: 'service', value: 'checkout' },
        { name: 'severity', value: 'a|b', isRegex: true },
        { name: 'team', value: 'x', isEqual: false },
        { name: 'zone', value: 'y.*', isEqual: false, isRegex: true },
      ],
    }
    const { events } = await pulled({ '/api/v2/silences': { body: [silence] } })
    expect(events).toMatchObject([
      {
        service: 'checkout',
        message: 'Alerts {service="checkout", severity=~"a|b", team!="x", zone!~"y.*"} silenced',
      },
    ])
  })

  it('keeps the newest of a storm and says how many there were', async () => {
    const [alert] = recorded('alerts') as [object]
    const storm = Array.from({ length: 501 }, (_, index) => ({
      ...alert,
      fingerprint: String(index),
      startsAt: new Date(NOW - 1 - index * 1000).toISOString(),
    }))
    const { alerts, gaps, sources } = await pulled({ '/api/v2/alerts': { body: storm } })
    expect(alerts).toHaveLength(500)
    expect(Math.min(...alerts.map(({ fired_at }) => fired_at))).toBe(NOW - 1 - 499_000)
    expect(gaps).toMatchObject([{ what: 'Alertmanager: alerts', why: 'The newest 500 of 501 are kept.' }])
    expect(sources[0]).toMatchObject({ outcome: 'cut', records: 500 })
  })

  it('counts what it cannot read and keeps the rest', async () => {
    const [alert] = recorded('alerts') as [object]
    const { alerts, gaps } = await pulled({ '/api/v2/alerts': { body: [alert, { labels: 7 }] } })
    expect(alerts).toHaveLength(1)
    expect(gaps).toMatchObject([{ why: '1 of 2 items could not be read.' }])
  })

  it('says of a time long past that only what fires now is known', async () => {
    const { tool, config } = await alertmanager()
    const { gaps } = await tool.pull(config, pullRequest(NOW - 3 * 86_400_000))
    expect(gaps).toMatchObject([{ why: 'Only alerts that fire at the time of asking are known.' }])
  })

  it('says of an alert that it is suppressed', async () => {
    const [alert] = recorded('alerts') as [{ annotations: object }]
    const muted = {
      ...alert,
      status: { state: 'suppressed' },
      annotations: { description: 'files' },
      labels: {},
    }
    const { alerts } = await pulled({ '/api/v2/alerts': { body: [muted] } })
    expect(alerts).toMatchObject([{ name: 'alert without a name', detail: 'files; suppressed' }])
  })
})
