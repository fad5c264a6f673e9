import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { withStopped } from '#shared/domain/investigation/changes/stopped-since.ts'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const TITLE = 'sw-7: software brought up to date, 1 of 2'
/** What somebody did at a minute and wrote down. */
const done = (minute: number, title = TITLE, more: Partial<Change> = {}): Arrival =>
  ({
    change: { ...{ source: 'chat', id: 'c1', kind: 'infra', recorded_at: at(minute), title }, ...more },
    diff: readDiff('', []),
    effective: { from: at(minute), to: at(minute), known: false },
    place: { score: 0.25, reaches: null, owners: new Set(), is_named: false },
    trivial: null,
  }) as unknown as Arrival

/** A level of a part that fell from 44 to a level at a minute and stayed there. */
const fell = (entity = 'sw-7-1', name = 'switch_ports_up', more = {}, minute = ONSET) => ({
  ...shifted(entity, name),
  ...{ direction: 'down', before: 44, during: 0, ended_at: null, ...more },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})
const observed = (...shifts: ReturnType<typeof fell>[]): Observed =>
  ({ ...SEEN, shifts, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } }) as never
const seen = (arrival: Arrival, of: Observed = observed(fell())): Arrival =>
  withStopped([arrival], of)[0] as Arrival
const isStopped = (...given: Parameters<typeof seen>): boolean => seen(...given).stopped !== undefined

describe('who worked on a part that came to nothing there and then', () => {
  it('was at the very place, when it was written down', () => {
    expect(seen(done(ONSET - 2))).toMatchObject({
      place: { score: 0.95, reaches: 'sw-7-1' },
      effective: { from: at(ONSET - 2), known: true },
      stopped: { series: { entity: 'sw-7-1' } },
    })
    const near = { ...done(ONSET - 2), place: { ...done(ONSET).place, score: 1 } }
    expect(seen(near).place.score).toBe(1)
  })

  it('names the part, or the numbered ones of its group, in its title or as what it is of', () => {
    const by = (title: string, entity: string, more: Partial<Change> = {}): boolean =>
      isStopped(done(ONSET - 2, title, more), observed(fell(entity, 'ports_up')))
    expect(by('SW-7-1 replaced', 'sw-7-1')).toBe(true)
    expect(by('work on sw-7.', 'sw-7-2')).toBe(true)
    expect(by('work on sw-7', 'sw-7')).toBe(true)
    expect(by('work on sw-8', 'sw-7-1')).toBe(false)
    expect(by('work on sw-7', 'sw-7-west')).toBe(false)
    expect(by('roles changed', 'agent', { entity: 'agent' })).toBe(true)
    expect(by('roles changed', 'agent')).toBe(false)
    // A word alone may be anybody’s, but before a colon it is what is spoken of.
    expect(by('agent: roles changed', 'agent')).toBe(true)
    expect(by('roles of agent changed', 'agent')).toBe(false)
    expect(by('ab: roles changed', 'ab')).toBe(false)
    expect(by('abc: roles changed', 'abc')).toBe(true)
    expect(isStopped(done(ONSET - 2, undefined, { title: undefined, entity: 'sw-7' } as never))).toBe(true)
  })

  it('did so minutes before at most', () => {
    expect(isStopped(done(ONSET - 5.5))).toBe(true)
    expect(isStopped(done(ONSET - 5.6))).toBe(false)
    expect(isStopped(done(ONSET + 1.4))).toBe(true)
    expect(isStopped(done(ONSET + 3))).toBe(false)
  })

  it('is told by a level that fell to a tenth or less and stays there', () => {
    const by = (more: object, name = 'switch_ports_up'): boolean =>
      isStopped(done(ONSET - 2), observed(fell('sw-7-1', name, more)))
    expect(by({ during: 4.4 })).toBe(true)
    expect(by({ during: 4.5 })).toBe(false)
    expect(by({ ended_at: at(ONSET + 4) })).toBe(false)
    expect(by({ direction: 'up' })).toBe(false)
    expect(by({ before: 0 })).toBe(false)
    expect(by({}, 'instances_in_service')).toBe(true)
  })

  it('is not told by what is asked, used, passed or waits there', () => {
    for (const name of ['requests_per_second', 'link_bytes_per_second', 'cpu_utilization_ratio'])
      expect(isStopped(done(ONSET - 2), observed(fell('sw-7-1', name)))).toBe(false)
    for (const name of ['queue_messages_available', 'cache_hit_ratio', 'logins'])
      expect(isStopped(done(ONSET - 2), observed(fell('sw-7-1', name)))).toBe(false)
    expect(readMetricName('logins')).toMatchObject({ meaning: 'other', is_demand: true })
  })

  it('fell as users began to be hurt, within two minutes', () => {
    const by = (minute: number): boolean =>
      isStopped(done(minute - 1), observed(fell('sw-7-1', 'switch_ports_up', {}, minute)))
    expect([by(ONSET - 2), by(ONSET + 2)]).toEqual([true, true])
    expect([by(ONSET - 2.1), by(ONSET + 2.1)]).toEqual([false, false])
    expect(isStopped(done(ONSET - 2), { ...observed(fell()), onset: null })).toBe(false)
  })

  it('worked on something that no counted call goes to or from', () => {
    const graph = (from: string, to: string) => ({
      ...SEEN.graph,
      callees: new Map([[from, new Set([to])]]),
    })
    const by = (from: string, to: string): boolean =>
      isStopped(done(ONSET - 2), { ...observed(fell()), graph: graph(from, to) })
    expect(by('web', 'stock')).toBe(true)
    expect(by('web', 'sw-7-1')).toBe(false)
    expect(by('sw-7-1', 'web')).toBe(false)
  })

  it('may have emptied a store to which calls are counted, since rows do not go with who asks for them', () => {
    const asked = { ...SEEN.graph, callees: new Map([['stock', new Set(['stock-db'])]]) }
    const by = (name: string, more = {}, record: Partial<Change> = { entity: 'stock-db' }): boolean =>
      isStopped(done(ONSET - 1, 'full load', record), {
        ...observed(fell('stock-db', name, more)),
        graph: asked,
      })
    for (const name of [
      'pg_stat_user_tables_n_live_tup',
      'mysql_info_schema_table_rows',
      'elasticsearch_indices_docs',
      'elasticsearch_indices_docs_primary',
      'aws_es_searchable_documents_average',
      'SearchableDocuments',
    ])
      expect(by(name)).toBe(true)
    expect(by('pg_stat_user_tables_n_live_tup', { during: 4.5 })).toBe(false)
    expect(by('pg_stat_user_tables_n_live_tup', {}, { entity: 'other-db' })).toBe(false)
    // What is read, deleted or dead there moves with who works on it.
    for (const name of ['pg_stat_user_tables_n_tup_del', 'pg_stat_user_tables_n_dead_tup', 'switch_ports_up'])
      expect(by(name)).toBe(false)
  })

  it('may be a task of another name, whose record says from where to where it moved something', () => {
    const by = (ends: Partial<Change>): boolean =>
      isStopped(
        done(ONSET - 1, 'a task was started', { entity: 'nightly', ...ends }),
        observed(fell('stock-db', 'pg_stat_user_tables_n_live_tup')),
      )
    expect(by({ before: 'stock-db-dev', after: 'Stock-DB' })).toBe(true)
    expect(by({ before: 'stock-db', after: 'archive-db' })).toBe(true)
    expect(by({ before: 'stock-db-dev', after: 'archive-db' })).toBe(false)
    expect(by({ before: '14.9', after: '14.11' })).toBe(false)
  })

  it('left a record of an act that can do harm, and no text', () => {
    expect(isStopped({ ...done(ONSET - 2), trivial: { reason: 'x', factor: 0.1 } })).toBe(false)
    expect(isStopped(done(ONSET - 2, TITLE, { kind: 'commit' }))).toBe(false)
    expect(isStopped(done(ONSET - 2, TITLE, { diff: '+a: 1' }))).toBe(false)
  })
})

