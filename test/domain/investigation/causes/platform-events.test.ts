import { describe, expect, it } from 'vitest'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, calls, commit, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'
import {
  event,
  find,
  found,
  graphOf,
  place,
  record,
  type Seen,
  said,
  UNEXPLAINED,
  warned,
} from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('what a service complains of since long before is no event of a datastore', () => {
    const complaint = 'cannot execute INSERT: not the primary any more'
    expect(find([complaint]).hypotheses.map(({ cause }) => cause.kind)).toContain('infra')
    const old = lines('reports', 'ERROR', complaint, ONSET - 40, LENGTH)
    expect(find([], { logs: old }).hypotheses.map(({ cause }) => cause.kind)).not.toContain('infra')
  })

  it('an event of a datastore counts when it is in time', () => {
    const event = (minute: number): Partial<Snapshot> => ({
      events: [
        {
          source: 'events',
          timestamp: at(minute),
          resource: 'stock-db',
          kind: 'failover',
          message: 'failover completed, primary changed',
        },
      ],
    })
    const message = 'cannot execute INSERT in a read-only transaction'
    expect(find([message], event(ONSET - 1)).cause).toMatchObject({ kind: 'infra', entity: 'stock-db' })
    expect(find([message], event(ONSET - 1)).confidence).toBeGreaterThan(
      find([message], event(ONSET + 20)).confidence,
    )
  })

  it('of two stores whose events are on record, the one that fails counts, else the one nearer to the onset', () => {
    const completed = (resource: string, minute: number) => ({
      ...{ source: 'events', timestamp: at(minute), resource, kind: 'notification' },
      message: `Completed failover to DB instance: ${resource}-2`,
    })
    const message = 'cannot execute INSERT in a read-only transaction'
    const causeOf = (...events: readonly ReturnType<typeof completed>[]) =>
      find([message], {
        events,
        series: [series('stock-db', 'query_errors_ratio', 0.001, 0.6)],
        edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'stock-db', 0.6)],
      })
    const both = causeOf(completed('reports-db', ONSET - 1), completed('stock-db', ONSET - 4))
    expect(both.cause).toMatchObject({ kind: 'infra', entity: 'stock-db' })
    expect(JSON.stringify(both.evidence)).not.toContain('reports-db')
    const nearest = causeOf(completed('audit-db', ONSET - 12), completed('reports-db', ONSET - 2))
    expect(nearest.hypotheses.map(({ cause }) => cause.entity)).toContain('reports-db')
    expect(nearest.hypotheses.map(({ cause }) => cause.entity)).not.toContain('audit-db')
    // One that was only begun anew is an event as well.
    const restarted = { ...completed('stock-db', ONSET - 1), message: 'DB instance restarted' }
    const begun = causeOf(completed('audit-db', ONSET - 4), restarted)
    expect(begun.hypotheses.map(({ cause }) => cause.entity)).toContain('stock-db')
    expect(JSON.stringify(begun.evidence)).not.toContain('audit-db')
  })

  it('who quotes a datastore tells of the place that the measurements blame', () => {
    const message = 'cannot execute INSERT in a read-only transaction'
    const { cause } = find([message], {
      series: [series('stock-db', 'query_errors_ratio', 0.001, 0.6)],
      edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'stock-db', 0.6)],
    })
    expect(cause).toMatchObject({ kind: 'infra', entity: 'stock-db' })
  })

  it('who quotes a datastore in passing, beside records of changes, tells half of it', () => {
    const changes = [commit('a'.repeat(40), 20, 'x', ['apart/a.go'], '-a(b)\n+c(d)')]
    const of = (count: number, since: number) =>
      find([], {
        changes,
        logs: Array.from({ length: count }, (_, index) => ({
          ...{
            source: 'logs',
            service: 'stock-api',
            severity: 'ERROR',
            timestamp: at(since) + index * 1_000,
          },
          message: 'cannot execute INSERT in a read-only transaction',
        })),
      })
    const [passing, again] = [of(2, ONSET + 1), of(9, ONSET)]
    expect(again.cause).toMatchObject({ kind: 'infra', level: 'kind' })
    expect(again.confidence).toBeGreaterThan(0.49)
    expect(passing.confidence).toBeLessThanOrEqual(0.49)
  })
})

