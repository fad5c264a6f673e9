import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import {
  event,
  facts,
  find,
  found,
  graphOf,
  place,
  risen,
  type Seen,
  SINCE,
  said,
  score,
  UNEXPLAINED,
  warned,
} from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('an event that a resource is at its end finds the series that show it, wherever they are', () => {
    const found = find([], {
      series: [series('stock-db', 'cpu_utilization_ratio', 0.3, 1)],
      events: [
        {
          ...{ source: 'events', timestamp: at(ONSET), resource: 'stock-db', service: 'stock-db' },
          ...{ kind: 'storage', message: 'burst balance exhausted, limited to the baseline' },
        },
      ],
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock-db' })
    expect(found.evidence.map(({ content }) => content).join('\n')).toContain('cpu_utilization_ratio')
  })

  it('an event of a resource places it there, though who waits for it is busy as well', () => {
    const found = find([], {
      series: [
        series('stock-db', 'cpu_utilization_ratio', 0.3, 1),
        series('stock-api', 'cpu_utilization_ratio', 0.3, 0.8),
      ],
      events: [
        {
          ...{ source: 'events', timestamp: at(ONSET), resource: 'stock-db', service: 'stock-db' },
          ...{ kind: 'storage', message: 'burst balance exhausted, limited to the baseline' },
        },
      ],
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock-db' })
  })

  it('a full volume of a node is what the service that cannot write to it has used up, and no trouble of the node', () => {
    const volume = (during: number) => ({
      ...series('node-7', 'node_disk_usage_ratio', 0.4, during),
      labels: { mountpoint: '/var/lib/stock' },
      unit: '1',
    })
    const message = 'ENOSPC: no space left on device, write'
    const entities = [{ name: 'node-7', kind: 'node' as const, aliases: [] }]
    const full = find([message], { entities, series: [volume(1)] })
    expect(full.cause).toMatchObject({ kind: 'capacity', entity: 'stock-api' })
    expect(full.confidence).toBeGreaterThan(0.5)
    const half = find([message], { entities, series: [volume(0.7)] })
    // The kernel's answer stands, but no series shows it.
    expect(half.confidence).toBeLessThan(full.confidence)
    expect(find(['nil pointer'], { entities, series: [volume(1)] }).cause.kind).not.toBe('capacity')
  })
})

describe('a resource that has room again', () => {
  it('is none while what failed first fails still, and is one where both ended together', () => {
    const of = (ended: number | null, first: Partial<FailingService>) =>
      found('capacity', {
        shifts: [risen('stock', 'db_connections_active', { ended_at: ended === null ? null : at(ended) })],
        observed: { first: place('stock', first) },
      })
    expect(of(null, {})).toBeDefined()
    expect(of(ONSET + 4, {})).toBeUndefined()
    expect(of(ONSET + 4, { ended_at: at(ONSET + 20) })).toBeUndefined()
    expect(of(ONSET + 15, { ended_at: at(ONSET + 20) })).toBeDefined()
    expect(of(ONSET + 14, { ended_at: at(ONSET + 20) })).toBeUndefined()
  })
})

describe('a used-up resource', () => {
  const spoken = 'connection pool exhausted'
  const full = (name = 'cpu_usage', during = 90, unit = '%', entity = 'stock') =>
    risen(entity, name, { during }, { unit })
  const first = { first: place('stock') }

  it('is told by words alone weakly, by an event better', () => {
    expect(found('capacity', { templates: [said(spoken)] })).toMatchObject({
      ...{ entity: 'stock', score: round6(0.2 * UNEXPLAINED), action: 'scale', yields_to_changes: true },
      what: 'a resource that is used up',
    })
    const many = ['a', 'b', 'c', 'd'].map((part) => said(`${part} ${spoken}`))
    expect(score('capacity', { templates: many, symptoms: [spoken] })).toBe(round6(1 - 0.8 ** 3))
    expect(found('capacity', { templates: many })?.signs).toHaveLength(3)
    expect(score('capacity', { snapshot: { events: [event(spoken)] } })).toBe(round6(0.35 * 0.8))
    expect(found('capacity', { snapshot: { alerts: warned(spoken) } })).toBeUndefined()
    expect(found('capacity', {})).toBeUndefined()
    expect(found('capacity', { shifts: [full()] })).toBeUndefined()
  })

  it.each([
    ['a share in percent', 'cpu_usage', '%', { during: 90 }, { during: 89 }],
    ['a share', 'cpu_usage', '1', { during: 0.9 }, { during: 0.89 }],
    ['what is free', 'memory_free_bytes', 'By', { before: 100, extreme: 10 }, { before: 100, extreme: 11 }],
    ['collections that free nothing', 'gc_seconds', 's', { during: 10 }, { during: 9 }],
  ] as const)('is at its end by %s', (_, name, unit, end, before) => {
    const of = (more: Partial<SeriesShift>, called: string = name) =>
      found('capacity', { shifts: [risen('stock', called, more, { unit })], observed: first })
    expect(of(end)).toMatchObject({ score: round6(0.45 * 0.8), entity: 'stock' })
    expect(of(before)).toMatchObject({ score: round6(0.3 * UNEXPLAINED) })
  })

  it('is not at its end where what was free was nothing before, or a number has no unit', () => {
    const of = (name: string, more: Partial<SeriesShift>, unit: string) =>
      score('capacity', { shifts: [risen('stock', name, more, { unit })], observed: first })
    expect(of('memory_free_bytes', { before: 0, extreme: 0 }, 'By')).toBe(round6(0.3 * UNEXPLAINED))
    expect(of('cpu_usage', { during: 99 }, 's')).toBe(round6(0.3 * UNEXPLAINED))
    expect(of('jvm_gc', { during: 10 }, 's')).toBe(round6(0.45 * 0.8))
    expect(of('garbage_seconds', { during: 10 }, 's')).toBe(round6(0.45 * 0.8))
    expect(of('gcp_cpu_usage', { during: 10 }, 's')).toBe(round6(0.3 * UNEXPLAINED))
  })

  it('is measured at the place, where an event tells of it, or at a full volume wherever it is', () => {
    const shifts = [full('cpu_usage', 90, '%', 'vault')]
    expect(found('capacity', { shifts, observed: first })).toBeUndefined()
    const events = [event(spoken, 'vault')]
    expect(found('capacity', { shifts, observed: first, snapshot: { events } })).toMatchObject({
      ...{ entity: 'vault', score: round6((1 - 0.55 * 0.65) * 0.8) },
    })
    const elsewhere = [event(spoken, 'web')]
    expect(
      found('capacity', { shifts, observed: first, snapshot: { events: elsewhere } })?.signs,
    ).toHaveLength(1)
    const templates = [said('write: no space left on device')]
    const volume = (name: string, during: number) =>
      found('capacity', { shifts: [full(name, during, '%', 'node-7')], templates })?.signs.length
    expect([volume('disk_usage', 90), volume('disk_usage', 89), volume('cpu_usage', 99)]).toEqual([2, 1, 1])
    expect(
      found('capacity', { shifts: [risen('stock', 'http_5xx_ratio', {}, { unit: '%' })], observed: first }),
    ).toBeUndefined()
    const well = risen('stock', 'cpu_usage', { is_bad: false, during: 95 }, { unit: '%' })
    expect(found('capacity', { shifts: [well], observed: first })).toBeUndefined()
    const four = ['cpu', 'memory', 'disk', 'network'].map((name) => full(`${name}_usage`))
    expect(found('capacity', { shifts: four, observed: first })).toMatchObject({ score: round6(0.75 * 0.8) })
    expect(found('capacity', { shifts: four, observed: first })?.signs).toHaveLength(3)
    const half = ['cpu', 'memory', 'disk'].map((name) => full(`${name}_usage`, 50))
    expect(score('capacity', { shifts: half, observed: first, symptoms: [spoken] })).toBe(0.55)
    const [one] = half
    expect(score('capacity', { shifts: [one as SeriesShift, full('memory_usage')], observed: first })).toBe(
      round6((1 - 0.7 * 0.55) * 0.8),
    )
  })

  it('is none elsewhere that began when users had long been hurt, or was over before they were', () => {
    const grown = (minute: number, ended_at: number | null = null) =>
      risen('stock-db', 'db_connections_active', {
        onset: { at: at(minute), earliest: at(minute), latest: at(minute) },
        ended_at,
      })
    const scene = (shift: SeriesShift): Seen => ({
      ...{ shifts: [shift], observed: { first: place('stock'), onset: SINCE } },
      snapshot: { events: [event('burst balance exhausted', 'stock-db', ONSET)] },
    })
    const shows = (shift: SeriesShift): boolean =>
      found('capacity', scene(shift))?.signs.some(({ fact }) => fact.of === 'shift') === true
    expect(shows(grown(ONSET + 5))).toBe(true)
    expect(shows(grown(ONSET + 6))).toBe(false)
    expect(shows(grown(ONSET - 15))).toBe(true)
    expect(shows(grown(ONSET - 16))).toBe(false)
    expect(shows(grown(ONSET - 10, at(ONSET - 1)))).toBe(false)
  })

  it('is made no surer by what a platform records of a part on which the place is not seen to depend', () => {
    const of = (entity: string, callees: Readonly<Record<string, readonly string[]>>) =>
      score('capacity', {
        shifts: [full('cpu_usage', 50)],
        observed: { ...first, graph: graphOf(callees) },
        snapshot: { events: [event('connection pool exhausted', entity)] },
      })
    const alone = round6(0.3 * UNEXPLAINED)
    const joined = round6((1 - 0.7 * 0.65) * 0.8)
    expect(of('vault', { web: ['stock'] })).toBe(alone)
    expect(of('vault', { web: ['stock'], stock: ['node-7'] })).toBe(alone)
    expect(of('vault', { stock: ['vault'] })).toBe(joined)
    expect(of('stock', { web: ['stock'] })).toBe(joined)
    // Nor is it where calls of the place are not counted, or nobody's: what it leans on is not known then.
    expect(of('vault', { web: ['node-7'] })).toBe(alone)
    expect(of('vault', {})).toBe(alone)
    expect(of('stock', {})).toBe(joined)
  })

  it('is told by lines from half an hour before the harm to five minutes after it began', () => {
    const of = (minute: number) =>
      found('capacity', { templates: [said(spoken, 'stock', { risen_at: at(minute) })] })
    expect(of(ONSET - 30)).toBeDefined()
    expect(of(ONSET - 30.1)).toBeUndefined()
    expect(of(ONSET + 5)).toBeDefined()
    expect(of(ONSET + 5.1)).toBeUndefined()
  })

  it('is told by a statement that is stuck, and by one that holds the load beside another sign', () => {
    const statement = (name: string, load: number, calls_per_s = 5) => ({
      ...{ source: 'statements', start: at(ONSET), end: at(LENGTH), statement: name, load, calls_per_s },
    })
    const of = (statements: Snapshot['statements'], seen: Seen = {}) =>
      found('capacity', { ...seen, snapshot: { statements } })
    expect(of([statement('select 1', 5)])).toBeUndefined()
    expect(of([statement('select 1', 5)], { templates: [said(spoken)] })).toMatchObject({
      score: round6((1 - 0.7 * 0.8) * UNEXPLAINED),
    })
    expect(
      of([statement('select 1', 5)], { shifts: [full('cpu_usage', 50)], observed: first })?.signs,
    ).toHaveLength(2)
    expect(of([statement('select 1', 5, 0)])).toMatchObject({ score: round6(0.45 * 0.8), entity: null })
    const both = [statement('select 1', 50), statement('select 2', 2, 0)]
    expect(facts(of(both))).toEqual([
      [0.45, 'statement'],
      [0.3, 'statement'],
    ])
    const stuck = ['a', 'b', 'c'].map((name) => statement(name, 5, 0))
    expect(of(stuck)?.signs).toHaveLength(2)
    expect(of([statement('select 1', 5, 0)], { observed: { symptom_service: 'web' } })?.entity).toBe('web')
  })

  it('one that was on its way to its end from the first sample on is told from where it began', () => {
    const on = (name: string, first: number, last: number, more: Partial<Series> = {}): Series => ({
      ...series('stock', name, 1, 1),
      values: Float64Array.from(
        { length: LENGTH },
        (_, minute) => first + ((last - first) * minute) / (LENGTH - 1),
      ),
      ...more,
    })
    const incident = { from: at(0), to: at(LENGTH) }
    const ended = (one: Series, shifts: readonly SeriesShift[] = []) =>
      found('capacity', {
        shifts,
        snapshot: { series: [one] },
        observed: { first: place('stock'), normal: { baselines: [], origin: 'derived', incident } },
      })
    const disk = ended(on('free_storage_bytes', 9e9, 1e8))
    expect(disk).toMatchObject({ entity: 'stock', score: 0.36, yields_to_changes: true })
    expect(facts(disk)).toEqual([[0.45, 'free_storage_bytes']])
    const [sign] = disk?.signs ?? []
    expect(sign?.fact.of === 'shift' ? sign.fact.shift.direction : null).toBe('down')
    expect(ended(on('cpu_used_percent', 20, 99, { unit: '%' }))).toMatchObject({ score: 0.36 })
    // It has room, it was as full at first, it is no resource, or of another place, or too little was measured.
    for (const other of [
      on('free_storage_bytes', 9e9, 1e9),
      on('cpu_used_percent', 20, 80, { unit: '%' }),
      on('cpu_used_percent', 70, 99, { unit: '%' }),
      on('free_storage_bytes', 9e9, 1e8, { entity: 'web' }),
      on('free_storage_bytes', 9e9, 1e8, { type: 'counter' }),
      on('requests_per_second', 20, 99, { unit: '%' }),
      on('free_storage_bytes', 9e9, 1e8, {
        times: Float64Array.from([0, 1, 2, 3, 119].map(at)),
        values: Float64Array.from([9e9, 8e9, 1e8, 1e8, 1e8]),
      }),
    ])
      expect(ended(other)).toBeUndefined()
    const known = on('free_storage_bytes', 9e9, 1e8)
    const shift = { ...risen('stock', 'free_storage_bytes', { is_bad: false }), series: known }
    expect(ended(known, [shift])).toBeUndefined()
  })
})
