import { describe, expect, it } from 'vitest'
import type { OperationalCause } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { at, deploy, ONSET, series } from '../incident-scenarios.ts'
import { able, another, firm, fused, INCIDENT, mechanism, OBSERVED } from '../verdict-by-hand.ts'

describe('what is named', () => {
  it('is a used-up resource at that place where that is what left normal', () => {
    const full = { ...INCIDENT, series: [series('stock', 'memory_used_bytes', 2e8, 9e8)], logs: [] }
    expect(fused({ snapshot: { ...full, alerts: [] } }).cause).toMatchObject({
      kind: 'capacity',
      level: 'service',
    })
  })
})

describe('what a cause takes from another', () => {
  it('demand that came with it contributes to a change, and only to the one that is named', () => {
    const load = (more: Partial<OperationalCause> = {}) =>
      firm({ kind: 'traffic', yields_to_changes: true, score: 0.4, what: 'more traffic', ...more })
    const contributing = (operational: readonly OperationalCause[]): readonly string[] =>
      fused({ ranked: [able({ score: 0.9 }), another('c2', { score: 0.5 })], operational }).cause.contributing
    expect(contributing([load()])).toEqual(['more traffic'])
    expect(contributing([load({ score: 0.39 })])).toEqual([])
    expect(contributing([load({ yields_to_changes: false })])).toEqual([])
    expect(contributing([load({ kind: 'data' })])).toEqual([])
    const { hypotheses } = fused({
      ranked: [able({ score: 0.9 }), another('c2', { score: 0.5 })],
      operational: [load()],
    })
    expect(hypotheses[1]?.cause).toMatchObject({ change: 'c2', contributing: [] })
  })
})

describe('what a named change is', () => {
  const causeOf = (more: Partial<RankedChange>) => fused({ ranked: [able(more)] }).cause

  it('is told with where it got, when, and by which rollout', () => {
    const rollout = deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])
    const found = fused({ ranked: [able({ carried_by: rollout })] })
    expect(found.cause).toMatchObject({
      ...{ level: 'change', entity: 'stock', change: 'c1', trigger: 'd1' },
      since: new Date(at(ONSET - 2)).toISOString(),
    })
    expect(found.hypotheses[0]?.statement).toBe(
      'Commit c1 “Name a size” of stock, rolled out at 2026-03-02 09:28:00 UTC: it takes a bound away.',
    )
    const { effective_at: _, ...recorded } = rollout
    expect(fused({ ranked: [able({ carried_by: recorded })] }).hypotheses[0]?.statement).toMatch(
      /rolled out at 2026-03-02 09:28:00 UTC/,
    )
    expect(causeOf({ reaches: null }).entity).toBe('stock')
    const nowhere = { ...OBSERVED, first: null, suspects: [], unexplained: [] }
    expect(fused({ ranked: [able({ reaches: null })], observed: nowhere }).cause.entity).toBeNull()
    expect(causeOf({}).trigger).toBeNull()
  })

  it('is told with what is known of its time where no rollout carried it', () => {
    const statement = (more: Partial<RankedChange>) =>
      fused({ ranked: [able(more)] }).hypotheses[0]?.statement
    expect(statement({ mechanism: mechanism(0.19) })).toBe(
      'Commit c1 “Name a size”, in effect since 2026-03-02 09:28:00 UTC.',
    )
    expect(statement({ mechanism: mechanism(0.2) })).toMatch(/: it takes a bound away\.$/)
    const unknown = { effective_at: { from: at(80), to: at(80), known: false } }
    expect(statement(unknown)).toBe(
      'Commit c1 “Name a size”, recorded at 2026-03-02 09:20:00 UTC: it takes a bound away.',
    )
    expect(fused({ ranked: [able(unknown)] }).basis).toBe(
      '1 kind of evidence speaks for it; no other hypothesis comes near it; ' +
        'looked at: metrics, logs, traces, changes; ' +
        'no rollout of the change was seen, so the confidence is capped.',
    )
    expect(statement({ run: { at: at(85), share: 1, seen: null, schedule: '25 * * * *' } })).toBe(
      'Commit c1 “Name a size”, at work at 2026-03-02 09:25:00 UTC: it takes a bound away.',
    )
  })

  it('names the cause of another kind with its place, once', () => {
    const statement = (what: string, entity: string | null = 'stock') =>
      fused({ operational: [firm({ what, entity })] }).hypotheses[0]?.statement
    expect(statement('a name that does not resolve')).toBe('A name that does not resolve (stock).')
    expect(statement('a name that stock cannot resolve')).toBe('A name that stock cannot resolve.')
    expect(statement('a name that does not resolve', null)).toBe('A name that does not resolve.')
    const { cause } = fused({ operational: [firm()] })
    expect(cause).toMatchObject({ contributing: [], since: new Date(at(ONSET)).toISOString() })
    expect(fused({ operational: [firm()], observed: { ...OBSERVED, onset: null } }).cause.since).toBeNull()
  })
})

describe('a place', () => {
  const [stock, web] = OBSERVED.suspects
  if (stock === undefined || web === undefined) throw new Error('nobody is suspected')

  it('is told as what asks for more where it makes the demand, and alone where nothing else fails', () => {
    const made = { caller: 'stock', callee: 'web', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    const statement = (more: Partial<Observed>) =>
      fused({ observed: { ...OBSERVED, ...more } }).hypotheses[0]?.statement
    expect(statement({ made })).toBe(
      'stock calls web more often than its own load explains; what changed there is not known.',
    )
    expect(statement({ failing: [stock] })).toBe('stock itself fails; what changed there is not known.')
    expect(statement({ failing: [] })).toBe('stock itself fails; what changed there is not known.')
    const { cause, remediation } = fused({})
    expect(cause.contributing).toEqual([])
    expect(remediation.why).toBe(
      'Ask the owners of stock what changed there: it fails, and no record shows why.',
    )
    expect(fused({ observed: { ...OBSERVED, first: null } }).remediation.why).toBe(
      'Ask the owners of stock what changed there: it fails, and no record shows why.',
    )
    const unseen = { ...stock, shifts: [] }
    expect(fused({ observed: { ...OBSERVED, first: unseen, suspects: [unseen] } }).cause.kind).toBe('unknown')
  })
})