describe('an event of the platform or a datastore', () => {
  const of = (seen: Seen) => found('infra', seen)
  const noted = (message: string, service?: string, minute = ONSET) =>
    of({ snapshot: { events: [event(message, service, minute)] } })

  it('is told by the platform, or by who meets it, and whether it says so or hints at it', () => {
    expect(noted('failover started')).toMatchObject({
      ...{ entity: 'stock', score: round6(0.4 * UNEXPLAINED), action: 'escalate', yields_to_changes: false },
      what: 'an event of the platform or a datastore',
    })
    expect(of({ templates: [said('no leader')] })?.score).toBe(round6(0.28 * UNEXPLAINED))
    expect(noted('compaction started')).toMatchObject({
      ...{ score: round6(0.25 * UNEXPLAINED), yields_to_changes: true },
    })
    expect(of({ templates: [said('compaction started')] })?.score).toBe(round6(0.1 * UNEXPLAINED))
    // A runtime compacts its own memory.
    expect(of({ templates: [said('[gc] GC(7) Pause Full (G1 Compaction Pause) 4080M->4074M(4096M)')] })).toBe(
      undefined,
    )
    const k8s = [record('vault', 'Failover', 'primary changed')]
    expect(of({ snapshot: { k8s } })?.score).toBe(round6(0.4 * UNEXPLAINED))
    expect(of({ snapshot: { alerts: warned('primary changed') } })).toBeUndefined()
    expect(of({ templates: [said('no leader')], symptoms: ['primary lost'] })?.score).toBe(0.28)
  })

  it('is an everyday one, unless it is told again and again from the onset on', () => {
    expect(noted('failover started')?.is_everyday).toBe(true)
    expect(of({ templates: [said('no leader')] })).not.toHaveProperty('is_everyday')
  })

  const first = { first: place('stock') }
  const struck = (message: string, service?: string, minute = ONSET) =>
    of({ snapshot: { events: [event(message, service, minute)] }, observed: first })

  it('is told half by what is begun anew where it fails first, and fails at once', () => {
    const half = round6(0.5 * UNEXPLAINED)
    const anew = [
      'restarted',
      're-scheduled',
      'Recreated',
      'started again',
      'start anew',
      'move',
      'moved to b',
      'migrated',
      'drained',
    ]
    for (const message of [...anew, 'evicted', 'relocation'])
      expect(struck(message), message).toMatchObject({
        entity: 'stock',
        score: half,
        yields_to_changes: false,
      })
    expect(struck('moved', 'stock-7d9f8b6c5d-x2x7q')).toMatchObject({ score: half })
    expect(struck('moved', 'stock', ONSET - 1.5)?.score).toBe(half)
    // A pod is told as the workload that whoever looks for it asks for.
    const pod = { events: [event('moved', 'stock-7d9f8b6c5d-x2x7q')] }
    const failing = [place('web'), place('stock')]
    expect(of({ snapshot: pod, observed: { ...first, failing } })?.entity).toBe('stock')
    for (const [service, minute] of [
      ['stock', ONSET - 1.6],
      ['stock', ONSET + 0.1],
      ['web', ONSET],
    ] as const)
      expect(struck('moved', service, minute)).toBeUndefined()
    expect(noted('moved')).toBeUndefined()
    const late = { snapshot: { events: [event('moved')] }, observed: { ...first, onset: null } }
    expect(of(late)).toBeUndefined()
  })

  it('is not told so by what ends by itself, is to come, or is said by the service', () => {
    for (const message of ['Back-off, moved', 'backoff, moved', 'moved after a crash', 'Unhealthy: moved'])
      expect(struck(message), message).toBeUndefined()
    for (const message of ['probe failed: moved', 'probes failed: moved', 'will be moved'])
      expect(struck(message), message).toBeUndefined()
    expect(of({ templates: [said('moved to b')], observed: first })).toBeUndefined()
  })

  it('is told by two such records at most, none of them as a hint or as what says so as well', () => {
    const strengths = (...events: readonly ReturnType<typeof event>[]) =>
      of({ snapshot: { events }, observed: first })?.signs.map(({ strength }) => strength)
    const [a, b, c] = ['a', 'b', 'c'].map((part) => event(`${part} restarted`)) as [never, never, never]
    expect(strengths(a, b)).toEqual([0.5, 0.5])
    expect(strengths(a, b, c)).toEqual([0.5, 0.5])
    expect(strengths(a, event('compaction started'))).toEqual([0.5, 0.25])
    expect(strengths(event('failover, restarted'))).toEqual([0.4])
  })

  it('counts four that say so and two that hint, up to eight tenths', () => {
    const clear = ['a', 'b', 'c', 'd', 'e'].map((part) => event(`${part} failover started`))
    const hints = ['a', 'b', 'c'].map((part) => event(`${part} compaction started`))
    expect(of({ snapshot: { events: clear } })?.signs).toHaveLength(4)
    expect(of({ snapshot: { events: hints } })?.signs).toHaveLength(2)
    const both = of({ snapshot: { events: [...clear, ...hints] }, symptoms: ['primary lost'] })
    expect(both).toMatchObject({ score: 0.8, yields_to_changes: false })
    expect(both?.signs).toHaveLength(6)
    // What says so is no hint of it, too.
    expect(noted('failover, reboot')?.signs).toHaveLength(1)
  })

  it('is none that came after, of services that complained long before, or that is routine, to come or over', () => {
    expect(noted('failover started', 'stock', ONSET + 5)).toBeDefined()
    expect(noted('failover started', 'stock', ONSET + 6)).toBeUndefined()
    expect(noted('failover started', 'stock', ONSET - 29)).toBeDefined()
    const logged = (minute: number) =>
      of({ templates: [said('no leader', 'stock', { risen_at: at(minute) })] })
    expect(logged(ONSET - 15)).toBeDefined()
    expect(logged(ONSET - 16)).toBeUndefined()
    expect(noted('backup completed successfully')).toBeUndefined()
    expect(noted('maintenance scheduled for tomorrow')).toBeUndefined()
    expect(noted('backup finished', 'stock', ONSET - 6)).toBeUndefined()
    expect(noted('backup finished', 'stock', ONSET - 5)).toBeDefined()
    expect(noted('backup started', 'stock', ONSET - 6)).toBeDefined()
    const late = {
      snapshot: { events: [event('backup finished', 'stock', ONSET - 6)] },
      observed: { onset: null },
    }
    expect(of(late)).toBeDefined()
    const untimed = { service: 'stock', source: 'patterns', signature: 'backup finished: error', count: 9 }
    expect(of({ snapshot: { patterns: [{ ...untimed, baseline_count: 0 }] } })).toBeDefined()
  })

  it('that only hints counts where something fails', () => {
    const at2 = (service: string, failing: readonly string[]) =>
      of({
        snapshot: { events: [event('compaction started', service)] },
        observed: { failing: failing.map((entity) => place(entity)) },
      })
    expect(at2('vault', ['stock'])).toBeUndefined()
    expect(at2('vault', ['vault'])).toBeDefined()
    expect(at2('vault', [])).toBeDefined()
    const logged = {
      templates: [said('compaction started', 'vault')],
      observed: { failing: [place('stock')] },
    }
    expect(of(logged)).toBeDefined()
    const clear = { snapshot: { events: [event('failover started', 'vault')] }, observed: logged.observed }
    expect(of(clear)).toBeDefined()
  })

  it('lies where the platform records it, and for who tells of it at the place that is blamed', () => {
    const observed = { first: place('stock'), graph: graphOf({ web: ['stock'] }) }
    const events = [event('failover started', 'vault')]
    const templates = [said('no leader', 'web', { during: 99 })]
    expect(of({ snapshot: { events }, templates, observed })?.entity).toBe('vault')
    expect(of({ templates, observed })?.entity).toBe('stock')
    expect(of({ templates })?.entity).toBe('web')
    expect(
      of({ templates: [said('compaction started', 'vault'), said('no leader', 'web', { during: 1 })] })
        ?.entity,
    ).toBe('web')
  })
})

