/**
 * Which shifts of series users feel, and which come about without anybody being hurt.
 */

import { seriesNamed } from '../records/series-by-name.ts'
import type { Series } from '../records/snapshot.ts'
import { countsInstances, readMetricName } from './metric-meaning.ts'
import { keptByName } from './metric-words.ts'
import type { SeriesShift } from './series-shift.ts'

/** From this weight on a metric says what users feel of a service. */
export const FELT = 0.9

/** Shifts that show users or work being hurt, and by much. */
export const isSymptom = (shift: SeriesShift): boolean => shift.is_bad && shift.meaning.weight >= 0.5

/** Errors, waiting and lost availability are what users feel. */
export const isFelt = ({ meaning }: SeriesShift): boolean => meaning.weight >= FELT

/**
 * A processor shares out a rate: it may be busy long before anybody waits for it. What is a stock, as connections,
 * memory or storage, fails those who come when it is used up.
 */
export const isBusy = ({ meaning }: SeriesShift): boolean =>
  meaning.meaning === 'saturation' && meaning.resource === 'cpu'

/** Instances come and go with every rollout, and who calls need not notice. */
export const isRolling = ({ series, ended_at }: SeriesShift): boolean =>
  ended_at !== null && countsInstances(series.name)

/** What counts an entity's own failed answers; lines of a log do not: who fails need not log it. */
const ANSWERS = /^(?!log_).*(err|5xx|fail|success|availab)/i
/** Share of its usual demand below which an entity is no longer reached by all that call it. */
const REACHED = 0.8

/** Whether an entity's own measurements show that it fails. */
export function ailingBy(shifts: readonly SeriesShift[]): (entity: string) => boolean {
  const ailing = new Set<string>()
  for (const shift of shifts)
    if (shift.is_bad && isFelt(shift) && ANSWERS.test(shift.series.name)) ailing.add(shift.series.entity)
  return (entity) => ailing.has(entity)
}

/** Whether users of an entity are hurt by its own measurements, and still are. */
export function hurtBy(shifts: readonly SeriesShift[]): (entity: string) => boolean {
  const hurt = new Set<string>()
  for (const shift of shifts)
    if (shift.is_bad && isFelt(shift) && shift.ended_at === null) hurt.add(shift.series.entity)
  return (entity) => hurt.has(entity)
}

/** Whether a name is of how an entity answers, as its users feel it. */
const tellsAnswers = keptByName((name) => ANSWERS.test(name) && readMetricName(name).weight >= FELT)

/** Whether an entity's own measurements show that it is asked as ever and answers as ever. */
export function wellBy(
  series: readonly Series[],
  shifts: readonly SeriesShift[],
): (entity: string) => boolean {
  const measured = new Set<string>()
  for (const { entity } of seriesNamed(series, tellsAnswers)) measured.add(entity)
  const unwell = new Set<string>()
  for (const shift of shifts)
    if ((shift.is_bad && isFelt(shift)) || (shift.meaning.is_demand && shift.during < REACHED * shift.before))
      unwell.add(shift.series.entity)
  return (entity) => measured.has(entity) && !unwell.has(entity)
}
