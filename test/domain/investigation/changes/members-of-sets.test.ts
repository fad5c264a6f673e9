import { describe, expect, it } from 'vitest'
import { membersMeant, setsOf } from '#shared/domain/investigation/changes/members-of-sets.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { at } from '../incident-scenarios.ts'

const PARTS = ['quay-2', 'quay-1', 'quay-3', 'quay-lab-1', 'dock', 'pier-1']
const meant = (more: Partial<Change>, parts: readonly string[] = PARTS): readonly string[] =>
  membersMeant(
    { source: 'infra', id: 'i1', kind: 'infra', recorded_at: at(80), ...more },
    setsOf(parts),
    (entity) => parts.includes(entity),
  )

describe('a record of all of a set', () => {
  it('means every numbered part whose name begins as its name does', () => {
    const all = ['quay-1', 'quay-2', 'quay-3']
    expect(meant({ entity: 'quay-locks' })).toEqual(all)
    expect(meant({ entity: 'quay' })).toEqual(all)
    expect(meant({ title: 'quay-locks: another version' })).toEqual(all)
    expect(meant({ title: 'Another version of quay-locks' })).toEqual(all)
  })

  it('means those of the longest beginning alone', () => {
    expect(meant({ entity: 'quay-lab' })).toEqual([])
    expect(meant({ entity: 'quay-lab' }, [...PARTS, 'quay-lab-2'])).toEqual(['quay-lab-1', 'quay-lab-2'])
  })

  it('means none where it names one part, another word, or a set of one', () => {
    expect(meant({ entity: 'quay-2' })).toEqual([])
    expect(meant({ entity: 'quays' })).toEqual([])
    expect(meant({ entity: 'dock-doors' })).toEqual([])
    expect(meant({ entity: 'pier-doors' })).toEqual([])
    expect(meant({})).toEqual([])
  })

  it('is what was done, and no text that was written to be done', () => {
    expect(meant({ entity: 'quay-locks', files: ['quay/values.yaml'] })).toEqual([])
  })
})
