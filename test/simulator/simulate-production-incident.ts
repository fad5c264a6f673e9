/**
 * One incident of the third generation or later: a system among innocent changes, old complaints, tools that are silent and
 * tools that call one service by different names. Imports nothing of the engine but its input's shape.
 */
import type {
  Alert,
  Edge,
  Entity,
  Gap,
  Snapshot,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import { changesAround, type Times } from './production-changes.ts'
import { hostingOf, type ProductionFamily, type ProductionFault } from './production-fault.ts'
import {
  eventsAround,
  type Happened,
  linesAround,
  onlySamples,
  orchestratorAround,
  type PastStep,
  pastStep,
  type Style,
  seriesAround,
  statusAround,
  type Told,
} from './production-telemetry.ts'
import { type Chance, chance } from './random.ts'
import { type Rollout, runSystem, type Working } from './run-system.ts'
import { type PodSeries, scrapeStep } from './scrape.ts'
import {
  alertOf,
  DAY,
  FAULT_MIN,
  LENGTH_MIN,
  SCRAPE_S,
  type Simulated,
  type SimulatedTruth,
  summedEdges,
  withoutDemand,
} from './simulate-incident.ts'
import { randomTopology } from './topology.ts'

const MINUTE_MS = 60_000
/** Share of scrapes that never arrive. */
const LOST_SCRAPES = 0.015
/** A snapshot ends so long after the first alert at the latest. */
const AFTER_ALERT_MS = 20 * MINUTE_MS
/** How often a tool did not answer: seldom those that most causes cannot be told without. */
const SILENT = { edges: 0.1, logs: 0.08, changes: 0, k8s: 0.25, events: 0.2, status: 0.2 } as const
type Tool = keyof typeof SILENT

/** How tools write the name of a service. */
const DIALECTS: readonly ((part: string) => string)[] = [
  (part) => part,
  (part) => `${part}-service`,
  (part) => `${part}-svc`,
  (part) => `prod/${part}`,
]

function styleOf(fault: ProductionFault, dice: Chance): Style {
  const { nodes, on } = fault.hosting ?? hostingOf(fault.topology, dice)
  const services = new Set(
    fault.topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name),
  )
  const dialect = (): ((part: string) => string) => {
    const write = dice.pick(DIALECTS)
    return (part) => (services.has(part) ? write(part) : part)
  }
  return {
    ...{ isRaw: dice.is(0.25), isByPod: dice.is(0.5), isByVersion: dice.is(0.4), nodes, on },
    unmeasured: dice.is(0.2) ? dice.pick([...services].slice(1)) : null,
    ...{ nameInLogs: dialect(), nameInDeliveries: dialect() },
  }
}

/** What each pod does at an instant: the fault where it got to, and jobs that use up time and harm nobody. */
function workingOf(
  fault: ProductionFault,
  { changed_s, began_s }: Times,
  rollouts: readonly Rollout[],
  dice: Chance,
): (part: string, version: string, pod: number, at_s: number) => Working {
  const jobs = Array.from({ length: dice.whole(1, 4) }, () => {
    const at_s = dice.whole(1_800, began_s + 900)
    return { part: dice.pick(fault.topology.parts).name, at_s, to_s: at_s + dice.whole(300, 1_800) }
  })
  // A service that has leaked for years, a little, and is killed now and then; nobody notices.
  const leaking = dice.pick(fault.topology.parts.filter(({ kind }) => kind === 'service'))
  const leak_mb = dice.is(0.6) ? leaking.memory_mb / dice.between(40, 130) : 0
  const reached = [...fault.shipped, ...fault.renewed]
  return (part, version, pod, at_s) => {
    const isBusy = jobs.some((job) => job.part === part && at_s >= job.at_s && at_s < job.to_s)
    const odd: Working = {
      ...(isBusy ? { cpu_factor: 9 } : {}),
      ...(part === leaking.name && leak_mb > 0
        ? { leak_mb: leak_mb * (1 + 0.2 * pod), memory_limit_mb: leaking.memory_mb * 2 }
        : {}),
    }
    let since_s = at_s - changed_s
    if (reached.length > 0) {
      const reach = reached.find((each) => each.part === part)
      if (reach === undefined) return since_s < 0 ? odd : { ...odd, ...fault.beyond?.(part, pod, since_s) }
      const rollout = rollouts.find((each) => each.part === part && each.version === version)
      // Only what is shipped with the change, or after it, has it; a pod made anew begins anew.
      if (rollout === undefined || rollout.at_s < changed_s + reach.after_s)
        return since_s < 0 ? odd : { ...odd, ...fault.ahead?.(part, pod, since_s) }
      since_s = at_s - rollout.at_s - pod * rollout.every_s
    }
    return since_s < 0 ? odd : { ...odd, ...fault.working(part, pod, since_s, at_s - changed_s) }
  }
}

