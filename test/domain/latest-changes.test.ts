import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withLatestChanges } from '#shared/domain/latest-changes.ts'
import type { PushedRecords } from '#shared/domain/ports.ts'

type PushedChange = PushedRecords['changes'][number]
const NONE: PushedRecords = { changes: [], series: [], logs: [], spans: [], edges: [], events: [] }
const START = 1_000_000
const begun: PushedChange = {
  ...{ id: '5', kind: 'deploy', recorded_at: START, title: 'Deploy to prod', after: 'f95f852' },
  certainty: 'guessed',
}
const failed: PushedChange = { ...begun, title: 'Deploy to prod (failure)' }
const done: PushedChange = {
  ...{ ...begun, certainty: 'recorded' },
  effective_at: { from: START, to: START + 60_000 },
}
/** What is left of changes that were pushed one by one. */
const left = (...pushed: readonly PushedChange[]) =>
  withLatestChanges({
    ...{ digest: 'd'.repeat(64), cut: false, unread: 0 },
    batches: pushed.map((change) => ({ ...NONE, changes: [change] })),
  }).batches.flatMap(({ changes }) => changes)

describe('a change that is pushed again as more of it becomes known', () => {
  it('is told as it was pushed last', () => {
    expect(left(begun, failed)).toEqual([failed])
    expect(left(begun, failed, done)).toEqual([done])
  })

  it('stays known to have taken effect where a guess of it arrives after that', () => {
    expect(left(done, begun, failed)).toEqual([done])
  })

  it('is another where it went elsewhere, brought something else or was recorded at another time', () => {
    const all = [
      begun,
      { ...begun, entity: 'checkout' },
      { ...begun, after: 'other' },
      { ...begun, recorded_at: START + 1 },
    ]
    expect(left(...all)).toEqual(all)
  })

  it('is told by all that is known of it, or by the last guess alone, in whatever order it came and however often it is read', () => {
    const pushed = fc.array(
      fc.record({
        id: fc.constantFrom('5', '6'),
        certainty: fc.constantFrom<PushedChange['certainty'][]>('guessed', 'inferred', 'recorded', undefined),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(pushed, (all) => {
        const changes = all.map(({ id, certainty }, index): PushedChange => {
          const { certainty: _, ...known } = begun
          return { ...known, id, title: `pushed as ${index}`, ...(certainty && { certainty }) }
        })
        const told = left(...changes)
        for (const id of ['5', '6']) {
          const of = changes.filter((change) => change.id === id)
          const known = of.filter(({ certainty }) => certainty !== 'guessed')
          expect(told.filter((change) => change.id === id)).toEqual(known.length > 0 ? known : of.slice(-1))
        }
        expect(left(...told)).toEqual(told)
      }),
    )
  })

  it('is the same commit by its digest, whenever it was recorded', () => {
    const commit: PushedChange = {
      kind: 'commit',
      id: 'F95F85'.repeat(4),
      recorded_at: START,
      certainty: 'guessed',
    }
    const known: PushedChange = {
      ...{ ...commit, id: commit.id.toLowerCase(), recorded_at: START + 1 },
      certainty: 'recorded',
    }
    expect(left(commit, known)).toEqual([known])
    const short: PushedChange = { ...commit, id: 'f95f85' }
    expect(left(short, { ...short, recorded_at: START + 1 })).toHaveLength(2)
  })

  it('is left as it was where nothing of it is a guess', () => {
    const twice = [done, { ...done, title: 'again' }]
    expect(left(...twice)).toEqual(twice)
  })
})
