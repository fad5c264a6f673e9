import { describe, expect, it } from 'vitest'
import { triedAgain } from '#shared/domain/investigation/causes/tried-again.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Edge, KubernetesRecord, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
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
} from '../incident-scenarios.ts'
import { BARE, counted as flowOf, graphOf, place, risen } from '../scene-by-hand.ts'

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

/** A line of a log at the onset, said so often that it is no chance. */
const line = (text: string, entity: string, more: Partial<Line> = {}): Line => ({
  ...{ text, entity, count: 9, at: at(ONSET), source: 'logs', origin: 'log', failing: true },
  ...more,
})
const RETRIES = line('retrying stock', 'shop')
const NOBODY = line('context canceled', 'stock')
const KILLED = line('Pod Unhealthy', 'stock-0', { origin: 'kubernetes', count: 1 })
const MORE_RETRIES = risen('shop', 'http_client_retries', { before: 1, during: 10 })
/** Calls of the shop to its stock, so many a minute and so many of them failed from the onset on. */
const edges = (
  callsNow: number,
  failed: number,
  more: (edge: Edge, isNow: boolean) => Partial<Edge> = () => ({}),
) =>
  calls('shop', 'stock').map((edge): Edge => {
    const isNow = edge.t0 >= at(ONSET)
    const known = { ...edge, calls: isNow ? callsNow : 100, failed: isNow ? failed : 0 }
    const waiting = { latency_sum_ms: known.calls * (isNow ? 20 : 10), latency_count: known.calls }
    return { ...known, ...waiting, ...more(edge, isNow) }
  })

interface Given {
  readonly lines?: readonly Line[]
  readonly shifts?: readonly SeriesShift[]
  readonly snapshot?: Partial<Snapshot>
  readonly observed?: Partial<Scene['observed']>
  readonly flow?: Flow | null
  readonly onset?: number | null
}

/** Just what a sentence says of a stock that the shop calls, whose own demand is measured. */
const cause = ({
  lines: said = [RETRIES],
  shifts = [],
  snapshot = {},
  observed = {},
  flow,
  onset = at(ONSET),
}: Given = {}) => {
  const all: Snapshot = {
    ...EMPTY,
    entities: ['shop', 'stock', 'prices'].map((name) => ({ name, kind: 'service' as const, aliases: [] })),
    edges: edges(180, 64),
    series: [series('shop', 'http_requests', 10, 10)],
    ...snapshot,
  }
  return triedAgain({
    ...{ snapshot: all, symptoms: [], names: entityNames(all), lines: said, onset },
    observed: {
      ...BARE,
      ...{ first: place('stock'), graph: graphOf({ shop: ['stock'] }), shifts },
      flows: flow === null ? new Map() : new Map([['stock', flow ?? flowOf('stock', 100)]]),
      ...observed,
    },
  })
}
const strengths = (given: Given) => cause(given)?.signs.map(({ strength, fact }) => [strength, fact.of])

