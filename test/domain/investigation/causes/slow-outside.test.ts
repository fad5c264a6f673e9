import { describe, expect, it } from 'vitest'
import { insideOf, outsideOf, slowOutside } from '#shared/domain/investigation/causes/slow-outside.ts'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import {
  alert,
  at,
  calls,
  commit,
  deploy,
  EMPTY,
  LENGTH,
  lines,
  MINUTE,
  ONSET,
  series,
} from '../incident-scenarios.ts'
import { BARE, counted, graphOf } from '../scene-by-hand.ts'

/** Calls that take so many times as long within `from` to `to`. */
const waits = (caller: string, callee: string, factor: number, from = ONSET, to = 120): readonly Edge[] =>
  calls(caller, callee).map((edge) =>
    edge.t0 >= at(from) && edge.t0 < at(to) ? { ...edge, latency_sum_ms: 30_000 * factor } : edge,
  )

/** A booking site that asks an outside service for tariffs. */
function find(outside: readonly Edge[], more: Partial<Snapshot> = {}): Findings {
  return investigate({
    ...EMPTY,
    alerts: [alert('site', 'http_p95_ms')],
    series: [series('site', 'http_p95_ms', 90, 1_600), series('booking', 'http_p95_ms', 60, 1_500)],
    changes: [
      commit('aa11', 20, 'Say how to run the tests', ['site/README.md'], null),
      deploy('d1', 30, 'site', 'v2', ['aa11']),
    ],
    edges: [...waits('site', 'booking', 20), ...calls('booking', 'booking-db'), ...outside],
    ...more,
  })
}
const places = ({ hypotheses }: Findings): readonly string[] =>
  hypotheses.map(({ cause }) => `${cause.kind} ${cause.entity}`)

describe('what is outside and answers slowly', () => {
  it('is named where one caller waits for it and for nothing else', () => {
    const found = find(waits('booking', 'tariffs', 25))
    expect(found.cause).toMatchObject({ kind: 'provider', entity: 'tariffs', change: null })
    expect(found.confidence).toBeLessThan(0.5)
    expect(found.evidence.map(({ content }) => content).join('\n')).toMatch(
      /calls to tariffs .* waited [\d.]+ ms/,
    )
  })

  it('is likely where a second caller waits as well, or the caller says so by name', () => {
    const two = find([...waits('booking', 'tariffs', 25), ...waits('invoices', 'tariffs', 25)])
    expect(two.cause).toMatchObject({ kind: 'provider', entity: 'tariffs' })
    expect(two.confidence).toBeGreaterThan(0.5)
    const named = find(waits('booking', 'tariffs', 25), {
      logs: lines('booking', 'WARN', 'slow call: tariffs took 1250 ms', ONSET),
    })
    expect(named.confidence).toBeGreaterThan(0.5)
  })

  it('is none where its caller waits for everything that it calls', () => {
    const found = find([...waits('booking', 'tariffs', 25), ...waits('booking', 'mailer', 25)])
    expect(places(found)).not.toContain('provider tariffs')
  })

  it('is none that was slow before, was slow for a moment, or is a little slower', () => {
    for (const outside of [
      waits('booking', 'tariffs', 25, 0),
      waits('booking', 'tariffs', 25, ONSET, ONSET + 5),
      waits('booking', 'tariffs', 1.5),
      calls('booking', 'tariffs').map(({ latency_sum_ms: _, ...edge }) => edge),
    ])
      expect(places(find(outside))).not.toContain('provider tariffs')
  })

  it('is none that is measured itself, or is a store of its own', () => {
    const outside = waits('booking', 'tariffs', 25)
    const measured = [series('tariffs', 'cpu_utilization_ratio', 0.2, 0.2)]
    expect(
      places(find(outside, { series: [...measured, series('site', 'http_p95_ms', 90, 1_600)] })),
    ).not.toContain('provider tariffs')
    const entities: Snapshot['entities'] = [{ name: 'tariffs', kind: 'datastore', aliases: [] }]
    expect(places(find(outside, { entities }))).not.toContain('provider tariffs')
  })

  it('is none that accounts for little of what is waited for', () => {
    const seldom = calls('booking', 'tariffs').map((edge) => ({
      ...edge,
      ...{ calls: 6, latency_count: 6, latency_sum_ms: edge.t0 < at(0) + ONSET * MINUTE ? 300 : 7_500 },
    }))
    expect(places(find(seldom))).not.toContain('provider tariffs')
  })
})

