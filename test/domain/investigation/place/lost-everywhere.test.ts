import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import {
  failingBesideCalls,
  isLostEverywhere,
  shareOfLost,
} from '#shared/domain/investigation/place/lost-everywhere.ts'
import type { Change, Entity, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { failingIn, names, seen } from '../observed-by-hand.ts'

/** Of a hundred calls to each place, as many as are said are lost inside it. */
const flows = (lost: Readonly<Record<string, number>>): ReadonlyMap<string, Flow> =>
  new Map(
    Object.entries(lost).map(([entity, own_failed]) => [
      entity,
      {
        ...{ entity, own_failed, calls: 100, excess_failed: own_failed, failed: own_failed, given_up: 0 },
        ...{ excess_wait_ms: 0, own_wait_ms: 0, source: 'edges' },
      },
    ]),
  )
const callees = new Map([
  ['web', new Set(['shop', 'print'])],
  ['shop', new Set(['shelf-db'])],
  ['print', new Set(['mail-host'])],
])
const isEverywhere = (lost: Readonly<Record<string, number>>): boolean =>
  isLostEverywhere(flows(lost), { callees })

describe('calls that are lost', () => {
  it('are lost everywhere where much is lost in three places or more and two of these call nobody', () => {
    expect(isEverywhere({ shop: 30, 'shelf-db': 30, 'mail-host': 30 })).toBe(true)
    expect(isEverywhere({ 'shelf-db': 30, 'mail-host': 30 })).toBe(false)
    expect(isEverywhere({ shop: 30, print: 30, 'shelf-db': 30 })).toBe(false)
    expect(isEverywhere({ shop: 10, 'shelf-db': 10, 'mail-host': 10 })).toBe(true)
    expect(isEverywhere({ shop: 9, 'shelf-db': 10, 'mail-host': 10 })).toBe(false)
    expect(isEverywhere({})).toBe(false)
  })

  it('are lost in one place where that has half of them', () => {
    expect(isEverywhere({ shop: 20, 'shelf-db': 49, 'mail-host': 30 })).toBe(true)
    expect(isEverywhere({ shop: 20, 'shelf-db': 50, 'mail-host': 30 })).toBe(false)
    expect(shareOfLost('shelf-db', flows({ shop: 20, 'shelf-db': 60 }))).toBe(0.75)
    expect(shareOfLost('print', flows({ shop: 20 }))).toBe(0)
    expect(shareOfLost('shop', flows({ shop: 0 }))).toBe(0)
  })

  it('count where one caller alone meets them', () => {
    const met = flows({ shop: 0, 'shelf-db': 30, 'mail-host': 30 })
    const alone = new Map(met).set('shop', { ...(met.get('shop') as Flow), met_alone: 30 })
    expect(isLostEverywhere(met, { callees })).toBe(false)
    expect(isLostEverywhere(alone, { callees })).toBe(true)
    expect(shareOfLost('shop', alone)).toBeCloseTo(1 / 3)
  })
})

const EDGES = [
  ...calls('web', 'shop', 0.5),
  ...calls('web', 'print', 0.5),
  ...calls('shop', 'shelf-db', 0.2),
  ...calls('print', 'mail-host', 0.2),
]
const refused = (entity: string, from = ONSET, to?: number): Series =>
  series(entity, 'dns_responses_servfail_ratio', 0.001, 0.6, from, to)

describe('what all go through', () => {
  const beside = (list: readonly Series[], edges = EDGES, entities: readonly Entity[] = []) => {
    const { failing } = seen({ series: list })
    return names(failingBesideCalls(failing, { series: list, edges, entities }, at(ONSET)))
  }

  it('is what has been failing since the onset and still, of which no call is counted', () => {
    expect(beside([refused('ns-1')])).toEqual(['ns-1'])
    expect(beside([refused('shop')])).toEqual([])
    expect(beside([refused('web')])).toEqual([])
    expect(beside([refused('ns-1', ONSET, ONSET + 10)])).toEqual([])
  })

  it('began to fail minutes before, since what was asked is kept, and not long before or after', () => {
    expect(beside([refused('ns-1', ONSET - 4)])).toEqual(['ns-1'])
    expect(beside([refused('ns-1', ONSET - 8)])).toEqual([])
    expect(beside([refused('ns-1', ONSET + 2)])).toEqual(['ns-1'])
    expect(beside([refused('ns-1', ONSET + 5)])).toEqual([])
  })

  it('is unknown where no calls are counted at all', () => {
    expect(beside([refused('ns-1')], [])).toEqual([])
    expect(
      beside(
        [refused('ns-1')],
        EDGES.map(({ calls: _, ...edge }) => edge),
      ),
    ).toEqual([])
  })

  it('is nothing that keeps or queues', () => {
    const entity = (kind: 'datastore' | 'queue' | 'host'): Entity => ({ name: 'ns-1', kind, aliases: [] })
    expect(beside([refused('ns-1')], EDGES, [entity('host')])).toEqual(['ns-1'])
    expect(beside([refused('ns-1')], EDGES, [entity('queue')])).toEqual([])
    expect(beside([refused('ns-1')], EDGES, [entity('datastore')])).toEqual([])
    expect(beside([series('copy-2', 'replication_lag_seconds', 0.3, 60)])).toEqual([])
    expect(beside([series('jobs-in', 'queue_oldest_message_age_seconds', 2, 600)])).toEqual([])
  })

  it('keeps nothing by whatever is measured of it beside its failing', () => {
    expect(beside([refused('ns-1'), series('ns-1', 'keys_evictions_per_second', 0.1, 50)])).toEqual([])
    expect(beside([refused('ns-1'), series('ns-1', 'replication_lag_seconds', 0.3, 60)])).toEqual([])
  })

  it('fails still by one measurement, though another of it is well again', () => {
    const again = series('ns-1', 'http_5xx_ratio', 0.003, 0.5, ONSET, ONSET + 10)
    expect(beside([refused('ns-1'), again])).toEqual(['ns-1'])
    expect(beside([again])).toEqual([])
  })

  it('fails so that users feel it', () => {
    const busy = [series('ns-1', 'container_cpu_utilization_ratio', 0.2, 1)]
    expect(failingIn(seen({ series: busy }), 'ns-1')).toBeDefined()
    expect(beside(busy)).toEqual([])
  })
})

/** `web` is alerted; it loses who it calls, and these lose a store and a host that do not know each other. */
const scene = (more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [series('web', 'http_5xx_ratio', 0.003, 0.5), refused('ns-1'), refused('ns-2')],
  edges: EDGES,
  ...more,
})
const done = (minute: number, part: string): Change => ({
  ...{ source: 'infra', id: `${part}-${minute}`, kind: 'infra', recorded_at: at(minute), entity: part },
  ...{ title: `${part}: settings of transfers by hand`, effective_at: { from: at(minute), to: at(minute) } },
})

