import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_TIMED, IDENTIFIED } from '#shared/domain/investigation/confidence.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

const id = (letter: string): string => letter.repeat(40)
/** A change whose diff fits nothing that is observed. */
const PLAIN = '@@ page.ts @@\n-  return page(items, count)\n+  return page(items, items.length)'
const shipped = (letter: string, minute: number, service: string, diff = PLAIN): Change[] => [
  { ...commit(id(letter), minute - 5, 'Name a size', [`${service}/page.ts`], diff), entity: service },
  deploy(`rollout-${letter}`, minute, service, letter, [id(letter)]),
]

/** `web` fails because `stock` does; nothing but numbers tells so. */
const scene = (changes: readonly Change[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [
    series('web', 'http_5xx_ratio', 0.003, 0.4),
    series('stock', 'http_5xx_ratio', 0.003, 0.4),
    series('cart', 'http_5xx_ratio', 0.003, 0.003),
  ],
  edges: [...calls('web', 'stock', 0.4), ...calls('web', 'cart')],
  changes,
  ...more,
})

describe('time and place', () => {
  it('name the change that alone reached what fails just before it did, and say that it is likely and no more', () => {
    const found = investigate(scene([...shipped('a', ONSET - 1, 'stock'), ...shipped('b', 30, 'stock')]))
    expect(found.cause).toMatchObject({ level: 'change', change: id('a'), entity: 'stock' })
    expect(found.confidence).toBeGreaterThanOrEqual(IDENTIFIED)
    expect(found.confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_TIMED)
  })

  it('tell less of each change the more of them arrived', () => {
    const alone = investigate(scene(shipped('a', ONSET - 1, 'stock')))
    const three = investigate(
      scene(['a', 'b', 'c'].flatMap((letter, index) => shipped(letter, ONSET - 1 - index / 4, 'stock'))),
    )
    expect(alone.cause.level).toBe('change')
    expect(three.hypotheses.slice(0, 3).map(({ cause }) => cause.change)).toEqual(['a', 'b', 'c'].map(id))
    expect(three.confidence).toBeLessThan(alone.confidence)
    const crowd = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const many = investigate(scene(crowd.flatMap((letter) => shipped(letter, ONSET - 2, 'stock'))))
    expect(many.cause.level).toBe('service')
  })

  it('say nothing of a change elsewhere, long before or after', () => {
    for (const change of [
      shipped('a', ONSET - 1, 'cart'),
      shipped('a', 5, 'stock'),
      shipped('a', ONSET + 4, 'stock'),
    ])
      expect(investigate(scene(change)).cause.change).toBeNull()
  })

  it('make a change likely whose diff can do the harm, though no word names it', () => {
    const loop =
      '@@ list.ts @@\n-  const all = await store.query("select * from details where id = any($1)", [ids])\n+  for (const one of ids) {\n+    all.push(await store.query("select * from details where id = $1", [one]))\n+  }'
    const found = investigate(
      scene(shipped('a', ONSET - 1, 'stock', loop), {
        alerts: [alert('web', 'http_server_duration_p95_ms')],
        series: [
          series('web', 'http_server_duration_p95_ms', 80, 900),
          series('stock', 'http_server_duration_p95_ms', 40, 800),
        ],
      }),
    )
    expect(found.cause).toMatchObject({ level: 'change', change: id('a') })
    expect(found.confidence).toBeGreaterThanOrEqual(0.5)
  })

  it('yield to what is known to have happened there', () => {
    const event = {
      ...{ source: 'events', timestamp: at(ONSET), resource: 'stock', service: 'stock', kind: 'storage' },
      message: 'out of storage: no space left',
    }
    const found = investigate(scene(shipped('a', ONSET - 20, 'stock'), { events: [event] }))
    expect(found.cause).toMatchObject({ level: 'kind', kind: 'capacity', entity: 'stock' })
  })

  it('explain a resource at its end that was measured there', () => {
    const memory = series('stock', 'memory_usage_percent', 40, 99)
    const leak = '@@ kept.ts @@\n-  kept.delete(order.id)\n-  cache.close()\n+  kept.set(order.id, order)'
    const found = investigate(
      scene(shipped('a', ONSET - 2, 'stock', leak), { series: [...scene([]).series, memory] }),
    )
    expect(found.cause).toMatchObject({ level: 'change', change: id('a') })
  })
})

