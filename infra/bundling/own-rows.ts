import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'esbuild'
import { CATCH_ALL, operationList, operations } from '#shared/contract/operations.ts'
import { ROOT } from '../root.ts'
import type { Source, SourceOf } from './function-source.ts'

const TABLE = path.join(ROOT, 'shared/contract/operations.ts')
/** A row of the table: the formatter keeps it between its name and a brace, two spaces in. */
const ROW = /^ {2}'?([\w-]+)'?: \{\n[\s\S]*?^ {2}\},\n/gm
/** The shape of an answer is for the document and the tests: no function reads it. */
const ANSWER_SHAPE = /^( {4}success: \{[^}]*?),?\s+body: \w+/m

/**
 * Gives a function its own row of the table of operations, and the one behind unknown routes every row without its
 * shapes. Each shape of the whole table would be built at every cold start: a third of the time that the chain takes.
 * @throws Error when the table is no longer written as this reads it
 */
export function rowsFor(id: string, table: string): string {
  const kept = new Set<string>()
  const text = table.replace(ROW, (row, name) => {
    if (name !== id && id !== CATCH_ALL) return ''
    const withoutAnswer = row.replace(ANSWER_SHAPE, '$1')
    kept.add(name)
    return id === CATCH_ALL ? withoutAnswer.replace(/^ {4}(?:query|body): \w+,\n/gm, '') : withoutAnswer
  })
  const wanted = id === CATCH_ALL ? operationList.map((operation) => operation.id) : [id]
  const lost = wanted.filter((name) => !kept.has(name))
  if (lost.length > 0) throw new Error(`not found in the table of operations: ${lost.join(', ')}`)
  return text
}

/** What each function has a copy of its own of: the table, and the modules that read it. */
const OF_ITS_OWN = [
  'shared/edge/endpoint.ts',
  'shared/edge/repeatable.ts',
  'shared/contract/operations.ts',
].map((file) => path.join(ROOT, file))

/** Says with every import of a function which function it is, as far as the table. */
export const ownRows = (plans: readonly Source[], sourceOf: SourceOf): Plugin => ({
  name: 'own-rows',
  setup({ onResolve, onLoad }) {
    const known = new Map(
      plans
        .filter(({ id }) => id === CATCH_ALL || id in operations)
        .map(({ id, file }) => [path.join(ROOT, file), id]),
    )
    onResolve({ filter: /\.ts$/ }, ({ kind, path: wanted, resolveDir, pluginData: id }) => {
      const file = wanted.startsWith('#')
        ? path.join(ROOT, wanted.slice(1))
        : path.resolve(kind === 'entry-point' ? ROOT : resolveDir, wanted)
      if (kind === 'entry-point')
        return known.has(file) ? { path: file, pluginData: known.get(file) } : undefined
      return id !== undefined && OF_ITS_OWN.includes(file)
        ? { path: file, suffix: `?${id}`, pluginData: id }
        : undefined
    })
    onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path: file, pluginData: id }) => {
      if (id === undefined) return undefined
      const contents = file === TABLE ? rowsFor(id, readFileSync(file, 'utf8')) : sourceOf(file)
      return { contents, loader: 'ts', pluginData: id }
    })
  },
})
