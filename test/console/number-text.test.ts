import { describe, expect, it } from 'vitest'
import { farthest, likelihood, percent, splitLine, valueText } from '#functions/console/number-text.ts'
import { likelihoodWord } from '#shared/domain/investigation/hypotheses/compose-answer.ts'

describe('numbers as the console shows them', () => {
  it.each([
    [0, '1', '0'],
    [0.12345, '1', '0.123'],
    [1234.5, 'ms', '1230 ms'],
    [12_345_678, 'By', '1.2e+7 B'],
    [0.0000123, 's', '1.2e-5 s'],
    [3, '', '3'],
    [7, '{requests}', '7 {requests}'],
    [null, 's', 'not measured'],
    [Number.NaN, 's', 'not measured'],
  ])('%s in %s is %s', (value, unit, text) => {
    expect(valueText(value, unit)).toBe(text)
  })

  it.each([
    [[4, 2.8, 5], 4.5, 2.8],
    [[4, 6.3, null, 5], 4.5, 6.3],
    [[null], 1, null],
    [[], 1, null],
  ])('tells of %j what is farthest from %s: %s', (values, level, found) => {
    expect(farthest(values, level)).toBe(found)
  })

  it('calls a confidence what the service calls it', () => {
    for (let hundredths = 0; hundredths <= 100; hundredths += 1)
      expect(likelihood(hundredths / 100)).toBe(likelihoodWord(hundredths / 100))
    expect(percent(0.825)).toBe('83 %')
  })
})

describe('a line of a card', () => {
  it('is split at its first colon with a space, and at no other', () => {
    expect(splitLine('Failing: checkout: 3 of 4')).toEqual({ label: 'Failing', text: 'checkout: 3 of 4' })
    expect(splitLine('at 12:30 nothing')).toEqual({ label: '', text: 'at 12:30 nothing' })
  })
})
