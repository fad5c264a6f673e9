import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Edge, KubernetesRecord, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import {
  alert,
  at,
  calls,
  commit,
  deploy,
  EMPTY,
  LENGTH,
  lines,
  ONSET,
  series,
} from './incident-scenarios.ts'

/** Calls of which there are so many times as many from the onset on, so many of which fail, each after so many ms. */
const repeated = (caller: string, callee: string, times: number, failing: number, wait = 1_000): Edge[] =>
  calls(caller, callee).map((edge) =>
    edge.t0 < at(ONSET)
      ? edge
      : {
          ...edge,
          calls: 600 * times,
          failed: Math.round(600 * times * failing),
          ...{ latency_sum_ms: 600 * times * wait, latency_count: 600 * times },
        },
  )
const down = (name: string, minute: number): KubernetesRecord => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Pod', name, reason: 'Unhealthy' },
  message: 'Liveness probe failed: dial tcp 10.0.3.7:8080: connect: connection refused',
})
const counted = series('shop', 'http_client_retries_per_second', 0.1, 40)
const said = lines('shop', 'WARN', 'retrying request to stock, attempt 3 of 3', ONSET)
const givenUp = lines('stock', 'WARN', 'rpc error: context canceled while it waited for a worker', ONSET)
const k8s = [down('stock-0', ONSET), down('stock-1', ONSET + 1)]
const demand = [
  series('shop', 'http_requests_per_second', 10, 10),
  series('stock', 'http_requests_per_second', 10, 40),
]
const changes = [
  commit('aa11', 20, 'Say how to run the tests', ['shop/README.md'], null),
  deploy('d1', 30, 'shop', 'v2', ['aa11']),
]

/** A shop whose stock answers nobody in time. */
const find = (more: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('shop', 'http_5xx_ratio')],
    edges: repeated('shop', 'stock', 4, 1),
    changes,
    ...more,
    series: [
      series('shop', 'http_5xx_ratio', 0.003, 0.9),
      { ...series('stock', 'http_5xx_ratio', 0.003, 0.95), unit: '1' },
      ...(more.series ?? demand),
    ],
  })
const isNamed = (found: Findings): boolean =>
  found.hypotheses.some(({ statement }) => /tried again/.test(statement))

