import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { ALLOWED_FILES, loadRootCauseBenchCase, writeCase } from './load-rootcausebench.ts'
import { labelOf, TRUTH_FILES } from './rootcausebench-truth.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 5, 8, minute)).toISOString()

/** A case of our own making in the benchmark's form: a till that rounds wrong after its second deploy. */
const OWN_CASE: Readonly<Record<string, unknown>> = {
  'ground_truth.json': {
    root_cause_commit: 'aaaa1111',
    first_failing_service: 'till',
    notes: 'SECRET TRUTH',
  },
  'meta.json': { difficulty: 'SECRET EASY' },
  'data/alert.json': {
    service: 'till',
    metric: 'error_ratio',
    threshold: 0.05,
    observed: 0.4,
    fired_at: at(45),
    severity: 'high',
    monitor: 'Till errors',
    summary: 'till answers 500',
    root_cause: 'SECRET',
  },
  'data/logs.ndjson': [
    { timestamp: at(1), service: 'till', severity_text: 'INFO', msg: 'receipt printed', 'k8s.node': 'n1' },
    {
      timestamp: at(41),
      service: 'till',
      severity_text: 'ERROR',
      msg: 'sum is NaN',
      trace_id: 't1',
      'http.route': '/sum',
      truth: 'SECRET',
    },
  ],
  'data/metrics.csv': [
    'timestamp,service,metric,value',
    ...Array.from({ length: 50 }, (_, minute) => `${at(minute)},till,error_ratio,${minute < 41 ? 0 : 0.4}`),
  ],
  'data/traces.json': [
    {
      trace_id: 't1',
      span_id: 'a',
      parent_id: null,
      service: 'till',
      name: 'sum',
      start: at(41),
      duration_ms: 1.5,
      status: 'ERROR',
      error: 'NaN',
      attributes: { 'till.items': 3, verdict: 'SECRET' },
    },
  ],
  'data/patterns.json': [
    { signature: 'sum is NaN', service: 'till', count: 9, delta_vs_baseline: '+9', sentiment: 'negative' },
    { signature: 'receipt printed', service: 'till', count: 40, delta_vs_baseline: '-10' },
    { signature: 'drawer opened', service: 'till', count: 40, delta_vs_baseline: 'n/a' },
  ],
  'data/status_feed.json': {
    provider: 'coin-mint',
    source: 'https://status.example',
    fetched_at: at(49),
    components: [{ name: 'Coins', endpoint: 'coins.example', status: 'operational' }],
    incidents: [
      {
        id: 'x',
        name: 'Slow coins',
        impact: 'minor',
        status: 'resolved',
        started_at: at(2),
        updates: [{ timestamp: at(3), body: 'Coins are slow' }],
      },
    ],
    api_error_rate_pct: [
      { timestamp: at(1), endpoint: 'coins.example', value: 0.1 },
      { timestamp: at(2), endpoint: 'coins.example', value: 0.2 },
    ],
  },
  'data/context/commits.json': [
    {
      sha: 'aaaa1111',
      author: 'ann',
      timestamp: at(30),
      message: 'Round sums',
      files_changed: ['till/sum.ts'],
      diff: '@@ till/sum.ts @@\n-  if (Number.isNaN(price)) return 0\n   return Math.round(price)',
    },
    {
      sha: 'bbbb2222',
      author: 'bob',
      timestamp: at(31),
      message: 'Words',
      files_changed: ['README.md'],
      diff: null,
    },
  ],
  'data/context/deploys.json': [
    { timestamp: at(40), service: 'till', commit_sha: 'aaaa1111', version: 'v2' },
    { timestamp: at(40), service: 'till', commit_sha: 'bbbb2222', version: 'v2' },
    { timestamp: at(44), service: 'shop', commit_sha: 'bbbb2222', version: 'v7' },
  ],
  'data/context/flags.json': [
    { timestamp: at(20), flag: 'bell', service: 'till', change: 'off->on', actor: 'cy' },
  ],
}

let root: string
let own: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rcb-'))
  own = join(root, 'till-rounding-SECRET-name')
  for (const [name, content] of Object.entries(OWN_CASE)) {
    const path = join(own, name)
    await mkdir(dirname(path), { recursive: true })
    const lines = Array.isArray(content) && !name.endsWith('.json')
    await writeFile(
      path,
      lines
        ? `${content.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`
        : JSON.stringify(content),
    )
  }
})
afterAll(() => rm(root, { recursive: true, force: true }))

const read = async (folder: string) => {
  const loaded = await loadRootCauseBenchCase(folder)
  const name = await writeCase(loaded, root)
  const pulled = await readBundle(folderBundle(root, name), { query: 'bundle:x' })
  return { loaded, name, snapshot: mergePulled(pulled.window, pulled.baselines, [pulled]) }
}

