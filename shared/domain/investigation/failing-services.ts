/**
 * Which services fail, since when, and which of them failed first.
 *
 * Method: every service gets a score from independent signs (shifted series, new or grown error templates,
 * failing spans, flows of failed calls). A failing service is explained away by a callee that fails no
 * later; what remains unexplained failed first, and everything that reaches it is its blast radius.
 */
import { type Blame, blameServices } from './blame-services.ts'
import { attributeFlow, type CallGraph, callGraph, type Flow, type Mention } from './call-graph.ts'
import type { Onset } from './change-point.ts'
import { demandMadeInside, type MadeDemand } from './demand-made-inside.ts'
import { findEdgeGaps } from './edge-gaps.ts'
import type { EntityNames } from './entity-names.ts'
import { clearlyFelt, feltSince } from './felt-onset.ts'
import { findBrokenSequences } from './log-sequences.ts'
import { compareTemplates, compareText, severityOf, type Template } from './log-templates.ts'
import { countsInstances, readMetricName } from './metric-meaning.ts'
import { attributeNodeFlow } from './node-flow.ts'
import {
  firstAlert,
  isNormalTime,
  type NormalTime,
  normalLength,
  normalTime,
  pagingAlerts,
} from './normal-time.ts'
import { risenRate } from './risen-rate.ts'
import { findShift, type SeriesShift } from './series-shift.ts'
import type { LogPattern, Series, Snapshot, Span } from './snapshot.ts'
import { spanTree } from './span-tree.ts'
import { anyOf, round6 } from './statistics.ts'

/** Text that reports a failure, whatever its severity says. */
export const FAILURE_WORDS =
  /\b(fail(ed|ure|ing|s)?|errors?|exceptions?|time(d)?[ -]?out|refused|denied|exhaust(ed|ion)|unavailable|unreachable|expired|throttl(ed|ing)|panic(ked)?|fatal|no space|abort(ed)?|missing|not found|unknown|reset|invalid|dropp(ed|ing)|reject(ed|ing)|oom|killed|crash(ed|ing)?|deadlock|exceed(ed|s)|corrupt(ed)?|unauthori[sz]ed|forbidden|broken pipe|servfail|enotfound|econnrefused|unhealthy|evict(ed|ing)|backoff|misbehaving|stuck|stale|conflict|violat(es|ion)|no such|unable|cannot|can't|could ?n[o']t|broken|lost|blocked|stall(ed)?|degraded|slow|overload(ed)?|saturat(ed|ion)|contended|pressure|disconnect(ed)?|malformed|insufficient|full|5\d\d)\b|(Exception|Error)\b/i

/** From which score a service counts as failing. */
const FAILING = 0.3
/** Clocks and sampling of two services differ by this much before "later" means anything, in ms. */
const SAME_TIME_MS = 120_000
/** From this weight on a metric says what users feel of a service. */
const FELT = 0.9
/** What a busy processor or a replaced instance is worth where the service's errors or waiting were measured and are as always. */
const HARMLESS = 0.3
/** Lines of a failure template that count as one full sign. */
const MANY_LINES = 5

export interface FailingService {
  readonly entity: string
  readonly score: number
  readonly onset: Onset
  readonly ended_at: number | null
  readonly shifts: readonly SeriesShift[]
  readonly templates: readonly Template[]
  readonly patterns: readonly LogPattern[]
  readonly error_spans: readonly Span[]
  readonly flow: Flow | null
  /** What the scorers of place say; null where they are silent about it. */
  readonly blame: Blame | null
  /** Kinds of telemetry that agree: metrics, logs, traces, edges. */
  readonly signs: readonly ('metrics' | 'logs' | 'traces' | 'edges')[]
}

