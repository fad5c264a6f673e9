import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EARLY_FAMILIES } from './faults.ts'
import { LATE_FAMILIES } from './late-faults.ts'
import { chance } from './random.ts'
import {
  BUCKETS_MS,
  type Rollout,
  rolledOut,
  runSystem,
  type Scenario,
  STEP_S,
  type Step,
  shareBelow,
  type Working,
} from './run-system.ts'
import { histogramQuantile, increase, levelsOf, type PodSeries, scrapeStep } from './scrape.ts'
import { simulateIncident } from './simulate-incident.ts'
import { type Part, randomTopology, type Topology } from './topology.ts'

const part = (name: string, more: Partial<Part> = {}): Part => ({
  ...{ name, kind: 'service', pods: 3, workers: 16, own_ms: 10, cpu_ms: 5, memory_mb: 300 },
  ...{ timeout_ms: 1_000, retries: 0, cache_hits: 0, calls: [] },
  ...more,
})
const PAIR: Topology = {
  parts: [part('front', { calls: [{ to: 'back', per_request: 1 }] }), part('back')],
  demand: 60,
}

function run(
  more: Partial<Scenario> = {},
  working: (part: string, at_s: number) => Working = () => ({}),
): Step[] {
  const scenario: Scenario = {
    ...{ topology: PAIR, length_s: 600, rollouts: [], demand: () => 1 },
    working: (name, _version, _pod, at_s) => working(name, at_s),
    ...more,
  }
  return [...runSystem(scenario, chance(7))]
}

const callsTo = (steps: readonly Step[], callee: string): number =>
  steps.reduce(
    (sum, { edges }) => sum + edges.reduce((all, edge) => all + (edge.callee === callee ? edge.calls : 0), 0),
    0,
  )

