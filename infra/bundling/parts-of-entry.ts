import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

/** One esbuild pass; throws where something does not compile. */
export type Compile = (options: BuildOptions) => Promise<Metafile>

/** What is bundled in parts. */
export interface PartsWanted {
  readonly compile: Compile
  /** Options of the pass that splits, with its one entry point, which comes out as `index`. */
  readonly split: BuildOptions
  /** Where the function goes. */
  readonly folder: string
  /** Tells by its path below the root whether a module becomes a part. */
  readonly isPart: (file: string) => boolean
}

/** A function that was bundled in parts. */
export interface InParts {
  /** Bytes of the entry. */
  readonly bytes: number
  /** Bytes of the parts. */
  readonly later: number
  /** What the entry is made of, with bytes. */
  readonly inputs: readonly (readonly [input: string, bytes: number])[]
  /** Files that it loads at their first use and that are bundled elsewhere. */
  readonly beside: readonly string[]
  /** Every file that went in. */
  readonly sources: readonly string[]
}

type Output = Metafile['outputs'][string]

/** What a file takes from another one, as esbuild writes it: `import{a,b as c}from"./chunk.mjs"`. */
const IMPORTED = /\bimport ?\{([^}]*)\} ?from ?"\.\/([\w.-]+)"/g
const HASH = /-[A-Z\d]{8}(?=\.mjs$)/

/** What is given from one file to others, by its name there, and the name that the entry exports it by. */
type Given = ReadonlyMap<string, ReadonlyMap<string, string>>

const exportList = (names: Iterable<readonly [string, string]>, from: string): string =>
  `export { ${Array.from(names, ([name, as]) => `${name} as ${as}`).join(', ')} } from './${from}'`

/** The outputs that loading one loads at once. */
function loadedWith(start: string, outputs: Readonly<Record<string, Output>>): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [start]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    for (const { path: to, kind } of outputs[next]?.imports ?? [])
      if (kind === 'import-statement' && to in outputs) waiting.push(to)
  }
  return found
}

/** Bytes of a file that several parts share, up to which it is cheaper in the entry than as one file more to look for. */
const SMALL = 4_500

/** The entry's own files, and small ones of several parts that need nothing but those. */
function residentsOf(
  outputs: Readonly<Record<string, Output>>,
  parts: readonly string[],
): ReadonlySet<string> {
  const residents = new Set(loadedWith('index.mjs', outputs))
  // What is of a package stays with what needs it: some entries hold nothing of it.
  const fits = ([name, { bytes, imports, inputs }]: readonly [string, Output]) =>
    !residents.has(name) &&
    !parts.includes(name) &&
    bytes <= SMALL &&
    !Object.keys(inputs).some((input) => input.includes('node_modules')) &&
    imports.every((each) => each.kind === 'import-statement' && residents.has(each.path))
  for (let next = Object.entries(outputs).find(fits); next; next = Object.entries(outputs).find(fits))
    residents.add(next[0])
  return residents
}

/** What files take from the entry's own, in the order in which they ask. */
function givenTo(files: readonly string[], residents: ReadonlySet<string>): Given {
  const given = new Map<string, Map<string, string>>()
  let count = 0
  for (const file of files) {
    for (const [, names = '', from = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      if (!residents.has(from)) continue
      const known = given.get(from) ?? new Map<string, string>()
      given.set(from, known)
      for (const each of names.split(',')) {
        const name = each.split(' as ')[0]?.trim() ?? ''
        if (name === '' || known.has(name)) continue
        known.set(name, `_${count.toString(36)}`)
        count += 1
      }
    }
  }
  return given
}

/** Names files as they are deployed, wherever one of `drafts` imports another. */
const deployedNames = (drafts: string, nameOf: (draft: string) => string | undefined): Plugin => ({
  name: 'deployed-names',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/[\w.-]+\.mjs$/ }, ({ path: wanted, resolveDir }) => {
      if (resolveDir !== drafts) return undefined
      const name = nameOf(path.basename(wanted))
      return name === undefined ? undefined : { path: `./${name}`, external: true }
    })
  },
})

