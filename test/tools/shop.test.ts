import { afterEach, describe, expect, it } from 'vitest'
import { selfSigned } from '#infra/local/self-signed.ts'
import { until } from '#infra/tools-demo/service-client.ts'
import { answerLikeLoki, type LogBook, logBook } from '#infra/tools-demo/shop/log-book.ts'
import { metricsOfProcess } from '#infra/tools-demo/shop/metrics.ts'
import {
  answerLikeGithub,
  answerLikeKubernetes,
  answerLikeStatuspage,
  kubeStateMetrics,
} from '#infra/tools-demo/shop/recorded-answers.ts'
import { openShop, type Shop } from '#infra/tools-demo/shop/shop.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const opened: Shop[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((shop) => shop.stop()))
})
async function open(until?: string): Promise<Shop> {
  const shop = await openShop(selfSigned('payments.shop.svc', ...(until === undefined ? [] : [until])))
  opened.push(shop)
  return shop
}
const line = (shop: Shop, pattern: RegExp): Promise<string> =>
  until(String(pattern), 20_000, () => shop.log.lines.find(({ text }) => pattern.test(text))?.text)
const scrape = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

describe('the shop', () => {
  it('counts under the names that each team gives: its own codes, statuses, and those of OpenTelemetry', async () => {
    const shop = await open()
    await line(shop, /"msg":"POST http:\/\/checkout.shop.svc\/orders 200"/)
    const { storefront, checkout, paymentsMetrics } = shop.ports
    expect(await scrape(storefront)).toContain('http_requests_total{handler="/buy",code="200"}')
    expect(await scrape(checkout)).toContain('http_requests_total{method="POST",status="200"}')
    expect(await scrape(paymentsMetrics)).toMatch(
      /http_server_request_duration_seconds_count\{http_request_method="POST",http_route="\/charge",http_response_status_code="200"\} \d/,
    )
  })

  it('fails at amounts of a thousand and more with the new version of payments, and at no others', async () => {
    const shop = await open()
    shop.breakBy('bad-version')
    expect(await line(shop, /ERROR/)).toBe(
      'ERROR charge failed: TypeError: amount "1,250.00" is not a number',
    )
    await line(shop, /INFO charged/)
    await line(shop, /POST https:\/\/payments.shop.svc\/charge answered 500/)
    await line(shop, /"level":"error"/)
  })

  it('waits for the provider of payments when that is slow, until payments has no more patience', async () => {
    const shop = await open()
    shop.breakBy('slow-dependency')
    expect(await line(shop, /ERROR/)).toMatch(/^ERROR cards.example.com did not authorize: .*timeout/i)
    await line(shop, /POST https:\/\/payments.shop.svc\/charge answered 502/)
  })

  it('writes no order once the volume is full', async () => {
    const shop = await open()
    shop.breakBy('full-disk')
    await line(shop, /order not written" err="ENOSPC: no space left on device/)
    expect(shop.volume.used).toBe(shop.volume.size)
  })

  it('refuses a certificate that has ended', async () => {
    const shop = await open('250101000000Z')
    expect(await line(shop, /charge failed/)).toMatch(/certificate has expired/i)
  })
})

describe('metrics', () => {
  it('are written as Prometheus reads them', () => {
    const metrics = metricsOfProcess()
    metrics.count('requests_total', { code: '200' })
    metrics.count('requests_total', { code: '200' }, 2)
    metrics.set('ready', {}, 1)
    metrics.observe('took_seconds', { path: '/' }, 0.3)
    const text = metrics.text()
    expect(text).toContain('# TYPE requests_total counter\nrequests_total{code="200"} 3\n')
    expect(text).toContain('# TYPE ready gauge\nready 1\n')
    expect(text).toContain('took_seconds_bucket{path="/",le="0.25"} 0\n')
    expect(text).toContain('took_seconds_bucket{path="/",le="0.5"} 1\n')
    expect(text).toContain('took_seconds_count{path="/"} 1\n')
  })
})

