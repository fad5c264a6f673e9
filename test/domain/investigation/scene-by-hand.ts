/** Scenes of incidents made by hand, so that one detector of a cause sees just what a sentence says. */

import type { OperationalCause } from '#shared/domain/investigation/causes/operational-cause.ts'
import { operationalCauses } from '#shared/domain/investigation/causes/operational-causes.ts'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { CauseKind, Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/place/failing-services.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, lines, ONSET, series } from './incident-scenarios.ts'

export function find(messages: readonly string[], more: Partial<Snapshot> = {}): Findings {
  return investigate({
    ...EMPTY,
    alerts: [alert('stock-api', 'http_5xx_ratio')],
    ...more,
    series: [series('stock-api', 'http_5xx_ratio', 0.003, 0.4), ...(more.series ?? [])],
    logs: [
      ...messages.flatMap((message) => lines('stock-api', 'ERROR', message, ONSET)),
      ...(more.logs ?? []),
    ],
  })
}

export const status = (detail: string, part: object = {}): Snapshot['status'] => [
  {
    source: 'status',
    provider: 'nimbus',
    component: 'compute',
    events: [{ timestamp: at(ONSET + 1), status: 'degraded', detail, ...part }],
  },
]

/** A scene made by hand, so that one detector sees just what the sentence says. */
export interface Seen {
  readonly templates?: readonly Template[]
  readonly shifts?: readonly SeriesShift[]
  readonly symptoms?: readonly string[]
  readonly snapshot?: Partial<Snapshot>
  readonly observed?: Partial<Observed>
}

export const BARE = observe(EMPTY, entityNames(EMPTY), null)

export const PLACES: Snapshot['entities'] = ['stock', 'web', 'vault', 'node-7'].map((name) => ({
  ...{ name, kind: name === 'node-7' ? ('node' as const) : ('service' as const), aliases: [] },
}))

export const SINCE = { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) }

export const said = (text: string, service = 'stock', more: Partial<Template> = {}): Template => ({
  ...{ service, text, example: text, variants: [], severity: 'error', before: 0, during: 10, change: 'new' },
  ...{ first_seen: at(ONSET), risen_at: at(ONSET), last_seen: at(LENGTH), source: 'logs' },
  ...more,
})

export const risen = (
  entity: string,
  name: string,
  more: Partial<SeriesShift> = {},
  of: Partial<Series> = {},
): SeriesShift => ({
  ...{ series: { ...series(entity, name, 1, 2), ...of }, meaning: readMetricName(name), direction: 'up' },
  ...{ is_bad: true, before: 1, during: 2, extreme: 2, latest: 2, z: 9, onset: SINCE, ended_at: null },
  normal_count: 60,
  ...more,
})

export const place = (entity: string, more: Partial<FailingService> = {}): FailingService => ({
  ...{
    entity,
    score: 1,
    onset: SINCE,
    ended_at: null,
    still_counted: false,
    shifts: [],
    templates: [],
    patterns: [],
  },
  ...{ error_spans: [], flow: null, blame: null, signs: [] },
  ...more,
})

export const counted = (entity: string, own_failed: number): Flow => ({
  ...{ entity, calls: 900, failed: own_failed, own_failed, excess_failed: own_failed, given_up: 0 },
  ...{ own_wait_ms: 0, excess_wait_ms: 0, source: 'edges' },
})

export const graphOf = (callees: Readonly<Record<string, readonly string[]>>): Observed['graph'] => {
  const reachable = (from: string): readonly string[] =>
    (callees[from] ?? []).flatMap((to) => [to, ...reachable(to)])
  return {
    callees: new Map(Object.entries(callees).map(([from, to]) => [from, new Set(to)])),
    blames: () => false,
    reachableFrom: (from) => new Set(reachable(from)),
  }
}

export const event = (
  message: string,
  service: string | undefined = 'stock',
  minute = ONSET,
  kind = 'notice',
) => ({
  ...{ source: 'events', timestamp: at(minute), resource: 'resource-1', kind, message },
  ...(service === undefined ? {} : { service }),
})

export const causes = ({
  templates = [],
  shifts = [],
  symptoms = [],
  snapshot = {},
  observed = {},
}: Seen) => {
  const all: Snapshot = { ...EMPTY, entities: PLACES, ...snapshot }
  const list = symptoms.map(
    (text): Symptom => ({
      ...{ text, plain: text, entity: 'stock', weight: 1, at: null, count: 1, origin: 'log', source: 'logs' },
    }),
  )
  const seen: Observed = { ...BARE, onset: SINCE, templates, shifts, ...observed }
  return operationalCauses(all, seen, list, entityNames(all))
}

export const found = (kind: CauseKind, seen: Seen) => causes(seen).find((cause) => cause.kind === kind)

/** What no symptom confirms keeps this share. */
export const UNEXPLAINED = 0.34

export const score = (kind: CauseKind, seen: Seen): number | undefined => found(kind, seen)?.score

export const facts = (cause: OperationalCause | undefined) =>
  cause?.signs.map(({ strength, fact }) => [
    strength,
    fact.of === 'text' ? fact.text : fact.of === 'shift' ? fact.shift.series.name : fact.of,
  ])

export const record = (name: string, reason: string, message: string, minute = ONSET) => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Node', name, reason, message },
})

export const warned = (summary: string) => [
  { source: 'alerts', name: 'a', service: 'stock', fired_at: at(ONSET), summary },
]
