/**
 * Weighs everything that may be the cause against everything else.
 *
 * An operational cause with positive evidence explains the same symptoms that a change would, so it takes away from changes
 * ("explaining away", Pearl 1988); one that a change may have triggered yields to a change whose mechanism fits.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import { CALLS } from '../changes/asks-otherwise.ts'
import { type ChangeRanking, FITS, type RankedChange } from '../changes/ranked-change.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import { round6 } from '../statistics.ts'
import { changeBefore, doneOnMachine, looksLikeChange, struckThere } from './brought-by-changes.ts'
import { type Candidate, entityOf, type Happening } from './candidate.ts'
import {
  arrivedThere,
  changeKinds,
  explains,
  hasMechanism,
  isAsideChange,
  isMisread,
  isNamed,
  isSingledOut,
  showsHow,
  WORTH_EXPLAINING,
} from './change-evidence.ts'
import { type ExplainsMost, explainsMostOnce } from './explained-share.ts'
import {
  isConsequence,
  isDescription,
  isOnlyMeasured,
  isOnlySeen,
  isSmallAside,
  operationalKinds,
} from './half-answers.ts'
import { elsewhereOf, isPlaceBetter } from './happened-elsewhere.ts'
import { movedEarlier } from './moved-earlier.ts'

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

/** Whether its diff can do such harm. */
const isFitting = ({ mechanism }: RankedChange): boolean => (mechanism?.score ?? 0) >= FITS

/** Whether it can do such harm, or what it sets was measured to be so since: a cause that was seen there is put down to it. */
const canBeWhy = (entry: RankedChange): boolean => isFitting(entry) || entry.echo !== null

/** What is known of what happened elsewhere than where it fails. */
interface Elsewhere {
  readonly isElsewhere: (candidate: Candidate) => boolean
  /** Changes that a cause which was seen is put down to: they have that to show. */
  readonly held: ReadonlySet<RankedChange | undefined>
  /** Since when users were hurt, epoch milliseconds; undefined where that is not known. */
  readonly onset: number | undefined
}

/** Everything that is worth naming: what happened, likeliest first, then the places alone. */
export function weighCandidates(
  observed: Observed,
  changes: ChangeRanking,
  operational: readonly OperationalCause[],
): readonly Candidate[] {
  const causes = operational.map((found) => withOrigin(found, changes))
  const explainsMost = explainsMostOnce(observed)
  // What a cause that was seen is put down to has that to show.
  const held = new Set(causes.flatMap(({ done, before }) => [done, before]))
  const isElsewhere = elsewhereOf(observed, held, explainsMost)
  const happenings = behindWhatExplains(
    worthShowing(happeningsOf(changes.ranked, causes, explainsMost), held),
    { isElsewhere, held, onset: observed.onset?.at },
    explainsMost,
  )
  const places = placesBeside(happenings, observed)
  const [place, ...otherPlaces] = places
  return place !== undefined && isPlaceBetter(place.service, happenings, observed, isElsewhere, explainsMost)
    ? [place, ...happenings, ...otherPlaces]
    : [...happenings, ...places]
}

/** A cause that was seen, and the changes that it is put down to. */
interface CauseWithOrigin {
  readonly found: OperationalCause
  /** What was done on the very machine, or struck the very place: the cause says how, and this says why. */
  readonly done: RankedChange | undefined
  /** What reached its place just before, and may have brought it about. */
  readonly before: RankedChange | undefined
}

const withOrigin = (found: OperationalCause, changes: ChangeRanking): CauseWithOrigin => ({
  found,
  done: doneOnMachine(found, changes) ?? struckThere(found, changes),
  before: changeBefore(found, changes),
})

/** What was seen that explains the symptoms without a change: the score of the best of each sort, 0 where there is none. */
interface SeenCauses {
  /** One that no change is known to trigger. */
  readonly firm: number
  /** One that says what happened, and that nothing that arrived is seen to have brought about. */
  readonly happened: number
  /** More demand. */
  readonly demand: number
}

