/**
 * Which time is normal for lines of logs: less than for what was measured, where lines were kept or fetched for less of it.
 *
 * Method: normal time tells nothing of lines where the question that brought them was not answered. Where no tool says of which time
 * it was asked, nor does time before the first line of all, if lines come so often afterwards that its silence is no chance (a Poisson
 * process: the probability of silence is e to the minus of how many lines are expected in it). What comes all day would be said to
 * be new otherwise. Where none of normal time is left, the lines from the first one up to the onset are the usual ones.
 */
import { firstAlert, isNormalTime, type NormalTime, normalLength } from './normal-time.ts'
import { questionOf } from './question-of.ts'
import type { Baseline, LogLine, Snapshot } from './snapshot.ts'

/** Milliseconds. */
const MINUTE = 60_000
/** So many lines expected and none seen happens once in a million times. */
const HARDLY_CHANCE = 14
/** A smaller share of normal time without lines alters no rate enough to matter. */
const LEAST_SILENT = 0.5
/** Less time than this is no baseline: five samples of one minute. */
const LEAST_CALM_MS = 4 * MINUTE
/** Lines may tell of trouble this long before it is measured or alerted: what begins then may be the trouble itself. */
const GUARD_MS = 15 * MINUTE

/**
 * @param onsetAt - the onset as it was measured; null where nothing tells it
 * @returns normal time itself where it holds for lines as well; without baselines where nothing tells what lines are usual
 */
export function normalOfLines(snapshot: Snapshot, normal: NormalTime, onsetAt: number | null): NormalTime {
  const { logs } = snapshot
  if (logs.length === 0 || normal.baselines.length === 0) return normal
  const { isUnanswered, isRead } = readingOf(snapshot)
  const first = earliestOf(logs)
  const alertAt = firstAlert(snapshot)
  const end =
    onsetAt !== null ? onsetAt - MINUTE : alertAt !== null ? alertAt - GUARD_MS : normal.incident.from
  const isKept = isKeptBefore(first, end, logs, normal, isRead)
  const answered = normal.baselines.filter((baseline) => !isUnanswered(baseline))
  const read = isKept
    ? answered
    : answered.flatMap((baseline) => (isRead(baseline) ? baseline : since(baseline, first)))
  if (isKept && answered.length === normal.baselines.length) return normal
  if (normalLength({ ...normal, baselines: read }) >= LEAST_CALM_MS) return { ...normal, baselines: read }
  const calm: Baseline[] = end - first >= LEAST_CALM_MS ? [{ name: 'calm', from: first, to: end }] : []
  return { ...normal, baselines: calm }
}

const since = (baseline: Baseline, first: number): Baseline[] =>
  baseline.to <= first ? [] : [baseline.from >= first ? baseline : { ...baseline, from: first }]

// Lines come in any order, and by tens of thousands.
function earliestOf(logs: readonly LogLine[]): number {
  let earliest = Number.POSITIVE_INFINITY
  for (let index = 0; index < logs.length; index++)
    earliest = Math.min(earliest, (logs[index] as LogLine).timestamp)
  return earliest
}

/** Whether lines were kept before the first one too, when nothing was said: most of normal time is not silent, or that is chance. */
function isKeptBefore(
  first: number,
  end: number,
  logs: readonly LogLine[],
  normal: NormalTime,
  isRead: (baseline: Baseline) => boolean,
): boolean {
  const silentMs = normal.baselines.reduce(
    (sum, baseline) =>
      isRead(baseline) ? sum : sum + Math.max(0, Math.min(baseline.to, first) - baseline.from),
    0,
  )
  if (silentMs < LEAST_SILENT * normalLength(normal)) return true
  const isCalm = (at: number): boolean => at < end || isNormalTime(normal, at)
  let [calm, last] = [0, first]
  for (let index = 0; index < logs.length; index++) {
    const { timestamp } = logs[index] as LogLine
    if (!isCalm(timestamp)) continue
    calm++
    last = Math.max(last, timestamp)
  }
  // Lines that begin shortly before the onset are the first signs of it.
  if (last - first < GUARD_MS) return true
  return (calm / (last - first)) * silentMs <= HARDLY_CHANCE
}

interface Reading {
  /** A question that brought lines of another time was asked of this one in vain. */
  readonly isUnanswered: (baseline: Baseline) => boolean
  /** A question that brings lines was answered for this time as well. */
  readonly isRead: (baseline: Baseline) => boolean
}

/** What the requests for lines say of other times. */
function readingOf({ logs, sources }: Snapshot): Reading {
  const giving = new Set<string>()
  // Lines come request by request.
  let last: string | null = null
  for (let index = 0; index < logs.length; index++) {
    const { source } = logs[index] as LogLine
    if (source !== last) giving.add(source)
    last = source
  }
  const questions = new Set(sources.filter(({ id }) => giving.has(id)).map(questionOf))
  const asked = sources.flatMap((source) =>
    source.window !== undefined && questions.has(questionOf(source))
      ? [{ ...source, of: source.window }]
      : [],
  )
  const isOf = ({ from, to }: Baseline, hasAnswer: boolean): boolean =>
    asked.some(
      ({ of, outcome }) =>
        (outcome !== 'failed' && outcome !== 'timed_out') === hasAnswer && of.from < to && from < of.to,
    )
  return { isUnanswered: (baseline) => isOf(baseline, false), isRead: (baseline) => isOf(baseline, true) }
}
