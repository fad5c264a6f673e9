/**
 * Sentences from findings. A sentence holds only numbers, times and names that the evidence it cites holds,
 * written the same way: every number and instant goes through the two functions here.
 */

import type { Sign } from '../causes/operational-cause.ts'
import { decisiveLine, decisiveSettings, settingText } from '../changes/decisive-lines.ts'
import type { Run } from '../changes/first-runs.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import type { SeenVersion } from '../changes/seen-versions.ts'
import { IDENTIFIED } from '../confidence.ts'
import { areCredentials, HIDDEN, withoutCredentials } from '../credentials.ts'
import { cutText } from '../cut-text.ts'
import type { BrokenSequence } from '../deviations/log-sequences.ts'
import { isAway, type SeriesShift } from '../deviations/series-shift.ts'
import type { VersionContrast } from '../deviations/version-contrast.ts'
import type { Outcome } from '../findings.ts'
import type { Flow } from '../place/call-graph.ts'
import type { MadeDemand } from '../place/demand-made-inside.ts'
import type { EdgeGap } from '../place/edge-gaps.ts'
import type { FailingService } from '../place/failing-service.ts'
import { isTimed, type NodeFlow } from '../place/node-flow.ts'
import { effectOf, isKnownDone, isOfCredential } from '../records/change-record.ts'
import type { Template } from '../records/log-templates.ts'
import type { Alert, Change, LogPattern } from '../records/snapshot.ts'
import { toldText } from '../told-text.ts'
import type { TakenBack } from './taken-back.ts'

/** At most three significant digits below 1000, whole numbers above. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'unknown'
  if (Math.abs(value) >= 1_000) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

/** How many there are of what is one or many. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** An instant as `2026-06-23 09:42:00 UTC`. */
export const timeText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** A stretch of time as `2026-06-23 09:42:00 UTC to 2026-06-23 09:47:00 UTC`. */
export const spanText = (from: number, to: number): string => `${timeText(from)} to ${timeText(to)}`

/** Since when something fails, or from when until when it did, after its name. */
export function failingSpan(
  { onset, ended_at }: Pick<FailingService, 'onset' | 'ended_at'>,
  interval = '',
): string {
  const since = `${timeText(onset.at)}${interval}`
  if (ended_at === null) return `has been failing since ${since}`
  // Signs that disagree can end before the one that began last: then only that it is over is known.
  return ended_at <= onset.at
    ? `failed at ${since}, which is over`
    : `failed from ${since} until ${timeText(ended_at)}`
}

/** What stands before the statement of a cause, as sure as the outcome is. */
export const CAUSE_LEADS: Readonly<Record<Outcome, string>> = {
  identified: 'The likely cause:',
  best_effort: 'A possible cause:',
  inconclusive: 'The cause is not known. What fits best is not clear enough to name:',
}

/** Longest quotation of a log line or a title; the rest is in the tool itself. */
const LONGEST_QUOTE = 160

/** So much of a text is looked through for what its quotation must not hold (characters); of more, less is quoted. */
const MOST_READ = 20 * LONGEST_QUOTE

/** A text as it may be told, on one line. */
const lineText = (text: string): string =>
  // What is cut through is no longer known for a credential: so it is looked for before.
  cutText(toldText(text.slice(0, MOST_READ)).replace(/\s+/g, ' ').trim(), LONGEST_QUOTE)

/** A quotation on one line. */
export const quoteText = (text: string): string => `“${lineText(text)}”`

/** A hash is shortened as the tools do it, anything else is kept. */
export const shortId = (id: string): string => (/^[\da-f]{20,}$/i.test(id) ? id.slice(0, 8) : id)

const KIND_NAMES: Readonly<Record<Change['kind'], string>> = {
  commit: 'commit',
  pull_request: 'pull request',
  deploy: 'deploy',
  release: 'release',
  flag: 'feature flag',
  config: 'configuration change',
  infra: 'infrastructure change',
  migration: 'migration',
  scale: 'scaling change',
  other: 'change',
}

