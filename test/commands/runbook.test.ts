import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const runbook = readFileSync('docs/runbook.md', 'utf8')
/** Commands as they stand in blocks and in the text, without the shell's part around them. */
const commands = [
  ...[...runbook.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n')),
  ...[...runbook.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
]
  .map((line) =>
    line
      .replace(/#.*$/, '')
      .replace(/^\s*(AWS_REGION=\w+ )?/, '')
      .trim(),
  )
  .filter((line) => /^(npm run|npx) /.test(line))

/** Which test tries a command, by how the command begins. */
const TRIED: Readonly<Record<string, readonly [file: string, says: string]>> = {
  'npm run --silent redrive': ['test/deploy/run.ts', 'infra/commands/redrive.ts'],
  'npm run --silent keys -- list': ['test/deploy/run.ts', "'keys', 'list'"],
  'npm run --silent keys -- revoke': ['test/deploy/run.ts', "'keys', 'revoke'"],
  'npm run --silent keys -- acts': ['test/deploy/run.ts', "'keys', 'acts'"],
  'npm run --silent keys -- create': ['test/deploy/run.ts', 'infra/commands/keys.ts'],
  'npm run --silent repair': ['test/deploy/run.ts', "'repair'"],
  'npm run --silent restore': ['test/deploy/run.ts', "'restore'"],
  'npm run --silent export': ['test/deploy/run.ts', "'export'"],
  'npm run --silent erase': ['test/deploy/run.ts', "'erase'"],
  'npx cdk bootstrap': ['test/deploy/run.ts', "'bootstrap'"],
  'npx cdk deploy': ['test/deploy/run.ts', "'deploy'"],
  'npx cdk destroy': ['test/deploy/run.ts', "'destroy'"],
  'npm run deploy': ['test/deploy/run.ts', "'deploy'"],
}

describe('the commands of the runbook', () => {
  it('are there', () => expect(commands.length).toBeGreaterThan(12))

  it.each(commands)('%s is tried by a test', (command) => {
    const beginning = Object.keys(TRIED).find((each) => command.startsWith(each))
    expect(beginning).toBeDefined()
    const [file, says] = TRIED[beginning ?? ''] ?? ['', '']
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain(says)
  })

  it.each(commands.filter((command) => command.startsWith('npm run')))(
    '%s names a script that exists',
    (command) => {
      const [, script = ''] = /^npm run (?:--silent )?(\S+)/.exec(command) ?? []
      expect(Object.keys(packageJson.scripts)).toContain(script)
    },
  )

  it('that the AWS command line is for are said to be untried', () => {
    expect(runbook).toMatch(/the `aws` commands follow its reference and were\nnot run by a test/)
  })
})
