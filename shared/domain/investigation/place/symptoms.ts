/**
 * What is observed, as weighted texts: alerts, new or grown failure lines, patterns, failing spans, names of
 * series that moved the wrong way. Scorers of causes compare against these.
 */
import { anyText } from '../any-text.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { FAILURE_WORDS } from '../records/failure-words.ts'
import { shortened } from '../records/log-templates.ts'
import type { KubernetesRecord, LogPattern, Snapshot } from '../records/snapshot.ts'
import type { Observed } from './failing-services.ts'

export interface Symptom {
  readonly text: string
  /** The text with entities' names taken out and numbers kept. */
  readonly plain: string
  readonly entity: string | null
  readonly weight: number
  readonly at: number | null
  readonly count: number
  readonly origin: 'alert' | 'log' | 'pattern' | 'platform' | 'trace' | 'metric'
  readonly source: string
}

/** What happens at a service that another one explains says little about the cause. */
const DOWNSTREAM = 0.2
/** Says that something fails or is slow, not how. */
const PLAIN_METRIC =
  /^(https?_|grpc_|rpc_)?(server_|requests?_|response_)*(4xx|5xx|errors?|error_rate|success|availability|latency|duration)(_?(5xx|4xx|rate|ratio|total|count|pct|percent|p\d+|ms|seconds|avg))*$/i
/** What failed calls are of which the callee, asked and answering as ever, knows nothing; and what that weighs beside a line of a log. */
const GIVEN_UP = 'calls that only their caller counts as failed: timed out or cancelled'
const GIVEN_UP_WEIGHT = 0.8
/**
 * From this weight on a symptom is of the failing place itself: there one line weighs more; what another explains weighs so
 * much from 64 lines alike on.
 */
const OWN = 0.5
/**
 * What an orchestrator says that it could not do, such as to create, mount, pull or start, beside a line of a log.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
const REFUSED_BY_PLATFORM = 0.7
/** How long before the onset it may have said so, ms: what is not started is missed when what was there before ends. */
const SAID_BEFORE_MS = 2 * 60_000
/** A log template counts at most like this many times the weight of one line. */
const MOST = 3

/** A symptom before its text is cut and freed of names. */
type Said = Omit<Symptom, 'plain'>
/** How much what happens at an entity says about the cause, 0 to 1. */
type Nearness = (entity: string) => number

/** Collects the symptoms, heaviest first. */
export function collectSymptoms(
  snapshot: Snapshot,
  observed: Observed,
  names: EntityNames,
): readonly Symptom[] {
  const origins = new Set(observed.unexplained.map((service) => service.entity))
  const first = observed.first?.entity ?? null
  const near: Nearness = (entity) => (entity === first ? 1 : origins.has(entity) ? 0.6 : DOWNSTREAM)
  const said: readonly Said[] = [
    ...alertsOf(snapshot, names),
    ...grownLinesOf(observed, near),
    ...refusalsOf(snapshot, observed, names, near),
    ...patternsOf(snapshot, names, near),
    ...failedSpansOf(observed, near),
    ...givenUpAt(first, observed),
    ...movedSeriesOf(observed, near),
  ]
  return said
    .map((symptom): Symptom => {
      const text = shortened(symptom.text)
      return { ...symptom, text, plain: names.withoutNames(text) }
    })
    .sort(heaviestFirst)
}

const heaviestFirst = (a: Symptom, b: Symptom): number =>
  b.weight - a.weight ||
  (a.at ?? 0) - (b.at ?? 0) ||
  b.count - a.count ||
  (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)

/** What alerts say; one that says nothing beside its name says little. */
const alertsOf = ({ alerts }: Snapshot, names: EntityNames): readonly Said[] =>
  alerts.map((alert) => ({
    text: [alert.name, alert.metric, alert.summary, alert.detail]
      .filter((part) => part !== undefined)
      .join('. '),
    entity: alert.service === undefined ? null : names.canonical(alert.service),
    weight: alert.summary === undefined && alert.detail === undefined ? 0.4 : 1.5,
    at: alert.fired_at,
    count: 1,
    origin: 'alert',
    source: alert.source,
  }))

/** Warnings and errors in logs that are new or more than before. */
const grownLinesOf = ({ templates }: Observed, near: Nearness): readonly Said[] =>
  templates
    .filter(({ severity, change }) => severity !== 'information' && (change === 'new' || change === 'grown'))
    .map((template) => ({
      text: template.example,
      entity: template.service,
      weight: near(template.service) * (template.severity === 'error' ? 1 : 0.8) * lines(template.during),
      at: template.risen_at,
      count: template.during,
      origin: 'log',
      source: template.source,
    }))