describe('an incident in which a store lost its rows under a task that moves tables', () => {
  const incident = (rows: number) => ({
    ...EMPTY,
    baselines: [{ name: 'b1', from: at(0), to: at(60) }],
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.003, 0.9),
      series('stock', 'http_5xx_ratio', 0.003, 0.9),
      series('stock-db', 'mysql_info_schema_table_rows', 52_000, rows),
    ],
    edges: [...calls('web', 'stock', 0.9), ...calls('stock', 'stock-db', 0)],
    logs: lines('stock', 'ERROR', 'NoResultException: no entity found for query', ONSET),
    changes: [
      {
        ...{ source: 'trail', id: 'c1', kind: 'infra' as const, recorded_at: at(ONSET - 2) },
        ...{ title: 'Import begun', entity: 'nightly-import', before: 'trial-db', after: 'stock-db' },
      },
    ],
  })

  it('is told by the record of the task', () => {
    expect(investigate(incident(40)).cause).toMatchObject({ change: 'c1' })
  })

  it('is not where the store holds what it ever held', () => {
    const { cause, confidence } = investigate(incident(52_000))
    expect(cause.change === 'c1' && confidence >= 0.5).toBe(false)
  })
})

describe('an incident in which a part came to nothing under somebody’s hands', () => {
  const unreached = (caller: string, to: string) =>
    lines(caller, 'ERROR', `connect EHOSTUNREACH ${to}:5432`, ONSET)
  const incident = (ports: number) => ({
    ...EMPTY,
    baselines: [{ name: 'b1', from: at(0), to: at(60) }],
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.003, 0.9),
      series('stock', 'http_5xx_ratio', 0.003, 0.9),
      series('sw-7-1', 'switch_ports_up', 44, ports),
    ],
    edges: [...calls('web', 'stock', 0.9), ...calls('stock', 'stock-db', 0.9)],
    logs: [...unreached('web', 'stock'), ...unreached('stock', 'stock-db')],
    changes: [{ source: 'chat', id: 'c1', kind: 'infra' as const, recorded_at: at(ONSET - 2), title: TITLE }],
  })

  it('is told by that, and what is missing behind it is how', () => {
    const { cause, evidence } = investigate(incident(0))
    expect(cause).toMatchObject({ change: 'c1', entity: 'sw-7-1' })
    expect(evidence.map(({ content }) => content).join('\n')).toContain(
      'switch_ports_up of sw-7-1 began to leave 44',
    )
  })

  it('is told by what fails where the part is as ever', () => {
    expect(investigate(incident(44)).cause.change).not.toBe('c1')
  })
})
