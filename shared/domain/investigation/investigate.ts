/**
 * The engine: from what was measured to what is known, a pure function.
 *
 * The same snapshot gives the same findings to the byte: scores are rounded to 6 digits before they are
 * compared; ties go by time, then by structure. Names order only lists whose items nothing else tells apart.
 */

import { operationalCauses } from './causes/operational-causes.ts'
import { rankChanges } from './changes/rank-changes.ts'
import { type ConfidenceInput, IDENTIFIED } from './confidence.ts'
import { beginningOf } from './cut-text.ts'
import { asRead } from './deviations/as-read.ts'
import { withCountedLines } from './deviations/counted-lines.ts'
import { isAway } from './deviations/series-shift.ts'
import { withSuccessors } from './deviations/succeeding-series.ts'
import type { Evidence, FindingGap, Findings, IsoWindow, Outcome } from './findings.ts'
import {
  alertSentence,
  CAUSE_LEADS,
  failingSpan,
  numberText,
  patternSentence,
  shiftSentence,
  spanText,
} from './hypotheses/compose-answer.ts'
import { EvidenceList } from './hypotheses/evidence-list.ts'
import { fuseHypotheses, type Verdict } from './hypotheses/fuse-hypotheses.ts'
import { type FailingService, tellingShift } from './place/failing-service.ts'
import { type Observed, observe } from './place/failing-services.ts'
import { stateOf, stillFailing } from './place/state-of-incident.ts'
import { collectSymptoms } from './place/symptoms.ts'
import { callsByInterval, sumOfCalls, usualAndSince } from './records/calls-by-interval.ts'
import { pairsTo } from './records/calls-by-pair.ts'
import { entityNames } from './records/entity-names.ts'
import type { NormalTime } from './records/normal-time.ts'
import type { Series, Snapshot } from './records/snapshot.ts'
import { holdsName } from './records/whole-name.ts'
import { toldIn, toldText } from './told-text.ts'

/** Changes with every change of a verdict or a wording: findings carry it. */
export const ENGINE_VERSION = '1.95.0'

/**
 * Investigates a snapshot.
 *
 * @param focus - the service that was asked about; without one the first alert's
 * @returns findings whose every number, time and name stands in the evidence they cite, and that hold no credential
 */
export function investigate(given: Snapshot, focus?: { readonly service: string | null }): Findings {
  const snapshot = asRead(given)
  const { observed, evidence, verdict } = reach(snapshot, focus?.service ?? null)
  const outcome: Outcome =
    verdict.confidence === 0
      ? 'inconclusive'
      : verdict.confidence >= IDENTIFIED && verdict.cause.level !== 'service'
        ? 'identified'
        : 'best_effort'
  const onset =
    observed.onset === null
      ? null
      : {
          at: new Date(observed.onset.at).toISOString(),
          earliest: new Date(observed.onset.earliest).toISOString(),
          latest: new Date(observed.onset.latest).toISOString(),
        }
  return toldIn({
    summary: summaryOf(verdict, outcome, observed, evidence.items),
    confidence: verdict.confidence,
    confidence_basis: verdict.basis,
    outcome,
    cause: verdict.cause,
    decisive_lines: verdict.decisive_lines,
    state: stateOf(observed),
    onset,
    impact: impactOf(observed, snapshot),
    first_failing_service: observed.first?.entity ?? null,
    blast_radius: observed.blast_radius,
    evidence: evidence.items,
    hypotheses: verdict.hypotheses,
    ruled_out: verdict.ruled_out,
    gaps: gapsOf(snapshot, observed),
    next_check: nextCheck(verdict, observed, snapshot),
    revert_to: verdict.revert_to,
    remediation: verdict.remediation,
    engine_version: ENGINE_VERSION,
  })
}

/** What the confidence of the verdict is computed from, for those who fit it; null where nothing was found. */
export const statedOf = (snapshot: Snapshot): ConfidenceInput | null =>
  reach(asRead(snapshot), null).verdict.stated

function reach(
  given: Snapshot,
  asked: string | null,
): { readonly observed: Observed; readonly evidence: EvidenceList; readonly verdict: Verdict } {
  const snapshot = withSuccessors(withCountedLines(given))
  const names = entityNames(snapshot)
  const observed = observe(snapshot, names, asked === null ? null : names.canonical(asked))
  const symptoms = collectSymptoms(snapshot, observed, names)
  const changes = rankChanges(snapshot, observed, symptoms, names)
  const operational = operationalCauses(snapshot, observed, symptoms, names)
  const evidence = new EvidenceList(snapshot)
  citeAlerts(snapshot, evidence)
  const verdict = fuseHypotheses(snapshot, observed, changes, operational, evidence)
  citeBackground(snapshot, observed, evidence)
  return { observed, evidence, verdict }
}

