import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Reversal, reversalOf, reversalsIn } from '#shared/domain/investigation/changes/reversals.ts'
import { effectOf } from '#shared/domain/investigation/records/change-record.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { at } from '../incident-scenarios.ts'

const change = (id: string, minute: number, more: Partial<Change> = {}): Change => ({
  ...{ source: 'deploys', id, recorded_at: at(minute), kind: 'deploy', entity: 'stock' },
  ...more,
})
const told = (changes: readonly Change[]) =>
  reversalsIn(changes).map((one) => [one.change.id, one.of?.id ?? null])

describe('a change that took another back', () => {
  it('brings back the version from which the last one went away', () => {
    const out = change('d2', 10, { before: 'v1', after: 'v2' })
    expect(told([change('d3', 20, { before: 'v2', after: 'v1' }), out])).toEqual([['d3', 'd2']])
    expect(told([change('d3', 20, { before: 'v2', after: 'v3' }), out])).toEqual([])
  })

  it('brings back an earlier version where no record says what was before', () => {
    const [one, two] = [change('d1', 0, { after: 'v1' }), change('d2', 10, { after: 'v2' })]
    expect(told([one, two, change('d3', 20, { after: 'v1' })])).toEqual([['d3', 'd2']])
    expect(told([two, change('d3', 20, { after: 'v1' })])).toEqual([])
    expect(told([one, { ...two, before: 'v0' }, change('d3', 20, { after: 'v1' })])).toEqual([])
    expect(told([two, change('d3', 20)])).toEqual([])
  })

  it('is not the same version rolled out once more', () => {
    expect(told([change('d1', 0, { after: 'v1' }), change('d2', 10, { after: 'v1' })])).toEqual([])
  })

  it('is of the same service, the same kind, and of flags of the same flag', () => {
    const out = change('d2', 10, { before: 'v1', after: 'v2' })
    const back = { before: 'v2', after: 'v1' }
    expect(told([out, change('d3', 20, { ...back, entity: 'web' })])).toEqual([])
    expect(told([out, change('d3', 20, { ...back, kind: 'config' })])).toEqual([])
    const flag = (id: string, minute: number, before: string, after: string): Change =>
      change(id, minute, { kind: 'flag', before, after })
    expect(told([flag('fast', 10, 'off', 'on'), flag('fast', 20, 'on', 'off')])).toEqual([['fast', 'fast']])
    expect(told([flag('fast', 10, 'off', 'on'), flag('dark', 20, 'on', 'off')])).toEqual([])
  })

  it('is of settings by what they are called, of releases by their service, and never of a count of instances', () => {
    const pair = (kind: Change['kind'], one: Partial<Change>, other: Partial<Change>) =>
      told([
        change('s1', 10, { kind, before: 'v1', after: 'v2', ...one }),
        change('s2', 20, { kind, before: 'v2', after: 'v1', ...other }),
      ])
    expect(pair('config', { title: 'pool size' }, { title: 'pool size' })).toEqual([['s2', 's1']])
    expect(pair('config', { title: 'pool size' }, { title: 'timeout' })).toEqual([])
    expect(pair('config', {}, { title: 'timeout' })).toEqual([])
    expect(pair('release', {}, {})).toEqual([['s2', 's1']])
    expect(pair('scale', { title: 'web' }, { title: 'web' })).toEqual([])
  })

  it('is none where nobody knows of what either change was, or where it came after what is brought back', () => {
    const { entity: _none, ...nowhere } = change('d2', 10, { before: 'v1', after: 'v2' })
    expect(told([nowhere, { ...nowhere, id: 'd3', recorded_at: at(20), before: 'v2', after: 'v1' }])).toEqual(
      [],
    )
    expect(
      told([change('d2', 10, { before: 'v1', after: 'v2' }), change('d3', 20, { before: 'v2' })]),
    ).toEqual([])
    expect(
      told([change('d2', 10, { before: 'v0', after: 'v2' }), change('d3', 20, { after: 'v1' })]),
    ).toEqual([])
  })

  it('goes away from the change before it, not from an earlier one', () => {
    const versions = [
      change('d1', 0, { before: 'v0', after: 'v1' }),
      change('d2', 10, { before: 'v1', after: 'v2' }),
      change('d3', 20, { before: 'v2', after: 'v0' }),
      change('d4', 30, { before: 'v0', after: 'v2' }),
    ]
    expect(told(versions)).toEqual([['d4', 'd3']])
  })

  it.each([
    'Revert "Keep rates in one table (#614)"',
    'Rollback stock',
    'roll back to v1',
    '[stock] Reverted rates',
    'Reapply "Keep rates in one table"',
    '[stock]backed out',
    'back out rates',
    '\u201cRevert rates\u201d',
    'Roll-back of rates',
  ])('says so in its title “%s”', (title) => {
    expect(told([change('c1', 10, { kind: 'commit', title })])).toEqual([['c1', null]])
  })

  it.each([
    'Reverse the order of rows',
    'Explain how to roll back',
    'Rolling restart',
    'Unrevert rates',
    'Rollback transaction of a refund',
    'Roll back the whole transaction',
    'Roll back on failure',
  ])('is not what “%s” is called', (title) => {
    expect(told([change('c1', 10, { kind: 'commit', title })])).toEqual([])
  })

  it('is found with the change that its title quotes, and in effect by what carried it', () => {
    const commit = change('c1', 0, { kind: 'commit', title: 'Keep rates in one table (#614)' })
    const revert = change('c2', 10, { kind: 'commit', title: 'Revert "Keep rates in one table"' })
    expect(told([commit, revert])).toEqual([['c2', 'c1']])
    expect(told([commit, revert, change('d2', 20, { carries: ['c2'], after: 'v3' })])).toEqual([['d2', 'c1']])
    expect(told([{ ...commit, recorded_at: at(10) }, revert])).toEqual([['c2', null]])
    const { title: _none, ...untitled } = commit
    expect(told([untitled, { ...commit, title: 'Other' }, revert])).toEqual([['c2', null]])
  })

  it('is of the change whose whole title it quotes, whatever quotes that title holds, and of the latest of several', () => {
    const commit = (id: string, minute: number, title: string) =>
      change(id, minute, { kind: 'commit', title })
    const quoting = (title: string, ...earlier: readonly Change[]) =>
      told([...earlier, commit('c9', 50, title)]).find(([id]) => id === 'c9')?.[1]
    const pay = commit('c1', 0, 'Users can pay twice')
    const log = commit('c2', 5, "Users can't log out")
    expect(quoting(`Revert "Users can't log out"`, pay, log)).toBe('c2')
    expect(quoting(`Revert "Users can't log out"`, pay)).toBeNull()
    expect(quoting(`Revert 'Users can pay twice'`, pay, log)).toBe('c1')
    expect(quoting('Revert \u201cUsers can pay twice\u201d', pay, log)).toBe('c1')
    expect(quoting('Revert Users can pay twice', pay, log)).toBeNull()
    const back = commit('c3', 10, 'Revert "Ask for rates once"')
    expect(quoting('Revert "Revert "Users can pay twice""', pay, back)).toBeNull()
    expect(quoting('Revert "Revert "Ask for rates once""', pay, back)).toBe('c3')
    expect(quoting('Reapply "Ask for rates once"', pay, back)).toBe('c3')
    expect(quoting('Reapply "Users can pay twice"', pay, back)).toBeNull()
    expect(quoting('Revert "Users can pay twice"', pay, { ...pay, id: 'c4', recorded_at: at(20) })).toBe('c4')
  })

  it('is told once where what is rolled out brings the version back and carries a revert', () => {
    const out = change('d2', 10, { before: 'v1', after: 'v2' })
    const revert = change('c2', 15, { kind: 'commit', title: 'Revert rates' })
    const home = change('d3', 20, { before: 'v2', after: 'v1', carries: ['c2'] })
    expect(told([out, revert, home])).toEqual([['d3', 'd2']])
    expect(told([out, home, { ...revert, recorded_at: at(5) }, change('d4', 30)])).toEqual([['d3', 'd2']])
  })

  it('is told in the order in which each took effect, whatever carried it', () => {
    const changes = [
      change('c2', 10, { kind: 'commit', title: 'Back out rates' }),
      change('d1', 12, { before: 'v1', after: 'v2', entity: 'web' }),
      change('d2', 15, { before: 'v2', after: 'v1', entity: 'web' }),
      change('d3', 20, { carries: ['c2'], after: 'v3' }),
    ]
    expect(told(changes.toReversed()).map(([id]) => id)).toEqual(['d2', 'd3'])
    const later = changes.map((one) => (one.id === 'd2' ? { ...one, recorded_at: at(25) } : one))
    expect(told(later).map(([id]) => id)).toEqual(['d3', 'd2'])
  })

  it('is of a cause by its own id or by what it carried, the last of several', () => {
    const out = change('d2', 10, { before: 'v1', after: 'v2', carries: ['c1'] })
    const found = reversalsIn([
      out,
      change('d3', 20, { before: 'v2', after: 'v1' }),
      change('d4', 30, { before: 'v1', after: 'v2' }),
      change('d5', 40, { before: 'v2', after: 'v1' }),
    ])
    expect(reversalOf(found, ['c1', null])?.change.id).toBe('d3')
    expect(reversalOf(found, ['d4'])?.change.id).toBe('d5')
    expect(reversalOf(found, [null])).toBeNull()
    const unknown = reversalsIn([change('c2', 10, { kind: 'commit', title: 'Revert rates' })])
    expect([unknown.length, reversalOf(unknown, ['c1', null])]).toEqual([1, null])
  })
})

