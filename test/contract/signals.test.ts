import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { encodeRecord, RECORD_FILES } from '#shared/adapters/bundle/record-shapes.ts'
import { signals } from '#shared/contract/signals.ts'
import { SIGNAL_KINDS, type SignalBatch, spanOf } from '#shared/domain/signals.ts'
import { document } from '#test/conformance/document.ts'
import { pushedMeanings } from '#test/fuzz/pushed-signals.ts'
import { type Document, validOf } from '#test/fuzz/schema-arbitraries.ts'

const { schemas } = (document as Document).components
const batches = validOf(schemas.Signals ?? {}, document as Document, pushedMeanings)
  .map((batch) => JSON.parse(JSON.stringify(batch)) as Record<string, unknown[]>)
  .filter((batch) => Object.values(batch).some((records) => records.length > 0))

const SCHEMA_OF = {
  changes: 'PushedChange',
  series: 'PushedSeries',
  logs: 'PushedLogLine',
  spans: 'PushedSpan',
  edges: 'PushedEdge',
  events: 'PushedEvent',
} as const
/** Members of a bundle's records that are not a sender's to say. */
const READERS_OWN = new Set(['source', 'type_guessed', 'window_of'])

describe('a batch that the document allows', () => {
  it('is taken, and the reader of bundles reads every record of it, member by member', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expect(z.safeParse(signals, batch).error?.issues).toBeUndefined()
        for (const kind of SIGNAL_KINDS) {
          const { shape, fields } = RECORD_FILES[kind]
          for (const record of batch[kind] ?? []) {
            const read = z.safeDecode(shape as z.ZodMiniType<unknown>, record as never)
            expect(read.error?.issues).toBeUndefined()
            expect(Object.keys(record as object).filter((field) => !fields.has(field))).toEqual([])
            // What was read can be kept in a snapshot.
            const kept = encodeRecord(kind, { ...(read.data as object), source: 'signals' } as never)
            expect(z.safeDecode(shape as z.ZodMiniType<unknown>, kept as never).success).toBe(true)
          }
        }
        const span = spanOf(batch as SignalBatch)
        if (span !== null) expect(span.to).toBeGreaterThanOrEqual(span.from)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a record', () => {
  it.each(SIGNAL_KINDS)('among %s has the members that it has in a bundle', (kind) => {
    const known = [...RECORD_FILES[kind].fields].filter((field) => !READERS_OWN.has(field))
    expect(Object.keys(schemas[SCHEMA_OF[kind]]?.properties ?? {}).sort()).toEqual(known.sort())
  })
})
