import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Snapshot, Window } from '#shared/domain/investigation/records/snapshot.ts'
import { CaseWriter, iso, type LoadedCase, measured, rowsOf } from './case-files.ts'

/**
 * Turns PetShop (Hardt et al., CLeaR 2024; CC-BY-4.0) into incident bundles: five-minute metrics of every node, the
 * call graph and the alert on the front end's latency or availability. Of `target.json` only `target` is ever read.
 */

const ROW_MS = 300_000
const HEADER_ROWS = 4
const METRICS: Readonly<Record<string, { readonly unit: string }>> = {
  latency: { unit: 's' },
  availability: { unit: '%' },
  requests: { unit: '1' },
}
const STATISTICS: Readonly<Record<string, string>> = { Average: 'avg', Sum: 'sum' }

interface Table {
  readonly columns: readonly (readonly [string, string, string])[]
  /** Start of each row, milliseconds. */
  readonly times: readonly number[]
  readonly rows: readonly string[][]
}

interface Target {
  readonly node: string
  readonly metric: string
  readonly timestamp: number
}

async function tableOf(path: string): Promise<Table | undefined> {
  const lines = await rowsOf(path)
  if (lines === undefined) return undefined
  const [nodes = [], metrics = [], statistics = []] = lines
  const rows = lines.slice(HEADER_ROWS)
  return {
    columns: nodes
      .slice(1)
      .map((node, index) => [node, metrics[index + 1] ?? '', statistics[index + 1] ?? '']),
    times: rows.map(([at]) => Number(at) * 1000),
    rows,
  }
}

async function targetOf(folder: string): Promise<Target> {
  const { target } = JSON.parse(await readFile(join(folder, 'target.json'), 'utf8')) as { target: Target }
  return { node: target.node, metric: target.metric, timestamp: target.timestamp }
}

async function callsOf(scenario: string): Promise<readonly (readonly [string, string])[]> {
  const [header = [], ...rows] = (await rowsOf(join(scenario, 'graph.csv'))) ?? []
  return rows.flatMap(([caller = '', ...cells]) =>
    cells.flatMap((cell, index): [string, string][] =>
      Number(cell) > 0 && header[index + 1] !== undefined ? [[caller, header[index + 1] as string]] : [],
    ),
  )
}

function writeTables(
  tables: readonly Table[],
  calls: readonly (readonly [string, string])[],
  alert: Target,
): CaseWriter {
  const out = new CaseWriter()
  const points = new Map<string, { readonly head: object; readonly points: [string, number | null][] }>()
  for (const table of tables)
    for (const [index, [node, metric, statistic]] of table.columns.entries()) {
      const known = METRICS[metric]
      if (known === undefined) {
        out.leaveOut(`metrics.csv: ${metric}`)
        continue
      }
      const key = `${node}\n${metric}\n${statistic}`
      let series = points.get(key)
      if (series === undefined) {
        series = {
          head: {
            entity: node,
            name: metric,
            labels: {},
            type: 'gauge',
            unit: known.unit,
            agg: STATISTICS[statistic] ?? statistic,
            interval_s: ROW_MS / 1000,
          },
          points: [],
        }
        points.set(key, series)
      }
      for (const [row, at] of table.times.entries())
        series.points.push([iso(at), measured(table.rows[row]?.[index + 1])])
    }
  out.put(
    'series.ndjson',
    [...points.values()].map((series) => ({ ...series.head, points: series.points })),
  )
  const [first] = tables
  const t0 = iso(first?.times[0] ?? 0)
  out.put(
    'edges.json',
    calls.map(([caller, callee]) => ({ caller, callee, t0, interval_s: ROW_MS / 1000 })),
  )
  out.put('alerts.json', [
    {
      name: `${alert.metric} of ${alert.node}`,
      service: alert.node,
      metric: alert.metric,
      fired_at: iso(alert.timestamp * 1000),
    },
  ])
  return out
}

const endOf = (table: Table): number => (table.times.at(-1) ?? 0) + ROW_MS

/** The scenario's folder of a case `scenario/train|test/issue_N`. */
const scenarioOf = (folder: string): string => join(folder, '..', '..')

/**
 * @param folder one case's folder
 * @param withNormal adds the scenario's normal period as a declared baseline; without it only the case's own rows are there
 * @returns undefined where the normal period is asked for and the scenario has none
 */
