import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PullRequest } from '#shared/domain/integration.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { ONSET } from '../../tools/measured-shops.ts'
import { loopbackTool, pullRequest, serveTool } from './tool-server.ts'

interface Recording extends Pick<PullRequest, 'window' | 'baselines' | 'service'> {
  readonly exchanges: readonly { readonly path: string; readonly status: number; readonly body: unknown }[]
}

/** What a real Prometheus answered of a shop in test/tools/measured-shops.ts, pulled again and investigated. */
async function shop(name: string) {
  const file = `test/data/prometheus/${name}.json`
  const { window, baselines, service, exchanges } = JSON.parse(readFileSync(file, 'utf8')) as Recording
  const answers = new Map(exchanges.map((one) => [one.path, one]))
  const unknown: string[] = []
  const server = await serveTool(({ path, search }) => {
    const asked = search.size === 0 ? path : `${path}?${search}`
    const answer = answers.get(asked)
    if (answer === undefined) unknown.push(asked)
    return answer
  })
  const tool = loopbackTool('prometheus', { now: () => window.to })
  const pulled = await tool.pull(
    { base_url: server.url },
    pullRequest(window.to, { window, baselines, service }),
  )
  await Promise.all([server.close(), tool.close()])
  // A question that was never recorded: run test/tools/record-conventions.ts again.
  expect(unknown).toEqual([])
  const findings = investigate(mergePulled(window, baselines, [pulled]), { service })
  return { pulled, findings }
}

/** The mean of a series before the onset and once it shows whole; undefined where there is no such series. */
function levels({ series }: Pulled, entity: string, name: string): readonly [number, number] | undefined {
  const found = series.filter((one) => one.entity === entity && one.name === name)
  expect(found.length).toBeLessThanOrEqual(1)
  const [one] = found
  if (one === undefined) return undefined
  const mean = (from: number, to: number): number => {
    const values = one.values.filter((value, at) => {
      const time = one.times[at] ?? 0
      return Number.isFinite(value) && time >= from && time < to
    })
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  return [mean(0, ONSET), mean(ONSET + 120_000, Number.POSITIVE_INFINITY)]
}

/** Calls of one pair in the last interval, and how many of them failed. */
function callsOf({ edges }: Pulled, caller: string, callee: string): readonly [number, number] {
  const last = edges.filter((edge) => edge.caller === caller && edge.callee === callee).at(-1)
  return [Math.round(last?.calls ?? 0), Math.round(last?.failed ?? 0)]
}

const about = (before: number, since: number) => [expect.closeTo(before, 0), expect.closeTo(since, 0)]
/** Calls and failed calls of an interval; traffic breathes by a twentieth. */
const calls = (all: number, failed: number) => [expect.closeTo(all, -2), expect.closeTo(failed, -1)]
const shares = (before: number, since: number) => [expect.closeTo(before, 2), expect.closeTo(since, 2)]

/** The deploy of orders is named, with the service, and nothing else comes before it. */
function namesTheDeploy({ cause }: Findings): void {
  expect(cause).toMatchObject({ level: 'change', entity: 'orders', change: expect.stringContaining('1.9.0') })
}

describe('span metrics of the OpenTelemetry collector', () => {
  it('count the calls that a service is asked for, not those that it makes or what it does inside', async () => {
    const { pulled } = await shop('span-metrics')
    expect(levels(pulled, 'orders', 'http_requests_per_second')).toEqual(about(20, 20))
    expect(levels(pulled, 'web', 'http_requests_per_second')).toEqual(about(20, 20))
    expect(levels(pulled, 'orders', 'http_error_ratio')).toEqual(shares(0, 0.4))
    expect(levels(pulled, 'orders', 'http_latency_p95_seconds')).toEqual(shares(0.23, 2.5))
  })

  it('lead to the store that fails first, and to the deploy before it', async () => {
    const { pulled, findings } = await shop('span-metrics')
    expect(callsOf(pulled, 'orders', 'orders-db')).toEqual(calls(2400, 720))
    expect(findings.first_failing_service).toBe('orders-db')
    namesTheDeploy(findings)
  })
})

describe('a mesh of Istio with services of Spring Boot', () => {
  it('has each call counted once, though both of its sides count it', async () => {
    const { pulled } = await shop('spring-in-mesh')
    expect(levels(pulled, 'web', 'http_requests_per_second')).toEqual(about(20, 20))
    expect(levels(pulled, 'web', 'http_errors_per_second')).toEqual(about(0, 8))
    expect(callsOf(pulled, 'web', 'orders')).toEqual(calls(1200, 480))
  })

  it('tells the mean duration where there are no buckets', async () => {
    const { pulled } = await shop('spring-in-mesh')
    expect(levels(pulled, 'orders', 'http_latency_mean_seconds')).toEqual(shares(0.04, 0.9))
    expect(levels(pulled, 'web', 'http_latency_mean_seconds')).toBeUndefined()
  })

  it('tells the connections of the store behind an exporter under the name of the store', async () => {
    const { pulled, findings } = await shop('spring-in-mesh')
    expect(levels(pulled, 'orders-db', 'database_connections_usage_ratio')).toEqual(shares(0.4, 1))
    expect(findings.first_failing_service).toBe('orders')
    namesTheDeploy(findings)
  })
})

describe('an ingress, a mesh of Linkerd and Redis', () => {
  it('has what a workload asks of others counted as calls between them, not as calls of it', async () => {
    const { pulled } = await shop('behind-ingress')
    expect(levels(pulled, 'orders', 'http_requests_per_second')).toEqual(about(20, 20))
    expect(levels(pulled, 'orders', 'http_error_ratio')).toEqual(shares(0, 0.4))
    expect(callsOf(pulled, 'web', 'orders')).toEqual(calls(1200, 480))
    expect(callsOf(pulled, 'orders', 'catalogue')).toEqual(calls(1200, 0))
  })

  it('names the services behind an ingress that is scraped by annotations', async () => {
    const { pulled } = await shop('behind-ingress')
    expect(levels(pulled, 'web', 'http_error_ratio')).toEqual(shares(0, 0.4))
  })

  it('names a store by its own address where an exporter is told whom to look at', async () => {
    const { pulled, findings } = await shop('behind-ingress')
    expect(levels(pulled, 'orders-cache', 'database_connections_usage_ratio')).toEqual(shares(0.12, 1))
    expect(findings.first_failing_service).toBe('orders')
    namesTheDeploy(findings)
  })
})
