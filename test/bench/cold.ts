import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { BUNDLES, bundleFunctions, ROOT } from '#infra/bundle-functions.ts'
import { type FunctionId, functionPlans } from '#infra/functions.ts'
import { prepareFirstGround } from './first-ground.ts'
import { shuffled, spreadOf } from './spread.ts'

const HELP = `Usage: npm run bench:cold -- [--rounds N] [--only ID,ID] [--json FILE]

Import and first call of each function in fresh processes: as it is bundled here, and from the same source as CDK's
NodejsFunction bundles it by default (one CommonJS file, main fields first, not minified, credentials of every kind).
Every round takes all in an order of chance. Medians with quartiles in ms; DynamoDB is an emulator, the rest stands in.
The last column is the ratio of the processor's time, which other work on the machine disturbs less. Exit code 1 when a
goal is not met.

  --rounds N    rounds, at least 15 (15)
  --only ID,ID  these functions only
  --json FILE   write the results to FILE as well
  --help        print this
`
const LEAST_ROUNDS = 15
/** What import and first call may take of the same with CDK's defaults. */
const GOAL = 0.65

/** Builds functions as CDK's NodejsFunction does where nobody says otherwise, the SDK bundled. @returns folder of it */
async function buildDefaults(ids: readonly FunctionId[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cdk-defaults-'))
  await build({
    absWorkingDir: ROOT,
    entryPoints: functionPlans
      .filter(({ id }) => ids.includes(id))
      .map(({ id, file }) => ({ in: file, out: id })),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    logLevel: 'silent',
  })
  return folder
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: String(LEAST_ROUNDS) },
    only: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<void> {
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < LEAST_ROUNDS)
    throw new Error(`--rounds must be at least ${LEAST_ROUNDS}`)
  const wanted = values.only?.split(',')
  const ids = functionPlans.map(({ id }) => id).filter((id) => wanted === undefined || wanted.includes(id))
  if (ids.length === 0) throw new Error(`--only names no function: ${values.only}`)
  await bundleFunctions()
  const defaults = await buildDefaults(ids)
  const ground = await prepareFirstGround()
  const cases = ids.flatMap((id) => [
    { id, kind: 'ours', file: path.join(BUNDLES, id, 'index.mjs') } as const,
    { id, kind: 'defaults', file: path.join(defaults, `${id}.cjs`) } as const,
  ])
  const times = new Map(cases.map(({ file }) => [file, { clock: [] as number[], cpu: [] as number[] }]))
  try {
    // Once before it counts: the files are in the page cache then, as they are for neither or both.
    for (const { id, file } of cases) await ground.call(id, file)
    for (let round = 1; round <= rounds; round += 1) {
      for (const { id, file } of shuffled(cases)) {
        const { import_ms, first_ms, cpu_ms } = await ground.call(id, file)
        times.get(file)?.clock.push(import_ms + first_ms)
        times.get(file)?.cpu.push(cpu_ms)
      }
      process.stderr.write(`round ${round} of ${rounds}\n`)
    }
  } finally {
    await ground.stop()
    await rm(defaults, { recursive: true, force: true })
  }
  const rows = ids.map((id) => {
    const spread = (kind: 'ours' | 'defaults', by: 'clock' | 'cpu') =>
      spreadOf(times.get(cases.find((each) => each.id === id && each.kind === kind)?.file ?? '')?.[by] ?? [])
    const [ours, cdk] = [spread('ours', 'clock'), spread('defaults', 'clock')]
    const [cpu, cdkCpu] = [spread('ours', 'cpu'), spread('defaults', 'cpu')]
    return {
      id,
      ours,
      defaults: cdk,
      ratio: ours.median / cdk.median,
      cpu,
      defaults_cpu: cdkCpu,
      cpu_ratio: cpu.median / cdkCpu.median,
    }
  })
  const text = ({ median, lower, upper }: (typeof rows)[number]['ours']) =>
    `${median.toFixed(1)} (${lower.toFixed(1)}–${upper.toFixed(1)})`
  console.log(
    '| function | ours, ms | CDK defaults, ms | ratio | ≤ 0.65 | CPU ratio |\n|---|---|---|---|---|---|',
  )
  for (const row of rows)
    console.log(
      `| ${row.id} | ${text(row.ours)} | ${text(row.defaults)} | ${row.ratio.toFixed(2)} | ${row.ratio <= GOAL ? 'yes' : 'NO'} | ${row.cpu_ratio.toFixed(2)} |`,
    )
  const met = rows.filter(({ ratio }) => ratio <= GOAL).length
  console.log(
    `\n${met} of ${rows.length} within ${GOAL}, ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
  )
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ rounds, goal: GOAL, rows }, null, 2)}\n`)
  if (met < rows.length) process.exitCode = 1
}

if (values.help) process.stdout.write(HELP)
else await main()
