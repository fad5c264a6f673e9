/**
 * Where a change arrived, and when: what it reaches against what fails.
 *
 * A change is of a service, of whoever owns the folders that it touches, of what an orchestrator moved because of it, or
 * of what its record names; and it acts on what its owner uses where it is one of stored data or adds work of its own. What
 * was done to a machine was done to what runs on it.
 */

import { isApart } from '../place/apart.ts'
import { failsLittleBeside, isOnlyCaller, isOtherEnd } from '../place/counted-place.ts'
import type { Observed } from '../place/failing-services.ts'
import { pairsOf } from '../records/calls-by-pair.ts'
import { isKnownDone } from '../records/change-record.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { seriesByEntity } from '../records/series-by-entity.ts'
import type { Change, Entity, Snapshot } from '../records/snapshot.ts'
import { servicesOf } from '../records/speaking-services.ts'
import { type ActingWork, actsOn } from './acting-changes.ts'
import { type Hosted, hostedBy } from './hosted-by.ts'
import { type Moved, movesOf } from './moved-pods.ts'
import { placesNamedBy } from './named-resources.ts'

/** From this place on a change reaches what fails, or what calls it or is called by it directly. */
export const NEAR_PLACE = 0.7
/** Place of a change that reached nothing that fails or is next to what does. */
const ELSEWHERE = 0.25
/** Place of a change of who wrote what the failing service cannot read: next to that of the failing service. */
export const WRITES = 0.95
/** Share of a place where a change was merged and not seen to take effect. */
export const MERGED = 0.75
const SHARED =
  /(^|\/)(pkg|libs?|shared|common|core|internal|platform|packages|modules|proto|schemas?|config|infra|terraform|charts|helm|deploy|k8s|manifests|base|sdk)\//i
const SHARED_FILE =
  /(^|\/)(go\.(mod|sum)|package(-lock)?\.json|Dockerfile|requirements[^/]*\.txt|pom\.xml|build\.gradle(\.kts)?|Cargo\.(toml|lock))$/i

export const isRollout = (change: Change): boolean => change.kind === 'deploy' || change.kind === 'release'

export function effectTime(
  change: Change,
  rollout: Change | null,
): { from: number; to: number; known: boolean } {
  if (rollout !== null) return { ...effectTime(rollout, null), known: isKnownDone(rollout) }
  if (change.effective_at !== undefined)
    return {
      from: change.effective_at.from,
      to: change.effective_at.to,
      known: change.certainty !== 'guessed',
    }
  const immediate = isRollout(change) || change.kind === 'flag' || change.kind === 'scale'
  return { from: change.recorded_at, to: change.recorded_at, known: immediate && isKnownDone(change) }
}

/** What is measured or speaks, and what a change of machines moved. */
export interface Surroundings {
  readonly isMeasured: (entity: string) => boolean
  readonly movedBy: (change: Change) => readonly Moved[]
  /** An orchestrator says what moved. */
  readonly isOrchestrated: boolean
  readonly entities: readonly Entity[]
  /** What runs on the machine that a record is of. */
  readonly hostedOn: (change: Change) => readonly Hosted[]
  /** Whose answers what fails cannot read. */
  readonly misread: ReadonlySet<string>
}

export function surroundingsOf(
  snapshot: Snapshot,
  names: EntityNames,
  latest: number | null,
  misread: ReadonlySet<string>,
): Surroundings {
  const measured = new Set<string>()
  for (const entity of seriesByEntity(snapshot.series).keys()) measured.add(entity)
  // One list after another: to join them would copy tens of thousands of records.
  for (const list of [snapshot.logs, snapshot.spans, snapshot.patterns])
    for (const service of servicesOf(list)) measured.add(service)
  for (const { caller, callee } of pairsOf(snapshot.edges)) measured.add(caller).add(callee)
  for (const { service } of snapshot.alerts) if (service !== undefined) measured.add(service)
  const movedBy = movesOf(snapshot, names, latest)
  const moves = new Map(snapshot.changes.map((change) => [change, movedBy(change)]))
  return {
    isMeasured: (entity) => measured.has(entity),
    movedBy: (change) => moves.get(change) ?? [],
    isOrchestrated: snapshot.k8s.length > 0,
    entities: snapshot.entities,
    hostedOn: hostedBy(snapshot, names),
    misread,
  }
}

