import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { observe } from '#shared/domain/investigation/failing-services.ts'
import {
  effectTime,
  isRollout,
  NEAR_PLACE,
  placeOfTarget,
  surroundingsOf,
} from '#shared/domain/investigation/place-of-changes.ts'
import { CHANGE_KINDS, type Change, type Edge, type Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, deploy, EMPTY, lines, pattern, series } from './incident-scenarios.ts'

const edge = (caller: string, callee: string): Edge => ({
  ...{ source: 'edges', caller, callee, t0: at(0), interval_s: 60 },
})
/** `web` asks `cart`, which asks `stock`, where it fails first; `apart` fails by itself. */
const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('web', 'http_5xx_ratio')],
  series: ['web', 'cart', 'stock', 'apart'].map((name) => series(name, 'http_5xx_ratio', 0.003, 0.4)),
  edges: [edge('web', 'cart'), edge('cart', 'shelf'), edge('cart', 'stock'), edge('stock', 'store')],
}
const OBSERVED = observe(INCIDENT, entityNames(INCIDENT), null)
const record = (kind: Change['kind'], more: Partial<Change> = {}): Change => ({
  ...{ source: 'deploys', id: 'c1', kind, recorded_at: at(10), ...more },
})

describe('a rollout', () => {
  it('is a deploy or a release, and nothing else', () => {
    expect(CHANGE_KINDS.filter((kind) => isRollout(record(kind)))).toEqual(['deploy', 'release'])
  })
})

describe('when a change took effect', () => {
  it('is when it says so, which is known unless it was guessed', () => {
    const effective_at = { from: at(20), to: at(25) }
    expect(effectTime(record('commit', { effective_at }), null)).toEqual({ ...effective_at, known: true })
    for (const [certainty, known] of [
      ['recorded', true],
      ['inferred', true],
      ['guessed', false],
    ] as const)
      expect(effectTime(record('commit', { effective_at, certainty }), null).known).toBe(known)
  })

  it('is when its rollout did, which then is known', () => {
    const rollout = { ...deploy('d1', 30, 'stock', 'v', ['c1']), certainty: 'guessed' as const }
    const own = record('commit', { effective_at: { from: at(5), to: at(5) } })
    expect(effectTime(own, rollout)).toEqual({ from: at(30), to: at(30), known: true })
  })

  it('is when it was recorded where nothing says when, which is known of what takes effect at once', () => {
    for (const kind of CHANGE_KINDS)
      expect(effectTime(record(kind), null)).toEqual({
        ...{ from: at(10), to: at(10) },
        known: ['deploy', 'release', 'flag', 'scale'].includes(kind),
      })
  })
})

describe('how much a change can explain by where it arrived', () => {
  it('is most where it failed first, less where nothing explains the failing, less next to it, hardly elsewhere', () => {
    const place = (target: string) => placeOfTarget(target, OBSERVED)
    expect(OBSERVED.first?.entity).toBe('stock')
    expect(place('stock')).toBe(1)
    expect(place('apart')).toBeLessThan(place('stock'))
    expect(place('cart')).toBeLessThan(place('apart'))
    expect(place('cart')).toBe(NEAR_PLACE)
    expect(place('store')).toBe(NEAR_PLACE)
    expect(place('nobody')).toBeLessThan(NEAR_PLACE)
    expect(place('shelf')).toBe(place('nobody'))
  })

  it('is as much as next to it for what was asked about and what lies between', () => {
    expect(placeOfTarget('web', OBSERVED)).toBe(NEAR_PLACE)
    const apart = { ...OBSERVED, symptom_service: null }
    expect(placeOfTarget('web', apart)).toBeLessThan(NEAR_PLACE)
    expect(placeOfTarget('web', apart)).toBeGreaterThan(placeOfTarget('nobody', apart))
  })

  it('is what is given for elsewhere', () => {
    expect(placeOfTarget('nobody', OBSERVED, 0.65)).toBe(0.65)
    expect(placeOfTarget('stock', OBSERVED, 0.65)).toBe(1)
    expect(placeOfTarget('web', { ...OBSERVED, first: null }, 0.65)).not.toBe(0.65)
  })
})

describe('what surrounds a change', () => {
  const around = (more: Partial<Snapshot>) => {
    const snapshot = { ...EMPTY, ...more }
    return surroundingsOf(snapshot, entityNames(snapshot), null, new Set())
  }

  it('is measured or speaks by any record of it', () => {
    const span = {
      ...{ source: 'traces', trace_id: 't', span_id: '1', parent_id: null, service: 'd', name: 'x' },
      start: 0,
      duration_us: 1,
      status: 'OK',
    }
    const { service: _, ...nameless } = alert('x', 'y')
    const { isMeasured } = around({
      ...{
        series: [series('a', 'x', 1, 1)],
        logs: lines('b', 'INFO', 'x', 0, 1),
        patterns: [pattern('c', 'x', 1, 1)],
      },
      ...{ spans: [span], edges: [edge('e', 'f')], alerts: [alert('g', 'x'), nameless] },
    })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) expect(isMeasured(name)).toBe(true)
    for (const name of ['h', '', 'undefined']) expect(isMeasured(name)).toBe(false)
  })

  it('says what moved where an orchestrator does', () => {
    const upgrade = record('infra', { entity: 'pool-blue' })
    const k8s = [
      { source: 'k8s', timestamp: at(10), kind: 'Node', name: 'pool-blue-1' },
      {
        source: 'k8s',
        timestamp: at(12),
        kind: 'Pod',
        name: 'stock-1',
        reason: 'Evicted',
        message: 'from pool-blue-1',
      },
    ]
    const entities = [{ name: 'stock', kind: 'service' as const, aliases: [] }]
    const found = around({ k8s, entities, changes: [upgrade] })
    expect(found.isOrchestrated).toBe(true)
    expect(found.movedBy(upgrade)).toEqual([{ entity: 'stock', at: at(12) }])
    expect(found.movedBy(record('infra'))).toEqual([])
    expect(around({}).isOrchestrated).toBe(false)
  })
})
