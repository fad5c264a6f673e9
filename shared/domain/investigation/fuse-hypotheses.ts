/**
 * Joins what the scorers found into hypotheses, each with what speaks for and against it.
 *
 * An operational cause with positive evidence explains the same symptoms that a change would, so it takes
 * away from changes ("explaining away", Pearl 1988); one that a change may have triggered yields to a change
 * whose mechanism fits.
 */
import { MOST_BLAME } from './blame-services.ts'
import {
  brokenSentence,
  callsSentence,
  capital,
  changeName,
  changeSentence,
  contrastSentence,
  echoSentence,
  flowSentence,
  gapSentence,
  madeSentence,
  mechanismSentence,
  patternSentence,
  quotedSentence,
  quoteText,
  rolloutSentence,
  runSentence,
  shiftSentence,
  shortId,
  signSentence,
  spentSentence,
  templateSentence,
  timeText,
  titleText,
  vanishedSentence,
} from './compose-answer.ts'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_UNEXPLAINED,
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_USUAL,
  CONFIDENCE_CAP_WORDS,
  type ConfidenceInput,
  confidenceOf,
} from './confidence.ts'
import type { EvidenceList } from './evidence-list.ts'
import type { FailingService, Observed } from './failing-services.ts'
import type { Cause, CauseKind, EvidenceSource, Hypothesis, RemediationAction, RuledOut } from './findings.ts'
import type { OperationalCause, Sign } from './operational-causes.ts'
import { isRollout } from './place-of-changes.ts'
import { type ChangeRanking, FITS, type RankedChange, stepsOf } from './rank-changes.ts'
import type { Change, Snapshot } from './snapshot.ts'
import { round6 } from './statistics.ts'

/** A hypothesis below this is not worth a person's time. */
const WORTH_NAMING = 0.22
/** The same for a change whose diff is known and shows nothing that could do the harm: words alone mislead. */
const WORTH_NAMING_BY_WORDS = 0.3
/**
 * The same for a change that time and place single out: at least a fifth of the credit of all that arrived is its own.
 * Most outages follow a change (Beyer et al., Site Reliability Engineering, 2016, chapter 1), so it is worth a look.
 */
const WORTH_A_LOOK = 0.08
const SINGLED_OUT = 0.2
/** From here words name what is observed: a third of a word that hardly any other change uses. */
const NAMED = 0.1
/** Share of its own certainty by which an operational cause lowers changes, and changes lower it. */
const EXPLAINS_AWAY = 0.75
const YIELDS = 0.6
/** Lead below which the runner-up fits nearly as well: whatever speaks for both, neither is likely. */
const CLOSE = 0.15
/** What remains of a cause that says how it fails and not why, beside a change that arrived and can do the harm. */
const DESCRIBES = 0.4
/** Its score is at most this share of that change's: nearly as good is no lead. */
const BELOW = 0.8
/** From here such a change is worth naming: it can do the harm, and what says how it fails would be named instead. */
const WORTH_EXPLAINING = 0.15
/** Hypotheses shown. */
const MOST = 5

export interface Verdict {
  readonly cause: Cause
  readonly confidence: number
  readonly basis: string
  readonly hypotheses: readonly Hypothesis[]
  readonly ruled_out: readonly RuledOut[]
  readonly revert_to: string | null
  readonly remediation: {
    readonly action: RemediationAction
    readonly target: string | null
    readonly why: string
  }
  /** Ids of the evidence of what fails, strongest first. */
  readonly symptoms: readonly string[]
  /** What the confidence was computed from; null where nothing was found. */
  readonly stated: ConfidenceInput | null
}

/** Something that happened, with the kinds of evidence that agree on it. */
type Happening =
  | { readonly of: 'change'; readonly entry: RankedChange; readonly score: number; readonly kinds: number }
  | {
      readonly of: 'operational'
      readonly found: OperationalCause
      readonly score: number
      readonly kinds: number
    }

type Candidate =
  | Happening
  | { readonly of: 'service'; readonly service: FailingService; readonly score: number }

