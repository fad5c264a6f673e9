/**
 * Causes that are no change: expired certificates, name resolution, outside providers, nodes, networks,
 * used-up capacity, traffic, data, events of a datastore.
 *
 * Only positive evidence counts; that no change fits is none. Method and thresholds per kind stand with its
 * detector. Signs join by noisy-or and the result is scaled by the share of symptoms that the kind explains.
 */

import { callersOf } from '../place/call-graph.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Symptom } from '../place/symptoms.ts'
import { linesOf, type Scene } from '../place/told-lines.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { machinesOf } from '../records/hosting.ts'
import { compareText } from '../records/log-templates.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { absentInstance } from './absent-instance.ts'
import { answeredCauses } from './answered-causes.ts'
import { besideTheCalls } from './beside-the-calls.ts'
import { blockedThreads } from './blocked-threads.ts'
import { brokenNetwork } from './broken-network.ts'
import { busyStores } from './busy-stores.ts'
import { differingCopies } from './differing-copy.ts'
import { differingPeer } from './differing-peer.ts'
import { downPart } from './down-part.ts'
import { endedInterfaces } from './ended-interfaces.ts'
import { endedProcess } from './ended-process.ts'
import { expiredCertificate } from './expired-certificate.ts'
import { failingMachine } from './failing-machine.ts'
import { failingResolution } from './failing-resolution.ts'
import { filledMemory } from './filled-memory.ts'
import { filledStore } from './filled-slowly.ts'
import { givenWay } from './given-way.ts'
import { goneTogether } from './gone-together.ts'
import { haltedOutput } from './halted-output.ts'
import {
  followingFrom,
  joinedCauses,
  lostBy,
  madeBy,
  reachedOver,
  runningOn,
  samePlace,
  usedUpBy,
  wentWith,
} from './joined-causes.ts'
import { killedWorkload } from './killed-workload.ts'
import { lostMembers } from './lost-members.ts'
import { lostNeighbours } from './lost-neighbours.ts'
import { lostWay } from './lost-way.ts'
import { moreTraffic } from './more-traffic.ts'
import { notFinished } from './not-finished.ts'
import { offClock } from './off-clocks.ts'
import { openedByMore } from './opened-by-more.ts'
import { EXPLAINED, type OperationalCause, type Sign, strongest } from './operational-cause.ts'
import { outsideProviders } from './outside-providers.ts'
import { ownTrouble } from './own-trouble.ts'
import { platformEvent } from './platform-events.ts'
import { platformRecords, waitingWorkload } from './platform-records.ts'
import { probedSites } from './probed-sites.ts'
import { reachedLimit } from './reached-limit.ts'
import { restartedMachine } from './restarted-machine.ts'
import { shownBy } from './shown-certificates.ts'
import { slowOutside } from './slow-outside.ts'
import { stolenTime } from './stolen-time.ts'
import { stuckMessage } from './stuck-messages.ts'
import { triedAgain } from './tried-again.ts'
import { troubledNode } from './troubled-node.ts'
import { troubledStores } from './troubled-stores.ts'
import { isOutOfReach } from './unmeasured-providers.ts'
import { unreachedMachine } from './unreached-machine.ts'
import { unreachedPeers } from './unreached-peers.ts'
import { unreadableData } from './unreadable-data.ts'
import { unsteadyInstance } from './unsteady-instance.ts'
import { usedUpResource } from './used-up-resource.ts'