describe('what answers like Loki', () => {
  const book = (): LogBook => {
    const lines = [
      { at: NOW, app: 'a', text: 'all well' },
      { at: NOW + 1000, app: 'a', text: 'it FAILED' },
      { at: NOW + 2000, app: 'b', text: 'all well' },
    ]
    return { ...logBook(), lines }
  }
  const ask = (query: string, more: Readonly<Record<string, string>> = {}) =>
    answerLikeLoki(
      book(),
      '/loki/api/v1/query_range',
      new URLSearchParams({ query, start: `${NOW}000000`, end: `${NOW + 2000}000000`, ...more }),
    ) as { data: { resultType: string; result: { values: [unknown, string][] }[] } }

  it('gives the newest lines first, the end excluded, of the streams that are selected', () => {
    expect(ask('{app=~".+"}').data.result).toEqual([
      {
        stream: { app: 'a', namespace: 'shop', pod: 'a-0' },
        values: [
          [`${NOW + 1000}000000`, 'it FAILED'],
          [`${NOW}000000`, 'all well'],
        ],
      },
    ])
    expect(ask('{app="b"}').data.result).toEqual([])
    expect(ask('{app=~".+"}', { limit: '1' }).data.result[0]?.values).toHaveLength(1)
  })

  it('filters and counts', () => {
    expect(ask('{app=~".+"} |~ "(?i)(fail)"').data.result[0]?.values).toHaveLength(1)
    const counted = ask('sum by (app) (count_over_time({app=~".+"}[60s]))', {
      start: String(NOW / 1000),
      end: String(NOW / 1000 + 60),
      step: '60',
    })
    expect(counted.data.resultType).toBe('matrix')
    expect(counted.data.result.map(({ values }) => values.at(-1)?.[1])).toEqual(['1', '1'])
  })

  it('knows its labels, and no path of another', () => {
    expect(answerLikeLoki(book(), '/loki/api/v1/label/app/values', new URLSearchParams())).toEqual({
      status: 'success',
      data: ['a', 'b'],
    })
    expect(answerLikeLoki(book(), '/loki/api/v1/tail', new URLSearchParams())).toBeUndefined()
  })
})

describe('what answers like GitHub, Kubernetes and kube-state-metrics', () => {
  const calm = { beganAt: NOW, rolledOutAt: null, providerSlowSince: null }
  const after = { ...calm, rolledOutAt: NOW + 60_000 }
  const github = (story: typeof calm | typeof after, path: string) =>
    answerLikeGithub(story, 'GET', path, new URLSearchParams())

  it('tell of a rollout once it happened, and of none before', () => {
    expect(github(calm, '/repos/acme/payments/deployments')).toHaveLength(1)
    const [newest, older] = github(after, '/repos/acme/payments/deployments') as { sha: string }[]
    expect(github(after, `/repos/acme/payments/compare/${older?.sha}...${newest?.sha}`)).toMatchObject({
      total_commits: 1,
      commits: [{ sha: newest?.sha }],
    })
    const revisions = (story: typeof calm | typeof after) =>
      (answerLikeKubernetes(story, '/apis/apps/v1/replicasets') as { items: unknown[] }).items.length
    expect(revisions(after)).toBe(revisions(calm) + 1)
    expect(kubeStateMetrics(calm)).toContain('payments:1.4.2')
    expect(kubeStateMetrics(after)).toContain('payments:1.5.0')
  })

  it('know nothing of what there is not', () => {
    expect(github(calm, '/repos/acme/elsewhere')).toBeUndefined()
    expect(answerLikeGithub(calm, 'POST', '/applications/x/token', new URLSearchParams())).toBeUndefined()
    expect(answerLikeKubernetes(calm, '/api/v1/events')).toMatchObject({ items: [] })
    expect(answerLikeKubernetes(calm, '/elsewhere')).toBeUndefined()
    expect(answerLikeStatuspage(calm, '/api/v2/elsewhere.json', NOW)).toBeUndefined()
  })

  it('tell of the trouble of the provider some time after it began', () => {
    const incidents = (story: typeof calm | { providerSlowSince: number }, now: number) =>
      (
        answerLikeStatuspage({ ...calm, ...story }, '/api/v2/incidents.json', now) as {
          incidents: unknown[]
        }
      ).incidents
    expect(incidents(calm, NOW)).toEqual([])
    expect(incidents({ providerSlowSince: NOW }, NOW + 10_000)).toEqual([])
    expect(incidents({ providerSlowSince: NOW }, NOW + 60_000)).toHaveLength(1)
    expect(answerLikeStatuspage(calm, '/api/v2/status.json', NOW)).toHaveProperty('page.name')
  })
})
