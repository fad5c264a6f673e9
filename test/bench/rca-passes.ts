/**
 * Changes to a snapshot that must not change the verdict, or must change it in a known way.
 */
import { createHash } from 'node:crypto'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import {
  type Change,
  RECORD_LISTS,
  type Series,
  type Snapshot,
} from '#shared/domain/investigation/records/snapshot.ts'

/** A pseudo-random order that a seed fixes. */
export function shuffled<Item>(list: readonly Item[], seed: number): Item[] {
  const copy = [...list]
  let state = seed | 1
  for (let index = copy.length - 1; index > 0; index--) {
    state = Math.imul(state, 1_664_525) + 1_013_904_223
    const other = (state >>> 8) % (index + 1)
    const kept = copy[index] as Item
    copy[index] = copy[other] as Item
    copy[other] = kept
  }
  return copy
}

/** Numbers from 0 to 1, pseudo-random, that a seed fixes. */
function chances(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** A share of the series is not there, as where a tool gives less than another time. */
export function withoutSome(snapshot: Snapshot, share: number, seed: number): Snapshot {
  const chance = chances(seed)
  return { ...snapshot, series: snapshot.series.filter(() => chance() >= share) }
}

/** A share of the samples of each series is not there, as where scrapes fail or a tool is asked while it is busy. */
export function withoutSamples(snapshot: Snapshot, share: number, seed: number): Snapshot {
  const chance = chances(seed)
  return {
    ...snapshot,
    series: snapshot.series.map((series) => {
      const isKept = Array.from(series.times, () => chance() >= share)
      return {
        ...series,
        times: series.times.filter((_, index) => isKept[index]),
        values: series.values.filter((_, index) => isKept[index]),
      }
    }),
  }
}

/** Share of an interval, and milliseconds, by which samples of two entities lie apart at most. */
const APART_SHARE = 0.4
const MOST_APART_MS = 60_000

/**
 * The series of each entity sampled at a time of its own, as scrapes are spread over the interval and clocks differ. What
 * each sample says of its entity stays.
 */
export function sampledApart(snapshot: Snapshot, seed: number): Snapshot {
  const chance = chances(seed)
  const later = new Map<string, number>()
  return {
    ...snapshot,
    series: snapshot.series.map((series) => {
      const { times, entity } = series
      const share = later.get(entity) ?? chance()
      later.set(entity, share)
      const interval =
        times.length < 2 ? 0 : ((times.at(-1) as number) - (times[0] as number)) / (times.length - 1)
      const shift = Math.floor(share * Math.min(MOST_APART_MS, APART_SHARE * interval))
      return { ...series, times: times.map((at) => at + shift) }
    }),
  }
}

/**
 * Alerts that fire so many milliseconds later, at the latest at the end of the window, and do not say of which metric;
 * null where there is no alert.
 */
export function alertedLater(snapshot: Snapshot, milliseconds: number): Snapshot | null {
  if (snapshot.alerts.length === 0) return null
  return {
    ...snapshot,
    alerts: snapshot.alerts.map(({ metric: _, ...alert }) => ({
      ...alert,
      fired_at: Math.max(alert.fired_at, Math.min(alert.fired_at + milliseconds, snapshot.window.to - 1_000)),
    })),
  }
}

/**
 * The incident once before: a stretch of the first declared baseline, a share of it long, shows what the window shows, in all
 * series at once; null where no baseline is declared.
 */
export function stained(snapshot: Snapshot, share: number, seed: number): Snapshot | null {
  const [baseline] = snapshot.baselines
  if (baseline === undefined) return null
  const { from, to } = snapshot.window
  const length = share * (baseline.to - baseline.from)
  const start = baseline.from + chances(seed)() * (baseline.to - baseline.from - length)
  return {
    ...snapshot,
    series: snapshot.series.map((series) => {
      // What is added up since a process began cannot have had its later values before.
      if (series.type === 'counter' || series.type === 'histogram') return series
      const during = series.values.filter((_, index) => {
        const at = series.times[index] as number
        return at >= from && at < to
      })
      let next = 0
      const isStained = (at: number): boolean => during.length > 0 && at >= start && at < start + length
      return {
        ...series,
        values: series.values.map((value, index) =>
          isStained(series.times[index] as number) ? (during[next++ % during.length] as number) : value,
        ),
      }
    }),
  }
}

/** Tools tell less of their series: the first seed takes the units away, the second the intervals, the third both. */
export function untold(snapshot: Snapshot, seed: number): Snapshot {
  return {
    ...snapshot,
    series: snapshot.series.map(({ unit, interval_s: interval, ...series }) => ({
      ...series,
      ...(seed !== 2 || unit === undefined ? {} : { unit }),
      ...(seed !== 1 || interval === undefined ? {} : { interval_s: interval }),
    })),
  }
}

/** Names of what failed, as other tools count it. */
const FAILED = 'http_errors'
const FAILED_SHARE = 'http_error_ratio'

/** The same as a total since a process began, and each sample at the end of the interval that it sums up. */
function asTotal(series: Series, name: string, amountAt: (index: number) => number): Series {
  const { unit: _, agg: __, ...rest } = series
  const interval = 1_000 * (series.interval_s as number)
  let sum = 0
  const sums = Array.from(series.times, (_at, index) => {
    const amount = amountAt(index)
    sum += Number.isFinite(amount) ? amount : 0
    return sum
  })
  return {
    ...{ ...rest, name, type: 'counter' },
    times: Float64Array.from([series.times[0] as number, ...series.times.map((at) => at + interval)]),
    values: Float64Array.from([0, ...sums]),
  }
}

/**
 * What tools that count failed calls tell where others tell the share that is answered, in percent: for the first seed how many
 * fail in an interval, for the second which share, for the third totals since a process began of calls, of failed ones and of
 * the time that they take, without quantiles. Null where no entity has the sum of its calls in each interval and such a share.
 */
export function failuresCounted(snapshot: Snapshot, seed: number): Snapshot | null {
  const meaningOf = ({ name }: Series): string => readMetricName(name).meaning
  const calls = new Map<string, Series>()
  for (const series of snapshot.series)
    if (meaningOf(series) === 'throughput' && series.agg === 'sum' && series.interval_s !== undefined)
      calls.set(series.entity, series)
  const callsOf = ({ entity, times }: Series): Series | undefined => {
    const found = calls.get(entity)
    return found?.times.every((at, index) => at === times[index]) === true ? found : undefined
  }
  let isTold = false
  const series = snapshot.series.flatMap((one): Series[] => {
    const { values } = one
    const asked = callsOf(one)
    if (asked === undefined) return [one]
    const askedAt = (index: number): number => asked.values[index] as number
    if (meaningOf(one) === 'availability' && one.unit === '%') {
      isTold = true
      const failedAt = (index: number): number =>
        Math.round((1 - (values[index] as number) / 100) * askedAt(index))
      if (seed === 3) return [asTotal(one, `${FAILED}_total`, failedAt)]
      if (seed === 2)
        return [{ ...one, name: FAILED_SHARE, unit: '1', values: values.map((v) => 1 - v / 100) }]
      return [{ ...one, name: FAILED, unit: '1', agg: 'sum', values: values.map((_, at) => failedAt(at)) }]
    }
    if (seed !== 3) return [one]
    if (one === asked) return [asTotal(one, 'http_requests_total', askedAt)]
    if (meaningOf(one) !== 'latency' || one.unit !== 's') return [one]
    if (one.agg !== 'avg') return []
    const took = (index: number): number => (values[index] as number) * askedAt(index)
    return [
      asTotal(one, 'http_request_duration_seconds_sum', took),
      asTotal(one, 'http_request_duration_seconds_count', askedAt),
    ]
  })
  if (!isTold) return null
  const named = seed === 3 ? `${FAILED}_total` : seed === 2 ? FAILED_SHARE : FAILED
  return {
    ...snapshot,
    series,
    alerts: snapshot.alerts.map((alert) => {
      const { meaning } = readMetricName(alert.metric ?? '')
      if (meaning === 'availability') return { ...alert, metric: named }
      return seed === 3 && meaning === 'latency'
        ? { ...alert, metric: 'http_request_duration_seconds' }
        : alert
    }),
  }
}

/** What is above zero alone, as tools tell it that write down nothing for nothing; none where all is zero. */
function withoutZeros(series: Series): Series[] {
  const isKept = Array.from(series.values, (value) => value > 0)
  if (!isKept.includes(true)) return []
  return [
    {
      ...series,
      times: series.times.filter((_, index) => isKept[index]),
      values: series.values.filter((_, index) => isKept[index]),
    },
  ]
}

/** A total from its first call on, as client libraries have it for a label that nothing had yet. */
function sinceFirst(total: Series): Series[] {
  const first = total.values.findIndex((value) => value > 0)
  return first < 0 ? [] : [{ ...total, times: total.times.slice(first), values: total.values.slice(first) }]
}

/**
 * What further tools tell where others tell the share that is answered, in percent: for the first seed a total for each status
 * that calls ended with, of failed ones from the first on, beside those of the calls that the entity makes itself; for the second how
 * many were answered; for the third rates, nothing where none failed. Null as `failuresCounted`.
 */
export function outcomesCounted(snapshot: Snapshot, seed: number): Snapshot | null {
  const meaningOf = ({ name }: Series): string => readMetricName(name).meaning
  const isShare = (series: Series): boolean => meaningOf(series) === 'availability' && series.unit === '%'
  const shares = new Map(snapshot.series.filter(isShare).map((one) => [one.entity, one]))
  let isTold = false
  const series = snapshot.series.flatMap((calls): Series[] => {
    const share = shares.get(calls.entity)
    if (share === undefined) return [calls]
    if (isShare(calls)) return []
    if (meaningOf(calls) !== 'throughput' || calls.agg !== 'sum' || calls.interval_s === undefined)
      return [calls]
    isTold = true
    const seconds = calls.interval_s
    const failed = calls.values.map((asked, index) =>
      Math.round((1 - (share.values[index] as number) / 100) * asked),
    )
    const askedAt = (index: number): number => calls.values[index] as number
    const failedAt = (index: number): number => failed[index] as number
    const answeredAt = (index: number): number => askedAt(index) - failedAt(index)
    const { unit: _, agg: __, ...bare } = calls
    const ofStatus = (labels: Series['labels'], at: (index: number) => number): Series => ({
      ...asTotal(calls, 'http_requests_total', at),
      labels,
    })
    if (seed === 1)
      return [
        ofStatus({ code: '200', direction: 'inbound' }, answeredAt),
        ...sinceFirst(ofStatus({ code: '503', direction: 'inbound' }, failedAt)),
        // Of what it asks for itself half fails at all times: that is no end of its own calls.
        ofStatus({ code: '200', direction: 'outbound' }, askedAt),
        ofStatus({ code: '503', direction: 'outbound' }, askedAt),
      ]
    if (seed === 2)
      return [
        { ...calls, name: 'requests_count' },
        {
          ...calls,
          name: 'requests_succeeded',
          values: calls.values.map((_value, index) => answeredAt(index)),
        },
      ]
    const rate = (name: string, at: (index: number) => number): Series => ({
      ...{ ...bare, name, type: 'rate' },
      values: calls.values.map((_value, index) => at(index) / seconds),
    })
    return [rate('requests_per_second', askedAt), ...withoutZeros(rate('errors_per_second', failedAt))]
  })
  if (!isTold) return null
  const named = ['http_requests_total', 'requests_succeeded', 'errors_per_second'][seed - 1] as string
  return {
    ...snapshot,
    series,
    alerts: snapshot.alerts.map((alert) =>
      readMetricName(alert.metric ?? '').meaning === 'availability' ? { ...alert, metric: named } : alert,
    ),
  }
}

/**
 * Each window asked for by itself, as tools are that answer one question with one stretch of time: the incident's and each
 * baseline's samples come as series of their own, and as `untold` for the second and third seed; null where no baseline is
 * declared.
 */
export function askedByWindow(snapshot: Snapshot, seed: number): Snapshot | null {
  if (snapshot.baselines.length === 0) return null
  const windows = [{ ...snapshot.window, name: 'incident' }, ...snapshot.baselines]
  const apart = {
    ...snapshot,
    series: snapshot.series.flatMap((series) =>
      windows.flatMap(({ name, from, to }): Series[] => {
        const isIn = Array.from(series.times, (at) => at >= from && at < to)
        if (!isIn.includes(true)) return []
        const times = series.times.filter((_, index) => isIn[index])
        return [
          { ...series, window_of: name, times, values: series.values.filter((_, index) => isIn[index]) },
        ]
      }),
    ),
  }
  return seed === 1 ? apart : untold(apart, seed - 1)
}

/** Every value times a normal chance about one; shares, which stay within what they are of, are left. */
export function withNoise(snapshot: Snapshot, spread: number, seed: number): Snapshot {
  const chance = chances(seed)
  // Box and Muller (1958).
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(chance() + Number.EPSILON)) * Math.cos(2 * Math.PI * chance())
  return {
    ...snapshot,
    series: snapshot.series.map((series) =>
      series.unit === '%'
        ? series
        : { ...series, values: series.values.map((value) => value * (1 + spread * normal())) },
    ),
  }
}

