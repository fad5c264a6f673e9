import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ROOT } from '#infra/root.ts'

const folder = mkdtempSync(join(tmpdir(), 'ci-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const result = (status: string, fullName: string, ...failureMessages: string[]) => ({
  status,
  fullName,
  failureMessages,
})

/**
 * Runs the check in a folder of its own, where npm is a program that only writes a report and fails as told.
 * @param again the report of the files that are run again by themselves
 */
function checked(name: string, report: object, failing: readonly string[], again: object = counted([])) {
  const project = join(folder, name)
  const programs = join(project, 'programs')
  mkdirSync(programs, { recursive: true })
  mkdirSync(join(project, 'reports'))
  cpSync(join(ROOT, '.ci'), join(project, '.ci'), { recursive: true })
  writeFileSync(join(project, 'report.json'), JSON.stringify(report))
  const put = (program: string, text: string) => {
    writeFileSync(join(programs, program), `#!/bin/sh\n${text}\n`)
    chmodSync(join(programs, program), 0o755)
  }
  put(
    'npm',
    `[ "$1" = test ] && cp report.json reports/tests.json
echo "npm has run: $*"
for each in ${failing.join(' ')}; do case " $* " in *" $each "*) exit 1;; esac; done
exit 0`,
  )
  writeFileSync(join(project, 'told-again.json'), JSON.stringify(again))
  put('npx', 'cp told-again.json "$TEST_REPORT"')
  put('java', 'echo \'openjdk version "17.0.1"\' >&2')
  for (const program of ['chromium', 'python3', 'apt-get']) put(program, 'exit 0')
  const { status, stdout } = spawnSync('bash', [join(project, '.ci/run')], {
    encoding: 'utf8',
    env: { PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin`, INCIDENT_DATA: folder },
  })
  return { status, lines: stdout.trim().split('\n') }
}

const counted = (results: readonly object[]) => ({
  numPassedTests: 3,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: results,
})

test('the end of the whole check names each test and each check that failed', () => {
  const { status, lines } = checked(
    'red',
    counted([
      {
        name: join(folder, 'red/test/a.test.ts'),
        status: 'failed',
        assertionResults: [result('passed', 'holds'), result('failed', 'a list is\n whole')],
      },
      { name: join(folder, 'red/test/b.test.ts'), status: 'failed', assertionResults: [] },
    ]),
    ['test', 'test:planted'],
  )
  expect(status).toBe(1)
  expect(lines.slice(-4, -1)).toEqual([
    'FAILED: test/a.test.ts: a list is whole',
    'FAILED: test/b.test.ts (outside of any test)',
    'FAILED: faults planted into the edge',
  ])
  expect(lines.at(-1)).toMatch(/^\d+ passed, 3 failed, 2 skipped$/)
})

test('of checks that run beside each other each is counted, and what it prints stands together under its name', () => {
  const { status, lines } = checked('beside', counted([]), ['test:tools'])
  expect(status).toBe(1)
  expect(lines.at(-2)).toBe('FAILED: outages against real tools')
  const [schemathesis, tools] = [
    'the document against the service, by Schemathesis',
    'outages against real tools',
  ]
  const from = lines.indexOf(`== ${schemathesis}`)
  expect(lines.slice(from, from + 5)).toEqual([
    `== ${schemathesis}`,
    'npm has run: run --silent test:schemathesis -- --seed 20260131 --max-examples 10',
    expect.stringMatching(`^ok: ${schemathesis} \\(\\d+ s\\)$`),
    `== ${tools}`,
    'npm has run: run --silent test:tools',
  ])
})

test('a failure beside every test is named too', () => {
  const { status, lines } = checked('types', counted([]), ['test'])
  expect(status).toBe(1)
  expect(lines.slice(-2)).toEqual([
    'FAILED: npm test (exit 1), though no test of its report',
    expect.stringMatching(/^\d+ passed, 1 failed, 2 skipped$/),
  ])
})

const inFile = (name: string, ...results: readonly object[]) => ({
  name: join(folder, name, 'test/a.test.ts'),
  status: 'failed',
  assertionResults: results,
})

test('a test that passes when it is run by itself is named, and does not stop the change', () => {
  const { status, lines } = checked(
    'crowd',
    counted([inFile('crowd', result('failed', 'holds in a crowd', 'too late'), result('passed', 'holds'))]),
    ['test'],
    counted([inFile('crowd', result('passed', 'holds in a crowd'), result('passed', 'holds'))]),
  )
  expect(status).toBe(0)
  expect(lines.at(-2)).toBe('UNSTABLE, passed when run again by itself: test/a.test.ts: holds in a crowd')
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, 2 skipped$/)
})

test('one that fails by itself too stops it', () => {
  const failed = counted([inFile('alone', result('failed', 'holds', 'too late'))])
  const { status, lines } = checked('alone', failed, ['test'], failed)
  expect(status).toBe(1)
  expect(lines.at(-2)).toBe('FAILED: test/a.test.ts: holds')
})

test('a property that was refuted is not asked again: another seed proves nothing', () => {
  const message = 'Error: Property failed after 3 tests\n{ seed: 7, path: "2" }\nCounterexample: [1]'
  const { status, lines } = checked(
    'refuted',
    counted([inFile('refuted', result('failed', 'holds for all', message))]),
    ['test'],
    counted([inFile('refuted', result('passed', 'holds for all'))]),
  )
  expect(status).toBe(1)
  expect(lines.at(-2)).toBe('FAILED: test/a.test.ts: holds for all')
})

test('where no test was executed the check fails', () => {
  const { status, lines } = checked('none', { numPassedTests: 0, testResults: [] }, [])
  expect(status).toBe(1)
  expect(lines.at(-2)).toBe('FAILED: npm test left no report of its tests')
})

test('a whole check without a failure names none', () => {
  const { status, lines } = checked('green', counted([]), [])
  expect(status).toBe(0)
  expect(lines.filter((line) => line.startsWith('FAILED'))).toEqual([])
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, 2 skipped$/)
})
