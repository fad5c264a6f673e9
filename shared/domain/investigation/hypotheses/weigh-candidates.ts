/**
 * Weighs everything that may be the cause against everything else.
 *
 * An operational cause with positive evidence explains the same symptoms that a change would, so it takes away from changes
 * ("explaining away", Pearl 1988); one that a change may have triggered yields to a change whose mechanism fits.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import type { ChangeRanking, RankedChange } from '../changes/ranked-change.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import { round6 } from '../statistics.ts'
import { changeBefore, doneOnMachine } from './brought-by-changes.ts'
import { type Candidate, entityOf, type Happening } from './candidate.ts'
import {
  arrivedThere,
  changeKinds,
  explains,
  hasMechanism,
  isNamed,
  isSingledOut,
  WORTH_EXPLAINING,
} from './change-evidence.ts'
import { explainsMost } from './explained-share.ts'
import {
  isConsequence,
  isDescription,
  isOnlyMeasured,
  isOnlySeen,
  isSmallAside,
  operationalKinds,
} from './half-answers.ts'

/** A hypothesis below this is not worth a person's time. */
const WORTH_NAMING = 0.22
/** The same for a change whose diff is known and shows nothing that could do the harm: words alone mislead. */
const WORTH_NAMING_BY_WORDS = 0.3
/**
 * The same for a change that time and place single out: at least a fifth of the credit of all that arrived is its own.
 * Most outages follow a change (Beyer et al., Site Reliability Engineering, 2016, chapter 1), so it is worth a look.
 */
const WORTH_A_LOOK = 0.08
/** Share of its own certainty by which an operational cause lowers changes, and changes lower it. */
const EXPLAINS_AWAY = 0.75
const YIELDS = 0.6
/** What remains of a cause that says how it fails and not why, beside a change that arrived and can do the harm. */
const DESCRIBES = 0.4
/** Its score is at most this share of that change's: nearly as good is no lead. */
const BELOW = 0.8

