import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { ENGINE_VERSION, investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { bestConstant, COMMIT_CONTROLS, farthestEntities, SERVICE_CONTROLS } from './blind-controls.ts'
import { calibrationOf, type Stated } from './calibration.ts'
import { randomName, snapshotOfCase } from './case-files.ts'
import { NEWEST } from './generations.ts'
import { againstParsing } from './large-snapshot.ts'
import { leaveOneOut } from './leave-one-out.ts'
import { loadOpensreCase } from './load-opensre-rds.ts'
import { inNormalWindow, loadPetShopCase, loadPetShopNormalPeriod } from './load-petshop.ts'
import {
  type BenchCase,
  CATEGORY_RULES,
  type CaseTruth,
  casesOf,
  categoryOf,
  rankOfTruth,
  SETS,
  type SetName,
} from './rca-cases.ts'
import { reportMarkdown } from './rca-page.ts'
import {
  alertedLater,
  askedByWindow,
  exchanged,
  failuresCounted,
  grafted,
  identifiersRenamed,
  movedTo,
  movedToSharedPath,
  neutralised,
  outcomesCounted,
  paraphrased,
  permuted,
  renaming,
  sampledApart,
  squashed,
  stained,
  swapped,
  untold,
  withNoise,
  withoutDeploy,
  withoutSamples,
  withoutSome,
  withQuietSeries,
} from './rca-passes.ts'
import {
  type Figure,
  joinedTables,
  leftOutLines,
  type Report,
  reportLines,
  type SimulatedTable,
  simulatedLines,
} from './rca-report.ts'
import { scoreSimulated, simulatedTables } from './rca-simulator.ts'
import { LABEL_RULES, labelOf } from './rootcausebench-truth.ts'

/** Incidents that a run over all sets simulates, of the early and late families, and with the newest generation. */
const SIMULATED = 1_000
const SIMULATED_NEWEST = 400

const HELP = `Usage: npm run bench:rca -- --data DIR [--sets a,b] [--json FILE] [--write FILE]
       npm run bench:rca -- --simulated N [--newest] [--json FILE]
       npm run bench:rca -- --data DIR --left-out [--json FILE]
       npm run bench:rca -- --join a.json,b.json [--write FILE]

Investigates every case of every benchmark set below DIR (the folder that holds rca/) and scores the findings by the
set's own metric, beside published figures and blind controls; then changes the input in ways that must not change the
verdict. The cases lie open to whoever builds the engine: every figure is in sample.

  --data DIR    where the data lie; INCIDENT_DATA is read without it
  --sets LIST   of ${SETS.join(', ')}
  --json FILE   write the figures to FILE as well
  --simulated N investigate N incidents of the simulator, and no set; a run over all sets simulates ${SIMULATED}, and
                ${SIMULATED_NEWEST} with --newest
  --newest      half of the N are of the ${NEWEST.name} generation of families, the other half of the early, the late and all
                other generations in equal parts: whoever looks at the ${NEWEST.name} writes the look into docs/simulator.md
  --left-out    choose the constants that rank anew with one system left out, score that one, and no set
  --join LIST   investigate nothing: put together what runs of single sets, --simulated and --left-out wrote
  --write FILE  write the document (docs/investigation.md) to FILE
  --help        print this
`

/** Investigates simulated incidents and prints how it went. */
function simulated(count: number, turns: 'usual' | 'newest' = 'usual'): readonly SimulatedTable[] {
  const tables = simulatedTables(
    scoreSimulated(count, (done) => tell(`simulated: ${done} of ${count}`), turns),
  )
  for (const line of simulatedLines(tables)) process.stdout.write(`${line}\n`)
  return tables
}

/** What is known before anything was run. */
const nothingYet = (): Report => ({
  engine: ENGINE_VERSION,
  sets: [],
  robustness: [],
  calibration: null,
  times: [],
  rules: [],
  large: null,
  simulated: null,
  left_out: null,
})

const writeJson = (file: string, report: Report, cases: readonly object[]): Promise<void> =>
  writeFile(file, `${JSON.stringify({ bench: 'rca', in_sample: true, ...report, cases }, null, 2)}\n`)

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

/** What stays of a case when its snapshot is gone. */
interface Done {
  readonly one: BenchCase
  readonly truth: CaseTruth
  readonly rank: number
  readonly findings: Findings
  readonly controls: Readonly<Record<string, number>>
  readonly milliseconds: number
  readonly stable: boolean
  readonly order: boolean
  readonly renamed: boolean
  readonly renamed_bytes: boolean
  readonly blind: boolean
  /** Only where the set has changes: needed for the passes over them. */
  readonly snapshot: Snapshot | null
  readonly graft: { readonly stays: boolean; readonly believed: boolean } | null
  /** What became of the verdict under each disturbance, by its name. */
  readonly disturbed: ReadonlyMap<string, readonly Disturbed[]>
}

interface Disturbed {
  readonly first: boolean
  readonly sureAndWrong: boolean
}

/** Ways to disturb one case. */
const SEEDS = [1, 2, 3] as const
const MISSING = 0.1
const NOISE = 0.05
const STAIN = 0.1
/** An alert fires later by this, in milliseconds, and by twice and three times as much. */
const LATER_MS = 4 * 60_000

/** Recordings of the same incident that differ a little; null where one does not apply. */
const DISTURBANCES: readonly (readonly [string, (snapshot: Snapshot, seed: number) => Snapshot | null])[] = [
  ['a tenth of the series missing', (snapshot, seed) => withoutSome(snapshot, MISSING, seed)],
  ['5 % noise on what is no share', (snapshot, seed) => withNoise(snapshot, NOISE, seed)],
  ['a tenth of the samples missing', (snapshot, seed) => withoutSamples(snapshot, MISSING, seed)],
  ['samples of each entity at times of its own', sampledApart],
  [
    'alerts 4, 8 and 12 minutes later that name no metric',
    (snapshot, seed) => alertedLater(snapshot, seed * LATER_MS),
  ],
  [
    'the incident once before, for a tenth of normal time',
    (snapshot, seed) => stained(snapshot, STAIN, seed),
  ],
  ['units not told, intervals not told, neither told', untold],
  [
    'failed calls counted, their share, or totals alone, instead of the share that is answered',
    failuresCounted,
  ],
  [
    'a total for each status, answered calls counted, or rates without zeros, instead of the share that is answered',
    outcomesCounted,
  ],
  ['each window asked for by itself, also with units or intervals not told', askedByWindow],
]

const ROUNDS = 3
/** From here a verdict counts as believed. */
const BELIEVED = 0.5
/** From here a verdict counts as sure. */
const SURE = 0.8
/** The one threshold at which an alert on a normal window counts as raised. */
const ALARM = 0.3

function timed(snapshot: Snapshot): { readonly findings: Findings; readonly milliseconds: number } {
  let least = Number.POSITIVE_INFINITY
  let findings: Findings | null = null
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    findings = investigate(snapshot)
    least = Math.min(least, performance.now() - started)
  }
  return { findings: findings as Findings, milliseconds: least }
}

