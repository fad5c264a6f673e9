/**
 * What tools tell of a system in production, fault or not: metrics as recording rules or as raw counters and buckets,
 * logs with complaints that were always there, records of the orchestrator and of control planes. Nothing of it is
 * marked as belonging to the fault but by what it says.
 */
import type {
  ControlPlaneEvent,
  KubernetesRecord,
  LogLine,
  ProviderStatus,
  Series,
} from '#shared/domain/investigation/records/snapshot.ts'
import { labelOf } from './production-changes.ts'
import type { Gauge, Hosting, ProductionFault, ToldLine } from './production-fault.ts'
import type { Chance } from './random.ts'
import { BUCKETS_MS, type Pod, type Rollout, STEP_S, type Step } from './run-system.ts'
import { type Level, levelsOf, type PodSeries } from './scrape.ts'
import { recordedSeries, SCRAPE_S } from './simulate-incident.ts'

/** Share of log lines, and of single samples, that never arrive. */
const LOST_LINES = 0.1
const LOST_SAMPLES = 0.01

/** How a system is watched: which tool calls a service what, and what is measured at all. */
export interface Style {
  /** Raw counters and buckets of every pod instead of recorded rates. */
  readonly isRaw: boolean
  readonly isByPod: boolean
  readonly isByVersion: boolean
  /** A service that has no metrics of its own. */
  readonly unmeasured: string | null
  readonly nodes: readonly string[]
  readonly on: Hosting
  readonly nameInLogs: (part: string) => string
  readonly nameInDeliveries: (part: string) => string
}

export interface Happened {
  readonly fault: ProductionFault
  readonly dice: Chance
  readonly style: Style
  readonly start: number
  readonly began_s: number
  readonly rollouts: readonly Rollout[]
  readonly steps: readonly PastStep[]
  readonly instants: readonly number[]
  readonly pods: ReadonlyMap<string, PodSeries>
}

/** What telemetry asks of a step that is past. */
export interface PastStep {
  readonly at_s: number
  readonly pods: ReadonlyMap<string, readonly Pick<Pod, 'name' | 'is_away'>[]>
  /** What somebody complains of, of the parts where there is anything. */
  readonly failures: ReadonlyMap<string, Complained>
}

interface Complained {
  /** Who failed more often than twice, in the order of the calls. */
  readonly callees: readonly string[]
  readonly waited: boolean
}

/** More failed requests of a step than this are complained of. */
const UNNOTICED = 2

/**
 * What is kept of a step. All of it would be some hundred thousand objects for every incident: to carry them along takes
 * longer than to make them.
 * @param before what was kept of the step before, whose pods are taken over where they are still the same
 */
export function pastStep({ at_s, pods, failures }: Step, before: PastStep | undefined): PastStep {
  const complained = new Map<string, Complained>()
  for (const [part, { callee, waited }] of failures) {
    const callees: string[] = []
    for (const [name, failed] of callee) if (failed > UNNOTICED) callees.push(name)
    if (callees.length > 0 || waited > UNNOTICED)
      complained.set(part, { callees, waited: waited > UNNOTICED })
  }
  const isAsBefore =
    before !== undefined &&
    [...pods].every(([part, list]) => {
      const known = before.pods.get(part)
      return (
        known?.length === list.length &&
        list.every(
          ({ name, is_away }, index) => known[index]?.name === name && known[index].is_away === is_away,
        )
      )
    })
  if (isAsBefore) return { at_s, pods: before.pods, failures: complained }
  const standing = new Map(
    [...pods].map(([part, list]) => [
      part,
      list.map(({ name, is_away }) => (is_away === true ? { name, is_away } : { name })),
    ]),
  )
  return { at_s, pods: standing, failures: complained }
}

/** A record, and whether the fault is told apart by it. */
export interface Told<Kind> {
  readonly record: Kind
  readonly decides: boolean
}

const plain = <Kind>(record: Kind): Told<Kind> => ({ record, decides: false })

