import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { bundleFunctions } from '#infra/bundling/bundle-functions.ts'
import { entryOf } from '#infra/bundling/bundle-places.ts'
import { type FunctionId, functionPlans } from '#infra/functions.ts'
import { ROOT } from '#infra/root.ts'
import { type FirstCall, type FirstGround, prepareFirstGround } from './first-ground.ts'
import { bundleRivals, type Rival } from './rival-handlers.ts'
import { type Spread, shuffled, spreadOf } from './spread.ts'

const HELP = `Usage: npm run bench:cold -- [--rounds N] [--only ID,ID] [--rivals] [--compile-cache] [--json FILE]

Import and first call of each function in fresh processes: as it is bundled here, and from the same source as CDK's
NodejsFunction bundles it by default (one CommonJS file, main fields first, not minified, credentials of every kind).
Every round takes all in an order of chance. Medians with quartiles in ms. AWS answers from a process of its own what an
emulator and stand-ins answered once before, so that their time is not taken for the function's.
Ratios of the processor's time stand beside, which other work on the machine disturbs less. Exit code 1 when a
goal is not met.

  --rounds N    rounds, at least 15 (15)
  --only ID,ID  these functions only
  --rivals      hello worlds on other frameworks in the same rounds (installs them from the npm registry once);
                each function is then held against the one on Express
  --compile-cache
                the same bundles once more, with V8's compile cache warm, as a ratio of those without
  --json FILE   write the results to FILE as well
  --help        print this
`
const LEAST_ROUNDS = 15
/** What import and first call may take of the same with CDK's defaults. */
const GOAL = 0.65
/** What they may take of a hello world on Express, which stores nothing. */
const EXPRESS_GOAL = 1.1

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
    rivals: { type: 'boolean', default: false },
    'compile-cache': { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

type Kind = 'ours' | 'defaults' | 'cached' | 'rival'

/** One thing that is started again and again, with what it took each time, in ms. */
interface Case {
  /** Function or rival. */
  readonly id: string
  readonly kind: Kind
  readonly call: () => Promise<FirstCall>
  readonly clock: number[]
  readonly cpu: number[]
}

/** Lets each function have its first call answered by the emulator, which every later one is answered from. */
async function record(ground: FirstGround, ids: readonly FunctionId[], file: (id: FunctionId) => string) {
  for (const id of ids) {
    const { status, body } = await ground.record(id, file(id))
    if (status === 500) throw new Error(`${id} failed when it was recorded: ${body}`)
  }
}

async function measure(cases: readonly Case[], rounds: number): Promise<void> {
  // Once before it counts: the files are in the page cache then, and the compile cache is made.
  for (const { id, kind, call } of cases) {
    const { status } = await call()
    if (kind === 'rival' && status !== 200) throw new Error(`the hello world on ${id} answered ${status}`)
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const { call, clock, cpu } of shuffled(cases)) {
      const { import_ms, first_ms, cpu_ms } = await call()
      clock.push(import_ms + first_ms)
      cpu.push(cpu_ms)
    }
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
}

async function main(): Promise<void> {
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < LEAST_ROUNDS)
    throw new Error(`--rounds must be at least ${LEAST_ROUNDS}`)
  const wanted = values.only?.split(',')
  const ids = functionPlans.map(({ id }) => id).filter((id) => wanted === undefined || wanted.includes(id))
  if (ids.length === 0) throw new Error(`--only names no function: ${values.only}`)
  await bundleFunctions()
  const defaults = await buildDefaults(ids)
  const folder = await mkdtemp(path.join(tmpdir(), 'cold-'))
  const rivals = values.rivals ? await bundleRivals(folder) : []
  const ground = await prepareFirstGround()
  const own = (id: FunctionId) => entryOf(id)
  const caseOf = (id: string, kind: Kind, call: Case['call']): Case => ({
    id,
    kind,
    call,
    clock: [],
    cpu: [],
  })
  const cases = [
    ...ids.flatMap((id) => [
      caseOf(id, 'ours', () => ground.replay(id, own(id))),
      caseOf(id, 'defaults', () => ground.replay(id, path.join(defaults, `${id}.cjs`))),
      ...(values['compile-cache']
        ? [
            caseOf(id, 'cached', () =>
              ground.replay(id, own(id), { NODE_COMPILE_CACHE: folder, NODE_COMPILE_CACHE_PORTABLE: '1' }),
            ),
          ]
        : []),
    ]),
    ...rivals.map(({ name, file, event }) => caseOf(name, 'rival', () => ground.callOther(file, event))),
  ]
  try {
    await record(ground, ids, own)
    await measure(cases, rounds)
  } finally {
    await ground.stop()
    for (const made of [defaults, folder]) await rm(made, { recursive: true, force: true })
  }
  const result = summary(cases, ids, rivals)
  console.log(tableOf(result))
  const met = result.rows.filter(({ ratio }) => ratio <= GOAL).length
  const slower = result.rows.filter(({ express_ratio }) => (express_ratio ?? 0) > EXPRESS_GOAL).length
  const ofExpress = values.rivals ? `, ${ids.length - slower} within ${EXPRESS_GOAL} of Express` : ''
  console.log(
    `\n${met} of ${ids.length} within ${GOAL} of CDK's defaults${ofExpress}; ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
  )
  if (values.json !== undefined)
    await writeFile(
      values.json,
      `${JSON.stringify({ rounds, goal: GOAL, express_goal: EXPRESS_GOAL, ...result }, null, 2)}\n`,
    )
  if (met < ids.length || slower > 0) process.exitCode = 1
}

/** What came of it: a row a function, and one a rival. */
function summary(cases: readonly Case[], ids: readonly FunctionId[], rivals: readonly Rival[]) {
  const spread = (id: string, kind: Kind, by: 'clock' | 'cpu') =>
    spreadOf(cases.find((each) => each.id === id && each.kind === kind)?.[by] ?? [])
  const ratio = (one: Spread, other: Spread) => one.median / other.median
  const express = values.rivals ? spread('express', 'rival', 'clock') : null
  const expressCpu = values.rivals ? spread('express', 'rival', 'cpu') : null
  const rows = ids.map((id) => {
    const [ours, cdk] = [spread(id, 'ours', 'clock'), spread(id, 'defaults', 'clock')]
    const [cpu, cdkCpu] = [spread(id, 'ours', 'cpu'), spread(id, 'defaults', 'cpu')]
    return {
      id,
      ours,
      defaults: cdk,
      ratio: ratio(ours, cdk),
      cpu,
      defaults_cpu: cdkCpu,
      cpu_ratio: ratio(cpu, cdkCpu),
      express_ratio: express === null ? null : ratio(ours, express),
      express_cpu_ratio: expressCpu === null ? null : ratio(cpu, expressCpu),
      cached_ratio: values['compile-cache'] ? ratio(spread(id, 'cached', 'clock'), ours) : null,
    }
  })
  const beside = rivals.map(({ name, title }) => {
    const clock = spread(name, 'rival', 'clock')
    return {
      name,
      title,
      clock,
      cpu: spread(name, 'rival', 'cpu'),
      express_ratio: ratio(clock, express ?? clock),
    }
  })
  return { rows, rivals: beside }
}

const inMs = ({ median, lower, upper }: Spread) =>
  `${median.toFixed(1)} (${lower.toFixed(1)}–${upper.toFixed(1)})`
const verdict = (value: number, goal: number) => [value.toFixed(2), value <= goal ? 'yes' : 'NO']

function tableOf({ rows, rivals }: ReturnType<typeof summary>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = ['function', 'ours, ms', 'CDK defaults, ms', 'ratio', `≤ ${GOAL}`, 'CPU ratio']
  if (values.rivals) head.push('of Express', `≤ ${EXPRESS_GOAL}`, 'CPU of Express')
  if (values['compile-cache']) head.push('with compile cache')
  const lines = rows.map((row) =>
    line([
      row.id,
      inMs(row.ours),
      inMs(row.defaults),
      ...verdict(row.ratio, GOAL),
      row.cpu_ratio.toFixed(2),
      ...(row.express_ratio === null ? [] : verdict(row.express_ratio, EXPRESS_GOAL)),
      ...(row.express_cpu_ratio === null ? [] : [row.express_cpu_ratio.toFixed(2)]),
      ...(row.cached_ratio === null ? [] : [row.cached_ratio.toFixed(2)]),
    ]),
  )
  const others = rivals.map((row) => line([row.title, inMs(row.clock), row.express_ratio.toFixed(2)]))
  return [
    line(head),
    line(head.map(() => '---')),
    ...lines,
    ...(others.length === 0 ? [] : ['', '| hello world on | ms | of Express |', '|---|---|---|', ...others]),
  ].join('\n')
}

if (values.help) process.stdout.write(HELP)
else await main()