const verdictOf = (findings: Findings): string =>
  JSON.stringify([
    findings.cause.kind,
    findings.cause.change,
    findings.hypotheses.map(({ cause }) => cause.entity),
  ])

async function runCase(one: BenchCase, work: string, donors: readonly Change[]): Promise<Done> {
  const name = randomName()
  const snapshot = await snapshotOfCase(await one.load(), name)
  const { findings, milliseconds } = timed(snapshot)
  const bytes = JSON.stringify(findings)
  const folder = await mkdtemp(join(work, 'blind-'))
  const again = investigate(await snapshotOfCase(await one.loadWithoutTruth(folder), name))
  await rm(folder, { recursive: true, force: true })
  const { there, back } = renaming(snapshot)
  const renamed = back(investigate(there))
  const stays = one.set === 'rootcausebench' || one.set === 'opensre-rds'
  const graftAt = snapshot.alerts[0]?.fired_at ?? snapshot.window.from
  const top = findings.hypotheses[0]?.cause.entity ?? null
  const graftedFindings =
    stays || donors.length === 0 || top === null
      ? null
      : investigate(grafted(snapshot, donors, top, Math.min(graftAt, snapshot.window.from) - 60_000))
  // Only here is the truth read.
  const truth = await one.truth()
  const disturbed = (change: (snapshot: Snapshot, seed: number) => Snapshot | null): Disturbed[] =>
    SEEDS.flatMap((seed) => {
      const other = change(snapshot, seed)
      if (other === null) return []
      const said = investigate(other)
      const first = rankOfTruth(one, truth, said, other) === 1
      return { first, sureAndWrong: !first && said.confidence >= SURE }
    })
  const controls: Record<string, number> = {}
  if (!stays) {
    const far = [...new Set(farthestEntities(snapshot).map(one.label))]
    controls['max-|z| entity'] = far.indexOf(truth.answer) + 1
    controls['copy of alert.service'] = Number(snapshot.alerts[0]?.service === truth.answer)
  }
  return {
    one,
    truth,
    rank: rankOfTruth(one, truth, findings, snapshot),
    findings,
    controls,
    milliseconds,
    stable: JSON.stringify(investigate(structuredClone(snapshot))) === bytes,
    order: JSON.stringify(investigate(permuted(snapshot, 7))) === bytes,
    renamed: verdictOf(renamed) === verdictOf(findings),
    renamed_bytes: JSON.stringify(renamed) === bytes,
    blind: JSON.stringify(again) === bytes,
    disturbed: new Map(DISTURBANCES.map(([name, change]) => [name, disturbed(change)])),
    snapshot: stays ? snapshot : null,
    graft:
      graftedFindings === null
        ? null
        : {
            stays:
              (graftedFindings.hypotheses.find(({ cause }) => cause.level !== 'change')?.cause.entity ??
                null) === top,
            believed: graftedFindings.hypotheses.some(
              ({ cause, confidence }) => cause.change !== null && confidence >= BELIEVED,
            ),
          },
  }
}