export async function loadPetShopCase(folder: string, withNormal: boolean): Promise<LoadedCase | undefined> {
  const scenario = scenarioOf(folder)
  const table = await tableOf(join(folder, 'metrics.csv.gz'))
  if (table === undefined) throw new Error('the case has no metrics')
  const target = await targetOf(folder)
  const calls = await callsOf(scenario)
  const window = { from: table.times[0] ?? 0, to: endOf(table) }
  if (!withNormal) return writeTables([table], calls, target).done(window)
  const normal = await tableOf(join(scenario, 'noissue', 'metrics.csv.gz'))
  if (normal === undefined) return undefined
  return writeTables(sortedTables([normal, table]), calls, target).done({
    ...window,
    baselines: [{ name: 'normal', from: normal.times[0] ?? 0, to: endOf(normal) }],
  })
}

const sortedTables = (tables: readonly Table[]): readonly Table[] =>
  [...tables].sort((a, b) => (a.times[0] ?? 0) - (b.times[0] ?? 0))

/** Rows of one normal window: as many as a case has. */
const WINDOW_ROWS = 5
/** Row of a window that the pretended alert points to, as in the cases. */
const ALERT_ROW = 1

/** A stretch of the normal period with a pretended alert, all in milliseconds. */
export interface NormalWindow extends Window {
  readonly alert_at: number
}

/**
 * The normal period of a scenario as one case, and the disjoint windows of its second half, each with a pretended alert
 * as in the cases; the first half is the baseline of all of them. Undefined where the scenario has no such period.
 */
export async function loadPetShopNormalPeriod(
  scenario: string,
  node: string,
  metric: string,
): Promise<{ readonly whole: LoadedCase; readonly windows: readonly NormalWindow[] } | undefined> {
  const normal = await tableOf(join(scenario, 'noissue', 'metrics.csv.gz'))
  if (normal === undefined) return undefined
  const middle = Math.floor(normal.times.length / 2)
  const at = (row: number): number => normal.times[row] ?? endOf(normal)
  const windows: NormalWindow[] = []
  for (let row = middle; row + WINDOW_ROWS <= normal.times.length; row += WINDOW_ROWS)
    windows.push({
      from: at(row),
      to: at(row + WINDOW_ROWS - 1) + ROW_MS,
      alert_at: Math.round((at(row + ALERT_ROW) + ROW_MS / 2) / 1000) * 1000,
    })
  const alert = { node, metric, timestamp: at(middle) / 1000 }
  return {
    whole: writeTables([normal], await callsOf(scenario), alert).done({
      from: at(middle),
      to: endOf(normal),
      baselines: [{ name: 'normal', from: at(0), to: at(middle - 1) + ROW_MS }],
    }),
    windows,
  }
}

/** What one would know in a window: its own samples and the baseline's, nothing of the other windows. */
export function inNormalWindow(whole: Snapshot, window: NormalWindow): Snapshot {
  const baseline = whole.baselines[0] as Window
  const isKnown = (at: number): boolean =>
    (at >= window.from && at < window.to) || (at >= baseline.from && at < baseline.to)
  return {
    ...whole,
    window: { from: window.from, to: window.to },
    alerts: whole.alerts.map((alert) => ({ ...alert, fired_at: window.alert_at })),
    series: whole.series.map((series) => ({
      ...series,
      times: series.times.filter(isKnown),
      values: series.values.filter((_, index) => isKnown(series.times[index] as number)),
    })),
  }
}

/** Ids of the cases below the set's folder, as `scenario/train|test/issue_N`. */
export async function petShopCases(set: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const scenario of await foldersIn(set))
    for (const part of await foldersIn(join(set, scenario)))
      if (part === 'train' || part === 'test')
        for (const issue of await foldersIn(join(set, scenario, part)))
          found.push(`${scenario}/${part}/${issue}`)
  return found
}

export const foldersIn = async (path: string): Promise<readonly string[]> =>
  (await readdir(path, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

/** The node that was broken; read only when all findings are there. */
export async function petShopTruth(folder: string): Promise<string> {
  const { root_cause } = JSON.parse(await readFile(join(folder, 'target.json'), 'utf8')) as {
    root_cause: { node: string }
  }
  return root_cause.node
}
