import { type Collecting, collectSnapshot, connectedTools } from './collect-snapshot.ts'
import { notFound } from './errors.ts'
import { windowOfIncident } from './incident-window.ts'
import { readInstant, writeInstant } from './instant.ts'
import type { Evidence, Findings } from './investigation/findings.ts'
import { investigate } from './investigation/investigate.ts'
import { answerInWords } from './investigation/questions/answer-in-words.ts'
import { wordsReader } from './investigation/questions/read-question.ts'
import { entityNames } from './investigation/records/entity-names.ts'
import type { Snapshot, Window } from './investigation/records/snapshot.ts'
import {
  type AskedAgain,
  sentencesOf,
  VERDICTS,
  type Verdict,
  type Verified,
  verifyClaims,
} from './investigation/verification/claims.ts'
import type { IncidentStore, QueryStore, SnapshotStore, StoredAnswer } from './ports.ts'
import { incidentsOfTime, tellEarlierThan, tellListing } from './tell-incidents.ts'
import type { Understood } from './understand-question.ts'

export interface QueryVerificationActs extends Collecting {
  readonly incidents: Pick<IncidentStore, 'list'>
  readonly queries: Pick<QueryStore, 'get'>
}
export interface IncidentVerificationActs extends Collecting {
  readonly incidents: Pick<IncidentStore, 'read'>
  readonly snapshots: Pick<SnapshotStore, 'windowOf'>
}

/** Stored evidence, asked again. */
export interface Verification {
  readonly id: string
  readonly verified_at: string
  /** How many pieces of evidence each verdict has. */
  readonly counts: Readonly<Record<Verdict, number>>
  readonly evidence: readonly Verified[]
}

/** Time kept for the engine after the tools were asked. */
const WRITE_MS = 5_000

/** Asks the tools for the same time again and evaluates every claim. */
async function askAgain(
  acts: Collecting,
  window: Window,
  service: string | null,
  deadline: number,
): Promise<AskedAgain & { readonly snapshot: Snapshot; readonly findings: Findings }> {
  const within = Math.max(0, deadline - acts.clock() - WRITE_MS)
  const snapshot = await collectSnapshot(acts, { window, service, within })
  const findings = investigate(snapshot, { service })
  return { snapshot, findings, sentences: sentencesOf(snapshot, findings, service) }
}

function verification(
  { clock }: Pick<Collecting, 'clock'>,
  id: string,
  evidence: readonly Verified[],
): Verification {
  const counts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, evidence.filter(({ status }) => status === verdict).length]),
  ) as Record<Verdict, number>
  return { id, verified_at: writeInstant(clock()), counts, evidence }
}

const windowIn = (window: { readonly start: string; readonly end: string } | null): Window | null => {
  const [from, to] = [readInstant(window?.start ?? ''), readInstant(window?.end ?? '')]
  return from === null || to === null ? null : { from, to }
}

/**
 * Evaluates the evidence of a stored answer again. Nothing is stored: the answer stays as it was given.
 * @param deadline instant (ms) by which the verification must stand
 * @throws Refusal `not_found`
 */
export async function verifyQuery(
  acts: QueryVerificationActs,
  id: string,
  deadline: number,
): Promise<Verification> {
  const stored = await acts.queries.get(id)
  if (stored === undefined) throw notFound(`Query ${id}`)
  if (stored.evidence.length === 0) return verification(acts, id, [])
  const reader = wordsReader(stored.query)
  const read = readAgain(stored, reader)
  const told = await tellAgain(acts, stored, read, reader)
  if (told !== null) {
    const again = { snapshot: null, sentences: told.evidence.map(({ content }) => content) }
    return verification(acts, id, verifyClaims(stored.evidence, again))
  }
  const window = read.window ?? { from: acts.clock(), to: acts.clock() }
  const again = await askAgain(acts, window, read.service, deadline)
  const incidents =
    read.question.intent === 'what_happened' ? await incidentsOfTime(acts.incidents, window) : null
  const repeated = answerInWords(
    { ...read.question, incidents, connected: await connectedTools(acts, read.question) },
    read.service,
    again.snapshot,
    again.findings,
    othersIn(stored, reader, again.snapshot),
  )
  const sentences = [...repeated.evidence.map(({ content }) => content), ...again.sentences]
  return verification(acts, id, verifyClaims(stored.evidence, { ...again, sentences }))
}

/** The services that a question names beside the one that it is about. */
function othersIn(
  { understood: { service } }: StoredAnswer,
  reader: ReturnType<typeof wordsReader>,
  snapshot: Snapshot,
) {
  return othersOf({ service }, reader({ services: entityNames(snapshot).all }))
}

/** What a text names beside the service that it was read to be about. */
const othersOf = (
  { service }: Pick<Understood, 'service'>,
  { service: first, others }: ReturnType<ReturnType<typeof wordsReader>>,
): readonly string[] => [first, ...others].filter((name): name is string => name !== null && name !== service)

/** The question as it was understood when it was answered. */
function readAgain({ understood, asks }: StoredAnswer, reader: ReturnType<typeof wordsReader>): Understood {
  const read = reader({ services: understood.service === null ? [] : [understood.service] })
  const window = windowIn(understood.window)
  return {
    question: { ...read, ...asks, intent: understood.intent, window },
    service: understood.service,
    others: [],
    window,
    is_window_carried: false,
    carried_over: understood.carried_over,
  }
}

/** The answer from the incidents alone, told again; null where the tools have to be asked. */
async function tellAgain(
  acts: QueryVerificationActs,
  { evidence }: StoredAnswer,
  read: Understood,
  reader: ReturnType<typeof wordsReader>,
): Promise<{ readonly evidence: readonly Evidence[] } | null> {
  const { intent } = read.question
  if (intent === 'list_incidents' || intent === 'count_incidents') {
    return tellListing(acts.incidents, read, (services) => ({
      ...read,
      others: othersOf(read, reader({ services })),
    }))
  }
  if (intent !== 'seen_before') return null
  const before = readInstant(/\bend_time=([^&]+)/.exec(evidence[0]?.query ?? '')?.[1] ?? '')
  return tellEarlierThan(acts.incidents, read, read.service, before ?? acts.clock())
}

/**
 * Evaluates the evidence of an incident's root cause again. Nothing is stored: the root cause stays as it was found.
 * @param deadline instant (ms) by which the verification must stand
 * @throws Refusal `not_found`
 */
export async function verifyIncident(
  acts: IncidentVerificationActs,
  id: string,
  deadline: number,
): Promise<Verification> {
  const incident = await acts.incidents.read(id)
  if (incident === undefined) throw notFound(`Incident ${id}`)
  const { root_cause, service } = incident
  // Nothing was claimed yet, so nothing can be asked again.
  if (root_cause === null) return verification(acts, id, [])
  const analysed = readInstant(root_cause.analysed_at) ?? acts.clock()
  const kept = await acts.snapshots.windowOf(id, root_cause.snapshot_digest)
  const window = kept ?? windowOfIncident(incident, analysed, acts.windows)
  const again = await askAgain(acts, window, service, deadline)
  return verification(acts, id, verifyClaims(root_cause.evidence, again))
}
