/** Answers about the findings themselves: what speaks against them, what was asked, whether to go back. */

import { reversalOf, reversalsIn } from '../changes/reversals.ts'
import { type Evidence, type Hypothesis, hasAdvice } from '../findings.ts'
import {
  changeSentence,
  counted,
  likelihoodWord,
  numberText,
  quoteText,
  spanText,
} from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { SourceAsked } from '../records/snapshot.ts'
import { holdsName } from '../records/whole-name.ts'
import { changesOf, effectSentence } from './answer-changes.ts'
import { argued, type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'

/** Items of each kind that an answer shows. */
const MOST = 3
/** Requests to tools that are shown one by one. */
const MOST_REQUESTS = 12

const contentsOf = (evidence: readonly Evidence[], ids: readonly string[]): string[] => {
  const known = new Map(evidence.map(({ id, content }) => [id, content]))
  return ids.flatMap((id) => known.get(id) ?? []).slice(0, MOST)
}

/** Words by which it is asked how sure an answer is, and what speaks for it. */
const HOW_SURE =
  /^(?:sure|certain\w*|confiden\w*|trust\w*|likel\w*|probab\w*|odds|chances?|bet|wager|stake|reliable|convinced|scale|faith|weight)$/
const PROOF = /^(?:proof|prove\w*|evidence|correlation|causation|coinciden\w+|convinced|solid)$/

/**
 * What speaks against the leading hypothesis, which others there are, and what was ruled out.
 *
 * @param words the words of the question: whoever asks how sure it is wants the number, whoever asks for proof what speaks for it
 */
export function answerDoubts(ground: Ground, words: readonly string[] = []): Reply {
  const { hypotheses, ruled_out, evidence, confidence, confidence_basis } = ground.findings
  const [best, ...others] = hypotheses
  if (best === undefined && ruled_out.length === 0) {
    return notKnown(ground, 'There is no explanation yet that anything could speak against.', evidence)
  }
  const lines: string[] = []
  const cited = new EvidenceList(ground.snapshot, evidence)
  const asked = ground.snapshot.sources[0]?.id ?? ''
  if (best !== undefined) {
    lines.push(`The leading explanation (${likelihoodWord(confidence)}): ${best.statement}`)
    if (confidence_basis)
      lines.push(say(cited, ['integrations', 'statement'], `That rests on this: ${confidence_basis}`, asked))
    if (words.some((word) => HOW_SURE.test(word))) {
      const sure = `The confidence in it is ${numberText(confidence)} on a scale from 0 to 1.`
      lines.splice(1, 0, say(cited, ['integrations', 'statement'], sure, asked))
    }
    if (words.some((word) => PROOF.test(word)))
      lines.push(...contentsOf(evidence, best.supported_by).map((content) => `For it: ${content}`))
    const against = contentsOf(evidence, best.contradicted_by)
    if (against.length === 0) lines.push('Nothing that was measured speaks against it.')
    lines.push(...against.map((content) => `Against it: ${content}`))
  }
  for (const { statement } of others.slice(0, MOST)) lines.push(`It could also be: ${statement}`)
  for (const { statement, reason } of ruled_out.slice(0, MOST))
    lines.push(`Ruled out: ${statement} ${reason}`)
  return { ...argued(ground, lines.join('\n')), evidence: cited.items }
}

const OUTCOMES = {
  answered: 'answered',
  empty: 'found nothing',
  cut: 'was cut short',
  failed: 'failed',
  timed_out: 'did not answer in time',
} as const

/** What a tool was asked and what became of it. */
function askedSentence({ tool, query, window, outcome, records }: SourceAsked): string {
  const of = window === undefined ? '' : ` for ${spanText(window.from, window.to)}`
  return `${tool} was asked ${quoteText(query)}${of}: it ${OUTCOMES[outcome]}, ${counted(records, 'record')}.`
}

/** Requests that were made to something, each with what became of it, cited; those that were not answered whole first. */
export function requestLines(sources: readonly SourceAsked[], to: string, evidence: EvidenceList): string[] {
  const [first] = sources
  if (first === undefined) return []
  const missed = sources.filter(({ outcome }) => outcome !== 'answered' && outcome !== 'empty')
  const all = sources.length === 1 ? 'it was answered' : 'each was answered'
  const result = missed.length === 0 ? all : `${counted(missed.length, 'was', 'were')} not answered whole`
  const lead = `${counted(sources.length, 'request was', 'requests were')} made to ${to}; ${result}.`
  // What did not answer comes first: that is what an answer lacks.
  const ordered = [...missed, ...sources.filter((source) => !missed.includes(source))]
  const lines = [say(evidence, ['integrations', 'statement'], lead, first.id)]
  for (const source of ordered.slice(0, MOST_REQUESTS))
    lines.push(`- ${say(evidence, ['integrations', 'statement'], askedSentence(source), source.id)}`)
  if (sources.length > MOST_REQUESTS) lines.push('The other requests are in the snapshot.')
  return lines
}

/** Letters of the shortest word that names something: shorter ones stand in too many others. */
const SHORTEST_WORD = 4

/** Every request to every tool with what became of it, and what was not looked at: that first where it is asked for. */
export function answerAsked(ground: Ground, isOfMissing = false, words: readonly string[] = []): Reply {
  const { snapshot, findings } = ground
  const evidence = new EvidenceList(snapshot)
  const { sources } = snapshot
  const [first] = sources
  if (first === undefined) return notKnown(ground, 'No tool was asked.')
  const tools = new Set(sources.map(({ integration_id, tool }) => integration_id ?? tool)).size
  const { service } = ground
  const missing = (gaps: Reply['gaps']): string[] =>
    gaps
      .slice(0, MOST)
      .map(({ what, why }) =>
        say(evidence, ['integrations', 'absence'], `Not looked at: ${what}: ${why}`, first.id),
      )
  /** Whether what is missing is called by a word of the question, in one or many. */
  const isNamed = (what: string): boolean =>
    words.some(
      (word) => word.length >= SHORTEST_WORD && what.toLowerCase().includes(word.replace(/(?:ies|s)$/, '')),
    )
  const own = findings.gaps.filter(({ what }) =>
    service === null ? isNamed(what) : holdsName(what, service),
  )
  const others = findings.gaps.filter((gap) => !own.includes(gap))
  const requests = (): string[] => requestLines(sources, counted(tools, 'tool'), evidence)
  // What is missing of the part that is asked about comes before all that was asked of everything.
  const lines = [
    ...(service === null
      ? missing(own)
      : own.length > 0
        ? missing(own)
        : [
            say(
              evidence,
              ['integrations', 'absence'],
              `Nothing of ${service} is on record as not looked at.`,
              first.id,
            ),
          ]),
    ...(isOfMissing ? [...missing(others), ...requests()] : [...requests(), ...missing(others)]),
  ]
  return stated(ground, lines.join('\n'), evidence)
}

/** Evidence both ways on going back to the version before; the decision is a person's. */
export function answerRollBack(ground: Ground): Reply {
  const { findings, snapshot } = ground
  const { evidence, cause, revert_to, state, next_check, remediation } = findings
  const [best, ...others] = findings.hypotheses
  if (best === undefined) {
    return notKnown(ground, 'Nothing that was measured speaks for going back, or against it.', evidence)
  }
  const isChange = best.cause.level === 'change'
  const supports = contentsOf(evidence, best.supported_by)
  const against = contentsOf(evidence, best.contradicted_by)
  const cited = new EvidenceList(snapshot, evidence)
  const { change: id, trigger } = best.cause
  // What was taken back already is not to be taken back again.
  const back = isChange ? reversalOf(reversalsIn(snapshot.changes), [id, trigger])?.change : undefined
  const lines =
    back === undefined
      ? []
      : [
          `It is taken back already: ${say(cited, [CHANGE_SOURCE[back.kind], 'change'], effectSentence(back), back.source)}`,
        ]
  const aside = isChange ? elsewhere(ground, best, cited) : []
  lines.push(...aside)
  // What speaks for going back with one service is not read as speaking for it with another that was asked about.
  const whose = aside.length > 0 && best.cause.entity !== null ? ` with ${best.cause.entity}` : ''
  lines.push(
    ...(isChange
      ? [`For going back${whose}: ${best.statement}`, ...supports.map((content) => `For: ${content}`)]
      : [`Against going back: what fits best is no change. ${best.statement}`]),
  )
  // Many services go from v1 to v2: only what brought this change is gone back from.
  const rollout = snapshot.changes.find(
    (one) =>
      isChange &&
      one.before === revert_to &&
      (one.id === id || one.id === trigger || (id !== null && one.carries?.includes(id) === true)),
  )
  if (rollout !== undefined) {
    lines.push(
      `For: ${say(cited, ['deploys', 'change'], changeSentence({ change: rollout }), rollout.source)}`,
    )
    lines.push(
      `The version ${rollout.entity === undefined ? '' : `of ${rollout.entity} `}before is ${revert_to}.`,
    )
  }
  if (!isChange) lines.push(...supports.map((content) => `Against: ${content}`))
  lines.push(...against.map((content) => `${isChange ? 'Against' : 'For'}: ${content}`))
  if (isChange && cause.level !== 'change')
    lines.push('Against: the evidence does not suffice to name that change as the cause.')
  if (state === 'recovered' || state === 'recovering')
    lines.push(`Against: it is ${state} ${back === undefined ? 'without it' : 'as it is'}.`)
  const [rival] = others
  if (rival !== undefined && rival.cause.change !== best.cause.change)
    lines.push(`Against: it could also be this: ${rival.statement}`)
  if (hasAdvice(findings) && back === undefined) lines.push(`Advice: ${remediation.why}`)
  if (next_check !== null) lines.push(`Next check: ${next_check.text}`)
  lines.push('The decision is yours.')
  return { ...argued(ground, lines.join('\n')), evidence: cited.items }
}

/** Changes of the service that was asked about which are shown where none of them fits best. */
const MOST_OWN = 2

/**
 * That the change which fits best is none of the service that somebody would take back, and what was changed there:
 * the version of one service must not be read as that of another.
 */
function elsewhere(ground: Ground, best: Hypothesis, cited: EvidenceList): string[] {
  const { service, observed, names } = ground
  const { change, trigger, entity } = best.cause
  if (service === null || change === null || (entity !== null && names.canonical(entity) === service))
    return []
  const own = changesOf(ground, new Set([service]))
  if (own.some(({ id }) => id === change || id === trigger)) return []
  const of = entity === null ? 'elsewhere' : `of ${entity}`
  const lines = [`Against going back with ${service}: what fits best is a change ${of}.`]
  const onset = observed.first?.onset ?? null
  for (const one of [...own].sort((a, b) => effectOf(b) - effectOf(a)).slice(0, MOST_OWN)) {
    const late = onset !== null && effectOf(one) > onset.latest
    const sentence = say(
      cited,
      [CHANGE_SOURCE[one.kind], 'change'],
      changeSentence({ change: one }),
      one.source,
    )
    lines.push(
      `${late ? 'Against, since it came after the symptoms began' : 'Of it is recorded'}: ${sentence}`,
    )
  }
  return lines
}
