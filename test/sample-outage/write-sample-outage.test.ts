import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SAMPLE_CULPRIT } from '#infra/sample-outage/sample-changes.ts'
import { SAMPLE_INCIDENT } from '#infra/sample-outage/sample-incident.ts'
import { sampleOutageFiles, writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { BUNDLE_FILE_NAMES, readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

const ENDS_AT = Date.UTC(2026, 2, 1, 18, 0, 42)
let root: string
let snapshot: Snapshot
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sample-outage-'))
  await writeSampleOutage(join(root, 'new', 'folder'), { endsAt: ENDS_AT })
  const pulled = await readBundle(folderBundle(root, 'new/folder'), { query: 'bundle:sample' })
  snapshot = mergePulled(pulled.window, pulled.baselines, [pulled])
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe('the sample outage', () => {
  test('is read without a gap but the one it declares', () => {
    expect(snapshot.gaps).toEqual([
      { what: 'slow query log of orders-db', why: 'no tool that is connected collects it' },
    ])
  })

  test('is written relative to the instant it ends at, and the same instant gives the same bytes', () => {
    expect(snapshot.window.to).toBe(Date.UTC(2026, 2, 1, 18))
    expect(snapshot.baselines[0]?.to).toBe(snapshot.window.from)
    expect(sampleOutageFiles(ENDS_AT)).toEqual(sampleOutageFiles(ENDS_AT - 42_000))
    const late = snapshot.logs.filter((log) => log.timestamp >= snapshot.window.to)
    expect(late).toEqual([])
  })

  test('has records of nearly every kind, and names only files of the format', () => {
    for (const name of sampleOutageFiles(ENDS_AT).keys()) expect(BUNDLE_FILE_NAMES).toContain(name)
    for (const list of [
      'alerts',
      'series',
      'edges',
      'spans',
      'logs',
      'log_counts',
      'changes',
      'k8s',
    ] as const)
      expect(snapshot[list].length, list).toBeGreaterThan(0)
  })

  test('agrees with itself: edges, series and counts tell of the same requests and failures', () => {
    for (const minute of [10, 95, 119]) {
      const t0 = snapshot.window.from + (minute - 60) * 60_000
      const into = snapshot.edges.filter((edge) => edge.callee === 'pricing' && edge.t0 === t0)
      const ratio = snapshot.series.find(
        ({ entity, name, labels }) =>
          entity === 'pricing' && name === 'http_server_errors_ratio' && labels.version === undefined,
      )
      const counted = snapshot.log_counts.find((count) => count.service === 'pricing' && count.t0 === t0)
      const [edge] = into
      expect(edge).toBeDefined()
      expect(ratio?.values[minute]).toBeCloseTo((edge?.failed ?? 0) / (edge?.calls ?? 1), 4)
      expect(counted?.count).toBe(edge?.failed)
    }
    const ids = new Set(snapshot.spans.map((span) => span.span_id))
    expect(ids.size).toBe(snapshot.spans.length)
    expect(snapshot.spans.every(({ parent_id }) => parent_id === null || ids.has(parent_id))).toBe(true)
  })

  test('holds innocent changes too, one of them later than the onset', () => {
    const alerted = snapshot.alerts[0]?.fired_at ?? 0
    const deploys = snapshot.changes.filter((change) => change.kind === 'deploy')
    expect(deploys.some((deploy) => (deploy.effective_at?.from ?? 0) > alerted)).toBe(true)
    expect(snapshot.changes.some((change) => change.kind === 'flag')).toBe(true)
    expect(snapshot.changes.filter((change) => change.kind === 'commit').length).toBeGreaterThan(3)
  })
})

test('the engine names the culprit with at least three pieces of evidence, and its incident names a service of the shop', () => {
  const findings = investigate(snapshot, { service: SAMPLE_INCIDENT.service })
  expect(findings.outcome).toBe('identified')
  expect(findings.cause).toMatchObject({ change: SAMPLE_CULPRIT, entity: 'pricing' })
  expect(findings.first_failing_service).toBe('pricing')
  expect(findings.blast_radius).toEqual(expect.arrayContaining(['checkout', 'storefront']))
  expect(findings.hypotheses[0]?.supported_by.length).toBeGreaterThanOrEqual(3)
  expect(findings.hypotheses[0]?.cause.change).toBe(SAMPLE_CULPRIT)
})