export interface Observed {
  readonly normal: NormalTime
  readonly shifts: readonly SeriesShift[]
  readonly templates: readonly Template[]
  readonly graph: CallGraph
  /** What was counted of the calls to each entity. */
  readonly flows: ReadonlyMap<string, Flow>
  /** Most failing first. */
  readonly failing: readonly FailingService[]
  readonly first: FailingService | null
  /** Where the measurements point to, most blamed first. */
  readonly suspects: readonly FailingService[]
  /** Services whose failing no callee explains, most failing first; the first of them is `first`. */
  readonly unexplained: readonly FailingService[]
  readonly blast_radius: readonly string[]
  /** When the symptom that was asked about began. */
  readonly onset: Onset | null
  /** The service that the alert or the question names. */
  readonly symptom_service: string | null
  /** The demand that the first service makes of its own and what fails has to bear; null where none is. */
  readonly made: MadeDemand | null
}

const isPatternFailing = (pattern: LogPattern): boolean =>
  FAILURE_WORDS.test(pattern.signature) &&
  pattern.count >= 1 &&
  (pattern.baseline_count === undefined || pattern.count >= 2 * pattern.baseline_count + 1)

/** Looks at everything that was measured. */
export function observe(snapshot: Snapshot, names: EntityNames, focus: string | null): Observed {
  const service = focus ?? alertService(snapshot, names)
  const fired = firedAt(snapshot, names, service)
  const normal = normalFor(snapshot, service, fired)
  const shifts = shiftsOfIncident(shiftsOf(snapshot.series, normal), service, fired)
  const calm = normalLength(normal)
  const incidentFrom = onsetOf(shifts, service)?.earliest ?? lastNormal(normal) ?? normal.incident.from
  const incidentLength = Math.max(1, normal.incident.to - incidentFrom)
  const templates = compareTemplates(
    snapshot.logs,
    (at) => isNormalTime(normal, at),
    (at) => !isNormalTime(normal, at) && at < normal.incident.to && at >= normal.incident.from,
    calm / incidentLength,
    (times) => beginningOf(times, normal),
  )
  const tree = spanTree(snapshot, normal)
  const graph = callGraph(snapshot.edges, tree, mentionsIn(templates, snapshot.patterns, names))
  const onsetForFlow = onsetOf(shifts, service)?.at ?? incidentFrom
  const isWell = wellBy(snapshot.series, shifts)
  const flows = new Map(
    attributeFlow(snapshot, normal, onsetForFlow, isWell).map((flow) => [flow.entity, flow]),
  )
  const nodeFlows = attributeNodeFlow(snapshot, normal, service, graph.callees)
  const blames = blameServices({
    flows: nodeFlows,
    shifts,
    gaps: findEdgeGaps(tree),
    broken: findBrokenSequences(snapshot, tree),
  })
  const blameOf = new Map(blames.map((blame) => [blame.entity, blame]))
  const failing = scoreServices(snapshot, names, shifts, templates, flows, blameOf, normal, onsetForFlow)
  const { unexplained, explainedBy } = explainAway(failing, graph)
  const suspects = blames.map(
    (blame) => failing.find((one) => one.entity === blame.entity) ?? onlyBlamed(blame),
  )
  // A flow accounts for the whole symptom; without a service that was asked about, place is all there is.
  const [suspect] = suspects
  const chosen =
    suspect !== undefined && (nodeFlows.length > 0 || service === null)
      ? suspect
      : chooseFirst(unexplained, graph, service, failing)
  const made = madeFor(chosen, demandMadeInside(snapshot, normal, onsetForFlow), graph, failing)
  const first = made === null ? chosen : makerOf(made, failing)
  const ordered =
    first === null ? unexplained : [first, ...unexplained.filter((candidate) => candidate !== first)]
  return {
    normal,
    shifts,
    templates,
    graph,
    flows,
    failing,
    first,
    suspects,
    unexplained: ordered,
    blast_radius: failing
      .filter((candidate) => candidate !== first && (explainedBy.has(candidate.entity) || first !== null))
      .map((candidate) => candidate.entity),
    onset: symptomOnset(failing, service, first, snapshot),
    symptom_service: service,
    made,
  }
}

