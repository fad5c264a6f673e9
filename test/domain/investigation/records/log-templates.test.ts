import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareTemplates,
  compareText,
  lineMasker,
  maskLine,
  severityOf,
  sortedBy,
  TemplateTree,
} from '#shared/domain/investigation/records/log-templates.ts'
import { at, lines } from '../incident-scenarios.ts'

describe('a list in the order of texts', () => {
  it('has each text written once, keeps the order of those that are the same, and leaves what was given', () => {
    const given = ['b2', 'a1', 'b1', 'a2']
    const written: string[] = []
    const sorted = sortedBy(given, (one) => {
      written.push(one)
      return one.charAt(0)
    })
    expect(sorted).toEqual(['a1', 'a2', 'b2', 'b1'])
    expect(written).toEqual(given)
    expect(given).toEqual(['b2', 'a1', 'b1', 'a2'])
  })
})

describe('log templates', () => {
  it('masks a line that comes again, and one after hundreds of different ones, as it masks a line alone', () => {
    const mask = lineMasker()
    const texts = Array.from(
      { length: 1_200 },
      (_, index) => `order ${index} of customer c${index} took ${index} ms`,
    )
    for (const text of [...texts, ...texts, 'took 5 ms']) expect(mask(text)).toBe(maskLine(text))
  })

  it('mask what varies between lines of one kind', () => {
    expect(
      maskLine(
        'user 42 from 10.0.0.1:80 at 2026-01-02T03:04:05Z took 1.5ms id 3f2b8c1e-1111-2222-3333-444455556666 ref 0xff deadbeef12',
      ),
    ).toBe('user <N> from <IP> at <T> took <N>ms id <ID> ref <ID> <ID>')
    expect(maskLine('x'.repeat(9_000))).toHaveLength(2_000)
  })

  it('leave a word of letters alone, and join it with identifiers where the other words are the same', () => {
    expect(maskLine('the facade of feedface')).toBe('the facade of feedface')
    const tree = new TemplateTree()
    const [letters, digits] = ['block feedface is lost', 'block 0feedfac is lost'].map((line) =>
      tree.add(maskLine(line)),
    )
    expect(letters).toBe(digits)
  })

  it('mask a word alike, whatever stands around it', () => {
    const part = fc.constantFrom(
      ...['a', 'f', 'F', 'z', '_', '0', '7', '12', '-', '.', ':', '0x1f', '10.0.0.1', 'deadbeef', 'é'],
      ...['-1111-2222-3333-444455556666', '3f2b8c1e-1111-2222-3333-444455556666', '03:04:05'],
    )
    const word = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(' ', '/', '=', ' ['),
        (words, gap) => {
          expect(maskLine(words.join(gap))).toBe(words.map(maskLine).join(gap))
        },
      ),
    )
  })

  it.each([
    ['abcdefab-1111-2222-3333-444455556666', '<ID>'],
    ['id:ABCDEFAB-1111-2222-3333-444455556666:x', 'id:<ID>:x'],
    ['12345678', '<N>'],
    ['1234567f', '<ID>'],
    ['Z1234', 'Z1234'],
    ['face-off', 'face-off'],
    ['17:04:09.038', '<N>:<N>:<N>'],
  ])('mask %s as %s', (word, masked) => {
    expect(maskLine(word)).toBe(masked)
  })

  it('have risen since their rate tells, where it does', () => {
    const many = lines('a', 'ERROR', 'no answer', 0, 100, 20).concat(lines('a', 'ERROR', 'no answer', 100))
    const risen = (since: number | null) =>
      compareTemplates(
        many,
        (time) => time < at(60),
        (time) => time >= at(60),
        1,
        () => since,
      )[0]
    expect(risen(at(100))).toMatchObject({ change: 'grown', first_seen: at(60) + 7_000, risen_at: at(100) })
    expect(risen(null)?.risen_at).toBe(at(60) + 7_000)
  })

  it('join lines that differ in a word and keep others apart', () => {
    const tree = new TemplateTree()
    const first = tree.add('opened session for alice')
    expect(tree.add('opened session for bob')).toBe(first)
    expect(tree.add('closed connection to peer')).not.toBe(first)
    expect(first.words.join(' ')).toBe('opened session for <*>')
  })

  it('put what comes after too many templates into the nearest of its length', () => {
    const tree = new TemplateTree()
    for (let index = 0; index < 2_005; index++)
      tree.add(`w${'abcdefghij'[index % 10]}x${index}y a${index}b c${index}d`)
    expect(tree.add('wax1y a1b zzz').words).toHaveLength(3)
  })

  it('tell new, grown, vanished and steady ones', () => {
    const list = [
      ...lines('a', 'ERROR', 'broken pipe', 60, 70),
      ...lines('a', 'WARN', 'slow request', 0, 60, 20),
      ...lines('a', 'warning', 'slow request', 60, 90),
      ...lines('a', 'INFO', 'flushed batch', 0, 60),
      ...lines('a', 'INFO', 'served page', 0, 90),
    ]
    const templates = compareTemplates(
      list,
      (time) => time < at(60),
      (time) => time >= at(60),
      2,
    )
    const found = Object.fromEntries(
      templates.map((template) => [`${template.text} ${template.severity}`, template.change]),
    )
    expect(found).toEqual({
      'broken pipe error': 'new',
      'slow request warning': 'grown',
      'flushed batch information': 'vanished',
      'served page information': 'steady',
    })
    expect(templates.find((template) => template.change === 'new')).toMatchObject({
      before: 0,
      during: 10,
      first_seen: at(60) + 7_000,
    })
  })

  it('do not depend on the order of the lines', () => {
    const list = [
      ...lines('a', 'ERROR', 'disk 1 failed hard', 5, 9),
      ...lines('a', 'ERROR', 'disk two failed hard', 3, 9),
      ...lines('b', 'INFO', 'ok', 0, 9),
    ]
    const sorted = (order: typeof list): unknown =>
      compareTemplates(
        order,
        (time) => time < at(4),
        (time) => time >= at(4),
        1,
      )
    fc.assert(
      fc.property(fc.shuffledSubarray(list, { minLength: list.length }), (shuffled) => {
        expect(sorted(shuffled)).toEqual(sorted(list))
      }),
      { numRuns: 30 },
    )
  })

  it('read severities of many tools', () => {
    expect(
      ['ERROR', 'err', 'FATAL', 'critical', 'panic', 'WARNING', 'warn', 'INFO', 'debug', ''].map(severityOf),
    ).toEqual([
      'error',
      'error',
      'error',
      'error',
      'error',
      'warning',
      'warning',
      'information',
      'information',
      'information',
    ])
  })
})