/** How much a change there can explain: where it failed first most, next to it less, elsewhere hardly. */
export function placeOfTarget(target: string, observed: Observed, elsewhere = ELSEWHERE): number {
  const first = observed.first?.entity ?? null
  if (target === first || observed.gone_through.has(target)) return 1
  // What it reached fails for itself, in a system that has nothing to do with this one.
  if (first !== null && isApart(target, first, observed.graph)) return elsewhere
  const isUnexplained = isAmong(observed.unexplained, target)
  const isPlace = isUnexplained && !failsLittleBeside(target, observed)
  if (isPlace || isOnlyCaller(target, observed) || isOtherEnd(target, observed)) return 0.85
  if (first !== null && (isNeighbour(target, first, observed) || isBeside(target, first, observed)))
    return NEAR_PLACE
  if (!isAmong(observed.failing, target)) return elsewhere
  return isOnTheWay(target, observed) ? NEAR_PLACE : 0.5
}

function isAmong(failing: Observed['failing'], target: string): boolean {
  for (const { entity } of failing) if (entity === target) return true
  return false
}

/** Whether one that fails asks it and the first failing place too: what the one gives out is handed on to the other. */
export function isHandedOn(target: string, { graph, failing, first }: Observed): boolean {
  if (first === null || target === first.entity) return false
  return failing.some(({ entity }) => {
    const asked = graph.callees.get(entity)
    return asked?.has(target) === true && asked.has(first.entity)
  })
}

/** Between what was asked about and where it failed first: who asks more of what it calls fails with it. */
function isOnTheWay(target: string, { graph, symptom_service: asked, first }: Observed): boolean {
  if (asked === null || first === null) return false
  const isReached = target === asked || graph.reachableFrom(asked).has(target)
  return isReached && graph.reachableFrom(target).has(first.entity)
}

/** How much a change can explain by where it arrived, and whom it reached there. */
export interface Place {
  readonly score: number
  readonly reaches: string | null
  /** Whose change it is. */
  readonly owners: ReadonlySet<string>
  /** It is of no service; its record names what it changed. */
  readonly is_named: boolean
  /** It is of a machine of which is known what runs on it. */
  readonly is_hosting?: true
  /** What runs on the machine that it reached, and by which it stands where it does. */
  readonly falls_on?: string
  /** Who fails and cannot read the answers of what it reached. */
  readonly misread_by?: string
}

type Reach = Pick<Place, 'score' | 'reaches' | 'falls_on' | 'misread_by'>

