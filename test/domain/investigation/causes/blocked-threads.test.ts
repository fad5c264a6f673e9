import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_UNLINKED,
} from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { causes, event, facts, graphOf, risen, type Seen, said } from '../scene-by-hand.ts'

const RING = 'goroutine 4127 [sync.Mutex.Lock, 3 minutes]: ledger.(*Book).Post'
const blocked = (more: Seen = {}, words: readonly Template[] = [said(RING)]) =>
  causes({ ...more, templates: [...words, ...(more.templates ?? [])] }).find(({ what }) =>
    /threads wait for each other/.test(what),
  )
const waiting = (
  more: Partial<SeriesShift> = {},
  name = 'goroutines_blocked',
  labels: Series['labels'] = {},
) => risen('stock', name, { before: 2, during: 60, ...more }, { labels })
const scoreWith = (shift: SeriesShift) => blocked({ shifts: [shift] })?.score

describe('a process whose threads wait for each other', () => {
  it('is told by its own words, as half of an answer', () => {
    const found = blocked()
    expect(found).toMatchObject({
      ...{ kind: 'code', entity: 'stock', action: 'reschedule', yields_to_changes: true, score: 0.45 },
      at_most: CONFIDENCE_CAP_UNLINKED,
    })
    expect(facts(found)).toEqual([[0.45, RING]])
  })

  it('is likely where its waiting threads are counted, its processor rests, or who calls it says that it does not answer', () => {
    const rests = (during: number) =>
      risen('stock', 'cpu_usage_percent', { direction: 'down', before: 50, during, is_bad: false })
    const all = blocked({
      shifts: [waiting(), rests(30)],
      templates: [said('deadline exceeded while waiting for stock', 'web')],
    })
    expect(all).toMatchObject({ score: 0.85, at_most: CONFIDENCE_CAP_CONSEQUENCE })
    expect(facts(all)).toEqual([
      [0.45, RING],
      [0.45, 'goroutines_blocked'],
      [0.3, 'cpu_usage_percent'],
      [0.3, 'deadline exceeded while waiting for stock'],
    ])
    expect(scoreWith(rests(30))).toBe(0.615)
    expect(scoreWith(rests(31))).toBe(0.45)
    for (const other of [
      risen('stock', 'cpu_usage_percent', { before: 50, during: 30 }),
      risen('stock', 'memory_used_ratio', { direction: 'down', before: 50, during: 30 }),
    ])
      expect(scoreWith(other)).toBe(0.45)
  })

  it('counts threads that wait, by the name or a label, to a multiple of what waits in any busy minute', () => {
    for (const counted of [
      waiting(),
      waiting({ during: 6 }),
      waiting({ before: 0, during: 3 }),
      waiting({}, 'jvm_threads_states', { state: 'blocked' }),
      waiting({}, 'jvm_threads_deadlocked'),
    ])
      expect(scoreWith(counted)).toBe(0.6975)
    for (const other of [
      waiting({ during: 5.9 }),
      waiting({ before: 0, during: 2.9 }),
      waiting({ direction: 'down' }),
      waiting({}, 'jvm_threads_states', { state: 'runnable' }),
      waiting({}, 'requests_blocked'),
      waiting({ onset: { at: at(ONSET + 9), earliest: at(ONSET + 9), latest: at(ONSET + 9) } }),
      waiting({ series: risen('web', 'goroutines_blocked').series }),
    ])
      expect(scoreWith(other)).toBe(0.45)
  })

  it('is none where it says so once in a while, hours before, or in other words', () => {
    expect(blocked({}, [said(RING, 'stock', { during: 4 })])).toBeUndefined()
    expect(blocked({}, [said(RING, 'stock', { risen_at: at(ONSET - 60) })])).toBeUndefined()
    expect(blocked({}, [said('waited 240 ms for a lock of the ledger')])).toBeUndefined()
  })

  it('shows one line of its own and one of who calls it, which says so again and again', () => {
    const quoted = (during: number) =>
      ['no answer of stock', 'gave up on stock'].map((text) => said(text, 'web', { during }))
    const own = [said(RING), said('Found one Java-level deadlock:')]
    expect(facts(blocked({ templates: quoted(9) }, own))).toHaveLength(2)
    expect(facts(blocked({ templates: quoted(2) }, own))).toHaveLength(1)
  })

  it('is told by nobody but itself', () => {
    expect(
      blocked({ snapshot: { events: Array.from({ length: 9 }, () => event(RING)) } }, []),
    ).toBeUndefined()
  })

  it('is who waits for nobody else: neither for one that it complains of, nor for one that is blocked itself', () => {
    const observed = { graph: graphOf({ stock: ['vault'] }) }
    expect(blocked({ observed })?.entity).toBe('stock')
    expect(blocked({ observed, templates: [said('no answer of vault within 2 s')] })).toBeUndefined()
    for (const more of [{ severity: 'information' }, { risen_at: at(ONSET - 60) }] as const)
      expect(
        blocked({ observed, templates: [said('no answer of vault within 2 s', 'stock', more)] })?.entity,
      ).toBe('stock')
    expect(blocked({ observed, templates: [said(RING, 'vault')] })?.entity).toBe('vault')
  })

  it('is none of two of which neither is clearer', () => {
    const both = [said(RING), said('Found one Java-level deadlock:', 'web')]
    expect(blocked({}, both)).toBeUndefined()
    expect(blocked({ shifts: [waiting()] }, both)?.entity).toBe('stock')
  })
})
