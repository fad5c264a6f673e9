/** Answers about how things are: how a service does, what is affected, since when, and whether it is over. */

import { trendOfShift } from '../deviations/series-shift.ts'
import type { Findings } from '../findings.ts'
import { numberText, shiftSentence, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { type FailingService, tellingShift, trendOf } from '../place/failing-service.ts'
import { stillFailing } from '../place/state-of-incident.ts'
import { pairsOf } from '../records/calls-by-pair.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import { isNormalTime } from '../records/normal-time.ts'
import { seriesByEntity } from '../records/series-by-entity.ts'
import type { Change, Window } from '../records/snapshot.ts'
import { servicesOf } from '../records/speaking-services.ts'
import { linesOfCalls } from './answer-calls.ts'
import { changeMeant, changesNamed, changesOf, effectSentence } from './answer-changes.ts'
import { callLines } from './answer-count.ts'
import {
  exactLengthText,
  type Ground,
  namesText,
  nearest,
  notKnown,
  type Reply,
  recordOf,
  say,
  signsOf,
  sinceOf,
  spanLengthText,
  stated,
} from './answer-ground.ts'
import { type Part, partLines } from './answer-parts.ts'
import type { AskedCalls } from './asked-calls.ts'

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
  if (ground.service !== null) {
    // Of what nobody measures by itself its callers tell.
    if (!ground.snapshot.series.some(({ entity }) => ground.names.canonical(entity) === ground.service))
      lines.push(...callLines(ground, ground.service, ground.snapshot.window, evidence))
    lines.push(...providerLines(ground, ground.service, evidence))
  }
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
  const looked = `${series.length} series, ${logs.length} log lines and ${spans.length} spans of ${service ?? 'all services'} were compared with normal time, from ${spanText(from, to)}.`
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

/** What the status page of a provider said last, cited; none where it has no page that was read. */
export function providerLines({ snapshot, names }: Ground, name: string, evidence: EvidenceList): string[] {
  return snapshot.status.flatMap(({ provider, events, source }) => {
    const last = events.findLast(({ timestamp }) => timestamp < snapshot.window.to)
    if (names.canonical(provider) !== name || last === undefined) return []
    const sentence = `The status page of ${provider} reported ${last.status} at ${timeText(last.timestamp)}.`
    return [say(evidence, ['integrations', 'statement'], sentence, source)]
  })
}

/** How many requests failed, whose and when, beside normal time; null where that was not counted. */
function amountSentence({ impact }: Findings): string | null {
  const { failed, total, ratio, normal_ratio, service, window } = impact
  const to = service == null ? '' : ` to ${service}`
  const ends = window === null ? [] : [window.start, window.end].map((end) => timeText(Date.parse(end)))
  const span = ends.length === 0 ? '' : ` from ${ends.join(' to ')}`
  const before = normal_ratio == null ? '' : `, in normal time ${numberText(normal_ratio * 100)} %`
  const share = ratio === null ? '' : `${numberText(ratio * 100)} %`
  if (failed !== null && total !== null && failed > 0)
    return `${numberText(failed)} of ${numberText(total)} requests${to} failed${span}${share === '' ? '' : ` (${share}${before})`}.`
  return ratio !== null && ratio > 0 && (failed === null || total === null)
    ? `${share} of requests${to} failed${span}${before}.`
    : null
}

/** Services that are well which are named. */
const MOST_SPARED = 20

/** What does not fail as far as anything measured shows, and of what nothing was measured; then what does fail. */
export function answerSpared(ground: Ground): Reply {
  const { snapshot, observed, names } = ground
  const { first } = observed
  const [asked] = snapshot.sources
  if (first === null || asked === undefined) return answerCalm(ground)
  const seen = new Set(
    [
      ...seriesByEntity(snapshot.series).keys(),
      ...servicesOf(snapshot.logs),
      ...servicesOf(snapshot.spans),
      ...pairsOf(snapshot.edges).map(({ callee }) => callee),
    ].map((name) => names.canonical(name)),
  )
  const nodes = new Set(snapshot.entities.flatMap(({ name, kind }) => (kind === 'node' ? [name] : [])))
  const well = [...names.all]
    .filter((name) => !nodes.has(name) && !observed.failing.some(({ entity }) => entity === name))
    .sort()
  const [measured, unseen] = [well.filter((name) => seen.has(name)), well.filter((name) => !seen.has(name))]
  const evidence = new EvidenceList(snapshot)
  const list = (of: readonly string[], lead: string): string[] =>
    of.length === 0
      ? []
      : [say(evidence, ['topology', 'absence'], `${lead}: ${namesText(of, MOST_SPARED)}.`, asked.id)]
  const lines = [
    ...list(measured, 'Not failing as far as anything measured shows'),
    ...list(unseen, 'Not known, since nothing was measured of it'),
  ]
  if (lines.length === 0) lines.push('Nothing else than what fails was measured.')
  const failing = observed.failing.slice(0, DESCRIBED).map((one) => sinceOf(one, evidence))
  return stated(ground, [...lines, 'What fails is this:', ...failing].join('\n'), evidence)
}

/** Services whose calls are counted in a time that is named. */
const MOST_COUNTED = 3
/** How many calls failed in the time that is named: of the service that is asked about, else of what fails. */
const countsIn = (ground: Ground, { from, to }: Window, evidence: EvidenceList): string[] => {
  const { window } = ground.snapshot
  const within = { from: Math.max(from, window.from), to: Math.min(to, window.to) }
  const of =
    ground.service === null
      ? ground.observed.failing.slice(0, MOST_COUNTED).map(({ entity }) => entity)
      : [ground.service]
  return within.to <= within.from ? [] : of.flatMap((entity) => callLines(ground, entity, within, evidence))
}

/** What is affected: every failing service with its strongest sign, and how much fails where that is counted. */
export function answerAffected(
  ground: Ground,
  part: Part | null = null,
  calls: AskedCalls | null = null,
  named: Window | null = null,
): Reply {
  const { service, observed, findings } = ground
  const evidence = new EvidenceList(ground.snapshot)
  const { first } = observed
  const called = calls === null || service === null ? [] : linesOfCalls(ground, service, calls, evidence)
  if (first === null)
    return called.length === 0 ? answerCalm(ground) : stated(ground, called.join('\n'), evidence)
  const before = evidence.items.length
  const apart = part === null ? [] : partLines(ground, part, evidence)
  const isToldApart = part === null || evidence.items.length > before
  const lines = isToldApart ? [...called, ...apart] : [...called]
  if (service !== null && failingOne(ground, service) === undefined) {
    lines.push(`${service} is not among the services that fail.`)
  }
  const counts = named === null ? [] : countsIn(ground, named, evidence)
  lines.push(...counts)
  const amount = counts.length > 0 ? null : amountSentence(findings)
  if (amount !== null) lines.push(say(evidence, ['metrics', 'statement'], amount, recordOf(first)))
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
  const reply = stated(ground, lines.join('\n'), evidence)
  // Which one it is was asked: what all of them do together is no answer to that.
  return isToldApart ? reply : nearest(reply, `${apart.join('\n')} Of all together:`)
}

/** Words by which it is asked how long something failed, and whether it began with a change. */
const LENGTH_WORDS = /^(long|duration|minutes|hours)$/
const NOTICE_WORDS = /^(?:detect\w*|notic\w*|alert\w*|alarm\w*|paged?)$/
const CHANGE_WORDS = /^(re)?(deploy|releas|roll|chang|commit|merge|version|flag|config)/

/**
 * Since when it fails, as an interval, with the sign that tells so; where it is asked for, also how long, and on which side
 * of a change that is.
 *
 * @param words the words of the question
 */
export function answerWhen(ground: Ground, words: readonly string[] = []): Reply {
  const { first } = ground.observed
  const [named] = changesNamed(ground.snapshot, words)
  const asksOfChange = named !== undefined || words.some((word) => CHANGE_WORDS.test(word))
  // A change of a service that is well may still be what is asked about.
  const subject = subjectOf(ground) ?? (asksOfChange ? first : null)
  if (subject === null) return answerCalm(ground)
  const evidence = new EvidenceList(ground.snapshot)
  const lines = [sinceOf(subject, evidence), ...signsOf(subject, evidence, 2)]
  const asksLength = words.some((word) => LENGTH_WORDS.test(word))
  const alerted =
    asksLength && words.some((word) => NOTICE_WORDS.test(word)) ? alertLine(ground, subject, evidence) : null
  if (alerted !== null) lines.push(alerted)
  else if (asksLength) lines.push(lengthLine(ground, subject, evidence))
  if (asksOfChange) lines.push(...changeLines(ground, subject, evidence, asksLength, named))
  if (first !== null && first !== subject && first.onset.latest <= subject.onset.earliest) {
    lines.push(`Before it: ${sinceOf(first, evidence)}`)
    signsOf(first, evidence, 1)
  }
  return stated(ground, lines.join('\n'), evidence)
}

/** How long something failed, or fails up to where what was measured ends. */
function lengthLine({ observed }: Ground, subject: FailingService, evidence: EvidenceList): string {
  const { onset, ended_at } = subject
  const until = ended_at ?? observed.normal.incident.to
  const length = spanLengthText(until - onset.at)
  const sentence =
    ended_at === null
      ? `That is ${length} up to ${timeText(until)}, where what was measured ends.`
      : `That was ${length}.`
  return say(evidence, ['metrics', 'statement'], sentence, recordOf(subject))
}

/** How long after it began the first alert fired; null where none did since. */
function alertLine({ snapshot }: Ground, { onset }: FailingService, evidence: EvidenceList): string | null {
  const [first] = snapshot.alerts
    .filter(({ fired_at }) => fired_at >= onset.earliest)
    .toSorted((a, b) => a.fired_at - b.fired_at)
  if (first === undefined) return null
  const sentence = `The first alert since then, ${first.name}, fired at ${timeText(first.fired_at)}: ${betweenText(first.fired_at - onset.latest, first.fired_at - onset.earliest)} after it began.`
  return say(evidence, ['alerts', 'statement'], sentence, first.source)
}

/** A length that is known as an interval, ms. */
function betweenText(least: number, most: number): string {
  const [from, to] = [Math.max(0, least), Math.max(0, most)].map(exactLengthText)
  return from === to ? `${from}` : `between ${from} and ${to}`
}

/** The change that is meant, and on which side of the beginning it took effect; with how long before, where that is asked. */
function changeLines(
  ground: Ground,
  { onset }: FailingService,
  evidence: EvidenceList,
  asksLength: boolean,
  named?: Change,
): string[] {
  const meant = named ?? changeMeant(ground)
  // The change of a service that is named is its own, also where another's is taken for the cause.
  const own = ground.service === null ? [] : changesOf(ground, new Set([ground.service]))
  const [last] = [...own].sort((a, b) => effectOf(b) - effectOf(a))
  const change = named ?? (meant !== null && own.includes(meant) ? meant : (last ?? meant))
  if (change === null) return []
  const at = effectOf(change)
  const side = at < onset.earliest ? 'Before that' : at > onset.latest ? 'After that' : 'As it began'
  const told = `${side}: ${say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source)}`
  if (!asksLength || at > onset.latest) return [told]
  const length = `It began ${betweenText(onset.earliest - at, onset.latest - at)} after that change.`
  return [told, say(evidence, [CHANGE_SOURCE[change.kind], 'change'], length, change.source)]
}

const COMPARES = /^(?:better|worse|improv|escalat)/
const TREND_WORDS = { worsening: 'getting worse', ongoing: 'going on', recovering: 'getting better' } as const

/** Whether it is over: by the level at the end of what was measured, against normal and against the worst. */
export function answerRecovered(ground: Ground, words: readonly string[] = []): Reply {
  const subject = ground.service === null ? stillFailing(ground.observed) : subjectOf(ground)
  if (subject === null) return answerCalm(ground)
  const evidence = new EvidenceList(ground.snapshot)
  const signs = signsOf(subject, evidence)
  const shift = tellingShift(subject) ?? subject.shifts.find(({ is_bad }) => is_bad) ?? subject.shifts[0]
  const since = sinceOf(subject, evidence)
  if (subject.ended_at !== null) {
    return stated(ground, [`It is over, as far as was measured. ${since}`, ...signs].join('\n'), evidence)
  }
  if (shift === undefined) {
    const answer = `Whether ${subject.entity} has recovered is not known: no series tells its level now.`
    return notKnown(ground, [answer, since, ...signs].join('\n'), evidence.items)
  }
  const told = trendOf(subject)
  const trend = told === 'unknown' || told === 'recovered' ? trendOfShift(shift) : told
  const neither = trend === 'ongoing' && words.some((word) => COMPARES.test(word))
  const how = `${TREND_WORDS[trend]}${neither ? ', neither better nor worse' : ''}`
  return stated(ground, [`It is not over: it is ${how}. ${since}`, ...signs].join('\n'), evidence)
}
