import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'

// Runs the files whose tests failed once more, by themselves. A test that passes now fails only beside thousands of
// others on a busy machine: it is printed as unstable, a defect of the test, and counted as passed in the report.
// Nothing is asked again where a property was refuted, since another seed proves nothing; where a file failed outside
// of its tests; or where so much failed that it is no mood of the machine.
const MOST_FILES = 5
const AGAIN = 'reports/again.json'

const reportFile = process.argv[2]
const report = JSON.parse(readFileSync(reportFile, 'utf8'))
const failedIn = ({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed')
const files = report.testResults.filter(({ status }) => status === 'failed')
const messages = files.flatMap((file) => failedIn(file).flatMap((test) => test.failureMessages))
const isRefuted = messages.some((message) => /Property failed after|Counterexample/i.test(message))
const outside = files.some((file) => failedIn(file).length === 0)
if (files.length === 0 || files.length > MOST_FILES || isRefuted || outside) process.exit()

const names = files.map(({ name }) => relative(process.cwd(), name))
spawnSync('npx', ['vitest', 'run', '--maxWorkers=1', ...names], {
  stdio: ['ignore', 2, 2],
  env: { ...process.env, COVERAGE: 'false', TEST_REPORT: AGAIN },
})
const again = JSON.parse(readFileSync(AGAIN, 'utf8'))
const passedAgain = new Set(
  again.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ status, fullName }) => (status === 'passed' ? [`${name} ${fullName}`] : [])),
  ),
)
for (const file of files) {
  for (const test of failedIn(file)) {
    if (!passedAgain.has(`${file.name} ${test.fullName}`)) continue
    test.status = 'passed'
    report.numPassedTests += 1
    console.log(`${relative(process.cwd(), file.name)}: ${test.fullName}`)
  }
  if (failedIn(file).length === 0) file.status = 'passed'
}
writeFileSync(reportFile, JSON.stringify(report))
