import { idWritten, isId, timeOf } from './ids.ts'
import type { Incident } from './incident.ts'
import { readInstant, writeInstant } from './instant.ts'
import { answerEarlier } from './investigation/questions/answer-earlier.ts'
import { NO_HYPOTHESES } from './investigation/questions/answer-ground.ts'
import { answerListing } from './investigation/questions/answer-listing.ts'
import type { IncidentsOfTime } from './investigation/questions/answer-timeline.ts'
import type { Window } from './investigation/records/snapshot.ts'
import type { IncidentFilter, IncidentRecords, StoredAnswer } from './ports.ts'
import { type Understood, understoodAs } from './understand-question.ts'

/** An answer before it has an id. */
export type Told = Omit<StoredAnswer, 'id' | 'query' | 'timestamp'>

/** Incidents read at once, and in all: beyond that the answer says "at least". */
const PAGE = 100
const MOST_PAGES = 10
/** An incident that was opened longer before a time is not looked for among those that were resolved in it. */
const MOST_LASTED_MS = 31 * 24 * 3_600_000

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

/** Every incident of a filter, as far as one answer may go. */
async function incidentsOf(incidents: Pick<IncidentRecords, 'list'>, filter: IncidentFilter) {
  const found: Incident[] = []
  let after: string | null = null
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await incidents.list(filter, { limit: PAGE, after })
    found.push(...page.items)
    after = page.next
    if (after === null) break
  }
  return { found, is_cut: after !== null, query: listingQuery(filter) }
}

const asListed = (incident: Incident) => ({
  ...incident,
  created_at: readInstant(incident.created_at) ?? 0,
  resolved_at: incident.resolved_at === null ? null : readInstant(incident.resolved_at),
})

/** The incidents that were opened or resolved about a time, newest first, as far as one answer may go. */
export async function incidentsOfTime(
  incidents: Pick<IncidentRecords, 'list'>,
  { from, to }: Window,
): Promise<IncidentsOfTime> {
  const { found, query } = await incidentsOf(incidents, { after: from - MOST_LASTED_MS, before: to })
  return {
    incidents: found.map(asListed),
    query,
  }
}

/** What every answer from the store alone has in common. */
const fromStore = (count: number, isCut: boolean) => ({
  outcome: isCut ? ('best_effort' as const) : ('identified' as const),
  ...NO_HYPOTHESES,
  gaps: isCut ? [{ what: 'incidents', why: `only the latest ${count} were read` }] : [],
  snapshot_digest: null,
})

/** The id of an incident among the words of a question. */
const incidentNamed = (words: readonly string[]): string | null => {
  const id = idWritten(words.join(' '), 'inc')
  return id !== null && isId(id, 'inc') ? id : null
}

/** What is asked of the store, and the question, where one incident is asked after by its id: nothing else chooses it. */
function ofNamed(id: string, read: Understood) {
  const at = timeOf(id)
  const { chosen_by: _, ...question } = read.question
  return {
    filter: { after: at - 1, before: at + 1 },
    read: {
      ...read,
      question: { ...question, status: null, severity: null, unknown: null },
      service: null,
      others: [],
    },
  }
}

/**
 * Lists or counts incidents, as far as one answer may go; one that is named by its id is told alone.
 * @param reread reads the question again once it is known which services there are
 */
export async function tellListing(
  incidents: Pick<IncidentRecords, 'list'>,
  first: Understood,
  reread: (services: readonly string[]) => Understood,
): Promise<Told> {
  const id = incidentNamed(first.question.words)
  const named = id === null ? null : ofNamed(id, first)
  const {
    question: { status, severity },
    window,
  } = first
  const filter = named?.filter ?? {
    // "Open" in a question means unresolved, which is two statuses: only a store's own word is asked of the store.
    status: status === null || status === 'open' ? undefined : status,
    severity: severity ?? undefined,
    after: window === null ? undefined : window.from - 1,
    before: window === null ? undefined : window.to,
  }
  const { found: fitting, is_cut, query } = await incidentsOf(incidents, filter)
  const found = id === null ? fitting : fitting.filter((incident) => incident.id === id)
  const read = named?.read ?? reread(found.flatMap((incident) => incident.service ?? []))
  // A name that no incident has is a filter that nothing passes, never no filter.
  const service = read.service ?? read.question.unknown
  const told = answerListing(
    { ...read.question, service, others: read.others, window: named === null ? window : null },
    { incidents: found.map(asListed), is_cut, query },
  )
  const { gaps, ...stored } = fromStore(found.length, is_cut)
  const isWhole = told.gaps.length === 0
  return {
    ...told,
    ...stored,
    outcome: isWhole ? stored.outcome : 'best_effort',
    gaps: [...gaps, ...told.gaps],
    ...understoodAs(read, read.service, window),
  }
}

/** Tells which incidents of the service there were before the one in question, or before now. */
export function tellEarlier(
  incidents: Pick<IncidentRecords, 'list'>,
  read: Understood,
  current: Incident | undefined,
  now: number,
): Promise<Told> {
  const isGoingOn = current !== undefined && current.status !== 'resolved'
  const before = isGoingOn ? (readInstant(current.created_at) ?? now) : now
  const service = read.service ?? read.question.unknown ?? current?.service ?? null
  return tellEarlierThan(incidents, read, service, before)
}

/** Tells which incidents of a service there were before an instant (ms). */
export async function tellEarlierThan(
  incidents: Pick<IncidentRecords, 'list'>,
  read: Understood,
  service: string | null,
  before: number,
): Promise<Told> {
  const window = read.is_window_carried ? null : read.window
  const { found, is_cut, query } = await incidentsOf(incidents, { before })
  const { answer, evidence } = answerEarlier({
    service,
    before,
    window,
    incidents: found.map((incident) => ({
      ...asListed(incident),
      cause:
        incident.root_cause === null || incident.root_cause.outcome === 'inconclusive'
          ? null
          : incident.root_cause.summary,
    })),
    is_cut,
    query,
  })
  return {
    answer,
    evidence,
    confidence: is_cut ? 0.5 : 1,
    ...fromStore(found.length, is_cut),
    ...understoodAs(read, read.question.unknown === null ? service : null, window),
  }
}
