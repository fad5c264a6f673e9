/**
 * What every named number of the engine decides: `node test/bench/constants-ledger.ts --data DIR --write
 * docs/engine-constants.md` scores the engine with each of them at half and at double. A constant that moves a score by
 * more than five points is fragile: its value carries the figure, so it must have a reason of its own.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { ENGINE_VERSION, investigate } from '#shared/domain/investigation/investigate.ts'
import { engineConstants, engineWith, engineWithout, KNOWLEDGE } from './engine-constants.ts'
import { FAST, laterScenes, type Scene, type Scores, scored, scoredScenes } from './scored-scenes.ts'

/** Points by which a score moves at half or double from where on a constant is fragile. */
const FRAGILE = 5
/** Constants that one process tries: each engine that was loaded stays in memory, some 5 MB, until its process ends. */
const AT_ONCE = 25
/** Processes at once. */
const WORKERS = 2
/** Most that a process may print (bytes). */
const MOST_PRINTED = 10_000_000

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

interface Row {
  readonly line: string
  readonly most: number
}

const scenesOf = async (data: string): Promise<readonly Scene[]> => [
  ...(await scoredScenes(data, FAST)),
  ...laterScenes(),
]

/** The rows of some constants, each tried at half and at double. */
async function rowsOf(data: string, from: number, work: string): Promise<readonly Row[]> {
  const all = await scenesOf(data)
  const base = scored(all, investigate)
  const rows: Row[] = []
  for (const constant of (await engineConstants()).slice(from, from + AT_ONCE)) {
    const at = async (value: number): Promise<ReturnType<typeof moved>> =>
      moved(base, scored(all, await engineWith(work, [{ ...constant, value }])))
    const half = await at(constant.value / 2)
    const double = await at(constant.value * 2)
    const most = Math.max(half.most, double.most)
    const { file, name, value, reason } = constant
    rows.push({
      most,
      line: `| \`${name}\` | ${value} | ${file} | ${cell(reason)} | ${half.text} | ${double.text} | ${most > FRAGILE ? 'fragile' : ''} |`,
    })
    process.stderr.write(`${name} ${half.text} / ${double.text}\n`)
  }
  return rows
}

/** The rows of all constants, by processes of their own. */
async function allRows(data: string): Promise<readonly Row[]> {
  const starts: number[] = []
  for (let from = 0, { length } = await engineConstants(); from < length; from += AT_ONCE) starts.push(from)
  const found = new Map<number, readonly Row[]>()
  const next = [...starts]
  const work = async (): Promise<void> => {
    for (let from = next.shift(); from !== undefined; from = next.shift()) {
      const asked = [fileURLToPath(import.meta.url), '--data', data, '--from', String(from)]
      const { stdout } = await promisify(execFile)(process.execPath, asked, { maxBuffer: MOST_PRINTED })
      found.set(from, JSON.parse(stdout) as readonly Row[])
      process.stderr.write(`${found.size} of ${starts.length} parts of the constants\n`)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return starts.flatMap((from) => found.get(from) ?? [])
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, write: { type: 'string' }, from: { type: 'string' } },
  })
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  if (data === undefined) throw new Error('--data DIR or INCIDENT_DATA is needed')
  const work = await mkdtemp(join(tmpdir(), 'engine-constants-'))
  try {
    if (values.from === undefined) await writeLedger(data, work, values.write)
    else process.stdout.write(JSON.stringify(await rowsOf(data, Number(values.from), work)))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function writeLedger(data: string, work: string, to: string | undefined): Promise<void> {
  const rows = await allRows(data)
  const all = await scenesOf(data)
  const base = scored(all, investigate)
  const emptied: string[] = []
  for (const table of KNOWLEDGE) {
    const { text } = moved(base, scored(all, await engineWithout(work, table)))
    emptied.push(`| \`${table.name}\` | ${table.file} | ${text} |`)
  }
  const fragile = rows.filter(({ most }) => most > FRAGILE).length
  const counts = [...new Set(all.map(({ group }) => group))].map(
    (group) =>
      `${group} ${(base.get(group) as number).toFixed(1)} % of ${all.filter((scene) => scene.group === group).length}`,
  )
  const text = `# The engine's constants

Written by \`node test/bench/constants-ledger.ts --data DIR --write docs/engine-constants.md\` with engine ${ENGINE_VERSION}; nobody edits it by hand.

Every named number of the engine, what the code says of it, and by how many points the share of right answers moves where
it is halved or doubled. Scored on the sets that are fast, on simulated incidents of the early families and of the later
ones that were worked with, all of which were in sight: ${counts.join('; ')}. A number that moves nothing here may matter on other data. ${fragile} of ${rows.length} are
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
  if (to === undefined) process.stdout.write(text)
  else await writeFile(to, text)
}

await main()
