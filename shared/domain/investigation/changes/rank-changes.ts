/**
 * Changes ranked by how likely each of them caused what is observed.
 *
 * In this order: time (hard: what took effect after the onset is no cause; what arrived just before it, where it
 * fails and next to alone, is evidence of its own), place (what the change reaches against what fails), version
 * contrast, mechanism (what its diff can break against what is observed), echoes (a name that the errors quote
 * vanished in the diff, a level that moved exactly as a setting did), words last (IDF-weighted overlap of net changed
 * words; Spärck Jones, 1972). Signs join by noisy-or; place and time scale the result.
 */

import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { contrastVersions, isSameVersion, type VersionContrast } from '../deviations/version-contrast.ts'
import type { Observed } from '../place/failing-services.ts'
import { misreadFrom } from '../place/misread-answers.ts'
import { refusedAt } from '../place/refused-requests.ts'
import type { Symptom } from '../place/symptoms.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { anyOf, round6 } from '../statistics.ts'
import { workOf } from './acting-changes.ts'
import { atClients } from './asking-clients.ts'
import { asksMore, CALLS } from './asks-otherwise.ts'
import { withBeforeEntry } from './before-entry.ts'
import { carriersOf, chooseRollout, inheritedRollouts } from './carrying-rollouts.ts'
import { oddsOfArrival } from './chance-arrivals.ts'
import { type Arrival, closeness } from './closeness.ts'
import { findEcho, isEchoOf } from './echoed-settings.ts'
import { withFailedOver } from './failed-over-since.ts'
import { lastRun, type Run } from './first-runs.ts'
import { mechanismOfFlag, mechanismOfRecord, strongestMechanism } from './fitting-mechanism.ts'
import { isManifestOnly } from './mechanisms.ts'
import { withMovedItself } from './moved-itself.ts'
import { withNamedLevels } from './named-levels.ts'
import { isActRecord, quotedResource } from './named-resources.ts'
import { withPassedThrough } from './passed-through.ts'
import {
  effectTime,
  isHandedOn,
  isRollout,
  NEAR_PLACE,
  type Place,
  placeOf,
  placeOfTarget,
  surroundingsOf,
} from './place-of-changes.ts'
import { findFlag, findQuoted, namesIn } from './quoted-changes.ts'
import { type ChangeRanking, isActedOn, type RankedChange } from './ranked-change.ts'
import { type DiffReading, readDiff } from './read-diff.ts'
import { withSeenSettings } from './seen-settings.ts'
import { sharedThings } from './shared-identifiers.ts'
import { steppedWith, stepsBefore } from './stepped-at-rollout.ts'
import { withStopped } from './stopped-since.ts'
import { touchedNames } from './touched-names.ts'
import { trivialReason } from './trivial-changes.ts'
import { usedUpAfter, usedUpBefore } from './used-up-since.ts'
import { wordScorer } from './word-overlap.ts'

/** Time after which half of the credit for being recent is gone: a slow fill takes an hour or two. */
const RECENT_MS = 2 * 3_600_000
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
/** What remains of a change whose version does well beside another that does not. */
const ACQUITTED = 0.3
/** What a mechanism is worth where nothing in the change, or around it, names anything observed. */
const UNLINKED = 0.55
/** From here a mechanism is full in the diff, and its own words are much of what is observed. */
const EXACT = 0.8
/** From here work of its own is seen to do what such work does. */
const ACTING = 0.3

