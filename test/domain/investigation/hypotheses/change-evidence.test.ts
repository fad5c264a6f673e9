import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { fused, LINKS, mechanism, PLAIN } from '../verdict-by-hand.ts'

describe('the kinds of evidence that agree on a change', () => {
  const kinds = (more: Partial<RankedChange>): number =>
    fused({ ranked: [{ ...PLAIN, score: 1, place: 0.5, ...more }] }).stated?.kinds ?? -1
  it.each([
    ['none by itself', {}, 0],
    ['a mechanism that fits', { mechanism: mechanism(0.4) }, 1],
    ['a mechanism that fits less than well, as far as it fits', { mechanism: mechanism(0.39) }, 0.39],
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
    ['all of them', { ...LINKS, mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 7],
    ['several', { mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 3],
  ] as const)('are %s', (_, more, count) => {
    expect(kinds(more)).toBeCloseTo(count)
  })
})