describe('calls that only the caller counts as failed', () => {
  const ownWords = (during: number, more: Partial<Snapshot> = {}): Snapshot =>
    scene([], {
      series: [series('web', 'http_5xx_ratio', 0.003, 0.4), series('stock', 'http_5xx_ratio', 0.003, during)],
      ...more,
    })

  it('fail at the caller, where the callee was measured to be asked and to answer as ever', () => {
    expect(investigate(ownWords(0.003)).cause.entity).toBe('web')
    expect(investigate(ownWords(0.4)).cause.entity).toBe('stock')
  })

  it('fail at the callee where it is not reached any more, or tells nothing of itself', () => {
    const asked = (during: number) => [
      ...ownWords(0.003).series,
      series('stock', 'http_requests_per_second', 100, during),
    ]
    expect(investigate(ownWords(0.003, { series: asked(100) })).cause.entity).toBe('web')
    expect(investigate(ownWords(0.003, { series: asked(30) })).cause.entity).toBe('stock')
    const silent = ownWords(0.003).series.filter(({ entity }) => entity === 'web')
    expect(investigate(ownWords(0.003, { series: silent })).cause.entity).toBe('stock')
  })
})

describe('a change at a caller that gives up', () => {
  const hasty = '@@ client.yaml @@\n client:\n-  timeout_ms: 2000\n+  timeout_ms: 50\n   pool: 8'
  const given = (stock: number) =>
    investigate(
      scene(shipped('a', ONSET - 1, 'web', hasty), {
        series: [
          series('web', 'http_5xx_ratio', 0.003, 0.4),
          series('stock', 'http_5xx_ratio', 0.003, stock),
        ],
      }),
    )

  it('is likely where its callee was measured to answer as ever', () => {
    const found = given(0.003)
    expect(found.cause).toMatchObject({ level: 'change', change: id('a'), entity: 'web' })
    expect(found.confidence).toBeGreaterThan(0.6)
    expect(given(0.4).confidence).toBeLessThan(found.confidence)
  })
})

describe('a flag', () => {
  const turned = (key: string): Change => ({
    ...{ source: 'flags', id: key, kind: 'flag', title: key, entity: 'stock', before: 'off', after: 'on' },
    ...{ recorded_at: at(ONSET - 1), effective_at: { from: at(ONSET - 1), to: at(ONSET - 1) } },
  })
  const told = (key: string, message: string) =>
    investigate(scene([turned(key)], { logs: lines('stock', 'ERROR', message, ONSET) }))

  it('is likely where what fails logs its key, which one word may be by chance', () => {
    const named = told('quick-lists', 'quick-lists failed: unexpected shape')
    expect(named.cause).toMatchObject({ kind: 'flag', change: 'quick-lists' })
    expect(named.confidence).toBeGreaterThan(0.6)
    expect(named.evidence.map(({ content }) => content)).toContain(
      'stock reports “quick-lists failed: unexpected shape”, and feature flag quick-lists bears the name “quick-lists”.',
    )
    for (const other of [
      told('quick-lists', 'very-quick-lists failed: unexpected shape'),
      told('lists', 'lists failed: unexpected shape'),
      investigate(scene([turned('quick-lists')])),
    ])
      expect(other.confidence).toBeLessThan(named.confidence)
  })
})

describe('a place alone', () => {
  it('is half of an answer where records of what happened were read: below .5', () => {
    const found = investigate(scene(shipped('a', 5, 'cart')))
    expect(found.cause).toMatchObject({ level: 'service', entity: 'stock' })
    expect(found.confidence).toBeLessThan(0.5)
  })

  it('may be where a stock is used up, though nobody was measured to wait longer; not so a busy processor', () => {
    const failing = (name: string): readonly string[] => {
      const odd = series('cart', name, 0.4, 0.99, ONSET)
      const snapshot = scene([], { edges: [], series: [...scene([]).series, odd] })
      return observe(snapshot, entityNames(snapshot), null).failing.map(({ entity }) => entity)
    }
    expect(failing('db_connections_used_ratio')).toContain('cart')
    expect(failing('cpu_utilization_ratio')).not.toContain('cart')
  })

  it('is not where a processor is busy while everybody is answered as before, nor is that the onset', () => {
    const job = series('cart', 'cpu_utilization_ratio', 0.2, 0.95, 40)
    const found = investigate(scene([], { edges: [], series: [...scene([]).series, job] }))
    expect(found.hypotheses.map(({ cause }) => cause.entity)).not.toContain('cart')
    expect(found.onset?.at).toBe(new Date(at(ONSET)).toISOString())
  })
})

