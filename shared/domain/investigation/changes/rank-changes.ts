/**
 * Changes ranked by how likely each of them caused what is observed.
 *
 * In this order: time (hard: what took effect after the onset is no cause; what arrived just before it, where it
 * fails and next to alone, is evidence of its own), place (what the change reaches against what fails), version
 * contrast, mechanism (what its diff can break against what is observed), echoes (a name that the errors quote
 * vanished in the diff, a level that moved exactly as a setting did), words last (IDF-weighted overlap of net changed
 * words; Spärck Jones, 1972). Signs join by noisy-or; place scales the result, and how long the harm took to show multiplies
 * its odds (docs/decisions/0110-how-long-harm-takes-to-show.md).
 */

import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { contrastVersions, isSameVersion, type VersionContrast } from '../deviations/version-contrast.ts'
import type { Observed } from '../place/failing-services.ts'
import { moreAskers } from '../place/more-askers.ts'
import { storeOfOthers } from '../place/stores-of-others.ts'
import type { Symptom } from '../place/symptoms.ts'
import { NEAR_MS } from '../place/told-lines.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import type { ControlPlaneEvent, Snapshot } from '../records/snapshot.ts'
import { anyOf, round6 } from '../statistics.ts'
import { arrivedChanges, type ChangeTexts } from './arrived-changes.ts'
import { asksMore, CALLS } from './asks-otherwise.ts'
import { withBeforeEntry } from './before-entry.ts'
import { withBegunAnew } from './begun-anew-since.ts'
import { broughtCodes, broughtParts } from './brought-names.ts'
import { INDIFFERENT_MS, oddsOfArrival, ratioOfDelay } from './chance-arrivals.ts'
import { withCleared } from './cleared-since.ts'
import { type Arrival, closeness } from './closeness.ts'
import { droppedHandlers } from './dropped-handlers.ts'
import { findEcho, isEchoOf } from './echoed-settings.ts'
import { withEndedOutput } from './ended-output.ts'
import { withFailedOver } from './failed-over-since.ts'
import type { Run } from './first-runs.ts'
import { withLess } from './had-less-since.ts'
import { withKeptOut } from './kept-out-since.ts'
import { withLeftUnread } from './left-unread.ts'
import { isManifestOnly } from './mechanisms.ts'
import { missingNames } from './missing-names.ts'
import { withMovedItself } from './moved-itself.ts'
import { withMovedLimits } from './moved-limits.ts'
import { namedBlock } from './named-blocks.ts'
import { withNamedLabels } from './named-labels.ts'
import { withNamedLevels } from './named-levels.ts'
import { quotedResource } from './named-resources.ts'
import { withPassedThrough } from './passed-through.ts'
import { isRollout, NEAR_PLACE, type Place } from './place-of-changes.ts'
import { findFlag, findQuoted, namesIn } from './quoted-changes.ts'
import { type ChangeRanking, isActedOn, type RankedChange } from './ranked-change.ts'
import { readDiff } from './read-diff.ts'
import { withRefusedSince } from './refused-since.ts'
import { withRestarted } from './restarted-since.ts'
import { withSeenSettings } from './seen-settings.ts'
import { sharedThings } from './shared-identifiers.ts'
import { sharedPaths } from './shared-paths.ts'
import { sharedRoutes } from './shared-routes.ts'
import { withStandingBetween } from './stands-between.ts'
import { stepsBefore, stepsByArrival } from './stepped-at-rollout.ts'
import { withStopped } from './stopped-since.ts'
import { touchedNames } from './touched-names.ts'
import { beganToGrow, usedUpAfter, usedUpBefore } from './used-up-since.ts'
import { wordScorer } from './word-overlap.ts'
import { withHarderWork } from './works-harder-since.ts'

/** What is left of a change that nobody saw arrive: it may not have taken effect. */
const UNSEEN = 0.85
/**
 * What is left at least, by its delay, of the odds of a change that is seen to do the harm, or that nobody saw arrive: most harm
 * comes within minutes, but what waits for its hour, its cache or its table to fill is as true.
 */