describe('the signs of calls that are tried again', () => {
  it('are the multiple of calls, retries that are counted or said, giving up, and what was down', () => {
    const all = cause({ lines: [RETRIES, RETRIES, NOBODY, NOBODY, KILLED, KILLED], shifts: [MORE_RETRIES] })
    expect(all).toMatchObject({ kind: 'capacity', entity: 'stock', action: 'scale', is_placed: true })
    expect(all).toMatchObject({ yields_to_changes: true, is_whole: true, score: 0.9 })
    expect(all?.what).toBe('calls that are tried again until nobody is answered in time')
    expect(all?.at_most).toBeUndefined()
    expect(all?.signs.map(({ strength, fact }) => [strength, fact.of])).toEqual([
      ...[
        [0.45, 'calls'],
        [0.4, 'shift'],
        [0.35, 'text'],
        [0.3, 'text'],
        [0.35, 'text'],
      ],
    ])
    expect(all?.signs[0]?.fact).toMatchObject({ flow: { entity: 'stock' } })
    expect(all?.signs[1]?.fact).toMatchObject({ shift: MORE_RETRIES })
  })

  it('add up with each that is there, and make it whole only where what began it is known', () => {
    expect(cause()).toMatchObject({ score: 0.6425 })
    expect(cause()).not.toHaveProperty('is_whole')
    expect(strengths({ lines: [], shifts: [MORE_RETRIES] })).toEqual([
      ...[
        [0.45, 'calls'],
        [0.4, 'shift'],
      ],
    ])
    expect(strengths({ lines: [NOBODY, KILLED] })).toBeUndefined()
  })

  it.each([
    'retry 1 of stock',
    'retrying stock',
    'stock call retried',
    'retries of stock',
    'attempt 2 of 3 to stock',
    'attempt 12/ 13 to stock'.replace('12/', '12 /'),
    'attempt 1 /3 to stock',
  ])('are callers who say %j', (text) => {
    expect(cause({ lines: [line(text, 'shop')] })).not.toBeNull()
  })

  it.each(['retro stock', 'an attempt of stock', 'retry prices'])('are not callers who say %j', (text) => {
    expect(cause({ lines: [line(text, 'shop')] })).toBeNull()
  })

  it.each([
    'given up by its caller',
    'client canceled',
    'client cancelled',
    'client closed',
    'context cancelled',
    'HTTP 499',
    'waited for a worker',
    'waited for an thread',
    'waiting for a slot',
    'waiting for an worker',
    'queue full',
    'queue is full',
  ])('are the place’s own word that nobody waits: %j', (text) => {
    expect(strengths({ lines: [RETRIES, line(text, 'stock')] })).toContainEqual([0.3, 'text'])
    expect(strengths({ lines: [RETRIES, line(text, 'shop')] })).not.toContainEqual([0.3, 'text'])
  })

  it.each([
    'Readiness probe failed',
    'Liveness probe failed',
    'Unhealthy',
    'back-off restarting',
    'Backoff',
    'OOMKilled',
    'oom-killed',
  ])('are a platform that found it down: %j', (text) => {
    expect(cause({ lines: [RETRIES, { ...KILLED, text }] })).toMatchObject({ is_whole: true })
  })

  it('are what the platform says of the place, near the onset, and no more later', () => {
    const whole = (...lines: readonly Line[]) => cause({ lines: [RETRIES, ...lines] })?.is_whole
    expect(whole({ ...KILLED, at: at(ONSET - 5) }, { ...KILLED, at: at(ONSET + 5) })).toBe(true)
    expect(whole({ ...KILLED, at: at(ONSET - 6) })).toBeUndefined()
    expect(whole(KILLED, { ...KILLED, at: at(ONSET + 6) })).toBeUndefined()
    expect(whole({ ...KILLED, at: null })).toBeUndefined()
    expect(whole({ ...KILLED, origin: 'log' })).toBeUndefined()
    expect(whole({ ...KILLED, entity: 'prices-0' })).toBeUndefined()
    expect(whole({ ...KILLED, text: 'Scheduled' })).toBeUndefined()
  })

  it('are said in logs, by others than the place, of the place, and in time', () => {
    for (const said of [
      line('retrying stock', 'stock'),
      line('retrying stock', 'shop', { origin: 'event' }),
      line('retrying stock', 'shop', { at: at(ONSET - 16) }),
      line('retrying stock', 'shop', { count: 4 }),
      line('retrying it', 'shop'),
    ])
      expect(cause({ lines: [said] })).toBeNull()
    const old = line('retrying stock', 'shop', { at: at(ONSET - 16), source: 'old' })
    expect(cause({ lines: [old, RETRIES] })?.signs[1]?.fact).toMatchObject({ source: 'logs' })
  })

  it('are retries that grew tenfold, at a caller of the place, in time, and to the end', () => {
    const counting = (more: Partial<SeriesShift>, entity = 'shop', name = 'http_client_retries') =>
      cause({ lines: [], shifts: [risen(entity, name, { before: 1, during: 10, ...more })] }) !== null
    expect(counting({})).toBe(true)
    expect(counting({ during: 9.9 })).toBe(false)
    expect(counting({ ended_at: at(ONSET + 9) })).toBe(false)
    expect(counting({ onset: { at: at(ONSET - 16), earliest: 0, latest: 0 } })).toBe(false)
    expect(counting({}, 'prices')).toBe(false)
    expect(counting({}, 'shop', 'http_client_timeouts')).toBe(false)
  })
})

