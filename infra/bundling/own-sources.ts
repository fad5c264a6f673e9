import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'esbuild'
import { ENV } from '#shared/names.ts'
import { CONSOLE_FILES } from '../build-console.ts'
import { ROOT } from '../root.ts'
import type { SourceOf } from './function-source.ts'

/** A constant of a module that the formatter has been over: to the next line that begins at the margin. */
const CONSTANT = /^((?:export )?const \w+(?:: [^=\n]+)? =\s)([\s\S]*?)(?=\n(?![ )\]}]))/gm
/** What makes a shape, not a function that does. */
const MAKES = /^(?:z\b|[a-z]\w*\(|\{[\s\S]*\bz\s*\.)/

/**
 * A shape is made of calls, which esbuild cannot know to be harmless: without this, each function makes those of all that
 * its modules of the contract tell, answers and bodies of other operations among them.
 */
export const unusedShapes: Plugin = {
  name: 'unused-shapes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/]contract[\\/][\w-]+\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replace(CONSTANT, (all, head, made) =>
        MAKES.test(made) ? `${head}/* @__PURE__ */ (() => (${made}))()` : all,
      ),
      loader: 'ts',
    }))
  },
}

/** Of a package.json only name and version are ever read; imported whole, it would be bundled whole. */
export const shortManifests: Plugin = {
  name: 'short-manifests',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path: file }) => {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
      return { contents: JSON.stringify({ name, version }), loader: 'json' }
    })
  },
}

/**
 * By the name of a row of what systems say only its page and its tests look it up; a function reads the words. 180 of them
 * weighed 3 KB.
 */
export const namelessRows = (sourceOf: SourceOf): Plugin => ({
  name: 'nameless-rows',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]causes[\\/](?:system-answers|spoken-signs)\.ts$/ }, ({ path: file }) => {
      let rows = 0
      const contents = sourceOf(file)
        .replace(/\brow\(\s*'[\w-]+',/g, 'row(')
        .replace('(id: string, ', '(')
        .replace('{ id, pattern, ', '{ pattern, ')
        .replace(/^ {4}(?:'[\w-]+'|\w+):(?=\s*\/)/gm, () => {
          rows += 1
          return `${rows}:`
        })
      return { contents, loader: 'ts' }
    })
  },
})

const CONSOLE_PAGE = path.join(CONSOLE_FILES, 'index.html')

/** The page of the console is known before its function is bundled: it is a text of the bundle, and no file is looked for. */
export const pageOfConsole: Plugin = {
  name: 'page-of-console',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/]adapters[\\/]console-page\.ts$/ }, () => ({
      contents: `import page from ${JSON.stringify(CONSOLE_PAGE)}
        export const consolePage = () => page`,
      loader: 'js',
      resolveDir: ROOT,
    }))
  },
}

/** A name of the environment where it is read. */
const NAMED = /\bENV\.(\w+)\b/g

/**
 * Writes names of environment variables out where they are read: else each function would hold the list of all, and the
 * tables, which cite it.
 */
export const writtenNames = (sourceOf: SourceOf): Plugin => ({
  name: 'written-names',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/](?:names|runtime)\.ts$/ }, ({ path: file }) => ({
      contents: sourceOf(file).replace(NAMED, (all, name: string) =>
        name in ENV ? `'${ENV[name as keyof typeof ENV]}'` : all,
      ),
      loader: 'ts',
    }))
  },
})
