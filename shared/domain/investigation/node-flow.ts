/**
 * How much of what the alerted entity waits or fails beyond normal arises inside which entity behind it.
 *
 * Method: conservation of time and of failures over the call graph. For every entity the excess flow is its calls
 * times the rise of its mean latency (milliseconds of waiting), or its calls times the loss of availability (failed
 * calls). What its callees exceed in the same stretch is theirs, the rest is its own. The stretch is where the alerted
 * entity is off; what was already off in the calm samples just before it does not count. A callee that nobody called
 * before is its caller's doing. Idea: the traversal of PetShop's authors (Hardt et al., CLeaR 2024), refined from
 * "anomalous or not" to a subtraction of flows.
 *
 * Needs series of calls and of latency or availability by entity, and who calls whom; without them it is silent.
 */
import { readMetricName } from './metric-meaning.ts'
import type { NormalTime } from './normal-time.ts'
import { firstAlert } from './normal-time.ts'
import { lowerBound } from './series-shift.ts'
import type { Series, Snapshot } from './snapshot.ts'
import { median, normalLevel, quantile, round6 } from './statistics.ts'

/** Standard deviations from which a callee's excess is real enough to be taken off its caller's; the control-chart limit. */
const SIGNIFICANT = 3
/** The alerted entity's samples count as off from here, and where they are at least this share of the worst one. */
const OFF = 2
const OFF_SHARE = 0.1
/** Values from which a baseline has a level of its own; with fewer the calm samples of the window serve. */
const LEAST_BASELINE = 10
/** Spread below which a latency is called constant: share of its level, and milliseconds (one clock tick). */
const LATENCY_SHARE = 0.02
const LATENCY_FLOOR_MS = 0.5
/** The same for availability, in percentage points: one call of 2,000. */
const AVAILABILITY_FLOOR = 0.05

/** Quantile of normal time that a sample must pass to be unusual, and how many samples must: one alone happens by chance. */
const UNUSUAL = 0.95
const LEAST_UNUSUAL = 2

export type FlowKind = 'waiting' | 'failing'

/** What one entity exceeds; waiting in milliseconds and failing in calls, each per sampling interval. */
export interface NodeFlow {
  readonly entity: string
  readonly kind: FlowKind
  readonly excess: number
  /** The excess less that of its callees; may be negative. */
  readonly own: number
  /** Largest distance from normal in standard deviations. */
  readonly z: number
  /** Excess of the alerted entity over the same stretch. */
  readonly total: number
  readonly interval_s: number
  readonly onset_at: number
  /** The alerted entity's samples are such as normal time has too (a run rule as Western Electric's, 1956). */
  readonly is_usual: boolean
  /** The alerted entity's level was measured before the alert, in a baseline or in calm samples of the window. */
  readonly has_level: boolean
  readonly series: Series
}

interface Measured {
  readonly level: Series
  readonly calls: Series
  readonly scale: number
}

interface Usual {
  readonly level: number
  readonly spread: number
  /** Values of the baselines. */
  readonly count: number
  /** False where the level is only what one may expect. */
  readonly measured: boolean
}

const PREFERRED = /^(avg|average|mean)$/i
const QUANTILE = /p\d\d|quantile|max|min/i

/** What was counted since a process began, or how often it fell into a bucket, is no level at an instant. */
const isLevel = ({ type }: Series): boolean => type !== 'counter' && type !== 'histogram'

/** Series of one meaning by entity: the mean rather than a quantile, the one with fewest labels. */
function seriesBy(snapshot: Snapshot, fits: (series: Series) => boolean): ReadonlyMap<string, Series> {
  const rank = (series: Series): number =>
    (PREFERRED.test(series.agg ?? '') ? 0 : QUANTILE.test(`${series.agg ?? ''} ${series.name}`) ? 100 : 10) +
    Object.keys(series.labels).length
  const chosen = new Map<string, Series>()
  for (const series of snapshot.series) {
    if (!isLevel(series) || !fits(series)) continue
    const known = chosen.get(series.entity)
    const isBetter =
      known === undefined ||
      rank(series) < rank(known) ||
      (rank(series) === rank(known) &&
        (series.name < known.name ||
          (series.name === known.name && JSON.stringify(series.labels) < JSON.stringify(known.labels))))
    if (isBetter) chosen.set(series.entity, series)
  }
  return chosen
}

