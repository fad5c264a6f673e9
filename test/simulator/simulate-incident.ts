/** One incident: a system with a fault, and what tools would tell of it. Imports nothing of the engine but its input's shape. */
import type {
  Alert,
  Change,
  Edge,
  LogLine,
  Series,
  Snapshot,
} from '#shared/domain/investigation/records/snapshot.ts'
import { type Family, type Fault, hunk, rolloutOf } from './faults.ts'
import { type Chance, chance } from './random.ts'
import { type Rollout, runSystem, STEP_S, type Step, type Working } from './run-system.ts'
import { type Level, levelsOf, type PodSeries, scrapeStep } from './scrape.ts'
import { randomTopology, type Topology } from './topology.ts'

const MINUTE_MS = 60_000
/** Minutes that are simulated, and when the fault may begin. */
export const LENGTH_MIN = 120
export const FAULT_MIN = [76, 96] as const
export const SCRAPE_S = 30
/** Share of scrapes and of log lines that never arrive. */
const LOST_SCRAPES = 0.01
const LOST_LINES = 0.1
/** An alert fires when its condition held for so long (seconds). */
const ALERT_FOR_S = 120
/** Start of every simulated day. */
export const DAY = Date.UTC(2026, 2, 4)

export interface SimulatedTruth {
  readonly family: string
  readonly kind: string
  readonly entity: string
  /** Id of the change that is the cause; null where none is. */
  readonly change: string | null
  readonly began_ms: number
  /** Further answers that are right: other names of the place, the kind said otherwise, records of the same change. */
  readonly also?: {
    readonly entities: readonly string[]
    readonly kinds: readonly string[]
    readonly changes: readonly string[]
  }
}

export interface Simulated {
  readonly snapshot: Snapshot
  readonly truth: SimulatedTruth
  /** The same without what decides: the change and its rollout, or the words and records of a cause that is no change. */
  readonly undecided: Snapshot
}

/** The source that every record of a kind names. */
const SOURCES = ['metrics', 'edges', 'logs', 'changes', 'alerts', 'events', 'status'] as const

/** What looks like a commit's sha. */
export const hex = (dice: Chance): string =>
  Array.from({ length: 40 }, () => dice.whole(0, 15).toString(16)).join('')

/** Changes that harm nobody, of the shapes that real ones have. */
export function innocent(dice: Chance, service: string): { title: string; files: string[]; diff: string } {
  const shape = dice.whole(0, 4)
  const path = `${service}/src/${dice.pick(['render', 'format', 'audit', 'report', 'paging'])}.ts`
  if (shape === 0) {
    const gone = ['  const total = items.length', '  return page(items, total)']
    return {
      title: 'Name the size of a page',
      files: [path],
      diff: hunk(path, gone, ['  return page(items, items.length)']),
    }
  }
  if (shape === 1) {
    const lock = `${service}/package-lock.json`
    const lines = Array.from({ length: 12 }, (_, index) => `      "integrity": "sha512-${index}${hex(dice)}"`)
    return {
      title: 'Bump development dependencies',
      files: [lock],
      diff: hunk(lock, lines.slice(0, 6), lines.slice(6)),
    }
  }
  if (shape === 2) {
    const come = ['  logger.info("handled", { items: items.length })']
    return { title: 'Log how many items were handled', files: [path], diff: hunk(path, [], come) }
  }
  if (shape === 3) {
    const docs = `${service}/README.md`
    return {
      title: 'Say how to run the tests',
      files: [docs],
      diff: hunk(docs, ['Run it.'], ['Run `npm test`.']),
    }
  }
  const gone = ['  for (const item of items) out.push(label(item))']
  return {
    title: 'Map instead of a loop',
    files: [path],
    diff: hunk(path, gone, ['  out.push(...items.map(label))']),
  }
}

interface Setting {
  readonly dice: Chance
  readonly topology: Topology
  readonly fault: Fault
  readonly start: number
  /** Seconds from the start: the change, and its effect. */
  readonly changed_s: number
  readonly began_s: number
}

