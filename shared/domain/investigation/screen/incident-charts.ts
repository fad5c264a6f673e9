import { asRead } from '../deviations/as-read.ts'
import { withCountedLines } from '../deviations/counted-lines.ts'
import { asRate } from '../deviations/series-shift.ts'
import type { Findings } from '../findings.ts'
import { changeName, titleText } from '../hypotheses/compose-answer.ts'
import type { CallGraph } from '../place/call-graph.ts'
import { type Observed, observe } from '../place/failing-services.ts'
import { effectOf } from '../records/change-record.ts'
import { entityNames } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { toldIn, toldText } from '../told-text.ts'

/** Series that are drawn, the most deviating ones; more of them nobody compares by eye. */
const MOST_SERIES = 12
/** Points of one drawn series: more than a screen has columns for it. */
const MOST_POINTS = 480
/** Entities that are drawn; a graph of more is a tangle. */
const MOST_NODES = 40
/** Marks of one lane of the timeline. */
const MOST_MARKS = 200

/** Part that an entity plays in the verdict. */
export type Role = 'cause' | 'suspect' | 'failing' | 'affected' | 'calm'

/** Something that happened at an instant (milliseconds since the epoch). */
export interface Mark {
  readonly at: number
  readonly text: string
}

export interface DrawnSeries {
  readonly entity: string
  readonly name: string
  readonly unit: string
  /** Level of normal time. */
  readonly before: number
  readonly onset: number
  readonly points: readonly (readonly [at: number, value: number | null])[]
}

export interface DrawnNode {
  readonly name: string
  readonly role: Role
  /** Confidence of the hypothesis that names it, 0 where none does. */
  readonly blame: number
  /** How many calls it stands below the outermost callers, and its place among those of the same depth. */
  readonly depth: number
  readonly row: number
}

/** What the charts of an incident show: plain data, the same for the same findings. */
export interface IncidentCharts {
  readonly window: { readonly from: number; readonly to: number }
  readonly onset: { readonly at: number; readonly earliest: number; readonly latest: number } | null
  readonly alerts: readonly Mark[]
  /** `cause`: the change that is named; `rollout`: what carried it into effect. */
  readonly changes: readonly (Mark & { readonly part: 'cause' | 'rollout' | 'other' })[]
  readonly events: readonly Mark[]
  readonly failing: readonly { readonly entity: string; readonly from: number; readonly to: number }[]
  readonly series: readonly DrawnSeries[]
  readonly nodes: readonly DrawnNode[]
  /** Positions in `nodes`: who calls whom. */
  readonly calls: readonly (readonly [caller: number, callee: number])[]
}

/** What of the findings the charts are coloured by. */
export type ChartedFindings = Pick<
  Findings,
  'cause' | 'confidence' | 'hypotheses' | 'blast_radius' | 'first_failing_service' | 'onset'
>

function partOf(change: Change, cause: string | null): IncidentCharts['changes'][number]['part'] {
  if (cause === null) return 'other'
  // Findings name a change as it is told.
  const isCause = (id: string): boolean => id === cause || toldText(id) === cause
  if (change.carries?.some(isCause) === true) return 'rollout'
  return isCause(change.id) ? 'cause' : 'other'
}

function marksOf(
  snapshot: Snapshot,
  findings: ChartedFindings,
): Pick<IncidentCharts, 'alerts' | 'changes' | 'events'> {
  const { from, to } = snapshot.window
  const inside = ({ at }: Mark): boolean => at >= from - (to - from) && at <= to
  const latest = <Each extends Mark>(marks: readonly Each[]): Each[] =>
    marks
      .filter(inside)
      .sort((a, b) => a.at - b.at || compareText(a.text, b.text))
      .slice(-MOST_MARKS)
  return {
    alerts: latest(
      snapshot.alerts.map(({ fired_at, name, service }) => ({
        at: fired_at,
        text: service === undefined ? name : `${name} (${service})`,
      })),
    ),
    changes: latest(
      snapshot.changes.map((change) => ({
        at: effectOf(change),
        text: `${changeName(change)}${titleText(change)}`,
        part: partOf(change, findings.cause.change),
      })),
    ),
    events: latest([
      ...snapshot.events.map(({ timestamp, resource, message }) => ({
        at: timestamp,
        text: `${resource}: ${message}`,
      })),
      ...snapshot.k8s.map(({ timestamp, kind, name, reason }) => ({
        at: timestamp,
        text: `${kind} ${name}${reason === undefined ? '' : `: ${reason}`}`,
      })),
    ]),
  }
}

/** Every n-th point, the first and the last kept. */
function thinnedPoints(times: Float64Array, values: Float64Array): DrawnSeries['points'] {
  const step = Math.max(1, Math.ceil(times.length / MOST_POINTS))
  const points: (readonly [number, number | null])[] = []
  for (let index = 0; index < times.length; index += step) {
    const value = values[index] as number
    points.push([times[index] as number, Number.isFinite(value) ? value : null])
  }
  return points
}

