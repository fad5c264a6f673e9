import { describe, expect, it } from 'vitest'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, commit, ONSET } from '../incident-scenarios.ts'
import { id, judge, merged, of, SEEN, says } from '../ranking-by-hand.ts'

const GRAPH = {
  ...SEEN.graph,
  callees: new Map([
    ['web', new Set(['stock-api'])],
    ['stock-api', new Set(['shelf-db'])],
    ['reports', new Set(['reports-db'])],
  ]),
}
const snapshot: Partial<Snapshot> = {
  entities: [
    ...['stock-api', 'web', 'reports'].map((name) => ({ name, kind: 'service' as const, aliases: [] })),
    ...['shelf-db', 'reports-db'].map((name) => ({ name, kind: 'datastore' as const, aliases: [] })),
  ],
  alerts: ['stock-api', 'web', 'reports', 'shelf-db', 'reports-db'].map((name) => alert(name, 'up')),
}
const maintained = (name: string, more: Partial<Change> = {}): Change => ({
  ...{ source: 'cloud', id: name, kind: 'infra', title: 'Maintenance in the quiet hours', entity: name },
  ...{ recorded_at: at(ONSET - 2), effective_at: { from: at(ONSET - 2), to: at(ONSET - 2) } },
  ...more,
})
const ranked = (changes: readonly Change[], lines: readonly string[] = []) =>
  judge(
    changes,
    lines.map((line) => says(line)),
    { observed: { graph: GRAPH }, snapshot },
  ).ranked

describe('a change of a store that nobody asks who is hurt', () => {
  it('counts for a tenth of what the same change of a store that is asked counts for', () => {
    const both = ranked([maintained('shelf-db'), maintained('reports-db')])
    const [asked, others] = [of(both, 'shelf-db'), of(both, 'reports-db')]
    expect([asked.is_of_others, others.is_of_others]).toEqual([false, true])
    expect(others.score).toBeLessThan(0.2 * asked.score)
    expect(others.score).toBeGreaterThan(0)
  })

  it('stands behind a release of what fails that is an hour old', () => {
    const release = merged(id('a'), ONSET - 60, '-  total = sum\n+  total = sum / count')
    expect(ranked([maintained('reports-db'), release])[0]?.change.id).toBe(id('a'))
  })

  it('counts in full where what fails quotes what it took away, and where nobody says who quotes it', () => {
    const dropped = maintained('reports-db', { diff: '-  CREATE TABLE shelf_places\n+  -- none' })
    expect(of(ranked([dropped]), 'reports-db').is_of_others).toBe(true)
    const told = ranked([dropped], ['relation "shelf_places" does not exist'])
    expect(of(told, 'reports-db')).toMatchObject({ is_of_others: false, quoted: { name: 'shelf_places' } })
    const unsigned = says('relation "shelf_places" does not exist', { entity: null })
    const { ranked: alike } = judge([dropped], [unsigned], { observed: { graph: GRAPH }, snapshot })
    expect(of(alike, 'reports-db').is_of_others).toBe(false)
  })

  it('does not where somebody else quotes it, who complains a little meanwhile', () => {
    const dropped = maintained('reports-db', { diff: '-  CREATE TABLE shelf_places\n+  -- none' })
    const symptom = says('relation "shelf_places" does not exist', { entity: 'reports' })
    const { ranked: told } = judge([dropped], [symptom], { observed: { graph: GRAPH }, snapshot })
    expect(of(told, 'reports-db')).toMatchObject({ is_of_others: true, quoted: { name: 'shelf_places' } })
  })

  it('is no change of a service, whoever calls that', () => {
    const release = { ...commit(id('b'), ONSET - 2, 'x', ['a.go'], '-a\n+b'), entity: 'reports' }
    expect(of(ranked([release]), id('b')).is_of_others).toBe(false)
  })
})
