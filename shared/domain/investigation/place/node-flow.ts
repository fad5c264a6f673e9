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
 * Needs series of calls and of latency or availability by entity, and who calls whom; without them it is silent. What is
 * not measured is passed through: whom it calls is taken off its caller's. What remains at that caller may still be of
 * what was not measured, so it is named with it.
 */

import { readMetricName } from '../deviations/metric-meaning.ts'
import { type Joining, joined, partsOf } from '../deviations/per-interval.ts'
import {
  calmBefore,
  intervalOf,
  type RowReading,
  rowReading,
  rowsOf,
  valueInRow,
} from '../deviations/sample-rows.ts'
import { lowerBound } from '../deviations/series-shift.ts'
import { compareText } from '../records/log-templates.ts'
import type { NormalTime } from '../records/normal-time.ts'
import { firstAlert } from '../records/normal-time.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import { median, normalLevel, quantile, round6 } from '../statistics.ts'
import { formOf, type MeasuredCalls, measuredCalls } from './measured-calls.ts'

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

/**
 * By how much what so many calls show differs by chance from what as many as `before` had shown, as a standard deviation: the
 * mean waiting in its own unit (of an exponential law, whose deviation is its mean), the availability in percentage points
 * (binomial, with one failed call and one answered one more than were counted: Laplace's rule of succession).
 */
function byChance(kind: FlowKind, level: number, calls: number, before: number): number {
  const share = (before * (1 - level / 100) + 1) / (before + 2)
  const ofOne = kind === 'waiting' ? level : 100 * Math.sqrt(share * (1 - share))
  return ofOne * Math.sqrt(1 / calls + 1 / before)
}

/**
 * Calls a sample from which a row without one was missed rather than without calls: of so many expected none come in
 * under one of a hundred rows (Poisson, e^-5).
 */
const OFTEN_CALLED = 5

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
  /** The same where too few samples tell how much they scatter, so that chance among so few calls makes up the deviation. */
  readonly beyond_chance: number
  /** Excess over the same stretch of the alerted entity, or of all that it calls where that is not measured itself. */
  readonly total: number
  readonly total_of: 'alerted' | 'called'
  readonly interval_s: number
  readonly onset_at: number
  /** The alerted entity's samples are such as normal time has too (a run rule as Western Electric's, 1956). */
  readonly is_usual: boolean
  /** The alerted entity's level was measured before the alert, in a baseline or in calm samples of the window. */
  readonly has_level: boolean
  /** False of quantiles, whose differences are only roughly what arises where. */
  readonly adds_up: boolean
  /** Those it calls of which nothing was measured, so that they may be what exceeds instead; by name. */
  readonly unmeasured: readonly string[]
  readonly series: Series
}

interface Measured {
  readonly series: Series
  readonly scale: number
  readonly level: RowReading
  readonly calls: RowReading
}

/** In the row that an instant opens, in milliseconds or percentage points. */
const levelAt = ({ level, scale }: Measured, at: number): number => valueInRow(level, at) * scale
const callsAt = ({ calls }: Measured, at: number): number => valueInRow(calls, at)

/** What an entity exceeds; nothing of one that nobody called before, nor of one of which too little was measured. */
type Excess = Exceeded | 'fresh' | 'unknown'
type Exceeded = Pick<NodeFlow, 'excess' | 'z' | 'beyond_chance'>

interface Usual {
  readonly level: number
  readonly spread: number
  /** Values of the baselines. */
  readonly count: number
  /** False where the level is only what one may expect. */
  readonly measured: boolean
}

const MEAN = 'mean'
/** Means of this share of the entities with quantiles serve better than those. */
const MOSTLY = 0.5
const NAMED_MEAN = /^(avg|average|mean)$/i
const NAMED_QUANTILE = /(?<![a-z])(?:p\d\d|quantile|max(?:imum)?|min(?:imum)?)(?![a-z])/i

/** Whether a name is of waiting. */
const isLatency = (name: string): boolean => readMetricName(name).meaning === 'latency'

/** What was counted since a process began, or how often it fell into a bucket, is no level at an instant. */
const isLevel = ({ type }: Series): boolean => type !== 'counter' && type !== 'histogram'

