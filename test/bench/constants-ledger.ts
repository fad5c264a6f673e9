/**
 * What every named number of the engine decides: `node test/bench/constants-ledger.ts --data DIR --write
 * docs/engine-constants.md` scores the engine with each of them at half and at double. A constant that moves a score by
 * more than five points is fragile: its value carries the figure, so it must have a reason of its own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ENGINE_VERSION, investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { EARLY_FAMILIES } from '#test/simulator/faults.ts'
import { type SimulatedTruth, simulateIncident } from '#test/simulator/simulate-incident.ts'
import { randomName, snapshotOfCase } from './case-files.ts'
import {
  type EngineConstant,
  engineConstants,
  engineWith,
  engineWithout,
  KNOWLEDGE,
} from './engine-constants.ts'
import { type BenchCase, type CaseTruth, casesOf, rankOfTruth, type SetName } from './rca-cases.ts'

/** Sets that take a second together; the others would take hours for all constants. */
const FAST: readonly SetName[] = ['rootcausebench', 'opensre-rds', 'petshop']
/** Simulated incidents of each early family. */
const OF_EACH = 4
/** Seeds that are tried for one incident. */
const MOST_TRIES = 40
/** Points by which a score moves at half or double from where on a constant is fragile. */
const FRAGILE = 5
/** Seeds apart from those of the benchmark's own run, which counts up from one. */
const FIRST_SEED = 500_000

interface Scene {
  readonly snapshot: Snapshot
  readonly group: string
  readonly isRight: (findings: ReturnType<typeof investigate>) => boolean
}

const ofCase = (one: BenchCase, truth: CaseTruth, snapshot: Snapshot): Scene => ({
  ...{ snapshot, group: one.set },
  isRight: (findings) => rankOfTruth(one, truth, findings, snapshot) === 1,
})

const ofSimulated = (snapshot: Snapshot, truth: SimulatedTruth): Scene => ({
  ...{ snapshot, group: 'early simulated' },
  isRight: ({ cause, outcome }) =>
    outcome !== 'inconclusive' &&
    (truth.change === null
      ? cause.change === null && cause.entity === truth.entity
      : cause.change === truth.change),
})

async function scenes(data: string): Promise<readonly Scene[]> {
  const found: Scene[] = []
  for (const set of FAST)
    for (const one of await casesOf(join(data, 'rca'), set))
      found.push(ofCase(one, await one.truth(), await snapshotOfCase(await one.load(), randomName())))
  let seed = FIRST_SEED
  for (const [name, family] of Object.entries(EARLY_FAMILIES))
    for (let count = 0, tries = 0; count < OF_EACH && tries < MOST_TRIES * OF_EACH; tries += 1) {
      const made = simulateIncident(name, family, seed++)
      if (made === null) continue
      count += 1
      found.push(ofSimulated(made.snapshot, made.truth))
    }
  return found
}

type Scores = ReadonlyMap<string, number>

/** Percent right by group; an engine that throws has none right. */
function scored(all: readonly Scene[], engine: typeof investigate): Scores {
  const counts = new Map<string, { right: number; of: number }>()
  for (const { snapshot, group, isRight } of all) {
    const count = counts.get(group) ?? { right: 0, of: 0 }
    counts.set(group, count)
    count.of += 1
    try {
      if (isRight(engine(snapshot))) count.right += 1
    } catch {
      // A value that the engine cannot work with gets nothing right; the row shows it.
    }
  }
  return new Map([...counts].map(([group, { right, of }]) => [group, (100 * right) / of]))
}

/** What moved, as points by group; empty where nothing did. */
function moved(from: Scores, to: Scores): { readonly text: string; readonly most: number } {
  const parts: string[] = []
  let most = 0
  for (const [group, before] of from) {
    const points = (to.get(group) ?? 0) - before
    if (Math.abs(points) < 0.05) continue
    most = Math.max(most, Math.abs(points))
    parts.push(`${group} ${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)}`)
  }
  return { text: parts.join(', ') || '0', most }
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { data: { type: 'string' }, write: { type: 'string' } } })
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  if (data === undefined) throw new Error('--data DIR or INCIDENT_DATA is needed')
  const all = await scenes(data)
  const base = scored(all, investigate)
  const work = await mkdtemp(join(tmpdir(), 'engine-constants-'))
  const rows: { readonly line: string; readonly most: number }[] = []
  const constants = await engineConstants()
  const at = async (constant: EngineConstant, value: number): Promise<ReturnType<typeof moved>> =>
    moved(base, scored(all, await engineWith(work, constant, value)))
  for (const [index, constant] of constants.entries()) {
    const half = await at(constant, constant.value / 2)
    const double = await at(constant, constant.value * 2)
    const most = Math.max(half.most, double.most)
    const { file, name, value, reason } = constant
    rows.push({
      most,
      line: `| \`${name}\` | ${value} | ${file} | ${cell(reason)} | ${half.text} | ${double.text} | ${most > FRAGILE ? 'fragile' : ''} |`,
    })
    process.stderr.write(`${index + 1} of ${constants.length}: ${name} ${half.text} / ${double.text}\n`)
  }
  const emptied: string[] = []
  for (const table of KNOWLEDGE) {
    const { text } = moved(base, scored(all, await engineWithout(work, table)))
    emptied.push(`| \`${table.name}\` | ${table.file} | ${text} |`)
  }
  await rm(work, { recursive: true, force: true })
  const fragile = rows.filter(({ most }) => most > FRAGILE).length
  const counts = [...new Set(all.map(({ group }) => group))].map(
    (group) =>
      `${group} ${(base.get(group) as number).toFixed(1)} % of ${all.filter((scene) => scene.group === group).length}`,
  )
  const text = `# The engine's constants

Written by \`node test/bench/constants-ledger.ts --data DIR --write docs/engine-constants.md\` with engine ${ENGINE_VERSION}; nobody edits it by hand.

Every named number of the engine, what the code says of it, and by how many points the share of right answers moves where
it is halved or doubled. Scored on the sets that are fast and on simulated incidents of the early families, all of which
were in sight: ${counts.join('; ')}. A number that moves nothing here may matter on other data. ${fragile} of ${rows.length} are
fragile: they move a score by more than ${FRAGILE} points.

| constant | value | file | unit and reason | at half: points | at double: points | |
|---|---|---|---|---|---|---|
${rows.map(({ line }) => line).join('\n')}

## Tables of knowledge emptied

What each table of knowledge decides: the same scores with none of its rows. A table that moves nothing here knows things
that these incidents do not ask for.

| table | file | emptied: points |
|---|---|---|
${emptied.join('\n')}
`
  if (values.write === undefined) process.stdout.write(text)
  else await writeFile(values.write, text)
}

await main()
