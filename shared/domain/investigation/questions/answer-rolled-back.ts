/** Answers to whether going back has helped: what fails, measured before and after the change that took another back. */

import { type Reversal, reversalOf, reversalsIn } from '../changes/reversals.ts'
import { asRate } from '../deviations/series-shift.ts'
import { numberText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import type { FailingService } from '../place/failing-service.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import { isNormalTime } from '../records/normal-time.ts'
import type { Change } from '../records/snapshot.ts'
import { median } from '../statistics.ts'
import { changesOf, effectSentence } from './answer-changes.ts'
import { type Ground, notKnown, type Reply, say, seriesText, sinceOf, stated } from './answer-ground.ts'
import { answerRecovered, calmLines } from './answer-state.ts'

/** Services whose levels are compared, and measures of each. */
const MOST_SERVICES = 3
const MOST_MEASURES = 3

/** Of the way from normal to the level at which it failed: where this share is left, nothing moved, and beyond the other it is worse. */
const LEFT_OF_UNMOVED = 0.8
const LEFT_OF_WORSE = 1.25

/** The going back that is meant: of the service that is asked about, then of the change taken for the cause, then the last. */
function reversalMeant(ground: Ground, reversals: readonly Reversal[]): Reversal | null {
  const { service, findings } = ground
  const { change: id, trigger } = findings.cause
  const own = new Set(changesOf(ground, new Set(service === null ? [] : [service])))
  const ofService = reversals.filter(({ change }) => own.has(change))
  const fitting = ofService.length > 0 ? ofService : reversals
  return reversalOf(fitting, [id, trigger]) ?? fitting.at(-1) ?? null
}

/** Whether a going back is on record, and how what fails did before it and after it. */
export function answerRolledBack(ground: Ground): Reply {
  const { snapshot, observed, service } = ground
  const [record] = snapshot.changes
  if (record === undefined) {
    const state = answerRecovered(ground)
    return notKnown(
      ground,
      `No connected tool gave any change, so whether anything was rolled back is not known.\n${state.answer}`,
      state.evidence,
    )
  }
  const inTime = snapshot.changes.filter((change) => effectOf(change) < snapshot.window.to)
  const meant = reversalMeant(ground, reversalsIn(inTime))
  if (meant === null) {
    const state = answerRecovered(ground)
    const evidence = new EvidenceList(snapshot, state.evidence)
    const many = inTime.length < 2 ? '' : `${inTime.length} `
    const none = `No rollback is on record: none of the ${many}changes that are recorded up to ${timeText(snapshot.window.to)} takes another back.`
    return {
      ...state,
      answer: [say(evidence, ['deploys', 'absence'], none, record.source), state.answer].join('\n'),
      evidence: evidence.items,
    }
  }
  const evidence = new EvidenceList(snapshot)
  const { change, of } = meant
  const told = (one: Change): string =>
    say(evidence, [CHANGE_SOURCE[one.kind], 'change'], effectSentence(one), one.source)
  const lines = [`The rollback that is on record: ${told(change)}`]
  if (of !== null) lines.push(`It takes this back: ${told(of)}`)
  const own = change.entity === undefined ? null : ground.names.canonical(change.entity)
  if (service !== null && own !== service) lines.push(`No rollback of ${service} itself is on record.`)
  const rank = ({ entity }: FailingService): number => (entity === service ? 0 : entity === own ? 1 : 2)
  const failing = [...observed.failing].sort((a, b) => rank(a) - rank(b))
  const asked = failing.filter(({ entity }) => service === null || entity === service || entity === own)
  const subjects = (asked.length > 0 ? asked : failing).slice(0, MOST_SERVICES)
  const [subject] = subjects
  if (subject === undefined) {
    lines.push(...calmLines(ground, evidence))
    return stated(ground, lines.join('\n'), evidence)
  }
  const compared = subjects.flatMap((one) => levelsBeside(ground, one, change, evidence))
  lines.unshift(verdictOf(subject, change, compared))
  lines.push(sinceOf(subject, evidence), ...compared.map(({ sentence }) => sentence))
  return !compared.some(({ entity }) => entity === subject.entity)
    ? notKnown(ground, lines.join('\n'), evidence.items)
    : stated(ground, lines.join('\n'), evidence)
}

/** A measure before and after the going back. */
interface Compared {
  readonly entity: string
  readonly sentence: string
  /** Of the way from normal to the level at which it failed, the share that is left afterwards. */
  readonly left: number
}

/** The levels of what moved when a service began to fail: failing before the going back, after it, and in normal time. */
function levelsBeside(
  { snapshot, observed }: Ground,
  { entity, shifts, onset }: FailingService,
  change: Change,
  evidence: EvidenceList,
): Compared[] {
  const [begins, ends] = [effectOf(change), change.effective_at?.to ?? effectOf(change)]
  const bad = shifts.filter(({ is_bad }) => is_bad).slice(0, MOST_MEASURES)
  return bad.flatMap(({ series }): Compared[] => {
    const { times, values } = asRate(series)
    const levelIn = (is: (at: number) => boolean): number | null => {
      const within = Array.from(values).filter(
        (value, index) => !Number.isNaN(value) && is(times[index] as number),
      )
      return within.length === 0 ? null : median(within)
    }
    const before = levelIn((at) => at >= onset.at && at < begins)
    const after = levelIn((at) => at >= ends && at < snapshot.window.to)
    const normal = levelIn((at) => isNormalTime(observed.normal, at))
    if (before === null || after === null || normal === null || before === normal) return []
    const sentence = `The median of ${seriesText(series)} was ${numberText(before)} from ${spanText(onset.at, begins)} and ${numberText(after)} from ${spanText(ends, snapshot.window.to)}; in normal time ${numberText(normal)}.`
    evidence.add('metrics', 'anomaly', sentence, series.source, series.query)
    return [{ entity, sentence, left: (after - normal) / (before - normal) }]
  })
}

/** What the levels say: over is what no longer fails, and unmoved what moved by none of its measures, one way or the other. */
function verdictOf(
  { entity, onset, ended_at }: FailingService,
  change: Change,
  compared: readonly Compared[],
): string {
  const at = effectOf(change)
  if (at <= onset.earliest) return `The rollback was before ${entity} began to fail.`
  if (ended_at !== null && ended_at <= at) return `${entity} no longer failed when the rollback took effect.`
  const left = compared.filter((one) => one.entity === entity).map((one) => one.left)
  if (left.length === 0)
    return `Whether the rollback helped ${entity} is not known: nothing was measured on both sides of it.`
  if (ended_at !== null) return `Since the rollback it is over: ${entity} no longer fails.`
  const isNearer = Math.min(...left) < LEFT_OF_UNMOVED
  const isFarther = Math.max(...left) > LEFT_OF_WORSE
  if (isNearer && isFarther)
    return `Since the rollback some of what fails at ${entity} is nearer to normal and some farther from it.`
  return isNearer
    ? `Since the rollback it is better, not over: ${entity} is on its way to its normal level.`
    : `The rollback has not helped so far: ${entity} fails ${isFarther ? 'worse than' : 'as'} before.`
}
