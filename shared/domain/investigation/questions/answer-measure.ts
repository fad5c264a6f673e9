/** Answers to what a measure is: its latest value, its level in the time that was asked about, and its normal one. */

import { readMetricName } from '../deviations/metric-meaning.ts'
import { asRate } from '../deviations/series-shift.ts'
import { counted, numberText, quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { isNormalTime } from '../records/normal-time.ts'
import type { LogLine, Series, Window } from '../records/snapshot.ts'
import { median } from '../statistics.ts'
import { answerAlerts } from './answer-alerts.ts'
import { answerCount } from './answer-count.ts'
import {
  type Ground,
  namesText,
  nearest,
  notKnown,
  type Reply,
  say,
  seriesText,
  signsOf,
  stated,
} from './answer-ground.ts'
import { answerRestarts } from './answer-restarts.ts'
import type { AskedMeasure, Measure } from './asked-measure.ts'
import { AROUND } from './named-times.ts'

/** A version, as a label of series bears it. */
const VERSION = /^v\d/
/** Series that are told. */
const MOST = 6

function measures(measure: Measure, { name }: Series): boolean {
  const { meaning, resource } = readMetricName(name)
  if (measure === 'queue') return /queue|backlog|pending|lag\b|depth/i.test(name)
  return measure === (meaning === 'throughput' ? 'traffic' : meaning) || measure === resource
}

/** Whether a measure went away from its normal level: of the service that is asked about, or of any. */
export const isShifted = ({ service, observed, names }: Ground, measure: Measure): boolean =>
  observed.shifts.some(
    ({ series }) =>
      measures(measure, series) && (service === null || names.canonical(series.entity) === service),
  )

/** Answers what is written down of what fails: its error lines, each cited. */
function answerLogs(ground: Ground): Reply {
  const { service, observed } = ground
  const evidence = new EvidenceList(ground.snapshot)
  const of = observed.failing.filter(({ entity }) => service === null || entity === service)
  const lines = of.flatMap((one) => signsOf({ ...one, shifts: [] }, evidence)).slice(0, MOST)
  if (lines.length > 0) return stated(ground, lines.join('\n'), evidence)
  return notKnown(ground, `No line that was read says what fails${service === null ? '' : ` at ${service}`}.`)
}

/** Lines that hold what is asked for which are shown. */
const MOST_LINES = 5

/** Answers which lines that were read hold a text, in any case of letters, or that none does. */
function answerLines(ground: Ground, text: string, { from, to }: Window): Reply {
  const { service, snapshot, names } = ground
  const isOf = ({ service: by, timestamp }: LogLine): boolean =>
    (service === null || names.canonical(by) === service) && timestamp >= from && timestamp < to
  const read = snapshot.logs.filter(isOf)
  const [first] = read
  const of = service === null ? '' : ` of ${service}`
  if (first === undefined) return notKnown(ground, `No log lines${of} were read from ${spanText(from, to)}.`)
  const held = text.toLowerCase()
  // Several tools give theirs one behind the other, and some the newest first.
  const found = read
    .filter(({ message }) => message.toLowerCase().includes(held))
    .sort((a, b) => a.timestamp - b.timestamp)
  const evidence = new EvidenceList(snapshot)
  const lead = `${found.length} of the ${counted(read.length, 'log line')}${of} that ${read.length === 1 ? 'was' : 'were'} read from ${spanText(from, to)} ${found.length === 1 ? 'holds' : 'hold'} ${quoteText(text)}.`
  say(evidence, ['logs', found.length === 0 ? 'absence' : 'statement'], lead, first.source)
  const lines = found.slice(0, MOST_LINES).map(({ service: by, timestamp, message, source }) => {
    const sentence = `${by} at ${timeText(timestamp)}: ${quoteText(message)}`
    return `- ${say(evidence, ['logs', 'statement'], sentence, source)}`
  })
  if (found.length > MOST_LINES) lines.push('The later ones are not listed here.')
  return stated(ground, [lead, ...lines].join('\n'), evidence)
}

/**
 * Answers what a measure of a service is, or that nothing measures it and what is measured instead.
 *
 * @param words the words of the question: one that is a label's value ("v42") asks for the series that bear it
 */
export function answerMeasure(
  ground: Ground,
  asked: AskedMeasure,
  window: Window | null,
  words: readonly string[] = [],
): Reply {
  const { measure, quantile, is_counted, is_at_instant, sort, extreme } = asked
  const { service, snapshot, observed, names } = ground
  if (measure === 'alerts') return answerAlerts(window ?? snapshot.window, ground, words)
  if (measure === 'restarts') {
    const reply = answerRestarts(ground, window ?? snapshot.window, words)
    return asked.is_by_whom && reply.confidence > 0
      ? nearest(reply, 'Who restarted something stands in no record that was read.')
      : reply
  }
  if (asked.rank !== undefined && service === null) {
    const ranked = answerRank(ground, measure, asked.rank, window ?? snapshot.window)
    if (ranked !== null) return ranked
  }
  if (is_counted) {
    const counted = answerCount(ground, asked, window ?? snapshot.window)
    if (counted !== null) return counted
  }
  if (asked.holds !== undefined) return answerLines(ground, asked.holds, window ?? snapshot.window)
  if (measure === 'logs') return answerLogs(ground)
  const evidence = new EvidenceList(snapshot)
  const failing = observed.failing.map(({ entity }) => entity)
  const rank = ({ entity }: Series): number =>
    failing.includes(entity) ? failing.indexOf(entity) : failing.length
  const own = snapshot.series.filter(({ entity }) => service === null || names.canonical(entity) === service)
  const all = own.filter((series) => measures(measure, series)).sort((a, b) => rank(a) - rank(b))
  const labelled = all.filter(({ labels }) =>
    Object.values(labels).some((value) => words.includes(value.toLowerCase())),
  )
  const fitting = labelled.length > 0 ? labelled : all
  // What all versions do together is not what one of them does.
  const version = labelled.length > 0 ? undefined : words.find((word) => VERSION.test(word))
  const exact = fitting.filter(({ name, labels: { quantile: of = '' } }) =>
    `${name}_p${of.replace(/^0\./, '')}_`
      .toLowerCase()
      .split(/[^a-z\d]/)
      .includes(quantile ?? 'p'),
  )
  // An instant is asked about with the time around it, of which now cuts off the end alone.
  const isAround = is_at_instant === true && window !== null && window.to - window.from <= 2 * AROUND
  const until = isAround ? Math.min(window.from + AROUND, window.to) : undefined
  const isExact = !is_counted && (quantile === null || exact.length > 0)
  const lines = (exact.length > 0 ? exact : fitting)
    .slice(0, MOST)
    .flatMap((series) => levelOf(ground, series, window ?? snapshot.window, evidence, until, extreme))
  if (isExact && lines.length > 0) {
    const reply = stated(ground, lines.join('\n'), evidence)
    return version === undefined
      ? reply
      : nearest(reply, `Nothing that was measured tells ${version} by itself. Of all versions together:`)
  }
  const of = service ?? 'anything'
  const lead = is_counted
    ? `How many ${sort ?? measure} ${of} had was not counted.`
    : `No series that was read tells the ${quantile ?? measure} of ${of}.`
  if (lines.length > 0) {
    // What is nearest is measured; what was asked for is not.
    return nearest(stated(ground, lines.join('\n'), evidence), `${lead}\nNearest to it:`)
  }
  const [first] = own
  if (first === undefined) return notKnown(ground, lead)
  const measured = namesText([...new Set(own.map(({ name }) => name))], MOST)
  const instead = `Measured of ${of} are ${measured}.`
  say(evidence, ['metrics', 'absence'], instead, first.source)
  return notKnown(ground, `${lead} ${instead}`, evidence.items)
}

/**
 * Which services have most or least of a measure at the end of a time, each with its level, cited; null where nothing is
 * measured that can be compared.
 */
function answerRank(ground: Ground, measure: Measure, rank: 'most' | 'least', window: Window): Reply | null {
  const { snapshot, names } = ground
  // Only what is measured by one name is in one unit: the name of which most services have a series.
  const byName = new Map<string, Map<string, Series>>()
  for (const series of snapshot.series.filter((each) => measures(measure, each))) {
    const of = byName.get(series.name) ?? new Map<string, Series>()
    byName.set(series.name, of)
    const entity = names.canonical(series.entity)
    const known = of.get(entity)
    // What a service does as a whole is told by the series with the fewest labels.
    if (known === undefined || labelsOf(series) < labelsOf(known)) of.set(entity, series)
  }
  const [widest] = [...byName.values()].sort((a, b) => b.size - a.size)
  const sign = rank === 'most' ? -1 : 1
  const levels = [...(widest ?? [])]
    .flatMap(([entity, series]) => {
      const value = lastOf(series, window)
      return value === null ? [] : [{ entity, series, value }]
    })
    .sort((a, b) => sign * (a.value - b.value) || (a.entity < b.entity ? -1 : 1))
  const [first] = levels
  if (first === undefined || levels.length < 2) return null
  const evidence = new EvidenceList(snapshot)
  const best = levels.filter(({ value }) => value === first.value).map(({ entity }) => entity)
  const what = first.series.name
  const lead = `Of ${levels.length} services of which ${what} was read, ${namesText(best, MOST)} ${best.length === 1 ? 'has' : 'have'} the ${rank} at the end of that time.`
  say(evidence, ['metrics', 'statement'], lead, first.series.source)
  const lines = levels
    .slice(0, MOST)
    .flatMap(({ series }) => levelOf(ground, series, window, evidence))
    .map((line) => `- ${line}`)
  return stated(ground, [lead, ...lines].join('\n'), evidence)
}
const labelsOf = ({ labels }: Series): number => Object.keys(labels).length
/** The last value in a time; null where nothing was measured in it. */
function lastOf(series: Series, { from, to }: Window): number | null {
  const { times, values } = asRate(series)
  const at = times.findLastIndex(
    (time, index) => time >= from && time < to && !Number.isNaN(values[index] ?? Number.NaN),
  )
  return at < 0 ? null : (values[at] ?? null)
}

/** Series that bear a label which are told of a record. */
const MOST_LABELLED = 3

/** The levels of the errors of series that bear a value as a label, each cited. */
export function levelsByLabel(ground: Ground, value: string, evidence: EvidenceList): string[] {
  const { snapshot } = ground
  return snapshot.series
    .filter(
      (series) =>
        measures('errors', series) &&
        Object.values(series.labels).some((label) => label.toLowerCase() === value.toLowerCase()),
    )
    .slice(0, MOST_LABELLED)
    .flatMap((series) => levelOf(ground, series, snapshot.window, evidence))
}

/** The levels of a measure of the service that was asked about, each cited. */
export function levelLines(
  ground: Ground,
  measure: Measure,
  window: Window | null,
  evidence: EvidenceList,
): string[] {
  const { snapshot, service, names } = ground
  return snapshot.series
    .filter((series) => names.canonical(series.entity) === service && measures(measure, series))
    .slice(0, MOST)
    .flatMap((series) => levelOf(ground, series, window ?? snapshot.window, evidence))
}

/**
 * The sentence of one series, cited; none where nothing was measured in that time.
 *
 * @param until the instant whose value is told; the end of that time where none is asked about
 * @param extreme tells the value at that end of the scale instead
 */
function levelOf(
  { observed }: Ground,
  series: Series,
  { from, to }: Window,
  evidence: EvidenceList,
  until = to,
  extreme?: AskedMeasure['extreme'],
): string[] {
  const { times, values } = asRate(series)
  const within: number[] = []
  const normal: number[] = []
  let [told, last] = [Number.NaN, 0]
  for (const [index, at] of times.entries()) {
    const value = values[index] ?? Number.NaN
    if (Number.isNaN(value)) continue
    if (isNormalTime(observed.normal, at)) normal.push(value)
    if (at < from || at >= to) continue
    within.push(value)
    if (extreme !== undefined) {
      if (Number.isNaN(told) || (extreme === 'highest' ? value > told : value < told))
        [told, last] = [value, at]
      continue
    }
    // Of what was measured up to the instant that is asked about, the last tells it; else the first after it.
    if (Number.isNaN(told) || at <= until) [told, last] = [value, at]
  }
  if (within.length === 0) return []
  const unit = series.unit === undefined || series.unit === '1' ? '' : ` ${series.unit}`
  const usual =
    normal.length === 0 ? 'its normal level is not known' : `in normal time ${numberText(median(normal))}`
  const was = extreme === undefined ? 'was' : `was ${extreme} with`
  const sentence = `${seriesText(series)} ${was} ${numberText(told)}${unit} at ${timeText(last)}; its median from ${spanText(from, to)} was ${numberText(median(within))}, ${usual}.`
  evidence.add('metrics', 'statement', sentence, series.source, series.query)
  return [sentence]
}

/** What series measure since it fails, else at all, beside each stretch of normal time of which they were measured, cited. */
export function besideNormal(ground: Ground, measure: AskedMeasure | null, evidence: EvidenceList): string[] {
  const { service, snapshot, observed, names } = ground
  const { to } = snapshot.window
  const own = ({ entity }: Series): boolean => service === null || names.canonical(entity) === service
  const shifted = observed.failing.flatMap(({ shifts }) => shifts.map(({ series }) => series))
  const asked =
    measure === null ? shifted : snapshot.series.filter((series) => measures(measure.measure, series))
  return [...new Set(asked.filter(own))].slice(0, MOST).flatMap((series) => {
    const { times, values } = asRate(series)
    const since = observed.failing.find(({ entity }) => entity === series.entity)?.onset.at
    const levels = [{ from: since ?? snapshot.window.from, to }, ...snapshot.baselines].flatMap((span) => {
      const within = values.filter((value, index) => {
        const at = times[index] as number
        return !Number.isNaN(value) && at >= span.from && at < span.to
      })
      return within.length === 0 ? [] : `${numberText(median(within))} from ${spanText(span.from, span.to)}`
    })
    if (levels.length < 2) return []
    const sentence = `The median of ${seriesText(series)} was ${levels.join(', and ')}.`
    evidence.add('metrics', 'statement', sentence, series.source, series.query)
    return [sentence]
  })
}
