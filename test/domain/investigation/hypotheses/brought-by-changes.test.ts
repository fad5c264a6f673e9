import { describe, expect, it } from 'vitest'
import type { OperationalCause } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import {
  changeBefore,
  doneOnMachine,
  isContested,
  struckThere,
} from '#shared/domain/investigation/hypotheses/brought-by-changes.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { another, firm, LINKS, mechanism, record, shifted, shown, told } from '../verdict-by-hand.ts'

const ranking = (...ranked: readonly RankedChange[]) => ({ ranked, too_late: [] })
/** The disk of `stock` is full, and it says so. */
const full = (more: Partial<OperationalCause> = {}) => firm({ kind: 'capacity', ...more })
const trivial = { trivial: 'only comments' }

describe('the change that brought what fails a place', () => {
  const broughtBy = (more: Partial<RankedChange>, found = full()) =>
    changeBefore(found, ranking(another('c7', more)))?.change.id

  it('is one that reached the very place next to alone, just before', () => {
    expect(broughtBy({ coincides: true })).toBe('c7')
    expect(broughtBy({})).toBeUndefined()
    expect(broughtBy({ coincides: true, reaches: 'web' })).toBeUndefined()
    expect(broughtBy({ coincides: true, ...trivial })).toBeUndefined()
  })

  it('is one after which something began to be used up there', () => {
    expect(broughtBy({ spent: LINKS.spent })).toBe('c7')
  })

  it('is one that time singles out and whose text can do such harm, and none of which only one holds', () => {
    expect(broughtBy({ closeness: 0.2, mechanism: mechanism(0.2) })).toBe('c7')
    expect(broughtBy({ closeness: 0.19, mechanism: mechanism(0.9) })).toBeUndefined()
    expect(broughtBy({ closeness: 0.9, mechanism: mechanism(0.19) })).toBeUndefined()
    expect(broughtBy({ closeness: 0.9, mechanism: null })).toBeUndefined()
  })

  it('is sought where changes bring such a cause: not of a name, a certificate, a provider or a machine', () => {
    for (const kind of ['infra', 'capacity', 'data', 'config'] as const)
      expect(broughtBy({ coincides: true }, full({ kind }))).toBe('c7')
    for (const kind of ['dns', 'certificate', 'provider', 'node', 'network'] as const)
      expect(broughtBy({ coincides: true }, full({ kind } as never))).toBeUndefined()
  })

  it('is sought where more is known than one measurement of how a place fails', () => {
    const kind = 'infra'
    expect(broughtBy({ coincides: true }, full({ kind, signs: [shown('stock')] }))).toBeUndefined()
    expect(broughtBy({ coincides: true }, full({ kind, signs: [shown('stock'), told('x')] }))).toBe('c7')
  })

  it('is the likeliest of those that it can be', () => {
    const all = ranking(another('a', { reaches: 'web', coincides: true }), another('b', { coincides: true }))
    expect(changeBefore(full(), all)?.change.id).toBe('b')
    expect(changeBefore(full(), ranking())).toBeUndefined()
  })
})

describe('the change that brought more traffic', () => {
  const often = (score: number) => mechanism(score, { id: 'frequency' })
  const broughtBy = (more: Partial<RankedChange>) =>
    changeBefore(
      full({ kind: 'traffic' }),
      ranking(another('c7', { closeness: 0.1, mechanism: often(0.2), ...more })),
    )?.change.id

  it('makes something there happen more often, and came just before', () => {
    expect(broughtBy({})).toBe('c7')
    expect(broughtBy({ closeness: 0 })).toBeUndefined()
    expect(broughtBy({ mechanism: often(0.19) })).toBeUndefined()
    expect(broughtBy({ mechanism: mechanism(0.9) })).toBeUndefined()
    expect(broughtBy({ mechanism: null, coincides: true })).toBeUndefined()
    expect(broughtBy({ reaches: 'web' })).toBeUndefined()
    expect(broughtBy(trivial)).toBeUndefined()
  })

  it('empties a cache of a provider, where that is what makes the demand', () => {
    const emptied = (id: string) =>
      changeBefore(
        full({ kind: 'provider' }),
        ranking(another('c7', { closeness: 0.1, mechanism: mechanism(0.9, { id }) })),
      )?.change.id
    expect([emptied('caching'), emptied('frequency')]).toEqual(['c7', undefined])
  })
})

