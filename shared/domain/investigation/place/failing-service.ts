/**
 * A service that fails, with the signs that say so.
 */

import type { Onset } from '../deviations/change-point.ts'
import { hurtsUsers } from '../deviations/felt-symptoms.ts'
import { instant } from '../deviations/incident-onset.ts'
import { isAway, type SeriesShift, trendOfShift } from '../deviations/series-shift.ts'
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
  /** Whether its callers count up to the end that it fails them. */
  readonly still_counted: boolean
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
  still_counted: false,
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

/**
 * The measurements that tell whether an entity is well again, what moved most first: what its users feel, and where nothing of that
 * moved what hurts by its name. A memory that stays high once everybody is served again, as after a restart, harms nobody.
 */
export function tellingShifts(shifts: readonly SeriesShift[]): readonly SeriesShift[] {
  const felt = shifts.filter(hurtsUsers)
  return felt.length > 0 ? felt : shifts.filter(({ meaning }) => meaning.weight >= HURTING)
}

/** The first of them that is still away from its normal level: what is back says nothing of what is not. */
export function tellingShift({ shifts }: Pick<FailingService, 'shifts'>): SeriesShift | undefined {
  const telling = tellingShifts(shifts)
  return telling.find(isAway) ?? telling[0]
}

/** Where a service is going: by what tells it and is still away, and over where nothing that tells it is. */
export function trendOf(one: FailingService | null): Findings['state'] {
  if (one === null) return 'unknown'
  if (one.ended_at !== null) return 'recovered'
  const shift = tellingShift(one)
  if (shift === undefined) return one.still_counted ? 'ongoing' : 'unknown'
  return one.still_counted && !isAway(shift) ? 'ongoing' : trendOfShift(shift)
}

/** Most failing first; ties by time, by how much says so, at last by name for the sake of a fixed order. */
export const compareFailing = (a: FailingService, b: FailingService): number =>
  b.score - a.score ||
  a.onset.at - b.onset.at ||
  b.shifts.length - a.shifts.length ||
  b.templates.length - a.templates.length ||
  compareText(a.entity, b.entity)