describe('an incident in which everybody loses everybody', () => {
  it('begins at what all go through, which explains it', () => {
    const found = investigate(scene())
    expect(found.first_failing_service).toMatch(/^ns-[12]$/)
    const without = scene().series.filter(({ entity }) => entity === 'web')
    expect(investigate(scene({ series: without })).first_failing_service).not.toMatch(/^ns-/)
  })

  it('is told by what was done there, to one after the other', () => {
    const changes = [done(ONSET - 30, 'ns-1'), done(ONSET - 14, 'ns-2')]
    const { cause } = investigate(scene({ changes }))
    expect(cause.change).toBe(`ns-2-${ONSET - 14}`)
  })

  it('is surely told by none of those who lose calls', () => {
    const said = [
      ...lines('print', 'ERROR', 'https://api.mail-host.com answered 503 unavailable', ONSET),
      ...lines('shop', 'ERROR', 'https://api.mail-host.com answered 503 unavailable', ONSET),
    ]
    const entities: Entity[] = [{ name: 'mail-host', kind: 'external', aliases: [] }]
    const list = scene().series.filter(({ entity }) => entity === 'web')
    const told = (edges: Snapshot['edges'], more: readonly Series[] = []) =>
      investigate(scene({ logs: said, entities, edges, series: [...list, ...more] }))
    const alone = [...calls('web', 'print', 0.2), ...calls('print', 'mail-host', 0.4)]
    expect(told(alone).cause).toMatchObject({ kind: 'provider' })
    expect(told(alone).confidence).toBeGreaterThan(0.5)
    expect(told(EDGES).confidence).toBeLessThan(0.5)
    expect(told(EDGES, [refused('ns-1')]).cause.kind).not.toBe('provider')
  })
})
