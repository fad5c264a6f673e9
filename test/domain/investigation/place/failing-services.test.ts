import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Alert, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, LENGTH, lines, ONSET, pattern, series } from '../incident-scenarios.ts'
import { about, errors, names, seen, span, well } from '../observed-by-hand.ts'

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

describe('who leads to whom', () => {
  const both = [errors('web'), errors('stock')]
  const callees = (more: Partial<Snapshot>) => seen({ series: both, ...more }).graph.callees.get('web')

  it('is told by lines and patterns in which one that fails names another', () => {
    expect(callees({ logs: lines('web', 'ERROR', 'stock answered nothing', ONSET) })).toEqual(
      new Set(['stock']),
    )
    expect(callees({ logs: lines('web', 'WARN', 'stock answered nothing', ONSET) })).toEqual(
      new Set(['stock']),
    )
    expect(callees({ patterns: [pattern('web', 'call of stock failed', 9, 0)] })).toEqual(new Set(['stock']))
  })

  it('is not told by what only informs, what was said before alone, what did not fail, and oneself', () => {
    expect(callees({ logs: lines('web', 'INFO', 'asking stock', ONSET) })).toBeUndefined()
    expect(callees({ logs: lines('web', 'ERROR', 'stock answered nothing', 0, 50) })).toBeUndefined()
    expect(callees({ patterns: [pattern('web', 'call of stock', 9, 9)] })).toBeUndefined()
    expect(callees({ logs: lines('web', 'ERROR', 'web is broken', ONSET) })).toBeUndefined()
  })

  it('is the one who is named more often, however the records come', () => {
    const logs = [
      ...lines('web', 'ERROR', 'stock answered nothing', ONSET),
      ...lines('stock', 'ERROR', 'web asked for too much', ONSET, ONSET + 5),
    ]
    for (const list of [logs, logs.toReversed()]) {
      const { graph } = seen({ series: both, logs: list })
      expect([graph.blames('web', 'stock'), graph.blames('stock', 'web')]).toEqual([true, false])
    }
  })

  it('is told by what was said within the window alone', () => {
    const late = lines('web', 'ERROR', 'stock answered nothing', ONSET)
    expect(callees({ logs: late, window: { from: at(0), to: at(ONSET) } })).toBeUndefined()
    expect(callees({ logs: late, window: { from: at(LENGTH), to: at(LENGTH + 9) } })).toBeUndefined()
  })
})

describe('what failed first, and what it took along', () => {
  const CHAIN = {
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [errors('web', ONSET + 1), errors('stock'), well('mail')],
    edges: [...calls('web', 'stock', 0.4), ...calls('web', 'mail')],
  }

  it('stands before all else that nothing explains, each once; the others are its blast radius', () => {
    const found = seen(CHAIN)
    expect(found.first?.entity).toBe('stock')
    expect(found.unexplained[0]?.entity).toBe('stock')
    expect(new Set(names(found.unexplained)).size).toBe(found.unexplained.length)
    expect(found.blast_radius).toEqual(['web'])
    expect(names(found.failing).toSorted()).toEqual(['stock', 'web'])
  })

  it('is nothing where nothing fails: then nobody is taken along, and there is no onset', () => {
    const found = seen({ series: [well('web'), well('stock')] })
    expect(found).toMatchObject({ first: null, unexplained: [], blast_radius: [], suspects: [], onset: null })
  })

  it('is told of two that have nothing to do with each other as well: both are unexplained', () => {
    const found = seen({ alerts: CHAIN.alerts, series: [errors('web'), errors('attic')] })
    expect(found.first?.entity).toBe('web')
    expect(names(found.unexplained)).toEqual(['web', 'attic'])
    expect(found.blast_radius).toEqual(['attic'])
  })

  it('is one of those to whom the measurements point, which are told as they fail', () => {
    const found = seen(CHAIN)
    const stock = found.failing.find(({ entity }) => entity === 'stock')
    expect(stock?.blame?.entity).toBe('stock')
    expect(found.suspects.find(({ entity }) => entity === 'stock')).toBe(stock)
    expect(names(found.suspects).toSorted()).toEqual(['stock', 'web'])
    expect(found.flows.get('stock')?.entity).toBe('stock')
  })
})

describe('when it began', () => {
  it('is the earlier of when users and when the first place felt it', () => {
    const more = { alerts: [alert('web', 'http_5xx_ratio')], edges: calls('web', 'stock', 0.4) }
    expect(seen({ ...more, series: [errors('web', ONSET + 2), errors('stock')] }).onset?.at).toBe(at(ONSET))
    expect(seen({ ...more, series: [errors('web'), errors('stock', ONSET + 2)] }).onset?.at).toBe(at(ONSET))
  })

  it('is not when a place wobbled that was well again before users felt anything', () => {
    const edges = calls('web', 'stock', 0.4)
    const wobble = (to: number) => [errors('web'), errors('stock', ONSET - 4, to)]
    const onset = (to: number) =>
      seen({ alerts: [alert('web', 'http_5xx_ratio')], edges, series: wobble(to) }).onset?.at
    expect(onset(ONSET - 2)).toBe(at(ONSET))
    expect(onset(ONSET + 8)).toBe(at(ONSET - 4))
  })

  it('is not when something began to smoulder of which nobody felt anything', () => {
    const busy = series('stock', 'cpu_utilization_ratio', 0.2, 0.9, ONSET - 15)
    const found = seen({
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [errors('web'), busy],
      edges: calls('web', 'stock', 0.4),
    })
    expect(found.onset?.at).toBe(at(ONSET))
  })

  it('is when the first alert fired where nothing was measured, less the time it had to hold', () => {
    const fired = { ...alert('web', 'http_5xx_ratio', ONSET), for_s: 120 }
    expect(seen({ alerts: [fired] }).onset?.at).toBe(at(ONSET - 2))
    expect(seen({}).onset).toBeNull()
  })
})