/** The records of every list in another order. */
export const permuted = (snapshot: Snapshot, seed: number): Snapshot => ({
  ...snapshot,
  sources: shuffled(snapshot.sources, seed),
  ...Object.fromEntries(
    RECORD_LISTS.map((list, index) => [list, shuffled<unknown>(snapshot[list], seed + index + 1)]),
  ),
})

/** Replaces in every text of a value; keys and typed arrays are left. */
function mapTexts<Value>(value: Value, replace: (text: string) => string): Value {
  const known = new Map<string, string>()
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') {
      let out = known.get(part)
      if (out === undefined) {
        out = replace(part)
        known.set(part, out)
      }
      return out
    }
    if (part instanceof Float64Array || part === null || typeof part !== 'object') return part
    if (Array.isArray(part)) return part.map(walk)
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]))
  }
  return walk(value) as Value
}

/** Every entity that a record names. */
export function entitiesOf(snapshot: Snapshot): readonly string[] {
  const names = new Set<string>()
  for (const { name } of snapshot.entities) names.add(name)
  for (const { service } of snapshot.alerts) if (service !== undefined) names.add(service)
  for (const { entity } of snapshot.series) names.add(entity)
  for (const { caller, callee } of snapshot.edges) names.add(caller).add(callee)
  for (const { service } of snapshot.spans) names.add(service)
  for (const { service } of snapshot.logs) names.add(service)
  for (const { entity } of snapshot.changes) if (entity !== undefined) names.add(entity)
  for (const { service } of snapshot.patterns) names.add(service)
  return [...names].sort()
}