const within = (done: readonly Done[], most: number): number =>
  done.filter(({ rank }) => rank >= 1 && rank <= most).length

const cellsOf = (done: readonly Done[]): readonly (readonly [string, readonly Done[]])[] => {
  const cells = new Map<string, Done[]>()
  for (const one of done) cells.set(one.truth.cell, [...(cells.get(one.truth.cell) ?? []), one])
  return [...cells].sort(([a], [b]) => (a < b ? -1 : 1))
}

function rankingFigures(done: readonly Done[], tops: readonly number[], metric: string): Figure[] {
  const figures: Figure[] = tops.map((top) => ({
    name: `${metric}${top}`,
    passed: within(done, top),
    total: done.length,
  }))
  for (const [cell, part] of cellsOf(done))
    for (const top of tops.slice(0, 1))
      figures.push({ name: `  ${cell}: ${metric}${top}`, passed: within(part, top), total: part.length })
  for (const control of ['max-|z| entity', 'copy of alert.service'])
    figures.push({
      name: `control: ${control}, ${metric}${tops[0]}`,
      passed: done.filter(({ controls }) => controls[control] === 1).length,
      total: done.length,
    })
  const constant = bestConstant(done.map(({ truth }) => truth.answer))
  figures.push({
    name: `control: constant answer, ${metric}${tops[0]}`,
    passed: constant.right,
    total: done.length,
  })
  return figures
}

/** What can be told without logs, which the public snapshot of this set lacks. */
function cpuAndDelay(set: SetName, done: readonly Done[]): Figure[] {
  if (set !== 'nezha-online-boutique') return []
  const told = done.filter(({ truth }) => /^(cpu|network)_/.test(truth.cell))
  return [{ name: 'CPU and delay, AS@1', passed: within(told, 1), total: told.length }]
}

