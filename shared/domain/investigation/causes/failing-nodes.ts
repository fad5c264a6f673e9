/**
 * A machine that fails what runs on it: instances of several services fail, all on one node, while those elsewhere do not.
 *
 * Method: contrast within each service, so that what the service itself does wrong is taken out: its instances run the
 * same code on several nodes. A service speaks for the node where an instance of its own fails most, if it fails there
 * clearly more than elsewhere, and on no other half as much; several services that speak for one node are no chance. Source: peer comparison (Kasick
 * et al., FAST 2010), and what machines do that are neither well nor down (Gunawi et al., Fail-Slow at Scale, FAST 2018).
 */

import { readMetricName } from '../deviations/metric-meaning.ts'
import { asRate, lowerBound } from '../deviations/series-shift.ts'
import { firstOf, type LinesByPlace, linesByNode, linesByPlace, nodeOf, textAt } from '../records/hosting.ts'
import { severityReader } from '../records/log-templates.ts'
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { LogLine, Series, Snapshot, Window } from '../records/snapshot.ts'
import { linesByService } from '../records/speaking-services.ts'
import { round6 } from '../statistics.ts'

/** Labels that tools give the name of a zone in: a building with its own power and network. */
const ZONE_LABELS = [
  'zone',
  'availability_zone',
  'cloud_availability_zone',
  'cloud.availability_zone',
  'topology_kubernetes_io_zone',
  'topology.kubernetes.io/zone',
]
/** Labels that tell how a request ended, after Prometheus and OpenTelemetry: a count split by one is not all that is asked. */
export const OUTCOME_LABELS = [
  'code',
  'status',
  'status_code',
  'http_status_code',
  'http_response_status_code',
]
const outcomeOf = firstOf(OUTCOME_LABELS)
const FAILED_OUTCOME = /^(5\d\d|error)$/i
/** By what factor a service fails more on one node than elsewhere before that tells something: twice. */
const CLEARLY_MORE = 2
/** Share of its calls, and of lines, that must fail there beyond the usual: less is noise of few calls. */
const LEAST_EXCESS = 0.05
const LEAST_LINES = 5
/** Services that must agree: one alone may have a bad instance. */
const LEAST_SERVICES = 2

export interface FailingNode {
  readonly node: string
  /** Services that fail there clearly more than elsewhere. */
  readonly services: readonly string[]
  /** Services that run there and elsewhere, and were measured at both. */
  readonly compared: number
}

/** How much each service fails beyond the usual, by node. */
type ByNode = Map<string, Map<string, number[]>>

/** Where something runs, as its series and its lines say. */
interface Grounds {
  readonly of: (labels: Readonly<Record<string, string>>) => string | undefined
  readonly linesBy: (logs: readonly LogLine[]) => LinesByPlace
}

/** The zone that labels name. */
export const zoneOf = firstOf(ZONE_LABELS)

const hostOfLine = (line: LogLine): string | readonly string[] => textAt(line, 'host.name') ?? []

/**
 * What lines call their hosts: their nodes, or else names that may be a machine's or a container's, which tell of no place.
 * @see https://opentelemetry.io/docs/specs/semconv/resource/host/
 */
export const hostsOf = (logs: readonly LogLine[]): ReadonlySet<string> =>
  new Set(
    [...linesByNode(logs).values()].flatMap((nodes) =>
      [...nodes].flatMap(([node, lines]) =>
        node === undefined ? lines.filter(hasAttributes).flatMap(hostOfLine) : [node],
      ),
    ),
  )

const hasAttributes = ({ attributes }: LogLine): boolean => attributes !== undefined

/** The zone in which a line was logged, where it says. */
function zoneOfLine(line: LogLine): string | undefined {
  for (const label of ZONE_LABELS) {
    const zone = textAt(line, label)
    if (zone !== undefined) return zone
  }
  return undefined
}

const tellsZone = (line: LogLine): boolean => line.attributes !== undefined && zoneOfLine(line) !== undefined
const NO_LINES: LinesByPlace = new Map()

/** The node that most services speak for; null where fewer than two do, or two nodes tie. */
export const failingNode = (snapshot: Snapshot, normal: NormalTime, onsetAt: number): FailingNode | null =>
  failingGround(snapshot, normal, onsetAt, { of: nodeOf, linesBy: linesByNode })

