import { describe, expect, it } from 'vitest'
import { stepsOf } from '#shared/domain/investigation/changes/closeness.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { ONSET } from '../incident-scenarios.ts'
import { CUT, first, judge, LATEST, merged, NEUTRAL, of, says, settings } from '../ranking-by-hand.ts'

describe('when a change arrived', () => {
  it('rules nothing out, and says nothing of closeness, where no onset is known', () => {
    const { ranked, too_late: late } = judge([settings('a', ONSET + 20), settings('b', 10)], [], {
      observed: { onset: null },
    })
    expect(late).toEqual([])
    expect(ranked.map(({ closeness, coincides }) => [closeness, coincides])).toEqual([
      [0, false],
      [0, false],
    ])
    expect(ranked[0]?.score).toBe(ranked[1]?.score)
  })

  it('is the closer the nearer before the onset, half after half an hour, and half after the onset', () => {
    const close = (minute: number) => first([settings('a', minute)]).closeness
    expect(close(ONSET)).toBe(1)
    expect(close(ONSET - 30)).toBe(0.5)
    expect(close(ONSET - 60)).toBe(0.25)
    expect(close(ONSET + 1)).toBe(0.5)
    expect(first([{ ...settings('a', 0), effective_at: { from: LATEST, to: LATEST } }]).closeness).toBe(0.5)
  })

  it('coincides from a quarter of an hour before on, where nothing else arrived', () => {
    const of = (minute: number) => first([settings('a', minute)])
    expect(of(ONSET - 15)).toMatchObject({ coincides: true, is_linked: true })
    expect(of(ONSET - 16)).toMatchObject({ coincides: false, is_linked: false })
  })

  it('is shared among all that arrived, and who came at once has the better claim', () => {
    const { ranked } = judge([settings('now', ONSET), settings('before', ONSET - 15)])
    expect(of(ranked, 'now').closeness).toBeGreaterThan(0.7)
    expect(of(ranked, 'before').closeness).toBeLessThan(0.25)
    const both = judge([settings('a', ONSET), settings('b', ONSET)]).ranked
    expect(both.map(({ closeness }) => closeness)).toEqual([0.5, 0.5])
    const around = judge([settings('now', ONSET), settings('after', ONSET + 1)]).ranked
    expect(of(around, 'now').closeness).toBeCloseTo(2 / 3, 5)
    expect(of(around, 'after').closeness).toBeCloseTo(1 / 6, 5)
  })

  it('is claimed by the square of the place', () => {
    const { ranked } = judge([settings('here', ONSET), settings('beside', ONSET, { entity: 'web' })])
    expect(of(ranked, 'beside').place).toBe(0.7)
    expect(of(ranked, 'here').closeness).toBeCloseTo(1 / 1.49, 5)
    expect(of(ranked, 'beside').closeness).toBeCloseTo(0.49 / 1.49, 5)
  })

  it('is nothing, and claims nothing, for what arrived elsewhere or is not known to have arrived', () => {
    const { ranked } = judge([
      settings('here', ONSET),
      settings('elsewhere', ONSET, { entity: 'billing' }),
      merged('merged', ONSET, NEUTRAL),
      settings('late', ONSET + 20),
    ])
    expect(of(ranked, 'here').closeness).toBe(1)
    expect(of(ranked, 'elsewhere').closeness).toBe(0)
    expect(of(ranked, 'merged').closeness).toBe(0)
  })

  it('claims most for what can do such harm, less for what cannot be read, least for what can do none', () => {
    const { ranked } = judge(
      [
        settings('fits', ONSET, { diff: CUT }),
        settings('unread', ONSET),
        settings('unfit', ONSET, { diff: NEUTRAL }),
      ],
      [says('pool exhausted')],
    )
    const [fits, unread, unfit] = ['fits', 'unread', 'unfit'].map((id) => of(ranked, id).closeness)
    expect(fits).toBeCloseTo(1 / 2.25, 5)
    expect(unread).toBeCloseTo(0.75 / 2.25, 5)
    expect(unfit).toBeCloseTo(0.5 / 2.25, 5)
  })

  it('claims little for what does nothing', () => {
    const idle = settings('idle', ONSET, { files: ['docs/pool.md'] })
    expect(first([idle]).closeness).toBeCloseTo(0.1, 5)
    const { ranked } = judge([idle, settings('other', ONSET)])
    expect(of(ranked, 'other').closeness).toBeCloseTo(1 / 1.1, 5)
    expect(of(ranked, 'idle').closeness).toBeCloseTo((0.1 * 0.1) / 1.1, 5)
  })

  it('is the same for all steps of one flag, and its own for anything else', () => {
    const flag = (id: string, more: Partial<Change> = {}): string =>
      stepsOf({ source: 'flags', id, kind: 'flag', recorded_at: 0, ...more })
    expect(flag('a', { title: 'dense' })).toBe(flag('b', { title: 'dense' }))
    expect(flag('a')).toBe(flag('a', { title: 'a' }))
    expect(flag('a')).not.toBe(flag('b'))
    expect(flag('a', { entity: 'web' })).not.toBe(flag('a', { entity: 'billing' }))
    expect(flag('a', { kind: 'config', title: 'dense' })).not.toBe(
      flag('b', { kind: 'config', title: 'dense' }),
    )
    expect(flag('a', { kind: 'config' })).not.toBe(flag('a', { kind: 'scale' }))
    const { ranked } = judge([
      settings('s1', ONSET, { kind: 'flag', title: 'dense' }),
      settings('s2', ONSET, { kind: 'flag', title: 'dense' }),
    ])
    expect(ranked.map(({ closeness }) => closeness)).toEqual([1, 1])
  })

  it('is the same for what was done alike to one after another of several alike', () => {
    const by = (title: string, more: Partial<Change> = {}): string =>
      stepsOf({ source: 'infra', id: title, kind: 'infra', recorded_at: 0, title, ...more })
    expect(by('ns-1: new zone')).toBe(by('ns-2: new zone'))
    expect(by('ns-1: new zone')).not.toBe(by('ns-2: new key'))
    expect(by('ns-1: new zone')).not.toBe(by('ns-2: new zone', { kind: 'config' }))
    // What bears no number, or was written and not done, is one of its own.
    expect(by('ns: new zone', { id: 'a' })).not.toBe(by('ns: new zone', { id: 'b' }))
    expect(by('ns-1: new zone', { files: ['a.yaml'] })).not.toBe(by('ns-2: new zone', { files: ['a.yaml'] }))
  })
})
