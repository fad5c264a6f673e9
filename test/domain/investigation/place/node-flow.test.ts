import { describe, expect, it } from 'vitest'
import { withSuccessors } from '#shared/domain/investigation/deviations/succeeding-series.ts'
import { attributeNodeFlow, isTimed } from '#shared/domain/investigation/place/node-flow.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

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
    const alone = new Map([['front', new Set(['front'])]])
    expect(flows(waits('front', 50, 450), 'latency', {}, alone)).toHaveLength(1)
  })

  it('is told per sampling interval, from where the alerted entity rose before the alert fired', () => {
    const [store] = flows(SLOW_STORE, 'latency')
    expect(store).toMatchObject({ interval_s: 60, onset_at: at(ONSET) })
    expect(store?.excess).toBeGreaterThan(30_000)
  })

  it('is the same where an alert fires long after the rise, with a baseline and without', () => {
    const late = { ...alert('front', 'latency'), fired_at: at(ONSET + 25) }
    for (const baselines of [[{ name: 'b1', from: at(0), to: at(ONSET - 10) }], []]) {
      const [store] = flows(SLOW_STORE, 'latency', { alerts: [late], baselines })
      expect(store).toMatchObject({ entity: 'store', onset_at: at(ONSET) })
      expect(store?.excess).toBeGreaterThan(30_000)
    }
  })

  it.each([
    ['s', 'request_latency', 0.001],
    ['ms', 'latency', 1],
    ['us', 'latency', 1_000],
    ['µs', 'latency', 1_000],
    ['ns', 'latency', 1_000_000],
    ['ms', 'request_latency_seconds', 1],
    ['', 'request_latency_seconds', 0.001],
    ['', 'request_latency_milliseconds', 1],
    ['', 'latency', 1],
    ['', 'request_latency_microseconds', 1_000],
    ['', 'request_latency_nanoseconds', 1_000_000],
  ])('is the same in whichever unit it was measured: %s, %s', (unit, name, perMs) => {
    const scaled = SLOW_STORE.map((one) => {
      if (one.name !== 'latency') return one
      const { unit: _, ...unitless } = one
      const values = one.values.map((value) => value * perMs)
      return { ...unitless, name, values, ...(unit === '' ? {} : { unit }) }
    })
    const reference = flows(SLOW_STORE, 'latency')
    const found = flows(scaled, 'latency')
    expect(found.map(({ entity }) => entity)).toEqual(reference.map(({ entity }) => entity))
    expect(found[0]?.excess ?? 0).toBeCloseTo(reference[0]?.excess ?? 0, 3)
  })

  const tails = (...entities: string[]) =>
    entities.map((entity) => ({
      ...series(entity, 'latency', 10, entity === 'middle' ? 9_000 : 10),
      agg: 'p99',
    }))

  it('is read from the mean rather than from a quantile', () => {
    const found = flows([...tails('front', 'middle', 'store'), ...SLOW_STORE], 'latency')
    expect(found[0]).toMatchObject({ entity: 'store', adds_up: true })
  })

  it('is read from what was made alike of all: from a quantile where the alerted entity has no mean', () => {
    const noMean = SLOW_STORE.map((one) => (one.entity === 'front' ? { ...one, agg: 'p95' } : one))
    const others = SLOW_STORE.filter(({ entity, name }) => entity !== 'front' && name === 'latency')
    for (const made of [{ agg: 'p95' }, { agg: undefined as never, labels: { quantile: '0.95' } }]) {
      const list = noMean.map((one) =>
        one.entity === 'front' && one.name === 'latency' ? { ...one, ...made } : one,
      )
      const alike = others.map((one) => ({ ...one, ...made, values: one.values.map((value) => 2 * value) }))
      const found = flows([...list, ...alike, ...tails('middle', 'store')], 'latency')
      expect(found.map(({ entity, adds_up }) => [entity, adds_up])[0]).toEqual(['store', false])
      expect(found[0]?.excess).toBeGreaterThan(79_000)
    }
  })

  it('is read from means where half as many have one as have a quantile, and from quantiles where fewer', () => {
    const chain = new Map([['front', new Set(['middle', 'store', 'quiet'])]])
    const p99 = ['front', 'middle', 'store', 'quiet'].map((entity) => ({
      ...series(entity, 'latency', 10, 500),
      agg: 'p99',
    }))
    const means = (...entities: string[]) =>
      SLOW_STORE.filter(({ entity, name }) => name === 'requests' || entities.includes(entity))
    const addsUp = (list: readonly Series[]) => flows([...list, ...p99], 'latency', {}, chain)[0]?.adds_up
    expect(addsUp(means('front', 'store'))).toBe(true)
    expect(addsUp(means('front'))).toBe(false)
  })

  it.each(['admin_latency_ms', 'latency_climax', 'step12_latency'])(
    'is a mean under a name like %s',
    (name) => {
      const named = SLOW_STORE.map((one) =>
        one.name === 'latency' ? { ...one, name, agg: undefined as never } : one,
      )
      expect(flows(named, 'latency')[0]).toMatchObject({ entity: 'store', adds_up: true })
    },
  )

  it.each(['latency_p95_ms', 'p99_latency', 'minimum_latency', 'latency.quantile'])(
    'is none under a name like %s',
    (name) => {
      const named = SLOW_STORE.map((one) =>
        one.name === 'latency' ? { ...one, name, agg: undefined as never } : one,
      )
      expect(flows(named, 'latency')[0]).toMatchObject({ entity: 'store', adds_up: false })
    },
  )

  it('is the lower of two quantiles that as many have', () => {
    const both = ['p99', 'p50'].flatMap((agg) =>
      SLOW_STORE.filter(({ name }) => name === 'latency').map((one) => ({
        ...one,
        agg,
        values: one.values.map((value) => (agg === 'p50' ? value : 3 * value)),
      })),
    )
    const calls = SLOW_STORE.filter(({ name }) => name === 'requests')
    for (const list of [both, both.toReversed()])
      expect(flows([...list, ...calls], 'latency')[0]?.excess).toBeLessThan(41_000)
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

  it('is told by the share of answers, not by how much a cache holds or how many instances are ready', () => {
    for (const name of ['content_cache_hit_ratio', 'replicas_available'])
      expect(
        flows(
          FAILING.map((one) => (one.name === 'availability' ? { ...one, name } : one)),
          'errors',
        ),
      ).toEqual([])
  })

  it('is the same as a share and as percent', () => {
    const shares = FAILING.map((one) =>
      one.name === 'availability'
        ? { ...one, unit: '1', values: one.values.map((value) => value / 100) }
        : one,
    )
    expect(flows(shares, 'errors')[0]?.excess ?? 0).toBeCloseTo(flows(FAILING, 'errors')[0]?.excess ?? 1, 6)
  })

  it('is looked at before the waiting where both are clear and the alert does not say which', () => {
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
    [
      'where nobody behind it has a level either',
      SLOW_STORE.filter(({ name, entity }) => name === 'requests' || entity === 'front').slice(0, 1),
      {},
    ],
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

/** A sample a minute, each exactly as told. */
const told = (
  entity: string,
  name: string,
  value: (minute: number) => number,
  more: Partial<Series> = {},
): Series => ({
  ...constant(series(entity, name, 0, 0), value),
  ...more,
})
const from = (minute: number, before: number, during: number) => (now: number) =>
  now < minute ? before : during
/** Calls and mean latency of one entity: 100 calls a minute, and milliseconds from the alert on. */
const waiting = (
  entity: string,
  latency: (minute: number) => number,
  calls: (minute: number) => number = () => 100,
) => [told(entity, 'requests', calls), told(entity, 'latency', latency, { agg: 'avg', unit: 'ms' })]
const failing = (entity: string, availability: (minute: number) => number) => [
  told(entity, 'requests', () => 100),
  told(entity, 'availability', availability, { unit: '%' }),
]
const PAIR = new Map([['front', new Set(['store'])]])
const SLOW_PAIR = [...waiting('front', from(ALERT, 50, 450)), ...waiting('store', from(ALERT, 10, 410))]
const pair = (list: readonly Series[], more: Partial<Snapshot> = {}, metric = 'latency', callees = PAIR) =>
  flows(list, metric, more, callees).map(({ series: _, ...flow }) => flow)

describe('what is exceeded', () => {
  const common = {
    ...{ total: 40_000, interval_s: 60, onset_at: at(ALERT), is_usual: false, has_level: true },
    ...{ adds_up: true, unmeasured: [], total_of: 'alerted' },
  }

  it('is the calls times the rise of the waiting, and one’s own is what callees leave of it', () => {
    expect(pair(SLOW_PAIR)).toEqual([
      {
        ...common,
        entity: 'store',
        kind: 'waiting',
        excess: 40_000,
        own: 40_000,
        z: 400,
        beyond_chance: 400,
      },
      {
        ...{ ...common, entity: 'front', kind: 'waiting', excess: 40_000, own: 0 },
        ...{ z: 400 / 1.5, beyond_chance: 400 / 1.5 },
      },
    ])
  })

  it('is the calls times the loss of answers, in calls', () => {
    const list = [...failing('front', from(ALERT, 100, 60)), ...failing('store', from(ALERT, 100, 70))]
    const [store, front] = pair(list, {}, 'errors')
    expect(store).toMatchObject({ ...common, entity: 'store', kind: 'failing', total: 40, is_usual: false })
    expect(
      [store?.excess, store?.own, front?.excess, front?.own].map((value) => Math.round(value ?? 0)),
    ).toEqual([30, 30, 40, 10])
    expect(front?.z).toBeCloseTo(800, 3)
  })

  it.each([
    ['%', 'availability', 1],
    ['%', 'availability_pct', 1],
    ['1', 'availability_percent', 1],
    [undefined, 'availability', 1],
    ['1', 'availability', 100],
  ])('is the same of answers in %j of %s', (unit, name, per) => {
    const list = [...failing('front', from(ALERT, 100, 60)), ...failing('store', from(ALERT, 100, 60))].map(
      (one) =>
        one.name === 'availability'
          ? { ...one, name, unit: unit as string, values: one.values.map((value) => value / per) }
          : one,
    )
    expect(pair(list, {}, 'errors')[0]?.excess).toBeCloseTo(40, 6)
  })

  it('is told per the alerted entity’s interval, of which calm is what had ended before the alert', () => {
    const half = SLOW_PAIR.map((one) => ({ ...one, interval_s: 120 }))
    expect(pair(half)[0]).toMatchObject({ interval_s: 120, onset_at: at(ALERT) })
    const soon = [
      ...waiting('front', from(ALERT - 1, 50, 450)),
      ...waiting('store', from(ALERT - 1, 10, 410)),
    ]
    expect(pair(soon.map((one) => ({ ...one, interval_s: 120 })))[0]?.onset_at).toBe(at(ALERT - 1))
    expect(pair(soon)[0]?.onset_at).toBe(at(ALERT - 1))
    expect(pair(soon, { window: { from: at(ALERT), to: at(LENGTH) } })[0]?.onset_at).toBe(at(ALERT))
  })

  it('is looked for in the window alone', () => {
    const late = [
      ...waiting('front', from(LENGTH - 1, 50, 450)),
      ...waiting('store', from(LENGTH - 1, 10, 410)),
    ]
    expect(pair(late)).toHaveLength(2)
    expect(pair(late, { window: { from: at(0), to: at(LENGTH - 1) } })).toEqual([])
  })

  it('is none of entities that the alerted one does not reach', () => {
    const others = waiting('other', from(ALERT, 10, 900))
    expect(pair([...SLOW_PAIR, ...others]).map(({ entity }) => entity)).toEqual(['store', 'front'])
  })

  it('counts the samples in which it is off: by two deviations, and a tenth of the worst', () => {
    const off = (...values: readonly number[]) =>
      pair([
        ...waiting('front', (minute) => values[minute - ALERT] ?? 50),
        ...waiting('store', () => 10),
      ]).find(({ entity }) => entity === 'front')
    expect(off(53, 80)).toMatchObject({ excess: 1_650, onset_at: at(ALERT) })
    expect(off(51.5, 56)).toMatchObject({ excess: 600, onset_at: at(ALERT + 1) })
    expect(off(56, 200)).toMatchObject({ excess: 15_000, onset_at: at(ALERT + 1) })
    expect(off(52.9)).toBeUndefined()
  })

  describe('where a minute has no sample of an entity', () => {
    /** What the store exceeds in a minute, beside a front that calls it every minute. */
    const excess = (store: readonly Series[]) =>
      pair([...waiting('front', from(ALERT, 50, 450)), ...store]).find(({ entity }) => entity === 'store')
        ?.excess
    const even = (minute: number) => minute % 2 === 0
    const holed = (value: (minute: number) => number) => (minute: number) =>
      even(minute) ? value(minute) : Number.NaN
    const slow = from(ALERT, 10, 410)

    it('nothing was exceeded in it if seldom anybody calls, under five times a sample', () => {
      expect(
        excess(
          waiting(
            'store',
            holed(slow),
            holed(() => 4.9),
          ),
        ),
      ).toBeCloseTo(4.9 * 200, 6)
      expect(excess(waiting('store', slow, (minute) => (even(minute) ? 100 : 0)))).toBe(20_000)
      expect(excess(waiting('store', holed(slow), (minute) => (even(minute) ? 100 : 0)))).toBe(20_000)
    })

    it('it was missed if it is called often, and the others stand for it', () => {
      expect(
        excess(
          waiting(
            'store',
            holed(slow),
            holed(() => 5),
          ),
        ),
      ).toBeCloseTo(5 * 400, 6)
      expect(excess(waiting('store', holed(slow)))).toBe(40_000)
      expect(
        excess(
          waiting(
            'store',
            slow,
            holed(() => 100),
          ),
        ),
      ).toBe(40_000)
      const rare = waiting('store', slow).map((one) => ({
        ...one,
        times: one.times.filter((_, minute) => even(minute)),
        values: one.values.filter((_, minute) => even(minute)),
      }))
      expect(excess(rare)).toBe(40_000)
    })
  })

  it('is nothing where nobody calls', () => {
    expect(pair([...waiting('front', from(ALERT, 50, 450), () => 0), ...waiting('store', () => 10)])).toEqual(
      [],
    )
  })

  it('is taken off the caller’s where it is real: from three deviations, and where there is any', () => {
    const front = (store: (minute: number) => number) =>
      pair([...waiting('front', from(ALERT, 50, 450)), ...waiting('store', store)]).find(
        ({ entity }) => entity === 'front',
      )?.own
    expect(front(from(ALERT, 10, 13))).toBe(40_000 - 300)
    expect(front(from(ALERT, 10, 12.9))).toBe(40_000)
    expect(front((minute) => (minute < ALERT ? 10 : minute === ALERT ? 20 : 1))).toBe(40_000)
    const itself = new Map([['front', new Set(['front', 'store'])]])
    expect(pair(SLOW_PAIR, {}, 'latency', itself).find(({ entity }) => entity === 'front')?.own).toBe(0)
  })

  describe('where something on the way is not measured', () => {
    const chain = new Map([
      ['front', new Set(['middle'])],
      ['middle', new Set(['front', 'store', 'quiet'])],
      ['quiet', new Set(['middle'])],
    ])
    const entities = (list: readonly Series[], more: Partial<Snapshot> = {}, metric = 'latency') =>
      pair(list, more, metric, chain).map(({ entity, unmeasured, total_of }) => [
        entity,
        unmeasured,
        total_of,
      ])

    it('is taken off who called it through what is not measured, which is named with who is left', () => {
      expect(entities(SLOW_PAIR)).toEqual([
        ['store', [], 'alerted'],
        ['front', ['middle', 'quiet'], 'alerted'],
      ])
      expect(pair(SLOW_PAIR, {}, 'latency', chain).map(({ own }) => own)).toEqual([40_000, 0])
    })

    it('is looked for behind the alerted entity if that is not', () => {
      const behind = [...waiting('middle', from(ALERT, 30, 430)), ...waiting('store', from(ALERT, 10, 410))]
      expect(entities(behind)).toEqual([
        ['store', [], 'called'],
        ['middle', ['front', 'quiet'], 'called'],
      ])
      expect(pair(behind, {}, 'latency', chain)[0]).toMatchObject({
        total: 40_000,
        onset_at: at(ALERT),
        own: 40_000,
      })
      const both = [...waiting('store', from(ALERT, 10, 410)), ...waiting('quiet', from(ALERT + 1, 5, 105))]
      const star = new Map([['front', new Set(['store', 'quiet'])]])
      const late = (10_000 * (LENGTH - ALERT - 1)) / (LENGTH - ALERT)
      expect(pair(both, {}, 'latency', star).map(({ entity, own, total }) => [entity, own, total])).toEqual([
        ['store', 40_000, 40_000 + late],
        ['quiet', late, 40_000 + late],
      ])
    })

    it('has a level, and is usual, behind it only where all that it calls have and are', () => {
      const star = new Map([['front', new Set(['quiet', 'store'])]])
      const known = (since: number, other: (minute: number) => number) =>
        pair(
          [
            ...waiting('store', from(ALERT, 10, 410)),
            ...waiting('quiet', (minute) => (minute < since ? Number.NaN : other(minute))),
          ],
          { baselines: [{ name: 'b', from: at(0), to: at(20) }] },
          'latency',
          star,
        )[0]
      expect(known(0, () => 5)).toMatchObject({ entity: 'store', has_level: true, is_usual: false })
      expect(known(ALERT, () => 5)).toMatchObject({ entity: 'store', has_level: false, is_usual: false })
    })

    it('is told of what was sampled at other times as well, in their order', () => {
      const star = new Map([['front', new Set(['b-quiet', 'store', 'a-gone'])]])
      const shifted = waiting('b-quiet', from(ALERT, 5, 6)).map((one) => ({
        ...one,
        times: one.times.map((time) => time + 20_000),
      }))
      const list = [...shifted, ...waiting('store', from(ALERT, 10, 410))]
      for (const given of [list, list.toReversed()])
        expect(pair(given, {}, 'latency', star)[0]).toMatchObject({
          entity: 'store',
          onset_at: at(ALERT),
          z: 400,
        })
      const front = pair(
        [...waiting('front', from(ALERT, 50, 450)), ...waiting('store', () => 10)],
        {},
        'latency',
        star,
      )
      expect(front.find(({ entity }) => entity === 'front')?.unmeasured).toEqual(['a-gone', 'b-quiet'])
    })

    it('is not looked for behind it where calls themselves were counted', () => {
      const behind = waiting('store', from(ALERT, 10, 410))
      const edge = { caller: 'front', callee: 'middle', t0: at(0), interval_s: 60, source: 'edges' }
      expect(entities(behind, { edges: [edge] })).toHaveLength(1)
      expect(entities(behind, { edges: [{ ...edge, calls: 0 }] })).toHaveLength(1)
      expect(entities(behind, { edges: [edge, { ...edge, calls: 1 }] })).toEqual([])
      expect(entities(SLOW_PAIR, { edges: [{ ...edge, calls: 1 }] })).toHaveLength(2)
    })

    it('is told behind it from three deviations on, since nothing but an alert says that it is off', () => {
      expect(entities(waiting('store', from(ALERT, 10, 13)))).toHaveLength(1)
      expect(entities(waiting('store', from(ALERT, 10, 12.9)))).toEqual([])
    })
  })

  it('says nothing of what nobody behind it has measured, though it calls itself', () => {
    const itself = new Map([['front', new Set(['front', 'store'])]])
    expect(pair(waiting('front', from(ALERT, 50, 450)), {}, 'latency', itself)).toEqual([])
    expect(pair(SLOW_PAIR.filter((one) => one.entity === 'front' || one.name === 'latency'))).toEqual([])
    expect(pair(SLOW_PAIR.filter((one) => one.entity === 'front' || one.name === 'requests'))).toEqual([])
  })
})

describe('the normal of what is exceeded', () => {
  /** Quick in the baseline, slower in the calm part of the window, slow from the alert on. */
  const steps = (entity: string, scale = 1, unit = 'ms') => [
    told(entity, 'requests', () => 100),
    told(entity, 'latency', (minute) => scale * (minute < 20 ? 50 : minute < ALERT ? 100 : 450), {
      agg: 'avg',
      unit,
    }),
  ]
  const STEPS = [...steps('front'), ...waiting('store', () => 10)]
  const front = (list: readonly Series[], more: Partial<Snapshot>) =>
    pair(list, { window: { from: at(40), to: at(LENGTH) }, ...more }).find(({ entity }) => entity === 'front')
  const baseline = (minute: number) => ({ baselines: [{ name: 'b1', from: at(0), to: at(minute) }] })

  it('is that of the declared baselines from ten samples, less what was off just before', () => {
    expect(front(STEPS, baseline(10))).toMatchObject({ excess: 35_000, z: 350 / 1.5, has_level: true })
    expect(front(STEPS, baseline(9))).toMatchObject({ excess: 35_000, z: 350 / 2.5, has_level: true })
    const hole = STEPS.map((one) =>
      constant(one, (minute) =>
        minute === 3 && one.name === 'latency' ? Number.NaN : (one.values[minute] as number),
      ),
    )
    expect(front(hole, baseline(10))?.z).toBe(350 / 2.5)
    expect(front(hole, baseline(11))?.z).toBe(350 / 1.5)
    expect(front(STEPS, { baselines: [] })?.z).toBe(350 / 2.5)
  })

  it('does not count what was better just before', () => {
    const better = [
      ...waiting('front', (minute) => (minute < 20 ? 50 : minute < ALERT ? 30 : 450)),
      ...waiting('store', () => 10),
    ]
    expect(front(better, baseline(10))?.excess).toBe(40_000)
  })

  it('is one calm sample where there is no more, and what one may expect where there is none', () => {
    const since = (minute: number, list = SLOW_PAIR, metric = 'latency') =>
      pair(
        list,
        { window: { from: at(minute), to: at(LENGTH) }, baselines: [{ name: 'b', from: at(0), to: at(1) }] },
        metric,
      ).find(({ entity }) => entity === 'front')
    expect(since(ALERT - 1)).toMatchObject({ excess: 40_000, has_level: true })
    expect(since(ALERT)).toMatchObject({ excess: 45_000, has_level: false })
    const bare = SLOW_PAIR.map((one) =>
      constant(one, (minute) => (minute < ALERT ? Number.NaN : (one.values[minute] as number))),
    )
    expect(since(ALERT, bare)).toMatchObject({ excess: 45_000, has_level: false, z: 900 })
    const lost = [
      ...failing('front', from(ALERT, Number.NaN, 60)),
      ...failing('store', from(ALERT, Number.NaN, 60)),
    ]
    const failed = since(ALERT, lost, 'errors')
    expect(failed).toMatchObject({ has_level: false, kind: 'failing' })
    expect(failed?.excess).toBeCloseTo(40, 6)
  })

  it('has such a sample once by chance, and not twice', () => {
    const usual = (count: number, more: Partial<Snapshot> = {}, scale = 1, unit = 'ms') =>
      pair(
        [
          told('front', 'requests', () => 100),
          told(
            'front',
            'latency',
            (minute) => scale * (minute >= ALERT && minute < ALERT + count ? 450 : 50),
            { agg: 'avg', unit },
          ),
          ...waiting('store', () => 10),
        ],
        more,
      ).find(({ entity }) => entity === 'front')?.is_usual
    expect([1, 2, 3].map((count) => usual(count))).toEqual([true, false, false])
    expect([1, 2].map((count) => usual(count, {}, 0.001, 's'))).toEqual([true, false])
    // Of what no baseline declares, nobody knows what is usual.
    expect(usual(1, { baselines: [] })).toBe(false)
    expect([9, 10].map((minute) => usual(1, baseline(minute)))).toEqual([false, true])
    const lost = (count: number) =>
      pair(
        [
          ...failing('front', (minute) => (minute >= ALERT && minute < ALERT + count ? 60 : 100)),
          ...failing('store', () => 100),
        ],
        {},
        'errors',
      ).find(({ entity }) => entity === 'front')?.is_usual
    expect([1, 2].map(lost)).toEqual([true, false])
  })
})

describe('what nobody called before', () => {
  const called = (calls: (minute: number) => number, more: Partial<Snapshot> = {}) =>
    pair([...waiting('front', from(ALERT, 50, 450)), ...waiting('store', from(ALERT, 10, 410), calls)], {
      baselines: [],
      ...more,
    }).map(({ entity }) => entity)

  it('is its caller’s doing as soon as it is called once', () => {
    expect(called((minute) => (minute === ALERT + 3 ? 100 : 0))).toEqual(['front'])
    const unasked = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('store', from(ALERT, Number.NaN, 410), from(ALERT, Number.NaN, 100)),
    ]
    expect(pair(unasked, { baselines: [] }).map(({ entity }) => entity)).toEqual(['front'])
  })

  it('is none where it took time for calls before, though nobody counted them', () => {
    expect(called(from(ALERT, Number.NaN, 100))).toContain('store')
  })

  it('is not known of the alerted entity where no sample of it was taken', () => {
    const list = [
      ...failing('front', from(ALERT, Number.NaN, 60)).map((one) =>
        one.name === 'requests' ? constant(one, from(ALERT, Number.NaN, 100)) : one,
      ),
      ...failing('store', from(ALERT, 100, 60)),
    ]
    expect(pair(list, { baselines: [] }, 'errors')[0]).toMatchObject({ entity: 'store', has_level: false })
  })

  it('is none where it was called once before, where it is not called now, or a baseline knows it', () => {
    expect(called((minute) => (minute === 5 || minute >= ALERT ? 100 : 0))).toContain('store')
    expect(called(() => 0)).toContain('store')
    const known = {
      baselines: [{ name: 'b', from: at(0), to: at(50) }],
      window: { from: at(60), to: at(LENGTH) },
    }
    expect(called(from(ALERT, 0, 100), known)).toContain('store')
    expect(called(() => 100, { baselines: [], window: { from: at(ALERT), to: at(LENGTH) } })).toContain(
      'store',
    )
  })

  it('is nothing to blame anybody for where it is the alerted entity itself', () => {
    const list = [
      ...waiting('front', from(ALERT, 50, 450), from(ALERT, 0, 100)),
      ...waiting('store', from(ALERT, 10, 410)),
    ]
    expect(pair(list, { baselines: [] })).toEqual([])
  })
})

describe('what so few calls show by chance', () => {
  /** Samples from some minutes before the alert on, and no baseline. */
  const since = (minutes: number, list: readonly Series[], metric = 'latency') =>
    pair(list, { window: { from: at(ALERT - minutes), to: at(LENGTH) }, baselines: [] }, metric)
  const store = (minutes: number, list: readonly Series[], metric?: string) =>
    since(minutes, list, metric).find(({ entity }) => entity === 'store')
  const front = waiting('front', from(ALERT, 50, 450))

  it('is the difference of two means of waiting as of an exponential law, before and since', () => {
    const rare = [...front, ...waiting('store', from(ALERT, 100, 300), () => 4)]
    expect(store(1, rare)).toMatchObject({ z: 200 / 2.5 })
    expect(store(1, rare)?.beyond_chance).toBeCloseTo(2 / Math.sqrt(1 / 4 + 1 / 4), 9)
    // Four calls a minute in each of the calm ones.
    expect(store(3, rare)?.beyond_chance).toBeCloseTo(2 / Math.sqrt(1 / 4 + 1 / 12), 9)
  })

  it('is the difference of two binomial shares, with one failed call and one answered one more than were counted', () => {
    const few = [...failing('front', from(ALERT, 100, 60)), ...failing('store', from(ALERT, 75, 50))].map(
      (one) =>
        one.entity === 'store' && one.name === 'requests' ? told('store', 'requests', () => 20) : one,
    )
    const share = (20 * 0.25 + 1) / 22
    expect(store(1, few, 'errors')?.z).toBeCloseTo(25 / 0.05, 6)
    expect(store(1, few, 'errors')?.beyond_chance).toBeCloseTo(
      0.25 / Math.sqrt(share * (1 - share) * (1 / 20 + 1 / 20)),
      6,
    )
    const never = few.map((one) =>
      one.entity === 'store' && one.name === 'availability'
        ? told('store', 'availability', from(ALERT, 100, 95), { unit: '%' })
        : one,
    )
    // One call of twenty fails where none of twenty had: that is hardly anything.
    expect(store(1, never, 'errors')?.z).toBeCloseTo(100, 6)
    expect(store(1, never, 'errors')?.beyond_chance).toBeLessThan(1)
  })

  it('is asked only where fewer than ten samples tell how much they scatter', () => {
    const rare = [...front, ...waiting('store', from(ALERT, 100, 300), () => 4)]
    expect(store(9, rare)?.beyond_chance).toBeCloseTo(2 / Math.sqrt(1 / 4 + 1 / 36), 9)
    expect(store(10, rare)?.beyond_chance).toBe(200 / 2.5)
    const known = (minutes: number) =>
      pair(rare, {
        window: { from: at(ALERT - 1), to: at(LENGTH) },
        baselines: [{ name: 'b', from: at(0), to: at(minutes) }],
      }).find(({ entity }) => entity === 'store')?.beyond_chance
    expect(known(10)).toBe(200 / 2.5)
    expect(known(9)).toBeCloseTo(2 / Math.sqrt(1 / 4 + 1 / 4), 9)
  })

  it('is that of as many calls before as since where none was counted before', () => {
    const list = [
      ...front,
      ...waiting('store', from(ALERT, 100, 300), (minute) => (minute < ALERT ? 0 : 4)),
    ].map((one) =>
      one.entity === 'store' && one.name === 'requests'
        ? constant(one, (minute) => (minute < ALERT ? Number.NaN : 4))
        : one,
    )
    const counted = store(1, list)?.beyond_chance
    expect(counted).toBeCloseTo(2 / Math.sqrt(1 / 4 + 1 / 4), 9)
  })

  it('counts the calls of the calm samples that were taken, and is beyond nothing where nobody called', () => {
    const rare = [...front, ...waiting('store', from(ALERT, 100, 300), () => 4)]
    const lost = rare.map((one) =>
      one.entity === 'store'
        ? constant(one, (minute) => (minute === ALERT - 2 ? Number.NaN : (one.values[minute] as number)))
        : one,
    )
    expect(store(3, lost)?.beyond_chance).toBeCloseTo(2 / Math.sqrt(1 / 4 + 1 / 8), 9)
    const unasked = [...front, ...waiting('store', from(ALERT, 100, 300), from(ALERT, 4, 0))]
    expect(store(3, unasked)).toMatchObject({ z: 200 / 2.5, beyond_chance: 0 })
  })

  it('has of those whom it may be who left normal by three deviations before who did not', () => {
    const callees = new Map([['front', new Set(['far', 'near'])]])
    const list = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('far', from(ALERT, 100, 110), () => 4),
      ...waiting('near', from(ALERT, 10_000, 10_200), () => 4),
    ]
    const window = { window: { from: at(ALERT - 1), to: at(LENGTH) }, baselines: [] }
    const named = pair(list, window, 'latency', callees).map(({ entity }) => entity)
    expect(named).toEqual(['front', 'far', 'near'])
  })

  it('puts whom it may be behind whom it cannot be, and takes it off the caller’s all the same', () => {
    const callees = new Map([['front', new Set(['rare', 'store'])]])
    const list = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('rare', from(ALERT, 20_000, 30_000), () => 3),
      ...waiting('store', from(ALERT, 10, 210)),
    ]
    const found = pair(
      list,
      { window: { from: at(ALERT - 1), to: at(LENGTH) }, baselines: [] },
      'latency',
      callees,
    )
    expect(found.map(({ entity }) => entity)).toEqual(['store', 'front', 'rare'])
    expect(found.find(({ entity }) => entity === 'rare')?.own).toBe(30_000)
    expect(found.find(({ entity }) => entity === 'front')?.own).toBe(-10_000)
  })
})

describe('a waiting time of which nothing tells the unit', () => {
  it('is compared with its own level and no tick of a clock, in whatever unit it is', () => {
    const scaled = (scale: number, unit?: string) =>
      pair(
        SLOW_PAIR.map((one) => {
          const { unit: _, ...rest } = one
          if (one.name !== 'latency') return one
          const values = one.values.map((value) => value * scale)
          return unit === undefined ? { ...rest, values } : { ...rest, values, unit }
        }),
      )
    for (const scale of [1, 1e-3, 1e-6]) {
      const [store, front] = scaled(scale)
      expect(store?.entity).toBe('store')
      expect(store?.z).toBeCloseTo(400 / 0.2, 6)
      expect(front?.z).toBeCloseTo(400 / 1, 6)
    }
    expect(scaled(1, 'ms')[0]?.z).toBe(400)
    expect(scaled(1e-3, 'ms')).toEqual([])
  })

  it.each(['latency_ms', 'duration_millis', 'latency_micros', 'latency_seconds'])(
    'is none that %s tells',
    (name) => expect(isTimed({ ...series('a', name, 1, 1) })).toBe(true),
  )

  it('is one whose name tells none', () => {
    expect(isTimed(series('a', 'latency', 1, 1))).toBe(false)
    expect(isTimed({ ...series('a', 'latency', 1, 1), unit: 's' })).toBe(true)
    expect(isTimed(series('a', 'rtt_msk', 1, 1))).toBe(false)
  })
})

describe('the order of those who are blamed', () => {
  const THREE = new Map([['front', new Set(['y', 'x'])]])
  const order = (list: readonly Series[], callees = THREE) =>
    pair([...waiting('front', from(ALERT, 50, 450)), ...list], {}, 'latency', callees)
      .map(({ entity }) => entity)
      .filter((entity) => entity !== 'front')

  it('is by what is real, then by what is one’s own, by distance from normal, and by name', () => {
    const small = waiting('y', from(ALERT, 10, 14))
    expect(order([...waiting('x', from(ALERT, 10, 12.9), () => 10_000), ...small])).toEqual(['y', 'x'])
    expect(order([...waiting('x', from(ALERT, 10, 13), () => 10_000), ...small])).toEqual(['x', 'y'])
    expect(order([...waiting('x', from(ALERT, 10, 15)), ...small])).toEqual(['x', 'y'])
    expect(order([...waiting('x', from(ALERT, 100, 140)), ...waiting('y', from(ALERT, 10, 50))])).toEqual([
      'y',
      'x',
    ])
    expect(order([...waiting('y', from(ALERT, 10, 50)), ...waiting('x', from(ALERT, 10, 50))])).toEqual([
      'x',
      'y',
    ])
    const turned = new Map([['front', new Set(['x', 'y'])]])
    expect(
      order([...waiting('y', from(ALERT, 10, 50)), ...waiting('x', from(ALERT, 10, 50))], turned),
    ).toEqual(['x', 'y'])
  })

  it('puts of two with as much of their own first the one through which more passes', () => {
    const callees = new Map([
      ['front', new Set(['x', 'y'])],
      ['y', new Set(['z'])],
    ])
    const list = [
      ...waiting('x', from(ALERT, 10, 50)),
      ...waiting('y', from(ALERT, 10, 150)),
      ...waiting('z', from(ALERT, 10, 110)),
    ]
    expect(order(list, callees)).toEqual(['z', 'y', 'x'])
  })
})

describe('which measurement is read', () => {
  const latency = (more: Partial<Series>) =>
    told('store', 'latency', from(ALERT, 10, 410), { unit: 'ms', ...more })
  it.each([
    ['the mean before a quantile', { agg: 'avg' }, { agg: 'p99' }],
    ['the average before the most', { agg: 'Average' }, { agg: 'max' }],
    ['the mean before what says nothing', { agg: 'mean', name: 'z_latency' }, { name: 'a_latency' }],
    ['what says nothing before a quantile', { name: 'z_latency' }, { name: 'latency_p95' }],
    ['what says nothing before the least', { name: 'z_latency' }, { agg: 'min', name: 'a_latency' }],
    [
      'what says nothing before a named quantile',
      { name: 'z_latency' },
      { agg: 'quantile', name: 'a_latency' },
    ],
    ['what is only an average', { agg: 'avg', name: 'z_latency' }, { agg: 'moving-avg', name: 'a_latency' }],
    ['what is only a mean', { agg: 'mean', name: 'z_latency' }, { agg: 'mean of 5', name: 'a_latency' }],
    ['what has fewer labels', { name: 'z_latency' }, { name: 'a_latency', labels: { pod: 'a' } }],
    ['the first name', { name: 'a_latency' }, { name: 'b_latency' }],
    [
      'the first name before the first label',
      { name: 'a_latency', labels: { pod: 'b' } },
      { name: 'b_latency', labels: { pod: 'a' } },
    ],
    ['the first label', { labels: { route: 'a' } }, { labels: { route: 'b' } }],
  ] as [string, Partial<Series>, Partial<Series>][])(
    'is %s, in whichever order they come',
    (_, better, worse) => {
      const [chosen, other] = [latency(better), latency(worse)]
      const rest = [...waiting('front', from(ALERT, 50, 450)), told('store', 'requests', () => 100)]
      for (const list of [
        [chosen, other],
        [other, chosen],
      ])
        expect(flows([...rest, ...list], 'latency', {}, PAIR)[0]?.series).toBe(chosen)
    },
  )

  describe('of several copies or parts', () => {
    const rest = [...waiting('front', from(ALERT, 50, 450)), told('store', 'requests', () => 100)]
    const levels = (...list: readonly Series[]) => {
      const found = flows([...rest, ...list], 'latency', {}, PAIR).find(({ entity }) => entity === 'store')
      return [found?.series.values[0], found?.series.values.at(-1)].map((value) =>
        Math.round(value ?? Number.NaN),
      )
    }
    const part = (labels: Record<string, string>, during: number, more: Partial<Series> = {}) =>
      told('store', 'latency', from(ALERT, 10, during), { unit: 'ms', labels, ...more })
    const asked = (labels: Record<string, string>, calls: number) =>
      told('store', 'calls_per_minute', () => calls, { labels })

    it('is the mean of all of them, wherever they run, in whichever order they come', () => {
      const copies = [part({ pod: 'a' }, 10), part({ pod: 'b' }, 10), part({ pod: 'c' }, 1_210)]
      expect(levels(...copies)).toEqual([10, 410])
      expect(levels(...copies.toReversed())).toEqual([10, 410])
      expect(levels(part({ region: 'eu', pod: 'a' }, 10), part({ region: 'us', pod: 'a' }, 810))).toEqual([
        10, 410,
      ])
    })

    it('is the highest or the lowest of them where that is what each tells', () => {
      const most = (labels: Record<string, string>, during: number) =>
        told('store', 'latency_max_ms', from(ALERT, 10, during), { labels })
      const front = told('front', 'latency_max_ms', from(ALERT, 50, 450))
      const found = flows(
        [
          told('front', 'requests', () => 100),
          front,
          rest.at(-1) as Series,
          most({ pod: 'a' }, 10),
          most({ pod: 'b' }, 410),
        ],
        'latency',
        {},
        PAIR,
      )
      expect(found[0]?.series.values.at(-1)).toBe(410)
    })

    it('counts each by how often it is called, where calls are counted of each', () => {
      const routes = [part({ route: 'a' }, 10), part({ route: 'b' }, 810)]
      expect(levels(...routes, asked({ route: 'a' }, 300), asked({ route: 'b' }, 100))).toEqual([10, 210])
      // Of parts that nobody counted, how much each stands for is not known.
      expect(levels(...routes, asked({ route: 'a' }, 300))).toEqual([10, 10])
    })

    it('is the mean of those that a rollout put in place of others', () => {
      const copy = (pod: string, during: number, fromMinute: number, to: number) => {
        const one = part({ pod }, during)
        return { ...one, times: one.times.slice(fromMinute, to), values: one.values.slice(fromMinute, to) }
      }
      const copies = [copy('a', 10, 0, ALERT), copy('b', 410, ALERT, LENGTH), copy('c', 10, ALERT, LENGTH)]
      const { series: list } = withSuccessors({ ...EMPTY, series: copies })
      const found = flows([...rest, ...list], 'latency', {}, PAIR).find(({ entity }) => entity === 'store')
      expect(found?.excess).toBeCloseTo(100 * 200, 0)
    })

    it('leaves out what one of them did not measure, but for one or two rows as where a scrape fails', () => {
      const [near, far] = [part({ pod: 'a' }, 10), part({ pod: 'b' }, 410)]
      const without = (from: number, to: number) => ({
        ...far,
        values: far.values.map((value, minute) => (minute >= from && minute < to ? Number.NaN : value)),
      })
      expect(levels(near, without(LENGTH - 2, LENGTH))).toEqual([10, 210])
      expect(levels(near, without(LENGTH - 3, LENGTH))).toEqual([10, 10])
    })
  })

  it('is what a counter since a start grew by for its calls, and no count of a bucket for its waiting', () => {
    const rest = waiting('front', from(ALERT, 50, 450))
    const [calls, level] = waiting('store', from(ALERT, 10, 410)) as [Series, Series]
    const total = { ...constant(calls, (minute) => 100 * minute), type: 'counter' as const }
    const own = (list: readonly Series[]) => pair(list).find(({ entity }) => entity === 'store')?.excess
    expect(own([...rest, calls, level])).toBeGreaterThan(0)
    expect(own([...rest, total, level])).toBe(own([...rest, calls, level]))
    expect(pair([...rest, calls, { ...level, type: 'histogram' }])).toEqual([])
  })

  it.each([
    [
      'how many fail',
      (share: number) => told('store', 'http_errors', () => 100 - share, { agg: 'sum' }),
      'http_errors',
    ],
    ['which share fails', (share: number) => told('store', 'error_pct', () => 100 - share), 'error_pct'],
  ] as const)('of failing is the same where a tool tells %s', (_, make, metric) => {
    const of = (name: string): Series[] =>
      ['front', 'store'].flatMap((entity) => {
        const [before, during] = [make(100), make(60)]
        const values = before.values.map((value, minute) =>
          minute < ALERT ? value : (during.values[minute] as number),
        )
        return [told(entity, 'requests', () => 100, { agg: 'sum' }), { ...before, entity, name, values }]
      })
    const shares = ['front', 'store'].flatMap((entity) => failing(entity, from(ALERT, 100, 60)))
    const shown = (list: readonly Series[], told: string) =>
      flows(list, told, {}, PAIR).map(({ entity, own, z }) => [entity, Math.round(own), Math.round(z)])
    expect(shown(of(metric), metric)).toEqual(shown(shares, 'availability'))
  })

  it('is of what the alerts tell of, the first that tells any, and of what is further from normal where none does', () => {
    const both = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('store', from(ALERT, 10, 410)),
      ...failing('front', from(ALERT, 100, 60)),
      ...failing('store', from(ALERT, 100, 60)),
    ]
    const kind = (list: readonly Series[], ...metrics: readonly string[]) =>
      flows(list, '', { alerts: metrics.map((metric) => alert('front', metric)) }, PAIR)[0]?.kind
    expect([kind(both, 'latency'), kind(both, 'availability'), kind(both, 'errors')]).toEqual([
      ...['waiting', 'failing', 'failing'],
    ])
    expect(kind(both, 'cpu', 'latency', 'errors')).toBe('waiting')
    expect([kind(both, 'cpu'), kind(SLOW_PAIR, 'cpu'), kind(SLOW_PAIR, 'errors')]).toEqual([
      ...['failing', 'waiting', undefined],
    ])
    const few = (share: number) => [
      ...SLOW_PAIR,
      ...failing('front', from(ALERT, 100, share)),
      ...failing('store', from(ALERT, 100, share)),
    ]
    // A twentieth of a point is one deviation of failing, and from twenty on what fails counts more than what waits.
    expect([kind(few(99.05), 'cpu'), kind(few(99.05), 'errors'), kind(few(98.95), 'cpu')]).toEqual([
      ...['waiting', 'failing', 'failing'],
    ])
    const { metric: _, ...silent } = alert('front', '')
    expect(flows(SLOW_PAIR, '', { alerts: [silent] }, PAIR)[0]?.kind).toBe('waiting')
  })
})

