import { describe, expect, it } from 'vitest'
import { isAmong, overtaken, requireVersion, stale } from '#shared/domain/precondition.ts'

describe('the versions that a change is meant for', () => {
  it.each([
    ['any', 7, true],
    [[6, 7], 7, true],
    [[6, 8], 7, false],
    [[], 7, false],
  ] as const)('%j holds version %i: %s', (versions, version, held) => {
    expect(isAmong(versions, version)).toBe(held)
  })

  it('let a change on where none was named, and where the present one is among them', () => {
    expect(() => requireVersion(undefined, 7)).not.toThrow()
    expect(() => requireVersion('any', 7)).not.toThrow()
    expect(() => requireVersion([7], 7)).not.toThrow()
  })

  it('stop a change to another version, naming the header', () => {
    expect(() => requireVersion([6], 7)).toThrow(
      expect.objectContaining({
        kind: 'precondition_failed',
        message: 'The resource has changed since; read it and try again.',
        details: { field: 'If-Match', reason: 'names no present version of the resource' },
      }),
    )
  })
})

describe('a change that met another one in the very moment', () => {
  it('is a conflict for whoever named no version', () => {
    for (const expected of [undefined, 'any'] as const)
      expect(overtaken(expected, 'webhook')).toMatchObject({
        kind: 'conflict',
        message: 'Somebody else changed this webhook; read it and try again.',
      })
  })

  it('has lost its version for whoever named one', () => {
    expect(overtaken([3], 'webhook')).toEqual(stale())
  })
})
