/**
 * Hundredths told in one unit, however a tool spells them: `%` as UCUM writes it, of which the engine knows what the whole is.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html (Percent)
 * @see https://docs.datadoghq.com/metrics/units/ (percent)
 */
import type { Series, Snapshot } from './snapshot.ts'

const PERCENT = 'percent'
const isSpelled = ({ unit }: Series): boolean =>
  unit !== undefined && unit.length === PERCENT.length && unit.toLowerCase() === PERCENT

const inPercent = (series: Series): Series => (isSpelled(series) ? { ...series, unit: '%' } : series)

/** The same snapshot with `%` as the unit of what is told in percent. */
export function withUcumUnits(snapshot: Snapshot): Snapshot {
  if (!snapshot.series.some(isSpelled)) return snapshot
  return {
    ...snapshot,
    series: snapshot.series.map(inPercent),
  }
}
