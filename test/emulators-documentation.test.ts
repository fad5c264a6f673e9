import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../docs/emulators.md', import.meta.url), 'utf8')
/** What is wrong with an emulator, and file and name of the test that covers it. */
const rows = page
  .split('\n')
  .filter((line) => /^\| (?!what )/.test(line))
  .map((line) => {
    const cells = line.slice(2, -2).split(' | ')
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(cells.at(-1) ?? '') ?? []
    return [cells[0] ?? '', file, name] as const
  })

describe('what emulators get wrong', () => {
  it('is a list', () => {
    expect(rows.length).toBeGreaterThanOrEqual(12)
  })

  it.each(rows)('is covered by a test that there is: %s', (_, file, name) => {
    expect(name).not.toBe('')
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toContain(`'${name}'`)
  })
})