/** As long as the word itself, so that what is cut at a length is cut at the same place; large letters stay large. */
const pseudonym = (word: string): string => {
  const digest = createHash('sha256').update(`rename|${word.toLowerCase()}`).digest()
  return [...digest.subarray(0, word.length)]
    .map((byte, at) => {
      const letter = 'bcdfghjklmnpqrstvwxz'.charAt(byte % 20)
      return /[A-Z]/.test(word.charAt(at)) ? letter.toUpperCase() : letter
    })
    .join('')
}

/** How texts write a part of a name: as it is, in small letters, as the head of a sentence or of an identifier, in capitals. */
const spellings = (part: string): readonly string[] => {
  const small = part.toLowerCase()
  return [part, small, small.charAt(0).toUpperCase() + small.slice(1), small.toUpperCase()]
}

/** Parts of names that are words of the trade, which the engine may know, or too short to rename safely. */
const KEPT =
  /^(service|services|svc|server|client|api|app|db|database|databases|cache|queue|worker|gateway|proxy|web|prod|remote|node|host|container|function|table|lambda|stage|state|machine|query|user|users|order|orders|data|search|index|stream|metric|metrics|log|logs|logging|connection|pool|storage|disk|cluster|region|east|west|north|south|line|provider|resolver|name|notification|simple|system|systems|manager|topic|bucket|object|test|amazonaws|aws|http|https|auth|frontend|backend|payment|payments|config|security|file|time|event|events|alert|alerts|error|errors|agent|write|read|update|delete|request|requests|message|status|cpu|memory|network)$/i

