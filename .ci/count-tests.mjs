import { readFileSync } from 'node:fs'

// Prints how many tests passed, failed and were skipped, from the report that the test run left behind.
const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numFailedTestSuites } = report
if (!(numPassedTests > 0)) throw new Error('no test was executed')
// A file that could not even be loaded has no failed test of its own.
const failed = numFailedTests === 0 && numFailedTestSuites > 0 ? numFailedTestSuites : numFailedTests
console.log(numPassedTests, failed, numPendingTests + numTodoTests)
