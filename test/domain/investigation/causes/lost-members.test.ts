import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_CONSEQUENCE } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { causes, facts, PLACES, risen, type Seen, said } from '../scene-by-hand.ts'

const ENTITIES: Snapshot['entities'] = [...PLACES, { name: 'ledger', kind: 'datastore', aliases: [] }]
const lost = (seen: Seen) =>
  causes({ ...seen, snapshot: { entities: ENTITIES, ...seen.snapshot } }).find(({ what }) =>
    /lost a member|see no more/.test(what),
  )
/** Of three nodes of a Cassandra two are left. */
const fewer = (more: Partial<SeriesShift> = {}, name = 'cassandra_nodes_up', entity = 'ledger') =>
  risen(entity, name, { direction: 'down', before: 3, during: 2, is_bad: false, ...more })
const DOWN = said('InetAddress /10.0.0.7:7000 is now DOWN', 'ledger')
const named = (minute = ONSET, during = 10) =>
  said('no host of ledger was available for query', 'stock', { risen_at: at(minute), during })
const since = (minute: number) => ({ onset: { at: at(minute), earliest: at(minute), latest: at(minute) } })

describe('a cluster that lost a member', () => {
  it('is told by what counts its members, by itself and by who names it', () => {
    const found = lost({ shifts: [fewer()], templates: [DOWN, named()] })
    expect(found).toMatchObject({
      ...{ kind: 'infra', entity: 'ledger', action: 'failover', yields_to_changes: true },
      ...{ score: 0.78825, at_most: CONFIDENCE_CAP_CONSEQUENCE },
    })
    expect(facts(found)).toEqual([
      [0.45, 'cassandra_nodes_up'],
      [0.45, 'InetAddress /10.0.0.7:7000 is now DOWN'],
      [0.3, 'no host of ledger was available for query'],
    ])
  })

  it('is the member whom another sees no more, as a replica set tells it of each by its name', () => {
    const unseen = (
      more: Partial<SeriesShift> = {},
      name = 'mongodb_rs_members_health',
      labels: Readonly<Record<string, string>> = { name: 'ledger-2:27017' },
    ) =>
      risen('ledger-3', name, { direction: 'down', before: 1, during: 0, is_bad: false, ...more }, { labels })
    const missed = said('ledger-2:27017 is down, trying to connect again', 'stock')
    const members = ['ledger-2', 'ledger-3'].map(
      (name) => ({ name, kind: 'datastore', aliases: [] }) as const,
    )
    const of = (shift: SeriesShift, templates = [missed]) =>
      lost({ shifts: [shift], templates, snapshot: { entities: [...ENTITIES, ...members] } })
    expect(of(unseen())).toMatchObject({
      ...{ kind: 'infra', entity: 'ledger-2', score: 0.615, at_most: CONFIDENCE_CAP_CONSEQUENCE },
      what: 'a member of a cluster that the others see no more',
    })
    expect(of(unseen({}, 'mongodb_mongod_replset_member_health'))?.entity).toBe('ledger-2')
    expect(of(unseen(), [])).toBeUndefined()
    for (const other of [
      unseen({ during: 0.5 }),
      unseen({ direction: 'up' }),
      unseen({}, 'members_health_checks'),
      unseen({}, undefined, { name: 'ledger-3:27017' }),
      unseen({}, undefined, {}),
      unseen(since(ONSET + 3)),
    ])
      expect(of(other)).toBeUndefined()
  })

  it('needs two of these, of which one may be that those that are left use more', () => {
    const used = (more: Partial<SeriesShift> = {}) =>
      risen('ledger', 'memory_used_ratio', { before: 0.4, during: 0.7, ...more })
    expect(lost({ shifts: [fewer()] })).toBeUndefined()
    expect(lost({ templates: [DOWN] })).toBeUndefined()
    expect(lost({ templates: [named()] })).toBeUndefined()
    expect(lost({ shifts: [used()], templates: [DOWN] })).toBeUndefined()
    expect(lost({ shifts: [fewer()], templates: [DOWN] })?.score).toBe(0.6975)
    expect(lost({ templates: [DOWN, named()] })?.score).toBe(0.615)
    expect(lost({ shifts: [fewer(), used()] })?.score).toBe(0.615)
    for (const other of [
      used({ direction: 'down' }),
      used({ is_bad: false }),
      used({ ended_at: at(ONSET + 9) }),
      used(since(ONSET - 5)),
      risen('ledger', 'http_5xx_ratio', { before: 0.4, during: 0.7 }),
      risen('stock', 'memory_used_ratio', { before: 0.4, during: 0.7 }),
    ])
      expect(lost({ shifts: [fewer(), other] })).toBeUndefined()
  })

  it('is named minutes later too, when the others give way, by more than a straggler', () => {
    const late = (minute: number, during?: number) =>
      lost({ shifts: [fewer()], templates: [named(minute, during)] })?.score
    expect(late(ONSET + 9)).toBe(0.615)
    expect(late(ONSET - 1)).toBeUndefined()
    expect(late(ONSET, 5)).toBe(0.615)
    expect(late(ONSET, 4)).toBeUndefined()
  })

  it('counts members of a cluster: fewer than before, at the onset, and for as long as users are hurt', () => {
    const withSaid = (shift: SeriesShift) => lost({ shifts: [shift], templates: [DOWN] })
    const names =
      'broker_members_running live_nodes number_of_nodes serf_members_alive member_count running_brokers broker_count voters_online voter_count raft_active_peers peer_count node_count servers_healthy server_count cluster_nodes_up nodes_in_cluster elasticsearch_cluster_health_number_of_data_nodes brokers_online_total'
    for (const name of names.split(' '))
      expect([name, withSaid(fewer({}, name))?.score]).toEqual([name, 0.6975])
    expect(withSaid(fewer({ before: 1.5, during: 1 }))?.score).toBe(0.6975)
    for (const other of [
      fewer({}, 'nodes_total_memory'),
      fewer({}, 'requests_running'),
      fewer({}, 'nodestats_up'),
      fewer({}, 'supernodes_up'),
      fewer({}, 'nodes_upper'),
      fewer({}, 'nodes_setup'),
      fewer({}, 'http_server_requests_count'),
      fewer({}, 'kafka_server_brokertopicmetrics_messagesin_count'),
      fewer({}, 'cluster_node_memory_bytes'),
      fewer({}, 'active_sessions_of_node'),
      fewer({ direction: 'up' }),
      fewer({ before: 1, during: 0 }),
      fewer({ before: 3, during: 2.6 }),
      fewer(since(ONSET + 3)),
      fewer(since(ONSET - 3)),
    ])
      expect(withSaid(other)).toBeUndefined()
  })

  it('is no service whose instances are gone', () => {
    const own = said('InetAddress /10.0.0.7:7000 is now DOWN', 'stock')
    expect(lost({ shifts: [fewer({}, 'nodes_up', 'stock')], templates: [own] })).toBeUndefined()
  })

  it('says so itself at the onset, again and again, of which one line is shown', () => {
    const saying = (...lines: readonly (readonly [minute: number, during: number])[]) =>
      lost({
        shifts: [fewer()],
        templates: lines.map(([minute, during], index) =>
          said(`InetAddress /10.0.0.${index}:7000 is now DOWN`, 'ledger', { risen_at: at(minute), during }),
        ),
      })
    expect(saying([ONSET, 4])).toBeUndefined()
    expect(saying([ONSET + 6, 90])).toBeUndefined()
    expect(facts(saying([ONSET, 5], [ONSET + 1, 5]))).toHaveLength(2)
  })

  it('is no alert of somebody, nor what was recorded hours before', () => {
    const summary = 'ledger: InetAddress /10.0.0.7:7000 is now DOWN'
    const alerts = [{ source: 'alerts', name: 'a', service: 'ledger', fired_at: at(ONSET), summary }]
    expect(lost({ shifts: [fewer()], snapshot: { alerts } })).toBeUndefined()
    const event = (minute: number) => ({
      ...{ source: 'events', timestamp: at(minute), kind: 'notification', resource: 'ledger-2' },
      message: 'ledger: ledger-2 does not answer its probe',
    })
    const seen = (...minutes: readonly number[]) =>
      lost({ shifts: [fewer()], snapshot: { events: minutes.map(event) } })
    expect(seen(ONSET - 16)).toBeUndefined()
    expect(seen(ONSET - 15)).toBeDefined()
    // One that is recorded is enough, whoever says so besides.
    expect(
      lost({
        shifts: [fewer()],
        templates: [said('InetAddress /10.0.0.7:7000 is now DOWN', 'ledger', { during: 2 })],
        snapshot: { events: [event(ONSET)] },
      }),
    ).toBeDefined()
  })

  it('is the surer of two clusters, and none where nobody is hurt', () => {
    const entities: Snapshot['entities'] = [...ENTITIES, { name: 'attic', kind: 'datastore', aliases: [] }]
    const both = [fewer({}, 'nodes_up', 'attic'), fewer()]
    const templates = [DOWN, said('InetAddress /10.0.0.9:7000 is now DOWN', 'attic'), named()]
    const all = causes({ shifts: both, templates, snapshot: { entities } }).filter(({ what }) =>
      /lost a member|see no more/.test(what),
    )
    expect(all.map(({ entity }) => entity)).toEqual(['ledger'])
    expect(lost({ shifts: [fewer()], templates: [DOWN], observed: { onset: null } })).toBeUndefined()
  })

  it('is told by whoever watches it, once', () => {
    const event = {
      ...{ source: 'events', timestamp: at(ONSET), kind: 'notification' },
      resource: 'ledger-2',
    }
    const events = [{ ...event, message: 'ledger: ledger-2 does not answer its probe' }]
    expect(lost({ shifts: [fewer()], snapshot: { events } })?.entity).toBe('ledger')
  })
})