const LEAST_OF_SHOWN = 0.35
/** From here a mechanism shows how a change does the harm, whenever it came. */
const SEEN_TO_HARM = 0.4
/** From this closeness on, time counts as evidence of its own: at most a quarter of an hour, and alone in it. */
const COINCIDES = 0.7
/** Weights of the signs within the noisy-or; none of them is certain. */
const WEIGHTS = {
  mechanism: 0.85,
  echo: 0.8,
  named: 0.85,
  contrast: 0.9,
  spent: 0.6,
  // It may have failed over by itself in the same minutes, which is seldom: as much as what was seen to be used up.
  failed_over: 0.6,
  // It asks more often for each call, and adds a line that asks.
  asking: 0.75,
  words: 0.45,
  // Alone in reaching the failing place just before it failed: more than words, less than any sight of how.
  closeness: 0.5,
  base: 0.03,
} as const
/** Share of a name's weight that is left where it is merely touched, or where several changes hold it. */
const HALF_NAMED = 0.5
/**
 * What remains of a change of a store that nobody asks who is hurt: on families that nobody had worked with none such was the cause
 * (docs/decisions/0096-changes-of-stores-of-others.md). It is still told where nothing else is known.
 */
const OF_OTHERS = 0.1
/** What remains of a change whose version does well beside another that does not. */
const ACQUITTED = 0.3
/** What a mechanism is worth where nothing in the change, or around it, names anything observed. */
const UNLINKED = 0.55
/** From here a mechanism is full in the diff, and its own words are much of what is observed. */
const EXACT = 0.8
/** From here work of its own is seen to do what such work does. */
const ACTING = 0.3

/**
 * Ranks everything that changed and could be the cause.
 *
 * @returns what took effect in time, most likely first, and apart what did so after the onset, earliest first
 */
export function rankChanges(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
): ChangeRanking {
  const latest = observed.onset === null ? null : observed.onset.latest + CLOCK_TOLERANCE_MS
  const texts = textsOf(snapshot, observed, symptoms, names)
  const arrived = arrivedChanges(snapshot, observed, symptoms, names, texts, latest)
  const since = seenSince(withRefusedSince(arrived, observed, symptoms), observed, snapshot, names)
  const { arrivals, spentBy } = since
  const beside: Beside = {
    observed,
    symptoms,
    names,
    texts,
    since,
    weigh: wordScorer(texts.candidates, texts.diffs, symptoms, names),
    contrasts: contrastVersions(snapshot, names, {
      from: observed.onset?.earliest ?? observed.normal.incident.from,
      to: observed.normal.incident.to,
    }),
    closenessOf: closeness(arrivals, observed, latest, (arrival) => spentBy.get(arrival) ?? null),
    oddsOf: oddsOfArrival(arrivals, observed, snapshot.window),
    holders: holdersOfNames(arrivals, texts.quoted),
    droppedOf: droppedHandlers(symptoms, observed.shifts),
    isStoreOfOthers: storeOfOthers({ snapshot, observed, names }),
  }
  const ranked: RankedChange[] = []
  const tooLate: RankedChange[] = []
  for (const arrival of arrivals) {
    const isTooLate = latest !== null && arrival.effective.from > latest
    ;(isTooLate ? tooLate : ranked).push(rankedChange(arrival, beside))
  }
  ranked.sort(compareRanked)
  tooLate.sort((a, b) => a.effective_at.from - b.effective_at.from || compareRanked(a, b))
  return { ranked, too_late: tooLate }
}

/** Reads every change that may be the cause, and what it shares with what is said of what fails. */
function textsOf(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
): ChangeTexts {
  const { changes } = snapshot
  const known = new Set(changes.map((change) => change.id))
  // A rollout of changes that are on record themselves only says when they arrived.
  const candidates = changes.filter(
    (change) => !(isRollout(change) && (change.carries ?? []).some((id) => known.has(id))),
  )
  const diffs = new Map(candidates.map((change) => [change, readDiff(change.diff, change.files)]))
  return {
    candidates,
    diffs,
    quoted: namesIn(symptoms),
    thingOf: sharedThings(candidates, symptoms),
    touchedOf: touchedNames(diffs, symptoms),
    missingOf: missingNames(diffs, symptoms),
    folderOf: sharedPaths(diffs, symptoms),
    routeOf: sharedRoutes(diffs, symptoms),
    codeOf: broughtCodes(diffs, symptoms),
    partOf: broughtParts(snapshot, observed, symptoms, diffs, names),
  }
}

/** Where changes arrived, as what was seen there since corrects it, and what that was. */
interface SeenSince {
  readonly arrivals: readonly Arrival[]
  /** What began to be used up, stepped or came to nothing there; null of what nothing did so at. */
  readonly spentBy: ReadonlyMap<Arrival, SeriesShift | null>
  /** What ran out for users and began to be used up where it arrived. */
  readonly filledBy: ReadonlyMap<Arrival, SeriesShift | null>
  /** What a platform recorded of the very part minutes after. */
  readonly eventOf: ReadonlyMap<Arrival, ControlPlaneEvent>
}