describe('what was done to the first failing place itself', () => {
  const MOVED = 'instances moved by an update of their hosts, started again'
  const done = (message: string, seconds: number, resource = 'stock', more: Seen = {}) =>
    found('infra', {
      snapshot: { events: [event(message, resource, ONSET + seconds / 60)] },
      observed: { first: place('stock') },
      ...more,
    })

  it('is told by the platform in its own words, and does not yield to changes', () => {
    for (const said of [MOVED, 'instance rebooted', 'task was migrated', 'rescheduling', 'node drained'])
      expect(done(said, -8)).toMatchObject({ entity: 'stock', yields_to_changes: false })
    expect(done('weekly report sent', -8)).toBeUndefined()
  })

  it('shows at once: it was at most a minute and a half before the onset, and none after', () => {
    expect(done(MOVED, -90)).toBeDefined()
    expect(done(MOVED, -91)).toBeUndefined()
    expect(done(MOVED, 0)).toBeDefined()
    expect(done(MOVED, 1)).toBeUndefined()
  })

  it('is of that place or of one of its pods, and is neither to come nor what a failing process does', () => {
    expect(done(MOVED, -8, 'vault')).toBeUndefined()
    expect(done('instances will be moved on Friday: scheduled for 10:00', -8)).toBeUndefined()
    expect(done('Back-off restarting failed container, moved', -8)).not.toMatchObject({
      yields_to_changes: false,
    })
    expect(done(MOVED, -8, 'stock', { observed: { first: null } })).toBeUndefined()
  })
})

