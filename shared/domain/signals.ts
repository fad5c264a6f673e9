import type { FieldError } from './errors.ts'
import { MOST_AHEAD_MS, parseInstant, readInstant } from './instant.ts'
import type { Window } from './investigation/records/snapshot.ts'

/** The kinds of records that may be pushed, by the names of the bundle's files. */
export const SIGNAL_KINDS = ['changes', 'series', 'logs', 'spans', 'edges', 'events'] as const
export type SignalKind = (typeof SIGNAL_KINDS)[number]

/** Most records of one batch, over all kinds. */
export const MOST_SIGNALS = 1_000
/** Days that a batch is kept after it was pushed. */
export const SIGNAL_DAYS = 30

/**
 * Records in the form of the bundle's files, as far as their time is concerned; the contract has checked all of them.
 * They are kept as they came: a record is decoded where it is read, by the reader of bundles.
 */
export interface SignalBatch {
  readonly changes?:
    | readonly {
        readonly recorded_at: string
        readonly effective_at?: { readonly from: string; readonly to: string } | undefined
      }[]
    | undefined
  readonly series?: readonly PushedSeries[] | undefined
  readonly logs?: readonly { readonly timestamp: string }[] | undefined
  readonly spans?: readonly { readonly start: string; readonly duration_us: number }[] | undefined
  readonly edges?: readonly { readonly t0: string; readonly interval_s: number }[] | undefined
  readonly events?: readonly { readonly timestamp: string }[] | undefined
}

interface PushedSeries {
  readonly t0?: string | undefined
  readonly interval_s?: number | undefined
  readonly values?: readonly (number | null)[] | undefined
  readonly points?: readonly (readonly [string, number | null])[] | undefined
}

/** A batch on its way to the store: the records, and from when to when they tell. */
export interface KeptBatch {
  readonly records: SignalBatch
  /** First and last instant that any record names, ms. */
  readonly span: Window
}

/** How many records of each kind were taken. */
export type SignalCounts = Readonly<Record<SignalKind, number>>

const at = (text: string): number => parseInstant(text) ?? 0

/** The first and the last instant of a series; none where it holds no value. */
function instantsOf({ t0, interval_s, values, points }: PushedSeries): number[] {
  if (t0 !== undefined && interval_s !== undefined && values !== undefined) {
    return values.length === 0 ? [] : [at(t0), at(t0) + (values.length - 1) * interval_s * 1_000]
  }
  const [first, last] = [points?.[0], points?.at(-1)]
  return first === undefined || last === undefined ? [] : [at(first[0]), at(last[0])]
}

/**
 * From the first to the last instant (ms) that any record names; null when none does: empty series tell nothing.
 */
export function spanOf(batch: SignalBatch): Window | null {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const see = (...instants: readonly number[]): void => {
    for (const instant of instants) {
      from = Math.min(from, instant)
      to = Math.max(to, instant)
    }
  }
  for (const { recorded_at, effective_at } of batch.changes ?? []) {
    see(at(recorded_at))
    if (effective_at !== undefined) see(at(effective_at.from), at(effective_at.to))
  }
  for (const series of batch.series ?? []) see(...instantsOf(series))
  for (const { timestamp } of batch.logs ?? []) see(at(timestamp))
  for (const { start, duration_us } of batch.spans ?? []) see(at(start), at(start) + duration_us / 1_000)
  for (const { t0, interval_s } of batch.edges ?? []) see(at(t0), at(t0) + interval_s * 1_000)
  for (const { timestamp } of batch.events ?? []) see(at(timestamp))
  return from > to ? null : { from, to }
}

/** What is planned is looked for no later: by then the batch that tells of it is gone. */
const MOST_PLANNED_MS = SIGNAL_DAYS * 86_400_000

/**
 * The fields of a batch that name an instant still to come, in the order of the batch: nothing was measured or written down there.
 * Clocks may differ as elsewhere. When a change takes effect may be planned, as far ahead as the batch is kept.
 */
export function aheadIn(batch: SignalBatch, now: number): readonly FieldError[] {
  const errors: FieldError[] = []
  const see = (field: string, instant: number, most = MOST_AHEAD_MS): void => {
    if (instant <= now + most) return
    const reason =
      most === MOST_AHEAD_MS
        ? 'must not lie in the future'
        : `must lie at most ${SIGNAL_DAYS} days ahead: records are kept no longer`
    errors.push({ field, reason })
  }
  for (const [index, { recorded_at, effective_at }] of (batch.changes ?? []).entries()) {
    see(`changes[${index}].recorded_at`, at(recorded_at))
    if (effective_at === undefined) continue
    see(`changes[${index}].effective_at.from`, at(effective_at.from), MOST_PLANNED_MS)
    see(`changes[${index}].effective_at.to`, at(effective_at.to), MOST_PLANNED_MS)
  }
  for (const [index, series] of (batch.series ?? []).entries()) {
    const { t0, points } = series
    if (t0 !== undefined) see(`series[${index}].t0`, at(t0))
    const last = instantsOf(series).at(-1)
    if (last === undefined || (t0 !== undefined && at(t0) > now + MOST_AHEAD_MS)) continue
    // Points are in order: the last one is the latest.
    see(`series[${index}].${points === undefined ? 'values' : `points[${points.length - 1}][0]`}`, last)
  }
  const seeEach = <Of>(
    kind: SignalKind,
    member: string,
    list: readonly Of[] = [],
    of: (one: Of) => string,
  ) => {
    for (const [index, one] of list.entries()) see(`${kind}[${index}].${member}`, at(of(one)))
  }
  seeEach('logs', 'timestamp', batch.logs, ({ timestamp }) => timestamp)
  seeEach('spans', 'start', batch.spans, ({ start }) => start)
  seeEach('edges', 't0', batch.edges, ({ t0 }) => t0)
  seeEach('events', 'timestamp', batch.events, ({ timestamp }) => timestamp)
  return errors
}

/** How many records of each kind a batch holds. */
export const countsOf = (batch: SignalBatch): SignalCounts =>
  Object.fromEntries(SIGNAL_KINDS.map((kind) => [kind, batch[kind]?.length ?? 0])) as SignalCounts

/** What is wrong with the points of a series beyond their form, and where; null when nothing is. */
export function pointsProblem(
  points: readonly (readonly [string, number | null])[],
): { readonly at: number; readonly reason: string } | null {
  for (let index = 1; index < points.length; index += 1) {
    if (at(points[index]?.[0] ?? '') <= at(points[index - 1]?.[0] ?? '')) {
      return { at: index, reason: 'must be later than the one before it' }
    }
  }
  return null
}

/** Instants from here on have no four-digit year, and no timestamp that the service takes. */
const END_OF_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** True when the last value of a regular series lies in a year that can be written. */
export const endsInTime = (t0: string, intervalSeconds: number, values: number): boolean =>
  (readInstant(t0) ?? 0) + Math.max(0, values - 1) * intervalSeconds * 1_000 <= END_OF_TIME