function seenCauses(causes: readonly CauseWithOrigin[]): SeenCauses {
  const bestScore = (fits: (cause: CauseWithOrigin) => boolean): number => causes.find(fits)?.found.score ?? 0
  return {
    firm: bestScore(({ found, done }) => !found.yields_to_changes && done === undefined),
    happened: bestScore(
      ({ found, done, before }) => !isDescription(found) && scoreOf(before) === 0 && done === undefined,
    ),
    demand: bestScore(({ found }) => found.kind === 'traffic'),
  }
}

/** What arrived that may have brought about a cause that was seen. */
interface RivalChanges {
  /** The score of the best that shows how it does the harm. */
  readonly seen_to_harm: number
  /** The score of the best that arrived just before: it may have used up a resource that was seen at its end. */
  readonly arrived: number
  /** How far time and place single out the one that they single out most: so may that one. */
  readonly singled_out: number
  /** The best that can do the harm. */
  readonly explaining: RankedChange | undefined
  /** The best that arrived at the very place that fails first. */
  readonly there: RankedChange | undefined
  /** The best of those that hardly arrived there by chance. */
  readonly struck: RankedChange | undefined
}

const rivalChanges = (ranked: readonly RankedChange[]): RivalChanges => ({
  seen_to_harm: scoreOf(
    ranked.find(
      (entry) =>
        (entry.mechanism?.score ?? 0) >= 0.4 ||
        entry.echo !== null ||
        entry.quoted !== null ||
        entry.spent !== null ||
        entry.contrast !== null,
    ),
  ),
  arrived: scoreOf(ranked.find((entry) => (entry.coincides || entry.spent !== null) && hasMechanism(entry))),
  singled_out: Math.max(0, ...ranked.filter(isSingledOut).map(({ closeness }) => closeness)),
  explaining: ranked.find(explains),
  there: ranked.find(arrivedThere),
  struck: ranked.find((entry) => arrivedThere(entry) && entry.hardly_chance),
})

/**
 * Whether a change can have brought about what several signs of one place tell: it reached that place, or shows how it does the
 * harm. What was done elsewhere and shows nothing fills nobody's memory; nor does what is shown by a name alone that only others quote,
 * since they fail by that and not by this, or by what moved elsewhere, unless it is that more is asked.
 */
const canBring = (entry: RankedChange, found: OperationalCause): boolean =>
  entry.reaches === found.entity ||
  showsHow({ ...entry, quoted: null }) ||
  (entry.quoted !== null && isToldBy(entry.quoted.symptom.entity, found)) ||
  entry.spent?.series.unit === CALLS

/** Whether a cause is of somebody, or somebody tells of it; who is not known may be anybody. */
const isToldBy = (speaker: string | null, { entity, signs }: OperationalCause): boolean =>
  speaker === null ||
  speaker === entity ||
  signs.some(({ fact }) => fact.of === 'text' && fact.entity === speaker)

const scoreOf = (entry: RankedChange | undefined): number => entry?.score ?? 0

const asCandidate = (found: OperationalCause): Candidate => ({
  ...{ of: 'operational', found, score: found.score, kinds: operationalKinds(found) },
})

/** All that happened, the changes first, each with what the others leave of its score. */
function happeningsOf(
  ranked: readonly RankedChange[],
  causes: readonly CauseWithOrigin[],
  explainsMost: ExplainsMost,
): readonly Happening[] {
  const seen = seenCauses(causes)
  // What leaves most of what fails open says nothing against a change that hardly came there by chance.
  const near = seenCauses(causes.filter(({ found }) => explainsMost(asCandidate(found)) !== false))
  const all = rivalChanges(ranked)
  const rivalsOf = (found: OperationalCause): RivalChanges =>
    found.is_placed === true ? rivalChanges(ranked.filter((entry) => canBring(entry, found))) : all
  return [
    ...ranked.map(
      (entry): Happening => ({
        of: 'change',
        entry,
        score: Math.max(
          scoreOfChange(entry, entry.hardly_chance ? near : seen),
          scoreOfWhatItDid(entry, causes),
        ),
        kinds: changeKinds(entry),
      }),
    ),
    ...causes.map(
      (cause): Happening => ({
        of: 'operational',
        found: cause.found,
        score: scoreOfCause(cause, seen, rivalsOf(cause.found)),
        kinds: operationalKinds(cause.found),
      }),
    ),
  ]
}