function citeAlerts(snapshot: Snapshot, evidence: EvidenceList): void {
  const alerts = [...snapshot.alerts].sort(
    (a, b) => a.fired_at - b.fired_at || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
  for (const alert of alerts.slice(0, 3)) {
    evidence.add('alerts', 'statement', alertSentence(alert), alert.source)
  }
}

/** At least this many items, where the data hold them. */
const LEAST_EVIDENCE = 3

function citeBackground(snapshot: Snapshot, observed: Observed, evidence: EvidenceList): void {
  for (const shift of observed.shifts) {
    if (evidence.items.length >= LEAST_EVIDENCE) return
    evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query)
  }
  const patterns = [...snapshot.patterns].sort(
    (a, b) => b.count - a.count || (a.signature < b.signature ? -1 : 1),
  )
  for (const pattern of patterns) {
    if (evidence.items.length >= LEAST_EVIDENCE) return
    evidence.add('logs', 'pattern', patternSentence(pattern), pattern.source)
  }
}

function impactOf(observed: Observed, snapshot: Snapshot): Findings['impact'] {
  const service =
    observed.failing.find((candidate) => candidate.entity === observed.symptom_service) ?? observed.first
  const window: IsoWindow | null =
    service === null || service === undefined
      ? null
      : {
          start: new Date(service.onset.at).toISOString(),
          end: new Date(
            Math.max(service.onset.at, service.ended_at ?? observed.normal.incident.to),
          ).toISOString(),
        }
  if (service === null || service === undefined)
    return { service: null, failed: null, total: null, ratio: null, normal_ratio: null, window }
  const { entity } = service
  if (service.flow !== null)
    return {
      service: entity,
      failed: service.flow.failed,
      total: service.flow.calls,
      ratio: service.flow.calls === 0 ? null : service.flow.failed / service.flow.calls,
      normal_ratio: normalRatio(entity, observed, snapshot),
      window,
    }
  const ratio = service.shifts.find(
    (shift) =>
      shift.meaning.meaning === 'errors' &&
      /ratio|rate|pct|percent/i.test(shift.series.name) &&
      !/per_|_ps$/i.test(shift.series.name),
  )
  // What one of several instances or routes fails is no share of all requests.
  const isWhole = ratio !== undefined && seriesLike(ratio.series, snapshot) === 1
  if (!isWhole) return { service: entity, failed: null, total: null, ratio: null, normal_ratio: null, window }
  const isPercent = ratio.series.unit === '%' || /pct|percent/i.test(ratio.series.name)
  const shareOf = (level: number): number | null => {
    const share = isPercent ? level / 100 : level
    return share >= 0 && share <= 1 ? Number(numberText(share)) : null
  }
  return {
    service: entity,
    failed: null,
    total: null,
    ratio: shareOf(ratio.during),
    normal_ratio: shareOf(ratio.before),
    window,
  }
}

/** How many series there are of the name and the entity of one. */
function seriesLike({ name, entity }: Series, { series }: Snapshot): number {
  let count = 0
  for (const one of series) if (one.name === name && one.entity === entity) count += 1
  return count
}

/** Share of the calls to an entity that failed in normal time; null where none were counted then. */
function normalRatio(entity: string, { normal }: Observed, { edges }: Snapshot): number | null {
  const { calls, failed } = sumOfCalls(usualAndSince(callsByInterval(pairsTo(edges, entity)), normal).usual)
  return calls === 0 ? null : Number(numberText(failed / calls))
}

function gapsOf(snapshot: Snapshot, observed: Observed): readonly FindingGap[] {
  const gaps: FindingGap[] = []
  const missing = (has: boolean, what: string, why: string): void => {
    if (!has) gaps.push({ what, why })
  }
  missing(snapshot.series.length > 0, 'metrics', 'No series was given, so levels could not be compared.')
  missing(snapshot.logs.length + snapshot.patterns.length > 0, 'logs', 'No log lines were given.')
  missing(
    snapshot.logs.length === 0 || observed.lines_usual === observed.normal,
    'logs',
    usualLinesText(observed.lines_usual),
  )
  missing(
    snapshot.spans.length + snapshot.edges.length > 0,
    'traces',
    'No spans or calls were given, so who calls whom is a guess.',
  )
  missing(snapshot.changes.length > 0, 'changes', 'No changes were given, so none could be named.')
  missing(
    snapshot.changes.length === 0 ||
      snapshot.changes.some(
        (change) =>
          change.kind === 'deploy' || change.kind === 'release' || change.effective_at !== undefined,
      ),
    'rollouts',
    'No record says when a change took effect.',
  )
  if (observed.normal.origin === 'none')
    gaps.push({
      what: 'baseline',
      why: 'No normal time was given or could be told, so no level could be compared.',
    })
  else if (observed.normal.origin === 'derived')
    gaps.push({
      what: 'baseline',
      why: 'None was declared; the calm time before the symptoms served as one.',
    })
  const own = snapshot.gaps.map((gap) => ({ what: gap.what, why: gap.why }))
  // Whoever asked has said what an answer is missing, in words that know more of it.
  const said = new Set(snapshot.gaps.flatMap(({ source }) => source ?? []))
  const asked = snapshot.sources
    .filter(
      ({ id, outcome }) =>
        !said.has(id) && (outcome === 'failed' || outcome === 'timed_out' || outcome === 'cut'),
    )
    .map((source) => ({
      what: `${source.tool}: ${source.query}`,
      why:
        source.detail ??
        (source.outcome === 'cut'
          ? 'The answer was cut short.'
          : source.outcome === 'timed_out'
            ? 'It did not answer in time.'
            : 'It failed.'),
    }))
  const order = (a: FindingGap, b: FindingGap): number =>
    a.what < b.what ? -1 : a.what > b.what ? 1 : a.why < b.why ? -1 : a.why > b.why ? 1 : 0
  // One question in many parts may be missing the same in each: it is told once.
  const once = new Map([...own, ...asked].map((gap) => [JSON.stringify([gap.what, gap.why]), gap]))
  return [...gaps, ...[...once.values()].sort(order)]
}

