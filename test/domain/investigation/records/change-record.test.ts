import { describe, expect, it } from 'vitest'
import { CHANGE_SOURCE, effectOf } from '#shared/domain/investigation/records/change-record.ts'
import { CHANGE_KINDS } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, deploy } from '../incident-scenarios.ts'

describe('the record of a change', () => {
  it('tells since when it is in effect, or else when it was recorded', () => {
    const rollout = { ...deploy('d1', 85, 'stock', 'v2', ['c1']), recorded_at: at(80) }
    expect(effectOf({ ...rollout, effective_at: { from: at(85), to: at(90) } })).toBe(at(85))
    expect(effectOf(commit('c1', 70, 'a title', ['a.ts'], null))).toBe(at(70))
  })

  it('is among commits, deploys or flags, of whatever kind it is', () => {
    expect(Object.keys(CHANGE_SOURCE).sort()).toEqual([...CHANGE_KINDS].sort())
    expect([CHANGE_SOURCE.pull_request, CHANGE_SOURCE.migration, CHANGE_SOURCE.flag]).toEqual([
      ...['commits', 'deploys', 'flags'],
    ])
  })
})
