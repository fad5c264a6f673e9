import { describe, expect, it } from 'vitest'
import { attributeNodeFlow } from '#shared/domain/investigation/node-flow.ts'
import { normalTime } from '#shared/domain/investigation/normal-time.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, EMPTY, LENGTH, ONSET, series } from './incident-scenarios.ts'

/** Minute in which the alert fires. */
const ALERT = ONSET + 6

/** Calls a minute, and a mean latency that rises at the onset. */
const waits = (entity: string, before: number, during: number, calls = 100): Series[] => [
  series(entity, 'requests', calls, calls),
  { ...series(entity, 'latency', before, during), agg: 'avg', unit: 'ms' },
]
/** Calls a minute, and a share of answered ones that falls at the onset. */
const answers = (entity: string, before: number, during: number, calls = 100): Series[] => [
  series(entity, 'requests', calls, calls),
  { ...series(entity, 'availability', before, during), unit: '%' },
]
const constant = (one: Series, value: (minute: number) => number): Series => ({
  ...one,
  values: Float64Array.from(one.values, (_, minute) => value(minute)),
})
const CALLEES = new Map([
  ['front', new Set(['middle', 'quiet'])],
  ['middle', new Set(['store', 'front'])],
])

function flows(list: readonly Series[], metric: string, more: Partial<Snapshot> = {}, callees = CALLEES) {
  const snapshot: Snapshot = {
    ...EMPTY,
    baselines: [{ name: 'b1', from: at(0), to: at(ONSET - 10) }],
    alerts: [alert('front', metric)],
    series: list,
    ...more,
  }
  return attributeNodeFlow(snapshot, normalTime(snapshot), 'front', callees)
}

const SLOW_STORE = [
  ...waits('front', 50, 450),
  ...waits('middle', 30, 430),
  ...waits('store', 10, 410),
  ...waits('quiet', 5, 5),
]

describe('what the alerted entity waits for', () => {
  it('is put down to the entity in which the time is lost, not to those that pass it on', () => {
    const found = flows(SLOW_STORE, 'latency')
    expect(found[0]).toMatchObject({ entity: 'store', kind: 'waiting' })
    const [store, front] = [found[0], found.find(({ entity }) => entity === 'front')]
    expect((store?.own ?? 0) / (store?.excess ?? 1)).toBeCloseTo(1, 1)
    expect(Math.abs(front?.own ?? 0)).toBeLessThan(0.2 * (front?.excess ?? 0))
    expect(found.find(({ entity }) => entity === 'quiet')?.z).toBeLessThan(3)
  })

  it('is told from levels, not from counters since a start nor from counts of a bucket', () => {
    const counted = (one: Series, type: 'counter' | 'histogram'): Series => ({
      ...one,
      type,
      values: one.values.map((_, minute) => 5_000 * minute),
    })
    const bucket = counted(series('store', 'request_duration_seconds_bucket', 0, 0), 'histogram')
    const total = counted(series('store', 'requests_total', 0, 0), 'counter')
    const found = flows([...waits('front', 50, 450), ...waits('middle', 30, 430), bucket, total], 'latency')
    expect(found.map(({ entity }) => entity).sort()).toEqual(['front', 'middle'])
  })

  it('is not told where nobody whom it calls has a level: all of it would look like its own', () => {
    expect(flows(waits('front', 50, 450), 'latency')).toEqual([])
    expect(flows([...waits('front', 50, 450), ...waits('store', 10, 410)], 'latency')).toEqual([])
    const alone = new Map([['front', new Set(['front'])]])
    expect(flows(waits('front', 50, 450), 'latency', {}, alone)).toHaveLength(1)
  })

  it('is told per sampling interval, from the first sample that ends after the alert fired', () => {
    const [store] = flows(SLOW_STORE, 'latency')
    expect(store).toMatchObject({ interval_s: 60, onset_at: at(ALERT) })
    expect(store?.excess).toBeGreaterThan(30_000)
  })

  it.each([
    ['s', 'request_latency', 0.001],
    ['ms', 'latency', 1],
    ['us', 'latency', 1_000],
  ])('is the same in whichever unit it was measured: %s', (unit, name, perMs) => {
    const scaled = SLOW_STORE.map((one) =>
      one.name === 'latency' ? { ...one, name, unit, values: one.values.map((value) => value * perMs) } : one,
    )
    const reference = flows(SLOW_STORE, 'latency')
    const found = flows(scaled, 'latency')
    expect(found.map(({ entity }) => entity)).toEqual(reference.map(({ entity }) => entity))
    expect(found[0]?.excess ?? 0).toBeCloseTo(reference[0]?.excess ?? 0, 3)
  })

  it('is read from the mean rather than from a quantile', () => {
    const tails = ['front', 'middle', 'store'].map((entity) => ({
      ...series(entity, 'latency', 10, entity === 'middle' ? 9_000 : 10),
      agg: 'p99',
    }))
    expect(flows([...tails, ...SLOW_STORE], 'latency')[0]?.entity).toBe('store')
  })

  it('does not count what had been off before', () => {
    const calm = { from: at(ONSET), to: at(LENGTH) }
    const already = constant({ ...series('middle', 'latency', 30, 30), agg: 'avg' }, (minute) =>
      minute < 60 ? 30 : 400,
    )
    const list = [...waits('front', 50, 450), series('middle', 'requests', 100, 100), already]
    const found = flows([...list, ...waits('store', 10, 410)], 'latency', {
      baselines: [{ name: 'b1', from: at(0), to: at(50) }],
      window: { from: at(65), to: calm.to },
    })
    expect(found.find(({ entity }) => entity === 'middle')?.excess ?? 0).toBeLessThan(2_000)
    expect(found[0]?.entity).toBe('store')
  })

  it('counts minutes without a sample as not measured', () => {
    const holes = SLOW_STORE.map((one) =>
      constant(one, (minute) => (minute % 7 === 3 ? Number.NaN : (one.values[minute] as number))),
    )
    expect(flows(holes, 'latency')[0]?.entity).toBe('store')
  })
})

