import { describe, expect, it } from 'vitest'
import { lostNeighbours } from '#shared/domain/investigation/causes/lost-neighbours.ts'
import { CONFIDENCE_CAP_UNMAPPED, CONFIDENCE_CAP_WITNESSED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, ONSET } from '../incident-scenarios.ts'
import { BARE, causes, counted, facts, graphOf, place, risen, said } from '../scene-by-hand.ts'

const WHAT = 'a router that no longer hears its neighbours'
const ESTABLISHED = 6
/** A session of a router that ended at the onset. */
const session = (
  router: string,
  more: Partial<SeriesShift> = {},
  name = 'bgpPeerState',
  labels: Readonly<Record<string, string>> = {},
): SeriesShift =>
  risen(
    router,
    name,
    { direction: 'down', before: ESTABLISHED, during: 1, is_bad: false, ...more },
    { labels },
  )
const HOLD = 'bird: upstream_198.51.100.7: Error: Hold timer expired'
const says = (text = HOLD, more: Partial<Line> = {}): Line => ({
  ...{ text, entity: 'edge-1', count: 9, at: at(ONSET), source: 'logs', origin: 'log', failing: true },
  ...more,
})
const found = (
  shifts: readonly SeriesShift[],
  lines: readonly Line[] = [],
  onset: number | null = at(ONSET),
) =>
  lostNeighbours({
    ...{ snapshot: EMPTY, symptoms: [], names: entityNames(EMPTY), lines, onset },
    observed: { ...BARE, first: place('stock'), shifts },
  })

describe('a router that no longer hears its neighbours', () => {
  it('is told by two sessions that ended with the harm, or by one and what it says of it', () => {
    expect(found([session('edge-1'), session('edge-1')], [says()])).toMatchObject([
      {
        ...{ kind: 'network', entity: 'edge-1', score: 0.766, what: WHAT, action: 'failover' },
        ...{ at_most: CONFIDENCE_CAP_UNMAPPED, yields_to_changes: true, is_placed: true },
        signs: { length: 3 },
      },
    ])
    const three = [session('edge-1'), session('edge-1'), session('edge-1')]
    expect(found(three, [says(), says()])).toMatchObject([{ score: 0.766, signs: { length: 3 } }])
    expect(found([session('edge-1'), session('edge-1')])).toMatchObject([{ score: 0.64 }])
    expect(found([session('edge-1')], [says()])).toMatchObject([{ score: 0.61 }])
    expect(found([session('edge-1')])).toEqual([])
    expect(found([], [says(), says()])).toEqual([])
    expect(found([session('edge-1'), session('edge-2')])).toEqual([])
  })

  it('is the one that tells most of it where there are several', () => {
    const both = [session('edge-2'), session('edge-2'), session('edge-1'), session('edge-1')]
    expect(found(both).map(({ entity }) => entity)).toEqual(['edge-1', 'edge-2'])
    const surer = found(both, [says(HOLD, { entity: 'edge-2' })])
    expect(surer.map(({ entity }) => entity)).toEqual(['edge-2', 'edge-1'])
  })

  it('knows a session by the state in which it exchanges routes', () => {
    const is = (name: string, before: number, during = 0) => {
      const one = () => session('edge-1', { before, during }, name)
      return found([one(), one()]).length === 1
    }
    expect(is('bgpPeerState', 6, 3)).toBe(true)
    expect(is('cbgpPeer2State', 6, 1)).toBe(true)
    expect(is('ospfNbrState', 8, 1)).toBe(true)
    expect(is('ospfv3NbrState', 8, 1)).toBe(true)
    expect(is('isisISAdjState', 3, 1)).toBe(true)
    expect(is('bird_protocol_up', 1)).toBe(true)
    expect(is('frr_bgp_peer_state', 1)).toBe(true)
    for (const name of ['bgpPeerState', 'ospfNbrState', 'isisISAdjState', 'bird_protocol_up'])
      for (const level of [6, 8, 3, 1])
        for (const other of [`${name}_age`, `last_${name}`]) expect(is(other, level), other).toBe(false)
    expect(is('bgpPeerState', 6, 5.1)).toBe(true)
    expect(is('bird_protocol_up', 1, 0.2)).toBe(true)
    expect(is('bird_protocol_up', 1.2, 0)).toBe(true)
    expect(is('bgpPeerState', 6, 5.3)).toBe(false)
    expect(is('bgpPeerState', 5, 1)).toBe(false)
    expect(is('bgpPeerState', 6.3, 1)).toBe(false)
    expect(is('bgpPeerAdminStatus', 6, 1)).toBe(false)
    expect(found([session('edge-1', { direction: 'up' }), session('edge-1', { direction: 'up' })])).toEqual(
      [],
    )
  })

  it('lost them as users began to be hurt, and for as long as they are', () => {
    const when = (minute: number) => ({ onset: { at: at(minute), earliest: at(minute), latest: at(minute) } })
    const of = (more: Partial<SeriesShift>) =>
      found([session('edge-1', more), session('edge-1', more)]).length
    expect(of(when(ONSET + 2))).toBe(1)
    expect(of(when(ONSET + 3))).toBe(0)
    expect(of(when(ONSET - 3))).toBe(0)
    expect(of({ ended_at: at(ONSET + 4) })).toBe(0)
    expect(found([session('edge-1'), session('edge-1')], [], null)).toEqual([])
  })

  it('says so itself in its log, again and again since then, as routers write it', () => {
    const is = (line: Line) => found([session('edge-1')], [line]).length === 1
    for (const text of [
      HOLD,
      '%BGP-3-NOTIFICATION: sent to neighbor 192.0.2.9 4/0 (hold time expired) 0 bytes',
      'Dead timer expired of 192.0.2.9',
      '%OSPF-5-ADJCHG: Nbr 192.0.2.9 from FULL to DOWN',
      '%BGP-5-ADJCHANGE: neighbor 192.0.2.9 Down BGP Notification sent',
      '%OSPF-5-ADJCHG: Process 1, Nbr 192.0.2.9 on Gi0/1 from FULL to DOWN, Neighbor Down: Dead timer expired',
      'rpd[811]: bgp_hold_timeout: NOTIFICATION sent to 192.0.2.9 (External AS 64501)',
    ])
      expect(is(says(text)), text).toBe(true)
    expect(is(says('%BGP-5-ADJCHANGE: neighbor 192.0.2.9 Up'))).toBe(false)
    expect(is(says(HOLD, { entity: 'edge-2' }))).toBe(false)
    expect(is(says(HOLD, { count: 4 }))).toBe(false)
    expect(is(says(HOLD, { at: at(ONSET - 30) }))).toBe(false)
    expect(is(says(HOLD, { origin: 'event' }))).toBe(false)
    expect(is(says(HOLD.replace('expired', 'is 90 s')))).toBe(false)
  })
})