/** Whose change it is, and by whom, as its record says. */
export const authorText = ({ actor }: Change): string => (actor === undefined ? '' : ` by ${actor}`)
export const ownerText = ({ entity }: Change): string => (entity === undefined ? '' : ` of ${entity}`)

/** The title in quotes, unless it only repeats the id. */
export const titleText = (change: Change): string =>
  change.title === undefined || change.title === change.id ? '' : ` ${quoteText(change.title)}`

export const changeName = (change: Change): string => `${KIND_NAMES[change.kind]} ${shortId(change.id)}`

export function alertSentence({ name, service, metric, observed, threshold, fired_at }: Alert): string {
  const of = service === undefined ? '' : ` of ${service}`
  const against = threshold === undefined ? '' : ` against a threshold of ${numberText(threshold)}`
  const values = observed === undefined ? '' : `: ${metric ?? 'value'} ${numberText(observed)}${against}`
  return `Alert ${name}${of} fired at ${timeText(fired_at)}${values}.`
}

export function shiftSentence(shift: SeriesShift): string {
  const { series } = shift
  const labels = Object.entries(series.labels)
  const suffix = labels.length === 0 ? '' : ` (${labels.map(([key, value]) => `${key}=${value}`).join(', ')})`
  const anew = isAway(shift) ? ' and away from it again' : ''
  const over = shift.ended_at === null ? '' : `, back to normal at ${timeText(shift.ended_at)}${anew}`
  return `${series.name} of ${series.entity}${suffix} went ${shift.direction} from ${numberText(shift.before)} to ${numberText(shift.during)} (median; ${shift.direction === 'up' ? 'highest' : 'lowest'} ${numberText(shift.extreme)}, latest ${numberText(shift.latest)}) from ${timeText(shift.onset.at)} on${over}.`
}

/** How much of what the alerted service waits or fails arises inside one entity. */
export function flowSentence(flow: NodeFlow): string {
  const per = `per ${numberText(flow.interval_s)} s`
  const { own, total, series } = flow
  const [amount, all] =
    flow.kind === 'failing'
      ? [`${numberText(own)} failed calls`, numberText(total)]
      : isTimed(series)
        ? [`${numberText(own / 1_000)} s of waiting`, `${numberText(total / 1_000)} s`]
        : // In which unit nobody tells.
          [`${numberText(own)} of ${series.name}`, numberText(total)]
  const whole =
    flow.total_of === 'alerted'
      ? 'at the service that was alerted'
      : 'in those that the alerted service calls, of which itself nothing was measured that could be compared'
  return `Beyond normal, ${amount} ${per} arise inside ${flow.entity} from ${timeText(flow.onset_at)} on, of ${all} ${whole}.`
}

/** Names of what was not measured that are told; one more says that there are others. */
const MOST_UNMEASURED = 3

/** What nothing was measured of, so that what one entity exceeds may be its; null where everything was. */
export function unmeasuredSentence({ unmeasured }: NodeFlow): string | null {
  if (unmeasured.length === 0) return null
  const more = unmeasured.length - MOST_UNMEASURED
  const names = unmeasured.slice(0, MOST_UNMEASURED).join(', ')
  return `Nothing that could be compared was measured of ${names}${more > 0 ? ` and ${more} more` : ''}, so that part of it may arise there.`
}

/** Who calls more often than its own load explains. */
export const madeSentence = ({ caller, callee, factor, since }: MadeDemand): string =>
  `${caller} calls ${callee} up to ${numberText(factor)} times as often per request as usual since ${timeText(since)}; calls that failed and were tried again are not counted.`

/** Time that calls to and from an instance lose on the way. */
export function gapSentence(gap: EdgeGap): string {
  const where =
    gap.instance === null || gap.instance === gap.service ? gap.service : `${gap.service} (${gap.instance})`
  return `Calls from and to ${where} take ${numberText(gap.excess_ms)} ms longer on the way than usual, over ${counted(gap.edges, 'edge')} and ${gap.spans} spans from ${timeText(gap.from)} on.`
}