/** The demand made inside that the first failing service has to bear, where it does not make it itself. */
function madeFor(
  first: FailingService | null,
  made: readonly MadeDemand[],
  graph: CallGraph,
  failing: readonly FailingService[],
): MadeDemand | null {
  if (first === null) return null
  const isFailing = new Set(failing.map(({ entity }) => entity))
  // What fails below the demand bears it, and so does who waits for the same callee.
  const bears = ({ callee }: MadeDemand): boolean =>
    callee === first.entity ||
    graph.reachableFrom(callee).has(first.entity) ||
    (isFailing.has(callee) && graph.reachableFrom(first.entity).has(callee))
  return made.find(bears) ?? null
}

/** Who makes the demand, as a place: it need not fail itself. */
const makerOf = ({ caller, since }: MadeDemand, failing: readonly FailingService[]): FailingService =>
  failing.find(({ entity }) => entity === caller) ?? {
    ...{ entity: caller, score: FAILING, onset: instant(since), ended_at: null },
    ...{
      shifts: [],
      templates: [],
      patterns: [],
      error_spans: [],
      flow: null,
      blame: null,
      signs: ['edges'],
    },
  }

/** Standard deviations from which lines lie closer together than before; 3 is the usual control-chart limit. */
const CLOSER = 3

/** Since when lines come more often than before. */
function beginningOf(times: readonly number[], normal: NormalTime): number | null {
  const risen = risenRate(times, normal)
  return risen === null || risen.z < CLOSER ? null : risen.at
}

/** Normal time, reaching up to the onset where none was declared and a first look tells the onset. */
function normalFor(snapshot: Snapshot, service: string | null, fired: number | null): NormalTime {
  const rough = normalTime(snapshot)
  if (rough.origin === 'declared') return rough
  // What was asked about tells the onset; all else is looked at only where it shows none.
  const own = shiftsOf(
    snapshot.series.filter((series) => series.entity === service),
    rough,
  )
  const shifts = own.some(isSymptom) ? own : shiftsOf(snapshot.series, rough)
  const guess = onsetOf(shiftsOfIncident(shifts, service, fired), service)
  if (guess === null) return rough
  const refined = normalTime(snapshot, guess.at)
  return refined.origin === 'none' ? rough : refined
}

function shiftsOf(list: readonly Series[], normal: NormalTime): readonly SeriesShift[] {
  const shifts: SeriesShift[] = []
  for (const series of list) {
    const shift = findShift(series, normal)
    if (shift !== null) shifts.push(shift)
  }
  return shifts.sort(compareShifts)
}

/** Strongest first; ties by time, then by what was measured, last by the labels for the sake of a fixed order. */
export function compareShifts(a: SeriesShift, b: SeriesShift): number {
  return (
    round6(b.meaning.weight * Number(b.is_bad)) - round6(a.meaning.weight * Number(a.is_bad)) ||
    round6(b.z) - round6(a.z) ||
    a.onset.at - b.onset.at ||
    round6(b.during) - round6(a.during) ||
    compareText(a.series.name, b.series.name) ||
    compareText(a.series.entity, b.series.entity) ||
    compareText(JSON.stringify(a.series.labels), JSON.stringify(b.series.labels))
  )
}

function alertService(snapshot: Snapshot, names: EntityNames): string | null {
  const ordered = [...pagingAlerts(snapshot)].sort(
    (a, b) =>
      a.fired_at - b.fired_at || compareText(a.name, b.name) || compareText(a.service ?? '', b.service ?? ''),
  )
  for (const alert of ordered) if (alert.service !== undefined) return names.canonical(alert.service)
  return null
}

/** Shifts that show users or work being hurt, and by much. */
const isSymptom = (shift: SeriesShift): boolean => shift.is_bad && shift.meaning.weight >= 0.5