/** Ranks everything that changed and could be the cause. */
export function rankChanges(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
): ChangeRanking {
  const carriers = carriersOf(snapshot.changes)
  const known = new Set(snapshot.changes.map((change) => change.id))
  const candidates = snapshot.changes.filter(
    (change) => !(isRollout(change) && (change.carries ?? []).some((id) => known.has(id))),
  )
  const diffs = new Map(candidates.map((change) => [change, readDiff(change.diff, change.files)]))
  const inherited = inheritedRollouts(candidates, diffs, carriers)
  const weigh = wordScorer(candidates, diffs, symptoms, names)
  const quoted = namesIn(symptoms)
  const thingOf = sharedThings(candidates, symptoms)
  const touchedOf = touchedNames(diffs, symptoms)
  const contrasts = contrastVersions(snapshot, names, {
    from: observed.onset?.earliest ?? observed.normal.incident.from,
    to: observed.normal.incident.to,
  })
  const latest = observed.onset === null ? null : observed.onset.latest + CLOCK_TOLERANCE_MS
  const ranked: RankedChange[] = []
  const tooLate: RankedChange[] = []
  const surroundings = surroundingsOf(
    snapshot,
    names,
    latest,
    new Set([...misreadFrom(observed, symptoms), ...refusedAt(observed, symptoms, snapshot.edges)]),
  )
  const clientsOf = atClients(snapshot, observed, names, surroundings.isMeasured)
  const isTraced = snapshot.edges.length + snapshot.spans.length > 0
  const arrived = candidates.map((change): Arrival => {
    const diff = diffs.get(change) as DiffReading
    const rollouts = [...(carriers.get(change.id) ?? []), ...(inherited.get(change) ?? [])]
    const rollout = chooseRollout(rollouts, observed, latest, names)
    const work = workOf(change, diff)
    const runFor = (owners: ReadonlySet<string>): Run | null =>
      work === null
        ? null
        : lastRun(work, owners, snapshot, names, change.recorded_at, latest ?? snapshot.window.to)
    const found = placeOf(
      change,
      rollout,
      inherited.has(change),
      observed,
      names,
      surroundings,
      work,
      (owners) => (runFor(owners)?.seen ?? null) !== null,
    )
    // Who is next to whom is not known without calls; that what fails quotes the change says so. And what it names was delivered,
    // though nobody recorded when.
    const isUncounted = (owners: ReadonlySet<string>): boolean =>
      [...owners].every((owner) => !observed.flows.has(owner) && !observed.graph.callees.has(owner))
    const isNextTo = (owner: string): boolean => placeOfTarget(owner, observed) >= NEAR_PLACE
    const clients = clientsOf(change, rollout, diff)
    const place =
      clients !== null && clients.place.score > found.score
        ? { ...found, ...clients.place }
        : found.score < NEAR_PLACE &&
            (isTraced
              ? (thingOf(change) !== null && isUncounted(found.owners)) ||
                (isActedOn(touchedOf(change)) &&
                  [...found.owners].some((owner) => isNextTo(owner) || isHandedOn(owner, observed)))
              : findQuoted(diff, quoted) !== null)
          ? { ...found, score: NEAR_PLACE }
          : found
    const run = runFor(place.owners)
    const moved = surroundings.movedBy(change).find(({ entity }) => entity === place.reaches)
    const delivered = effectTime(change, rollout)
    // The orchestrator says when it got there, whatever the record of the whole says.
    const seen = moved?.at ?? run?.at
    const isKnown = moved !== undefined || delivered.known || (run?.seen ?? null) !== null
    const effective = seen === undefined ? delivered : { from: seen, to: seen, known: isKnown }
    // What an infrastructure writes down of itself was done then.
    const isDone = isActRecord(change) && (place.is_named || isOwn(change, place, names))
    const mechanism = clients?.mechanism
      ? clients.mechanism
      : isActRecord(change)
        ? mechanismOfRecord(names.withoutNames(change.title ?? ''), symptoms, change)
        : change.kind === 'flag'
          ? mechanismOfFlag(change, symptoms)
          : strongestMechanism(diff, symptoms)
    return {
      change,
      diff,
      rollout,
      effective: { ...effective, known: effective.known || isDone },
      run,
      work,
      place,
      mechanism,
      trivial: trivialReason(change, diff, mechanism?.score ?? 0),
    }
  })
  const passed = withBeforeEntry(withPassedThrough(arrived, observed, snapshot), observed, snapshot)
  const placed = withNamedLevels(withStopped(withSeenSettings(passed, observed), observed), observed)
  const { arrivals: failedOver, eventOf } = withFailedOver(placed, observed, snapshot, names)
  const { arrivals, stepOf } = withMovedItself(failedOver, observed, snapshot)
  const spending = usedUpBefore(observed)
  const steps = stepsBefore(arrivals, observed, snapshot.edges)
  const spentBy = new Map(
    arrivals.map((arrival) => [
      arrival,
      arrival.stopped ??
        arrival.seen ??
        (arrival.effective.known && arrival.trivial === null
          ? (usedUpAfter(spending, arrival.place.reaches, arrival.effective.from) ??
            stepOf.get(arrival) ??
            steppedWith(steps, arrival))
          : null),
    ]),
  )
  const closenessOf = closeness(arrivals, observed, latest, (arrival) => spentBy.get(arrival) ?? null)
  const oddsOf = oddsOfArrival(arrivals, observed, snapshot.window)
  // A name that several changes took away or added is quoted of none in particular.
  const holders = new Map<string, number>()
  for (const { diff } of arrivals) {
    const name = findQuoted(diff, quoted)?.name.toLowerCase()
    if (name !== undefined) holders.set(name, (holders.get(name) ?? 0) + 1)
  }
  for (const arrival of arrivals) {
    const { change, diff, rollout, effective, place, mechanism, trivial } = arrival
    const echo = findEcho(diff, observed.shifts.filter(isEchoOf(arrival)))
    const spent = spentBy.get(arrival) ?? null
    const event = eventOf.get(arrival) ?? null
    const touched = place.score >= NEAR_PLACE ? touchedOf(change) : null
    const named =
      findFlag(change, symptoms) ??
      (place.score >= NEAR_PLACE ? (quotedResource(change, quoted, names) ?? thingOf(change)) : null) ??
      (isActedOn(touched) ? touched : null) ??
      findQuoted(diff, quoted) ??
      touched
    const { score: wordsScore, words, is_linked: hasLink } = weigh(change)
    const { known } = effective
    const delay = observed.onset === null ? 0 : Math.max(0, observed.onset.at - effective.from)
    const recency = Math.exp((-Math.LN2 * delay) / RECENT_MS)
    const { contrast, is_acquitted: isBetterOff } = contrastOf(rollout ?? change, contrasts, names)
    // Who changes what is stored does well himself: the versions before miss what he moved.
    const isAcquitted = isBetterOff && arrival.work?.of !== 'stored data'
    // Whose version does well beside another is not where it began, however close it came.
    const close = isAcquitted ? 0 : closenessOf(arrival)
    const coincides = close >= COINCIDES
    // What it can break is what is seen, in the words of that very fault, where it arrived in time.
    const isExact = (mechanism?.score ?? 0) >= EXACT && close > 0
    // What it brought is done on the very place that fails, and fails it in the manner of such work.
    const isActing =
      arrival.work !== null &&
      place.reaches === observed.first?.entity &&
      (mechanism?.score ?? 0) >= ACTING &&
      close > 0
    const isLinked =
      isActing ||
      hasLink ||
      echo !== null ||
      spent !== null ||
      event !== null ||
      named !== null ||
      contrast !== null ||
      coincides ||
      isExact
    const isHardlyChance = !isAcquitted && place.score >= NEAR_PLACE && oddsOf(arrival).is_hardly_chance
    const signs = anyOf(
      WEIGHTS.mechanism * (mechanism?.score ?? 0) * (isLinked ? 1 : UNLINKED),
      echo === null ? 0 : WEIGHTS.echo,
      named === null
        ? 0
        : WEIGHTS.named *
            (isActedOn(named) && (holders.get(named.name.toLowerCase()) ?? 0) < 2 ? 1 : HALF_NAMED),
      contrast === null ? 0 : WEIGHTS.contrast,
      spent === null ? 0 : spent.series.unit === CALLS && asksMore(diff) ? WEIGHTS.asking : WEIGHTS.spent,
      event === null ? 0 : WEIGHTS.failed_over,
      WEIGHTS.words * wordsScore,
      WEIGHTS.closeness * close,
      WEIGHTS.base,
    )
    const score = round6(
      signs *
        place.score *
        (0.6 + 0.4 * recency) *
        (known ? 1 : 0.85) *
        (isAcquitted ? ACQUITTED : 1) *
        (trivial === null ? 1 : trivial.factor),
    )
    const entry: RankedChange = {
      change,
      diff,
      score,
      effective_at: { from: effective.from, to: effective.to, known },
      carried_by: rollout,
      run: seenRun(arrival),
      acts_on_stored_data: arrival.work?.of === 'stored data',
      place: place.score,
      reaches: place.reaches,
      mechanism,
      echo,
      spent,
      is_stopped: arrival.stopped !== undefined,
      failed_over: event,
      quoted: named,
      contrast,
      words,
      words_score: wordsScore,
      trivial: trivial?.reason ?? null,
      is_linked: isLinked,
      closeness: close,
      coincides,
      hardly_chance: isHardlyChance,
    }
    if (latest !== null && effective.from > latest) tooLate.push(entry)
    else ranked.push(entry)
  }
  ranked.sort(compareRanked)
  tooLate.sort((a, b) => a.effective_at.from - b.effective_at.from || compareRanked(a, b))
  return { ranked, too_late: tooLate }
}

/** It is of the very thing that it reached, and nothing else says when it took effect. */
const isOwn = ({ entity, effective_at }: Change, { reaches }: Place, names: EntityNames): boolean =>
  entity !== undefined && effective_at === undefined && names.canonical(entity) === reaches

/** The run that tells when it took effect. */
const seenRun = ({ run, effective }: Arrival): Run | null => (run?.at === effective.from ? run : null)

/** What the versions of a service that run side by side say about the one that a rollout brought. */
function contrastOf(
  rollout: Change,
  contrasts: readonly VersionContrast[],
  names: EntityNames,
): { readonly contrast: VersionContrast | null; readonly is_acquitted: boolean } {
  const { entity, after } = rollout
  if (entity === undefined || after === undefined) return { contrast: null, is_acquitted: false }
  const own = contrasts.filter((each) => each.entity === names.canonical(entity))
  const contrast = own.find(({ worse }) => isSameVersion(after, worse)) ?? null
  return {
    contrast,
    is_acquitted: contrast === null && own.some(({ better }) => isSameVersion(after, better)),
  }
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
