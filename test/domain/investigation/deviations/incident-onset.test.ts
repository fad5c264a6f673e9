import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { earliest } from '#shared/domain/investigation/deviations/incident-onset.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, lines, ONSET, pattern, series } from '../incident-scenarios.ts'
import { errors, failingIn, seen } from '../observed-by-hand.ts'

describe('since when a service fails', () => {
  it('is when users began to feel it, though its processor was busy before', () => {
    const found = seen({
      alerts: [alert('a', 'http_5xx_ratio')],
      series: [errors('a'), series('a', 'cpu_utilization_ratio', 0.2, 0.9, ONSET - 15)],
    })
    expect(failingIn(found, 'a')?.onset.at).toBe(at(ONSET))
    expect(found.onset?.at).toBe(at(ONSET))
  })

  it('is not when something was tried again on the way, whoever it was that tried', () => {
    const retries = series('b', 'grpc_client_retries_per_second', 0.1, 4, ONSET - 6, ONSET - 3)
    const packets = series('a', 'interface_packets_dropped_per_second', 0, 9, ONSET - 8, ONSET - 2)
    const resent = series('a', 'tcp_segment_retransmits_per_second', 1, 30, ONSET - 7, ONSET - 1)
    const found = seen({
      alerts: [alert('a', 'http_5xx_ratio')],
      series: [errors('a'), retries, packets, resent],
    })
    expect(found.onset?.at).toBe(at(ONSET))
    expect(found.first?.entity).toBe('a')
    expect(failingIn(found, 'a')?.onset.at).toBe(at(ONSET))
    // Where nobody felt anything, it is what tells the most.
    expect(failingIn(seen({ series: [resent] }), 'a')?.onset.at).toBe(at(ONSET - 7))
  })

  it('is when a resource filled only where nobody felt anything, and a busy processor only without anything else', () => {
    const cpu = series('a', 'cpu_utilization_ratio', 0.2, 0.9, ONSET - 15)
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET - 5)
    expect(failingIn(seen({ series: [cpu, memory] }), 'a')?.onset.at).toBe(at(ONSET - 5))
    expect(failingIn(seen({ series: [cpu] }), 'a')?.onset.at).toBe(at(ONSET - 15))
  })

  it('is told by lost availability as by errors, and by no traffic that went away', () => {
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET - 5)
    const lost = series('a', 'availability_ratio', 0.999, 0.6)
    expect(failingIn(seen({ series: [memory, lost] }), 'a')?.onset.at).toBe(at(ONSET))
    const fewer = series('a', 'messages_processed_per_second', 50, 10, ONSET - 15)
    expect(failingIn(seen({ series: [memory, fewer] }), 'a')?.onset.at).toBe(at(ONSET - 5))
  })

  it('is for the whole when the alerted service or the first to fail was felt to fail, whichever was earlier', () => {
    const onset = (more: Partial<Snapshot>): number | undefined =>
      seen({
        alerts: [alert('web', 'http_5xx_ratio')],
        edges: [{ source: 'edges', caller: 'web', callee: 'stock', t0: at(0), interval_s: 60 }],
        ...more,
      }).onset?.at
    expect(onset({ series: [errors('web', ONSET + 2), errors('stock')] })).toBe(at(ONSET))
    expect(onset({ series: [errors('web', ONSET - 1), errors('stock')] })).toBe(at(ONSET - 1))
    // What smoulders below began when it hurt somebody; of strangers nothing counts.
    const smoulders = series('stock', 'memory_used_bytes', 2e8, 9e8, ONSET - 10)
    expect(onset({ series: [errors('web'), smoulders] })).toBe(at(ONSET))
    expect(onset({ series: [errors('web'), errors('stranger', ONSET - 2)] })).toBe(at(ONSET))
  })

  it('is when its log began to tell of errors before it is when a resource filled; warnings do not count', () => {
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET - 15)
    const said = (severity: string): number | undefined =>
      failingIn(
        seen({ series: [memory], logs: lines('a', severity, 'the ledger refused an entry', ONSET) }),
        'a',
      )?.onset.at
    expect(said('ERROR')).toBe(at(ONSET) + 7_000)
    expect(said('WARN')).toBe(at(ONSET - 15))
  })

  it('is narrowed by the first error line between two samples, and by none outside of them', () => {
    const known = (minute: number): FailingService | undefined =>
      failingIn(
        seen({ series: [errors('a')], logs: lines('a', 'ERROR', 'the ledger refused an entry', minute) }),
        'a',
      )
    expect(known(ONSET)?.onset).toEqual({ at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET) + 7_000 })
    for (const minute of [ONSET - 3, ONSET + 5])
      expect(known(minute)?.onset).toEqual({ at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) })
  })

  it('is the first alert where nothing that was counted has a time', () => {
    const found = seen({
      alerts: [{ ...alert('a', 'errors'), for_s: 120 }],
      patterns: [pattern('a', 'request failed', 9, 0)],
    })
    const time = at(ONSET + 4)
    expect(failingIn(found, 'a')?.onset).toEqual({ at: time, earliest: time, latest: time })
    expect(found.onset?.at).toBe(time)
  })

  it('is told by the first alert where nothing fails at all', () => {
    expect(seen({ alerts: [alert('a', 'errors')] }).onset?.at).toBe(at(ONSET + 6))
  })

  it('is over when everything that hurts is over, and not before', () => {
    const over = errors('a', ONSET, 105)
    const later = series('a', 'http_server_duration_p99_ms', 90, 2_600, ONSET, 110)
    const lasting = series('a', 'http_server_duration_p95_ms', 80, 2_000)
    expect(failingIn(seen({ series: [over, later] }), 'a')?.ended_at).toBe(at(110))
    expect(failingIn(seen({ series: [over, lasting] }), 'a')?.ended_at).toBeNull()
    const fewer = series('a', 'messages_processed_per_second', 50, 10)
    expect(failingIn(seen({ series: [over, fewer] }), 'a')?.ended_at).toBe(at(105))
    expect(failingIn(seen({ logs: lines('a', 'ERROR', 'refused', ONSET) }), 'a')?.ended_at).toBeNull()
  })
})

describe('the order of what fails', () => {
  it('of onsets: the earliest is the one that comes first, the surer of two at once', () => {
    const onset = (time: number, latest: number) => ({ at: time, earliest: time, latest })
    expect(earliest([])).toBeNull()
    expect(earliest([onset(5, 9), onset(3, 9), onset(3, 4), onset(7, 7)])).toEqual(onset(3, 4))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1 }), (pairs) => {
        const list = pairs.map(([from, open]) => onset(from, from + open))
        const best = earliest(list)
        expect(list).toContainEqual(best)
        expect(earliest(list.toReversed())).toEqual(best)
        for (const { at: time } of list) expect(best?.at).toBeLessThanOrEqual(time)
      }),
    )
  })
})
