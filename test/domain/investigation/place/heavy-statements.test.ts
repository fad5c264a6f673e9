import { describe, expect, it } from 'vitest'
import { heavyStatements } from '#shared/domain/investigation/place/heavy-statements.ts'
import type { Statement } from '#shared/domain/investigation/records/snapshot.ts'

const statement = (text: string, load: number, more: Partial<Statement> = {}): Statement => ({
  source: 'load',
  start: 0,
  end: 60_000,
  statement: text,
  load,
  ...more,
})

const named = (statements: readonly Statement[]) =>
  heavyStatements(statements).map(({ record }) => record.statement)

describe('statements that rule the load', () => {
  it('are those with at least three fifths of it', () => {
    expect(named([statement('a', 6), statement('b', 4)])).toEqual(['a'])
    expect(named([statement('a', 5.9), statement('b', 4.1)])).toEqual([])
  })

  it('are none where the database is idle', () => {
    expect(named([statement('a', 0.9)])).toEqual([])
    expect(named([])).toEqual([])
  })

  it('carry the share and the wait that holds most of their load, ties by name', () => {
    const [found] = heavyStatements([
      statement('a', 9, { waits: { cpu: 1, lock: 4, io: 4 } }),
      statement('b', 1),
    ])
    expect(found).toMatchObject({ share: 0.9, wait: 'io', is_stuck: false })
    expect(heavyStatements([statement('a', 2)])[0]?.wait).toBeNull()
  })
})

describe('statements that are stuck', () => {
  it('wait with at least one session and finish nothing, whatever their share', () => {
    const found = heavyStatements([
      statement('quick', 9, { calls_per_s: 40 }),
      statement('stuck', 1, { calls_per_s: 0 }),
      statement('waits a little', 0.5, { calls_per_s: 0 }),
      statement('unknown', 1),
    ])
    expect(found.map(({ record, is_stuck }) => [record.statement, is_stuck])).toEqual([
      ['quick', false],
      ['stuck', true],
    ])
  })

  it('come most load first, ties by their text', () => {
    const stuck = { calls_per_s: 0 }
    expect(named([statement('b', 1, stuck), statement('a', 1, stuck), statement('c', 2, stuck)])).toEqual([
      'c',
      'a',
      'b',
    ])
  })
})
