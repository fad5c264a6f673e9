import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../root.ts'

/** What the first calls of the functions run; `npm run bundle:first-run` writes it anew. */
export const FIRST_RUN = fileURLToPath(new URL('../first-run.json', import.meta.url))

/**
 * A function in a text, by its first character and the one after its last. A declaration at the top level has a name,
 * and may be exported.
 */
export interface FunctionPlace {
  readonly start: number
  readonly end: number
  readonly declares?: string
  readonly exported?: true
}

/** What first calls run of a file. */
export interface RunOfFile {
  /** Of the text that the places are in. */
  readonly digest: string
  readonly functions: readonly FunctionPlace[]
}

/** The digest that tells whether a file is still the one that was looked at. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Writes places as a line: `12-40` is an expression, `60-90 name` a declaration, `+60-90 name` one that is exported. */
export const writePlaces = (places: readonly FunctionPlace[]): string =>
  places
    .map(({ start, end, declares, exported }) =>
      [`${exported === true ? '+' : ''}${start}-${end}`, ...(declares === undefined ? [] : [declares])].join(
        ' ',
      ),
    )
    .join(', ')

/** Reads what `writePlaces` wrote. */
export const readPlaces = (line: string): readonly FunctionPlace[] =>
  line.split(', ').map((each) => {
    const [range = '', declares] = each.split(' ')
    const [start = 0, end = 0] = range.replace('+', '').split('-').map(Number)
    return {
      start,
      end,
      ...(declares === undefined ? {} : { declares }),
      ...(range.startsWith('+') ? { exported: true } : {}),
    }
  })

type Insert = readonly [at: number, text: string]

/** A stretch of a text with what is inserted into it. */
function withInserts(text: string, from: number, to: number, inserts: readonly Insert[]): string {
  let made = ''
  let at = from
  for (const [where, what] of inserts) {
    if (where < from || where >= to) continue
    made += text.slice(at, where) + what
    at = where
  }
  return made + text.slice(at, to)
}

/**
 * The same module with functions in parentheses, which V8 takes for a sign that they are called soon: it compiles them
 * with the module, instead of reading over them first and again at their first call. Declarations become variables at
 * the beginning, where they are there as early as before.
 */
export function eager(text: string, functions: readonly FunctionPlace[]): string {
  const expressions = functions.filter(({ declares }) => declares === undefined)
  const opening = expressions.map(({ start }): Insert => [start, '('])
  const closing = expressions.map(({ end }): Insert => [end, ')'])
  // Where one function ends and the next begins, the first is closed first.
  const inserts = [...closing, ...opening].sort(([one], [other]) => one - other)
  const declared = functions.filter(({ declares }) => declares !== undefined)
  let first = ''
  let rest = ''
  let at = 0
  for (const { start, end, declares, exported } of declared.toSorted(
    (one, other) => one.start - other.start,
  )) {
    const before = exported === true ? text.lastIndexOf('export', start) : start
    rest += withInserts(text, at, before, inserts)
    first += `${exported === true ? 'export ' : ''}var ${declares} = (${withInserts(text, start, end, inserts)});`
    at = end
  }
  return first + rest + withInserts(text, at, Number.POSITIVE_INFINITY, inserts)
}

let known: ReadonlyMap<string, RunOfFile> | undefined

/** What first calls run, by the path of each file below the root. */
export function firstRun(): ReadonlyMap<string, RunOfFile> {
  known ??= new Map(
    Object.entries(
      JSON.parse(readFileSync(FIRST_RUN, 'utf8')) as Record<string, readonly [string, string]>,
    ).map(([file, [digest, places]]) => [file, { digest, functions: readPlaces(places) }]),
  )
  return known
}

/**
 * The text of a source file with the functions that first calls run compiled at once; of a file that has changed since
 * they were looked at, as it is.
 */
export function eagerSource(file: string): string {
  const text = readFileSync(file, 'utf8')
  const run = firstRun().get(path.relative(ROOT, file))
  return run === undefined || run.digest !== digestOf(text) ? text : eager(text, run.functions)
}
