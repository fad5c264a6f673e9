/**
 * A system of services in steps of five seconds: requests arrive, wait for workers, call on, time out, are tried again.
 * Faults change how parts work, never what is measured of them: telemetry is scraped from what happens here.
 */
import type { Chance } from './random.ts'
import type { Part, Topology } from './topology.ts'

export const STEP_S = 5
/** Upper ends of the buckets of the duration histogram, milliseconds. */
export const BUCKETS_MS = [
  5,
  10,
  25,
  50,
  100,
  250,
  500,
  1_000,
  2_500,
  5_000,
  Number.POSITIVE_INFINITY,
] as const
/** Spread of durations around their level, as the standard deviation of their logarithm. */
const SPREAD = 0.5
/** Requests that one worker may have waiting before more are refused. */
const WAITING_PER_WORKER = 20

/** How many times as often a callee is called for one request. */
export interface FanOut {
  readonly to: string
  readonly factor: number
}

/** How a part works at an instant, for one version; what is not named is as it was. */
export interface Working {
  readonly own_factor?: number
  readonly own_errors?: number
  readonly workers?: number
  readonly timeout_ms?: number
  readonly retries?: number
  readonly cache_hits?: number
  readonly cpu_factor?: number
  /** Megabytes a minute that are never given back. */
  readonly leak_mb?: number
  /** Beyond this memory a pod is killed and begins anew. */
  readonly memory_limit_mb?: number
  /** Factor on the calls of one request to a callee. */
  readonly fan_out?: FanOut | readonly FanOut[]
  /** Share of the calls to a callee that fail at once, before they get there. */
  readonly cut_off?: { readonly to: string | readonly string[]; readonly share: number }
  /** Share of the calls to a callee that get there and are answered with an error at once. */
  readonly refused?: { readonly to: string; readonly share: number }
  /** True while the pod is not there; one that comes back is made anew. */
  readonly is_away?: boolean
  /** What the pod is sent, as a multiple of what the others are sent that say nothing of it; 0 where nobody knows of it. */
  readonly weight?: number
  /** Milliseconds that calls to some callees take longer on their way, while the callees are as they were. */
  readonly on_way?: { readonly to: readonly string[]; readonly ms: number }
}

/** A version that replaces another, one pod after the other. */
export interface Rollout {
  readonly part: string
  readonly version: string
  readonly at_s: number
  /** Seconds between two pods. */
  readonly every_s: number
  /** Share of the pods that get it; below 1 a canary that is kept. */
  readonly share: number
}

export interface Scenario {
  readonly topology: Topology
  readonly length_s: number
  readonly rollouts: readonly Rollout[]
  /** Factor on what comes from outside. */
  demand(at_s: number): number
  working(part: string, version: string, pod: number, at_s: number): Working
  /** Requests a second that a part gets from outside, beside those of its callers. */
  arriving?(part: string, at_s: number): number
}

/** What one pod has counted since it started. */
export interface Counters {
  requests: number
  failed: number
  readonly buckets: number[]
  duration_ms: number
}

export interface Pod {
  readonly name: string
  readonly version: string
  readonly counters: Counters
  readonly cpu: number
  readonly memory_mb: number
  readonly restarts: number
  /** True where it is not there: nothing is measured of it, and it says nothing. */
  readonly is_away?: boolean
}

/** The calls of one edge within a step. */
export interface EdgeStep {
  readonly caller: string
  readonly callee: string
  readonly calls: number
  readonly failed: number
  readonly latency_ms: number
}

export interface Step {
  readonly at_s: number
  readonly pods: ReadonlyMap<string, readonly Pod[]>
  readonly edges: readonly EdgeStep[]
  /** Failed requests of each part by what failed them. */
  readonly failures: ReadonlyMap<
    string,
    { readonly own: number; readonly callee: Map<string, number>; readonly waited: number }
  >
}

interface PodState {
  name: string
  version: string
  waiting: number
  counters: Counters
  memory: number
  cpu: number
  restarts: number
  is_away: boolean
}

const fresh = (): Counters => ({ requests: 0, failed: 0, buckets: BUCKETS_MS.map(() => 0), duration_ms: 0 })

/** Share of durations at most `limit` where they are log-normal around a level (logistic approximation of the normal). */
export const shareBelow = (limit: number, level: number): number =>
  limit === Number.POSITIVE_INFINITY ? 1 : 1 / (1 + Math.exp((-1.702 * Math.log(limit / level)) / SPREAD))

const factorFor = (to: string, some: Working['fan_out']): number | undefined =>
  some === undefined ? undefined : [some].flat().find((one) => one.to === to)?.factor

