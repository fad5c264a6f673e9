import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { at, ONSET, series } from '../incident-scenarios.ts'
import { event, facts, found, place, risen, type Seen, said } from '../scene-by-hand.ts'

describe('an instance that is unsteady', () => {
  const restarts = risen('stock', 'container_restarts', { before: 0, extreme: 3 })
  /** Fails for eight minutes, time after time, and is well for as long. */
  const pulse = series('stock', 'http_5xx_ratio', 0.01, 0.01)
  const values = pulse.values.map((value, minute) => (minute >= ONSET - 30 && minute % 16 < 8 ? 0.5 : value))
  const pulses = risen(
    'stock',
    'http_5xx_ratio',
    { before: 0.01, during: 0.5, extreme: 0.5 },
    { ...pulse, values },
  )
  const of = (shifts: readonly SeriesShift[], seen: Seen = {}) =>
    found('infra', { ...seen, observed: { first: place('stock', { shifts }) } })

  it('is told by restarts, or by failing that comes and goes', () => {
    expect(of([restarts])).toMatchObject({
      ...{ entity: 'stock', score: 0.5, action: 'failover', yields_to_changes: true },
      what: 'an instance that restarts again and again',
    })
    expect(of([restarts])?.at_most).toBeUndefined()
    expect(of([pulses])).toMatchObject({
      ...{ score: 0.5, what: 'an instance that fails and is well again by itself, time after time' },
    })
    expect(of([pulses, restarts])).toMatchObject({
      score: 0.75,
      what: 'an instance that restarts again and again',
    })
    expect(facts(of([pulses, restarts]))).toEqual([
      [0.5, 'http_5xx_ratio'],
      [0.5, 'container_restarts'],
    ])
    expect(of([])).toBeUndefined()
  })

  it('is half of an answer where records were read, and none where it died of its own code', () => {
    const changes = [{ source: 'commits', id: 'c1', recorded_at: at(1), kind: 'commit' as const }]
    expect(of([restarts], { snapshot: { changes } })?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(of([restarts], { templates: [said('panic: boom')] })).toBeUndefined()
    expect(of([restarts], { templates: [said('panic: boom', 'web')] })).toBeDefined()
    expect(of([restarts], { snapshot: { events: [event('panic: boom')] } })).toBeDefined()
  })
})
