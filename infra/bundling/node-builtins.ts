import { builtinModules } from 'node:module'
import type { Plugin } from 'esbuild'
import { namesOfNode } from './names-of-node.ts'

const BUILTIN = new Set(builtinModules)

/** Where esbuild keeps modules of Node of which names are imported. */
const NAMES = 'builtin-names'
/** Where it keeps those of their names that Node makes when they are first read. */
const AT_USE = 'builtin-getters:'
/**
 * Modules whose functions are seldom called: they are read when one first is. The promises of `node:fs`, which the SDK
 * would look for profiles with, bring what reads lines from a terminal: 3 % of a cold start. `node:zlib` takes 2 ms.
 */
const SELDOM: ReadonlySet<string> = new Set(['fs', 'fs/promises', 'path', 'zlib'])
/** A function; a name with a capital is that of a class. */
const CALLED = /^[a-z]/
/** What a name of a module of Node may be called by in an import. */
const IDENTIFIER = /^(?!default$)[A-Za-z_$][\w$]*$/

/**
 * Takes Node's own modules through `process.getBuiltinModule`. An ESM import of `node:http` reads each of its exports,
 * and one of them loads all of undici: 20 ms of a cold start against 2.5 ms. Only the names that are imported are ever
 * read: esbuild's own way from CommonJS to ES modules wraps every name of a module, 100 of `node:fs` for one.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_0-9/]+$/ }, ({ path: wanted, kind, namespace: of }) => {
      const name = wanted.replace(/^node:/, '')
      if (!wanted.startsWith('node:') && !BUILTIN.has(name)) return undefined
      const namespace = kind === 'import-statement' && of !== NAMES ? NAMES : 'builtin'
      return { path: name, namespace, sideEffects: false }
    })
    const moduleOf = (name: string) => `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = ${moduleOf(name)}`,
      loader: 'js',
    }))
    onLoad({ filter: /.*/, namespace: NAMES }, ({ path: name }) => {
      const named = namesOfNode(name).filter((each) => IDENTIFIER.test(each.name))
      const calledLate = named.filter((each) => SELDOM.has(name) && CALLED.test(each.name) && each.isFunction)
      const atCall = calledLate.map((each) => each.name)
      const atOnce = named
        .filter((each) => !each.atUse && !calledLate.includes(each))
        .map((each) => each.name)
      // Node makes these when they are first read, some from modules that cost as much as all others together.
      const atUse = named.filter((each) => each.atUse).map((each) => each.name)
      const contents = [
        `const all = /* @__PURE__ */ (() => ${moduleOf(name)})()`,
        'const of = (name) => all[name]',
        ...atOnce.map((each) => `const $${each} = /* @__PURE__ */ of('${each}')`),
        ...atCall.map((each) => `export const ${each} = (...given) => ${moduleOf(name)}.${each}(...given)`),
        `export { ${['all as default', ...atOnce.map((each) => `$${each} as ${each}`)].join(', ')} }`,
        ...(atUse.length === 0 ? [] : [`export { ${atUse.join(', ')} } from '${AT_USE}${name}'`]),
      ].join('\n')
      return { contents, loader: 'js' }
    })
    // Of a whole module esbuild's way from CommonJS would wrap every name.
    onResolve({ filter: /.*/, namespace: NAMES }, ({ path: wanted }) =>
      wanted.startsWith(AT_USE)
        ? { path: wanted.slice(AT_USE.length), namespace: AT_USE, sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /.*/, namespace: AT_USE }, ({ path: name }) => {
      const getters = namesOfNode(name).filter((each) => IDENTIFIER.test(each.name) && each.atUse)
      const given = getters.map((each) => `get ${each.name}() { return ${moduleOf(name)}.${each.name} }`)
      return { contents: `module.exports = { ${given.join(', ')} }`, loader: 'js' }
    })
  },
}
