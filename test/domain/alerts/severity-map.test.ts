import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { knownSeverity, severityOf, worse } from '#shared/domain/alerts/severity-map.ts'

const MEANT = {
  critical: 'critical crit page emergency fatal disaster blocker p1 p0 sev1 sev0 s1 1',
  high: 'high error err major severe p2 sev2 s2 2',
  medium: 'medium moderate warning warn minor average p3 sev3 s3 3',
  low: 'low info information informational none notice debug sample minimal success ok p4 p5 sev4 sev5 s4 s5 4 5',
} as const
const ORDER = ['low', 'medium', 'high', 'critical'] as const

describe('a word of severity', () => {
  it.each(
    Object.entries(MEANT).flatMap(([severity, words]) => words.split(' ').map((word) => [word, severity])),
  )('“%s” is %s, however it is written', (word, severity) => {
    for (const written of [word, word.toUpperCase(), ` ${word}\n`]) {
      expect(knownSeverity(written)).toBe(severity)
      expect(severityOf(written)).toBe(severity)
    }
  })

  it.each([null, '', ' ', 'catastrophic', 'p9', 'constructor'])(
    '%j is nothing that is known, and so medium',
    (word) => {
      expect(knownSeverity(word)).toBeNull()
      expect(severityOf(word)).toBe('medium')
    },
  )
})

describe('the worse of two severities', () => {
  it('is the one further up, whichever comes first', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(3), (a, b) => {
        const [one, other] = [ORDER[a] ?? 'low', ORDER[b] ?? 'low']
        expect(worse(one, other)).toBe(ORDER[Math.max(a, b)])
        expect(worse(other, one)).toBe(worse(one, other))
      }),
    )
  })
})
