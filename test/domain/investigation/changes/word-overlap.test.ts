import { describe, expect, it } from 'vitest'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { first, judge, merged, of, says, settings } from '../ranking-by-hand.ts'

describe('the words of a change', () => {
  const word = (diff: string, symptom: string, more: Partial<Symptom> = {}) =>
    first([merged('a', 60, diff)], [says(symptom, more)])

  it('link it to what is seen, without a plural’s s, and count for a little', () => {
    const entry = word('-  marigolds()\n+  tint()', 'the marigold is wet')
    expect(entry).toMatchObject({ words: ['marigold'], is_linked: true })
    expect(entry.words_score).toBeGreaterThan(0)
    expect(entry.words_score).toBeLessThan(0.5)
    expect(word('-  marigold()', 'wet marigolds').words).toEqual(['marigold'])
    expect(word('-  gas()', 'ga').words).toEqual([])
    expect(word('-  gases()', 'wet gase').words).toEqual(['gase'])
    expect(word('-  boss()', 'bos').words).toEqual([])
    expect(word('-  stirred()', 'tirred').words).toEqual([])
  })

  it('are no words of every program, no numbers, no short ones and no parts of names of entities', () => {
    for (const common of ['status', 'handlers', 'go', 'xy', '503', '2024', 'shelf', 'stock', 'db'])
      expect(word(`-  put ${common} in`, `put ${common} in`).words).not.toContain(common)
    expect(word('-  put 5 abc', '5 abc').words).toEqual(['abc'])
    expect(word('-  v12 b34c', 'v12 b34c').words).toEqual(['b34c', 'v12'])
    const named = { entities: [{ name: 'marigold-service', kind: 'service' as const, aliases: [] }] }
    expect(first([merged('a', 60, '-  marigold()')], [says('marigold')], { snapshot: named }).words).toEqual(
      [],
    )
  })

  it('weigh most where they vanish, less where they come, little where they are only named', () => {
    const seen = 'the marigold is wet'
    const [gone, come, named, near] = [
      word('-  marigold()', seen),
      word('+  marigold()', seen),
      first([merged('a', 60, '-  a1b()', { title: 'x marigold' })], [says(seen)]),
      word(' marigold\n-  a1b()', seen),
    ].map(({ words_score: score }) => score) as [number, number, number, number]
    expect(gone / (1 - gone) / (come / (1 - come))).toBeCloseTo(1.2, 1)
    expect(come).toBeGreaterThan(named)
    expect(named).toBeGreaterThan(near)
    expect(near).toBeGreaterThan(0)
    const kept = word('-  hue(marigold)\n+  tint(marigold)', seen)
    expect(kept.words).toEqual(['marigold'])
    expect(kept.words_score).toBeLessThan(named)
  })

  it('are those of its title, its files and a flag’s key too', () => {
    const seen = [says('wet marigold')]
    const key = (kind: Change['kind']) => first([settings('marigold', 60, { kind })], seen).words
    expect(key('flag')).toEqual(['marigold'])
    expect(key('config')).toEqual([])
    expect(first([settings('a', 60, { files: ['x/marigold.rb'] })], seen).words).toEqual(['marigold'])
    const bare = first([settings('a', 60)], [says('stryker was here marigold')])
    expect(bare.words).toEqual([])
  })

  it('count as much as the symptom weighs, and no more than one of full weight', () => {
    const score = (weight: number) => word('-  marigold()', 'marigold', { weight }).words_score
    expect(score(0.5)).toBeLessThan(score(1))
    expect(score(0.1)).toBeLessThan(score(0.5))
    expect(score(3)).toBe(score(1))
    const twice = first(
      [merged('a', 60, '-  marigold()')],
      [says('marigold', { weight: 0.3 }), says('wet marigold marigold', { weight: 0.2 })],
    )
    expect(twice.words_score).toBe(score(0.5))
  })

  it('link nothing where the symptom weighs next to nothing', () => {
    const linked = (weight: number) => word('-  marigold()', 'marigold', { weight }).is_linked
    expect(linked(0.2)).toBe(true)
    expect(linked(0.19)).toBe(false)
  })

  it('weigh less the more changes use them, and link nothing where nearly all do', () => {
    const many = (using: number, others: number) =>
      judge(
        [
          ...Array.from({ length: using }, (_, index) => merged(`a${index}`, 60, '-  marigold()')),
          ...Array.from({ length: others }, (_, index) => merged(`b${index}`, 60, `-  other${index}()`)),
        ],
        [says('marigold')],
      ).ranked
    const scores = [1, 2, 3].map((using) => of(many(using, 6), 'a0').words_score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(new Set(scores).size).toBe(3)
    expect(of(many(1, 20), 'a0').words_score).toBeGreaterThan(of(many(1, 2), 'a0').words_score)
    expect(of(many(3, 0), 'a0').is_linked).toBe(true)
    expect(of(many(4, 5), 'a0').is_linked).toBe(false)
    expect(of(many(4, 6), 'a0').is_linked).toBe(true)
    expect(of(many(5, 6), 'a0').is_linked).toBe(false)
    expect(of(many(4, 0), 'a0').words_score).toBeGreaterThan(0)
  })

  it('weigh less in a change of many words', () => {
    const rest = Array.from({ length: 40 }, (_, index) => `-  unlike${index} apart${index}`).join('\n')
    const [short, long] = [word('-  marigold()', 'marigold'), word(`-  marigold()\n${rest}`, 'marigold')]
    expect(long.words).toEqual(['marigold'])
    expect(long.words_score).toBeLessThan(0.6 * short.words_score)
  })

  it('are told heaviest first, then by the alphabet, five at most', () => {
    const entry = word(
      '-  tulip dahlia\n+  aster lilac violet orchid',
      'aster dahlia lilac orchid tulip violet',
    )
    expect(entry.words).toEqual(['dahlia', 'tulip', 'aster', 'lilac', 'orchid'])
    const two = word('-  tulip', 'tulip').words_score
    expect(entry.words_score).toBeGreaterThan(two)
  })

  it('add up to half of what words can count at the worth of about two rare ones', () => {
    const alone = word('-  marigold()', 'marigold').words_score
    const total = (1.2 * Math.log(2 / 1.5)) / Math.sqrt(1 + 1 / 12)
    expect(alone).toBeCloseTo(total / (total + 3), 1)
  })
})