describe('what was done on a machine in trouble', () => {
  const node = (more: Partial<OperationalCause> = {}) =>
    firm({ kind: 'node', entity: 'stock', signs: [shown('stock')], ...more })
  const from = (minute: number, known = true) => ({
    effective_at: { from: at(minute), to: at(minute), known },
  })
  const done = (more: Partial<RankedChange> = {}, found = node()) =>
    doneOnMachine(found, ranking(another('c7', { hardly_chance: true, ...from(ONSET - 2), ...more })))?.change
      .id

  it('is why it is, where its own telemetry left normal so soon after that it is hardly chance', () => {
    expect(done()).toBe('c7')
    expect(done({}, node({ kind: 'network' }))).toBe('c7')
    expect(done({ hardly_chance: false, ...from(ONSET - 9) })).toBeUndefined()
    expect(done(trivial)).toBeUndefined()
  })

  it('is not why where nobody knows when it took effect, or what it did began before', () => {
    expect(done(from(ONSET - 2, false))).toBeUndefined()
    const { latest } = LINKS.echo.shift.onset
    const exactly = (instant: number) => ({ effective_at: { from: instant, to: instant, known: true } })
    expect(done(exactly(latest))).toBe('c7')
    expect(done(exactly(latest + 1))).toBeUndefined()
  })

  it('is told by what is measured of that very machine, and by nothing that was only said', () => {
    expect(done({}, node({ signs: [told('disk is lost'), shown('web')] }))).toBeUndefined()
    expect(done({}, node({ signs: [told('disk is lost'), shown('stock')] }))).toBe('c7')
  })

  it('was done there, wherever it is where nobody knows which machine it is', () => {
    expect(done({}, node({ entity: 'web' }))).toBeUndefined()
    expect(done({}, node({ entity: null }))).toBe('c7')
    expect(done({ reaches: null }, node({ entity: null }))).toBeUndefined()
  })

  it('was done to the set that the machine is of by its number, there without an instant where that was used up since', () => {
    const of = (entity: string, more: Partial<RankedChange> = {}) =>
      done(more, node({ entity, signs: [shown(entity)] }))
    expect(of('stock-3')).toBe('c7')
    expect(of('stock-x7f')).toBe('c7')
    for (const other of ['stock-db', 'stocks-3', 'web-3']) expect(of(other), other).toBeUndefined()
    const spent = { spent: LINKS.spent, hardly_chance: false, ...from(ONSET + 9, false) }
    expect(of('stock-3', spent)).toBe('c7')
    expect(of('web-3', spent)).toBeUndefined()
    expect(of('stock-3', { ...spent, spent: null })).toBeUndefined()
  })

  it('is why the machine is in trouble, at an instant that nobody knows, where what it sets was measured to be so since', () => {
    const set = { echo: LINKS.echo, hardly_chance: false, ...from(ONSET - 12, false) }
    expect(done(set)).toBe('c7')
    expect(done({ ...set, reaches: 'web' })).toBeUndefined()
    expect(done({ ...set, echo: null })).toBeUndefined()
  })

  it('is why where what is measured of the machine left normal within three minutes, whenever users felt it', () => {
    const { onset } = LINKS.echo.shift
    const early = (instant: number, known = true) => ({
      ...{ hardly_chance: false },
      effective_at: { from: instant, to: instant, known },
    })
    expect(done(early(onset.at - 180_000))).toBe('c7')
    expect(done(early(onset.at - 180_001))).toBeUndefined()
    expect(done(early(onset.latest + 1))).toBeUndefined()
    expect(done(early(onset.at - 60_000, false))).toBeUndefined()
    expect(done(early(onset.at - 60_000), node({ entity: null }))).toBeUndefined()
    expect(done(early(onset.at - 60_000), node({ signs: [shown('web')] }))).toBeUndefined()
  })

  it('is why a part is there no more that is no machine, as a store that ends under what is done to it', () => {
    const gone = (entity: string, during = 0, name = 'pg_up') => ({
      strength: 0.6,
      fact: {
        of: 'shift' as const,
        shift: { ...shifted(entity, name), ...{ direction: 'down' as const, before: 1, during } },
      },
    })
    const down = (sign = gone('stock')) => node({ kind: 'infra', signs: [sign] })
    const early = (ms: number) => {
      const instant = LINKS.echo.shift.onset.at - ms
      return { hardly_chance: false, effective_at: { from: instant, to: instant, known: true } }
    }
    expect(done(early(180_000), down())).toBe('c7')
    expect(done(early(180_001), down())).toBeUndefined()
    expect(done({ ...early(180_000), reaches: 'web' }, down())).toBeUndefined()
    expect(done(early(180_000), down(gone('web')))).toBeUndefined()
    expect(done(early(180_000), down(gone('stock', 0.5)))).toBeUndefined()
    expect(done(early(180_000), down(gone('stock', 0, 'jobs')))).toBeUndefined()
  })

  it('is asked of machines, of ways between them and of what is gone alone', () => {
    expect(done({}, node({ kind: 'capacity' }))).toBeUndefined()
    expect(done({}, node({ kind: 'infra' }))).toBeUndefined()
  })

  it('is why machines, ways and parts are missing wherever they are, where what it was done to came to nothing', () => {
    const stopped = { is_stopped: true, hardly_chance: false }
    for (const kind of ['node', 'network', 'infra'] as const)
      expect(done(stopped, node({ kind, entity: 'web' }))).toBe('c7')
    expect(done(stopped, node({ kind: 'capacity' }))).toBeUndefined()
    // Of what it is known what led there nothing else is why.
    expect(done(stopped, node({ kind: 'infra', entity: 'web', is_whole: true }))).toBeUndefined()
  })

  it('is why a store changed places, where that is the very record of the platform that followed it', () => {
    const event = {
      ...{ source: 'events', timestamp: at(ONSET - 1), resource: 'stock', kind: 'notification' },
      message: 'Completed failover to DB instance: stock-2',
    }
    const text = told(event.message, { origin: 'event', at: event.timestamp })
    const moved = { failed_over: event, hardly_chance: false }
    const failover = (more: Partial<OperationalCause> = {}) => firm({ kind: 'infra', signs: [text], ...more })
    expect(done(moved, failover())).toBe('c7')
    // Whom it failed tells of it too: it is one story, at whichever place that is put.
    expect(done(moved, failover({ entity: 'web' }))).toBe('c7')
    expect(done({ ...moved, failed_over: null }, failover())).toBeUndefined()
    expect(done({ ...moved, reaches: 'web' }, failover())).toBeUndefined()
    expect(done(moved, failover({ kind: 'capacity' }))).toBeUndefined()
    const other = told(event.message, { origin: 'event', at: at(ONSET) })
    expect(done(moved, failover({ signs: [other] }))).toBeUndefined()
  })
})

