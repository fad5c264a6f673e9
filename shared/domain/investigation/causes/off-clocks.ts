/**
 * A clock that is off, and those that follow it.
 *
 * Method: time is handed down, from a source to the machines that ask it and on to those that ask these (RFC 5905, section 3: strata),
 * and what is off at the source is off by as much at all that follow, each when it next asks. So of clocks that are off by the same
 * amount the first is where it began, and before it one that runs nothing of what fails: it harms by nothing but being followed. That
 * they are measured to be off harms nobody as long as nobody compares times, so who compares them has to say so: tickets, tokens and
 * signatures are refused by their age. Less than that lets pass is no reason.
 * @see https://www.rfc-editor.org/rfc/rfc5905#section-3
 * @see https://www.rfc-editor.org/rfc/rfc4120#section-7.5.9 (KRB_AP_ERR_SKEW)
 * @see https://github.com/prometheus/node_exporter (node_timex_offset_seconds, node_ntp_offset_seconds)
 * @see https://github.com/prometheus-community/windows_exporter/blob/master/docs/collector.time.md (windows_time_computed_time_offset_seconds)
 */
import { CONFIDENCE_CAP_CONSEQUENCE, CONFIDENCE_CAP_WITNESSED } from '../confidence.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  hasShiftedInTime,
  isSaidAtOnset,
  type Line,
  matching,
  outlasts,
  type Scene,
} from '../place/told-lines.ts'
import { nodeOf } from '../records/hosting.ts'
import { compareText } from '../records/log-templates.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, tellerOf } from './operational-cause.ts'
import { OFF_CLOCK, saysClockIsOff } from './system-answers.ts'

const OF_CLOCKS = /^(?:ntp|chrony|timex|clock|time|w32time|ptp|gps)$/
const OFFSET = /^(?:offset|drift|skew)$/
/** What Kerberos and the signatures of AWS let pass, s: five minutes (RFC 4120, section 3.1.3; AWS, Signature Version 4). */
const LET_PASS_S = 300
/** Units of such a measure, by the seconds that they are of. */
const SECONDS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 }
/** Share by which two clocks may differ that are off by the same: each goes on at a pace of its own. */
const ALIKE = 0.1
/** What each sign is worth: that a clock is off, that others are by as much, and that somebody is refused for it. */
const OFF = 0.5
const FOLLOWS = 0.45
const SAID = 0.4
const MOST = 0.9

const tellsOffset = keptByName((name) => {
  const words = wordsOf(name)
  return words.some((word) => OFFSET.test(word)) && words.some((word) => OF_CLOCKS.test(word))
})

/** By how many seconds a clock came to be off; 0 for what is no clock. */
const offBy = ({ series, before, during }: SeriesShift): number =>
  tellsOffset(series.name) ? (during - before) * (SECONDS[series.unit ?? 's'] ?? 0) : 0

const isAlike = (one: number, other: number): boolean => Math.abs(one - other) <= ALIKE * Math.abs(one)

/** Machines that something which fails runs on. */
const groundsOf = ({ snapshot, observed }: Scene): ReadonlySet<string> =>
  new Set(
    observed.failing.flatMap(({ entity }) =>
      seriesOf(snapshot.series, entity).flatMap(({ labels }) => nodeOf(labels) ?? []),
    ),
  )

/** Who says, from the onset on, that times do not fit: in words, or as it is counted by a label. */
function refusedBy(scene: Scene): readonly Sign[] {
  const lines = matching(scene, OFF_CLOCK).filter(({ origin }) => origin === 'log')
  const counted = scene.observed.shifts.filter(
    (shift) =>
      shift.direction === 'up' &&
      hasShiftedInTime(scene, shift) &&
      Object.values(shift.series.labels).some(saysClockIsOff),
  )
  const said: readonly Line[] = isSaidAtOnset(scene, lines) ? lines : []
  return [
    ...said.slice(0, 2).map((line) => sign(line, SAID)),
    ...counted.slice(0, 2).flatMap((shift) => shown(shift, SAID)),
  ]
}

/** The clock that is off, first of all that are off by as much; null where none is, or nobody is refused for it. */
export function offClock(scene: Scene): OperationalCause | null {
  const off = scene.observed.shifts.filter(
    (shift) =>
      Math.abs(offBy(shift)) >= LET_PASS_S &&
      hasShiftedInTime(scene, shift) &&
      outlasts(scene.observed, shift),
  )
  if (off.length === 0) return null
  const refused = refusedBy(scene)
  if (refused.length === 0) return null
  const grounds = groundsOf(scene)
  const [source, ...others] = off.toSorted(
    (a, b) =>
      Number(grounds.has(a.series.entity)) - Number(grounds.has(b.series.entity)) ||
      a.onset.at - b.onset.at ||
      compareText(a.series.entity, b.series.entity),
  ) as [SeriesShift, ...SeriesShift[]]
  const following = others.filter(
    (shift) => shift.series.entity !== source.series.entity && isAlike(offBy(source), offBy(shift)),
  )
  const signs = [
    ...shown(source, OFF),
    ...following.slice(0, 2).flatMap((shift) => shown(shift, FOLLOWS)),
    ...refused.slice(0, 2),
  ]
  return {
    ...{ kind: 'infra', entity: source.series.entity, action: 'escalate', signs, yields_to_changes: true },
    what: 'a clock that is off',
    score: round6(Math.min(MOST, chanceOf(signs))),
    falls_on: [
      ...new Set([...following.map(({ series }) => series.entity), ...refused.map(tellerOf)]),
    ].filter((entity) => entity !== null),
    is_placed: true,
    // Others that are off by as much tell what led there.
    ...(following.length > 0 ? { is_whole: true } : {}),
    // A single clock that is off may as well be one that follows another, which nobody measures.
    at_most: following.length > 0 ? CONFIDENCE_CAP_WITNESSED : CONFIDENCE_CAP_CONSEQUENCE,
  }
}
