import { describe, expect, it } from 'vitest'
import { asksMore, asksOtherwise, CALLS } from '#shared/domain/investigation/changes/asks-otherwise.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'
import { at, LENGTH } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'

const SINCE = 60
const observed = {
  ...SEEN,
  normal: {
    baselines: [{ name: 'calm', from: at(0), to: at(50) }],
    origin: 'declared',
    incident: { from: at(50), to: at(LENGTH) },
  },
} as unknown as typeof SEEN

/** Calls counted each minute, other ones from a minute on. */
const counted = (caller: string, callee: string, before: number, after = before, source = 'edges'): Edge[] =>
  Array.from({ length: LENGTH }, (_, minute) => ({
    ...{ source, caller, callee, t0: at(minute), interval_s: 60 },
    calls: minute < SINCE ? before : after,
  }))
const found = (edges: readonly Edge[], services: readonly string[] = ['stock']) =>
  asksOtherwise(edges, new Set(services), observed)

describe('who asks others otherwise than before', () => {
  it('asks one more often, or more seldom, for each call of its own', () => {
    const [more, ...none] = found([
      ...counted('web', 'stock', 600),
      ...counted('stock', 'shelf-db', 600, 1_200),
    ])
    expect(none).toEqual([])
    expect(more).toMatchObject({
      ...{ before: 1, during: 2, direction: 'up', is_bad: false, onset: { at: at(SINCE) } },
      series: { entity: 'stock', name: 'calls to shelf-db per call', unit: CALLS, source: 'edges' },
      meaning: { meaning: 'other', weight: 0, is_demand: false },
    })
    const less = found([...counted('web', 'stock', 600), ...counted('stock', 'shelf-db', 600, 120)])
    expect(less).toMatchObject([{ direction: 'down', before: 1, during: 0.2 }])
  })

  it('does not where as many more came', () => {
    expect(
      found([...counted('web', 'stock', 600, 1_800), ...counted('stock', 'shelf-db', 600, 1_800)]),
    ).toEqual([])
  })

  it('does not where it is little more or less than on another day', () => {
    const times = (factor: number) =>
      found([...counted('web', 'stock', 1_000), ...counted('stock', 'shelf-db', 1_000, 1_000 * factor)])
    expect(times(1.3)).toHaveLength(1)
    expect(times(1.29)).toEqual([])
    expect(times(0.76)).toHaveLength(1)
    expect(times(0.78)).toEqual([])
  })

  it('cannot be told where few call it, or nobody is counted to', () => {
    const asked = counted('stock', 'shelf-db', 20, 40)
    expect(found([...counted('web', 'stock', 20), ...asked])).toHaveLength(1)
    expect(found([...counted('web', 'stock', 19), ...asked])).toEqual([])
    expect(found(asked)).toEqual([])
    const uncounted = counted('web', 'stock', 20).map(({ calls: _, ...edge }) => edge)
    expect(found([...uncounted, ...asked])).toEqual([])
  })

  it('is told of those only that were asked about, the strongest first', () => {
    const edges = [
      ...counted('web', 'stock', 600),
      ...counted('stock', 'shelf-db', 600, 900),
      ...counted('stock', 'prices', 600, 3_000),
      ...counted('stock', 'media', 600, 600),
    ]
    const names = (services?: readonly string[]) => found(edges, services).map(({ series: { name } }) => name)
    expect(names()).toEqual(['calls to prices per call', 'calls to shelf-db per call'])
    expect(names(['web'])).toEqual([])
  })

  it('is the same in whichever order the records come', () => {
    const edges = [
      ...counted('web', 'stock', 300),
      ...counted('web', 'stock', 300, 300, 'mesh'),
      ...counted('stock', 'shelf-db', 300, 600, 'mesh'),
      ...counted('stock', 'shelf-db', 300, 600),
    ]
    expect(found([...edges].reverse())).toEqual(found(edges))
    expect(found(edges)).toMatchObject([{ series: { source: 'edges' }, before: 1, during: 2 }])
  })
})

describe('a diff that adds lines that ask others', () => {
  const asks = (...lines: readonly string[]): boolean => asksMore(readDiff(lines.join('\n'), ['stock/a.ts']))

  it('awaits, fetches, queries or calls by a client where it did not', () => {
    for (const line of [
      'const price = await priceOf(item)',
      'fetch(url)',
      'db.query(text)',
      'rows = repo.find_all(ids)',
      'rates = client.get(path)',
      'stub.call(request)',
    ])
      expect([line, asks(` start()`, `+  ${line}`)]).toEqual([line, true])
    expect(asks(' start()', '+  total = price * amount')).toBe(false)
  })

  it('asks no more where one such line takes the place of another', () => {
    expect(asks('-  await one(item)', '+  await other(item)')).toBe(false)
    expect(asks('-  await one(item)', '-  await two(item)', '+  await other(item)')).toBe(false)
  })
})
