import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { REMEDIATION_ACTIONS, type RemediationAction } from '#shared/domain/investigation/findings.ts'
import { adviceAt, adviceOf, versionBefore } from '#shared/domain/investigation/hypotheses/remediation.ts'
import { weighCandidates } from '#shared/domain/investigation/hypotheses/weigh-candidates.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { commit, deploy, EMPTY, lines, ONSET } from '../incident-scenarios.ts'
import { id, POOL, scene } from '../ranking-by-hand.ts'
import { able, firm, fused, INCIDENT, mechanism, OBSERVED, PLAIN, record } from '../verdict-by-hand.ts'

const [BEST] = weighCandidates(OBSERVED, { ranked: [able({})], too_late: [] } as never, [])
const [FIRM] = weighCandidates(OBSERVED, { ranked: [], too_late: [] } as never, [firm()])
if (BEST?.of !== 'change' || FIRM?.of !== 'operational') throw new Error('nothing is weighed')

describe('what a named change is', () => {
  it('is told with what going back does', () => {
    const why = (more: Partial<RankedChange>, confidence = 0.6) =>
      adviceOf({ ...BEST, entry: able(more) }, OBSERVED, confidence).why
    const by = { actor: 'dana', entity: 'stock' }
    expect(why({ change: record({ kind: 'flag', ...by }) })).toBe(
      'Switch back feature flag c1 “Name a size” of stock by dana; that is quick and can be undone.',
    )
    expect(why({ change: record({ kind: 'config' }) })).toBe(
      'Revert configuration change c1 “Name a size” by dana; the earlier values then apply again.',
    )
    expect(why({ mechanism: mechanism(0.6, { id: 'migration' }) })).toBe(
      'Fix it by a further change, since going back does not undo what commit c1 “Name a size” by dana did to stored data.',
    )
    expect(why({})).toBe('Roll back commit c1 “Name a size” by dana.')
    const carried_by = deploy('d3', ONSET - 2, 'stock', 'v3', ['c1'])
    expect(why({ carried_by, change: record(by) })).toBe(
      'Roll back deploy v3 of stock, which brought commit c1 “Name a size” of stock by dana.',
    )
    expect(why({}, 0.59)).toBe('If this is the cause: roll back commit c1 “Name a size” by dana.')
  })
})

describe('the version to return to', () => {
  const replaced = (more: Partial<RankedChange>, others: readonly Change[] = []): string | null =>
    versionBefore(able(more), { ...EMPTY, changes: others })

  it('is what the change or its rollout replaced, as far as that has a name', () => {
    expect(replaced({ change: record({ before: 'v1' }) })).toBe('v1')
    expect(replaced({ change: record({ before: '' }) })).toBeNull()
    const rollout = deploy('d3', ONSET - 2, 'stock', 'v3', ['c1'])
    const earlier = deploy('d2', ONSET - 60, 'stock', 'v2', [])
    expect(replaced({ carried_by: { ...rollout, before: 'v1' } }, [earlier])).toBe('v1')
    expect(replaced({ carried_by: { ...rollout, before: '' } }, [earlier])).toBe('v2')
    expect(replaced({ carried_by: rollout }, [{ ...earlier, after: '' }])).toBeNull()
  })

  it('is no credential', () => {
    const secret = { kind: 'config', id: 'till/DB_PASSWORD', before: 'old one', after: 'new one' } as const
    expect(replaced({ change: record(secret) })).toBeNull()
    expect(replaced({ change: record({ ...secret, id: 'pool' }) })).toBe('old one')
  })
})

describe('what no change did', () => {
  const advice = (action: RemediationAction, entity: string | null = 'stock', confidence = 0.6) =>
    adviceOf({ ...FIRM, found: firm({ action, entity }) }, OBSERVED, confidence)
  const NONE = '; what fits best is no change, so none is to be taken back.'

  it('is told with something to do, at the place that it is about', () => {
    const told = REMEDIATION_ACTIONS.map((action) => {
      const { why, ...rest } = advice(action)
      expect(rest).toEqual({ action, target: 'stock' })
      expect(why).toMatch(/^[A-Z].* stock.*; what fits best is no change/)
      return why
    })
    expect(new Set(told).size).toBe(REMEDIATION_ACTIONS.length)
    expect(advice('rotate').why).toBe(`Renew what has expired at stock, and see that it is loaded${NONE}`)
    expect(advice('escalate', null)).toMatchObject({ target: null, why: `Ask who runs what fails${NONE}` })
  })

  it('is advised only for the case that it is the cause, where that is not likely', () => {
    expect(advice('scale', 'stock', 0.59).why).toBe(
      `If this is the cause: give stock more capacity, or reduce the load on it${NONE}`,
    )
    const sure = advice('scale', 'stock', 0.6).why
    expect(adviceAt(0.59, sure)).toBe(advice('scale', 'stock', 0.59).why)
    expect(adviceAt(0.1, adviceAt(0.59, sure))).toBe(adviceAt(0.59, sure))
  })
})

