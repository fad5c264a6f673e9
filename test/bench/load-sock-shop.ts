import { join } from 'node:path'
import { CaseWriter, iso, type LoadedCase, measured, rowsOf } from './case-files.ts'
import { foldersIn } from './load-petshop.ts'

/**
 * Turns RCD's Sock Shop ("Sock Shop 1" of RCAEval; Ikram et al., NeurIPS 2022) into incident bundles by RCAEval's
 * protocol: the median and 99 % latency are left out, the last 300 s of normal time are the baseline and the first
 * 300 s after the onset the incident. The folder's name is the truth and is never read here.
 */

const LENGTH_S = 300
const KINDS: Readonly<Record<string, { readonly name: string; readonly unit?: string }>> = {
  cpu: { name: 'cpu_usage', unit: '%' },
  mem: { name: 'memory_usage', unit: 'By' },
  lod: { name: 'requests_per_second' },
  lat: { name: 'latency_p90', unit: 's' },
}
const LEFT_OUT = /_lat_(50|99)$/

/** The container and the kind of a column `container_kind`. */
const partsOf = (column: string): readonly [string, string] => {
  const split = column.indexOf('_')
  return [column.slice(0, split), column.slice(split + 1).replace(/_90$/, '')]
}

/** Columns by name with the time of each row in milliseconds; the last value is carried over what is missing. */
async function columnsOf(path: string): Promise<ReadonlyMap<string, readonly [number, number | null][]>> {
  const [header = [], ...rows] = (await rowsOf(path)) ?? []
  const columns = new Map<string, [number, number | null][]>()
  const time = header.indexOf('time')
  for (const [index, name] of header.entries()) {
    if (index === time || columns.has(name)) continue
    let last: number | null = null
    columns.set(
      name,
      rows.map((row) => {
        last = measured(row[index]) ?? last
        return [Number(row[time]) * 1000, last]
      }),
    )
  }
  return columns
}

/** Rows with ascending times, the later one of two with the same time. */
const ascending = (
  points: readonly (readonly [number, number | null])[],
): readonly [number, number | null][] => [...new Map([...points].sort((a, b) => a[0] - b[0])).entries()]

/** @param folder one case's folder; its name is not looked at */
export async function loadSockShopCase(folder: string): Promise<LoadedCase> {
  const out = new CaseWriter()
  const normal = await columnsOf(join(folder, 'normal.csv.gz'))
  const anomalous = await columnsOf(join(folder, 'anomalous.csv.gz'))
  const span = { before: [Infinity, -Infinity], after: [Infinity, -Infinity] }
  const widen = (range: number[], points: readonly (readonly [number, number | null])[]): void => {
    range[0] = Math.min(range[0] as number, points[0]?.[0] ?? Infinity)
    range[1] = Math.max(range[1] as number, (points.at(-1)?.[0] ?? -Infinity) + 1000)
  }
  const records = []
  for (const [column, points] of anomalous) {
    const [entity, kind] = partsOf(column)
    const known = KINDS[kind]
    if (LEFT_OUT.test(column) || known === undefined) {
      out.leaveOut(`csv: ${kind}`)
      continue
    }
    const before = ascending((normal.get(column) ?? []).slice(-LENGTH_S))
    const after = ascending(points.slice(0, LENGTH_S))
    widen(span.before, before)
    widen(span.after, after)
    records.push({
      entity,
      labels: {},
      type: 'gauge',
      interval_s: 1,
      ...known,
      points: ascending([...before, ...after]).map(([at, value]) => [iso(at), value]),
    })
  }
  out.put('series.ndjson', records)
  return out.done({
    from: span.after[0] as number,
    to: span.after[1] as number,
    baselines: [{ name: 'normal', from: span.before[0] as number, to: span.before[1] as number }],
  })
}

/** Ids `service-fault/k` of the cases below the set's folder. */
export async function sockShopCases(set: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const folder of await foldersIn(set))
    for (const run of await foldersIn(join(set, folder))) found.push(`${folder}/${run}`)
  return found
}

/** RCAEval's service of a container: `-db` belongs to its service. */
export const sockShopService = (container: string): string => container.replace(/-db$/, '')

/** The service that was loaded, which is the first part of the case's id. */
export const sockShopTruth = (id: string): string => id.slice(0, id.lastIndexOf('-', id.indexOf('/')))