export function fuseHypotheses(
  snapshot: Snapshot,
  observed: Observed,
  changes: ChangeRanking,
  operational: readonly OperationalCause[],
  evidence: EvidenceList,
): Verdict {
  const symptoms = symptomEvidence(observed, evidence)
  const candidates = weigh(observed, changes, operational)
  const coverage = coverageOf(snapshot)
  const ruledOut = ruleOut(observed, changes, candidates, evidence)
  const [best, ...others] = candidates
  const unknownSince = observed.onset === null ? null : new Date(observed.onset.at).toISOString()
  if (best === undefined) {
    return {
      cause: {
        kind: 'unknown',
        level: 'service',
        entity: null,
        change: null,
        trigger: null,
        contributing: [],
        since: unknownSince,
      },
      confidence: 0,
      basis: 'Nothing that was measured left its normal level, so no cause is named.',
      hypotheses: [],
      ruled_out: ruledOut,
      revert_to: null,
      remediation: { action: 'none', target: null, why: 'No cause was found.' },
      symptoms,
      stated: null,
    }
  }
  // Where something fails does not compete with what happened there.
  const next = others.find(
    (other) => (other.of === 'service') === (best.of === 'service') && !isExplainedBy(best, other, observed),
  )
  const lead = leadOf(best, next, observed)
  const kinds = agreementOf(best, observed)
  const stated: ConfidenceInput = {
    margin: lead * Math.min(1, kinds),
    kinds,
    coverage: coverage.share,
    caps: [
      ...capsOf(best, observed, snapshot.changes.length > 0),
      ...(best.of === 'operational' && isContested(best.found, changes) ? [CONFIDENCE_CAP_UNEXPLAINED] : []),
      ...(lead < CLOSE ? [CONFIDENCE_CAP_UNMAPPED] : []),
    ],
  }
  const confidence = confidenceOf(stated)
  const isTie = next !== undefined && best.of !== 'service' && next.score === best.score
  const hypotheses = candidates.slice(0, MOST).map((candidate, index): Hypothesis => {
    const { supported, against } = evidenceFor(candidate, observed, evidence, symptoms, changes)
    const share = best.score === 0 ? 0 : candidate.score / best.score
    return {
      cause: causeOf(candidate, observed, operational, index === 0),
      statement: statementOf(candidate, observed),
      confidence:
        index === 0 ? confidence : Math.round(Math.min(confidence, (1 - confidence) * share) * 100) / 100,
      supported_by: supported,
      contradicted_by: against,
    }
  })
  const top = hypotheses[0] as Hypothesis
  const cause: Cause =
    isTie || confidence === 0
      ? {
          ...top.cause,
          kind: 'unknown',
          level: 'service',
          entity: observed.first?.entity ?? null,
          change: null,
          trigger: null,
        }
      : top.cause
  return {
    cause,
    confidence,
    basis: basisOf(best, next, coverage.words, observed, isTie),
    hypotheses,
    ruled_out: ruledOut,
    revert_to: best.of === 'change' && !isTie ? versionBefore(best.entry, snapshot) : null,
    remediation: isTie
      ? { action: 'escalate', target: null, why: 'Two causes fit equally well.' }
      : adviceOf(best, observed),
    symptoms,
    stated,
  }
}

function weigh(
  observed: Observed,
  changes: ChangeRanking,
  operational: readonly OperationalCause[],
): readonly Candidate[] {
  const firm = operational.find((cause) => !cause.yields_to_changes)?.score ?? 0
  const demand = operational.find((cause) => cause.kind === 'traffic')?.score ?? 0
  const strongestChange =
    changes.ranked.find(
      (entry) =>
        (entry.mechanism?.score ?? 0) >= 0.4 ||
        entry.echo !== null ||
        entry.quoted !== null ||
        entry.spent !== null ||
        entry.contrast !== null,
    )?.score ?? 0
  // Where a resource was seen at its end, what arrived just before may have used it up.
  const arrived =
    changes.ranked.find((entry) => (entry.coincides || entry.spent !== null) && hasMechanism(entry))?.score ??
    0
  // Or what time and place single out did, as far as they do.
  const singled = Math.max(0, ...changes.ranked.filter(isSingledOut).map(({ closeness }) => closeness))
  const broughtBy = (found: OperationalCause): number => changeBefore(found, changes)?.score ?? 0
  const happened = operational.find((cause) => !isDescription(cause) && broughtBy(cause) === 0)?.score ?? 0
  const why = changes.ranked.find(explains)
  const describing = (found: OperationalCause, score: number): number => {
    if (why === undefined || !isDescription(found)) return round6(score)
    // Unreadable data and refused credentials are told by several signs: they yield by a share. What was only measured to
    // be at its end, or to come and go, stands below the why however clearly it is seen.
    const isTold = found.kind === 'data' || found.kind === 'config'
    const most = isTold ? 1 : BELOW * why.score * (1 - EXPLAINS_AWAY * firm)
    return round6(Math.min(DESCRIBES * score, most))
  }
  const all: readonly Happening[] = [
    ...changes.ranked.map((entry): Happening => {
      const own = entry.echo !== null || entry.spent !== null || isNamed(entry) || entry.contrast !== null
      // To have arrived just before counts where nothing else that happened explains the symptoms.
      const rival = hasMechanism(entry) || explains(entry) ? firm : Math.max(firm, happened)
      return {
        of: 'change',
        entry,
        score: round6(entry.score * (1 - EXPLAINS_AWAY * rival * (own ? 0.4 : 1))),
        kinds: changeKinds(entry),
      }
    }),
    ...operational.map(
      (found): Happening => ({
        of: 'operational',
        found,
        score: describing(
          found,
          found.score *
            (found.yields_to_changes ? (1 - YIELDS * strongestChange) * (1 - EXPLAINS_AWAY * firm) : 1) *
            (1 - YIELDS * Math.max(isConsequence(found) ? arrived : 0, broughtBy(found))) *
            (isConsequence(found) || isOnlySeen(found) ? 1 - singled : 1) *
            // What demand used up is the consequence, not the cause.
            (found.kind === 'capacity' && demand >= WORTH_NAMING ? 1 - EXPLAINS_AWAY * demand : 1),
        ),
        kinds: operationalKinds(found),
      }),
    ),
  ]
  const shown = all.filter(isWorthNaming)
  const happenings = shown.some(({ of }) => of === 'change')
    ? shown
    : all.filter((candidate) => isWorthNaming(candidate) || isWorthALook(candidate))
  happenings.sort((a, b) => b.score - a.score || b.kinds - a.kinds)
  const named = new Set(happenings.map(entityOf))
  const places = placesOf(observed).filter((service) => !named.has(service.entity))
  return [
    ...happenings,
    ...places.map(
      (service): Candidate => ({
        of: 'service',
        service,
        score: service.blame?.strength ?? service.score,
      }),
    ),
  ]
}

