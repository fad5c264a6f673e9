/**
 * A machine that gets less time than it asks for: its host gives it to others.
 *
 * Method: the share of time in which a virtual machine was ready to run and its host ran another is counted by its kernel
 * (steal). It is nobody's use, so neither a change nor demand explains it, and all that runs there is slow while it asks for no
 * more (Barker and Shenoy, Empirical Evaluation of Latency-sensitive Application Performance in the Cloud, MMSys 2010). It counts
 * where it left normal with the symptoms, for as long as they last, at a place of which users feel that it is slow or fails, or
 * at a machine on which that place runs; a few hundredths are everyday life.
 * @see https://man7.org/linux/man-pages/man5/proc_stat.5.html (steal)
 */
import { hurtsUsers } from '../deviations/felt-symptoms.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { hasShiftedInTime, holdsOn, matching, type Scene } from '../place/told-lines.ts'
import { machinesOf } from '../records/hosting.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const STEAL = /^(steal|stolen)$/
/** By what factor it must have grown, and which share of the time it must be at least: less is everyday life. */
const GROWN = 3
const LEAST_SHARE = 0.1
/** What each sign is worth: that time is taken says why, that users feel it says that it matters. */
const TAKEN = 0.6
const FELT = 0.3
const SAID = 0.35
const MOST = 0.85

const isSteal = keptByName((name) => wordsOf(name).some((word) => STEAL.test(word)))

/** Whether it is time that was taken, as its name or, with the exporter of nodes, its mode says. */
const isTakenTime = ({ name, labels: { mode = '' } }: SeriesShift['series']): boolean =>
  isSteal(name) || STEAL.test(mode)

/** Whether a share of time, of 1 or in per cent, is more than everybody loses. */
const isMuch = ({ series, before, during }: SeriesShift): boolean =>
  during >= GROWN * before && during >= LEAST_SHARE * (during > 1 || series.unit === '%' ? 100 : 1)

/** The place whose time is taken, where it is one that users feel; null where there is none. */
export function stolenTime(scene: Scene): OperationalCause | null {
  const { observed, snapshot, names } = scene
  const taken = observed.shifts.filter(
    (shift) =>
      isTakenTime(shift.series) &&
      shift.direction === 'up' &&
      isMuch(shift) &&
      hasShiftedInTime(scene, shift) &&
      holdsOn(observed, shift),
  )
  if (taken.length === 0) return null
  const runsOn = machinesOf(snapshot, names)
  const feltAt = (entity: string): SeriesShift | undefined =>
    observed.shifts.find((shift) => shift.series.entity === entity && hurtsUsers(shift))
  for (const shift of taken) {
    const { entity } = shift.series
    const there = [entity, ...[...runsOn].flatMap(([one, machines]) => (machines.has(entity) ? [one] : []))]
    const place = there.find((one) => one === observed.first?.entity) ?? there.find((one) => feltAt(one))
    const felt = place === undefined ? undefined : feltAt(place)
    if (place === undefined || felt === undefined) continue
    const said = matching(scene, wordsFor('node')).filter((line) => there.includes(line.entity ?? ''))
    const signs: readonly Sign[] = [
      ...shown(shift, TAKEN),
      ...shown(felt, FELT),
      ...said.slice(0, 1).map((line) => sign(line, SAID)),
    ]
    return {
      ...{ kind: 'node', entity: place, signs, action: 'reschedule', yields_to_changes: false },
      what: 'a machine whose host gives its time to others',
      score: round6(Math.min(MOST, chanceOf(signs))),
      is_placed: true,
    }
  }
  return null
}
