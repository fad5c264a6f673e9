import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { bundleTool } from '#shared/adapters/tools/bundle.ts'
import type { Refusal } from '#shared/domain/errors.ts'
import { bundleOf, HEAD } from '../bundle/bundle-in-memory.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'bundle-tool-'))
  await mkdir(join(root, 'good'))
  await mkdir(join(root, 'headless'))
  await writeFile(join(root, 'good', 'bundle.json'), HEAD)
  await writeFile(
    join(root, 'good', 'logs.ndjson'),
    '{"timestamp":"2021-01-01T00:00:00Z","service":"a","severity":"INFO","message":"m"}\n',
  )
})
afterAll(() => rm(root, { recursive: true, force: true }))

const local = bundleTool(async (config) => folderBundle(root, String(config.path)))
const inMemory = (files: Record<string, string>) => bundleTool(async () => bundleOf(files))
const never = new AbortController().signal
const request = (signal = never) => ({
  integration_id: 'bundle_1',
  window: { from: 0, to: 1 },
  baselines: [],
  service: null,
  signal,
})

describe('check', () => {
  test('a bundle that can be read whole is connected, and it says what is there', async () => {
    expect(await local.check({ path: 'good' }, never)).toEqual({
      status: 'connected',
      detail: '2 files: bundle.json, logs.ndjson',
    })
  })

  test('a bundle is listed once, and each of its files read once', async () => {
    const kept = bundleOf({ 'bundle.json': HEAD, 'logs.ndjson': '' })
    let listed = 0
    const files = {
      list: () => {
        listed += 1
        return kept.list()
      },
      read: kept.read,
    }
    await bundleTool(async () => files).check({ prefix: 'x' }, never)
    expect(listed).toBe(1)
    expect(kept.reads).toEqual(['bundle.json', 'logs.ndjson'])
  })

  test('gaps make it degraded, and the detail names them', async () => {
    const files = {
      'bundle.json': HEAD,
      'a.txt': '',
      'b.txt': '',
      'c.txt': '',
      'logs.ndjson': '{}\n',
    }
    const { status, detail } = await inMemory(files).check({ path: 'x' }, never)
    expect(status).toBe('degraded')
    expect(detail).toMatch(/^a\.txt: .*; c\.txt: .*; and 1 more; 2 files: bundle\.json, logs\.ndjson$/)
  })

  test('a large bundle is judged by its list of files alone', async () => {
    const files = bundleOf({ 'bundle.json': HEAD, 'logs.ndjson': 'x'.repeat(9 * 1024 * 1024), 'a.txt': '' })
    const { status, detail } = await bundleTool(async () => files).check({ prefix: 'x' }, never)
    expect(files.reads).toEqual(['bundle.json'])
    expect(status).toBe('degraded')
    expect(detail).toContain('a.txt')
  })

  test.each([
    ['missing', 'there is no folder missing'],
    ['../good', 'must not contain'],
    ['headless', 'bundle.json: is missing'],
  ])('the path %s is refused on its field', async (path, reason) => {
    const refusal = (await local.check({ path }, never).catch((error) => error)) as Refusal
    expect(refusal).toMatchObject({ kind: 'invalid', details: { field: 'config.path' } })
    expect(refusal.details.reason).toContain(reason)
  })

  test('where the prefix names the bundle, the prefix is refused', async () => {
    const refusal = (await inMemory({})
      .check({ prefix: 'p' }, never)
      .catch((error) => error)) as Refusal
    expect(refusal.details.field).toBe('config.prefix')
  })

  test('a store that does not answer is an error without its address', async () => {
    const broken = bundleTool(async () => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' })
    })
    expect(await broken.check({ prefix: 'p' }, never)).toEqual({
      status: 'error',
      detail: 'The bundle could not be read (ECONNREFUSED).',
    })
    const silent = bundleTool(() => new Promise(() => {}))
    const controller = new AbortController()
    const checked = silent.check({ prefix: 'p' }, controller.signal)
    controller.abort()
    expect(await checked).toEqual({ status: 'error', detail: 'The bundle was not read before the deadline.' })
  })
})

describe('pull', () => {
  test('gives every record whatever the window asked, each source under the integration', async () => {
    const pulled = await local.pull({ path: 'good' }, request())
    expect(pulled.window).toEqual({ from: Date.UTC(2026, 2, 1, 12), to: Date.UTC(2026, 2, 1, 13) })
    expect(pulled.logs).toHaveLength(1)
    expect(pulled.sources).toMatchObject([
      { id: 'logs', integration_id: 'bundle_1', query: 'bundle:good/logs.ndjson' },
    ])
  })

  test.each(['missing', '../good', 'headless'])('never rejects: %s is a gap', async (path) => {
    const pulled = await local.pull({ path }, request())
    expect(pulled.sources).toMatchObject([{ id: 'bundle', integration_id: 'bundle_1', outcome: 'failed' }])
    expect(pulled.gaps).toHaveLength(1)
    expect(pulled.gaps[0]?.source).toBe('bundle')
  })

  test('a deadline that has passed is a gap', async () => {
    const pulled = await local.pull({ path: 'good' }, request(AbortSignal.abort()))
    expect(pulled.sources[0]?.outcome).toBe('timed_out')
    expect(pulled.gaps[0]?.why).toBe('was not read before the deadline')
  })
})
