import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RULES } from '#infra/tools-demo/monitoring.ts'
import { measuredBy } from '#shared/adapters/tools/promql.ts'
import type { PullRequest } from '#shared/domain/integration.ts'
import type { Pulled, Series } from '#shared/domain/investigation/records/snapshot.ts'
import { loopbackTool, pullRequest, serveTool } from './tool-server.ts'

interface Recording extends Pick<PullRequest, 'window' | 'baselines' | 'service'> {
  readonly exchanges: readonly { readonly path: string; readonly status: number; readonly body: unknown }[]
}
const FILE = 'test/data/prometheus/bad-version.json'
const recording = JSON.parse(readFileSync(FILE, 'utf8')) as Recording

/** What a real Prometheus answered while a shop had a bad version, pulled again; with the questions it was never asked. */
let pulled: Pulled
let strange: string[]
beforeAll(async () => {
  const answers = new Map(recording.exchanges.map((one) => [one.path, one]))
  strange = []
  const server = await serveTool(({ path, search }) => {
    const asked = search.size === 0 ? path : `${path}?${search}`
    const answer = answers.get(asked)
    if (answer === undefined) strange.push(asked)
    return answer
  })
  const { window, baselines, service } = recording
  const tool = loopbackTool('prometheus', { now: () => window.to })
  pulled = await tool.pull({ base_url: server.url }, pullRequest(window.to, { window, baselines, service }))
  await Promise.all([server.close(), tool.close()])
})
afterAll(() => {
  expect(strange).toEqual([])
})

const named = (entity: string, name: string): Series | undefined =>
  pulled.series.find((series) => series.entity === entity && series.name === name)
const last = (series: Series | undefined): number => series?.values.at(-1) ?? Number.NaN

describe('what a real Prometheus answered, with no query configured', () => {
  it.each(['storefront', 'checkout', 'payments'])(
    'gives rate, errors and durations of %s, however its team names and labels them',
    (service) => {
      expect(last(named(service, 'http_requests_per_second'))).toBeGreaterThan(1)
      expect(named(service, 'http_error_ratio')?.values[0]).toBe(0)
      expect(last(named(service, 'http_error_ratio'))).toBeGreaterThan(0.2)
      expect(last(named(service, 'http_latency_p95_seconds'))).toBeGreaterThan(0)
    },
  )

  it("gives the alert with its start, and the alert's own expression", () => {
    const [fired] = pulled.alerts
    expect(fired).toMatchObject({
      name: 'StorefrontErrors',
      severity: 'page',
      service: 'storefront',
      for_s: 4,
    })
    const expression = measuredBy(RULES.find(({ alert }) => alert === fired?.name)?.expr ?? '')
    expect(last(pulled.series.find(({ query }) => query === expression))).toBeGreaterThan(0.2)
  })

  it('gives the version that began to run, and no other change', () => {
    expect(pulled.changes).toHaveLength(1)
    expect(pulled.changes[0]).toMatchObject({
      entity: 'payments',
      before: 'registry.example/acme/payments:1.4.2',
      after: 'registry.example/acme/payments:1.5.0',
    })
  })

  it('gives the volume, the probe and the certificate, each as what it is about', () => {
    expect(last(named('node-1', 'node_disk_usage_ratio'))).toBeLessThan(0.5)
    expect(last(named('payments', 'probe_success'))).toBe(1)
    expect(last(named('payments', 'certificate_seconds_until_expiry'))).toBeGreaterThan(3600)
  })

  it('joins the names of a service, and leaves nothing unread', () => {
    expect(pulled.entities.find(({ name }) => name === 'payments')?.aliases).toContainEqual({
      alias: 'shop/payments',
      learnt_from: 'label job in Prometheus',
    })
    expect(pulled.sources.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  })
})