/** Changes of every service, the culprit among them, which is rarely the latest. */
function changesOf({ dice, topology, fault, start, changed_s }: Setting): {
  changes: Change[]
  rollouts: Rollout[]
  culprit: string | null
} {
  const changes: Change[] = []
  const rollouts: Rollout[] = []
  const add = (kind: Change['kind'], at_ms: number, part: Partial<Change>): string => {
    const id = part.id ?? hex(dice)
    changes.push({ source: 'changes', recorded_at: at_ms, kind, ...part, id })
    return id
  }
  const ship = (
    service: string,
    at_s: number,
    what: { title: string; files: readonly string[]; diff: string },
    version: string,
    share: number,
    every_s: number,
  ): string => {
    const merged = start + at_s * 1_000 - dice.whole(4, 50) * MINUTE_MS
    const id = add('commit', merged, {
      ...what,
      entity: service,
      actor: dice.pick(['ana', 'bo', 'cem', 'dia']),
    })
    const from = start + at_s * 1_000
    const to = from + every_s * 1_000 * 3
    add('deploy', from, {
      ...{ entity: service, after: version, before: 'v1', carries: [id] },
      ...{ effective_at: { from, to }, certainty: 'recorded', id: `rollout-${service}-${version}` },
    })
    rollouts.push({ part: service, version, at_s, every_s, share })
    return id
  }
  let culprit: string | null = null
  const own = rolloutOf(fault, changed_s)
  if (fault.culprit !== null && own !== null)
    culprit = ship(fault.entity, changed_s, fault.culprit, own.version, own.share, own.every_s)
  else if (fault.culprit !== null) {
    const { kind, title, files, diff, before, after } = fault.culprit
    const at = start + changed_s * 1_000
    culprit = add(kind, at, {
      ...{ title, files, entity: fault.entity, effective_at: { from: at, to: at }, certainty: 'recorded' },
      ...(diff === '' ? {} : { diff }),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(kind === 'flag' ? { id: title } : {}),
    })
  }
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const count = dice.whole(3, 7)
  for (let index = 0; index < count; index += 1) {
    const service = dice.pick(services).name
    // Some ship after the trouble began, and look guilty to who only looks at the clock.
    const at_s = dice.is(0.45) ? changed_s + dice.whole(30, 600) : dice.whole(300, changed_s - 60)
    ship(service, at_s, innocent(dice, service), `n${index}`, 1, 30)
  }
  return { changes, rollouts, culprit }
}

/** What is logged: routine of every part, lines of the fault, and complaints of callers about callees. */
function linesOf(setting: Setting, steps: readonly Step[]): LogLine[] {
  const { dice, topology, fault, start, began_s } = setting
  const lines: LogLine[] = []
  const write = (at_s: number, service: string, severity: string, message: string): void => {
    if (dice.is(LOST_LINES)) return
    const timestamp = start + Math.round((at_s - dice.next() * STEP_S) * 1_000)
    lines.push({ source: 'logs', timestamp, service, severity, message })
  }
  for (const { at_s, failures } of steps)
    for (const { name, kind, timeout_ms } of topology.parts) {
      if (kind !== 'service') continue
      if (dice.is(0.08)) write(at_s, name, 'INFO', `handled ${dice.whole(3, 90)} requests`)
      if (dice.is(0.004))
        write(at_s, name, 'WARN', `slow client ${dice.whole(1, 250)}.${dice.whole(1, 250)} dropped`)
      const failure = failures.get(name)
      for (const [callee, failed] of failure?.callee ?? [])
        if (failed > 2 && dice.is(0.5))
          write(at_s, name, 'ERROR', `request to ${callee} failed after ${timeout_ms} ms: upstream error`)
      if ((failure?.waited ?? 0) > 2 && dice.is(0.4))
        write(at_s, name, 'ERROR', `request timed out while it waited for a worker`)
      for (const { part, message, per_minute } of fault.trace.lines ?? [])
        if (part === name && at_s > began_s && dice.is((per_minute * STEP_S) / 60))
          write(at_s, name, 'ERROR', message)
    }
  return lines
}

const series = (
  entity: string,
  name: string,
  unit: string,
  levels: readonly Level[],
  read: (level: Level) => number,
  labels: Readonly<Record<string, string>> = {},
): Series => ({
  ...{ source: 'metrics', entity, name, labels, type: 'gauge', unit, interval_s: SCRAPE_S },
  times: new Float64Array(levels.map(({ at_ms }) => at_ms)),
  values: new Float64Array(levels.map(read)),
})

/** What recording rules make of the levels of a part, or of one pod of it. */
export const recordedSeries = (
  name: string,
  level: readonly Level[],
  labels: Readonly<Record<string, string>> = {},
): readonly Series[] => [
  series(name, 'http_server_requests_per_second', '/s', level, (each) => each.requests_per_s, labels),
  series(name, 'http_server_errors_ratio', '1', level, (each) => each.errors_ratio, labels),
  series(name, 'http_server_duration_p95_ms', 'ms', level, (each) => each.p95_ms, labels),
  series(name, 'container_cpu_utilization_ratio', '1', level, (each) => each.cpu_ratio, labels),
  series(name, 'container_memory_usage_mb', 'MBy', level, (each) => each.memory_mb, labels),
  series(name, 'container_restarts_total', '1', level, (each) => each.restarts, labels),
]

