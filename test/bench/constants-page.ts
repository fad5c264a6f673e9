/** The page of the engine's constants: its rows, and which constants the engine has that no row is of. */
import type { EngineConstant } from './engine-constants.ts'
import type { Scores } from './scored-scenes.ts'

/** Points by which a score moves at half or double from where on a constant is fragile. */
export const FRAGILE = 5
/** Points below which nothing moved: they are shown with one digit. */
const SHOWN = 0.05

/** What moved, as points by group; empty where nothing did. */
export function moved(from: Scores, to: Scores): { readonly text: string; readonly most: number } {
  const parts: string[] = []
  let most = 0
  for (const [group, before] of from) {
    const points = (to.get(group) ?? 0) - before
    if (Math.abs(points) < SHOWN) continue
    most = Math.max(most, Math.abs(points))
    parts.push(`${group} ${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`)
  }
  return { text: parts.join(', ') || '0', most }
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

export interface TriedConstant {
  readonly constant: EngineConstant
  /** Incidents in which it can make a difference. */
  readonly readIn: number
  readonly half: Scores
  readonly double: Scores
}

/** The row of a constant, and by how many points its scores move at most. */
export function rowOf(
  base: Scores,
  { constant: { name, value, file, reason }, readIn, half, double }: TriedConstant,
): { readonly line: string; readonly most: number } {
  const [less, more] = [moved(base, half), moved(base, double)]
  const most = Math.max(less.most, more.most)
  const cells = [`\`${name}\``, value, file, cell(reason), readIn, less.text, more.text]
  return { most, line: `| ${cells.join(' | ')} | ${most > FRAGILE ? 'fragile' : ''} |` }
}

const ROW = /^\| `([\w.]+)` \| (-?\d\S*) \| (\S+\.ts) \|[^\n]*\n/gm
const UNTRIED = '\n## Not yet tried\n'

/**
 * The page with a row for each constant that is still as it was tried, and the others by their names: those that the engine
 * was given since, and those that are set to another value.
 * @param page - the page as it stands
 * @param constants - the engine's now
 */
export function withNamesOf(page: string, constants: readonly EngineConstant[]): string {
  const idOf = (name: string, value: number | string, file: string): string => `${file} ${name} ${value}`
  const known = new Set(constants.map(({ name, value, file }) => idOf(name, value, file)))
  const tried = new Set<string>()
  const [told = ''] = page.split(UNTRIED)
  const rows = told.replace(ROW, (line, name: string, value: string, file: string) => {
    const id = idOf(name, value, file)
    tried.add(id)
    return known.has(id) ? line : ''
  })
  const untried = constants.filter(({ name, value, file }) => !tried.has(idOf(name, value, file)))
  if (untried.length === 0) return rows
  return `${rows}${UNTRIED}
Named or set to another value since; \`npm run bench:constants -- --names\` lists them.

${untried.map(({ name, value, file }) => `- \`${name}\` ${value}, ${file}`).join('\n')}
`
}
