import { type Collecting, collectSnapshot } from './collect-snapshot.ts'
import { invalidField } from './errors.ts'
import type { Incident } from './incident.ts'
import { readInstant, writeInstant } from './instant.ts'
import { answerListing } from './investigation/answer-listing.ts'
import type { Findings } from './investigation/findings.ts'
import { investigate } from './investigation/investigate.ts'
import { type Question, readQuestion } from './investigation/read-question.ts'
import type { Snapshot, Window } from './investigation/snapshot.ts'
import { incidentWindow } from './investigation/windows.ts'
import type {
  Clock,
  IncidentFilter,
  IncidentRecords,
  NewId,
  QueryStore,
  SnapshotStore,
  StoredAnswer,
} from './ports.ts'

export interface QuestionActs extends Collecting {
  readonly incidents: IncidentRecords
  readonly queries: QueryStore
  readonly snapshots: SnapshotStore
  readonly clock: Clock
  readonly newId: NewId
}

export interface AskedQuestion {
  readonly query: string
  readonly context?:
    | {
        readonly service?: string | undefined
        readonly time_range?:
          | { readonly start?: string | undefined; readonly end?: string | undefined }
          | undefined
        readonly timezone?: string | undefined
      }
    | undefined
}

const HOUR_MS = 3_600_000
/** The longest window a question may concern; the contract checks it where both ends are given. */
const MOST_RANGE_MS = 31 * 24 * HOUR_MS
/** Time kept for the engine, the snapshot and the stored answer after the tools were asked. */
const WRITE_MS = 5_000
/** Incidents read at once, and in all, to list or count: beyond that the answer says "at least". */
const PAGE = 100
const MOST_PAGES = 10
/** Latest incidents in which a question without a time may find what it is about. */
const RECENT = 25

const timeGiven = (text: string | undefined): number | null => (text === undefined ? null : readInstant(text))

/** The window that the request names; a missing start is an hour before the end, a missing end is now. */
function windowGiven(range: NonNullable<AskedQuestion['context']>['time_range'], now: number): Window | null {
  const [start, end] = [timeGiven(range?.start), timeGiven(range?.end)]
  if (start === null && end === null) return null
  const to = end ?? Math.max(now, (start ?? now) + 1)
  const from = start ?? to - HOUR_MS
  if (to - from > MOST_RANGE_MS) throw invalidField('context.time_range.start', 'must be at most 31 days ago')
  return { from, to }
}

/** The incident that a question without a time is about: the latest unresolved one of its service, else the latest of it. */
function subject(recent: readonly Incident[], service: string | null): Incident | undefined {
  const fitting = recent.filter((incident) => service === null || incident.service === service)
  return fitting.find(({ status }) => status !== 'resolved') ?? fitting[0]
}

/** The window of the incident that a question is about, or the last hour when there is none. */
function windowOf(incident: Incident | undefined, now: number): Window {
  if (incident === undefined) return { from: now - HOUR_MS, to: now }
  const startedAt = readInstant(incident.started_at ?? incident.created_at) ?? now
  return incidentWindow(
    startedAt,
    now,
    incident.resolved_at === null ? null : readInstant(incident.resolved_at),
  )
}

const timezoneOf = (asked: AskedQuestion) =>
  asked.context?.timezone === undefined ? {} : { timezone: asked.context.timezone }

/** The service that the context or the words name, of those that are known. */
function serviceNamed(acts: QuestionActs, asked: AskedQuestion, services: readonly string[]): string | null {
  return (
    asked.context?.service ??
    readQuestion(asked.query, { services, now: acts.clock(), ...timezoneOf(asked) }).service
  )
}

type Told = Omit<StoredAnswer, 'id' | 'query' | 'timestamp'>

const understood = (
  question: Question,
  service: string | null,
  window: Window | null,
): StoredAnswer['understood'] => ({
  intent: question.intent,
  service,
  window: window === null ? null : { start: writeInstant(window.from), end: writeInstant(window.to) },
  carried_over: [],
})