/** Mean of AC@1 to AC@5, RCAEval's Avg@5. */
const averageAt5 = (done: readonly Done[]): string => {
  const sum = [1, 2, 3, 4, 5].reduce((all, top) => all + within(done, top) / Math.max(1, done.length), 0)
  return (sum / 5).toFixed(3)
}

async function petShopWithNormal(rca: string, cases: readonly BenchCase[]): Promise<Figure[]> {
  let total = 0
  let detected = 0
  let first = 0
  let three = 0
  const scenarios = new Map<string, Set<string>>()
  for (const one of cases) {
    const folder = join(rca, 'petshop', one.id)
    const loaded = await loadPetShopCase(folder, true)
    if (loaded === undefined) continue
    const snapshot = await snapshotOfCase(loaded, randomName())
    const findings = investigate(snapshot)
    const truth = await one.truth()
    const rank = rankOfTruth(one, truth, findings, snapshot)
    total++
    if (findings.confidence >= ALARM) detected++
    if (rank === 1) first++
    if (rank >= 1 && rank <= 3) three++
    const [alert] = snapshot.alerts
    const scenario = one.id.split('/')[0] ?? ''
    scenarios.set(scenario, (scenarios.get(scenario) ?? new Set()).add(`${alert?.service}\n${alert?.metric}`))
  }
  let windows = 0
  let silent = 0
  for (const [scenario, targets] of scenarios)
    for (const target of targets) {
      const [node = '', metric = ''] = target.split('\n')
      const period = await loadPetShopNormalPeriod(join(rca, 'petshop', scenario), node, metric)
      if (period === undefined) continue
      const whole = await snapshotOfCase(period.whole, randomName())
      for (const window of period.windows) {
        windows++
        if (investigate(inNormalWindow(whole, window)).confidence < ALARM) silent++
      }
    }
  return [
    { name: 'with the normal period as baseline: top-1', passed: first, total },
    { name: 'with the normal period as baseline: top-3', passed: three, total },
    { name: `issues detected at confidence ≥ ${ALARM}`, passed: detected, total },
    { name: `disjoint normal windows silent at the same threshold`, passed: silent, total: windows },
  ]
}

function rootCauseBenchFigures(done: readonly Done[]): Figure[] {
  const total = done.length
  const snapshotOf = (one: Done): Snapshot => one.snapshot as Snapshot
  const count = (of: (one: Done) => boolean): number => done.filter(of).length
  const labelled = (change: (snapshot: Snapshot) => Snapshot): number =>
    count((one) => {
      const snapshot = change(snapshotOf(one))
      return labelOf(investigate(snapshot), snapshot.changes) === one.truth.answer
    })
  const figures: Figure[] = [
    { name: 'exact commit or none', passed: within(done, 1), total },
    {
      name: 'decoys named',
      passed: count((one) => one.truth.forbidden.includes(labelOf(one.findings, snapshotOf(one).changes))),
      total,
    },
    {
      name: 'without log patterns and status feeds',
      passed: labelled((snapshot) => ({ ...snapshot, patterns: [], status: [] })),
      total,
    },
    {
      name: 'first failing service',
      passed: count((one) => one.findings.first_failing_service === one.truth.first_failing_service),
      total,
    },
  ]
  for (const [name, control] of Object.entries(COMMIT_CONTROLS))
    figures.push({
      name: `control: ${name}`,
      passed: count((one) => control(snapshotOf(one)) === one.truth.answer),
      total,
    })
  for (const [name, control] of Object.entries(SERVICE_CONTROLS))
    figures.push({
      name: `control, first failing service: ${name}`,
      passed: count((one) => control(snapshotOf(one)) === one.truth.first_failing_service),
      total,
    })
  return figures
}

const disturbedFigures = (name: string, all: readonly Disturbed[]): Figure[] => [
  {
    name: `${name}, ${SEEDS.length} times each: still first`,
    passed: all.filter(({ first }) => first).length,
    total: all.length,
  },
  {
    name: `${name}, ${SEEDS.length} times each: wrong at ≥ ${SURE}`,
    passed: all.filter(({ sureAndWrong }) => sureAndWrong).length,
    total: all.length,
  },
]

