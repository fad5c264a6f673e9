import * as z from 'zod/mini'
import { invalidField, type Refusal } from '#shared/domain/errors.ts'
import type {
  Baseline,
  Gap,
  Pulled,
  SourceAsked,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import { canonicalJson, sha256 } from '../digest.ts'
import { untilAborted } from '../until-aborted.ts'
import type { BundleFiles } from './bundle-files.ts'
import { type BadRow, readMetricsCsv } from './metrics-csv.ts'
import {
  type BundleHead,
  bundleHead,
  complaint,
  encodeRecord,
  RECORD_FILES,
  type RecordFile,
  type RecordList,
  type Unsourced,
} from './record-shapes.ts'
import { repeatedTexts } from './repeated-texts.ts'
import { gunzipUpTo, linesOf } from './unpack.ts'

const MB = 1024 * 1024

/** How much of a bundle is read; what is beyond is a gap. The format's own limits. */
export interface BundleLimits {
  /** Bytes of all files together, unpacked. */
  readonly total: number
  /** Bytes of one file, unpacked. */
  readonly file: number
  /** Bytes of one line. */
  readonly line: number
}

export const BUNDLE_LIMITS: BundleLimits = { total: 512 * MB, file: 64 * MB, line: MB }

/** So many line numbers and field names stand in one gap; the count says how many there were. */
const NAMED_IN_A_GAP = 5

const HEAD = 'bundle.json'
const CSV = 'metrics.csv'
/** Names of the files that the format knows, without `.gz`. */
export const BUNDLE_FILE_NAMES: readonly string[] = [
  HEAD,
  ...Object.values(RECORD_FILES).map((file) => file.name),
  CSV,
]

/** JSON.parse without members named `__proto__`, which no record has and careless copying would follow. */
function parseJson(text: string): unknown {
  // Only a text that can hold such a name pays for the slower way.
  return /__proto__|\\u/i.test(text)
    ? JSON.parse(text, (name, value) => (name === '__proto__' ? undefined : value))
    : JSON.parse(text)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Collects what went wrong while one file was read. */
class FileReading {
  readonly bad: BadRow[] = []
  badCount = 0
  readonly unread = new Map<string, number>()
  readonly notes: string[] = []
  cut = false

  refuse(line: number, reason: string): void {
    this.badCount++
    if (this.bad.length < NAMED_IN_A_GAP) this.bad.push({ line, reason })
  }

  /** What is to be said about the file, one gap per kind of trouble. */
  gaps(name: string, place: 'line' | 'record'): Gap[] {
    const gaps = this.notes.map((why) => ({ what: name, why }))
    const [first] = this.bad
    if (first !== undefined) {
      const places = this.bad.map((row) => row.line).join(', ')
      const more = this.badCount > this.bad.length ? ', …' : ''
      const plural = this.badCount === 1 ? '' : 's'
      gaps.push({
        what: name,
        why: `${this.badCount} ${place}${plural} could not be read (${places}${more}); ${place} ${first.line}: ${first.reason}`,
      })
    }
    if (this.unread.size > 0) {
      const names = [...this.unread].sort(([a], [b]) => (a < b ? -1 : 1))
      const shown = names.slice(0, NAMED_IN_A_GAP).map(([field, records]) => `${field} (${records})`)
      const more = names.length > NAMED_IN_A_GAP ? ` and ${names.length - NAMED_IN_A_GAP} more` : ''
      gaps.push({
        what: name,
        why: `fields that the format does not know were not read: ${shown.join(', ')}${more}`,
      })
    }
    return gaps
  }
}

/** One record of a file, or undefined when it is refused; says so in `reading`. */
function readRecord<List extends RecordList>(
  file: RecordFile<List>,
  value: unknown,
  line: number,
  reading: FileReading,
): unknown {
  const decoded = z.safeDecode(file.shape as z.ZodMiniType<unknown>, value)
  if (!decoded.success) {
    reading.refuse(line, complaint(decoded.error))
    return undefined
  }
  for (const field of Object.keys(value as object))
    if (!file.fields.has(field)) reading.unread.set(field, (reading.unread.get(field) ?? 0) + 1)
  return decoded.data
}

/** After so many lines others get their turn: a deadline can only be noticed when timers run. */
const LINES_PER_TURN = 4096

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function readLines(
  file: RecordFile,
  data: Buffer,
  maxLine: number,
  reading: FileReading,
  signal: AbortSignal,
): Promise<unknown[]> {
  const records: unknown[] = []
  for (const [line, bytes] of linesOf(data)) {
    if (line % LINES_PER_TURN === 0) {
      await turnOfOthers()
      if (signal.aborted) {
        reading.cut = true
        reading.notes.push(`was not read to its end before the deadline, only its first ${line - 1} lines`)
        return records
      }
    }
    if (bytes.length === 0) continue
    if (bytes.length > maxLine) {
      reading.refuse(line, `is longer than ${maxLine} bytes`)
      continue
    }
    let value: unknown
    try {
      value = parseJson(strictUtf8.decode(bytes))
    } catch (error) {
      reading.refuse(line, error instanceof TypeError ? 'is not UTF-8' : 'is no JSON')
      continue
    }
    const record = readRecord(file, value, line, reading)
    if (record !== undefined) records.push(record)
  }
  return records
}

function readArray(file: RecordFile, data: Buffer, reading: FileReading): unknown[] {
  let values: unknown
  try {
    values = parseJson(strictUtf8.decode(data))
  } catch (error) {
    reading.notes.push(
      `nothing could be read: the file is ${error instanceof TypeError ? 'not UTF-8' : 'no JSON'}`,
    )
    return []
  }
  if (!Array.isArray(values)) {
    reading.notes.push('nothing could be read: the file must be an array of records')
    return []
  }
  return values.flatMap((value, index) => {
    const record = readRecord(file, value, index, reading)
    return record === undefined ? [] : [record]
  })
}

/** Where the bytes of a file of the format come from: plain or packed. */
interface Stored {
  readonly name: string
  readonly packed: boolean
  readonly bytes: number
}

type Listed = Awaited<ReturnType<BundleFiles['list']>>

function storedAs(listed: Listed, name: string): Stored | undefined {
  const plain = listed.find((file) => file.name === name)
  if (plain !== undefined) return { ...plain, packed: false }
  const packed = listed.find((file) => file.name === `${name}.gz`)
  return packed === undefined ? undefined : { ...packed, packed: true }
}

/** Reads and unpacks one file up to `limit` bytes. */
async function bytesOf(files: BundleFiles, stored: Stored, limit: number) {
  // One byte more than allowed tells a file of exactly the limit from a longer one.
  const bytes = await files.read(stored.name, limit + 1)
  if (stored.packed) return gunzipUpTo(bytes, limit)
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, limit))
  return { data, cut: bytes.byteLength > limit || stored.bytes > limit ? ('limit' as const) : null }
}

