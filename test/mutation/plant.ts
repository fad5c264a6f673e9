import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PLANTED_FAULTS } from './planted-faults.ts'

const HELP = `Usage: npm run test:planted

Plants each fault of test/mutation/planted-faults.ts into the edge, one by one, and runs the tests of the edge: every one
must be caught. Fails for a fault that survives, and for one whose place is no longer in the source.
`
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const AT_ONCE = 2

/** True when the tests of the edge pass, with the fault of that number or, below zero, with none. */
const passes = (number: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [VITEST, 'run', '--config', 'test/mutation/planted.config.ts'],
      { cwd: ROOT, env: { ...process.env, PLANTED_FAULT: String(number) } },
      (error, stdout) => {
        // Tests that failed are one thing, tests that did not run another.
        if (error !== null && !/Tests .*failed/.test(stdout))
          reject(new Error(`the tests did not run:\n${stdout.slice(-2_000)}`))
        else resolve(error === null)
      },
    )
  })

const isThere = ({ file, from }: (typeof PLANTED_FAULTS)[number]): boolean =>
  readFileSync(`${ROOT}/shared/edge/${file}`, 'utf8').split(from).length === 2

async function main(): Promise<void> {
  if (!(await passes(-1))) throw new Error('the tests of the edge fail without any fault')
  const problems: string[] = []
  const left = PLANTED_FAULTS.map((fault, number) => ({ fault, number }))
  const next = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      const { fault, number } = each
      const problem = !isThere(fault)
        ? 'its place is not in the source, or there twice'
        : (await passes(number))
          ? 'survived'
          : null
      process.stderr.write(`${problem ?? 'caught'}: ${fault.what}\n`)
      if (problem !== null) problems.push(`${fault.file}: ${fault.what}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  const caught = PLANTED_FAULTS.length - problems.length
  console.log([`${caught} of ${PLANTED_FAULTS.length} planted faults caught`, ...problems].join('\n'))
  if (problems.length > 0) process.exitCode = 1
}

if (process.argv.includes('--help')) process.stdout.write(HELP)
else await main()
