import { describe, expect, it } from 'vitest'
import {
  around,
  describeDelays,
  describeGeneration,
  describeScored,
  generationOf,
  MINUTE_MS,
  perMinute,
  sum,
} from '#test/bench/generation-guarantees.ts'
import { arrivalsOf, holdOf, hostingOf, sized } from './production-fault.ts'
import { chance } from './random.ts'
import { runSystem, type Scenario, STEP_S, type Step, type Working } from './run-system.ts'
import { type PodSeries, scrapeStep } from './scrape.ts'
import { THIRD_CHANGED } from './third-changed-faults.ts'
import { THIRD_UNCHANGED } from './third-unchanged-faults.ts'
import { type Part, randomTopology, type Topology } from './topology.ts'
import { isTheChange, isThePlace } from './truth.ts'

const THIRD = generationOf(THIRD_CHANGED, THIRD_UNCHANGED, 1)
const { incidentsOf, withEdges } = THIRD

const part = (name: string, more: Partial<Part> = {}): Part => ({
  ...{ name, kind: 'service', pods: 2, workers: 16, own_ms: 10, cpu_ms: 5, memory_mb: 300 },
  ...{ timeout_ms: 1_000, retries: 0, cache_hits: 0, calls: [] },
  ...more,
})
const FORK: Topology = {
  parts: [
    part('front', {
      calls: [
        { to: 'left', per_request: 1 },
        { to: 'right', per_request: 1 },
      ],
    }),
    part('left'),
    part('right'),
  ],
  demand: 60,
}

function run(how: Working): readonly Step[] {
  const scenario: Scenario = {
    ...{ topology: FORK, length_s: 300, rollouts: [], demand: () => 1 },
    working: (name) => (name === 'front' ? how : {}),
  }
  return [...runSystem(scenario, chance(7))]
}

const edgesTo = (steps: readonly Step[], callee: string) =>
  steps.flatMap(({ edges }) => edges.filter((edge) => edge.callee === callee))
const callsTo = (steps: readonly Step[], callee: string): number =>
  edgesTo(steps, callee).reduce((all, { calls }) => all + calls, 0)
const requestsOf = (steps: readonly Step[], name: string): number =>
  steps
    .at(-1)
    ?.pods.get(name)
    ?.reduce((all, { counters }) => all + counters.requests, 0) ?? 0

