import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { moved, rowOf, withNamesOf } from './constants-page.ts'
import { type EngineConstant, engineConstants } from './engine-constants.ts'

const WAIT: EngineConstant = {
  file: 'place/a.ts',
  name: 'WAIT_MS',
  value: 5000,
  reason: 'A wait | a rest, ms.',
}
const WEIGHT: EngineConstant = { file: 'changes/b.ts', name: 'WEIGHTS.words', value: 0.3, reason: 'Words.' }
const base = new Map([
  ['shop', 90],
  ['bank', 80],
])
const line = (constant: EngineConstant): string =>
  rowOf(base, { constant, readIn: 3, half: base, double: new Map([...base, ['bank', 70]]) }).line
const PAGE = `# The engine's constants

| constant | value |
|---|---|
${line(WAIT)}
${line(WEIGHT)}

## Tables of knowledge emptied

| table | file | emptied: points |
|---|---|---|
| \`ANSWERS\` | causes/answers.ts | 0 |
`

describe('the row of a constant', () => {
  it('says what it is, where it is asked for, and what moves at half and at double', () => {
    expect(line(WAIT)).toBe(
      '| `WAIT_MS` | 5000 | place/a.ts | A wait \\| a rest, ms. | 3 | 0 | bank −10.0 | fragile |',
    )
  })

  it('leaves out what moves by less than can be shown, and counts a group that is gone as having none right', () => {
    expect(moved(base, new Map([['shop', 90.04]]))).toEqual({ text: 'bank −80.0', most: 80 })
  })
})

describe('the page of constants', () => {
  it('stays as it is while the engine has the constants that its rows are of', () => {
    expect(withNamesOf(PAGE, [WEIGHT, WAIT])).toBe(PAGE)
  })

  it('loses the row of what is gone and names what is new, once', () => {
    const fresh = { ...WAIT, name: 'REST_MS' }
    const page = withNamesOf(PAGE, [WEIGHT, fresh])
    expect(page).not.toContain('WAIT_MS')
    expect(page).toContain(line(WEIGHT))
    expect(page).toContain('| `ANSWERS` | causes/answers.ts | 0 |')
    expect(page.split('## Not yet tried')[1]).toContain('- `REST_MS` 5000, place/a.ts')
    expect(withNamesOf(page, [WEIGHT, fresh])).toBe(page)
  })

  it('names a constant whose value is another than was tried', () => {
    const page = withNamesOf(PAGE, [{ ...WEIGHT, value: 0.4 }, WAIT])
    expect(page).not.toContain(line(WEIGHT))
    expect(page).toContain('- `WEIGHTS.words` 0.4, changes/b.ts')
  })

  it('names each constant of the engine, with its value: `npm run bench:constants -- --names` writes what is missing', async () => {
    const page = await readFile(new URL('../../docs/engine-constants.md', import.meta.url), 'utf8')
    expect(withNamesOf(page, await engineConstants())).toBe(page)
  })
})
