import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import {
  packSnapshot,
  snapshotDigest,
  unpackSnapshot,
  writeBundle,
} from '#shared/adapters/bundle/write-bundle.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { anySnapshot } from './arbitrary-snapshot.ts'
import { bundleOf } from './bundle-in-memory.ts'

test('reading a written bundle gives an equal snapshot with the same digest', async () => {
  await fc.assert(
    fc.asyncProperty(anySnapshot, async (snapshot) => {
      const { files, digest } = writeBundle(snapshot)
      const pulled = await readBundle(bundleOf(files), { query: 'bundle:x' })
      const read = mergePulled({ from: 0, to: 1 }, [], [pulled])
      expect(read).toEqual(snapshot)
      expect(snapshotDigest(read)).toBe(digest)
    }),
    { numRuns: 150 },
  )
})

test('unpacking a packed snapshot gives an equal snapshot', () => {
  fc.assert(
    fc.property(anySnapshot, (snapshot) => {
      const { bytes, digest } = packSnapshot(snapshot)
      expect(digest).toBe(snapshotDigest(snapshot))
      expect(unpackSnapshot(bytes, digest)).toEqual(snapshot)
    }),
    { numRuns: 150 },
  )
})

test('the digest follows the content: another record order or another value is another digest', () => {
  const [snapshot] = fc.sample(
    anySnapshot.filter(({ logs }) => logs.length > 1 && new Set(logs.map((log) => log.timestamp)).size > 1),
    { numRuns: 1, seed: 7 },
  )
  if (snapshot === undefined) throw new Error('no sample')
  const digest = snapshotDigest(snapshot)
  expect(snapshotDigest(structuredClone(snapshot))).toBe(digest)
  expect(snapshotDigest({ ...snapshot, logs: [...snapshot.logs].reverse() })).not.toBe(digest)
  expect(snapshotDigest({ ...snapshot, gaps: [...snapshot.gaps, { what: 'a', why: 'b' }] })).not.toBe(digest)
})

test('a packed snapshot that is cut short, no gzip or holds an unknown list is refused', () => {
  const [snapshot] = fc.sample(
    anySnapshot.filter(({ logs }) => logs.length > 0),
    { numRuns: 1, seed: 1 },
  )
  if (snapshot === undefined) throw new Error('no sample')
  const { bytes, digest } = packSnapshot(snapshot)
  expect(() => unpackSnapshot(bytes.subarray(0, bytes.length - 12), digest)).toThrow()
  expect(() => unpackSnapshot(Buffer.from('no gzip'), digest)).toThrow()
  expect(() => unpackSnapshot(bytes, digest.replace(/./g, '0'))).toThrow(/was altered/)
  const unpacked = (text: string) =>
    unpackSnapshot(gzipSync(text), createHash('sha256').update(text).digest('hex'))
  const head = JSON.stringify({
    format: 'incident-bundle/1',
    window: { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' },
  })
  expect(() => unpacked(`${head}\n{"list":"toString","records":1}\n{}\n`)).toThrow(/toString/)
  expect(() => unpacked(`${head}\n{"list":"logs","records":2}\n`)).toThrow(/ends early/)
})
