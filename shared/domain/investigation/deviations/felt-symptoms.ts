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

/** Whether users are hurt, by what they feel themselves. */
export const hurtsUsers = (shift: SeriesShift): boolean => shift.is_bad && isFelt(shift)

/** Whether they are and it is not over. */
export const stillHurtsUsers = (shift: SeriesShift): boolean => hurtsUsers(shift) && shift.ended_at === null

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

const entitiesOf = (
  shifts: readonly SeriesShift[],
  isSuch: (shift: SeriesShift) => boolean,
): ReadonlySet<string> => {
  const found = new Set<string>()
  for (let index = 0; index < shifts.length; index++) {
    const shift = shifts[index] as SeriesShift
    if (isSuch(shift)) found.add(shift.series.entity)
  }
  return found
}

const showsFailing = (shift: SeriesShift): boolean => hurtsUsers(shift) && ANSWERS.test(shift.series.name)

/** Whose own measurements of its answers show that it fails. */
export const failingByOwnCount = (shifts: readonly SeriesShift[]): ReadonlySet<string> =>
  entitiesOf(shifts, showsFailing)

/** Whose users are hurt by its own measurements and still are. */
export const stillHurting = (shifts: readonly SeriesShift[]): ReadonlySet<string> =>
  entitiesOf(shifts, stillHurtsUsers)

/** What was found before among shifts, as long as their list is kept: every candidate is held against it. */
const hurtBefore = new WeakMap<readonly SeriesShift[], ReadonlySet<string>>()

/** Whose users were hurt by its own measurements, for however long; looked for once in each list. */
export function everHurting(shifts: readonly SeriesShift[]): ReadonlySet<string> {
  const before = hurtBefore.get(shifts)
  if (before !== undefined) return before
  const hurt = entitiesOf(shifts, hurtsUsers)
  hurtBefore.set(shifts, hurt)
  return hurt
}

/** Whether a name is of how an entity answers, as its users feel it. */
const tellsAnswers = keptByName((name) => ANSWERS.test(name) && readMetricName(name).weight >= FELT)

/** Whether it hurts users, or tells that an entity is asked for much less. */
const isUnwell = (shift: SeriesShift): boolean =>
  hurtsUsers(shift) || (shift.meaning.is_demand && shift.during < REACHED * shift.before)

/** Whether an entity's own measurements show that it is asked as ever and answers as ever. */
export function wellBy(
  series: readonly Series[],
  shifts: readonly SeriesShift[],
): (entity: string) => boolean {
  const measured = new Set<string>()
  for (const { entity } of seriesNamed(series, tellsAnswers)) measured.add(entity)
  const unwell = entitiesOf(shifts, isUnwell)
  return (entity) => measured.has(entity) && !unwell.has(entity)
}