/** Passes over the cases whose cause is a change. */
function changePasses(done: readonly Done[]): Figure[] {
  const cases = done.filter(
    ({ one, truth, snapshot }) =>
      one.set === 'rootcausebench' && snapshot !== null && truth.answer !== 'none',
  )
  const all = done.filter(({ one, snapshot }) => one.set === 'rootcausebench' && snapshot !== null)
  if (cases.length === 0) return []
  const of = (one: Done): Snapshot => one.snapshot as Snapshot
  const named = (snapshot: Snapshot): string => labelOf(investigate(snapshot), snapshot.changes)
  const count = (holds: (one: Done) => boolean): number => cases.filter(holds).length
  const inTop3 = (findings: Findings, id: string, snapshot: Snapshot): boolean =>
    findings.hypotheses
      .filter(({ cause }) => cause.change !== null)
      .slice(0, 3)
      .some(
        ({ cause }) =>
          cause.change === id ||
          (snapshot.changes.find((change) => change.id === cause.change)?.carries ?? []).includes(id),
      )
  const innocentOf = (one: Done): readonly Change[] =>
    all
      .filter((other) => other !== one)
      .flatMap((other) =>
        of(other).changes.filter(({ kind, id }) => kind === 'commit' && id !== other.truth.answer),
      )
      .slice(0, 10)
  const right = cases.filter((one) => one.rank === 1)
  const decoyOf = (one: Done): string | undefined =>
    of(one).changes.find(
      ({ id, kind }) => kind === 'commit' && one.truth.forbidden.includes(id) && id !== one.truth.answer,
    )?.id
  let swaps = 0
  let believed = 0
  for (const telemetry of all)
    for (const other of cases) {
      if (telemetry === other) continue
      swaps++
      const snapshot = swapped(of(telemetry), of(other))
      const findings = investigate(snapshot)
      if (labelOf(findings, snapshot.changes) === other.truth.answer && findings.confidence >= BELIEVED)
        believed++
    }
  const exchangeable = right.filter((one) => decoyOf(one) !== undefined)
  const withRollout = cases.filter((one) =>
    of(one).changes.some(({ carries = [] }) => carries.includes(one.truth.answer)),
  )
  const keeps = (change: (snapshot: Snapshot) => Snapshot): Pick<Figure, 'passed' | 'total'> => ({
    passed: all.filter((one) => one.rank === 1 && named(change(of(one))) === one.truth.answer).length,
    total: all.filter((one) => one.rank === 1).length,
  })
  return [
    {
      name: "swap: another case's culprit believed (confidence ≥ .5); at most one is the goal",
      passed: believed,
      total: swaps,
    },
    { name: '200 quiet series added: verdict stays', ...keeps((snapshot) => withQuietSeries(snapshot, 200)) },
    { name: 'log messages paraphrased: verdict stays', ...keeps(paraphrased) },
    { name: 'identifiers in diffs renamed: verdict stays', ...keeps(identifiersRenamed) },
    {
      name: 'culprit neutralised: not named any more',
      passed: count((one) => named(neutralised(of(one), one.truth.answer)) !== one.truth.answer),
      total: cases.length,
    },
    {
      name: "culprit's content exchanged with a decoy's: the verdict follows",
      passed: exchangeable.filter((one) => {
        const decoy = decoyOf(one) as string
        return named(exchanged(of(one), one.truth.answer, decoy)) === decoy
      }).length,
      total: exchangeable.length,
    },
    {
      name: 'culprit squashed with ten innocents: in the top 3',
      passed: count((one) => {
        const snapshot = squashed(of(one), one.truth.answer, innocentOf(one))
        return inTop3(investigate(snapshot), one.truth.answer, snapshot)
      }),
      total: cases.length,
    },
    {
      name: 'culprit moved to a shared path: in the top 3',
      passed: count((one) => {
        const snapshot = movedToSharedPath(of(one), one.truth.answer)
        return inTop3(investigate(snapshot), one.truth.answer, snapshot)
      }),
      total: cases.length,
    },
    {
      name: 'deploy record of the culprit removed: in the top 3 and not surer',
      passed: withRollout.filter((one) => {
        const snapshot = withoutDeploy(of(one), one.truth.answer)
        const findings = investigate(snapshot)
        return inTop3(findings, one.truth.answer, snapshot) && findings.confidence <= one.findings.confidence
      }).length,
      total: withRollout.length,
    },
    {
      name: 'culprit moved after the onset: not named any more',
      passed: count((one) => {
        const onset = Date.parse(one.findings.onset?.latest ?? '') || of(one).window.to
        const snapshot = movedTo(of(one), one.truth.answer, onset + 10 * 60_000)
        return named(snapshot) !== one.truth.answer
      }),
      total: cases.length,
    },
  ]
}