/** A name of one word that ends in it is known by the word before as well: code of `ordersservice` lies in a folder `orders`. */
const WITH_STEM = /^([A-Za-z]{4,})service$/i

/** Parts of a name that are renamed: its words that are none of the trade, and its stem, whatever that is. */
function partsOf(name: string): readonly string[] {
  const stem = WITH_STEM.exec(name)?.[1]
  if (stem !== undefined) return [stem]
  return name.split(/[^A-Za-z]+/).filter((part) => part.length >= 4 && !KEPT.test(part))
}

/**
 * A bijection of the parts of entity names onto words that mean nothing, with its inverse. Parts that are words of the
 * trade stay: a rename that turns "cache" into noise would change what is said, not only who is meant.
 */
export function renaming(snapshot: Snapshot): {
  readonly there: Snapshot
  readonly back: (findings: Findings) => Findings
  readonly parts: number
} {
  const table = new Map<string, string>()
  // Every spelling, since one that stayed would tear apart what a log line and a diff say of one thing.
  for (const name of entitiesOf(snapshot))
    for (const part of partsOf(name))
      for (const spelling of spellings(part)) table.set(spelling, pseudonym(spelling))
  // Names of metrics and kinds of sources are vocabulary as well.
  for (const { name } of snapshot.series) for (const part of name.split(/[^A-Za-z]+/)) table.delete(part)
  const inverse = new Map([...table].map(([from, to]) => [to, from]))
  if (inverse.size < table.size) throw new Error('two parts of names have the same pseudonym')
  const by = (words: ReadonlyMap<string, string>): ((text: string) => string) => {
    if (words.size === 0) return (text) => text
    const pattern = new RegExp(
      [...words.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).join('|'),
      'g',
    )
    return (text) => text.replace(pattern, (word) => words.get(word) as string)
  }
  const { format, window, baselines, sources, ...records } = snapshot
  return {
    there: { format, window, baselines, sources, ...mapTexts(records, by(table)) },
    back: (findings) => mapTexts(findings, by(inverse)),
    parts: table.size,
  }
}