/** Alerts that people have: what users feel, and now and then one that has been on for long and says nothing. */
function alertsAround(first: Alert, happened: Happened): readonly Alert[] {
  const { dice, fault, start, began_s } = happened
  const { name } = dice.pick(fault.topology.parts.filter(({ kind }) => kind === 'service'))
  const old: Alert = {
    ...{ source: 'alerts', name: 'CPUThrottlingHigh', service: name, severity: 'info', for_s: 900 },
    fired_at: start + (began_s - dice.whole(1_200, 3_000)) * 1_000,
  }
  return dice.is(0.35) ? [first, old] : [first]
}

function entitiesOf(fault: ProductionFault, { nameInLogs, nameInDeliveries, nodes }: Style): Entity[] {
  const parts = fault.topology.parts.map(({ name, kind }): Entity => {
    const aliases = [
      { alias: nameInLogs(name), learnt_from: 'log labels' },
      { alias: nameInDeliveries(name), learnt_from: 'delivery configuration' },
    ].filter(({ alias }) => alias !== name)
    return { name, kind, aliases }
  })
  return [...parts, ...nodes.map((name): Entity => ({ name, kind: 'node', aliases: [] }))]
}

const isWithin =
  ({ from, to }: Window) =>
  (at: number): boolean =>
    at >= from && at < to

/**
 * Simulates an incident of the third generation or later; null where the fault has no place or harms nobody enough.
 * @param seed the same gives the same
 */
export function simulateProductionIncident(
  name: string,
  family: ProductionFamily,
  seed: number,
): Simulated | null {
  const dice = chance(seed)
  const fault = family(randomTopology(dice), dice)
  if (fault === null) return null
  const start = DAY + dice.whole(0, 20) * 60 * MINUTE_MS + dice.whole(0, 59_999)
  const began_s = dice.whole(...FAULT_MIN) * 60
  const end_s = LENGTH_MIN * 60
  const times: Times = { start, began_s, end_s, changed_s: began_s - fault.delay_s }
  const style = styleOf(fault, dice)
  const { changes, rollouts, culprits } = changesAround(fault, times, dice, style.nameInDeliveries)
  const working = workingOf(fault, times, rollouts, dice)
  const { happened, edges } = run(fault, times, style, rollouts, working, dice)
  const { series, levels } = seriesAround(happened)
  const alert = alertOf({ topology: fault.topology, dice }, levels)
  const began_ms = start + began_s * 1_000
  if (alert === null || alert.fired_at < began_ms) return null

  const to = Math.min(start + end_s * 1_000, alert.fired_at + AFTER_ALERT_MS)
  const isDeclared = dice.is(0.5)
  const from = isDeclared ? alert.fired_at - 40 * MINUTE_MS : start
  const seen = isWithin({ from: start, to })
  const silent = new Set((Object.keys(SILENT) as Tool[]).filter((tool) => dice.is(SILENT[tool])))
  const given = <Kind>(tool: Tool, list: readonly Told<Kind>[], at: (one: Kind) => number) =>
    silent.has(tool) ? [] : list.filter(({ record }) => seen(at(record)))
  const logs = given('logs', linesAround(happened), ({ timestamp }) => timestamp)
  const k8s = given('k8s', orchestratorAround(happened), ({ timestamp }) => timestamp)
  const events = given('events', eventsAround(happened), ({ timestamp }) => timestamp)
  const recordsOf = <Kind>(list: readonly Told<Kind>[]): readonly Kind[] => list.map(({ record }) => record)
  const clipped = series.map(({ record, decides }) => ({ decides, record: onlySamples(record, seen) }))
  const snapshot: Snapshot = {
    ...{ format: 'incident-bundle/1', window: { from, to } },
    baselines: isDeclared ? [{ name: 'before', from: start, to: from - 15 * MINUTE_MS }] : [],
    ...askedOf(silent),
    entities: dice.is(0.65) ? entitiesOf(fault, style) : [],
    alerts: alertsAround(alert, happened),
    series: recordsOf(clipped),
    edges: silent.has('edges') ? [] : edges().filter(({ t0 }) => seen(t0)),
    logs: recordsOf(logs).toSorted((a, b) => a.timestamp - b.timestamp),
    // What was merged before the window is in force within it.
    changes: changes.filter(({ recorded_at }) => recorded_at < to),
    k8s: recordsOf(k8s),
    events: recordsOf(events),
    status: silent.has('status') ? [] : statusAround(happened),
    ...{ spans: [], log_counts: [], statements: [], patterns: [] },
  }
  const undeciding = <Kind>(list: readonly Told<Kind>[]) => recordsOf(list.filter(({ decides }) => !decides))
  return {
    snapshot,
    truth: truthOf(name, fault, style, culprits, began_ms),
    undecided: withoutPlaces(fault, style, {
      ...snapshot,
      series: undeciding(clipped),
      logs: undeciding(logs).toSorted((a, b) => a.timestamp - b.timestamp),
      k8s: undeciding(k8s),
      events: undeciding(events),
      changes: snapshot.changes.filter(
        ({ id, carries }) => !culprits.some((culprit) => culprit === id || carries?.includes(culprit)),
      ),
    }),
  }
}

