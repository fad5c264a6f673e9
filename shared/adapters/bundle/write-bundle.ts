import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as z from 'zod/mini'
import type { Snapshot, Window } from '#shared/domain/investigation/records/snapshot.ts'
import { canonicalJson } from '../digest.ts'
import { bundleHead, encodeRecord, RECORD_FILES, type RecordFile, type RecordList } from './record-shapes.ts'
import { repeatedTexts } from './repeated-texts.ts'

const FILES = Object.values(RECORD_FILES) as readonly RecordFile[]

/** A written snapshot of more than this is no snapshot of ours: the bundle format's limit, and our own headers. */
const MAX_UNPACKED = 520 * 1024 * 1024

const headOf = (snapshot: Snapshot): string =>
  canonicalJson(
    z.encode(bundleHead(), {
      format: snapshot.format,
      window: snapshot.window,
      baselines: [...snapshot.baselines],
      sources: [...snapshot.sources],
      entities: snapshot.entities.map((entity) => ({ ...entity, aliases: [...entity.aliases] })),
    }),
  )

const linesOfList = (snapshot: Snapshot, list: RecordList): string[] =>
  (snapshot[list] as readonly never[]).map((record) => canonicalJson(encodeRecord(list, record)))

/**
 * The canonical form of a snapshot, line by line: first `bundle.json`, then for every list that is not empty a header
 * `{"list":…,"records":n}` and its records in file form. Each line is canonical JSON. The order of lists is the
 * format's, the order of records the snapshot's: two snapshots with the same records in another order differ.
 */
function* canonicalLines(snapshot: Snapshot): Generator<string> {
  yield headOf(snapshot)
  for (const { list } of FILES) {
    const lines = linesOfList(snapshot, list)
    if (lines.length === 0) continue
    yield canonicalJson({ list, records: lines.length })
    yield* lines
  }
}

/** SHA-256 (hex) over the canonical form: its lines, each ended by a line feed. */
export function snapshotDigest(snapshot: Snapshot): string {
  const hash = createHash('sha256')
  for (const line of canonicalLines(snapshot)) hash.update(line).update('\n')
  return hash.digest('hex')
}

/**
 * The files of the bundle that holds this snapshot, each packed with gzip, by name; lists without records have no
 * file. Reading them back gives an equal snapshot (instants to the microsecond).
 * @returns the files and the snapshot's digest, which does not depend on the packing
 */
export function writeBundle(snapshot: Snapshot): {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly digest: string
} {
  const files = new Map<string, Uint8Array>([['bundle.json.gz', gzipSync(`${headOf(snapshot)}\n`)]])
  for (const { list, name, form } of FILES) {
    const lines = linesOfList(snapshot, list)
    if (lines.length === 0) continue
    const text = form === 'ndjson' ? `${lines.join('\n')}\n` : `[\n${lines.join(',\n')}\n]\n`
    files.set(`${name}.gz`, gzipSync(text))
  }
  return { files, digest: snapshotDigest(snapshot) }
}

/** A snapshot as it is kept. */
export interface PackedSnapshot {
  /** Its canonical form, packed with gzip. */
  readonly bytes: Uint8Array
  /** SHA-256 (hex) over the canonical form. */
  readonly digest: string
}

const sha256Of = (text: Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** The snapshot as one gzip object, with its digest. */
export function packSnapshot(snapshot: Snapshot): PackedSnapshot {
  const lines: Buffer[] = []
  for (const line of canonicalLines(snapshot)) lines.push(Buffer.from(`${line}\n`))
  const text = Buffer.concat(lines)
  return { bytes: gzipSync(text), digest: sha256Of(text) }
}

/** The canonical form that was packed, which its digest is of: nothing has to be written once more to know it again. */
function unpacked(bytes: Uint8Array, digest: string): Buffer {
  const text = gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED })
  if (sha256Of(text) !== digest) throw new Error(`The packed snapshot ${digest} was altered.`)
  return text
}

/** The lines of a packed snapshot, one by one. */
function linesOf(text: Buffer): { readonly next: () => unknown; readonly isOver: () => boolean } {
  let at = 0
  return {
    next: () => {
      const end = text.indexOf(10, at)
      if (end === -1) throw new Error(`The packed snapshot ends early, at byte ${at}.`)
      const line = text.toString('utf8', at, end)
      at = end + 1
      return JSON.parse(line)
    },
    isOver: () => at >= text.length,
  }
}

/**
 * The window of what `packSnapshot` wrote, without its records.
 * @throws Error as `unpackSnapshot` does
 */
export const unpackWindow = (bytes: Uint8Array, digest: string): Window =>
  z.decode(bundleHead(), linesOf(unpacked(bytes, digest)).next() as never).window

/**
 * Reads what `packSnapshot` wrote.
 * @throws Error when the bytes are anything else, or hold another digest: a stored snapshot is whole or it is none
 */
export function unpackSnapshot(bytes: Uint8Array, digest: string): Snapshot {
  const lines = linesOf(unpacked(bytes, digest))
  const head = z.decode(bundleHead(), lines.next() as never)
  const lists = Object.fromEntries(FILES.map(({ list }) => [list, [] as unknown[]])) as Record<
    RecordList,
    unknown[]
  >
  const withRepeatedTexts = repeatedTexts()
  while (!lines.isOver()) {
    const { list, records } = lines.next() as { list: RecordList; records: number }
    const file = Object.hasOwn(RECORD_FILES, list) ? RECORD_FILES[list] : undefined
    if (file === undefined)
      throw new Error(`The packed snapshot has a list ${String(list)}, which the format has not.`)
    for (let index = 0; index < records; index++)
      lists[list].push(
        withRepeatedTexts(
          list,
          z.decode(file.shape as z.ZodMiniType<unknown>, lines.next() as never) as object,
        ),
      )
  }
  return { ...(lists as unknown as Omit<Snapshot, 'format'>), ...head }
}
