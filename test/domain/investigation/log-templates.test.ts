import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareTemplates,
  maskLine,
  severityOf,
  TemplateTree,
} from '#shared/domain/investigation/log-templates.ts'
import { at, lines } from './incident-scenarios.ts'

describe('log templates', () => {
  it('mask what varies between lines of one kind', () => {
    expect(
      maskLine(
        'user 42 from 10.0.0.1:80 at 2026-01-02T03:04:05Z took 1.5ms id 3f2b8c1e-1111-2222-3333-444455556666 ref 0xff deadbeef12',
      ),
    ).toBe('user <N> from <IP> at <T> took <N>ms id <ID> ref <ID> <ID>')
    expect(maskLine('x'.repeat(9_000))).toHaveLength(2_000)
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