/** Ten calls of a minute, each of which waits so many milliseconds. */
const minute = (
  caller: string,
  callee: string,
  when: number,
  ms: number,
  more: Partial<Edge> = {},
): Edge => ({
  ...{ source: 'edges', caller, callee, t0: at(when), interval_s: 60, calls: 10 },
  ...{ latency_sum_ms: 10 * ms, latency_count: 10, ...more },
})
const many = (count: number, from: number, edge: (when: number) => Edge): readonly Edge[] =>
  Array.from({ length: count }, (_, index) => edge(from + index))
/** Calls that wait so long in the twenty minutes before, and in the thirty from the onset on. */
const pair = (caller: string, callee: string, usual: number, since: number): readonly Edge[] => [
  ...many(20, 0, (when) => minute(caller, callee, when, usual)),
  ...many(30, ONSET, (when) => minute(caller, callee, when, since)),
]
const flowOf = (entity: string, own_wait_ms: number, excess_wait_ms = own_wait_ms): Flow => ({
  ...counted(entity, 0),
  ...{ own_wait_ms, excess_wait_ms },
})
const line = (more: Partial<Line> = {}): Line => ({
  ...{ text: 'tariffs took 1250 ms', entity: 'booking', count: 9, at: at(ONSET), source: 'logs' },
  ...{ origin: 'log', failing: true, ...more },
})
interface Given {
  readonly edges: readonly Edge[]
  readonly flows?: readonly Flow[]
  readonly said?: readonly Line[]
  readonly onset?: number | null
  readonly observed?: Partial<Scene['observed']>
  readonly snapshot?: Partial<Snapshot>
}
const sceneOf = ({ edges, flows = [flowOf('tariffs', 9_000)], said = [], ...more }: Given): Scene => {
  const entities = ['booking', 'tariffs', 'invoices'].map((name) => ({
    ...{ name, kind: 'service' as const, aliases: [] },
  }))
  const snapshot: Snapshot = { ...EMPTY, entities, edges, ...more.snapshot }
  const baselines = [{ name: 'b1', from: at(0), to: at(60) }]
  return {
    ...{ snapshot, names: entityNames(snapshot), symptoms: [], lines: said },
    observed: {
      ...{ ...BARE, graph: graphOf({ booking: ['tariffs'] }) },
      normal: { baselines, origin: 'declared', incident: { from: at(0), to: at(LENGTH) } },
      flows: new Map(flows.map((flow) => [flow.entity, flow])),
      ...more.observed,
    },
    onset: more.onset === undefined ? at(ONSET) : more.onset,
  }
}
const told = (given: Given) => slowOutside(sceneOf(given))
const tariffs = pair('booking', 'tariffs', 100, 900)
const other = pair('booking', 'booking-db', 5, 5)