function isWorthNaming(candidate: Happening): boolean {
  if (candidate.of === 'change' && explains(candidate.entry)) return candidate.score >= WORTH_EXPLAINING
  const isByWords =
    candidate.of === 'change' && candidate.entry.diff.size > 0 && !hasMechanism(candidate.entry)
  return candidate.score >= (isByWords ? WORTH_NAMING_BY_WORDS : WORTH_NAMING)
}

/** A change that time and place single out, or that got there and can do the harm, where no other is worth naming. */
const isWorthALook = (candidate: Happening): boolean =>
  candidate.of === 'change' &&
  candidate.score >= WORTH_A_LOOK &&
  (isSingledOut(candidate.entry) || (candidate.entry.closeness > 0 && hasMechanism(candidate.entry)))

/** What changes bring as a rule; a certificate, a name, a provider or a node fails without one. */
const BROUGHT: ReadonlySet<CauseKind> = new Set(['infra', 'capacity', 'data', 'config'])

/**
 * The change that reached the very place of such a cause just before the onset, alone or seen to do such harm: about 70 %
 * of outages are due to changes (Beyer et al., Site Reliability Engineering, 2016, chapter 1), and nobody listens where a
 * start failed. What comes and goes by itself no change brought, since what one brings stays.
 */
const changeBefore = (found: OperationalCause, { ranked }: ChangeRanking): RankedChange | undefined =>
  BROUGHT.has(found.kind) && !isOnlySeen(found)
    ? ranked.find(
        ({ coincides, reaches, trivial, closeness, mechanism, spent }) =>
          trivial === null &&
          reaches === found.entity &&
          (coincides || spent !== null || (closeness >= SINGLED_OUT && (mechanism?.score ?? 0) >= FITS)),
      )
    : undefined

/** Whether a change that time and place single out reached the very place of such a cause: then that none did cannot be said. */
const isContested = (found: OperationalCause, { ranked }: ChangeRanking): boolean =>
  BROUGHT.has(found.kind) &&
  ranked.some(
    ({ closeness, reaches, trivial }) =>
      trivial === null && reaches === found.entity && closeness >= SINGLED_OUT,
  )

/** Where it fails, as hypotheses that come after those that say what happened. */
function placesOf(observed: Observed): readonly FailingService[] {
  const { suspects, unexplained, first, made } = observed
  const places = suspects.length > 0 ? suspects : unexplained
  // What tells nothing of itself has no series that could make it a suspect; its callers' counted calls do.
  const isKnown = first !== null && (places.includes(first) || first.flow !== null || made !== null)
  return isKnown ? [first, ...places.filter((service) => service !== first)] : places
}

const entityOf = (happening: Happening): string | null =>
  happening.of === 'operational' ? happening.found.entity : happening.entry.reaches

/** What fails names what the change took away, or the change itself. */
const isNamed = ({ quoted }: RankedChange): boolean => quoted !== null && quoted.how !== 'adds'

const isSingledOut = ({ closeness }: RankedChange): boolean => closeness >= SINGLED_OUT

const hasMechanism = (entry: RankedChange): boolean =>
  (entry.mechanism?.score ?? 0) >= 0.3 ||
  entry.echo !== null ||
  entry.quoted !== null ||
  entry.contrast !== null ||
  entry.spent !== null ||
  // What arrived just before the harm, alone, and can do it or is named by it: more of how need not show.
  (entry.coincides && (entry.words_score >= NAMED || (entry.mechanism?.score ?? 0) >= FITS))

/** A mechanism that fits less than well agrees as far as it fits. */
const mechanismKind = (score: number): number => (score >= 0.4 ? 1 : score >= FITS ? score : 0)

const changeKinds = (entry: RankedChange): number =>
  mechanismKind(entry.mechanism?.score ?? 0) +
  Number(entry.echo !== null) +
  Number(isNamed(entry)) +
  Number(entry.contrast !== null) +
  Number(entry.spent !== null) +
  Number(entry.words_score >= 0.4) +
  // Time and place are a kind of evidence as far as they are its own.
  (entry.coincides ? 1 : isSingledOut(entry) ? entry.closeness : 0) +
  Number(entry.effective_at.known && entry.place >= 0.85)

