import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CaseWriter, iso, type LoadedCase, measured, rowsOf } from './case-files.ts'
import { foldersIn } from './load-petshop.ts'

/**
 * Turns Nezha's Train Ticket and Online Boutique (Yu et al., FSE 2023; MIT) into incident bundles: one-minute metrics
 * of the day, spans and logs of the minute that Nezha itself looks at and of the fault-free minute. Of `faults.json`
 * only the time of injection is read, which the benchmark gives to every method.
 */

const MINUTE_MS = 60_000
/** Minutes after the injection that count as the incident; as long as a fault lasts at least. */
const INCIDENT_MINUTES = 3
/** Minutes after which the fault and what it left behind are over. */
const OVER_MINUTES = 6
/** Columns of the metrics that are read, with name and unit. */
const METRICS: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  'CpuUsageRate(%)': { name: 'cpu_usage_percent', unit: '%' },
  'MemoryUsageRate(%)': { name: 'memory_usage_percent', unit: '%' },
}
const FAILED_LINE = /\b(ERROR|FATAL|SEVERE|Exception)\b/
const WARNING_LINE = /\bWARN(ING)?\b/

/** The workload of a pod: its name without the hashes of replica set and pod, as Kubernetes builds it. */
export const workloadOf = (pod: string): string => pod.replace(/-[a-z0-9]+-[a-z0-9]{5}$/, '')

export interface NezhaCase {
  /** `system/day/HH_MM#n`: the n-th fault of the day. */
  readonly id: string
  readonly folder: string
  readonly index: number
  readonly injected_at: number
}

/** Every fault of the set whose minute was recorded. */
export async function nezhaCases(set: string, system: string): Promise<readonly NezhaCase[]> {
  const cases: NezhaCase[] = []
  for (const day of await foldersIn(join(set, system))) {
    const folder = join(set, system, day)
    const faults = JSON.parse(await readFile(join(folder, 'faults.json'), 'utf8')) as {
      inject_time: string
    }[]
    for (const [index, { inject_time }] of faults.entries()) {
      const injected_at = Date.parse(`${inject_time.replace(' ', 'T')}Z`)
      cases.push({ id: `${system}/${day}/${minuteName(injected_at)}#${index}`, folder, index, injected_at })
    }
  }
  return cases
}

const minuteName = (at: number): string => iso(at).slice(11, 16).replace(':', '_')

async function writeSpans(path: string): Promise<readonly Record<string, unknown>[]> {
  const rows = ((await rowsOf(path)) ?? []).slice(1)
  return rows.map(([trace_id, span_id, parent, pod = '', name, start, , duration]) => ({
    trace_id,
    span_id,
    parent_id: parent === 'root' ? null : parent,
    service: workloadOf(pod),
    instance: pod,
    name,
    start: iso(Math.floor(Number(start) / 1e6)),
    duration_us: Math.max(0, Number(duration)),
    status: 'unset',
  }))
}

async function writeLogs(path: string): Promise<readonly Record<string, unknown>[]> {
  const rows = ((await rowsOf(path)) ?? []).slice(1)
  return rows
    .map((row, index) => ({ row, index, nanoseconds: BigInt(row[1] ?? '0') }))
    .sort((a, b) =>
      a.nanoseconds < b.nanoseconds ? -1 : a.nanoseconds > b.nanoseconds ? 1 : a.index - b.index,
    )
    .map(({ row: [, , node, pod = '', , trace_id, span_id, text = ''], nanoseconds }) => {
      const message = lineOf(text)
      return {
        timestamp: iso(Number(nanoseconds / 1_000_000n)),
        service: workloadOf(pod),
        severity: FAILED_LINE.test(message) ? 'error' : WARNING_LINE.test(message) ? 'warning' : 'info',
        message,
        ...(trace_id === '' || trace_id === undefined ? {} : { trace_id }),
        ...(span_id === '' || span_id === undefined ? {} : { span_id }),
        instance: pod,
        node,
      }
    })
}

/** The container runtime wraps a line into JSON. */
function lineOf(text: string): string {
  try {
    const { log } = JSON.parse(text) as { log?: unknown }
    return typeof log === 'string' ? log.trimEnd() : text
  } catch {
    return text
  }
}

