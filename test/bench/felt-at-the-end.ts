/**
 * Whether a simulated incident is over at the end of what was measured, by the plainest look that there is and without the engine:
 * whether what users feel of the services that were alerted is back more than half of the way from its worst level.
 */

import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { quantile } from '#shared/domain/investigation/statistics.ts'

const MINUTE_MS = 60_000
/** How services of the simulator are measured from their users' side. */
const FELT = /^http_server_(?:errors_ratio|duration)/
/** Normal time is the hour before it began, its end is the last two minutes. */
const NORMAL_MS = 60 * MINUTE_MS
const END_MS = 2 * MINUTE_MS
/** Times its usual spread that the worst level is away at least, and a share of failed requests by so much more. */
const SPREADS = 3
const LEAST_SHARE = 0.02
const HALF_WAY = 0.5

/** The values of a series within a stretch of time, those that are numbers. */
const within = ({ times, values }: Series, from: number, to: number): Float64Array =>
  Float64Array.from(
    Array.from(values).filter((value, index) => {
      const at = times[index] as number
      return at >= from && at < to && Number.isFinite(value)
    }),
  )

/** How far on the way from its usual to its worst level a series is at its end, 0 to 1 and beyond; null where it hardly moved. */
function shareAtEnd(series: Series, began: number): number | null {
  const usual = within(series, began - NORMAL_MS, began - MINUTE_MS)
  const since = within(series, began, Number.POSITIVE_INFINITY)
  const until = (series.times.at(-1) ?? began) + 1
  const last = within(series, until - END_MS, until)
  if (usual.length === 0 || since.length === 0 || last.length === 0) return null
  const level = quantile(usual, 0.5)
  const moved = quantile(since, 0.9) - level
  const spread = quantile(usual, 0.95) - quantile(usual, 0.05)
  const least = SPREADS * spread + (series.name.includes('ratio') ? LEAST_SHARE : 0)
  return Math.abs(moved) > least ? (quantile(last, 0.5) - level) / moved : null
}

/**
 * What the users of the alerted services feel at the end of a snapshot.
 * @param began - when the fault began, epoch milliseconds
 * @returns null where nothing that they feel was measured, or moved
 */
export function feltAtEnd({ alerts, series }: Snapshot, began: number): 'failing' | 'well' | null {
  const alerted = new Set(alerts.map(({ service }) => service))
  const shares = series
    .filter(({ entity, name }) => alerted.has(entity) && FELT.test(name))
    .map((one) => shareAtEnd(one, began))
    .filter((share) => share !== null)
  if (shares.length === 0) return null
  return shares.some((share) => share > HALF_WAY) ? 'failing' : 'well'
}