/** What was made of the single values: a mean, or which quantile. */
function madeOf({ name, agg, labels }: Series): string {
  if (NAMED_MEAN.test(agg ?? '')) return MEAN
  const quantile = labels.quantile ?? NAMED_QUANTILE.exec(`${agg ?? ''} ${name}`)?.[0]
  return quantile?.toLowerCase() ?? MEAN
}

/**
 * Series of one meaning by entity: what is called a mean, of those with fewest labels; of its copies, or its parts where calls
 * of each were counted, all of them as one.
 */
function seriesBy(
  list: readonly Series[],
  calls: (entity: string) => MeasuredCalls | null,
  joining: Joining,
): (entity: string) => Series | undefined {
  const isNamed = ({ agg }: Series): boolean => NAMED_MEAN.test(agg ?? '')
  const order = (a: Series, b: Series): number =>
    Number(isNamed(b)) - Number(isNamed(a)) ||
    Object.keys(a.labels).length - Object.keys(b.labels).length ||
    compareText(a.name, b.name) ||
    compareText(JSON.stringify(a.labels), JSON.stringify(b.labels)) ||
    compareText(a.agg ?? '', b.agg ?? '')
  const byEntity = Map.groupBy(list, ({ entity }) => entity)
  const known = new Map<string, Series | undefined>()
  const madeOne = (entity: string): Series | undefined => {
    const [first, ...others] = [...(byEntity.get(entity) ?? [])].sort(order)
    if (first === undefined) return undefined
    const form = others.length === 0 ? null : formOf(first)
    const alike = [first, ...others.filter((one) => formOf(one) === form)]
    const callsOf = calls(entity)?.callsUnder ?? (() => undefined)
    return joined(partsOf(alike, callsOf), joining, callsOf) ?? undefined
  }
  return (entity) => {
    if (!known.has(entity)) known.set(entity, madeOne(entity))
    return known.get(entity)
  }
}

/**
 * Waiting by entity, made alike for all, since a tail taken off a mean says nothing: means, where the target or whom it
 * may wait for mostly has one, else the quantile that most entities have.
 */
function waitingBy(
  list: readonly Series[],
  target: string,
  calls: (entity: string) => MeasuredCalls | null,
): { readonly levelOf: (entity: string) => Series | undefined; readonly isMean: boolean } {
  const entities = new Map<string, Set<string>>()
  for (const series of list) {
    const made = madeOf(series)
    entities.set(made, (entities.get(made) ?? new Set()).add(series.entity))
  }
  const ofTarget = [...entities].filter(([, all]) => all.has(target))
  const known = ofTarget.length > 0 ? ofTarget : [...entities]
  const most = Math.max(0, ...known.map(([, all]) => all.size))
  const worth = ([made, all]: (typeof known)[number]): number =>
    made === MEAN && all.size >= MOSTLY * most ? most + 1 : all.size
  const [best] = known.sort((a, b) => worth(b) - worth(a) || compareText(a[0], b[0]))
  const alike = list.filter((series) => madeOf(series) === best?.[0])
  const joining = /^max/.test(best?.[0] ?? '') ? 'highest' : /^min/.test(best?.[0] ?? '') ? 'lowest' : 'mean'
  return { levelOf: seriesBy(alike, calls, joining), isMean: best?.[0] === MEAN }
}

/** Units of time, as a unit and as a name tell them, in milliseconds; the names of the small ones end in the name of the large. */
const UNITS_OF_TIME: readonly (readonly [unit: RegExp, name: RegExp, milliseconds: number])[] = [
  [/^ns$/, /nanosec/i, 1e-6],
  [/^[u\u00b5\u03bc]s$/, /micro/i, 0.001],
  [/^ms$/, /millisec/i, 1],
  [/^s$/, /_seconds|seconds$/i, 1000],
]

/** Milliseconds of one that a series tells: by its unit, else by its name; milliseconds where neither says. */
function millisecondsPer({ unit = '', name }: Series): number {
  const told =
    UNITS_OF_TIME.find(([asUnit]) => asUnit.test(unit)) ??
    UNITS_OF_TIME.find(([, asName]) => asName.test(name))
  return told?.[2] ?? 1
}

