import { describe, expect, it } from 'vitest'
import type { Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import { isOnlyMeasured } from '#shared/domain/investigation/hypotheses/half-answers.ts'
import { firm, fused, shown, stated, told } from '../verdict-by-hand.ts'

describe('the kinds of evidence that agree on another cause', () => {
  const kinds = (...signs: readonly Sign[]): string | undefined =>
    /^(\d) (?:independent )?kinds?/.exec(fused({ operational: [firm({ signs })] }).basis)?.[1]
  it.each([
    ['one for what one tool tells of one place', 1, [told('no such host'), told('it is gone')]],
    ['one for each place', 2, [told('no such host'), told('no such host', { entity: 'web' })]],
    ['one for each tool', 2, [told('no such host'), told('no such host', { origin: 'alert' })]],
    ['one for each place that was measured', 2, [shown('stock'), shown('web')]],
    ['one for what was measured at one place', 1, [shown('stock'), shown('stock', 'cpu_usage')]],
    ['one for each sort of record', 3, [told('no such host'), shown('stock'), stated('select 1')]],
    ['one for several statements', 1, [stated('select 1'), stated('select 2')]],
    ['four at most', 4, ['a', 'b', 'c', 'd', 'e', 'f'].map((entity) => told('no such host', { entity }))],
  ] as const)('are %s', (_, count, signs) => {
    expect(kinds(...signs)).toBe(String(count))
  })
})

describe('what was only measured to come and go', () => {
  const pulses = firm({ kind: 'infra', yields_to_changes: true, signs: [shown('stock'), shown('web')] })

  it('is trouble of the machinery that a change may bring, of which nobody said a word', () => {
    expect(isOnlyMeasured(pulses)).toBe(true)
  })

  it.each([
    ['what no change brings', { yields_to_changes: false }],
    ['trouble of another kind', { kind: 'traffic' }],
    ['what somebody spoke of', { signs: [shown('stock'), told('it restarted')] }],
  ] as const)('is not %s', (_, more) => {
    expect(isOnlyMeasured({ ...pulses, ...more })).toBe(false)
  })
})