const isAmong = (to: string, some: string | readonly string[] | undefined): boolean =>
  typeof some === 'string' ? some === to : some?.includes(to) === true

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** How many pods of a part run a rollout's version at an instant. */
export const rolledOut = ({ at_s, every_s, share }: Rollout, pods: number, now_s: number): number =>
  now_s < at_s ? 0 : Math.min(Math.ceil(pods * share), 1 + Math.floor((now_s - at_s) / every_s))

/** Runs a scenario; every step is given once, its pods with their counters as they stand. */
export function* runSystem(scenario: Scenario, chance: Chance): Generator<Step> {
  const { parts } = scenario.topology
  const states = new Map<string, PodState[]>()
  let made = 0
  const newPod = (part: Part, version: string): PodState => ({
    name: `${part.name}-${(made++).toString(36).padStart(3, '0')}`,
    ...{ version, waiting: 0, counters: fresh(), memory: part.memory_mb, cpu: 0, restarts: 0 },
    is_away: false,
  })
  for (const part of parts)
    states.set(
      part.name,
      Array.from({ length: part.pods }, () => ({
        ...newPod(part, 'v1'),
        memory: part.aged_mb ?? part.memory_mb,
      })),
    )
  const seen = new Map<string, { latency: number; errors: number }>(
    parts.map((part) => [part.name, { latency: part.own_ms, errors: 0 }]),
  )
  for (let at_s = 0; at_s < scenario.length_s; at_s += STEP_S) {
    for (const rollout of scenario.rollouts) replacePods(rollout, at_s)
    const arrivals = new Map<string, number>()
    const [root] = parts
    if (root === undefined) return
    const noise = 1 + 0.04 * chance.normal()
    arrivals.set(root.name, Math.max(0, scenario.topology.demand * scenario.demand(at_s) * noise))
    const edges: EdgeStep[] = []
    const failures: Map<string, { own: number; callee: Map<string, number>; waited: number }> = new Map()
    const now = new Map<string, { latency: number; errors: number }>()
    // Callers first, with what their callees did a step ago: news of a slow callee takes time to arrive.
    for (const part of parts) {
      const pods = states.get(part.name) ?? []
      const beside = scenario.arriving?.(part.name, at_s) ?? 0
      if (beside > 0) arrivals.set(part.name, (arrivals.get(part.name) ?? 0) + beside)
      const hows = pods.map((pod, index) => scenario.working(part.name, pod.version, index, at_s))
      const present = hows.filter(({ is_away }) => is_away !== true)
      const here = present.length
      const weights = present.reduce((sum, { weight = 1 }) => sum + weight, 0)
      const usual = (arrivals.get(part.name) ?? 0) / Math.max(1, weights)
      const sums = { latency: 0, failed: 0, all: 0 }
      const failure = { own: 0, callee: new Map<string, number>(), waited: 0 }
      pods.forEach((before, index) => {
        const how = hows[index] ?? {}
        if (how.is_away === true) {
          before.is_away = true
          return
        }
        const pod = before.is_away ? newPod(part, before.version) : before
        pods[index] = pod
        const each = usual * (how.weight ?? 1)
        const own = part.own_ms * (how.own_factor ?? 1) * (1 + 0.05 * chance.normal())
        const ownErrors = clamp((how.own_errors ?? 0) + 0.0008)
        const timeout = how.timeout_ms ?? part.timeout_ms
        const retries = how.retries ?? part.retries
        const passed = (1 - ownErrors) * (1 - (how.cache_hits ?? part.cache_hits))
        let below = 0
        let ok = 1
        for (const { to, per_request: as_ever } of part.calls) {
          const known = seen.get(to) ?? { latency: 0, errors: 0 }
          const way_ms = isAmong(to, how.on_way?.to) ? (how.on_way?.ms ?? 0) : 0
          const callee = { latency: known.latency + way_ms, errors: known.errors }
          const factor = factorFor(to, how.fan_out)
          const per_request = factor === undefined ? as_ever : as_ever * factor
          const cut = isAmong(to, how.cut_off?.to) ? (how.cut_off?.share ?? 0) : 0
          const refusing = how.refused?.to === to ? how.refused.share : 0
          const lost = refusing === 0 ? cut : 1 - (1 - cut) * (1 - refusing)
          const failed = lost === 0 ? callee.errors : 1 - (1 - callee.errors) * (1 - lost)
          const tries = 1 + failed * retries
          const late = clamp((callee.latency - timeout * 0.7) / timeout)
          const failing = clamp(failed ** (1 + retries) + late)
          below += passed * per_request * tries * (1 - cut) * Math.min(callee.latency, timeout)
          ok *= 1 - clamp(per_request * failing) * passed
          const calls = each * passed * per_request * tries
          arrivals.set(to, (arrivals.get(to) ?? 0) + calls * (1 - cut))
          edges.push({
            caller: part.name,
            callee: to,
            calls: calls * STEP_S,
            failed: calls * STEP_S * clamp(failed + late),
            latency_ms: Math.min(callee.latency, timeout),
          })
          if (failing > 0)
            failure.callee.set(
              to,
              (failure.callee.get(to) ?? 0) + each * STEP_S * clamp(per_request * failing) * passed,
            )
        }
        const hold = Math.max(0.5, own + below)
        const workers = how.workers ?? part.workers
        const capacity = (workers * 1_000) / hold
        const room = workers * WAITING_PER_WORKER
        const wanted = pod.waiting + (each - capacity) * STEP_S
        const refused = clamp((wanted - room) / Math.max(1, each * STEP_S))
        pod.waiting = Math.min(room, Math.max(0, wanted))
        const load = clamp(each / capacity)
        const wait = (pod.waiting / capacity) * 1_000 + (0.1 * hold * load ** 4) / (1.02 - load)
        const latency = (wait + hold) * (1 + 0.03 * chance.normal())
        const late = clamp((wait - timeout * 0.8) / timeout)
        const errors = 1 - (1 - ownErrors) * ok * (1 - refused) * (1 - late)
        const served = each * (1 - refused)
        const requests = Math.round(each * STEP_S + chance.next() - 0.5)
        const failed = Math.min(requests, Math.round(requests * errors + chance.next() - 0.5))
        count(pod.counters, requests, Math.max(0, failed), latency)
        pod.cpu = clamp((served * part.cpu_ms * (how.cpu_factor ?? 1)) / 1_000 + 0.02 * chance.next())
        pod.memory += ((how.leak_mb ?? 0) * STEP_S) / 60
        if (how.memory_limit_mb !== undefined && pod.memory > how.memory_limit_mb) {
          pod.memory = part.memory_mb
          pod.restarts += 1
          pod.counters = fresh()
          pod.waiting = 0
        }
        failure.own += each * STEP_S * (how.own_errors ?? 0)
        failure.waited += each * STEP_S * (1 - (1 - refused) * (1 - late))
        sums.latency += latency * each
        sums.failed += errors * each
        sums.all += each
      })
      failures.set(part.name, failure)
      now.set(part.name, {
        latency: sums.all === 0 ? part.own_ms : sums.latency / sums.all,
        // Where nobody is left, nobody answers.
        errors: sums.all === 0 ? (here === 0 ? 1 : 0) : sums.failed / sums.all,
      })
    }
    for (const [name, one] of now) seen.set(name, one)
    yield { at_s: at_s + STEP_S, pods: podsNow(), edges, failures }
  }

  function replacePods(rollout: Rollout, at_s: number): void {
    const part = parts.find(({ name }) => name === rollout.part)
    const pods = states.get(rollout.part)
    if (part === undefined || pods === undefined) return
    const wanted = rolledOut(rollout, pods.length, at_s)
    for (let index = 0; index < wanted; index += 1)
      if (pods[index]?.version !== rollout.version && !isLaterThan(pods[index]?.version, rollout))
        pods[index] = newPod(part, rollout.version)
  }

  /** Whether a pod already runs what a later rollout brought. */
  function isLaterThan(version: string | undefined, { part, at_s }: Rollout): boolean {
    const own = scenario.rollouts.find((each) => each.part === part && each.version === version)
    return own !== undefined && own.at_s > at_s
  }

  function podsNow(): ReadonlyMap<string, readonly Pod[]> {
    const now = new Map<string, readonly Pod[]>()
    // Written out without spreads: it is done for every pod of every step.
    for (const [name, pods] of states)
      now.set(
        name,
        pods.map(({ name, version, cpu, memory: memory_mb, restarts, is_away, counters }): Pod => {
          const { requests, failed, buckets, duration_ms } = counters
          const counted = { requests, failed, buckets: buckets.slice(), duration_ms }
          return is_away
            ? { name, version, cpu, memory_mb, restarts, is_away, counters: counted }
            : { name, version, cpu, memory_mb, restarts, counters: counted }
        }),
      )
    return now
  }
}

function count(counters: Counters, requests: number, failed: number, latency: number): void {
  counters.requests += requests
  counters.failed += failed
  counters.duration_ms += requests * latency
  for (let index = 0; index < BUCKETS_MS.length; index += 1)
    counters.buckets[index] =
      (counters.buckets[index] as number) + requests * shareBelow(BUCKETS_MS[index] as number, latency)
}