/** Looks for what moved where each change arrived, since it did. */
function seenSince(
  arrived: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
  names: EntityNames,
): SeenSince {
  const between = withStandingBetween(arrived, observed, snapshot, names)
  const passed = withBeforeEntry(withPassedThrough(between, observed, snapshot), observed, snapshot)
  const stopped = withStopped(withSeenSettings(passed, observed), observed)
  const bounds = withMovedLimits(stopped, observed, snapshot, names)
  const restarted = withRestarted(bounds, observed, names)
  const named = withNamedLevels(restarted, observed, snapshot)
  const begun = withBegunAnew(named, observed, snapshot, names)
  const unread = withLeftUnread(withKeptOut(withLess(begun, observed), observed), observed)
  const bounded = withNamedLabels(unread, observed, snapshot.entities)
  const harder = withHarderWork(bounded, observed, snapshot)
  const placed = withEndedOutput(withCleared(harder, observed), observed, names)
  const { arrivals: failedOver, eventOf } = withFailedOver(placed, observed, snapshot, names)
  const { arrivals, stepOf } = withMovedItself(failedOver, observed, snapshot)
  // What many more who ask use up was not begun by a change of the store.
  const opened = moreAskers(snapshot, observed)?.connections.series.entity
  const spending = usedUpBefore(observed)
  const steps = stepsByArrival(stepsBefore(arrivals, observed, snapshot.edges), arrivals)
  const filledBy = new Map(
    arrivals
      .filter(
        ({ effective, trivial, place }) =>
          effective.known && trivial === null && (opened === undefined || place.reaches !== opened),
      )
      .map((arrival) => [arrival, usedUpAfter(spending, arrival.place.reaches, arrival.effective.from)]),
  )
  const spentBy = new Map(
    arrivals.map((arrival) => [
      arrival,
      arrival.stopped ??
        arrival.seen ??
        (filledBy.has(arrival)
          ? (filledBy.get(arrival) ?? stepOf.get(arrival) ?? steps.get(arrival) ?? null)
          : null),
    ]),
  )
  return { arrivals, spentBy, filledBy, eventOf }
}

/** How many changes took away or added each name that is quoted: what several did is quoted of none in particular. */
function holdersOfNames(
  arrivals: readonly Arrival[],
  quoted: ChangeTexts['quoted'],
): ReadonlyMap<string, number> {
  const holders = new Map<string, number>()
  for (const { diff } of arrivals) {
    const name = findQuoted(diff, quoted)?.name.toLowerCase()
    if (name !== undefined) holders.set(name, (holders.get(name) ?? 0) + 1)
  }
  return holders
}

/** What one change is judged by: what is observed, and all other changes beside it. */
interface Beside {
  readonly observed: Observed
  readonly symptoms: readonly Symptom[]
  readonly names: EntityNames
  readonly texts: ChangeTexts
  readonly since: SeenSince
  readonly weigh: ReturnType<typeof wordScorer>
  readonly contrasts: readonly VersionContrast[]
  readonly closenessOf: ReturnType<typeof closeness>
  readonly oddsOf: ReturnType<typeof oddsOfArrival>
  readonly holders: ReadonlyMap<string, number>
  /** The error that what fails names and a change no longer handles. */
  readonly droppedOf: ReturnType<typeof droppedHandlers>
  readonly isStoreOfOthers: ReturnType<typeof storeOfOthers>
}

/** What speaks for one change; what of it can do the harm is with its arrival. */
interface Signs
  extends Pick<
    RankedChange,
    'echo' | 'spent' | 'failed_over' | 'quoted' | 'contrast' | 'closeness' | 'coincides'
  > {
  readonly words: ReturnType<Beside['weigh']>
  /** Its version does well beside another that does not. */
  readonly is_acquitted: boolean
}

