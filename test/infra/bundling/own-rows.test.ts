import { describe, expect, it } from 'vitest'
import { rowsFor } from '#infra/bundling/own-rows.ts'

describe('the rows of the table of operations that a function is given', () => {
  const table = `export const operations = {
  'read-thing': {
    method: 'GET',
    query: paging,
    success: { status: 200, description: 'The thing.', body: thing },
  },
  write: {
    method: 'POST',
    body: newThing,
    success: {
      status: 201,
      description: 'The new thing, with a long description.',
      body: thing,
    },
  },
}
`
  it('are its own, without the shape of its answer', () => {
    expect(rowsFor('write', table)).toBe(`export const operations = {
  write: {
    method: 'POST',
    body: newThing,
    success: {
      status: 201,
      description: 'The new thing, with a long description.',
    },
  },
}
`)
    expect(rowsFor('read-thing', table)).toContain('query: paging')
    expect(rowsFor('read-thing', table)).toContain("{ status: 200, description: 'The thing.' }")
    expect(rowsFor('read-thing', table)).not.toContain('newThing')
  })

  it('are never silently none', () => {
    expect(() => rowsFor('gone', table)).toThrow('not found in the table of operations: gone')
    expect(() => rowsFor('refuse-unknown', table)).toThrow(
      'not found in the table of operations: answer-query',
    )
  })
})