describe('an event of a machine', () => {
  const happened = (resource: string, minute: number): Snapshot['events'][number] => ({
    ...{ source: 'events', timestamp: at(minute), resource, kind: 'notice', message: 'instance stopped' },
  })
  const on = (entity: string, node: string): Snapshot['series'] => [
    { ...series(entity, 'process_threads', 9, 9), labels: { node } },
  ]
  const of = (resource: string, more: Partial<Snapshot> = {}, minute = ONSET - 1) =>
    found('infra', {
      snapshot: {
        ...{ series: [...on('stock', 'metal-1'), ...on('vault', 'metal-2'), ...on('web', 'metal-3')] },
        events: [happened(resource, minute)],
        ...more,
      },
      observed: { first: place('stock'), graph: graphOf({ stock: ['vault'], web: ['stock'] }) },
    }) !== undefined

  it('counts where what fails, or what that calls, runs on it, and nowhere else', () => {
    for (const its of ['metal-1', 'metal-2']) expect(of(its), its).toBe(true)
    for (const other of ['metal-3', 'metal-10', 'spare-1']) expect(of(other), other).toBe(false)
  })

  it('counts wherever that is, where nothing says on which machines what fails runs', () => {
    expect(of('metal-3', { series: on('web', 'metal-3') })).toBe(true)
  })

  it('is none of a store, of what serves calls or of their instances, which count wherever they are', () => {
    const entities = [
      { name: 'books', kind: 'datastore' as const, aliases: [] },
      { name: 'jobs', kind: 'queue' as const, aliases: [] },
    ]
    for (const name of ['books', 'jobs']) {
      expect(of(name, { entities }), name).toBe(true)
      expect(of(name), name).toBe(false)
    }
    for (const name of ['web', 'vault-0', 'stock']) expect(of(name), name).toBe(true)
    const stored = [...on('stock', 'metal-1'), series('ledger', 'db_connections_open', 9, 9)]
    expect(of('ledger', { series: stored })).toBe(true)
  })

  it('counts on the machines of who was asked about', () => {
    const asked = found('infra', {
      snapshot: {
        series: [...on('stock', 'metal-1'), ...on('web', 'metal-3')],
        events: [happened('metal-3', ONSET - 1)],
      },
      observed: { first: place('stock'), symptom_service: 'web' },
    })
    expect(asked).toBeDefined()
  })
})

describe('an event of a store', () => {
  const stores = ['vault', 'books'].map((name) => ({ name, kind: 'datastore' as const, aliases: [] }))
  const of = (store: string, asks: readonly string[], more: Partial<Seen> = {}) =>
    found('infra', {
      snapshot: { entities: stores, events: [event('failover started', store, ONSET - 1)] },
      observed: { first: place('stock'), graph: graphOf({ web: ['stock', 'books'], stock: [...asks] }) },
      ...more,
    }) !== undefined

  it('is no evidence where what fails first is seen to ask another store', () => {
    expect(of('vault', ['vault'])).toBe(true)
    expect(of('books', ['vault'])).toBe(false)
    expect(of('books', ['vault', 'books'])).toBe(true)
  })

  it('counts where what fails first is seen to ask no store, is the store itself, or names it', () => {
    expect(of('books', ['pay'])).toBe(true)
    const first = { first: place('books'), graph: graphOf({ books: ['vault'] }) }
    expect(of('books', [], { observed: first })).toBe(true)
    expect(of('books', ['vault'], { templates: [said('books: no leader')] })).toBe(true)
  })

  it('counts of the stores of who was asked about', () => {
    const graph = graphOf({ web: ['stock', 'books'], stock: ['vault'] })
    expect(of('books', [], { observed: { first: place('stock'), symptom_service: 'web', graph } })).toBe(true)
  })
})
