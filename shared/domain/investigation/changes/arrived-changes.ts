/**
 * Where and when each change arrived, by whom it was brought, and what of it can do harm there.
 *
 * The records say when a change took effect and whose it is. Where an orchestrator, a run of what it brought, or who asks
 * tells more precisely, that counts; and what fails may name what changed, which brings it next to what fails.
 */

import type { Observed } from '../place/failing-services.ts'
import { misreadFrom } from '../place/misread-answers.ts'
import { refusedAt } from '../place/refused-requests.ts'
import type { Symptom } from '../place/symptoms.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { type ActingWork, workOf } from './acting-changes.ts'
import { atClients } from './asking-clients.ts'
import type { BroughtPart } from './brought-names.ts'
import { carriersOf, chooseRollout, inheritedRollouts } from './carrying-rollouts.ts'
import type { Arrival } from './closeness.ts'
import { lastRun, type Run } from './first-runs.ts'
import { mechanismOfFlag, mechanismOfRecord, strongestMechanism } from './fitting-mechanism.ts'
import { isActRecord } from './named-resources.ts'
import {
  effectTime,
  isHandedOn,
  NEAR_PLACE,
  type Place,
  placeOf,
  placeOfTarget,
  surroundingsOf,
  WRITES,
} from './place-of-changes.ts'
import { findQuoted } from './quoted-changes.ts'
import { isActedOn, type RankedChange } from './ranked-change.ts'
import type { DiffReading } from './read-diff.ts'
import { seenVersions } from './seen-versions.ts'
import { trivialReason } from './trivial-changes.ts'
import { atUpgraded } from './upgraded-platforms.ts'

/** The changes that may be the cause as they read, and what each shares with what is said of what fails. */
export interface ChangeTexts {
  readonly candidates: readonly Change[]
  readonly diffs: ReadonlyMap<Change, DiffReading>
  /** Names that what fails quotes, in lower case, each with the first symptom that does. */
  readonly quoted: ReadonlyMap<string, Symptom>
  /** What a change and what fails name alike. */
  readonly thingOf: (change: Change) => RankedChange['quoted']
  /** What fails names something in lines that a change touches. */
  readonly touchedOf: (change: Change) => RankedChange['quoted']
  /** What fails says that something is not there which a change asks for. */
  readonly missingOf: (change: Change) => RankedChange['quoted']
  /** What fails could not read a file of a folder that a change writes in. */
  readonly folderOf: (change: Change) => RankedChange['quoted']
  /** Requests fail whose path a change touches. */
  readonly routeOf: (change: Change) => RankedChange['quoted']
  /** What fails says a value that a change brings in. */
  readonly codeOf: (change: Change) => RankedChange['quoted']
  /** What fails speaks of a part that a change began. */
  readonly partOf: (change: Change) => BroughtPart | null
}

/**
 * Tells of every change that may be the cause where and when it arrived.
 *
 * @param latest - until when a change is in time, epoch milliseconds; null where no onset is known
 */
export function arrivedChanges(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
  texts: ChangeTexts,
  latest: number | null,
): readonly Arrival[] {
  const { candidates, diffs } = texts
  const carriers = carriersOf(snapshot.changes)
  const inherited = inheritedRollouts(candidates, diffs, carriers)
  const surroundings = surroundingsOf(
    snapshot,
    names,
    latest,
    new Set([...misreadFrom(observed, symptoms, names), ...refusedAt(observed, symptoms, snapshot.edges)]),
  )
  const clientsOf = atClients(snapshot, observed, names, surroundings.isMeasured)
  const upgradedOf = atUpgraded(snapshot, names)
  const sightOf = seenVersions(snapshot, names)
  const isSaidNextTo = saidNextTo(snapshot, observed, texts)
  return candidates.map((change): Arrival => {
    const diff = diffs.get(change) as DiffReading
    const rollouts = [...(carriers.get(change.id) ?? []), ...(inherited.get(change) ?? [])]
    const rollout = chooseRollout(rollouts, observed, latest, names)
    const work = workOf(change, diff)
    const runFor = (owners: ReadonlySet<string>): Run | null =>
      runOf(change, work, owners, snapshot, names, latest)
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
    const told = clientsOf(change, rollout, diff) ?? upgradedOf(change, effectTime(change, rollout).from)
    const begun = texts.partOf(change)
    const place = placeSaid(found, told?.place ?? null, begun, () => isSaidNextTo(change, diff, found))
    const run = runFor(place.owners)
    const moved = surroundings.movedBy(change).find(({ entity }) => entity === place.reaches)
    const mechanism = told?.mechanism ?? mechanismOf(change, diff, symptoms, names)
    const recorded = sinceBegun(effectiveAt(change, rollout, place, moved?.at ?? null, run, names), begun)
    const sight = latest !== null && recorded.from > latest ? sightOf(rollout ?? change, latest) : null
    return {
      change,
      diff,
      rollout,
      effective: sight === null ? recorded : { from: sight.at, to: sight.at, known: true },
      ...(sight === null ? {} : { sight }),
      run,
      work,
      place,
      mechanism,
      // Who asks for what is said not to be there did more than it looks.
      trivial: texts.missingOf(change) === null ? trivialReason(change, diff, mechanism?.score ?? 0) : null,
    }
  })
}

