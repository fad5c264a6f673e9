import { describe, expect, it } from 'vitest'
import { withBeforeEntry } from '#shared/domain/investigation/changes/before-entry.ts'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'

/** `stock-api` fails first, nobody calls it, and whom it calls answers as ever. */
const WELL: Observed = { ...SEEN, counted_as_ever: () => true }
const CALLS: Snapshot = { ...EMPTY, edges: calls('stock-api', 'shelf-db') }

const changed = (change: Partial<Change>, more: Partial<Arrival> = {}): Arrival =>
  ({
    change: { ...{ source: 'config', id: 'c1', kind: 'config', recorded_at: at(ONSET - 2) }, ...change },
    effective: { from: at(ONSET - 2), to: at(ONSET - 2), known: true },
    place: { score: 0.45, reaches: null, owners: new Set(), is_named: false },
    ...more,
  }) as Arrival

const place = (arrival: Arrival, observed: Observed = WELL, snapshot: Snapshot = CALLS): number =>
  withBeforeEntry([arrival], observed, snapshot)[0]?.place.score as number

const ENTRY = changed({ title: 'Newer chart for the ingress' })
const reaching = (reaches: string): Arrival =>
  changed(
    { title: 'Newer chart for the ingress' },
    {
      place: { score: 0.25, reaches, owners: new Set(), is_named: false },
    },
  )

describe('a change of what stands before the first place that anybody counts', () => {
  it('is next to what fails, known by what it is of, its folders or its title', () => {
    expect(place(ENTRY)).toBe(0.95)
    for (const entity of ['edge-config', 'nginx', 'public-alb', 'api-gateway', 'waf_rules'])
      expect(place(changed({ entity }))).toBe(0.95)
    expect(place(changed({ files: ['ingress/prod/values.yaml'] }))).toBe(0.95)
    expect(place(changed({ title: 'Load balancer: shorter idle time' }))).toBe(0.95)
  })

  it('is as far off as before where it is of something else', () => {
    for (const title of ['Progress of exports', 'knowledge base', 'Larger pools', 'album covers'])
      expect(place(changed({ title }))).toBe(0.45)
    // A service's own settings of how it is reached are that service's.
    expect(place(changed({ files: ['prod/letters/ingress.yaml'] }))).toBe(0.45)
    expect(place(changed({ title: `${'x'.repeat(500)} ingress` }))).toBe(0.45)
  })

  it('counts as merged where nobody saw it take effect, and never for less than it did', () => {
    const unseen = { effective: { from: at(ONSET - 2), to: at(ONSET - 2), known: false } }
    expect(place({ ...ENTRY, ...unseen })).toBeCloseTo(0.7125)
    const nearer = { place: { score: 1, reaches: 'other', owners: new Set<string>(), is_named: false } }
    expect(place({ ...ENTRY, ...nearer })).toBe(1)
  })

  it('is no nearer where somebody is counted to call what fails, or where whom that calls does not answer as ever', () => {
    expect(place(ENTRY, WELL, { ...EMPTY, edges: [...CALLS.edges, ...calls('web', 'stock-api')] })).toBe(0.45)
    expect(place(ENTRY, SEEN)).toBe(0.45)
    const half: Observed = { ...SEEN, counted_as_ever: (entity) => entity === 'shelf-db' }
    expect(place(ENTRY, half)).toBe(0.95)
    expect(place(ENTRY, half, { ...EMPTY, edges: [...CALLS.edges, ...calls('stock-api', 'mail')] })).toBe(
      0.45,
    )
    expect(place(ENTRY, { ...WELL, first: null })).toBe(0.45)
  })

  it('is no nearer where no call of what fails was counted', () => {
    expect(place(ENTRY, WELL, EMPTY)).toBe(0.45)
    expect(place(ENTRY, WELL, { ...EMPTY, edges: calls('web', 'shelf-db') })).toBe(0.45)
    expect(place(ENTRY, WELL, { ...EMPTY, edges: CALLS.edges.map(({ calls: _, ...edge }) => edge) })).toBe(
      0.45,
    )
  })

  it('is no nearer where it reached one of those behind what fails', () => {
    expect(place(reaching('edge-nginx'))).toBe(0.95)
    expect(place(reaching('shelf-db'))).toBe(0.25)
    expect(place(reaching('stock-api'))).toBe(0.25)
    const behind = { ...WELL, graph: { ...WELL.graph, reachableFrom: () => new Set(['edge-nginx']) } }
    expect(place(reaching('edge-nginx'), behind)).toBe(0.25)
  })

  it('is known by any way of writing such a name', () => {
    for (const title of [
      'front door',
      'frontdoor',
      'proxy',
      'reverse proxy',
      'reverse-proxy',
      'load-balancer',
    ])
      expect(place(changed({ title: `Newer ${title}` }))).toBe(0.95)
    for (const entity of ['balancer', 'lb', 'public-nlb', 'elb', 'loadbalancer', 'reverseproxy'])
      expect(place(changed({ entity }))).toBe(0.95)
    // Another word before it makes another thing of it.
    for (const entity of ['glb', 'workloadbalancer', 'knowledge'])
      expect(place(changed({ entity }))).toBe(0.45)
  })

  it('is as far off as before where nothing is known of what it is of', () => {
    expect(place(changed({}))).toBe(0.45)
    expect(place(changed({ files: ['ingress.yaml'] }))).toBe(0.45)
  })

  it('is told nothing new of where it stands next to what fails already', () => {
    const place1 = { score: 0.95, reaches: 'other', owners: new Set<string>(), is_named: false }
    const arrival = { ...ENTRY, place: place1 }
    expect(withBeforeEntry([arrival], WELL, CALLS)[0]).toBe(arrival)
  })
})
