import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { observe } from '#shared/domain/investigation/failing-services.ts'
import type { Alert, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, calls, lines, ONSET, pattern, series } from './incident-scenarios.ts'
import { about, errors, seen, span, well } from './observed-by-hand.ts'

describe('the service that an alert names', () => {
  const at60 = (name: string, service: string | undefined, more: Partial<Alert> = {}): Alert => ({
    ...{ source: 'alerts', name, fired_at: at(60), severity: 'critical' },
    ...(service === undefined ? {} : { service }),
    ...more,
  })
  const named = (alerts: readonly Alert[], focus: string | null = null): string | null =>
    seen({ alerts }, focus).symptom_service

  it('is that of the first to fire, by name and by service where two fired at once', () => {
    expect(named([at60('x', 'b'), at60('y', 'a', { fired_at: at(59) })])).toBe('a')
    expect(named([at60('y', 'a'), at60('x', 'b')])).toBe('b')
    expect(named([at60('x', 'b'), at60('x', 'a')])).toBe('a')
  })

  it('is none of what nobody is called for, as long as somebody is called', () => {
    const informing = at60('x', 'b', { severity: 'info', fired_at: at(1) })
    expect(named([informing, at60('y', 'a')])).toBe('a')
    expect(named([informing])).toBe('b')
  })

  it('is that of the next alert where one names none, and null where none does', () => {
    expect(named([at60('x', undefined, { fired_at: at(1) }), at60('y', 'a')])).toBe('a')
    expect(named([at60('x', undefined)])).toBeNull()
  })

  it('is the one that was asked about where one was', () => {
    expect(named([at60('x', 'a')], 'b')).toBe('b')
  })

  it('goes by the name that all records have in common', () => {
    const entities = [
      { name: 'ledger', kind: 'service' as const, aliases: [{ alias: 'ledger-prod', learnt_from: 'k8s' }] },
    ]
    expect(seen({ alerts: [at60('x', 'ledger-prod')], entities }).symptom_service).toBe('ledger')
  })
})

describe('what is observed', () => {
  it('does not depend on the order of the records', () => {
    const snapshot = about({
      alerts: [alert('web', 'http_5xx_ratio'), alert('stock', 'http_5xx_ratio', ONSET + 6)],
      series: [errors('web'), errors('stock'), series('stock', 'cpu_utilization_ratio', 0.2, 0.9), well('c')],
      edges: [...calls('web', 'stock', 0.4), ...calls('web', 'c')],
      logs: [
        ...lines('stock', 'ERROR', 'the ledger refused an entry', ONSET),
        ...lines('web', 'ERROR', 'stock answered 500', ONSET),
      ],
      patterns: [pattern('stock', 'a failed', 5, 0), pattern('stock', 'b failed', 5, 0)],
      spans: [span('1', null, 'web'), span('2', '1', 'stock'), span('3', null, 'stock')],
    })
    const told = (given: Snapshot) => {
      const found = observe(given, entityNames(given), null)
      return [
        found.failing,
        found.first,
        found.unexplained,
        found.suspects,
        found.onset,
        found.symptom_service,
        found.blast_radius,
      ]
    }
    const asGiven = told(snapshot)
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const turned = <T>(list: readonly T[]): T[] => {
          const by = Math.abs(seed) % Math.max(1, list.length)
          const turn = [...list.slice(by), ...list.slice(0, by)]
          return seed < 0 ? turn.toReversed() : turn
        }
        const { alerts, series: all, edges, logs, patterns, spans } = snapshot
        const mixed = {
          ...snapshot,
          ...{ alerts: turned(alerts), series: turned(all), edges: turned(edges) },
          ...{ logs: turned(logs), patterns: turned(patterns), spans: turned(spans) },
        }
        expect(told(mixed)).toEqual(asGiven)
      }),
      { numRuns: 10 },
    )
  })
})
