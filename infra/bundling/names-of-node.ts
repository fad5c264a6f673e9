import { execFileSync } from 'node:child_process'

/** A name that a module of Node exports. */
export interface NameOfNode {
  readonly name: string
  /** Node makes it when it is first read. */
  readonly atUse: boolean
  readonly isFunction: boolean
}

/** Starting a process takes some 50 ms; on a machine that is busy a hundred times that is still no defect. */
const MOST_MS = 30_000

const LOOK = `
  const modules = process.getBuiltinModule('node:module').builtinModules
  const names = modules.map((module) => {
    const all = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(module) ?? {}))
    return [module, all.map(([name, { get, value }]) =>
      ({ name, atUse: get !== undefined, isFunction: typeof value === 'function' }))]
  })
  process.stdout.write(JSON.stringify(names))`

let known: ReadonlyMap<string, readonly NameOfNode[]> | undefined

/**
 * The names of a module of Node, by its name without `node:`, as a fresh process has them. Never as this one has them: a
 * name that Node makes at its first use is an ordinary one afterwards, and tools that run in the same process add names of
 * theirs. esbuild chooses short names by how often each character occurs in all that it reads, so that bundles would
 * depend on what else their process had done.
 * @throws Error when no process can be started
 */
export function namesOfNode(module: string): readonly NameOfNode[] {
  known ??= new Map(
    JSON.parse(
      execFileSync(process.execPath, ['--no-warnings', '--eval', LOOK], {
        // Nothing that changes which names there are: neither settings of Node nor a channel to a parent.
        env: {},
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: MOST_MS,
        maxBuffer: Number.POSITIVE_INFINITY,
      }),
    ),
  )
  return known.get(module) ?? known.get(`node:${module}`) ?? []
}