/** Looks for every kind of operational cause; strongest first. */
export function operationalCauses(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  names: EntityNames,
): readonly OperationalCause[] {
  const lines = linesOf(snapshot, observed, names)
  const scene: Scene = { snapshot, observed, symptoms, names, lines, onset: observed.onset?.at ?? null }
  const machine = failingMachine(scene) ?? troubledNode(scene)
  const more = moreTraffic(scene)
  const missed = more?.kind === 'traffic' ? null : more
  const found = [
    expiredCertificate(scene),
    failingResolution(scene),
    ...outsideProviders(scene),
    machine,
    brokenNetwork(scene),
    usedUpResource(scene),
    more,
    unreadableData(scene),
  ].filter((cause) => cause !== null)
  // That a cache finds less says less of it than that all behind it is asked for more by as much.
  const stores = troubledStores(scene).filter(
    ({ entity, at_most }) => at_most === undefined || entity !== missed?.entity,
  )
  const recorded = platformRecords(scene)
  const machines = machinesOf(snapshot, names)
  const together = goneTogether(scene)
  const down = downPart(scene)
  const memory = filledMemory(scene)
  const repeated = triedAgain(scene)
  const stuck = stuckMessage(scene)
  const stolen = stolenTime(scene)
  // Whose time is taken does as much for each call as ever, in more of it.
  const busy = busyStores(scene).filter(({ entity }) => entity !== stolen?.entity)
  const platform = [
    platformEvent(scene),
    absentInstance(scene),
    down === null || wentWith(down, [machine, together], machines) ? null : down,
    together,
    givenWay(scene),
    probedSites(scene),
    lostWay(scene),
    unreachedMachine(scene),
    together === null ? unreachedPeers(scene) : null,
    restartedMachine(scene),
    endedProcess(scene),
    stolen,
    ...differingCopies(scene),
    differingPeer(scene),
    haltedOutput(scene),
    blockedThreads(scene),
    reachedLimit(scene),
    // Why its platform starts it anew is the cause, that it does is not.
    recorded.length > 0 || [memory, repeated, stuck].some((why) => why !== null)
      ? null
      : unsteadyInstance(scene),
    memory,
    killedWorkload(scene),
    repeated,
    stuck,
    ...busy,
    ...endedInterfaces(scene),
    ...stores,
    ...lostMembers(scene),
    ...slowOutside(scene),
    ...recorded,
    filledStore(scene),
    openedByMore(scene),
    waitingWorkload(scene),
  ].filter((cause) => cause !== null)
  // The detectors below look for a kind once, so what a system answered is theirs wherever they place it.
  const clock = offClock(scene)
  // Who is refused by a clock that was measured to be off tells of that clock.
  const answered = answeredCauses(scene).filter(({ what }) => clock === null || what !== clock.what)
  const told = joinedCauses(found, answered, () => true)
  const shows = shownBy(scene)
  const placed = (cause: OperationalCause): OperationalCause =>
    cause.kind === 'certificate' && shows !== null ? { ...cause, entity: shows } : cause
  const known = joinedCauses(told, platform, samePlace)
    .map(placed)
    .map(followingFrom(missed === null ? stores : [...stores, missed]))
    .map(usedUpBy(busy))
    .map(madeBy(repeated))
    .map(runningOn(machine, machines))
    .map(lostBy(observed))
    .filter((cause) => cause.score > 0)
  // Whom all wait for is told by itself: what else is told of that place says less, and joining it would lift its bound.
  const held = notFinished(scene)
  const apart = [held, clock].filter((cause) => cause !== null)
  return withWhatIsLeft([...known, ...apart], scene).sort(
    (a, b) =>
      b.score - a.score ||
      b.signs.length - a.signs.length ||
      compareText(a.kind, b.kind) ||
      compareText(a.entity ?? '', b.entity ?? ''),
  )
}

/** The same causes as what the parts beside the calls show corrects them, and what is left where none of them explains a place. */
function withWhatIsLeft(known: readonly OperationalCause[], scene: Scene): OperationalCause[] {
  const { graph } = scene.observed
  const neighbours = lostNeighbours(scene)
  const beside = withNeighbours(besideTheCalls(scene), neighbours)
  const isUnreached = (entity: string): boolean => isOutOfReach(scene, new Set(callersOf(graph, entity)))
  // What is quoted of a part that was itself measured to be off says less of it than that.
  const isQuotedOf = ({ kind, entity, score }: OperationalCause): boolean =>
    beside !== null && kind === beside.kind && entity === beside.entity && score < beside.score
  const unheard = neighbours.filter(({ entity }) => entity !== beside?.entity)
  const all = known
    .filter((cause) => !isQuotedOf(cause))
    .map(reachedOver(beside, isUnreached))
    .map(reachedOver(unheard[0] ?? null, isUnreached))
  // What is left when nothing else explains a place says less than whatever does.
  const isLeft = ({ entity }: OperationalCause): boolean =>
    !all.some((cause) => cause.entity === entity && cause.score >= EXPLAINED)
  // Whom a place calls may have told it what is not true: then what happened there, or anywhere, says more than what it says.
  const isAlone = ({ entity }: OperationalCause): boolean =>
    (graph.callees.get(entity ?? '')?.size ?? 0) === 0 ||
    !all.some(({ at_most, score }) => at_most === undefined && score >= EXPLAINED)
  const own = ownTrouble(scene)
  const left = [beside, own !== null && isAlone(own) ? own : null, ...unheard]
    .filter((cause) => cause !== null)
    .filter(isLeft)
  return [...all, ...left]
}

/** What is beside the calls; where it is a router that lost its neighbours, as that, with what speaks for either. */
function withNeighbours(
  beside: OperationalCause | null,
  neighbours: readonly OperationalCause[],
): OperationalCause | null {
  const own = neighbours.find(({ entity }) => entity === beside?.entity)
  if (beside === null || own === undefined) return beside
  const { kind, what, signs, score } = own
  const isOwn = ({ fact }: Sign): boolean =>
    signs.some(
      (one) =>
        (fact.of === 'shift' && one.fact.of === 'shift' && one.fact.shift === fact.shift) ||
        (fact.of === 'text' && one.fact.of === 'text' && one.fact.text === fact.text),
    )
  return {
    ...{ ...beside, kind, what, score: Math.max(beside.score, score) },
    signs: strongest([...signs, ...beside.signs.filter((one) => !isOwn(one))]),
  }
}
