/**
 * Causes that changes bring as a rule, held against the changes that reached the same place.
 */

import { saysGone } from '../causes/down-part.ts'
import type { OperationalCause } from '../causes/operational-cause.ts'
import { AT_ONCE_MS } from '../changes/closeness.ts'
import { kindOfChange } from '../changes/kind-of-change.ts'
import { type ChangeRanking, FITS, type RankedChange } from '../changes/ranked-change.ts'
import type { CauseKind } from '../findings.ts'
import { arrivedThere, SINGLED_OUT } from './change-evidence.ts'
import { isOnlySeen } from './half-answers.ts'

/** What a change must do to bring more demand: it asks more often, or has caches in front answer less. */
const MAKES_DEMAND: Partial<Readonly<Record<CauseKind, string>>> = {
  traffic: 'frequency',
  provider: 'caching',
}

/** What changes bring as a rule; a certificate, a name, a provider or a node fails without one. */
const BROUGHT: ReadonlySet<CauseKind> = new Set(['infra', 'capacity', 'data', 'config'])

/**
 * The change that reached the very place of such a cause just before the onset, alone or seen to do such harm: about 70 %
 * of outages are due to changes (Beyer et al., Site Reliability Engineering, 2016, chapter 1), and nobody listens where a
 * start failed. What comes and goes by itself no change brought, since what one brings stays.
 */
export const changeBefore = (found: OperationalCause, { ranked }: ChangeRanking): RankedChange | undefined =>
  MAKES_DEMAND[found.kind] !== undefined
    ? ranked.find(
        ({ reaches, trivial, closeness, mechanism }) =>
          trivial === null &&
          reaches === found.entity &&
          closeness > 0 &&
          mechanism != null &&
          mechanism.mechanism.id === MAKES_DEMAND[found.kind] &&
          mechanism.score >= FITS,
      )
    : BROUGHT.has(found.kind) && !isOnlySeen(found)
      ? ranked.find(
          ({ coincides, reaches, trivial, closeness, mechanism, spent }) =>
            trivial === null &&
            reaches === found.entity &&
            (coincides || spent !== null || (closeness >= SINGLED_OUT && (mechanism?.score ?? 0) >= FITS)),
        )
      : undefined

/** Told by how a machine or a way between machines is doing: what somebody did there just before is why. */
const OF_MACHINES: ReadonlySet<CauseKind> = new Set(['node', 'network'])

/** Told by what is missing where something came to nothing. */
const OF_WHAT_STOPPED: ReadonlySet<CauseKind> = new Set([...OF_MACHINES, 'infra'])

/** Whether a machine is the one of that name, or one of the set of that name. */
const isOf = (machine: string | null, name: string): boolean =>
  machine === name || (machine?.startsWith(`${name}-`) === true && /\d/.test(machine.slice(name.length)))

/** Whether it is told by a part that is there no more: what somebody did to that very part just before is why. */
const isGone = ({ entity, signs }: OperationalCause): boolean =>
  signs.some(({ fact }) => fact.of === 'shift' && fact.shift.series.entity === entity && saysGone(fact.shift))

/** Whether what is measured of a machine itself left normal at once after an instant, whenever that was felt elsewhere. */
const beganSoonAfter = ({ signs }: OperationalCause, machine: string, from: number): boolean =>
  signs.some(
    ({ fact }) =>
      fact.of === 'shift' &&
      isOf(fact.shift.series.entity, machine) &&
      fact.shift.onset.latest >= from &&
      fact.shift.onset.at - from <= AT_ONCE_MS,
  )

/**
 * What somebody did on the very machine that is in trouble, on the device that loses what goes through it, or to the part that is there
 * no more, just before its own telemetry left normal and so soon that it is hardly chance: then the trouble says how, and not why; so it does
 * where what was done to a set of machines used that set up. What came to nothing
 * under somebody's hands, with the harm, is why machines behind it, and ways through it, are missing; of a cause of which it is known what
 * led there it is not. And a store that changed
 * places minutes after it was changed did so for that.
 */