function millisecondsPer(series: Series): number {
  if (series.unit === 's' || /_seconds|seconds$/i.test(series.name)) return 1000
  if (series.unit === 'us' || /micro/i.test(series.name)) return 0.001
  return 1
}

/** Percentage points per unit of an availability. */
const pointsPer = (series: Series): number =>
  series.unit === '1' && !/pct|percent/i.test(series.name) ? 100 : 1

/** The value sampled at an instant; `NaN` where there is none. */
function valueAt(series: Series, at: number): number {
  const index = lowerBound(series.times, at)
  return series.times[index] === at ? (series.values[index] as number) : Number.NaN
}

/**
 * Attributes the alerted entity's waiting or failing to what it reaches.
 *
 * @param target - the alerted entity
 * @param callees - who calls whom
 * @returns most blamed first; empty where the alerted entity's series do not leave their level or are not there
 */
export function attributeNodeFlow(
  snapshot: Snapshot,
  normal: NormalTime,
  target: string | null,
  callees: ReadonlyMap<string, ReadonlySet<string>>,
): readonly NodeFlow[] {
  const alertAt = firstAlert(snapshot)
  if (target === null || alertAt === null || callees.get(target) === undefined) return []
  const calls = seriesBy(
    snapshot,
    (series) => readMetricName(series.name).is_demand && readMetricName(series.name).meaning === 'throughput',
  )
  const latency = seriesBy(snapshot, (series) => readMetricName(series.name).meaning === 'latency')
  const availability = seriesBy(snapshot, (series) => readMetricName(series.name).meaning === 'availability')
  const told = snapshot.alerts
    .map((alert) => readMetricName(alert.metric ?? '').meaning)
    .find((meaning) => meaning === 'latency' || meaning === 'availability' || meaning === 'errors')
  const kinds: readonly FlowKind[] =
    told === undefined ? ['failing', 'waiting'] : told === 'latency' ? ['waiting'] : ['failing']
  for (const kind of kinds) {
    const flows = flowsOf(
      kind,
      target,
      alertAt,
      normal,
      callees,
      kind === 'waiting' ? latency : availability,
      calls,
    )
    if (flows.length > 0) return flows
  }
  return []
}

/** What was measured in the declared baselines, in milliseconds or percentage points. */
function declaredBefore(one: Measured, normal: NormalTime): number[] {
  const before: number[] = []
  if (normal.origin !== 'declared') return before
  for (const baseline of normal.baselines) {
    const to = lowerBound(one.level.times, baseline.to)
    for (let index = lowerBound(one.level.times, baseline.from); index < to; index++) {
      const value = one.level.values[index] as number
      if (Number.isFinite(value)) before.push(value * one.scale)
    }
  }
  return before
}

