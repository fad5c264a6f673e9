import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { constantsIn, engineConstants, KNOWLEDGE, withoutRows, withValue } from './engine-constants.ts'

const FILE = `import { other } from './other.ts'

/** Milliseconds: two hours,
 * as a rule. */
const WAIT_MS = 2 * 3_600_000
/** Both of these: a share and the least. */
export const SHARE = 0.05
export const LEAST: number = 1e-6

const BARE = 3
const WORDS = /x/
const NAME = 'x'
/** How much each weighs. */
const WEIGHTS = {
  words: 0.3,
  // Only where it stands alone.
  place: 0.5,
} as const
/** How much of each there is. */
const SIZES: Readonly<Record<string, number>> = {
  small: 1 / 2,
  large: 2,
}
const work = () => 4
`

describe('the constants of the engine', () => {
  it('are the named numbers of a file, each with what the comment over it says', () => {
    expect(constantsIn('a.ts', FILE)).toEqual([
      { file: 'a.ts', name: 'WAIT_MS', value: 7_200_000, reason: 'Milliseconds: two hours, as a rule.' },
      { file: 'a.ts', name: 'SHARE', value: 0.05, reason: 'Both of these: a share and the least.' },
      { file: 'a.ts', name: 'LEAST', value: 0.000001, reason: 'Both of these: a share and the least.' },
      { file: 'a.ts', name: 'BARE', value: 3, reason: '' },
      { file: 'a.ts', name: 'WEIGHTS.words', value: 0.3, reason: 'How much each weighs.' },
      { file: 'a.ts', name: 'WEIGHTS.place', value: 0.5, reason: 'Only where it stands alone.' },
      { file: 'a.ts', name: 'SIZES.large', value: 2, reason: 'How much of each there is.' },
    ])
  })

  it('can each be set to another value, and nothing else moves', () => {
    for (const { name, value } of constantsIn('a.ts', FILE)) {
      const other = constantsIn('a.ts', withValue(FILE, name, value * 2))
      expect(other.find((one) => one.name === name)?.value).toBe(value * 2)
      expect(other.filter((one) => one.name !== name)).toEqual(
        constantsIn('a.ts', FILE).filter((one) => one.name !== name),
      )
    }
  })

  it('all say why they are what they are, in the engine itself', async () => {
    const constants = await engineConstants()
    expect(constants.map(({ name }) => name)).toContain('WEIGHTS.closeness')
    expect(
      constants.filter(({ reason }) => reason === '').map(({ file, name }) => `${file} ${name}`),
    ).toEqual([])
  })
})

describe('the tables of knowledge', () => {
  it.each(KNOWLEDGE)('$name can be emptied where it stands', async ({ file, name }) => {
    const path = new URL(`../../shared/domain/investigation/${file}`, import.meta.url)
    const text = await readFile(path, 'utf8')
    const emptied = withoutRows(text, name)
    expect(emptied).toMatch(new RegExp(`^export const ${name}: readonly \\w+\\[\\] = \\[\\]$`, 'm'))
    // A row is an object with its id, or begins with it where rows are written by what they share.
    const row = /^ {4}id: |^ {2}row\(|^ {2}\.\.\.saying\(/m
    expect(emptied.slice(emptied.indexOf(`export const ${name}`))).not.toMatch(row)
    expect(text.slice(text.indexOf(`export const ${name}`))).toMatch(row)
  })
})
