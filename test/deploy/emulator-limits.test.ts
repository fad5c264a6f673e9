import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LEFT_OUT, NOT_HELD, REFUSED } from './emulator-limits.ts'

describe('what the emulator of AWS cannot do', () => {
  it.each([...REFUSED, ...NOT_HELD, ...LEFT_OUT])(
    '$cannot: a test that always runs stands in',
    ({ standsIn }) => {
      const [file, title] = standsIn
      expect(readFileSync(file, 'utf8')).toContain(title)
    },
  )
})
