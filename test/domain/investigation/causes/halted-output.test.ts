import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET, series } from '../incident-scenarios.ts'
import { causes, facts, place, risen, said } from '../scene-by-hand.ts'

const finished = (more: Partial<SeriesShift> = {}, name = 'jobs_completed_per_second') =>
  risen('stock', name, { direction: 'down', before: 30, during: 0, ...more })
const waiting = (more: Partial<SeriesShift> = {}, name = 'jobs_waiting') =>
  risen('stock', name, { before: 4, during: 400, ...more })
const halted = (
  shifts: readonly SeriesShift[],
  { words = [] as readonly string[], service = 'stock', others = [] as readonly Series[] } = {},
) =>
  causes({
    shifts,
    templates: words.map((text) => said(text, service, { severity: 'warning' })),
    snapshot: { series: [...shifts.map((shift) => shift.series), ...others] },
    observed: { first: place('stock') },
  }).find(({ what }) => /finishes nothing/.test(what))
const BOTH = [finished(), waiting()]

describe('a part whose output stays away', () => {
  it('is told by what it finishes and by what waits, as half of an answer', () => {
    const found = halted(BOTH)
    expect(found).toMatchObject({
      ...{ kind: 'infra', entity: 'stock', action: 'reschedule', yields_to_changes: true },
      ...{ score: 0.67, at_most: CONFIDENCE_CAP_UNLINKED },
    })
    expect(facts(found)).toEqual([
      [0.45, 'jobs_completed_per_second'],
      [0.4, 'jobs_waiting'],
    ])
  })

  it('is more than that where it says that it stands by', () => {
    const found = halted(BOTH, { words: ['not the holder of the lease, standing by'] })
    expect(found?.score).toBe(0.8185)
    expect(found?.at_most).toBeUndefined()
    expect(facts(found)).toContainEqual([0.45, 'not the holder of the lease, standing by'])
    expect(halted(BOTH, { words: ['stuck thread'] })?.at_most).toBeUndefined()
    const elsewhere = { words: ['not the holder of the lease'], service: 'web' }
    expect(halted(BOTH, elsewhere)?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(halted(BOTH, { words: ['handled a job'] })?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
  })

  it('is none where only one of the two is so', () => {
    expect(halted([finished()])).toBeUndefined()
    expect(halted([waiting()])).toBeUndefined()
    expect(halted([finished({ during: 4 }), waiting()])).toBeUndefined()
    expect(halted([finished({ during: 3 }), waiting()])).toBeDefined()
    expect(halted([finished({ direction: 'up' }), waiting()])).toBeUndefined()
    expect(halted([finished(), waiting({ during: 11 })])).toBeUndefined()
    expect(halted([finished(), waiting({ during: 12 })])).toBeDefined()
    expect(halted([finished(), waiting({ direction: 'down' })])).toBeUndefined()
  })

  it('counts what is finished and what waits, and nothing else', () => {
    expect(halted([finished({}, 'jobs_per_second'), waiting()])).toBeUndefined()
    expect(halted([finished({}, 'jobs_completed'), waiting()])).toBeUndefined()
    expect(halted([finished(), waiting({}, 'jobs_running')])).toBeUndefined()
    const rate = {
      ...finished({}, 'jobs_completed'),
      series: { ...finished().series, type: 'rate' as const },
    }
    expect(halted([rate, waiting()])).toBeDefined()
  })

  it('is none of another part, of long before, or over', () => {
    const early = { at: at(ONSET - 40), earliest: at(ONSET - 40), latest: at(ONSET - 40) }
    expect(halted([finished({ onset: early }), waiting()])).toBeUndefined()
    expect(halted([finished({ ended_at: at(ONSET + 9) }), waiting()])).toBeUndefined()
    const web = { ...waiting(), series: series('web', 'jobs_waiting', 1, 2) }
    expect(halted([finished(), web])).toBeUndefined()
    const none = { shifts: BOTH, snapshot: { series: BOTH.map((shift) => shift.series) } }
    const isHalted = ({ what }: { what: string }) => /finishes nothing/.test(what)
    expect(causes(none).find(isHalted)).toBeUndefined()
    expect(
      causes({ ...none, observed: { first: place('stock'), onset: null } }).find(isHalted),
    ).toBeUndefined()
  })

  it('is none where others of its copies go on', () => {
    const other = { ...series('stock', 'jobs_completed_per_second', 30, 30), labels: { worker: '2' } }
    expect(halted(BOTH, { others: [other] })).toBeUndefined()
    expect(halted(BOTH, { others: [{ ...other, entity: 'web' }] })).toBeDefined()
    const too = { ...finished(), series: other }
    expect(halted([...BOTH, too])).toBeDefined()
  })
})
