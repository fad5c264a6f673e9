/**
 * What two versions of one service do side by side, at the same time.
 *
 * Method: while a rollout is under way or kept partial, both versions see the same callers, dependencies and hour; what
 * only one of them does is its own (the comparison that canary analysis rests on: Davidovič and Beyer, "Canary Analysis
 * Service", ACM Queue 16(1), 2018). Failing spans are compared by a two-proportion z test, series by the robust
 * distance of their medians.
 */
import type { EntityNames } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series, Snapshot, Window } from '../records/snapshot.ts'
import { MAD_TO_SIGMA, median, medianAbsoluteDeviation, round6 } from '../statistics.ts'
import { readMetricName } from './metric-meaning.ts'
import { keptByName } from './metric-words.ts'
import { asRate, lowerBound } from './series-shift.ts'

/** Where the conventions of OpenTelemetry, Kubernetes and Prometheus put the version of what runs. */
const VERSION_LABEL =
  /^(version|service_version|app_version|app_kubernetes_io_version|label_version|image_tag|build_version|release|revision)$/
/** Labels that tell one copy from another, which a version's level does not depend on. */
const COPY_LABEL =
  /^(pod|instance|container|node|host|replica|worker|task|broker|member|uid|k8s_pod_name|service_instance_id)$/
/** Samples of each version below which a level is chance. */
const LEAST_SAMPLES = 5
/** Spans of each version below which a share is chance: the rule of thumb for a normal approximation. */
const LEAST_SPANS = 30
/** Standard errors between the versions: one false contrast in some 30,000 comparisons. */
const LEAST_Z = 4
/** The worse version's level against the better one's, below which the difference harms nobody. */
const LEAST_RATIO = 1.5
/** Share of the level below which a spread is rounding, and the smallest spread at all. */
const RELATIVE_FLOOR = 0.02
const ABSOLUTE_FLOOR = 1e-6

export interface VersionContrast {
  readonly entity: string
  /** `spans` that fail, or the name of a series. */
  readonly what: string
  readonly worse: string
  readonly better: string
  readonly worse_level: number
  readonly better_level: number
  /** Samples or spans of the worse and of the better version. */
  readonly counts: readonly [worse: number, better: number]
  readonly z: number
  readonly source: string
  readonly query?: string
}

const wordOf = (label: string): string => label.toLowerCase().replace(/[^a-z\d]+/g, '_')

/** Whether a label says which version of it something is of. */
export const isOfVersion = keptByName((label) => VERSION_LABEL.test(wordOf(label)))

/** Whether a label tells one copy of it from another. */
export const isOfCopy = keptByName((label) => COPY_LABEL.test(wordOf(label)))

