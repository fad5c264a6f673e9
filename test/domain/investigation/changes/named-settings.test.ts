import { describe, expect, it } from 'vitest'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { at } from '../incident-scenarios.ts'
import { first, judge, merged, says } from '../ranking-by-hand.ts'

const SETS = '   issue:\n-  shelfUrl: https://a.example\n+  shelfUrl: none'
const SAYS = 'TypeError: Invalid URL: undefined (shelfUrl, start.ts:31)'

describe('a setting of several words that a new error names', () => {
  const found = (said: string, diff = SETS, more: Partial<Symptom> = {}) =>
    first([merged('a', 60, diff)], [says(said, more)]).quoted

  it('links the change that gave it another value, or took it away', () => {
    const symptom = says(SAYS)
    const entry = first([merged('a', 60, SETS)], [symptom])
    expect(entry.quoted).toEqual({ name: 'shelfUrl', symptom, how: 'changes' })
    expect(entry.is_linked).toBe(true)
    expect(found(SAYS, '-  shelfUrl: https://a.example\n+  signedBy: two')).toMatchObject({
      name: 'shelfUrl',
      how: 'removes',
    })
    expect(found('open_shelf_count is 0', '-open_shelf_count = 5\n+open_shelf_count = 0')).not.toBeNull()
    expect(found('open_shelf_count is 0', '-a.open_shelf_count: 5\n+a.open_shelf_count: 0')).not.toBeNull()
    expect(found('no shelfURL', '-  shelfURL: a\n+  shelfURL: b')).not.toBeNull()
  })

  it('is none where the change leaves it as it is, or only adds it', () => {
    expect(found(SAYS, '   shelfUrl: https://a.example\n-  days: 5\n+  days: 7')).toBeNull()
    expect(found(SAYS, '-  days: 5\n+  shelfUrl: none')).toBeNull()
  })

  it('has several words, of which one at least is not everybody’s, and is written as there', () => {
    expect(found('no shelf', '-  shelf: 5\n+  shelf: 0')).toBeNull()
    expect(found('bad requestId', '-  requestId: 5\n+  requestId: 0')).toBeNull()
    expect(found('no shelfurl')).toBeNull()
  })

  it('stands there whole: no part of a path, a host, a file or a longer name', () => {
    for (const said of [
      '/shelfUrl',
      'shelfUrl/a',
      'a.shelfUrl',
      'shelfUrl.ts',
      'my-shelfUrl',
      'shelfUrl-two',
      'shelfUrls',
    ])
      expect(found(`no ${said} here`)).toBeNull()
    for (const said of ['shelfUrl.', '(shelfUrl)', 'shelfUrl:', '"shelfUrl"'])
      expect(found(`no ${said}`)).not.toBeNull()
  })

  it('is in a line or a pattern of lines of the failing place itself, and in no alert', () => {
    expect(found(SAYS, SETS, { origin: 'pattern', weight: 0.5 })).not.toBeNull()
    expect(found(SAYS, SETS, { weight: 0.49 })).toBeNull()
    for (const origin of ['alert', 'metric', 'trace'] as const)
      expect(found(SAYS, SETS, { origin })).toBeNull()
  })

  it('tells nothing where another change touches it too, and does where one touches it twice', () => {
    const names = (...diffs: readonly string[]) =>
      judge(
        diffs.map((diff, index) => merged('ab'[index] as string, 60 + index, diff)),
        [says(SAYS)],
      ).ranked.map(({ quoted }) => quoted?.name)
    expect(names(SETS, SETS)).toEqual([undefined, undefined])
    expect(names(`${SETS}\n   b:\n-  shelfUrl: c\n+  shelfUrl: d`)).toEqual(['shelfUrl'])
  })

  it('was delivered next to who fails, though nobody recorded when; further off it names by chance', () => {
    const edges = [
      { source: 'calls', caller: 'web', callee: 'stock-api', t0: at(60), t1: at(61), interval_s: 60 },
    ]
    const of = (owner: string) => {
      const change = merged('r', 60, SETS, { files: [`${owner}/issuing.yaml`], entity: 'fleet' })
      return judge([change], [says(SAYS)], { snapshot: { edges } }).ranked[0]
    }
    expect(of('shelf-db')).toMatchObject({ place: 0.7, quoted: { name: 'shelfUrl' } })
    expect(of('billing')).toMatchObject({ place: 0.25, quoted: null })
  })
})
