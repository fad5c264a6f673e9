import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '#shared/domain/investigation/any-text.ts'
import { SYSTEM_ANSWERS } from '#shared/domain/investigation/causes/system-answers.ts'
import { MECHANISMS } from '#shared/domain/investigation/changes/mechanisms.ts'

/** Parts of which expressions are made, those that look around among them. */
const PARTS = ['a', 'b', '-', ' ', '\\b', '\\B', '[^a]', '[a-b]{1,2}', '.', '\\s', '(?:a|-)', '^', '$']
const AROUND = ['(?=b)', '(?!a)', '(?<=a)', '(?<!b)']

describe('whether an expression may match one of many texts', () => {
  it('is never denied of one that matches one of them', () => {
    const pattern = fc
      .array(fc.constantFrom(...PARTS, ...AROUND), { minLength: 1, maxLength: 5 })
      .map((parts) => new RegExp(parts.join('')))
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', '\n'), maxLength: 6 }))
    fc.assert(
      fc.property(pattern, texts, (one, said) => {
        if (said.some((text) => one.test(text))) expect(anyText(said)(one)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is denied of one that matches none of them, without a look at each', () => {
    const mayMatch = anyText(['connection refused', 'no such host'])
    expect(mayMatch(/disk full|no space left/i)).toBe(false)
    expect(mayMatch(/NO SUCH/i)).toBe(true)
  })

  it('is left open of one that looks at more than it matches, or remembers where it was', () => {
    const mayMatch = anyText(['a', 'b'])
    for (const pattern of [/^z/, /z$/, /z(?!a)/, /(?<=a)z/, /(z)\1/, /(?<n>z)\k<n>/, /z/g, /z/y, /z/m])
      expect(mayMatch(pattern)).toBe(true)
    expect(mayMatch(/[^ab\n]/)).toBe(false)
  })

  it('is told of nearly every expression that causes are looked for by', () => {
    const patterns = [
      ...SYSTEM_ANSWERS.map(({ pattern }) => pattern),
      ...MECHANISMS.flatMap(({ symptom, general }) => [symptom, general ?? symptom]),
    ]
    const isOpen = anyText(['', ''])
    expect(patterns.filter(isOpen).length).toBeLessThan(patterns.length / 10)
  })
})
