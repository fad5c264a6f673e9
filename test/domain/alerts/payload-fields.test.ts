import { isMainThread } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  instantOf,
  labelsOf,
  lineOf,
  linkOf,
  listOf,
  objectOf,
  textOf,
} from '#shared/domain/alerts/payload-fields.ts'

describe('the fields of a payload', () => {
  it('are those of an object; anything else has none', () => {
    const fields = { a: 1 }
    expect(objectOf(fields)).toBe(fields)
    for (const value of [null, undefined, 'text', 7, true, [1]]) expect(objectOf(value)).toEqual({})
  })

  it('of a list are those of a list alone', () => {
    const list = [1, 'a']
    expect(listOf(list)).toBe(list)
    for (const value of [null, undefined, 'text', 7, { length: 1 }]) expect(listOf(value)).toEqual([])
  })

  it('are never read so that it throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const read of [objectOf, listOf, textOf, labelsOf, instantOf, linkOf]) read(value)
      }),
    )
  })
})

describe('a text', () => {
  it('is the first that has something in it, without blanks around it, or a number', () => {
    expect(textOf(undefined, '', '  ', ' a ', 'b')).toBe('a')
    expect(textOf(null, 0, 'b')).toBe('0')
    expect(textOf(7.5)).toBe('7.5')
    expect(textOf(Number.NaN, Number.POSITIVE_INFINITY, 'b')).toBe('b')
  })

  it('is none of anything else', () => {
    expect(textOf()).toBeNull()
    expect(textOf(true, {}, [], null, undefined, '\n')).toBeNull()
  })
})

describe('labels', () => {
  it('are texts, numbers and truth values, in order of their names', () => {
    expect(
      Object.entries(labelsOf({ b: ' x ', a: 7, d: false, c: true, e: null, f: {}, g: ['x'], h: '' })),
    ).toEqual([
      ['a', '7'],
      ['b', 'x'],
      ['c', 'true'],
      ['d', 'false'],
    ])
    expect(labelsOf('text')).toEqual({})
  })

  it('are of no name that is empty or makes an object another than a plain one', () => {
    const given = JSON.parse(
      '{"__proto__":"a","constructor":"b","prototype":"c","":"e","\\n":"f","kept":"d"}',
    ) as unknown
    expect(Object.entries(labelsOf(given))).toEqual([['kept', 'd']])
  })

  it('are printable lines of whole characters, names and values', () => {
    expect(labelsOf({ 'a\ud83d\n': 'x\u202ey\ud83d', long: `x${'😀'.repeat(400)}` })).toEqual({
      'a\ufffd': 'xy\ufffd',
      long: `x${'😀'.repeat(149)}\ufffd`,
    })
  })

  it('are sixty at most, the first by name, each of three hundred characters at most', () => {
    const named = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`l${String(99 - index)}`, 'x'.repeat(301)]),
      )
    expect(Object.keys(labelsOf(named(60)))).toHaveLength(60)
    const cut = labelsOf(named(61))
    expect(Object.keys(cut)).toHaveLength(60)
    expect(Object.keys(cut)).not.toContain('l99')
    expect(cut.l40).toBe('x'.repeat(300))
  })
})

describe('an instant', () => {
  const NOON = Date.UTC(2026, 2, 2, 12)
  it.each([
    ['2026-03-02T12:00:00Z', NOON],
    ['2026-03-02T12:00:00.250Z', NOON + 250],
    ['2026-03-02T13:00:00+01:00', NOON],
    ['2026-03-02T13:00:00+0100', NOON],
    ['2026-03-02T10:30:00-0130', NOON],
    ['Mon, 02 Mar 2026 12:00:00 GMT', NOON],
    ['Mon, 02 Mar 2026 13:00:00 +0100', NOON],
    ['March 2, 2026 12:00:00 UTC', NOON],
    ['2026-03-02 12:00:00 UTC', NOON],
    ['2026-03-02 13:00:00+01:00', NOON],
    ['2026-03-02 12:00:00 +0000 UTC', NOON],
    ['2026-03-02 12:00:00', NOON],
    [' 2026-03-02T12:00:00.25 ', NOON + 250],
    [NOON, NOON],
    [NOON / 1_000, NOON],
    [`${NOON}`, NOON],
    [`${NOON / 1_000}`, NOON],
    [NOON / 1_000 + 0.25, NOON + 250],
    [`${NOON / 1_000}.5`, NOON + 500],
    [NOON + 0.7, NOON],
    // In seconds it lies after the year 5000, in milliseconds in 1973.
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('is read from %j', (value, instant) => {
    expect(instantOf(value)).toBe(instant)
  })

  it.each([
    '0001-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    0,
    '0',
    -5,
    Number.NaN,
    253_402_300_800_000,
    'yesterday',
    '',
    '12a',
    'build 7',
    'Nov 27 10:03:22',
    'retry 3 of 5 UTC',
    '03/02/2026 12:00',
    'host 2026 +0100',
    null,
    true,
    {},
  ])('is none of %j', (value) => {
    expect(instantOf(value)).toBeNull()
  })

  // A thread has a copy of the environment, in which the zone of the process cannot be set: mutants are tried in threads.
  it.runIf(isMainThread)('without an offset is the same wherever the service runs', () => {
    const zone = process.env.TZ
    process.env.TZ = 'America/New_York'
    try {
      expect(new Date(NOON).getTimezoneOffset()).toBe(300)
      expect(instantOf('2026-03-02T12:00:00')).toBe(NOON)
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })

  it('is the first that can be read', () => {
    expect(instantOf(undefined, '0001-01-01T00:00:00Z', NOON, NOON + 1)).toBe(NOON)
    expect(instantOf()).toBeNull()
  })
})

describe('a line', () => {
  it('is one printable line, cut with a sign that it is', () => {
    expect(lineOf(' a\nb\tc ', 9)).toBe('a b c')
    expect(lineOf('a\r\n\u0000b', 9)).toBe('a b')
    expect(lineOf('a\u202eb\u2066c', 9)).toBe('abc')
    expect(lineOf('abc', 3)).toBe('abc')
    expect(lineOf('abcd', 3)).toBe('ab…')
    expect(lineOf('\ud83d\ude00\ud83d\ude00\ud83d\ude00', 3)).toBe('\ud83d\ude00\ud83d\ude00\ud83d\ude00')
    expect(lineOf('\ud83d\ude00\ud83d\ude00\ud83d\ude00', 2)).toBe('\ud83d\ude00…')
    expect(lineOf('a\ud83d', 9)).toBe('a\ufffd')
  })

  it('is never longer than asked, and holds nothing that cannot be shown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, most) => {
        const line = lineOf(text, most)
        expect(Array.from(line).length).toBeLessThanOrEqual(most)
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        expect(line.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('a link', () => {
  it.each(['https://a.example/x?y=1', 'http://a.example', 'HTTPS://a.example', ' https://a.example '])(
    'is %j',
    (text) => {
      expect(linkOf(text)).toBe(text.trim())
    },
  )

  it.each([
    'javascript:alert(1)',
    'ftp://a.example',
    'https://',
    'see https://a.example',
    'https://a b',
    `https://${'x'.repeat(2_001)}`,
    null,
  ])('is not %j', (text) => {
    expect(linkOf(text)).toBeNull()
  })

  it('is the first text that is there, or none', () => {
    expect(linkOf(undefined, 'https://a.example')).toBe('https://a.example')
    expect(linkOf(`https://${'x'.repeat(2_000)}`)).not.toBeNull()
    expect(linkOf('nothing', 'https://a.example')).toBeNull()
  })
})
