import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ROOT } from '#infra/local/root.ts'

const folder = mkdtempSync(join(tmpdir(), 'ci-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const result = (status: string, fullName: string) => ({ status, fullName })

/** Runs the check in a folder of its own, where npm is a program that only writes a report and fails as told. */
function checked(name: string, report: object, failing: readonly string[]) {
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
for each in ${failing.join(' ')}; do case " $* " in *" $each "*) exit 1;; esac; done
exit 0`,
  )
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

test('a failure beside every test is named too', () => {
  const { status, lines } = checked('types', counted([]), ['test'])
  expect(status).toBe(1)
  expect(lines.slice(-2)).toEqual([
    'FAILED: npm test (exit 1), though no test of its report',
    expect.stringMatching(/^\d+ passed, 1 failed, 2 skipped$/),
  ])
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
