/**
 * Records as a snapshot can keep them: with a name, a real instant and numbers that are some. A tool whose clock, unit or
 * label is wrong gives others, and a snapshot with one of them could not be written, or not be read again: for one odd
 * record no question would be answered and no incident investigated.
 */
import type { Alert, Change, Entity, ProviderStatus, Pulled, Series } from './snapshot.ts'

/** The instants that a bundle can write and read, years 100 to 9999, in milliseconds since the epoch. */
const FIRST_INSTANT = Date.UTC(100, 0, 1)
const AFTER_LAST_INSTANT = Date.UTC(10_000, 0, 1)
/** Attributes nest no deeper in a bundle. */
const MOST_DEPTH = 16

type Test = (value: unknown) => boolean

const isText: Test = (value) => typeof value === 'string' && value !== ''
const isInstant: Test = (value) =>
  typeof value === 'number' && value >= FIRST_INSTANT && value < AFTER_LAST_INSTANT
const isNumber: Test = (value) => Number.isFinite(value)
const isCount: Test = (value) => isNumber(value) && (value as number) >= 0
const isPositive: Test = (value) => isNumber(value) && (value as number) > 0
const isPlain = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return isNumber(value)
  if (typeof value !== 'object' || value === null) return true
  return depth < MOST_DEPTH && Object.values(value).every((member) => isPlain(member, depth + 1))
}
const isSpan: Test = (value) => {
  const { from, to } = value as { from: number; to: number }
  return isInstant(from) && isInstant(to) && from <= to
}

/** What a record is nothing without, and what it is left without where that is odd. */
interface Form {
  readonly needs: Readonly<Record<string, Test>>
  readonly may?: Readonly<Record<string, Test>>
}

/** The lists that tools give; the fields that are named here are those of which a value can be odd. */
const FORMS = {
  entities: { needs: { name: isText } },
  alerts: {
    needs: { name: isText, fired_at: isInstant },
    may: { resolved_at: isInstant, threshold: isNumber, observed: isNumber, for_s: isCount },
  },
  series: { needs: { entity: isText, name: isText }, may: { interval_s: isPositive, window_of: isText } },
  edges: {
    needs: { caller: isText, callee: isText, t0: isInstant, interval_s: isPositive },
    may: { calls: isCount, failed: isCount, latency_sum_ms: isCount, latency_count: isCount },
  },
  spans: {
    needs: { trace_id: isText, span_id: isText, service: isText, start: isInstant, duration_us: isCount },
    may: { attributes: isPlain },
  },
  logs: { needs: { service: isText, timestamp: isInstant }, may: { attributes: isPlain } },
  log_counts: { needs: { service: isText, t0: isInstant, interval_s: isPositive, count: isCount } },
  changes: { needs: { id: isText, recorded_at: isInstant }, may: { entity: isText, effective_at: isSpan } },
  k8s: {
    needs: { kind: isText, name: isText, timestamp: isInstant },
    may: { count: isCount, attributes: isPlain },
  },
  events: { needs: { resource: isText, timestamp: isInstant } },
  patterns: { needs: { service: isText, count: isCount }, may: { baseline_count: isCount } },
  status: { needs: { provider: isText } },
} as const satisfies Partial<Record<keyof Pulled, Form>>
type List = keyof typeof FORMS
const LISTS = Object.keys(FORMS) as readonly List[]

/** An alert that is over was not over before it fired: clocks differ. */
const alertInOrder = (alert: Alert): Alert =>
  alert.resolved_at !== undefined && alert.resolved_at < alert.fired_at
    ? { ...alert, resolved_at: alert.fired_at }
    : alert

/** What ends before it begins took effect when it began; a tool writes 0 for an end that it does not know. */
function changeInOrder(change: Change): Change {
  const { effective_at: span, carries } = change
  const isReversed = span !== undefined && isInstant(span.from) && !isSpan(span)
  if (!isReversed && (carries === undefined || carries.every(isText))) return change
  return {
    ...change,
    ...(isReversed ? { effective_at: { from: span.from, to: span.from } } : {}),
    ...(carries === undefined ? {} : { carries: carries.filter(isText) }),
  }
}

/** The points of a series that have a real instant, each later than the one before; what is no number is not measured. */
function seriesInOrder(series: Series): Series {
  const { times, values } = series
  const isFine = (at: number, index: number): boolean =>
    isInstant(at) && (index === 0 || at > (times[index - 1] as number))
  if (times.every(isFine) && values.every((value) => Number.isNaN(value) || isNumber(value))) return series
  const points: [number, number][] = []
  for (const [index, at] of times.entries()) {
    const value = values[index] ?? Number.NaN
    if (isInstant(at) && at > (points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY))
      points.push([at, isNumber(value) ? value : Number.NaN])
  }
  return {
    ...series,
    times: Float64Array.from(points, ([at]) => at),
    values: Float64Array.from(points, ([, value]) => value),
  }
}

const statusInOrder = (status: ProviderStatus): ProviderStatus => ({
  ...status,
  events: status.events.filter(({ timestamp }) => isInstant(timestamp)),
})

const entityInOrder = (entity: Entity): Entity => ({
  ...entity,
  aliases: entity.aliases.filter(({ alias }) => isText(alias)),
})

const IN_ORDER: { readonly [Name in List]?: (record: never) => object } = {
  alerts: alertInOrder,
  changes: changeInOrder,
  series: seriesInOrder,
  status: statusInOrder,
  entities: entityInOrder,
}

/** The record without fields that are odd and may be missing; undefined where one is odd that it needs. */
function kept(record: object, { needs, may = {} }: Form): object | undefined {
  const fields = record as Readonly<Record<string, unknown>>
  for (const name in needs) if (!needs[name]?.(fields[name])) return undefined
  let odd: string[] | undefined
  for (const name in may) {
    if (fields[name] !== undefined && !may[name]?.(fields[name])) odd = [...(odd ?? []), name]
  }
  return odd === undefined
    ? record
    : Object.fromEntries(Object.entries(record).filter(([name]) => !odd.includes(name)))
}

/**
 * What a tool gave, as a snapshot can keep it: odd records are left out and counted in a gap, odd fields that may be
 * missing are left out, and what ends before it begins ends when it begins. Records that are not odd stay as they are.
 * @param what how the tool is called in a gap
 */
export function withKeepableRecords(pulled: Pulled, what: string): Pulled {
  let left = 0
  const lists = LISTS.map((name) => {
    const order = IN_ORDER[name] as ((record: object) => object) | undefined
    const records = (pulled[name] as readonly object[]).flatMap((record) => {
      const made = kept(order === undefined ? record : order(record), FORMS[name])
      return made ?? []
    })
    left += pulled[name].length - records.length
    return [name, records]
  })
  const spans = (lists.find(([name]) => name === 'spans')?.[1] ?? []) as Pulled['spans']
  const of = left === 1 ? '1 record is' : `${left} records are`
  const gap = { what, why: `${of} left out: without a name, a real time or a number.` }
  return {
    ...pulled,
    ...(Object.fromEntries(lists) as Partial<Pulled>),
    spans: spans.map((span) => (span.parent_id === '' ? { ...span, parent_id: null } : span)),
    ...(left === 0 ? {} : { gaps: [...pulled.gaps, gap] }),
  }
}
