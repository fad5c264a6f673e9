import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mechanismOfFlag,
  mechanismOfRecord,
  strongestMechanism,
} from '#shared/domain/investigation/changes/fitting-mechanism.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'

const symptom = (plain: string, weight = 1): Symptom => ({
  ...{ text: plain, plain, entity: 'stock', weight, at: null, count: 1, origin: 'log', source: 'logs' },
})
const SHORTER = readDiff('@@ client.yaml @@\n client:\n-  request_timeout: 3s\n+  request_timeout: 300ms', [
  'client.yaml',
])
const TIMED_OUT = symptom('request exceeded timeout of 300ms: context deadline exceeded')
const OTHER = symptom('the shelf is green')

describe('the mechanism that fits a change', () => {
  it('is what its diff does and what is observed, told with the first symptom that says so', () => {
    const found = strongestMechanism(SHORTER, [OTHER, TIMED_OUT])
    expect(found?.mechanism.does).toMatch(/\S/)
    expect(found?.symptom).toBe(TIMED_OUT)
    expect(found?.score).toBeGreaterThan(0)
    expect(Object.keys(found?.mechanism ?? {}).toSorted()).toEqual(['does', 'id', 'kind'])
  })

  it('is none where nothing of it is observed, and none of a change that does nothing', () => {
    expect(strongestMechanism(SHORTER, [])).toBeNull()
    expect(strongestMechanism(SHORTER, [OTHER])).toBeNull()
    const nothing = readDiff(null, [])
    expect(strongestMechanism(nothing, [TIMED_OUT])).toBeNull()
  })

  it('fits no worse the more of the symptoms are its own, and never more than wholly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        (own, more, other) => {
          const score = (weight: number) =>
            strongestMechanism(SHORTER, [symptom(TIMED_OUT.plain, weight), symptom(OTHER.plain, other)])
              ?.score ?? 0
          expect(score(own + more)).toBeGreaterThanOrEqual(score(own))
          expect(score(own)).toBeGreaterThan(0)
          expect(score(own + more)).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('fits wholly from three tenths of the symptoms on', () => {
    const score = (own: number) =>
      strongestMechanism(SHORTER, [symptom(TIMED_OUT.plain, own), symptom(OTHER.plain, 10 - own)])?.score ?? 0
    expect(score(3)).toBe(score(10))
    expect(score(2)).toBeLessThan(score(3))
    expect(score(1)).toBeLessThan(score(2))
  })
})

describe('which of several mechanisms fits', () => {
  const waits = symptom('the queue is slow')

  it('is the one of which more is observed, and the first of equals', () => {
    const both = readDiff('-  request_timeout: 3s\n-  mu.lock()\n+  request_timeout: 300ms')
    const fits = (...symptoms: Symptom[]) => strongestMechanism(both, symptoms)?.mechanism.id
    expect(fits(symptom('data race', 9), symptom('deadline', 1))).toBe('locking')
    expect(fits(symptom('data race', 1), symptom('deadline', 9))).toBe('timeout')
    expect(fits(symptom('data race'), symptom('deadline'))).toBe('timeout')
  })

  it('fits but in part where only words that many faults share are observed, told by who says them', () => {
    const found = strongestMechanism(SHORTER, [OTHER, waits])
    expect(found).toMatchObject({ mechanism: { id: 'timeout' }, symptom: waits })
    expect(found?.score).toBeCloseTo(0.35)
    expect(strongestMechanism(SHORTER, [waits])?.score).toBeCloseTo(0.35)
    const weak = strongestMechanism(SHORTER, [symptom(waits.plain, 1), symptom(OTHER.plain, 9)])
    expect(weak?.score).toBeCloseTo((0.35 * 0.1) / 0.3)
  })

  it('fits by shared words no worse for a few of its own beside them, told by who says its own', () => {
    const mixed = [symptom(waits.plain, 98), symptom('deadline', 2)]
    const found = strongestMechanism(SHORTER, mixed)
    expect(found?.symptom).toBe(mixed[1])
    expect(found?.score).toBeGreaterThan(1 - 1e-6)
  })

  it('fits by nothing but its own words where it shares none', () => {
    const tls = readDiff('-  min_version: tls1.0\n+  min_version: tls1.3')
    expect(strongestMechanism(tls, [symptom('handshake failed')])?.mechanism.id).toBe('tls')
    expect(strongestMechanism(tls, [waits])).toBeNull()
  })

  it('is that of a library where nothing but versions changes', () => {
    const bump = readDiff('-  "left": "^1.2.0"\n+  "left": "^2.0.0"', ['package.json'])
    const said = [symptom('left is not a function'), symptom('deadline exceeded, token invalid', 9)]
    expect(strongestMechanism(bump, said)?.mechanism).toMatchObject({ id: 'dependency', kind: 'dependency' })
    const timed = '-  "request_timeout": "3s"\n+  "request_timeout": "300ms"'
    expect(strongestMechanism(readDiff(timed, ['package.json']), [TIMED_OUT])).toBeNull()
    expect(strongestMechanism(readDiff(timed, ['package.json', 'a.ts']), [TIMED_OUT])).not.toBeNull()
  })

  it('is what a bumped library is for, where nothing but versions changes', () => {
    const text = '-  "pg-pool": "^1.2.0"\n+  "pg-pool": "^2.0.0"'
    const said = [symptom('too many clients: pool exhausted')]
    const found = strongestMechanism(readDiff(text, ['package.json']), said)
    expect(found).not.toBeNull()
    expect(found?.mechanism.id).not.toBe('dependency')
    expect(strongestMechanism(readDiff(text, ['package.json', 'a.ts']), said)?.mechanism.id).not.toBe(
      found?.mechanism.id,
    )
  })
})

describe('the mechanism of a record without a diff', () => {
  it('is none where its title says nothing, or nothing of it is observed', () => {
    expect(mechanismOfRecord('a thing was done', [TIMED_OUT])).toBeNull()
    expect(mechanismOfRecord('', [TIMED_OUT])).toBeNull()
    expect(mechanismOfRecord('PutSecretValue', [])).toBeNull()
    expect(mechanismOfRecord('PutSecretValue', [OTHER])).toBeNull()
  })

  it('is read from titles in one word as from several, and is less sure than of a diff', () => {
    const refused = symptom('FATAL: password authentication failed for user "stock"')
    const [joined, spaced] = ['PutSecretValue', 'put secret value'].map((title) =>
      mechanismOfRecord(title, [refused]),
    )
    expect(joined).not.toBeNull()
    expect(joined).toEqual(spaced)
    expect(joined?.symptom).toBe(refused)
    expect(joined?.score).toBeLessThan(1)
    expect(joined?.score).toBeGreaterThan(0)
  })
})

describe('the mechanism of a flag', () => {
  const LEFT = symptom('ERROR: relation "stock_by_shelf" does not exist')

  it('is the way that was left, where it was on and is taken off, and what that way needs is gone', () => {
    for (const after of [
      'off',
      'OFF',
      'false',
      '0',
      '0 %',
      '0%',
      'disabled',
      ' archived ',
      'deleted',
      'retired',
    ]) {
      const found = mechanismOfFlag({ before: '100 %', after }, [LEFT])
      expect(found, after).toMatchObject({ mechanism: { id: 'flag-taken-off', kind: 'flag' }, symptom: LEFT })
      expect(found?.score).toBeCloseTo(0.7)
    }
    for (const text of [
      'GET /v1/shelves 404',
      'flags answered by default 14',
      'falling back to the old list',
    ])
      expect(mechanismOfFlag({ before: 'on', after: 'off' }, [symptom(text)]), text).not.toBeNull()
  })

  it('is none where it is put on, was off before, or nothing of the way that was left is observed', () => {
    expect(mechanismOfFlag({ before: 'off', after: 'on' }, [LEFT])).toBeNull()
    expect(mechanismOfFlag({ before: '0 %', after: '10 %' }, [LEFT])).toBeNull()
    expect(mechanismOfFlag({ before: 'off', after: 'archived' }, [LEFT])).toBeNull()
    expect(mechanismOfFlag({}, [LEFT])).toBeNull()
    expect(mechanismOfFlag({ before: 'on', after: 'off' }, [OTHER])).toBeNull()
  })
})
