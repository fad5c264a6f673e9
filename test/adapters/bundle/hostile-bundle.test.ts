import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BUNDLE_FILE_NAMES, readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { snapshotDigest, writeBundle } from '#shared/adapters/bundle/write-bundle.ts'
import { Refusal } from '#shared/domain/errors.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { anySnapshot } from './arbitrary-snapshot.ts'
import { bundleOf, HEAD } from './bundle-in-memory.ts'

/** JSON of any shape, text that is nearly JSON, and bytes that are nothing. */
const anyContent = fc.oneof(
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .array(fc.jsonValue(), { maxLength: 5 })
    .map((values) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)
const anyFile = fc.tuple(fc.constantFrom(...BUNDLE_FILE_NAMES), fc.boolean(), fc.boolean(), anyContent)

test('whatever the files hold, reading gives records that can be written again, or a refusal; nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFile, { maxLength: 6 }), async (files) => {
      const stored = Object.fromEntries([
        ['bundle.json', Buffer.from(HEAD)],
        ...files.map(([name, gz, packed, content]) => [
          gz ? `${name}.gz` : name,
          packed && gz ? gzipSync(content) : content,
        ]),
      ])
      try {
        const pulled = await readBundle(bundleOf(stored), { query: 'bundle:x' })
        expect(snapshotDigest(mergePulled(pulled.window, pulled.baselines, [pulled]))).toMatch(
          /^[0-9a-f]{64}$/,
        )
        const ids = new Set(pulled.sources.map(({ id }) => id))
        for (const log of pulled.logs) expect(ids.has(log.source)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
      }
    }),
    { numRuns: 200 },
  )
})

test('a bundle with bytes knocked over is read with gaps or refused, and never gives more records than it had', async () => {
  await fc.assert(
    fc.asyncProperty(
      anySnapshot,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
      async (snapshot, damage) => {
        const { files } = writeBundle(snapshot)
        const broken = [...files].map(([name, bytes]): [string, Uint8Array] => {
          const copy = Uint8Array.from(bytes)
          for (const [at, byte] of damage) copy[at % copy.length] = byte
          return [name, copy]
        })
        try {
          const pulled = await readBundle(bundleOf(new Map(broken)), { query: 'bundle:x' })
          expect(pulled.spans.length).toBeLessThanOrEqual(snapshot.spans.length)
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
        }
      },
    ),
    { numRuns: 100 },
  )
})
