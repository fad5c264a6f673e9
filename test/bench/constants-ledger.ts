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
import {
  type EngineConstant,
  engineConstants,
  engineWith,
  engineWithout,
  KNOWLEDGE,
} from './engine-constants.ts'
import { FAST, type Scores, scored, scoredScenes } from './scored-scenes.ts'

/** Points by which a score moves at half or double from where on a constant is fragile. */
const FRAGILE = 5
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
  const all = await scoredScenes(data, FAST)
  const base = scored(all, investigate)
  const work = await mkdtemp(join(tmpdir(), 'engine-constants-'))
  const rows: { readonly line: string; readonly most: number }[] = []
  const constants = await engineConstants()
  const at = async (constant: EngineConstant, value: number): Promise<ReturnType<typeof moved>> =>
    moved(base, scored(all, await engineWith(work, [{ ...constant, value }])))
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