/** How surely it was seen what a change did: what speaks for that speaks for the change; 0 where nothing is put down to it. */
const scoreOfWhatItDid = (entry: RankedChange, causes: readonly CauseWithOrigin[]): number =>
  causes.find(({ done }) => done === entry)?.found.score ?? 0

/** What causes that were seen leave of a change's score. */
function scoreOfChange(entry: RankedChange, { firm, happened }: SeenCauses): number {
  const own =
    entry.echo !== null ||
    entry.spent !== null ||
    entry.failed_over !== null ||
    isNamed(entry) ||
    entry.contrast !== null
  // To have arrived just before counts where nothing else that happened explains the symptoms.
  const rival = hasMechanism(entry) || explains(entry) ? firm : Math.max(firm, happened)
  return round6(entry.score * (1 - EXPLAINS_AWAY * rival * (own ? 0.4 : 1)))
}

/** What changes and surer causes leave of the score of a cause that was seen. */
function scoreOfCause(cause: CauseWithOrigin, seen: SeenCauses, rivals: RivalChanges): number {
  const { found, done, before } = cause
  const left =
    found.score *
    (found.yields_to_changes ? (1 - YIELDS * rivals.seen_to_harm) * (1 - EXPLAINS_AWAY * seen.firm) : 1) *
    (1 - YIELDS * Math.max(isConsequence(found) ? rivals.arrived : 0, scoreOf(before))) *
    (isConsequence(found) || isOnlySeen(found) ? 1 - rivals.singled_out : 1) *
    // What demand used up is the consequence, not the cause.
    (found.kind === 'capacity' && seen.demand >= WORTH_NAMING ? 1 - EXPLAINS_AWAY * seen.demand : 1)
  return round6(
    done === undefined ? besideItsReason(found, left, seen, rivals) : Math.min(left, BELOW * done.score),
  )
}

/** What is left of the score of a cause that says how it fails, beside a change that says why; any other keeps its own. */
function besideItsReason(
  found: OperationalCause,
  score: number,
  { firm }: SeenCauses,
  { explaining, there, struck }: RivalChanges,
): number {
  // Where several signs say what is wrong with the data or the settings, that something arrived says no more.
  const isTold = found.kind === 'data' || found.kind === 'config'
  // Nor does it where changes bring nothing of the kind: an outside party fails without one of ours.
  const hit = (isTold && found.at_most === undefined) || !looksLikeChange(found) ? undefined : struck
  const why = explaining ?? hit ?? (isOnlyMeasured(found) ? there : undefined)
  if (why === undefined || !isDescription(found)) return score
  // Unreadable data and refused credentials are told by several signs: they yield by a share. What was only measured to
  // be at its end, or to come and go, stands below the why however clearly it is seen.
  const most = isTold ? 1 : BELOW * why.score * (1 - EXPLAINS_AWAY * firm)
  return Math.min(DESCRIBES * score, most)
}

/** What stands behind others keeps to a share of the best one's score, where there are any. */
function putBehind(
  happenings: readonly Happening[],
  isBehind: (candidate: Happening) => boolean,
  others: readonly Happening[],
): readonly Happening[] {
  if (others.length === 0) return happenings
  const most = BELOW * Math.max(...others.map(({ score }) => score))
  return happenings.map((candidate) =>
    isBehind(candidate) ? { ...candidate, score: round6(Math.min(candidate.score, most)) } : candidate,
  )
}

/**
 * Says little of what fails elsewhere: a change that time and place do not single out, half of an answer, an everyday event. A change
 * after which something moved where it arrived has that to show, if users were hurt soon.
 */
const saysLittle = (candidate: Happening, onset: number | undefined): boolean =>
  candidate.of === 'change'
    ? (candidate.entry.spent === null || movedEarlier(candidate.entry, onset)) &&
      isAsideChange(candidate.entry)
    : isSmallAside(candidate.found)