describe('a system in production', () => {
  it('asks a callee as many times more as it fans out, and the others as before', () => {
    const more = run({ fan_out: { to: 'left', factor: 3 } })
    const usual = run({})
    expect(callsTo(more, 'left') / callsTo(usual, 'left')).toBeCloseTo(3, 1)
    expect(callsTo(more, 'right') / callsTo(usual, 'right')).toBeCloseTo(1, 1)
  })

  it('fails calls that are cut off before they reach the callee, which sees none of them and is well', () => {
    const cut = run({ cut_off: { to: 'left', share: 0.5 } })
    const failed = edgesTo(cut, 'left').reduce((all, edge) => all + edge.failed, 0)
    expect(failed / callsTo(cut, 'left')).toBeCloseTo(0.5, 1)
    expect(requestsOf(cut, 'left') / requestsOf(run({}), 'left')).toBeCloseTo(0.5, 1)
    const own = cut
      .at(-1)
      ?.pods.get('left')
      ?.reduce((all, { counters }) => all + counters.failed, 0)
    expect((own ?? 0) / requestsOf(cut, 'left')).toBeLessThan(0.01)
  })

  it('cuts off several callees alike where it is told several', () => {
    const cut = run({ cut_off: { to: ['left', 'right'], share: 0.4 } })
    for (const callee of ['left', 'right']) {
      const failed = edgesTo(cut, callee).reduce((all, edge) => all + edge.failed, 0)
      expect(failed / callsTo(cut, callee)).toBeCloseTo(0.4, 1)
    }
  })

  it('takes longer to call some callees than they take to answer, and the others as before', () => {
    const latencyOf = (steps: readonly Step[], callee: string): number => {
      const edges = edgesTo(steps, callee)
      return edges.reduce((all, { latency_ms }) => all + latency_ms, 0) / edges.length
    }
    const far = run({ on_way: { to: ['left'], ms: 200 } })
    const usual = run({})
    expect(latencyOf(far, 'left') - latencyOf(usual, 'left')).toBeCloseTo(200, -1)
    expect(latencyOf(far, 'right') / latencyOf(usual, 'right')).toBeCloseTo(1, 1)
  })

  it('asks several callees more or less where it is told of several', () => {
    const fan_out = [
      { to: 'left', factor: 2 },
      { to: 'right', factor: 0.5 },
    ]
    const [more, usual] = [run({ fan_out }), run({})]
    expect(callsTo(more, 'left') / callsTo(usual, 'left')).toBeCloseTo(2, 1)
    expect(callsTo(more, 'right') / callsTo(usual, 'right')).toBeCloseTo(0.5, 1)
  })

  it('fails calls that are refused when they get to the callee, which sees all of them', () => {
    const refused = run({ refused: { to: 'left', share: 0.5 } })
    const failed = edgesTo(refused, 'left').reduce((all, edge) => all + edge.failed, 0)
    expect(failed / callsTo(refused, 'left')).toBeCloseTo(0.5, 1)
    expect(requestsOf(refused, 'left') / requestsOf(run({}), 'left')).toBeCloseTo(1, 1)
  })

  it('shares among those who are there what comes to a part, scrapes no others, and makes who comes back anew', () => {
    const working: Scenario['working'] = (name, _version, pod, at_s) =>
      name === 'left' && pod === 0 && at_s >= 100 && at_s < 200 ? { is_away: true } : {}
    const steps = [
      ...runSystem({ topology: FORK, length_s: 300, rollouts: [], demand: () => 1, working }, chance(7)),
    ]
    const at = (at_s: number) => steps[at_s / STEP_S - 1]?.pods.get('left') ?? []
    const scraped = new Map<string, PodSeries>()
    scrapeStep(scraped, steps[150 / STEP_S - 1] as Step, 0, () => false)
    expect([...scraped.values()].filter((one) => one.part === 'left')).toHaveLength(1)
    const grown = (from: number, to: number): number =>
      (at(to)[1]?.counters.requests ?? 0) - (at(from)[1]?.counters.requests ?? 0)
    expect(grown(110, 190) / grown(10, 90)).toBeCloseTo(2, 1)
    expect(at(290)[0]?.name).not.toBe(at(90)[0]?.name)
    expect(at(205)[0]?.counters.requests).toBeLessThan(at(205)[1]?.counters.requests ?? 0)
  })

  it('answers nobody where nobody is there', () => {
    const working: Scenario['working'] = (name) => (name === 'left' ? { is_away: true } : {})
    const scenario = { topology: FORK, length_s: 60, rollouts: [], demand: () => 1, working }
    const steps = [...runSystem(scenario, chance(7))].slice(2)
    const failed = edgesTo(steps, 'left').reduce((all, edge) => all + edge.failed, 0)
    expect(failed / callsTo(steps, 'left')).toBeCloseTo(1, 2)
  })

  it('takes what comes to a part from outside beside what its callers ask, whose calls are what they were', () => {
    const arriving = (name: string): number => (name === 'left' ? 60 : 0)
    const scenario: Scenario = {
      ...{ topology: FORK, length_s: 300, rollouts: [], demand: () => 1, working: () => ({}), arriving },
    }
    const steps = [...runSystem(scenario, chance(7))]
    expect(requestsOf(steps, 'left') / requestsOf(run({}), 'left')).toBeCloseTo(2, 1)
    expect(callsTo(steps, 'left') / callsTo(run({}), 'left')).toBeCloseTo(1, 1)
  })

  it('begins with the memory that its pods have gathered, and a pod that is killed begins without it', () => {
    const [front, ...others] = FORK.parts
    const topology = { ...FORK, parts: [{ ...(front as Part), aged_mb: 700 }, ...others] }
    const memoryOf = (how: Working): number | undefined =>
      [...runSystem({ topology, length_s: 10, rollouts: [], demand: () => 1, working: () => how }, chance(7))]
        .at(-1)
        ?.pods.get('front')?.[0]?.memory_mb
    expect(memoryOf({})).toBe(700)
    expect(memoryOf({ memory_limit_mb: 650 })).toBe(300)
  })

  it('has the arrivals that its calls add up to, and does its usual work where it is made for it', () => {
    expect(Object.fromEntries(arrivalsOf(FORK))).toEqual({ front: 60, left: 60, right: 60 })
    expect(holdOf(FORK, 'front')).toBe(30)
    for (let seed = 1; seed < 20; seed += 1) {
      const topology = randomTopology(chance(seed))
      for (const { name, kind, pods } of topology.parts) {
        if (kind === 'external') continue
        const after = sized(topology, name, 1.5)
        const made = after.parts.find((each) => each.name === name) as Part
        const can = (made.workers * 1_000) / holdOf(after, name)
        expect((can * pods) / (arrivalsOf(topology).get(name) as number)).toBeCloseTo(1.5, 6)
        expect(made.own_ms).toBeGreaterThan(0)
      }
    }
  })

  it('puts the pods of a part on different nodes where there are enough', () => {
    const { nodes, on } = hostingOf(FORK, chance(3))
    expect(on('left', 0)).not.toBe(on('left', 1))
    expect(nodes).toContain(on('right', 1))
    expect(on('right', nodes.length)).toBe(on('right', 0))
  })
})

