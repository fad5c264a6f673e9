import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { besideHanging } from './deliver/beside-hanging.ts'
import { throughSdk } from './deliver/through-sdk.ts'

const folder = mkdtempSync(join(tmpdir(), 'bench-deliver-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const BENCH = fileURLToPath(new URL('deliver.ts', import.meta.url))
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [BENCH, ...args])

describe('a delivery that is accepted', () => {
  it('makes five calls of the store and writes three items: claim, outcome and attempt', async () => {
    const figures = await throughSdk(1, 40)
    expect(figures.calls_of_a_delivery?.median).toBe(5)
    expect(figures.writes_of_a_delivery?.median).toBe(3)
  })

  it('goes on beside fifty receivers that hang, each with a backlog', async () => {
    const figures = await besideHanging(1)
    // A healthy delivery that waited for one that hangs would wait for seconds.
    expect(figures.healthy_beside_50_hanging_ms?.median).toBeLessThan(1_000)
  })
})

describe('the bench of deliveries', () => {
  it('prints a table with goals and writes the same figures as JSON', async () => {
    const file = join(folder, 'figures.json')
    // Few enough to be quick, enough that the clock of the processor sees them.
    const small = ['--pairs', '1', '--deliveries', '2000', '--memory', '1000']
    const { stdout } = await bench('--parts', 'loop,own,signing,memory', ...small, '--json', file)
    const figures = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { median: number }>
    for (const [name, { median }] of Object.entries(figures)) {
      expect(Number.isFinite(median), name).toBe(true)
      expect(stdout).toContain(`| ${name} | ${median} |`)
    }
    expect(Object.keys(figures)).toEqual(
      expect.arrayContaining(['worker_to_bare_cpu', 'own_code_cpu_us', 'signing_1_kb_us', 'memory_held_mb']),
    )
  }, 60_000)

  it.each([
    [['--parts', 'loops'], '--parts must be of loop, own, sdk, '],
    [['--pairs', '0'], '--pairs must be a number from 1 on, not 0'],
    [['--memory', 'much'], '--memory must be a number from 1000 on, not much'],
    [['surplus'], "Unexpected argument 'surplus'"],
  ])('called with %j is bad usage', async (args, message) => {
    const failed = (await bench(...args).catch((error: unknown) => error)) as { code: number; stderr: string }
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
