import { expect, it } from 'vitest'
import { notAnError, undocumented } from './document.ts'
import { statements } from './statements.ts'
import { nameOf, registered } from './states.ts'

/** The list of statements against what was registered, and what stands open as `todo`. */
export function statementList(): void {
  it('every statement of the list has exactly one test, or stands as todo', () => {
    const tested = statements.filter(({ status }) => status === 'tested').map(({ id }) => id)
    expect([...registered].sort()).toEqual([...tested].sort())
  })
  it('the check against the document refuses what the document does not declare', () => {
    expect(undocumented('GET', '/incidents', 200, { incidents: [], next_cursor: null })).toBeNull()
    expect(undocumented('GET', '/incidents', 200, { incidents: [] })).toMatch(/next_cursor/)
    expect(undocumented('GET', '/incidents', 200, { incidents: [{}], next_cursor: null })).toMatch(/id/)
    expect(undocumented('GET', '/incidents', 200, { incidents: [], next_cursor: null, more: 1 })).toMatch(
      /additional/,
    )
    expect(undocumented('GET', '/incidents', 299, {})).toMatch(/299/)
    expect(undocumented('DELETE', '/webhooks/x', 204, {})).toMatch(/no body/)
    expect(notAnError({ error: { code: 'CONFLICT', message: 'x', details: {} } })).toMatch(/code/)
    expect(notAnError({ error: { code: 'NOT_FOUND', message: 'x', details: {} } })).toBeNull()
  })
  it('no statement has the id of another', () => {
    expect(new Set(statements.map(({ id }) => id)).size).toBe(statements.length)
  })
  for (const statement of statements) if (statement.status === 'todo') it.todo(nameOf(statement))
}
