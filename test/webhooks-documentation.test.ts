import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8')
const table = page.slice(page.indexOf('| feature |')).split('\n').slice(2)
const rows = table.filter((row) => row.startsWith('| ')).map((row) => row.split(' | '))
const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts') && !file.includes('webhooks-documentation'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

describe('the table of features', () => {
  it('has a row for each feature of the field', () => {
    expect(rows.length).toBeGreaterThanOrEqual(24)
  })

  it.each(rows.map(([feature = '', ours = '']) => [feature.replace('| ', ''), ours] as const))(
    'names a test that there is: %s',
    (_feature, ours) => {
      const name = /^`(.+)`$/.exec(ours)?.[1]
      expect(name).toBeDefined()
      expect(tests).toContain(`'${name}'`)
    },
  )
})
