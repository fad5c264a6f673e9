import { describe, expect, it } from 'vitest'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, series } from '../domain/investigation/incident-scenarios.ts'
import {
  alertedLater,
  askedByWindow,
  failuresCounted,
  outcomesCounted,
  renaming,
  sampledApart,
  stained,
  untold,
  withoutSamples,
} from './rca-passes.ts'

const SNAPSHOT: Snapshot = {
  ...EMPTY,
  alerts: [alert('front', 'latency')],
  series: ['front', 'front', 'middle', 'store'].map((entity) => series(entity, 'latency', 10, 50)),
}
const [ALERT] = SNAPSHOT.alerts as [Snapshot['alerts'][number]]

/** A series of one sample a minute, otherwise as the first of the snapshot. */
const told = (name: string, unit: string, agg: string, values: readonly number[]): Series => ({
  ...(SNAPSHOT.series[0] as Series),
  ...{ name, unit, agg, interval_s: 60 },
  times: Float64Array.from(values, (_, minute) => at(minute)),
  values: Float64Array.from(values),
})

describe('entities under other names', () => {
  const named = (...services: readonly string[]): Snapshot => ({
    ...EMPTY,
    alerts: services.map((service) => alert(service, 'latency')),
    changes: [
      {
        id: 'c0ffee',
        kind: 'commit',
        title: 'Orders: SHIPPING asked once; the cache stays',
        files: ['services/orders/orders.go', 'web-cache/shipping.ts'],
        source: 'changes',
      },
    ] as unknown as Snapshot['changes'],
  })
  const { there, back } = renaming(named('ordersservice', 'shipping-cache'))
  const [orders, shipping] = there.alerts.map(({ service }) => service as string) as [string, string]
  const [change] = there.changes as [Snapshot['changes'][number]]

  it('keep what ends a name and what is a word of the trade, and lose the rest in every spelling', () => {
    expect(orders).toMatch(/^[a-z]{6}service$/)
    expect(shipping).toMatch(/^[a-z]{8}-cache$/)
    expect(JSON.stringify(there)).not.toMatch(/orders|shipping/i)
    expect(change.title).toMatch(/: [A-Z]{8} asked once; the cache stays$/)
  })

  it('have their folders named after the same part of the name as before', () => {
    const stem = orders.replace('service', '')
    expect(change.files).toEqual([
      `services/${stem}/${stem}.go`,
      `web-cache/${shipping.replace('-cache', '')}.ts`,
    ])
  })

  it('are mapped back to what they were', () => {
    expect(back(there as never)).toEqual(named('ordersservice', 'shipping-cache'))
  })
})

