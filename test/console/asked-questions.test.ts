import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AskedQuestion,
  forgetAsked,
  readAsked,
  readDraft,
  writeAsked,
  writeDraft,
} from '#functions/console/asked-questions.ts'

/** Storage of a tab. */
function tab(given?: string) {
  const items = new Map(given === undefined ? [] : [['asked-questions', given]])
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    items,
  }
}
const asked = fc.record({ id: fc.string(), question: fc.string(), at: fc.string() })

describe('what was asked in a tab', () => {
  it('is read as it was written, the newest twenty of it, by whoever asked', () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 30 }), fc.string(), (questions, by) => {
        const kept = tab()
        writeAsked(kept, by, questions)
        expect(readAsked(kept, by)).toEqual(questions.slice(0, 20))
        expect(readAsked(kept, `${by}'`)).toEqual([])
        forgetAsked(kept)
        expect(kept.items.size).toBe(0)
      }),
    )
  })

  it('holds no answers, which are the service’s to give', () => {
    const kept = tab()
    const withAnswer = { id: 'a', question: 'b', at: 'c', answer: { evidence: 'd' } } as AskedQuestion
    writeAsked(kept, 'me', [withAnswer])
    expect(readAsked(kept, 'me')).toEqual([{ id: 'a', question: 'b', at: 'c' }])
  })

  it('is nothing where something else stands in its place', () => {
    const entries = ['', 'null', '7', '[]', '{', '{"by":"me"}', '{"by":"me","questions":[null,{},{"id":1}]}']
    for (const text of entries) expect(readAsked(tab(text), 'me'), text).toEqual([])
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readAsked(tab(text), 'me')).toEqual([])
      }),
    )
  })

  it('is not missed where the tab may keep nothing', () => {
    const forbidden = {
      ...tab(),
      setItem: () => {
        throw new Error('QuotaExceededError')
      },
    }
    expect(() => writeAsked(forbidden, 'me', [{ id: 'a', question: 'b', at: 'c' }])).not.toThrow()
  })
})

describe('what somebody is typing', () => {
  it('is read as it was written, by whoever types it, until it is asked or forgotten', () => {
    const kept = tab()
    expect(readDraft(kept, 'me')).toBe('')
    writeDraft(kept, 'me', 'Why is check')
    expect([readDraft(kept, 'me'), readDraft(kept, 'you')]).toEqual(['Why is check', ''])
    writeDraft(kept, 'me', '')
    expect(kept.items.size).toBe(0)
    writeDraft(kept, 'me', 'again')
    forgetAsked(kept)
    expect(kept.items.size).toBe(0)
    kept.setItem('question-draft', '{')
    expect(readDraft(kept, 'me')).toBe('')
  })

  it('is not missed where the tab may keep nothing', () => {
    const forbidden = {
      ...tab(),
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError')
      },
    }
    expect(() => writeDraft(forbidden, 'me', 'a')).not.toThrow()
  })
})