describeGeneration('incidents of the third generation', THIRD, { same_seed: 'degraded-node', most_falls: 8 })

describeScored('what was scored of the third generation', THIRD, [
  ['pooling-opt-in', 1_000_000, '5a8ab6b259a5e7e3'],
  ['renewed-machines', 1_000_009, 'dd9a9f4809a43a92'],
  ['full-volume', 1_000_012, 'f13ef9316377f814'],
  ['degraded-node', 1_000_013, 'd3634248d066d6a5'],
])

describeDelays('the effects of the third generation', THIRD, {
  'pooling-opt-in': 2,
  'kept-connection': 2,
  'short-lived-cache': 2,
  'ramped-feature': 2,
})

describe('the mechanisms of the third generation', () => {
  it('a cache that forgets: its service asks the store a multiple of before', () => {
    const all = withEdges('short-lived-cache')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const stores = new Set(
        one.snapshot.edges.map(({ callee }) => callee).filter((callee) => callee.endsWith('-db')),
      )
      const grew = [...stores].map((store) => {
        const is = ({ caller, callee }: { readonly caller: string; readonly callee: string }) =>
          caller === one.truth.entity && callee === store
        return perMinute(one, is, 4, 8) / Math.max(1, perMinute(one, is, -30, -10))
      })
      expect(Math.max(...grew)).toBeGreaterThan(3)
    }
  }, 120_000)

  it('a feature in steps: each step asks more, the first ones without harm', () => {
    for (const one of withEdges('ramped-feature')) {
      const steps = one.snapshot.changes.filter(({ id }) => isTheChange(one.truth, id))
      expect(steps.length).toBeGreaterThanOrEqual(3)
      expect(one.truth.change).toBe(steps[2]?.id)
      const before = around(one, -3, 0)
      expect(sum(before, 'failed') / sum(before, 'calls')).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a certificate of one client: its callee refuses it and nobody else', () => {
    const all = withEdges('stale-client-certificate')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const callees = new Map<string, { mine: number; others: number }>()
      for (const { caller, callee, calls = 0, failed = 0 } of around(one, 8, 20)) {
        const known = callees.get(callee) ?? { mine: 0, others: 0 }
        callees.set(callee, known)
        if (caller === one.truth.entity) known.mine = Math.max(known.mine, failed / Math.max(1, calls))
        else known.others = Math.max(known.others, failed / Math.max(1, calls))
      }
      const refused = [...callees.values()].filter(({ mine }) => mine > 0.8)
      expect(refused).toHaveLength(1)
      expect(refused[0]?.others).toBeLessThan(0.1)
    }
  }, 120_000)

  it('a quota: the provider is refused to all who call it and says so, its status page does not', () => {
    for (const one of incidentsOf('quota-used-up')) {
      const failing = around(one, 1, 15).filter(({ callee }) => callee === one.truth.entity)
      if (failing.length > 0) expect(sum(failing, 'failed') / sum(failing, 'calls')).toBeGreaterThan(0.3)
      expect(one.snapshot.status.flatMap(({ events }) => events).map(({ status }) => status)).not.toContain(
        'major_outage',
      )
    }
  }, 120_000)

  it('a volume: fuller and fuller long before, full when writes begin to fail', () => {
    for (const { snapshot, truth } of incidentsOf('full-volume')) {
      const used = snapshot.series.find(
        ({ name, entity, labels }) =>
          name === 'volume_used_ratio' && entity === truth.entity && labels.volume === 'data',
      )
      const at = (minutes: number): number =>
        used?.values[used.times.findIndex((time) => time >= truth.began_ms + minutes * MINUTE_MS)] ??
        Number.NaN
      expect(at(-60)).toBeLessThan(0.99)
      expect(at(1)).toBeGreaterThan(0.97)
      expect(
        snapshot.series.some(({ name, entity }) => name === 'volume_used_ratio' && entity !== truth.entity),
      ).toBe(true)
    }
  }, 120_000)

  it('a node: what its pods log of it comes from there and from nowhere else', () => {
    const all = incidentsOf('degraded-node').filter(({ snapshot }) => snapshot.logs.length > 0)
    expect(all.length).toBeGreaterThan(0)
    for (const { snapshot, truth } of all) {
      const complaints = snapshot.logs.filter(({ message }) => /ETIMEDOUT|EROFS/.test(message))
      expect(new Set(complaints.map(({ node }) => node))).toEqual(new Set([truth.entity]))
      expect(new Set(complaints.map(({ service }) => service)).size).toBeGreaterThan(1)
    }
  }, 120_000)

  it('a greedy client: what is more comes from one, and it is about twice as much at most', () => {
    for (const { snapshot, truth } of incidentsOf('greedy-client')) {
      const clients = snapshot.series.filter(({ name }) => name.endsWith('_by_client'))
      const grew = clients.map(({ times, values }) => {
        const at = times.findIndex((time) => time >= truth.began_ms)
        return (values.at(-1) as number) - (values[at - 4] as number)
      })
      const total = grew.reduce((all, each) => all + each, 0)
      expect(Math.max(...grew) / total).toBeGreaterThan(0.9)
      const rate = snapshot.series.find(
        ({ name, entity, labels }) =>
          name === 'http_server_requests_per_second' &&
          entity === truth.entity &&
          Object.keys(labels).length === 0,
      )
      const middle = (from_min: number, to_min: number): number => {
        const during = [...(rate?.times ?? [])].flatMap((time, index) =>
          time >= truth.began_ms + from_min * MINUTE_MS && time < truth.began_ms + to_min * MINUTE_MS
            ? [rate?.values[index] as number]
            : [],
        )
        return during.sort((a, b) => a - b)[Math.floor(during.length / 2)] as number
      }
      expect(middle(6, 18) / middle(-30, 0)).toBeGreaterThan(1.25)
      expect(middle(6, 18) / middle(-30, 0)).toBeLessThan(2.1)
    }
  }, 120_000)

  it('machines made anew: pods restart at the version that they had, one after the other', () => {
    for (const { snapshot, truth } of incidentsOf('renewed-machines')) {
      const change = snapshot.changes.find(({ id }) => id === truth.change)
      expect(change?.diff).toBeUndefined()
      expect(change?.files).toBeUndefined()
      expect(snapshot.changes.some(({ carries }) => carries?.includes(truth.change as string))).toBe(false)
    }
  }, 120_000)

  it('a library: several deploys carry it, and the service that fails is one of them', () => {
    for (const { snapshot, truth } of incidentsOf('pooling-opt-in')) {
      const carrying = snapshot.changes.filter(({ carries }) => carries?.includes(truth.change as string))
      expect(carrying.length).toBeGreaterThanOrEqual(2)
      expect(carrying.some(({ entity }) => isThePlace(truth, entity ?? null))).toBe(true)
      for (const { carries } of carrying) expect(carries?.length).toBe(2)
    }
  }, 120_000)

  it('a pool that drains: nothing fails in the minutes after its deploy', () => {
    for (const one of withEdges('kept-connection')) {
      const calm = around(one, -8, -2)
      expect(sum(calm, 'failed') / sum(calm, 'calls')).toBeLessThan(0.02)
    }
  }, 120_000)
})
