import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { ROOT } from './root.ts'

/** The sources of the console. */
const SOURCES = path.join(ROOT, 'functions', 'console')
/** Where the built console lies; git does not see it. */
export const CONSOLE_FILES = path.join(ROOT, 'dist', 'console')
/** What it was made of, beside it. */
const RECORD = path.join(ROOT, 'dist', 'console.made-of.json')
/** The recipe and the versions of what goes in. */
const RECIPE = ['infra/build-console.ts', 'package-lock.json', 'package.json'] as const
/** Below it a compressed file is no smaller on the wire. */
const LEAST_COMPRESSED_BYTES = 1_024
/** Stands in the page for the path below which the console is served, which only a request tells. */
const BASE = '{{base}}'
/** What most pages use comes as one file, not as a dozen; charts and their library come apart. */
const SHARED =
  /functions\/console\/(?:parts\/(?!incident-charts|series-chart|service-graph|time-lanes|use-width)|(?:incident-filters|number-text|use-live|use-pages-of)\.)/

interface MadeOf {
  /** Digest of each file that went in, by path below the root. */
  readonly inputs: Readonly<Record<string, string>>
}

const digest = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(path.join(ROOT, file)))
    .digest('hex')
const digests = (files: Iterable<string>): Record<string, string> =>
  Object.fromEntries([...new Set(files)].sort().map((file) => [file, digest(file)]))

/** Every source of the console, by path below the root. */
const sourceFiles = (): string[] =>
  readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))

/** Whether the built console is what its sources would give now. */
export function isConsoleFresh(): boolean {
  try {
    const { inputs } = JSON.parse(readFileSync(RECORD, 'utf8')) as MadeOf
    const now = digests([...Object.keys(inputs), ...sourceFiles()])
    readFileSync(path.join(CONSOLE_FILES, 'index.html'))
    return JSON.stringify(now) === JSON.stringify(inputs)
  } catch {
    // Never built, or made of a file that is gone.
    return false
  }
}

/** One pass of Vite. @returns the modules of ours that went in, by path below the root */
async function bundle(outDir: string): Promise<string[]> {
  const { build } = await import('vite')
  const made = await build({
    root: SOURCES,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // Every asset is a file of this origin: the policy of the page takes no `data:`.
      assetsInlineLimit: 0,
      // One style sheet: a page needs no request of its own for a few rules.
      cssCodeSplit: false,
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'parts', test: SHARED }] } } },
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    experimental: {
      renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `${BASE}${file}` : { relative: true }),
    },
  })
  const outputs = Array.isArray(made) ? made : [made]
  return outputs
    .flatMap((each) => ('output' in each ? each.output : []))
    .flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
    .map((id) => path.relative(ROOT, id.split('?')[0] ?? ''))
    .filter((id) => /^(?:functions|shared)\//.test(id))
}

/** Vite writes the placeholder in some addresses as an address would have it. */
function restoreBase(page: string): void {
  writeFileSync(page, readFileSync(page, 'utf8').replaceAll(encodeURIComponent(BASE), BASE))
}

/** Lays a smaller copy beside each asset, one for each way of compressing that browsers ask for. */
function compressAssets(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const bytes = readFileSync(file)
    if (bytes.length < LEAST_COMPRESSED_BYTES) continue
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/**
 * Builds the console into `dist/console`: a page without caching, assets with a hash in their names, compressed
 * beforehand. Nothing is done when nothing changed since the last time.
 * @throws Error with what does not compile
 */
export async function buildConsole(): Promise<void> {
  if (isConsoleFresh()) return
  const draft = path.join(ROOT, 'dist', `console.${process.pid}`)
  try {
    const modules = await bundle(draft)
    restoreBase(path.join(draft, 'index.html'))
    compressAssets(path.join(draft, 'assets'))
    const record: MadeOf = { inputs: digests([...RECIPE, ...sourceFiles(), ...modules]) }
    // In one step: nobody meets half a console, also when two processes build it.
    rmSync(CONSOLE_FILES, { recursive: true, force: true })
    renameSync(draft, CONSOLE_FILES)
    mkdirSync(path.dirname(RECORD), { recursive: true })
    writeFileSync(RECORD, JSON.stringify(record))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