/** Complaints that every system has had for years. */
const CHRONIC = [
  ['WARN', 'deprecated header x-client-build ignored'],
  ['ERROR', 'failed to export 12 spans: context deadline exceeded'],
  ['WARN', 'token close to its end, renewing'],
  ['ERROR', 'read ECONNRESET from a client that left'],
  ['WARN', 'pool of 10 connections has 8 in use'],
  ['ERROR', 'could not parse user agent'],
  ['WARN', 'retrying after 503'],
] as const

/** What callers say of a callee that fails, as different clients put it. */
const COMPLAINTS: readonly ((callee: string, timeout_ms: number) => string)[] = [
  (callee, timeout_ms) => `request to ${callee} failed after ${timeout_ms} ms: upstream error`,
  (callee) => `${callee} answered 503`,
  (callee) => `rpc error: code = Unavailable desc = upstream ${callee}`,
  (callee, timeout_ms) => `AxiosError: call to ${callee} failed (timeout of ${timeout_ms}ms)`,
]

const gaugeOf = (
  entity: string,
  name: string,
  unit: string,
  labels: Readonly<Record<string, string>>,
  times: readonly number[],
  value: (at_ms: number) => number,
): Series => {
  const values = new Float64Array(times.length)
  for (let index = 0; index < times.length; index += 1) values[index] = value(times[index] as number)
  return {
    ...{ source: 'metrics', entity, name, labels, type: 'gauge', unit, interval_s: SCRAPE_S },
    ...{ times: new Float64Array(times), values },
  }
}

/** The counters of a pod as they were scraped, resets and all. */
function rawSeries(entity: string, { samples, pod }: PodSeries, node: string): readonly Series[] {
  const times = samples.map(({ at_ms }) => at_ms)
  const index = new Map(times.map((time, at) => [time, at]))
  const sample = (at_ms: number) => samples[index.get(at_ms) as number] as (typeof samples)[number]
  const labels = { pod, node }
  const counter = (name: string, more: Record<string, string>, value: (at_ms: number) => number): Series => ({
    ...gaugeOf(entity, name, '1', { ...labels, ...more }, times, value),
    type: 'counter',
  })
  return [
    counter('http_server_requests_total', { code: '200' }, (at) => sample(at).requests - sample(at).failed),
    counter('http_server_requests_total', { code: '500' }, (at) => sample(at).failed),
    counter('container_restarts_total', {}, (at) => sample(at).restarts),
    gaugeOf(entity, 'container_cpu_utilization_ratio', '1', labels, times, (at) => sample(at).cpu),
    gaugeOf(entity, 'container_memory_usage_mb', 'MBy', labels, times, (at) => sample(at).memory_mb),
    ...BUCKETS_MS.map((limit, bucket): Series => {
      const le = limit === Number.POSITIVE_INFINITY ? '+Inf' : String(limit / 1_000)
      return {
        ...counter(
          'http_server_request_duration_seconds_bucket',
          { le },
          (at) => sample(at).buckets[bucket] ?? 0,
        ),
        type: 'histogram',
      }
    }),
  ]
}

/** Everything that is measured, and the levels of every part whether they are kept or not. */
export function seriesAround(happened: Happened): {
  series: readonly Told<Series>[]
  levels: ReadonlyMap<string, readonly Level[]>
} {
  const { fault, style, pods, instants, dice } = happened
  const all: Told<Series>[] = []
  const levels = new Map<string, readonly Level[]>()
  const indexes = podIndexes(happened.steps)
  fault.topology.parts.forEach(({ name, kind }, place) => {
    const own = [...pods.values()].filter(({ part }) => part === name)
    const level = levelsOf(own, instants)
    levels.set(name, level)
    if (kind === 'external' || name === style.unmeasured) return
    const nodeOf = ({ pod }: PodSeries): string => style.on(name, indexes.get(pod) ?? 0)
    if (style.isRaw) all.push(...own.flatMap((pod) => rawSeries(name, pod, nodeOf(pod))).map(plain))
    // What alerts watch is recorded everywhere.
    if (!style.isRaw || place === 0) all.push(...recordedSeries(name, level).map(plain))
    if (style.isByPod && !style.isRaw)
      for (const pod of own)
        all.push(
          ...recordedSeries(name, levelsOf([pod], instants), { pod: pod.pod, node: nodeOf(pod) }).map(plain),
        )
    if (style.isByVersion) all.push(...byVersion(name, own, instants).map(plain))
  })
  for (const gauge of [...fault.gauges, ...usualGauges(happened)]) all.push(gaugeSeries(gauge, happened))
  return {
    series: all.map(({ record, decides }) => ({ decides, record: thinned(record, dice) })),
    levels,
  }
}

