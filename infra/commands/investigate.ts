import { realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { snapshotDigest } from '#shared/adapters/bundle/write-bundle.ts'
import { Refusal } from '#shared/domain/errors.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { diffExcerpt } from '#shared/domain/investigation/screen/diff-excerpt.ts'
import { summaryCard } from '#shared/domain/investigation/screen/summary-card.ts'
import { toldText } from '#shared/domain/investigation/told-text.ts'
import { Misuse, readOptions } from './misuse.ts'
import { PLACE_OPTIONS, placeOf } from './place.ts'
import { serviceNamedIn } from './service-named-in.ts'

const HELP = `Usage: npm run investigate -- FOLDER [--question TEXT] [--html FILE] [--json]
       npm run investigate -- --replay INCIDENT [--data DIR | --stack S] [--html FILE] [--json]

Investigates the incident bundle in FOLDER and prints what was found.

  --question TEXT    look at the service that the question names instead of the alerted one
  --replay INCIDENT  investigate the stored snapshot of an incident again, and show where the findings differ from the
                     stored ones; writes nothing
  --data DIR         data folder of the local service that has the incident (default .local)
  --stack S          deployed stack that has it, read with your own AWS identity
  --html FILE        also write one self-contained page with charts, hypotheses and all evidence
  --json             print all findings with their evidence as JSON
  --help             print this

Exit status: 0 a cause was identified or is the best guess, 3 inconclusive, 2 the input cannot be used, 4 the replay
differs from what is stored.
`

/** What the process ends with. */
const EXIT = { found: 0, bad_input: 2, inconclusive: 3, differs: 4 } as const

/** Differences that are shown; a replay of another engine version may have hundreds. */
const MOST_SHOWN = 20
/** Longest value of a difference that is shown (characters). */
const LONGEST_VALUE = 160

const tell = (line: string): void => void process.stderr.write(`${toldText(line)}\n`)

const OPTIONS = {
  question: { type: 'string' },
  replay: { type: 'string' },
  ...PLACE_OPTIONS,
  html: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const readArguments = () => readOptions({ allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof readArguments>['values']

/** Why a folder cannot be read, in words of this command: it knows no setting that would name the bundle. */
function unreadable(given: string, error: unknown): unknown {
  if (error instanceof Refusal)
    return error.details.field === 'config.path' ? new Misuse(`${given}: ${error.details.reason}`) : error
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? error : new Misuse(`${given} cannot be read: ${message}`)
}

async function readFolder(given: string) {
  try {
    // Whoever names the folder may do so by a link. Its own name is what a finding cites: the same bundle gives the
    // same findings wherever it lies.
    const folder = await realpath(given)
    return await readBundle(folderBundle(folder, '.'), { query: `bundle:${basename(folder)}` })
  } catch (error) {
    throw unreadable(given, error)
  }
}

/** Reads the bundle in a folder and investigates it. */
async function investigateFolder(given: string, question: string | undefined) {
  if (!(await stat(given).catch(() => undefined))?.isDirectory())
    throw new Misuse(`${given} is not a folder.`)
  tell(`Reading ${given}`)
  const pulled = await readFolder(given)
  const snapshot = mergePulled(pulled.window, pulled.baselines, [pulled])
  const records = snapshot.sources.reduce((sum, source) => sum + source.records, 0)
  tell(`${records} records, ${snapshot.gaps.length} ${snapshot.gaps.length === 1 ? 'gap' : 'gaps'}`)
  for (const gap of snapshot.gaps) tell(`  gap: ${gap.what}: ${gap.why}`)

  const service = question === undefined ? null : serviceNamedIn(question, snapshot)
  if (question !== undefined)
    tell(service === null ? 'The question names no service of this bundle.' : `Looking at ${service}`)
  return { findings: investigate(snapshot, { service }), snapshot, differs: false }
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text
}

/** Investigates the stored snapshot of an incident again. */
async function replayStored(id: string, { data, stack }: Values) {
  if (!/^inc_\w+$/.test(id)) throw new Misuse(`--replay takes the id of an incident (inc_…), not ${id}`)
  const place = placeOf({ data, stack })
  // What talks to stores is loaded only where one is asked.
  const { replayIncident } = await import('./replay-incident.ts')
  const replay = await replayIncident(id, place).catch((error: unknown) => {
    throw new Misuse((error as Error).message, { cause: error })
  })
  const { stored, findings, snapshot, differences } = replay
  const of = `${id}, analysed at ${stored.analysed_at}, snapshot ${stored.snapshot_digest.slice(0, 12)}`
  if (replay.is_held) tell('The confidence is that of an earlier look: the last one brought no new evidence.')
  if (replay.is_same) tell(`Replayed ${of}: the same findings, byte for byte.`)
  else {
    tell(`Replayed ${of}: ${differences.length} differences.`)
    if (stored.engine_version !== findings.engine_version)
      tell(`The engine was ${stored.engine_version} and is ${findings.engine_version}.`)
    for (const { path, stored: before, replayed } of differences.slice(0, MOST_SHOWN))
      tell(`  ${path}: ${shown(before)} → ${shown(replayed)}`)
    if (differences.length > MOST_SHOWN) tell(`  and ${differences.length - MOST_SHOWN} more`)
  }
  return { findings, snapshot, differs: !replay.is_same }
}

async function print(findings: Findings, snapshot: Snapshot, { json, html }: Values): Promise<void> {
  const all = { ...findings, snapshot_digest: snapshotDigest(snapshot) }
  const excerpt = diffExcerpt(findings.decisive_lines)
  const card = [
    ...summaryCard(findings),
    ...(excerpt.length === 0 ? [] : ['', 'Decisive lines:', ...excerpt.map((line) => `  ${line}`)]),
  ]
  process.stdout.write(json === true ? `${JSON.stringify(all, null, 2)}\n` : `${toldText(card.join('\n'))}\n`)
  if (html === undefined) return
  // Last, so that what was found is told even where the page cannot be written.
  const { writeReport } = await import('./html-report/write-report.ts')
  await writeReport(html, snapshot, findings, all.snapshot_digest).catch((error: unknown) => {
    throw new Misuse(`The page cannot be written: ${(error as Error).message}`)
  })
  tell(`Wrote ${html}`)
}

/**
 * The folder that is named, undefined with `--replay`.
 * @throws Misuse also for options that would change nothing: whoever gave them would take the answer for another one
 */
function folderOf({ replay, question, data, stack }: Values, [folder, ...more]: readonly string[]) {
  if (replay !== undefined) {
    if (folder !== undefined) throw new Misuse(`--replay reads what is stored, not also ${folder}.`)
    if (question !== undefined)
      throw new Misuse('--replay looks at the service of the incident: it takes no --question.')
    return undefined
  }
  if (folder === undefined || folder === '') throw new Misuse(`FOLDER is missing.\n${HELP}`)
  if (more.length > 0) throw new Misuse(`One FOLDER is read at a time, not also ${more.join(', ')}.`)
  if (data !== undefined || stack !== undefined)
    throw new Misuse('--data and --stack say where --replay finds the incident; a FOLDER needs neither.')
  return folder
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments()
  if (values.help === true) {
    process.stdout.write(HELP)
    return EXIT.found
  }
  const folder = folderOf(values, positionals)
  const { findings, snapshot, differs } =
    folder === undefined
      ? await replayStored(values.replay ?? '', values)
      : await investigateFolder(folder, values.question)
  await print(findings, snapshot, values)
  if (differs) return EXIT.differs
  return findings.outcome === 'inconclusive' ? EXIT.inconclusive : EXIT.found
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Refusal || error instanceof Misuse)) throw error
  tell(error.message)
  process.exitCode = EXIT.bad_input
}
