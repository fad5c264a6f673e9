import { describe, expect, it } from 'vitest'
import type { OperationalCause } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { risen } from '../scene-by-hand.ts'
import {
  another,
  counted,
  firm,
  fused,
  type Given,
  mechanism,
  NO_BLAME,
  named,
  OBSERVED,
  PLAIN,
  STOCK,
  told,
  WEB,
} from '../verdict-by-hand.ts'

describe('what is named first', () => {
  it('is where it fails before changes elsewhere that leave most of what fails open', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    // The measurements do not point to a place clearly.
    const unclear: FailingService = { ...STOCK, blame: { ...NO_BLAME, strength: 0.4 } }
    const observed = { ...OBSERVED, flows, shifts: [], suspects: [unclear] }
    const far = { score: 0.35, words_score: 0.5, place: 0.5, reaches: 'web', closeness: 0.1 }
    const order = (more: Partial<RankedChange>, given: Partial<Given> = {}) =>
      named(fused({ ranked: [{ ...PLAIN, ...far, ...more }], observed, ...given }))
    expect(order({})).toEqual(['stock', 'c1'])
    // Who is only known to call counts as well.
    const callers = { ...observed, flows: new Map([['stock', counted(90)]]) }
    expect(order({}, { observed: callers })).toEqual(['stock', 'c1'])
    // What is there, what time singles out or can hardly be chance, and what no call is counted of, stays first.
    for (const more of [
      { reaches: 'stock' },
      { closeness: 0.2 },
      { hardly_chance: true },
      { reaches: 'edge' },
      { spent: risen('web', 'pool_waiters', {}) },
    ])
      expect(order(more)[0]).toBe('c1')
    // Nor where anything else that happened explains it, or where the place does not.
    expect(order({}, { operational: [firm({ score: 0.25, entity: 'stock' })] })[0]).not.toBe('stock')
    expect(
      order(
        {},
        {
          observed: {
            ...observed,
            flows: new Map([
              ['web', { ...counted(90), entity: 'web' }],
              ['till', { ...counted(0), entity: 'till' }],
            ]),
          },
        },
      )[0],
    ).toBe('c1')
  })

  it('is what is outside and was counted to fail most calls, before what arrived elsewhere by chance or not, though who asks it is suspected', () => {
    const order = (
      failed: number,
      more: Partial<RankedChange> = {},
      given: Partial<typeof OBSERVED> = {},
    ) => {
      const flow = { ...counted(failed), entity: 'outside' }
      const outside: FailingService = { ...WEB, entity: 'outside', shifts: [], flow, blame: null }
      const observed = {
        ...{
          ...OBSERVED,
          first: outside,
          unexplained: [outside],
          shifts: [],
          flows: new Map([['outside', flow]]),
        },
        ...{ suspects: [{ ...STOCK, blame: { ...NO_BLAME, strength: 0.99 } }] },
        ...given,
      }
      const struck = { score: 0.3, place: 0.95, reaches: 'box-7', hardly_chance: true, closeness: 0.5 }
      return named(fused({ ranked: [{ ...PLAIN, ...struck, ...more }], observed }))[0]
    }
    const all = counted(90).calls
    expect(order(all)).toBe('outside')
    expect(order(all / 2)).toBe('outside')
    expect(order(all / 2 - 1)).toBe('c1')
    // What shows how it does the harm stays first, and so does any where that one measures something itself.
    expect(order(all, { mechanism: mechanism(0.6) })).toBe('c1')
    expect(order(all, {}, { shifts: [risen('outside', 'pool_waiters', {})] })).toBe('c1')
  })

  it('is where it fails before half of an answer and everyday records that leave most of what fails open', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    const observed = { ...OBSERVED, flows, shifts: [] }
    const order = (more: Partial<OperationalCause>) =>
      named(
        fused({
          operational: [firm({ entity: 'web', signs: [told('x', { entity: 'web' })], ...more })],
          observed,
        }),
      )
    for (const aside of [{ is_everyday: true }, { kind: 'data' as const }])
      expect(order(aside)[0], JSON.stringify(aside)).toBe('stock')
    // Any other cause stays first, and so does an everyday record of the very place.
    expect(order({})[0]).toBe('dns')
    expect(order({ is_everyday: true, entity: 'stock' })[0]).toBe('dns')
  })

  it('is a place that is clearly pointed to before records elsewhere for which nothing but time speaks', () => {
    const blamed = (strength: number): FailingService => ({ ...STOCK, blame: { ...NO_BLAME, strength } })
    const bare = { is_linked: false, place: 0.7, reaches: 'web', closeness: 0.5 }
    const unfelt = { ...OBSERVED, shifts: [], flows: new Map() }
    const order = (more: Partial<RankedChange>, strength = 0.5, given: Partial<Given> = {}) =>
      named(
        fused({
          ranked: [{ ...PLAIN, ...bare, ...more }],
          observed: { ...unfelt, suspects: [blamed(strength), WEB] },
          ...given,
        }),
      )
    expect(order({})).toEqual(['stock', 'c1'])
    expect(order({}, 0.49)[0]).toBe('c1')
    for (const more of [{ reaches: 'stock' }, { coincides: true }, { mechanism: mechanism(0.3) }])
      expect(order(more)[0]).toBe('c1')
    // Where nothing tells what the place explains, whatever ties a record to what fails speaks for it.
    const untold = { observed: { ...unfelt, first: null, suspects: [blamed(0.5), WEB] } }
    expect(order({}, 0.5, untold)[0]).toBe('stock')
    for (const more of [{ is_linked: true }, { hardly_chance: true }, { reaches: null }])
      expect(order(more, 0.5, untold)[0], JSON.stringify(more)).toBe('c1')
    // Whom its place explains is asked first where somebody was measured to be hurt.
    const hurt = { ...OBSERVED, suspects: [blamed(0.9), WEB] }
    expect(order({}, 0.9, { observed: hurt })[0]).toBe('c1')
    const other = another('c2', { reaches: 'web', score: 0.7 })
    expect(order({}, 0.9, { ranked: [{ ...PLAIN, ...bare }, other] })[0]).toBe('c2')
    expect(order({}, 0.9, { operational: [firm({ score: 0.5, entity: 'vault' })] })[0]).not.toBe('stock')
    expect(order({}, 0.9, { observed: { ...unfelt, suspects: [{ ...STOCK, blame: null }, WEB] } })[0]).toBe(
      'c1',
    )
    expect(order({}, 0.9, { observed: { ...unfelt, suspects: [] } })[0]).toBe('c1')
  })

  it('is a place that is clearly pointed to and explains what fails, before changes elsewhere that only words or time speak for', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    const blamed = (strength: number): FailingService => ({ ...STOCK, blame: { ...NO_BLAME, strength } })
    const far = { score: 0.35, words_score: 0.5, place: 0.7, reaches: 'web', closeness: 0.3 }
    const order = (more: Partial<RankedChange>, strength = 0.5) =>
      named(
        fused({
          ranked: [{ ...PLAIN, ...far, ...more }],
          observed: { ...OBSERVED, shifts: [], flows, suspects: [blamed(strength)] },
        }),
      )
    // Wherever it arrived else: where calls are counted, where none are, or at nobody that is known.
    for (const reaches of ['web', 'edge', null]) expect(order({ reaches })).toEqual(['stock', 'c1'])
    // However soon before it did, and whatever else was hardly there by chance.
    expect(order({ hardly_chance: true, closeness: 0.9 })).toEqual(['stock', 'c1'])
    expect(order({}, 0.49)[0]).toBe('c1')
    for (const more of [{ reaches: 'stock' }, { coincides: true }, { mechanism: mechanism(0.3) }])
      expect(order(more)[0]).toBe('c1')
  })

  it('is that place too where something else happened that is less likely and explains as little', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    const suspect: FailingService = { ...STOCK, blame: { ...NO_BLAME, strength: 0.9 } }
    const elsewhere = { ...PLAIN, score: 0.5, words_score: 0.5, place: 0.7, reaches: 'web', closeness: 0.3 }
    const order = (more: Partial<OperationalCause>) =>
      named(
        fused({
          ranked: [elsewhere],
          operational: [
            firm({
              ...{ score: 0.3, entity: 'batch-1', signs: [told('x', { entity: 'batch-1' })] },
              ...more,
            }),
          ],
          observed: { ...OBSERVED, shifts: [], flows, suspects: [suspect] },
        }),
      )
    expect(order({})).toEqual(['stock', 'c1', 'dns'])
    expect(order({ score: 0.6 })[0]).toBe('dns')
    expect(order({ entity: 'stock' })[0]).toBe('dns')
  })

  it('is what leaves most of what fails open, but says something, before what says little and leaves it open as well', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    // It arrived where nothing of that fails, and only words speak for it.
    const little = { ...PLAIN, words_score: 0.5, score: 0.5, place: 0.7, reaches: 'web', closeness: 0.3 }
    const unclear: FailingService = { ...STOCK, blame: { ...NO_BLAME, strength: 0.4 } }
    const dns = firm({ score: 0.3, entity: 'batch-1', signs: [told('x', { entity: 'batch-1' })] })
    const order = (more: Partial<RankedChange>, cause: Partial<OperationalCause> = {}) =>
      named(
        fused({
          ranked: [{ ...little, ...more }],
          operational: [{ ...dns, ...cause }],
          observed: { ...OBSERVED, shifts: [], flows, suspects: [unclear] },
        }),
      )
    expect(order({})[0]).toBe('dns')
    expect(order({ spent: risen('web', 'pool_waiters', {}) })[0]).toBe('c1')
    expect(order({ hardly_chance: true })[0]).toBe('c1')
    expect(order({ reaches: 'stock' })[0]).toBe('c1')
    expect(order({}, { is_everyday: true })[0]).toBe('c1')
  })
})
