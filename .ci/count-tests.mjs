import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

// Prints how many tests passed, failed and were skipped, from the report that the test run left behind, and then a line
// for each that failed.
const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { numPassedTests, numPendingTests, numTodoTests, testResults } = report
if (!(numPassedTests > 0)) throw new Error('no test was executed')
const failures = testResults.flatMap(({ name, status, assertionResults }) => {
  const file = relative(process.cwd(), name)
  const tests = assertionResults.filter((test) => test.status === 'failed')
  // A file that could not even be loaded has no failed test of its own.
  if (status === 'failed' && tests.length === 0) return [`${file} (outside of any test)`]
  return tests.map(({ fullName }) => `${file}: ${fullName.replaceAll(/\s+/g, ' ')}`)
})
console.log(
  [[numPassedTests, failures.length, numPendingTests + numTodoTests].join(' '), ...failures].join('\n'),
)
