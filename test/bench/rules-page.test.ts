import { describe, expect, it } from 'vitest'
import { pageOfRules, type RuleWorth } from './rules-page.ts'

const NOTHING = {
  ...{ found: 0, altered: 0, right_with: [], right_without: [], wrong: 0, sure: 0, undecided: 0 },
  ...{ given_found: 0, given_net: 0 },
}
const worth = (name: string, other: Partial<RuleWorth>): RuleWorth => ({
  ...NOTHING,
  ...{ rule: { file: `causes/${name}.ts`, name }, written: '2026-11-24T00:00:00Z', ...other },
})
const old = { age: 'third', family: 'an-old-fault' } as const
const young = { age: 'twentieth', family: 'a-young-fault' } as const
const page = (...worths: readonly RuleWorth[]): string =>
  pageOfRules(worths, {
    ...{
      engine: '9.9.9',
      command: 'the command',
      of: 'some families',
      simulated: { n: 40, right: 30 },
      given: null,
    },
    written: (age) => (age === 'third' ? '2026-11-22T00:00:00Z' : '2026-11-27T00:00:00Z'),
  })
const rows = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('| `'))

describe('the page of what each rule is worth', () => {
  it('has what is worth most first, and what costs more than it gains last', () => {
    const text = page(
      worth('costs', { found: 3, altered: 2, right_without: [old] }),
      worth('idle', { found: 2 }),
      worth('serves', { found: 3, altered: 3, right_with: [old, old] }),
    )
    expect(rows(text).map((row) => row.split('`')[1])).toEqual(['serves', 'idle', 'costs'])
    expect(text).toContain('Of 3 rules 1 serve a family')
    expect(text).toContain('1 cost more right')
    expect(text).toContain('1 change nothing here')
  })

  it('counts a family as served where more of it is right with the rule than without', () => {
    const [row] = rows(
      page(worth('both', { found: 4, altered: 4, right_with: [old, young], right_without: [old] })),
    )
    expect(row).toBe('| `both` | causes/both.ts | 4 | 4 | 2 | 1 | +1 | 0 | 0 | 0 | 1 | 1 | 0 | 0 |')
  })

  it('counts families as younger that were written after the rule was', () => {
    const text = page(worth('one', { right_with: [old] }), worth('other', { right_with: [young] }))
    expect(rows(text).map((row) => row.split(' | ').slice(10, 12))).toEqual([
      ['1', '0'],
      ['1', '1'],
    ])
    expect(text).toContain('1 of these serve one that was\nwritten after the rule was')
  })

  it('says where the public sets were not at hand', () => {
    expect(page()).toContain('The public sets were not at hand.')
  })
})
