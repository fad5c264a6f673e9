/**
 * A service that fails, with the signs that say so.
 */

import type { Onset } from '../deviations/change-point.ts'
import { instant } from '../deviations/incident-onset.ts'
import { type SeriesShift, trendOfShift } from '../deviations/series-shift.ts'
import type { Findings } from '../findings.ts'
import { compareText, type Template } from '../records/log-templates.ts'
import type { LogPattern, Span } from '../records/snapshot.ts'
import type { Blame } from './blame-services.ts'
import type { Flow } from './call-graph.ts'

/** From which score a service counts as failing. */
export const FAILING = 0.3

/** A service that fails, since when, and what says so. */
export interface FailingService {
  readonly entity: string
  readonly score: number
  readonly onset: Onset
  readonly ended_at: number | null
  readonly shifts: readonly SeriesShift[]
  readonly templates: readonly Template[]
  readonly patterns: readonly LogPattern[]
  readonly error_spans: readonly Span[]
  readonly flow: Flow | null
  /** What the scorers of place say; null where they are silent about it. */
  readonly blame: Blame | null
  /** Kinds of telemetry that agree: metrics, logs, traces, edges. */
  readonly signs: readonly ('metrics' | 'logs' | 'traces' | 'edges')[]
}

/** A service that nothing but its place in the flow, its edges or its sequences speaks for. */
export const onlyBlamed = (blame: Blame): FailingService => ({
  entity: blame.entity,
  score: blame.strength,
  onset: blame.shift?.onset ?? instant(blame.onset_at),
  ended_at: null,
  shifts: blame.shift === null ? [] : [blame.shift],
  templates: [],
  patterns: [],
  error_spans: [],
  flow: null,
  blame,
  signs: [
    ...(blame.shift === null ? [] : (['metrics'] as const)),
    ...(blame.broken === null ? [] : (['logs'] as const)),
    ...(blame.gap === null ? [] : (['traces'] as const)),
    ...(blame.flow === null ? [] : (['edges'] as const)),
  ],
})

/** From this weight on what moved hurts by its name; anything less is no sign that it still fails. */
export const HURTING = 0.5

/** Where it is going: by what moved most of what hurts, and over where all of that is. */
export function trendOf(first: FailingService | null): Findings['state'] {
  const shift = first?.shifts.find((candidate) => candidate.meaning.weight >= HURTING)
  if (first === null || shift === undefined) return 'unknown'
  return first.ended_at === null ? trendOfShift(shift) : 'recovered'
}

/** Most failing first; ties by time, by how much says so, at last by name for the sake of a fixed order. */
export const compareFailing = (a: FailingService, b: FailingService): number =>
  b.score - a.score ||
  a.onset.at - b.onset.at ||
  b.shifts.length - a.shifts.length ||
  b.templates.length - a.templates.length ||
  compareText(a.entity, b.entity)
