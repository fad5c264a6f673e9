import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { validate, validateNothing } from '#shared/contract/validate.ts'
import { Refusal } from '#shared/domain/errors.ts'

/** What a refused value is told: `field reason`, one line a failure. */
function told(check: () => unknown): string[] {
  try {
    check()
  } catch (error) {
    const { errors } = (error as Refusal).details as { errors: { field: string; reason: string }[] }
    expect(error).toBeInstanceOf(Refusal)
    return errors.map(({ field, reason }) => `${field} ${reason}`)
  }
  return []
}

const refusals = (shape: z.ZodMiniType, value: unknown) => told(() => validate(shape, value, 'body'))

describe('a value of the wrong form', () => {
  it.each([
    [z.string(), 5, 'body must be a string'],
    [z.string(), undefined, 'body is required'],
    [z.boolean(), 'yes', 'body must be true or false'],
    [z.int(), 1.5, 'body must be a whole number'],
    [z.array(z.string()), {}, 'body must be an array'],
    [z.record(z.string(), z.string()), [], 'body must be an object'],
    [z.date(), 'today', 'body must be date'],
    [z.enum(['low', 'high']), 'urgent', 'body must be one of: low, high'],
    [z.enum(['low', 'high']), undefined, 'body is required'],
    [z.string().check(z.minLength(1)), '', 'body must have at least 1 character'],
    [z.string().check(z.maxLength(3)), 'long', 'body must have at most 3 characters'],
    [z.array(z.string()).check(z.minLength(2)), ['a'], 'body must have at least 2 items'],
    [z.array(z.string()).check(z.maxLength(1)), ['a', 'b'], 'body must have at most 1 item'],
    [z.number().check(z.minimum(3)), 2, 'body must be at least 3'],
    [z.number().check(z.gt(3)), 3, 'body must be more than 3'],
    [z.number().check(z.maximum(3)), 4, 'body must be at most 3'],
    [z.string().check(z.regex(/^a$/)), 'b', 'body has the wrong form'],
    [z.string().check(z.regex(/^a$/, { error: 'must be an a' })), 'b', 'body must be an a'],
    [z.union([z.string(), z.number()]), true, 'body has none of the allowed forms'],
    [z.string().check(z.refine(() => false, { error: 'must be another' })), 'a', 'body must be another'],
    [
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('a') }),
        z.strictObject({ type: z.literal('b') }),
      ]),
      { type: 'c' },
      'type must be one of: a, b',
    ],
  ] as [z.ZodMiniType, unknown, string][])('is told in words (%#)', (shape, value, told) => {
    expect(refusals(shape, value)).toEqual([told])
  })

  it('is told in our words, whatever language the library was set to', () => {
    const { localeError } = z.config()
    z.config({ localeError: (issue) => `${issue.code} in the words of the library` })
    try {
      expect(refusals(z.string().check(z.regex(/^a$/)), 'b')).toEqual(['body has the wrong form'])
      expect(refusals(z.union([z.string(), z.number()]), true)).toEqual([
        'body has none of the allowed forms',
      ])
      expect(refusals(z.string().check(z.refine(() => false)), 'a')).toEqual(['body has the wrong form'])
    } finally {
      z.config({ localeError })
    }
  })
})

describe('a whole number that is too large to be one', () => {
  const days = z.int().check(z.minimum(0), z.maximum(31))

  it.each([
    [{ days: 1e300 }, ['days must be at most 31']],
    [{ days: -1e300 }, ['days must be at least 0']],
    [{ days: 32 }, ['days must be at most 31']],
  ])('is told the bound that holds, once (%j)', (value, told) => {
    expect(refusals(z.strictObject({ days }), value)).toEqual(told)
  })

  it('is told its own bound each time that several are', () => {
    const shape = z.strictObject({ days, all: z.array(z.int()) })
    expect(refusals(shape, { days: 1e300, all: [1, 1e300, -1e300] })).toEqual([
      'days must be at most 31',
      'all[1] must be at most 9007199254740991',
      'all[2] must be at least -9007199254740991',
    ])
  })
})

describe('the field', () => {
  it('is the path through objects and arrays', () => {
    const shape = z.strictObject({ a: z.array(z.strictObject({ b: z.string() })) })
    expect(refusals(shape, { a: [{ b: 'x' }, { b: 1 }] })).toEqual(['a[1].b must be a string'])
  })

  it('is each unknown one, an empty name in quotes', () => {
    expect(refusals(z.strictObject({}), { other: 1, '': 2 })).toEqual([
      'other is not a known field: none is taken here',
      '"" is not a known field: none is taken here',
    ])
  })

  it('is what the whole is called when the whole is wrong', () => {
    expect(refusals(z.strictObject({}), null)).toEqual(['body must be an object'])
  })
})

describe('a value where nothing is taken', () => {
  it('is told what a shape without members would tell of it', () => {
    const none = z.strictObject({})
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
        expect(told(() => validateNothing(value, 'body'))).toEqual(refusals(none, value))
      }),
    )
    expect(validateNothing({}, 'query')).toEqual({})
    expect(told(() => validateNothing({ other: 1, '': 2 }, 'query'))).toEqual([
      'other is not a known parameter: none is taken here',
      '"" is not a known parameter: none is taken here',
    ])
  })
})

describe('an unknown field', () => {
  const shape = z.strictObject({
    title: z.optional(z.string()),
    severity: z.optional(z.string()),
    started_at: z.optional(z.string()),
    base_url: z.optional(z.string()),
    id: z.optional(z.string()),
  })
  const known = 'Known: title, severity, started_at, base_url, id'

  it.each([
    ['titel', 'title'],
    ['titl', 'title'],
    ['ttitle', 'title'],
    ['sevwrity', 'severity'],
    ['Severity', 'severity'],
    ['startedAt', 'started_at'],
    ['started-at', 'started_at'],
    ['url', 'base_url'],
    ['severity_level', 'severity'],
  ])('%s is told that %s was probably meant, and what is known', (name, meant) => {
    expect(refusals(shape, { [name]: 1 })).toEqual([
      `${name} is not a known field: did you mean ${meant}? ${known}`,
    ])
  })

  it.each(['owner', 'eltit', 'ti', 'i'])('%s, which is near to nothing, is told what is known', (name) => {
    expect(refusals(shape, { [name]: 1 })).toEqual([`${name} is not a known field. ${known}`])
  })

  it('is told what is known at its own place, also where shapes are made late or chosen by type', () => {
    const nested = z.strictObject({
      list: z.array(z.strictObject({ unit: z.optional(z.string()) })),
      tool: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('a'), config: z.lazy(() => shape) }),
        z.strictObject({ type: z.literal('b'), other: z.string() }),
      ]),
    })
    const value = { list: [{}, { units: 's' }], tool: { type: 'a', config: { colour: 1 } } }
    expect(refusals(nested, value)).toEqual([
      'list[1].units is not a known field: did you mean unit? Known: unit',
      `tool.config.colour is not a known field. ${known}`,
    ])
  })

  it('is called a parameter in a query', () => {
    expect(told(() => validate(shape, { sevrity: 'x' }, 'query'))).toEqual([
      `sevrity is not a known parameter: did you mean severity? ${known}`,
    ])
  })

  it('never has its value repeated', () => {
    const refused = refusals(shape, { secret: 'whsec_hidden' })
    expect(refused).toHaveLength(1)
    expect(refused.join()).not.toContain('hidden')
  })
})
