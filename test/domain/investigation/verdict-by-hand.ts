/** Changes, other causes and places made by hand, so that what joins them sees just what a sentence says. */

import type { OperationalCause, Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import { rankChanges } from '#shared/domain/investigation/changes/rank-changes.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import { EvidenceList } from '#shared/domain/investigation/hypotheses/evidence-list.ts'
import { fuseHypotheses, type Verdict } from '#shared/domain/investigation/hypotheses/fuse-hypotheses.ts'
import type { Blame } from '#shared/domain/investigation/place/blame-services.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Edge, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

export const uncounted = (caller: string, callee: string): Edge[] => [
  { source: 'edges', caller, callee, t0: at(0), interval_s: 60 },
]

/** `web` fails because `stock` does, and every kind of telemetry was there. */
export const INCIDENT: Snapshot = {
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

export const failedSpan = (service: string): Span => ({
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

export const observedIn = (snapshot: Snapshot): Observed => observe(snapshot, entityNames(snapshot), null)

export const OBSERVED = observedIn(INCIDENT)

export const RANKED = rankChanges(INCIDENT, OBSERVED, [], entityNames(INCIDENT)).ranked[0] as RankedChange

/** A change that was rolled out in time to what fails; nothing but its score speaks for it. */
export const PLAIN: RankedChange = {
  ...RANKED,
  ...{ score: 0.6, carried_by: null, place: 1, reaches: 'stock', mechanism: null, echo: null, quoted: null },
  ...{ contrast: null, words: [], words_score: 0, trivial: null, is_linked: true, closeness: 0 },
  ...{ coincides: false, hardly_chance: false, is_of_others: false },
  ...{ effective_at: { from: at(ONSET - 2), to: at(ONSET - 2), known: true } },
}

export const record = (more: Partial<Change>): Change => ({ ...PLAIN.change, ...more })

export const mechanism = (score: number, more: { id?: string; kind?: 'code' | 'dependency' } = {}) => ({
  mechanism: {
    ...{ id: 'bound', does: 'takes a bound away', kind: 'code' as const, in_diff: () => 1, symptom: /x/ },
    ...more,
  },
  score,
  symptom: null,
})

/** The same with a diff that can do the harm. */
export const able = (more: Partial<RankedChange> = {}): RankedChange => ({
  ...PLAIN,
  mechanism: mechanism(0.6),
  ...more,
})

export const another = (id: string, more: Partial<RankedChange> = {}): RankedChange =>
  able({ change: record({ id }), ...more })

/** What scorers of place may say of one beside a shift. */
export const PARTS = {
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

export const [SHIFT] = OBSERVED.shifts

/** What links a change to what is observed beside a mechanism. */
export const LINKS = {
  echo: {
    setting: {
      ...{ key: 'size', context: 'size', key_words: 'size', context_words: 'size' },
      ...{ before: '1', after: '2', direction: 'up' as const, factor: 2 },
    },
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

export const told = (text: string, more: Partial<Extract<Sign['fact'], { of: 'text' }>> = {}): Sign => ({
  strength: 0.6,
  fact: {
    ...{ of: 'text', text, entity: 'stock', count: 4, at: at(ONSET), source: 'logs', origin: 'log' },
    ...more,
  },
})

/** A cause that no change can have triggered. */
export const firm = (more: Partial<OperationalCause> = {}): OperationalCause => ({
  ...{ kind: 'dns', entity: 'stock', score: 0.6, what: 'a name that does not resolve' },
  ...{ signs: [told('no such host'), told('no such host', { entity: 'web' })], action: 'escalate' },
  yields_to_changes: false,
  ...more,
})

/** A shift of a series of another name, so that it is no evidence of the symptom too. */
export const shifted = (entity: string, name: string): SeriesShift => ({
  ...LINKS.echo.shift,
  series: { ...LINKS.echo.shift.series, entity, name, query: `the ${name}` },
  meaning: readMetricName(name),
})

export const shown = (entity: string, name = 'memory_used_bytes'): Sign => ({
  strength: 0.5,
  fact: { of: 'shift', shift: shifted(entity, name) },
})

export const stated = (statement: string, is_stuck = false): Sign => ({
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
export const [STOCK, WEB] = OBSERVED.suspects as readonly [FailingService, FailingService]

export const NO_BLAME: Blame = {
  ...{ entity: 'stock', score: 5, strength: 0.9, flow: null, shift: null, gap: null, broken: null },
  onset_at: at(ONSET),
}

export const nodeFlow = (more: Partial<NonNullable<Blame['flow']>> = {}): NonNullable<Blame['flow']> => ({
  ...{ entity: 'stock', kind: 'failing', excess: 1, own: 1, z: 9, beyond_chance: 9, total: 1 },
  ...{ onset_at: at(ONSET), is_usual: false, has_level: true, series: LINKS.echo.shift.series },
  ...{ adds_up: true, unmeasured: [], total_of: 'alerted', interval_s: 60 },
  ...more,
})

export const counted = (own_failed: number): Flow => ({
  ...{ entity: 'stock', calls: 9_000, failed: own_failed, own_failed, excess_failed: own_failed },
  ...{ own_wait_ms: 0, excess_wait_ms: 0, given_up: 0, source: 'edges' },
})

export interface Given {
  readonly ranked?: readonly RankedChange[]
  readonly late?: readonly RankedChange[]
  readonly operational?: readonly OperationalCause[]
  readonly snapshot?: Snapshot
  readonly observed?: Observed
}

export const fused = ({ ranked = [], late = [], operational = [], snapshot = INCIDENT, observed }: Given) => {
  const list = new EvidenceList(snapshot)
  const seen = observed ?? (snapshot === INCIDENT ? OBSERVED : observedIn(snapshot))
  const verdict = fuseHypotheses(snapshot, seen, { ranked, too_late: late }, operational, list)
  const said = (ids: readonly string[] = []): readonly string[] =>
    ids.map((id) => (list.items.find((item) => item.id === id) as Evidence).content)
  return { ...verdict, items: list.items, said }
}

/** What is named, best first: a change by its id, another cause by its kind, a place by its name. */
export const named = ({ hypotheses }: Verdict): readonly (string | null)[] =>
  hypotheses.map(({ cause }) => cause.change ?? (cause.level === 'kind' ? cause.kind : cause.entity))

export const capsOf = ({ stated }: Verdict): readonly number[] => stated?.caps ?? []