function operationalKinds(found: OperationalCause): number {
  const kinds = new Set<string>()
  for (const { fact } of found.signs)
    kinds.add(
      fact.of === 'text'
        ? `${fact.origin} ${fact.entity ?? ''}`
        : fact.of === 'shift'
          ? `shift ${fact.shift.series.entity}`
          : fact.of,
    )
  return Math.min(4, kinds.size)
}

/** That a service's errors or waiting left normal says that it suffers, not that it is the place; the fit has no such case. */
const isPlaced = ({ blame }: FailingService): boolean =>
  blame !== null &&
  (blame.flow !== null ||
    blame.gap !== null ||
    blame.broken !== null ||
    blame.shift?.meaning.meaning === 'saturation')

/** A flow brings a level of its own from the calm samples before the alert. */
const hasBaseline = ({ normal, suspects }: Observed): boolean =>
  normal.origin !== 'none' || suspects[0]?.blame?.flow?.has_level === true

/** A resource that was measured at its end: nothing says what brought it there. */
const isConsequence = ({ kind, signs, is_whole }: OperationalCause): boolean =>
  kind === 'capacity' &&
  is_whole !== true &&
  !signs.some(
    ({ fact }) =>
      (fact.of === 'text' && fact.origin === 'event') || (fact.of === 'statement' && fact.statement.is_stuck),
  )

/** One measurement of how a place fails, and no word of what happened there. */
const isOnlySeen = ({ kind, signs }: OperationalCause): boolean =>
  kind === 'infra' && signs.length === 1 && signs[0]?.fact.of === 'shift'

/**
 * Says what it looks like and not what led there: a change of what reads the data looks the same, and whoever is refused
 * what was granted a moment ago met a change of one of the two sides.
 */
const isHalf = (found: OperationalCause): boolean =>
  isConsequence(found) || isOnlySeen(found) || found.kind === 'data' || found.kind === 'config'

/** Says how a place fails, so that it can be stated as half of an answer at most: something brought it about. */
const isDescription = (found: OperationalCause): boolean =>
  isHalf(found) || (found.at_most !== undefined && found.at_most <= CONFIDENCE_CAP_UNEXPLAINED)

/** A change that is worth naming, arrived in time next to what fails, and is seen to be able to do such harm. */
const explains = (entry: RankedChange): boolean =>
  entry.score >= WORTH_EXPLAINING &&
  entry.trivial === null &&
  entry.closeness > 0 &&
  ((entry.mechanism?.score ?? 0) >= FITS || entry.spent !== null || entry.contrast !== null || isNamed(entry))

/** Unreadable data, and a used-up resource that was spoken of and not measured: that calls fail does not measure it. */
const isOnlyTold = ({ kind, signs, is_whole }: OperationalCause): boolean =>
  kind === 'data' || (kind === 'capacity' && is_whole !== true && !signs.some(isOfResource))

const isOfResource = ({ fact }: Sign): boolean =>
  fact.of === 'statement' || (fact.of === 'shift' && fact.shift.meaning.meaning === 'saturation')

/** How a score compares with others of its sort: a place by what blames it, anything else by its own. */
const comparable = (candidate: Candidate): number =>
  candidate.of === 'service' ? weightOfPlace(candidate.service) : candidate.score

/** A flow accounts for the symptom as a whole; the other scorers of place add up, each to at most 1. */
function weightOfPlace({ blame, score }: FailingService): number {
  if (blame === null) return score
  return blame.flow === null ? blame.score / MOST_BLAME : blame.strength
}

/**
 * Where calls were counted, those whose failing the place explains are no rivals of it, however far they left normal. Nor
 * are two steps of one flag.
 */
const isExplainedBy = (best: Candidate, other: Candidate, { unexplained }: Observed): boolean =>
  best.of === 'change' && other.of === 'change'
    ? stepsOf(best.entry.change) === stepsOf(other.entry.change)
    : best.of === 'service' &&
      other.of === 'service' &&
      best.service.flow !== null &&
      !unexplained.includes(other.service)

/** Of what fails at a place, the share below which a service that was counted to fail no more is no rival of it. */
const LITTLE = 0.01

/** Whether next to nothing fails inside of one beside what fails inside of the other, both as their callers counted. */
const failsLittle = (one: FailingService['flow'], other: NonNullable<FailingService['flow']>): boolean =>
  one !== null && other.own_failed >= 1 && one.own_failed < LITTLE * other.own_failed