describe('nothing is tried again', () => {
  it.each([
    ['where no place fails first', { observed: { first: null } }],
    ['where nobody knows since when', { onset: null }],
    [
      'where the demand was made elsewhere',
      { observed: { made: { maker: 'batch' } as unknown as NonNullable<Scene['observed']['made']> } },
    ],
    ['where what the place calls fails it', { flow: { ...flowOf('stock', 49), excess_failed: 100 } }],
    ['where calls are not nearly doubled', { snapshot: { edges: edges(179, 179) } }],
    ['where others fail than the further calls', { snapshot: { edges: edges(180, 63) } }],
    [
      'where everybody is answered at once',
      { snapshot: { edges: edges(180, 64, (_, isNow) => (isNow ? { latency_sum_ms: 180 * 19 } : {})) } },
    ],
    [
      'where too little was counted since',
      { snapshot: { edges: edges(180, 64).filter(({ t0 }) => t0 < at(ONSET + 3)) } },
    ],
    [
      'where too little was counted before',
      { snapshot: { edges: edges(180, 64).filter(({ t0 }) => t0 < at(3) || t0 >= at(ONSET)) } },
    ],
    [
      'where calls were not counted',
      { snapshot: { edges: edges(180, 64, () => ({ calls: undefined as unknown as number })) } },
    ],
    ['where a place calls itself', { snapshot: { edges: edges(180, 64, () => ({ caller: 'stock' })) } }],
    ['where others are called', { snapshot: { edges: edges(180, 64, () => ({ callee: 'prices' })) } }],
  ] as [string, Given][])('%s', (_, given) => {
    expect(cause(given)).toBeNull()
  })

  it('and is at the very bounds of it', () => {
    expect(cause({ flow: { ...flowOf('stock', 50), excess_failed: 100 } })).not.toBeNull()
    expect(cause({ snapshot: { edges: edges(180, 64) } })).not.toBeNull()
    for (const kept of [
      ({ t0 }: Edge) => t0 < at(ONSET + 4),
      ({ t0 }: Edge) => t0 < at(4) || t0 >= at(ONSET),
    ])
      expect(cause({ snapshot: { edges: edges(180, 64).filter(kept) } })).not.toBeNull()
  })

  it('counts calls of all callers together, from the onset to the end of the window', () => {
    const half = edges(90, 32, (_, isNow) => (isNow ? {} : { calls: 50 }))
    const two = [...half, ...half.map((edge) => ({ ...edge, caller: 'prices' }))]
    expect(cause({ snapshot: { edges: two } })).not.toBeNull()
    const later = edges(180, 64).map((edge) =>
      edge.t0 < at(ONSET + 3) ? edge : { ...edge, t0: edge.t0 + (LENGTH - ONSET) * 60_000 },
    )
    expect(cause({ snapshot: { edges: later } })).toBeNull()
    const earlier = edges(180, 64, ({ t0 }) =>
      t0 >= at(60) && t0 < at(ONSET) ? { calls: 100, failed: 0 } : {},
    )
    expect(cause({ snapshot: { edges: earlier } })).not.toBeNull()
    expect(
      cause({ snapshot: { edges: edges(180, 64, () => ({ latency_sum_ms: 0, latency_count: 0 })) } }),
    ).not.toBeNull()
    const some = edges(180, 64, ({ t0 }) =>
      t0 % 120_000 === 0 ? { latency_sum_ms: 0, latency_count: 0 } : {},
    )
    expect(cause({ snapshot: { edges: some } })).not.toBeNull()
  })
})