/** What an orchestrator says that it could not do. */
const refusalsOf = (
  snapshot: Snapshot,
  observed: Observed,
  names: EntityNames,
  near: Nearness,
): readonly Said[] =>
  [...refusedBy(snapshot, observed)].map(([text, { record, count }]) => {
    const entity = names.canonical(record.name)
    return {
      text,
      entity,
      weight: near(entity) * REFUSED_BY_PLATFORM * lines(count),
      at: record.timestamp,
      count,
      origin: 'platform',
      source: record.source,
    }
  })

/** Patterns of logs that speak of failing and have grown. */
const patternsOf = ({ patterns }: Snapshot, names: EntityNames, near: Nearness): readonly Said[] =>
  patterns
    .filter((pattern) => hasGrown(pattern) && FAILURE_WORDS.test(pattern.signature))
    .map((pattern) => {
      const entity = names.canonical(pattern.service)
      return {
        text: pattern.signature,
        entity,
        weight: near(entity) * 0.7 * lines(pattern.count),
        at: null,
        count: pattern.count,
        origin: 'pattern',
        source: pattern.source,
      }
    })

/** What spans that failed are called, and what is written in them. */
const failedSpansOf = ({ failing }: Observed, near: Nearness): readonly Said[] =>
  failing.flatMap(({ entity, error_spans: spans }) =>
    spans.slice(0, 3).map((span) => {
      const detail = Object.values(span.attributes ?? {}).filter((value) => typeof value === 'string')
      return {
        text: [span.name, ...detail].join(' '),
        entity,
        weight: near(entity) * 0.5,
        at: span.start,
        count: 1,
        origin: 'trace',
        source: span.source,
      }
    }),
  )

/** Calls that the entity which failed first gave up, one symptom for each that it calls. */
const givenUpAt = (first: string | null, { flows, graph, onset }: Observed): readonly Said[] =>
  first === null
    ? []
    : [...flows.values()]
        .filter((flow) => flow.given_up >= 1 && graph.callees.get(first)?.has(flow.entity) === true)
        .map((flow) => ({
          text: GIVEN_UP,
          entity: first,
          weight: GIVEN_UP_WEIGHT,
          at: onset?.at ?? null,
          count: Math.round(flow.given_up),
          origin: 'metric',
          source: flow.source,
        }))

/** Names of series that moved the wrong way, and of all that moved where it failed first. */
function movedSeriesOf({ shifts, first }: Observed, near: Nearness): readonly Said[] {
  const said: Said[] = []
  for (const { series, meaning, is_bad: isBad, onset } of shifts) {
    const isFailure = isBad && meaning.weight >= 0.5
    // What moved without hurting by itself, such as more queries for each request, still hints at how.
    if (!isFailure && (series.entity !== (first?.entity ?? null) || meaning.meaning === 'expiry')) continue
    said.push({
      text: series.name,
      entity: series.entity,
      weight: near(series.entity) * (PLAIN_METRIC.test(series.name) ? 0.15 : isFailure ? 0.5 : 0.4),
      at: onset.at,
      count: 1,
      origin: 'metric',
      source: series.source,
    })
  }
  return said
}

/** What an orchestrator failed at since shortly before the onset, each text once, with its first record and how often. */
function refusedBy(
  { k8s }: Snapshot,
  { onset, normal: { incident } }: Observed,
): ReadonlyMap<string, { readonly record: KubernetesRecord; readonly count: number }> {
  const since = (onset?.earliest ?? incident.from) - SAID_BEFORE_MS
  const said = new Map<string, { record: KubernetesRecord; count: number }>()
  for (const record of k8s) {
    if (record.timestamp < since || record.timestamp >= incident.to || record.message === undefined) continue
    if (!FAILURE_WORDS.test(record.message)) continue
    const text = `${record.name}: ${record.message}`
    const known = said.get(text)
    if (known === undefined) said.set(text, { record, count: record.count ?? 1 })
    else known.count += record.count ?? 1
  }
  return said
}

export const hasGrown = (pattern: LogPattern): boolean =>
  pattern.baseline_count === undefined ? pattern.count > 0 : pattern.count >= 2 * pattern.baseline_count + 1

/** Whether a symptom is of the failing place itself. */
export const isOwn = ({ weight }: Symptom): boolean => weight >= OWN

/** What is said of what fails; an alert names metrics and labels in the same forms. */
const SPOKEN: ReadonlySet<Symptom['origin']> = new Set(['log', 'pattern', 'platform'])

/** Whether the failing place itself wrote it, or who runs it. */
export const isOwnLine = (symptom: Symptom): boolean => SPOKEN.has(symptom.origin) && isOwn(symptom)

const lines = (count: number): number => Math.min(MOST, 1 + Math.log2(Math.max(1, count)) / 4)

type Form = 'plain' | 'text'