/** By which lines it was told what is usual, where not all of normal time has any that were read. */
const usualLinesText = ({ baselines }: NormalTime): string =>
  baselines.length === 0
    ? 'No line of normal time was read, so which lines are new is not known.'
    : `Not all of normal time has lines that were read; usual ones are those of ${baselines
        .map(({ from, to }) => spanText(from, to))
        .join(', ')}.`

/** Characters of a logged line by which it is found again. */
const MOST_QUOTED = 100

function nextCheck(verdict: Verdict, observed: Observed, snapshot: Snapshot): Findings['next_check'] {
  const one = stillFailing(observed)
  const shift = one === null ? undefined : (tellingShift(one) ?? one.shifts[0])
  const sourceOf = (source: string) => snapshot.sources.find((asked) => asked.id === source)
  const link = (source: string): string | null => sourceOf(source)?.link ?? null
  // A file of records is read and not asked: its name put into a tool finds nothing.
  const askable = (source: string): string | null => {
    const asked = sourceOf(source)
    return asked === undefined || asked.tool === 'bundle' ? null : asked.query
  }
  if (shift !== undefined) {
    const { kind, entity, trigger } = verdict.cause
    // Only what was rolled out where this is measured has versions to be told apart.
    const isSplit = (kind === 'code' || trigger !== null) && entity === shift.series.entity
    const goal = `${isAway(shift) ? 'is back' : 'stays'} at ${numberText(shift.before)}`
    return {
      text: `See whether ${shift.series.name} of ${shift.series.entity} ${goal}${isSplit ? ', split by version' : ''}.`,
      query: shift.series.query ?? askable(shift.series.source),
      link: link(shift.series.source),
    }
  }
  const template = one?.templates[0]
  if (template !== undefined)
    return {
      text: `See whether ${template.service} still logs “${beginningOf(toldText(template.text), MOST_QUOTED)}”.`,
      query: askable(template.source),
      link: link(template.source),
    }
  return null
}

function summaryOf(
  verdict: Verdict,
  outcome: Outcome,
  observed: Observed,
  cited: readonly Evidence[],
): string {
  const { first, unknown_service: unknown } = observed
  const lead = unknown === null ? '' : `No connected tool names ${unknown}. `
  const what =
    first === null
      ? `${lead}Nothing that was measured left its normal level.`
      : `${lead}${wellOf(verdict)}${first.entity} ${failingSpan(first)}.${lastingBeside(first, observed)}${affectedOf(observed, first.entity, cited)}`
  const [best] = verdict.hypotheses
  if (outcome === 'inconclusive' || best === undefined) {
    return first === null || best === undefined
      ? `${what} The cause is not known.`
      : `${what} ${CAUSE_LEADS.inconclusive} ${best.statement}`
  }
  return `${what} ${CAUSE_LEADS[outcome]} ${best.statement}`
}

/** That who was asked about still fails, where what failed first no longer does. */
function lastingBeside(first: FailingService, observed: Observed): string {
  const lasting = stillFailing(observed)
  return lasting === first || lasting === null ? '' : ` ${lasting.entity} still fails.`
}

/** That who was asked about is well, where what is named explains others. */
const wellOf = ({ well }: Verdict): string => (well === null ? '' : `${well} itself answers as ever. `)

/** Names of who is affected that a summary tells. */
const MOST_AFFECTED = 3

function isNamedIn(cited: readonly Evidence[], name: string): boolean {
  for (const { content } of cited) if (holdsName(content, name)) return true
  return false
}

/** Who else fails, as far as cited evidence names them; nothing where nobody does. */
function affectedOf({ blast_radius }: Observed, first: string, cited: readonly Evidence[]): string {
  const others: string[] = []
  for (const name of blast_radius) {
    // One more than is told says that there are others.
    if (others.length > MOST_AFFECTED) break
    if (name !== first && isNamedIn(cited, name)) others.push(name)
  }
  if (others.length === 0) return ''
  const names = others.slice(0, MOST_AFFECTED).join(', ')
  return ` Affected with it: ${names}${others.length > MOST_AFFECTED ? ' and others' : ''}.`
}