describe('what fails behind the alerted entity', () => {
  const FAILING = [
    ...answers('front', 100, 60),
    ...answers('middle', 100, 60),
    ...answers('store', 100, 60),
    ...answers('quiet', 100, 100),
  ]

  it('is put down to the entity in which the calls are lost', () => {
    const found = flows(FAILING, 'errors')
    expect(found[0]).toMatchObject({ entity: 'store', kind: 'failing' })
    expect(found[0]?.excess).toBeGreaterThan(30)
    expect(found[0]?.excess).toBeLessThan(50)
  })

  it('is the same as a share and as percent', () => {
    const shares = FAILING.map((one) =>
      one.name === 'availability'
        ? { ...one, unit: '1', values: one.values.map((value) => value / 100) }
        : one,
    )
    expect(flows(shares, 'errors')[0]?.excess ?? 0).toBeCloseTo(flows(FAILING, 'errors')[0]?.excess ?? 1, 6)
  })

  it('is looked at before the waiting where the alert does not say which', () => {
    expect(flows([...FAILING, ...SLOW_STORE.filter(({ name }) => name === 'latency')], 'cpu')[0]?.kind).toBe(
      'failing',
    )
    expect(flows(SLOW_STORE, 'cpu')[0]?.kind).toBe('waiting')
  })

  it('has everything answered as its normal where nothing was measured before', () => {
    const late = FAILING.map((one) =>
      constant(one, (minute) => (minute < ONSET ? Number.NaN : (one.values[minute] as number))),
    )
    expect(flows(late, 'availability', { baselines: [] }).length).toBeGreaterThan(0)
  })

  it('stays with the caller of what nobody called before', () => {
    const fresh = [
      ...FAILING.filter(({ entity }) => entity !== 'store'),
      constant(series('store', 'requests', 0, 100), (minute) => (minute < ALERT ? 0 : 100)),
      {
        ...constant(series('store', 'availability', 100, 60), (minute) => (minute < ALERT ? Number.NaN : 60)),
        unit: '%',
      },
    ]
    const chain = new Map([
      ['front', new Set(['middle'])],
      ['middle', new Set(['store'])],
    ])
    const found = flows(fresh, 'errors', {}, chain)
    expect(found.map(({ entity }) => entity)).not.toContain('store')
    expect(found[0]?.entity).toBe('middle')
  })
})

describe('nothing is attributed', () => {
  it.each([
    ['without an alert', SLOW_STORE, { alerts: [] }],
    ['where the alerted entity has no series', SLOW_STORE.filter(({ entity }) => entity !== 'front'), {}],
    ['where its calls were not counted', SLOW_STORE.filter(({ name }) => name !== 'requests'), {}],
    ['where nothing left its level', [...waits('front', 50, 50), ...waits('store', 10, 10)], {}],
    ['where it became quicker', [...waits('front', 450, 50), ...waits('store', 410, 10)], {}],
  ] as [string, Series[], Partial<Snapshot>][])('%s', (_, list, more) => {
    expect(flows(list, 'latency', more)).toEqual([])
  })

  it('to an entity that calls nobody, and where none is alerted', () => {
    expect(flows(SLOW_STORE, 'latency', {}, new Map())).toEqual([])
    const snapshot = { ...EMPTY, alerts: [alert('front', 'latency')], series: SLOW_STORE }
    expect(attributeNodeFlow(snapshot, normalTime(snapshot), null, CALLEES)).toEqual([])
  })
})