/** The fault-free minute's files: the day's own, else of the nearest day that has one. */
async function normalFolder(folder: string): Promise<string | null> {
  const has = async (path: string): Promise<boolean> =>
    (await readdir(join(path, 'normal', 'trace')).catch(() => [])).length > 0
  if (await has(folder)) return join(folder, 'normal')
  for (const day of await foldersIn(join(folder, '..'))) {
    const other = join(folder, '..', day)
    if (await has(other)) return join(other, 'normal')
  }
  return null
}

async function metricsOf(folder: string, out: CaseWriter): Promise<readonly Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = []
  for (const file of (await readdir(join(folder, 'metric'))).sort()) {
    const pod = /^(.*)_metric\.csv\.gz$/.exec(file)?.[1]
    if (pod === undefined) {
      out.leaveOut(`metric: ${file}`)
      continue
    }
    const [header = [], ...rows] = (await rowsOf(join(folder, 'metric', file))) ?? []
    for (const [index, column] of header.entries()) {
      const known = METRICS[column]
      if (known === undefined) {
        if (index > 2) out.leaveOut(`metric: ${column}`)
        continue
      }
      const points = new Map<number, number | null>()
      for (const row of rows) {
        const at = Math.floor(Date.parse(`${(row[0] ?? '').slice(0, 19).replace(' ', 'T')}Z`) / MINUTE_MS)
        points.set(at * MINUTE_MS, measured(row[index]))
      }
      records.push({
        entity: workloadOf(pod),
        labels: { pod },
        type: 'gauge',
        interval_s: 60,
        ...known,
        points: [...points].sort((a, b) => a[0] - b[0]).map(([at, value]) => [iso(at), value]),
      })
    }
  }
  return records
}

export async function loadNezhaCase(one: NezhaCase): Promise<LoadedCase> {
  const out = new CaseWriter()
  const from = Math.floor(one.injected_at / MINUTE_MS) * MINUTE_MS
  const to = from + INCIDENT_MINUTES * MINUTE_MS
  const minutes = [2, 1].map((after) => minuteName(from + after * MINUTE_MS))
  const spans: Record<string, unknown>[] = []
  const logs: Record<string, unknown>[] = []
  for (const minute of minutes) {
    if (spans.length > 0) break
    spans.push(...(await writeSpans(join(one.folder, 'trace', `${minute}_trace.csv.gz`))))
    logs.push(...(await writeLogs(join(one.folder, 'log', `${minute}_log.csv.gz`))))
  }
  const normal = await normalFolder(one.folder)
  const baselines: { name: string; from: number; to: number }[] = []
  if (normal !== null) {
    const [file = ''] = await readdir(join(normal, 'trace'))
    const calm = await writeSpans(join(normal, 'trace', file))
    spans.push(...calm)
    const [logFile] = await readdir(join(normal, 'log')).catch(() => [])
    if (logFile !== undefined) logs.push(...(await writeLogs(join(normal, 'log', logFile))))
    const starts = calm.map((span) => Date.parse(span.start as string))
    baselines.push({
      name: 'fault_free_minute',
      from: starts.reduce((least, at) => Math.min(least, at), Infinity),
      to: starts.reduce((most, at) => Math.max(most, at), 0) + 1,
    })
  }
  out.put('spans.ndjson', spans)
  out.put('logs.ndjson', logs)
  out.put('series.ndjson', await metricsOf(one.folder, out))
  const day = Math.floor(from / 86_400_000) * 86_400_000
  baselines.push({ name: 'before', from: day, to: from })
  baselines.push({ name: 'after', from: from + OVER_MINUTES * MINUTE_MS, to: day + 86_400_000 })
  return out.done({ from, to, baselines })
}

/** The workload into whose pod the fault was injected, and the fault's kind; read only when all findings are there. */
export async function nezhaTruth(
  one: NezhaCase,
): Promise<{ readonly service: string; readonly kind: string }> {
  const faults = JSON.parse(await readFile(join(one.folder, 'faults.json'), 'utf8')) as {
    inject_pod: string
    inject_type: string
  }[]
  const fault = faults[one.index]
  if (fault === undefined) throw new Error('the fault is not listed')
  return { service: workloadOf(fault.inject_pod), kind: fault.inject_type }
}
