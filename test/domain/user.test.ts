import { describe, expect, it } from 'vitest'
import { callerTypeOf, groupAmong } from '#shared/domain/user.ts'

describe('the group of a signed-in user', () => {
  it('is the one that may do most of those that the token names', () => {
    expect(groupAmong(['viewer'])).toBe('viewer')
    expect(groupAmong(['viewer', 'admin'])).toBe('admin')
    expect(groupAmong(['others', 'admin'])).toBe('admin')
  })

  it('is none of any other, however alike', () => {
    for (const names of [[], ['others'], ['Admin'], ['admin '], [null, 7, ['admin']]])
      expect(groupAmong(names)).toBeNull()
  })

  it('decides what kind of caller the user is, and without one the user is none', () => {
    expect(callerTypeOf({ group: 'admin' })).toBe('user_admin')
    expect(callerTypeOf({ group: 'viewer' })).toBe('user_viewer')
    expect(callerTypeOf({ group: null })).toBeNull()
  })
})