describe('calls that are tried again until nobody is answered', () => {
  it('are a whole answer where the callers repeat themselves and what began it is over', () => {
    for (const more of [
      { series: [...demand, counted], k8s },
      { logs: said, k8s },
    ]) {
      const found = find(more)
      expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock', change: null })
      expect(found.hypotheses[0]?.statement).toMatch(/tried again/)
      expect(found.confidence).toBeGreaterThan(0.6)
    }
  })

  it('are half of an answer where nobody recorded what began it, or it is not over', () => {
    const still = [...k8s, down('stock-0', ONSET + 15)]
    for (const more of [
      { series: [...demand, counted], logs: [...said, ...givenUp] },
      { series: [...demand, counted], k8s: still },
      { series: [...demand, counted], k8s: [down('stock-0', ONSET - 6)] },
      { series: [...demand, counted], k8s: [down('prices-0', ONSET)] },
    ]) {
      const found = find(more)
      expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock', change: null })
      expect(isNamed(found)).toBe(true)
      expect(found.confidence).toBeLessThan(0.5)
    }
  })

  it('are none where nobody is seen to repeat himself: somebody may as well ask for more', () => {
    expect(isNamed(find({ logs: givenUp, k8s }))).toBe(false)
    for (const logs of [said.slice(0, 4), lines('prices', 'WARN', 'retrying request to prices-db', ONSET)])
      expect(isNamed(find({ logs, k8s }))).toBe(false)
    for (const other of [
      series('shop', 'http_client_retries_per_second', 10, 40),
      series('prices', 'http_client_retries_per_second', 0.1, 40),
      series('shop', 'http_client_retries_per_second', 0.1, 40, ONSET + 6),
    ])
      expect(isNamed(find({ series: [...demand, other], k8s }))).toBe(false)
  })

  it('are told from the rates of requests where no tool counts calls', () => {
    const more = { edges: calls('shop', 'stock').map(({ calls: _, failed: __, ...edge }) => edge) }
    const found = find({ ...more, series: [...demand, counted], k8s })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock', change: null })
    expect(isNamed(found)).toBe(true)
    const [rises] = demand
    for (const others of [
      [rises, series('stock', 'http_requests_per_second', 10, 17)],
      [series('shop', 'http_requests_per_second', 10, 40), demand[1]],
    ])
      expect(isNamed(find({ ...more, series: [...(others as typeof demand), counted], k8s }))).toBe(false)
  })

  it('are possible where nobody counts how much is asked and both sides say what happens', () => {
    const more = {
      edges: calls('shop', 'stock').map(({ calls: _, failed: __, ...edge }) => edge),
      series: [series('shop', 'http_requests_per_second', 10, 10), counted],
      k8s,
    }
    const found = find({ ...more, logs: [...said, ...givenUp], changes: [] })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock', change: null })
    expect(isNamed(found)).toBe(true)
    expect(found.confidence).toBeLessThan(0.5)
    for (const logs of [said, givenUp]) expect(isNamed(find({ ...more, logs }))).toBe(false)
  })

  it('are none that are answered, refused at once, or not many more than ever', () => {
    for (const edges of [
      repeated('shop', 'stock', 4, 0.5),
      repeated('shop', 'stock', 4, 1, 60),
      repeated('shop', 'stock', 1.7, 1),
    ])
      expect(isNamed(find({ edges, series: [...demand, counted], logs: said, k8s }))).toBe(false)
  })

  it('are none where more is asked from outside, or what is called below fails', () => {
    const busy = [series('shop', 'http_requests_per_second', 10, 40), demand[1] as (typeof demand)[number]]
    expect(isNamed(find({ series: [...busy, counted], logs: said, k8s }))).toBe(false)
    const below = [...repeated('shop', 'stock', 4, 1), ...repeated('stock', 'stock-db', 4, 1)]
    const found = find({ edges: below, series: [...demand, counted], logs: said, k8s })
    expect(found.cause.entity === 'stock' && isNamed(found)).toBe(false)
  })

  it('make the demand that rises below those who try again, which is no traffic from outside', () => {
    const edges = [...repeated('shop', 'stock', 4, 1), ...repeated('shop', 'labels', 4, 0, 30)]
    const more = [
      series('shop', 'http_requests_per_second', 10, 12),
      series('stock', 'http_requests_per_second', 10, 40),
      series('labels', 'http_requests_per_second', 10, 40),
    ]
    expect(find({ edges, series: more }).cause.kind).not.toBe('traffic')
    const found = find({ edges, series: [...more, counted], logs: said, k8s })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock' })
    expect(isNamed(found)).toBe(true)
  })

  it('yield to a change that can have broken who is called', () => {
    const broken = commit(
      'bb22',
      ONSET - 3,
      'Ask the warehouse for every item',
      ['stock/src/items.ts'],
      '--- a/stock/src/items.ts\n+++ b/stock/src/items.ts\n@@ -1,3 +1,5 @@\n-const items = await warehouse.list(ids)\n+for (const id of ids) {\n+  items.push(await warehouse.query(id))\n+}\n',
    )
    const found = find({
      series: [...demand, counted],
      changes: [...changes, broken, deploy('d2', ONSET - 2, 'stock', 'v9', ['bb22'])],
    })
    expect(found.cause.change).toBe('bb22')
  })

  it('are looked for up to the end of the window', () => {
    const over = {
      ...counted,
      values: counted.values.map((value, minute) => (minute > LENGTH - 15 ? 0.1 : value)),
    }
    expect(find({ series: [...demand, over], k8s }).confidence).toBeLessThan(
      find({ series: [...demand, counted], k8s }).confidence,
    )
  })
})