/**
 * Bundles a function so that modules that it imports at their first use lie beside it and take what both need from the
 * entry: nothing is there twice, and a cold start reads one file. esbuild's own splitting moves what is shared into files
 * of their own, which the entry would have to read; here they are put back into the entry, which gives parts what they
 * need of it by names of one or two letters.
 */
export async function bundleInParts({ compile, split, folder, isPart }: PartsWanted): Promise<InParts> {
  const drafts = path.join(folder, '.drafts')
  const { outputs, inputs } = await compile({
    ...split,
    outdir: drafts,
    splitting: true,
    banner: {},
    chunkNames: '[name]-[hash]',
  })
  const byName = Object.fromEntries(
    Object.entries(outputs).map(([file, output]) => [
      path.basename(file),
      {
        ...output,
        imports: output.imports.map((each) => ({ ...each, path: path.basename(each.path) })),
      },
    ]),
  )
  const parts = Object.keys(byName).filter((name) => isPart(byName[name]?.entryPoint ?? ''))
  const residents = residentsOf(byName, parts)
  const later = [...new Set(parts.flatMap((part) => [...loadedWith(part, byName)]))].filter(
    (name) => !residents.has(name),
  )
  const given = givenTo(
    later.map((name) => path.join(drafts, name)),
    residents,
  )
  const names = new Map(
    later.map((draft) => [draft, parts.includes(draft) ? draft.replace(HASH, '') : draft]),
  )
  // What esbuild did not make here lies beside the entry under the name that it is asked for by; what else it split off
  // (the SDK imports modules of Node late) is put back.
  const deployed = deployedNames(drafts, (draft) => (draft in byName ? names.get(draft) : draft))
  const own = exportList(
    (byName['index.mjs']?.exports ?? []).map((name) => [name, name]),
    'index.mjs',
  )
  const entry = await compile({
    stdin: {
      contents: [own, ...Array.from(given, ([from, known]) => exportList(known, from))].join('\n'),
      resolveDir: drafts,
    },
    outfile: path.join(folder, 'index.mjs'),
    plugins: [deployed],
  })
  const fromEntry: Plugin = {
    name: 'from-entry',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/[\w.-]+\.mjs$/ }, ({ path: wanted, resolveDir }) =>
        resolveDir === drafts && residents.has(path.basename(wanted))
          ? { path: path.basename(wanted), namespace: 'entry', sideEffects: false }
          : undefined,
      )
      onResolve({ filter: /.*/, namespace: 'entry' }, ({ path: wanted }) => ({
        path: wanted,
        external: true,
      }))
      onLoad({ filter: /.*/, namespace: 'entry' }, ({ path: from }) => ({
        contents: exportList(
          Array.from(given.get(from) ?? [], ([name, as]) => [as, name]),
          'index.mjs',
        ),
        loader: 'js',
      }))
    },
  }
  const made = await compile({
    entryPoints: Array.from(names, ([draft, name]) => ({
      in: path.join(drafts, draft),
      out: path.basename(name, '.mjs'),
    })),
    outdir: folder,
    plugins: [fromEntry, deployed],
  })
  rmSync(drafts, { recursive: true })
  const bytesOf = ({ outputs: all }: Metafile) =>
    Object.values(all).reduce((sum, { bytes }) => sum + bytes, 0)
  const madeOf = [...residents].flatMap((name) =>
    Object.entries(byName[name]?.inputs ?? {}).map(
      ([input, { bytesInOutput }]) => [input, bytesInOutput] as const,
    ),
  )
  const beside = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === 'dynamic-import' && external === true),
  )
  return {
    bytes: bytesOf(entry),
    later: bytesOf(made),
    inputs: madeOf,
    beside: [...new Set(beside.map((each) => path.basename(each.path)))],
    sources: Object.keys(inputs),
  }
}