test('a case becomes a bundle that is read without gaps, every record in its place', async () => {
  const { snapshot } = await read(own)
  expect(snapshot.gaps).toEqual([])
  expect(snapshot.window).toEqual({ from: Date.parse(at(0)), to: Date.parse(at(49)) + 1 })
  expect(snapshot.baselines).toEqual([])
  expect(snapshot.alerts).toMatchObject([{ name: 'Till errors', service: 'till', observed: 0.4 }])
  expect(snapshot.logs[0]).toMatchObject({ severity: 'INFO', message: 'receipt printed', node: 'n1' })
  expect(snapshot.logs[1]?.attributes).toEqual({ 'http.route': '/sum' })
  expect(snapshot.spans[0]).toMatchObject({
    duration_us: 1500,
    attributes: { error: 'NaN', 'till.items': 3 },
  })
  expect(snapshot.patterns.map((pattern) => pattern.baseline_count)).toEqual([0, 50, undefined])
  expect(snapshot.series.map(({ entity, name }) => `${entity} ${name}`)).toEqual([
    'coin-mint api_error_rate_pct',
    'till error_ratio',
  ])
  expect(snapshot.status.map(({ provider, component }) => [provider, component])).toEqual([
    ['coin-mint', 'Slow coins'],
    ['coin-mint', 'Coins'],
  ])
  expect(snapshot.changes.map(({ kind, id, carries }) => [kind, id, carries])).toEqual([
    ['commit', 'aaaa1111', undefined],
    ['commit', 'bbbb2222', undefined],
    ['deploy', `till@v2@${at(40)}`, ['aaaa1111', 'bbbb2222']],
    ['deploy', `shop@v7@${at(44)}`, ['bbbb2222']],
    ['flag', 'bell', undefined],
  ])
})

test('nothing of the truth, of keys on no list or of the folder name gets into a bundle', async () => {
  const { loaded, name } = await read(own)
  expect([...loaded.files.values()].join('')).not.toContain('SECRET')
  expect(name).toMatch(/^[0-9a-f]{16}$/)
  expect(loaded.left_out).toEqual([
    'alert.json: root_cause',
    'logs.ndjson: truth',
    'patterns.json: sentiment',
    'status_feed.json: id',
    'traces.json: verdict',
  ])
})

test('a case without its truth gives the same bundle, and the engine the same findings', async () => {
  const copy = join(root, 'copy')
  await cp(own, copy, {
    recursive: true,
    filter: (path) => !(TRUTH_FILES as readonly string[]).includes(basename(path)),
  })
  expect(await readdir(copy)).toEqual(['data'])
  const [whole, blind] = [await read(own), await read(copy)]
  expect(blind.loaded.files).toEqual(whole.loaded.files)
  expect(JSON.stringify(investigate(blind.snapshot))).toBe(JSON.stringify(investigate(whole.snapshot)))
})

test('a case without telemetry, with other columns or with broken JSON is refused', async () => {
  const bad = join(root, 'bad')
  await mkdir(join(bad, 'data'), { recursive: true })
  await expect(loadRootCauseBenchCase(bad)).rejects.toThrow('no telemetry')
  await writeFile(join(bad, 'data', 'metrics.csv'), 'a,b\n1,2\n')
  await expect(loadRootCauseBenchCase(bad)).rejects.toThrow('metrics.csv has the columns a,b')
  await writeFile(join(bad, 'data', 'alert.json'), '{')
  await expect(loadRootCauseBenchCase(bad)).rejects.toThrow(SyntaxError)
})

test('the label is a commit where a commit or the only commit of a deploy is named, else none', () => {
  const changes = [
    { id: 'c1', kind: 'commit' },
    { id: 'd1', kind: 'deploy', carries: ['c1'] },
    { id: 'd2', kind: 'deploy', carries: ['c1', 'c2'] },
    { id: 'f1', kind: 'flag' },
  ]
  const label = (change: string, outcome: 'identified' | 'inconclusive' = 'identified') =>
    labelOf({ outcome, cause: { change } as never }, changes)
  expect(['c1', 'd1', 'd2', 'f1', 'x'].map((change) => label(change))).toEqual([
    'c1',
    'c1',
    'none',
    'none',
    'none',
  ])
  expect(label('c1', 'inconclusive')).toBe('none')
})

const outside = process.env.INCIDENT_DATA
test.skipIf(!outside)(
  'every outside case becomes a bundle without gaps and without its truth (not run without INCIDENT_DATA: 12 cases)',
  async () => {
    const set = join(outside ?? '', 'rca', 'rootcausebench')
    const names = (await readdir(set, { withFileTypes: true })).filter((entry) => entry.isDirectory())
    expect(names.length).toBeGreaterThan(0)
    for (const { name } of names) {
      const { loaded, snapshot } = await read(join(set, name))
      expect(snapshot.gaps, name).toEqual([])
      expect(loaded.left_out.filter((key) => !/: (sentiment|id)$/.test(key))).toEqual([])
      const truth = JSON.parse(await readFile(join(set, name, 'ground_truth.json'), 'utf8'))
      const all = [...loaded.files.values()].join('')
      expect(all, name).not.toContain(truth.notes.slice(0, 60))
      expect(all, name).not.toContain(`"${name}"`)
      expect(snapshot.alerts).toHaveLength(1)
      expect(snapshot.series.length).toBeGreaterThan(0)
    }
    expect(ALLOWED_FILES.every((file) => !(TRUTH_FILES as readonly string[]).includes(file))).toBe(true)
  },
)