describe('a masked line', () => {
  it.each([
    ['at 2026-01-02 03:04 x', 'at <T> x'],
    ['at 2026-01-02T03:04:05 x', 'at <T> x'],
    ['at 2026-01-02T03:04:05.678Z x', 'at <T> x'],
    ['at 2026-01-02 03:04:05,678+01:00 x', 'at <T> x'],
    ['at 2026-01-02T03:04:05-0130 x', 'at <T> x'],
    ['from 10.20.30.40', 'from <IP>'],
    ['from 10.20.30.40:8080 on', 'from <IP> on'],
    ['v1.2.3', 'v1.<N>'],
    ['3.25 of 7', '<N> of <N>'],
    ['12abc', '<N>abc'],
    ['0xFF', '<ID>'],
    ['facade of beef', 'facade of beef'],
    ['deadbeef1 DEADBEEF99 dead1', '<ID> <ID> dead1'],
    ['deadbeefcafe', 'deadbeefcafe'],
    ['a-1', 'a-<N>'],
    ['1:2:3 1:2:3.5', '<N>:<N>:<N> <N>:<N>:<N>'],
    ['1:2', '<N>:<N>'],
    ['', ''],
  ])('of %j is %j', (line, masked) => {
    expect(maskLine(line)).toBe(masked)
    expect(maskLine(line)).toBe(masked)
  })
})

