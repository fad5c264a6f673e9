import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerOfChanges } from '#shared/domain/investigation/questions/answer-of-changes.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, deploy, EMPTY } from '../incident-scenarios.ts'

const CHANGES: readonly Change[] = [
  { ...deploy('d1', 40, 'stock', 'v2', []), actor: 'ci', effective_at: { from: at(40), to: at(47) } },
  { ...deploy('d2', 45, 'stock', 'v3', []), actor: 'ci' },
  { ...commit('c1', 41, 'one', [], null), actor: 'Dana', entity: 'web' },
  { ...commit('c2', 10, 'long ago', [], null), actor: 'Dana', entity: 'other' },
]
const told = (
  asked: Parameters<typeof answerOfChanges>[1],
  words: readonly string[] = [],
  service: string | null = null,
  changes = CHANGES,
) => {
  const snapshot = {
    ...EMPTY,
    changes,
    entities: [
      ...['web', 'stock', 'other'].map((name) => ({ name, kind: 'service' as const, aliases: [] })),
      { name: 'node-1', kind: 'node' as const, aliases: [] },
    ],
  }
  const ground = answerGround(snapshot, investigate(snapshot), service)
  return answerOfChanges(ground, asked, { from: at(30), to: at(60) }, words)
}

describe('how long a change took', () => {
  it('is told by the time in which it went into effect', () => {
    const { answer, confidence } = told('length', ['d1'])
    expect(answer).toMatch(
      /d1 .*\nIt went into effect from 2026-03-02 08:40:00 UTC to 2026-03-02 08:47:00 UTC: 7 min\./,
    )
    expect(confidence).toBeGreaterThan(0.9)
  })

  it.each([
    [125_000, '2 min 5 s'],
    [40_000, '40 s'],
    [120_000, '2 min'],
    [3_725_000, '1 h 2 min 5 s'],
  ])('is told to the second: %i ms are %s', (ms, text) => {
    const effective_at = { from: at(40), to: at(40) + ms }
    const changes = [{ ...deploy('d1', 40, 'stock', 'v2', []), effective_at }]
    expect(told('length', ['d1'], null, changes).answer).toMatch(new RegExp(` UTC: ${text}\\.$`))
  })

  it('is said not to be known of the last rollout of a service of which only the record is known', () => {
    const { answer, confidence } = told('length', [], 'stock')
    expect(answer).toMatch(
      /^When it ended stands in no record, so that how long it took is not known\.\n.*d2 /,
    )
    expect(confidence).toBe(0.5)
  })

  it('is not known of a service that nothing changed', () => {
    expect(told('length', [], 'node-1')).toMatchObject({ confidence: 0, evidence: [] })
  })
})

describe('whose changes are most and fewest', () => {
  it('is told with how many there are of each in that time', () => {
    expect(told('most_by').answer).toBe(
      'The most are by ci.\n3 changes are recorded from 2026-03-02 08:30:00 UTC to 2026-03-02 09:00:00 UTC, by: ci 2, Dana 1.',
    )
    expect(told('fewest_of').answer).toMatch(/^The fewest are of web\.\n3 changes .* of: web 1, stock 2\./)
  })

  it('is told of the kind that is asked for, and all who have as many are named', () => {
    expect(told('most_by', ['commits']).answer).toMatch(/^The most are by Dana\.\n1 change of that kind is /)
    const [, , one] = CHANGES as [Change, Change, Change]
    const both = [one, { ...one, id: 'c3', actor: 'kim' }]
    expect(told('most_by', [], null, both).answer).toMatch(/^The most are by Dana, kim\./)
  })

  it('is not known where no record says whose they are', () => {
    const bare = CHANGES.map(({ actor: _, ...change }) => change)
    expect(told('most_by', [], null, bare)).toMatchObject({ confidence: 0 })
  })
})

describe('what did not change', () => {
  it('is every service without a change on record in that time, no machine', () => {
    expect(told('unchanged').answer).toBe(
      'No change is recorded from 2026-03-02 08:30:00 UTC to 2026-03-02 09:00:00 UTC of: other.\nChanges are recorded from 2026-03-02 08:30:00 UTC to 2026-03-02 09:00:00 UTC of: stock, web.',
    )
  })

  it('is not known where no tool gave any change', () => {
    expect(told('unchanged', [], null, [])).toMatchObject({ confidence: 0 })
  })
})

describe('how long a change has been in effect', () => {
  it('is told up to what took its place, else to the end of what was read', () => {
    expect(told('age', ['v2']).answer).toMatch(/\nThat is 5 min up to this: .*d2 /)
    expect(told('age', ['v3']).answer).toMatch(/\nThat is 1 h 15 min up to .*, where what was read ends\.$/)
  })

  it('is not known of a version that no record brings', () => {
    expect(told('age', ['v1'])).toMatchObject({
      confidence: 0,
      answer: 'When that began stands in no record.',
    })
  })
})

describe('how long a change waited for its effect', () => {
  it('is told from its record to the rollout that brought it', () => {
    const id = 'c0ffee0123456789'
    const changes = [
      { ...commit(id, 41, 'one', [], null), recorded_at: at(41) },
      { ...deploy('d1', 47, 'stock', 'v2', [id]), effective_at: { from: at(47), to: at(48) } },
    ]
    expect(told('lead', ['c0ffee01'], null, changes).answer).toMatch(
      /\nFrom its record to its effect it took 6 min\.$/,
    )
  })
})

describe('what checks came to', () => {
  it('is told of the changes that went out although checks failed', () => {
    const title = 'Deploy v2 although 1 of 3 check runs failed: unit'
    const changes = [{ ...deploy('d1', 40, 'stock', 'v2', []), title }, ...CHANGES.slice(1)]
    const { answer, confidence } = told('checks', [], null, changes)
    expect(answer).toMatch(
      /^1 change from .* is on record with checks that failed\.\n.*1 of 3 check runs failed/,
    )
    expect(confidence).toBeGreaterThan(0.9)
  })

  it('is not told as passed where none is on record to have failed', () => {
    const { answer, confidence } = told('checks')
    expect(answer).toMatch(/^That checks passed stands in no record\.\nNo change from /)
    expect(confidence).toBe(0.5)
  })
})

describe('how long a rollback took', () => {
  it('is told of the last change that took another back', () => {
    const changes = [
      { ...deploy('d1', 40, 'stock', 'v2', []), before: 'v1' },
      {
        ...deploy('d2', 45, 'stock', 'v1', []),
        before: 'v2',
        effective_at: { from: at(45), to: at(45) + 75_000 },
      },
    ]
    expect(told('length', ['rollback'], null, changes).answer).toMatch(/d2 .*: 1 min 15 s\.$/s)
    expect(told('length', ['rollback']).answer).toBe('No rollback is on record.')
  })
})
