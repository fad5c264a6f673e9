import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { bestConstant, COMMIT_CONTROLS, SERVICE_CONTROLS } from './blind-controls.ts'
import { differences, START, startService } from './investigate-over-http.ts'
import { ALLOWED_FILES, loadRootCauseBenchCase, writeCase } from './load-rootcausebench.ts'
import { LABEL_RULES, labelOf, readTruth, TRUTH_FILES, type Truth } from './rootcausebench-truth.ts'
import { withInterval } from './wilson.ts'

const HELP = `Usage: npm run bench:first -- --data DIR [--no-http] [--json FILE]

Investigates every case of RootCauseBench below DIR (the folder that holds rca/) with the command and over HTTP, and
scores the answers afterwards. The cases are given to whoever builds the engine: every figure is in sample.

  --data DIR   where the data lie; INCIDENT_DATA is read without it
  --no-http    leave the HTTP way out
  --json FILE  write the results to FILE as well
  --help       print this
`

const COMMAND = fileURLToPath(new URL('../../infra/commands/investigate.ts', import.meta.url))
/** Published by the benchmark (RootCauseBench v2): the best of its scripts, exact commit or none. */
const PUBLISHED_SCRIPTS = { passed: 7, total: 24 }
const PUBLISHED_MODELS = 'language models 29 to 100 %'

/** One case with everything that its score needs. */
interface Scored {
  readonly name: string
  readonly snapshot: Snapshot
  readonly findings: Findings
  readonly truth: Truth
  readonly label: string
  readonly passed: boolean
  readonly decoy: boolean
  /** Whether the first failing service is right. */
  readonly first: boolean
  /** Whether the findings stayed byte-identical without any file of truth. */
  readonly blind: boolean
  /** In what command and HTTP differ; null where HTTP was not run. */
  readonly ways: readonly string[] | null
}

/** Width of the column of names in the tables. */
const COLUMN = 48
const row = (name: string, figure: string): void => say(`  ${name.padEnd(COLUMN)}${figure}`)

const say = (line = ''): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)