describe('a tree of templates', () => {
  const added = (...lines: string[]) => {
    const tree = new TemplateTree()
    const clusters = lines.map((line) => tree.add(line))
    return { clusters, texts: clusters.map(({ words }) => words.join(' ')) }
  }

  it('joins lines of one length and first word of which half the words are equal', () => {
    expect(added('put a b c', 'put a x y').texts).toEqual(['put a <*> <*>', 'put a <*> <*>'])
    expect(added('put a b c d', 'put a x y z').texts).toEqual(['put a b c d', 'put a x y z'])
    expect(added('put a b', 'put a b c').texts).toEqual(['put a b', 'put a b c'])
    expect(added('put a b c', 'get a b c').texts).toEqual(['put a b c', 'get a b c'])
    expect(added('<N> a b c', 'x1 a b c').texts).toEqual(['<*> a b c', '<*> a b c'])
    expect(added('put  a\tb', 'put a b').texts).toEqual(['put a b', 'put a b'])
    expect(added('one', 'two').texts).toEqual(['one', 'two'])
  })

  it('joins the one that is most like it, the first of equals', () => {
    const { clusters } = added('put a b c d e', 'put x y z d w', 'put a y z d w')
    expect(clusters[2]).toBe(clusters[1])
    const equals = added('put a b c', 'put x y z', 'put a y q')
    expect(equals.clusters[2]).toBe(equals.clusters[0])
    expect(equals.clusters[1]).not.toBe(equals.clusters[0])
  })

  it('gives the same line the same template, whatever the template became', () => {
    const { clusters } = added('put a b c', 'put a x y', 'put a b c')
    expect(clusters[2]).toBe(clusters[0])
  })

  it('keeps two thousand, and puts a line that is like none into none after that', () => {
    const tree = new TemplateTree()
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const word = (index: number) =>
      `${letters[Math.floor(index / 676)]}${letters[Math.floor(index / 26) % 26]}${letters[index % 26]}`
    const seen = new Set(
      Array.from({ length: 1_999 }, (_, index) => tree.add(`${word(index)} b${word(index)}`)),
    )
    expect(seen.size).toBe(1_999)
    const last = tree.add('put a b c')
    expect(tree.add('put x y z')).toBe(last)
    expect(last.words.join(' ')).toBe('put <*> <*> <*>')
    expect(tree.add('never like this')).not.toBe(last)
    const fewer = new TemplateTree()
    expect(fewer.add('put a b c')).not.toBe(fewer.add('put x y z'))
  })
})

