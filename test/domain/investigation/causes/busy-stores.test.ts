import { describe, expect, it } from 'vitest'
import { busyStores } from '#shared/domain/investigation/causes/busy-stores.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { BARE, risen } from '../scene-by-hand.ts'

/** A library whose loans wait for the store that they are kept in. */
const find = ({ series: more = [], ...rest }: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('loans', 'http_5xx_ratio')],
    edges: calls('loans', 'loans-db', 0.4),
    changes: [commit('aa11', 20, 'Say how to run the tests', ['loans/README.md'], null)],
    ...rest,
    series: [
      series('loans', 'http_5xx_ratio', 0.003, 0.4),
      series('loans-db', 'db_statement_duration_p95_ms', 6, 900),
      series('loans-db', 'db_calls_per_second', 200, 200),
      ...more,
    ],
  })
const waiting = series('loans-db', 'db_sessions_waiting_for_lock', 0.2, 30)
const reading = series('loans-db', 'pg_stat_tuples_read', 2_000, 400_000)
const held = lines('loans-db', 'INFO', 'process 44 still waiting for ShareLock on transaction 7', ONSET)
const planned = lines('loans-db', 'INFO', 'duration: 4120.5 ms  execute a1: SELECT * FROM loans', ONSET)
const whats = ({ hypotheses }: Findings): string => hypotheses.map(({ statement }) => statement).join(' ')

describe('a store that fails those who ask it as ever', () => {
  it('is told by sessions that wait for each other, whatever else they use up meanwhile', () => {
    const found = find({ series: [waiting, series('loans-db', 'db_connections_active', 20, 95)] })
    expect(found.cause).toMatchObject({ kind: 'data', entity: 'loans-db', change: null })
    expect(found.confidence).toBeLessThan(0.5)
    expect(whats(found)).toContain('Sessions of a store that wait for each other')
  })

  it('is none where it is known to be a service, whatever it counts of locks and statements', () => {
    const entities = [{ name: 'loans-db', kind: 'service' as const, aliases: [] }]
    expect(whats(find({ series: [waiting, reading], entities }))).not.toMatch(/of a store|A store/)
  })

  it('is told by the work that it does for each call, by its processor too', () => {
    for (const work of [reading, series('loans-db', 'container_cpu_utilization_ratio', 0.1, 0.6)]) {
      const found = find({ series: [work] })
      expect(found.cause).toMatchObject({ kind: 'data', entity: 'loans-db' })
      expect(whats(found)).toContain('does more for each call')
    }
  })

  it('is told by what it says of itself, though it calls that no failure, and by what callers are told', () => {
    expect(whats(find({ logs: planned }))).toContain('does more for each call')
    const told = lines('loans', 'ERROR', 'canceling statement due to lock timeout', ONSET)
    expect(whats(find({ logs: told }))).toContain('wait for each other')
  })

  it('is likely where it counts and says that sessions wait and nobody who asks it was changed', () => {
    expect(find({ series: [waiting], logs: held }).confidence).toBeGreaterThan(0.5)
    const changed = find({
      ...{ series: [waiting], logs: held },
      changes: [
        commit('bb22', ONSET - 6, 'Words', ['loans/a.md'], null),
        deploy('d1', ONSET - 4, 'loans', 'v2', ['bb22']),
      ],
    })
    expect(changed.confidence).toBeLessThan(0.5)
    // More work is as well what another query makes, which no record need tell.
    expect(find({ series: [reading], logs: planned }).confidence).toBeLessThan(0.5)
  })

  it('is none that is asked as much more as it does more', () => {
    const found = find({
      series: [reading, series('loans-db', 'proxy_calls_per_second', 2_000, 500_000)],
    })
    expect(whats(found)).not.toContain('does more for each call')
  })

  it('is none whose sessions waited for a while only, long before, or long after', () => {
    for (const other of [
      series('loans-db', 'db_sessions_waiting_for_lock', 0.2, 30, ONSET, ONSET + 8),
      series('loans-db', 'db_sessions_waiting_for_lock', 0.2, 30, ONSET - 40),
      series('loans-db', 'db_sessions_waiting_for_lock', 0.2, 30, ONSET + 15),
      series('loans-db', 'db_sessions_waiting_for_lock', 20, 30),
    ])
      expect(whats(find({ series: [other] }))).not.toContain('wait for each other')
  })

  it('is none where nobody knows since when anything fails', () => {
    const shifts = [
      risen('loans-db', 'db_statement_duration_p95_ms'),
      risen('loans-db', 'db_sessions_waiting_for_lock', { before: 0.2, during: 30 }),
    ]
    const entities = [{ name: 'loans-db', kind: 'datastore' as const, aliases: [] }]
    const snapshot: Snapshot = { ...EMPTY, entities }
    const known = { snapshot, observed: { ...BARE, shifts }, names: entityNames(snapshot) }
    const stores = (onset: number | null) => busyStores({ ...known, symptoms: [], lines: [], onset })
    expect(stores(at(ONSET))).toMatchObject([
      { entity: 'loans-db', what: 'sessions of a store that wait for each other' },
    ])
    expect(stores(null)).toEqual([])
  })

  it('is none that answers as ever, nor a service that calls others', () => {
    const well = investigate({
      ...EMPTY,
      alerts: [alert('loans', 'http_5xx_ratio')],
      edges: calls('site', 'loans', 0.4),
      series: [series('loans', 'http_5xx_ratio', 0.003, 0.4), waiting],
    })
    expect(whats(well)).not.toContain('wait for each other')
    const between = find({
      edges: [...calls('loans', 'loans-db', 0.4), ...calls('loans-db', 'disk')],
      series: [waiting],
    })
    expect(whats(between)).not.toContain('wait for each other')
  })
})
