import { type CostLine, type Load, totalOf } from './monthly-cost.ts'
import { PRICES, PRICES_READ } from './prices.ts'

const inUsd = (usd: number): string => (usd < 0.005 ? '0.00' : usd.toFixed(2))
const inUnits = (units: number): string =>
  units.toLocaleString('en-US', { maximumFractionDigits: units < 100 ? 2 : 0 })

/** The bill as a table in Markdown: its lines, what each part comes to, and the whole. */
export function costTable(lines: readonly CostLine[]): string {
  const parts = [...new Set(lines.map(({ part }) => part))]
  const rows = parts.flatMap((part) => {
    const own = lines.filter((line) => line.part === part).sort((a, b) => b.usd - a.usd)
    return [
      `| **${part}** | | | **${inUsd(totalOf(own))}** |`,
      ...own.map(
        ({ price, units, usd }) => `| | ${PRICES[price].unit} | ${inUnits(units)} | ${inUsd(usd)} |`,
      ),
    ]
  })
  return [
    '| part | of what | units a month | US dollars |',
    '|---|---|---:|---:|',
    ...rows,
    `| **in total** | | | **${inUsd(totalOf(lines))}** |`,
  ].join('\n')
}

/** One line that says what the table is about. */
export const aboutLoad = ({ requests, incidents, fanout, questions }: Load): string =>
  requests === 0
    ? `A month in which nothing happens, at list prices of ${PRICES_READ.region} without any free tier, read on ${PRICES_READ.on}:`
    : `${inUnits(requests)} requests, of them ${inUnits(questions)} questions; ${inUnits(incidents)} incidents, each opening and end told to ${inUnits(fanout)} subscribers:`
