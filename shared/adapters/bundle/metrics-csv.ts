import { parseInstant } from '#shared/domain/instant.ts'
import type { Series, SeriesType } from '#shared/domain/investigation/records/snapshot.ts'
import type { Unsourced } from './record-shapes.ts'
import { linesOf } from './unpack.ts'

/** One row of the file that could not be used. */
export interface BadRow {
  readonly line: number
  readonly reason: string
}

/** The cells of one line of CSV (RFC 4180, without line breaks inside quotes), or undefined when quotes are open. */
function cellsOf(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(',')
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (line[at] === '"') {
      let cell = ''
      for (at++; ; at++) {
        if (at >= line.length) return undefined
        if (line[at] !== '"') cell += line[at]
        else if (line[at + 1] === '"') {
          cell += '"'
          at++
        } else break
      }
      cells.push(cell)
      at++
      if (at < line.length && line[at] !== ',') return undefined
    } else {
      const end = line.indexOf(',', at)
      cells.push(line.slice(at, end === -1 ? line.length : end))
      at = end === -1 ? line.length : end
    }
    if (at >= line.length) return cells
    at++
  }
}

/** UCUM units by the last words of a metric's name, after the conventions of Prometheus and OpenTelemetry. */
const UNIT_BY_ENDING: readonly (readonly [RegExp, string])[] = [
  [/(_pct|_percent|_percentage)(_p\d+|_avg|_max)?$/, '%'],
  [/_ratio(_p\d+|_avg|_max)?$/, '1'],
  [/(_ms|_milliseconds)(_p\d+|_avg|_max)?$/, 'ms'],
  [/(_us|_microseconds)(_p\d+|_avg|_max)?$/, 'us'],
  [/_seconds(_p\d+|_avg|_max|_total)?$/, 's'],
  [/_bytes(_total)?$/, 'By'],
  [/(_per_sec|_per_second|_rps|_qps)$/, '/s'],
  [/_per_min(ute)?$/, '/min'],
]
const RATE_ENDING = /(_per_sec|_per_second|_rps|_qps|_per_min(ute)?)$/
const COUNTER_ENDING = /(_total|_count)$/

/** A counter only ever grows or starts again near nothing; a name alone is not believed. */
function growsLikeCounter(values: Float64Array): boolean {
  let last = Number.NEGATIVE_INFINITY
  let top = 0
  for (const value of values) {
    if (Number.isNaN(value)) continue
    // A reset starts below a tenth of what had been counted.
    if (value < last && value > 0.1 * top) return false
    top = value < last ? value : Math.max(top, value)
    last = value
  }
  return true
}

function guessType(name: string, values: Float64Array): SeriesType {
  if (RATE_ENDING.test(name)) return 'rate'
  return COUNTER_ENDING.test(name) && growsLikeCounter(values) ? 'counter' : 'gauge'
}

/**
 * Reads a plain `metrics.csv` with the columns timestamp, service, metric, value in any order. An empty value is not
 * measured. Types and units are guessed from names and values and marked as guessed.
 * @returns one series per service and metric, in order of first appearance, and the rows that could not be used
 */
export function readMetricsCsv(
  data: Buffer,
  maxLine: number,
): { readonly series: readonly Unsourced<Series>[]; readonly bad: readonly BadRow[] } {
  const bad: BadRow[] = []
  const points = new Map<string, { service: string; metric: string; at: Map<number, number> }>()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let columns: readonly [number, number, number, number] | undefined
  for (const [line, bytes] of linesOf(data)) {
    if (bytes.length === 0) continue
    if (bytes.length > maxLine) {
      bad.push({ line, reason: `is longer than ${maxLine} bytes` })
      continue
    }
    let cells: string[] | undefined
    try {
      cells = cellsOf(decoder.decode(bytes))
    } catch {
      bad.push({ line, reason: 'is not UTF-8' })
      continue
    }
    if (columns === undefined) {
      const names = (cells ?? []).map((cell) => cell.trim().toLowerCase())
      const [timestamp, service, metric, value] = ['timestamp', 'service', 'metric', 'value'].map((name) =>
        names.indexOf(name),
      ) as [number, number, number, number]
      if (Math.min(timestamp, service, metric, value) < 0)
        return {
          series: [],
          bad: [
            { line, reason: 'the first line must name the columns timestamp, service, metric and value' },
          ],
        }
      columns = [timestamp, service, metric, value]
      continue
    }
    const [timestamp, service, metric, value] = columns.map((column) => cells?.[column]?.trim() ?? '') as [
      string,
      string,
      string,
      string,
    ]
    const at = parseInstant(timestamp)
    const measured = value === '' ? Number.NaN : Number(value)
    const key = JSON.stringify([service, metric])
    const known = points.get(key)
    if (cells === undefined) bad.push({ line, reason: 'has an open quote' })
    else if (at === undefined)
      bad.push({ line, reason: 'timestamp must be an ISO 8601 UTC instant ending in Z' })
    else if (service === '' || metric === '')
      bad.push({ line, reason: 'service and metric must not be empty' })
    else if (value !== '' && !(Number.isFinite(measured) && /^[-+.\deE]+$/.test(value)))
      bad.push({ line, reason: 'value must be a finite decimal number' })
    else if (known?.at.has(at)) bad.push({ line, reason: 'repeats an instant of its series' })
    else if (known === undefined) points.set(key, { service, metric, at: new Map([[at, measured]]) })
    else known.at.set(at, measured)
  }
  const series = [...points.values()].map(({ service, metric, at }): Unsourced<Series> => {
    const sorted = [...at].sort(([a], [b]) => a - b)
    const times = Float64Array.from(sorted, ([instant]) => instant)
    const values = Float64Array.from(sorted, ([, value]) => value)
    const unit = UNIT_BY_ENDING.find(([ending]) => ending.test(metric))?.[1]
    const [first, second] = times
    const step = first !== undefined && second !== undefined ? (second - first) / 1000 : undefined
    const even =
      step !== undefined && times.every((instant, index) => instant === (first ?? 0) + index * step * 1000)
    return {
      entity: service,
      name: metric,
      labels: {},
      type: guessType(metric, values),
      type_guessed: true,
      ...(unit === undefined ? {} : { unit }),
      ...(even ? { interval_s: step } : {}),
      times,
      values,
    }
  })
  return { series, bad }
}
