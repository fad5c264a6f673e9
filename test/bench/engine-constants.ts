/** The named numbers of the engine and its tables of knowledge: where they stand, and how each is written otherwise. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../shared/domain/investigation')
/** Computes what is written as `2 * 3_600_000`; anything else is no number. */
const FACTOR = String.raw`-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?`
const PRODUCT = new RegExp(`^${FACTOR}(?:\\s*\\*\\s*${FACTOR})*$`)
const CONSTANT =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^(?:export )?const ([A-Z][A-Z\d_]*)(?::[^=\n]+)? = ([^\n]+)$/gm
/** A number within a table of weights, with the remark above it. */
const MEMBER = /((?:^ {2}\/\/ [^\n]+\n)*)^ {2}([a-z_]+): ([\d._]+),$/gm

export interface EngineConstant {
  readonly file: string
  readonly name: string
  readonly value: number
  /** What the code says of it: its unit and its reason. */
  readonly reason: string
}

const numberOf = (text: string): number | null =>
  PRODUCT.test(text)
    ? text
        .split('*')
        .map((part) => Number(part.trim().replaceAll('_', '')))
        .reduce((product, factor) => product * factor, 1)
    : null

const plain = (comment: string): string =>
  comment
    .replace(/^\s*(?:\*|\/\/) ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()

/** The numbers of a table of weights that begins at an index. */
function membersIn(
  file: string,
  text: string,
  table: string,
  from: number,
  reason: string,
): EngineConstant[] {
  const body = text.slice(from, text.indexOf('\n}', from) + 1)
  return [...body.matchAll(MEMBER)].flatMap(([, remark = '', member, written]) => {
    const value = Number(written)
    // A table that gives no reason defines units.
    return Number.isNaN(value) || `${remark}${reason}` === ''
      ? []
      : [{ file, name: `${table}.${member}`, value, reason: plain(remark) || reason }]
  })
}

/** The named numbers of one file, in the order in which they stand there. */
export function constantsIn(file: string, text: string): readonly EngineConstant[] {
  let reason = ''
  let end = -1
  return [...text.matchAll(CONSTANT)].flatMap((match) => {
    const [whole, comment, name = '', written = ''] = match
    // A comment over the first of several holds for those right below it.
    reason = comment === undefined ? (match.index === end + 1 ? reason : '') : plain(comment)
    end = match.index + whole.length
    if (written === '{') return membersIn(file, text, name, end, reason)
    const value = numberOf(written)
    return value === null ? [] : [{ file, name, value, reason }]
  })
}

/** The files that the engine consists of: what `investigate.ts` reaches. */
async function filesOfEngine(): Promise<readonly (readonly [string, string])[]> {
  const texts = new Map<string, string>()
  const queue = ['investigate.ts']
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (texts.has(file)) continue
    const text = await readFile(join(FOLDER, file), 'utf8')
    texts.set(file, text)
    for (const [, next] of text.matchAll(/from '(\.[^']+)'/g)) queue.push(join(dirname(file), next as string))
  }
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Every named number of the engine, by file and place. */
export const engineConstants = async (): Promise<readonly EngineConstant[]> =>
  (await filesOfEngine()).flatMap(([file, text]) => constantsIn(file, text))

/** Replaces the value of a constant, or of a table's member, where it is set.
 * @param value - a number, or what gives it */
export function withValue(text: string, name: string, value: number | string): string {
  const [constant = '', member] = name.split('.')
  if (member === undefined)
    return text.replace(
      new RegExp(`^((?:export )?const ${constant}(?::[^=\\n]+)? = )[^\\n]+$`, 'm'),
      (_, head: string) => `${head}${value}`,
    )
  return text.replace(
    new RegExp(
      `^((?:export )?const ${constant}(?::[^=\\n]+)? = \\{\\n(?:(?!^\\})[^\\n]*\\n)*? {2}${member}: )[\\d._]+`,
      'm',
    ),
    (_, head: string) => `${head}${value}`,
  )
}

export interface KnowledgeTable {
  readonly file: string
  readonly name: string
}

/** The tables of what is known of public technology and of how changes break things. */
export const KNOWLEDGE: readonly KnowledgeTable[] = [
  { file: 'causes/system-answers.ts', name: 'SYSTEM_ANSWERS' },
  { file: 'causes/spoken-signs.ts', name: 'SPOKEN_SIGNS' },
  { file: 'causes/platform-records.ts', name: 'PLATFORM_REASONS' },
  { file: 'causes/filled-memory.ts', name: 'OUT_OF_MEMORY' },
  { file: 'changes/mechanisms.ts', name: 'MECHANISMS' },
  { file: 'changes/record-mechanisms.ts', name: 'RECORD_MECHANISMS' },
  { file: 'changes/bumped-libraries.ts', name: 'BUMPED_LIBRARIES' },
]

/** Takes every row out of a table. */
export const withoutRows = (text: string, name: string): string =>
  text.replace(new RegExp(`^(export const ${name}: readonly \\w+\\[\\] = )\\[[\\s\\S]*?^\\]$`, 'm'), '$1[]')
