import { describe, expect, it } from 'vitest'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, deploy, ONSET } from '../incident-scenarios.ts'
import { id, judge, LATEST, NEUTRAL, of, POOL, rank, scene, settings } from '../ranking-by-hand.ts'

describe('ranking changes', () => {
  it('of several rollouts of a library the one to what fails counts, though another came later', () => {
    const library = commit(id('a'), 60, 'x', ['libs/pgpool/pool.go'], POOL)
    const { ranked } = rank(
      scene([
        library,
        deploy('d', 85, 'stock-api', 'v', [id('a')]),
        deploy('e', 88, 'billing', 'w', [id('a')]),
      ]),
    )
    expect(ranked[0]).toMatchObject({ carried_by: { id: 'd' }, reaches: 'stock-api', place: 1 })
  })

  it('a library’s change rolls out where a manifest takes its new version', () => {
    const library = commit(id('a'), 60, 'x', ['libs/pgpool/pool.go'], POOL)
    const bump = commit(
      id('b'),
      70,
      'bump',
      ['stock/go.mod'],
      '@@ go.mod @@\n-\texample.com/libs/pgpool v0.1.0\n+\texample.com/libs/pgpool v0.2.0',
    )
    const { ranked } = rank(scene([library, bump, deploy('d', 85, 'stock-api', 'v', [id('b')])]))
    expect(ranked[0]?.change).toBe(library)
    expect(ranked[0]?.carried_by?.id).toBe('d')
    expect(ranked[0]?.effective_at.from).toBe(at(85))
  })

  it('takes of several rollouts the one that precedes the onset', () => {
    const change = commit(id('a'), 40, 'x', ['pkg/pool.go'], POOL)
    const { ranked, too_late: late } = rank(
      scene([
        change,
        deploy('d1', 50, 'stock-api', 'v1', [id('a')]),
        deploy('d2', ONSET + 20, 'web', 'v2', [id('a')]),
      ]),
    )
    expect(ranked[0]?.carried_by?.id).toBe('d1')
    expect(late).toEqual([])
  })
})