/** Series that do nothing but jitter, of entities that nothing else names. */
export function withQuietSeries(snapshot: Snapshot, count: number): Snapshot {
  const like = snapshot.series[0]
  if (like === undefined) return snapshot
  const added = Array.from({ length: count }, (_, index) => {
    let state = index * 7919 + 17
    const values = Float64Array.from(like.times, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return 100 + ((state >>> 16) % 1000) / 500
    })
    return { ...like, entity: `quiet-${index % 20}`, name: `gauge_${index}`, labels: {}, values }
  })
  return { ...snapshot, series: [...snapshot.series, ...added] }
}

/** Common words of log lines, each with another way to say it. */
const PARAPHRASES: Readonly<Record<string, string>> = {
  failed: 'did not succeed',
  failure: 'fault',
  unable: 'not able',
  request: 'call',
  retrying: 'trying again',
  response: 'reply',
  processing: 'handling',
  process: 'handle',
  received: 'got',
  while: 'when',
  during: 'in the course of',
  calling: 'asking',
  fetch: 'get',
  started: 'begun',
  waiting: 'holding on',
  completed: 'done',
}

/** The same log lines in other words. */
export function paraphrased(snapshot: Snapshot): Snapshot {
  const pattern = new RegExp(`\\b(${Object.keys(PARAPHRASES).join('|')})\\b`, 'gi')
  const say = (text: string): string =>
    text.replace(pattern, (word) => PARAPHRASES[word.toLowerCase()] as string)
  return {
    ...snapshot,
    logs: snapshot.logs.map((line) => ({ ...line, message: say(line.message) })),
    patterns: snapshot.patterns.map((one) => ({ ...one, signature: say(one.signature) })),
  }
}

