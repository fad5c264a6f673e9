import fc from 'fast-check'
import { ulid } from 'ulid'
import { describe, expect, it } from 'vitest'
import { derivedId, idBefore, idBounds, idWritten, isId, timeOf } from '#shared/domain/ids.ts'

// The library takes 0 for "now".
const instants = fc.integer({ min: 1, max: 2 ** 47 })

describe('ids', () => {
  it('have the prefix of their kind and a ULID', () => {
    fc.assert(
      fc.property(instants, (at) => {
        expect(isId(`inc_${ulid(at)}`, 'inc')).toBe(true)
      }),
    )
  })

  it('of another form or kind are told apart', () => {
    for (const id of [
      '',
      'inc',
      'inc_',
      'inc_1',
      `wh_${ulid(1)}`,
      `inc_${ulid(1)}0`,
      `inc_${ulid(1).toLowerCase()}`,
      `inc_8${ulid(1).slice(1)}`,
      `inc_${ulid(1).slice(1)}U`,
      ulid(1),
    ]) {
      expect(isId(id, 'inc'), id).toBe(false)
    }
  })

  it('are found in a text however they are written, also with a letter that no id has', () => {
    const id = `inc_${ulid(1)}`
    expect(idWritten(`Is ${id} over?`, 'inc')).toBe(id)
    expect(idWritten(`is ${id.toLowerCase()}, or inc_${ulid(2)}, over?`, 'inc')).toBe(id)
    const slip = `${id.slice(0, -1)}O`
    expect([idWritten(slip.toLowerCase(), 'inc'), isId(slip, 'inc')]).toEqual([slip, false])
    for (const text of ['', 'inc_1', `x${id}`, `${id}0`, `wh_${ulid(1)}`])
      expect(idWritten(text, 'inc'), text).toBeNull()
  })

  it('of an instant lie within its bounds, those of other instants outside', () => {
    fc.assert(
      fc.property(instants, instants, (at, other) => {
        const { first, last } = idBounds('inc', at)
        const id = `inc_${ulid(other)}`
        expect(first <= id && id <= last).toBe(at === other)
        expect(id < first).toBe(other < at)
        expect(id > last).toBe(other > at)
      }),
    )
  })

  it('tell their instant', () => {
    fc.assert(
      fc.property(instants, (at) => {
        expect(timeOf(`inc_${ulid(Math.max(1, at))}`)).toBe(Math.max(1, at))
        expect(timeOf(idBounds('inc', at).first)).toBe(at)
        expect(timeOf(idBounds('inc', at).last)).toBe(at)
      }),
    )
    expect(() => timeOf('inc_1')).toThrow(RangeError)
  })

  it('have a neighbour below them, with nothing of the same prefix in between', () => {
    fc.assert(
      fc.property(instants, instants, (at, other) => {
        const id = `inc_${ulid(at)}`
        const below = idBefore(id)
        expect(isId(below, 'inc')).toBe(true)
        expect(below < id).toBe(true)
        const some = `inc_${ulid(other)}`
        expect(some > below && some < id).toBe(false)
      }),
    )
    expect(idBefore(`inc_${'0'.repeat(9)}10${'0'.repeat(15)}`)).toBe(`inc_${'0'.repeat(10)}${'Z'.repeat(16)}`)
    expect(idBefore('inc_00000000000000000000000001')).toBe('inc_00000000000000000000000000')
    expect(() => idBefore('inc_00000000000000000000000000')).toThrow(RangeError)
    expect(() => idBefore('inc_x')).toThrow(RangeError)
  })
})

it('an id needs its own prefix, and one that is none is named in the error', () => {
  const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  expect(isId(`inc_${ulid}`, 'inc')).toBe(true)
  for (const other of [`key_${ulid}`, `xxx_${ulid}`, `inc-${ulid}`, ulid, `inc_x${ulid}`])
    expect(isId(other, 'inc')).toBe(false)
  expect(() => timeOf('inc_1')).toThrow('not an id: inc_1')
  expect(() => idBefore('inc_1')).toThrow('not an id: inc_1')
})

it('the id before another is the next smaller one, down to the smallest, which has none', () => {
  expect(idBefore('inc_00000000000000000000000001')).toBe('inc_00000000000000000000000000')
  expect(idBefore('inc_10000000000000000000000000')).toBe(`inc_0${'Z'.repeat(25)}`)
  expect(() => idBefore('inc_00000000000000000000000000')).toThrow(
    'no id is smaller than inc_00000000000000000000000000',
  )
})

describe('an id that is derived from another', () => {
  const digest = (byte: number) => new Uint8Array(32).fill(byte)
  const event = 'evt_01KDZ0123456789ABCDEFGHJKM'

  it('has its own prefix, the same instant, and characters for the first 16 bytes of the digest', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => index + 32)
    expect(derivedId('dlv', event, bytes)).toBe('dlv_01KDZ012340123456789ABCDEF')
    fc.assert(
      fc.property(instants, fc.uint8Array({ minLength: 16, maxLength: 32 }), (at, given) => {
        const id = derivedId('dlv', `evt_${ulid(at)}`, given)
        expect(isId(id, 'dlv')).toBe(true)
        expect(timeOf(id)).toBe(at)
      }),
    )
  })

  it('is the same for the same id and digest, and another for another digest', () => {
    expect(derivedId('dlv', event, digest(1))).toBe(derivedId('dlv', event, digest(1)))
    expect(derivedId('dlv', event, digest(1))).not.toBe(derivedId('dlv', event, digest(2)))
  })

  it('needs a ULID and 16 bytes', () => {
    expect(isId(derivedId('dlv', event, new Uint8Array(16)), 'dlv')).toBe(true)
    expect(() => derivedId('dlv', event, new Uint8Array(15))).toThrow('the digest is too short')
    expect(() => derivedId('dlv', 'evt_nothing', digest(1))).toThrow(RangeError)
  })
})
