/** Units of UCUM and of Prometheus that people write shorter. */
const SIGNS: Readonly<Record<string, string>> = {
  '1': '',
  s: ' s',
  ms: ' ms',
  us: ' µs',
  By: ' B',
  '%': ' %',
  '1/s': '/s',
}

/** A measured value with its unit, as exact as an eye needs. */
export function valueText(value: number | null, unit: string): string {
  if (value === null || !Number.isFinite(value)) return 'not measured'
  const size = Math.abs(value)
  const digits =
    size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(1) : String(Number(value.toPrecision(3)))
  return `${digits}${SIGNS[unit] ?? (unit === '' ? '' : ` ${unit}`)}`
}

/** The value that is farthest from a level, null where nothing was measured. */
export function farthest(values: readonly (number | null)[], level: number): number | null {
  let found: number | null = null
  for (const value of values)
    if (value !== null && (found === null || Math.abs(value - level) > Math.abs(found - level))) found = value
  return found
}

/** A probability in percent. */
export const percent = (fraction: number): string => `${Math.round(fraction * 100)} %`

/** A confidence in one word, beside its number. */
export function likelihood(confidence: number): string {
  if (confidence >= 0.6) return 'likely'
  return confidence > 0 ? 'possible' : 'unknown'
}

/** A line of a card: what it is about, and what it says. */
export function splitLine(line: string): { readonly label: string; readonly text: string } {
  const colon = line.indexOf(': ')
  return colon === -1
    ? { label: '', text: line }
    : { label: line.slice(0, colon), text: line.slice(colon + 2) }
}
