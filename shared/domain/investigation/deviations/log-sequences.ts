/**
 * Log lines that a span's work always writes and now does not: where the code takes another way.
 *
 * Method: lines are joined to their spans by trace and span id. In normal time one learns for every place of work
 * (service, operation above, operation) which line follows which within the span; a pair that held in at least four
 * of five is an expectation. Where the incident breaks it more often than normal time, the break counts by its
 * two-proportion z times the drop. A break is explained away when a span below it, at another service, is broken
 * too: its caller only reacts. Related: event patterns of Nezha (Yu et al., FSE 2023), here with pairs instead of
 * mined graphs. The order within one millisecond is not relied upon.
 */
import { compareText, severityReader } from '../records/log-templates.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import type { SpanNode, SpanTree } from './span-tree.ts'

/** Share of spans in normal time from which a pair is an expectation. */
const EXPECTED = 0.8
/** Spans of normal time from which a share means something. */
const LEAST_SPANS = 3
/** Drop of that share below which nothing is said. */
const LEAST_DROP = 0.2
/** Different lines of one span that are looked at: a loop writes the same ones again. */
const MOST_EVENTS = 24
/** A break below explains one above it when it is at least this share as strong. */
const EXPLAINS = 0.5
/** Words of a line that make its kind; what follows is mostly data. */
const MOST_WORDS = 12
/** Ancestors that one break explains, so that a cycle of spans ends. */
const MOST_ABOVE = 60

export interface BrokenSequence {
  readonly service: string
  readonly operation: string
  /** The line that is there, `null` for the beginning of the span. */
  readonly after: string | null
  /** Null where nothing is missing but an error is new. */
  readonly expected: string | null
  /** A line of an error that came instead. */
  readonly instead: string | null
  readonly score: number
  readonly broken: number
  readonly spans: number
  readonly normal_share: number
  readonly normal_spans: number
  readonly first_seen: number
  readonly source: string
}

