/** What is measured after the end of a window that one tool declares: a bundle tells of a time of its own. */

import { spanText } from './investigation/hypotheses/compose-answer.ts'
import type { Pulled, Series, Window } from './investigation/records/snapshot.ts'
import { overlaps } from './investigation/records/windows.ts'

/** A series up to an instant (ms), or with all of it where it is of a baseline. */
function seriesUntil(series: Series, isKept: (at: number) => boolean): Series {
  if (series.times.every(isKept)) return series
  const kept = [...series.times.keys()].filter((index) => isKept(series.times[index] ?? 0))
  return {
    ...series,
    times: Float64Array.from(kept, (index) => series.times[index] ?? 0),
    values: Float64Array.from(kept, (index) => series.values[index] ?? 0),
  }
}

/** What one tool gave, without what it measured where nothing is kept. */
function keptOf(part: Pulled, isKept: (at: number) => boolean): Pulled {
  return {
    ...part,
    series: part.series
      .map((series) => seriesUntil(series, isKept))
      .filter(({ times }, index) => times.length > 0 || part.series[index]?.times.length === 0),
    edges: part.edges.filter(({ t0 }) => isKept(t0)),
    spans: part.spans.filter(({ start }) => isKept(start)),
    logs: part.logs.filter(({ timestamp }) => isKept(timestamp)),
    log_counts: part.log_counts.filter(({ t0 }) => isKept(t0)),
    statements: part.statements.filter(({ start }) => isKept(start)),
  }
}

const measurements = ({ series, edges, spans, logs, log_counts, statements }: Pulled): number =>
  series.reduce((sum, { times }) => sum + times.length, 0) +
  edges.length +
  spans.length +
  logs.length +
  log_counts.length +
  statements.length

/**
 * Leaves out what others measured after the end of the window that one part declares, where that window decides: what began
 * to fail after it would be told as failing in it, and be put down to what changed then. That it was left out is a gap.
 * @param wanted the window that the tools were asked for
 */
export function untilDeclaredEnd(wanted: Window, parts: readonly Pulled[]): readonly Pulled[] {
  const declaring = parts.filter(({ window }) => window !== undefined)
  const [first] = declaring
  const window = first?.window
  if (window === undefined || window.to >= wanted.to || !overlaps(window, wanted)) return parts
  // Several that declare different windows decide nothing.
  if (declaring.some((part) => part.window?.from !== window.from || part.window.to !== window.to))
    return parts
  const baselines = declaring.flatMap((part) => part.baselines ?? [])
  const isKept = (at: number): boolean =>
    at < window.to || baselines.some(({ from, to }) => at >= from && at < to)
  const why = `a connected bundle tells of ${spanText(window.from, window.to)} alone; disable it to ask about now`
  return parts.map((part) => {
    if (part.window !== undefined) return part
    const kept = keptOf(part, isKept)
    if (measurements(kept) === measurements(part)) return part
    const tools = [...new Set(part.sources.map(({ tool }) => tool))].join(', ')
    const gap = { what: `what ${tools || 'a tool'} measured after that time`, why }
    return { ...kept, gaps: [...kept.gaps, gap] }
  })
}
