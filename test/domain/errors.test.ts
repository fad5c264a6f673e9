import { expect, test } from 'vitest'
import { conflict, invalid, invalidField, notFound, Refusal } from '#shared/domain/errors.ts'

test('an invalid input says the first failure in words and as field and reason, and all of them', () => {
  const errors = [
    { field: 'title', reason: 'is required' },
    { field: 'severity', reason: 'is required' },
  ] as const
  const refusal = invalid(errors)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({
    name: 'Refusal',
    kind: 'invalid',
    message: 'title: is required',
    headers: {},
  })
  expect(refusal.details).toEqual({ field: 'title', reason: 'is required', errors })
  expect(invalidField('cursor', 'is old').details).toEqual({
    field: 'cursor',
    reason: 'is old',
    errors: [{ field: 'cursor', reason: 'is old' }],
  })
})

test('of more failures than a response should hold the first hundred are told, and how many more there are', () => {
  const errors = Array.from({ length: 101 }, (_, index) => ({ field: `a[${index}]`, reason: 'is wrong' }))
  const [first, ...rest] = errors
  if (first === undefined) throw new Error('there is none')
  expect(invalid([first, ...rest.slice(1)]).details).not.toHaveProperty('more_errors')
  expect(invalid([first, ...rest]).details).toMatchObject({
    errors: errors.slice(0, 100),
    more_errors: 1,
  })
})

test('what does not exist and what contradicts are said in words', () => {
  expect(notFound('Webhook wh_1')).toMatchObject({
    kind: 'not_found',
    message: 'Webhook wh_1 does not exist.',
    details: {},
  })
  expect(conflict('No.', { limit: 1 })).toMatchObject({
    kind: 'conflict',
    message: 'No.',
    details: { limit: 1 },
  })
})
