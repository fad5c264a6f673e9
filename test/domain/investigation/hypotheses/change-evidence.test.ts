import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import {
  arrivedThere,
  explains,
  hasMechanism,
  isAsideChange,
} from '#shared/domain/investigation/hypotheses/change-evidence.ts'
import { able, fused, LINKS, mechanism, PLAIN } from '../verdict-by-hand.ts'

/** What a platform records of the part that a change arrived at. */
const RECORDED = {
  ...{ source: 'events', timestamp: 0, resource: 'stock', kind: 'notification', message: 'restarted' },
}

describe('the kinds of evidence that agree on a change', () => {
  const kinds = (more: Partial<RankedChange>): number =>
    fused({ ranked: [{ ...PLAIN, score: 1, place: 0.5, ...more }] }).stated?.kinds ?? -1
  it.each([
    ['none by itself', {}, 0],
    ['a mechanism that fits', { mechanism: mechanism(0.4) }, 1],
    ['a mechanism that fits less than well, as far as it fits', { mechanism: mechanism(0.39) }, 0.39],
    ['a mechanism that just fits', { mechanism: mechanism(0.2) }, 0.2],
    ['no mechanism that hardly fits', { mechanism: mechanism(0.19) }, 0],
    ['words', { words_score: 0.4 }, 1],
    ['a few words', { words_score: 0.39 }, 0],
    ['time and place as far as they are its own', { closeness: 0.2 }, 0.2],
    ['no time and place that others share', { closeness: 0.19 }, 0],
    ['time and place of its own', { coincides: true, closeness: 0.1 }, 1],
    ['a known rollout to the place', { place: 0.85 }, 1],
    ['no rollout near the place', { place: 0.84 }, 0],
    ['no place without a rollout', { place: 1, effective_at: { from: 0, to: 0, known: false } }, 0],
    ['a series that moved as its setting did', { echo: LINKS.echo }, 1],
    ['a name that it took away and that is missed', { quoted: LINKS.quoted }, 1],
    ['no name that it brought', { quoted: { ...LINKS.quoted, how: 'adds' } }, 0],
    ['what began to be used up when it arrived', { spent: LINKS.spent }, 1],
    ['a version that does worse than another', { contrast: LINKS.contrast }, 1],
    ['what a platform records of its part', { failed_over: RECORDED }, 1],
    ['all of them', { ...LINKS, mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 7],
    ['several', { mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 3],
  ] as const)('are %s', (_, more, count) => {
    expect(kinds(more)).toBeCloseTo(count)
  })
})

describe('a change that arrived at the very place that fails first', () => {
  const arrived: RankedChange = { ...PLAIN, score: 0.15, place: 0.95, hardly_chance: true }

  it('is one that time and place single out there, or that is hardly chance', () => {
    expect(arrivedThere(arrived)).toBe(true)
    expect(arrivedThere({ ...arrived, hardly_chance: false, closeness: 0.2 })).toBe(true)
    expect(arrivedThere({ ...arrived, hardly_chance: false, closeness: 0.19 })).toBe(false)
  })

  it.each([
    ['that is hardly worth a look', { score: 0.149 }],
    ['that can do no harm', { trivial: 'it only touches documentation' }],
    ['of which nobody knows when it took effect', { effective_at: { from: 0, to: 0, known: false } }],
    ['that arrived beside it', { place: 0.94 }],
  ] as const)('is none %s', (_, more) => {
    expect(arrivedThere({ ...arrived, ...more })).toBe(false)
  })
})

describe('a change that explains', () => {
  const near = able({ score: 0.15, closeness: 0.01, mechanism: mechanism(0.2) })

  it('arrived in time and shows how it does the harm', () => {
    expect(explains(near)).toBe(true)
    for (const part of ['spent', 'contrast', 'quoted'] as const)
      expect(explains({ ...near, mechanism: null, [part]: LINKS[part] })).toBe(true)
  })

  it.each([
    ['that is hardly worth a look', { score: 0.149 }],
    ['that can do no harm', { trivial: 'it only touches documentation' }],
    ['that did not arrive in time', { closeness: 0 }],
    ['whose mechanism hardly fits', { mechanism: mechanism(0.19) }],
    ['that shows nothing', { mechanism: null }],
  ] as const)('is none %s', (_, more) => {
    expect(explains({ ...near, ...more })).toBe(false)
  })
})

describe('a change that shows how it does the harm', () => {
  it.each([
    ['a mechanism that fits', { mechanism: mechanism(0.3) }],
    ['a series that moved as its setting did', { echo: LINKS.echo }],
    ['a name that is missed', { quoted: LINKS.quoted }],
    ['a version that does worse than another', { contrast: LINKS.contrast }],
    ['what began to be used up', { spent: LINKS.spent }],
    ['what a platform records of its part', { failed_over: RECORDED }],
    [
      'a mechanism that hardly fits, where it came alone just before',
      { coincides: true, mechanism: mechanism(0.2) },
    ],
    ['a rare word, where it came alone just before', { coincides: true, words_score: 0.1 }],
  ] as const)('does so by %s', (_, more) => {
    expect(hasMechanism({ ...PLAIN, ...more })).toBe(true)
  })

  it.each([
    ['nothing', {}],
    ['a mechanism that hardly fits', { mechanism: mechanism(0.29) }],
    ['words', { words_score: 1 }],
    ['having come alone just before', { coincides: true, mechanism: mechanism(0.19), words_score: 0.09 }],
    ['having come alone just before, and nothing else', { coincides: true }],
  ] as const)('does not by %s', (_, more) => {
    expect(hasMechanism({ ...PLAIN, ...more })).toBe(false)
  })
})

describe('a change that is beside the point where most of what fails is elsewhere', () => {
  const arrived: RankedChange = { ...PLAIN, score: 0.15, place: 0.95, closeness: 0.2 }

  it('is one that neither arrived at the very place nor came hardly by chance', () => {
    expect(isAsideChange({ ...arrived, place: 0.94 })).toBe(true)
    expect(isAsideChange({ ...arrived, place: 0.94, hardly_chance: true })).toBe(false)
    expect(isAsideChange(arrived)).toBe(false)
  })

  it('is one of a store that nobody who is hurt asks, whenever it came', () => {
    for (const hardly_chance of [false, true])
      expect(isAsideChange({ ...arrived, hardly_chance, is_of_others: true })).toBe(true)
  })
})
