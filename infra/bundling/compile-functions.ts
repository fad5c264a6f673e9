import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { environmentCredentials, namedShapes, ownEndpoints } from './aws-sdk.ts'
import { isCommonJs } from './bundle-places.ts'
import { type BundleSize, byPackage, fileOf, outputsOf } from './bundle-size.ts'
import { compile, OPTIONS } from './esbuild-pass.ts'
import type { Source, SourceOf } from './function-source.ts'
import { neverRun } from './never-run.ts'
import { builtins } from './node-builtins.ts'
import { ownRows } from './own-rows.ts'
import { namelessRows, pageOfConsole, shortManifests, unusedShapes, writtenNames } from './own-sources.ts'
import { partsAtUse, SHARING, TOOL } from './parts-at-use.ts'
import { bundleInParts } from './parts-of-entry.ts'
import { plainText } from './plain-text.ts'
import { undiciInParts } from './undici-in-parts.ts'

/** Where parts lie until each function has its copy. */
const PARTS = '.parts'

/** A module of Node that the SDK imports at its first use: esbuild would wrap every name of it there, too. */
const IMPORTED_LATE = /\bimport\((["'])node:([\w/]+)\1\)/g

/**
 * The Web's streams and blobs, by which the SDK tells what a body is: nothing here makes one, and to ask for their class
 * is to load it.
 */
const NO_WEB_BODIES = { ReadableStream: 'undefined', Blob: 'undefined' }

/** Every other module: what first calls run of it is compiled at once. */
const eagerFunctions = (sourceOf: SourceOf): Plugin => ({
  name: 'eager-functions',
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:ts|js|mjs)$/, namespace: 'file' }, ({ path: file }) => ({
      contents: sourceOf(file).replace(
        IMPORTED_LATE,
        (_all, _quote, name) => `Promise.resolve(process.getBuiltinModule('node:${name}'))`,
      ),
      loader: file.endsWith('.ts') ? 'ts' : 'js',
    }))
  },
})

const pluginsOf = (sourceOf: SourceOf): Plugin[] => [
  neverRun,
  builtins,
  environmentCredentials,
  ownEndpoints,
  undiciInParts,
  shortManifests,
  namedShapes(sourceOf),
  plainText(sourceOf),
  unusedShapes,
  pageOfConsole,
  writtenNames(sourceOf),
  namelessRows(sourceOf),
  eagerFunctions(sourceOf),
]

/** What an entry exports, given out as CommonJS has it: esbuild's own way is a function that copies getters. */
const commonExports = (sourceOf: SourceOf): Plugin => ({
  name: 'common-exports',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]functions[\\/]api[\\/][\w-]+\.ts$/ }, ({ path: file }) => ({
      contents: sourceOf(file).replace(/^export const (\w+) =/gm, 'exports.$1 ='),
      loader: 'ts',
    }))
  },
})

/** How a function is bundled that is a file of CommonJS. */
const COMMON_JS = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: {},
} as const satisfies BuildOptions

/**
 * Three passes: the entries, each with its own row of the table, as ES modules and as CommonJS, then the parts that they
 * load at their first use, copied to each that does.
 * @returns what each function weighs, and every file that went in
 * @throws Error with file and line of what does not compile
 */
export async function compileFunctions(plans: readonly Source[], folder: string, sourceOf: SourceOf) {
  const plugins = pluginsOf(sourceOf)
  const parts = new Map<string, string>()
  const ofEntries = (some: readonly Source[], sharing: 'beside' | 'split', more: readonly Plugin[] = []) => ({
    entryPoints: some.map(({ id, file }) => ({
      in: file,
      out: sharing === 'split' ? 'index' : `${id}/index`,
    })),
    define: { ...OPTIONS.define, ...NO_WEB_BODIES },
    plugins: [ownRows(some, sourceOf), partsAtUse(parts, sharing), ...more, ...plugins],
  })
  const [common, modules] = [true, false].map((wanted) =>
    plans.filter(({ id }) => isCommonJs(id) === wanted),
  ) as [Source[], Source[]]
  const passes = [
    await compile({ ...ofEntries(modules, 'beside'), outdir: folder }),
    await compile({
      ...ofEntries(common, 'beside', [commonExports(sourceOf)]),
      outdir: folder,
      ...COMMON_JS,
    }),
  ]
  const inputs = passes.flatMap((pass) => Object.keys(pass.inputs))
  /** An entry as it is, or with the tools that it asks in parts. */
  const inParts = async (output: ReturnType<typeof outputsOf>[number]) => {
    const entry = { ...output, id: path.basename(path.dirname(output.file)), sharing: 0 }
    const plan = plans.find(({ id }) => id === entry.id)
    if (plan === undefined || !entry.needs.includes(TOOL)) return entry
    const made = await bundleInParts({
      compile,
      split: ofEntries([plan], 'split'),
      folder: path.join(folder, plan.id),
      isPart: (file) => SHARING.test(file),
    })
    inputs.push(...made.sources)
    return {
      ...entry,
      bytes: made.bytes,
      parts: byPackage(made.inputs),
      sharing: made.later,
      needs: made.beside,
    }
  }
  const entries = await Promise.all(passes.flatMap(outputsOf).map(inParts))
  const drafts = path.join(folder, PARTS)
  const isUndici = ([, module]: readonly [string, string]) => module === 'undici'
  const wholeParts = (some: readonly (readonly [string, string])[], define = {}) =>
    compile({
      entryPoints: some.map(([name, module]) => ({ in: module, out: path.basename(name, '.mjs') })),
      outdir: drafts,
      define: { ...OPTIONS.define, ...define },
      plugins,
    })
  const made = [
    // undici refuses streams of the Web by their class; what AWS is asked with knows none.
    await wholeParts([...parts].filter(isUndici)),
    await wholeParts(
      [...parts].filter((part) => !isUndici(part)),
      NO_WEB_BODIES,
    ),
  ]
  inputs.push(...made.flatMap((pass) => Object.keys(pass.inputs)))
  const partBytes = new Map(made.flatMap(outputsOf).map(({ file, bytes }) => [path.basename(file), bytes]))
  const weighed = entries.map(({ id, bytes, sharing, parts: by, needs }): BundleSize => {
    for (const name of needs) copyFileSync(path.join(drafts, name), path.join(folder, id, name))
    const later = needs.reduce((sum, name) => sum + (partBytes.get(name) ?? 0), sharing)
    return { id, bytes, later, parts: by }
  })
  // In the order of the plans, whichever pass made them.
  const sizes = plans.flatMap((plan) => weighed.filter(({ id }) => id === plan.id))
  rmSync(drafts, { recursive: true, force: true })
  return { sizes, inputs: [...new Set(inputs.map(fileOf))] }
}
