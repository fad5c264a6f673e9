import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Blame } from '#shared/domain/investigation/blame-services.ts'
import type { Flow } from '#shared/domain/investigation/call-graph.ts'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_UNEXPLAINED,
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_USUAL,
  CONFIDENCE_CAP_WORDS,
} from '#shared/domain/investigation/confidence.ts'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { EvidenceList } from '#shared/domain/investigation/evidence-list.ts'
import type { FailingService } from '#shared/domain/investigation/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/failing-services.ts'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import { fuseHypotheses, type Verdict } from '#shared/domain/investigation/fuse-hypotheses.ts'
import { readMetricName } from '#shared/domain/investigation/metric-meaning.ts'
import type { OperationalCause, Sign } from '#shared/domain/investigation/operational-cause.ts'
import { rankChanges } from '#shared/domain/investigation/rank-changes.ts'
import type { RankedChange } from '#shared/domain/investigation/ranked-change.ts'
import type { SeriesShift } from '#shared/domain/investigation/series-shift.ts'
import type { Change, Edge, Snapshot, Span } from '#shared/domain/investigation/snapshot.ts'
import {
  alert,
  at,
  calls,
  commit,
  deploy,
  EMPTY,
  LENGTH,
  lines,
  ONSET,
  series,
} from './incident-scenarios.ts'

const uncounted = (caller: string, callee: string): Edge[] => [
  { source: 'edges', caller, callee, t0: at(0), interval_s: 60 },
]
/** `web` fails because `stock` does, and every kind of telemetry was there. */
const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [series('web', 'http_5xx_ratio', 0.003, 0.3), series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  edges: uncounted('web', 'stock'),
  logs: lines('stock', 'ERROR', 'the ledger refused an entry', ONSET),
  changes: [
    commit(
      'c1',
      80,
      'Name a size',
      ['stock/page.ts'],
      '@@ page.ts @@\n-  page(items, count)\n+  page(items)',
    ),
    deploy('d1', ONSET - 2, 'stock', 'v2', ['c1']),
  ],
}
const failedSpan = (service: string): Span => ({
  ...{
    source: 'traces',
    trace_id: service,
    span_id: service,
    parent_id: null,
    service,
    name: `GET /${service}`,
  },
  ...{ start: at(ONSET + 1), duration_us: 1_000, status: 'ERROR' },
})
const observedIn = (snapshot: Snapshot): Observed => observe(snapshot, entityNames(snapshot), null)
const OBSERVED = observedIn(INCIDENT)

const RANKED = rankChanges(INCIDENT, OBSERVED, [], entityNames(INCIDENT)).ranked[0] as RankedChange
/** A change that was rolled out in time to what fails; nothing but its score speaks for it. */
const PLAIN: RankedChange = {
  ...RANKED,
  ...{ score: 0.6, carried_by: null, place: 1, reaches: 'stock', mechanism: null, echo: null, quoted: null },
  ...{ contrast: null, words: [], words_score: 0, trivial: null, is_linked: true, closeness: 0 },
  ...{ coincides: false, effective_at: { from: at(ONSET - 2), to: at(ONSET - 2), known: true } },
}
const record = (more: Partial<Change>): Change => ({ ...PLAIN.change, ...more })
const mechanism = (score: number, more: { id?: string; kind?: 'code' | 'dependency' } = {}) => ({
  mechanism: {
    ...{ id: 'bound', does: 'takes a bound away', kind: 'code' as const, in_diff: () => 1, symptom: /x/ },
    ...more,
  },
  score,
  symptom: null,
})
/** The same with a diff that can do the harm. */
const able = (more: Partial<RankedChange> = {}): RankedChange => ({
  ...PLAIN,
  mechanism: mechanism(0.6),
  ...more,
})
const another = (id: string, more: Partial<RankedChange> = {}): RankedChange =>
  able({ change: record({ id }), ...more })

/** What scorers of place may say of one beside a shift. */
const PARTS = {
  gap: {
    ...{
      service: 'stock',
      instance: null,
      excess_ms: 80,
      edges: 2,
      spans: 40,
      from: at(ONSET),
      source: 'traces',
    },
  },
  broken: {
    ...{
      service: 'stock',
      operation: 'GET /stock',
      expected: 'read it',
      after: null,
      instead: null,
      score: 9,
    },
    ...{ broken: 9, spans: 10, normal_share: 1, normal_spans: 20, first_seen: at(ONSET), source: 'logs' },
  },
}

const [SHIFT] = OBSERVED.shifts
/** What links a change to what is observed beside a mechanism. */
const LINKS = {
  echo: {
    setting: { key: 'size', context: 'size', before: '1', after: '2', direction: 'up' as const, factor: 2 },
    shift: SHIFT as NonNullable<typeof SHIFT>,
  },
  spent: SHIFT as NonNullable<typeof SHIFT>,
  quoted: {
    name: 'total_net',
    how: 'removes' as const,
    symptom: {
      ...{ text: 'no total_net', plain: 'no total_net', entity: 'stock', weight: 1, at: null, count: 1 },
      ...{ source: 'logs', origin: 'log' as const },
    },
  },
  contrast: {
    ...{ entity: 'stock', what: 'spans', worse: 'v2', better: 'v1', worse_level: 0.4, better_level: 0 },
    ...{ counts: [50, 50] as const, z: 9, source: 'traces' },
  },
}

const told = (text: string, more: Partial<Extract<Sign['fact'], { of: 'text' }>> = {}): Sign => ({
  strength: 0.6,
  fact: {
    ...{ of: 'text', text, entity: 'stock', count: 4, at: at(ONSET), source: 'logs', origin: 'log' },
    ...more,
  },
})
/** A cause that no change can have triggered. */
const firm = (more: Partial<OperationalCause> = {}): OperationalCause => ({
  ...{ kind: 'dns', entity: 'stock', score: 0.6, what: 'a name that does not resolve' },
  ...{ signs: [told('no such host'), told('no such host', { entity: 'web' })], action: 'escalate' },
  yields_to_changes: false,
  ...more,
})

/** A shift of a series of another name, so that it is no evidence of the symptom too. */
const shifted = (entity: string, name: string): SeriesShift => ({
  ...LINKS.echo.shift,
  series: { ...LINKS.echo.shift.series, entity, name, query: `the ${name}` },
  meaning: readMetricName(name),
})
const shown = (entity: string, name = 'memory_used_bytes'): Sign => ({
  strength: 0.5,
  fact: { of: 'shift', shift: shifted(entity, name) },
})
const stated = (statement: string, is_stuck = false): Sign => ({
  strength: 0.5,
  fact: {
    of: 'statement',
    statement: {
      ...{ record: { source: 'metrics', start: at(0), end: at(9), statement, load: 5 }, share: 0.9 },
      ...{ wait: null, is_stuck },
    },
  },
})
/** `stock` and `web` as places, of which the measurements say what is given. */
const [STOCK, WEB] = OBSERVED.suspects as readonly [FailingService, FailingService]
const NO_BLAME: Blame = {
  ...{ entity: 'stock', score: 5, strength: 0.9, flow: null, shift: null, gap: null, broken: null },
  onset_at: at(ONSET),
}
const nodeFlow = (more: Partial<NonNullable<Blame['flow']>> = {}): NonNullable<Blame['flow']> => ({
  ...{ entity: 'stock', kind: 'failing', excess: 1, own: 1, z: 9, total: 1, interval_s: 60 },
  ...{ onset_at: at(ONSET), is_usual: false, has_level: true, series: LINKS.echo.shift.series },
  ...more,
})
const counted = (own_failed: number): Flow => ({
  ...{ entity: 'stock', calls: 9_000, failed: own_failed, own_failed, excess_failed: own_failed },
  ...{ own_wait_ms: 0, excess_wait_ms: 0, given_up: 0, source: 'edges' },
})

interface Given {
  readonly ranked?: readonly RankedChange[]
  readonly late?: readonly RankedChange[]
  readonly operational?: readonly OperationalCause[]
  readonly snapshot?: Snapshot
  readonly observed?: Observed
}
const fused = ({ ranked = [], late = [], operational = [], snapshot = INCIDENT, observed }: Given) => {
  const list = new EvidenceList(snapshot)
  const seen = observed ?? (snapshot === INCIDENT ? OBSERVED : observedIn(snapshot))
  const verdict = fuseHypotheses(snapshot, seen, { ranked, too_late: late }, operational, list)
  const said = (ids: readonly string[] = []): readonly string[] =>
    ids.map((id) => (list.items.find((item) => item.id === id) as Evidence).content)
  return { ...verdict, items: list.items, said }
}
/** What is named, best first: a change by its id, another cause by its kind, a place by its name. */
const named = ({ hypotheses }: Verdict): readonly (string | null)[] =>
  hypotheses.map(({ cause }) => cause.change ?? (cause.level === 'kind' ? cause.kind : cause.entity))