function flowsOf(
  kind: FlowKind,
  target: string,
  alertAt: number,
  normal: NormalTime,
  callees: ReadonlyMap<string, ReadonlySet<string>>,
  levels: ReadonlyMap<string, Series>,
  calls: ReadonlyMap<string, Series>,
): readonly NodeFlow[] {
  const lead = levels.get(target)
  if (lead === undefined || !calls.has(target)) return []
  const intervalMs = (lead.interval_s ?? 60) * 1000
  const rows = [...lead.times].filter((at) => at >= normal.incident.from && at < normal.incident.to)
  // A sample sums up the interval that it opens: calm is what had ended before the condition began to hold.
  const calmRows = rows.filter((at) => at + intervalMs <= alertAt)
  const laterRows = rows.filter((at) => at + intervalMs > alertAt)
  const measured = (entity: string): Measured | null => {
    const level = levels.get(entity)
    const count = calls.get(entity)
    if (level === undefined || count === undefined) return null
    return { level, calls: count, scale: kind === 'waiting' ? millisecondsPer(level) : pointsPer(level) }
  }
  // Where nobody behind it has a level, nothing can be taken off, and all of it would look like its own.
  const behind = [...(callees.get(target) ?? [])].filter((callee) => callee !== target)
  if (behind.length > 0 && behind.every((callee) => measured(callee) === null)) return []
  const sign = kind === 'waiting' ? 1 : -1
  const usual = (one: Measured): Usual => {
    const before = declaredBefore(one, normal)
    const isOwn = before.length >= LEAST_BASELINE
    const values = isOwn ? before : calmRows.map((at) => valueAt(one.level, at) * one.scale)
    const [share, floor] = kind === 'waiting' ? [LATENCY_SHARE, LATENCY_FLOOR_MS] : [0, AVAILABILITY_FLOOR]
    const level = normalLevel(values, share, () => floor)
    // Without any earlier sample everything answered is what one may expect; a waiting time has no such level.
    if (level === null)
      return { level: kind === 'failing' ? 100 : 0, spread: floor, count: 0, measured: false }
    return {
      level: level.middle,
      spread: level.spread + (kind === 'waiting' ? LATENCY_FLOOR_MS : 0),
      count: before.length,
      measured: true,
    }
  }
  const first = measured(target) as Measured
  const firstUsual = usual(first)
  const distance = (at: number): number => {
    const value = valueAt(first.level, at) * first.scale
    return Number.isFinite(value) ? (sign * (value - firstUsual.level)) / firstUsual.spread : 0
  }
  const worst = laterRows.reduce((most, at) => Math.max(most, distance(at)), 0)
  const off = laterRows.filter((at) => distance(at) >= OFF && distance(at) >= OFF_SHARE * worst)
  if (off.length === 0) return []
  const before = declaredBefore(first, normal).map((value) => sign * value)
  const limit = before.length >= LEAST_BASELINE ? quantile(before, UNUSUAL) : Number.NEGATIVE_INFINITY
  const unusual = laterRows.filter((at) => sign * valueAt(first.level, at) * first.scale > limit)

  const reached = new Set([target])
  const queue = [target]
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const callee of callees.get(next) ?? [])
      if (!reached.has(callee)) {
        reached.add(callee)
        queue.push(callee)
      }
  const found = new Map<string, { excess: number; z: number; series: Series }>()
  for (const entity of reached) {
    const one = measured(entity)
    if (one === null) continue
    const { level, spread, count } = usual(one)
    const calledAt = (at: number): number => {
      const value = valueAt(one.calls, at)
      return Number.isFinite(value) ? value : 0
    }
    const isFresh = count === 0 && calmRows.length > 0 && calmRows.every((at) => calledAt(at) === 0)
    // What nobody called before is its caller's doing: its flow stays with the caller.
    if (isFresh && off.some((at) => calledAt(at) > 0)) continue
    const calm = calmRows
      .map((at) => sign * (valueAt(one.level, at) * one.scale - level))
      .filter((value) => Number.isFinite(value))
    const already = calm.length === 0 ? 0 : Math.max(0, median(calm))
    let excess = 0
    let z = 0
    for (const at of off) {
      const value = valueAt(one.level, at) * one.scale
      if (!Number.isFinite(value)) continue
      const rise = sign * (value - level) - already
      excess += calledAt(at) * (kind === 'failing' ? rise / 100 : rise)
      z = Math.max(z, rise / spread)
    }
    found.set(entity, { excess: excess / off.length, z, series: one.level })
  }
  const total = found.get(target)?.excess ?? 0
  if (total <= 0) return []
  const flows: NodeFlow[] = []
  for (const [entity, { excess, z, series }] of found) {
    let own = excess
    for (const callee of callees.get(entity) ?? []) {
      const other = callee === entity ? undefined : found.get(callee)
      if (other !== undefined && other.z >= SIGNIFICANT) own -= Math.max(0, other.excess)
    }
    flows.push({
      entity,
      kind,
      excess,
      own,
      z,
      total,
      interval_s: intervalMs / 1000,
      onset_at: off[0] as number,
      has_level: firstUsual.measured,
      is_usual: unusual.length < LEAST_UNUSUAL && Number.isFinite(limit),
      series,
    })
  }
  return flows.sort(
    (a, b) =>
      Number(b.z >= SIGNIFICANT) - Number(a.z >= SIGNIFICANT) ||
      round6(b.own) - round6(a.own) ||
      round6(b.excess) - round6(a.excess) ||
      round6(b.z) - round6(a.z) ||
      (a.entity < b.entity ? -1 : 1),
  )
}
