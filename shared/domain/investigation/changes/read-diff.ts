/**
 * What a unified diff takes away, adds and changes, net of what it only moves.
 *
 * Method: lines are compared as multisets of words over the whole diff, so that moved, re-indented or
 * extracted code cancels out; settings (`key: value`, `key = value`) are paired by key.
 */

export interface SettingChange {
  /** The key as it is written. */
  readonly key: string
  /** The key's words, with those of the lines around it that give it its meaning. */
  readonly context: string
  /** The words of both, in lower case with a space between them. */
  readonly key_words: string
  readonly context_words: string
  readonly before: string
  readonly after: string
  /** `down` where both values are quantities and the new one is smaller; null where they cannot be compared. */
  readonly direction: 'up' | 'down' | null
  /** Larger of both quantities divided by the smaller one; null where they cannot be compared. */
  readonly factor: number | null
}

export interface DiffReading {
  readonly files: readonly string[]
  readonly removed: readonly string[]
  readonly added: readonly string[]
  /** Words that only the old, or only the new text has, net of moves; in order of appearance. */
  readonly net_removed: readonly string[]
  readonly net_added: readonly string[]
  /** The same with those that are moved. */
  readonly words_removed: ReadonlySet<string>
  readonly words_added: ReadonlySet<string>
  /** Quoted texts and identifiers that vanish altogether. */
  readonly literals_removed: readonly string[]
  readonly literals_added: readonly string[]
  /** Lines that vanish and are not moved or merely re-indented. */
  readonly lines_gone: readonly string[]
  readonly lines_new: readonly string[]
  readonly settings: readonly SettingChange[]
  /** Unchanged lines around the changes and the headings of their parts: what they are about. */
  readonly surroundings: readonly string[]
  /** Share of changed words that are not merely moved, 0 to 1. */
  readonly net_share: number
  readonly size: number
}

/** Longer diffs are generated or vendored more often than written; what follows is not read. */
const MOST_LINES = 4_000
/** A line longer than this is minified or data. */
const LONGEST_LINE = 1_000