function byVersion(name: string, own: readonly PodSeries[], instants: readonly number[]): readonly Series[] {
  const versions = [...new Set(own.map(({ version }) => labelOf(version)))]
  return versions.length < 2
    ? []
    : versions.flatMap((version) =>
        recordedSeries(
          name,
          levelsOf(
            own.filter((pod) => labelOf(pod.version) === version),
            instants,
          ),
          { version },
        ).filter((series) => series.name === 'http_server_errors_ratio'),
      )
}

const thinned = (series: Series, dice: Chance): Series => onlySamples(series, () => !dice.is(LOST_SAMPLES))

/** Where samples are gathered before it is known how many are kept: memory for numbers is slow to ask for. */
let scratch = { times: new Float64Array(0), values: new Float64Array(0) }

/** The same series with some of its samples. Every incident has hundreds of series: the time of making them is spent here. */
export function onlySamples(series: Series, isKept: (at_ms: number) => boolean): Series {
  const { length } = series.times
  if (length > scratch.times.length)
    scratch = { times: new Float64Array(length), values: new Float64Array(length) }
  const { times, values } = scratch
  let kept = 0
  for (let index = 0; index < length; index += 1) {
    const at_ms = series.times[index] as number
    if (!isKept(at_ms)) continue
    times[kept] = at_ms
    values[kept] = series.values[index] as number
    kept += 1
  }
  return kept === length ? series : { ...series, times: times.slice(0, kept), values: values.slice(0, kept) }
}

function gaugeSeries(gauge: Gauge, { start, began_s, instants, dice }: Happened): Told<Series> {
  const { entity, name, unit, labels, decides } = gauge
  const most = name.endsWith('_ratio') ? 1 : Number.POSITIVE_INFINITY
  const level = (at_ms: number): number => gauge.level((at_ms - start) / 1_000 - began_s)
  const measured: number[] = []
  const levels: number[] = []
  for (const at_ms of instants) {
    const now = level(at_ms)
    if (Number.isNaN(now)) continue
    measured.push(at_ms)
    levels.push(now)
  }
  let next = 0
  return {
    decides: decides === true,
    record: gaugeOf(entity, name, unit, labels ?? {}, measured, () =>
      Math.min(most, (levels[next++] as number) * (1 + 0.006 * dice.normal())),
    ),
  }
}

