/**
 * Settings that are seen to be in effect, though nobody recorded when they came to be: what they set moved where they apply.
 *
 * Method: a setting that names a thing (a pool, a cache, a queue) and a level of that very thing at whose setting it is, which
 * moved the same way after it was recorded and stayed there for as long as users are hurt, before they were. Then the change
 * took effect when the level moved, and reached that place: what is merged is pulled minutes later by who applies it (Argo
 * CD asks every three minutes by default, Flux every one to ten, and a process reads its files anew when it likes). That the
 * place does well itself does not matter: who takes more of what others share harms those.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/
 */
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Arrival } from './closeness.ts'
import { isDelivered } from './place-of-changes.ts'
import { type DiffReading, type SettingChange, wordsOf } from './read-diff.ts'
import { hasMoved, seenAt, sinceOf } from './seen-at.ts'

/** From the record of a change until it is applied, and from there until users are hurt, ms: most settings are within minutes. */
export const SETTINGS_APPLIED_MS = 30 * 60_000
export const HURTS_MS = 15 * 60_000
/** A setting that became less than twice or half of what it was moves no level that one would see. */
const FACTOR = 2
/** Shorter words are units and abbreviations of anything. */
const SHORTEST = 4
/** Words that name no thing: bounds, units, and what all systems have. */
const EVERYDAY =
  /^(?:maxi?m?u?m?|mini?m?u?m?|size|limits?|count|total|ratio|seconds?|millis|minutes?|bytes|time|timeout|rate|number|open|idle|used|usage|default|value|requests?|server|http|prod|config|app|service|data|values?|yaml|json)$/

/** Words of a text that name a thing, without a plural's s. */
export const things = (text: string): readonly string[] =>
  wordsOf(text)
    .filter((word) => word.length >= SHORTEST && !EVERYDAY.test(word))
    .map((word) => word.replace(/s$/, ''))

/** Settings that became much more or much less, with the things that they name, by themselves or by their file. */
const muchOf = ({ settings, files }: DiffReading): readonly (SettingChange & { of: ReadonlySet<string> })[] =>
  settings.flatMap((setting) =>
    setting.direction !== null && (setting.factor ?? 0) >= FACTOR
      ? [{ ...setting, of: new Set([setting.key, setting.context, ...files.map(nameOf)].flatMap(things)) }]
      : [],
  )

/** The name of a file without its folders, which name whose it is. */
const nameOf = (path: string): string => path.replace(/^.*\//, '')

/** The level that moved as a setting did, where it applies and when; null where none did. */
function levelOf(arrival: Arrival, { shifts, onset }: Observed): SeriesShift | null {
  if (onset === null) return null
  const { diff, place } = arrival
  const set = muchOf(diff)
  if (set.length === 0) return null
  const since = sinceOf(arrival)
  for (const shift of shifts) {
    const { series, direction, onset: moved, ended_at: ended, meaning } = shift
    const isMoved =
      ended === null &&
      !meaning.is_demand &&
      place.owners.has(series.entity) &&
      hasMoved(shift, since, since + SETTINGS_APPLIED_MS) &&
      moved.at <= onset.latest &&
      moved.at >= onset.at - HURTS_MS &&
      set.some((one) => one.direction === direction && things(series.name).some((thing) => one.of.has(thing)))
    if (isMoved) return shift
  }
  return null
}

/** The same arrivals; settings that are seen to be in effect are, since then, at the place where they are seen. */
export const withSeenSettings = (arrivals: readonly Arrival[], observed: Observed): readonly Arrival[] =>
  arrivals.map((arrival) => {
    if (!isDelivered(arrival.change) || arrival.trivial !== null) return arrival
    const level = levelOf(arrival, observed)
    return level === null ? arrival : seenAt(arrival, level)
  })