function seriesOf(
  setting: Setting,
  pods: ReadonlyMap<string, PodSeries>,
  instants: readonly number[],
): { series: Series[]; levels: Map<string, readonly Level[]> } {
  const { topology, dice } = setting
  const all: Series[] = []
  const levels = new Map<string, readonly Level[]>()
  // Half of the systems label what they measure with the version that runs.
  const isLabelled = dice.is(0.5)
  for (const { name, kind } of topology.parts) {
    const own = [...pods.values()].filter(({ part }) => part === name)
    const level = levelsOf(own, instants)
    levels.set(name, level)
    if (kind === 'external') continue
    all.push(...recordedSeries(name, level))
    const versions = [...new Set(own.map(({ version }) => version))]
    if (isLabelled && versions.length > 1)
      for (const version of versions) {
        const part = levelsOf(
          own.filter((pod) => pod.version === version),
          instants,
        )
        all.push(
          series(name, 'http_server_errors_ratio', '1', part, (each) => each.errors_ratio, { version }),
        )
      }
  }
  return { series: all, levels }
}

/** Calls as they are summed, over half a minute each; steps are added in their order. */
export function summedEdges(start: number): { add(step: Step): void; edges(): Edge[] } {
  interface Sum {
    readonly caller: string
    readonly callee: string
    readonly t0: number
    calls: number
    failed: number
    ms: number
  }
  const sums: Sum[] = []
  // Those of the half minute that is being summed, by caller and callee.
  let now = new Map<string, Map<string, Sum>>()
  let now_t0 = Number.NaN
  return {
    add: ({ at_s, edges }) => {
      const t0 = start + Math.floor((at_s - STEP_S) / SCRAPE_S) * SCRAPE_S * 1_000
      if (t0 !== now_t0) now = new Map()
      now_t0 = t0
      for (const { caller, callee, calls, failed, latency_ms } of edges) {
        const callees = now.get(caller) ?? new Map<string, Sum>()
        let sum = callees.get(callee)
        if (sum === undefined) {
          sum = { caller, callee, t0, calls: 0, failed: 0, ms: 0 }
          sums.push(sum)
          callees.set(callee, sum)
          now.set(caller, callees)
        }
        sum.calls += calls
        sum.failed += failed
        sum.ms += calls * latency_ms
      }
    },
    edges: () =>
      sums.map(({ caller, callee, t0, calls, failed, ms }) => ({
        ...{ source: 'edges', caller, callee, t0, interval_s: SCRAPE_S },
        ...{ calls: Math.round(calls), failed: Math.round(failed) },
        ...{ latency_sum_ms: ms, latency_count: Math.round(calls) },
      })),
  }
}

/** The alert that a person would have: shares of errors or long waits of what users see, held for two minutes. */
export function alertOf(
  { topology, dice }: Pick<Setting, 'topology' | 'dice'>,
  levels: ReadonlyMap<string, readonly Level[]>,
): Alert | null {
  const [root] = topology.parts
  for (const { name, kind } of root === undefined ? [] : [root, ...topology.parts.slice(1)]) {
    if (kind !== 'service') continue
    const list = levels.get(name) ?? []
    const calm = list.slice(0, 60).map(({ p95_ms }) => p95_ms)
    const usual = calm.sort((a, b) => a - b)[Math.floor(calm.length / 2)] ?? 0
    let held = 0
    for (const { at_ms, errors_ratio, p95_ms } of list) {
      const isBad = errors_ratio > 0.05 || p95_ms > Math.max(3 * usual, usual + 150)
      held = isBad ? held + SCRAPE_S : 0
      if (held < ALERT_FOR_S) continue
      const of_errors = errors_ratio > 0.05
      return {
        ...{
          source: 'alerts',
          service: name,
          fired_at: at_ms + dice.whole(0, 45) * 1_000,
          for_s: ALERT_FOR_S,
        },
        name: of_errors ? 'ErrorRatioHigh' : 'LatencyHigh',
        metric: of_errors ? 'http_server_errors_ratio' : 'http_server_duration_p95_ms',
      }
    }
  }
  return null
}

/** Of a cause that is demand, what counts requests decides; who calls whom is left. */
export const withoutDemand = ({ series: all, edges }: Snapshot): Pick<Snapshot, 'series' | 'edges'> => ({
  series: all.filter(({ name }) => name !== 'http_server_requests_per_second'),
  edges: edges.map(({ source, caller, callee, t0, interval_s }) => ({
    source,
    caller,
    callee,
    t0,
    interval_s,
  })),
})

/**
 * Simulates an incident; null where the fault harms nobody enough for an alert.
 * @param seed the same gives the same
 */