/** What was read before of a list in one form. */
interface ReadForm {
  /** Each text once: series of one name that moved at many places are as many symptoms. */
  readonly texts: readonly string[]
  readonly mayMatch: (pattern: RegExp) => boolean
  /** Of each symptom which of these is its. */
  readonly indices: readonly number[]
  /** The weight of all. */
  readonly weight: number
  readonly matched: Map<RegExp, Matched>
}

/** What of a list an expression matches. */
interface Matched {
  /** Share of the weight of all. */
  readonly share: number
  readonly first: Symptom | null
}

/** What was read before of a list, as long as the list itself is kept: many changes may be of one mechanism. */
const readBefore = new WeakMap<readonly Symptom[], Partial<Record<Form, ReadForm>>>()

function readIn(symptoms: readonly Symptom[], form: Form): ReadForm {
  const known = readBefore.get(symptoms) ?? {}
  const before = known[form]
  if (before !== undefined) return before
  const indexOf = new Map<string, number>()
  const indices = symptoms.map((symptom) => {
    const index = indexOf.get(symptom[form]) ?? indexOf.size
    indexOf.set(symptom[form], index)
    return index
  })
  const weight = symptoms.reduce((sum, symptom) => sum + symptom.weight, 0)
  const texts = [...indexOf.keys()]
  const read: ReadForm = { texts, mayMatch: anyText(texts), indices, weight, matched: new Map() }
  readBefore.set(symptoms, { ...known, [form]: read })
  return read
}

/**
 * Share of the weight of all symptoms that the expression matches, 0 to 1; read once for each list.
 * @param form - `plain` where a name might be taken for a word of the matter; `text` where names are part of what is sought
 */
export const shareMatching = (symptoms: readonly Symptom[], pattern: RegExp, form: Form = 'plain'): number =>
  matchedIn(symptoms, pattern, form).share

/** The first symptom whose text without names the expression matches; null where none is. */
export const firstMatching = (symptoms: readonly Symptom[], pattern: RegExp): Symptom | null =>
  matchedIn(symptoms, pattern, 'plain').first

/** What an expression matches that matches none. */
const NONE: Matched = { share: 0, first: null }

/** Of each text whether an expression matches it. */
function eachMatched(texts: readonly string[], pattern: RegExp): readonly boolean[] {
  const found: boolean[] = []
  for (const text of texts) found.push(pattern.test(text))
  return found
}

function matchedIn(symptoms: readonly Symptom[], pattern: RegExp, form: Form): Matched {
  const { texts, mayMatch, indices, weight, matched } = readIn(symptoms, form)
  const before = matched.get(pattern)
  if (before !== undefined) return before
  // Most expressions match nothing of what is observed.
  const isMatched = mayMatch(pattern) ? eachMatched(texts, pattern) : []
  const found = isMatched.includes(true) ? addedUp(symptoms, indices, isMatched, weight) : NONE
  matched.set(pattern, found)
  return found
}

/** Share of the weight of all that those have whose text is matched, and the first of them. */
function addedUp(
  symptoms: readonly Symptom[],
  indices: readonly number[],
  isMatched: readonly boolean[],
  all: number,
): Matched {
  let matching = 0
  let first: Symptom | null = null
  for (let position = 0; position < symptoms.length; position++) {
    if (isMatched[indices[position] as number] !== true) continue
    const symptom = symptoms[position] as Symptom
    matching += symptom.weight
    first ??= symptom
  }
  return { share: all === 0 ? 0 : matching / all, first }
}

const QUOTED = /'([^'\n]{2,60})'|"([^"\n]{2,60})"|`([^`\n]{2,60})`|\[([\w.$-]{2,60})\]/g

/** Without one of these nothing is quoted, as in names of series. */
const MAY_QUOTE = /['"`[]/

/** The first symptom of each text without names: what further ones say is said. */
export function eachText(symptoms: readonly Symptom[]): readonly Symptom[] {
  const said = new Set<string>()
  return symptoms.filter(({ plain }) => said.size < said.add(plain).size)
}

/** Names that a symptom quotes: in quotes, brackets or backticks; what a value in JSON is called is none. */
export function quotedNames(symptoms: readonly Symptom[]): ReadonlyMap<string, Symptom> {
  const names = new Map<string, Symptom>()
  for (const symptom of eachText(symptoms))
    for (const match of MAY_QUOTE.test(symptom.plain) ? symptom.plain.matchAll(QUOTED) : []) {
      const [whole, single, double, tick, bracket] = match
      const key = (single ?? double ?? tick ?? bracket ?? '').toLowerCase()
      const isCalled =
        double !== undefined &&
        /[{,]\s?$/.test(symptom.plain.slice(0, match.index)) &&
        symptom.plain.startsWith(':', match.index + whole.length)
      if (!isCalled && !names.has(key) && !/^<.*>$/.test(key) && !/^\d+$/.test(key)) names.set(key, symptom)
    }
  return names
}
