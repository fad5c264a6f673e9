/**
 * Which time counts as normal and which as the incident.
 *
 * Declared baselines win. Without one, the calm part of the window before the first alert serves, first
 * with a wide guard before the alert, later, when the onset is known, up to the onset.
 */
import type { Alert, Baseline, LogLine, Series, Snapshot, Window } from './snapshot.ts'

/** Milliseconds. */
const MINUTE = 60_000
/** A fault may smoulder this long before its alert; narrower only where the data begin too late. */
const GUARDS_MS = [30 * MINUTE, 15 * MINUTE]
/** Less calm time than this is no baseline. */
const LEAST_CALM_MS = 10 * MINUTE
/** With no alert, or too little before it, the share of what was recorded that counts as calm. */
const CALM_SHARE = 1 / 3
/** The least that share may be, ms: five samples of one minute. */
const LEAST_SHARE_MS = 4 * MINUTE

export interface NormalTime {
  /** Where normal values come from; several baselines must each find a deviation. */
  readonly baselines: readonly Baseline[]
  /** Declared by the snapshot, or taken from the calm start of its window, or there is none. */
  readonly origin: 'declared' | 'derived' | 'none'
  /** The stretch that is searched for the incident. */
  readonly incident: Window
}

/**
 * @param onsetAt - the onset when it is already known: normal time then reaches up to it
 */
export function normalTime(snapshot: Snapshot, onsetAt: number | null = null): NormalTime {
  const incident = widened(snapshot)
  if (snapshot.baselines.length > 0) {
    const baselines = [...snapshot.baselines].sort((a, b) => a.from - b.from || a.to - b.to)
    return { baselines, origin: 'declared', incident }
  }
  const start = Math.min(incident.from, earliestSample(snapshot))
  const alertAt = firstAlert(snapshot)
  const ends =
    onsetAt !== null
      ? [onsetAt - MINUTE]
      : alertAt !== null
        ? GUARDS_MS.map((guard) => alertAt - guard)
        : [start + (incident.to - start) * CALM_SHARE]
  const share = start + ((alertAt ?? incident.to) - start) * CALM_SHARE
  const end =
    ends.find((instant) => instant - start >= LEAST_CALM_MS) ??
    (onsetAt === null && share - start >= LEAST_SHARE_MS ? share : undefined)
  if (end === undefined) return { baselines: [], origin: 'none', incident }
  return { baselines: [{ name: 'calm', from: start, to: end }], origin: 'derived', incident }
}

/** Severities of what nobody is called for. */
const INFORMING = /^(info(rmation(al)?)?|none|debug|notice)$/i

/**
 * The alerts that somebody is called for; all of them where there is no other. One that only informs may be on for hours
 * and tells nothing by itself.
 * @see https://runbooks.prometheus-operator.dev/runbooks/general/infoinhibitor/
 */
export function pagingAlerts({ alerts }: Snapshot): readonly Alert[] {
  const paging = alerts.filter(({ severity }) => severity === undefined || !INFORMING.test(severity))
  return paging.length > 0 ? paging : alerts
}

/** When the first alert's condition began to hold: its firing less the time it had to hold. */
export function firstAlert(snapshot: Snapshot): number | null {
  let first: number | null = null
  for (const alert of pagingAlerts(snapshot)) {
    const at = alert.fired_at - (alert.for_s ?? 0) * 1_000
    if (first === null || at < first) first = at
  }
  return first
}

/** When the first sample of a snapshot was taken, as long as it is kept: the onset is looked for twice. */
const earliestBefore = new WeakMap<Snapshot, number>()

function earliestSample(snapshot: Snapshot): number {
  const before = earliestBefore.get(snapshot)
  if (before !== undefined) return before
  let earliest = Number.POSITIVE_INFINITY
  const { series, logs } = snapshot
  for (let index = 0; index < series.length; index++)
    earliest = Math.min(earliest, (series[index] as Series).times[0] ?? earliest)
  for (let index = 0; index < logs.length; index++)
    earliest = Math.min(earliest, (logs[index] as LogLine).timestamp)
  const found = Math.max(earliest, snapshot.window.from - 24 * 60 * MINUTE)
  earliestBefore.set(snapshot, found)
  return found
}

/** A window of no length (a bundle that only knows an instant) reaches as far as its samples. */
function widened(snapshot: Snapshot): Window {
  const { from, to } = snapshot.window
  if (to > from) return { from, to }
  let end = to
  for (const series of snapshot.series) end = Math.max(end, (series.times.at(-1) ?? end) + 1)
  for (const line of snapshot.logs) end = Math.max(end, line.timestamp + 1)
  return { from, to: end }
}

/** Whether an instant lies in any of the baselines: asked of every line, span and count, so that no function is made for it. */
export function isNormalTime({ baselines }: NormalTime, at: number): boolean {
  for (let index = 0; index < baselines.length; index++) {
    const { from, to } = baselines[index] as Baseline
    if (at >= from && at < to) return true
  }
  return false
}

/** Total length of the baselines in milliseconds. */
export const normalLength = (normal: NormalTime): number =>
  normal.baselines.reduce((sum, baseline) => sum + baseline.to - baseline.from, 0)