export function simulateIncident(name: string, family: Family, seed: number): Simulated | null {
  const dice = chance(seed)
  const topology = randomTopology(dice)
  const fault = family(topology, dice)
  if (fault === null) return null
  const start = DAY + dice.whole(6, 18) * 60 * MINUTE_MS
  const began_s = dice.whole(...FAULT_MIN) * 60
  const setting: Setting = { dice, topology, fault, start, changed_s: began_s - fault.delay_s, began_s }
  const { changes, rollouts, culprit } = changesOf(setting)
  // Something else is odd, too: jobs that use up processor time and harm nobody, as there always are some.
  const jobs = Array.from({ length: dice.whole(1, 3) }, () => {
    const at_s = dice.whole(1_800, began_s + 900)
    return { part: dice.pick(topology.parts).name, at_s, to_s: at_s + dice.whole(300, 1_800) }
  })
  const working = (part: string, version: string, _pod: number, at_s: number): Working => {
    const isBusy = jobs.some((job) => job.part === part && at_s >= job.at_s && at_s < job.to_s)
    const odd: Working = isBusy ? { cpu_factor: 9 } : {}
    if (at_s < setting.changed_s) return odd
    const own = rolloutOf(fault, setting.changed_s)
    return own !== null && part === fault.entity && version !== own.version && !isNewer(version)
      ? odd
      : { ...odd, ...fault.working(part, at_s - setting.changed_s) }
  }
  // What is shipped after the fault carries it on.
  const isNewer = (version: string): boolean =>
    rollouts.some(
      (each) => each.version === version && each.part === fault.entity && each.at_s > setting.changed_s,
    )
  const demand = (at_s: number): number =>
    (1 + 0.12 * Math.sin((2 * Math.PI * (start + at_s * 1_000 - DAY)) / 86_400_000)) *
    (at_s < began_s ? 1 : (fault.demand?.(at_s - began_s) ?? 1))
  const length_s = LENGTH_MIN * 60
  const steps: Step[] = []
  const calls = summedEdges(start)
  const pods = new Map<string, PodSeries>()
  const instants: number[] = []
  for (const step of runSystem({ topology, length_s, rollouts, demand, working }, dice)) {
    steps.push(step)
    calls.add(step)
    if (step.at_s % SCRAPE_S !== 0) continue
    const at_ms = start + step.at_s * 1_000
    instants.push(at_ms)
    scrapeStep(pods, step, at_ms, () => dice.is(LOST_SCRAPES))
  }
  const { series: all, levels } = seriesOf(setting, pods, instants)
  const alert = alertOf(setting, levels)
  const began_ms = start + began_s * 1_000
  if (alert === null || alert.fired_at < began_ms) return null
  const window = { from: start, to: Math.min(start + length_s * 1_000, alert.fired_at + 20 * MINUTE_MS) }
  const lacksEdges = dice.is(0.15)
  const lacksLogs = dice.is(0.15)
  const until = <Each>(list: readonly Each[], at: (each: Each) => number) =>
    list.filter((each) => at(each) < window.to)
  const at = began_ms + 30_000
  const snapshot: Snapshot = {
    ...{
      format: 'incident-bundle/1',
      window,
      baselines: [],
      entities: [],
      spans: [],
      log_counts: [],
      k8s: [],
    },
    ...{ statements: [], patterns: [], gaps: [] },
    sources: SOURCES.map((id) => ({ id, tool: 'bundle', query: id, outcome: 'answered', records: 1 })),
    alerts: [alert],
    series: all.map((one) => ({
      ...one,
      times: one.times.filter((time) => time < window.to),
      values: one.values.filter((_, index) => (one.times[index] as number) < window.to),
    })),
    edges: lacksEdges ? [] : until(calls.edges(), ({ t0 }) => t0),
    logs: lacksLogs ? [] : until(linesOf(setting, steps), ({ timestamp }) => timestamp),
    changes: until(changes, ({ recorded_at }) => recorded_at),
    events: (fault.trace.events ?? []).map((event) => ({
      source: 'events',
      timestamp: at,
      service: fault.entity,
      ...event,
    })),
    status:
      fault.trace.status === undefined
        ? []
        : [
            {
              ...{ source: 'status', provider: fault.trace.status.provider },
              events: [{ timestamp: at, status: 'major_outage', detail: fault.trace.status.detail }],
            },
          ],
  }
  const told = new Set(fault.trace.lines?.map(({ message }) => message))
  return {
    snapshot,
    truth: { family: name, kind: fault.kind, entity: fault.entity, change: culprit, began_ms },
    undecided:
      culprit === null
        ? {
            ...snapshot,
            status: [],
            events: [],
            logs: snapshot.logs.filter(({ message }) => !told.has(message)),
            ...(fault.demand === undefined ? {} : withoutDemand(snapshot)),
          }
        : {
            ...snapshot,
            changes: snapshot.changes.filter(
              ({ id, carries }) => id !== culprit && !carries?.includes(culprit),
            ),
          },
  }
}
