import { afterEach, describe, expect, it } from 'vitest'
import { given, givenNumbers } from '#shared/adapters/environment.ts'

const NAME = 'TEST_OF_ENVIRONMENT'

afterEach(() => {
  delete process.env[NAME]
})

describe('an environment variable that a function was given', () => {
  it('is its text', () => {
    process.env[NAME] = 'incidents'
    expect(given(NAME)).toBe('incidents')
  })

  it('is named where it is missing or empty', () => {
    const message = `environment variable ${NAME} is missing`
    expect(() => given(NAME)).toThrow(message)
    expect(() => givenNumbers(NAME, ['days'])).toThrow(message)
    process.env[NAME] = ''
    expect(() => given(NAME)).toThrow(message)
  })
})

describe('numbers that a function was given', () => {
  it('stand in the order in which they were asked for, none of them too', () => {
    process.env[NAME] = '60,0,43200'
    expect(givenNumbers(NAME, ['quiet', 'reopening', 'silence'])).toEqual([60, 0, 43_200])
    process.env[NAME] = '400'
    expect(givenNumbers(NAME, ['days'])).toEqual([400])
  })

  it.each([
    '60',
    '60,600,1',
    '60,',
    '60,sixty',
    '60,-1',
    '60,1.5',
    '60, 600',
    '60,1e3',
    '60,1234567890',
    'NaN,60',
  ])('are refused with the name and what it must hold, and without what it holds: %s', (text) => {
    process.env[NAME] = text
    expect(() => givenNumbers(NAME, ['seconds of quiet', 'of reopening'])).toThrow(
      new Error(
        `environment variable ${NAME} must hold as whole numbers, parted by commas: seconds of quiet, of reopening`,
      ),
    )
  })
})
