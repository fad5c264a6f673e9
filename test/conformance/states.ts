import { it, type TestContext } from 'vitest'
import { type Statement, statements, type TestedId } from './statements.ts'

/** One wait for the end of a window of the rate limit, and the work itself. */
const TEST_MS = 90_000
/** Characters of a statement that a test's name shows. */
const MOST_NAME = 160

/** Statements that a test was registered for, in order; the last group compares them with the list. */
export const registered: TestedId[] = []

export function nameOf({ source, text }: Statement): string {
  const shown = text.length > MOST_NAME ? `${text.slice(0, MOST_NAME - 1)}…` : text
  return `${source} › "${shown}"`
}

/** The test of one statement: its name quotes the statement. */
export function states(id: TestedId, check: (context: TestContext) => Promise<void> | void): void {
  const statement = statements.find((row) => row.id === id)
  if (statement === undefined) throw new Error(`${id} is not in the list of statements`)
  registered.push(id)
  it(nameOf(statement), { timeout: TEST_MS }, check)
}

/** A guarantee that follows from the statements without being one of them. */
export function also(name: string, check: (context: TestContext) => Promise<void> | void): void {
  it(name, { timeout: TEST_MS }, check)
}
