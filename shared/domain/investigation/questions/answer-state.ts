/** Answers about how things are: how a service does, what is affected, since when, and whether it is over. */

import { trendOfShift } from '../deviations/series-shift.ts'
import { numberText, shiftSentence, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import type { FailingService } from '../place/failing-service.ts'
import { isNormalTime } from '../records/normal-time.ts'
import {
  type Ground,
  namesText,
  notKnown,
  type Reply,
  recordOf,
  say,
  signsOf,
  sinceOf,
  stated,
} from './answer-ground.ts'
import { type Part, partLines } from './answer-parts.ts'

/** Failing services that are described one by one. */
const DESCRIBED = 6
/** Of an unaffected service, shifted series that do not make it fail. */
const MOST_SHIFTS = 3

const failingOne = ({ observed }: Ground, service: string): FailingService | undefined =>
  observed.failing.find(({ entity }) => entity === service)

/** The failing service that a question is about: the one it names, else where the trouble begins. */
const subjectOf = (ground: Ground): FailingService | null =>
  ground.service === null ? ground.observed.first : (failingOne(ground, ground.service) ?? null)

/** How a service does, or everything that is measured. */
export function answerHowIs(ground: Ground): Reply {
  const { service, observed } = ground
  const evidence = new EvidenceList(ground.snapshot)
  const failing = (
    service === null ? observed.failing : [failingOne(ground, service)].filter((one) => one !== undefined)
  ).slice(0, DESCRIBED)
  if (failing.length === 0) return answerCalm(ground)
  const lines = failing.flatMap((one) => [
    sinceOf(one, evidence),
    ...signsOf(one, evidence, service === null ? 1 : undefined),
  ])
  return stated(ground, lines.join('\n'), evidence)
}

/** What is measured of a service that does not fail: what is away from its normal level, or that nothing is. */
function answerCalm(ground: Ground): Reply {
  const evidence = new EvidenceList(ground.snapshot)
  const lines = calmLines(ground, evidence)
  const answer = lines.join('\n')
  // What was compared is cited; without it nothing is known.
  return evidence.items.length === 0 ? notKnown(ground, answer) : stated(ground, answer, evidence)
}

/** The lines of that, what they rest on added to the evidence; nothing is added where nothing is known. */
export function calmLines(ground: Ground, evidence: EvidenceList): string[] {
  const { service, observed, snapshot } = ground
  const isAbout = (entity: string): boolean =>
    service === null || entity === service || ground.names.canonical(entity) === service
  const series = snapshot.series.filter(({ entity }) => isAbout(entity))
  const logs = snapshot.logs.filter((line) => isAbout(line.service))
  const spans = snapshot.spans.filter((span) => isAbout(span.service))
  const record = series[0] ?? logs[0] ?? spans[0]
  const what = service ?? 'anything'
  if (record === undefined) return [`Nothing was measured of ${what} in that time.`]
  const isNormal = (at: number): boolean => isNormalTime(observed.normal, at)
  const hasNormal =
    series.some(({ times }) => times.some(isNormal)) ||
    logs.some(({ timestamp }) => isNormal(timestamp)) ||
    spans.some(({ start }) => isNormal(start))
  if (!hasNormal) {
    return [`Whether ${what} fails is not known: there is no normal time to compare with.`]
  }
  const { from, to } = snapshot.window
  const looked = `${series.length} series, ${logs.length} log lines and ${spans.length} spans of ${service ?? 'all services'} were compared with normal time, from ${timeText(from)} to ${timeText(to)}.`
  const lines = [
    `${service ?? 'Nothing'} ${service === null ? 'fails as far as anything measured shows' : 'does not fail as far as anything measured shows'}.`,
    say(evidence, ['integrations', 'absence'], looked, record.source),
  ]
  for (const shift of observed.shifts
    .filter(({ series: { entity } }) => isAbout(entity))
    .slice(0, MOST_SHIFTS)) {
    const sentence = shiftSentence(shift)
    evidence.add('metrics', 'anomaly', sentence, shift.series.source, shift.series.query)
    lines.push(sentence)
  }
  return lines
}

/** What is affected: every failing service with its strongest sign, and how much fails where that is counted. */
export function answerAffected(ground: Ground, part: Part | null = null): Reply {
  const { service, observed, findings } = ground
  const evidence = new EvidenceList(ground.snapshot)
  const { first } = observed
  if (first === null) return answerCalm(ground)
  const lines = part === null ? [] : partLines(ground, part, evidence)
  if (service !== null && failingOne(ground, service) === undefined) {
    lines.push(`${service} is not among the services that fail.`)
  }
  const { failed, total, ratio } = findings.impact
  if (failed !== null && total !== null && failed > 0)
    lines.push(
      say(
        evidence,
        ['metrics', 'statement'],
        `${numberText(failed)} of ${numberText(total)} requests failed.`,
        recordOf(first),
      ),
    )
  else if (ratio !== null && ratio > 0)
    lines.push(
      say(
        evidence,
        ['metrics', 'statement'],
        `${numberText(ratio * 100)} % of requests fail.`,
        recordOf(first),
      ),
    )
  for (const one of [first, ...observed.failing.filter((other) => other !== first)].slice(0, DESCRIBED)) {
    lines.push(sinceOf(one, evidence))
    signsOf(one, evidence, 1)
  }
  const others = observed.failing.filter((other) => other !== first).slice(DESCRIBED - 1)
  if (others.length > 0)
    lines.push(
      say(
        evidence,
        ['topology', 'statement'],
        `Also failing: ${namesText(
          others.map(({ entity }) => entity),
          DESCRIBED,
        )}.`,
        recordOf(first),
      ),
    )
  return stated(ground, lines.join('\n'), evidence)
}

/** Since when it fails, as an interval, with the sign that tells so. */
export function answerWhen(ground: Ground): Reply {
  const subject = subjectOf(ground)
  if (subject === null) return answerCalm(ground)
  const evidence = new EvidenceList(ground.snapshot)
  const lines = [sinceOf(subject, evidence), ...signsOf(subject, evidence, 2)]
  const { first } = ground.observed
  if (first !== null && first !== subject && first.onset.latest <= subject.onset.earliest) {
    lines.push(`Before it: ${sinceOf(first, evidence)}`)
    signsOf(first, evidence, 1)
  }
  return stated(ground, lines.join('\n'), evidence)
}

const TREND_WORDS = { worsening: 'getting worse', ongoing: 'going on', recovering: 'getting better' } as const

/** Whether it is over: by the level at the end of what was measured, against normal and against the worst. */
export function answerRecovered(ground: Ground): Reply {
  const subject = subjectOf(ground)
  if (subject === null) return answerCalm(ground)
  const evidence = new EvidenceList(ground.snapshot)
  const signs = signsOf(subject, evidence)
  const shift = subject.shifts.find(({ is_bad }) => is_bad) ?? subject.shifts[0]
  const since = sinceOf(subject, evidence)
  if (subject.ended_at !== null) {
    return stated(ground, [`It is over, as far as was measured. ${since}`, ...signs].join('\n'), evidence)
  }
  if (shift === undefined) {
    const answer = `Whether ${subject.entity} has recovered is not known: no series tells its level now.`
    return notKnown(ground, [answer, since, ...signs].join('\n'), evidence.items)
  }
  return stated(
    ground,
    [`It is not over: it is ${TREND_WORDS[trendOfShift(shift)]}. ${since}`, ...signs].join('\n'),
    evidence,
  )
}
