import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.ts'

const HELP = `Usage: npm run test:planted

Plants each fault of test/mutation/planted-faults.ts into the edge, one by one, and runs the tests of the edge: every one
must be caught, and the table says by which test. Fails for a fault that survives, and for one whose place is no longer in the source.
`
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const AT_ONCE = 2

interface Report {
  readonly numTotalTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/**
 * Runs the tests of the edge with the fault of that number or, below zero, with none.
 * @returns the names of those that failed
 * @throws Error when none ran: a fault that does not even load is caught by nothing
 */
async function failures(number: number): Promise<readonly string[]> {
  const file = path.join(reports, `${number}.json`)
  const arguments_ = [VITEST, 'run', '--config', 'test/mutation/planted.config.ts', `--outputFile=${file}`]
  const said = await new Promise<string>((resolve) => {
    const env = { ...process.env, PLANTED_FAULT: String(number) }
    execFile(process.execPath, arguments_, { cwd: ROOT, env }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : null
  if (report === null || report.numTotalTests === 0)
    throw new Error(`the tests did not run:\n${said.slice(-2_000)}`)
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName)
}

const isThere = ({ file, from }: PlantedFault): boolean =>
  readFileSync(`${ROOT}/shared/edge/${file}`, 'utf8').split(from).length === 2

async function main(): Promise<void> {
  if ((await failures(-1)).length > 0) throw new Error('the tests of the edge fail without any fault')
  const found: { readonly fault: PlantedFault; readonly problem: string | null; readonly by: string }[] = []
  const left = PLANTED_FAULTS.map((fault, number) => ({ fault, number }))
  const next = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      const { fault, number } = each
      const [by = ''] = isThere(fault) ? await failures(number) : []
      const problem = !isThere(fault)
        ? 'its place is not in the source, or there twice'
        : by === ''
          ? 'survived'
          : null
      process.stderr.write(`${problem ?? 'caught'}: ${fault.what}\n`)
      found.push({ fault, problem, by })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  console.log('| file | planted fault | caught by |\n|---|---|---|')
  for (const fault of PLANTED_FAULTS) {
    const { problem, by } = found.find((each) => each.fault === fault) ?? { problem: 'was not tried', by: '' }
    console.log(`| ${fault.file} | ${fault.what} | ${problem === null ? by : `NOBODY: ${problem}`} |`)
  }
  const caught = found.filter(({ problem }) => problem === null).length
  console.log(`\n${caught} of ${PLANTED_FAULTS.length} planted faults caught`)
  if (caught < PLANTED_FAULTS.length) process.exitCode = 1
}

const reports = mkdtempSync(path.join(tmpdir(), 'planted-'))
process.once('exit', () => rmSync(reports, { recursive: true, force: true }))
if (process.argv.includes('--help')) process.stdout.write(HELP)
else await main()
