/**
 * Log lines grouped into templates, and templates compared between normal time and the incident.
 *
 * Method: Drain, a parse tree of fixed depth (He, Zhu, Zheng and Lyu, ICWS 2017), behind masks for numbers,
 * addresses, identifiers and paths. A template that only the incident has is new, one far more frequent is
 * grown, one that disappeared is vanished.
 */
import type { LogLine } from './snapshot.ts'

/** Share of equal words from which a line joins a template; the value of the paper. */
const SIMILARITY = 0.5
/** Templates kept for one service; what comes later joins the catch-all of its length. */
const MOST_TEMPLATES = 2_000
/** A line longer than this is cut: a stack trace's tail tells nothing about its template. */
const LONGEST_LINE = 2_000

/** Cut to a length at which no expression takes long. */
export const shortened = (text: string): string =>
  text.length > LONGEST_LINE ? text.slice(0, LONGEST_LINE) : text

const INSTANT = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g
const DATE = /\d-\d\d-\d/
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<ID>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '<IP>'],
  [/\b0x[\da-f]+\b/gi, '<ID>'],
  [/\b(?=[a-f\d]*\d)(?=[a-f\d]*[a-f])[a-f\d]{8,}\b/gi, '<ID>'],
  [/\b\d+(?:\.\d+)?/g, '<N>'],
]
/**
 * From where a mask may begin to the end of its word: no mask reaches beyond one, and each begins like this. A word of the
 * letters a to f alone stays a word: of identifiers of eight such characters one in 2,560 has no digit (6/16 to the eighth),
 * and the tree joins its line by the other words.
 */
