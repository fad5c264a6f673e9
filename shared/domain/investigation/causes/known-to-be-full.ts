/**
 * A part that has come to the end of a resource and that others know to be why: a balancer whose volume is full, a proxy without a
 * port, a store without a connection.
 *
 * Method: that something somewhere is at its end says little by itself, and whoever fails for it may have resources of its own that
 * moved meanwhile. Witnesses who know of it in different ways leave its place hardly open, whatever calls are counted to it (Hill, The environment
 * and disease: association or causation?, 1965: consistency, specificity): it was measured at its end, and either it says so itself from
 * the onset on and others log its name as they fail, or what it counts of the very place that fails first, by a label of that name, stepped with the harm.
 */
import { isAtItsEnd } from '../deviations/at-its-end.ts'
import { isBusy } from '../deviations/felt-symptoms.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  holdsOn,
  isOnRecord,
  isSaidAtOnset,
  type Line,
  naming,
  type Scene,
  stepsWith,
} from '../place/told-lines.ts'
import { type Sign, shown, sign } from './operational-cause.ts'

/** What each of those who know of it is worth, beside its own measure and its own word: as much as its own step would be elsewhere. */
const KNOWN = 0.4

/** The part that is at its end, with what others know of it. */
export interface KnownToBeFull {
  readonly entity: string
  readonly signs: readonly Sign[]
  /** It says so itself, serves no call that is counted, and nothing of it is on record: then that it is full is the cause, and no half of one. */
  readonly is_whole: boolean
}

/** Whether a part says of itself that it is at its end, again and again from the onset on: whoever names another tells of that one. */
const saysSoItself = (scene: Scene, spoken: readonly Line[], part: string): boolean =>
  isSaidAtOnset(
    scene,
    spoken.filter(
      ({ entity, text }) => entity === part && scene.names.mentionedIn(text).every((name) => name === part),
    ),
  )

/**
 * The part at its end that others know of; null where none is.
 * @param spoken - what is said of resources in time
 * @param isBad - whether what moved is a resource that was used up and is so still
 */
export function knownToBeFull(
  scene: Scene,
  spoken: readonly Line[],
  isBad: (shift: SeriesShift) => boolean,
): KnownToBeFull | null {
  const tried = new Set<string>()
  for (const shift of scene.observed.shifts) {
    const { entity } = shift.series
    // A processor is busy wherever much is asked, and works on.
    if (tried.has(entity) || isBusy(shift) || !isAtItsEnd(shift, 'during') || !isBad(shift)) continue
    tried.add(entity)
    const isSaid = saysSoItself(scene, spoken, entity)
    const named = isSaid ? naming(scene, entity) : []
    const signs = [
      ...(isSaidAtOnset(scene, named) ? named.slice(0, 1).map((line) => sign(line, KNOWN)) : []),
      ...shown(handingOn(scene, entity), KNOWN),
    ]
    if (signs.length > 0) return { entity, signs, is_whole: isSaid && isUnserving(scene, entity) }
  }
  return null
}

/** Whether no call to a part is counted, and nothing was changed that names it: nobody ships there what could have filled it. */
const isUnserving = (scene: Scene, part: string): boolean =>
  !scene.observed.flows.has(part) && !scene.observed.graph.callees.has(part) && !isOnRecord(scene, part)

/** What a part counts of the place that fails first, by a label of that name, and that stepped with the harm and stays. */
function handingOn({ observed, names, onset }: Scene, part: string): SeriesShift | undefined {
  const first = observed.first?.entity
  if (first === undefined || first === part || onset === null) return undefined
  const isOfFirst = ({ series: { labels } }: SeriesShift): boolean =>
    Object.values(labels).some((label) => names.mentionedIn(label).includes(first))
  return observed.shifts.find(
    (shift) =>
      shift.series.entity === part && stepsWith(shift, onset) && holdsOn(observed, shift) && isOfFirst(shift),
  )
}