const capsOf = ({ stated }: Verdict): readonly number[] => stated?.caps ?? []

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
      'stock fails itself and no service that it calls explains it; what changed there is not known.',
    )
  })

  it('is a used-up resource at that place where that is what left normal', () => {
    const full = { ...INCIDENT, series: [series('stock', 'memory_used_bytes', 2e8, 9e8)], logs: [] }
    expect(fused({ snapshot: { ...full, alerts: [] } }).cause).toMatchObject({
      kind: 'capacity',
      level: 'service',
    })
  })

  it('is a change from a fifth and more of certainty, of one that only words link from three tenths', () => {
    const isNamed = (entry: RankedChange): boolean => named(fused({ ranked: [entry] })).includes('c1')
    expect(isNamed(able({ score: 0.22 }))).toBe(true)
    expect(isNamed(able({ score: 0.219 }))).toBe(false)
    expect(isNamed({ ...PLAIN, score: 0.3, words_score: 0.5 })).toBe(true)
    expect(isNamed({ ...PLAIN, score: 0.299, words_score: 0.5 })).toBe(false)
    // What has no text to read is not held against it.
    const unread = { ...PLAIN, diff: { ...PLAIN.diff, size: 0 } }
    expect(isNamed({ ...unread, score: 0.22 })).toBe(true)
    expect(isNamed({ ...unread, score: 0.219 })).toBe(false)
  })

  it('is a weak change where time and place single it out, or where it got there in time and can do the harm', () => {
    const isNamed = (entry: RankedChange, ...others: readonly RankedChange[]): boolean =>
      named(fused({ ranked: [...others, entry] })).includes(entry.change.id)
    const weak: RankedChange = { ...PLAIN, score: 0.08 }
    expect(isNamed({ ...weak, closeness: 0.2 })).toBe(true)
    expect(isNamed({ ...weak, closeness: 0.19 })).toBe(false)
    expect(isNamed({ ...weak, closeness: 0.2, score: 0.079 })).toBe(false)
    expect(isNamed(able({ score: 0.08, closeness: 0.01 }))).toBe(true)
    expect(isNamed(able({ score: 0.08, closeness: 0 }))).toBe(false)
    // Not beside a change that is worth naming by itself.
    expect(isNamed({ ...weak, closeness: 0.2 }, another('c2'))).toBe(false)
  })

  it('is what happened before where it happened, and no place twice', () => {
    const found = fused({ ranked: [able({ score: 0.3 })] })
    expect(named(found)).toEqual(['c1', 'web'])
    const elsewhere = fused({ ranked: [able({ score: 0.3, reaches: 'web' })] })
    expect(named(elsewhere)).toEqual(['c1', 'stock'])
  })

  it('is at most five hypotheses, none surer than the first', () => {
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
          const [first, ...others] = found.hypotheses
          for (const { confidence } of others) expect(confidence).toBeLessThanOrEqual(first?.confidence ?? 0)
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

  it('is nothing where two fit equally well', () => {
    const found = fused({ ranked: [another('c1'), another('c2')] })
    expect(found).toMatchObject({
      cause: { kind: 'unknown', level: 'service', entity: 'stock', change: null, trigger: null },
      ...{ confidence: 0, revert_to: null, basis: 'Two hypotheses fit equally well, so none is named.' },
      remediation: { action: 'escalate', target: null, why: 'Two causes fit equally well.' },
    })
    expect(named(found).slice(0, 2)).toEqual(['c1', 'c2'])
    const nowhere = fused({
      ranked: [another('c1'), another('c2')],
      observed: { ...OBSERVED, first: null, suspects: [], unexplained: [] },
    })
    expect(nowhere.cause).toMatchObject({ kind: 'unknown', entity: null, change: null })
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

describe('what a cause takes from another', () => {
  it('an operational cause that is seen explains the symptoms that a change would explain', () => {
    expect(named(fused({ ranked: [able({ score: 0.7 })], operational: [firm()] }))[0]).toBe('dns')
    expect(named(fused({ ranked: [able({ score: 0.7 })], operational: [firm({ score: 0.2 })] }))[0]).toBe(
      'c1',
    )
  })

  it('less of a change that what fails names, echoes or contrasts', () => {
    const first = (more: Partial<RankedChange>): string | null | undefined =>
      named(fused({ ranked: [able({ score: 0.8, ...more })], operational: [firm()] }))[0]
    expect(first({})).toBe('dns')
    expect(first({ quoted: { ...LINKS.quoted, how: 'adds' } })).toBe('dns')
    for (const part of ['echo', 'quoted', 'contrast'] as const)
      expect(first({ [part]: LINKS[part] })).toBe('c1')
  })

  it('an operational cause that happened explains more than a change that only arrived in time', () => {
    const arrived = { ...PLAIN, score: 0.6, words_score: 0.5 }
    const event = firm({ kind: 'node', score: 0.6, yields_to_changes: true, what: 'a node that failed' })
    expect(named(fused({ ranked: [arrived], operational: [event] }))[0]).toBe('node')
    const unlike = fused({ ranked: [{ ...arrived, score: 0.5 }], operational: [{ ...event, score: 0.3 }] })
    expect(named(unlike)[0]).toBe('c1')
  })

  it('one that a change may have triggered yields to a change that can do it', () => {
    const load = firm({ kind: 'traffic', yields_to_changes: true, score: 0.7, what: 'more traffic' })
    expect(named(fused({ ranked: [able({ score: 0.6 })], operational: [load] }))[0]).toBe('c1')
    const unfit = able({ score: 0.6, mechanism: mechanism(0.39) })
    expect(named(fused({ ranked: [unfit], operational: [load] }))[0]).toBe('traffic')
    for (const part of ['echo', 'quoted', 'contrast'] as const)
      expect(named(fused({ ranked: [{ ...unfit, [part]: LINKS[part] }], operational: [load] }))[0]).toBe('c1')
  })

  it('a used-up resource yields to the demand that used it up', () => {
    const full = firm({ kind: 'capacity', score: 0.7, what: 'a pool that is used up' })
    const load = (score: number) => firm({ kind: 'traffic', score, what: 'more traffic', entity: 'web' })
    expect(named(fused({ operational: [full, load(0.5)] }))[0]).toBe('traffic')
    expect(named(fused({ operational: [full, load(0.21)] }))[0]).toBe('capacity')
    expect(named(fused({ operational: [full, firm({ score: 0.6 })] }))[0]).toBe('capacity')
  })

  it('what changes bring yields to the change that alone reached that very place just before', () => {
    const before = able({ score: 0.5, coincides: true })
    const first = (
      kind: OperationalCause['kind'],
      entry: RankedChange,
      score = 0.6,
    ): string | null | undefined =>
      named(fused({ ranked: [entry], operational: [firm({ kind, score, yields_to_changes: true })] }))[0]
    const weak = { ...before, mechanism: mechanism(0.3) }
    for (const kind of ['infra', 'data', 'config'] as const) expect(first(kind, weak)).toBe('c1')
    // Those fail without one; and a change elsewhere, not alone or harmless brought nothing.
    expect(first('certificate', weak)).toBe('certificate')
    expect(first('infra', { ...weak, reaches: 'web' })).toBe('infra')
    expect(first('infra', { ...weak, coincides: false })).toBe('infra')
    expect(first('infra', { ...weak, trivial: 'it only touches documentation' })).toBe('infra')
  })

  it('by how much it is seen', () => {
    /** What remains of the second in percent of the first. */
    const behind = (given: Given): number =>
      Number(/scores (\d+) % of the first/.exec(fused(given).basis)?.[1] ?? Number.NaN)
    const load = firm({ kind: 'traffic', yields_to_changes: true, score: 0.7, what: 'more traffic' })
    // 0.7 × (1 − 0.6 × 0.9) of 0.9
    expect(behind({ ranked: [able({ score: 0.9 })], operational: [load] })).toBe(36)
    // 0.4 of 0.7 × (1 − 0.75 × 0.4)
    expect(behind({ operational: [firm({ score: 0.4 }), load] })).toBe(82)
    // 0.6 × (1 − 0.6 × 0.9) × (1 − 0.75 × 0.3) of 0.9 × (1 − 0.75 × 0.3)
    const both = [firm({ score: 0.3 }), { ...load, score: 0.6 }]
    expect(behind({ ranked: [able({ score: 0.9 })], operational: both })).toBe(43)
    const full = firm({ kind: 'capacity', score: 0.7, what: 'a pool that is used up' })
    // 0.22 of 0.7 × (1 − 0.75 × 0.22)
    expect(behind({ operational: [full, { ...load, yields_to_changes: false, score: 0.22 }] })).toBe(38)
    // Demand that is not worth naming used nothing up: 0.3 of 0.7
    const little = { ...load, yields_to_changes: false, score: 0.21 }
    expect(behind({ operational: [full, little, firm({ score: 0.3 })] })).toBe(43)
    expect(behind({ operational: [firm({ score: 0.7 }), { ...full, score: 0.6 }] })).toBe(86)
  })

  it('a mechanism that just fits takes from what a change may have triggered', () => {
    const load = firm({ kind: 'traffic', yields_to_changes: true, score: 0.7, what: 'more traffic' })
    const fits = able({ score: 0.6, mechanism: mechanism(0.4) })
    expect(named(fused({ ranked: [fits], operational: [load] }))[0]).toBe('c1')
  })

  it('a used-up resource yields to what arrived alone just before and can do it, wherever it arrived', () => {
    const full = firm({ kind: 'capacity', score: 0.7, yields_to_changes: true, what: 'a pool' })
    const elsewhere = able({ score: 0.5, reaches: 'web', mechanism: mechanism(0.3) })
    const first = (more: Partial<RankedChange>, cause = full) =>
      named(fused({ ranked: [{ ...elsewhere, ...more }], operational: [cause] }))[0]
    expect(first({ coincides: true })).toBe('c1')
    expect(first({})).toBe('capacity')
    expect(first({ coincides: true, mechanism: null })).toBe('capacity')
    // What is told of what happened there, or is known to be whole, is no mere consequence.
    const event = told('the primary ran out of connections', { origin: 'event' })
    const record = { source: 'logs', start: at(0), end: at(9), statement: 'select 1', load: 5 }
    const stuck = (is_stuck: boolean): Sign => ({
      strength: 0.5,
      fact: { of: 'statement', statement: { record, share: 0.9, wait: null, is_stuck } },
    })
    expect(first({ coincides: true }, { ...full, signs: [event] })).toBe('capacity')
    expect(first({ coincides: true }, { ...full, signs: [stuck(true)] })).toBe('capacity')
    expect(first({ coincides: true }, { ...full, signs: [stuck(false)] })).toBe('c1')
    expect(first({ coincides: true }, { ...full, is_whole: true })).toBe('capacity')
    expect(first({ coincides: true }, { ...full, is_whole: false })).toBe('c1')
    expect(first({ coincides: true }, { ...full, kind: 'network' })).toBe('network')
  })

  it('a used-up resource yields to what time and place single out, as far as they do', () => {
    const full = firm({ kind: 'capacity', score: 0.7, yields_to_changes: true, what: 'a pool' })
    // Nothing in it is seen to be able to do the harm: else the resource yields to it however many came so close.
    const elsewhere = able({ score: 0.6, reaches: 'web', mechanism: mechanism(0.19) })
    const first = (closeness: number, cause = full) =>
      named(fused({ ranked: [{ ...elsewhere, closeness }], operational: [cause] }))[0]
    expect(first(0.5)).toBe('c1')
    expect(first(0.19)).toBe('capacity')
    expect(first(0.5, { ...full, kind: 'network' })).toBe('network')
  })

  it('a change that only arrived in time is not lowered by what it brought or used up itself', () => {
    const arrived: RankedChange = { ...PLAIN, score: 0.5, coincides: true }
    const event = firm({ kind: 'infra', yields_to_changes: true, what: 'a restart' })
    expect(named(fused({ ranked: [arrived], operational: [event] }))[0]).toBe('c1')
    expect(named(fused({ ranked: [{ ...arrived, reaches: 'web' }], operational: [event] }))[0]).toBe('infra')
    const full = firm({ kind: 'capacity', score: 0.45, yields_to_changes: true, what: 'a pool' })
    expect(named(fused({ ranked: [{ ...arrived, reaches: 'web' }], operational: [full] }))[0]).toBe('c1')
  })

  it('what changes bring yields to the change that was singled out at that very place and can do it', () => {
    const first = (more: Partial<RankedChange>, kind: OperationalCause['kind'] = 'infra') =>
      named(
        fused({
          ranked: [able({ score: 0.5, closeness: 0.2, mechanism: mechanism(0.2), ...more })],
          operational: [
            firm({
              ...{ kind, yields_to_changes: true, what: 'a restart' },
              signs: [told('it restarted', { origin: 'event' })],
            }),
          ],
        }),
      )[0]
    expect(first({})).toBe('c1')
    expect(first({}, 'capacity')).toBe('c1')
    expect(first({ mechanism: mechanism(0.19) })).toBe('infra')
    expect(first({ mechanism: null })).toBe('infra')
    expect(first({ closeness: 0.19 })).toBe('infra')
  })

  it('how it fails yields to a change that arrived and can do the harm, and to no other', () => {
    const half = (more: Partial<OperationalCause> = {}) =>
      firm({ kind: 'infra', entity: 'web', score: 0.6, yields_to_changes: true, at_most: 0.49, ...more })
    const whole = (more: Partial<OperationalCause> = {}) =>
      firm({ kind: 'infra', entity: 'web', score: 0.6, yields_to_changes: true, ...more })
    const first = (entry: RankedChange, found = half()) =>
      named(fused({ ranked: [entry], operational: [found] }))[0]
    const slight = able({ score: 0.3, mechanism: mechanism(0.2), closeness: 0.1 })
    expect(first(slight)).toBe('c1')
    expect(first(slight, whole({ kind: 'data' }))).toBe('c1')
    for (const part of ['spent', 'contrast', 'quoted'] as const)
      expect(first({ ...slight, mechanism: null, [part]: LINKS[part] })).toBe('c1')
    expect(first({ ...slight, mechanism: mechanism(0.19) })).toBe('infra')
    expect(first({ ...slight, closeness: 0 })).toBe('infra')
    expect(first({ ...slight, score: 0.15 })).toBe('c1')
    expect(first({ ...slight, score: 0.149 })).toBe('infra')
    // What is told by several signs yields by a share: 0.4 of 0.6 is more than 0.2.
    expect(first({ ...slight, score: 0.2 }, whole({ kind: 'data' }))).toBe('data')
    expect(first({ ...slight, score: 0.25 }, whole({ kind: 'data' }))).toBe('c1')
    expect(first({ ...slight, trivial: 'it only moves code' })).toBe('infra')
    // What happened is no description of how it fails.
    expect(first(slight, whole())).toBe('infra')
    expect(first(slight, half({ at_most: 0.6 }))).toBe('infra')
  })

  it('what is only seen to come and go counts less the more time and place single out a change', () => {
    const pulses = firm({
      ...{ kind: 'infra', entity: 'web', score: 0.5, yields_to_changes: true },
      signs: [{ strength: 0.5, fact: { of: 'shift', shift: LINKS.echo.shift } }],
    })
    const flag = { ...PLAIN, score: 0.3, diff: { ...PLAIN.diff, size: 0 } }
    const first = (closeness: number) =>
      named(fused({ ranked: [{ ...flag, closeness }], operational: [pulses] }))[0]
    expect(first(0.43)).toBe('c1')
    expect(first(0.1)).toBe('infra')
  })

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

describe('how sure one may be at most', () => {
  it('has no bound where a rolled-out change can do the harm, is named by it and stands alone', () => {
    expect(capsOf(fused({ ranked: [able()] }))).toEqual([])
  })

  it.each([
    [
      'without a rollout',
      { effective_at: { from: 0, to: 0, known: false }, words_score: 0.5 },
      CONFIDENCE_CAP_UNMAPPED,
    ],
    ['without a word in common with what is observed', { is_linked: false }, CONFIDENCE_CAP_UNLINKED],
    ['with words alone', { mechanism: null, words_score: 0.5 }, CONFIDENCE_CAP_WORDS],
    ['with time and place alone', { mechanism: null, coincides: true }, CONFIDENCE_CAP_UNLINKED],
    ['with one kind of evidence', { place: 0.8 }, CONFIDENCE_CAP_UNMAPPED],
  ] as const)('is bounded for a change %s', (_, more, cap) => {
    expect(capsOf(fused({ ranked: [able(more)] }))).toContain(cap)
  })

  it('is not bounded by words where it coincides and is named, or shows how', () => {
    for (const more of [{ words_score: 0.1 }, { mechanism: mechanism(0.2) }])
      expect(capsOf(fused({ ranked: [able({ mechanism: null, coincides: true, ...more })] }))).toEqual([])
    expect(
      capsOf(fused({ ranked: [able({ mechanism: null, coincides: true, words_score: 0.09 })] })),
    ).toEqual([CONFIDENCE_CAP_UNLINKED])
  })

  it('is bounded where the next one is close', () => {
    const caps = (score: number) =>
      capsOf(fused({ ranked: [able({ score: 0.8 }), another('c2', { score })] }))
    expect(caps(0.69)).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(caps(0.67)).toEqual([])
  })

  it('is bounded without normal time to compare with', () => {
    const { first, ...more } = OBSERVED
    const observed = { ...more, first, normal: { ...more.normal, baselines: [], origin: 'none' as const } }
    const found = fused({ ranked: [able()], observed })
    expect(capsOf(found)).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(found.basis).toContain('without a baseline the confidence is capped')
    expect(fused({ ranked: [able()] }).basis).not.toContain('baseline')
  })

  it('is bounded for a place while the records of what happened do not explain it', () => {
    expect(capsOf(fused({}))).toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(capsOf(fused({ snapshot: { ...INCIDENT, changes: [] } }))).not.toContain(
      CONFIDENCE_CAP_UNEXPLAINED,
    )
  })

  it('is bounded for a place that only suffers, and for none that is seen to be the place', () => {
    const snapshot = { ...INCIDENT, series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)], edges: [] }
    expect(capsOf(fused({ snapshot }))).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
    const full = { ...snapshot, series: [series('stock', 'memory_used_bytes', 2e8, 9e8)] }
    expect(capsOf(fused({ snapshot: full }))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    const observed = observedIn(snapshot)
    const [stock] = observed.suspects
    if (stock?.blame == null) throw new Error('nobody is suspected')
    for (const part of ['gap', 'broken'] as const) {
      const seen = { ...stock, blame: { ...stock.blame, [part]: PARTS[part] } }
      const found = fused({
        snapshot,
        observed: { ...observed, first: seen, suspects: [seen], unexplained: [seen] },
      })
      expect(capsOf(found)).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
      expect(found.said(found.hypotheses[0]?.supported_by)[0]).toMatch(
        part === 'gap'
          ? /^Calls from and to stock take 80 ms longer/
          : /^9 of 10 spans “GET \/stock” of stock/,
      )
      expect(found.items.find(({ id }) => id === found.hypotheses[0]?.supported_by[0])).toMatchObject(
        part === 'gap' ? { source: 'traces', type: 'anomaly' } : { source: 'logs', type: 'pattern' },
      )
    }
  })

  it('is not bounded by those whose failing the place was counted to explain', () => {
    expect(fused({}).stated?.margin).toBeLessThan(0.15)
    const counted = { ...INCIDENT, edges: [...calls('client', 'web', 0.4), ...calls('web', 'stock', 0.4)] }
    const found = fused({ snapshot: counted })
    expect(found.cause.entity).toBe('stock')
    expect(found.stated?.margin).toBeGreaterThan(0.9)
  })

  it('is bounded for data that cannot be read, and for a resource that was only spoken of', () => {
    const caps = (more: Partial<OperationalCause>) => capsOf(fused({ operational: [firm(more)] }))
    expect(caps({ kind: 'data' })).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_CONSEQUENCE])
    expect(caps({ kind: 'capacity' })).toContain(CONFIDENCE_CAP_CONSEQUENCE)
    expect(caps({ kind: 'dns' })).toEqual([])
  })

  it('is not bounded so for a resource that was measured', () => {
    const memory = series('stock', 'memory_used_bytes', 2e8, 9e8)
    const snapshot = { ...INCIDENT, series: [series('stock', 'http_5xx_ratio', 0.003, 0.4), memory] }
    const observed = observedIn(snapshot)
    const shift = observed.shifts.find(({ series: { name } }) => name === memory.name)
    if (shift === undefined) throw new Error('it did not shift')
    const full = firm({
      kind: 'capacity',
      signs: [told('out of memory'), { strength: 0.5, fact: { of: 'shift', shift } }],
    })
    expect(capsOf(fused({ operational: [full], snapshot, observed }))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    const spoken = { ...full, signs: [told('out of memory'), told('out of memory', { origin: 'event' })] }
    expect(capsOf(fused({ operational: [spoken], snapshot, observed }))).toEqual([CONFIDENCE_CAP_CONSEQUENCE])
  })

  it('is bounded for what changes bring, where time and place single one out at that very place', () => {
    const caps = (more: Partial<RankedChange>, kind: OperationalCause['kind'] = 'infra') =>
      capsOf(
        fused({
          ranked: [{ ...PLAIN, score: 0.05, closeness: 0.2, ...more }],
          operational: [firm({ kind, what: 'a restart' })],
        }),
      )
    expect(caps({})).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    expect(caps({ closeness: 0.19 })).toEqual([])
    expect(caps({ reaches: 'web' })).toEqual([])
    expect(caps({ trivial: 'it only touches documentation' })).toEqual([])
    expect(caps({}, 'certificate')).toEqual([])
  })

  it('is bounded by what the cause itself says', () => {
    expect(capsOf(fused({ operational: [firm({ at_most: 0.33 })] }))).toEqual([0.33])
    expect(fused({ operational: [firm({ at_most: 0.33 })] }).confidence).toBeLessThanOrEqual(0.33)
  })

  it('is bounded for a cause that one kind of telemetry tells of', () => {
    expect(capsOf(fused({ operational: [firm({ signs: [told('no such host')] })] }))).toEqual([
      CONFIDENCE_CAP_UNMAPPED,
    ])
  })

  it('is bounded where what was alerted is such as normal time has too', () => {
    const [suspect, ...others] = OBSERVED.suspects
    if (suspect?.blame == null || OBSERVED.shifts[0] === undefined) throw new Error('nobody is suspected')
    const flow = {
      ...{ entity: 'stock', kind: 'failing' as const, excess: 1, own: 1, z: 9, total: 1, interval_s: 60 },
      ...{ onset_at: at(ONSET), has_level: true, series: OBSERVED.shifts[0].series },
    }
    const caps = (is_usual: boolean) => {
      const usual = { ...suspect, blame: { ...suspect.blame, flow: { ...flow, is_usual } } }
      return capsOf(
        fused({ ranked: [able()], observed: { ...OBSERVED, suspects: [usual as never, ...others] } }),
      )
    }
    expect(caps(true)).toEqual([CONFIDENCE_CAP_USUAL])
    expect(caps(false)).toEqual([])
  })

  it('is not bounded by words where how it does the harm is seen at all', () => {
    const caps = (more: Partial<RankedChange>) =>
      capsOf(fused({ ranked: [{ ...PLAIN, score: 0.9, words_score: 0.5, ...more }] }))
    expect(caps({ mechanism: mechanism(0.3) })).toEqual([])
    expect(caps({ mechanism: mechanism(0.29) })).toEqual([CONFIDENCE_CAP_WORDS])
    for (const part of ['echo', 'quoted', 'contrast'] as const)
      expect(caps({ [part]: LINKS[part] })).toEqual([])
  })

  it('is bounded for a place of which nothing is measured, and for none whose calls are', () => {
    const caps = (blame: Blame | null) => {
      const place = { ...STOCK, blame }
      return capsOf(
        fused({ observed: { ...OBSERVED, first: place, suspects: [place], unexplained: [place] } }),
      )
    }
    expect(caps(null)).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
    expect(caps({ ...NO_BLAME, flow: nodeFlow() })).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
  })

  it('is not bounded without normal time where a flow brings a level of its own', () => {
    const normal = { ...OBSERVED.normal, baselines: [], origin: 'none' as const }
    const caps = (suspects: readonly FailingService[]) =>
      capsOf(fused({ ranked: [able()], observed: { ...OBSERVED, normal, suspects } }))
    const blamed = (has_level: boolean) => ({
      ...STOCK,
      blame: { ...NO_BLAME, flow: nodeFlow({ has_level }) },
    })
    expect(caps([blamed(true)])).toEqual([])
    for (const suspects of [
      [blamed(false)],
      [{ ...STOCK, blame: NO_BLAME }],
      [{ ...STOCK, blame: null }],
      [],
    ])
      expect(caps(suspects)).toEqual([CONFIDENCE_CAP_UNMAPPED])
  })

  it('is bounded for a cause that is told by how its place fails, by what was granted, or by a rest', () => {
    const caps = (kind: OperationalCause['kind'], ...signs: readonly Sign[]) =>
      capsOf(fused({ operational: [firm({ kind, signs })] }))
    expect(caps('infra', shown('node-7'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
    expect(caps('infra', told('it restarted'))).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(caps('infra', shown('node-7'), shown('node-8'))).toEqual([])
    expect(caps('network', shown('node-7'))).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(caps('config', told('refused'), told('refused', { entity: 'web' }))).toEqual([
      CONFIDENCE_CAP_UNEXPLAINED,
    ])
  })

  it('is bounded for a used-up resource unless it was the resource that was measured', () => {
    const observed = { ...OBSERVED, suspects: [STOCK], unexplained: [STOCK] }
    const caps = (...signs: readonly Sign[]) =>
      capsOf(fused({ operational: [firm({ kind: 'capacity', signs })], observed }))
    expect(caps(stated('select 1'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    expect(caps(shown('stock'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    expect(caps(shown('stock', 'http_4xx_ratio'))).toEqual([
      CONFIDENCE_CAP_UNEXPLAINED,
      CONFIDENCE_CAP_CONSEQUENCE,
    ])
    // Measured at another place, only one kind of evidence speaks for it.
    expect(caps(shown('node-7'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
  })

  it('grows with the kinds of telemetry that were there', () => {
    const covered = (more: Partial<Snapshot>) => {
      const { stated, basis } = fused({
        ranked: [able()],
        snapshot: { ...INCIDENT, ...more },
        observed: OBSERVED,
      })
      return [stated?.coverage, /looked at: ([^;.]*)/.exec(basis)?.[1]]
    }
    expect(covered({})).toEqual([1, 'metrics, logs, traces, changes'])
    expect(covered({ edges: [] })).toEqual([0.75, 'metrics, logs, changes'])
    expect(covered({ edges: [], logs: [] })).toEqual([0.5, 'metrics, changes'])
    expect(covered({ edges: [], logs: [], series: [], changes: [] })).toEqual([0, 'nothing'])
    const pattern = { source: 'patterns', signature: 'x', service: 'stock', count: 1 }
    expect(covered({ logs: [], patterns: [pattern] })).toEqual([1, 'metrics, logs, traces, changes'])
  })
})

describe('how far a place stands out', () => {
  const place = (of: FailingService, score: number, more: Partial<FailingService> = {}): FailingService => ({
    ...of,
    blame: { ...NO_BLAME, entity: of.entity, score, strength: 0.9 },
    ...more,
  })
  const statedOf = (
    places: readonly FailingService[],
    operational: readonly OperationalCause[] = [],
    unexplained = places,
  ) =>
    fused({
      operational,
      observed: { ...OBSERVED, first: places[0] ?? null, suspects: places, unexplained },
    }).stated

  it('is told by what blames it, as a share of the most', () => {
    expect(statedOf([place(STOCK, 8), place(WEB, 2)])).toMatchObject({ kinds: 0.8 })
    expect(statedOf([place(STOCK, 8), place(WEB, 2)])?.margin).toBeCloseTo(0.75 * 0.8)
    // Where nothing blames it, by how much it fails; a flow accounts for all of it.
    const [silent, other] = [
      { ...STOCK, blame: null, score: 0.8 },
      { ...WEB, blame: null, score: 0.4 },
    ]
    expect(statedOf([silent, other])).toMatchObject({ kinds: 0.8, margin: 0.4 })
    const flowing = place(STOCK, 8, { blame: { ...NO_BLAME, score: 8, strength: 0.6, flow: nodeFlow() } })
    expect(statedOf([flowing])).toMatchObject({ kinds: 0.6, margin: 0.6 })
  })

  it('bounds how far a used-up resource there stands out, and no other cause', () => {
    const full = firm({ kind: 'capacity', what: 'a pool that is used up' })
    const margin = (cause: Partial<OperationalCause>, ...more: readonly OperationalCause[]) =>
      statedOf([place(STOCK, 8), place(WEB, 4)], [{ ...full, ...cause }, ...more])?.margin
    expect(margin({})).toBeCloseTo(0.5)
    expect(margin({ entity: 'web' })).toBe(0)
    expect(margin({ entity: 'elsewhere' })).toBe(1)
    expect(margin({ kind: 'dns' })).toBe(1)
    expect(margin({ is_whole: true })).toBe(1)
    // A volume that was measured at its node stands at a place of its own.
    expect(margin({ signs: [told('no space left'), shown('node-7')] })).toBe(1)
    expect(margin({ signs: [told('no space left'), shown('stock')] })).toBeCloseTo(0.5)
    expect(margin({}, firm({ score: 0.54 }))).toBeLessThan(0.2)
    expect(statedOf([place(STOCK, 8)], [full])?.margin).toBe(1)
  })

  it('adds to what speaks for a used-up resource there', () => {
    const full = firm({ kind: 'capacity', score: 0.4, what: 'a pool that is used up', signs: [told('full')] })
    expect(statedOf([place(STOCK, 8)], [full])?.kinds).toBeCloseTo(0.8)
    expect(statedOf([place(STOCK, 2)], [full])?.kinds).toBeCloseTo(0.4)
    expect(statedOf([place(STOCK, 8)], [{ ...full, kind: 'dns' }])?.kinds).toBeCloseTo(0.4)
    expect(statedOf([place(STOCK, 8)], [firm({ kind: 'dns', score: 0.4 })])?.kinds).toBeCloseTo(0.8)
  })

  it('is not lessened by those whose failing its counted calls explain, or that hardly fail themselves', () => {
    const full = firm({ kind: 'capacity', what: 'a pool that is used up' })
    const margin = (flow: Flow | null, other: Flow | null, isExplained = false) => {
      const [stock, web] = [place(STOCK, 8, { flow }), place(WEB, 4, { flow: other })]
      return statedOf([stock, web], [full], isExplained ? [stock] : [stock, web])?.margin
    }
    expect(margin(counted(1_000), null)).toBeCloseTo(0.5)
    expect(margin(counted(1_000), null, true)).toBe(1)
    expect(margin(null, null, true)).toBeCloseTo(0.5)
    expect(margin(null, counted(0))).toBeCloseTo(0.5)
    expect(margin(counted(1_000), counted(9))).toBe(1)
    expect(margin(counted(1_000), counted(10))).toBeCloseTo(0.5)
    expect(margin(counted(1), counted(0))).toBe(1)
    expect(margin(counted(0.9), counted(0))).toBeCloseTo(0.5)
  })
})

describe('the kinds of evidence that agree on another cause', () => {
  const kinds = (...signs: readonly Sign[]): string | undefined =>
    /^(\d) independent kinds/.exec(fused({ operational: [firm({ signs })] }).basis)?.[1]
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

describe('the kinds of evidence that agree on a change', () => {
  const kinds = (more: Partial<RankedChange>): number =>
    fused({ ranked: [{ ...PLAIN, score: 1, place: 0.5, ...more }] }).stated?.kinds ?? -1
  it.each([
    ['none by itself', {}, 0],
    ['a mechanism that fits', { mechanism: mechanism(0.4) }, 1],
    ['a mechanism that fits less than well, as far as it fits', { mechanism: mechanism(0.39) }, 0.39],
    ['no mechanism that hardly fits', { mechanism: mechanism(0.19) }, 0],
    ['words', { words_score: 0.4 }, 1],
    ['a few words', { words_score: 0.39 }, 0],
    ['time and place as far as they are its own', { closeness: 0.2 }, 0.2],
    ['no time and place that others share', { closeness: 0.19 }, 0],
    ['time and place of its own', { coincides: true, closeness: 0.1 }, 1],
    ['a known rollout to the place', { place: 0.85 }, 1],
    ['no rollout near the place', { place: 0.84 }, 0],
    ['no place without a rollout', { place: 1, effective_at: { from: 0, to: 0, known: false } }, 0],
    ['a series that moved as its setting did', { echo: LINKS.echo }, 1],
    ['a name that it took away and that is missed', { quoted: LINKS.quoted }, 1],
    ['no name that it brought', { quoted: { ...LINKS.quoted, how: 'adds' } }, 0],
    ['what began to be used up when it arrived', { spent: LINKS.spent }, 1],
    ['a version that does worse than another', { contrast: LINKS.contrast }, 1],
    ['all of them', { ...LINKS, mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 7],
    ['several', { mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 3],
  ] as const)('are %s', (_, more, count) => {
    expect(kinds(more)).toBeCloseTo(count)
  })
})

describe('what a named change is', () => {
  const causeOf = (more: Partial<RankedChange>) => fused({ ranked: [able(more)] }).cause
  const touching = (...files: readonly string[]) => ({ diff: { ...PLAIN.diff, files } })
  it.each([
    ['a flag', { change: record({ kind: 'flag' }) }, 'flag', 'disable_flag'],
    ['configuration', { change: record({ kind: 'config' }) }, 'config', 'revert_config'],
    ['infrastructure', { change: record({ kind: 'infra' }) }, 'infra', 'rollback'],
    ['a number of instances', { change: record({ kind: 'scale' }) }, 'infra', 'rollback'],
    ['a dependency', { mechanism: mechanism(0.6, { kind: 'dependency' }) }, 'dependency', 'rollback'],
    ['settings in files', touching('stock/app.yaml', 'stock/config/limits.ts'), 'config', 'revert_config'],
    ['code beside settings', touching('stock/app.yaml', 'stock/page.ts'), 'code', 'rollback'],
    ['settings that are named so alone', touching('a.yml', 'config/run.ts'), 'config', 'revert_config'],
    ['code whose name only begins so', touching('stock/app.json.ts', 'stock/app.yaml'), 'code', 'rollback'],
    ['code whose name only holds so', touching('stock/app.tfx', 'stock/app.ts'), 'code', 'rollback'],
    ['one chart', touching('chart/stock/run.tpl', 'stock/page.ts'), 'infra', 'rollback'],
    ['Terraform', touching('live/main.tf', 'stock/page.ts'), 'infra', 'rollback'],
    ['a chart', touching('charts/stock/run.tpl', 'stock/page.ts'), 'infra', 'rollback'],
    ['code', touching('stock/page.ts'), 'code', 'rollback'],
    ['of a diff that nobody gave: code', touching(), 'code', 'rollback'],
    [
      'stored data that were moved',
      { mechanism: mechanism(0.6, { id: 'migration' }) },
      'code',
      'roll_forward',
    ],
  ] as const)('%s', (_, more, kind, action) => {
    expect(causeOf(more).kind).toBe(kind)
    expect(fused({ ranked: [able(more)] }).remediation).toMatchObject({
      action,
      target: more === undefined ? '' : 'c1',
    })
  })

  it('is told with what going back does', () => {
    for (const more of [
      { change: record({ kind: 'flag' }) },
      { change: record({ kind: 'config' }) },
      { mechanism: mechanism(0.6, { id: 'migration' }) },
      {},
    ])
      expect(fused({ ranked: [able(more)] }).remediation.why).toMatch(/^\S.* c1 .*\.$|^commit c1 .*\.$/)
  })

  it('is told with where it got, when, and by which rollout', () => {
    const rollout = deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])
    const found = fused({ ranked: [able({ carried_by: rollout })] })
    expect(found.cause).toMatchObject({
      ...{ level: 'change', entity: 'stock', change: 'c1', trigger: 'd1' },
      since: new Date(at(ONSET - 2)).toISOString(),
    })
    expect(found.hypotheses[0]?.statement).toBe(
      'Commit c1 “Name a size”, rolled out at 2026-03-02 09:28:00 UTC: it takes a bound away.',
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
      '1 independent kinds of evidence agree; no other hypothesis was worth naming; ' +
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
    expect(fused({ operational: [firm({ action: 'rotate' })] }).remediation).toMatchObject({
      ...{ action: 'rotate', target: 'stock' },
      why: 'No change is the likely cause; it is a name that does not resolve.',
    })
    const { cause } = fused({ operational: [firm()] })
    expect(cause).toMatchObject({ contributing: [], since: new Date(at(ONSET)).toISOString() })
    expect(fused({ operational: [firm()], observed: { ...OBSERVED, onset: null } }).cause.since).toBeNull()
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

describe('what speaks for and against', () => {
  it('a change is cited as what it is', () => {
    const source = (kind: Change['kind']) => {
      const { items, hypotheses } = fused({ ranked: [able({ change: record({ kind }) })] })
      return items.find(({ id }) => id === hypotheses[0]?.supported_by[0])?.source
    }
    expect((['commit', 'pull_request'] as const).map(source)).toEqual(['commits', 'commits'])
    expect(source('flag')).toBe('flags')
    for (const kind of ['deploy', 'release', 'config', 'infra', 'migration', 'scale', 'other'] as const)
      expect(source(kind)).toBe('deploys')
  })

  it('a change is supported by its record, its rollout, its mechanism and the symptoms', () => {
    const rollout = deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])
    const { said, hypotheses } = fused({ ranked: [able({ carried_by: rollout })] })
    const [change, carried, does, ...symptoms] = said(hypotheses[0]?.supported_by)
    expect(change).toMatch(/^Commit c1 “Name a size”/)
    expect(carried).toMatch(
      /^Deploy v2 of stock took effect at 2026-03-02 09:28:00 UTC and carried commit c1\.$/,
    )
    expect(does).toMatch(/^The diff of commit c1 takes a bound away/)
    expect(symptoms[0]).toMatch(/^http_5xx_ratio of stock went up/)
    expect(symptoms[1]).toMatch(/^stock logged 30 lines \(error\)/)
    expect(symptoms[2]).toMatch(/^http_5xx_ratio of web went up/)
    expect(symptoms).toHaveLength(3)
    expect(hypotheses[0]?.contradicted_by).toEqual([])
  })

  it('a change is supported by whatever links it to what is observed, cited as what it is', () => {
    const { items, hypotheses } = fused({ ranked: [able(LINKS)] })
    const cited = hypotheses[0]?.supported_by.map((id) => items.find((item) => item.id === id))
    const found = (text: RegExp) => {
      const item = cited?.find((one) => text.test(one?.content ?? ''))
      return [item?.source, item?.type]
    }
    expect(found(/^Commit c1/)).toEqual(['commits', 'change'])
    expect(found(/as size does in commit c1/)).toEqual(['metrics', 'correlation'])
    expect(found(/commit c1 removes the name “total_net”/)).toEqual(['logs', 'correlation'])
    expect(found(/fail in version v2/)).toEqual(['traces', 'correlation'])
    expect(found(/^The diff of commit c1 takes a bound away/)).toEqual(['commits', 'correlation'])
    const series = fused({ ranked: [able({ contrast: { ...LINKS.contrast, what: 'http_5xx_ratio' } })] })
    expect(series.items.find(({ content }) => /in version v2/.test(content))?.source).toBe('metrics')
  })

  it('the rollout and the run of a change are cited as what they are, by the record that tells of them', () => {
    const rollout = deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])
    const seen = { source: 'k8s', timestamp: at(80), kind: 'Job', name: 'stock-fill' }
    const run = { at: at(80), share: 1, seen, schedule: null }
    const cited = (more: Partial<RankedChange>) => {
      const { items, hypotheses } = fused({ ranked: [able(more)] })
      const { source, type, query, content } = items.find(
        ({ id }) => id === hypotheses[0]?.supported_by[1],
      ) as Evidence
      return [source, type, query, content]
    }
    expect(cited({ carried_by: rollout }).slice(0, 3)).toEqual(['deploys', 'change', 'deploys of the window'])
    expect(cited({ run })).toEqual([
      ...['topology', 'change', 'k8s of the window'],
      'Job stock-fill of commit c1 was recorded at 2026-03-02 09:20:00 UTC.',
    ])
    expect(cited({ run: { ...run, seen: null, schedule: '20 * * * *' } })).toEqual([
      ...['topology', 'change', 'commits of the window'],
      'The schedule “20 * * * *” of commit c1 was due at 2026-03-02 09:20:00 UTC.',
    ])
  })

  it('what was measured, counted or kept of statements is cited by the question that brought it', () => {
    const cited = (one: Sign) => {
      const { items, hypotheses } = fused({ operational: [firm({ signs: [one] })] })
      const found = items.find(({ id }) => id === hypotheses[0]?.supported_by[0])
      return [found?.source, found?.type, found?.query]
    }
    expect(cited(shown('node-7'))).toEqual(['metrics', 'anomaly', 'the memory_used_bytes'])
    expect(cited(stated('select 1'))).toEqual(['integrations', 'anomaly', 'metrics of the window'])
    const calls: Sign = { strength: 0.5, fact: { of: 'calls', flow: counted(9) } }
    expect(cited(calls)).toEqual(['topology', 'dependency', 'edges of the window'])
    expect(cited(told('no such host'))).toEqual(['logs', 'error', 'logs of the window'])
  })

  it('a mechanism that hardly fits is not cited', () => {
    const cited = (score: number) => {
      const { said, hypotheses } = fused({ ranked: [able({ mechanism: mechanism(score) })] })
      return said(hypotheses[0]?.supported_by).some((text) => text.includes('takes a bound away'))
    }
    expect([cited(0.2), cited(0.19)]).toEqual([true, false])
  })

  it('that a change is harmless, or that no rollout carried it, speaks against it', () => {
    const against = (more: Partial<RankedChange>) => {
      const { said, hypotheses } = fused({ ranked: [able(more)] })
      return said(hypotheses[0]?.contradicted_by)
    }
    expect(against({ trivial: 'it only touches documentation' })).toEqual([
      'Of commit c1 one can say that it only touches documentation.',
    ])
    const unknown = { effective_at: { from: 0, to: 0, known: false } }
    expect(against(unknown)).toEqual(['No rollout in the records carried commit c1.'])
    expect(against({ ...unknown, carried_by: deploy('d1', ONSET - 2, 'stock', 'v2', ['c1']) })).toEqual([])
    const { items } = fused({ ranked: [able({ ...unknown, trivial: 'it only touches documentation' })] })
    const typeOf = (text: RegExp) => items.find(({ content }) => text.test(content))?.type
    expect([typeOf(/^Of commit c1/), typeOf(/^No rollout/)]).toEqual(['statement', 'absence'])
  })

  it('a change that reached the place in time speaks against another kind of cause', () => {
    const against = (more: Partial<RankedChange>) => {
      const { said, hypotheses } = fused({ ranked: [able({ score: 0.1, ...more })], operational: [firm()] })
      return said(hypotheses[0]?.contradicted_by)
    }
    expect(against({})[0]).toMatch(/^Commit c1/)
    expect(against({ place: 0.85 })).toHaveLength(1)
    expect(against({ place: 0.84 })).toEqual([])
    expect(against({ trivial: 'it only touches documentation' })).toEqual([])
    expect(against({ effective_at: { from: 0, to: 0, known: false } })).toEqual([])
  })

  it.each([
    ['log', 'logs', 'error'],
    ['pattern', 'logs', 'error'],
    ['kubernetes', 'topology', 'error'],
    ['event', 'integrations', 'error'],
    ['alert', 'alerts', 'error'],
    ['trace', 'traces', 'error'],
  ] as const)('what a %s says is cited as that', (origin, source, type) => {
    const { items, hypotheses } = fused({
      operational: [firm({ signs: [told('no such host', { origin })] })],
    })
    expect(items.find(({ id }) => id === hypotheses[0]?.supported_by[0])).toMatchObject({ source, type })
  })

  it('an expiry, a status page, a statement and counted calls are cited as what they are', () => {
    const cited = (fact: Sign['fact']) => {
      const { items, hypotheses } = fused({ operational: [firm({ signs: [{ strength: 0.5, fact }] })] })
      const found = items.find(({ id }) => id === hypotheses[0]?.supported_by[0])
      return [found?.source, found?.type]
    }
    const expiry = { of: 'expiry', entity: 'stock', at: at(ONSET), text: 'x', source: 'metrics' } as const
    expect(cited({ ...expiry, origin: 'metric' })).toEqual(['metrics', 'change'])
    expect(cited({ ...expiry, origin: 'alert' })).toEqual(['alerts', 'change'])
    expect(cited({ ...expiry, origin: 'log' })).toEqual(['logs', 'change'])
    const status = {
      provider: 'p',
      component: null,
      status: 'outage',
      detail: null,
      at: at(ONSET),
      source: 'status',
    }
    expect(cited({ of: 'status', ...status })).toEqual(['integrations', 'statement'])
    const record = { source: 'logs', start: at(0), end: at(9), statement: 'select 1', load: 5 }
    expect(
      cited({ of: 'statement', statement: { record, share: 0.9, wait: null, is_stuck: false } }),
    ).toEqual(['integrations', 'anomaly'])
    const flow = observedIn({ ...INCIDENT, edges: calls('web', 'stock', 0.4) }).flows.get('stock')
    if (flow === undefined) throw new Error('no call was counted')
    expect(cited({ of: 'calls', flow })).toEqual(['topology', 'dependency'])
    const [shift] = OBSERVED.shifts
    if (shift === undefined) throw new Error('nothing shifted')
    expect(cited({ of: 'shift', shift })).toEqual(['metrics', 'anomaly'])
  })

  it('symptoms are the patterns of a service whose lines nobody fetched', () => {
    const patterns = [
      { source: 'patterns', service: 'stock', signature: 'it failed', count: 9, baseline_count: 0 },
    ]
    const { said, symptoms } = fused({ snapshot: { ...INCIDENT, logs: [], patterns } })
    expect(said(symptoms)).toContain(
      'The log tool counted 9 lines of stock like “it failed”, 0 in its baseline.',
    )
  })

  it('symptoms begin with those of the place, and tell of lines that stopped', () => {
    const { said, symptoms } = fused({
      snapshot: {
        ...INCIDENT,
        logs: [
          ...INCIDENT.logs,
          ...lines('stock', 'INFO', 'posted entry 17', 0, 60),
          ...lines('stock', 'INFO', 'read the page of a book', 0, 60),
          ...lines('web', 'INFO', 'showed it', 0, 60),
        ],
        patterns: [
          { source: 'patterns', service: 'stock', signature: 'it failed', count: 9, baseline_count: 0 },
        ],
        spans: [failedSpan('stock'), failedSpan('web')],
        edges: calls('web', 'stock', 0.4),
      },
    })
    const texts = said(symptoms)
    expect(texts[0]).toMatch(/^http_5xx_ratio of stock/)
    expect(texts.at(-1)).toBe('stock logged “posted entry 17” 60 times in normal time and 0 times since.')
    expect(texts.filter((text) => text.includes('times in normal time and'))).toHaveLength(1)
    // Patterns say the same as lines; and of spans those of the place tell most.
    expect(texts.join()).not.toContain('The log tool')
    expect(texts.filter((text) => text.startsWith('Span'))).toEqual([
      'Span “GET /stock” of stock failed at 2026-03-02 09:31:00 UTC with no failed child.',
    ])
    expect(texts).toContain(
      'Of 18000 calls to stock since its onset 7200 failed; 7200 beyond normal arose inside it.',
    )
    expect(new Set(symptoms).size).toBe(symptoms.length)
  })
})

describe('the symptoms', () => {
  const [line] = OBSERVED.templates
  if (line === undefined) throw new Error('no line was logged')
  const numbers = [1, 2, 3, 4] as const
  const crowded = (entity: string): FailingService => ({
    ...{ ...STOCK, entity, flow: null, error_spans: [] },
    shifts: numbers.map((number) => shifted(entity, `failed_${number}_ratio`)),
    templates: numbers.map((number) => ({
      ...{ ...line, service: entity, example: `it broke ${number}` },
      severity: number === 2 ? 'warning' : 'error',
    })),
    patterns: numbers.map((number) => ({
      ...{ source: 'patterns', service: entity, signature: `it failed ${number}`, count: 9 },
    })),
  })
  const symptomsOf = (more: Partial<Observed>) => {
    const { symptoms, items } = fused({ observed: { ...OBSERVED, ...more } })
    return symptoms.map((id) => items.find((item) => item.id === id) as Evidence)
  }

  it('are three of a sort at the place that failed first, and one of each at three more', () => {
    const [first, ...others] = ['stock', 'a', 'b', 'c', 'd'].map(crowded) as [FailingService]
    const seen = symptomsOf({ first, failing: [...others, first] })
    const count = (entity: string) => seen.filter(({ content }) => content.includes(entity)).length
    expect(seen).toHaveLength(12)
    expect(['stock', ' a ', ' b ', ' c ', ' d '].map(count).slice(0, 1)).toEqual([6])
    expect(seen.map(({ source, type }) => `${source} ${type}`).slice(0, 8)).toEqual([
      ...['metrics anomaly', 'metrics anomaly', 'metrics anomaly'],
      ...['logs error', 'logs pattern', 'logs error', 'metrics anomaly', 'logs error'],
    ])
    expect(seen[0]?.query).toBe('the failed_1_ratio')
  })

  it('are as many patterns where no line was fetched', () => {
    const silent = (entity: string) => ({ ...crowded(entity), shifts: [], templates: [] })
    const first = silent('stock')
    const seen = symptomsOf({ first, failing: [first, silent('a')] })
    expect(seen.map(({ content }) => content)).toEqual(
      [
        ['stock', 1],
        ['stock', 2],
        ['stock', 3],
        ['a', 1],
      ].map(([entity, number]) => `The log tool counted 9 lines of ${entity} like “it failed ${number}”.`),
    )
    expect(new Set(seen.map(({ source, type }) => `${source} ${type}`))).toEqual(new Set(['logs pattern']))
  })

  it('are cited as what they are: demand that is made, spans, calls that failed, lines that stopped', () => {
    const made = { caller: 'till', callee: 'stock', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    const gone = (service: string, example: string) => ({
      ...{ ...line, service, example, change: 'vanished' as const, before: 60, during: 0 },
    })
    const first = {
      ...{ ...STOCK, shifts: [], templates: [], patterns: [], flow: counted(1) },
      error_spans: [failedSpan('stock')],
    }
    const templates = [
      ...[gone('web', 'showed it'), { ...line, example: 'new' }],
      ...[gone('stock', 'posted it'), gone('stock', 'sent it')],
    ]
    const seen = symptomsOf({ made, first, failing: [first], templates })
    expect(seen.map(({ source, type, content }) => [source, type, content])).toEqual([
      [
        ...['topology', 'dependency'],
        'till calls stock up to 4 times as often per request as usual since 2026-03-02 09:30:00 UTC; ' +
          'calls that failed and were tried again are not counted.',
      ],
      [
        ...['traces', 'error'],
        'Span “GET /stock” of stock failed at 2026-03-02 09:31:00 UTC with no failed child.',
      ],
      [
        ...['topology', 'dependency'],
        'Of 9000 calls to stock since its onset 1 failed; 1 beyond normal arose inside it.',
      ],
      [...['logs', 'absence'], 'stock logged “posted it” 60 times in normal time and 0 times since.'],
    ])
    expect(symptomsOf({ first: { ...first, flow: counted(0.9) }, failing: [], templates: [] })).toHaveLength(
      1,
    )
    expect(symptomsOf({ first: null, failing: [], templates })).toEqual([])
  })
})

describe('what is ruled out', () => {
  const late = (id: string, place = 1, known = true): RankedChange =>
    another(id, { place, effective_at: { from: at(ONSET + 9), to: at(ONSET + 9), known } })

  it('are changes that came too late, at most three, those that reached the place first', () => {
    const { ruled_out, said } = fused({
      late: [late('l1', 0.2), late('l2', 1, false), late('l3', 0.9), late('l4')],
    })
    expect(ruled_out.map(({ statement }) => statement)).toEqual([
      'Commit l4 is not the cause.',
      'Commit l3 is not the cause.',
      'Commit l1 is not the cause.',
    ])
    expect(ruled_out[0]?.reason).toBe('It took effect at 2026-03-02 09:39:00 UTC, after the symptoms began.')
    expect(said(ruled_out[0]?.evidence)[1]).toMatch(/^http_5xx_ratio of stock/)
  })

  it('is told with the symptom that began before, where there is one', () => {
    const shift = shifted('stock', 'failed_ratio')
    const evidence = (first: FailingService | null) => {
      const { items, ruled_out } = fused({
        late: [late('l1')],
        observed: { ...OBSERVED, first, failing: [] },
      })
      return ruled_out[0]?.evidence.map((id) => {
        const item = items.find((one) => one.id === id)
        return [item?.source, item?.type, item?.query]
      })
    }
    const change = ['commits', 'change', 'commits of the window']
    expect(evidence({ ...STOCK, shifts: [shift] })).toEqual([
      change,
      ['metrics', 'anomaly', 'the failed_ratio'],
    ])
    expect(evidence({ ...STOCK, shifts: [] })).toEqual([change])
    expect(evidence(null)).toEqual([change])
  })

  it('is told by when its rollout took effect, or that it was recorded so late', () => {
    const reason = (entry: RankedChange) => fused({ late: [entry] }).ruled_out[0]?.reason
    expect(reason({ ...late('l1'), carried_by: deploy('d9', ONSET + 5, 'stock', 'v9', ['l1']) })).toBe(
      'It took effect at 2026-03-02 09:35:00 UTC, after the symptoms began.',
    )
    const { effective_at: _, ...recorded } = deploy('d9', ONSET + 5, 'stock', 'v9', ['l1'])
    expect(reason({ ...late('l1'), carried_by: recorded })).toMatch(/took effect at 2026-03-02 09:35:00 UTC/)
    expect(reason(late('l1', 1, false))).toBe(
      'It was recorded at 2026-03-02 09:39:00 UTC, after the symptoms began.',
    )
  })

  it('are changes that arrived in time and are harmless, or can do no such harm', () => {
    const out = (more: Partial<RankedChange>) =>
      fused({ ranked: [{ ...PLAIN, score: 0.1, ...more }] }).ruled_out.map(({ reason }) => reason)
    expect(out({ trivial: 'it only touches documentation' })).toEqual([
      'It reached stock in time, but it only touches documentation.',
    ])
    expect(out({})).toEqual(['It reached stock in time, but nothing in its diff can cause what is observed.'])
    expect(out({ reaches: null })[0]).toMatch(/^It reached the failing service in time/)
    expect(out({ place: 0.85 })).toHaveLength(1)
    expect(fused({ ranked: [{ ...PLAIN, score: 0.1 }] }).ruled_out[0]?.statement).toBe(
      'Commit c1 is an unlikely cause.',
    )
    for (const more of [
      { diff: { ...PLAIN.diff, size: 0 } },
      { mechanism: mechanism(0.2) },
      { place: 0.84 },
      { effective_at: { from: 0, to: 0, known: false } },
    ])
      expect(out(more)).toEqual([])
  })

  it('is nothing that is named, and no more than five', () => {
    expect(fused({ ranked: [able({ trivial: 'it only touches documentation' })] }).ruled_out).toEqual([])
    const many = Array.from({ length: 9 }, (_, index) => ({
      ...another(`c${index}`, { score: 0.1 }),
      mechanism: null,
    }))
    expect(fused({ ranked: many, late: [late('l1')] }).ruled_out).toHaveLength(5)
    // What comes after the five that are shown is not named, so it may be ruled out.
    const shown = [1, 2, 3, 4, 5].map((index) => another(`c${index}`, { score: 0.9 - index / 100 }))
    const sixth = another('c6', { score: 0.4, trivial: 'it only touches documentation' })
    expect(fused({ ranked: [...shown, sixth] }).ruled_out.map(({ statement }) => statement)).toEqual([
      'Commit c6 is an unlikely cause.',
    ])
  })
})

describe('a place', () => {
  const [stock, web] = OBSERVED.suspects
  if (stock === undefined || web === undefined) throw new Error('nobody is suspected')
  const till = { ...web, entity: 'till', blame: null, flow: null, score: 0.9 }

  it('is named where the measurements suspect it, and else where no callee explains its failing', () => {
    const places = (more: Partial<Observed>) => named(fused({ observed: { ...OBSERVED, ...more } }))
    expect(places({ suspects: [web, stock] })).toEqual(['stock', 'web'])
    expect(places({ suspects: [web, stock], first: null })).toEqual(['web', 'stock'])
    expect(places({ suspects: [], unexplained: [till], first: null })).toEqual(['till'])
  })

  it('is named first where it failed first and its calls were counted, or where it makes the demand', () => {
    const places = (first: typeof web, more: Partial<Observed> = {}) =>
      named(fused({ observed: { ...OBSERVED, first, ...more } }))
    expect(places(till)).toEqual(['stock', 'web'])
    const flow = observedIn({ ...INCIDENT, edges: calls('web', 'stock', 0.4) }).flows.get('stock')
    if (flow === undefined) throw new Error('no call was counted')
    expect(places({ ...till, flow })).toEqual(['till', 'stock', 'web'])
    const made = { caller: 'till', callee: 'stock', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    expect(places(till, { made })).toEqual(['till', 'stock', 'web'])
  })

  it('is told as what asks for more where it makes the demand, and alone where nothing else fails', () => {
    const made = { caller: 'stock', callee: 'web', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    const statement = (more: Partial<Observed>) =>
      fused({ observed: { ...OBSERVED, ...more } }).hypotheses[0]?.statement
    expect(statement({ made })).toBe(
      'stock asks web more often than its own demand lets expect; what changed there is not known.',
    )
    expect(statement({ failing: [stock] })).toBe('stock fails itself; what changed there is not known.')
    expect(statement({ failing: [] })).toBe('stock fails itself; what changed there is not known.')
    const { cause, remediation } = fused({})
    expect(cause.contributing).toEqual([])
    expect(remediation.why).toBe('The owners of stock know what the records do not show.')
    expect(fused({ observed: { ...OBSERVED, first: null } }).remediation.why).toBe(
      'The owners of stock know what the records do not show.',
    )
    const unseen = { ...stock, shifts: [] }
    expect(fused({ observed: { ...OBSERVED, first: unseen, suspects: [unseen] } }).cause.kind).toBe('unknown')
  })

  it('is supported by its flow, by three series, two lines and two patterns, cited as what they are', () => {
    const [line] = OBSERVED.templates
    if (line === undefined) throw new Error('no line was logged')
    const numbers = [1, 2, 3, 4] as const
    const full: FailingService = {
      ...{ ...stock, error_spans: [], flow: null },
      blame: { ...NO_BLAME, flow: nodeFlow() },
      shifts: numbers.map((number) => shifted('stock', `failed_${number}_ratio`)),
      templates: numbers.map((number) => ({ ...line, example: `it broke ${number}` })),
      patterns: numbers.map((number) => ({
        ...{ source: 'patterns', service: 'stock', signature: `it failed ${number}`, count: 9 },
      })),
    }
    const { items, hypotheses } = fused({
      observed: { ...OBSERVED, first: null, failing: [], suspects: [full], unexplained: [full] },
    })
    const cited = hypotheses[0]?.supported_by.map((id) => items.find((item) => item.id === id) as Evidence)
    expect(cited?.map(({ source, type }) => `${source} ${type}`)).toEqual([
      ...['topology dependency', 'metrics anomaly', 'metrics anomaly', 'metrics anomaly'],
      ...['logs error', 'logs error', 'logs pattern', 'logs pattern'],
    ])
    expect(cited?.[1]?.query).toBe('the failed_1_ratio')
    expect(
      fused({ observed: { ...OBSERVED, first: till, suspects: [], unexplained: [till] } }).hypotheses,
    ).toHaveLength(1)
  })

  it('is not spoken against by itself, nor by what may have failed at the same time', () => {
    const against = (latest: number) => {
      const other = {
        ...{ ...web, shifts: [shifted('web', 'failed_ratio')] },
        onset: { ...web.onset, latest: stock.onset.earliest + latest },
      }
      const { items, hypotheses } = fused({
        observed: { ...OBSERVED, first: stock, suspects: [stock], failing: [stock, other] },
      })
      const found = items.find(({ id }) => id === hypotheses[0]?.contradicted_by[0])
      return found === undefined ? null : [found.source, found.type, found.query]
    }
    expect(against(-1)).toEqual(['metrics', 'anomaly', 'the failed_ratio'])
    expect(against(0)).toBeNull()
  })

  it('is spoken against by what failed before it', () => {
    const snapshot = {
      ...INCIDENT,
      series: [...INCIDENT.series, series('other', 'http_5xx_ratio', 0.003, 0.4, ONSET - 10, LENGTH)],
    }
    const { said, hypotheses } = fused({ snapshot })
    const own = hypotheses.find(({ cause }) => cause.entity === 'stock')
    expect(said(own?.contradicted_by)[0]).toMatch(/^http_5xx_ratio of other went up/)
    expect(said(own?.supported_by)[0]).toMatch(/^http_5xx_ratio of stock went up/)
  })
})