/** Whether anything tells in what a waiting time is measured. */
export const isTimed = ({ unit, name }: Series): boolean =>
  unit !== undefined || /seconds|millis|micro|_ms(_|$)/i.test(name)

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
  const calls = measuredCalls(snapshot.series)
  const told = snapshot.alerts
    .map((alert) => readMetricName(alert.metric ?? '').meaning)
    .find((meaning) => meaning === 'latency' || meaning === 'availability' || meaning === 'errors')
  const kinds: readonly FlowKind[] =
    told === undefined ? ['failing', 'waiting'] : told === 'latency' ? ['waiting'] : ['failing']
  const isCounted = snapshot.edges.some((edge) => (edge.calls ?? 0) > 0)
  const found = kinds.map((kind) => {
    const { levelOf, isMean } =
      kind === 'waiting'
        ? waitingBy(seriesNamed(snapshot.series, isLatency).filter(isLevel), target, calls)
        : { levelOf: (entity: string) => calls(entity)?.answered ?? undefined, isMean: true }
    return flowsOf(kind, target, alertAt, normal, callees, levelOf, calls, isCounted).map((flow) => ({
      ...flow,
      adds_up: isMean,
    }))
  })
  // Some call fails all the time: an alert that does not say which it was for was for what is further from normal.
  return found.reduce((best, flows) => (clarity(flows, target) > clarity(best, target) ? flows : best), [])
}

/** Standard deviations from which it is clear that something is off; what is more so is no clearer, and failing is worse than waiting. */
const CLEAR = 20

/** How far the alerted entity is off, or the one furthest off where that is not measured; in standard deviations. */
const clarity = (flows: readonly NodeFlow[], target: string): number =>
  Math.min(
    CLEAR,
    flows.find(({ entity }) => entity === target)?.z ??
      flows.reduce((most, { z }) => Math.max(most, z), Number.NEGATIVE_INFINITY),
  )

/** What was measured in the declared baselines, in milliseconds or percentage points. */
function declaredBefore(one: Measured, normal: NormalTime): number[] {
  const before: number[] = []
  if (normal.origin !== 'declared') return before
  for (const baseline of normal.baselines) {
    const { times, values } = one.series
    const to = lowerBound(times, baseline.to)
    for (let index = lowerBound(times, baseline.from); index < to; index++) {
      const value = values[index] as number
      if (Number.isFinite(value)) before.push(value * one.scale)
    }
  }
  return before
}

interface Behind {
  readonly measured: readonly string[]
  readonly unmeasured: readonly string[]
}

/** Whom an entity calls: those that are measured, directly or through what is not, and what is not. */
function behindOf(
  callees: ReadonlyMap<string, ReadonlySet<string>>,
  isMeasured: (entity: string) => boolean,
): (entity: string) => Behind {
  return (entity) => {
    const measured = new Set<string>()
    const unmeasured = new Set<string>()
    const queue = [entity]
    for (let next = queue.pop(); next !== undefined; next = queue.pop())
      for (const callee of callees.get(next) ?? []) {
        if (callee === entity || measured.has(callee) || unmeasured.has(callee)) continue
        if (isMeasured(callee)) measured.add(callee)
        else {
          unmeasured.add(callee)
          queue.push(callee)
        }
      }
    return { measured: [...measured], unmeasured: [...unmeasured] }
  }
}

/** How flows of one kind are told from normal. */
interface Scale {
  readonly kind: FlowKind
  /** 1 where more than normal is worse, -1 where less is. */
  readonly sign: 1 | -1
  /** Spread below which a level is called constant, as a share of it and in its own unit. */
  readonly share: number
  readonly floor: number
  /** What the clock's own tick adds to every spread, milliseconds. */
  readonly tick: number
}

/** The rows of the incident by the instants that open them, in epoch milliseconds. */
interface Rows {
  readonly all: readonly number[]
  /** Those that had ended before the alerted condition began to hold, and were calm. */
  readonly calm: readonly number[]
  readonly later: readonly number[]
}

/** What the excess of every entity is taken over. */
interface Stretch extends Scale, Rows {
  /** Rows in which the alerted entity is off. */
  readonly off: readonly number[]
  readonly has_level: boolean
  readonly usualOf: (one: Measured) => Usual
}

