import { describe, expect, it } from 'vitest'
import { joinRepeatedChanges } from '#shared/domain/investigation/records/join-repeated-changes.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'

const SHA = '5d0c7ae1f2b94c6e8a3f7710d94be62c1f08a3d7'
const commit: Change = { source: 'github', id: SHA, kind: 'commit', recorded_at: 1_000, title: 'Keep rates' }
const flag: Change = {
  ...commit,
  source: 'signals',
  id: 'new_rates',
  kind: 'flag',
  entity: 'pricing',
  after: 'on',
}
const deploy: Change = { ...flag, id: 'deploy-42', kind: 'deploy', after: 'v42' }

describe('a change of which several records tell', () => {
  it('is one, which says all that they say, and what the first says where both do', () => {
    const pushed: Change = {
      ...commit,
      source: 'signals',
      id: SHA.toUpperCase(),
      recorded_at: 1_500,
      title: 'keep',
      entity: 'pricing',
      diff: '+x',
    }
    expect(joinRepeatedChanges([{ ...commit, diff: null }, deploy, pushed])).toEqual([
      { ...commit, entity: 'pricing', diff: '+x' },
      deploy,
    ])
  })

  it('says what is known where another record only guesses, whichever came first', () => {
    const guessed: Change = { ...deploy, title: 'Deploy (failure)', certainty: 'guessed' }
    const known: Change = {
      ...{ ...deploy, title: 'Deploy', certainty: 'recorded' },
      effective_at: { from: 1_000, to: 2_000 },
    }
    for (const records of [
      [guessed, known],
      [known, guessed],
    ])
      expect(joinRepeatedChanges(records)).toEqual([known])
    expect(joinRepeatedChanges([guessed, { ...guessed, title: 'again' }])).toEqual([guessed])
  })

  it('is one where the same rollout or flag was recorded at the same instant', () => {
    for (const change of [deploy, flag])
      expect(joinRepeatedChanges([change, { ...change, source: 'github' }])).toEqual([change])
  })
})

describe('changes that have their id in common', () => {
  it.each<[string, Change, Change]>([
    ['a flag that is switched again', flag, { ...flag, recorded_at: 2_000, after: 'off' }],
    ['a commit to two services', { ...commit, entity: 'orders' }, { ...commit, entity: 'pricing' }],
    ['rollouts of two services', deploy, { ...deploy, entity: 'orders' }],
    ['commits of a short id', { ...commit, id: 'c0ffee1' }, { ...commit, id: 'c0ffee1', recorded_at: 1_500 }],
    ['changes of two kinds', deploy, { ...deploy, kind: 'release' }],
  ])('stay apart: %s', (_, first, second) => {
    expect(joinRepeatedChanges([first, second])).toEqual([first, second])
  })
})
