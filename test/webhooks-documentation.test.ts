import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8')
const [table = ''] = page.slice(page.indexOf('| feature |')).split('\n\n')
const rows = table
  .split('\n')
  .slice(2)
  .map((row) => row.split(' | '))
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
}
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

it('names no command and no file of tests that there is none of', () => {
  const commands = [...page.matchAll(/npm (?:run (?:--silent )?)?(start|[a-z]+:[a-z]+|receiver)/g)]
  expect(commands.length).toBeGreaterThanOrEqual(4)
  for (const [, name = ''] of commands) expect(scripts).toHaveProperty([name])
  const files = [...page.matchAll(/test\/[\w/.-]+/g)].map(([file]) => file.replace(/\.$/, ''))
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const file of files) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true)
})