/** Gauges that are there in every incident of a system that has them. */
function usualGauges(happened: Happened): Gauge[] {
  const { fault, style, dice, rollouts, began_s, instants, start, steps } = happened
  const made: Gauge[] = []
  const awayAt = (part: string, at_s: number): number =>
    steps[Math.round(at_s / STEP_S) - 1]?.pods.get(part)?.filter(({ is_away }) => is_away === true).length ??
    0
  const isTold = (name: string, entity: string): boolean =>
    fault.gauges.some((gauge) => gauge.name === name && gauge.entity === entity)
  const services = fault.topology.parts.filter(({ kind }) => kind === 'service')
  for (const node of style.nodes) {
    const level = dice.between(0.2, 0.5)
    if (!isTold('node_conntrack_used_ratio', node))
      made.push({
        ...{ entity: node, name: 'node_conntrack_used_ratio', unit: '1', labels: { node } },
        level: () => level,
      })
  }
  for (const { name, kind } of fault.topology.parts) {
    const level = dice.between(0.3, 0.8)
    if (kind === 'datastore' && !isTold('volume_used_ratio', name))
      made.push({
        ...{ entity: name, name: 'volume_used_ratio', unit: '1', labels: { volume: 'data' } },
        level: () => level,
      })
  }
  // While pods are replaced, one is missing: nothing is more usual, and no series stands out more.
  if (dice.is(0.7))
    for (const { name } of services) {
      const own = rollouts.filter(({ part }) => part === name)
      made.push({
        ...{ entity: name, name: 'workload_replicas_unavailable', unit: '1' },
        level: (since_s) =>
          awayAt(name, since_s + began_s) +
          (own.some(
            ({ at_s, every_s }) => since_s + began_s >= at_s && since_s + began_s < at_s + 3 * every_s,
          )
            ? 1
            : 0),
      })
    }
  // A queue of the night's exports that somebody refills by hand.
  if (dice.is(0.6)) {
    const length_s = ((instants.at(-1) ?? start) - start) / 1_000
    const filled_s = dice.between(0.4, 0.95) * length_s - began_s
    const most = dice.whole(400, 9_000)
    made.push({
      ...{ entity: 'nightly-export', name: 'queue_messages_ready', unit: '1' },
      level: (since_s) => (since_s < filled_s ? 0 : Math.max(0, most - (since_s - filled_s) * 2)),
    })
  }
  return made
}