/**
 * Whether a service fails on its other machines as much as on some, so that these are not why: what a machine does to a service
 * it does to the instances on it (the contrast of this file, read the other way round). False where that was not measured.
 */
export function failsAlikeElsewhere(
  snapshot: Snapshot,
  normal: NormalTime,
  onsetAt: number,
  service: string,
  machines: ReadonlySet<string>,
): boolean {
  const series = seriesOf(snapshot.series, service)
  const logs = linesByService(snapshot.logs).get(service) ?? []
  const measured = ratiosByNode({ series }, normal, onsetAt, nodeOf).get(service)
  const byNode = measured ?? errorsBeyondUsual(linesByNode(logs), normal, onsetAt).get(service)
  const there: number[] = []
  const elsewhere: number[] = []
  for (const [node, values] of byNode ?? []) (machines.has(node) ? there : elsewhere).push(...values)
  if (there.length === 0 || elsewhere.length === 0) return false
  const others = mean(elsewhere)
  return (
    others >= (measured === undefined ? LEAST_LINES : LEAST_EXCESS) && CLEARLY_MORE * others > mean(there)
  )
}

/** The zone that most services speak for, told in the same way: its machines differ from service to service. */
export const failingZone = (snapshot: Snapshot, normal: NormalTime, onsetAt: number): FailingNode | null =>
  failingGround(snapshot, normal, onsetAt, {
    of: zoneOf,
    // Which zone they were logged in lines say among their attributes, which most have none of.
    linesBy: (logs) =>
      logs.some(tellsZone) ? linesByPlace(logs.filter(hasAttributes), zoneOfLine) : NO_LINES,
  })

