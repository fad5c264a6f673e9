/**
 * A store that fails those who ask it as ever: its sessions wait for each other, or it does more for each call than it did.
 *
 * Method: who differs and who does not. A store calls nobody, so where it is slow or fails and is asked no more than usual,
 * the reason lies in it: in its data, its locks or its plans. The utilisation law (Denning and Buzen, The Operational
 * Analysis of Queueing Network Models, 1978: use = calls × work per call) tells the two apart: work for each call that
 * grew is another plan or other data; sessions that wait for locks do no work at all. Signs that do not follow from each
 * other: what it counts of that, that it fails those who ask, what it says itself, what who asks is told. A change of who asks
 * looks the same, so this yields to changes.
 */

import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { hurtsUsers } from '../deviations/felt-symptoms.ts'
import { type StoreWork, storeWorkOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { callersOf } from '../place/call-graph.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { isSaidAtOnset, type Line, NEAR_MS, type Scene, wasChanged } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { bySureness, chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const WORDS: Readonly<Record<StoreWork, RegExp>> = {
  waits: wordsFor('locked'),
  works: wordsFor('laborious'),
}
const WHAT: Readonly<Record<StoreWork, string>> = {
  waits: 'sessions of a store that wait for each other',
  works: 'a store that does more for each call than it did',
}
/** What each sign is worth: what is counted of it and what the store says say what happens, that it is slow that it matters. */
const COUNTED = 0.45
const SAID = 0.45
const QUOTED = 0.35
const FELT = 0.3
/** A processor may be busy with anything else of the machine. */
const PROCESSOR = 0.3
const MOST = 0.85
/** By what factor waiting sessions must have grown, and work beyond what is asked: a busy hour makes less. */
const GROWN = 3
const MORE_WORK = 2
/** What remains of more work where who asks was changed just before: another query works otherwise. */
const BESIDE_CHANGE = 0.75

/** The stores that fail by themselves, surest first. */
export function busyStores(scene: Scene): readonly OperationalCause[] {
  const { observed, onset, snapshot } = scene
  if (onset === null) return []
  const stores = storesAndQueues(snapshot)
  const measured = Map.groupBy(
    observed.shifts.filter((shift) => shift.direction === 'up' && lasts(shift, scene, onset)),
    ({ series }) => series.entity,
  )
  return [...measured]
    .filter(([entity]) => (observed.graph.callees.get(entity)?.size ?? 0) === 0 && stores.has(entity))
    .flatMap(([entity, shifts]) => causesOf(scene, entity, shifts))
    .sort(bySureness)
}

/** Whether it began with the symptoms and was not over before those who fail were well again. */
const lasts = ({ onset: own, ended_at }: SeriesShift, { observed }: Scene, onset: number): boolean =>
  Math.abs(own.at - onset) <= NEAR_MS &&
  (ended_at === null || ended_at >= (observed.first?.ended_at ?? observed.normal.incident.to) - NEAR_MS)

function causesOf(scene: Scene, entity: string, shifts: readonly SeriesShift[]): readonly OperationalCause[] {
  const felt = shifts.find(hurtsUsers)
  if (felt === undefined) return []
  const asked = growthOfDemand(scene, entity)
  const counted = (of: StoreWork): SeriesShift | undefined =>
    shifts.find(
      ({ series, before, during }) =>
        storeWorkOf(series.name) === of &&
        during >= before * (of === 'waits' ? GROWN : MORE_WORK) * Math.max(1, asked),
    )
  // A share of a processor has an end, so what is answered less often counts as well.
  const processor = shifts.find(
    ({ meaning, before, during }) =>
      meaning.meaning === 'saturation' && meaning.resource === 'cpu' && during >= MORE_WORK * asked * before,
  )
  const callers = callersOf(scene.observed.graph, entity)
  const hasChanged = [entity, ...callers].some((one) => wasChanged(scene, one))
  const causes = (['waits', 'works'] as const).flatMap((of): readonly OperationalCause[] => {
    const shift = counted(of) ?? (of === 'works' ? processor : undefined)
    const own = saidBy(scene, WORDS[of], [entity])
    const quoted = saidBy(scene, WORDS[of], callers)
    const isSaid = own.length + quoted.length > 0
    if (shift === undefined && !isSaid) return []
    const signs: readonly Sign[] = [
      ...(shift === undefined
        ? []
        : [
            {
              strength: shift === processor ? PROCESSOR : COUNTED,
              fact: { of: 'shift', shift },
            } as const,
          ]),
      ...own.slice(0, 1).map((line) => sign(line, SAID)),
      ...quoted.slice(0, 1).map((line) => sign(line, QUOTED)),
      ...shown(felt, FELT),
    ]
    return [
      {
        ...{ kind: 'data', entity, what: WHAT[of], signs },
        score: round6(Math.min(MOST, chanceOf(signs)) * (of === 'works' && hasChanged ? BESIDE_CHANGE : 1)),
        action: 'escalate',
        yields_to_changes: true,
        // Counted and said by the store itself, where nobody who asks it was changed: two witnesses, and no other reason. More
        // work is as well what another query makes, which no record need tell.
        ...(of === 'waits' && shift !== undefined && own.length > 0 && !hasChanged
          ? { is_whole: true }
          : { at_most: CONFIDENCE_CAP_UNLINKED }),
      },
    ]
  })
  // Who waits does no work, and who works holds others up: the surer of the two is what happens, the other how it shows.
  return causes.sort((a, b) => b.score - a.score).slice(0, 1)
}

/** What some of them say again and again from the onset on; a store tells of its own work without calling it a failure. */
function saidBy(scene: Scene, words: RegExp, who: readonly string[]): readonly Line[] {
  const lines = scene.lines.filter(
    ({ origin, entity, text }) =>
      (origin === 'log' || origin === 'event') && who.includes(entity ?? '') && words.test(text),
  )
  return isSaidAtOnset(scene, lines) ? lines : []
}

/** By what factor an entity is asked more often, over its largest count; 1 where none moved. */
function growthOfDemand({ observed }: Scene, entity: string): number {
  const moved = observed.shifts.filter(
    ({ series, meaning, before }) =>
      series.entity === entity && meaning.is_demand && meaning.meaning === 'throughput' && before > 0,
  )
  const [most] = [...moved].sort((a, b) => b.before - a.before)
  return most === undefined ? 1 : most.during / most.before
}
