/**
 * Which services fail, since when, and which of them failed first.
 *
 * Method: every service gets a score from independent signs (shifted series, new or grown error templates,
 * failing spans, flows of failed calls). A failing service is explained away by a callee that fails no
 * later; what remains unexplained failed first, and everything that reaches it is its blast radius.
 */

import type { Onset } from '../deviations/change-point.ts'
import { failingByOwnCount, hurtsUsers, stillHurting, wellBy } from '../deviations/felt-symptoms.ts'
import { earliest, instant, onsetOf } from '../deviations/incident-onset.ts'
import { beginningOf, incidentShifts, lastNormal, normalFor } from '../deviations/incident-shifts.ts'
import { findBrokenSequences } from '../deviations/log-sequences.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { spanTree } from '../deviations/span-tree.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { isPatternFailing } from '../records/failure-words.ts'
import { machinesOf } from '../records/hosting.ts'
import { compareTemplates, compareText, type Template } from '../records/log-templates.ts'
import { isNamedService } from '../records/named-service.ts'
import { normalOfLines } from '../records/normal-lines.ts'
import {
  firstAlert,
  isNormalTime,
  type NormalTime,
  normalLength,
  pagingAlerts,
} from '../records/normal-time.ts'
import type { LogPattern, Snapshot } from '../records/snapshot.ts'
import { answersAsEver } from './answers-as-ever.ts'
import { isApart } from './apart.ts'
import { blameServices } from './blame-services.ts'
import { attributeFlow, type CallGraph, callGraph, type Flow, type Mention } from './call-graph.ts'
import { countedHarm, countedSince } from './counted-since.ts'
import { demandMadeInside, type MadeDemand } from './demand-made-inside.ts'
import { findEdgeGaps } from './edge-gaps.ts'
import { type FailingService, onlyBlamed } from './failing-service.ts'
import { chooseFirst, countedBelow, explainAway, madeFor, makerOf } from './first-failing.ts'
import { tellingOfHarm } from './harm-since.ts'
import { failingBesideCalls, isLostEverywhere } from './lost-everywhere.ts'
import { attributeNodeFlow } from './node-flow.ts'
import { scoreServices } from './score-services.ts'
import { failsAlone } from './served-elsewhere.ts'

export interface Observed {
  readonly normal: NormalTime
  /** The time whose lines of logs are the usual ones; mostly normal time itself. */
  readonly lines_usual: NormalTime
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
  /** The same where nothing that the tools gave names it: then nothing shows that what fails has to do with it. */
  readonly unknown_service: string | null
  /** The demand that the first service makes of its own and what fails has to bear; null where none is. */
  readonly made: MadeDemand | null
  /** Whether all who call an entity were counted to be answered as ever, while its users are not hurt. */
  readonly counted_as_ever: (entity: string) => boolean
  /** Calls are lost inside many places of which none explains the others. */
  readonly lost_everywhere: boolean
  /** The machines on which each thing is known to run. */
  readonly runs_on: ReadonlyMap<string, ReadonlySet<string>>
  /** What all go through and fails with it. */
  readonly gone_through: ReadonlySet<string>
}

