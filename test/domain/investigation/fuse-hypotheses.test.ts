import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
import { type Observed, observe } from '#shared/domain/investigation/failing-services.ts'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import { fuseHypotheses, type Verdict } from '#shared/domain/investigation/fuse-hypotheses.ts'
import type { OperationalCause, Sign } from '#shared/domain/investigation/operational-causes.ts'
import { type RankedChange, rankChanges } from '#shared/domain/investigation/rank-changes.ts'
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
      remediation: { action: 'none', target: null },
    })
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
      remediation: { action: 'escalate', target: null },
    })
    expect(named(found).slice(0, 2)).toEqual(['c1', 'c2'])
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

describe('the kinds of evidence that agree on a change', () => {
  const kinds = (more: Partial<RankedChange>): number =>
    fused({ ranked: [{ ...PLAIN, score: 1, place: 0.5, ...more }] }).stated?.kinds ?? -1
  it.each([
    ['none by itself', {}, 0],
    ['a mechanism that fits', { mechanism: mechanism(0.4) }, 1],
    ['no mechanism that hardly fits', { mechanism: mechanism(0.39) }, 0],
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
    ['a version that does worse than another', { contrast: LINKS.contrast }, 1],
    ['all of them', { ...LINKS, mechanism: mechanism(0.5), words_score: 0.5, place: 1 }, 6],
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
    expect(causeOf({ reaches: null }).entity).toBe('stock')
    expect(causeOf({}).trigger).toBeNull()
  })

  it('is told with what is known of its time where no rollout carried it', () => {
    const statement = (more: Partial<RankedChange>) =>
      fused({ ranked: [able(more)] }).hypotheses[0]?.statement
    expect(statement({ mechanism: mechanism(0.19) })).toBe(
      'Commit c1 “Name a size”, in effect since 2026-03-02 09:28:00 UTC.',
    )
    expect(statement({ effective_at: { from: at(80), to: at(80), known: false } })).toBe(
      'Commit c1 “Name a size”, recorded at 2026-03-02 09:20:00 UTC: it takes a bound away.',
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
    const series = fused({ ranked: [able({ contrast: { ...LINKS.contrast, what: 'http_5xx_ratio' } })] })
    expect(series.items.find(({ content }) => /in version v2/.test(content))?.source).toBe('metrics')
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
    expect(against({ effective_at: { from: 0, to: 0, known: false } })).toEqual([
      'No rollout in the records carried commit c1.',
    ])
  })

  it('a change that reached the place in time speaks against another kind of cause', () => {
    const against = (more: Partial<RankedChange>) => {
      const { said, hypotheses } = fused({ ranked: [able({ score: 0.1, ...more })], operational: [firm()] })
      return said(hypotheses[0]?.contradicted_by)
    }
    expect(against({})[0]).toMatch(/^Commit c1/)
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

  it('is told by when its rollout took effect, or that it was recorded so late', () => {
    const reason = (entry: RankedChange) => fused({ late: [entry] }).ruled_out[0]?.reason
    expect(reason({ ...late('l1'), carried_by: deploy('d9', ONSET + 5, 'stock', 'v9', ['l1']) })).toBe(
      'It took effect at 2026-03-02 09:35:00 UTC, after the symptoms began.',
    )
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
  })
})

describe('a place', () => {
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
