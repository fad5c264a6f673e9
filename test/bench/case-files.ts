import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { BundleFiles } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

/** A case as an incident bundle, before it is written anywhere. */
export interface LoadedCase {
  /** Text of the bundle's files by name. */
  readonly files: ReadonlyMap<string, string>
  /** Keys and columns that no list of allowed ones names. */
  readonly left_out: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Collects the records of a case under the names of the bundle's files. */
export class CaseWriter {
  readonly #files = new Map<string, string>()
  readonly #leftOut = new Set<string>()

  /** Adds records to a file; members that are undefined are dropped. */
  put(name: string, records: readonly Fields[]): void {
    if (records.length === 0) return
    const lines = records.map((record) => JSON.stringify(record))
    this.#files.set(name, name.endsWith('.json') ? `[${lines.join(',\n')}]\n` : `${lines.join('\n')}\n`)
  }

  /** The allowed members of a record; every other key is noted as left out. */
  only(file: string, record: Fields, allowed: readonly string[]): Fields {
    for (const key of Object.keys(record)) if (!allowed.includes(key)) this.#leftOut.add(`${file}: ${key}`)
    return Object.fromEntries(allowed.map((name) => [name, record[name]]))
  }

  leaveOut(what: string): void {
    this.#leftOut.add(what)
  }

  /** @param head window and baselines, milliseconds */
  done(head: {
    readonly from: number
    readonly to: number
    readonly baselines?: readonly { readonly name: string; readonly from: number; readonly to: number }[]
    readonly entities?: readonly Fields[]
  }): LoadedCase {
    const { from, to, baselines = [], entities = [] } = head
    this.#files.set(
      'bundle.json',
      `${JSON.stringify({
        format: 'incident-bundle/1',
        window: { from: iso(from), to: iso(to) },
        baselines: baselines.map((one) => ({ name: one.name, from: iso(one.from), to: iso(one.to) })),
        entities,
      })}\n`,
    )
    return { files: this.#files, left_out: [...this.#leftOut].sort() }
  }
}

export const iso = (at: number): string => new Date(at).toISOString()

/** Reads a text file, unpacked where its name ends in `.gz`; undefined where there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (bytes === undefined) return undefined
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

/** The fields of one CSV line (RFC 4180 quoting). */
export function fieldsOfLine(line: string): string[] {
  if (!line.includes('"')) return line.split(',')
  const fields: string[] = []
  let field = ''
  let quoted = false
  for (let index = 0; index < line.length; index++) {
    const sign = line[index] as string
    if (quoted) {
      if (sign !== '"') field += sign
      else if (line[index + 1] === '"') {
        field += '"'
        index++
      } else quoted = false
    } else if (sign === '"') quoted = true
    else if (sign === ',') {
      fields.push(field)
      field = ''
    } else field += sign
  }
  fields.push(field)
  return fields
}

/** Lines of a CSV file as fields, empty lines left out; undefined where the file is missing. */
export async function rowsOf(path: string): Promise<string[][] | undefined> {
  const text = await textOf(path)
  return text
    ?.split(/\r?\n/)
    .filter((line) => line !== '')
    .map(fieldsOfLine)
}

/** A measured number, or null where the field is empty or no number. */
export function measured(field: string | undefined): number | null {
  if (field === undefined || field.trim() === '') return null
  const value = Number(field)
  return Number.isFinite(value) ? value : null
}

/** A name that tells nothing about the case. */
export const randomName = (): string => randomBytes(8).toString('hex')

function bundleInMemory(files: ReadonlyMap<string, string>): BundleFiles {
  const bytes = new Map([...files].map(([name, text]) => [name, Buffer.from(text)]))
  return {
    list: async () => [...bytes].map(([name, content]) => ({ name, bytes: content.length })),
    read: async (name) => bytes.get(name) ?? Buffer.alloc(0),
  }
}

/** Reads a case through the same reader as every bundle; the only name it carries is random. */
export async function snapshotOfCase(loaded: LoadedCase, name: string): Promise<Snapshot> {
  const pulled = await readBundle(bundleInMemory(loaded.files), { query: `bundle:${name}` })
  return mergePulled(pulled.window, pulled.baselines, [pulled])
}