/** 1 − the runner-up's score as a share of the best one's. */
function leadOf(best: Candidate, next: Candidate | undefined, observed: Observed): number {
  const first = comparable(best)
  const own = first <= 0 ? 0 : next === undefined ? 1 : Math.max(0, 1 - comparable(next) / first)
  const place = placeOf(best, observed)
  if (place === undefined) return own
  // What happened at a place is no surer than the place.
  const isExplained = (service: FailingService): boolean =>
    place.flow !== null && (!observed.unexplained.includes(service) || failsLittle(service.flow, place.flow))
  const rival = observed.suspects.find((service) => service !== place && !isExplained(service))
  return rival === undefined
    ? own
    : Math.min(own, Math.max(0, 1 - weightOfPlace(rival) / weightOfPlace(place)))
}

/** A resource that was measured elsewhere, such as a volume at its node, and that its user says is used up. */
const isMeasuredElsewhere = ({ entity, signs }: OperationalCause): boolean =>
  signs.some(({ fact }) => fact.of === 'shift' && fact.shift.series.entity !== entity)

/** The place that a used-up resource was measured at; other causes are told by what happened, not by where. */
const placeOf = (candidate: Candidate, { suspects }: Observed): FailingService | undefined =>
  candidate.of === 'operational' &&
  candidate.found.is_placed !== true &&
  isConsequence(candidate.found) &&
  !isMeasuredElsewhere(candidate.found)
    ? suspects.find((service) => service.entity === candidate.found.entity)
    : undefined

/** The kinds of evidence that agree, each by how far it stands from noise. */
function agreementOf(candidate: Candidate, observed: Observed): number {
  if (candidate.of === 'service') return weightOfPlace(candidate.service)
  const place = placeOf(candidate, observed)
  return Math.max(candidate.kinds * candidate.score, place === undefined ? 0 : weightOfPlace(place))
}

function capsOf(candidate: Candidate, observed: Observed, hasRecords: boolean): readonly number[] {
  const caps: number[] = []
  // Where records tell what happened and none of them explains it, where it fails is half of an answer.
  if (
    hasRecords &&
    (candidate.of === 'service' || (candidate.of === 'operational' && isHalf(candidate.found)))
  )
    caps.push(CONFIDENCE_CAP_UNEXPLAINED)
  if (!hasBaseline(observed)) caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (candidate.of === 'change' && !candidate.entry.effective_at.known) caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (candidate.of === 'change' && !candidate.entry.is_linked) caps.push(CONFIDENCE_CAP_UNLINKED)
  if (candidate.of === 'change' && !hasMechanism(candidate.entry))
    caps.push(candidate.entry.coincides ? CONFIDENCE_CAP_UNLINKED : CONFIDENCE_CAP_WORDS)
  if (candidate.of === 'operational' && isOnlyTold(candidate.found)) caps.push(CONFIDENCE_CAP_CONSEQUENCE)
  if (candidate.of === 'operational' && candidate.found.at_most !== undefined)
    caps.push(candidate.found.at_most)
  // One kind of evidence alone is possible, not likely; a place that was measured counts as a further one.
  if (candidate.of !== 'service' && candidate.kinds < 2 && placeOf(candidate, observed) === undefined)
    caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (candidate.of === 'service' && !isPlaced(candidate.service)) caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (observed.suspects[0]?.blame?.flow?.is_usual === true) caps.push(CONFIDENCE_CAP_USUAL)
  return caps
}

function coverageOf(snapshot: Snapshot): { share: number; words: string } {
  const kinds: readonly (readonly [string, boolean])[] = [
    ['metrics', snapshot.series.length > 0],
    ['logs', snapshot.logs.length + snapshot.patterns.length > 0],
    ['traces', snapshot.spans.length + snapshot.edges.length > 0],
    ['changes', snapshot.changes.length > 0],
  ]
  const there = kinds.filter(([, has]) => has)
  return { share: there.length / kinds.length, words: there.map(([name]) => name).join(', ') || 'nothing' }
}

function symptomEvidence(observed: Observed, evidence: EvidenceList): readonly string[] {
  const ids: string[] = []
  const { first, made } = observed
  if (made !== null) ids.push(evidence.add('topology', 'dependency', madeSentence(made), made.source))
  const services = [first, ...observed.failing.filter((service) => service !== first)].filter(
    (service) => service !== null,
  )
  for (const service of services.slice(0, 4)) {
    const most = service === first ? 3 : 1
    for (const shift of service.shifts.slice(0, most))
      ids.push(
        evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query),
      )
    for (const template of service.templates.slice(0, most))
      ids.push(
        evidence.add(
          'logs',
          template.severity === 'error' ? 'error' : 'pattern',
          templateSentence(template),
          template.source,
        ),
      )
    if (service.templates.length === 0)
      for (const pattern of service.patterns.slice(0, most))
        ids.push(evidence.add('logs', 'pattern', patternSentence(pattern), pattern.source))
    const [span] = service.error_spans
    if (span !== undefined && service === first)
      ids.push(
        evidence.add(
          'traces',
          'error',
          `Span ${quoteText(span.name)} of ${span.service} failed at ${timeText(span.start)} with no failed child.`,
          span.source,
        ),
      )
    if (service.flow !== null && service.flow.excess_failed >= 1)
      ids.push(evidence.add('topology', 'dependency', callsSentence(service.flow), service.flow.source))
  }
  for (const template of observed.templates
    .filter((one) => one.change === 'vanished' && one.service === first?.entity)
    .slice(0, 1))
    ids.push(evidence.add('logs', 'absence', vanishedSentence(template), template.source))
  return [...new Set(ids)]
}