const IDS = /\b(trace|span)[_ -]?id\W{0,3}\S+/gi
/** A date with a time or a time alone; both begin with two digits, so that one look at a character passes over most. */
const TIMES = /\d\d(?:\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|(?<=\b..):\d\d:\d\d[.\d,]*)/g
const TAIL = /[{=<(]|: \S|:\s*$/
const NUMBERS = /(?<![#\w])\d[\w.:,-]*/g

/** Characters of a line within which its first words lie; lines of tools that write whole objects go on for thousands. */
const FIRST_WORDS = 400

/** A line up to where data begin, without times and the ids of spans: many lines share few such beginnings. */
function headOf(message: string): string {
  const bare = message.slice(0, FIRST_WORDS).replace(IDS, ' ').replace(TIMES, ' ')
  return bare.slice(0, Math.max(0, bare.search(TAIL)) || bare.length)
}

/** Reads the kinds of lines: their first words up to where data begin; each beginning of a line is read once. */
export function kindReader(): (message: string) => string {
  const known = new Map<string, string>()
  return (message) => {
    const head = headOf(message)
    const before = known.get(head)
    if (before !== undefined) return before
    const kind = head.replace(NUMBERS, '*').trim().split(/\s+/, MOST_WORDS).join(' ')
    known.set(head, kind)
    return kind
  }
}

interface Event {
  readonly kind: string
  first: number
  last: number
  readonly is_error: boolean
}
type Events = ReadonlyMap<string, Event>
interface Work {
  readonly node: SpanNode
  readonly place: string
  readonly events: Events
  readonly source: string
}

const START = ''
const BEGINNING = { kind: START, first: Number.NEGATIVE_INFINITY }

type Expectations = Map<string, { count: number; after: Map<string, number> }>

/** What was expected, and the work of the incident that did not do it. */
interface Break {
  readonly before: string
  /** Null where nothing is missing but an error is new. */
  readonly expected: string | null
  readonly instead: string | null
  readonly share: number
  readonly normal: number
  total: number
  readonly broken: Work[]
}
type Pair = Break & { readonly expected: string }

/** Broken expectations, strongest first, at most one for each service. */
export function findBrokenSequences(snapshot: Snapshot, tree: SpanTree): readonly BrokenSequence[] {
  const works = worksOf(snapshot, tree)
  if (works.length === 0) return []
  const seen = expectationsOf(works)
  const breaks: Break[] = []
  for (const [place, list] of workDuring(works, seen))
    breaks.push(...breaksAmong(list, seen.get(place) as Expectations))
  const below = strengthBelow(breaks)
  const errorKinds = new Set<string>()
  for (const work of works)
    for (const event of work.events.values()) if (event.is_error) errorKinds.add(event.kind)
  const best = new Map<string, BrokenSequence>()
  for (const found of breaks) {
    const entry = unexplainedPart(found, below, errorKinds)
    if (entry === null) continue
    const known = best.get(entry.service)
    if (known === undefined || compareBreaks(entry, known) < 0) best.set(entry.service, entry)
  }
  return [...best.values()].sort((a, b) => compareBreaks(a, b) || compareText(a.service, b.service))
}

/** What follows what in normal time: by place, then "line before, line after", counted once for each span. */
function expectationsOf(works: readonly Work[]): ReadonlyMap<string, Expectations> {
  const seen = new Map<string, Expectations>()
  for (const work of works) {
    if (!work.node.is_normal) continue
    let place = seen.get(work.place)
    if (place === undefined) {
      place = new Map()
      seen.set(work.place, place)
    }
    const own = [...work.events.values()]
    for (const { kind: before, first } of [BEGINNING, ...own]) {
      let entry = place.get(before)
      if (entry === undefined) {
        entry = { count: 0, after: new Map() }
        place.set(before, entry)
      }
      entry.count++
      for (const event of own)
        if (event.last >= first) entry.after.set(event.kind, (entry.after.get(event.kind) ?? 0) + 1)
    }
  }
  return seen
}

/** The work of the incident by its place, where work was seen there in normal time. */
function workDuring(
  works: readonly Work[],
  seen: ReadonlyMap<string, Expectations>,
): ReadonlyMap<string, readonly Work[]> {
  const during = new Map<string, Work[]>()
  for (const work of works)
    if (!work.node.is_normal && seen.has(work.place)) {
      const list = during.get(work.place)
      if (list === undefined) during.set(work.place, [work])
      else list.push(work)
    }
  return during
}

/** What the work of one place did not do that it did before, and the errors that are new of it. */
function breaksAmong(list: readonly Work[], expectations: Expectations): readonly Break[] {
  const usual = usualPairs(expectations)
  for (const work of list)
    for (const before of [START, ...work.events.keys()])
      for (const pair of usual.get(before) ?? []) {
        pair.total++
        if (!work.events.has(pair.expected)) pair.broken.push(work)
      }
  return [...[...usual.values()].flat(), ...newErrors(list, expectations)].filter(
    ({ broken }) => broken.length > 0,
  )
}

/** An error that this work seldom logged before is a break as well, though nothing else is missing. */
function newErrors(list: readonly Work[], expectations: Expectations): readonly Break[] {
  const begun = expectations.get(START)
  const normal = begun?.count ?? 0
  if (normal < LEAST_SPANS) return []
  const unusual = new Map<string, Break>()
  for (const work of list)
    for (const { kind, is_error: isError } of work.events.values()) {
      if (!isError) continue
      const share = (begun?.after.get(kind) ?? 0) / normal
      if (share > 1 - EXPECTED) continue
      const found: Break = unusual.get(kind) ?? {
        ...{ before: START, expected: null, instead: kind, share: 1 - share, normal },
        ...{ total: list.length, broken: [] },
      }
      unusual.set(kind, found)
      found.broken.push(work)
    }
  return [...unusual.values()]
}

/** How strongly something below each span, at another service, is broken. */
function strengthBelow(breaks: readonly Break[]): ReadonlyMap<SpanNode, number> {
  const strength = new Map<SpanNode, number>()
  for (const found of breaks) {
    const score = scoreOf(found, found.broken.length)
    if (score === 0) continue
    for (const { node } of found.broken) strength.set(node, Math.max(strength.get(node) ?? 0, score))
  }
  const below = new Map<SpanNode, number>()
  for (const [node, score] of strength) {
    let above = node.parent
    for (let steps = 0; above !== null && steps < MOST_ABOVE; steps++) {
      if (above.span.service !== node.span.service) below.set(above, Math.max(below.get(above) ?? 0, score))
      above = above.parent
    }
  }
  return below
}

/**
 * A break as far as nothing below explains it; null where nothing of it is left, or it is only that an error stopped coming.
 *
 * @param below - how strongly something below each span is broken
 * @param errorKinds - all errors that were logged, before and during the incident
 */
function unexplainedPart(
  found: Break,
  below: ReadonlyMap<SpanNode, number>,
  errorKinds: ReadonlySet<string>,
): BrokenSequence | null {
  const raw = scoreOf(found, found.broken.length)
  const unexplained = found.broken.filter((work) => (below.get(work.node) ?? 0) < EXPLAINS * raw)
  const [some] = unexplained
  const score = scoreOf(found, unexplained.length)
  if (some === undefined || score === 0) return null
  const first = unexplained.reduce((least, work) =>
    work.node.span.start < least.node.span.start ? work : least,
  )
  const errors = unexplained
    .flatMap(({ events }) => [...events.values()].filter((event) => event.is_error).map(({ kind }) => kind))
    .sort(compareText)
  if (found.expected !== null && errorKinds.has(found.expected) && errors.length === 0) return null
  return {
    service: some.node.span.service,
    operation: some.node.span.name,
    after: found.before === START ? null : found.before,
    expected: found.expected,
    instead: found.instead ?? errors[0] ?? null,
    score,
    broken: unexplained.length,
    spans: found.total,
    normal_share: found.share,
    normal_spans: found.normal,
    first_seen: first.node.span.start,
    source: first.source,
  }
}

/** What nearly always followed each line in normal time. */
function usualPairs(expectations: Expectations): ReadonlyMap<string, readonly Pair[]> {
  const pairs = new Map<string, readonly Pair[]>()
  for (const [before, { count, after }] of expectations)
    if (count >= LEAST_SPANS)
      pairs.set(
        before,
        [...after]
          .filter(([, times]) => times / count >= EXPECTED)
          .map(([expected, times]) => ({
            ...{ before, expected, instead: null, share: times / count, normal: count },
            ...{ total: 0, broken: [] },
          })),
      )
  return pairs
}

/** Two-proportion z of so many broken spans against normal time, times the drop; 0 below the least drop. */
function scoreOf(found: Break, broken: number): number {
  const base = 1 - found.share
  const drop = broken / found.total - base
  if (drop < LEAST_DROP) return 0
  // One half is added so that "never in normal time" still has a spread (Agresti and Coull, 1998).
  const smooth = (0.5 + found.normal * base) / (found.normal + 1)
  const spread = Math.sqrt(smooth * (1 - smooth) * (1 / found.total + 1 / found.normal))
  return round6((drop / spread) * drop)
}

const compareBreaks = (a: BrokenSequence, b: BrokenSequence): number =>
  b.score - a.score ||
  b.broken - a.broken ||
  a.first_seen - b.first_seen ||
  compareText(a.after ?? '', b.after ?? '') ||
  compareText(a.expected ?? '', b.expected ?? '') ||
  compareText(a.instead ?? '', b.instead ?? '')

/** What most spans wrote. */
const NOTHING: Events = new Map()

function worksOf(snapshot: Snapshot, tree: SpanTree): readonly Work[] {
  if (tree.nodes.length === 0) return []
  const kindOf = kindReader()
  const severityIn = severityReader()
  const placeOf = placeReader()
  const places = new Map<string, string>()
  const written = new Map<SpanNode, Omit<Work, 'events'> & { readonly events: Map<string, Event> }>()
  for (const line of snapshot.logs) {
    if (line.trace_id === undefined || line.span_id === undefined) continue
    const node = tree.find(line.trace_id, line.span_id)
    if (node === undefined) continue
    let work = written.get(node)
    if (work === undefined) {
      const place = placeOf(node)
      const known = places.get(place)
      if (known === undefined || line.source < known) places.set(place, line.source)
      work = { node, place, events: new Map(), source: line.source }
      written.set(node, work)
    }
    const kind = kindOf(line.message)
    if (kind === '') continue
    const event = work.events.get(kind)
    if (event === undefined)
      work.events.set(kind, {
        kind,
        first: line.timestamp,
        last: line.timestamp,
        is_error: severityIn(line.severity) === 'error',
      })
    else {
      event.first = Math.min(event.first, line.timestamp)
      event.last = Math.max(event.last, line.timestamp)
    }
  }
  if (written.size === 0) return []
  const works: Work[] = []
  for (const work of written.values())
    works.push(work.events.size > MOST_EVENTS ? { ...work, events: firstOf(work.events) } : work)
  // A span that wrote nothing where others write breaks every expectation of its place.
  for (const node of tree.nodes) {
    if (written.has(node)) continue
    const place = placeOf(node)
    const source = places.get(place)
    if (source !== undefined) works.push({ node, place, events: NOTHING, source })
  }
  return works
}

/** The earliest ones, as many as are looked at. */
const firstOf = (events: Events): Events =>
  new Map(
    [...events].sort((a, b) => a[1].first - b[1].first || compareText(a[0], b[0])).slice(0, MOST_EVENTS),
  )

/** Reads where spans work; thousands of them share few places, each of which is written once. */
function placeReader(): (node: SpanNode) => string {
  const known = new Map<string, Map<string, Map<string, string>>>()
  return ({ span, parent }) => {
    const above = parent?.span.service === span.service ? parent.span.name : ''
    const byAbove = known.get(span.service) ?? new Map<string, Map<string, string>>()
    if (byAbove.size === 0) known.set(span.service, byAbove)
    const byName = byAbove.get(above) ?? new Map<string, string>()
    if (byName.size === 0) byAbove.set(above, byName)
    const before = byName.get(span.name)
    if (before !== undefined) return before
    const place = `${span.service}\u0000${above}\u0000${span.name}`
    byName.set(span.name, place)
    return place
  }
}
