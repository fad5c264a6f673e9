import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withMovedLimits } from '#shared/domain/investigation/changes/moved-limits.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const LIMIT = 'node_filefd_maximum'
const TEMPLATE = '-fs.filefd-max = {{ filefds }}\n+fs.filefd-max = {{ limits.filefds | default(8192) }}'

const set = (minute: number, diff = TEMPLATE, more: object = {}): Arrival =>
  ({
    change: { source: 'git', id: `c${minute}`, kind: 'config', recorded_at: at(minute) },
    diff: readDiff(diff, ['roles/base/limits.conf.j2']),
    effective: { from: at(minute), to: at(minute), known: false },
    place: {
      score: 0.25,
      reaches: 'machine-settings',
      owners: new Set(['machine-settings']),
      is_named: false,
    },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const moved = (minute: number, name = LIMIT, entity = 'rack-1', more: object = {}): SeriesShift => ({
  ...shifted(entity, name),
  ...{ direction: 'down', before: 65_536, during: 8_190, ended_at: null, ...more },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})
const observed = (...shifts: readonly SeriesShift[]): Observed =>
  ({ ...SEEN, shifts, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } }) as never
const seen = (
  arrivals: readonly Arrival[],
  of: Observed = observed(moved(ONSET - 2)),
  measured: readonly Series[] = [],
): Arrival => {
  const snapshot = { ...EMPTY, series: measured }
  return withMovedLimits(arrivals, of, snapshot, entityNames(snapshot))[0] as Arrival
}
const isSeen = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined

describe('a bound that moved since settings name it', () => {
  it('tells where and when they came into effect, whomever their text belongs to', () => {
    expect(seen([set(ONSET - 4)])).toMatchObject({
      place: { score: 0.95, reaches: 'rack-1' },
      effective: { from: at(ONSET - 2.5), to: at(ONSET - 1.5), known: true },
      seen: { series: { entity: 'rack-1', name: LIMIT } },
    })
  })

  it('is told of the machine that who fails runs on, where it moved on several', () => {
    const on: Series = { ...series('stock-api', 'process_threads', 9, 9), labels: { node: 'rack-7' } }
    const several = observed(moved(ONSET - 2), moved(ONSET - 2, LIMIT, 'rack-7'))
    const fails = { ...several, first: { ...SEEN.first, entity: 'stock-api' } } as Observed
    expect(seen([set(ONSET - 4)], fails, [on]).place.reaches).toBe('rack-7')
    expect(seen([set(ONSET - 4)], several).place.reaches).toBe('rack-1')
  })

  it('stands at a number that the change alone brings in, or is named by no other change', () => {
    const other = set(ONSET - 9, '-filefd = a\n+filefd = b')
    expect(isSeen([set(ONSET - 4), other])).toBe(true)
    const elsewhere = observed(moved(ONSET - 2, LIMIT, 'rack-1', { during: 4_000 }))
    expect(isSeen([set(ONSET - 4), other], elsewhere)).toBe(false)
    expect(isSeen([set(ONSET - 4)], elsewhere)).toBe(true)
    const rounded = (during: number): boolean =>
      isSeen([set(ONSET - 4), other], observed(moved(ONSET - 2, LIMIT, 'rack-1', { during })))
    expect(rounded(8_111)).toBe(true)
    expect(rounded(8_109)).toBe(false)
    const kept = set(ONSET - 4, '-filefd = [8192]\n+filefd = (8192)')
    expect(isSeen([kept, other])).toBe(false)
  })

  it('is of the same thing and is a bound that somebody sets, not what is wanted or in use just now', () => {
    const by = (name: string): boolean => isSeen([set(ONSET - 4)], observed(moved(ONSET - 2, name)))
    expect(by('node_sockets_maximum')).toBe(false)
    expect(by('rack_status_desired_filefd_limit')).toBe(false)
    expect(by('node_filefd_in_use')).toBe(false)
    // The word that begins a name says whose measure it is.
    expect(
      isSeen([set(ONSET - 4, '-rack: a\n+rack: b')], observed(moved(ONSET - 2, 'rack_filefd_limit'))),
    ).toBe(false)
  })

  it('moved soon after the change, before users were hurt, and stays so', () => {
    const when = (recorded: number, minute: number, more: object = {}): boolean =>
      isSeen([set(recorded)], observed(moved(minute, LIMIT, 'rack-1', more)))
    expect(when(ONSET - 45, ONSET - 14)).toBe(false)
    expect(when(ONSET - 44, ONSET - 14)).toBe(true)
    expect(when(ONSET - 1, ONSET - 5)).toBe(false)
    expect(when(ONSET - 20, ONSET - 15)).toBe(true)
    expect(when(ONSET - 20, ONSET - 15.1)).toBe(false)
    expect(when(ONSET - 4, ONSET + 1)).toBe(true)
    expect(when(ONSET - 4, ONSET + 1.1)).toBe(false)
    expect(when(ONSET - 4, ONSET - 2, { ended_at: at(ONSET + 20) })).toBe(false)
    expect(isSeen([set(ONSET - 4)], { ...observed(moved(ONSET - 2)), onset: null })).toBe(false)
  })

  it('tells nothing of code that nobody rolled out, and of what can do nothing', () => {
    const code = { change: { source: 'git', id: 'c', kind: 'commit', recorded_at: at(ONSET - 4) } }
    const inEffect = { effective: { from: at(ONSET - 4), to: at(ONSET - 4), known: true } }
    expect(isSeen([set(ONSET - 4, TEMPLATE, code)])).toBe(false)
    expect(isSeen([set(ONSET - 4, TEMPLATE, { ...code, ...inEffect })])).toBe(true)
    expect(isSeen([set(ONSET - 4, TEMPLATE, { trivial: { reason: 'a comment', factor: 0.1 } })])).toBe(false)
  })
})