/** A chart shows how far a series left its level, so that decides here, whatever the series means to users. */
function seriesOf(observed: Observed): readonly DrawnSeries[] {
  const strongest = [...observed.shifts].sort(
    (a, b) =>
      Number(b.is_bad) - Number(a.is_bad) ||
      b.z - a.z ||
      a.onset.at - b.onset.at ||
      compareText(a.series.entity, b.series.entity),
  )
  return strongest.slice(0, MOST_SERIES).map(({ series, before, onset }): DrawnSeries => {
    const { times, values } = asRate(series)
    const labels = Object.entries(series.labels).map(([key, value]) => `${key}=${value}`)
    return {
      entity: series.entity,
      name: labels.length === 0 ? series.name : `${series.name} (${labels.join(', ')})`,
      unit: series.type === 'counter' ? `${series.unit ?? '1'}/s` : (series.unit ?? ''),
      before,
      onset: onset.at,
      points: thinnedPoints(times, values),
    }
  })
}

/** How many calls each entity stands below the outermost callers; a cycle stands where it was entered first. */
function depthsOf(names: readonly string[], callees: CallGraph['callees']): Map<string, number> {
  const called = new Set(names.flatMap((name) => [...(callees.get(name) ?? [])]))
  const roots = names.filter((name) => !called.has(name))
  const depths = new Map<string, number>()
  let layer = roots.length > 0 ? roots : names.slice(0, 1)
  for (let depth = 0; layer.length > 0; depth += 1) {
    for (const name of layer) depths.set(name, depth)
    layer = [...new Set(layer.flatMap((name) => [...(callees.get(name) ?? [])]))].filter(
      (name) => !depths.has(name) && names.includes(name),
    )
  }
  for (const name of names) if (!depths.has(name)) depths.set(name, 0)
  return depths
}

function graphOf(observed: Observed, findings: ChartedFindings): Pick<IncidentCharts, 'nodes' | 'calls'> {
  const { callees } = observed.graph
  const blame = new Map<string, number>()
  for (const { cause, confidence } of findings.hypotheses)
    if (cause.entity !== null) blame.set(cause.entity, Math.max(blame.get(cause.entity) ?? 0, confidence))
  const failing = new Set(observed.failing.map(({ entity }) => entity))
  const affected = new Set(findings.blast_radius)
  const roleOf = (name: string): Role => {
    if (name === findings.cause.entity && findings.confidence > 0) return 'cause'
    if (blame.has(name)) return 'suspect'
    return failing.has(name) ? 'failing' : affected.has(name) ? 'affected' : 'calm'
  }
  const order: readonly Role[] = ['cause', 'suspect', 'failing', 'affected', 'calm']
  const all = new Set([...blame.keys(), ...failing, ...affected, ...callees.keys()])
  for (const set of callees.values()) for (const callee of set) all.add(callee)
  const names = [...all]
    .sort((a, b) => order.indexOf(roleOf(a)) - order.indexOf(roleOf(b)) || (a < b ? -1 : 1))
    .slice(0, MOST_NODES)
  const depths = depthsOf([...names].sort(), callees)
  const rows = new Map<number, number>()
  const nodes = names.map((name): DrawnNode => {
    const depth = depths.get(name) ?? 0
    const row = rows.get(depth) ?? 0
    rows.set(depth, row + 1)
    return { name, role: roleOf(name), blame: blame.get(name) ?? 0, depth, row }
  })
  const positions = new Map(names.map((name, index) => [name, index]))
  const calls = names.flatMap((caller, index) =>
    [...(callees.get(caller) ?? [])].flatMap((callee) => {
      const to = positions.get(callee)
      return to === undefined ? [] : [[index, to] as const]
    }),
  )
  return { nodes, calls }
}

/** What is drawn of an incident: computed from the snapshot that the findings rest on. */
export function incidentCharts(given: Snapshot, findings: ChartedFindings): IncidentCharts {
  const snapshot = withCountedLines(asRead(given))
  const names = entityNames(snapshot)
  const observed = observe(snapshot, names, findings.first_failing_service)
  const { onset } = findings
  const to = observed.normal.incident.to
  return toldIn({
    window: { from: observed.normal.incident.from, to },
    onset:
      onset === null
        ? null
        : {
            at: Date.parse(onset.at),
            earliest: Date.parse(onset.earliest),
            latest: Date.parse(onset.latest),
          },
    ...marksOf(snapshot, findings),
    failing: observed.failing.map(({ entity, onset: began, ended_at }) => ({
      entity,
      from: began.at,
      to: ended_at ?? to,
    })),
    series: seriesOf(observed),
    ...graphOf(observed, findings),
  })
}