/** Looks at everything that was measured. */
export function observe(snapshot: Snapshot, names: EntityNames, focus: string | null): Observed {
  const service = focus ?? alertService(snapshot, names)
  const fired = firedAt(snapshot, names, service)
  const normal = normalFor(snapshot, service, fired)
  const shifts = incidentShifts(snapshot.series, normal, service, fired)
  const counted = countedHarm(snapshot.edges, normal)
  const since = countedSince(counted)
  const tree = spanTree(snapshot, normal)
  const isTelling = tellingOfHarm(shifts, service, since, () =>
    callGraph(snapshot.edges, tree, []).reachableFrom(service ?? ''),
  )
  const onsetFelt = onsetOf(shifts.filter(isTelling), service)
  const incidentFrom = onsetFelt?.earliest ?? lastNormal(normal) ?? normal.incident.from
  const usualLines = normalOfLines(snapshot, normal, onsetFelt?.earliest ?? null)
  const templates = templatesOf(snapshot, usualLines, incidentFrom)
  const graph = callGraph(snapshot.edges, tree, mentionsIn(templates, snapshot.patterns, names))
  const onsetForFlow = onsetFelt?.at ?? incidentFrom
  const flows = flowsByEntity(snapshot, normal, shifts, onsetForFlow)
  const nodeFlows = attributeNodeFlow(snapshot, normal, service, graph.callees)
  const blames = blameServices({
    flows: nodeFlows,
    shifts,
    gaps: findEdgeGaps(tree),
    broken: findBrokenSequences(snapshot, tree),
  })
  const blameOf = new Map(blames.map((blame) => [blame.entity, blame]))
  const failing = scoreServices(snapshot, names, shifts, templates, flows, blameOf, normal, onsetForFlow, {
    isTelling,
    counted,
  })
  const isCounted = answersAsEver(snapshot.edges, normal, onsetForFlow)
  const hurt = stillHurting(shifts)
  const isAsEver = (entity: string): boolean => isCounted(entity) && !hurt.has(entity)
  const { unexplained: left, explainedBy } = explainAway(failing, graph, { isAsEver, since })
  const isEverywhere = isLostEverywhere(flows, graph)
  // What all go through is why all of them lose calls.
  const through = isEverywhere ? failingBesideCalls(failing, snapshot, onsetForFlow) : []
  const unexplained = through.length > 0 ? through : left
  const suspects = blames.map(
    (blame) => failing.find((one) => one.entity === blame.entity) ?? onlyBlamed(blame),
  )
  // A flow accounts for the whole symptom; without a service that was asked about, place is all there is.
  const [suspect] = nodeFlows.length > 0 || service === null ? suspects : []
  const chosen =
    suspect === undefined
      ? chooseFirst(unexplained, graph, service, failing)
      : (countedBelow(suspect, unexplained, flows, graph) ?? suspect)
  const made = madeFor(chosen, demandMadeInside(snapshot, normal, onsetForFlow), graph, failing)
  const first = made === null ? chosen : makerOf(made, failing)
  // What fails beside it in a system that has nothing to do with it is another incident.
  const isOfThis = ({ entity }: FailingService): boolean =>
    first === null || !isApart(entity, first.entity, graph)
  const ordered =
    first === null
      ? unexplained
      : [first, ...unexplained.filter((candidate) => candidate !== first && isOfThis(candidate))]
  return {
    normal,
    lines_usual: usualLines,
    shifts,
    templates,
    graph,
    flows,
    failing,
    first,
    suspects: suspects.filter((one) => isOfThis(one) && (one === first || !isAsEver(one.entity))),
    unexplained: ordered,
    blast_radius: failing
      .filter(
        (candidate) =>
          candidate !== first && isOfThis(candidate) && (explainedBy.has(candidate.entity) || first !== null),
      )
      .map((candidate) => candidate.entity),
    onset: symptomOnset(failing, service, first, snapshot),
    symptom_service: service,
    unknown_service: focus !== null && !isNamedService(snapshot, names, focus) ? focus : null,
    made,
    counted_as_ever: isAsEver,
    lost_everywhere: isEverywhere,
    runs_on: machinesOf(snapshot, names),
    gone_through: new Set(through.map(({ entity }) => entity)),
  }
}

/** Lines of logs by template, each compared between normal time and the incident. */
const templatesOf = ({ logs }: Snapshot, normal: NormalTime, incidentFrom: number): readonly Template[] =>
  compareTemplates(
    logs,
    (at) => isNormalTime(normal, at),
    (at) => !isNormalTime(normal, at) && at < normal.incident.to && at >= normal.incident.from,
    normalLength(normal) / Math.max(1, normal.incident.to - incidentFrom),
    (times) => beginningOf(times, normal),
  )

/** The flows of failed calls and of waiting over counted edges, by entity. */
function flowsByEntity(
  snapshot: Snapshot,
  normal: NormalTime,
  shifts: readonly SeriesShift[],
  onsetAt: number,
): ReadonlyMap<string, Flow> {
  const isWell = wellBy(snapshot.series, shifts)
  const isAlone = failsAlone(snapshot.edges, failingByOwnCount(shifts), onsetAt, normal.incident.to)
  return new Map(attributeFlow(snapshot, normal, onsetAt, isWell, isAlone).map((flow) => [flow.entity, flow]))
}

function alertService(snapshot: Snapshot, names: EntityNames): string | null {
  const ordered = [...pagingAlerts(snapshot)].sort(
    (a, b) =>
      a.fired_at - b.fired_at || compareText(a.name, b.name) || compareText(a.service ?? '', b.service ?? ''),
  )
  for (const alert of ordered) if (alert.service !== undefined) return names.canonical(alert.service)
  return null
}

/** When the first alert of the service fired that somebody is called for; null where none did. */
function firedAt(snapshot: Snapshot, names: EntityNames, service: string | null): number | null {
  const times = pagingAlerts(snapshot)
    .filter((alert) => alert.service !== undefined && names.canonical(alert.service) === service)
    .map(({ fired_at }) => fired_at)
  return times.length === 0 ? null : Math.min(...times)
}

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

function symptomOnset(
  failing: readonly FailingService[],
  service: string | null,
  first: FailingService | null,
  snapshot: Snapshot,
): Onset | null {
  const own = failing.find((candidate) => candidate.entity === service) ?? null
  const both = [own, first].filter((candidate) => candidate !== null)
  // Where users are hurt says when; what smoulders below it began when it hurt them.
  const felt = both.filter(({ shifts }) => shifts.some(hurtsUsers))
  const telling = felt.filter(
    (candidate) => !felt.includes(own as FailingService) || !isOverBefore(candidate, own),
  )
  const onset = earliest((telling.length > 0 ? telling : both).map((candidate) => candidate.onset))
  if (onset !== null) return onset
  const at = firstAlert(snapshot)
  return at === null ? null : instant(at)
}

/** Whether all that was felt of a place was over before users of who was asked about felt anything: it dates nothing. */
const isOverBefore = ({ shifts }: FailingService, asked: FailingService | null): boolean =>
  asked !== null &&
  shifts.filter(hurtsUsers).every(({ ended_at }) => ended_at !== null && ended_at < asked.onset.earliest)