/** The definition, word by word, in time that is the square of the changes. */
function reversalsByDefinition(changes: readonly Change[]): readonly Reversal[] {
  const ordered = [...changes].sort((a, b) => effectOf(a) - effectOf(b))
  const isSamePlace = (one: Change, other: Change) =>
    one.entity !== undefined &&
    one.entity === other.entity &&
    one.kind === other.kind &&
    one.kind !== 'scale' &&
    (['deploy', 'release'].includes(one.kind) ||
      one.id === other.id ||
      (one.title !== undefined && one.title === other.title))
  const originalOf = ({ title = '', recorded_at }: Change) => {
    const quoted = /".{4,200}"/.exec(title)?.[0].slice(1, -1)
    return quoted === undefined
      ? null
      : (ordered.findLast((one) => one.recorded_at < recorded_at && one.title?.startsWith(quoted)) ?? null)
  }
  const found = ordered.flatMap((change, index): Reversal[] => {
    const { after, title = '' } = change
    const earlier = ordered.slice(0, index).filter((one) => isSamePlace(one, change))
    const last = earlier.at(-1)
    const wasBefore = last?.before ?? earlier.find((one) => one.after === after)?.after
    if (last !== undefined && after !== undefined && last.after !== after && wasBefore === after)
      return [{ change, of: last }]
    return title.startsWith('Revert') ? [{ change, of: originalOf(change) }] : []
  })
  const carriers = ordered.flatMap((change): Reversal[] => {
    const brought = found.find((one) => change.carries?.includes(one.change.id))
    const isFound = found.some((one) => one.change === change)
    return brought === undefined || isFound ? [] : [{ change, of: brought.of }]
  })
  const isCarried = ({ id }: Change) => ordered.some(({ carries }) => carries?.includes(id))
  return [...found.filter(({ change }) => !isCarried(change)), ...carriers].sort(
    (a, b) => effectOf(a.change) - effectOf(b.change),
  )
}

