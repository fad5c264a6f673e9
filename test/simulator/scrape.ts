/**
 * What a metrics system makes of pods: counters are scraped now and then, with resets when a pod begins anew; rates,
 * shares and quantiles are computed from the scraped values alone, by Prometheus' rules.
 */
import { BUCKETS_MS, type Step } from './run-system.ts'

/** One scraped value of one pod. */
export interface Scraped {
  readonly at_ms: number
  readonly requests: number
  readonly failed: number
  readonly buckets: readonly number[]
  readonly cpu: number
  readonly memory_mb: number
  readonly restarts: number
}

/** Everything that was scraped of one pod. */
export interface PodSeries {
  readonly part: string
  readonly pod: string
  readonly version: string
  readonly samples: Scraped[]
}

/** Takes the pods of a step into what was scraped; `isLost` says which scrapes never arrived. */
export function scrapeStep(
  into: Map<string, PodSeries>,
  { pods }: Step,
  at_ms: number,
  isLost: () => boolean,
): void {
  for (const [part, list] of pods)
    for (const pod of list) {
      if (pod.is_away === true || isLost()) continue
      const known = into.get(pod.name) ?? { part, pod: pod.name, version: pod.version, samples: [] }
      into.set(pod.name, known)
      const { requests, failed, buckets } = pod.counters
      known.samples.push({
        ...{ at_ms, requests, failed, buckets, cpu: pod.cpu, memory_mb: pod.memory_mb },
        restarts: pod.restarts,
      })
    }
}

/** What a counter grew by between two scrapes: after a reset it counts from zero. */
export const increase = (earlier: number, now: number): number => (now >= earlier ? now - earlier : now)

/** Quantile of a histogram by linear interpolation within its bucket; the last bucket gives its lower end. */
export function histogramQuantile(share: number, counts: readonly number[]): number {
  const total = counts.at(-1) ?? 0
  if (total <= 0) return Number.NaN
  const wanted = share * total
  const index = counts.findIndex((count) => count >= wanted)
  const low = index <= 0 ? 0 : (BUCKETS_MS[index - 1] as number)
  const high = BUCKETS_MS[index] as number
  if (high === Number.POSITIVE_INFINITY) return low
  const below = index <= 0 ? 0 : (counts[index - 1] as number)
  const inside = (counts[index] as number) - below
  return inside <= 0 ? high : low + ((high - low) * (wanted - below)) / inside
}

export interface Level {
  readonly at_ms: number
  readonly requests_per_s: number
  readonly errors_ratio: number
  readonly p95_ms: number
  readonly cpu_ratio: number
  readonly memory_mb: number
  readonly restarts: number
}

/** Levels over several pods, one for each scrape instant; an instant without any scrape has none. */
export function levelsOf(pods: readonly PodSeries[], instants: readonly number[]): readonly Level[] {
  const cursors = pods.map(() => 0)
  return instants.flatMap((at_ms): Level[] => {
    let requests = 0
    let failed = 0
    let seconds = 0
    let measured = 0
    const sums = { cpu: 0, memory: 0, restarts: 0 }
    const buckets = BUCKETS_MS.map(() => 0)
    pods.forEach(({ samples }, pod) => {
      while ((samples[(cursors[pod] as number) + 1]?.at_ms ?? Number.POSITIVE_INFINITY) <= at_ms)
        cursors[pod] = (cursors[pod] as number) + 1
      const now = samples[cursors[pod] as number]
      if (now === undefined || now.at_ms !== at_ms) return
      measured += 1
      sums.cpu += now.cpu
      sums.memory += now.memory_mb
      sums.restarts += now.restarts
      const earlier = samples[(cursors[pod] as number) - 1]
      if (earlier === undefined) return
      seconds = Math.max(seconds, (at_ms - earlier.at_ms) / 1_000)
      requests += increase(earlier.requests, now.requests)
      failed += increase(earlier.failed, now.failed)
      const isReset = now.requests < earlier.requests
      now.buckets.forEach((count, index) => {
        buckets[index] =
          (buckets[index] as number) + (isReset ? count : count - (earlier.buckets[index] ?? 0))
      })
    })
    if (measured === 0 || seconds === 0) return []
    return [
      {
        at_ms,
        requests_per_s: requests / seconds,
        errors_ratio: requests === 0 ? Number.NaN : failed / requests,
        p95_ms: histogramQuantile(0.95, buckets),
        cpu_ratio: sums.cpu / measured,
        memory_mb: sums.memory / measured,
        restarts: sums.restarts,
      },
    ]
  })
}
