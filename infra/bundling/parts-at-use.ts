import path from 'node:path'
import type { Plugin } from 'esbuild'

/** Tools' clients: a request needs a few of them, and most of what they need themselves is in the entry. */
export const SHARING = /(?:^|[\\/])shared[\\/]adapters[\\/]tools[\\/][\w-]+\.ts$/
/** What stands for each of them while it is looked for which functions ask tools. */
export const TOOL = 'tool.mjs'

/**
 * What is imported at its first use becomes a file of its own beside the entry, a part, which no cold start reads. Each
 * part is whole but a tool's client (`bundleInParts`): a part that shares files with the entry leaves in the entry what it
 * alone needs of them (50 KB of an S3 client, measured).
 * @param parts is told the module of each whole part by the name of its file
 * @param sharing whether tools' clients are left out, to be found among what the entry needs, or esbuild splits them off
 */
export const partsAtUse = (parts: Map<string, string>, sharing: 'beside' | 'split'): Plugin => ({
  name: 'parts-at-use',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$|\.ts$/ }, ({ kind, path: wanted, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined
      const module = wanted.startsWith('.') ? path.resolve(resolveDir, wanted) : wanted
      const name = `${path.basename(module, '.ts')}.mjs`
      if (SHARING.test(module)) return sharing === 'split' ? undefined : { path: `./${TOOL}`, external: true }
      const taken = parts.get(name)
      if (taken !== undefined && taken !== module)
        return { errors: [{ text: `two modules that are imported at their first use are called ${name}` }] }
      parts.set(name, module)
      return { path: `./${name}`, external: true }
    })
  },
})