/** One change with its score and all that speaks for it. */
function rankedChange(arrival: Arrival, beside: Beside): RankedChange {
  const { change, diff, rollout, effective, place, mechanism, trivial, sight } = arrival
  const { observed, oddsOf } = beside
  const signs = signsOf(arrival, beside)
  const isLinked = isLinkedBy(signs, arrival, observed)
  const isOfOthers = isDoneToOthers(signs, arrival, beside)
  const score = scoreOf(signs, arrival, isLinked, beside)
  return {
    change,
    diff,
    score: isOfOthers ? round6(OF_OTHERS * score) : score,
    effective_at: { from: effective.from, to: effective.to, known: effective.known },
    carried_by: rollout,
    ...(sight === undefined ? {} : { sight }),
    run: seenRun(arrival),
    acts_on_stored_data: actsOnStoredData(arrival),
    place: place.score,
    reaches: place.reaches,
    ...(place.falls_on === undefined ? {} : { falls_on: place.falls_on }),
    ...misreadBy(arrival, observed),
    is_of_others: isOfOthers,
    mechanism,
    echo: signs.echo,
    spent: signs.spent,
    is_stopped: arrival.stopped !== undefined,
    failed_over: signs.failed_over,
    quoted: signs.quoted,
    contrast: signs.contrast,
    words: signs.words.words,
    words_score: signs.words.score,
    trivial: trivial?.reason ?? null,
    is_linked: isLinked,
    closeness: signs.closeness,
    coincides: signs.coincides,
    hardly_chance: !signs.is_acquitted && place.score >= NEAR_PLACE && oddsOf(arrival).is_hardly_chance,
  }
}

/** Who cannot read the answers of what it reached, if it took effect just before: the next answer fails its reader. */
const misreadBy = (
  { place: { misread_by: reader }, effective }: Arrival,
  { onset }: Observed,
): Pick<Place, 'misread_by'> =>
  reader !== undefined && onset !== null && onset.at - effective.from <= NEAR_MS ? { misread_by: reader } : {}

/** It was done to a store that nobody asks who is hurt, and neither a word of these nor another version says otherwise. */
const isDoneToOthers = (
  { quoted, contrast }: Signs,
  { place }: Arrival,
  { isStoreOfOthers, observed }: Beside,
): boolean =>
  place.reaches !== null &&
  contrast === null &&
  (quoted === null || !isSaidByHurt(quoted.symptom, observed)) &&
  isStoreOfOthers(place.reaches)

/** Whoever complains a little elsewhere asks what it always asks. */
const isSaidByHurt = ({ entity }: Symptom, { first, symptom_service: asked }: Observed): boolean =>
  entity === null || entity === first?.entity || entity === asked

/** Collects what speaks for one change. */
function signsOf(arrival: Arrival, beside: Beside): Signs {
  const { observed, names, since, contrasts, closenessOf, weigh } = beside
  const { contrast, is_acquitted: isAcquitted } = contrastOf(arrival, contrasts, names)
  // Whose version does well beside another is not where it began, however close it came.
  const close = isAcquitted ? 0 : closenessOf(arrival)
  return {
    echo: findEcho(arrival.diff, observed.shifts, isEchoOf(arrival)),
    spent: since.spentBy.get(arrival) ?? null,
    failed_over: since.eventOf.get(arrival) ?? null,
    quoted: quotedOf(arrival, beside),
    contrast,
    closeness: close,
    coincides: close >= COINCIDES,
    words: weigh(arrival.change),
    is_acquitted: isAcquitted,
  }
}

/** The name that a change and what fails share, by what says most: what merely touches it comes last. */
function quotedOf(arrival: Arrival, { symptoms, names, texts, droppedOf }: Beside): RankedChange['quoted'] {
  const { change, diff, place } = arrival
  const { quoted, thingOf, touchedOf, missingOf, folderOf, routeOf, codeOf, partOf } = texts
  const isNear = place.score >= NEAR_PLACE
  const touched = isNear ? touchedOf(change) : null
  return (
    findFlag(change, symptoms) ??
    partOf(change)?.quoted ??
    (isNear ? (droppedOf(diff, place.reaches) ?? missingOf(change)) : null) ??
    (isNear ? (quotedResource(change, quoted, names) ?? thingOf(change)) : null) ??
    (isActedOn(touched) ? touched : null) ??
    (isNear ? (codeOf(change) ?? folderOf(change) ?? routeOf(change)) : null) ??
    findQuoted(diff, quoted) ??
    (isNear ? namedBlock(arrival, symptoms) : null) ??
    touched
  )
}

/** Something in a change, or around it, names or does something that is observed. */
function isLinkedBy(signs: Signs, { work, place, mechanism }: Arrival, { first }: Observed): boolean {
  const isInTime = signs.closeness > 0
  const fit = mechanism?.score ?? 0
  // What it can break is what is seen, in the words of that very fault, where it arrived in time.
  const isExact = fit >= EXACT && isInTime
  // What it brought is done on the very place that fails, and fails it in the manner of such work.
  const isActing = work !== null && place.reaches === first?.entity && fit >= ACTING && isInTime
  return (
    isActing ||
    signs.words.is_linked ||
    signs.echo !== null ||
    signs.spent !== null ||
    signs.failed_over !== null ||
    signs.quoted !== null ||
    signs.contrast !== null ||
    signs.coincides ||
    isExact
  )
}