/** The version that labels name; null where none does. */
export function versionOf(labels: Readonly<Record<string, unknown>>): string | null {
  for (const name in labels) {
    if (!isOfVersion(name)) continue
    const value = labels[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

interface Samples {
  readonly times: number[]
  readonly values: number[]
  readonly source: string
  readonly query: string | undefined
}

/** Series of the same thing by version. */
interface Measured {
  readonly entity: string
  readonly what: string
  readonly unit: string | undefined
  readonly byVersion: Map<string, Series[]>
}

/** Errors as a share and latencies: a plain count differs with the share of the traffic that a version gets. */
const isComparable = ({ name, unit }: Series): boolean =>
  readMetricName(name).meaning === 'latency' || /ratio|share|percent|pct/i.test(name) || unit === '%'

/** Whether a name is of errors or of latency. */
function mayBeComparable(name: string): boolean {
  const { meaning, bad } = readMetricName(name)
  return bad === 'up' && (meaning === 'latency' || meaning === 'errors')
}

function measuredByVersion(snapshot: Snapshot, names: EntityNames): readonly Measured[] {
  const groups = new Map<string, Measured>()
  for (const series of seriesNamed(snapshot.series, mayBeComparable)) {
    const version = versionOf(series.labels)
    if (version === null || !isComparable(series)) continue
    const rest = Object.entries(series.labels)
      .filter(([name]) => !isOfVersion(name) && !isOfCopy(name))
      .sort(([a], [b]) => compareText(a, b))
    const entity = names.canonical(series.entity)
    const key = JSON.stringify([entity, series.name, rest])
    const group = groups.get(key) ?? { entity, what: series.name, unit: series.unit, byVersion: new Map() }
    groups.set(key, group)
    const known = group.byVersion.get(version)
    if (known === undefined) group.byVersion.set(version, [series])
    else known.push(series)
  }
  return [...groups.values()]
}

/** What was measured in a window of the series of one version, one after the other; there is one of them at least. */
function samplesOf(list: readonly Series[], window: Window): Samples {
  const [first] = list
  const samples: Samples = { times: [], values: [], source: first?.source ?? '', query: first?.query }
  for (const series of list) {
    const { times, values } = asRate(series)
    const to = lowerBound(times, window.to)
    for (let index = lowerBound(times, window.from); index < to; index++) {
      const value = values[index] as number
      if (!Number.isFinite(value)) continue
      samples.times.push(times[index] as number)
      samples.values.push(value)
    }
  }
  return samples
}

const spreadOf = (values: readonly number[], middle: number): number =>
  Math.max(medianAbsoluteDeviation(values) * MAD_TO_SIGMA, Math.abs(middle) * RELATIVE_FLOOR, ABSOLUTE_FLOOR)

/** Share of failed requests by which versions must differ before anybody notices: the least usual error budget is a tenth of it. */
const LEAST_SHARE = 0.01

/** What lies between two instants; copies of one version report on their own, so times need not ascend. */
function between({ times, values }: Samples, from: number, to: number): readonly number[] {
  const found: number[] = []
  for (let index = 0; index < values.length; index++) {
    const at = times[index] as number
    if (at >= from && at <= to) found.push(values[index] as number)
  }
  return found
}

/** Two versions side by side: only while both ran, since what came one after the other met different hours. */
function contrastOfPair(
  { entity, what, unit }: Measured,
  [version, one]: readonly [string, Samples],
  [otherVersion, other]: readonly [string, Samples],
): VersionContrast | null {
  const from = Math.max(Math.min(...one.times), Math.min(...other.times))
  const to = Math.min(Math.max(...one.times), Math.max(...other.times))
  const [own, others] = [between(one, from, to), between(other, from, to)]
  if (own.length < LEAST_SAMPLES || others.length < LEAST_SAMPLES) return null
  const [level, better] = [median(own), median(others)]
  const z = (level - better) / Math.hypot(spreadOf(own, level), spreadOf(others, better))
  const least = readMetricName(what).meaning === 'errors' ? LEAST_SHARE * (unit === '%' ? 100 : 1) : 0
  if (z < LEAST_Z || level < LEAST_RATIO * better || level - better < least) return null
  return {
    entity,
    what,
    worse: version,
    better: otherVersion,
    worse_level: level,
    better_level: better,
    counts: [own.length, others.length],
    z: round6(z),
    source: one.source,
    ...(one.query === undefined ? {} : { query: one.query }),
  }
}

/** The pair of versions that differ most; most things run in one version, of which nothing need be read. */
function contrastOfSeries(measured: Measured, window: Window): VersionContrast | null {
  if (measured.byVersion.size < 2) return null
  const versions = [...measured.byVersion].map(
    ([version, list]) => [version, samplesOf(list, window)] as const,
  )
  const pairs = versions.flatMap((one) =>
    versions.flatMap((other) => (one === other ? [] : (contrastOfPair(measured, one, other) ?? []))),
  )
  return (
    pairs.sort(
      (a, b) =>
        b.z - a.z ||
        b.worse_level - a.worse_level ||
        a.better_level - b.better_level ||
        compareText(`${a.worse} ${a.better}`, `${b.worse} ${b.better}`),
    )[0] ?? null
  )
}

const FAILED = /^(error|status_code_error|failed|2)$/i

function contrastsOfSpans(
  snapshot: Snapshot,
  names: EntityNames,
  window: Window,
): readonly VersionContrast[] {
  type Count = { all: number; failed: number; source: string }
  const services = new Map<string, Map<string, Count>>()
  for (const span of snapshot.spans) {
    if (span.attributes === undefined || span.start < window.from || span.start >= window.to) continue
    const version = versionOf(span.attributes)
    if (version === null) continue
    const entity = names.canonical(span.service)
    const versions = services.get(entity) ?? new Map<string, Count>()
    services.set(entity, versions)
    const count = versions.get(version) ?? { all: 0, failed: 0, source: span.source }
    versions.set(version, count)
    count.all += 1
    if (FAILED.test(span.status)) count.failed += 1
  }
  return [...services].flatMap(([entity, versions]) => {
    const ordered = [...versions]
      .filter(([, { all }]) => all >= LEAST_SPANS)
      .sort(([v, a], [w, b]) => b.failed / b.all - a.failed / a.all || compareText(v, w))
    const [worst, best] = [ordered[0], ordered.at(-1)]
    if (worst === undefined || best === undefined) return []
    const [[worse, one], [better, other]] = [worst, best]
    const [p, q] = [one.failed / one.all, other.failed / other.all]
    const pooled = (one.failed + other.failed) / (one.all + other.all)
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / one.all + 1 / other.all))
    const z = error === 0 ? 0 : (p - q) / error
    if (z < LEAST_Z || p < LEAST_RATIO * q) return []
    return [
      {
        entity,
        what: 'spans',
        worse,
        better,
        worse_level: p,
        better_level: q,
        counts: [one.all, other.all] as const,
        z: round6(z),
        source: one.source,
      },
    ]
  })
}

/**
 * Contrasts between versions that ran at the same time within a window, strongest first; none where nothing says which
 * version a series or a span is of.
 */
export function contrastVersions(
  snapshot: Snapshot,
  names: EntityNames,
  window: Window,
): readonly VersionContrast[] {
  const found = [
    ...contrastsOfSpans(snapshot, names, window),
    ...measuredByVersion(snapshot, names).flatMap((group) => contrastOfSeries(group, window) ?? []),
  ]
  return found.sort(
    (a, b) =>
      b.z - a.z ||
      compareText(a.entity, b.entity) ||
      compareText(a.what, b.what) ||
      compareText(a.worse, b.worse),
  )
}

/** Hashes are cut short by tools; this many characters still tell two apart. */
const LEAST_PREFIX = 7

/** Whether two tools mean the same version: `v42` and `42`, or a hash and its beginning. */
export function isSameVersion(a: string | undefined, b: string): boolean {
  if (a === undefined) return false
  const [one, other] = [a, b].map((text) => text.replace(/^.*[:@]/, '').replace(/^v(?=\d)/i, '')) as [
    string,
    string,
  ]
  if (one === other) return true
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= LEAST_PREFIX && /^[\da-f]+$/i.test(short) && long.startsWith(short)
}
