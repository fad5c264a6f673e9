import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_WITNESSED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET, series } from '../incident-scenarios.ts'
import { event, facts, found, graphOf, PLACES, place, risen, said } from '../scene-by-hand.ts'
import { counted } from '../verdict-by-hand.ts'

const fell = (entity: string, more: Partial<SeriesShift> = {}, name = 'pg_up', of: Partial<Series> = {}) =>
  risen(
    entity,
    name,
    { ...{ direction: 'down', is_bad: true, before: 1, during: 0, extreme: 0, latest: 0 }, ...more },
    of,
  )
const refused = (entity: string, by = 'web') => said(`could not connect to ${entity}`, by)
const of = (
  shifts: readonly SeriesShift[],
  templates = [refused('vault')],
  more: Parameters<typeof found>[1] = {},
) => found('infra', { shifts, templates, ...more })

describe('a part that is down', () => {
  it('is told by who measures it and by who calls it, as half of an answer', () => {
    const one = of([fell('vault')])
    expect(one).toMatchObject({
      ...{ entity: 'vault', score: 0.72, action: 'failover', yields_to_changes: true },
      ...{ what: 'a part that is down and does not come back', at_most: CONFIDENCE_CAP_UNLINKED },
      is_placed: true,
    })
    expect(facts(one)).toEqual([
      [0.6, 'pg_up'],
      [0.3, 'could not connect to vault'],
    ])
    const many = ['web', 'stock', 'a', 'b'].map((by) => refused('vault', by))
    expect(of([fell('vault')], many)?.signs).toHaveLength(4)
    expect(of([fell('vault')], many)?.score).toBe(0.85)
  })

  it('is sure of its place where no call to it is counted, whoever else fails', () => {
    const flows = (entity: string) => ({ observed: { flows: new Map([[entity, counted(90)]]) } })
    expect(of([fell('vault')], undefined, flows('web'))).toMatchObject({ is_placed: true })
    expect(of([fell('vault')], undefined, flows('vault'))).not.toHaveProperty('is_placed')
  })

  it('is missed, and sure of its place, where most calls to it are counted to fail inside it', () => {
    const flows = (own: number, entity = 'vault') => ({
      observed: { flows: new Map([[entity, counted(own)]]) },
    })
    const inside = of([fell('vault')], [], flows(counted(0).calls / 2))
    expect(inside).toMatchObject({
      entity: 'vault',
      score: 0.72,
      is_placed: true,
      at_most: CONFIDENCE_CAP_UNLINKED,
    })
    expect(facts(inside)).toEqual([
      [0.6, 'pg_up'],
      [0.3, 'calls'],
    ])
    expect(of([fell('vault')], [], flows(counted(0).calls / 2 - 1))).toBeUndefined()
    expect(of([fell('vault')], [], flows(counted(0).calls, 'web'))).toBeUndefined()
  })

  it('is the cause, and no half of one, where its platform recorded near the onset that it failed', () => {
    const text =
      'The DB instance has failed due to an incompatible configuration or an underlying storage issue.'
    const told = (message = text, by = 'vault', minute = ONSET + 4) =>
      of([fell('vault')], [], {
        snapshot: { entities: PLACES, events: [event(message, by, minute, 'failure')] },
      })
    expect(told()).toMatchObject({ entity: 'vault', score: 0.84, at_most: CONFIDENCE_CAP_WITNESSED })
    expect(facts(told())).toEqual([
      [0.6, 'pg_up'],
      [0.6, `failure ${text}`],
    ])
    for (const other of [
      told('Backing up the DB instance'),
      told(text, 'web'),
      told(text, 'vault', ONSET + 6),
    ])
      expect(other?.what).not.toBe('a part that is down and does not come back')
  })

  it('is none where nobody who calls it complains, in time and again and again', () => {
    expect(of([fell('vault')], [])).toBeUndefined()
    expect(of([fell('vault')], [said('could not connect to vault', 'vault')])).toBeUndefined()
    expect(of([fell('vault')], [said('could not connect', 'web')])).toBeUndefined()
    expect(of([fell('vault')], [{ ...refused('vault'), during: 4 }])).toBeUndefined()
    expect(
      of([fell('vault')], [said('connected to vault', 'web', { severity: 'information' })]),
    ).toBeUndefined()
  })

  it('is complained of, too, by who calls it and quotes what it answered', () => {
    const quoted = (by: string, text = 'FATAL: could not open file "x": Input/output error') =>
      of([fell('vault')], [said(text, by)], { observed: { graph: graphOf({ web: ['vault'] }) } })
    expect(facts(quoted('web'))).toContainEqual([0.3, 'FATAL: could not open file "x": Input/output error'])
    expect(quoted('stock')?.what).not.toBe('a part that is down and does not come back')
    expect(quoted('web', 'the request failed')).toBeUndefined()
  })

  it('is none that is reached still, was never reached, came back, or went long before', () => {
    for (const more of [
      { during: 0.2 },
      { before: 0.8 },
      { direction: 'up' as const },
      { ended_at: at(ONSET - 1) },
      { onset: { at: at(ONSET - 40), earliest: at(ONSET - 40), latest: at(ONSET - 40) } },
    ])
      expect([more, of([fell('vault', more)])]).toEqual([more, undefined])
    const back = fell('vault', { ended_at: at(ONSET + 9) })
    expect(of([back], [refused('vault')], { observed: { first: place('web') } })).toBeUndefined()
  })

  it('is told by nothing but whether it is reached', () => {
    expect(of([fell('vault', {}, 'requests_served')])).toBeUndefined()
    expect(of([fell('vault', {}, 'backup')])).toBeUndefined()
    expect(of([fell('vault', {}, 'probe_success_total')])).toBeUndefined()
    for (const name of ['up', 'redis_up', 'db-alive', 'probe_reachable', 'probe_success'])
      expect([name, of([fell('vault', {}, name)])?.entity]).toEqual([name, 'vault'])
  })

  it('is told by who asks from outside only where no call to it is counted and nobody nearer tells of another', () => {
    const probed = fell('vault', {}, 'probe_success')
    const flows = new Map([['vault', counted(90)]])
    expect(of([probed], undefined, { observed: { flows } })?.what).not.toBe(
      'a part that is down and does not come back',
    )
    const both = [refused('vault'), refused('stock')]
    expect(of([probed, fell('stock')], both)?.entity).toBe('stock')
    expect(of([probed, fell('stock')])?.entity).toBe('vault')
  })

  it('is whole: an instance that answers serves the rest', () => {
    const other = (level: number) => ({
      snapshot: { series: [{ ...series('vault', 'pg_up', 1, level), labels: { instance: 'b' } }] },
    })
    expect(of([fell('vault')], [refused('vault')], other(1))).toBeUndefined()
    expect(of([fell('vault')], [refused('vault')], other(0))).toBeDefined()
    // That its exporter is up says nothing of the store, nor that its machine is reached of what runs there.
    for (const name of ['up', 'probe_success'])
      expect(
        of([fell('vault')], [refused('vault')], { snapshot: { series: [series('vault', name, 1, 1)] } }),
      ).toBeDefined()
    const own = fell('vault')
    expect(of([own], [refused('vault')], { snapshot: { series: [own.series] } })).toBeDefined()
  })

  it('is the one that the others lean on, and nobody where none leans on another', () => {
    const two = [fell('stock'), fell('vault')]
    const told = [refused('vault'), refused('stock')]
    expect(of(two, told, { observed: { graph: graphOf({ stock: ['vault'] }) } })?.entity).toBe('vault')
    expect(of(two, told)).toBeUndefined()
  })
})