describe('what carries a change into effect', () => {
  const rollout = (id: string, minute: number, entity: string, ...carries: string[]) =>
    deploy(id, minute, entity, 'v', carries)

  it('is not ranked beside what it carries, and is where that is not on record', () => {
    const change = commit('c', 60, 'x', ['pkg/a.go'], NEUTRAL)
    const ids = (...changes: Change[]) =>
      judge(changes)
        .ranked.map((entry) => entry.change.id)
        .toSorted()
    expect(ids(change, rollout('d', 80, 'stock-api', 'c'))).toEqual(['c'])
    expect(ids(change, rollout('d', 80, 'stock-api', 'c', 'unknown'))).toEqual(['c'])
    expect(ids(change, rollout('d', 80, 'stock-api', 'unknown'))).toEqual(['c', 'd'])
    expect(ids(change, rollout('d', 80, 'stock-api'))).toEqual(['c', 'd'])
    const { carries: _, ...bare } = rollout('d', 80, 'stock-api')
    expect(ids(change, bare)).toEqual(['c', 'd'])
    expect(ids(change, settings('s', 80, { carries: ['c'] }))).toEqual(['c', 's'])
  })

  it('makes known when a change took effect', () => {
    const change = commit('c', 60, 'x', ['pkg/a.go'], NEUTRAL)
    const [entry] = judge([change, rollout('d', 80, 'stock-api', 'c')]).ranked
    expect(entry?.effective_at).toEqual({ from: at(80), to: at(80), known: true })
    const guessed = { ...rollout('d', 80, 'stock-api', 'c'), certainty: 'guessed' as const }
    expect(judge([change, guessed]).ranked[0]?.effective_at.known).toBe(true)
  })

  it('is, of several, what precedes the onset, then what reaches the failing place, then the latest', () => {
    const change = commit('c', 10, 'x', ['pkg/a.go'], NEUTRAL)
    const chosen = (...rollouts: Change[]) => judge([change, ...rollouts]).ranked[0]?.carried_by?.id
    for (const turn of [(list: Change[]) => list, (list: Change[]) => list.toReversed()]) {
      const of = (...list: Change[]) => chosen(...turn(list))
      const late = rollout('late', ONSET + 10, 'stock-api', 'c')
      expect(of(rollout('a', 50, 'billing', 'c'), late)).toBe('a')
      expect(of(rollout('a', 50, 'web', 'c'), rollout('b', 40, 'stock-api', 'c'))).toBe('b')
      expect(of(rollout('a', 50, 'web', 'c'), rollout('b', 40, 'web', 'c'))).toBe('a')
      expect(of(rollout('b', 50, 'web', 'c'), rollout('a', 50, 'web', 'c'))).toBe('a')
      const { entity: _, ...nobody } = rollout('n', 60, '', 'c')
      expect(of(nobody, rollout('b', 40, 'billing', 'c'))).toBe('b')
      expect(of(rollout('on', 0, 'stock-api', 'c'), rollout('b', 40, 'web', 'c'))).toBe('on')
    }
    const on = { ...rollout('on', 0, 'stock-api', 'c'), effective_at: { from: LATEST, to: LATEST } }
    expect(chosen(rollout('b', 40, 'stock-api', 'c'), on)).toBe('on')
  })

  it('is the latest of all where no onset is known', () => {
    const change = commit('c', 10, 'x', ['pkg/a.go'], NEUTRAL)
    const { ranked } = judge(
      [change, rollout('a', 50, 'web', 'c'), rollout('b', ONSET + 20, 'web', 'c')],
      [],
      { observed: { onset: null } },
    )
    expect(ranked[0]?.carried_by?.id).toBe('b')
  })

  describe('of a library', () => {
    const library = (more: Partial<Change> = {}) => ({
      ...commit('lib', 20, 'x', ['libs/grid/a.go', 'README.md'], NEUTRAL),
      ...more,
    })
    const bump = (line: string, more: Partial<Change> = {}) => ({
      ...commit('bump', 40, 'x', ['go.mod'], `-\tsomething/else v1\n+\t${line}`),
      ...more,
    })
    const carrier = (...changes: Change[]) =>
      of(judge([...changes, rollout('d', 80, 'stock-api', 'bump')]).ranked, 'lib').carried_by?.id

    it('is the rollout of the change that takes its new version', () => {
      expect(carrier(library(), bump('example.com/team/libs/grid v1.2.0'))).toBe('d')
      expect(carrier(library(), bump('"@libs/grid": "^2.0.0"', { files: ['a/package.json', 'x.ts'] }))).toBe(
        'd',
      )
      const manifests = [
        ...['requirements.txt', 'x/requirements-dev.txt', 'pom.xml', 'build.gradle', 'build.gradle.kts'],
        ...['Cargo.toml', 'Gemfile', 'x/GO.MOD'],
      ]
      for (const file of manifests)
        expect(carrier(library(), bump('libs/grid 2', { files: [file] }))).toBe('d')
      for (const file of ['main.go', 'go.mod.bak', 'xgo.mod', 'requirements/a.txt', 'build.gradle.md'])
        expect(carrier(library(), bump('libs/grid 2', { files: [file] }))).toBeUndefined()
    })

    it('is none where another module is taken, or an older one', () => {
      expect(carrier(library(), bump('example.com/team/libs/gridlock v1.2.0'))).toBeUndefined()
      expect(carrier(library(), bump('example.com/team/other/grid v1.2.0'))).toBeUndefined()
      expect(carrier(library(), bump('example.com/libs/grid/v2 v2'))).toBeUndefined()
      expect(carrier(library(), bump('nothing of the kind'))).toBeUndefined()
      expect(carrier(library({ recorded_at: at(41) }), bump('x/libs/grid v1'))).toBeUndefined()
      expect(carrier(library({ recorded_at: at(40) }), bump('x/libs/grid v1'))).toBe('d')
      expect(carrier(library({ files: ['mylibs/grid/a.go'] }), bump('x/libs/grid v1'))).toBeUndefined()
    })

    it('is its own where it was rolled out by itself', () => {
      const own = rollout('own', 30, 'web', 'lib')
      expect(carrier(library(), bump('x/libs/grid v1'), own)).toBe('own')
    })

    it('is the better placed of several that take it', () => {
      const other = bump('x/libs/grid v1', { id: 'other', recorded_at: at(42) })
      const changes = [library(), bump('x/libs/grid v1'), other, rollout('e', 85, 'stock-api', 'other')]
      expect(carrier(...changes)).toBe('e')
    })

    it('is not that of the manifest’s own change', () => {
      const itself = bump('x/libs/grid v1', { files: ['libs/grid/go.mod'] })
      const { ranked } = judge([itself, rollout('d', 80, 'billing', 'bump')])
      expect(ranked[0]).toMatchObject({ place: 0.25, carried_by: { id: 'd' } })
    })

    it('is nothing where what takes it was not rolled out', () => {
      const { ranked } = judge([library(), bump('x/libs/grid v1')])
      expect(of(ranked, 'lib').carried_by).toBeNull()
    })
  })
})