const VARYING = /\b(?:\d|[a-fA-F]+[\d-])[\w.:-]*/g
/** What varies most, told at a glance. */
const NUMBER = /^\d+(?:\.\d+)?$/
const IDENTIFIER = /^[\da-f]{8}(?:[\da-f]*|-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i
const TIME = /^\d+:\d+:\d+(?:\.\d+)?$/

const maskedWords = new Map<string, string>()
/** Words recur from line to line; the bound keeps those that do not from growing the table. */
const WORDS_KEPT = 20_000

function maskWord(word: string): string {
  if (NUMBER.test(word)) return '<N>'
  if (IDENTIFIER.test(word)) return '<ID>'
  if (TIME.test(word)) return '<N>:<N>:<N>'
  const known = maskedWords.get(word)
  if (known !== undefined) return known
  let masked = word
  for (const [pattern, mask] of MASKS) masked = masked.replace(pattern, mask)
  if (maskedWords.size >= WORDS_KEPT) maskedWords.clear()
  maskedWords.set(word, masked)
  return masked
}

/** The line with everything that varies between two of its kind taken out. */
export function maskLine(message: string): string {
  const line = shortened(message)
  return (DATE.test(line) ? line.replace(INSTANT, '<T>') : line).replace(VARYING, maskWord)
}

/** So many different lines say that most of them are: to look each up then takes longer than to mask it. */
const LINES_KEPT = 500

/** Masks lines; while they repeat themselves each text once. */
export function lineMasker(): (message: string) => string {
  const known = new Map<string, string>()
  return (message) => {
    if (known.size >= LINES_KEPT) return maskLine(message)
    const before = known.get(message)
    if (before !== undefined) return before
    const masked = maskLine(message)
    known.set(message, masked)
    return masked
  }
}

interface Cluster {
  words: string[]
}

/** Assigns lines to templates; one tree for each service. */
export class TemplateTree {
  readonly #leaves = new Map<string, Cluster[]>()
  readonly #byLine = new Map<string, Cluster>()
  #count = 0

  /** Adds a masked line and gives its cluster. */
  add(masked: string): Cluster {
    const known = this.#byLine.get(masked)
    if (known !== undefined) return known
    const words = masked.split(/\s+/)
    // Depth 2 of the paper: length, then the first word unless that one varies.
    const head = words[0] ?? ''
    const key = `${words.length} ${/[\d<]/.test(head) ? '*' : head}`
    let leaf = this.#leaves.get(key)
    if (leaf === undefined) {
      leaf = []
      this.#leaves.set(key, leaf)
    }
    let best: Cluster | null = null
    let most = 0
    for (const cluster of leaf) {
      let same = 0
      // No more of them can agree than agreed so far and are left.
      for (let index = 0; index < words.length && same + words.length - index > most; index++)
        if (cluster.words[index] === words[index]) same++
      if (same > most) {
        most = same
        best = cluster
      }
    }
    if (best !== null && (most / words.length >= SIMILARITY || this.#count >= MOST_TEMPLATES)) {
      best.words = best.words.map((word, index) => (word === words[index] ? word : '<*>'))
    } else {
      best = { words }
      leaf.push(best)
      this.#count++
    }
    this.#byLine.set(masked, best)
    return best
  }
}

export interface Template {
  readonly service: string
  readonly text: string
  /** A whole line as it was written, the earliest one. */
  readonly example: string
  /** A few further lines of the template that differ in more than numbers: what varies may be telling. */
  readonly variants: readonly string[]
  readonly severity: 'error' | 'warning' | 'information'
  readonly before: number
  readonly during: number
  readonly change: 'new' | 'grown' | 'vanished' | 'steady'
  /** When it was first seen during the incident, milliseconds. */
  readonly first_seen: number
  /** Since when it is seen more often than before; the same as `first_seen` where that cannot be told. */
  readonly risen_at: number
  readonly last_seen: number
  /** Id of the request that brought the earliest line. */
  readonly source: string
}

/** Growth of the rate from which a template counts as grown, and shrinkage below whose inverse as vanished. */
const GROWTH = 3
/** Fewer lines than this say nothing about a rate. */
const LEAST_LINES = 3

/** How bad a line is by its severity word, whatever the tool's spelling. */
export function severityOf(severity: string): Template['severity'] {
  if (/^(err|fatal|crit|panic|emerg|alert|severe)/i.test(severity)) return 'error'
  return /^warn/i.test(severity) ? 'warning' : 'information'
}

/** The same for many records, which share few such words: each is read once. */
export function severityReader(): typeof severityOf {
  const known = new Map<string, Template['severity']>()
  let [last, lastRead] = ['', severityOf('')]
  return (severity) => {
    if (severity === last) return lastRead
    let read = known.get(severity)
    if (read === undefined) {
      read = severityOf(severity)
      known.set(severity, read)
    }
    last = severity
    lastRead = read
    return read
  }
}

const inTime = (a: LogLine, b: LogLine): number =>
  a.timestamp - b.timestamp || compareText(a.message, b.message) || compareText(a.source, b.source)

/** Whether lines are in that order, as tools mostly give them: then no other is looked for. */
function isInTime(lines: readonly LogLine[]): boolean {
  for (let index = 1; index < lines.length; index++)
    if (inTime(lines[index - 1] as LogLine, lines[index] as LogLine) > 0) return false
  return true
}

/**
 * Groups lines and compares the two times.
 *
 * @param isBefore - tells whether an instant lies in normal time
 * @param isDuring - tells whether an instant lies in the incident
 * @param ratio - length of normal time divided by length of the incident
 * @param risenAt - since when instants lie closer together than before; null where they do not
 */
export function compareTemplates(
  lines: readonly LogLine[],
  isBefore: (at: number) => boolean,
  isDuring: (at: number) => boolean,
  ratio: number,
  risenAt: (times: readonly number[]) => number | null = () => null,
): readonly Template[] {
  const ordered = isInTime(lines) ? lines : [...lines].sort(inTime)
  const severityIn = severityReader()
  const speakers = new Map<string, Speaker>()
  const readings: Readings = { mask: lineMasker(), groups: new Map() }
  for (let index = 0; index < ordered.length; index++) {
    const line = ordered[index] as LogLine
    let speaker = speakers.get(line.service)
    if (speaker === undefined) {
      speaker = { tree: new TemplateTree(), read: new Map() }
      speakers.set(line.service, speaker)
    }
    const { masked, cluster, bySeverity } = readIn(readings, speaker, line.message)
    const severity = severityIn(line.severity)
    let group = bySeverity.get(severity)
    if (group === undefined) {
      group = {
        ...{ cluster, severity, earliest: line, before: 0, during: 0, example: null, last: 0 },
        ...{ times: [], variants: new Map() },
      }
      bySeverity.set(severity, group)
    }
    // When information came more often nobody asks.
    if (severity !== 'information') group.times.push(line.timestamp)
    if (isBefore(line.timestamp)) group.before++
    else if (isDuring(line.timestamp)) {
      group.during++
      group.example ??= line
      group.last = line.timestamp
      if (group.variants.size <= MOST_VARIANTS) group.variants.set(masked, line)
    }
  }
  const templates: Template[] = []
  for (const bySeverity of readings.groups.values())
    for (const {
      cluster,
      severity,
      earliest,
      before,
      during,
      example,
      last,
      times,
      variants,
    } of bySeverity.values()) {
      const first = example ?? earliest
      const expected = ratio > 0 ? before / ratio : 0
      const change = changeOf(before, during, expected, ratio)
      const hasRisen = severity !== 'information' && (change === 'new' || change === 'grown')
      templates.push({
        service: first.service,
        text: cluster.words.join(' '),
        example: shortened(first.message),
        variants: [...variants.values()].slice(1).map(({ message }) => shortened(message)),
        ...{ severity, before, during, change },
        first_seen: first.timestamp,
        risen_at: (hasRisen ? risenAt(times) : null) ?? first.timestamp,
        last_seen: last,
        source: first.source,
      })
    }
  return templates
}

/** The lines of one template. */
type BySeverity = Map<Template['severity'], Group>

/** What lines are read with, and the templates that were found so far. */
interface Readings {
  readonly mask: (message: string) => string
  readonly groups: Map<Cluster, BySeverity>
}

// Called for every line, so it is not made anew for a snapshot.
function readIn({ mask, groups }: Readings, { tree, read }: Speaker, message: string): Reading {
  const before = read.get(message)
  if (before !== undefined) return before
  const masked = mask(message)
  const cluster = tree.add(masked)
  const bySeverity: BySeverity = groups.get(cluster) ?? new Map()
  groups.set(cluster, bySeverity)
  const reading = { masked, cluster, bySeverity }
  if (read.size < LINES_KEPT) read.set(message, reading)
  return reading
}

/** How one text was read. */
interface Reading {
  readonly masked: string
  readonly cluster: Cluster
  readonly bySeverity: BySeverity
}

/** What one service said, and how each of the first texts of it was read: most of its lines say one of a few. */
interface Speaker {
  readonly tree: TemplateTree
  readonly read: Map<string, Reading>
}

/** The lines of one template and severity, as far as they were read. */
interface Group {
  readonly cluster: Cluster
  readonly severity: Template['severity']
  readonly earliest: LogLine
  before: number
  during: number
  /** The earliest line of the incident. */
  example: LogLine | null
  last: number
  /** When each of them was logged. */
  readonly times: number[]
  /** Lines of the incident that differ in more than numbers, by what they differ in: of those that agree the latest. */
  readonly variants: Map<string, LogLine>
}

/** Lines kept beside the example. */
const MOST_VARIANTS = 4

function changeOf(before: number, during: number, expected: number, ratio: number): Template['change'] {
  if (during > 0 && before === 0 && ratio > 0) return 'new'
  if (during >= LEAST_LINES && during >= GROWTH * expected) return 'grown'
  if (before >= LEAST_LINES && expected >= LEAST_LINES && during <= expected / GROWTH) return 'vanished'
  return 'steady'
}

/** Order of two texts by code unit, the same on every machine. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A list in the order of a text of each item, which is written once for each. */
export const sortedBy = <Item>(list: readonly Item[], textOf: (item: Item) => string): readonly Item[] =>
  list
    .map((item) => ({ item, text: textOf(item) }))
    .sort((a, b) => compareText(a.text, b.text))
    .map(({ item }) => item)