/** The place of every pod among its part's pods. */
function podIndexes(steps: readonly PastStep[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>()
  for (const pods of new Set(steps.map((step) => step.pods)))
    for (const list of pods.values()) list.forEach(({ name }, index) => void indexes.set(name, index))
  return indexes
}

/** What is logged: routine, complaints that were always there, complaints of callers, and what the fault makes parts say. */
export function linesAround(happened: Happened): readonly Told<LogLine>[] {
  const { fault, dice, style, start, began_s, steps } = happened
  const lines: Told<LogLine>[] = []
  const services = fault.topology.parts.filter(({ kind }) => kind === 'service')
  const habits = new Map(
    services.map(({ name }) => [
      name,
      {
        chronic: { of: dice.pick(CHRONIC), per_minute: dice.between(0.2, 1.5) },
        complaint: dice.pick(COMPLAINTS),
        skew_ms: dice.is(0.3) ? dice.whole(-2_500, 2_500) : 0,
      },
    ]),
  )
  const write = (step: PastStep, part: string, severity: string, message: string, told?: ToldLine): void => {
    if (dice.is(LOST_LINES)) return
    const at_ms = start + Math.round((step.at_s - dice.next() * STEP_S) * 1_000)
    const list = step.pods.get(part) ?? []
    const index = told?.pod ?? dice.whole(0, Math.max(0, list.length - 1))
    if (list[index]?.is_away === true) return
    lines.push({
      decides: told?.decides === true,
      record: {
        ...{ source: 'logs', service: style.nameInLogs(part), severity, message },
        timestamp: at_ms + (habits.get(part)?.skew_ms ?? 0),
        ...(list[index] === undefined ? {} : { instance: list[index].name, node: style.on(part, index) }),
      },
    })
  }
  const told = (step: PastStep, line: ToldLine): void => {
    const since_s = step.at_s - began_s
    if (since_s > (line.after_s ?? 0) && since_s < (line.until_s ?? Number.POSITIVE_INFINITY))
      if (dice.is((line.per_minute * STEP_S) / 60))
        write(step, line.part, line.severity ?? 'ERROR', line.message, line)
  }
  for (const step of steps) {
    for (const { name, timeout_ms } of services) {
      const habit = habits.get(name)
      if (habit === undefined) continue
      if (dice.is(0.07)) write(step, name, 'INFO', `handled ${dice.whole(3, 90)} requests`)
      const [severity, message] = habit.chronic.of
      if (dice.is((habit.chronic.per_minute * STEP_S) / 60)) write(step, name, severity, message)
      const failure = step.failures.get(name)
      for (const callee of failure?.callees ?? [])
        if (dice.is(0.4)) write(step, name, 'ERROR', habit.complaint(callee, timeout_ms))
      if (failure?.waited === true && dice.is(0.4))
        write(step, name, 'ERROR', 'request timed out while it waited for a worker')
    }
    for (const line of fault.lines) told(step, line)
  }
  return lines
}

/** Records of the orchestrator: every rollout, the usual probes and jobs, and the fault's own. */
export function orchestratorAround(happened: Happened): readonly Told<KubernetesRecord>[] {
  const { fault, dice, start, began_s, rollouts, steps } = happened
  const at = (seconds: number): number => start + Math.round(seconds * 1_000)
  const made: Told<KubernetesRecord>[] = fault.k8s.map(
    ({ after_s, kind, name, reason, message, decides }) => ({
      decides: decides === true,
      record: { source: 'k8s', timestamp: at(began_s + after_s), kind, name, reason, message },
    }),
  )
  for (const { part, at_s, every_s, share } of rollouts)
    for (let pod = 0; pod < (share < 1 ? 1 : 2); pod += 1)
      made.push(
        plain({
          ...{ source: 'k8s', timestamp: at(at_s + pod * every_s), kind: 'Pod', reason: 'Killing' },
          ...{ name: `${part}-${pod}`, message: `Stopping container ${part}` },
        }),
      )
  const length_s = steps.at(-1)?.at_s ?? 0
  for (let count = dice.whole(2, 6); count > 0; count -= 1) {
    const { name } = dice.pick(fault.topology.parts)
    const [kind, reason, message] = dice.pick([
      ['Pod', 'Unhealthy', 'Readiness probe failed: context deadline exceeded'],
      ['HorizontalPodAutoscaler', 'SuccessfulRescale', 'New size: 4; reason: cpu resource above target'],
      ['Job', 'Completed', 'Job completed'],
      ['Pod', 'Pulled', 'Container image already present on machine'],
    ] as const)
    made.push(plain({ source: 'k8s', timestamp: at(dice.between(0, length_s)), kind, name, reason, message }))
  }
  return made.sort((a, b) => a.record.timestamp - b.record.timestamp)
}

/** Events of control planes: what they do every day, and the fault's own. */
export function eventsAround({
  fault,
  dice,
  start,
  began_s,
  steps,
}: Happened): readonly Told<ControlPlaneEvent>[] {
  const at = (seconds: number): number => start + Math.round(seconds * 1_000)
  const made: Told<ControlPlaneEvent>[] = fault.events.map(
    ({ after_s, kind, name, message, service, decides }) => ({
      decides: decides === true,
      record: {
        ...{ source: 'events', timestamp: at(began_s + after_s), resource: name, kind, message },
        ...(service === undefined ? {} : { service }),
      },
    }),
  )
  const length_s = steps.at(-1)?.at_s ?? 0
  for (const { name, kind } of fault.topology.parts)
    if (kind === 'datastore' && dice.is(0.6))
      made.push(
        plain({
          ...{ source: 'events', timestamp: at(dice.between(0, length_s)), resource: name, service: name },
          ...dice.pick([
            { kind: 'backup', message: `Automated backup of ${name} finished` },
            { kind: 'maintenance', message: `${name}: maintenance is planned for next Tuesday` },
            { kind: 'notification', message: `Minor engine versions are available for ${name}` },
          ]),
        }),
      )
  return made.sort((a, b) => a.record.timestamp - b.record.timestamp)
}

/** Status pages: somebody always has a maintenance, and it is nobody's trouble here. */
export function statusAround({ fault, dice, start, began_s }: Happened): readonly ProviderStatus[] {
  if (!dice.is(0.4)) return []
  const called = fault.topology.parts.filter(({ kind }) => kind === 'external')
  const provider = dice.is(0.5) && called[0] !== undefined ? called[0].name : 'parcel-tracking'
  const from = start + dice.whole(600, began_s - 1_200) * 1_000
  return [
    {
      ...{ source: 'status', provider, component: 'Dashboard' },
      events: [
        { timestamp: from, status: 'maintenance', detail: 'Planned maintenance of the dashboard' },
        { timestamp: from + 900_000, status: 'resolved', detail: 'The maintenance is completed' },
      ],
    },
  ]
}