/**
 * Likeliest first. What says little and leaves most of what fails open stands below all else that happened: on unseen faults it was
 * the cause one time in twenty (docs/decisions/0099-what-is-aside-and-what-two-tell.md). A change that can do the harm, and that a cause
 * which was seen is put down to, says more. What moved long before stands behind all else. What is elsewhere stands below what explains
 * most of what fails, where anything that happened does.
 */
function behindWhatExplains(
  happenings: readonly Happening[],
  { isElsewhere, held, onset }: Elsewhere,
  explainsMost: ExplainsMost,
): readonly Happening[] {
  const isLittle = (candidate: Happening): boolean =>
    saysLittle(candidate, onset) &&
    !(candidate.of === 'change' && held.has(candidate.entry) && canBeWhy(candidate.entry)) &&
    !isElsewhere(candidate) &&
    explainsMost(candidate) === false
  const isEarlier = (candidate: Happening): boolean =>
    candidate.of === 'change' && movedEarlier(candidate.entry, onset) && isLittle(candidate)
  const later = putBehind(
    happenings,
    isEarlier,
    happenings.filter((candidate) => !isEarlier(candidate)),
  )
  const explaining = happenings.filter((candidate) => explainsMost(candidate) === true)
  // A machine in trouble that hardly anybody who fails runs on is no rival of a change that is seen to do it, nor of an outside
  // party that most of what fails asks.
  const isShown = explaining.some((candidate) =>
    candidate.of === 'change' ? hasMechanism(candidate.entry) : candidate.found.kind === 'provider',
  )
  const isAside = (candidate: Happening): boolean =>
    isShown &&
    candidate.of === 'operational' &&
    (candidate.found.kind === 'node' || candidate.found.kind === 'infra') &&
    explainsMost(candidate) === false
  const rest = happenings.filter((candidate) => !isLittle(candidate))
  const behind = putBehind(
    putBehind(later, isLittle, rest),
    (candidate) => isElsewhere(candidate) || isAside(candidate),
    explaining,
  )
  return [...behind].sort((a, b) => b.score - a.score || b.kinds - a.kinds)
}

/** What is worth naming; what is worth no more than a look as well, where no change is. */
function worthShowing(
  all: readonly Happening[],
  held: ReadonlySet<RankedChange | undefined>,
): readonly Happening[] {
  const isShown = (candidate: Happening): boolean => isWorthNaming(candidate, held)
  const named = all.filter(isShown)
  return named.some(({ of }) => of === 'change')
    ? named
    : all.filter((candidate) => isShown(candidate) || isWorthALook(candidate))
}

/** @param held - changes that a cause which was seen is put down to: they have more than words to show */
function isWorthNaming(candidate: Happening, held: ReadonlySet<RankedChange | undefined>): boolean {
  if (candidate.of === 'change' && explains(candidate.entry)) return candidate.score >= WORTH_EXPLAINING
  const isByWords =
    candidate.of === 'change' &&
    candidate.entry.diff.size > 0 &&
    !held.has(candidate.entry) &&
    !isMisread(candidate.entry) &&
    !hasMechanism(candidate.entry)
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

/** A place alone, as a hypothesis. */
type FailingPlace = Extract<Candidate, { readonly of: 'service' }>

/** Where it fails, as hypotheses of their own, save where what happened is named already. */
function placesBeside(happenings: readonly Happening[], observed: Observed): readonly FailingPlace[] {
  const named = new Set(happenings.map(entityOf))
  return failingPlaces(observed)
    .filter((service) => !named.has(service.entity))
    .map((service) => ({ of: 'service', service, score: service.blame?.strength ?? service.score }))
}

/** Where it fails, what fails first before the others. */
function failingPlaces(observed: Observed): readonly FailingService[] {
  const { suspects, unexplained, first, made } = observed
  const places = suspects.length > 0 ? suspects : unexplained
  // What tells nothing of itself has no series that could make it a suspect; its callers' counted calls do.
  const isKnown = first !== null && (places.includes(first) || first.flow !== null || made !== null)
  return isKnown ? [first, ...places.filter((service) => service !== first)] : places
}