/** What the signs come to together, 0 to 1, wherever and whenever the change arrived. */
function strengthOf(
  { echo, spent, failed_over: event, quoted, contrast, closeness: close, words }: Signs,
  { diff, mechanism }: Arrival,
  isLinked: boolean,
  holders: ReadonlyMap<string, number>,
): number {
  return anyOf(
    WEIGHTS.mechanism * (mechanism?.score ?? 0) * (isLinked ? 1 : UNLINKED),
    echo === null ? 0 : WEIGHTS.echo,
    quoted === null
      ? 0
      : WEIGHTS.named *
          (isActedOn(quoted) && (holders.get(quoted.name.toLowerCase()) ?? 0) < 2 ? 1 : HALF_NAMED),
    contrast === null ? 0 : WEIGHTS.contrast,
    spent === null ? 0 : spent.series.unit === CALLS && asksMore(diff) ? WEIGHTS.asking : WEIGHTS.spent,
    event === null ? 0 : WEIGHTS.failed_over,
    WEIGHTS.words * words.score,
    WEIGHTS.closeness * close,
    WEIGHTS.base,
  )
}

/**
 * The strength of the signs where the change arrived, as odds that its delay multiplies (Bayes' theorem), and what is left of
 * it by what else is known of it, 0 to 1.
 */
function scoreOf(signs: Signs, arrival: Arrival, isLinked: boolean, beside: Beside): number {
  const { place, effective, trivial } = arrival
  const chance = strengthOf(signs, arrival, isLinked, beside.holders) * place.score
  const ratio = ratioOfDelay(delayOf(arrival, beside))
  const odds = mayTakeLonger(signs, arrival) ? Math.max(LEAST_OF_SHOWN, ratio) : ratio
  const timed = (chance * odds) / (1 - chance + chance * odds)
  return round6(
    timed *
      (effective.known ? 1 : UNSEEN) *
      (signs.is_acquitted ? ACQUITTED : 1) *
      (trivial === null ? 1 : trivial.factor),
  )
}

/** That the harm came late says less where the change is seen to do it, and where nobody saw when it took effect. */
const mayTakeLonger = ({ quoted, echo, contrast }: Signs, { mechanism, effective }: Arrival): boolean =>
  !effective.known ||
  isActedOn(quoted) ||
  echo !== null ||
  contrast !== null ||
  (mechanism?.score ?? 0) >= SEEN_TO_HARM

/** How long after a change its harm began: users were hurt, or what was to run out for them began to be used up. */
function delayOf(arrival: Arrival, { observed: { onset }, since }: Beside): number {
  const filled = since.filledBy.get(arrival)
  const began = filled ? beganToGrow(filled) : onset?.at
  return began === undefined ? INDIFFERENT_MS : began - arrival.effective.from
}

/** A statement of the change alters what is stored. */
const actsOnStoredData = ({ work }: Arrival): boolean => work?.of === 'stored data'

/** The run that tells when it took effect. */
const seenRun = ({ run, effective }: Arrival): Run | null => (run?.at === effective.from ? run : null)

/** What the versions of a service that run side by side say about the one that came with a change. */
function contrastOf(
  arrival: Arrival,
  contrasts: readonly VersionContrast[],
  names: EntityNames,
): Pick<Signs, 'contrast' | 'is_acquitted'> {
  const { entity, after } = arrival.rollout ?? arrival.change
  if (entity === undefined || after === undefined) return { contrast: null, is_acquitted: false }
  const own = contrasts.filter((each) => each.entity === names.canonical(entity))
  const contrast = own.find(({ worse }) => isSameVersion(after, worse)) ?? null
  const isBetterOff = contrast === null && own.some(({ better }) => isSameVersion(after, better))
  // Who changes what is stored does well himself: the versions before miss what he moved.
  return { contrast, is_acquitted: isBetterOff && !actsOnStoredData(arrival) }
}

/**
 * By score; ties by effect time (the later one is nearer the onset), then what somebody wrote before what only names
 * versions, then by size, at last by the tool's id.
 */
const compareRanked = (a: RankedChange, b: RankedChange): number =>
  b.score - a.score ||
  b.effective_at.from - a.effective_at.from ||
  Number(isManifestOnly(a.diff)) - Number(isManifestOnly(b.diff)) ||
  b.diff.size - a.diff.size ||
  compareText(a.change.id, b.change.id)
