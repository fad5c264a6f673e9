import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { withSeenSettings } from '#shared/domain/investigation/changes/seen-settings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const POOL = ' database:\n-  poolMax: 8\n+  poolMax: 30'

/** Settings of `cart` that were merged at a minute; whether and when they took effect is not known. */
const merged = (minute: number, diff = POOL, more: Partial<Change> = {}): Arrival =>
  ({
    change: { ...{ source: 'git', id: 'c1', kind: 'config', recorded_at: at(minute) }, ...more },
    diff: readDiff(diff, more.files ?? ['prod/cart/values.yaml']),
    effective: { from: at(minute), to: at(minute), known: false },
    place: { score: 0.25, reaches: 'cart', owners: new Set(['cart']), is_named: false },
    trivial: null,
  }) as unknown as Arrival

/** A level of `cart` that moved at a minute and stayed there. */
const moved = (minute: number, name = 'db_pool_connections_open', more = {}) => ({
  ...shifted('cart', name),
  ...{ direction: 'up', ended_at: null, ...more },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})
const observed = (...shifts: ReturnType<typeof moved>[]): Observed =>
  ({ ...SEEN, shifts, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } }) as never
const seen = (arrival: Arrival, of: Observed = observed(moved(ONSET - 5))): Arrival =>
  withSeenSettings([arrival], of)[0] as Arrival
const place = (...given: Parameters<typeof seen>): number => seen(...given).place.score

