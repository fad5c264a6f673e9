import { parseArgs } from 'node:util'
import { aboutLoad, costTable } from '../cost/cost-table.ts'
import { ASSUMED, type Load, monthlyCost, totalOf } from '../cost/monthly-cost.ts'
import { PRICES, PRICES_READ } from '../cost/prices.ts'
import { readParts } from '../cost/read-parts.ts'
import { readSettingsFile, SETTINGS_FILE } from '../settings.ts'

const HELP = `What a month costs in AWS, by part and in total.

  npm run --silent cost -- [--requests N] [--incidents N] [--fanout N] [--questions N] [--json]

  --requests N   requests of the API, of every kind (default 0: an idle month)
  --incidents N  incidents that are opened and resolved (default 0)
  --fanout N     subscribers that each opening and each end is told to (default 0)
  --questions N  questions among the requests (default: one request in a hundred)
  --settings F   settings to deploy with (default ${SETTINGS_FILE})
  --json         the lines, what was assumed, and the prices with their sources, as JSON

What is deployed is read from the synthesised templates, what the store bills from measured sizes of items; prices are
those of ${PRICES_READ.region}, read on ${PRICES_READ.on}, without any free tier. Exit status: 0, or 2 for wrong use.
`

/** One request in this many is a question, unless it is said otherwise. */
const REQUESTS_A_QUESTION = 100

/** @throws Error naming the option when its value is no whole number */
function count(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} must be a whole number, such as 1000 or 1e6`)
  return value
}

function run(): string {
  const number = { type: 'string', default: '0' } as const
  const { values } = parseArgs({
    options: {
      requests: number,
      incidents: number,
      fanout: number,
      questions: { type: 'string' },
      settings: { type: 'string', default: SETTINGS_FILE },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return HELP
  const requests = count('requests', values.requests)
  const load: Load = {
    requests,
    incidents: count('incidents', values.incidents),
    fanout: count('fanout', values.fanout),
    questions:
      values.questions === undefined
        ? Math.floor(requests / REQUESTS_A_QUESTION)
        : count('questions', values.questions),
  }
  const settings = readSettingsFile(values.settings)
  const lines = monthlyCost(readParts(settings), load, settings.retentionDays)
  if (values.json)
    return `${JSON.stringify({ load, total_usd: totalOf(lines), lines, assumed: ASSUMED, prices: { ...PRICES_READ, ...PRICES } }, null, 2)}\n`
  return `${aboutLoad(load)}\n\n${costTable(lines)}\n`
}

try {
  process.stdout.write(run())
} catch (error) {
  process.stderr.write(`cost: ${(error as Error).message}\nnpm run cost -- --help says more.\n`)
  process.exitCode = 2
}