function failingGround(
  snapshot: Snapshot,
  normal: NormalTime,
  onsetAt: number,
  grounds: Grounds,
): FailingNode | null {
  const measured = ratiosByNode(snapshot, normal, onsetAt, grounds.of)
  const told = errorsBeyondUsual(grounds.linesBy(snapshot.logs), normal, onsetAt, measured)
  const votes = new Map<string, string[]>()
  const compared = new Map<string, number>()
  for (const service of new Set([...measured.keys(), ...told.keys()])) {
    // What was measured decides; lines speak where nothing of a service was measured by instance.
    const [byNode, least] = measured.has(service)
      ? [measured.get(service), LEAST_EXCESS]
      : [told.get(service), LEAST_LINES]
    if (byNode === undefined || byNode.size < 2) continue
    for (const node of byNode.keys()) compared.set(node, (compared.get(node) ?? 0) + 1)
    const node = worstNode(byNode, least)
    if (node !== null) votes.set(node, [...(votes.get(node) ?? []), service])
  }
  const [first, second] = [...votes].sort(([, a], [, b]) => b.length - a.length)
  if (first === undefined || first[1].length < LEAST_SERVICES) return null
  if (second !== undefined && second[1].length === first[1].length) return null
  return { node: first[0], services: first[1], compared: compared.get(first[0]) ?? 0 }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** The one node on which a service's instances fail clearly more than on all others together. */
function worstNode(byNode: ReadonlyMap<string, readonly number[]>, least: number): string | null {
  const levels = [...byNode].map(([node, values]) => ({ node, level: round6(mean(values)) }))
  const worst = levels.reduce((most, one) => (one.level > most.level ? one : most))
  // Of two that fail alike, or nearly so, neither is the one: what they share is.
  const isAnother = ({ node, level }: (typeof levels)[number]): boolean =>
    node !== worst.node && (level === worst.level || (level >= least && CLEARLY_MORE * level > worst.level))
  if (levels.some(isAnother)) return null
  const others = [...byNode].flatMap(([node, values]) => (node === worst.node ? [] : values))
  return worst.level >= least && worst.level >= CLEARLY_MORE * mean(others) ? worst.node : null
}

function put(byNode: ByNode, service: string, node: string, value: number): void {
  const nodes = byNode.get(service) ?? new Map<string, number[]>()
  byNode.set(service, nodes.set(node, [...(nodes.get(node) ?? []), value]))
}

interface Levels {
  readonly before: number
  readonly during: number
}

function levelsOf(series: Series, normal: NormalTime, onsetAt: number): Levels {
  const rate = asRate(series)
  return {
    before: meanWithin(rate, normal.baselines),
    during: meanWithin(rate, [{ from: onsetAt, to: normal.incident.to }]),
  }
}

/** The mean of what was measured in some windows; 0 where nothing was. */
function meanWithin({ times, values }: ReturnType<typeof asRate>, windows: readonly Window[]): number {
  let sum = 0
  let count = 0
  for (const { from, to } of windows)
    for (let index = lowerBound(times, from), end = lowerBound(times, to); index < end; index++)
      if (Number.isFinite(values[index])) {
        sum += values[index] as number
        count += 1
      }
  return count === 0 ? 0 : sum / count
}

/** Whether a name is of errors or of what is asked, which labels may part by how it ended. */
function tellsOutcomes(name: string): boolean {
  const { meaning, is_demand: isDemand } = readMetricName(name)
  return meaning === 'errors' || isDemand
}

/** Shares of failed calls beyond the usual, of each instance. */
function ratiosByNode(
  { series: all }: Pick<Snapshot, 'series'>,
  normal: NormalTime,
  onsetAt: number,
  of: Grounds['of'],
): ByNode {
  const byNode: ByNode = new Map()
  const counted = new Map<string, { service: string; node: string; failed: Levels; all: Levels }>()
  // What it measures is told by its name alone, and of few series it matters on which node they were measured.
  for (const series of seriesNamed(all, tellsOutcomes)) {
    const { meaning, is_demand } = readMetricName(series.name)
    const node = of(series.labels)
    if (node === undefined || node === series.entity) continue
    const outcome = outcomeOf(series.labels)
    if (outcome === undefined && meaning === 'errors' && /ratio|rate|percent|pct/i.test(series.name)) {
      const { before, during } = levelsOf(series, normal, onsetAt)
      const scale = series.unit === '%' || /percent|pct/i.test(series.name) ? 100 : 1
      put(byNode, series.entity, node, Math.max(0, during - before) / scale)
    } else if (outcome !== undefined && is_demand && series.type !== 'histogram') {
      const { pod, instance: ofTool } = series.labels
      const instance = pod ?? ofTool ?? ''
      const id = JSON.stringify([series.entity, node, instance])
      const none: Levels = { before: 0, during: 0 }
      const sum = counted.get(id) ?? { service: series.entity, node, failed: none, all: none }
      const own = levelsOf(series, normal, onsetAt)
      const plus = (to: Levels): Levels => ({
        before: to.before + own.before,
        during: to.during + own.during,
      })
      const failed = FAILED_OUTCOME.test(outcome) ? plus(sum.failed) : sum.failed
      counted.set(id, { ...sum, failed, all: plus(sum.all) })
    }
  }
  const share = (failed: number, all: number): number => (all > 0 ? failed / all : 0)
  for (const { service, node, failed, all } of counted.values())
    put(
      byNode,
      service,
      node,
      Math.max(0, share(failed.during, all.during) - share(failed.before, all.before)),
    )
  return byNode
}

/**
 * Error lines beyond the usual, of each node that a service logged from.
 * @param measured - services whose lines nobody asks for
 */
function errorsBeyondUsual(
  lines: LinesByPlace,
  normal: NormalTime,
  onsetAt: number,
  measured: Pick<ByNode, 'has'> = new Map(),
): ByNode {
  const severityIn = severityReader()
  const calm = normal.baselines.reduce((sum, { from, to }) => sum + to - from, 0)
  const length = Math.max(1, normal.incident.to - onsetAt)
  const byNode: ByNode = new Map()
  for (const [service, nodes] of lines)
    for (const [node, logged] of nodes) {
      // Of one alone there is no other to compare it with.
      if (node === undefined || nodes.size < 2 || measured.has(service)) continue
      let [before, during] = [0, 0]
      for (let index = 0; index < logged.length; index++) {
        const { severity, timestamp } = logged[index] as LogLine
        if (severityIn(severity) !== 'error') continue
        if (isNormalTime(normal, timestamp)) before += 1
        else if (timestamp >= onsetAt && timestamp < normal.incident.to) during += 1
      }
      put(byNode, service, node, Math.max(0, during - (calm > 0 ? (before * length) / calm : 0)))
    }
  return byNode
}
