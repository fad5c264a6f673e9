import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ORACLE = fileURLToPath(new URL('../storage/oracle.ts', import.meta.url))

/** Runs the command on a machine without Java: nothing is on the path. */
const withoutJava = (environment: Record<string, string>) =>
  new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
    execFile(process.execPath, [ORACLE], { env: { PATH: '/nowhere', ...environment } }, (error, out) => {
      resolve({ code: error === null ? 0 : Number(error.code), out })
    })
  })
const ONE_LINE = /^skipped: .*for DynamoDB Local no Java is on the path.*\n$/

describe('the tests against DynamoDB Local, on a machine without Java,', () => {
  it('are skipped for a person, in one line that says why', async () => {
    const { code, out } = await withoutJava({})
    expect(out).toMatch(ONE_LINE)
    expect(code).toBe(0)
  })

  it('fail where everything has to run', async () => {
    const { code, out } = await withoutJava({ CI: 'true' })
    expect(out).toMatch(ONE_LINE)
    expect(code).toBe(1)
  })
})
