import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mechanismOfRecord, strongestMechanism } from '#shared/domain/investigation/fitting-mechanism.ts'
import { readDiff } from '#shared/domain/investigation/read-diff.ts'
import type { Symptom } from '#shared/domain/investigation/symptoms.ts'

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