describe('the beginning of an incident', () => {
  const onsetOf = (more: Partial<Snapshot>): string | undefined =>
    investigate(scene([], { edges: calls('web', 'stock', 0.4), ...more })).onset?.at
  const began = new Date(at(ONSET)).toISOString()
  const own = scene([]).series

  it('is when users felt it, not when instances were replaced earlier or a processor began to be busy', () => {
    const rolled = series('stock', 'workload_replicas_unavailable', 0, 1, 30, 34)
    const busy = series('stock', 'cpu_utilization_ratio', 0.2, 0.5, 60)
    expect(onsetOf({ series: [...own, rolled, busy] })).toBe(began)
  })

  it('is not that of errors that were over long before', () => {
    const over = series('stock', 'db_errors_per_second', 0.01, 3, 40, 60)
    const found = investigate(scene([], { edges: calls('web', 'stock', 0.4), series: [...own, over] }))
    expect(found.onset?.at).toBe(began)
    expect(found.evidence.map(({ content }) => content).join('\n')).not.toContain('db_errors')
  })

  it('is not moved by an alert that only informs and has been on for long', () => {
    const on = { ...alert('cart', 'cpu_throttling_ratio'), severity: 'info', fired_at: at(20) }
    const found = investigate(
      scene([], { edges: calls('web', 'stock', 0.4), alerts: [on, ...scene([]).alerts] }),
    )
    expect(found.onset?.at).toBe(began)
    expect(found.first_failing_service).toBe('stock')
  })

  it('is when a complaint that always came began to come closer together', () => {
    const said = (from: number, to?: number, every?: number) =>
      lines('stock', 'ERROR', 'lost the connection to its store', from, to, every)
    const snapshot = scene([], {
      ...{ edges: [], alerts: [alert('stock', 'log_errors')] },
      ...{ series: [], logs: [...said(0, ONSET, 14), ...said(ONSET)] },
      baselines: [{ name: 'b1', from: at(0), to: at(50) }],
    })
    expect(Date.parse(investigate(snapshot).onset?.at ?? '')).toBe(at(ONSET) + 7_000)
  })
})

describe('instances that are replaced', () => {
  it('make no failing service where everybody is answered as before', () => {
    const rolled = series('cart', 'workload_replicas_unavailable', 0, 1, ONSET, ONSET + 3)
    const felt = series('cart', 'http_5xx_ratio', 0.003, 0.003)
    const snapshot = scene([], { series: [...scene([]).series, rolled, felt] })
    const failing = observe(snapshot, entityNames(snapshot), null).failing
    expect(failing.map(({ entity }) => entity)).not.toContain('cart')
  })
})

describe('more requests of one outcome', () => {
  it('are no more requests: the others end in another way', () => {
    const refused = {
      ...series('stock', 'http_server_requests_total', 1, 9, ONSET - 1),
      ...{ type: 'rate' as const, labels: { code: '503' } },
    }
    const kindOf = (one: Series): string =>
      investigate(scene([], { edges: calls('web', 'stock', 0.4), series: [...scene([]).series, one] })).cause
        .kind
    expect(kindOf({ ...refused, labels: {} })).toBe('traffic')
    expect(kindOf(refused)).not.toBe('traffic')
  })
})

describe('a used-up resource', () => {
  it('has no rival in a service that left normal and was counted to fail nothing', () => {
    const full = 'ERROR: could not extend file "base/1/2": No space left on device'
    const found = investigate(
      scene([deploy('rollout-q', 20, 'mail', 'q', [])], {
        series: [
          ...scene([]).series,
          series('stock', 'volume_used_ratio', 0.6, 1),
          series('cart', 'memory_usage_bytes', 10, 9_000, ONSET - 5),
        ],
        edges: [...calls('web', 'stock', 0.4), ...calls('web', 'cart')],
        logs: lines('stock', 'ERROR', full, ONSET),
      }),
    )
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock' })
    expect(found.confidence).toBeGreaterThan(0)
  })
})

describe('what tells nothing of itself', () => {
  const outside = (callers: readonly string[], status: Snapshot['status'] = []): Snapshot =>
    scene([], {
      alerts: [alert('web', 'http_5xx_ratio')],
      series: callers.map((name) => series(name, 'http_5xx_ratio', 0.003, 0.4)),
      edges: callers.flatMap((name) => calls(name, 'payments-api', 0.4)),
      status,
    })
  const told: Snapshot['status'] = [
    {
      ...{ source: 'status', provider: 'payments-api' },
      events: [{ timestamp: at(ONSET), status: 'major_outage', detail: 'Elevated error rates' }],
    },
  ]

  it('is an outside provider where its failing calls and its status page agree', () => {
    const found = investigate(outside(['web'], told))
    expect(found.cause).toMatchObject({ kind: 'provider', entity: 'payments-api', level: 'kind' })
    expect(found.evidence.map(({ content }) => content).join('\n')).toMatch(
      /Of \d+ calls to payments-api since its onset \d+ failed; \d+ beyond normal arose inside it\./,
    )
  })

  it('is one where a second caller agrees, and none on the word of one caller alone', () => {
    expect(investigate(outside(['web', 'cart'])).cause.kind).toBe('provider')
    expect(investigate(outside(['web'])).hypotheses.map(({ cause }) => cause.kind)).not.toContain('provider')
  })

  it('is none where it is measured itself', () => {
    const measured = {
      ...outside(['web', 'cart']),
      logs: lines('payments-api', 'ERROR', 'out of luck', ONSET),
    }
    expect(investigate(measured).hypotheses.map(({ cause }) => cause.kind)).not.toContain('provider')
  })
})