/** The flows of one kind; most blamed first, none where the alerted entity's level was not left or is not known. */
function flowsOf(
  kind: FlowKind,
  target: string,
  alertAt: number,
  normal: NormalTime,
  callees: ReadonlyMap<string, ReadonlySet<string>>,
  levelOf: (entity: string) => Series | undefined,
  calls: (entity: string) => MeasuredCalls | null,
  isCounted: boolean,
): readonly Omit<NodeFlow, 'adds_up'>[] {
  const leadOf = (entity: string): Series | undefined =>
    calls(entity) === null ? undefined : levelOf(entity)
  const isOwn = leadOf(target) !== undefined
  const roots = rootsOf(target, callees, (entity) => leadOf(entity) !== undefined, isCounted)
  if (roots.length === 0) return []
  const intervalMs = intervalOf(leadOf(roots[0] as string) as Series)
  const measured = measuredInRows(kind, leadOf, calls, intervalMs)
  const leads = roots.map((entity) => measured(entity) as Measured)
  const scale = scaleOf(kind, leads)
  const rows = rowsOfIncident(leads, scale, normal, alertAt, intervalMs)
  const usualOf = (one: Measured): Usual => usualIn(one, scale, rows, normal)
  const off = rowsOff(leads, scale, rows, usualOf, isOwn ? OFF : SIGNIFICANT)
  if (off.length === 0) return []
  const hasLevel = leads.every((one) => usualOf(one).measured)
  const stretch: Stretch = { ...scale, ...rows, off, has_level: hasLevel, usualOf }
  const excess = excessIn(stretch, measured, roots)
  const behind = behindOf(callees, (entity) => excess(entity) !== 'unknown')
  const ahead = behind(target)
  if (ahead.measured.length === 0 && ahead.unmeasured.length > 0) return []
  const found = new Map<string, Exceeded>()
  for (const entity of reachedFrom(roots, (caller) => behind(caller).measured)) {
    const one = excess(entity)
    if (typeof one === 'object') found.set(entity, one)
  }
  const total = roots.reduce((sum, root) => sum + Math.max(0, found.get(root)?.excess ?? 0), 0)
  if (total <= 0) return []
  const isUsual = isSuchAsBefore(leads, scale, rows, normal)
  return [...found]
    .map(([entity, exceeded]) => {
      const next = behind(entity)
      return {
        entity,
        kind,
        excess: exceeded.excess,
        own: ownOf(exceeded, next, found),
        z: exceeded.z,
        beyond_chance: exceeded.beyond_chance,
        total,
        total_of: isOwn ? ('alerted' as const) : ('called' as const),
        interval_s: intervalMs / 1000,
        onset_at: off[0] as number,
        has_level: hasLevel,
        is_usual: isUsual,
        unmeasured: [...next.unmeasured].sort(),
        series: (measured(entity) as Measured).series,
      }
    })
    .sort(mostBlamedFirst)
}

/** Whose level tells when the alerted entity is off: its own, or those of whom it calls; none where nothing can be told of it. */
function rootsOf(
  target: string,
  callees: ReadonlyMap<string, ReadonlySet<string>>,
  isMeasured: (entity: string) => boolean,
  isCounted: boolean,
): readonly string[] {
  const { measured, unmeasured } = behindOf(callees, isMeasured)(target)
  // Who was alerted and not measured is looked at through whom it calls, unless calls themselves were counted.
  if (!isMeasured(target)) return isCounted ? [] : measured
  // Where nobody behind it has a level, nothing can be taken off, and all of it would look like its own.
  return measured.length === 0 && unmeasured.length > 0 ? [] : [target]
}

/** What was measured of each entity in rows of an interval; null where its level or its calls were not. */
function measuredInRows(
  kind: FlowKind,
  leadOf: (entity: string) => Series | undefined,
  calls: (entity: string) => MeasuredCalls | null,
  intervalMs: number,
): (entity: string) => Measured | null {
  const known = new Map<string, Measured | null>()
  return (entity) => {
    const one = known.get(entity)
    if (one !== undefined) return one
    const series = leadOf(entity)
    let found: Measured | null = null
    if (series !== undefined) {
      const scale = kind === 'waiting' ? millisecondsPer(series) : 1
      const counted = (calls(entity) as MeasuredCalls).calls
      found = {
        ...{ series, scale },
        level: rowReading(series, intervalMs),
        calls: rowReading(counted, intervalMs),
      }
    }
    known.set(entity, found)
    return found
  }
}