describe('settings whose effect nobody recorded', () => {
  it('took effect where and when a level of what they set moved their way', () => {
    expect(seen(merged(ONSET - 13))).toMatchObject({
      place: { score: 0.95, reaches: 'cart' },
      effective: { from: at(ONSET - 5.5), to: at(ONSET - 4.5), known: true },
    })
  })

  it('stay where they were where another thing moved, the other way, elsewhere or for a while', () => {
    const by = (shift: ReturnType<typeof moved>): number => place(merged(ONSET - 13), observed(shift))
    expect(by(moved(ONSET - 5, 'cache_entries'))).toBe(0.25)
    expect(by(moved(ONSET - 5, 'db_pool_connections_open', { direction: 'down' }))).toBe(0.25)
    expect(by(moved(ONSET - 5, 'db_pool_connections_open', { ended_at: at(ONSET + 9) }))).toBe(0.25)
    const elsewhere = moved(ONSET - 5)
    expect(by({ ...elsewhere, series: { ...elsewhere.series, entity: 'web' } })).toBe(0.25)
    // What is asked is no level of what is set.
    const asked = { ...elsewhere.meaning, is_demand: true }
    expect(by({ ...elsewhere, meaning: asked })).toBe(0.25)
  })

  it('are seen soon after they were recorded and shortly before users are hurt', () => {
    const when = (recorded: number, level: number): number => place(merged(recorded), observed(moved(level)))
    expect(when(ONSET - 35, ONSET - 5)).toBe(0.95)
    expect(when(ONSET - 36, ONSET - 5)).toBe(0.25)
    expect(when(ONSET - 3.5, ONSET - 5)).toBe(0.95)
    expect(when(ONSET - 3, ONSET - 5)).toBe(0.25)
    expect(when(ONSET - 20, ONSET - 15)).toBe(0.95)
    expect(when(ONSET - 20, ONSET - 15.1)).toBe(0.25)
    expect(when(ONSET - 20, ONSET + 1)).toBe(0.95)
    expect(when(ONSET - 20, ONSET + 1.1)).toBe(0.25)
    expect(place(merged(ONSET - 13), { ...observed(moved(ONSET - 5)), onset: null })).toBe(0.25)
  })

  it('name the thing by their key, the lines around it or their file, in words that name one', () => {
    expect(place(merged(ONSET - 13, '-  poolMax: 8\n+  poolMax: 15'))).toBe(0.25)
    expect(place(merged(ONSET - 13, '-  poolMax: 8\n+  poolMax: 16'))).toBe(0.95)
    expect(place(merged(ONSET - 13, '-  poolMax: 30\n+  poolMax: 8'))).toBe(0.25)
    const entries = observed(moved(ONSET - 5, 'cache_entries'))
    expect(
      place(merged(ONSET - 13, '-  ttl: 5\n+  ttl: 50', { files: ['prod/cart/cache.yaml'] }), entries),
    ).toBe(0.95)
    // A folder says whose it is, and bounds and units name nothing.
    expect(
      place(merged(ONSET - 13, '-  ttl: 5\n+  ttl: 50', { files: ['cache/cart/x.yaml'] }), entries),
    ).toBe(0.25)
    const open = observed(moved(ONSET - 5, 'http_max_open_requests'))
    expect(place(merged(ONSET - 13, '-  maxOpenRequests: 5\n+  maxOpenRequests: 50'), open)).toBe(0.25)
  })

  it('are settings that can do harm, at their own time where that is known', () => {
    expect(place(merged(ONSET - 13, POOL, { kind: 'commit' }))).toBe(0.25)
    expect(place({ ...merged(ONSET - 13), trivial: { reason: 'x', factor: 0.1 } })).toBe(0.25)
    const effective = { from: at(ONSET - 6), to: at(ONSET - 6), known: true }
    expect(seen({ ...merged(ONSET - 40), effective })).toMatchObject({ place: { score: 0.95 }, effective })
    const place1 = { score: 1, reaches: 'cart', owners: new Set(['cart']), is_named: false }
    expect(place({ ...merged(ONSET - 13), place: place1 })).toBe(1)
  })

  it('name a thing by no word that bounds, counts or measures whatever it is', () => {
    const words = ['maximum', 'minimum', 'size', 'limit', 'limits', 'second', 'seconds', 'minute', 'minutes']
    for (const word of [...words, 'request', 'requests', 'value', 'values'])
      expect(
        place(
          merged(ONSET - 13, `-  ${word}: 5\n+  ${word}: 50`),
          observed(moved(ONSET - 5, `cache_${word}`)),
        ),
        word,
      ).toBe(0.25)
    // Units and abbreviations are of anything.
    const short = observed(moved(ONSET - 5, 'cache_ttl'))
    expect(place(merged(ONSET - 13, '-  ttl: 5\n+  ttl: 50'), short)).toBe(0.25)
  })

  it('name the same thing once or many times over', () => {
    const entries = (name: string): Observed => observed(moved(ONSET - 5, name))
    const threads = '-  threads: 5\n+  threads: 50'
    expect(place(merged(ONSET - 13, threads), entries('worker_thread_level'))).toBe(0.95)
    expect(place(merged(ONSET - 13, '-  thread: 5\n+  thread: 50'), entries('worker_threads'))).toBe(0.95)
    // A word that begins as another is another.
    expect(place(merged(ONSET - 13, threads), entries('worker_threading'))).toBe(0.25)
  })

  it('are found among others that set something else, or the other way', () => {
    const several = '-  cacheEntries: 80\n+  cacheEntries: 8\n-  poolMax: 8\n+  poolMax: 30'
    expect(place(merged(ONSET - 13, several))).toBe(0.95)
    const pools = observed(moved(ONSET - 5, 'cache_entries', { direction: 'down' }))
    expect(place(merged(ONSET - 13, several), pools)).toBe(0.95)
  })

  it('apply within half an hour', () => {
    const level = { ...moved(ONSET - 5), onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) } }
    expect(place(merged(ONSET - 30), observed(level))).toBe(0.95)
    expect(place(merged(ONSET - 30.1), observed(level))).toBe(0.25)
  })
})

describe('who takes more of what others share', () => {
  it('is told by its settings, though it does well itself', () => {
    const pool = (entity: string, before: number, during: number, from: number) =>
      series(entity, 'db_pool_connections_open', before, during, from)
    const { cause, confidence } = investigate({
      ...EMPTY,
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [
        ...['web', 'stock'].map((name) => series(name, 'http_5xx_ratio', 0.003, 0.4)),
        series('cart', 'http_5xx_ratio', 0.003, 0.003),
        ...[pool('cart', 12, 60, ONSET - 5), pool('stock', 12, 6, ONSET)],
      ],
      edges: [
        ...calls('web', 'stock', 0.4),
        ...calls('web', 'cart'),
        ...calls('stock', 'shelf-db'),
        ...calls('cart', 'shelf-db'),
      ],
      changes: [
        {
          ...{ source: 'git', id: 'wide', kind: 'config', recorded_at: at(ONSET - 13), title: 'Fewer waits' },
          ...{ files: ['prod/cart/database.yaml'], diff: POOL, entity: 'cart' },
        },
      ],
    })
    expect(cause.change).toBe('wide')
    expect(confidence).toBeGreaterThan(0.2)
  })
})