export function placeOf(
  change: Change,
  rollout: Change | null,
  isInherited: boolean,
  observed: Observed,
  names: EntityNames,
  { isMeasured, movedBy, isOrchestrated, entities, hostedOn, misread }: Surroundings,
  work: ActingWork | null,
  hasRun: (owners: ReadonlySet<string>) => boolean,
): Place {
  const places: Reach[] = []
  const paths = change.files ?? []
  const owners = new Set(paths.flatMap((path) => names.ownersOf(path)))
  const moved = movedBy(change)
  const of = rollout?.entity ?? change.entity
  const target = of === undefined ? undefined : names.canonical(of)
  // A repository, a library or a pool of machines serves nobody: what it carries goes to others.
  const isPool = change.kind === 'infra' && !isOrchestrated
  // What neither speaks nor is measured serves nobody.
  const named = placesNamedBy(change, names).filter(isMeasured)
  const isHome =
    target !== undefined &&
    !isMeasured(target) &&
    (owners.size > 0 || moved.length > 0 || named.length > 0 || isPool)
  const { known } = effectTime(change, rollout)
  if (target !== undefined && !isHome)
    places.push({
      score: placeOfTarget(target, observed, isInherited ? 0.65 : ELSEWHERE),
      reaches: target,
    })
  for (const { entity } of moved) places.push({ score: placeOfTarget(entity, observed), reaches: entity })
  for (const owner of owners) {
    const near = placeOfTarget(owner, observed)
    // Whoever cannot read its answers shows that it was changed, delivered or not.
    const score = misread.has(owner) && near >= NEAR_PLACE ? Math.max(near, WRITES) : near
    // Merged but not seen to roll out: the place fits, the effect is only likely.
    const share = target !== undefined && !isHome ? 0.6 : known && isDelivered(change) ? 1 : MERGED
    places.push({
      score: score < 0.85 && share < 1 ? Math.min(score, ELSEWHERE) : score * share,
      reaches: owner,
    })
  }
  const owning = new Set(target !== undefined && !isHome ? [target] : owners)
  // What runs because of it does its work there, as far as it is known to have been delivered.
  if (work !== null) {
    const share = known || hasRun(owning) ? 1 : MERGED
    for (const entity of actsOn(work, owning, observed.graph, entities))
      places.push({ score: placeOfTarget(entity, observed) * share, reaches: entity })
  }
  const isNamed = owning.size === 0 && named.length > 0
  if (isNamed)
    for (const entity of named) places.push({ score: placeOfTarget(entity, observed), reaches: entity })
  // Whose own telemetry is off was changed itself, and what it fails lies behind it.
  const isOff = (machine: string): boolean =>
    observed.shifts.some(({ series, is_bad: isBad }) => isBad && series.entity === machine)
  const hosted = (change.kind === 'infra' ? hostedOn(change) : []).map(({ entity, machine, share }) => ({
    score: placeOfTarget(entity, observed) * share,
    ...(isOff(machine) ? { reaches: machine, falls_on: entity } : { reaches: entity }),
  }))
  places.push(...hosted)
  if (places.length === 0) places.push({ score: isPool ? NEAR_PLACE : placeOfNobody(change), reaches: null })
  const reader = observed.first?.entity
  const best = places
    .map((place) =>
      misread.has(place.reaches ?? '') && place.score >= NEAR_PLACE
        ? {
            ...{ ...place, score: Math.max(place.score, WRITES) },
            ...(reader === undefined || reader === place.reaches ? {} : { misread_by: reader }),
          }
        : place,
    )
    .reduce((most, place) => (place.score > most.score ? place : most))
  const isHosted = hosted.some(({ reaches }) => reaches === best.reaches)
  return {
    ...{ ...best, owners: owning, is_named: isNamed || isHosted },
    ...(hosted.length > 0 ? { is_hosting: true } : {}),
  }
}

/** Settings are in effect for whoever's they are, once they are in effect. */
export const isDelivered = ({ kind }: Change): boolean => kind === 'config' || kind === 'infra'

/** What says of nobody that it is theirs: a flag may be asked by everybody, a shared folder used by many. */
function placeOfNobody({ kind, files = [] }: Change): number {
  if (kind === 'flag') return NEAR_PLACE
  if (files.some((path) => SHARED.test(path))) return 0.55
  return files.some((path) => SHARED_FILE.test(path)) ? 0.4 : 0.45
}

/** Who asks the same failing thing: what one of them asks too much the other waits for. */
function isBeside(target: string, first: string, { graph, failing }: Observed): boolean {
  const asked = graph.callees.get(target)
  const own = graph.callees.get(first)
  if (asked === undefined || own === undefined) return false
  for (const { entity } of failing) if (asked.has(entity) && own.has(entity)) return true
  return false
}

const isNeighbour = (a: string, b: string, observed: Observed): boolean =>
  observed.graph.callees.get(a)?.has(b) === true || observed.graph.callees.get(b)?.has(a) === true