/** Runs the command on a bundle and gives its standard output; every run starts a process of its own. */
async function investigateByCommand(folder: string): Promise<string> {
  const child = spawn(process.execPath, [COMMAND, folder, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, problems, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  if (code !== 0 && code !== 3) throw new Error(`investigate ended with ${String(code)}: ${problems}`)
  return out
}

const snapshotOf = async (root: string, name: string): Promise<Snapshot> => {
  const pulled = await readBundle(folderBundle(root, name), { query: `bundle:${name}` })
  return mergePulled(pulled.window, pulled.baselines, [pulled])
}

/** The API takes titles of one line up to this length. */
const MAX_TITLE = 200
const SEVERITIES = ['low', 'medium', 'high', 'critical']

/** The incident that a person would open for the case's alert. */
function incidentOf(snapshot: Snapshot) {
  const [alert] = snapshot.alerts
  const title = (alert?.summary ?? alert?.name ?? 'Incident').replace(/\s+/g, ' ').slice(0, MAX_TITLE)
  const severity = SEVERITIES.find((one) => one === alert?.severity) ?? 'high'
  return { title, severity, ...(alert?.service === undefined ? {} : { service: alert.service }) }
}

function printFindings(findings: Findings): void {
  say(`  ${findings.summary}`)
  for (const [
    index,
    { statement, confidence, supported_by, contradicted_by },
  ] of findings.hypotheses.entries()) {
    say(`  ${index + 1}. ${confidence.toFixed(2)} ${statement}`)
    const cited = [
      ...supported_by.map((id) => ['+', id] as const),
      ...contradicted_by.map((id) => ['-', id] as const),
    ]
    for (const [sign, id] of cited) {
      const evidence = findings.evidence.find((one) => one.id === id)
      say(`     ${sign} ${id} [${evidence?.source}/${evidence?.type}] ${evidence?.content}`)
    }
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      data: { type: 'string' },
      http: { type: 'boolean', default: true },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) {
    say(HELP)
    return 0
  }
  // An empty variable names no folder.
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  if (data === undefined) {
    tell('--data DIR or INCIDENT_DATA is needed.')
    return 2
  }
  const set = join(data, 'rca', 'rootcausebench')
  const names = (await readdir(set, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  if (names.length === 0) {
    tell(`${set} holds no cases.`)
    return 2
  }

  const work = await mkdtemp(join(tmpdir(), 'bench-first-'))
  const bundles = join(work, 'a')
  const withoutTruth = join(work, 'b')
  const stripped = join(work, 'c')
  try {
    const cases = []
    const leftOut = new Set<string>()
    for (const name of names) {
      tell(`investigating ${name}`)
      const loaded = await loadRootCauseBenchCase(join(set, name))
      for (const key of loaded.left_out) leftOut.add(key)
      const folder = await writeCase(loaded, bundles)
      const output = await investigateByCommand(join(bundles, folder))

      // The same case once more from a copy in which every file of truth is missing: any difference means it was read.
      const copy = join(stripped, folder)
      await cp(join(set, name), copy, {
        recursive: true,
        filter: (path) => !(TRUTH_FILES as readonly string[]).includes(basename(path)),
      })
      await writeCase(await loadRootCauseBenchCase(copy), withoutTruth, folder)
      const again = await investigateByCommand(join(withoutTruth, folder))

      const findings = JSON.parse(output) as Findings
      cases.push({
        name,
        folder,
        findings,
        blind: output === again,
        snapshot: await snapshotOf(bundles, folder),
      })
    }
    tell(`files read: ${ALLOWED_FILES.join(', ')}`)
    if (leftOut.size > 0) tell(`keys left out: ${[...leftOut].sort().join(', ')}`)

    const overHttp = new Map<string, readonly string[]>()
    let http = values.http === false ? 'switched off' : 'run'
    if (
      http === 'run' &&
      (await access(START).then(
        () => false,
        () => true,
      ))
    )
      http = `not run: ${relative(process.cwd(), START)} does not exist`
    if (http === 'run') {
      const service = await startService(bundles, join(work, 'data'))
      try {
        for (const { name, folder, findings, snapshot } of cases) {
          tell(`over HTTP: ${name}`)
          const answer = await service.investigate(folder, incidentOf(snapshot))
          overHttp.set(name, differences(findings, answer))
        }
      } finally {
        await service.stop()
      }
    }

    // Only from here on is the truth read.
    const scored: Scored[] = []
    for (const { name, findings, blind, snapshot } of cases) {
      const truth = await readTruth(join(set, name))
      const label = labelOf(findings, snapshot.changes)
      scored.push({
        name,
        snapshot,
        findings,
        truth,
        label,
        blind,
        passed: label === truth.root_cause_commit,
        decoy: truth.decoy_deploy_commits.includes(label),
        first: findings.first_failing_service === truth.first_failing_service,
        ways: overHttp.get(name) ?? null,
      })
    }

    for (const { name, findings, label, truth, passed, decoy, ways } of scored) {
      say(`${passed ? 'pass' : 'FAIL'} ${name}: ${findings.outcome}, confidence ${findings.confidence}`)
      say(`  label ${label}, truth ${truth.root_cause_commit}${decoy ? ' (a decoy was named)' : ''}`)
      if (ways !== null)
        say(`  command and HTTP ${ways.length === 0 ? 'agree' : `DIFFER in ${ways.join(', ')}`}`)
      printFindings(findings)
      say()
    }

    const total = scored.length
    const count = (of: (one: Scored) => boolean): number => scored.filter(of).length
    const passed = count((one) => one.passed)
    say('How findings become the label:')
    for (const rule of LABEL_RULES) say(`  ${rule}`)
    say()
    say(
      'RootCauseBench, exact commit or none, IN SAMPLE (these cases were in sight while the engine was built)',
    )
    row('this engine', withInterval(passed, total))
    row(
      'best published script, all 24 cases',
      withInterval(PUBLISHED_SCRIPTS.passed, PUBLISHED_SCRIPTS.total),
    )
    row('published, all 24 cases', PUBLISHED_MODELS)
    const controls: Record<string, number> = {}
    for (const [name, control] of Object.entries(COMMIT_CONTROLS)) {
      controls[name] = count(({ snapshot, truth }) => control(snapshot) === truth.root_cause_commit)
      row(`control: ${name}`, withInterval(controls[name], total))
    }
    const constant = bestConstant(scored.map(({ truth }) => truth.root_cause_commit))
    row(`control: constant (${constant.answer})`, withInterval(constant.right, total))
    const decoys = count((one) => one.decoy)
    row('decoys named', withInterval(decoys, total))
    say()
    say('First failing service, IN SAMPLE')
    const first = count((one) => one.first)
    row('this engine', withInterval(first, total))
    const serviceControls: Record<string, number> = {}
    for (const [name, control] of Object.entries(SERVICE_CONTROLS)) {
      serviceControls[name] = count(
        ({ snapshot, truth }) => control(snapshot) === truth.first_failing_service,
      )
      row(`control: ${name}`, withInterval(serviceControls[name], total))
    }
    const constantService = bestConstant(scored.map(({ truth }) => truth.first_failing_service))
    row(`control: constant (${constantService.answer})`, withInterval(constantService.right, total))
    say()
    const blind = count((one) => one.blind)
    say(`Findings byte-identical with every file of truth deleted: ${blind} of ${total}`)
    const agreeing = count((one) => one.ways?.length === 0)
    say(`Command and HTTP agree: ${http === 'run' ? `${agreeing} of ${total}` : http}`)

    if (values.json !== undefined)
      await writeFile(
        values.json,
        `${JSON.stringify(
          {
            bench: 'first',
            set: 'rootcausebench',
            in_sample: true,
            cases: total,
            passed,
            decoys,
            first_failing_service: first,
            controls: { ...controls, constant: constant.right },
            service_controls: { ...serviceControls, constant: constantService.right },
            identical_without_truth: blind,
            http: http === 'run' ? { agree: agreeing } : http,
            results: scored.map(({ snapshot: _, blind: identical_without_truth, ways, ...one }) => ({
              ...one,
              identical_without_truth,
              command_and_http_differ_in: ways,
            })),
          },
          null,
          2,
        )}\n`,
      )
    const disagreeing = http === 'run' && agreeing < total
    return blind < total || disagreeing ? 1 : 0
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
