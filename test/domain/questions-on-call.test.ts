import { describe, expect, it } from 'vitest'
import { corpus, type Half, halfOf, scoreOf } from '#test/bench/questions-on-call.ts'

describe('questions as they are typed on call', () => {
  it('are in two halves by their text alone', () => {
    const count = (half: Half) => corpus.questions.filter((typed) => halfOf(typed) === half).length
    expect([count('A'), count('B')]).toEqual([79, 94])
    expect(halfOf({ ...corpus.questions[0], intent: 'none' } as (typeof corpus.questions)[0])).toBe(
      halfOf(corpus.questions[0] as (typeof corpus.questions)[0]),
    )
  })

  it('are each asked once', () => {
    const asked = corpus.questions.map(({ ask, after }) => `${after}\n${ask}`)
    expect(new Set(asked).size).toBe(asked.length)
  })

  it('are read as they are meant, of the half that was worked with all', () => {
    expect(scoreOf('A')).toMatchObject({ right: 79, refused: 13, refused_wrongly: 0 })
  })

  it('are refused where they must be, in both halves', () => {
    for (const half of ['A', 'B'] as const) {
      const { refused, to_refuse } = scoreOf(half)
      expect(refused / to_refuse).toBeGreaterThan(0.9)
    }
  })
})
