import { describe, expect, it } from 'vitest'
import { comingAndGoing } from '#shared/domain/investigation/causes/comings-and-goings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, commit, EMPTY, ONSET, series } from '../incident-scenarios.ts'

/** Off for so many minutes of every so many from the onset on. */
function pulsing(entity: string, name: string, [low, high]: [number, number], off = 3, of = 6): Series {
  const one = series(entity, name, low, low)
  const values = one.values.map((value, minute) =>
    minute >= ONSET && (minute - ONSET) % of < off ? high : value,
  )
  return { ...one, values }
}

const scene = (list: readonly Series[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [series('web', 'http_5xx_ratio', 0.003, 0.3), ...list],
  edges: calls('web', 'stock-db', 0.3),
  ...more,
})
const found = (snapshot: Snapshot) => comingAndGoing(snapshot, observe(snapshot, entityNames(snapshot), null))

describe('a place that comes and goes', () => {
  it('is told by how often it was well again and then failed anew', () => {
    const pulses = pulsing('stock-db', 'query_errors_ratio', [0.003, 0.9])
    expect(found(scene([pulses]))).toMatchObject({ returns: 4, shift: { series: { entity: 'stock-db' } } })
    expect(investigate(scene([pulses])).cause).toMatchObject({
      ...{ kind: 'infra', level: 'kind', entity: 'stock-db', change: null },
    })
  })

  it('is none where only repeated requests, dropped packets or replaced instances come and go', () => {
    for (const name of ['client_retries_per_second', 'dropped_packets_per_second', 'replicas_unavailable'])
      expect(
        found(
          scene([series('stock-db', 'query_errors_ratio', 0.003, 0.9), pulsing('stock-db', name, [0.1, 9])]),
        ),
      ).toBeNull()
  })

  it('is none that fails all the time, or recovered once', () => {
    const once = series('stock-db', 'query_errors_ratio', 0.003, 0.9, ONSET, ONSET + 6)
    const steady = series('stock-db', 'query_errors_ratio', 0.003, 0.9)
    for (const one of [once, steady]) expect(found(scene([one]))).toBeNull()
    expect(found({ ...EMPTY })).toBeNull()
  })

  it('is none where it came and went for less than half of the time in which users were hurt', () => {
    const some = (until: number): Series => {
      const one = pulsing('stock-db', 'query_errors_ratio', [0.003, 0.9], 1, 2)
      return { ...one, values: one.values.map((value, minute) => (minute < until ? value : 0.003)) }
    }
    expect(found(scene([some(ONSET + 20)]))).toMatchObject({ shift: { series: { entity: 'stock-db' } } })
    expect(found(scene([some(ONSET + 12)]))).toBeNull()
  })

  it('is none that left normal once, whose usual unrest is looked at', () => {
    const once = pulsing('stock-db', 'query_errors_ratio', [0.003, 0.004])
    const values = once.values.map((value, minute) =>
      minute >= ONSET + 12 && minute < ONSET + 14 ? 0.9 : value,
    )
    expect(found(scene([{ ...once, values }, series('stock-db', 'http_5xx_ratio', 0.003, 0.3)]))).toBeNull()
  })

  it('is none where one version fails and the other, measured at the same instants, does not', () => {
    const bad = series('stock-db', 'query_errors_ratio', 0.003, 0.9)
    const both: Series = {
      ...bad,
      times: Float64Array.from([...bad.times, ...bad.times].sort((a, b) => a - b)),
      values: Float64Array.from([...bad.values].flatMap((value) => [0.003, value])),
    }
    expect(found(scene([both]))).toBeNull()
  })

  it('is none where what is asked of it comes and goes as well', () => {
    const demand = pulsing('web', 'http_requests_per_second', [100, 500])
    expect(found(scene([pulsing('stock-db', 'query_errors_ratio', [0.003, 0.9]), demand]))).toBeNull()
  })

  it('is told where its callers only try again what failed', () => {
    const errors = pulsing('stock-db', 'query_errors_ratio', [0.003, 0.9])
    const again = pulsing('stock-db', 'calls_rps', [100, 190])
    const steady = series('web', 'http_requests_per_second', 100, 100)
    expect(found(scene([errors, again, steady]))).toMatchObject({ shift: { series: { entity: 'stock-db' } } })
    // Asked by nobody who was measured, it may as well be asked for more.
    expect(found(scene([errors, again]))).toBeNull()
  })

  it('is told by availability that falls and rises, too', () => {
    expect(found(scene([pulsing('stock-db', 'availability_ratio', [0.999, 0.1])]))).toMatchObject({
      returns: 4,
    })
  })
})

describe('a place that restarts', () => {
  const restarts = series('stock-db', 'container_restarts_total', 0, 4)
  const errors = series('stock-db', 'query_errors_ratio', 0.003, 0.9)

  it('is told by its count of restarts, and is no matter of memory', () => {
    expect(investigate(scene([restarts, errors])).cause).toMatchObject({
      ...{ kind: 'infra', level: 'kind', entity: 'stock-db' },
    })
    const memory = series('stock-db', 'memory_usage_percent', 40, 98)
    expect(investigate(scene([restarts, errors, memory])).cause.kind).not.toBe('infra')
  })

  it('is none that restarted once', () => {
    const once = series('stock-db', 'container_restarts_total', 0, 1)
    expect(investigate(scene([once, errors])).cause.kind).not.toBe('infra')
  })

  it('stays possible where records tell of changes and none explains it', () => {
    const change = commit('a'.repeat(40), 5, 'Say more', ['docs/page.md'], '@@ page.md @@\n-a\n+b')
    const found = investigate(scene([restarts, errors], { changes: [change] }))
    expect(found.cause.kind).toBe('infra')
    expect(found.confidence).toBeLessThan(0.5)
  })
})