/** Which line of a span's work is missing, and what came instead. */
export function brokenSentence(broken: BrokenSequence): string {
  const lead = `${broken.broken} of ${broken.spans} spans ${quoteText(broken.operation)} of ${broken.service}`
  const usual = `in ${numberText(broken.normal_share * 100)} % of ${broken.normal_spans} spans of normal time`
  const since = ` since ${timeText(broken.first_seen)}`
  if (broken.expected === null)
    return `${lead} logged the error ${quoteText(broken.instead ?? '')}${since}; ${usual} it is not there.`
  const after = broken.after === null ? '' : ` after ${quoteText(broken.after)}`
  const instead = broken.instead === null ? '' : `, with the error ${quoteText(broken.instead)} instead`
  return `${lead} do not log ${quoteText(broken.expected)}${after}${instead}${since}; ${usual} it follows.`
}

export function templateSentence(template: Template): string {
  const lines = template.during === 1 ? 'line' : 'lines'
  return `${template.service} logged ${template.during} ${lines} (${template.severity}) like ${quoteText(template.example)} since ${timeText(template.first_seen)}${usualText(template)}.`
}

/** How often it was logged before; nothing where no line of normal time was read, in which none is new. */
function usualText({ change, before }: Template): string {
  if (change === 'new') return '; none in normal time'
  return before === 0 ? '' : `; ${before} in normal time`
}

export function vanishedSentence(template: Template): string {
  return `${template.service} logged ${quoteText(template.example)} ${template.before} times in normal time and ${template.during} times since.`
}

export function patternSentence(pattern: LogPattern): string {
  const before = pattern.baseline_count === undefined ? '' : `, ${pattern.baseline_count} in its baseline`
  return `The log tool counted ${pattern.count} lines of ${pattern.service} like ${quoteText(pattern.signature)}${before}.`
}

export function changeSentence(entry: Pick<RankedChange, 'change'>): string {
  const { change } = entry
  const title = titleText(change)
  const files = change.files ?? []
  const touched =
    files.length === 0
      ? ''
      : `, touching ${files.slice(0, 3).join(', ')}${files.length > 3 ? ' and more' : ''}`
  return `${capital(changeName(change))}${title}${ownerText(change)}${authorText(change)} was recorded at ${timeText(change.recorded_at)}${valuesText(change)}${touched}.`
}

/** How a value that is empty is told. */
const NO_VALUE = 'no value'

/** What a change set, from what to what; nothing where its record does not say, or says that neither is there. */
function valuesText(change: Change): string {
  const { before, after } = change
  if (before === undefined || after === undefined) return ''
  if (isOfCredential(change)) return ', its values not shown'
  const [from, to] = [lineText(before), lineText(after)]
  return from === '' && to === '' ? '' : `, from ${from || NO_VALUE} to ${to || NO_VALUE}`
}

/** A rollout by the version that it brought, and of what. */
export function rolloutName(rollout: Change): string {
  const version = isOfCredential(rollout) ? '' : rollout.after
  return `${KIND_NAMES[rollout.kind]} ${shortId(version || rollout.id)}${ownerText(rollout)}`
}

export function rolloutSentence(rollout: Change, carried: Change): string {
  const did = isKnownDone(rollout) ? 'took effect' : 'was recorded'
  return `${capital(rolloutName(rollout))} ${did} at ${timeText(effectOf(rollout))} and carried ${changeName(carried)}.`
}

/** That a version was at work before its rollout was recorded. */
export const sightSentence = ({ entity, version, at, of }: SeenVersion): string =>
  `The first ${of} of ${entity} that bears version ${lineText(version)} is of ${timeText(at)}.`

