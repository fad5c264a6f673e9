import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { snapshotDigest } from '#shared/adapters/bundle/write-bundle.ts'
import { Refusal } from '#shared/domain/errors.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { mergePulled } from '#shared/domain/investigation/merge-pulled.ts'
import { summaryCard } from '#shared/domain/investigation/summary-card.ts'
import { serviceNamedIn } from './service-named-in.ts'

const HELP = `Usage: npm run investigate -- FOLDER [--question TEXT] [--json]

Investigates the incident bundle in FOLDER and prints what was found.

  --question TEXT  look at the service that the question names instead of the alerted one
  --json           print all findings with their evidence as JSON
  --help           print this

Exit status: 0 a cause was identified or is the best guess, 3 inconclusive, 2 the input cannot be used.
`

/** What the process ends with. */
const EXIT = { found: 0, bad_input: 2, inconclusive: 3 } as const

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      question: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) {
    process.stdout.write(HELP)
    return EXIT.found
  }
  const [given, ...more] = positionals
  if (given === undefined || more.length > 0) {
    tell(
      given === undefined
        ? 'FOLDER is missing.'
        : `One FOLDER is read at a time, not also ${more.join(', ')}.`,
    )
    tell(HELP)
    return EXIT.bad_input
  }
  const folder = resolve(given)
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    tell(`${given} is no folder.`)
    return EXIT.bad_input
  }
  tell(`Reading ${given}`)
  // The folder's own name is what a finding cites: the same bundle gives the same findings wherever it lies.
  const root = dirname(folder)
  const files = folder === root ? folderBundle(folder, '.') : folderBundle(root, basename(folder))
  const pulled = await readBundle(files, { query: `bundle:${basename(folder)}` })
  const snapshot = mergePulled(pulled.window, pulled.baselines, [pulled])
  const records = snapshot.sources.reduce((sum, source) => sum + source.records, 0)
  tell(`${records} records, ${snapshot.gaps.length} ${snapshot.gaps.length === 1 ? 'gap' : 'gaps'}`)
  for (const gap of snapshot.gaps) tell(`  gap: ${gap.what}: ${gap.why}`)

  const service = values.question === undefined ? null : serviceNamedIn(values.question, snapshot)
  if (values.question !== undefined)
    tell(service === null ? 'The question names no service of this bundle.' : `Looking at ${service}`)
  const findings = investigate(snapshot, { service })
  if (values.json === true)
    process.stdout.write(
      `${JSON.stringify({ ...findings, snapshot_digest: snapshotDigest(snapshot) }, null, 2)}\n`,
    )
  else process.stdout.write(`${summaryCard(findings).join('\n')}\n`)
  return findings.outcome === 'inconclusive' ? EXIT.inconclusive : EXIT.found
}

try {
  process.exitCode = await main()
} catch (error) {
  const badOption = (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
  if (!(error instanceof Refusal || badOption)) throw error
  tell((error as Error).message)
  process.exitCode = EXIT.bad_input
}
