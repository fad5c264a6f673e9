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