/** Where a change arrived: by its records, by who asks as it says, by who says what it took away, by the part that it began, or as what fails says next to it. */
function placeSaid(
  found: Place,
  told: Pick<Place, 'score' | 'reaches'> | null,
  begun: BroughtPart | null,
  isSaidNextTo: () => boolean,
): Place {
  if (begun !== null && found.score < WRITES) return { ...found, score: WRITES, reaches: begun.part }
  if (told !== null && told.score > found.score) return { ...found, ...told }
  return found.score < NEAR_PLACE && isSaidNextTo() ? { ...found, score: NEAR_PLACE } : found
}

/** When a change took effect: where nobody recorded it, as the part that it began was there first. */
const sinceBegun = (effective: Arrival['effective'], begun: BroughtPart | null): Arrival['effective'] =>
  effective.known || begun === null ? effective : { from: begun.at, to: begun.at, known: true }

/** When the work that a change brought ran last, at the latest before the onset; null where it brought none, or none ran. */
const runOf = (
  change: Change,
  work: ActingWork | null,
  owners: ReadonlySet<string>,
  snapshot: Snapshot,
  names: EntityNames,
  latest: number | null,
): Run | null =>
  work === null
    ? null
    : lastRun(work, owners, snapshot, names, change.recorded_at, latest ?? snapshot.window.to)

/**
 * Tells whether what is said of what fails brings a change next to it. Without calls nobody knows who is next to whom: that
 * what fails quotes the change says so. With calls it has to name what no call can place, or what stands next to it anyway
 * and was acted on.
 */
function saidNextTo(
  snapshot: Snapshot,
  observed: Observed,
  { quoted, thingOf, touchedOf, folderOf, codeOf }: ChangeTexts,
): (change: Change, diff: DiffReading, place: Place) => boolean {
  const isTraced = snapshot.edges.length + snapshot.spans.length > 0
  // What it names was delivered, though nobody recorded when.
  const isUncounted = (owners: ReadonlySet<string>): boolean =>
    [...owners].every((owner) => !observed.flows.has(owner) && !observed.graph.callees.has(owner))
  const isNextTo = (owner: string): boolean =>
    placeOfTarget(owner, observed) >= NEAR_PLACE || isHandedOn(owner, observed)
  return (change, diff, { owners }) =>
    // Who shares a folder need not call each other.
    folderOf(change) !== null ||
    (isTraced
      ? (thingOf(change) !== null && isUncounted(owners)) ||
        ((isActedOn(touchedOf(change)) || codeOf(change) !== null) && [...owners].some(isNextTo))
      : findQuoted(diff, quoted) !== null)
}

/**
 * When a change took effect, in epoch milliseconds; `known` says whether anything tells so.
 *
 * @param movedAt - when an orchestrator moved what it reached; null where it did not
 */
function effectiveAt(
  change: Change,
  rollout: Change | null,
  place: Place,
  movedAt: number | null,
  run: Run | null,
  names: EntityNames,
): Arrival['effective'] {
  const delivered = effectTime(change, rollout)
  // What an infrastructure writes down of itself was done then.
  const isDone = isActRecord(change) && (place.is_named || isOwn(change, place, names))
  // The orchestrator says when it got there, whatever the record of the whole says.
  const seen = movedAt ?? run?.at
  if (seen === undefined) return { ...delivered, known: delivered.known || isDone }
  const isSeen = movedAt !== null || (run?.seen ?? null) !== null
  return { from: seen, to: seen, known: isSeen || delivered.known || isDone }
}

/** It is of the very thing that it reached, and nothing else says when it took effect. */
const isOwn = ({ entity, effective_at }: Change, { reaches }: Place, names: EntityNames): boolean =>
  entity !== undefined && effective_at === undefined && names.canonical(entity) === reaches

/** What a change can break that fits what is observed best: by its title where it is a record, else by what its diff does. */
const mechanismOf = (
  change: Change,
  diff: DiffReading,
  symptoms: readonly Symptom[],
  names: EntityNames,
): RankedChange['mechanism'] =>
  isActRecord(change)
    ? mechanismOfRecord(names.withoutNames(change.title ?? ''), symptoms, change)
    : change.kind === 'flag'
      ? mechanismOfFlag(change, symptoms)
      : strongestMechanism(diff, symptoms)