/** Errors, waiting and lost availability are what users feel. */
const isFelt = ({ meaning }: SeriesShift): boolean => meaning.weight >= FELT

/**
 * A processor shares out a rate: it may be busy long before anybody waits for it. What is a stock, as connections,
 * memory or storage, fails those who come when it is used up.
 */
const isBusy = ({ meaning }: SeriesShift): boolean =>
  meaning.meaning === 'saturation' && meaning.resource === 'cpu'

/** Instances come and go with every rollout, and who calls need not notice. */
const isRolling = ({ series, ended_at }: SeriesShift): boolean =>
  ended_at !== null && countsInstances(series.name)

/** What was over this long before users felt anything was another matter, ms: clocks and sampling differ by less. */
const OVER_MS = 5 * 60_000

/**
 * What belongs to the incident: what the alerted service's users feel while its alert fires anchors its beginning, so what
 * was over before does not count. An alert rule waits for what it fires for; what was over by then it did not fire for.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/ (`for`)
 */
function shiftsOfIncident(
  shifts: readonly SeriesShift[],
  service: string | null,
  fired: number | null,
): readonly SeriesShift[] {
  const felt = shifts.filter((shift) => isSymptom(shift) && isFelt(shift) && shift.series.entity === service)
  const lasting = felt.filter(({ ended_at }) => ended_at === null || fired === null || ended_at >= fired)
  const anchor = earliest(clearlyFelt(lasting.length > 0 ? lasting : felt).map(feltSince))
  if (anchor === null) return shifts
  // Clocks and sampling of one entity are the same.
  const over = (entity: string): number => anchor.earliest - (entity === service ? 0 : OVER_MS)
  return shifts.filter(({ ended_at, series }) => ended_at === null || ended_at >= over(series.entity))
}

/** When the first alert of the service fired that somebody is called for; null where none did. */
function firedAt(snapshot: Snapshot, names: EntityNames, service: string | null): number | null {
  const times = pagingAlerts(snapshot)
    .filter((alert) => alert.service !== undefined && names.canonical(alert.service) === service)
    .map(({ fired_at }) => fired_at)
  return times.length === 0 ? null : Math.min(...times)
}

/** What counts an entity's own failed answers; lines of a log do not: who fails need not log it. */
const ANSWERS = /^(?!log_).*(err|5xx|fail|success|availab)/i
/** Share of its usual demand below which an entity is no longer reached by all that call it. */
const REACHED = 0.8

/** Whether an entity's own measurements show that it is asked as ever and answers as ever. */
function wellBy(series: readonly Series[], shifts: readonly SeriesShift[]): (entity: string) => boolean {
  const measured = new Set<string>()
  for (const { name, entity } of series)
    if (ANSWERS.test(name) && readMetricName(name).weight >= FELT) measured.add(entity)
  const unwell = new Set(
    shifts
      .filter(
        (shift) =>
          (shift.is_bad && isFelt(shift)) ||
          (shift.meaning.is_demand && shift.during < REACHED * shift.before),
      )
      .map((shift) => shift.series.entity),
  )
  return (entity) => measured.has(entity) && !unwell.has(entity)
}

function onsetOf(shifts: readonly SeriesShift[], service: string | null): Onset | null {
  const symptoms = shifts.filter(isSymptom)
  const own = symptoms.filter((shift) => shift.series.entity === service)
  return earliest(telling(own.length > 0 ? own : symptoms).map(feltSince))
}

/**
 * What users feel tells when it began; where nothing of it shifted, all but busy processors, and at last these. Causes
 * smoulder, and instances come and go, before and without anybody noticing.
 */
function telling(shifts: readonly SeriesShift[]): readonly SeriesShift[] {
  const felt = shifts.filter(isFelt)
  if (felt.length > 0) return clearlyFelt(felt)
  const some = shifts.filter((shift) => !isBusy(shift))
  return some.length > 0 ? some : shifts
}