/** Identifiers of several parts in diffs, renamed one to one; paths and the telemetry stay. */
export function identifiersRenamed(snapshot: Snapshot): Snapshot {
  const rename = (diff: string): string =>
    diff
      .split('\n')
      .map((line) =>
        /^(diff |---|\+\+\+|@@|index )/.test(line)
          ? line
          : line.replace(/\b([a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[a-z]+_[a-z_]+)\b/g, (word) =>
              /[A-Z]/.test(word.charAt(0)) ? `Q${pseudonym(word)}` : `q${pseudonym(word)}`,
            ),
      )
      .join('\n')
  return {
    ...snapshot,
    changes: snapshot.changes.map((change) =>
      typeof change.diff === 'string' ? { ...change, diff: rename(change.diff) } : change,
    ),
  }
}

const changed = (snapshot: Snapshot, edit: (change: Change) => Change | null): Snapshot => ({
  ...snapshot,
  changes: snapshot.changes.flatMap((change) => edit(change) ?? []),
})

/** What a diff touches stays, what it does goes: only a comment changes. */
export const neutralised = (snapshot: Snapshot, culprit: string): Snapshot =>
  changed(snapshot, (change) => {
    if (change.id !== culprit) return change
    const [file = 'README.md'] = change.files ?? []
    return {
      ...change,
      title: 'Reword a comment',
      diff: `--- a/${file}\n+++ b/${file}\n@@ -1,2 +1,2 @@\n-// the old words\n+// the new words\n`,
    }
  })

/** Two changes exchange their content; ids, times and rollouts stay. */
export function exchanged(snapshot: Snapshot, one: string, other: string): Snapshot {
  const content = (id: string): Partial<Change> => {
    const change = snapshot.changes.find((candidate) => candidate.id === id)
    return {
      ...(change?.title === undefined ? {} : { title: change.title }),
      ...(change?.files === undefined ? {} : { files: change.files }),
      ...(change?.diff === undefined ? {} : { diff: change.diff }),
    }
  }
  return changed(snapshot, (change) =>
    change.id === one
      ? { ...change, ...content(other) }
      : change.id === other
        ? { ...change, ...content(one) }
        : change,
  )
}

/** The culprit squashed into one change with so many innocent ones, which are taken from elsewhere. */
export const squashed = (snapshot: Snapshot, culprit: string, innocent: readonly Change[]): Snapshot =>
  changed(snapshot, (change) =>
    change.id === culprit
      ? {
          ...change,
          title: 'Weekly merge',
          files: [...innocent.flatMap((one) => one.files ?? []), ...(change.files ?? [])],
          diff: [...innocent.map((one) => one.diff ?? ''), change.diff ?? ''].join('\n'),
        }
      : change,
  )

/** The culprit's files under a path that belongs to no service. */
export const movedToSharedPath = (snapshot: Snapshot, culprit: string): Snapshot =>
  changed(snapshot, (change) => {
    if (change.id !== culprit) return change
    let diff = change.diff ?? ''
    const files = (change.files ?? []).map((path) => {
      const moved = `libs/shared/${path.split('/').at(-1) ?? path}`
      diff = diff.replaceAll(path, moved)
      return moved
    })
    return { ...change, files, diff }
  })

/** No rollout carries the culprit any more. */
export const withoutDeploy = (snapshot: Snapshot, culprit: string): Snapshot =>
  changed(snapshot, (change) => {
    if (!(change.carries ?? []).includes(culprit)) return change
    const carries = (change.carries ?? []).filter((id) => id !== culprit)
    return carries.length === 0 ? null : { ...change, carries }
  })

/** The culprit and its rollouts take effect only at the given instant. */
export const movedTo = (snapshot: Snapshot, culprit: string, at: number): Snapshot =>
  changed(snapshot, (change) =>
    change.id === culprit || (change.carries ?? []).includes(culprit)
      ? {
          ...change,
          recorded_at: at,
          ...(change.effective_at === undefined ? {} : { effective_at: { from: at, to: at } }),
        }
      : change,
  )

/** Changes of another case, moved so that they end before this case's first sample that may be off. */
export function grafted(
  snapshot: Snapshot,
  changes: readonly Change[],
  entity: string,
  before: number,
): Snapshot {
  const last = changes.reduce((latest, change) => Math.max(latest, change.recorded_at), 0)
  const shift = before - 60_000 - last
  const source = snapshot.sources[0]?.id ?? 'graft'
  return {
    ...snapshot,
    changes: [
      ...snapshot.changes,
      ...changes.map((change) => ({
        ...change,
        source,
        recorded_at: change.recorded_at + shift,
        ...(change.effective_at === undefined
          ? {}
          : { effective_at: { from: change.effective_at.from + shift, to: change.effective_at.to + shift } }),
        ...(change.entity === undefined ? {} : { entity }),
      })),
    ],
  }
}

/** The telemetry of one case with the changes of another, moved in time so that they lie as they did. */
export function swapped(telemetry: Snapshot, other: Snapshot): Snapshot {
  const shift =
    (telemetry.alerts[0]?.fired_at ?? telemetry.window.to) - (other.alerts[0]?.fired_at ?? other.window.to)
  const source = telemetry.sources[0]?.id ?? 'swap'
  return {
    ...telemetry,
    changes: other.changes.map((change) => ({
      ...change,
      source,
      recorded_at: change.recorded_at + shift,
      ...(change.effective_at === undefined
        ? {}
        : { effective_at: { from: change.effective_at.from + shift, to: change.effective_at.to + shift } }),
    })),
  }
}
