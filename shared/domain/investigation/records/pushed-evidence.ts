/**
 * What was pushed, as evidence about one window: records that several batches hold count once, pieces of one series
 * that came batch by batch are one series, and what lies outside of the time that is looked at is left out.
 */
import type { FoundSignals, PushedRecords } from '../../ports.ts'
import {
  type Baseline,
  type Change,
  type ControlPlaneEvent,
  NOTHING_PULLED,
  type Pulled,
  type Series,
  type Window,
} from './snapshot.ts'

/** A change may wait this long before it shows: changes and events are looked for this far before the window. */
const LEAD_MS = 24 * 3_600_000
/** What was pushed, among the sources of a snapshot: its id and its tool. */
export const PUSHED = 'signals'

const withLead = ({ from, to }: Window): Window => ({ from: from - LEAD_MS, to })

/** The stretches of time that an investigation of a window looks at, apart from each other, in order. */
export function signalWindows(window: Window, baselines: readonly Baseline[]): readonly Window[] {
  const joined: Window[] = []
  for (const { from, to } of [withLead(window), ...baselines].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, to) }
    else joined.push({ from, to })
  }
  return joined
}

/** Whether a stretch of time, both ends included, has part in a window. */
const touches = (from: number, to: number, window: Window): boolean => from < window.to && to >= window.from

/** Each record as often as the batch that holds it most often: batches that overlap do not double what they share. */
function once<Of>(batches: readonly (readonly Of[])[]): Of[] {
  const known = new Map<string, number>()
  const kept: Of[] = []
  for (const batch of batches) {
    const here = new Map<string, number>()
    for (const record of batch) {
      const text = JSON.stringify(record)
      const count = (here.get(text) ?? 0) + 1
      here.set(text, count)
      if (count <= (known.get(text) ?? 0)) continue
      known.set(text, count)
      kept.push(record)
    }
  }
  return kept
}

type PushedSeries = Omit<Series, 'source'>

const identityOf = ({ entity, name, labels, type, unit, agg, query }: PushedSeries): string =>
  JSON.stringify([
    entity,
    name,
    Object.keys(labels)
      .sort()
      .map((label) => [label, labels[label]]),
    type,
    unit ?? null,
    agg ?? null,
    query ?? null,
  ])

/** One series of its pieces, in the order in which they were pushed: of two values for an instant the later one holds. */
function joinPieces(pieces: readonly PushedSeries[], inTime: (at: number) => boolean): PushedSeries | null {
  const values = new Map<number, number>()
  for (const piece of pieces) {
    piece.times.forEach((at, index) => {
      const value = piece.values[index] ?? Number.NaN
      // Not measured is no news of an instant that was measured.
      if (inTime(at) && !(Number.isNaN(value) && values.has(at))) values.set(at, value)
    })
  }
  const [first] = pieces
  if (first === undefined || values.size === 0) return null
  const times = Float64Array.from(values.keys()).sort()
  const { interval_s, ...rest } = first
  const isAlike = interval_s !== undefined && pieces.every((piece) => piece.interval_s === interval_s)
  return {
    ...rest,
    ...(isAlike ? { interval_s } : {}),
    times,
    values: times.map((at) => values.get(at) ?? Number.NaN),
  }
}

function joinSeries(series: readonly PushedSeries[], inTime: (at: number) => boolean): PushedSeries[] {
  const byIdentity = new Map<string, PushedSeries[]>()
  for (const piece of series) {
    const identity = identityOf(piece)
    byIdentity.set(identity, [...(byIdentity.get(identity) ?? []), piece])
  }
  return [...byIdentity.values()].flatMap((pieces) => joinPieces(pieces, inTime) ?? [])
}

const changeTouches = ({ recorded_at, effective_at }: Omit<Change, 'source'>, window: Window): boolean =>
  touches(
    Math.min(recorded_at, effective_at?.from ?? recorded_at),
    Math.max(recorded_at, effective_at?.to ?? recorded_at),
    window,
  )

/**
 * The pushed records that tell of a window or its baselines, as one more tool that was asked.
 * Nothing pushed is no source that was asked in vain: most services are never pushed to.
 */
export function pushedEvidence(
  { batches, digest, cut, unread }: FoundSignals,
  window: Window,
  baselines: readonly Baseline[],
): Pulled {
  const lead = withLead(window)
  const stretches = [window, ...baselines]
  const touchesAny = (from: number, to: number) => stretches.some((each) => touches(from, to, each))
  const listOf = <Kind extends keyof PushedRecords>(kind: Kind) => batches.map((batch) => batch[kind])
  const inLead = ({ timestamp }: Omit<ControlPlaneEvent, 'source'>) => touches(timestamp, timestamp, lead)
  const records = {
    changes: once(listOf('changes')).filter((change) => changeTouches(change, lead)),
    series: joinSeries(listOf('series').flat(), (at) => touchesAny(at, at)),
    logs: once(listOf('logs')).filter(({ timestamp }) => touchesAny(timestamp, timestamp)),
    spans: once(listOf('spans')).filter(({ start, duration_us }) =>
      touchesAny(start, start + duration_us / 1_000),
    ),
    edges: once(listOf('edges')).filter(({ t0, interval_s }) => touchesAny(t0, t0 + interval_s * 1_000)),
    events: once(listOf('events')).filter(inLead),
  }
  const count = Object.values(records).reduce((sum, list) => sum + list.length, 0)
  const gaps =
    unread === 0 ? [] : [{ what: 'pushed signals', why: `${unread} kept records could not be read` }]
  if (count === 0 && !cut) return { ...NOTHING_PULLED, gaps }
  const ours = <Of>(list: readonly Of[]) => list.map((record) => ({ ...record, source: PUSHED }))
  return {
    ...NOTHING_PULLED,
    sources: [
      {
        id: PUSHED,
        tool: PUSHED,
        query: 'everything pushed by POST /signals for this time',
        window: lead,
        outcome: cut ? 'cut' : 'answered',
        records: count,
        ...(count === 0 ? {} : { digest }),
        ...(cut ? { detail: 'More was pushed than one investigation reads: the oldest was left out.' } : {}),
      },
    ],
    changes: ours(records.changes),
    series: ours(records.series),
    logs: ours(records.logs),
    spans: ours(records.spans),
    edges: ours(records.edges),
    events: ours(records.events),
    gaps,
  }
}