const CHANGE_SOURCE: Readonly<Record<Change['kind'], EvidenceSource>> = {
  commit: 'commits',
  pull_request: 'commits',
  deploy: 'deploys',
  release: 'deploys',
  flag: 'flags',
  config: 'deploys',
  infra: 'deploys',
  migration: 'deploys',
  scale: 'deploys',
  other: 'deploys',
}

function citeChange(entry: RankedChange, evidence: EvidenceList): string[] {
  const { change } = entry
  const ids = [evidence.add(CHANGE_SOURCE[change.kind], 'change', changeSentence(entry), change.source)]
  if (entry.carried_by !== null)
    ids.push(
      evidence.add('deploys', 'change', rolloutSentence(entry.carried_by, change), entry.carried_by.source),
    )
  if (entry.run !== null)
    ids.push(
      evidence.add(
        'topology',
        'change',
        runSentence(entry.run, change),
        entry.run.seen?.source ?? change.source,
      ),
    )
  return ids
}

function signSource(sign: Sign): EvidenceSource {
  const { fact } = sign
  if (fact.of === 'shift') return 'metrics'
  if (fact.of === 'calls') return 'topology'
  if (fact.of === 'status' || fact.of === 'statement') return 'integrations'
  if (fact.of === 'expiry')
    return fact.origin === 'metric' ? 'metrics' : fact.origin === 'alert' ? 'alerts' : 'logs'
  return (
    {
      log: 'logs',
      pattern: 'logs',
      kubernetes: 'topology',
      event: 'integrations',
      alert: 'alerts',
      trace: 'traces',
    } as const
  )[fact.origin]
}

function citeSign(sign: Sign, evidence: EvidenceList): string {
  const { fact } = sign
  const record =
    fact.of === 'shift'
      ? fact.shift.series.source
      : fact.of === 'statement'
        ? fact.statement.record.source
        : fact.of === 'calls'
          ? fact.flow.source
          : fact.source
  const type =
    fact.of === 'shift' || fact.of === 'statement'
      ? 'anomaly'
      : fact.of === 'status'
        ? 'statement'
        : fact.of === 'calls'
          ? 'dependency'
          : fact.of === 'expiry'
            ? 'change'
            : 'error'
  return evidence.add(
    signSource(sign),
    type,
    signSentence(sign),
    record,
    fact.of === 'shift' ? fact.shift.series.query : undefined,
  )
}

function evidenceFor(
  candidate: Candidate,
  observed: Observed,
  evidence: EvidenceList,
  symptoms: readonly string[],
  changes: ChangeRanking,
): { supported: readonly string[]; against: readonly string[] } {
  const supported: string[] = []
  const against: string[] = []
  if (candidate.of === 'change') {
    const { entry } = candidate
    supported.push(...citeChange(entry, evidence))
    if (entry.mechanism !== null && entry.mechanism.score >= 0.2)
      supported.push(
        evidence.add('commits', 'correlation', mechanismSentence(entry) as string, entry.change.source),
      )
    if (entry.echo !== null)
      supported.push(
        evidence.add(
          'metrics',
          'correlation',
          echoSentence(entry) as string,
          entry.echo.shift.series.source,
          entry.echo.shift.series.query,
        ),
      )
    if (entry.spent !== null)
      supported.push(
        evidence.add(
          'metrics',
          'correlation',
          spentSentence(entry) as string,
          entry.spent.series.source,
          entry.spent.series.query,
        ),
      )
    if (entry.quoted !== null)
      supported.push(
        evidence.add('logs', 'correlation', quotedSentence(entry) as string, entry.quoted.symptom.source),
      )
    if (entry.contrast !== null) {
      const { source, query, what } = entry.contrast
      const kind = what === 'spans' ? 'traces' : 'metrics'
      supported.push(evidence.add(kind, 'correlation', contrastSentence(entry.contrast), source, query))
    }
    supported.push(...symptoms.slice(0, 3))
    if (entry.trivial !== null)
      against.push(
        evidence.add(
          CHANGE_SOURCE[entry.change.kind],
          'statement',
          `Of ${changeName(entry.change)} one can say that ${entry.trivial}.`,
          entry.change.source,
        ),
      )
    if (entry.carried_by === null && !entry.effective_at.known)
      against.push(
        evidence.add(
          CHANGE_SOURCE[entry.change.kind],
          'absence',
          `No rollout in the records carried ${changeName(entry.change)}.`,
          entry.change.source,
        ),
      )
  } else if (candidate.of === 'operational') {
    for (const sign of candidate.found.signs) supported.push(citeSign(sign, evidence))
    supported.push(...symptoms.slice(0, 2))
    const recent = changes.ranked.find(
      (entry) => entry.place >= 0.85 && entry.effective_at.known && entry.trivial === null,
    )
    if (recent !== undefined) against.push(citeChange(recent, evidence).at(-1) as string)
  } else {
    const { service } = candidate
    supported.push(...citeBlame(service, evidence))
    for (const shift of service.shifts.slice(0, 3))
      supported.push(
        evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query),
      )
    for (const template of service.templates.slice(0, 2))
      supported.push(evidence.add('logs', 'error', templateSentence(template), template.source))
    for (const pattern of service.patterns.slice(0, 2))
      supported.push(evidence.add('logs', 'pattern', patternSentence(pattern), pattern.source))
    const other = observed.failing.find((one) => one !== service && one.onset.latest < service.onset.earliest)
    if (other?.shifts[0] !== undefined)
      against.push(
        evidence.add(
          'metrics',
          'anomaly',
          shiftSentence(other.shifts[0]),
          other.shifts[0].series.source,
          other.shifts[0].series.query,
        ),
      )
  }
  return {
    supported: [...new Set(supported)],
    against: [...new Set(against)].filter((id) => !supported.includes(id)),
  }
}

