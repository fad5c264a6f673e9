import type { Chance } from './random.ts'

export interface Call {
  readonly to: string
  readonly per_request: number
}

/** One service as it is when nothing is wrong. */
export interface Part {
  readonly name: string
  readonly kind: 'service' | 'datastore' | 'external'
  readonly pods: number
  readonly workers: number
  /** Milliseconds of its own work for one request. */
  readonly own_ms: number
  readonly cpu_ms: number
  readonly memory_mb: number
  /** Megabytes that its pods hold at the start, where they have run for long. */
  readonly aged_mb?: number
  readonly timeout_ms: number
  readonly retries: number
  /** Share of requests answered without calling on. */
  readonly cache_hits: number
  readonly calls: readonly Call[]
}

/** Callers stand before what they call; the first one takes what comes from outside. */
export interface Topology {
  readonly parts: readonly Part[]
  /** Requests a second from outside. */
  readonly demand: number
}

const FIRST = [
  'ban',
  'cor',
  'del',
  'fen',
  'gal',
  'hol',
  'jun',
  'kep',
  'lor',
  'mar',
  'nor',
  'pel',
  'quen',
  'ros',
]
const LAST = ['ada', 'dit', 'ell', 'ick', 'ory', 'umen', 'ova', 'ith', 'ander', 'esta', 'ilo', 'urn']

/** Layers of services, then datastores, now and then an external provider. */
export function randomTopology(chance: Chance): Topology {
  const used = new Set<string>()
  const name = (suffix = ''): string => {
    for (;;) {
      const made = `${chance.pick(FIRST)}${chance.pick(LAST)}${suffix}`
      if (used.has(made)) continue
      used.add(made)
      return made
    }
  }
  const widths = [1, chance.whole(2, 3), chance.whole(2, 3)]
  const layers = widths.map((width) => Array.from({ length: width }, () => name()))
  const stores = Array.from({ length: chance.whole(1, 2) }, () => name('-db'))
  const external = chance.is(0.6) ? [name('-api')] : []
  const parts: Part[] = []
  layers.forEach((layer, depth) => {
    const below = layers[depth + 1] ?? [...stores, ...external]
    layer.forEach((one, index) => {
      // Everything below is called by somebody.
      const called = below.filter((_, at) => at % layer.length === index || chance.is(0.35))
      const store = depth === 1 && chance.is(0.4) ? [chance.pick(stores)] : []
      const targets = [...new Set([...called, ...store])]
      parts.push({
        name: one,
        kind: 'service',
        pods: chance.whole(2, 4),
        workers: chance.whole(24, 48),
        own_ms: chance.between(4, 25),
        cpu_ms: chance.between(4, 12),
        memory_mb: chance.between(200, 600),
        timeout_ms: chance.pick([1_000, 2_000, 3_000]),
        retries: chance.pick([0, 0, 1]),
        cache_hits: 0,
        calls: targets.map((to) => ({ to, per_request: chance.between(0.5, 1) })),
      })
    })
  })
  for (const store of stores)
    parts.push({
      ...{ name: store, kind: 'datastore', pods: 1, workers: 80, own_ms: chance.between(2, 6), cpu_ms: 1.5 },
      ...{ memory_mb: 2_000, timeout_ms: 5_000, retries: 0, cache_hits: 0, calls: [] },
    })
  for (const one of external)
    parts.push({
      ...{ name: one, kind: 'external', pods: 1, workers: 400, own_ms: chance.between(30, 90), cpu_ms: 0 },
      ...{ memory_mb: 0, timeout_ms: 5_000, retries: 0, cache_hits: 0, calls: [] },
    })
  return { parts, demand: chance.between(40, 90) }
}