describe('what struck the very place that fails', () => {
  const unread = { diff: { ...another('c7').diff, size: 0 }, mechanism: null }
  const from = (instant: number, known = true) => ({ effective_at: { from: instant, to: instant, known } })
  const slow = (more: Partial<OperationalCause> = {}) =>
    firm({ kind: 'infra', entity: 'stock', signs: [shown('stock')], ...more })
  const struck = (more: Partial<RankedChange> = {}, found = slow()) =>
    struckThere(found, ranking(another('c7', { hardly_chance: true, ...unread, ...more })))?.change.id

  it('is why it fails as it does, where it came so soon before that it is hardly chance', () => {
    expect(struck()).toBe('c7')
    expect(struck({ hardly_chance: false })).toBeUndefined()
    expect(struck({ score: 0.14 })).toBeUndefined()
    expect(struck(trivial)).toBeUndefined()
  })

  it('reached that very place, and nobody else', () => {
    expect(struck({ reaches: 'web' })).toBeUndefined()
    expect(struck({}, slow({ entity: 'web' }))).toBeUndefined()
    expect(struck({ place: 0.94 })).toBeUndefined()
    expect(struck({}, slow({ entity: null }))).toBeUndefined()
    expect(struck({ reaches: null }, slow({ entity: null }))).toBeUndefined()
  })

  it('took effect before anything of it was seen, at an instant that is known', () => {
    const { latest } = LINKS.echo.shift.onset
    expect(struck(from(latest))).toBe('c7')
    expect(struck(from(latest + 1))).toBeUndefined()
    expect(struck(from(at(ONSET - 2), false))).toBeUndefined()
    const signs = [told('disk is slow', { at: at(ONSET - 3) }), shown('stock')]
    expect(struck(from(at(ONSET - 3)), slow({ signs }))).toBe('c7')
    expect(struck(from(at(ONSET - 2)), slow({ signs }))).toBeUndefined()
  })

  it('cannot be read, or does what can do harm, or is of settings: code that could do nothing of the kind is no reason', () => {
    const read = { diff: { ...unread.diff, size: 1 } }
    for (const kind of ['config', 'infra', 'flag', 'scale'] as const)
      expect(struck({ ...read, change: record({ id: 'c7', kind }) }), kind).toBe('c7')
    expect(struck({ ...read, mechanism: mechanism(0.19) })).toBeUndefined()
    expect(struck({ ...read, mechanism: mechanism(0.2) })).toBe('c7')
  })

  it('is asked of what tells how a place fails, and not of what happens by itself', () => {
    for (const kind of ['infra', 'capacity', 'data', 'config', 'node', 'network'] as const)
      expect(struck({}, slow({ kind })), kind).toBe('c7')
    for (const kind of ['traffic', 'dns', 'certificate', 'provider'] as const)
      expect(struck({}, slow({ kind })), kind).toBeUndefined()
  })
})

describe('that no change brought a cause', () => {
  const contested = (more: Partial<RankedChange>, found = full()) =>
    isContested(found, ranking(another('a', { reaches: 'web' }), another('b', { closeness: 0.2, ...more })))

  it('cannot be said where time singles out one that reached the very place', () => {
    expect(contested({})).toBe(true)
    expect(contested({ closeness: 0.19 })).toBe(false)
    expect(contested({ reaches: 'web' })).toBe(false)
    expect(contested(trivial)).toBe(false)
  })

  it('can be said of what fails without a change as a rule', () => {
    expect(contested({}, full({ kind: 'dns' }))).toBe(false)
  })
})