/** What became of the harm when the change was taken back. */
export function takenBackSentence({ change, of, at, harm }: TakenBack, entity: string): string {
  const lead = `${capital(reversibleName(change))} took back ${reversibleName(of)} at ${timeText(at)}`
  if (harm.is === 'ended') return `${lead}; ${entity} no longer failed from ${timeText(harm.at)} on.`
  return harm.is === 'lasted' ? `${lead}; ${entity} still failed at ${timeText(harm.at)}.` : `${lead}.`
}

/** A rollout by its version, any other change by its id and title. */
export const reversibleName = (change: Change): string =>
  change.kind === 'deploy' || change.kind === 'release'
    ? rolloutName(change)
    : `${changeName(change)}${titleText(change)}${ownerText(change)}`

/** When the work that a change brought ran. */
export function runSentence(run: Run, change: Change): string {
  const { seen, schedule, at } = run
  if (seen === null)
    return `The schedule ${quoteText(schedule ?? '')} of ${changeName(change)} was due at ${timeText(at)}.`
  const detail = [seen.reason, seen.message].filter((part) => part !== undefined).join(': ')
  return `${seen.kind} ${seen.name} of ${changeName(change)} was recorded at ${timeText(at)}${detail === '' ? '' : `: ${quoteText(detail)}`}.`
}

/** The lines of the diff that its mechanism rests on. */
export function mechanismSentence(entry: RankedChange): string | null {
  const { mechanism, diff, change } = entry
  if (mechanism === null) return null
  // What changed alike in several files is told once.
  const parts = [...new Set(decisiveSettings(entry).map(settingText))].slice(0, 3)
  const lead =
    diff.size === 0
      ? `By its record ${changeName(change)} ${mechanism.mechanism.does}`
      : `The diff of ${changeName(change)} ${mechanism.mechanism.does}`
  if (parts.length > 0) return `${lead}: ${parts.join('; ')}.`
  const line = decisiveLine(entry)
  if (line === null) return `${lead}.`
  return `${lead}: ${line.sign === '-' ? 'removed' : 'added'} ${quoteText(line.text)}.`
}

export function echoSentence(entry: RankedChange): string | null {
  const { echo, change } = entry
  if (echo === null) return null
  const { key, before, after } = echo.setting
  const values = areCredentials(key, [before, after]) ? '' : ` (${before} to ${after})`
  return `${echo.shift.series.name} of ${echo.shift.series.entity} moved from ${numberText(echo.shift.before)} to ${numberText(echo.shift.during)} at ${timeText(echo.shift.onset.at)}, as ${key} does in ${changeName(change)}${values}.`
}

/** What began to be used up where the change arrived, and ran out. */
export function spentSentence({ spent, change }: RankedChange): string | null {
  if (spent === null) return null
  const { series, before, extreme, onset } = spent
  return `${series.name} of ${series.entity} began to leave ${numberText(before)} at ${timeText(onset.at)}, soon after ${changeName(change)} took effect there, and reached ${numberText(extreme)}.`
}

/** What a platform recorded of the part that was changed, after it was. */
export function failedOverSentence({ failed_over: event, change, reaches }: RankedChange): string | null {
  if (event === null) return null
  return `A platform records of ${reaches ?? event.resource} at ${timeText(event.timestamp)}, after ${changeName(change)}: ${quoteText(event.message)}.`
}

/** What two versions of a service do at the same time. */
export function contrastSentence(contrast: VersionContrast): string {
  const { entity, what, worse, better, worse_level, better_level, counts } = contrast
  const [one, other] = counts
  return what === 'spans'
    ? `At the same time ${numberText(worse_level * 100)} % of ${one} spans of ${entity} fail in version ${worse} and ${numberText(better_level * 100)} % of ${other} in version ${better}.`
    : `At the same time ${what} of ${entity} is ${numberText(worse_level)} in version ${worse} and ${numberText(better_level)} in version ${better} (medians of ${one} and ${other} samples).`
}

