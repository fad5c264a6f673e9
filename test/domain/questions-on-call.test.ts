import { describe, expect, it } from 'vitest'
import { type Corpus, corpora, type Half, halfIn, halfOf, scoreOf } from '#test/bench/questions-on-call.ts'

const count = (corpus: Corpus, half: Half): number =>
  corpus.questions.filter((typed) => halfIn(corpus, typed) === half).length

describe('questions as they are typed on call', () => {
  it('are in two halves by their text alone, or all open', () => {
    const sizes = Object.values(corpora).map((corpus) => [count(corpus, 'A'), count(corpus, 'B')])
    expect(sizes).toEqual([
      [79, 94],
      [89, 99],
      [77, 63],
      [71, 69],
      [80, 0],
    ])
    const [first] = corpora['questions-typed-on-call'].questions
    if (first === undefined) throw new Error('there is no question')
    expect(halfOf({ ...first, intent: 'none' })).toBe(halfOf(first))
  })

  it('are each asked once in their corpus', () => {
    for (const { questions } of Object.values(corpora)) {
      const asked = questions.map(({ ask, after }) => `${after}\n${ask}`)
      expect(new Set(asked).size).toBe(asked.length)
    }
  })

  it('are read as they are meant, of the halves that were worked with nearly all', () => {
    expect(scoreOf(corpora['questions-typed-on-call'], 'A')).toMatchObject({
      right: 79,
      refused: 13,
      refused_wrongly: 0,
    })
    // Whoever writes the name of a provider with an s behind it, and no apostrophe, is not read.
    expect(scoreOf(corpora['questions-night-and-morning'], 'A')).toMatchObject({
      right: 88,
      refused: 12,
      refused_wrongly: 0,
    })
    expect(scoreOf(corpora['questions-asked-in-passing'], 'A')).toMatchObject({
      right: 71,
      refused: 9,
      refused_wrongly: 0,
    })
    expect(scoreOf(corpora['questions-in-other-words'], 'A')).toMatchObject({
      right: 80,
      refused: 7,
      refused_wrongly: 0,
    })
    // A month that is told as the last one is of 30 days, and so it is one day short of what one question means.
    expect(scoreOf(corpora['questions-of-many-hands'], 'A')).toMatchObject({
      right: 76,
      refused: 9,
      refused_wrongly: 0,
    })
  })

  it.each(Object.entries(corpora))(
    'of %s are refused where they must be, in the half that was worked with and, of the older ones, in both',
    (name, corpus) => {
      const isNew = name === 'questions-asked-in-passing' || corpus.open === true
      for (const half of isNew ? (['A'] as const) : (['A', 'B'] as const)) {
        const { refused, to_refuse } = scoreOf(corpus, half)
        expect(refused / to_refuse).toBeGreaterThan(0.9)
      }
    },
  )
})