/** What the scorers of place say about a service. */
function citeBlame({ blame }: FailingService, evidence: EvidenceList): readonly string[] {
  if (blame === null) return []
  const { flow, gap, broken } = blame
  return [
    ...(flow === null
      ? []
      : [evidence.add('topology', 'dependency', flowSentence(flow), flow.series.source, flow.series.query)]),
    ...(broken === null ? [] : [evidence.add('logs', 'pattern', brokenSentence(broken), broken.source)]),
    ...(gap === null ? [] : [evidence.add('traces', 'anomaly', gapSentence(gap), gap.source)]),
  ]
}

const CONFIG_FILE = /\.(ya?ml|toml|ini|conf|cfg|env|properties|tfvars|json)$|(^|\/)config(s)?\//i

function kindOfChange(entry: RankedChange): CauseKind {
  const { change, mechanism, diff } = entry
  if (change.kind === 'flag') return 'flag'
  if (change.kind === 'config') return 'config'
  if (change.kind === 'infra' || change.kind === 'scale') return 'infra'
  if (mechanism?.mechanism.kind === 'dependency') return 'dependency'
  if (diff.files.length > 0 && diff.files.every((path) => CONFIG_FILE.test(path))) return 'config'
  if (diff.files.some((path) => /\.tf$|terraform|helm|charts?\//i.test(path))) return 'infra'
  return 'code'
}

function causeOf(
  candidate: Candidate,
  observed: Observed,
  operational: readonly OperationalCause[],
  isBest: boolean,
): Cause {
  const since = observed.onset === null ? null : new Date(observed.onset.at).toISOString()
  if (candidate.of === 'change') {
    const { entry } = candidate
    const contributing = isBest
      ? operational
          .filter((found) => found.yields_to_changes && found.score >= 0.4 && found.kind === 'traffic')
          .map((found) => found.what)
      : []
    return {
      kind: kindOfChange(entry),
      level: 'change',
      entity: entry.reaches ?? observed.first?.entity ?? null,
      change: entry.change.id,
      trigger: entry.carried_by?.id ?? null,
      contributing,
      since: new Date(entry.effective_at.from).toISOString(),
    }
  }
  if (candidate.of === 'operational')
    return {
      kind: candidate.found.kind,
      level: 'kind',
      entity: candidate.found.entity,
      change: null,
      trigger: null,
      contributing: [],
      since,
    }
  return {
    kind: candidate.service.shifts[0]?.meaning.meaning === 'saturation' ? 'capacity' : 'unknown',
    level: 'service',
    entity: candidate.service.entity,
    change: null,
    trigger: null,
    contributing: [],
    since: new Date(candidate.service.onset.at).toISOString(),
  }
}

function statementOf(candidate: Candidate, observed: Observed): string {
  if (candidate.of === 'change') {
    const { entry } = candidate
    const title = titleText(entry.change)
    const when =
      entry.run !== null
        ? `, at work at ${timeText(entry.run.at)}`
        : entry.carried_by === null
          ? entry.effective_at.known
            ? `, in effect since ${timeText(entry.effective_at.from)}`
            : `, recorded at ${timeText(entry.change.recorded_at)}`
          : `, rolled out at ${timeText(entry.carried_by.effective_at?.from ?? entry.carried_by.recorded_at)}`
    const why =
      entry.mechanism !== null && entry.mechanism.score >= 0.2 ? `: it ${entry.mechanism.mechanism.does}` : ''
    return `${capital(changeName(entry.change))}${title}${when}${why}.`
  }
  if (candidate.of === 'operational') {
    const { found } = candidate
    const at = found.entity === null || found.what.includes(found.entity) ? '' : ` (${found.entity})`
    return `${capital(found.what)}${at}.`
  }
  if (candidate.service.entity === observed.made?.caller)
    return `${candidate.service.entity} asks ${observed.made.callee} more often than its own demand lets expect; what changed there is not known.`
  const others = observed.failing.length > 1 ? ' and no service that it calls explains it' : ''
  return `${candidate.service.entity} fails itself${others}; what changed there is not known.`
}

function basisOf(
  best: Candidate,
  next: Candidate | undefined,
  covered: string,
  observed: Observed,
  isTie: boolean,
): string {
  if (isTie) return 'Two hypotheses fit equally well, so none is named.'
  const parts = [
    best.of === 'service'
      ? 'Only the failing service could be told, not what changed'
      : `${Math.ceil(best.kinds)} independent kinds of evidence agree`,
    next === undefined
      ? 'no other hypothesis was worth naming'
      : `the next hypothesis scores ${Math.round((100 * next.score) / Math.max(best.score, 1e-9))} % of the first`,
    `looked at: ${covered}`,
  ]
  if (!hasBaseline(observed)) parts.push('without a baseline the confidence is capped')
  if (best.of === 'change' && !best.entry.effective_at.known)
    parts.push('no rollout of the change was seen, so the confidence is capped')
  return `${parts.join('; ')}.`
}

function ruleOut(
  observed: Observed,
  changes: ChangeRanking,
  candidates: readonly Candidate[],
  evidence: EvidenceList,
): readonly RuledOut[] {
  const list: RuledOut[] = []
  // What reached the failing service soon after is what people suspect first.
  const late = [...changes.too_late]
    .sort((a, b) => Number(b.effective_at.known) * b.place - Number(a.effective_at.known) * a.place)
    .slice(0, 3)
  for (const entry of late) {
    const { first } = observed
    const shift = first?.shifts[0]
    const ids = citeChange(entry, evidence)
    if (shift !== undefined)
      ids.push(
        evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query),
      )
    list.push({
      statement: `${capital(changeName(entry.change))} is not the cause.`,
      reason: `It ${entry.effective_at.known ? 'took effect' : 'was recorded'} at ${timeText(entry.carried_by === null ? entry.effective_at.from : (entry.carried_by.effective_at?.from ?? entry.carried_by.recorded_at))}, after the symptoms began.`,
      evidence: ids,
    })
  }
  const named = new Set(
    candidates.slice(0, MOST).map((candidate) => (candidate.of === 'change' ? candidate.entry : null)),
  )
  for (const entry of changes.ranked) {
    if (list.length >= 5) break
    if (named.has(entry) || !entry.effective_at.known || entry.place < 0.85) continue
    const reason =
      entry.trivial ??
      ((entry.mechanism?.score ?? 0) < 0.2 && entry.diff.size > 0
        ? 'nothing in its diff can cause what is observed'
        : null)
    if (reason === null) continue
    list.push({
      statement: `${capital(changeName(entry.change))} is an unlikely cause.`,
      reason: `It reached ${entry.reaches ?? 'the failing service'} in time, but ${reason}.`,
      evidence: citeChange(entry, evidence),
    })
  }
  return list
}

function versionBefore(entry: RankedChange, snapshot: Snapshot): string | null {
  const { carried_by: rollout, change } = entry
  if (rollout === null) return change.before ?? null
  if (rollout.before !== undefined) return rollout.before
  const at = rollout.effective_at?.from ?? rollout.recorded_at
  let previous: Change | null = null
  for (const other of snapshot.changes) {
    if (!isRollout(other) || other.entity !== rollout.entity || other.after === undefined) continue
    const otherAt = other.effective_at?.from ?? other.recorded_at
    if (otherAt >= at || other.after === rollout.after) continue
    if (previous === null || otherAt > (previous.effective_at?.from ?? previous.recorded_at)) previous = other
  }
  return previous?.after ?? null
}

function adviceOf(best: Candidate, observed: Observed): Verdict['remediation'] {
  if (best.of === 'change') {
    const { entry } = best
    const kind = kindOfChange(entry)
    const name = changeName(entry.change)
    const target = shortId(entry.change.id)
    if (kind === 'flag')
      return { action: 'disable_flag', target, why: `Turning ${name} back is quick and can be undone.` }
    if (kind === 'config')
      return { action: 'revert_config', target, why: `Taking back ${name} restores the values from before.` }
    if (entry.acts_on_stored_data || entry.mechanism?.mechanism.id === 'migration')
      return {
        action: 'roll_forward',
        target,
        why: `${name} changed stored data, which a rollback does not undo.`,
      }
    return { action: 'rollback', target, why: `Rolling back ${name} takes its effect away.` }
  }
  if (best.of === 'operational')
    return {
      action: best.found.action,
      target: best.found.entity,
      why: `No change is the likely cause; it is ${best.found.what}.`,
    }
  return {
    action: 'escalate',
    target: best.service.entity,
    why: `The owners of ${observed.first?.entity ?? best.service.entity} know what the records do not show.`,
  }
}
