import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_WITNESSED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, ONSET } from '../incident-scenarios.ts'
import { counted, facts, found, graphOf, place, risen, type Seen, said } from '../scene-by-hand.ts'

const NAMES: Snapshot['entities'] = ['web', 'stock', 'proxy-7'].map((name) => ({
  ...{ name, kind: 'service', aliases: [] },
}))
const observed: Seen['observed'] = {
  first: place('stock'),
  graph: graphOf({ web: ['stock'] }),
  flows: new Map([['stock', counted('stock', 400)]]),
}
const of = (seen: Seen) =>
  found('capacity', {
    ...seen,
    snapshot: { entities: NAMES, ...seen.snapshot },
    observed: { ...observed, ...seen.observed },
  })

/** What is free on a part, an hour before the harm and since. */
const free = (more: Partial<SeriesShift> = {}, entity = 'proxy-7') =>
  risen(entity, 'disk_free_bytes', {
    ...{ direction: 'down', before: 900, during: 0, extreme: 0, ...more },
    onset: { at: at(ONSET - 20), earliest: at(ONSET - 20), latest: at(ONSET - 20) },
  })
const own = said('cannot keep the log: no space left on device', 'proxy-7')
const named = said('read ECONNRESET (stock by way of proxy-7)', 'web')
const handed = (labels: Series['labels'] = { backend: 'stock' }, more: Partial<SeriesShift> = {}) =>
  risen(
    'proxy-7',
    'connections_open',
    { direction: 'down', is_bad: false, before: 40, during: 9, ...more },
    { labels },
  )
const pool = risen('stock', 'db_pool_used', { during: 0.4 }, { unit: '1' })

describe('a part that is known to be full', () => {
  it('is the cause where it was measured at its end, says so itself and is named by who fails', () => {
    const known = of({ shifts: [pool, free()], templates: [own, named] })
    expect(known).toMatchObject({
      ...{ kind: 'capacity', entity: 'proxy-7', is_placed: true, is_whole: true, yields_to_changes: true },
      ...{ what: 'a resource that is used up', at_most: CONFIDENCE_CAP_WITNESSED, score: 0.736 },
    })
    // What only moved at who waits for it says nothing of it.
    expect(facts(known)).toEqual([
      [0.45, 'disk_free_bytes'],
      [0.4, 'read ECONNRESET (stock by way of proxy-7)'],
      [0.2, 'cannot keep the log: no space left on device'],
    ])
  })

  it.each<[string, Pick<Seen, 'shifts' | 'templates'>]>([
    ['nobody names it', { shifts: [pool, free()], templates: [own] }],
    ['it says nothing', { shifts: [pool, free()], templates: [named, { ...own, service: 'stock' }] }],
    [
      'it tells of another',
      { shifts: [pool, free()], templates: [said('stock: too many connections', 'proxy-7'), named] },
    ],
    [
      'its processor is busy',
      {
        shifts: [pool, risen('proxy-7', 'cpu_usage', { during: 99 }, { unit: '%' })],
        templates: [own, named],
      },
    ],
    ['it has room', { shifts: [pool, free({ extreme: 91, during: 91 })], templates: [own, named] }],
    ['it has room again', { shifts: [pool, free({ ended_at: at(ONSET - 1) })], templates: [own, named] }],
    ['it is named in passing', { shifts: [pool, free()], templates: [own, { ...named, during: 4 }] }],
    ['it says so in passing', { shifts: [pool, free()], templates: [{ ...own, during: 4 }, named] }],
  ])('is not known where %s', (_, seen) => {
    expect(of({ ...seen, observed: { first: place('stock', { ended_at: null }) } })).not.toHaveProperty(
      'is_placed',
    )
  })

  it('is known as well by what it counts of the place that fails first, which stepped with the harm', () => {
    const known = of({ shifts: [free(), handed()] })
    expect(known).toMatchObject({ entity: 'proxy-7', is_placed: true, score: 0.67 })
    // Without a word of its own it stays half of an answer.
    expect(known).not.toHaveProperty('is_whole')
    const early = { at: at(ONSET - 9), earliest: at(ONSET - 9), latest: at(ONSET - 9) }
    for (const other of [
      handed({ backend: 'web' }),
      handed({}),
      handed(undefined, { onset: early }),
      handed(undefined, { ended_at: at(ONSET + 1) }),
    ])
      expect(of({ shifts: [free(), other] })).toBeUndefined()
    // What fails first is told of by its own resources.
    const itself = { ...handed(), series: { ...handed().series, entity: 'stock' } }
    expect(of({ shifts: [free({}, 'stock'), itself] })).not.toHaveProperty('is_placed')
  })

  it('is half of an answer where calls to it are counted, it calls others, or something of it was changed', () => {
    const seen = { shifts: [free()], templates: [own, named] }
    const isWhole = (more: Seen) => of({ ...seen, ...more })?.is_whole === true
    expect(isWhole({})).toBe(true)
    expect(isWhole({ observed: { flows: new Map([['proxy-7', counted('proxy-7', 1)]]) } })).toBe(false)
    expect(isWhole({ observed: { graph: graphOf({ web: ['stock'], 'proxy-7': ['stock'] }) } })).toBe(false)
    const changes = [commit('c1', ONSET - 20, 'More to keep on proxy', ['proxy/logs.cfg'], '')]
    expect(isWhole({ snapshot: { changes } })).toBe(false)
    expect(of({ ...seen, snapshot: { changes } })).toMatchObject({ entity: 'proxy-7', is_placed: true })
  })
})