/** How flows of a kind are told from normal, as they were measured. */
function scaleOf(kind: FlowKind, leads: readonly Measured[]): Scale {
  if (kind === 'failing') return { kind, sign: -1, share: 0, floor: AVAILABILITY_FLOOR, tick: 0 }
  // A tick of the clock is no floor of what may be counted in seconds as well.
  const tick = leads.every(({ series }) => isTimed(series)) ? LATENCY_FLOOR_MS : 0
  return { kind, sign: 1, share: LATENCY_SHARE, floor: tick, tick }
}

/** The rows of the incident in which any of those that lead was measured; they are calm while all of those are. */
function rowsOfIncident(
  leads: readonly Measured[],
  { sign, share, floor }: Scale,
  { incident }: NormalTime,
  alertAt: number,
  intervalMs: number,
): Rows {
  const all = rowsOf(
    leads.map(({ series }) => series.times),
    intervalMs,
  ).filter((at) => at >= incident.from && at < incident.to)
  // A sample sums up the interval that it opens: calm is what had ended before the condition began to hold, and was calm.
  const ended = all.filter((at) => at + intervalMs <= alertAt).length
  const calmCount = leads.reduce((least, one) => {
    const values = all.map((at) => sign * levelAt(one, at))
    return Math.min(least, calmBefore(values, ended, share, floor))
  }, ended)
  return { all, calm: all.slice(0, calmCount), later: all.slice(calmCount) }
}

/** The level that an entity usually has: in the baselines where they tell enough, else in the calm rows. */
function usualIn(
  one: Measured,
  { kind, share, floor, tick }: Scale,
  { calm }: Rows,
  normal: NormalTime,
): Usual {
  const before = declaredBefore(one, normal)
  const level = normalLevel(
    before.length >= LEAST_BASELINE ? before : calm.map((at) => levelAt(one, at)),
    share,
    () => floor,
  )
  // Without any earlier sample everything answered is what one may expect; a waiting time has no such level.
  if (level === null) return { level: kind === 'failing' ? 100 : 0, spread: floor, count: 0, measured: false }
  return { level: level.middle, spread: level.spread + tick, count: before.length, measured: true }
}

/**
 * The rows in which the alerted entity, or what is measured for it, is off.
 *
 * @param least - standard deviations that the worst row must be off, lest none count
 */
function rowsOff(
  leads: readonly Measured[],
  { sign }: Scale,
  { later }: Rows,
  usualOf: (one: Measured) => Usual,
  least: number,
): readonly number[] {
  const distances = leads.map((one): ((at: number) => number) => {
    const { level, spread } = usualOf(one)
    return (at) => {
      const value = levelAt(one, at)
      return Number.isFinite(value) ? (sign * (value - level)) / spread : 0
    }
  })
  const distance = (at: number): number => distances.reduce((most, of) => Math.max(most, of(at)), 0)
  const worst = later.reduce((most, at) => Math.max(most, distance(at)), 0)
  if (worst < least) return []
  return later.filter((at) => distance(at) >= OFF && distance(at) >= OFF_SHARE * worst)
}

/** What leads has samples since such as its baselines had too. */
const isSuchAsBefore = (
  leads: readonly Measured[],
  { sign }: Scale,
  { later }: Rows,
  normal: NormalTime,
): boolean =>
  leads.every((one) => {
    const before = declaredBefore(one, normal).map((value) => sign * value)
    if (before.length < LEAST_BASELINE) return false
    const limit = quantile(before, UNUSUAL)
    return later.filter((at) => sign * levelAt(one, at) > limit).length < LEAST_UNUSUAL
  })

/** What each entity exceeds in the stretch; each is reckoned once. */
function excessIn(
  stretch: Stretch,
  measured: (entity: string) => Measured | null,
  roots: readonly string[],
): (entity: string) => Excess {
  const excesses = new Map<string, Excess>()
  return (entity) => {
    let found = excesses.get(entity)
    if (found !== undefined) return found
    const one = measured(entity)
    found = one === null ? 'unknown' : excessOf(one, roots.includes(entity), stretch)
    excesses.set(entity, found)
    return found
  }
}

/** Who took time for calls, or failed some, was called; how often is then as in its other rows. */
function calledAt(one: Measured, usually: number, at: number): number {
  const value = callsAt(one, at)
  return Number.isFinite(value) || !Number.isFinite(levelAt(one, at)) ? value : usually
}

