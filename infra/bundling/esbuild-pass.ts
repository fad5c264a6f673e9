import { type BuildFailure, type BuildOptions, build, type Metafile } from 'esbuild'
import { ROOT } from '../root.ts'
import { builtins } from './node-builtins.ts'

/** How every function is bundled. */
export const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The packages' ES modules: what is not used falls away. CDK's default takes CommonJS, 547 KB against 207.
  mainFields: ['module', 'main'],
  minify: true,
  // With it undici leaves its experimental parser out, as where Node itself bundles it.
  define: { esbuildDetection: '1' },
  legalComments: 'none',
  charset: 'ascii',
  outExtension: { '.js': '.mjs' },
  loader: { '.html': 'text' },
  // What CommonJS packages ask for while running; in an ES module it does not exist.
  banner: { js: 'const require=(m)=>process.getBuiltinModule(m);' },
  logLevel: 'silent',
} as const satisfies BuildOptions

/**
 * How any handler is bundled here that has nothing of this service: what other handlers are measured with. Their packages
 * ask for their own place, too.
 */
export const PLAIN_ESM = {
  ...OPTIONS,
  banner: {
    js: `${OPTIONS.banner.js}const __filename=import.meta.filename,__dirname=import.meta.dirname;`,
  },
  plugins: [builtins],
} as const satisfies BuildOptions

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && 'errors' in error

/** One esbuild pass. @throws Error with file and line of what does not compile */
export async function compile(options: BuildOptions): Promise<Metafile> {
  try {
    const { metafile } = await build({ ...OPTIONS, ...options, absWorkingDir: ROOT, metafile: true })
    return metafile
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    const lines = error.errors.map(({ text, location }) =>
      location === null ? text : `${location.file}:${location.line}: ${text}`,
    )
    throw new Error(`the functions cannot be bundled:\n${lines.join('\n')}`)
  }
}