describe('a router among all causes', () => {
  const snapshot: Partial<Snapshot> = {
    edges: [...calls('web', 'stock', 0.5), ...calls('stock', 'vault')],
    entities: ['web', 'stock', 'vault', 'edge-1'].map((name) => ({ name, kind: 'service', aliases: [] })),
  }
  const observed = {
    ...{ first: place('stock'), symptom_service: 'web', flows: new Map([['stock', counted('stock', 400)]]) },
    graph: graphOf({ web: ['stock'], stock: ['vault'] }),
  }
  const at1 = (shifts: readonly SeriesShift[], templates: readonly ReturnType<typeof said>[] = []) =>
    causes({ snapshot, shifts, templates, observed }).filter(({ entity }) => entity === 'edge-1')

  it('is told as such where nothing else tells of it', () => {
    expect(at1([session('edge-1'), session('edge-1')])).toMatchObject([
      { what: WHAT, at_most: CONFIDENCE_CAP_UNMAPPED },
    ])
  })

  it('is told once, as such and as surely, where it is seen beside the calls as well', () => {
    const port = { label: 'stock' }
    const ended = session('edge-1', {}, 'bgpPeerState', port)
    const found = at1(
      [ended, session('edge-1', {}, 'bgpPeerState', port)],
      [said(`${HOLD} of stock`, 'edge-1')],
    )
    expect(found).toMatchObject([{ kind: 'network', what: WHAT, at_most: CONFIDENCE_CAP_WITNESSED }])
    const told = facts(found[0])?.map(([, what]) => what)
    expect(told?.filter((what) => what === `${HOLD} of stock`)).toHaveLength(1)
    expect(told?.filter((what) => what === 'bgpPeerState')).toHaveLength(2)
  })
})