/** What one entity exceeds, where it was called and measured before. */
function excessOf(one: Measured, isRoot: boolean, stretch: Stretch): Excess {
  const { kind, calm, off } = stretch
  const usual = stretch.usualOf(one)
  const counts: number[] = []
  for (const at of stretch.all) {
    const value = callsAt(one, at)
    if (Number.isFinite(value)) counts.push(value)
  }
  const usually = median(counts)
  const isCalled = (at: number): boolean => calledAt(one, usually, at) > 0
  // What nobody called before is its caller's doing: its flow stays with the caller.
  const isNew = usual.count === 0 && calm.length > 0 && !calm.some(isCalled) && off.some(isCalled)
  // Of the alerted entity a sample that is not there says only that none was taken.
  if (isNew && (!isRoot || calm.some((at) => calledAt(one, usually, at) === 0))) return 'fresh'
  if (kind === 'waiting' && stretch.has_level && !usual.measured && off.some(isCalled)) return 'unknown'
  const isOften = counts.reduce((sum, value) => sum + value, 0) >= OFTEN_CALLED * counts.length
  return exceededOver(one, usual, usually, isOften, stretch)
}

/** Sums up what an entity exceeds over the rows in which the alerted one is off; unknown where all of them were missed. */
function exceededOver(
  one: Measured,
  { level, spread, count }: Usual,
  usually: number,
  isOften: boolean,
  { kind, sign, calm, off }: Stretch,
): Exceeded | 'unknown' {
  const isScatterKnown = Math.max(count, calm.length) >= LEAST_BASELINE
  const offBefore: number[] = []
  let earlier = 0
  for (const at of calm) {
    const value = sign * (levelAt(one, at) - level)
    if (Number.isFinite(value)) offBefore.push(value)
    const asked = calledAt(one, usually, at)
    if (asked > 0) earlier += asked
  }
  const already = offBefore.length === 0 ? 0 : Math.max(0, median(offBefore))
  let excess = 0
  let z = 0
  let beyondChance = 0
  let missed = 0
  for (const at of off) {
    const value = levelAt(one, at)
    const asked = calledAt(one, usually, at)
    if (!Number.isFinite(value) || !Number.isFinite(asked)) {
      if (asked > 0 || (isOften && asked !== 0)) missed += 1
      continue
    }
    const rise = sign * (value - level) - already
    excess += asked * (kind === 'failing' ? rise / 100 : rise)
    z = Math.max(z, rise / spread)
    if (asked <= 0) continue
    const chance = isScatterKnown ? 0 : byChance(kind, level, asked, earlier || asked)
    beyondChance = Math.max(beyondChance, rise / Math.max(spread, chance))
  }
  return missed === off.length
    ? 'unknown'
    : { excess: excess / (off.length - missed), z, beyond_chance: beyondChance }
}

/** Some entities and all whom they call, directly or through others. */
function reachedFrom(
  roots: readonly string[],
  calledBy: (entity: string) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set(roots)
  const queue = [...roots]
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const callee of calledBy(next))
      if (!reached.has(callee)) {
        reached.add(callee)
        queue.push(callee)
      }
  return reached
}

/** What is left of an excess once that of whom it calls is taken off, as far as that is real. */
function ownOf({ excess }: Exceeded, { measured }: Behind, found: ReadonlyMap<string, Exceeded>): number {
  let left = excess
  for (const callee of measured) {
    const other = found.get(callee)
    if (other !== undefined && other.z >= SIGNIFICANT) left -= Math.max(0, other.excess)
  }
  return left
}

/** By what is clearly off, then by what arises there, at last by name. */
const mostBlamedFirst = (a: Omit<NodeFlow, 'adds_up'>, b: Omit<NodeFlow, 'adds_up'>): number =>
  Number(b.beyond_chance >= SIGNIFICANT) - Number(a.beyond_chance >= SIGNIFICANT) ||
  Number(b.z >= SIGNIFICANT) - Number(a.z >= SIGNIFICANT) ||
  round6(b.own) - round6(a.own) ||
  round6(b.excess) - round6(a.excess) ||
  round6(b.z) - round6(a.z) ||
  (a.entity < b.entity ? -1 : 1)