/** Everything that is worth naming: what happened, likeliest first, then the places alone. */
export function weighCandidates(
  observed: Observed,
  changes: ChangeRanking,
  operational: readonly OperationalCause[],
): readonly Candidate[] {
  const doneThere = new Map(operational.map((found) => [found, doneOnMachine(found, changes)]))
  const firm =
    operational.find((cause) => !cause.yields_to_changes && doneThere.get(cause) === undefined)?.score ?? 0
  const demand = operational.find((cause) => cause.kind === 'traffic')?.score ?? 0
  const strongestChange =
    changes.ranked.find(
      (entry) =>
        (entry.mechanism?.score ?? 0) >= 0.4 ||
        entry.echo !== null ||
        entry.quoted !== null ||
        entry.spent !== null ||
        entry.contrast !== null,
    )?.score ?? 0
  // Where a resource was seen at its end, what arrived just before may have used it up.
  const arrived =
    changes.ranked.find((entry) => (entry.coincides || entry.spent !== null) && hasMechanism(entry))?.score ??
    0
  // Or what time and place single out did, as far as they do.
  const singled = Math.max(0, ...changes.ranked.filter(isSingledOut).map(({ closeness }) => closeness))
  const broughtBy = (found: OperationalCause): number => changeBefore(found, changes)?.score ?? 0
  const happened =
    operational.find(
      (cause) => !isDescription(cause) && broughtBy(cause) === 0 && doneThere.get(cause) === undefined,
    )?.score ?? 0
  const explaining = changes.ranked.find(explains)
  const there = changes.ranked.find(arrivedThere)
  const struck = changes.ranked.find((entry) => arrivedThere(entry) && entry.hardly_chance)
  const describing = (found: OperationalCause, score: number): number => {
    const done = doneThere.get(found)
    if (done !== undefined) return round6(Math.min(score, BELOW * done.score))
    // Where several signs say what is wrong with the data or the settings, that something arrived says no more.
    const isTold = found.kind === 'data' || found.kind === 'config'
    const hit = isTold && found.at_most === undefined ? undefined : struck
    const why = explaining ?? hit ?? (isOnlyMeasured(found) ? there : undefined)
    if (why === undefined || !isDescription(found)) return round6(score)
    // Unreadable data and refused credentials are told by several signs: they yield by a share. What was only measured to
    // be at its end, or to come and go, stands below the why however clearly it is seen.
    const most = isTold ? 1 : BELOW * why.score * (1 - EXPLAINS_AWAY * firm)
    return round6(Math.min(DESCRIBES * score, most))
  }
  const all: readonly Happening[] = [
    ...changes.ranked.map((entry): Happening => {
      const own =
        entry.echo !== null ||
        entry.spent !== null ||
        entry.failed_over !== null ||
        isNamed(entry) ||
        entry.contrast !== null
      // To have arrived just before counts where nothing else that happened explains the symptoms.
      const rival = hasMechanism(entry) || explains(entry) ? firm : Math.max(firm, happened)
      return {
        of: 'change',
        entry,
        score: round6(entry.score * (1 - EXPLAINS_AWAY * rival * (own ? 0.4 : 1))),
        kinds: changeKinds(entry),
      }
    }),
    ...operational.map(
      (found): Happening => ({
        of: 'operational',
        found,
        score: describing(
          found,
          found.score *
            (found.yields_to_changes ? (1 - YIELDS * strongestChange) * (1 - EXPLAINS_AWAY * firm) : 1) *
            (1 - YIELDS * Math.max(isConsequence(found) ? arrived : 0, broughtBy(found))) *
            (isConsequence(found) || isOnlySeen(found) ? 1 - singled : 1) *
            // What demand used up is the consequence, not the cause.
            (found.kind === 'capacity' && demand >= WORTH_NAMING ? 1 - EXPLAINS_AWAY * demand : 1),
        ),
        kinds: operationalKinds(found),
      }),
    ),
  ]
  const shown = all.filter(isWorthNaming)
  // What a cause that was seen is put down to has that to show.
  const held = new Set([...doneThere.values(), ...operational.map((found) => changeBefore(found, changes))])
  const isElsewhere = elsewhereOf(observed, held)
  const happenings = behindWhatExplains(
    shown.some(({ of }) => of === 'change')
      ? shown
      : all.filter((candidate) => isWorthNaming(candidate) || isWorthALook(candidate)),
    observed,
    isElsewhere,
  )
  const named = new Set(happenings.map(entityOf))
  const places = placesOf(observed)
    .filter((service) => !named.has(service.entity))
    .map(
      (service): Candidate => ({ of: 'service', service, score: service.blame?.strength ?? service.score }),
    )
  // What is known to be called, or to call, and is no part of what fails; of what is not no call could fail.
  const isCounted = (entity: string | null): boolean =>
    entity !== null && (observed.flows.has(entity) || observed.graph.callees.has(entity))
  const isBeside = (candidate: Candidate): boolean =>
    (candidate.of === 'operational' &&
      isSmallAside(candidate.found) &&
      explainsMost(candidate, observed) === false) ||
    isChangeBeside(candidate)
  const isChangeBeside = (candidate: Candidate): boolean =>
    candidate.of === 'change' &&
    // That what fails speaks of the very thing that was changed places it, wherever calls fail.
    candidate.entry.quoted === null &&
    // So does that what was changed there moved since.
    candidate.entry.spent === null &&
    !candidate.entry.hardly_chance &&
    !isSingledOut(candidate.entry) &&
    isCounted(candidate.entry.reaches) &&
    explainsMost(candidate, observed) === false
  const [place] = places
  const [likeliest] = happenings
  // Where all that happened leaves most of what fails open, where it fails is the better answer.
  const isOpen =
    place !== undefined &&
    explainsMost(place, observed) === true &&
    (happenings.every((candidate) => isBeside(candidate) || isElsewhere(candidate)) ||
      (likeliest !== undefined &&
        isElsewhere(likeliest) &&
        !happenings.some((candidate) => explainsMost(candidate, observed) === true)))
  // So it is where all that is said for what happened is that it was there, and something else speaks for another place;
  // what was counted to fail, or measured to be hurt, is asked first.
  const isBare = (candidate: Candidate): boolean =>
    candidate.of === 'change' &&
    explainsMost(candidate, observed) === null &&
    isBareRecord(candidate.entry, observed)
  return place !== undefined && (isOpen || happenings.every(isBare))
    ? [place, ...happenings, ...places.slice(1)]
    : [...happenings, ...places]
}

