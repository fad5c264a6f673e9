import { describe, expect, it } from 'vitest'
import type { OperationalCause, Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import {
  isConsequence,
  isDescription,
  isHalf,
  isOnlyCounted,
  isOnlyMeasured,
  isOnlySaid,
  isOnlySeen,
  isOnlyTold,
  isSmallAside,
  operationalKinds,
} from '#shared/domain/investigation/hypotheses/half-answers.ts'
import { counted, firm, fused, shown, stated, told } from '../verdict-by-hand.ts'

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

const calls: Sign = { strength: 0.4, fact: { of: 'calls', flow: counted(90) } }
const said = told('no connection is left')
const event = told('out of connections', { origin: 'event' })
const made = (more: Partial<OperationalCause>) => firm({ kind: 'capacity', signs: [said], ...more })

describe('a resource that was measured at its end', () => {
  it('is a mere consequence while nothing says what brought it there', () => {
    expect(isConsequence(made({}))).toBe(true)
    expect(isConsequence(made({ is_whole: false, signs: [said, shown('stock'), stated('select 1')] }))).toBe(
      true,
    )
  })

  it.each([
    ['what is no resource', { kind: 'network' }],
    ['what is known to be whole', { is_whole: true }],
    ['what a platform tells of, among other signs', { signs: [said, event] }],
    ['what a statement that never ends brought about', { signs: [said, stated('select 1', true)] }],
  ] as const)('is none where it is %s', (_, more) => {
    expect(isConsequence(made(more))).toBe(false)
  })
})

describe('what was only seen', () => {
  it('is trouble of the machinery of which there is one measurement and nothing else', () => {
    expect(isOnlySeen(made({ kind: 'infra', signs: [shown('stock')] }))).toBe(true)
  })

  it.each([
    ['trouble of another kind', { kind: 'node', signs: [shown('stock')] }],
    ['what was measured twice', { kind: 'infra', signs: [shown('stock'), shown('web')] }],
    ['what was said', { kind: 'infra', signs: [said] }],
    ['what has no sign', { kind: 'infra', signs: [] }],
  ] as const)('is not %s', (_, more) => {
    expect(isOnlySeen(made(more))).toBe(false)
  })
})

describe('a cause that one count of failed calls tells alone', () => {
  it('is a place by another name', () => {
    expect(isOnlyCounted(made({ kind: 'provider', signs: [calls] }))).toBe(true)
  })

  it.each([
    ['what two counted', [calls, calls]],
    ['what was counted to wait', [{ strength: 0.4, fact: { of: 'calls', flow: counted(0) } }]],
    ['what was said as well', [calls, said]],
    ['what was only said', [said]],
    ['what has no sign', []],
  ] as const)('is not %s', (_, signs) => {
    expect(isOnlyCounted(made({ kind: 'provider', signs }))).toBe(false)
  })
})

describe('half of an answer', () => {
  it.each([
    ['a mere consequence', {}],
    ['what was only seen', { kind: 'infra', signs: [shown('stock')] }],
    ['unreadable data', { kind: 'data' }],
    ['a refused setting', { kind: 'config', is_whole: false }],
  ] as const)('is %s', (_, more) => {
    const found = made(more)
    expect([isHalf(found), isSmallAside(found), isDescription(found)]).toEqual([true, true, true])
  })

  it.each([
    ['data that is known to be all of it', { kind: 'data', is_whole: true }],
    ['a setting that is known to be all of it', { kind: 'config', is_whole: true }],
    ['what happened', { kind: 'node' }],
    ['what may be likely', { kind: 'node', at_most: 0.491 }],
    ['what is recorded now and then', { kind: 'node', is_everyday: false }],
  ] as const)('is not %s', (_, more) => {
    const found = made(more)
    expect([isHalf(found), isSmallAside(found), isDescription(found)]).toEqual([false, false, false])
  })

  it('says as little as what is recorded somewhere all the time, which is no half', () => {
    const everyday = made({ kind: 'node', is_everyday: true })
    expect([isHalf(everyday), isSmallAside(everyday), isDescription(everyday)]).toEqual([false, true, false])
  })

  it('describes as what can be possible at most does, which is no half', () => {
    const possible = made({ kind: 'node', at_most: 0.49 })
    expect([isHalf(possible), isSmallAside(possible), isDescription(possible)]).toEqual([false, false, true])
  })
})

describe('what was only told', () => {
  it.each([
    ['unreadable data', { kind: 'data', signs: [shown('stock')] }],
    ['a used-up resource that was spoken of', {}],
    ['a used-up resource beside calls that fail', { signs: [said, shown('stock', 'http_5xx_ratio'), calls] }],
  ] as const)('is %s', (_, more) => {
    expect(isOnlyTold(made(more))).toBe(true)
  })

  it.each([
    ['data that is known to be all of it', { kind: 'data', is_whole: true }],
    ['a resource that is known to be all of it', { is_whole: true }],
    ['what is no resource', { kind: 'network' }],
    ['a resource that was measured', { signs: [said, shown('stock', 'container_cpu_utilization_ratio')] }],
    ['a resource that a statement uses up', { signs: [said, stated('select 1')] }],
  ] as const)('is not %s', (_, more) => {
    expect(isOnlyTold(made(more))).toBe(false)
  })
})

describe('what was only said', () => {
  it.each([
    ['by programs', [said, told('x', { origin: 'alert' })]],
    ['by calls that fail', [calls]],
    ['by a share of failed calls', [shown('stock', 'http_5xx_ratio')]],
    ['by all of them', [said, calls, shown('stock', 'http_5xx_ratio')]],
  ])('is what is told %s', (_, signs) => {
    expect(isOnlySaid(made({ signs }))).toBe(true)
  })

  it.each([
    ['a platform recorded', event],
    ['a cluster recorded', told('x', { origin: 'kubernetes' })],
    ['was measured of the cause itself', shown('stock')],
    ['a statement shows', stated('select 1')],
  ])('is not what %s as well', (_, sign) => {
    expect(isOnlySaid(made({ signs: [said, calls, sign] }))).toBe(false)
  })
})

describe('the kinds of evidence of a cause', () => {
  it('are told apart by where they come from, and what is told of no place is a kind of its own', () => {
    const nowhere = told('x', { entity: null })
    expect(operationalKinds(made({ signs: [said, nowhere, nowhere] }))).toBe(2)
    expect(operationalKinds(made({ signs: [] }))).toBe(0)
  })
})