export const earliest = (onsets: readonly Onset[]): Onset | null =>
  onsets.reduce<Onset | null>(
    (best, onset) =>
      best === null || onset.at < best.at || (onset.at === best.at && onset.latest < best.latest)
        ? onset
        : best,
    null,
  )

const lastNormal = (normal: NormalTime): number | null =>
  normal.baselines
    .filter((baseline) => baseline.to <= normal.incident.to)
    .reduce<number | null>((latest, baseline) => Math.max(latest ?? 0, baseline.to), null)

function mentionsIn(
  templates: readonly Template[],
  patterns: readonly LogPattern[],
  names: EntityNames,
): readonly Mention[] {
  const mentions: Mention[] = []
  const read = (from: string, text: string, count: number): void => {
    for (const to of names.mentionedIn(text)) if (to !== from) mentions.push({ from, to, count })
  }
  for (const template of templates)
    if (template.severity !== 'information' && template.during > 0)
      read(template.service, template.example, template.during)
  for (const pattern of patterns)
    if (isPatternFailing(pattern)) read(pattern.service, pattern.signature, pattern.count)
  return mentions.sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to) || a.count - b.count)
}

function scoreServices(
  snapshot: Snapshot,
  names: EntityNames,
  shifts: readonly SeriesShift[],
  templates: readonly Template[],
  flows: ReadonlyMap<string, Flow>,
  blameOf: ReadonlyMap<string, Blame>,
  normal: NormalTime,
  onsetAt: number,
): readonly FailingService[] {
  const failing: FailingService[] = []
  const worstSpans = failingSpans(snapshot, normal)
  const feltEntities = new Set(
    snapshot.series.filter(({ name }) => readMetricName(name).weight >= FELT).map(({ entity }) => entity),
  )
  for (const entity of names.all) {
    const ownShifts = shifts.filter((shift) => shift.series.entity === entity && shift.is_bad)
    const ownTemplates = templates
      .filter(
        (template) =>
          template.service === entity &&
          template.severity !== 'information' &&
          (template.change === 'new' || template.change === 'grown'),
      )
      .sort(
        (a, b) =>
          Number(b.severity === 'error') - Number(a.severity === 'error') ||
          b.during - a.during ||
          a.first_seen - b.first_seen ||
          compareText(a.text, b.text),
      )
    const ownPatterns = snapshot.patterns
      .filter((pattern) => names.canonical(pattern.service) === entity && isPatternFailing(pattern))
      .sort((a, b) => b.count - a.count || compareText(a.signature, b.signature))
    const ownSpans = worstSpans.get(entity) ?? []
    const flow = flows.get(entity) ?? null
    const blame = blameOf.get(entity) ?? null
    // A processor that is busy while everybody is answered as before harms nobody: a nightly job, a backup.
    const isCalm = feltEntities.has(entity) && !ownShifts.some(isFelt)
    const metricSign = anyOf(
      ...ownShifts
        .slice(0, 4)
        .map(
          (shift) =>
            shift.meaning.weight *
            strength(shift) *
            (isCalm && (isBusy(shift) || isRolling(shift)) ? HARMLESS : 1),
        ),
    )
    const logSign = anyOf(
      ...ownTemplates
        .slice(0, 4)
        .map(
          (template) =>
            (template.severity === 'error' ? 0.7 : 0.35) * Math.min(1, template.during / MANY_LINES),
        ),
      ...ownPatterns.slice(0, 3).map((pattern) => 0.5 * Math.min(1, pattern.count / MANY_LINES)),
    )
    const traceSign = Math.min(0.5, ownSpans.length * 0.25)
    const edgeSign = flow === null ? 0 : flowStrength(flow)
    const score = round6(anyOf(metricSign, logSign, traceSign, edgeSign))
    if (score < FAILING) continue
    const hurting = ownShifts.filter((shift) => shift.meaning.weight >= 0.5)
    const felt = clearlyFelt(hurting.filter(isFelt)).map(feltSince)
    const onsets = telling(hurting).map(({ onset }) => onset)
    const logOnset = ownTemplates
      .filter((template) => template.severity === 'error')
      .map((template) => instant(template.risen_at))
    const spanOnset = ownSpans.map((span) => instant(span.start))
    const onset =
      narrowed(earliest(felt), logOnset) ??
      // A resource may fill long before anybody fails for it.
      earliest(logOnset) ??
      earliest(onsets) ??
      earliest(spanOnset) ??
      // Calls were added up from the symptom's onset on, so that is when they failed at the latest.
      instant(edgeSign > 0 ? onsetAt : (firstAlert(snapshot) ?? onsetAt))
    failing.push({
      entity,
      score,
      onset,
      ended_at: endOf(ownShifts),
      shifts: ownShifts,
      templates: ownTemplates,
      patterns: ownPatterns,
      error_spans: ownSpans,
      flow,
      blame,
      signs: [
        ...(metricSign >= 0.15 ? (['metrics'] as const) : []),
        ...(logSign >= 0.15 ? (['logs'] as const) : []),
        ...(traceSign >= 0.15 ? (['traces'] as const) : []),
        ...(edgeSign >= 0.15 ? (['edges'] as const) : []),
      ],
    })
  }
  return failing.sort(compareFailing)
}

