/**
 * A part whose output stays away while its input comes in: a consumer, a worker or a scheduler that stands still.
 *
 * Method: conservation of work. What a part takes in it passes on, or keeps: where what it finishes falls to next to nothing
 * while what waits for it grows, as fast as before or faster, nobody asks it less and it does nothing. It need not fail
 * anything: it waits itself, for a lock, a lease or a thread that never comes back. What it says of that tells why; that it
 * stands still is half of an answer. A fault of its own code looks the same, so this yields to changes.
 * @see https://sre.google/workbook/data-processing/ (delayed data)
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { countsFinished, countsWaiting } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { hasShiftedInTime, holdsOn, isSaidAtOnset, type Scene } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const WAITING = (['standing', 'blocked'] as const).map(wordsFor)

/** Share of the usual below which nothing is finished, and factor by which what waits must have grown. */
const NEXT_TO_NOTHING = 0.1
const GROWN = 3
/** What each sign is worth: neither of the two measured ones says it without the other. */
const WORTH = { finished: 0.45, waits: 0.4, said: 0.45 } as const
const MOST = 0.85

/** The first failing place, where it finishes nothing of what waits for it. */
export function haltedOutput(scene: Scene): OperationalCause | null {
  const { observed, snapshot } = scene
  const place = observed.first?.entity
  if (place === undefined || scene.onset === null) return null
  const own = observed.shifts.filter(
    (shift) => shift.series.entity === place && hasShiftedInTime(scene, shift) && holdsOn(observed, shift),
  )
  const halted = (shift: SeriesShift): boolean =>
    shift.direction === 'down' &&
    shift.during <= NEXT_TO_NOTHING * shift.before &&
    countsFinished(shift.series)
  // One of several that stands still is told elsewhere: the others go on.
  const finished = own.find(
    (shift) =>
      halted(shift) &&
      snapshot.series.every(
        (series) =>
          series.entity !== place ||
          series.name !== shift.series.name ||
          own.some((one) => one.series === series && halted(one)),
      ),
  )
  const waits = own.find(
    ({ series, direction, before, during }) =>
      direction === 'up' && during >= GROWN * before && countsWaiting(series.name),
  )
  if (finished === undefined || waits === undefined) return null
  const said = scene.lines.filter(
    ({ origin, entity, text }) =>
      origin === 'log' && entity === place && WAITING.some((words) => words.test(text)),
  )
  const isSaid = isSaidAtOnset(scene, said)
  const signs: readonly Sign[] = [
    ...shown(finished, WORTH.finished),
    ...shown(waits, WORTH.waits),
    ...(isSaid ? said.slice(0, 1).map((line) => sign(line, WORTH.said)) : []),
  ]
  return {
    ...{ kind: 'infra', entity: place, signs, action: 'reschedule' },
    what: 'a part that finishes nothing of what waits for it',
    score: round6(Math.min(MOST, chanceOf(signs))),
    yields_to_changes: true,
    ...(isSaid ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
  }
}