export const doneOnMachine = (found: OperationalCause, { ranked }: ChangeRanking): RankedChange | undefined =>
  (OF_WHAT_STOPPED.has(found.kind) && found.is_whole !== true
    ? ranked.find((entry) => entry.is_stopped)
    : undefined) ??
  (found.kind === 'infra'
    ? ranked.find(
        ({ failed_over: event, reaches }) =>
          event !== null &&
          found.signs.some(
            ({ fact }) =>
              fact.of === 'text' &&
              fact.origin === 'event' &&
              fact.at === event.timestamp &&
              // Who it failed tells of it too, and is then taken for its place.
              fact.entity === reaches,
          ),
      )
    : undefined) ??
  (OF_MACHINES.has(found.kind) || isGone(found)
    ? ranked.find(
        ({ reaches, trivial, spent, echo, hardly_chance: isHardlyChance, effective_at: { from, known } }) =>
          trivial === null &&
          reaches !== null &&
          ((isOf(found.entity, reaches) && (spent !== null || echo !== null)) ||
            (isHardlyChance &&
              known &&
              (found.entity === null || isOf(found.entity, reaches)) &&
              found.signs.some(
                ({ fact }) =>
                  fact.of === 'shift' &&
                  isOf(fact.shift.series.entity, reaches) &&
                  fact.shift.onset.latest >= from,
              )) ||
            (known && isOf(found.entity, reaches) && beganSoonAfter(found, reaches, from))),
      )
    : undefined)

/** When the earliest of what speaks for a cause was first seen; null where nothing of it has a time. */
const seenFrom = ({ signs }: OperationalCause): number | null => {
  const times = signs.flatMap(({ fact }) =>
    fact.of === 'shift' ? [fact.shift.onset.latest] : fact.of === 'text' && fact.at !== null ? [fact.at] : [],
  )
  return times.length === 0 ? null : Math.min(...times)
}

/** How a place fails, told by what is measured and said there: a change of that place looks so. */
const HOW: ReadonlySet<CauseKind> = new Set([...BROUGHT, ...OF_MACHINES])

/** Whether such a cause is told by what a change of its place looks like as well. */
export const looksLikeChange = ({ kind }: OperationalCause): boolean => HOW.has(kind)

/**
 * What arrived at the very place of such a cause so soon before the harm that it is hardly chance, and before anything of the
 * cause was seen: the cause says how it fails, the change says why.
 */
export const struckThere = (found: OperationalCause, { ranked }: ChangeRanking): RankedChange | undefined => {
  if (!looksLikeChange(found) || found.entity === null) return undefined
  const since = seenFrom(found)
  return ranked.find(
    (entry) =>
      entry.hardly_chance &&
      arrivedThere(entry) &&
      entry.reaches === found.entity &&
      // Code that can be read and could do nothing of the kind is no reason, however soon before; of a part's settings who knows?
      (entry.diff.size === 0 || (entry.mechanism?.score ?? 0) >= FITS || kindOfChange(entry) !== 'code') &&
      (since === null || since >= entry.effective_at.from),
  )
}

/** Whether what was seen where it struck is put down to a change for that alone. */
export const isPutDownTo = (
  entry: RankedChange,
  causes: readonly OperationalCause[],
  changes: ChangeRanking,
): boolean =>
  causes.some((found) => doneOnMachine(found, changes) === undefined && struckThere(found, changes) === entry)

/** Whether a change that time and place single out reached the very place of such a cause: then that none did cannot be said. */
export const isContested = (found: OperationalCause, { ranked }: ChangeRanking): boolean =>
  BROUGHT.has(found.kind) &&
  ranked.some(
    ({ closeness, reaches, trivial }) =>
      trivial === null && reaches === found.entity && closeness >= SINGLED_OUT,
  )
