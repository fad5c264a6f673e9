/**
 * A place that fails by itself and says so in words that no table knows.
 *
 * Method: elimination, as on-call engineers do it (Mill's method of residues, A System of Logic, 1843, book III, chapter 8).
 * Most of what fails was counted to arise inside it; it was not changed, and nobody who asks it asks for more. Whom it calls may
 * have told it what is not true, so where it calls anybody nothing else may have happened. What is left is its own state: its data, its disk, what it holds. A sign of that is what it
 * says anew of itself, again and again since the minute in which users were hurt, or what a store counts of its own failing: not that somebody else failed it, nor merely
 * that it is slow or out of reach, which says how and not why. Who asks and is told the same is a second witness.
 */

import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { isFelt } from '../deviations/felt-symptoms.ts'
import { isStore } from '../deviations/metric-meaning.ts'
import type { CauseKind } from '../findings.ts'
import { callersOf, failedAt } from '../place/call-graph.ts'
import {
  hasShiftedInTime,
  holdsOn,
  isInTime,
  isOnRecord,
  isSaidAtOnset,
  type Line,
  type Scene,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

/** Share of all that fails that must arise inside it. */
const MOSTLY = 0.5
/** What each sign is worth: its own words, that it was counted to fail, and that who asks is told the same. */
const SAID = 0.35
const COUNTED = 0.3
const QUOTED = 0.3
/** How such a failing shows at whoever is asked, whatever the reason. */
const HOW =
  /time[d ]?[- ]?out|deadline|unavailable|refused|reset|upstream|broken pipe|too slow|waited|slow request|\b[45]\d\d\b|cancel/i
/** What its words are about, the plainer first: what else they say is a state of its own. */
const KINDS: readonly (readonly [CauseKind, RegExp])[] = (
  [
    ['data', 'data'],
    ['capacity', 'capacity'],
  ] as const
).map(([kind, of]) => [kind, wordsFor(of)])
/** What a program dies of or cannot read is told elsewhere: a state of its own need not be why, who wrote it may be. */
const OF_PROGRAMS = (['crash', 'unreadable', 'redelivery'] as const).map(wordsFor)
/** How much of a line has to be quoted to be the same, in characters: a word or two are chance. */
const QUOTE_LENGTH = 20

/** The first failing place, where what it says or counts of itself is all that is left to explain it; null elsewhere. */
export function ownTrouble(scene: Scene): OperationalCause | null {
  const { observed, names } = scene
  const place = observed.first?.entity
  if (place === undefined || observed.made !== null || isOnRecord(scene, place)) return null
  const flow = observed.flows.get(place)
  // Where nobody counts what it is answered, whom it calls may be what fails.
  if ((observed.graph.callees.get(place)?.size ?? 0) > 0 && flow === undefined) return null
  const all = [...observed.flows.values()].reduce((sum, one) => sum + failedAt(one), 0)
  if (observed.flows.size > 0 && (flow === undefined || failedAt(flow) < Math.max(1, MOSTLY * all)))
    return null
  const own = scene.lines.filter(
    ({ entity, origin, failing, text, at }) =>
      entity === place &&
      origin === 'log' &&
      failing &&
      isInTime(scene, at) &&
      !HOW.test(text) &&
      names.mentionedIn(text).every((name) => name === place),
  )
  if (own.some(({ text }) => OF_PROGRAMS.some((words) => words.test(text)))) return null
  const said = isSaidAtOnset(scene, own) ? own : []
  const callers = new Set(callersOf(observed.graph, place))
  const quoting = scene.lines.filter(
    ({ entity, origin, text }) =>
      origin === 'log' && callers.has(entity ?? '') && said.some((line) => isQuoted(line, text)),
  )
  const counts = observed.shifts.filter(
    (shift) =>
      shift.series.entity === place &&
      isStore(shift.series.name) &&
      shift.meaning.meaning === 'errors' &&
      isFelt(shift) &&
      hasShiftedInTime(scene, shift) &&
      holdsOn(observed, shift),
  )
  // Where nobody counts its calls, that it fails is told by itself alone: then who asks has to be told the same.
  if (said.length + counts.length === 0 || (flow === undefined && quoting.length === 0)) return null
  const signs: readonly Sign[] = [
    ...said.slice(0, 2).map((line) => sign(line, SAID)),
    ...shown(counts[0], SAID),
    ...(flow === undefined ? [] : [{ strength: COUNTED, fact: { of: 'calls', flow } } as const]),
    ...quoting.slice(0, 1).map((line) => sign(line, QUOTED)),
  ]
  return {
    ...{ entity: place, signs, action: 'escalate', yields_to_changes: true },
    kind: KINDS.find(([, words]) => said.some(({ text }) => words.test(text)))?.[0] ?? 'infra',
    what: 'a part that fails by itself, by what it says',
    score: round6(chanceOf(signs)),
    // What it says nobody here can read, so it is possible and no more.
    at_most: CONFIDENCE_CAP_UNLINKED,
  }
}

/** Whether a text holds what a line says, without the level that the line begins with. */
function isQuoted({ text }: Line, other: string): boolean {
  const words = text.replace(/^[A-Z]{3,8}:? +/, '')
  return words.length >= QUOTE_LENGTH && other.includes(words.slice(0, QUOTE_LENGTH))
}