const refused = (reason: string): Refusal => invalidField(HEAD, reason)

/**
 * Reads `bundle.json` alone.
 * @throws Refusal `invalid` on field `bundle.json` when it is missing, unreadable or of another format
 */
export async function readBundleHead(
  files: BundleFiles,
  listed: Listed,
  limits: BundleLimits = BUNDLE_LIMITS,
): Promise<BundleHead> {
  const stored = storedAs(listed, HEAD)
  if (stored === undefined) throw refused('is missing: a bundle needs it to say which time is which')
  const { data, cut } = await bytesOf(files, stored, limits.file)
  if (cut === 'limit') throw refused(`is longer than ${limits.file} bytes`)
  if (cut === 'damage') throw refused('is no complete gzip file')
  let value: unknown
  try {
    value = parseJson(strictUtf8.decode(data))
  } catch {
    throw refused('is no JSON')
  }
  const decoded = z.safeDecode(bundleHead(), value as never)
  if (!decoded.success) throw refused(complaint(decoded.error))
  const ids = decoded.data.sources.map((source) => source.id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw refused(`sources: the id ${twice} stands twice`)
  const names = decoded.data.baselines.map((baseline) => baseline.name)
  const again = names.find((name, index) => name === 'incident' || names.indexOf(name) !== index)
  if (again !== undefined) throw refused(`baselines: the name ${again} is taken`)
  return decoded.data
}

/** What the list of files alone says is wrong with a bundle. */
export function gapsOfList(listed: Listed, limits: BundleLimits = BUNDLE_LIMITS): Gap[] {
  const gaps: Gap[] = []
  for (const { name, bytes } of listed) {
    const plain = name.replace(/\.gz$/, '')
    if (!BUNDLE_FILE_NAMES.includes(plain))
      gaps.push({ what: name, why: 'is no file of incident-bundle/1 and was not read' })
    else if (plain !== name && listed.some((file) => file.name === plain))
      gaps.push({ what: name, why: `was not read: ${plain} stands beside it` })
    else if (bytes > limits.file) gaps.push({ what: name, why: `is longer than ${limits.file} bytes` })
  }
  return gaps
}

/** Digest over records in file form: their canonical JSON without `source`, sorted, one a line. */
function digestOfRecords(list: RecordList, records: readonly { readonly source?: string }[]): string {
  const lines = records.map((record) => {
    const { source: _, ...rest } = encodeRecord(list, record as never) as { source?: string }
    return canonicalJson(rest)
  })
  return sha256(lines.sort().join('\n'))
}

/** Series of one name, entity and labels that come both as counter and as rate. */
function mixedSeries(series: Pulled['series']): Gap[] {
  const types = new Map<string, string>()
  const mixed = new Set<string>()
  for (const { entity, name, labels, type } of series) {
    if (type !== 'counter' && type !== 'rate') continue
    const key = canonicalJson([entity, name, labels])
    if ((types.get(key) ?? type) !== type) mixed.add(`${name} of ${entity}`)
    types.set(key, type)
  }
  return [...mixed].map((which) => ({
    what: which,
    why: 'comes both as counter and as rate: the two cannot be compared',
  }))
}

/** How sources name a bundle: `query` such as `bundle:shop/2026-03-01`, and the integration that it belongs to, if any. */
interface BundleAsked {
  readonly integration_id?: string
  readonly query: string
}

/** What is read of a bundle so far: its records, list by list, and the requests that they came from. */
interface KeptRecords {
  readonly lists: Readonly<Record<RecordList, unknown[]>>
  readonly sources: readonly SourceAsked[]
  /** Gives every record of a file a source, and the file an entry in `sources` where it is one. */
  keep(
    list: Exclude<RecordList, 'gaps'>,
    name: string,
    records: readonly Unsourced<{ source: string }>[],
    reading: FileReading,
  ): void
}

/**
 * Nothing kept yet but the sources that `bundle.json` declares.
 * @param declared their ids: records that name one keep it
 */
function keptRecords(
  asked: BundleAsked,
  head: readonly SourceAsked[],
  declared: ReadonlySet<string>,
): KeptRecords {
  const integration = asked.integration_id === undefined ? {} : { integration_id: asked.integration_id }
  const sources: SourceAsked[] = head.map((source) => ({ ...source, ...integration }))
  const taken = new Set(declared)
  const lists: { [List in RecordList]: unknown[] } = {
    alerts: [],
    series: [],
    edges: [],
    spans: [],
    logs: [],
    log_counts: [],
    changes: [],
    k8s: [],
    events: [],
    statements: [],
    patterns: [],
    status: [],
    gaps: [],
  }

  const newSourceId = (wanted: string): string => {
    let id = wanted
    for (let suffix = 2; taken.has(id); suffix++) id = `${wanted}_${suffix}`
    taken.add(id)
    return id
  }

  const withRepeatedTexts = repeatedTexts()

  function keep(
    list: Exclude<RecordList, 'gaps'>,
    name: string,
    records: readonly Unsourced<{ source: string }>[],
    reading: FileReading,
  ) {
    const own = records.filter((record) => record.source === undefined || !declared.has(record.source))
    const unknown = own.filter((record) => record.source !== undefined)
    if (unknown[0]?.source !== undefined)
      reading.notes.push(
        `${unknown.length} records name a source that bundle.json does not declare, such as ${unknown[0].source}`,
      )
    if (own.length === 0 && records.length > 0) {
      for (const record of records) lists[list].push(withRepeatedTexts(list, record))
      return
    }
    const id = newSourceId(name.replace(/\.\w+$/, ''))
    const failed = own.length === 0 && (reading.badCount > 0 || reading.notes.length > 0)
    sources.push({
      id,
      ...integration,
      tool: 'bundle',
      query: `${asked.query}/${name}`,
      outcome: reading.cut ? 'cut' : own.length > 0 ? 'answered' : failed ? 'failed' : 'empty',
      records: own.length,
      ...(own.length === 0 ? {} : { digest: digestOfRecords(list, own) }),
    })
    for (const record of records)
      lists[list].push(
        withRepeatedTexts(
          list,
          record.source !== undefined && declared.has(record.source) ? record : { ...record, source: id },
        ),
      )
  }

  return { lists, sources, keep }
}

/** Opens files of a bundle one after the other, as much of each as the limits and the deadline leave. */
function fileOpener(
  files: BundleFiles,
  listed: Awaited<ReturnType<BundleFiles['list']>>,
  limits: BundleLimits,
  signal: AbortSignal,
): (name: string, reading: FileReading) => Promise<Buffer | undefined> {
  let left = limits.total
  return async (name, reading) => {
    const stored = storedAs(listed, name)
    if (stored === undefined) return undefined
    const limit = Math.min(limits.file, left)
    const read = untilAborted(bytesOf(files, stored, limit), signal)
    const { data, cut } = await read.catch((error) => {
      if (!signal.aborted) throw error
      reading.notes.push('was not read before the deadline')
      reading.cut = true
      return { data: Buffer.alloc(0), cut: null }
    })
    left -= data.length
    if (cut !== null) {
      reading.cut = true
      reading.notes.push(
        cut === 'damage'
          ? 'is no complete gzip file: what stands after the damage was not read'
          : limit < limits.file
            ? `the bundle is longer than ${limits.total} bytes: this file was read only in part or not at all`
            : `is longer than ${limits.file} bytes: the rest was not read`,
      )
    }
    return data
  }
}

/** The last line of a file that was cut is most likely half a line: it is not counted as malformed. */
const wholeLines = (data: Buffer, reading: FileReading): Buffer =>
  reading.cut ? data.subarray(0, data.lastIndexOf(10) + 1) : data

/**
 * Reads a bundle: every record of every file, whatever window was asked for. Each file whose records name no source of
 * their own becomes one request in `sources`, asked as `<query>/<file>`, with a digest over the canonical form of its
 * records (canonical JSON of each in file form without `source`, sorted by code units, joined by line feeds). Records
 * that name a source which `bundle.json` declares keep it.
 *
 * null is not measured, 0 is. Files cut at a limit, malformed lines, unknown files and unknown fields are gaps that
 * name file and line.
 * @throws Refusal `invalid` on field `bundle.json` when that file is missing or invalid, on the path's field when the
 * files cannot be opened; the signal's reason when it is aborted before `bundle.json` is read. Aborted later, what was
 * read until then is given, and the rest is gaps.
 */
export async function readBundle(
  files: BundleFiles,
  asked: BundleAsked,
  limits: BundleLimits = BUNDLE_LIMITS,
  signal: AbortSignal = new AbortController().signal,
): Promise<Pulled & { readonly window: Window; readonly baselines: readonly Baseline[] }> {
  const listed = await untilAborted(files.list(), signal)
  const head = await untilAborted(readBundleHead(files, listed, limits), signal)
  // A file that is too long is read up to the limit and says so itself, also when it is packed.
  const gaps = gapsOfList(listed, { ...limits, file: Number.POSITIVE_INFINITY })
  const declared = new Set(head.sources.map(({ id }) => id))
  const { lists, sources, keep } = keptRecords(asked, head.sources, declared)
  const open = fileOpener(files, listed, limits, signal)

  for (const file of Object.values(RECORD_FILES) as readonly RecordFile[]) {
    const reading = new FileReading()
    const data = await open(file.name, reading)
    if (data === undefined) continue
    let records: unknown[] = []
    if (file.form === 'ndjson')
      records = await readLines(file, wholeLines(data, reading), limits.line, reading, signal)
    else if (reading.cut) reading.notes.push('nothing was read: an array that is cut short cannot be parsed')
    else records = readArray(file, data, reading)
    if (file.list === 'gaps') for (const record of records) lists.gaps.push(record)
    else keep(file.list, file.name, records as Unsourced<{ source: string }>[], reading)
    gaps.push(...reading.gaps(file.name, file.form === 'json' ? 'record' : 'line'))
  }

  const reading = new FileReading()
  const csv = await open(CSV, reading)
  if (csv !== undefined) {
    const { series, bad } = readMetricsCsv(wholeLines(csv, reading), limits.line)
    for (const row of bad) reading.refuse(row.line, row.reason)
    keep('series', CSV, series, reading)
    gaps.push(...reading.gaps(CSV, 'line'))
  }

  const { gaps: declaredGaps, ...records } = lists
  const pulled = records as unknown as Omit<Pulled, 'sources' | 'entities' | 'gaps'>
  // Tools that were asked for their own series may know one both ways; a hand-made file mixing them is a mistake.
  const ownSeries = pulled.series.filter((series) => !declared.has(series.source))
  return {
    ...pulled,
    window: head.window,
    baselines: head.baselines,
    entities: head.entities,
    sources,
    gaps: [...(declaredGaps as Gap[]), ...gaps, ...mixedSeries(ownSeries)],
  }
}
