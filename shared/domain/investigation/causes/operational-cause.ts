/**
 * A cause that is no change, with the signs that speak for it.
 *
 * Signs of one cause are taken as independent, so that each leaves a share of the doubt: they join by noisy-or (Pearl,
 * Probabilistic Reasoning in Intelligent Systems, 1988).
 */

import type { SeriesShift } from '../deviations/series-shift.ts'
import type { CauseKind, RemediationAction } from '../findings.ts'
import type { Flow } from '../place/call-graph.ts'
import type { HeavyStatement } from '../place/heavy-statements.ts'
import type { Line } from '../place/told-lines.ts'
import { compareText } from '../records/log-templates.ts'
import { anyOf } from '../statistics.ts'

/** From this score on a cause is worth naming at its place. */
export const EXPLAINED = 0.2

/** One fact that speaks for an operational cause. */
export interface Sign {
  readonly strength: number
  readonly fact:
    | ({ readonly of: 'text' } & Omit<Line, 'failing' | 'variants'>)
    | { readonly of: 'shift'; readonly shift: SeriesShift }
    | {
        readonly of: 'status'
        readonly provider: string
        readonly component: string | null
        readonly status: string
        readonly detail: string | null
        readonly at: number
        readonly source: string
      }
    | {
        readonly of: 'expiry'
        readonly entity: string
        readonly at: number
        readonly text: string
        readonly source: string
        readonly origin: 'metric' | 'log' | 'alert'
      }
    | { readonly of: 'statement'; readonly statement: HeavyStatement }
    | { readonly of: 'calls'; readonly flow: Flow }
}

/** A fact of one sort. */
export type FactOf<Sort extends Sign['fact']['of']> = Extract<Sign['fact'], { readonly of: Sort }>

/** Something other than a change that can have brought the symptoms. */
export interface OperationalCause {
  readonly kind: CauseKind
  readonly entity: string | null
  readonly score: number
  /** Completes "The likely cause is …". */
  readonly what: string
  readonly signs: readonly Sign[]
  readonly action: RemediationAction
  /** True where a change may have triggered it; such a cause yields to a change whose mechanism fits. */
  readonly yields_to_changes: boolean
  /** True where it is known what led there, though causes of its kind are half of an answer as a rule. */
  readonly is_whole?: boolean
  /** True of what is recorded somewhere all the time, so that it says little unless most of what fails is explained by it. */
  readonly is_everyday?: boolean
  /** True where several signs of the very place tell it: then nobody else's failing makes the place less sure. */
  readonly is_placed?: boolean
  /** Whom else it fails by itself: who runs on a machine that is gone. */
  readonly falls_on?: readonly string[]
  /** What may be stated of it at most, where its evidence does not carry more. */
  readonly at_most?: number
}

/** Who tells a sign; null where nobody that is looked at does. */
export function tellerOf({ fact }: Sign): string | null {
  if (fact.of === 'text' || fact.of === 'expiry') return fact.entity
  if (fact.of === 'shift') return fact.shift.series.entity
  return fact.of === 'calls' ? fact.flow.entity : null
}

/** Both a measurement and a word of it: what is measured alone may be the consequence of anything. */
export const isMeasuredAndTold = ({ signs }: OperationalCause): boolean =>
  signs.some(({ fact }) => fact.of === 'shift') && signs.some(({ fact }) => fact.of === 'text')

/** How likely signs make a cause together, 0 to 1. */
export const chanceOf = (signs: readonly Sign[]): number => anyOf(...signs.map((one) => one.strength))
/** The few strongest facts; more of the same kind add nothing. */
export const strongest = (signs: readonly Sign[], limit = 6): readonly Sign[] =>
  [...signs].sort((a, b) => b.strength - a.strength).slice(0, limit)

/** Surest first; of equals by name, so that the same facts give the same answer. */
export const bySureness = (
  a: Pick<OperationalCause, 'score' | 'entity'>,
  b: Pick<OperationalCause, 'score' | 'entity'>,
): number => b.score - a.score || compareText(a.entity ?? '', b.entity ?? '')

/** Most that several signs of one cause are worth together. */
export const MOST_JOINED = 0.85

/** A line as a sign of a cause. */
export const sign = (line: Line, strength: number): Sign => ({
  strength,
  fact: {
    of: 'text',
    text: line.text,
    entity: line.entity,
    count: line.count,
    at: line.at,
    source: line.source,
    origin: line.origin,
  },
})

/** A series that moved as a sign of a cause; none where none did. */
export const shown = (shift: SeriesShift | null | undefined, strength: number): readonly Sign[] =>
  shift == null ? [] : [{ strength, fact: { of: 'shift', shift } }]
