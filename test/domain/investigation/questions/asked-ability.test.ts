import { describe, expect, it } from 'vitest'
import { abilityAsked, withoutAct } from '#shared/domain/investigation/questions/asked-ability.ts'
import { readQuestion } from '#shared/domain/investigation/questions/read-question.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const read = (text: string) =>
  readQuestion(text, { services: ['orders', 'checkout'], now: NOW, timezone: 'UTC' } as never)

describe('what people are asked to be able to do', () => {
  it.each([
    ['can people place orders?', 'people', 'place orders', false],
    ['can our customers still log in', 'our customers', 'log in', false],
    ['so can anyone actually check out right now?', 'anyone', 'check out', false],
    ['are users able to pay', 'users', 'pay', false],
    ['can they still reach checkout?', 'they', 'reach checkout', true],
  ])('“%s”', (plain, who, what, is_reaching) => {
    expect(abilityAsked(plain)).toEqual({ who, what, is_reaching })
  })

  it.each([
    'can you tell me what changed',
    'can anyone explain this',
    'can people see an error',
    'are customers affected',
    'can people buy seats again',
    'is checkout able to answer',
    'can i roll back',
  ])('is not asked by “%s”', (plain) => {
    expect(abilityAsked(plain)).toBeNull()
  })

  it('names no service by what is done, but by what is reached, or where', () => {
    expect(withoutAct('can people place their orders in checkout')).toBe('can people … in checkout')
    expect(read('can people place orders?')).toMatchObject({ intent: 'what_is_affected', service: null })
    expect(read('can people place orders in checkout?').service).toBe('checkout')
    expect(read('can people reach orders?').service).toBe('orders')
  })
})