describe('samples that were not taken at one time', () => {
  const shifted = (list: readonly Series[], entity: string, ms: number) =>
    list.map((one) => (one.entity === entity ? { ...one, times: one.times.map((time) => time + ms) } : one))

  it.each([-29_000, -20_000, 20_000, 29_000])('tell the same when one clock differs by %d ms', (ms) => {
    for (const more of [{}, { baselines: [] }]) {
      const found = pair(shifted(SLOW_PAIR, 'store', ms), more)
      expect(found.map(({ entity, own }) => [entity, own])).toEqual([
        ['store', 40_000],
        ['front', 0],
      ])
    }
  })

  it('tell the same when one is sampled five times as often, its calls counted per sample', () => {
    const often = waiting('store', from(ALERT, 10, 410)).map((one) => ({
      ...one,
      interval_s: 12,
      ...(one.name === 'requests' ? { agg: 'Sum' } : {}),
      times: Float64Array.from({ length: 5 * LENGTH }, (_, index) => at(0) + 12_000 * index),
      values: Float64Array.from({ length: 5 * LENGTH }, (_, index) =>
        one.name === 'requests' ? 20 : (one.values[Math.floor(index / 5)] as number),
      ),
    }))
    const found = pair([...waiting('front', from(ALERT, 50, 450)), ...often])
    expect(found.map(({ entity, own }) => [entity, own])).toEqual([
      ['store', 40_000],
      ['front', 0],
    ])
  })

  it('tell nothing of an entity of which none was taken while the alerted one was off', () => {
    const list = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('middle', from(ALERT, 30, Number.NaN)),
      ...waiting('store', from(ALERT, 10, 410)),
    ]
    const chain = new Map([
      ['front', new Set(['middle'])],
      ['middle', new Set(['store'])],
    ])
    expect(
      pair(list, {}, 'latency', chain).map(({ entity, own, unmeasured }) => [entity, own, unmeasured]),
    ).toEqual([
      ['store', 40_000, []],
      ['front', 0, ['middle']],
    ])
  })

  it('tell nothing of an entity without any before, where the alerted one has some', () => {
    const list = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('store', from(ALERT, Number.NaN, 410), () => 100),
    ]
    expect(pair(list, { baselines: [] })).toEqual([])
    expect(pair(list, { window: { from: at(ALERT), to: at(LENGTH) }, baselines: [] })).toHaveLength(2)
  })

  it('say how often somebody was called in a row without a count, where he took time for calls', () => {
    const list = [
      ...waiting('front', from(ALERT, 50, 450)),
      ...waiting('store', from(ALERT, 10, 410), (minute) =>
        minute >= ALERT && minute % 2 === 0 ? 4 : Number.NaN,
      ),
    ]
    expect(pair(list).find(({ entity }) => entity === 'store')?.excess).toBeCloseTo(1_600, 6)
  })
})