/** Whether a diff has a word only as a credential. */
const isHiddenIn = (diff: string | null | undefined, word: string): boolean => {
  const lines = (diff ?? '').split('\n').filter((line) => line.includes(word))
  return lines.length > 0 && lines.every((line) => !withoutCredentials(line).includes(word))
}

export function quotedSentence(entry: RankedChange): string | null {
  const { quoted, change } = entry
  if (quoted === null) return null
  const name = isHiddenIn(change.diff, quoted.name) ? HIDDEN : quoted.name
  return `${quoted.symptom.entity ?? 'The alert'} reports ${quoteText(quoted.symptom.text)}, and ${changeName(change)} ${HOW_NAMED[quoted.how]} ${quoteText(name)}.`
}

const HOW_NAMED = {
  ...{
    removes: 'removes the name',
    drops: 'no longer handles the error',
    changes: 'changes the name',
    adds: 'adds the name',
    asks: 'is the one that asks for',
    brings: 'brings in',
    bears: 'bears the name',
  },
  ...{
    sets: 'sets',
    writes: 'writes the field',
    stores: 'has to do with files in',
    routes: 'changes what is done at',
    edits: 'edits the file',
    configures: 'changes settings of',
    touches: 'changes lines that hold the name',
  },
} as const

export function signSentence(sign: Sign): string {
  const { fact } = sign
  switch (fact.of) {
    case 'text': {
      const since = fact.at === null ? '' : ` since ${timeText(fact.at)}`
      const who = fact.entity ?? 'A tool'
      return fact.count === 1
        ? `${who} reported ${quoteText(fact.text)}${fact.at === null ? '' : ` at ${timeText(fact.at)}`}.`
        : `${who} reported ${quoteText(fact.text)} ${fact.count} times${since}.`
    }
    case 'shift':
      return shiftSentence(fact.shift)
    case 'status': {
      const component = fact.component === null ? '' : ` (${fact.component})`
      const detail = fact.detail === null ? '' : `: ${quoteText(fact.detail)}`
      return `The status page of ${fact.provider}${component} reported ${fact.status} at ${timeText(fact.at)}${detail}.`
    }
    case 'expiry':
      return fact.origin === 'metric'
        ? `${fact.text} of ${fact.entity} reached 0 at ${timeText(fact.at)}.`
        : `${quoteText(fact.text)} names an expiry at ${timeText(fact.at)}.`
    case 'calls':
      return callsSentence(fact.flow)
    case 'statement': {
      const { record, share, wait, is_stuck } = fact.statement
      const waiting = wait === null ? '' : `, mostly waiting on ${wait}`
      const rate = is_stuck ? ', and finishes no call' : ''
      return `Statement ${quoteText(record.statement)} holds ${numberText(record.load)} sessions, ${numberText(share * 100)} % of the load${waiting}${rate}.`
    }
  }
}

/** What was counted on the calls to an entity. */
export const callsSentence = (flow: Flow): string =>
  flow.own_failed < 1 && flow.own_wait_ms > 0
    ? `The ${flow.calls} calls to ${flow.entity} since its onset waited ${numberText(flow.own_wait_ms / flow.calls)} ms each beyond normal inside it.`
    : `Of ${flow.calls} calls to ${flow.entity} since its onset ${flow.failed} failed; ${arisen(flow)}.`

/** Where what fails beyond normal arises: inside the entity, or at the one caller that alone meets it. */
const arisen = ({ own_failed, met_alone = 0 }: Flow): string =>
  own_failed < 1 && met_alone >= 1
    ? `${Math.round(met_alone)} beyond normal met one caller alone, and others were served`
    : `${Math.round(own_failed)} beyond normal arose inside it`

/** A length of time (ms) in minutes, from an hour on in hours and minutes. */
export function lengthText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The word that stands beside the number. */
export const likelihoodWord = (confidence: number): 'likely' | 'possible' | 'unknown' =>
  confidence >= IDENTIFIED ? 'likely' : confidence > 0 ? 'possible' : 'unknown'
