import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { versionSpans } from '#shared/domain/investigation/questions/version-spans.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { deploy } from '../incident-scenarios.ts'

const rollout = (from: number, lasts: number, after: string, before?: string): Change => ({
  ...deploy(`d${from}`, 0, 'stock', after, []),
  recorded_at: from,
  effective_at: { from, to: from + lasts },
  ...(before === undefined ? {} : { before }),
})
const told = (changes: readonly Change[]) =>
  versionSpans(changes).map(({ from, to, versions }) => [from, to, versions.join(' to ')])

describe('the versions of a service', () => {
  it('are, for each instant, those of exactly one stretch', () => {
    const version = fc.constantFrom('v1', 'v2', 'v3')
    const any = fc
      .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 20 }), version, fc.option(version))
      .map(([from, lasts, after, before]) => rollout(from, lasts, after, before ?? undefined))
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), fc.integer({ min: -10, max: 100 }), (changes, at) => {
        expect(versionSpans(changes).filter(({ from, to }) => from <= at && at < to)).toHaveLength(1)
      }),
    )
  })

  it('are the one before, both while it is rolled out, and the one after', () => {
    expect(told([rollout(10, 3, 'v42', 'v41')])).toEqual([
      [Number.NEGATIVE_INFINITY, 10, 'v41'],
      [10, 13, 'v41 to v42'],
      [13, Number.POSITIVE_INFINITY, 'v42'],
    ])
  })

  it('are those of the rollout that overtakes another, and of the one before where a record does not say', () => {
    expect(told([rollout(20, 9, 'v3', 'v2'), rollout(10, 15, 'v2')])).toEqual([
      [Number.NEGATIVE_INFINITY, 10, ''],
      [10, 20, 'v2'],
      [20, 29, 'v2 to v3'],
      [29, Number.POSITIVE_INFINITY, 'v3'],
    ])
  })

  it('are told by rollouts alone, and by nothing where there is none', () => {
    const flag: Change = { ...rollout(5, 0, 'on', 'off'), kind: 'flag' }
    expect(told([flag])).toEqual([[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, '']])
  })
})
