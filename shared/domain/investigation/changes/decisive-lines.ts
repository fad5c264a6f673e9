/**
 * The few lines of a diff that a reviewer would point at: those that do what the change is held to do.
 *
 * Method: each line that is taken away or added, and neither moved, blank nor a comment, is weighed by what it shows on
 * its own: it holds the name that what fails quotes or the setting whose level is seen; the mechanism of the change is
 * found in it alone, or in the block of lines around it; it uses words that what fails uses. The heaviest are told, in the
 * order of the diff. Credentials that a diff holds are not quoted.
 */

import { areCredentials, PRIVATE_KEY_BEGINS, withoutCredentials } from '../credentials.ts'
import { cutText } from '../cut-text.ts'
import type { DiffExcerpt } from '../findings.ts'
import { MECHANISMS } from './mechanisms.ts'
import { FITS, type RankedChange } from './ranked-change.ts'
import {
  changedLines,
  type DiffReading,
  type PlacedLine,
  readDiff,
  type SettingChange,
  wordsOf,
} from './read-diff.ts'

/** Fewest and most lines that are told: what a first screen has room for. */
const LEAST_LINES = 3
const MOST_LINES = 8
/** Lines of a diff that are weighed; behind these a diff is read by nobody on call. */
const MOST_WEIGHED = 400
/** Longest line that is told (characters); the whole of it is in the diff. */
const LONGEST_LINE = 160

/** What a line weighs that holds the very name; that does it alone; that stands in the block that does it; that shares a word. */
const NAMED = 4
const DOES_IT = 2
const IN_BLOCK = 1
const SHARES_A_WORD = 0.5
/** What a line weighs less that only declares or imports: of lines that are alike otherwise the one that does something shows more. */
const DECLARES = 0.25
const DECLARATION =
  /^(?:export |public |private |static |async |abstract |final |pub )*(?:function|class|interface|type|enum|import|from|def|func|fn|package|using|require|struct|impl)\b/

type Told = Pick<RankedChange, 'change' | 'diff' | 'mechanism' | 'quoted' | 'echo' | 'words'>

/** How a setting changed, in words that hold no credential. */
export const settingText = ({ key, before, after }: SettingChange): string =>
  areCredentials(key, [before, after])
    ? `${key} changed`
    : `${key} changed from ${withoutCredentials(before)} to ${withoutCredentials(after)}`

/** Whether a mechanism, by its id, is found in some lines alone. */
function doesIt(id: string, lines: readonly PlacedLine[]): boolean {
  const row = MECHANISMS.find((mechanism) => mechanism.id === id)
  const file = lines[0]?.file
  const head = file == null ? [] : [`+++ b/${file}`]
  const diff = [...head, ...lines.map(({ sign, text }) => `${sign}${text}`)].join('\n')
  return row !== undefined && row.in_diff(readDiff(diff)) >= FITS
}

/** Whether a line, asked for each in their order, is outside of the block of a private key: within it none looks like one. */
function outsideKeys(): (line: PlacedLine) => boolean {
  const isWithin = { '-': false, '+': false }
  return ({ sign, text }) => {
    if (PRIVATE_KEY_BEGINS.test(text)) isWithin[sign] = true
    const isOutside = !isWithin[sign]
    if (text.includes('-----END ')) isWithin[sign] = false
    return isOutside
  }
}

/** A line with what it weighs. */
type WeighedLine = PlacedLine & { readonly weight: number }

/** What was weighed before: the sentence of a change and its excerpt ask for the same. */
const weighedBefore = new WeakMap<Told, readonly WeighedLine[]>()

/** The lines that count, in the order of the diff, each with its weight; weighed once for each change. */
function weighed(entry: Told): readonly WeighedLine[] {
  const known = weighedBefore.get(entry)
  if (known !== undefined) return known
  const lines = weigh(entry)
  weighedBefore.set(entry, lines)
  return lines
}

function weigh({ change, diff, mechanism, quoted, echo, words }: Told): readonly WeighedLine[] {
  const net = { '-': new Set(diff.lines_gone), '+': new Set(diff.lines_new) }
  const lines = changedLines(change.diff)
    .filter(outsideKeys())
    .filter(({ sign, squeezed }) => /\w/.test(squeezed) && net[sign].has(squeezed))
    .slice(0, MOST_WEIGHED)
  const names = [quoted?.name, echo?.setting.key].filter((name) => name !== undefined)
  const id = mechanism?.mechanism.id
  const blocks = new Map<number, boolean>()
  const inBlock = (run: number): boolean => {
    const known = blocks.get(run)
    if (known !== undefined || id === undefined) return known ?? false
    const found = doesIt(
      id,
      lines.filter((line) => line.run === run),
    )
    blocks.set(run, found)
    return found
  }
  return lines.map((line) => {
    const own = new Set(wordsOf(line.text))
    const shared = words.filter((word) => own.has(word)).length
    const does = id === undefined ? 0 : doesIt(id, [line]) ? DOES_IT : inBlock(line.run) ? IN_BLOCK : 0
    const named = names.some((name) => line.text.includes(name)) ? NAMED : 0
    const less = DECLARATION.test(line.squeezed) ? DECLARES : 0
    return { ...line, weight: named + does + SHARES_A_WORD * Math.min(2, shared) - less }
  })
}

/**
 * The lines of a change's diff that decide, in the order of the diff: {@link MOST_LINES} at most, and where so many are
 * heavier than others no more than those; empty where it has no diff.
 */
export function decisiveLines(entry: Told): readonly DiffExcerpt[] {
  const all = weighed(entry)
  const heaviest = all.toSorted((a, b) => b.weight - a.weight)
  const heavy = heaviest.filter(({ weight }) => weight >= DOES_IT - DECLARES)
  const told = new Set(heaviest.slice(0, Math.min(MOST_LINES, Math.max(LEAST_LINES, heavy.length))))
  // Beside the heaviest line what stands in its block is what it is read with.
  for (const line of all) if (told.size < MOST_LINES && line.run === heaviest[0]?.run) told.add(line)
  const excerpts = new Map<string | null, string[]>()
  for (const { file, sign, text } of all.filter((line) => told.has(line)))
    excerpts.set(file, [...(excerpts.get(file) ?? []), shortLine(`${sign}${withoutCredentials(text)}`)])
  return [...excerpts].map(([file, lines]) => ({ file, lines }))
}

/** The one line that shows it best; null where there is none. */
export function decisiveLine(entry: Told): { readonly sign: '-' | '+'; readonly text: string } | null {
  const [first, ...others] = weighed(entry)
  if (first === undefined) return null
  const best = others.reduce((most, line) => (line.weight > most.weight ? line : most), first)
  return { sign: best.sign, text: withoutCredentials(best.squeezed) }
}

const shortLine = (line: string): string =>
  line.length > LONGEST_LINE ? cutText(line, LONGEST_LINE) : line.trimEnd()

/** Settings that show the mechanism of a change by themselves before the others, each group in the order of the diff. */
export function decisiveSettings({
  diff,
  mechanism,
}: Pick<RankedChange, 'diff' | 'mechanism'>): readonly SettingChange[] {
  const row = MECHANISMS.find(({ id }) => id === mechanism?.mechanism.id)
  if (row === undefined || diff.settings.length < 2) return diff.settings
  const none: DiffReading = { ...readDiff(null), files: diff.files, size: diff.size }
  const shows = new Set(diff.settings.filter((one) => row.in_diff({ ...none, settings: [one] }) >= FITS))
  return [...diff.settings.filter((one) => shows.has(one)), ...diff.settings.filter((one) => !shows.has(one))]
}