describe('more traffic where nobody counted who calls whom', () => {
  const demand = (alerted: readonly [number, number]): Snapshot => ({
    ...EMPTY,
    alerts: [alert('web', 'http_duration_p95_ms')],
    series: [
      series('web', 'http_requests_per_second', ...alerted),
      series('stock', 'http_requests_per_second', 40, 240),
      series('web', 'http_duration_p95_ms', 40, 900),
      series('stock', 'http_duration_p95_ms', 20, 900),
      series('stock', 'cpu_utilization_ratio', 0.2, 0.95),
    ],
  })
  const traffic = (snapshot: Snapshot) =>
    investigate(snapshot).hypotheses.find(({ cause }) => cause.kind === 'traffic')

  it('comes in where users are served', () => {
    expect(traffic(demand([50, 200]))?.cause.entity).toBe('web')
  })

  it('is made inside where those who are served ask no more than before', () => {
    expect(traffic(demand([50, 50]))).toBeUndefined()
  })

  it('name who asks more of what fails, between it and what was asked about, before what it used up', () => {
    const raised: Change = {
      ...{ source: 'flags', id: 'wide-search', kind: 'flag', entity: 'cart', before: '5 %', after: '40 %' },
      ...{ recorded_at: at(ONSET - 2), effective_at: { from: at(ONSET - 2), to: at(ONSET - 2) } },
    }
    const chain = scene([raised], {
      series: [
        series('web', 'http_5xx_ratio', 0.003, 0.4),
        series('cart', 'http_5xx_ratio', 0.003, 0.4),
        series('desk', 'http_5xx_ratio', 0.003, 0.4),
        series('stock', 'http_5xx_ratio', 0.003, 0.4),
        series('stock', 'cpu_utilization_ratio', 0.3, 1),
      ],
      edges: [...calls('web', 'cart', 0.4), ...calls('cart', 'desk', 0.4), ...calls('desk', 'stock', 0.4)],
    })
    const found = investigate(chain)
    expect(found.cause).toMatchObject({ kind: 'flag', change: 'wide-search' })
    expect(found.confidence).toBeLessThan(0.5)
    expect(investigate({ ...chain, changes: [{ ...raised, entity: 'elsewhere' }] }).cause.change).toBeNull()
  })

  it('are linked by a mechanism whose very fault is seen, among others that came as close', () => {
    const kept =
      '@@ list.py @@\n-    conn.close()\n-    audit(row)\n+    if not row: return None\n+    conn.close()'
    const others = [...shipped('b', ONSET - 3, 'stock'), ...shipped('c', ONSET - 4, 'stock')]
    const told = { logs: lines('stock', 'ERROR', 'Timed out acquiring a connection', ONSET) }
    const found = investigate(scene([...shipped('a', ONSET - 12, 'stock', kept), ...others], told))
    expect(found.cause.change).toBe(id('a'))
    expect(found.confidence).toBeGreaterThan(0.6)
    // Where nobody says that this is what fails, the diff is one of three.
    const silent = investigate(scene([...shipped('a', ONSET - 12, 'stock', kept), ...others]))
    expect(silent.confidence).toBeLessThan(IDENTIFIED)
  })
})

describe('what only says how a place fails', () => {
  /** The first failing place is well and fails by turns of two minutes. */
  const byTurns = series('stock', 'http_5xx_ratio', 0.003, 0.4)
  const pulsing: Series = {
    ...byTurns,
    values: byTurns.values.map((value, minute) => (minute % 4 < 2 ? value : 0.003)),
  }
  const seen = (changes: readonly Change[]) =>
    investigate(scene(changes, { series: [series('web', 'http_5xx_ratio', 0.003, 0.4), pulsing] }))

  it('is the cause where nothing arrived there, and stands below the change that did just before', () => {
    expect(seen(shipped('b', 30, 'cart')).cause).toMatchObject({
      level: 'kind',
      kind: 'infra',
      entity: 'stock',
    })
    const arrived = seen([...shipped('a', ONSET - 2, 'stock'), ...shipped('b', 30, 'cart')])
    expect(arrived.cause).toMatchObject({ level: 'change', change: id('a'), entity: 'stock' })
    expect(arrived.confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_TIMED)
  })
})
