import { describe, expect, it } from 'vitest'
import { withCleared } from '#shared/domain/investigation/changes/cleared-since.ts'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { graphOf } from '../scene-by-hand.ts'
import { STOCK, shifted } from '../verdict-by-hand.ts'

const brings = (line: string, more: object = {}, minute = ONSET - 2): Arrival =>
  ({
    change: { source: 'git', id: 'c1', kind: 'commit', recorded_at: at(minute - 30) },
    diff: readDiff(`--- a/db/tidy.sql\n+++ b/db/tidy.sql\n@@ -1,1 +1,2 @@\n begin;\n+${line}`, []),
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.5, reaches: 'stock', owners: new Set(['stock']), is_named: true },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const instant = (minute: number) => ({ at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) })
/** A table of a store that had 1,000 rows and has half of them from a minute on. */
const lost = (
  more: Partial<SeriesShift> = {},
  entity = 'stock-db',
  name = 'pg_stat_user_tables_n_live_tup',
) => ({
  ...shifted(entity, name),
  ...{ direction: 'down' as const, before: 1000, during: 500, ended_at: null, onset: instant(ONSET) },
  ...more,
})
const GRAPH = graphOf({ stock: ['stock-db'], web: ['stock-db', 'web-db'] })
const seen = (
  arrival: Arrival,
  shift: SeriesShift = lost(),
  onset: typeof INSTANT | null = INSTANT,
  first: FailingService | null = null,
): Arrival => withCleared([arrival], { onset, shifts: [shift], graph: GRAPH, first })[0] as Arrival
const INSTANT = instant(ONSET)
const isSeen = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined
const STATEMENT = "DELETE FROM offers WHERE closed_at < '2024-01-01';"

describe('what deletes rows', () => {
  it('is at the store of its owner that holds fewer since, whichever table it names', () => {
    expect(seen(brings(STATEMENT))).toMatchObject({
      ...{ seen: { series: { entity: 'stock-db' } }, place: { score: 0.95, reaches: 'stock-db' } },
    })
  })

  it('stays where it is if its owner fails first by it', () => {
    const { place } = brings(STATEMENT)
    expect(seen(brings(STATEMENT), lost(), INSTANT, STOCK)).toMatchObject({ place, seen: { during: 500 } })
  })

  it.each([
    'delete from "offers"',
    'TRUNCATE TABLE offers',
    'truncate offers;',
    'Offer.where(closed: true).delete_all',
    'Offer.closed.destroy_all',
    'db.offers.deleteMany({ closed: true })',
    'collection.delete_many({"closed": True})',
  ])('is known by what it says: %s', (line) => {
    expect(isSeen(brings(line))).toBe(true)
  })

  it.each([
    'SELECT * FROM offers',
    'logger.info("delete the offer")',
    'truncate(title, 80)',
    'map.delete(key)',
  ])('is not what only sounds alike: %s', (line) => {
    expect(isSeen(brings(line))).toBe(false)
  })

  it('is none where it was taken out, does nothing, or nobody knows when it took effect', () => {
    const out = readDiff(`--- a/t.sql\n+++ b/t.sql\n@@ -1,2 +1,1 @@\n begin;\n-${STATEMENT}`, [])
    expect(isSeen(brings(STATEMENT, { diff: out }))).toBe(false)
    expect(isSeen(brings(STATEMENT, { trivial: { reason: 'a comment', factor: 0 } }))).toBe(false)
    const effective = { from: at(ONSET - 2), to: at(ONSET - 2), known: false }
    expect(isSeen(brings(STATEMENT, { effective }))).toBe(false)
    const before = lost({}, 'web-db')
    expect(seen(brings(STATEMENT, { seen: before })).seen).toBe(before)
  })

  it('does so within minutes, and before nothing is gone', () => {
    expect(isSeen(brings(STATEMENT, {}, ONSET - 5))).toBe(true)
    expect(isSeen(brings(STATEMENT, {}, ONSET - 6))).toBe(false)
    expect(isSeen(brings(STATEMENT, {}, ONSET + 3))).toBe(false)
  })

  it('is told by rows that its owner’s own store lost with the harm, a good part of them, and did not get back', () => {
    expect(isSeen(brings(STATEMENT), lost({}, 'web-db'))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost({ during: 800 }))).toBe(true)
    expect(isSeen(brings(STATEMENT), lost({ during: 801 }))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost({ direction: 'up' }))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost({ ended_at: at(ONSET + 5) }))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost({ before: 0, during: 0 }))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost({}, 'stock-db', 'requests_per_second'))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost(), instant(ONSET + 3))).toBe(false)
    expect(isSeen(brings(STATEMENT), lost(), null)).toBe(false)
  })
})