/** What is asked of the store, in words that a person can ask again. */
function listingQuery(filter: IncidentFilter): string {
  const { status, severity, after, before } = filter
  const parameters = Object.entries({
    status,
    severity,
    start_time: after === undefined ? undefined : writeInstant(after),
    end_time: before === undefined ? undefined : writeInstant(before),
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  return `GET /incidents${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`
}

/** Lists or counts incidents, as far as one answer may go. */
async function tellListing(
  acts: QuestionActs,
  asked: AskedQuestion,
  question: Question,
  window: Window | null,
): Promise<Told> {
  const filter = {
    // "Open" in a question means unresolved, which is two statuses: only a store's own word is asked of the store.
    status: question.status === null || question.status === 'open' ? undefined : question.status,
    severity: question.severity ?? undefined,
    after: window === null ? undefined : window.from - 1,
    before: window === null ? undefined : window.to,
  }
  const found: Incident[] = []
  let after: string | null = null
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await acts.incidents.list(filter, { limit: PAGE, after })
    found.push(...page.items)
    after = page.next
    if (after === null) break
  }
  // Which services there are is known only now: the question may name one of them.
  const service = serviceNamed(
    acts,
    asked,
    found.flatMap((incident) => incident.service ?? []),
  )
  const incidents = found.map((incident) => ({
    ...incident,
    created_at: readInstant(incident.created_at) ?? 0,
  }))
  const listed = { incidents, is_cut: after !== null, query: listingQuery(filter) }
  const { answer, evidence, confidence } = answerListing({ ...question, service, window }, listed)
  return {
    answer,
    evidence,
    confidence,
    outcome: listed.is_cut ? 'best_effort' : 'identified',
    hypotheses: [],
    ruled_out: [],
    gaps: listed.is_cut ? [{ what: 'incidents', why: `only the latest ${found.length} were read` }] : [],
    understood: understood(question, service, window),
    snapshot_digest: null,
  }
}

function tellFindings(
  findings: Findings,
  question: Question,
  snapshot: Snapshot,
  service: string | null,
  digest: string,
): Told {
  const { evidence, confidence, outcome, hypotheses, ruled_out, gaps } = findings
  return {
    answer: findings.summary,
    evidence,
    confidence,
    outcome,
    hypotheses,
    ruled_out,
    gaps,
    understood: understood(question, service, snapshot.window),
    snapshot_digest: digest,
  }
}

const overlaps = (a: Window, b: Window): boolean => a.from < b.to && b.from < a.to

/**
 * A question about a time of which no tool knows anything: some tools give what they have, whatever is asked. What they
 * have is no answer then.
 */
const tellElsewhere = (
  question: Question,
  service: string | null,
  asked: Window,
  { window, gaps }: Snapshot,
  digest: string,
): Told => {
  const span = ({ from, to }: Window) => `${writeInstant(from)} to ${writeInstant(to)}`
  return {
    answer: `Nothing is known about ${span(asked)}. What the connected tools gave is about ${span(window)}.`,
    evidence: [],
    confidence: 0,
    outcome: 'inconclusive',
    hypotheses: [],
    ruled_out: [],
    gaps: [
      { what: `evidence about ${span(asked)}`, why: 'no connected tool gave any' },
      ...gaps.map(({ what, why }) => ({ what, why })),
    ],
    understood: understood(question, service, asked),
    snapshot_digest: digest,
  }
}

/** A question that nobody could read: said so, with what was understood, and nothing claimed. */
const tellUnread = (question: Question, service: string | null, window: Window | null): Told => ({
  answer:
    'I could not read what is asked. I can say why something fails ("Why is checkout failing?"), list incidents ("Which incidents are open?") and count them ("How many critical incidents are open?").',
  evidence: [],
  confidence: 0,
  outcome: 'inconclusive',
  hypotheses: [],
  ruled_out: [],
  gaps: [{ what: 'the question', why: 'its intent could not be read' }],
  understood: understood(question, service, window),
  snapshot_digest: null,
})

async function tellWhy(
  acts: QuestionActs,
  asked: AskedQuestion,
  question: Question,
  given: Window | null,
  deadline: number,
): Promise<Told> {
  const now = acts.clock()
  const recent = (await acts.incidents.list({}, { limit: RECENT, after: null })).items
  const named = serviceNamed(
    acts,
    asked,
    recent.flatMap((incident) => incident.service ?? []),
  )
  const window = given ?? windowOf(subject(recent, named), now)
  const within = Math.max(0, deadline - now - WRITE_MS)
  const snapshot = await collectSnapshot(acts, { window, service: named, within })
  const service =
    named ??
    serviceNamed(
      acts,
      asked,
      snapshot.entities.map(({ name }) => name),
    )
  const digest = await acts.snapshots.keep('queries', snapshot)
  if (given !== null && !overlaps(given, snapshot.window)) {
    return tellElsewhere(question, service, given, snapshot, digest)
  }
  return tellFindings(investigate(snapshot, { service }), question, snapshot, service, digest)
}

/**
 * Answers a question in words from what the connected tools say, and stores the answer.
 * What cannot be read or found is said so: the outcome is `inconclusive` and the confidence 0.
 * @param deadline instant (ms) by which the answer must stand
 */
export async function answerQuestion(
  acts: QuestionActs,
  asked: AskedQuestion,
  deadline: number,
): Promise<StoredAnswer> {
  const now = acts.clock()
  const services = asked.context?.service === undefined ? [] : [asked.context.service]
  const question = readQuestion(asked.query, { services, now, ...timezoneOf(asked) })
  const window = windowGiven(asked.context?.time_range, now) ?? question.window
  const service = asked.context?.service ?? question.service
  const tell = (): Promise<Told> | Told => {
    switch (question.intent) {
      case 'why':
        return tellWhy(acts, asked, question, window, deadline)
      case 'list_incidents':
      case 'count_incidents':
        return tellListing(acts, asked, question, window)
      default:
        return tellUnread(question, service, window)
    }
  }
  const told = await tell()
  const at = acts.clock()
  const answer: StoredAnswer = {
    id: acts.newId('query', at),
    query: asked.query,
    timestamp: writeInstant(at),
    ...told,
  }
  await acts.queries.put(answer)
  return answer
}
