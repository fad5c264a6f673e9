import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withRestarted } from '#shared/domain/investigation/changes/restarted-since.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { at, deploy, EMPTY, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const RESTARTS = 'kube_pod_container_status_restarts_total:increase10m'

/** A commit that a rollout of a service brought at a minute. */
const rolled = (minute: number, id = 'c1', more: object = {}): Arrival =>
  ({
    change: { source: 'git', id, kind: 'commit', recorded_at: at(minute - 9), entity: 'cart' },
    rollout: deploy(`d-${id}`, minute, 'cart', 'v2', [id]),
    effective: { from: at(minute), to: at(minute + 2), known: true },
    place: { score: 1, reaches: 'cart', owners: new Set(['cart']), is_named: false },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const risen = (minute: number, name = RESTARTS, more: object = {}): SeriesShift => ({
  ...shifted('cart', name),
  ...{ direction: 'up', before: 0, during: 6, extreme: 8, ended_at: null, is_bad: true, ...more },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})
const seen = (arrivals: readonly Arrival[], ...shifts: readonly SeriesShift[]): readonly boolean[] => {
  const observed = { ...SEEN, shifts } as Observed
  return withRestarted(arrivals, observed, entityNames(EMPTY)).map((arrival) => arrival.seen !== undefined)
}

describe('containers that begin anew again and again since a rollout', () => {
  it('say so of the version that came last, and of all that it carried', () => {
    const restarts = risen(ONSET)
    const [one] = withRestarted([rolled(ONSET - 6)], { ...SEEN, shifts: [restarts] }, entityNames(EMPTY))
    expect(one?.seen).toBe(restarts)
    expect(seen([rolled(ONSET - 6), rolled(ONSET - 6, 'c2'), rolled(ONSET - 9, 'c3')], restarts)).toEqual([
      true,
      true,
      false,
    ])
    // What came later than they began is not why, nor does it stand between.
    expect(seen([rolled(ONSET - 6), rolled(ONSET + 1, 'c2')], restarts)).toEqual([true, false])
  })

  it('began at most a quarter of an hour after it, and not before', () => {
    expect(seen([rolled(ONSET - 15.5)], risen(ONSET))).toEqual([true])
    expect(seen([rolled(ONSET - 15.6)], risen(ONSET))).toEqual([false])
    expect(seen([rolled(ONSET - 0.5)], risen(ONSET))).toEqual([true])
    expect(seen([rolled(ONSET - 0.4)], risen(ONSET))).toEqual([false])
  })

  it('are several, go on, and were hardly any before', () => {
    const of = (more: object, name = RESTARTS): readonly boolean[] =>
      seen([rolled(ONSET - 6)], risen(ONSET, name, more))
    expect(of({ during: 2 })).toEqual([true])
    expect(of({ during: 1.9 })).toEqual([false])
    expect(of({ before: 1, during: 10 })).toEqual([true])
    expect(of({ before: 1.1, during: 10 })).toEqual([false])
    expect(of({ direction: 'down' })).toEqual([false])
    expect(of({ ended_at: at(ONSET + 1) })).toEqual([false])
    expect(of({}, 'http_client_retries')).toEqual([false])
    const { series } = risen(ONSET)
    expect(of({ series: { ...series, type: 'counter' } })).toEqual([false])
  })

  it('are those of the very service that was rolled out', () => {
    const library = {
      change: { id: 'c1', kind: 'commit' },
      rollout: deploy('d', 80, 'lib', 'v2', []),
    }
    expect(seen([rolled(ONSET - 6, 'c1', library)], risen(ONSET))).toEqual([false])
    const elsewhere = { place: { score: 1, reaches: 'cart-db', owners: new Set() } }
    expect(seen([rolled(ONSET - 6, 'c1', elsewhere)], risen(ONSET))).toEqual([false])
    const bare = { change: deploy('d', 80, 'cart', 'v2', []), rollout: null }
    expect(seen([rolled(ONSET - 6, 'c1', bare)], risen(ONSET))).toEqual([true])
    const settings = { change: { id: 'c1', kind: 'config', entity: 'cart' }, rollout: null }
    expect(seen([rolled(ONSET - 6, 'c1', settings)], risen(ONSET))).toEqual([false])
    const unseen = { effective: { from: at(ONSET - 6), to: at(ONSET - 6), known: false } }
    expect(seen([rolled(ONSET - 6, 'c1', unseen)], risen(ONSET))).toEqual([false])
    expect(seen([rolled(ONSET - 6, 'c1', { trivial: { reason: 'x', factor: 0.1 } })], risen(ONSET))).toEqual([
      false,
    ])
    const stopped = { stopped: risen(ONSET) }
    expect(
      withRestarted(
        [rolled(ONSET - 6, 'c1', stopped)],
        { ...SEEN, shifts: [risen(ONSET)] },
        entityNames(EMPTY),
      )[0]?.seen,
    ).toBeUndefined()
  })

  it('are another story where its memory was filling before', () => {
    const memory = (minute: number): SeriesShift => risen(minute, 'container_memory_usage_bytes')
    expect(seen([rolled(ONSET - 6)], risen(ONSET), memory(ONSET - 7))).toEqual([false])
    expect(seen([rolled(ONSET - 6)], risen(ONSET), memory(ONSET - 5))).toEqual([true])
    expect(seen([rolled(ONSET - 6)], risen(ONSET), memory(ONSET + 3))).toEqual([true])
  })
})
