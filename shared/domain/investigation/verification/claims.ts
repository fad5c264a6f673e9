/**
 * What evidence claims, apart from the values it claims it with: asked again, a claim holds where the same is said
 * with other numbers and times.
 */

import { asRead } from '../deviations/as-read.ts'
import type { Evidence, Findings } from '../findings.ts'
import {
  changeSentence,
  madeSentence,
  patternSentence,
  shiftSentence,
  templateSentence,
} from '../hypotheses/compose-answer.ts'
import { observe } from '../place/failing-services.ts'
import { answerInWords } from '../questions/answer-in-words.ts'
import { entityNames } from '../records/entity-names.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { toldIn, toldText } from '../told-text.ts'

export const VERDICTS = ['same', 'drifted', 'contradicted', 'expired', 'unreachable'] as const
/**
 * `same`: word for word; `drifted`: the claim holds with other values; `contradicted`: the data are there and do not
 * say it; `expired`: the data are no longer there; `unreachable`: the tool could not be asked.
 */
export type Verdict = (typeof VERDICTS)[number]

/** One piece of evidence, asked again. */
export interface Verified {
  /** Id of the piece of evidence. */
  readonly id: string
  readonly status: Verdict
  readonly was: string
  /** What is said now; null unless the claim holds. */
  readonly now: string | null
  readonly why: string
}

/** What the tools say now. */
export interface AskedAgain {
  /** Null where only the store was asked. */
  readonly snapshot: Snapshot | null
  /** Every sentence that what came back supports. */
  readonly sentences: readonly string[]
}

const TIME = /\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/g
const NUMBER = /(?<![\w.-])\d+(?:\.\d+)?(?![\w-])/g
const QUOTE = /\u201c[^\u201d]*\u201d/g
/** One or many of a thing is a matter of number. */
const COUNTED = /\b(line|incident|change|request|tool|record)s?\b/g
const VERB = /\b(?:is|are|was|were|matches|match)\b/g
/** Says only that it ended meanwhile. */
const ENDED = /, back to normal at #|; it took effect at #/g

/**
 * The claim of a sentence: its words without its numbers and times. A quoted line keeps its wording, less whatever
 * holds a digit: another example of the same line is the same claim.
 */
export const claimOf = (sentence: string): string =>
  sentence
    .replace(QUOTE, (quote) => quote.replace(/\S*\d\S*/g, '#'))
    .replace(TIME, '#')
    .replace(NUMBER, '#')
    .replace(COUNTED, '$1s')
    .replace(VERB, 'are')
    .replace(ENDED, '')

/** Intents whose answers state facts of their own. */
const STATING = ['what_changed', 'what_is_affected', 'how_is', 'when_started', 'is_recovered'] as const

/** Every sentence that a snapshot supports, whether or not its findings happen to cite it. */
export function sentencesOf(given: Snapshot, findings: Findings, service: string | null): readonly string[] {
  const snapshot = asRead(given)
  const names = entityNames(snapshot)
  const observed = observe(snapshot, names, service === null ? null : names.canonical(service))
  const stated = STATING.flatMap((intent) =>
    answerInWords({ intent, suspect: null, window: null }, service, snapshot, findings).evidence.map(
      ({ content }) => content,
    ),
  )
  return [
    ...findings.evidence.map(({ content }) => content),
    ...stated,
    ...(observed.made === null ? [] : [madeSentence(observed.made)]),
    ...observed.shifts.map(shiftSentence),
    ...observed.templates.map(templateSentence),
    ...snapshot.patterns.map(patternSentence),
    ...snapshot.changes.map((change) => changeSentence({ change })),
  ]
}

/**
 * Evaluates every claim again, in the order of the evidence. What is told now is compared with what was told, so that no
 * verdict shows what the evidence did not.
 */
export function verifyClaims(evidence: readonly Evidence[], again: AskedAgain): readonly Verified[] {
  const told = again.sentences.map(toldText)
  const exact = new Set(told)
  const claims = new Map(told.map((sentence) => [claimOf(sentence), sentence]))
  // Evidence that an earlier engine kept may hold what is not told any more.
  return toldIn(evidence).map((item) => ({
    id: item.id,
    was: item.content,
    ...toldIn(verdictOn(item, again, exact, claims)),
  }))
}

function verdictOn(
  item: Evidence,
  { snapshot }: AskedAgain,
  exact: ReadonlySet<string>,
  claims: ReadonlyMap<string, string>,
): Pick<Verified, 'status' | 'now' | 'why'> {
  const own =
    snapshot?.sources.filter(({ integration_id }) => (integration_id ?? null) === item.integration_id) ?? []
  if (item.integration_id !== null && own.length === 0) {
    const gap = snapshot?.gaps.find(({ what }) => what.startsWith(`integration ${item.integration_id} `))
    return { status: 'unreachable', now: null, why: gap?.why ?? 'the integration is no longer connected' }
  }
  const unread =
    item.integration_id === null && own.length === 0 ? snapshot?.gaps.find(isUnreadPush) : undefined
  if (unread !== undefined) return { status: 'unreachable', now: null, why: unread.why }
  // A series has a query of its own: then what matters is whether its tool answered anything.
  const asked = own.filter(({ query }) => toldText(query) === item.query)
  const requests = asked.length > 0 ? asked : own
  if (requests.length > 0 && requests.every(isSilent)) {
    return { status: 'unreachable', now: null, why: requests[0]?.detail ?? 'the tool did not answer' }
  }
  if (item.digest !== null && own.some(({ digest }) => digest === item.digest)) {
    return { status: 'same', now: item.content, why: 'what came back is the same to the byte' }
  }
  if (exact.has(item.content)) return { status: 'same', now: item.content, why: 'it is said word for word' }
  const now = claims.get(claimOf(item.content))
  if (now !== undefined) return { status: 'drifted', now, why: 'the claim holds with other values' }
  return isThere(item, snapshot)
    ? { status: 'contradicted', now: null, why: 'the data are there and no longer say it' }
    : { status: 'expired', now: null, why: 'the tool no longer has the data' }
}

/** What was pushed to us has no integration; when it cannot be read, that is a gap. */
const isUnreadPush = ({ what }: Snapshot['gaps'][number]): boolean => what === 'pushed signals'

const isSilent = ({ outcome }: Snapshot['sources'][number]): boolean =>
  outcome === 'failed' || outcome === 'timed_out'

/** Whether what the evidence was drawn from still comes back. The store's own answers always do. */
function isThere(item: Evidence, snapshot: Snapshot | null): boolean {
  if (item.integration_id === null && item.source === 'incidents') return true
  if (snapshot === null) return false
  const series = snapshot.series.filter(({ query }) => query !== undefined && toldText(query) === item.query)
  if (series.length > 0) return series.some(({ values }) => values.some((value) => !Number.isNaN(value)))
  return snapshot.sources.some(
    ({ integration_id, query, records }) =>
      (integration_id ?? null) === item.integration_id && toldText(query) === item.query && records > 0,
  )
}