/** Share of certainty of what points to a place from which it is clear: more likely than not. */
const CLEARLY_PLACED = 0.5

/**
 * Whether nothing but time speaks for a change that arrived elsewhere than where the measurements clearly point to: nothing in
 * it can do the harm or names it, and something or other is always changed within the hour.
 */
function isBareRecord(entry: RankedChange, { suspects }: Observed): boolean {
  const [suspect] = suspects
  return (
    suspect?.blame != null &&
    suspect.blame.strength >= CLEARLY_PLACED &&
    entry.reaches !== null &&
    entry.reaches !== suspect.entity &&
    !hasMechanism(entry) &&
    !entry.is_linked &&
    !entry.hardly_chance &&
    !entry.coincides
  )
}

/**
 * Tells whether words or a moment alone speak for a change that arrived elsewhere than where the measurements clearly point to,
 * while that place explains most of what fails and the change does not: nothing in it shows how it does the harm. On unseen
 * faults 2 of 48 such were the cause (docs/decisions/0083-what-is-elsewhere-and-shows-nothing.md).
 */
function elsewhereOf(
  observed: Observed,
  held: ReadonlySet<RankedChange | undefined>,
): (candidate: Candidate) => boolean {
  const [suspect] = observed.suspects
  if (suspect?.blame == null || suspect.blame.strength < CLEARLY_PLACED) return () => false
  if (explainsMost({ of: 'service', service: suspect, score: suspect.score }, observed) !== true)
    return () => false
  return (candidate) =>
    candidate.of === 'change' &&
    !held.has(candidate.entry) &&
    candidate.entry.reaches !== suspect.entity &&
    !hasMechanism(candidate.entry) &&
    !candidate.entry.coincides &&
    explainsMost(candidate, observed) !== true
}

/** Likeliest first; what is elsewhere stands below what explains most of what fails, where anything that happened does. */
function behindWhatExplains(
  happenings: readonly Happening[],
  observed: Observed,
  isElsewhere: (candidate: Candidate) => boolean,
): readonly Happening[] {
  const explaining = happenings.filter((candidate) => explainsMost(candidate, observed) === true)
  const most = explaining.length === 0 ? 1 : BELOW * Math.max(...explaining.map(({ score }) => score))
  // A machine in trouble that hardly anybody who fails runs on is no rival of a change that is seen to do it.
  const isShown = explaining.some((candidate) => candidate.of === 'change' && hasMechanism(candidate.entry))
  const isAside = (candidate: Happening): boolean =>
    isShown &&
    candidate.of === 'operational' &&
    (candidate.found.kind === 'node' || candidate.found.kind === 'infra') &&
    explainsMost(candidate, observed) === false
  return happenings
    .map((candidate) =>
      isElsewhere(candidate) || isAside(candidate)
        ? { ...candidate, score: round6(Math.min(candidate.score, most)) }
        : candidate,
    )
    .sort((a, b) => b.score - a.score || b.kinds - a.kinds)
}

function isWorthNaming(candidate: Happening): boolean {
  if (candidate.of === 'change' && explains(candidate.entry)) return candidate.score >= WORTH_EXPLAINING
  const isByWords =
    candidate.of === 'change' && candidate.entry.diff.size > 0 && !hasMechanism(candidate.entry)
  return candidate.score >= (isByWords ? WORTH_NAMING_BY_WORDS : WORTH_NAMING)
}

/** A change that time and place single out, or that got there and can do the harm, where no other is worth naming. */
const isWorthALook = (candidate: Happening): boolean =>
  candidate.of === 'change' &&
  candidate.score >= WORTH_A_LOOK &&
  (isSingledOut(candidate.entry) ||
    // Commits of one rollout share the credit of its moment.
    candidate.entry.hardly_chance ||
    (candidate.entry.closeness > 0 && hasMechanism(candidate.entry)))

/** Where it fails, as hypotheses that come after those that say what happened. */
function placesOf(observed: Observed): readonly FailingService[] {
  const { suspects, unexplained, first, made } = observed
  const places = suspects.length > 0 ? suspects : unexplained
  // What tells nothing of itself has no series that could make it a suspect; its callers' counted calls do.
  const isKnown = first !== null && (places.includes(first) || first.flow !== null || made !== null)
  return isKnown ? [first, ...places.filter((service) => service !== first)] : places
}