describe('where calls are not counted by who calls', () => {
  const own = series('stock', 'http_requests', 10, 40)
  const asked = (more: Partial<SeriesShift> = {}, entity = 'stock', labels = {}) =>
    risen(entity, 'http_requests', { before: 10, during: 18, ...more }, { labels })
  const errors = (more: Partial<SeriesShift> = {}, of: Partial<SeriesShift['series']> = {}) =>
    risen('stock', 'http_5xx_ratio', { during: 0.36, ...more }, { unit: '1', ...of })
  const told = (shifts: readonly SeriesShift[], more: Partial<Given> = {}) =>
    cause({
      flow: null,
      shifts,
      snapshot: { series: [series('shop', 'http_requests', 10, 10), own] },
      ...more,
    })

  it('the rise of its own demand tells it, for which failed requests account', () => {
    expect(told([asked(), errors()])?.signs[0]?.fact).toMatchObject({ of: 'shift', shift: { during: 18 } })
    expect(told([asked(), errors({ during: 36 }, { unit: '%' })])).not.toBeNull()
    expect(told([asked(), errors({ during: 0.35 })])).toBeNull()
    expect(told([asked(), errors({ during: 35 }, { unit: '%' })])).toBeNull()
    expect(told([asked({ during: 17.9 }), errors()])).toBeNull()
    expect(told([asked()])).toBeNull()
    expect(told([errors()])).toBeNull()
  })

  it.each([
    ['that fell', asked({ direction: 'down' })],
    ['that ended', asked({ ended_at: at(ONSET + 9) })],
    ['from nothing', asked({ before: 0 })],
    ['of a part of it', asked({}, 'stock', { route: '/a' })],
    ['of another', asked({}, 'prices')],
    ['of no requests', risen('stock', 'cpu_usage', { before: 10, during: 18 })],
    ['of waiting for requests', risen('stock', 'http_request_duration', { before: 10, during: 18 })],
  ])('a demand %s does not', (_, shift) => {
    expect(told([shift, errors({ during: 1 })])).toBeNull()
  })

  it.each([
    ['elsewhere', risen('prices', 'http_5xx_ratio', { during: 1 }, { unit: '1' })],
    ['that ended', errors({ during: 1, ended_at: at(ONSET + 9) })],
    ['of a part of it', errors({ during: 1 }, { labels: { route: '/a' } })],
    ['that are no share', errors({ during: 1 }, { unit: '/s' })],
    ['that are no failures', risen('stock', 'cpu_ratio', { during: 1 }, { unit: '1' })],
  ])('failures %s do not', (_, shift) => {
    expect(told([asked(), shift])).toBeNull()
  })

  it('the first of several rises of the same counts', () => {
    expect(told([asked(), asked({ during: 90 }), errors()])?.signs[0]?.fact).toMatchObject({
      shift: { during: 18 },
    })
  })

  it('a caller who is asked for more itself passes on what comes from outside', () => {
    expect(told([asked(), errors(), asked({ during: 12.9 }, 'shop')])).not.toBeNull()
    expect(told([asked(), errors(), asked({ during: 13 }, 'shop')])).toBeNull()
    for (const more of [{ direction: 'down' as const }, { ended_at: at(ONSET + 9) }, { before: 0 }])
      expect(told([asked(), errors(), asked({ during: 40, ...more }, 'shop')])).not.toBeNull()
    expect(told([asked(), errors(), asked({ during: 40 }, 'shop', { route: '/a' })])).not.toBeNull()
  })

  it('both sides have to say what happens where its demand is not measured, and then it is half an answer', () => {
    const bare = { snapshot: { series: [series('shop', 'http_requests', 10, 10)] } }
    const both = told([MORE_RETRIES], { ...bare, lines: [RETRIES, NOBODY, KILLED] })
    expect(both).not.toHaveProperty('is_whole')
    expect(both?.at_most).toBeLessThan(0.5)
    expect(both?.signs.map(({ strength }) => strength)).toEqual([0.4, 0.35, 0.3, 0.35])
    expect(told([MORE_RETRIES], { ...bare, lines: [NOBODY] })).toBeNull()
    expect(told([MORE_RETRIES], { ...bare, lines: [RETRIES] })).toBeNull()
    const parts = {
      snapshot: { series: [series('shop', 'http_requests', 10, 10), { ...own, labels: { route: '/a' } }] },
    }
    expect(told([], { ...parts, lines: [RETRIES, NOBODY] })?.at_most).toBeLessThan(0.5)
  })
})