async function opensreFigures(rca: string, done: readonly Done[]): Promise<Figure[]> {
  const total = done.length
  const figures: Figure[] = [
    { name: 'category right', passed: within(done, 1), total },
    {
      name: 'forbidden category named',
      passed: done.filter(({ truth, findings }) => truth.forbidden.includes(categoryOf(findings))).length,
      total,
    },
  ]
  for (const [name, options] of [
    ['without alert text', { alert_text: false, events: true }],
    ['without events', { alert_text: true, events: false }],
    ['without alert text and events', { alert_text: false, events: false }],
  ] as const) {
    let passed = 0
    for (const { one, truth } of done) {
      const loaded = await loadOpensreCase(join(rca, 'opensre-rds', one.id), options)
      if (categoryOf(investigate(await snapshotOfCase(loaded, randomName()))) === truth.answer) passed++
    }
    figures.push({ name: `category right ${name}`, passed, total })
  }
  let said = 0
  let asked = 0
  for (const { truth, findings } of done) {
    const text = [findings.summary, ...findings.evidence.map(({ content }) => content)]
      .join('\n')
      .toLowerCase()
    for (const keyword of truth.keywords ?? []) {
      asked++
      if (text.includes(keyword.toLowerCase())) said++
    }
  }
  figures.push({
    name: 'required keywords that occur (no sentence was written for them)',
    passed: said,
    total: asked,
  })
  const constant = bestConstant(done.map(({ truth }) => truth.answer))
  figures.push({ name: 'control: constant answer', passed: constant.right, total })
  return figures
}

const PUBLISHED: Readonly<Record<SetName, string>> = {
  petshop:
    "authors' traversal top-1/top-3 by cell, with the normal period: low latency .571/.571, low availability .833/1.000, high latency .571/.786, high availability .667/1.000, temporal latency 1.000/1.000, temporal availability .750/1.000",
  'rcd-sock-shop':
    'Avg@5 CPU/MEM: BARO .99/.99, N-Sigma .98/.99, CausalRCA .84/.84, RCD .63/.66 (Pham et al., ASE 2024)',
  'nezha-train-ticket': 'Nezha AS@1/3/5: 86.7/97.8/97.8 % of 45',
  'nezha-online-boutique':
    'Nezha AS@1/3/5: 92.9/96.4/96.4 % of 56, with logs that the public snapshot does not hold',
  rootcausebench: 'best script 7 of 24 (29 %); language models 29 to 100 %, at 96 to 390 s a case',
  'opensre-rds': 'no accuracy is published',
}

interface CaseResult {
  readonly set: string
  readonly rank: number
  readonly confidence: number
}

/** An abstention claims nothing, so it is no right answer and no wrong one; its confidence is 0. */
const statedBy = ({ set, rank, confidence }: CaseResult): Stated => ({
  system: set,
  confidence,
  right: confidence > 0 && rank === 1,
})