describe('a recording of the same incident that differs a little', () => {
  it('lacks about the share of samples, each with its instant, and the same ones for the same seed', () => {
    const [first] = withoutSamples(SNAPSHOT, 0.1, 1).series as [Series]
    const [given] = SNAPSHOT.series as [Series]
    expect(first.times.length).toBe(first.values.length)
    expect(first.times.length).toBeLessThan(LENGTH)
    expect(first.times.length).toBeGreaterThan(0.8 * LENGTH)
    for (const [index, time] of first.times.entries())
      expect(first.values[index]).toBe(given.values[given.times.indexOf(time)])
    expect(withoutSamples(SNAPSHOT, 0.1, 1)).toEqual(withoutSamples(SNAPSHOT, 0.1, 1))
    expect(withoutSamples(SNAPSHOT, 0.1, 2)).not.toEqual(withoutSamples(SNAPSHOT, 0.1, 1))
  })

  it('samples each entity at a time of its own, all series of one at the same, less than half a minute later', () => {
    const offsets = sampledApart(SNAPSHOT, 3).series.map(({ times }) => (times[0] as number) - at(0))
    expect(offsets[0]).toBe(offsets[1])
    expect(new Set(offsets).size).toBe(3)
    for (const offset of offsets) expect(offset).toBeLessThanOrEqual(24_000)
  })

  it('fires its alerts later, within its window, and without a metric; none where there is none', () => {
    const [later] = alertedLater(SNAPSHOT, 60_000)?.alerts ?? []
    expect(later).toMatchObject({ service: 'front', fired_at: ALERT.fired_at + 60_000 })
    expect(later).not.toHaveProperty('metric')
    expect(alertedLater(SNAPSHOT, 1e9)?.alerts[0]?.fired_at).toBe(SNAPSHOT.window.to - 1_000)
    const over = { ...SNAPSHOT, window: { ...SNAPSHOT.window, to: ALERT.fired_at } }
    expect(alertedLater(over, 60_000)?.alerts[0]?.fired_at).toBe(ALERT.fired_at)
    expect(alertedLater({ ...SNAPSHOT, alerts: [] }, 60_000)).toBeNull()
  })

  it('shows in one stretch of normal time what the window shows, in all levels at once; none where none is declared', () => {
    const [calm] = SNAPSHOT.series as [Series]
    const ramp = { ...calm, values: Float64Array.from(calm.values, (_, minute) => minute) }
    const given: Snapshot = {
      ...SNAPSHOT,
      baselines: [{ name: 'b', from: at(0), to: at(20) }],
      window: { from: at(40), to: at(LENGTH) },
      series: [ramp, { ...ramp, entity: 'other' }, { ...ramp, type: 'counter' }],
    }
    const [one, other, counter] = (stained(given, 0.25, 1) as Snapshot).series as [Series, Series, Series]
    const moved = [...one.values].flatMap((value, minute) => (value === minute ? [] : [minute]))
    expect(moved).toHaveLength(5)
    expect((moved[4] as number) - (moved[0] as number)).toBe(4)
    expect(moved.every((minute) => minute < 20)).toBe(true)
    expect(moved.map((minute) => one.values[minute])).toEqual([40, 41, 42, 43, 44])
    expect(other.values).toEqual(one.values)
    expect(counter).toEqual({ ...ramp, type: 'counter' })
    expect(stained(given, 0.25, 2)).not.toEqual(stained(given, 0.25, 1))
    expect(stained({ ...given, window: { from: at(LENGTH), to: at(LENGTH) } }, 0.25, 1)).toEqual({
      ...given,
      window: { from: at(LENGTH), to: at(LENGTH) },
    })
    expect(stained({ ...given, baselines: [] }, 0.25, 1)).toBeNull()
  })

  it('is told without units, without intervals, and without both', () => {
    const [bare] = SNAPSHOT.series as [Series]
    const given = { ...SNAPSHOT, series: [{ ...bare, unit: 's', interval_s: 60 }] }
    const left = (seed: number) => {
      const [{ unit, interval_s }] = untold(given, seed).series as [Series]
      return [unit, interval_s]
    }
    expect([left(1), left(2), left(3)]).toEqual([
      [undefined, 60],
      ['s', undefined],
      [undefined, undefined],
    ])
  })
  it('counts what fails, its share, or totals, where it told the share that is answered', () => {
    const given: Snapshot = {
      ...SNAPSHOT,
      alerts: [alert('front', 'availability')],
      series: [
        told('requests', '1', 'sum', [10, 20, 40]),
        told('availability', '%', 'avg', [100, Number.NaN, 75]),
        told('latency', 's', 'avg', [0.5, 0.5, 2]),
        told('latency', 's', 'p95', [1, 1, 4]),
      ],
    }
    const shown = (seed: number) =>
      (failuresCounted(given, seed) as Snapshot).series.map(
        ({ name, type, values }) => `${name} ${type} ${values.join(' ')}`,
      )
    expect(shown(1)[1]).toBe('http_errors gauge 0 NaN 10')
    expect(shown(2)[1]).toBe('http_error_ratio gauge 0 NaN 0.25')
    expect(shown(2)[0]).toBe('requests gauge 10 20 40')
    expect(shown(3)).toEqual([
      'http_requests_total counter 0 10 30 70',
      'http_errors_total counter 0 0 0 10',
      'http_request_duration_seconds_sum counter 0 5 15 95',
      'http_request_duration_seconds_count counter 0 10 30 70',
    ])
    const totals = failuresCounted(given, 3) as Snapshot
    expect([...(totals.series[0] as Series).times]).toEqual([at(0), at(1), at(2), at(3)])
    expect(totals.alerts[0]?.metric).toBe('http_errors_total')
    expect(failuresCounted({ ...given, series: given.series.slice(1) }, 1)).toBeNull()
    expect(failuresCounted({ ...given, series: given.series.slice(0, 1) }, 1)).toBeNull()
  })

  it('tells how calls ended by status, by those that were answered, or by rates without zeros', () => {
    const given: Snapshot = {
      ...SNAPSHOT,
      alerts: [alert('front', 'availability')],
      series: [
        told('requests', '1', 'sum', [60, 60, 120]),
        told('availability', '%', 'avg', [100, 100, 75]),
        told('latency', 's', 'avg', [0.5, 0.5, 2]),
      ],
    }
    const shown = (seed: number) =>
      (outcomesCounted(given, seed) as Snapshot).series.map(
        ({ name, type, labels, values }) =>
          `${name} ${type} ${Object.values(labels).join(' ')} ${values.join(' ')}`,
      )
    expect(shown(1)).toEqual([
      'http_requests_total counter 200 inbound 0 60 120 210',
      'http_requests_total counter 503 inbound 30',
      'http_requests_total counter 200 outbound 0 60 120 240',
      'http_requests_total counter 503 outbound 0 60 120 240',
      'latency gauge  0.5 0.5 2',
    ])
    expect(shown(2).slice(0, 2)).toEqual([
      'requests_count gauge  60 60 120',
      'requests_succeeded gauge  60 60 90',
    ])
    expect(shown(3).slice(0, 2)).toEqual(['requests_per_second rate  1 1 2', 'errors_per_second rate  0.5'])
    expect(outcomesCounted(given, 2)?.alerts[0]?.metric).toBe('requests_succeeded')
    expect(outcomesCounted({ ...given, series: given.series.slice(0, 1) }, 1)).toBeNull()
  })

  it('tells the window and each baseline by itself; none where none is declared', () => {
    const given: Snapshot = {
      ...SNAPSHOT,
      baselines: [{ name: 'b', from: at(0), to: at(20) }],
      window: { from: at(40), to: at(LENGTH) },
      series: SNAPSHOT.series.slice(0, 1).map((one) => ({ ...one, unit: 's' })),
    }
    const shown = (seed: number) =>
      askedByWindow(given, seed)?.series.map(({ window_of, unit, times }) => [window_of, unit, times.length])
    expect(shown(1)).toEqual([
      ['incident', 's', LENGTH - 40],
      ['b', 's', 20],
    ])
    expect(shown(2)?.[0]).toEqual(['incident', undefined, LENGTH - 40])
    expect(askedByWindow({ ...given, baselines: [] }, 1)).toBeNull()
  })
})