describe('what is outside and slow, as a cause', () => {
  it('is half as likely as certain where one caller waits, yields to changes, and is capped', () => {
    const cause = {
      ...{ kind: 'provider', entity: 'tariffs', score: 0.5, action: 'failover', yields_to_changes: true },
      what: 'an outside provider that answers slowly (tariffs)',
      at_most: CONFIDENCE_CAP_UNLINKED,
    }
    expect(told({ edges: [...tariffs, ...other] })).toMatchObject([
      { ...cause, signs: [{ strength: 0.5, fact: { of: 'calls', flow: flowOf('tariffs', 9_000) } }] },
    ])
    // The caller's word counts once, and lifts the cap where something else that it calls answers as ever.
    const said = [line(), line({ text: 'tariffs is slow' })]
    const [named] = told({ edges: [...tariffs, ...other], said })
    expect(named).toMatchObject({ score: 0.65, signs: [{ strength: 0.5 }, { strength: 0.3 }] })
    expect(named).not.toHaveProperty('at_most')
    expect(named?.signs).toHaveLength(2)
    expect(told({ edges: tariffs, said })).toMatchObject([{ score: 0.65, at_most: CONFIDENCE_CAP_UNLINKED }])
  })

  it('is surer where two callers wait, whatever else they wait for', () => {
    const two = [...tariffs, ...pair('invoices', 'tariffs', 100, 900), ...pair('booking', 'mail', 9, 900)]
    const [cause] = told({ edges: two })
    expect(cause).toMatchObject({ score: 0.75, yields_to_changes: false })
    expect(cause).not.toHaveProperty('at_most')
    expect(told({ edges: [...tariffs, ...pair('booking', 'mail', 9, 900)] })).toEqual([])
    // Who asks it as well and does not wait is no second one.
    expect(told({ edges: [...tariffs, ...pair('invoices', 'tariffs', 100, 100)] })).toMatchObject([
      { score: 0.5 },
    ])
  })

  it('is named by what somebody else logs of it at the time, and by nothing else', () => {
    const score = (more: Partial<Line>) =>
      told({ edges: [...tariffs, ...other], said: [line(more)] })[0]?.score
    expect(score({})).toBe(0.65)
    expect(score({ entity: 'site' })).toBe(0.65)
    for (const more of [
      { origin: 'alert' as const },
      { entity: 'tariffs' },
      { at: at(0) },
      { at: null },
      { text: 'took 1250 ms' },
      { failing: false },
    ])
      expect([more, score(more)]).toEqual([more, 0.5])
  })

  it('is none before anybody felt anything, where the demand was made, or where nobody waits', () => {
    const made = {} as NonNullable<Scene['observed']['made']>
    expect(told({ edges: tariffs, onset: null })).toEqual([])
    expect(told({ edges: tariffs, observed: { made } })).toEqual([])
    expect(told({ edges: pair('booking', 'tariffs', 100, 100) })).toEqual([])
    expect(told({ edges: [] })).toEqual([])
    expect(
      told({ edges: [...tariffs, ...pair('booking', 'mail', 9, 9)], flows: [flowOf('mail', 9)] }),
    ).toEqual([])
  })

  it('accounts for three tenths of what its caller is waited for, or more', () => {
    const asked = (own: number) =>
      told({ edges: tariffs, flows: [flowOf('tariffs', own), flowOf('booking', 0, 10_000)] }).length
    expect(asked(3_000)).toBe(1)
    expect(asked(2_999)).toBe(0)
  })
})

