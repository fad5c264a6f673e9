/** Incidents made by hand in which changes are ranked. */

import { rankChanges } from '#shared/domain/investigation/changes/rank-changes.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/place/failing-services.ts'
import { collectSymptoms, type Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, commit, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

export const id = (letter: string): string => letter.repeat(40)

export const POOL = '@@ pool.go @@\n-\tcfg.MaxConns = 50\n+\tcfg.MaxConns = 5'

export const scene = (changes: readonly Change[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('stock-api', 'http_5xx_ratio')],
  series: [
    series('stock-api', 'http_5xx_ratio', 0.003, 0.4),
    series('stock-api', 'http_server_duration_p99_ms', 80, 900),
  ],
  logs: [
    ...lines('stock-api', 'ERROR', 'pool exhausted: no free connection in pgpool', ONSET),
    ...lines('web', 'ERROR', 'upstream stock-api returned 500', ONSET + 1),
  ],
  changes,
  ...more,
})

export const rank = (
  snapshot: Snapshot,
): { ranked: readonly RankedChange[]; too_late: readonly RankedChange[] } => {
  const names = entityNames(snapshot)
  const observed = observe(snapshot, names, null)
  return rankChanges(snapshot, observed, collectSymptoms(snapshot, observed, names), names)
}

export const score = (change: Change, ...rest: Change[]): number =>
  rank(scene([change, ...rest])).ranked.find((entry) => entry.change === change)?.score ?? 0

/** The incident as it was seen, by hand: `web` asks `stock-api`, which fails. */
export const FAILS: FailingService = {
  ...{
    entity: 'stock-api',
    score: 1,
    onset: { at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) },
  },
  ...{
    ended_at: null,
    still_counted: false,
    shifts: [],
    templates: [],
    patterns: [],
    error_spans: [],
    flow: null,
    blame: null,
  },
  signs: ['metrics'],
}

export const CALLEES = new Map([
  ['web', new Set(['stock-api'])],
  ['stock-api', new Set(['shelf-db'])],
  ['reports', new Set(['stock-api'])],
])

const NORMAL: NormalTime = { baselines: [], origin: 'none', incident: { from: at(80), to: at(120) } }

export const SEEN: Observed = {
  ...{ normal: NORMAL, lines_usual: NORMAL },
  ...{ shifts: [], templates: [], flows: new Map(), failing: [FAILS], first: FAILS, suspects: [] },
  graph: { callees: CALLEES, blames: () => false, reachableFrom: () => new Set() },
  ...{ unexplained: [FAILS], blast_radius: [], onset: FAILS.onset, symptom_service: 'stock-api', made: null },
  unknown_service: null,
  ...{ counted_as_ever: () => false, lost_everywhere: false, gone_through: new Set(), runs_on: new Map() },
}

/** The last instant at which what took effect may still be the cause: a minute after the latest onset. */
export const LATEST = at(ONSET + 2)

export const says = (plain: string, more: Partial<Symptom> = {}): Symptom => ({
  ...{ text: plain, plain, entity: 'stock-api', weight: 1, at: at(ONSET), count: 1 },
  ...{ origin: 'log', source: 'logs', ...more },
})

export const judge = (
  changes: readonly Change[],
  symptoms: readonly Symptom[] = [],
  more: { readonly observed?: Partial<Observed>; readonly snapshot?: Partial<Snapshot> } = {},
) => {
  const entities = ['stock-api', 'web', 'shelf-db', 'reports', 'billing'].map((name) => ({
    ...{ name, kind: 'service' as const, aliases: [] },
  }))
  const alerts = entities.map(({ name }) => alert(name, 'http_5xx_ratio'))
  const snapshot: Snapshot = { ...EMPTY, entities, alerts, changes, ...more.snapshot }
  return rankChanges(snapshot, { ...SEEN, ...more.observed }, symptoms, entityNames(snapshot))
}

export const first = (...given: Parameters<typeof judge>): RankedChange =>
  judge(...given).ranked[0] as RankedChange

export const of = (ranked: readonly RankedChange[], id: string): RankedChange =>
  ranked.find(({ change }) => change.id === id) as RankedChange

/** Settings of the failing service that took effect at a minute. */
export const settings = (id: string, minute: number, more: Partial<Change> = {}): Change => ({
  ...{ source: 'config', id, kind: 'config', entity: 'stock-api', recorded_at: at(minute) },
  ...{ effective_at: { from: at(minute), to: at(minute) }, ...more },
})

/** The same, merged and not known to have taken effect, which closeness says nothing of. */
export const merged = (id: string, minute: number, diff: string, more: Partial<Change> = {}): Change => ({
  ...commit(id, minute, 'x', ['services/stock/a.go'], diff),
  ...more,
})

export const CUT = '-pool_size: 50\n+pool_size: 5'

export const NEUTRAL = '-  colour: "teal"\n+  colour: "navy"'