/** A service that nothing but its place in the flow, its edges or its sequences speaks for. */
const onlyBlamed = (blame: Blame): FailingService => ({
  entity: blame.entity,
  score: blame.strength,
  onset: blame.shift?.onset ?? instant(blame.onset_at),
  ended_at: null,
  shifts: blame.shift === null ? [] : [blame.shift],
  templates: [],
  patterns: [],
  error_spans: [],
  flow: null,
  blame,
  signs: [
    ...(blame.shift === null ? [] : (['metrics'] as const)),
    ...(blame.broken === null ? [] : (['logs'] as const)),
    ...(blame.gap === null ? [] : (['traces'] as const)),
    ...(blame.flow === null ? [] : (['edges'] as const)),
  ],
})

/** Half at 5 standard deviations, near 1 beyond 20. */
const strength = (shift: SeriesShift): number => shift.z / (shift.z + 5)
const flowStrength = (flow: Flow): number =>
  Math.max(
    flow.excess_failed > 0 ? Math.min(0.9, (flow.own_failed / flow.calls) * 10) : 0,
    flow.excess_wait_ms > 0
      ? 0.9 * (flow.own_wait_ms / flow.excess_wait_ms) * Math.min(1, flow.own_wait_ms / flow.calls / 50)
      : 0,
  )

export const compareFailing = (a: FailingService, b: FailingService): number =>
  b.score - a.score ||
  a.onset.at - b.onset.at ||
  b.shifts.length - a.shifts.length ||
  b.templates.length - a.templates.length ||
  compareText(a.entity, b.entity)

/** A failure line within the interval that the samples leave open says until when at the latest. */
function narrowed(onset: Onset | null, lines: readonly Onset[]): Onset | null {
  if (onset === null) return null
  const latest = lines
    .filter((line) => line.at >= onset.at && line.at <= onset.latest)
    .reduce((least, line) => Math.min(least, line.at), onset.latest)
  return { ...onset, latest }
}

const instant = (at: number): Onset => ({ at, earliest: at, latest: at })

/** Over only when every shift that hurts is over. */
const endOf = (shifts: readonly SeriesShift[]): number | null => {
  const strong = shifts.filter((shift) => shift.meaning.weight >= 0.5)
  if (strong.length === 0 || strong.some((shift) => shift.ended_at === null)) return null
  return Math.max(...strong.map((shift) => shift.ended_at as number))
}

