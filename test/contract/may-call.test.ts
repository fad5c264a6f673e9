import { describe, expect, it } from 'vitest'
import { mayCall, whoMayCall } from '#shared/contract/may-call.ts'
import { type Operation, operationList } from '#shared/contract/operations.ts'

const mayOf = (type: Parameters<typeof mayCall>[1]) =>
  operationList.filter((operation) => mayCall(operation, type)).map(({ id }) => id)
const keyed = operationList.filter(({ access }) => access !== 'anyone')
const anyone = operationList.filter(({ access }) => access === 'anyone').map(({ id }) => id)

describe('what a caller may', () => {
  it('is nothing but what anyone may, for a caller of no kind', () => {
    expect(mayOf(null)).toEqual(anyone)
  })

  it('is the same for a signed-in admin as for an Admin key, where a key may call', () => {
    const forKeys = ({ access }: Operation) => access === 'anyone' || access.includes('admin')
    expect(operationList.filter((row) => forKeys(row) && !mayCall(row, 'user_admin'))).toEqual([])
  })

  it('is to ask and to read one answer, for an Assistant key', () => {
    expect(mayOf('assistant').filter((id) => !anyone.includes(id))).toEqual(['answer-query', 'get-query'])
  })

  it('is to manage keys for a signed-in admin alone: a key cannot make another', () => {
    const managing = operationList.filter(({ people }) => people === true)
    expect(managing.map(({ id }) => id)).toEqual(['list-keys', 'create-key', 'rotate-key', 'revoke-key'])
    for (const type of ['admin', 'assistant', 'user_viewer', null] as const)
      expect(managing.filter((row) => mayCall(row, type))).toEqual([])
    expect(managing.every((row) => mayCall(row, 'user_admin'))).toBe(true)
  })

  it('is to read and to ask, but for keys, for a signed-in viewer', () => {
    const changing = keyed.filter((row) => row.method !== 'GET' && mayCall(row, 'user_viewer'))
    expect(changing.map(({ id }) => id)).toEqual(['answer-query'])
    const hidden = keyed.filter((row) => row.method === 'GET' && !mayCall(row, 'user_viewer'))
    expect(hidden.map(({ id }) => id)).toEqual(['list-keys'])
  })
})

describe('who may call', () => {
  const words = (id: string) => whoMayCall(keyed.find((row) => row.id === id) as Operation)

  it.each([
    ['create-key', 'a signed-in user of the group admin'],
    ['create-incident', 'an Admin key or a signed-in user of the group admin'],
    [
      'answer-query',
      'an Admin key, an Assistant key, a signed-in user of the group admin or a signed-in user of the group viewer',
    ],
  ])('%s is told in words', (id, told) => {
    expect(words(id)).toBe(told)
  })
})
