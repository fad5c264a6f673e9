import { parseArgs } from 'node:util'
import { startFuzz } from './fuzz-ground.ts'

const HELP = `Usage: npm run fuzz -- [--steps N] [--seed S]

Sends requests made from the OpenAPI document to the real functions over an emulator: valid, with one thing wrong,
hostile, unauthorised, whole lists page by page; every answer is checked against the document and a model. Ends with the
first that is wrong, and says how to see it again: the same seed makes the same requests.

  --steps N  steps to take (10000); a step is one request, or the pages of a list
  --seed S   seed of all chance (the clock)
  --help     print this
`
const TOLD_EVERY = 1_000
const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<void> {
  const [steps, seed] = [Number(values.steps), Number(values.seed)]
  for (const [name, number] of Object.entries({ steps, seed }))
    if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} must be a whole number`)
  process.stderr.write(`seed ${seed}\n`)
  const ground = await startFuzz(seed)
  try {
    for (let step = 1; step <= steps; step += 1) {
      await ground.fuzz.step()
      if (step % TOLD_EVERY === 0)
        process.stderr.write(`${step} of ${steps} steps, ${ground.fuzz.requests} requests\n`)
    }
  } finally {
    await ground.stop()
  }
  console.log('| operation | accepted | refused |\n|---|---|---|')
  for (const [id, { accepted, refused }] of ground.fuzz.tallies)
    console.log(`| ${id} | ${accepted} | ${refused} |`)
  console.log(`\n${ground.fuzz.requests} requests with seed ${seed}, every answer as the contract says`)
}

if (values.help) process.stdout.write(HELP)
else {
  await main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