describe('the changes that took another back', () => {
  const minute = fc.integer({ min: 0, max: 9 }).map(at)
  const id = fc.constantFrom('c1', 'c2', 'c3', 'c4')
  const version = fc.constantFrom('v1', 'v2', 'v3')
  const title = fc.constantFrom(
    ...[
      'pool',
      'pool size',
      'pool of stock',
      'Revert "pool"',
      'Revert "pool size"',
      'Revert "Revert "pool""',
    ],
    ...['Revert', 'Revert "timeout"', 'timeout', ''],
  )
  const anyChange: fc.Arbitrary<Change> = fc.record(
    {
      source: fc.constant('deploys'),
      id,
      recorded_at: minute,
      kind: fc.constantFrom('deploy', 'release', 'flag', 'config', 'scale', 'commit'),
      effective_at: minute.map((from) => ({ from, to: from })),
      entity: fc.constantFrom('stock', 'web'),
      title,
      before: version,
      after: version,
      carries: fc.array(id, { maxLength: 2 }),
    },
    { requiredKeys: ['source', 'id', 'recorded_at', 'kind'] },
  )

  it('are those of the definition, in any order of any records', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 14 }), (changes) => {
        expect(reversalsIn(changes)).toEqual(reversalsByDefinition(changes))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    [
      'versions of one service',
      (index: number) => ({ before: `v${index % 7}`, after: `v${(index + 1) % 7}` }),
    ],
    ['versions of which no record says what was before', (index: number) => ({ after: `v${index}` })],
    [
      'titles that all quote another one',
      (index: number) => ({ title: `Revert "${'x'.repeat(4 + (index % 196))}"` }),
    ],
    ['changes that carry each other', (index: number) => ({ title: 'Revert', carries: [`c${index + 1}`] })],
  ])('are looked for once for each change, not for each pair: %s', (_name, more) => {
    let reads = 0
    const counted = (index: number): Change =>
      new Proxy(change(`c${index}`, index, more(index)), {
        get: (target, name) => {
          reads += 1
          return Reflect.get(target, name)
        },
      })
    const readsFor = (count: number) => {
      reads = 0
      reversalsIn(Array.from({ length: count }, (_, index) => counted(index)))
      return reads / count
    }
    // Sorting reads what is sorted by as often as there are steps of halving.
    expect(readsFor(2_000)).toBeLessThan(1.5 * readsFor(500))
  })
})
