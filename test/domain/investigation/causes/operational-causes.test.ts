import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { alert, EMPTY, ONSET, pattern, series } from '../incident-scenarios.ts'
import { causes, said } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('patterns that a log tool counted serve as lines do', () => {
    const findings = investigate({
      ...EMPTY,
      alerts: [
        {
          ...alert('stock-api', 'errors'),
          summary: 'stock-api cannot resolve names',
          detail: 'see dashboard',
        },
      ],
      series: [series('stock-api', 'http_5xx_ratio', 0.003, 0.4)],
      patterns: [
        pattern('stock-api', 'lookup <host>: no such host a.core.svc', 300, 0),
        pattern('web', 'getaddrinfo ENOTFOUND b.core.svc', 200, 0),
        pattern('web', 'served', 90, 1_000),
      ],
    })
    expect(findings.cause.kind).toBe('dns')
    expect(findings.evidence.some((item) => item.content.startsWith('The log tool counted 300 lines'))).toBe(
      true,
    )
  })

  it('tells whether it goes on, worsens, recovers or is over', () => {
    const state = (during: number, to = 120, last = during): string => {
      const one = series('stock-api', 'http_5xx_ratio', 0.003, during, ONSET, to)
      for (let minute = 115; minute < 120 && to === 120; minute++) one.values[minute] = last
      return investigate({ ...EMPTY, alerts: [alert('stock-api', 'e')], series: [one] }).state
    }
    expect(state(0.4)).toBe('ongoing')
    expect(state(0.4, 120, 0.8)).toBe('worsening')
    expect(state(0.4, 120, 0.1)).toBe('recovering')
    expect(state(0.4, 100)).toBe('recovered')
  })
})

describe('what several detectors tell of one cause', () => {
  it('comes surest first, then by how many signs, by kind and by place', () => {
    const templates = [
      ...[
        said('GET https://api.paylane.com/x exceeded deadline'),
        said('GET https://api.nimbus.com/x exceeded deadline'),
      ],
      ...[said('malformed payload'), said('connection pool exhausted', 'web')],
    ]
    expect(causes({ templates }).map(({ kind, entity }) => `${kind} ${entity}`)).toEqual([
      ...['capacity web', 'data stock', 'provider api.nimbus.com', 'provider api.paylane.com'],
    ])
    const reversed = causes({ templates: templates.toReversed() })
    expect(reversed.map(({ kind }) => kind)).toEqual(['capacity', 'data', 'provider', 'provider'])
  })
})
