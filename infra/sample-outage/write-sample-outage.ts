import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  MINUTES,
  newVersionShare,
  noise,
  ROLLOUT_START,
  SERVICES,
  shopMinute,
  WINDOW_START,
} from './tea-shop.ts'

/** The incident that a first start creates for the sample outage. */
export const SAMPLE_INCIDENT = {
  title: 'Checkout answers 502 for a third of all orders',
  severity: 'critical',
  service: 'checkout',
} as const

/** The change that causes the sample outage: what an investigation of it has to name. */
export const SAMPLE_CULPRIT = '5d0c7ae1f2b94c6e8a3f7710d94be62c1f08a3d7'

const MINUTE_MS = 60_000
/** The alert fires when its condition has held for two minutes after the rollout reached every pod. */
const ALERT_AT = 96
/** Every service logs a line of routine this often, minutes. */
const ROUTINE_EVERY = 3

interface Trace {
  readonly spans: readonly object[]
  readonly logs: readonly object[]
}

/** Files of the bundle as text, by name; `endsAt` (milliseconds since the epoch) is rounded down to a minute. */
export function sampleOutageFiles(endsAt: number): ReadonlyMap<string, string> {
  const start = Math.floor(endsAt / MINUTE_MS) * MINUTE_MS - MINUTES * MINUTE_MS
  const at = (minute: number, millisecond = 0): string =>
    new Date(start + minute * MINUTE_MS + millisecond).toISOString()
  const minutes = Array.from({ length: MINUTES }, (_, minute) => shopMinute(minute))
  const round = (value: number): number => Number(value.toPrecision(6))

  const series: object[] = []
  const measure = (
    entity: string,
    name: string,
    unit: string,
    type: 'gauge' | 'rate',
    values: readonly (number | null)[],
    labels: Readonly<Record<string, string>> = {},
  ) => {
    const matchers = [
      `service="${entity}"`,
      ...Object.entries(labels).map(([key, value]) => `${key}="${value}"`),
    ]
    series.push({
      entity,
      name,
      labels,
      type,
      unit,
      interval_s: 60,
      query: `${name}{${matchers.join(',')}}`,
      t0: at(0),
      values: values.map((value) => (value === null ? null : round(value))),
    })
  }
  for (const service of SERVICES) {
    const of = minutes.map((minute) => minute.services[service])
    measure(
      service,
      'http_server_requests_per_second',
      '/s',
      'rate',
      of.map(({ requests }) => requests / 60),
    )
    measure(
      service,
      'http_server_errors_ratio',
      '1',
      'gauge',
      of.map(({ requests, failed }) => failed / requests),
    )
    measure(
      service,
      'http_server_request_duration_p95_ms',
      'ms',
      'gauge',
      of.map(({ p95_ms }) => p95_ms),
    )
    measure(
      service,
      'container_cpu_utilization_ratio',
      '1',
      'gauge',
      of.map(({ cpu_ratio }) => cpu_ratio),
    )
    measure(
      service,
      'container_memory_working_set_bytes',
      'By',
      'gauge',
      // The collector missed one scrape of the mailer.
      of.map(({ memory_bytes }, minute) => (service === 'mailer' && minute === 71 ? null : memory_bytes)),
    )
  }
  for (const version of ['v41', 'v42'] as const) {
    const of = minutes.map((minute) => minute.pricingByVersion[version])
    measure(
      'pricing',
      'http_server_errors_ratio',
      '1',
      'gauge',
      // A version that serves nothing has no ratio.
      of.map(({ requests, failed }) => (requests === 0 ? null : failed / requests)),
      { version },
    )
  }

  const edges = minutes.flatMap(({ calls }, minute) =>
    calls.map(({ caller, callee, calls: made, failed, latency_ms }) => ({
      caller,
      callee,
      t0: at(minute),
      interval_s: 60,
      calls: made,
      failed,
      latency_sum_ms: round(made * latency_ms),
      latency_count: made,
    })),
  )

  /** One sampled checkout: its spans and the lines that it logged. */
  function trace(minute: number, number: number): Trace {
    const id = `${(minute * 8 + number + 1).toString(16).padStart(4, '0')}${'7ea5'.repeat(7)}`
    const begin = 2_000 + number * 13_000 + Math.round(500 * noise(minute, 100 + number))
    const guest = number % 3 === 0
    const failsAt = (attempt: number): boolean =>
      guest && noise(minute, 200 + number * 2 + attempt) < 2 * newVersionShare(minute) - 1
    const spans: object[] = []
    const logs: object[] = []
    let spanNumber = 0
    const span = (
      service: string,
      name: string,
      parent: string | null,
      offset_ms: number,
      duration_ms: number,
      status: string,
      attributes: object = {},
    ): string => {
      const span_id = `${id.slice(0, 4)}${(++spanNumber).toString(16).padStart(12, '0')}`
      spans.push({
        trace_id: id,
        span_id,
        parent_id: parent,
        service,
        name,
        start: at(minute, begin + offset_ms),
        duration_us: Math.round(
          duration_ms * 1000 * (1 + 0.08 * noise(minute * 8 + number, 300 + spanNumber)),
        ),
        status,
        attributes,
      })
      return span_id
    }
    const log = (service: string, severity: string, offset_ms: number, message: string, span_id: string) =>
      logs.push({
        timestamp: at(minute, begin + offset_ms),
        service,
        severity,
        message,
        trace_id: id,
        span_id,
      })

    const attempts = failsAt(0) ? 2 : 1
    const fails = attempts === 2 && failsAt(1)
    const status = fails ? 'ERROR' : 'OK'
    const basket = 4100 + minute * 8 + number
    const root = span('storefront', 'POST /checkout', null, 0, fails ? 70 : 165, status, {
      'http.status_code': fails ? 502 : 200,
      'shop.guest': guest,
    })
    const checkout = span('checkout', 'PlaceOrder', root, 6, fails ? 60 : 150, status)
    span('basket', 'GET /baskets/{id}', checkout, 9, 9, 'OK')
    for (let attempt = 0; attempt < attempts; attempt++) {
      const failed = failsAt(attempt)
      const version = failed || newVersionShare(minute) === 1 ? 'v42' : 'v41'
      const pricing = span(
        'pricing',
        'POST /prices',
        checkout,
        20 + attempt * 17,
        14,
        failed ? 'ERROR' : 'OK',
        {
          'service.version': version,
        },
      )
      if (failed) {
        log(
          'pricing',
          'ERROR',
          24 + attempt * 17,
          `cannot price basket ${basket}: TypeError: Cannot read properties of undefined (reading 'perEuro') at convert (pricing/src/rates.ts:21)`,
          pricing,
        )
        if (attempt === 0)
          log('checkout', 'WARN', 35, `pricing answered 500 for basket ${basket}, asking once more`, checkout)
      }
    }
    if (fails) {
      log('checkout', 'ERROR', 58, `order for basket ${basket} not placed: pricing answered 500`, checkout)
      log('storefront', 'ERROR', 66, 'POST /checkout answered 502: upstream checkout', root)
      return { spans, logs }
    }
    span('card-network', 'POST /charges', checkout, 42, 61, 'OK')
    const orders = span('orders', 'POST /orders', checkout, 108, 38, 'OK')
    span('orders-db', 'INSERT orders', orders, 112, 6, 'OK')
    span('mailer', 'POST /mails', orders, 121, 22, 'OK')
    log('pricing', 'INFO', 30, `priced basket ${basket} with ${2 + (basket % 5)} lines`, root)
    log('checkout', 'INFO', 155, `order for basket ${basket} placed`, checkout)
    log('orders', 'INFO', 140, `order ${90_000 + basket} stored`, orders)
    return { spans, logs }
  }
  // One checkout in a hundred or so is traced.
  const traces = minutes.flatMap((_, minute) => [0, 1, 2, 3].map((number) => trace(minute, number)))
  const routine = minutes.flatMap((_, minute) =>
    minute % ROUTINE_EVERY === 0
      ? [
          {
            timestamp: at(minute, 1_000),
            service: 'basket',
            severity: 'INFO',
            message: `swept ${20 + (minute % 7)} baskets older than 30 days`,
          },
          {
            timestamp: at(minute, 1_400),
            service: 'mailer',
            severity: 'INFO',
            message: `sent ${190 + Math.round(20 * noise(minute, 5))} mails in the last minute`,
          },
        ]
      : [],
  )
  const rolloutLogs = [
    {
      timestamp: at(ROLLOUT_START, 4_000),
      service: 'pricing',
      severity: 'INFO',
      message: 'pricing v42 is listening on 8080',
      instance: 'pricing-6c8d5b7f9-k2x7q',
    },
    {
      timestamp: at(ROLLOUT_START + 2, 5_000),
      service: 'pricing',
      severity: 'INFO',
      message: 'pricing v42 is listening on 8080',
      instance: 'pricing-6c8d5b7f9-w9vlm',
    },
  ]
  const byTime = (a: { timestamp: string }, b: { timestamp: string }): number =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0
  const logs = [
    ...(traces.flatMap((one) => one.logs) as { timestamp: string }[]),
    ...routine,
    ...rolloutLogs,
  ].sort(byTime)

  const errorCounts = minutes.flatMap(({ services }, minute) =>
    (['storefront', 'checkout', 'pricing', 'orders'] as const).map((service) => ({
      service,
      severity: 'ERROR',
      t0: at(minute),
      interval_s: 60,
      count: services[service].failed,
    })),
  )
  const sum = (from: number, to: number, count: (minute: (typeof minutes)[number]) => number): number =>
    minutes.slice(from, to).reduce((total, minute) => total + count(minute), 0)
  const pattern = (
    service: string,
    signature: string,
    count: (minute: (typeof minutes)[number]) => number,
  ) => ({
    signature,
    service,
    count: sum(WINDOW_START, MINUTES, count),
    baseline_count: sum(0, WINDOW_START, count),
  })

  const changes = [
    {
      id: 'a81f3c2296d04be7b5c1e0f7d2a94f6e0c7b1d35',
      recorded_at: at(38),
      kind: 'commit',
      entity: 'storefront',
      title: 'Show the spring teas above the fold (#611)',
      actor: 'ines',
      files: ['storefront/src/home.tsx', 'storefront/src/home.css'],
      diff: '--- a/storefront/src/home.tsx\n+++ b/storefront/src/home.tsx\n@@ -14,5 +14,6 @@ export function Home({ teas }: HomeProps) {\n   return (\n     <main>\n+      <SeasonBanner season="spring" />\n       <TeaGrid teas={teas} />\n     </main>\n   )\n--- a/storefront/src/home.css\n+++ b/storefront/src/home.css\n@@ -3,1 +3,5 @@\n .tea-grid { gap: 1rem; }\n+.season-banner {\n+  padding: 2rem;\n+  background: #e8f0dc;\n+}\n',
    },
    {
      id: SAMPLE_CULPRIT,
      recorded_at: at(66),
      kind: 'commit',
      entity: 'pricing',
      title: 'Keep exchange rates in one table (#614)',
      actor: 'jonas',
      files: ['pricing/src/rates.ts', 'pricing/src/price-basket.ts'],
      diff: "--- a/pricing/src/rates.ts\n+++ b/pricing/src/rates.ts\n@@ -9,13 +9,8 @@ import type { Money } from './money.ts'\n \n const RATES: Readonly<Record<string, Rate>> = loadRates()\n-const DEFAULT_CURRENCY = 'EUR'\n \n-/** Guests have not chosen a currency yet: they see euros. */\n-export function rateOf(currency: string | undefined): Rate {\n-  return RATES[currency ?? DEFAULT_CURRENCY] ?? RATES[DEFAULT_CURRENCY]\n-}\n-\n-export function convert(amount: Money, currency: string | undefined): Money {\n-  const rate = rateOf(currency)\n+/** Converts into the currency of the basket. */\n+export function convert(amount: Money, currency: string): Money {\n+  const rate = RATES[currency]\n   return { currency: rate.currency, cents: Math.round(amount.cents * rate.perEuro) }\n }\n--- a/pricing/src/price-basket.ts\n+++ b/pricing/src/price-basket.ts\n@@ -22,6 +22,6 @@ export function priceBasket(basket: Basket): Price {\n   const lines = basket.lines.map((line) => ({\n     sku: line.sku,\n-    price: convert(priceOf(line), basket.currency),\n+    price: convert(priceOf(line), basket.currency!),\n   }))\n   return { lines, total: totalOf(lines) }\n }\n",
    },
    {
      id: 'e4b27d90c3a65f18d7092be1c5f4a8306d1e9f72',
      recorded_at: at(69),
      kind: 'commit',
      entity: 'pricing',
      title: 'Log how many lines a basket had (#616)',
      actor: 'ines',
      files: ['pricing/src/server.ts'],
      diff: "--- a/pricing/src/server.ts\n+++ b/pricing/src/server.ts\n@@ -31,4 +31,4 @@ app.post('/prices', async (request, reply) => {\n   const price = priceBasket(request.body.basket)\n-  request.log.info(`priced basket ${request.body.basket.id}`)\n+  request.log.info(`priced basket ${request.body.basket.id} with ${price.lines.length} lines`)\n   return reply.send(price)\n })\n",
    },
    {
      id: '0f6ad1583e7c42b9a2d85c60e19b7f43d8a0c56e',
      recorded_at: at(74),
      kind: 'commit',
      entity: 'mailer',
      title: 'Thank people in the first line of the mail (#617)',
      actor: 'tomasz',
      files: ['mailer/templates/order-placed.mjml'],
      diff: '--- a/mailer/templates/order-placed.mjml\n+++ b/mailer/templates/order-placed.mjml\n@@ -4,5 +4,5 @@\n <mj-section>\n   <mj-column>\n-    <mj-text>Your order {{number}} is on its way.</mj-text>\n+    <mj-text>Thank you! Your order {{number}} is on its way.</mj-text>\n   </mj-column>\n </mj-section>\n',
    },
    {
      id: 'c93b60d5718e4fa2b64d0e9f83a7c25160be4d98',
      recorded_at: at(101),
      kind: 'commit',
      entity: 'orders',
      title: 'Try a conflicting order once more (#618)',
      actor: 'tomasz',
      files: ['orders/src/store-order.ts'],
      diff: '--- a/orders/src/store-order.ts\n+++ b/orders/src/store-order.ts\n@@ -17,2 +17,7 @@ export async function storeOrder(order: Order): Promise<void> {\n-  await insertOrder(order)\n+  try {\n+    await insertOrder(order)\n+  } catch (error) {\n+    if (!isConflict(error)) throw error\n+    await insertOrder({ ...order, number: nextNumber() })\n+  }\n }\n',
    },
    {
      id: 'deploy-storefront-203',
      recorded_at: at(79),
      effective_at: { from: at(79), to: at(81) },
      kind: 'deploy',
      entity: 'storefront',
      title: 'Deploy storefront v203',
      before: 'v202',
      after: 'v203',
      actor: 'ci',
      certainty: 'recorded',
      carries: ['a81f3c2296d04be7b5c1e0f7d2a94f6e0c7b1d35'],
    },
    {
      id: 'deploy-mailer-19',
      recorded_at: at(86),
      effective_at: { from: at(86), to: at(87) },
      kind: 'deploy',
      entity: 'mailer',
      title: 'Deploy mailer v19',
      before: 'v18',
      after: 'v19',
      actor: 'ci',
      certainty: 'recorded',
      carries: ['0f6ad1583e7c42b9a2d85c60e19b7f43d8a0c56e'],
    },
    {
      id: 'basket_suggestions',
      recorded_at: at(90),
      effective_at: { from: at(90), to: at(90) },
      kind: 'flag',
      entity: 'basket',
      title: 'basket_suggestions',
      before: 'off',
      after: 'on',
      actor: 'ines',
      certainty: 'recorded',
    },
    {
      id: 'deploy-pricing-42',
      recorded_at: at(ROLLOUT_START),
      effective_at: { from: at(ROLLOUT_START), to: at(ROLLOUT_START + 2, 5_000) },
      kind: 'deploy',
      entity: 'pricing',
      title: 'Deploy pricing v42',
      before: 'v41',
      after: 'v42',
      actor: 'ci',
      certainty: 'recorded',
      carries: [SAMPLE_CULPRIT, 'e4b27d90c3a65f18d7092be1c5f4a8306d1e9f72'],
    },
    {
      id: 'deploy-orders-77',
      recorded_at: at(106),
      effective_at: { from: at(106), to: at(108) },
      kind: 'deploy',
      entity: 'orders',
      title: 'Deploy orders v77',
      before: 'v76',
      after: 'v77',
      actor: 'ci',
      certainty: 'recorded',
      carries: ['c93b60d5718e4fa2b64d0e9f83a7c25160be4d98'],
    },
  ]

  const observed = minutes[ALERT_AT]?.services.checkout
  const alerts = [
    {
      name: 'CheckoutErrorRatio',
      service: 'checkout',
      metric: 'http_server_errors_ratio',
      threshold: 0.05,
      observed: observed === undefined ? 0 : round(observed.failed / observed.requests),
      fired_at: at(ALERT_AT),
      for_s: 120,
      severity: 'critical',
      summary: 'checkout answers 502 for more than 5 % of requests',
    },
  ]
  const pod = (minute: number, millisecond: number, name: string, reason: string, message: string) => ({
    timestamp: at(minute, millisecond),
    kind: 'Pod',
    name,
    namespace: 'tea-shop',
    reason,
    message,
    count: 1,
  })
  const k8s = [
    {
      timestamp: at(ROLLOUT_START),
      kind: 'Deployment',
      name: 'pricing',
      namespace: 'tea-shop',
      reason: 'ScalingReplicaSet',
      message: 'Scaled up replica set pricing-6c8d5b7f9 to 1',
      count: 1,
    },
    pod(ROLLOUT_START, 3_000, 'pricing-6c8d5b7f9-k2x7q', 'Started', 'Started container pricing'),
    pod(ROLLOUT_START + 1, 58_000, 'pricing-79f4cd6b84-tq5zn', 'Killing', 'Stopping container pricing'),
    pod(ROLLOUT_START + 2, 4_000, 'pricing-6c8d5b7f9-w9vlm', 'Started', 'Started container pricing'),
    pod(ROLLOUT_START + 2, 6_000, 'pricing-79f4cd6b84-8mvb2', 'Killing', 'Stopping container pricing'),
  ]
  const entity = (name: string, kind: string) => ({
    name,
    kind,
    environment: 'prod',
    aliases: kind === 'service' ? [{ alias: `${name}-svc`, learnt_from: 'Kubernetes service name' }] : [],
  })
  const head = {
    format: 'incident-bundle/1',
    window: { from: at(WINDOW_START), to: at(MINUTES) },
    baselines: [{ name: 'b1', from: at(0), to: at(WINDOW_START) }],
    entities: [
      ...SERVICES.map((service) => entity(service, 'service')),
      entity('orders-db', 'datastore'),
      entity('card-network', 'external'),
    ],
  }
  const status = [
    {
      provider: 'card-network',
      component: 'Charges',
      events: [{ timestamp: at(30), status: 'operational', detail: 'All systems operational' }],
    },
  ]
  const gaps = [{ what: 'slow query log of orders-db', why: 'no tool that is connected collects it' }]

  const array = (records: readonly object[]): string =>
    `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`
  const lines = (records: readonly object[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('')
  return new Map([
    ['bundle.json', `${JSON.stringify(head, null, 2)}\n`],
    ['alerts.json', array(alerts)],
    ['series.ndjson', lines(series)],
    ['edges.json', array(edges)],
    ['spans.ndjson', lines(traces.flatMap((one) => one.spans))],
    ['logs.ndjson', lines(logs)],
    ['log_counts.ndjson', lines(errorCounts)],
    ['changes.ndjson', lines(changes)],
    ['k8s.ndjson', lines(k8s)],
    [
      'patterns.json',
      array([
        pattern(
          'pricing',
          "cannot price basket <*>: TypeError: Cannot read properties of undefined (reading 'perEuro') at convert (pricing/src/rates.ts:21)",
          ({ services }) => services.pricing.failed,
        ),
        pattern(
          'pricing',
          'priced basket <*> with <*> lines',
          ({ services }) => services.pricing.requests - services.pricing.failed,
        ),
        pattern('checkout', 'order for basket <*> placed', ({ services }) => services.orders.requests),
        pattern('orders', 'order <*> stored', ({ services }) => services.orders.requests),
      ]),
    ],
    ['status.json', array(status)],
    ['gaps.json', array(gaps)],
  ])
}

/**
 * Writes the sample outage as an incident bundle: two hours of a small shop, the second of which holds an outage that is
 * still going on. The same `endsAt` gives the same bytes.
 * @param folder is made if it does not exist
 * @param options `endsAt`: when the bundle's window ends, milliseconds since the epoch, rounded down to a minute
 */
export async function writeSampleOutage(folder: string, options: { readonly endsAt: number }): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of sampleOutageFiles(options.endsAt)) await writeFile(join(folder, name), text)
}