function run(
  fault: ProductionFault,
  { start, began_s, end_s }: Times,
  style: Style,
  rollouts: readonly Rollout[],
  working: (part: string, version: string, pod: number, at_s: number) => Working,
  dice: Chance,
): { happened: Happened; edges: () => Edge[] } {
  // A busy quarter of an hour, every quarter of an hour: jobs of clients that all use round times.
  const round = dice.between(0.05, 0.2)
  const demand = (at_s: number): number =>
    (1 + 0.12 * Math.sin((2 * Math.PI * (start + at_s * 1_000 - DAY)) / 86_400_000)) *
    (at_s % 900 < 60 ? 1 + round : 1) *
    (at_s < began_s ? 1 : (fault.demand?.(at_s - began_s) ?? 1))
  const arriving = (part: string, at_s: number): number =>
    (fault.standing?.(part) ?? 0) + (at_s < began_s ? 0 : (fault.arriving?.(part, at_s - began_s) ?? 0))
  const steps: PastStep[] = []
  const calls = summedEdges(start)
  const pods = new Map<string, PodSeries>()
  const instants: number[] = []
  const scenario = { topology: fault.topology, length_s: end_s, rollouts, demand, working, arriving }
  for (const step of runSystem(scenario, dice)) {
    steps.push(pastStep(step, steps.at(-1)))
    calls.add(step)
    if (step.at_s % SCRAPE_S !== 0) continue
    const at_ms = start + step.at_s * 1_000
    instants.push(at_ms)
    scrapeStep(pods, step, at_ms, () => dice.is(LOST_SCRAPES))
  }
  const happened = { fault, dice, style, start, began_s, rollouts, steps, pods, instants }
  return { happened, edges: calls.edges }
}

function askedOf(silent: ReadonlySet<Tool>): Pick<Snapshot, 'sources' | 'gaps'> {
  const tools = ['metrics', 'alerts', ...(Object.keys(SILENT) as Tool[])] as const
  return {
    sources: tools.map((id) => ({
      ...{ id, tool: 'bundle', query: id },
      ...(silent.has(id as Tool)
        ? { outcome: 'timed_out' as const, records: 0 }
        : { outcome: 'answered' as const, records: 1 }),
    })),
    gaps: [...silent].map((what): Gap => ({ what, why: 'It did not answer in time.', source: what })),
  }
}

function truthOf(
  family: string,
  fault: ProductionFault,
  style: Style,
  culprits: readonly string[],
  began_ms: number,
): SimulatedTruth {
  const { kind, entity, places, kinds, tipping } = fault
  const named = [entity, ...places].flatMap((place) => [
    place,
    style.nameInLogs(place),
    style.nameInDeliveries(place),
  ])
  return {
    ...{ family, kind, entity, began_ms, change: culprits[tipping] ?? null },
    also: { entities: [...new Set(named)], kinds: [kind, ...kinds], changes: culprits },
  }
}

/** Of demand, what counts requests decides; of a machine, what says where pods run. */
function withoutPlaces(fault: ProductionFault, { nodes }: Style, snapshot: Snapshot): Snapshot {
  if (fault.isDemand === true) {
    const series = snapshot.series.filter(({ type }) => type !== 'counter' && type !== 'histogram')
    return { ...snapshot, ...withoutDemand({ ...snapshot, series }) }
  }
  if (fault.kind !== 'node' && fault.isHosting !== true) return snapshot
  const isNode = new Set(nodes)
  return {
    ...snapshot,
    entities: snapshot.entities.filter(({ name }) => !isNode.has(name)),
    series: snapshot.series
      .filter(({ entity }) => !isNode.has(entity))
      .map(({ labels: { node: _node, ...labels }, ...one }) => ({ ...one, labels })),
    logs: snapshot.logs.map(({ node: _node, ...line }) => line),
  }
}
