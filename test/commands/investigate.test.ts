import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceNamedIn } from '#infra/commands/service-named-in.ts'
import { SAMPLE_CULPRIT, writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { NOTHING_PULLED, type Snapshot } from '#shared/domain/investigation/snapshot.ts'

const COMMAND = fileURLToPath(new URL('../../infra/commands/investigate.ts', import.meta.url))
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'investigate-'))
  await writeSampleOutage(join(root, 'tea shop'), { endsAt: Date.UTC(2026, 2, 1, 18) })
  await mkdir(join(root, 'none'))
  await mkdir(join(root, 'quiet'))
  await writeFile(
    join(root, 'quiet', 'bundle.json'),
    '{"format":"incident-bundle/1","window":{"from":"2026-03-01T12:00:00Z","to":"2026-03-01T13:00:00Z"}}',
  )
  await writeFile(join(root, 'quiet', 'notes.txt'), 'x')
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function run(...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number, out, err }
}

test('a bundle with an identifiable cause ends with 0 and the first screen alone on stdout', async () => {
  const { code, out, err } = await run('tea shop')
  expect(code).toBe(0)
  expect(out).toContain(SAMPLE_CULPRIT.slice(0, 8))
  expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  expect(err).toContain('gap: slow query log of orders-db')
})

test('with --json stdout is the findings, byte for byte the same each time, with the digest of the snapshot', async () => {
  const [one, two] = [await run('tea shop', '--json'), await run(join(root, 'tea shop'), '--json')]
  expect(two.out).toBe(one.out)
  const findings = JSON.parse(one.out)
  expect(findings.cause.change).toBe(SAMPLE_CULPRIT)
  expect(findings.snapshot_digest).toMatch(/^[0-9a-f]{64}$/)
})

test('a question looks at the service that it names and says so where it names none', async () => {
  const { err, code } = await run('tea shop', '--question', 'Why does the checkout-svc fail?', '--json')
  expect(code).toBe(0)
  expect(err).toContain('Looking at checkout')
  expect((await run('tea shop', '--question', 'What is wrong?')).err).toContain('names no service')
})

test('a bundle that shows nothing ends with 3, and names the file that was not read', async () => {
  const { code, out, err } = await run('quiet')
  expect(code).toBe(3)
  expect(out.trim()).not.toBe('')
  expect(err).toContain('notes.txt')
})

test.each([
  [[], 'FOLDER is missing'],
  [['missing'], 'missing is no folder'],
  [['none'], 'bundle.json: is missing'],
  [['quiet', 'tea shop'], 'One FOLDER'],
  [['quiet', '--colour'], '--colour'],
])('input that cannot be used ends with 2 and a reason: %j', async (args, reason) => {
  const { code, out, err } = await run(...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(reason)
})

test('--help explains on stdout and ends with 0', async () => {
  const { code, out } = await run('--help')
  expect(code).toBe(0)
  expect(out).toContain('Usage: npm run investigate')
})

test('the service that a question names first is found by name or alias, whole words only', () => {
  const named = (question: string) => serviceNamedIn(question, snapshot)
  const source = 's'
  const t0 = 0
  const snapshot: Snapshot = {
    ...NOTHING_PULLED,
    format: 'incident-bundle/1',
    window: { from: 0, to: 1 },
    baselines: [],
    entities: [{ name: 'cart', kind: 'service', aliases: [{ alias: 'basket-api', learnt_from: 'x' }] }],
    edges: [{ source, caller: 'web', callee: 'cart-db', t0, interval_s: 60, calls: 1 }],
    logs: [{ source, timestamp: t0, service: 'Mailer', severity: 'INFO', message: '' }],
    series: [],
  }
  expect(named('why does Basket-API fail, and web?')).toBe('cart')
  expect(named('is cart-db slow?')).toBe('cart-db')
  expect(named('is the web slower than cart?')).toBe('web')
  expect(named('what of mailer')).toBe('Mailer')
  expect(named('webs and carts')).toBeNull()
})
