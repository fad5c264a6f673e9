import { writeFileSync } from 'node:fs'
import { Misuse, readOptions, statusOf } from '#infra/commands/misuse.ts'
import { besideBareLoop, ownCode } from './deliver/bare-loop.ts'
import { besideHanging } from './deliver/beside-hanging.ts'
import { eventToPost } from './deliver/event-to-post.ts'
import { type Figures, tableOf } from './deliver/figures.ts'
import { memory } from './deliver/memory.ts'
import { signing } from './deliver/signing.ts'
import { throughSdk } from './deliver/through-sdk.ts'

const HELP = `Usage: npm run --silent bench:deliver -- [--parts A,B] [--pairs N] [--deliveries N] [--memory N] [--events N] [--json FILE]

What a delivery costs, in parts:
  loop     the worker's whole path with its stores stubbed, beside a bare loop of undici that only signs and posts
  own      the same without a network: the service's own code alone
  sdk      the whole path through the SDK to a stub of the store, beside the same calls by the SDK alone
  signing  signing 1 KB, beside other ways to do it
  hanging  a healthy subscription alone and beside 50 that hang
  memory   memory over many deliveries to many subscriptions
  runner   from event to POST on the local service

  --parts A,B     only these (default: all)
  --pairs N       alternating pairs of runs (default 15)
  --deliveries N  deliveries of a run (default 4000)
  --memory N      deliveries over which memory is watched (default 100000; the promise is for 1000000)
  --events N      events that go through the local service (default 100)
  --json FILE     writes the figures there too
  --help          print this

The table goes to stdout. Times are of the processor where a name ends with cpu, and depend on the machine and on who else
uses it: ratios and medians are what compares. Exit status: 0 measured, 1 failed, 2 bad usage.
`

function readArguments() {
  const { values } = readOptions({
    options: {
      parts: { type: 'string' },
      pairs: { type: 'string', default: '15' },
      deliveries: { type: 'string', default: '4000' },
      memory: { type: 'string', default: '100000' },
      events: { type: 'string', default: '100' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const whole = (name: 'pairs' | 'deliveries' | 'memory' | 'events', least: number): number => {
    const number = /^\d{1,9}$/.test(values[name]) ? Number(values[name]) : Number.NaN
    if (number >= least) return number
    throw new Misuse(`--${name} must be a number from ${least} on, not ${values[name]}`)
  }
  return {
    ...values,
    pairs: whole('pairs', 1),
    deliveries: whole('deliveries', 100),
    memory: whole('memory', 1_000),
    events: whole('events', 1),
  }
}

async function main(): Promise<number> {
  const given = readArguments()
  if (given.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { pairs, deliveries } = given
  const parts: Readonly<Record<string, () => Figures | Promise<Figures>>> = {
    loop: () => besideBareLoop(pairs, deliveries),
    own: () => ownCode(pairs, deliveries),
    sdk: () => throughSdk(pairs, Math.ceil(deliveries / 4)),
    signing: () => signing(pairs),
    hanging: () => besideHanging(pairs),
    memory: () => memory(given.memory),
    runner: () => eventToPost(given.events),
  }
  const chosen = given.parts?.split(',') ?? Object.keys(parts)
  const unknown = chosen.find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined)
    throw new Misuse(`--parts must be of ${Object.keys(parts).join(', ')}, not ${unknown}`)
  let figures: Figures = {}
  for (const name of chosen) {
    process.stderr.write(`${name}…\n`)
    figures = { ...figures, ...(await parts[name]?.()) }
  }
  process.stdout.write(`${tableOf(figures)}\n`)
  if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(figures, null, 2)}\n`)
  return 0
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(statusOf(error))
  },
)