describe('the simulator', () => {
  it('imports nothing from the engine but the shape of its input', () => {
    for (const file of readdirSync(import.meta.dirname)) {
      if (file.endsWith('.test.ts')) continue
      const text = readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
      for (const [statement] of text.matchAll(/^import[\s\S]*?from '#[^']+'/gm))
        expect(statement).toMatch(/^import type [\s\S]*snapshot\.ts'$/)
    }
  })

  it('counts upwards in every pod, its buckets cumulative and the last of them every request', () => {
    const last = new Map<string, number>()
    for (const { pods } of run())
      for (const list of pods.values())
        for (const { name, counters } of list) {
          expect(counters.requests).toBeGreaterThanOrEqual(last.get(name) ?? 0)
          last.set(name, counters.requests)
          expect(counters.failed).toBeLessThanOrEqual(counters.requests)
          expect(counters.buckets.at(-1)).toBe(counters.requests)
          expect([...counters.buckets].sort((a, b) => a - b)).toEqual(counters.buckets)
        }
    expect(last.size).toBe(6)
  })

  it('replaces one pod after the other in a rollout, each of which counts from zero; a canary stays one', () => {
    const rollout: Rollout = { part: 'back', version: 'v2', at_s: 100, every_s: 60, share: 1 }
    expect([99, 100, 159, 160, 220, 900].map((at) => rolledOut(rollout, 3, at))).toEqual([0, 1, 1, 2, 3, 3])
    expect(rolledOut({ ...rollout, share: 0.3 }, 3, 900)).toBe(1)
    const steps = run({ rollouts: [rollout] })
    const versions = steps.map(
      ({ pods }) => (pods.get('back') ?? []).filter(({ version }) => version === 'v2').length,
    )
    expect([...versions].sort((a, b) => a - b)).toEqual(versions)
    expect(versions.at(-1)).toBe(3)
    const fresh = steps[100 / STEP_S]?.pods.get('back')?.find(({ version }) => version === 'v2')
    expect(fresh?.counters.requests).toBeLessThan(200)
  })

  it('waits where the workers do not suffice, times out, and calls less of what lies below a failure', () => {
    const calm = run()
    const short = run({}, (name) => (name === 'back' ? { workers: 1, own_factor: 12 } : {}))
    const failed = (steps: readonly Step[]) =>
      steps
        .at(-1)
        ?.pods.get('front')
        ?.reduce((sum, { counters }) => sum + counters.failed, 0) ?? 0
    expect(failed(short)).toBeGreaterThan(10 * failed(calm) + 100)
    const throwing = run({}, (name) => (name === 'front' ? { own_errors: 0.5 } : {}))
    expect(callsTo(throwing, 'back')).toBeLessThan(0.6 * callsTo(calm, 'back'))
  })

  it('asks more of a callee that fails when callers try again', () => {
    const broken = (retries: number) =>
      callsTo(
        run({}, (name) => (name === 'back' ? { own_errors: 0.5 } : { retries })),
        'back',
      )
    expect(broken(2)).toBeGreaterThan(1.8 * broken(0))
  })

  it('kills a pod that leaks beyond its limit, which shows as a restart and a counter that begins anew', () => {
    const steps = run({}, (name) => (name === 'back' ? { leak_mb: 60, memory_limit_mb: 400 } : {}))
    const pods = steps.at(-1)?.pods.get('back') ?? []
    expect(pods.every(({ restarts }) => restarts > 0)).toBe(true)
    expect(pods.every(({ memory_mb }) => memory_mb <= 405)).toBe(true)
  })

  it('does the same for the same seed and something else for another', () => {
    const family = EARLY_FAMILIES['missing-check']
    if (family === undefined) throw new Error('there is no such family')
    const made = (seed: number) => JSON.stringify(simulateIncident('x', family, seed))
    expect(made(3)).toBe(made(3))
    expect(made(3)).not.toBe(made(4))
  })
})

describe('what is scraped', () => {
  it('grows by what was counted, from zero after a reset', () => {
    expect(increase(10, 14)).toBe(4)
    expect(increase(10, 3)).toBe(3)
  })

  it('has quantiles as linear interpolation within a bucket gives them, never beyond the last bound', () => {
    const counts = BUCKETS_MS.map((limit) => (limit >= 100 ? 100 : limit >= 50 ? 50 : 0))
    expect(histogramQuantile(0.5, counts)).toBe(50)
    expect(histogramQuantile(0.75, counts)).toBe(75)
    expect(
      histogramQuantile(
        0.5,
        BUCKETS_MS.map((_, index) => (index === BUCKETS_MS.length - 1 ? 9 : 0)),
      ),
    ).toBe(5_000)
    expect(
      histogramQuantile(
        0.5,
        BUCKETS_MS.map(() => 0),
      ),
    ).toBeNaN()
    expect(shareBelow(100, 100)).toBeCloseTo(0.5)
    expect(shareBelow(Number.POSITIVE_INFINITY, 100)).toBe(1)
  })

  it('gives the rate of the system whatever the scrapes that are lost, and no level where all are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (seed) => {
        const dice = chance(seed)
        const pods = new Map<string, PodSeries>()
        const instants: number[] = []
        for (const step of run()) {
          if (step.at_s % 30 !== 0) continue
          instants.push(step.at_s * 1_000)
          const all = step.at_s === 300
          scrapeStep(pods, step, step.at_s * 1_000, () => all || dice.is(0.02))
        }
        const levels = levelsOf(
          [...pods.values()].filter((each) => each.part === 'front'),
          instants,
        )
        expect(levels.some(({ at_ms }) => at_ms === 300_000)).toBe(false)
        const rates = levels.map(({ requests_per_s }) => requests_per_s).sort((a, b) => a - b)
        // Where a scrape is lost, the pod's share of a third is missing from that level.
        expect(rates[Math.floor(rates.length / 2)]).toBeGreaterThan(38)
        expect(rates.at(-1)).toBeGreaterThan(50)
        expect(rates[Math.floor(rates.length / 2)]).toBeLessThan(70)
      }),
      { numRuns: 5 },
    )
  })
})

describe('simulated incidents', () => {
  it.each(Object.entries({ ...EARLY_FAMILIES, ...LATE_FAMILIES }))(
    'of %s harm users, and their records hold what is true of them',
    (name, family) => {
      let found = 0
      for (let seed = 1; seed <= 30 && found < 2; seed += 1) {
        const made = simulateIncident(name, family, seed)
        if (made === null) continue
        found += 1
        const { snapshot, truth, undecided } = made
        expect(snapshot.alerts[0]?.fired_at).toBeGreaterThan(truth.began_ms)
        expect(snapshot.series.every(({ times, values }) => times.length === values.length)).toBe(true)
        expect(snapshot.changes.some(({ id }) => id === truth.change)).toBe(truth.change !== null)
        expect(undecided.changes.some(({ id }) => id === truth.change)).toBe(false)
      }
      expect(found).toBe(2)
    },
  )

  it('call only what there is, and every service is called or takes what comes from outside', () => {
    for (let seed = 1; seed < 40; seed += 1) {
      const { parts } = randomTopology(chance(seed))
      const names = parts.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      const called = new Set(parts.flatMap(({ calls }) => calls.map(({ to }) => to)))
      for (const to of called) expect(names).toContain(to)
      for (const { name, kind } of parts.slice(1)) if (kind === 'service') expect(called).toContain(name)
    }
  })
})