/** One report of several, each about other sets and written by the same engine. */
function joined(parts: readonly (Report & { readonly cases: readonly CaseResult[] })[]): Report {
  const [first] = parts
  if (first === undefined || parts.some(({ engine }) => engine !== first.engine))
    throw new Error('--join: the parts must be of one engine')
  const bySet = <Item extends { readonly set: string }>(items: readonly Item[]): Item[] =>
    [...items].sort((a, b) => SETS.indexOf(a.set as SetName) - SETS.indexOf(b.set as SetName))
  const sets = bySet(parts.flatMap((part) => part.sets))
  if (new Set(sets.map(({ set }) => set)).size < sets.length)
    throw new Error('--join: a set stands in two parts')
  const figures = new Map<string, Figure>()
  for (const { name, passed, total } of parts.flatMap(({ robustness }) => robustness)) {
    const known = figures.get(name)
    figures.set(name, { name, passed: passed + (known?.passed ?? 0), total: total + (known?.total ?? 0) })
  }
  return {
    engine: first.engine,
    sets,
    robustness: [...figures.values()],
    calibration: calibrationOf(parts.flatMap(({ cases }) => cases).map(statedBy)),
    times: bySet(parts.flatMap(({ times }) => times)),
    rules: [...new Set(parts.flatMap(({ rules }) => rules))],
    large: null,
    simulated: parts.some(({ simulated }) => (simulated ?? null) !== null)
      ? joinedTables(parts.flatMap(({ simulated }) => simulated ?? []))
      : null,
    left_out: parts.find((part) => (part.left_out ?? null) !== null)?.left_out ?? null,
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      sets: { type: 'string' },
      json: { type: 'string' },
      simulated: { type: 'string' },
      newest: { type: 'boolean' },
      'left-out': { type: 'boolean' },
      join: { type: 'string' },
      write: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.join !== undefined) {
    const report = joined(
      await Promise.all(values.join.split(',').map(async (file) => JSON.parse(await readFile(file, 'utf8')))),
    )
    report.large = againstParsing()
    for (const line of reportLines(report)) process.stdout.write(`${line}\n`)
    if (values.write !== undefined) await writeFile(values.write, reportMarkdown(report))
    return 0
  }
  if (values.newest === true && values.simulated === undefined) {
    tell('--newest goes with --simulated N.')
    return 2
  }
  if (values.simulated !== undefined) {
    const count = Number(values.simulated)
    if (!Number.isInteger(count) || count < 1) {
      tell('--simulated: a whole number from 1 on')
      return 2
    }
    const turns = values.newest === true ? 'newest' : 'usual'
    const report: Report = { ...nothingYet(), simulated: simulated(count, turns) }
    if (values.json !== undefined) await writeJson(values.json, report, [])
    return 0
  }
  // An empty variable names no folder.
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  if (data === undefined) {
    tell('--data DIR or INCIDENT_DATA is needed.')
    return 2
  }
  if (values['left-out'] === true) {
    const report: Report = { ...nothingYet(), left_out: await leaveOneOut(data, tell) }
    for (const line of leftOutLines(report.left_out ?? [])) process.stdout.write(`${line}\n`)
    if (values.json !== undefined) await writeJson(values.json, report, [])
    return 0
  }
  const wanted = values.sets?.split(',') ?? [...SETS]
  const unknown = wanted.find((set) => !(SETS as readonly string[]).includes(set))
  if (unknown !== undefined) {
    tell(`--sets: there is no set ${unknown}; there are ${SETS.join(', ')}`)
    return 2
  }
  const rca = join(data, 'rca')
  const work = await mkdtemp(join(tmpdir(), 'bench-rca-'))
  const all: Done[] = []
  const report = nothingYet()
  try {
    let donors: readonly Change[] = []
    const [donor] = await casesOf(rca, 'rootcausebench')
    if (donor !== undefined) {
      const culprit = (await donor.truth()).answer
      const snapshot = await snapshotOfCase(await donor.load(), randomName())
      donors = snapshot.changes.filter(({ id, carries = [] }) => id !== culprit && !carries.includes(culprit))
    }
    for (const set of SETS) {
      if (!wanted.includes(set)) continue
      const cases = await casesOf(rca, set)
      if (cases.length === 0) {
        tell(`${set}: no cases below ${rca}`)
        continue
      }
      const done: Done[] = []
      for (const [index, one] of cases.entries()) {
        done.push(await runCase(one, work, donors))
        if ((index + 1) % 5 === 0 || index + 1 === cases.length)
          tell(`${set}: ${index + 1} of ${cases.length}`)
      }
      all.push(...done)
      const figures =
        set === 'rootcausebench'
          ? rootCauseBenchFigures(done)
          : set === 'opensre-rds'
            ? await opensreFigures(rca, done)
            : set === 'petshop'
              ? [...rankingFigures(done, [1, 3], 'top-'), ...(await petShopWithNormal(rca, cases))]
              : set === 'rcd-sock-shop'
                ? rankingFigures(done, [1, 3, 5], 'AC@')
                : [...rankingFigures(done, [1, 3, 5], 'AS@'), ...cpuAndDelay(set, done)]
      report.sets.push({
        set,
        published: PUBLISHED[set],
        figures,
        notes: set === 'rcd-sock-shop' ? [`Avg@5 ${averageAt5(done)} (n = ${done.length})`] : [],
        misses: done
          .filter(({ rank }) => rank !== 1)
          .map(({ one, rank }) => `${one.id}: ${rank === 0 ? 'not named' : `rank ${rank}`}`),
      })
    }
    const share = (name: string, holds: (one: Done) => boolean, of: readonly Done[] = all): Figure => ({
      name,
      passed: of.filter(holds).length,
      total: of.length,
    })
    const graftable = all.filter(({ graft }) => graft !== null)
    report.robustness.push(
      share('byte-identical on a second run', ({ stable }) => stable),
      share('byte-identical under permuted order of records', ({ order }) => order),
      share('byte-identical with everything that holds truth deleted', ({ blind }) => blind),
      share('same verdict under renamed entities, mapped back', ({ renamed }) => renamed),
      share('byte-identical under renamed entities, mapped back', ({ renamed_bytes }) => renamed_bytes),
      share('innocent changes grafted on: the place stays', ({ graft }) => graft?.stays === true, graftable),
      share(
        'innocent changes grafted on: none believed (confidence ≥ .5)',
        ({ graft }) => graft?.believed === false,
        graftable,
      ),
      ...DISTURBANCES.flatMap(([name]) =>
        disturbedFigures(
          name,
          all.flatMap(({ disturbed }) => disturbed.get(name) ?? []),
        ),
      ),
      ...changePasses(all),
    )
    const cases = all.map(({ one, truth, rank, findings }) => ({
      set: one.set,
      id: one.id,
      cell: truth.cell,
      rank,
      confidence: findings.confidence,
    }))
    report.calibration = calibrationOf(cases.map(statedBy))
    for (const set of SETS) {
      const times = all
        .filter(({ one }) => one.set === set)
        .map(({ milliseconds }) => milliseconds)
        .sort((a, b) => a - b)
      if (times.length > 0)
        report.times.push({
          set,
          median: times[Math.floor(times.length / 2)] as number,
          p95: times[Math.ceil(times.length * 0.95) - 1] as number,
          worst: times.at(-1) as number,
        })
    }
    report.rules.push(...LABEL_RULES, ...CATEGORY_RULES)
    report.large = againstParsing()
    if (values.sets === undefined) report.left_out = await leaveOneOut(data, tell)
    for (const line of reportLines(report)) process.stdout.write(`${line}\n`)
    if (values.sets === undefined)
      report.simulated = joinedTables([...simulated(SIMULATED), ...simulated(SIMULATED_NEWEST, 'newest')])
    if (values.json !== undefined) await writeJson(values.json, report, cases)
    if (values.write !== undefined) await writeFile(values.write, reportMarkdown(report))
    return all.every(({ blind, stable, order }) => blind && stable && order) ? 0 : 1
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
