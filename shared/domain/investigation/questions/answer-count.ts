/** Answers to how many there were: calls that failed and lines of errors, by what was counted and never by a ratio. */

import { readMetricName } from '../deviations/metric-meaning.ts'
import { numberText, spanText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { beginningWithin, callsByInterval, sumOfCalls, usualAndSince } from '../records/calls-by-interval.ts'
import { pairsOf, sourceOf } from '../records/calls-by-pair.ts'
import { severityOf } from '../records/log-templates.ts'
import { isNormalTime } from '../records/normal-time.ts'
import type { Series, Window } from '../records/snapshot.ts'
import { type Ground, nearest, type Reply, say, seriesText, signsOf, stated } from './answer-ground.ts'
import type { AskedMeasure } from './asked-measure.ts'

/** Failing services of which is counted where no service is named, and counters of each. */
const MOST_SERVICES = 3
const MOST_COUNTERS = 4

/** What counters and lines of one sort of errors hold: an outcome by its number, or what names a time that ran out. */
const patternOf = (sort: string): RegExp =>
  sort.startsWith('time')
    ? /time.{0,2}out|deadline.exceeded/i
    : new RegExp(`(?<![a-z\\d.])${sort.slice(0, 3)}(?![a-z\\d.]| m?s| bytes)`, 'i')

/**
 * How many errors or error lines there were in a time, of the service that was asked about or of those that fail; null
 * where nothing that was read counts them. Of one sort of them what counts that sort, else all, which is said.
 */
export function answerCount(
  ground: Ground,
  { measure, sort, things }: Pick<AskedMeasure, 'measure' | 'sort' | 'things'>,
  asked: Window,
): Reply | null {
  const { service, snapshot, observed } = ground
  const evidence = new EvidenceList(snapshot)
  // What was counted is of the time that was read.
  const window = {
    from: Math.max(asked.from, snapshot.window.from),
    to: Math.min(asked.to, snapshot.window.to),
  }
  const of =
    service === null ? observed.failing.slice(0, MOST_SERVICES).map(({ entity }) => entity) : [service]
  /** The shapes of lines of what fails, as far as they tell of something. */
  const shapesOf = (tells: (text: string) => boolean, most: number): string[] =>
    observed.failing
      .filter(({ entity }) => of.includes(entity))
      .flatMap((one) => {
        const templates = one.templates.filter(({ example }) => tells(example))
        const patterns = one.patterns.filter(({ signature }) => tells(signature))
        return signsOf({ ...one, templates, patterns, shifts: [], error_spans: [] }, evidence, most)
      })
  if (sort !== undefined) {
    const pattern = patternOf(sort)
    const counters = of.flatMap((entity) => counterLines(ground, entity, window, evidence, pattern))
    const sorted = [...counters, ...shapesOf((text) => pattern.test(text), MOST_COUNTERS)]
    const all = counters.length > 0 ? [] : of.flatMap((entity) => callLines(ground, entity, window, evidence))
    // Lines are read in part, so that those that were read are no count.
    if (all.length > 0 && sorted.length > 0)
      return nearest(
        stated(ground, [...sorted, 'Errors of every sort:', ...all].join('\n'), evidence),
        `How many ${sort} there were was not counted. Of the lines that were read:`,
      )
    if (sorted.length > 0) return stated(ground, sorted.join('\n'), evidence)
  }
  const lines = of.flatMap((entity) => [
    ...(measure === 'errors'
      ? [...callLines(ground, entity, window, evidence), ...counterLines(ground, entity, window, evidence)]
      : []),
    ...loggedLines(ground, entity, window, evidence),
  ])
  if (lines.length === 0) return null
  if (measure === 'logs') lines.push(...shapesOf(() => true, 2))
  const reply = stated(ground, lines.join('\n'), evidence)
  if (things !== undefined)
    return nearest(reply, `How many ${things} failed was not counted. What was counted:`)
  return sort === undefined
    ? reply
    : nearest(reply, `How many ${sort} there were was not counted. Errors of every sort:`)
}

/** How many calls to an entity failed in a time and in normal time, cited; none where nobody counted any. */
export function callLines(
  { snapshot, observed, names }: Ground,
  entity: string,
  { from, to }: Window,
  evidence: EvidenceList,
): string[] {
  const pairs = pairsOf(snapshot.edges).filter(({ callee }) => names.canonical(callee) === entity)
  const counted = callsByInterval(pairs)
  const during = sumOfCalls(beginningWithin(counted, from, to))
  const [first] = pairs
  if (first === undefined || during.calls === 0) return []
  const normal = sumOfCalls(usualAndSince(counted, observed.normal).usual)
  const usual =
    normal.calls === 0 ? '' : `, in normal time ${numberText(normal.failed)} of ${numberText(normal.calls)}`
  const sentence = `Of the calls to ${entity} ${numberText(during.failed)} of ${numberText(during.calls)} failed from ${spanText(from, to)}${usual}.`
  return [say(evidence, ['topology', 'statement'], sentence, sourceOf(first))]
}

/** By how much counters of errors, or of one sort of them, rose in a time, cited; a reset counts from zero. */
function counterLines(
  { snapshot, names }: Ground,
  entity: string,
  window: Window,
  evidence: EvidenceList,
  sort?: RegExp,
): string[] {
  const counts = ({ name, labels }: Series): boolean =>
    sort === undefined
      ? readMetricName(name).meaning === 'errors'
      : [name, ...Object.values(labels)].some((text) => sort.test(text))
  return snapshot.series
    .filter(
      (series) => names.canonical(series.entity) === entity && series.type === 'counter' && counts(series),
    )
    .slice(0, MOST_COUNTERS)
    .flatMap((series) => {
      const risen = riseOf(series, window)
      if (risen === null) return []
      const sentence = `${seriesText(series)} rose by ${numberText(risen)} from ${spanText(window.from, window.to)}.`
      evidence.add('metrics', 'statement', sentence, series.source, series.query)
      return [sentence]
    })
}

/** By how much a counter rose between its first and its last sample of a time; null where it has not two of them. */
function riseOf({ times, values }: Series, { from, to }: Window): number | null {
  const within = Array.from(values).filter((value, index) => {
    const at = times[index] as number
    return at >= from && at < to && !Number.isNaN(value)
  })
  if (within.length < 2) return null
  return within.slice(1).reduce((sum, value, index) => {
    const before = within[index] as number
    return sum + (value >= before ? value - before : value)
  }, 0)
}

/** How many error lines a log tool counted of an entity in a time and in normal time, cited. */
function loggedLines(
  { snapshot, observed, names }: Ground,
  entity: string,
  { from, to }: Window,
  evidence: EvidenceList,
): string[] {
  const counts = snapshot.log_counts.filter(
    ({ service, severity }) =>
      names.canonical(service) === entity && severity !== undefined && severityOf(severity) === 'error',
  )
  const [first] = counts
  if (first === undefined) return []
  const sum = (is: (at: number) => boolean): number =>
    counts.reduce((all, { t0, count }) => all + (is(t0) ? count : 0), 0)
  const hasNormal = counts.some(({ t0 }) => isNormalTime(observed.normal, t0))
  const usual = hasNormal
    ? `, in normal time ${numberText(sum((at) => isNormalTime(observed.normal, at)))}`
    : ''
  const sentence = `The log tool counted ${numberText(sum((at) => at >= from && at < to))} error lines of ${entity} from ${spanText(from, to)}${usual}.`
  return [say(evidence, ['logs', 'statement'], sentence, first.source)]
}