describe('a template of two times', () => {
  const line = (
    minute: number,
    message = 'no answer',
    more: Partial<ReturnType<typeof lines>[number]> = {},
  ) => ({
    ...{ source: 'logs', timestamp: at(minute), service: 'a', severity: 'ERROR', message, ...more },
  })
  const compare = (
    given: Parameters<typeof compareTemplates>[0],
    ratio = 1,
    risenAt?: Parameters<typeof compareTemplates>[4],
  ) =>
    compareTemplates(
      given,
      (time) => time < at(60),
      (time) => time >= at(60) && time < at(100),
      ratio,
      risenAt,
    )
  const change = (before: number, during: number, ratio = 1) =>
    compare(
      [...Array.from({ length: before }, () => line(10)), ...Array.from({ length: during }, () => line(70))],
      ratio,
    )[0]?.change

  it('is new where normal time never had it', () => {
    expect(change(0, 1)).toBe('new')
    expect(change(1, 1)).toBe('steady')
    expect(change(0, 2, 0)).toBe('steady')
    expect(compare([line(110)])[0]).toMatchObject({ change: 'steady', before: 0, during: 0, last_seen: 0 })
  })

  it('has grown from three lines and three times its rate on', () => {
    expect(change(3, 9)).toBe('grown')
    expect(change(3, 8)).toBe('steady')
    expect(change(6, 9, 2)).toBe('grown')
    expect(change(6, 8, 2)).toBe('steady')
    expect(change(1, 2, 10)).toBe('steady')
    expect(change(1, 3, 10)).toBe('grown')
  })

  it('has vanished where a third of its rate is left, of as many lines as say anything of a rate', () => {
    expect(change(9, 3)).toBe('vanished')
    expect(change(9, 4)).toBe('steady')
    expect(change(3, 0)).toBe('vanished')
    expect(change(2, 0, 0.5)).toBe('steady')
    expect(change(3, 0, 2)).toBe('steady')
  })

  it('tells its earliest line of the incident, since when and until when it is seen, and who brought it', () => {
    const given = [
      line(10, 'no answer 1'),
      line(72, 'no answer 3', { source: 'more' }),
      line(70, 'no answer 2'),
    ]
    expect(compare([...given, line(105, 'no answer 4')])).toMatchObject([
      {
        ...{ service: 'a', text: 'no answer <N>', example: 'no answer 2', severity: 'error', before: 1 },
        ...{
          during: 2,
          first_seen: at(70),
          last_seen: at(72),
          risen_at: at(70),
          source: 'logs',
          variants: [],
        },
      },
    ])
    expect(compare([line(12, 'no answer 2'), line(10, 'no answer 1')])[0]).toMatchObject({
      ...{ example: 'no answer 1', first_seen: at(10), last_seen: 0 },
    })
    expect(compare([line(70, 'x'.repeat(3_000))])[0]?.example).toHaveLength(2_000)
  })

  it('takes of lines of one instant the first by its words, then by who brought it', () => {
    const given = [
      line(70, 'no answer 2', { source: 'a' }),
      line(70, 'no answer 1', { source: 'c' }),
      line(70, 'no answer 1', { source: 'b' }),
    ]
    for (const list of [given, given.toReversed()])
      expect(compare(list)[0]).toMatchObject({ example: 'no answer 1', source: 'b' })
  })

  it('is of one service and one severity', () => {
    const found = compare([
      line(70),
      line(71, 'no answer', { service: 'b' }),
      line(72, 'no answer', { severity: 'WARN' }),
    ])
    expect(found.map(({ service, severity, during }) => [service, severity, during])).toEqual([
      ['a', 'error', 1],
      ['a', 'warning', 1],
      ['b', 'error', 1],
    ])
  })

  it('keeps four further lines of the incident that differ in more than numbers', () => {
    const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus']
    const given = names.map((name, index) => line(70 + index, `no answer from ${name} within ${index}`))
    const [found] = compare([
      line(10, 'no answer from zoe within 9'),
      ...given,
      line(80, 'no answer from ada within 8'),
    ])
    expect(found?.variants).toEqual(given.slice(1, 5).map(({ message }) => message))
    expect(compare([line(70, 'took 1'), line(71, 'took 2')])[0]?.variants).toEqual([])
  })

  it('is asked since when it has risen where it is new or grown and reports trouble', () => {
    const asked: (readonly number[])[] = []
    const risen = (given: Parameters<typeof compareTemplates>[0]) =>
      compare(given, 1, (times) => {
        asked.push(times)
        return at(75)
      })[0]?.risen_at
    expect(risen([line(70), line(71)])).toBe(at(75))
    expect(risen([line(70, 'no answer', { severity: 'INFO' })])).toBe(at(70))
    expect(risen([line(10), line(70)])).toBe(at(70))
    expect(asked).toEqual([[at(70), at(71)]])
  })
})

describe('the severity of a line', () => {
  it('is told by how its word begins', () => {
    for (const word of ['Emergency', 'ALERT', 'severe', 'CRIT', 'Panic', 'fatal'])
      expect(severityOf(word)).toBe('error')
    for (const word of ['no error', 'prewarn', 'notice']) expect(severityOf(word)).toBe('information')
  })
})

describe('the order of two texts', () => {
  it('is by code unit', () => {
    expect([
      compareText('a', 'b'),
      compareText('b', 'a'),
      compareText('a', 'a'),
      compareText('B', 'a'),
    ]).toEqual([...[-1, 1, 0, -1]])
  })
})