describe('the version to go back to', () => {
  const rollouts = (...changes: readonly Change[]): Snapshot => ({ ...INCIDENT, changes })
  const back = (carried_by: Change | null, snapshot = INCIDENT, change = PLAIN.change) =>
    fused({ ranked: [able({ carried_by, change })], snapshot, observed: OBSERVED }).revert_to
  const current = deploy('d3', ONSET - 2, 'stock', 'v3', ['c1'])

  it('is what the rollout says it replaced', () => {
    expect(back({ ...current, before: 'v2' }, rollouts(deploy('d1', 10, 'stock', 'v1', [])))).toBe('v2')
  })

  it('is else what the last rollout of the same service before it brought', () => {
    const list = [
      deploy('d2', 50, 'stock', 'v2', []),
      deploy('d1', 10, 'stock', 'v1', []),
      deploy('o', 70, 'web', 'w9', []),
      { ...deploy('r', 60, 'stock', 'v9', []), kind: 'scale' as const },
      { ...deploy('same', 70, 'stock', 'v3', []) },
      deploy('late', ONSET + 5, 'stock', 'v4', []),
      current,
    ]
    expect(back(current, rollouts(...list))).toBe('v2')
    expect(back(current, rollouts(...list.toReversed()))).toBe('v2')
    expect(back(current, rollouts(current))).toBeNull()
    const { after: _, ...unnamed } = deploy('d2', 50, 'stock', 'v2', [])
    expect(back(current, rollouts(unnamed, current))).toBeNull()
    const { effective_at: __, ...recorded } = deploy('d2', 50, 'stock', 'v2', [])
    expect(back(current, rollouts(recorded, deploy('d1', 10, 'stock', 'v1', [])))).toBe('v2')
    expect(back(current, rollouts(recorded, deploy('d0', 55, 'stock', 'v0', [])))).toBe('v0')
    // Of two at one time the first that is told of counts, and what came with the rollout itself does not.
    const twin = deploy('d4', 50, 'stock', 'v1', [])
    expect(back(current, rollouts({ ...recorded, effective_at: __ as never }, twin, current))).toBe('v2')
    expect(back(current, rollouts(deploy('d5', ONSET - 2, 'stock', 'v5', []), current))).toBeNull()
    const { effective_at: ___, ...unknown } = current
    expect(back(unknown, rollouts(recorded, current))).toBe('v2')
    expect(back(current, rollouts(deploy('d2', 50, 'stock', 'v2', []), unnamed, current))).toBe('v2')
    const { after: ____, ...later } = deploy('d6', 60, 'stock', 'v6', [])
    expect(back(current, rollouts(deploy('d2', 50, 'stock', 'v2', []), later, current))).toBe('v2')
  })

  it('is else the value before, where no rollout is known', () => {
    expect(back(null, INCIDENT, record({ before: 'off' }))).toBe('off')
    expect(back(null)).toBeNull()
  })

  it('is none for what is no change', () => {
    expect(fused({ operational: [firm()] }).revert_to).toBeNull()
  })
})

describe('ranking changes', () => {
  it('returns to the version before, or to what the rollout says it replaced', () => {
    const change = commit(id('a'), 80, 'x', ['pkg/pool.go'], POOL)
    const rollout = deploy('d', 85, 'stock-api', 'v3', [id('a')])
    expect(
      investigate(
        scene([
          change,
          rollout,
          deploy('e', 20, 'stock-api', 'v2', []),
          deploy('f', 10, 'stock-api', 'v1', []),
        ]),
      ).revert_to,
    ).toBe('v2')
    expect(investigate(scene([change, { ...rollout, before: 'v2.9' }])).revert_to).toBe('v2.9')
    expect(investigate(scene([change, rollout])).revert_to).toBeNull()
  })

  it('advises to roll forward from a migration', () => {
    const change = commit(
      id('a'),
      80,
      'x',
      ['stock/migrations/7.sql'],
      '+ALTER TABLE stock DROP COLUMN shelf;',
    )
    const findings = investigate(
      scene([change, deploy('d', 85, 'stock-api', 'v3', [id('a')])], {
        logs: lines('stock-api', 'ERROR', 'column shelf does not exist', ONSET),
      }),
    )
    expect(findings.remediation.action).toBe('roll_forward')
  })
})