const CAPITAL = /[A-Z]/
const WORD = /[A-Za-z][A-Za-z0-9]*|\d+(?:\.\d+)?/g
const LITERAL = /"([^"\n]{2,80})"|'([^'\n]{2,80})'|`([^`\n]{2,80})`/g
const IDENTIFIER = /[A-Za-z_$][\w$]{2,}/g
/** Without one of these a line has no literal, no member and no setting. */
const QUOTES = /["'`]/
export const PARTED = /\.|::/
const SETS = /[:=]/
/** A member with what it is a member of, as errors and stack traces write it: `registry.load`, `Ledger::post`. */
export const QUALIFIED =
  /(?<![\w$.:/@-])[A-Za-z_$][\w$]{2,40}(?:(?:\.|::)[A-Za-z_$][\w$]{2,40}){1,3}(?![\w$]|[-/:@]\w|\.\w)/g
const SETTING =
  /([A-Za-z_][\w.-]*)["']?\s*(?::\s*(?:int|float|str|string|number|bool|boolean|float64|int64|Duration|time\.Duration|long|double)\s*=|:=|=>|:|=(?!=))\s*("[^"]*"|'[^']*'|-?\d[\d_]*(?:\.\d+)?\s*(?:\*\s*)?(?:time\.)?[A-Za-z%]*|true|false|[A-Za-z_][\w./:-]*(?![\w./:(-]))/g
const COMMENT = /^\s*(\/\/|#(?!\s*include)|\*|\/\*|--\s|<!--|;)/

/** What does nothing where the service runs. */
export const DOCUMENTATION = /(\.(md|rst|adoc|txt)$|(^|\/)(docs?|CODEOWNERS|LICENSE|CHANGELOG)(\/|$|\.))/i
export const TESTS =
  /((^|\/)(tests?|__tests__|spec|fixtures|testdata|e2e)(\/|$)|[._-](test|spec)\.\w+$|_test\.\w+$)/i
const isIdle = (path: string): boolean => DOCUMENTATION.test(path) || TESTS.test(path)

/** Splits identifiers into lower-case words: `maxIdleConns` becomes max, idle, conns. */
export function wordsOf(text: string): readonly string[] {
  // Most lines have no capitals, and most that have some only one at a time.
  const isPlain = !CAPITAL.test(text)
  const spaced = isPlain
    ? text
    : text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  const found = spaced.replaceAll('_', ' ').match(WORD)
  if (found === null) return []
  return isPlain ? found : found.map((word) => word.toLowerCase())
}

/** The words of many lines, in their order. */
function allWordsOf(lines: readonly string[]): readonly string[] {
  const words: string[] = []
  for (const line of lines) for (const word of wordsOf(line)) words.push(word)
  return words
}

/** Reads a diff; a missing one gives an empty reading, the same for all of which no file is known either. */
export function readDiff(diff: string | null | undefined, files: readonly string[] = []): DiffReading {
  return (diff ?? '') === '' && files.length === 0 ? NOTHING : read(diff ?? '', files)
}

function read(diff: string, files: readonly string[]): DiffReading {
  const removed: ChangedLine[] = []
  const added: ChangedLine[] = []
  const paths = new Set(files)
  const surroundings: string[] = []
  let heading = ''
  let run = 0
  let isOfIdle = false
  const lines = diff.split('\n', MOST_LINES)
  // What tests and documents of a change say is read only where nothing else changed.
  const isAllIdle = lines.flatMap(pathOf).every(isIdle)
  for (const full of lines) {
    const line = full.length > LONGEST_LINE ? full.slice(0, LONGEST_LINE) : full
    const isFile = FILE.test(line)
    if (isFile || !/^[-+\\]/.test(line)) run += 1
    if (isFile) {
      const [path] = pathOf(line)
      if (path !== undefined) {
        paths.add(path)
        isOfIdle = !isAllIdle && isIdle(path)
      }
      continue
    }
    if (isOfIdle) continue
    if (line.startsWith('@@')) {
      heading = line
        .replace(/@@[^@]*@@/, (marks) => (/^@@ -\d/.test(marks) ? ' ' : marks))
        .replaceAll('@', ' ')
      surroundings.push(heading)
    } else if (line.startsWith('-')) {
      removed.push({ text: line.slice(1), heading, run })
    } else if (line.startsWith('+')) {
      added.push({ text: line.slice(1), heading, run })
    } else {
      surroundings.push(line)
      if (/^\s*[A-Za-z_][\w.-]*:\s*$/.test(line) || /[{([]\s*$/.test(line)) heading = line
    }
  }
  const codeRemoved = codeOf(removed)
  const codeAdded = codeOf(added)
  const before = allWordsOf(codeRemoved)
  const after = allWordsOf(codeAdded)
  const [namesRemoved, namesAdded] = [namesIn(codeRemoved), namesIn(codeAdded)]
  const [linesRemoved, linesAdded] = [codeRemoved.map(squeeze), codeAdded.map(squeeze)]
  const netRemoved = without(before, after)
  const netAdded = without(after, before)
  const total = before.length + after.length
  return {
    files: [...paths],
    removed: codeRemoved,
    added: codeAdded,
    net_removed: netRemoved,
    net_added: netAdded,
    words_removed: new Set(before),
    words_added: new Set(after),
    literals_removed: gone(namesRemoved, namesAdded),
    literals_added: gone(namesAdded, namesRemoved),
    lines_gone: without(linesRemoved, linesAdded).filter((line) => line !== ''),
    lines_new: without(linesAdded, linesRemoved).filter((line) => line !== ''),
    surroundings,
    settings: pairSettings(removed, added),
    net_share: total === 0 ? 0 : (netRemoved.length + netAdded.length) / total,
    size: codeRemoved.length + codeAdded.length,
  }
}

/** A line that a diff takes away or adds. */
interface ChangedLine {
  readonly text: string
  /** The heading that it stands under. */
  readonly heading: string
  /** The same for lines that follow one another without an unchanged one between them. */
  readonly run: number
}

/** A line that a diff takes away or adds, with where it stands. */
export interface PlacedLine {
  /** The file that the diff names above it; null where it names none. */
  readonly file: string | null
  readonly sign: '-' | '+'
  readonly text: string
  /** The text without the blanks that do not matter, as {@link DiffReading} compares lines. */
  readonly squeezed: string
  /** The same for lines that follow one another without an unchanged one between them. */
  readonly run: number
}

/** Lines of code that a diff takes away or adds, moved ones too, in its order; comments, tests and documents are left out. */
export function changedLines(diff: string | null | undefined): readonly PlacedLine[] {
  const lines: PlacedLine[] = []
  let file: string | null = null
  let run = 0
  for (const full of (diff ?? '').split('\n', MOST_LINES)) {
    const line = full.slice(0, LONGEST_LINE)
    const sign = line.charAt(0)
    const isFile = FILE.test(line)
    if (isFile) file = pathOf(line)[0] ?? file
    if (isFile || (sign !== '-' && sign !== '+')) run += 1
    else if (!COMMENT.test(line.slice(1)) && (file === null || !isIdle(file)))
      lines.push({ file, sign, text: line.slice(1), squeezed: squeeze(line.slice(1)), run })
  }
  return lines
}

const codeOf = (lines: readonly ChangedLine[]): readonly string[] =>
  lines.map(({ text }) => text).filter((text) => !COMMENT.test(text))

const FILE = /^(?:\+\+\+|---) (?:[ab]\/)?(\S+)/

/** The path that a diff's line names, if it names one. */
function pathOf(line: string): readonly string[] {
  const path = FILE.exec(line)?.[1]
  return path === undefined || path === '/dev/null' ? [] : [path]
}

const squeeze = (line: string): string => line.trim().replace(/\s+/g, ' ')

/** Multiset difference that keeps the order of the first list. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const item of other) counts.set(item, (counts.get(item) ?? 0) + 1)
  return list.filter((item) => {
    const left = counts.get(item) ?? 0
    if (left > 0) counts.set(item, left - 1)
    return left === 0
  })
}

/** Quoted texts, identifiers and members, line by line. */
function namesIn(lines: readonly string[]): readonly string[] {
  const names: string[] = []
  for (const line of lines) {
    // Most lines have nothing in quotes, and no members.
    if (QUOTES.test(line))
      for (const match of line.matchAll(LITERAL)) names.push((match[1] ?? match[2] ?? match[3]) as string)
    for (const name of line.match(IDENTIFIER) ?? NONE) names.push(name)
    for (const name of (PARTED.test(line) ? line.match(QUALIFIED) : null) ?? NONE) names.push(name)
  }
  return names
}
const NONE: readonly string[] = []

/** What is not there any more, each once. */
function gone(from: readonly string[], to: readonly string[]): readonly string[] {
  const there = new Set(to)
  return [...new Set(from.filter((name) => !there.has(name)))]
}

/** What a line sets, or what of it varies. */
interface Placed {
  readonly key: string
  readonly value: string
  readonly run: number
}

interface Setting extends Placed {
  readonly context: string
}

function settingsOf(lines: readonly ChangedLine[]): readonly Setting[] {
  const settings: Setting[] = []
  for (const { text, heading, run } of lines) {
    if (!SETS.test(text) || COMMENT.test(text)) continue
    for (const match of text.matchAll(SETTING)) {
      const [, key, value] = match
      // `err := call()` assigns a result, it sets nothing.
      if (key === undefined || value === undefined || key === 'err') continue
      settings.push({ key, value: value.trim(), context: `${heading} ${text}`, run })
    }
  }
  return settings
}

const isSameValue = (old: Placed, now: Placed): boolean => old.value === now.value
const isSameRun = (old: Placed, now: Placed): boolean => old.run === now.run

/**
 * How an old and a new one of one key may belong together, surest first: in one place the same value stays, else it was
 * changed; what one place lost and another has was moved; what is left was changed elsewhere.
 */
const TOGETHER: readonly ((old: Placed, now: Placed) => boolean)[] = [
  (old, now) => isSameRun(old, now) && isSameValue(old, now),
  isSameRun,
  isSameValue,
  () => true,
]

/** The old ones whose value is another now, each with its new one, in the order of the old. */
function changedPairs<Item extends Placed>(
  before: readonly Item[],
  after: readonly Item[],
): readonly (readonly [old: Item, now: Item])[] {
  const left = Map.groupBy(after, ({ key }) => key)
  const partners = new Map<Item, Item>()
  for (const isPair of TOGETHER)
    for (const old of before) {
      const list = left.get(old.key) ?? []
      const index = partners.has(old) ? -1 : list.findIndex((now) => isPair(old, now))
      if (index >= 0) partners.set(old, list.splice(index, 1)[0] as Item)
    }
  return before.flatMap((old) => {
    const now = partners.get(old)
    return now === undefined || isSameValue(old, now) ? [] : [[old, now] as const]
  })
}

const NUMBERS = /\d+(?:\.\d+)?/g

/** A line as that which stays of it beside its numbers, and the whole. */
const numberedLine = ({ text, run }: ChangedLine): Placed & { readonly text: string } => {
  const value = squeeze(text)
  return { key: value.replace(NUMBERS, '#'), value, run, text }
}

function pairSettings(
  removed: readonly ChangedLine[],
  added: readonly ChangedLine[],
): readonly SettingChange[] {
  const changes = changedPairs(settingsOf(removed), settingsOf(added)).map(([{ key, context, value }, now]) =>
    settingChange(key, `${key} ${context}`, value, now.value),
  )
  // Values inside calls (`chunk(items, 25)`) have no key: lines equal but for their numbers are paired.
  const code = removed.filter(({ text }) => !COMMENT.test(text))
  for (const [line, partner] of changedPairs(code.map(numberedLine), added.map(numberedLine))) {
    const news = partner.text.match(NUMBERS) ?? []
    const olds = line.text.match(NUMBERS) ?? []
    olds.forEach((old, index) => {
      const now = news[index]
      if (now === undefined || now === old) return
      const known = changes.some((change) => change.before.includes(old) && change.after.includes(now))
      if (!known) changes.push(settingChange(line.value.replace(/\d.*$/, '').trim(), line.text, old, now))
    })
  }
  return changes
}

/** A text's words, read when they are first asked for: of a file that locks versions nobody asks for those of its hundreds. */
function wordsOnce(text: string): () => string {
  let words: string | null = null
  return () => {
    words ??= wordsOf(text).join(' ')
    return words
  }
}

function settingChange(key: string, context: string, before: string, after: string): SettingChange {
  const a = quantityOf(before)
  const b = quantityOf(after)
  const keyWords = wordsOnce(key)
  const contextWords = wordsOnce(context)
  const comparable = a !== null && b !== null && a !== b
  return {
    key,
    context,
    get key_words() {
      return keyWords()
    },
    get context_words() {
      return contextWords()
    },
    before,
    after,
    direction: comparable ? (b < a ? 'down' : 'up') : null,
    factor: comparable ? (a === 0 || b === 0 ? Number.POSITIVE_INFINITY : Math.max(a / b, b / a)) : null,
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  milliseconds: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  ki: 1_024,
  mi: 1_048_576,
  gi: 1_073_741_824,
  kb: 1_000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  k: 1_000,
  g: 1_000_000_000,
}

/** A written quantity in a base unit of its kind; null for anything else. */
export function quantityOf(text: string): number | null {
  const match = /^["']?(-?\d[\d_]*(?:\.\d+)?)\s*(?:\*\s*)?(?:time\.)?([A-Za-z%]*)["']?$/.exec(text.trim())
  if (match === null) return null
  const value = Number((match[1] as string).replaceAll('_', ''))
  const unit = (match[2] ?? '').toLowerCase()
  if (unit === '' || unit === '%') return value
  const scale = UNITS[unit]
  return scale === undefined ? null : value * scale
}

/** The reading of what is not there: of a record that has no diff, as most of an orchestrator are. */
const NOTHING = read('', [])