/** Spans that failed with no failed child: where a trace's failure began. */
function failingSpans(snapshot: Snapshot, normal: NormalTime): ReadonlyMap<string, readonly Span[]> {
  // There are few different statuses: each is read once.
  const failures = new Map<string, boolean>()
  const isFailed = ({ status }: Span): boolean => {
    const known = failures.get(status)
    if (known !== undefined) return known
    const failed = severityOf(status) === 'error' || /^fail/i.test(status)
    failures.set(status, failed)
    return failed
  }
  const failed = snapshot.spans.filter(isFailed)
  const failedChild = new Set(failed.map(({ parent_id }) => parent_id))
  const found = new Map<string, Span[]>()
  for (const span of failed) {
    if (failedChild.has(span.span_id) || isNormalTime(normal, span.start)) continue
    const list = found.get(span.service)
    if (list === undefined) found.set(span.service, [span])
    else list.push(span)
  }
  for (const list of found.values())
    list.sort(
      (a, b) => a.start - b.start || b.duration_us - a.duration_us || compareText(a.span_id, b.span_id),
    )
  return found
}

function explainAway(
  failing: readonly FailingService[],
  graph: CallGraph,
): { unexplained: readonly FailingService[]; explainedBy: ReadonlyMap<string, string> } {
  const explainedBy = new Map<string, string>()
  for (const candidate of failing) {
    const reach = graph.reachableFrom(candidate.entity)
    // Who a service blames in its own words weighs more than who calls whom: a callee may break because its
    // caller does. A cycle of calls explains nothing: both ends reach each other.
    const cause = failing.find(
      (other) =>
        other !== candidate &&
        other.onset.earliest <= candidate.onset.latest + SAME_TIME_MS &&
        !ownsItsFailing(candidate) &&
        (graph.blames(candidate.entity, other.entity) ||
          (reach.has(other.entity) &&
            !graph.reachableFrom(other.entity).has(candidate.entity) &&
            !graph.blames(other.entity, candidate.entity))),
    )
    if (cause !== undefined) explainedBy.set(candidate.entity, cause.entity)
  }
  const unexplained = failing.filter((candidate) => !explainedBy.has(candidate.entity))
  return { unexplained, explainedBy }
}

/** Where flows were counted they decide: most of what is failing or waited for arises inside. */
function ownsItsFailing(candidate: FailingService): boolean {
  const { flow } = candidate
  if (flow === null) return false
  if (flow.excess_failed >= 1) return flow.own_failed / flow.excess_failed > 0.5
  return flow.excess_wait_ms > 0 && flow.own_wait_ms / flow.excess_wait_ms > 0.5
}

function chooseFirst(
  unexplained: readonly FailingService[],
  graph: CallGraph,
  service: string | null,
  failing: readonly FailingService[],
): FailingService | null {
  const [strongest] = unexplained
  if (strongest === undefined) return failing[0] ?? null
  if (service === null) return strongest
  const reach = graph.reachableFrom(service)
  const related = unexplained.filter(
    (candidate) => candidate.entity === service || reach.has(candidate.entity),
  )
  return related.find((candidate) => candidate.entity === service) ?? related[0] ?? strongest
}

function symptomOnset(
  failing: readonly FailingService[],
  service: string | null,
  first: FailingService | null,
  snapshot: Snapshot,
): Onset | null {
  const own = failing.find((candidate) => candidate.entity === service) ?? null
  const both = [own, first].filter((candidate) => candidate !== null)
  // Where users are hurt says when; what smoulders below it began when it hurt them.
  const felt = both.filter(({ shifts }) => shifts.some((shift) => isSymptom(shift) && isFelt(shift)))
  const onset = earliest((felt.length > 0 ? felt : both).map((candidate) => candidate.onset))
  if (onset !== null) return onset
  const at = firstAlert(snapshot)
  return at === null ? null : instant(at)
}
