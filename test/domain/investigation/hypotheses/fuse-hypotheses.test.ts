import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { CONFIDENCE_CAP_SHOWN, CONFIDENCE_CAP_WORDS } from '#shared/domain/investigation/confidence.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import {
  able,
  another,
  capsOf,
  firm,
  fused,
  INCIDENT,
  NO_BLAME,
  named,
  OBSERVED,
  observedIn,
  PLAIN,
  record,
  WEB,
} from '../verdict-by-hand.ts'

describe('what is named', () => {
  it('is nothing where nothing fails and nothing happened', () => {
    expect(fused({ snapshot: EMPTY })).toMatchObject({
      cause: {
        ...{ kind: 'unknown', level: 'service', entity: null, change: null, trigger: null },
        ...{ contributing: [], since: null },
      },
      ...{ confidence: 0, hypotheses: [], ruled_out: [], revert_to: null, symptoms: [], stated: null },
      basis: 'Nothing that was measured left its normal level, so no cause is named.',
      remediation: { action: 'none', target: null, why: 'No cause was found.' },
    })
  })

  it('is nothing since the alert where nothing but the alert is known', () => {
    const observed = { ...observedIn(EMPTY), onset: OBSERVED.onset }
    expect(fused({ snapshot: EMPTY, observed }).cause.since).toBe(new Date(at(ONSET)).toISOString())
  })

  it('is the place alone where nothing is known of what happened', () => {
    const found = fused({})
    expect(named(found)).toEqual(['stock', 'web'])
    expect(found.cause).toMatchObject({ kind: 'unknown', level: 'service', entity: 'stock', change: null })
    expect(found.cause.since).toBe(new Date(at(ONSET)).toISOString())
    expect(found.remediation).toMatchObject({ action: 'escalate', target: 'stock' })
    expect(found.hypotheses[0]?.statement).toBe(
      'stock itself fails and no service that it calls explains it; what changed there is not known.',
    )
  })

  it('is what struck the very place, likely at most, where something else was seen there that tells how it fails', () => {
    const struck: RankedChange = {
      ...another('c7', { score: 0.3, hardly_chance: true, coincides: true }),
      ...{ mechanism: null, diff: { ...PLAIN.diff, size: 0 } },
    }
    const slow = firm({ kind: 'infra', entity: 'stock', score: 0.6 })
    const found = fused({ ranked: [struck], operational: [slow] })
    expect(found.cause).toMatchObject({ level: 'change', change: 'c7' })
    expect(found.stated?.caps).toContain(CONFIDENCE_CAP_SHOWN)
    const read = { ...struck, diff: { ...PLAIN.diff, size: 1 } }
    expect(fused({ ranked: [read], operational: [slow] }).cause).toMatchObject({
      kind: 'infra',
      change: null,
    })
    // Alone, time and place are as sure as they are.
    expect(fused({ ranked: [struck] }).stated?.caps).not.toContain(CONFIDENCE_CAP_SHOWN)
  })

  it('is at most five hypotheses, none surer than the one before it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 22, max: 95 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 22, max: 95 }), { maxLength: 3 }),
        (changes, causes) => {
          const found = fused({
            ranked: changes.map((score, index) => another(`c${index}`, { score: score / 100 })),
            operational: causes.map((score, index) =>
              firm({ score: score / 100, kind: (['dns', 'node', 'certificate'] as const)[index] ?? 'dns' }),
            ),
          })
          expect(found.hypotheses.length).toBeLessThanOrEqual(5)
          const shown = found.hypotheses.map(({ confidence }) => confidence)
          expect(shown).toEqual(shown.toSorted((a, b) => b - a))
          expect(found.hypotheses.length === 0 ? 0 : shown[0]).toBe(found.confidence)
          // What is cited is there, and nothing speaks for and against the same.
          const ids = new Set(found.items.map(({ id }) => id))
          for (const { supported_by, contradicted_by } of found.hypotheses) {
            for (const id of [...supported_by, ...contradicted_by]) expect(ids.has(id)).toBe(true)
            expect(new Set([...supported_by, ...contradicted_by]).size).toBe(
              supported_by.length + contradicted_by.length,
            )
            expect(supported_by.length).toBeGreaterThan(0)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('is a place behind what happened, however far it left normal, and no likelier than that', () => {
    const web = { ...WEB, blame: { ...NO_BLAME, entity: 'web', strength: 0.9 } }
    const found = fused({
      ranked: [another('c1', { score: 0.6 }), another('c2', { score: 0.3 })],
      observed: { ...OBSERVED, first: web, suspects: [web] },
    })
    expect(named(found)).toEqual(['c1', 'c2', 'web'])
    const [, second, place] = found.hypotheses
    expect(second?.confidence).toBeCloseTo((1 - found.confidence) / 2, 2)
    expect(place?.confidence).toBe(second?.confidence)
  })

  it('is nothing where two fit equally well', () => {
    const found = fused({ ranked: [another('c1'), another('c2')] })
    expect(found).toMatchObject({
      cause: { kind: 'unknown', level: 'service', entity: 'stock', change: null, trigger: null },
      ...{ confidence: 0, revert_to: null, basis: 'Two hypotheses fit equally well, so none is named.' },
      remediation: {
        action: 'escalate',
        target: null,
        why: 'Two causes fit equally well: look at both before anything is taken back.',
      },
    })
    expect(named(found).slice(0, 2)).toEqual(['c1', 'c2'])
    const nowhere = fused({
      ranked: [another('c1'), another('c2')],
      observed: { ...OBSERVED, first: null, suspects: [], unexplained: [] },
    })
    expect(nowhere.cause).toMatchObject({ kind: 'unknown', entity: null, change: null })
  })

  it('is one of two that one rollout carried and that fit as well, possible at most, and the other is told', () => {
    const carried_by = { ...PLAIN.change, id: 'd1', kind: 'deploy' as const }
    const twins = (score: number, rollout = carried_by) =>
      fused({ ranked: [able({ carried_by }), another('c2', { score, carried_by: rollout })] })
    const found = twins(0.6)
    expect(found.cause).toMatchObject({ change: 'c1', level: 'change', trigger: 'd1' })
    expect(found.confidence).toBe(0.35)
    expect(found.basis).toContain('the same rollout carried commit c2, for which as much speaks.')
    expect(named(found).slice(0, 2)).toEqual(['c1', 'c2'])
    expect(found.basis).toContain('no other hypothesis comes near it')
    // One that clearly fits less is none of two, and two rollouts may each be taken back by itself.
    expect(capsOf(twins(0.511))).toContain(0.35)
    expect(capsOf(twins(0.51))).not.toContain(0.35)
    expect(twins(0.51).confidence).toBeGreaterThan(0.35)
    expect(twins(0.51).basis).not.toContain('the same rollout')
    expect(twins(0.6, { ...carried_by, id: 'd2' })).toMatchObject({
      confidence: 0,
      cause: { kind: 'unknown' },
    })
  })

  it('is the one with more kinds of evidence first, where two fit equally well', () => {
    const [more, less] = [another('more'), another('less', { place: 0.5 })]
    expect(named(fused({ ranked: [less, more] })).slice(0, 2)).toEqual(['more', 'less'])
    expect(named(fused({ ranked: [more, less] })).slice(0, 2)).toEqual(['more', 'less'])
  })

  it('is one of two that fit, where the other is behind', () => {
    const found = fused({ ranked: [able({ score: 0.8 }), another('c2', { score: 0.4 })] })
    expect(found.cause.change).toBe('c1')
    expect(found.basis).toBe(
      '2 independent kinds of evidence agree; the next hypothesis scores 50 % of the first; ' +
        'looked at: metrics, logs, traces, changes.',
    )
  })

  it('is no change of two places that fail equally, though neither stands out', () => {
    const [stock, web] = [OBSERVED.suspects[0], OBSERVED.suspects[1]]
    if (stock?.blame == null || web === undefined) throw new Error('nobody is suspected')
    const equal = { ...web, blame: stock.blame }
    const found = fused({ observed: { ...OBSERVED, suspects: [stock, equal], unexplained: [stock, equal] } })
    expect(found.confidence).toBe(0)
    expect(found.basis).toMatch(/^Only the failing service could be told/)
    expect(found.remediation.target).toBe('stock')
  })

  it('is unknown where what happened has no lead over what happened elsewhere', () => {
    const memory = [
      series('stock', 'memory_used_bytes', 2e8, 9e8),
      series('web', 'memory_used_bytes', 2e8, 9e8),
    ]
    const snapshot = { ...INCIDENT, series: memory, logs: [], edges: [] }
    const observed = observedIn(snapshot)
    const [stronger, weaker] = observed.suspects
    if (stronger === undefined || weaker === undefined) throw new Error('nobody is suspected')
    const full = firm({ kind: 'capacity', entity: weaker.entity, what: 'a pool that is used up' })
    const found = fused({ operational: [full], snapshot, observed })
    expect(found.cause).toMatchObject({ kind: 'unknown', level: 'service', entity: observed.first?.entity })
    expect(found).toMatchObject({ confidence: 0, remediation: { action: 'escalate' } })
  })

  it('leaves to the others what the first does not claim, by their share of its score', () => {
    const found = fused({ ranked: [able({ score: 0.8 }), another('c2', { score: 0.4 })] })
    expect(found.confidence).toBeGreaterThan(0.6)
    expect(found.hypotheses[1]?.confidence).toBeCloseTo((1 - found.confidence) / 2, 2)
    const words: RankedChange = { ...PLAIN, score: 0.8, words_score: 0.5 }
    const bounded = fused({ ranked: [words, another('c2', { score: 0.6 })] })
    expect(bounded.confidence).toBe(CONFIDENCE_CAP_WORDS)
    expect(bounded.hypotheses[1]?.confidence).toBe(CONFIDENCE_CAP_WORDS)
  })

  it('is the less sure, the less of one kind of evidence speaks for it', () => {
    const alone = { ...PLAIN, score: 1, place: 0.5, closeness: 0.25 }
    expect(fused({ ranked: [alone] }).stated).toMatchObject({ margin: 0.25, kinds: 0.25 })
  })

  it('is a change though another step of the same flag fits as well', () => {
    const flag = (id: string, title: string): RankedChange =>
      another(id, { change: record({ id, title, kind: 'flag', entity: 'stock' }) })
    expect(fused({ ranked: [flag('f1', 'new-basket'), flag('f2', 'new-basket')] }).cause.change).toBe('f1')
    expect(fused({ ranked: [flag('f1', 'new-basket'), flag('f2', 'old-basket')] }).cause.change).toBeNull()
  })

  it('is surer the further the next one is behind', () => {
    const sure = (score: number): number =>
      fused({ ranked: [able({ score: 0.8 }), another('c2', { score })] }).stated?.margin ?? -1
    expect(fused({ ranked: [able({ score: 0.8 })] }).stated?.margin).toBe(1)
    expect(sure(0.4)).toBeCloseTo(0.5)
    expect(sure(0.6)).toBeCloseTo(0.25)
  })
})
