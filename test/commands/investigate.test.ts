import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceNamedIn } from '#infra/commands/service-named-in.ts'
import { folderPaths } from '#infra/local/data-folder.ts'
import { openLocalTables } from '#infra/local/opened-tables.ts'
import { SAMPLE_CULPRIT } from '#infra/sample-outage/sample-changes.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { packSnapshot, unpackSnapshot, unpackWindow } from '#shared/adapters/bundle/write-bundle.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { snapshotStore } from '#shared/adapters/objects/snapshots.ts'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { NOTHING_PULLED, type Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { sampleEntry, sampleEvent, sampleIncident } from '#test/storage/sample-incidents.ts'

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
  await mkdir(join(root, 'linked file'))
  await symlink(join(root, 'quiet', 'bundle.json'), join(root, 'linked file', 'bundle.json'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Stores an incident with the root cause of the sample outage in a data folder, as a service does. */
async function storeInvestigation(data: string, altered: Partial<RootCause> = {}): Promise<string> {
  const pulled = await readBundle(folderBundle(root, 'tea shop'), { query: 'bundle:tea shop' })
  const snapshot = mergePulled(pulled.window, pulled.baselines, [pulled])
  const { documents, names, close } = await openLocalTables(data)
  try {
    const objects = folderObjects(folderPaths(data).objects)
    const incidents = incidentStore({ client: documents, table: names.incidents, objects, retentionDays: 1 })
    const now = Date.now()
    const incident = sampleIncident(now)
    await incidents.create(incident, sampleEntry(now), sampleEvent(incident, now))
    const form = { pack: packSnapshot, unpack: unpackSnapshot, unpackWindow }
    const snapshot_digest = await snapshotStore(objects, form).keep(incident.id, snapshot)
    const findings = investigate(snapshot, { service: incident.service })
    const rootCause = { ...findings, ...altered, snapshot_digest, analysed_at: new Date(now).toISOString() }
    const lease = await incidents.claimInvestigation(incident.id, now, now + 60_000)
    if (lease === undefined) throw new Error('the investigation is not due')
    await incidents.completeInvestigation(lease, rootCause, sampleEntry(now, 'analysed'))
    return incident.id
  } finally {
    await close()
  }
}

async function run(...args: string[]) {
  const { AWS_REGION: _, AWS_DEFAULT_REGION: __, AWS_PROFILE: ___, ...env } = process.env
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: root,
    // Without a region nothing is sent to AWS.
    env: { ...env, AWS_CONFIG_FILE: '/nowhere' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number, out, err }
}

test('nothing that a commit or a log holds can steer the terminal', async () => {
  await writeSampleOutage(join(root, 'hostile'), { endsAt: Date.UTC(2026, 2, 1, 18) })
  const file = join(root, 'hostile', 'changes.ndjson')
  const steering = '\u001b[2J\u001b]0;title\u0007\u009b1A\u202e'
  const changes = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  const hostile = changes.map((change) => ({ ...change, title: `Keep ${steering} rates` }))
  await writeFile(file, hostile.map((change) => JSON.stringify(change)).join('\n'))
  const { code, out, err } = await run('hostile')
  expect(code).toBe(0)
  expect(out).toContain('“Keep rates”')
  expect(`${out}${err}`).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
})

test('a bundle with an identifiable cause ends with 0, the first screen alone on stdout, with the lines that decide below it', async () => {
  const { code, out, err } = await run('tea shop')
  expect(code).toBe(0)
  expect(out).toContain(SAMPLE_CULPRIT.slice(0, 8))
  const [card = '', excerpt = ''] = out.split('\n\n')
  expect(card.split('\n').length).toBeLessThanOrEqual(12)
  expect(excerpt).toMatch(/^Decisive lines:\n {2}pricing\/src\/rates\.ts\n {2}[-+]/)
  expect(err).toContain('gap: slow query log of orders-db')
})

test('with --json stdout is the findings, byte for byte the same each time, with the digest of the snapshot', async () => {
  const [one, two] = [await run('tea shop', '--json'), await run(join(root, 'tea shop'), '--json')]
  expect(two.out).toBe(one.out)
  const findings = JSON.parse(one.out)
  expect(findings.cause.change).toBe(SAMPLE_CULPRIT)
  expect(findings.snapshot_digest).toMatch(/^[0-9a-f]{64}$/)
})

test('with --html one page is written that holds the card, beside what is printed anyway', async () => {
  const { code, out } = await run('tea shop', '--html', 'page.html')
  expect(code).toBe(0)
  expect(out).toMatch(/^Failing: /)
  const page = await readFile(join(root, 'page.html'), 'utf8')
  expect(page).toContain('<dl class="card"><dt>Failing</dt>')
  expect(page).toContain(SAMPLE_CULPRIT.slice(0, 8))
})

test('what was found is printed even where the page cannot be written', async () => {
  const { code, out, err } = await run('tea shop', '--html', join('missing', 'page.html'))
  expect(code).toBe(2)
  expect(out).toMatch(/^Failing: /)
  expect(err).toContain('cannot be written')
})

test('a folder is read by a link to it as by its own name, whatever that name is', async () => {
  await symlink(join(root, 'tea shop'), join(root, 'latest'))
  const [linked, named] = [await run('latest', '--json'), await run('tea shop', '--json')]
  expect(linked.code).toBe(0)
  expect(linked.out).toBe(named.out)
  await cp(join(root, 'quiet'), join(root, 'qui\\et'), { recursive: true })
  expect((await run('qui\\et')).code).toBe(3)
})

// Root may read everything.
test.skipIf(process.getuid?.() === 0)('a file that may not be read is named, without a stack', async () => {
  await cp(join(root, 'quiet'), join(root, 'closed'), { recursive: true })
  await chmod(join(root, 'closed', 'bundle.json'), 0)
  const { code, err } = await run('closed')
  expect(code).toBe(2)
  expect(err).toMatch(/\nclosed cannot be read: EACCES.*\n$/)
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
  [[''], 'FOLDER is missing'],
  [['missing'], 'missing is not a folder'],
  [['none'], 'bundle.json: is missing'],
  [['quiet', 'tea shop'], 'One FOLDER'],
  [['quiet', '--colour'], '--colour'],
  [['quiet', '--replay', 'inc_1'], 'not also quiet'],
  [['quiet', '--data', 'x'], 'a FOLDER needs neither'],
  [['quiet', '--stack', 'x'], 'a FOLDER needs neither'],
  [['--replay', 'inc_1', '--question', 'Why?'], 'no --question'],
  [['linked file'], 'linked file: bundle.json is a symbolic link'],
  [['--replay', 'query_1'], 'the id of an incident'],
  [['--replay', 'inc_1', '--data', 'x', '--stack', 'y'], 'not both'],
  [['--replay', 'inc_1', '--data', 'none'], 'local service'],
])('input that cannot be used ends with 2 and a reason: %j', async (args, reason) => {
  const { code, out, err } = await run(...args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(reason)
})

test('an investigation that a service stored is replayed byte for byte, and what was altered since is shown', async () => {
  const data = join(root, 'data')
  const id = await storeInvestigation(data)
  const same = await run('--replay', id, '--data', data)
  expect(same.err).toContain('the same findings, byte for byte')
  expect(same).toMatchObject({ code: 0, out: expect.stringContaining(SAMPLE_CULPRIT.slice(0, 8)) })
  const altered = await storeInvestigation(data, { confidence: 0.01, engine_version: '0.0.1' })
  const other = await run('--replay', altered, '--data', data, '--json')
  expect(other.code).toBe(4)
  expect(other.err).toMatch(/ {2}confidence: 0\.01 → 0\.\d+/)
  expect(other.err).toContain('The engine was 0.0.1 and is ')
  expect(JSON.parse(other.out).confidence).toBeGreaterThan(0.01)
  const unknown = await run('--replay', `${id}X`, '--data', data)
  expect(unknown).toMatchObject({ code: 2, out: '', err: expect.stringContaining('does not exist') })
  const unreachable = await run('--replay', id, '--stack', 'a-stack')
  expect(unreachable).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^no AWS region is set.*\n$/),
  })
}, 60_000)

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
