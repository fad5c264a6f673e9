import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Spread, spreadOf } from './spread.ts'
import type { Measured } from './warm-process.ts'

const HELP = `Usage: npm run bench:warm -- [--rounds N] [--rivals] [--json FILE]

What a request costs in a warm process. The chain of an operation (authenticate, limit, validate, log, headers) with its
store stubbed against a bare handler that gives the same answer (an analysed incident with three pieces of evidence), in
CPU time; the chain's own CPU time against one call of the SDK to
a store in another process; and round trips, by a store that answers 50 ms late. Blocks alternate; medians with
quartiles. Exit code 1 when a goal is not met.

  --rounds N   pairs of blocks, at least 15 (25)
  --rivals     hello worlds on other frameworks in the same blocks (installs them from the npm registry once)
  --json FILE  write the results to FILE as well
  --help       print this
`
const LEAST_ROUNDS = 15
/** What the whole chain may take of a hello world on Hono, which checks nothing and logs nothing. */
const HONO_GOAL = 0.5
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    rivals: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** Runs the measurements in a process whose log goes nowhere, as a function's costs only the writing. */
async function measure(rounds: number, rivalFolder: string | null): Promise<Measured> {
  const args = [String(rounds), ...(rivalFolder === null ? [] : [rivalFolder])]
  const child = fork(fileURLToPath(new URL('warm-process.ts', import.meta.url)), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [message] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the measuring process ended with ${code}`))),
  ])) as [Measured]
  await ended
  return message
}

const pairwise = (above: readonly number[], below: readonly number[]): Spread =>
  spreadOf(above.map((value, index) => value / (below[index] ?? Number.NaN)))

async function main(): Promise<void> {
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < LEAST_ROUNDS)
    throw new Error(`--rounds must be at least ${LEAST_ROUNDS}`)
  const rivalFolder = values.rivals ? await mkdtemp(path.join(tmpdir(), 'warm-')) : null
  const told = await measure(rounds, rivalFolder)
  if (rivalFolder !== null) await rm(rivalFolder, { recursive: true })
  const one = (value: number): Spread => ({ median: value, lower: value, upper: value })
  const [, hono] = Object.entries(told.rivals_us).find(([title]) => title.startsWith('Hono')) ?? []
  const besideHono =
    hono === undefined
      ? []
      : [
          {
            what: 'chain of a GET that answers its id alone : bare GET on Hono',
            value: pairwise(told.small_us, hono),
            goal: HONO_GOAL,
          },
          { what: 'chain of a GET : bare GET on Hono', value: pairwise(told.chain_us, hono), goal: null },
          ...Object.entries(told.rivals_us).map(([title, us]) => ({
            what: `hello world on ${title} : bare handler`,
            value: pairwise(us, told.bare_small_us),
            goal: null,
          })),
        ]
  const rows = [
    { what: 'chain of a GET : bare handler', value: pairwise(told.chain_us, told.bare_us), goal: 12 },
    { what: 'chain of a POST : bare handler', value: pairwise(told.post_us, told.bare_post_us), goal: 12 },
    // No goal: beside an answer that costs next to nothing this is the price of one log line and one hash.
    {
      what: 'chain of a GET that answers its id alone : bare handler',
      value: pairwise(told.small_us, told.bare_small_us),
      goal: null,
    },
    {
      what: "the chain's own CPU : one SDK call",
      value: pairwise(told.chain_cpu_us, told.sdk_cpu_us),
      goal: 0.06,
    },
    ...besideHono,
    { what: 'a warm GET : one store delay', value: spreadOf(told.get_delays), goal: 1.3 },
    { what: 'a POST : one store delay', value: spreadOf(told.post_delays), goal: 2.6 },
    { what: 'sequential round trips of a warm GET', value: one(told.get_trips), goal: 1 },
    { what: 'sequential round trips of a POST', value: one(told.post_trips), goal: 2 },
  ]
  const text = ({ median, lower, upper }: Spread) =>
    `${median.toFixed(3)} (${lower.toFixed(3)}–${upper.toFixed(3)})`
  console.log('| what | median (quartiles) | goal | met |\n|---|---|---|---|')
  for (const { what, value, goal } of rows)
    console.log(
      goal === null
        ? `| ${what} | ${text(value)} | | |`
        : `| ${what} | ${text(value)} | ≤ ${goal} | ${value.median <= goal ? 'yes' : 'NO'} |`,
    )
  const us = (list: readonly number[]) => spreadOf(list).median.toFixed(1)
  console.log(
    `\nchain ${us(told.chain_us)} µs, bare ${us(told.bare_us)} µs, its log line ${us(told.log_us)} µs; own CPU ${us(told.chain_cpu_us)} µs, SDK call ${us(told.sdk_cpu_us)} µs; ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
  )
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ rounds, rows, told }, null, 2)}\n`)
  if (rows.some(({ value, goal }) => goal !== null && value.median > goal)) process.exitCode = 1
}

if (values.help) process.stdout.write(HELP)
else await main()
