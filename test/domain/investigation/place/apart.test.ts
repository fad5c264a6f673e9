import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { isApart } from '#shared/domain/investigation/place/apart.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'

const graph = (...pairs: readonly (readonly [string, string])[]) => ({
  callees: new Map(
    [...Map.groupBy(pairs, ([caller]) => caller)].map(([caller, of]) => [
      caller,
      new Set(of.map(([, callee]) => callee)),
    ]),
  ),
})

describe('two entities', () => {
  it('are apart where both call or are called and no calls join them', () => {
    const two = graph(['web', 'stock'], ['gateway', 'ledger'])
    expect(isApart('web', 'ledger', two)).toBe(true)
    expect(isApart('stock', 'gateway', two)).toBe(true)
    expect(isApart('web', 'stock', two)).toBe(false)
    expect(isApart('stock', 'web', two)).toBe(false)
    expect(isApart('web', 'web', two)).toBe(false)
  })

  it('are not apart where a third joins them, whoever of them calls', () => {
    expect(isApart('web', 'shop', graph(['web', 'stock'], ['shop', 'stock']))).toBe(false)
    expect(isApart('stock', 'carts', graph(['web', 'stock'], ['web', 'carts']))).toBe(false)
    expect(isApart('web', 'disk', graph(['web', 'stock'], ['stock', 'store'], ['store', 'disk']))).toBe(false)
  })

  it('are not apart where of one of them no call is known', () => {
    const one = graph(['web', 'stock'])
    expect(isApart('web', 'node-7', one)).toBe(false)
    expect(isApart('node-7', 'web', one)).toBe(false)
    expect(isApart('node-7', 'node-8', one)).toBe(false)
    expect(isApart('web', 'stock', graph())).toBe(false)
  })

  const name = fc.constantFrom(...'abcdefgh')
  const pairs = fc.array(fc.tuple(name, name), { maxLength: 8 })
  it('are apart from each other or not, in whichever order they are asked and their calls were seen', () => {
    fc.assert(
      fc.property(pairs, name, name, (all, a, b) => {
        const apart = isApart(a, b, graph(...all))
        expect(isApart(b, a, graph(...all.toReversed()))).toBe(apart)
        expect(isApart(a, b, graph(...all.map(([caller, callee]) => [callee, caller] as const)))).toBe(apart)
      }),
    )
  })

  it('are never apart after a call between them, and further calls only join', () => {
    fc.assert(
      fc.property(pairs, name, name, name, (all, a, b, c) => {
        expect(isApart(a, b, graph(...all, [a, b]))).toBe(false)
        const known = graph(...all, [a, a], [b, b], [c, c])
        if (!isApart(a, b, known)) expect(isApart(a, b, graph(...all, [a, a], [b, b], [b, c]))).toBe(false)
      }),
    )
  })
})

describe('two incidents at once of systems that have nothing to do with each other', () => {
  const diff =
    '@@ rates.ts @@\n-  if (rate === undefined) throw new RangeError(currency)\n-  const found = rate ?? fallback\n+  const found = rate'
  const both: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.003, 0.4),
      series('stock', 'http_5xx_ratio', 0.003, 0.4),
      series('ledger', 'http_5xx_ratio', 0.003, 0.3),
    ],
    edges: [...calls('web', 'stock', 0.4), ...calls('gateway', 'ledger', 0.3)],
    logs: [
      ...lines('stock', 'ERROR', 'TypeError: cannot read properties of undefined (reading rate)', ONSET),
      ...lines('ledger', 'ERROR', 'posting failed', ONSET),
    ],
    changes: [
      commit('c'.repeat(40), ONSET - 20, 'Take rates as they are', ['stock/src/rates.ts'], diff),
      deploy('stock-2', ONSET - 2, 'stock', 'v2', ['c'.repeat(40)]),
      deploy('ledger-2', ONSET - 1, 'ledger', 'v2', []),
    ],
  }
  const ofLedger = investigate(both, { service: 'ledger' })

  it('are told each by what happened on its own side', () => {
    expect(investigate(both).cause).toMatchObject({ entity: 'stock', change: 'c'.repeat(40) })
    expect(ofLedger.cause).toMatchObject({ entity: 'ledger', change: 'ledger-2' })
  })

  it('hurt nobody of the other', () => {
    expect(investigate(both).blast_radius).toEqual(['web'])
    expect(ofLedger.blast_radius).not.toContain('stock')
    expect(ofLedger.hypotheses.map(({ cause }) => cause.entity)).not.toContain('web')
  })

  it('are one where a call joins them', () => {
    const joined = { ...both, edges: [...both.edges, ...calls('ledger', 'stock', 0.4)] }
    expect(investigate(joined, { service: 'ledger' }).cause).toMatchObject({ change: 'c'.repeat(40) })
  })
})