describe('what counts as slow', () => {
  const isSlow = (edges: readonly Edge[]): boolean => told({ edges }).length > 0

  it('is twice as long as usual and fifty milliseconds longer', () => {
    expect(isSlow(pair('booking', 'tariffs', 100, 200))).toBe(true)
    expect(isSlow(pair('booking', 'tariffs', 100, 199))).toBe(false)
    expect(isSlow(pair('booking', 'tariffs', 10, 60))).toBe(true)
    expect(isSlow(pair('booking', 'tariffs', 10, 59))).toBe(false)
  })

  it('is so in seven tenths of the time since the onset, and in at most a tenth of that before', () => {
    const mixed = (slowSince: number, slowBefore: number) => [
      ...many(20, 0, (when) => minute('booking', 'tariffs', when, when < slowBefore ? 900 : 100)),
      ...many(20, ONSET, (when) => minute('booking', 'tariffs', when, when < ONSET + slowSince ? 900 : 100)),
    ]
    expect(isSlow(mixed(14, 0))).toBe(true)
    expect(isSlow(mixed(13, 0))).toBe(false)
    expect(isSlow(mixed(20, 2))).toBe(true)
    expect(isSlow(mixed(20, 3))).toBe(false)
  })

  it('is told by four intervals on either side, of the normal time and from the onset to the end', () => {
    const of = (usual: number, since: number, from = ONSET, more: readonly Edge[] = []) =>
      isSlow([
        ...many(usual, 10, (when) => minute('booking', 'tariffs', when, 100)),
        ...many(since, from, (when) => minute('booking', 'tariffs', when, 900)),
        ...more,
      ])
    expect(of(4, 4)).toBe(true)
    expect(of(3, 4)).toBe(false)
    expect(of(4, 3)).toBe(false)
    expect(of(0, 30)).toBe(false)
    expect(of(30, 0)).toBe(false)
    expect(of(4, 4, LENGTH - 4)).toBe(true)
    expect(of(4, 4, LENGTH - 3)).toBe(false)
    // What lies between normal time and the onset is neither.
    expect(of(3, 4, ONSET, [minute('booking', 'tariffs', 70, 100)])).toBe(false)
  })

  it('is not told by intervals in which nothing was counted or no time was taken', () => {
    const since = (more: Partial<Edge>) => [
      ...many(20, 0, (when) => minute('booking', 'tariffs', when, 100)),
      ...many(30, ONSET, (when) => ({ ...minute('booking', 'tariffs', when, 900), ...more })),
    ]
    expect(isSlow(since({}))).toBe(true)
    expect(isSlow(since({ latency_count: 0 }))).toBe(false)
    const without = (field: 'latency_count' | 'latency_sum_ms') =>
      since({}).map((edge) => {
        const { [field]: _, ...rest } = edge
        return edge.t0 < at(ONSET) ? edge : rest
      })
    expect(isSlow(without('latency_count'))).toBe(false)
    expect(isSlow(without('latency_sum_ms'))).toBe(false)
    // A minute without calls among others changes nothing.
    const empty = minute('booking', 'tariffs', 40, 0, { latency_count: 0, calls: 0 })
    expect(isSlow([...since({}), empty, { ...empty, t0: at(ONSET + 31) }])).toBe(true)
  })
})

describe('inside and outside', () => {
  it('is inside who tells anything of itself, by whatever name, and what is declared to be kept', () => {
    const snapshot: Partial<Snapshot> = {
      series: [series('measured', 'http_p95_ms', 1, 1)],
      logs: lines('logging-v2', 'INFO', 'served', 0, 1),
      spans: [
        {
          ...{
            source: 'traces',
            trace_id: 't',
            span_id: 's',
            parent_id: null,
            service: 'traced',
            name: 'GET',
          },
          ...{ start: at(0), duration_us: 1, status: 'OK' },
        },
      ],
      entities: [
        { name: 'logging', kind: 'service', aliases: [{ alias: 'logging-v2', learnt_from: 'labels' }] },
        { name: 'store', kind: 'datastore', aliases: [] },
        { name: 'jobs', kind: 'queue', aliases: [] },
        { name: 'tariffs', kind: 'service', aliases: [] },
      ],
    }
    const inside = insideOf(sceneOf({ edges: [], snapshot }))
    expect([...inside].toSorted()).toEqual(['jobs', 'logging', 'measured', 'store', 'traced'])
  })

  it('is outside what is called, calls nothing and tells nothing', () => {
    const flows = ['tariffs', 'booking', 'store'].map((entity) => flowOf(entity, 9))
    const scene = sceneOf({ edges: [], flows })
    expect(outsideOf(scene, new Set(['store']))).toEqual(['tariffs'])
    expect(outsideOf(scene, new Set())).toEqual(['tariffs', 'store'])
  })
})
