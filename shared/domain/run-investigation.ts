import { type Collecting, collectSnapshot, MOST_TOOLS } from './collect-snapshot.ts'
import { windowOfIncident } from './incident-window.ts'
import { readInstant, writeInstant } from './instant.ts'
import type { Evidence, RootCause } from './investigation/findings.ts'
import { investigate } from './investigation/investigate.ts'
import { entityNames } from './investigation/records/entity-names.ts'
import { isNamedService } from './investigation/records/named-service.ts'
import type { AskOutcome, Gap, Snapshot, Window } from './investigation/records/snapshot.ts'
import { overlaps } from './investigation/records/windows.ts'
import { reviseFindings } from './investigation/verification/revise-findings.ts'
import { nothingOf } from './missing-time.ts'
import type { Clock, IncidentStore, Lease, NewId, SnapshotStore } from './ports.ts'

export interface InvestigationActs extends Collecting {
  readonly incidents: IncidentStore
  readonly snapshots: Pick<SnapshotStore, 'keep' | 'read'>
  readonly clock: Clock
  readonly newId: NewId
  /** Told of what made an attempt fail, for the log. */
  readonly report: (error: unknown) => void
  /** Told of an incident whose analysis is not tried again: nobody else sees that it stays without a root cause. */
  readonly gaveUp: (incidentId: string) => void
}

/** The lease outlives the worker by this much, so that nobody else begins while it may still write. */
const LEASE_MARGIN_MS = 5_000
/** Time kept for the engine and the writes after the tools were asked. */
const WRITE_MS = 5_000
/** An investigation that failed this often is given up, visibly. */
const MOST_ATTEMPTS = 5
/** First wait before another try; doubled each time. */
const FIRST_RETRY_MS = 15_000

/** When an attempt that failed is made again (ms), or null when it was the last. */
export const retryAt = (attempt: number, now: number): number | null =>
  attempt >= MOST_ATTEMPTS ? null : now + FIRST_RETRY_MS * 2 ** (attempt - 1)

/** An incident is looked at again this long after it was opened: evidence comes late, and things change. */
const LOOKS_MS = [3, 10, 30].map((minutes) => minutes * 60_000)

/** When an incident is looked at next (ms); null once it is resolved or old enough. */
export function nextLook({ status, created_at }: Lease['incident'], now: number): number | null {
  const opened = readInstant(created_at)
  if (status === 'resolved' || opened === null) return null
  return LOOKS_MS.map((after) => opened + after).find((at) => at > now) ?? null
}

/**
 * What the incident names and the evidence does not hold, whose service no tool knows or whose time none of them tells of:
 * the root cause is then one of what else failed, and whoever reads it must be told.
 */
function missedBy(service: string | null, wanted: Window, snapshot: Snapshot): readonly Gap[] {
  const { window } = snapshot
  const isKnown = service === null || isNamedService(snapshot, entityNames(snapshot), service)
  return [
    ...(isKnown
      ? []
      : [
          { what: `the service “${service}”`, why: 'no connected tool names it: what is found is of others' },
        ]),
    ...(overlaps(wanted, window) ? [] : [nothingOf(wanted, window)]),
  ]
}

/** Lists of records that were measured, and what evidence that rests on one is told to come from. */
const MEASURED = ['series', 'edges', 'spans', 'logs', 'log_counts', 'patterns'] as const
const OF_MEASURED: ReadonlySet<Evidence['source']> = new Set(['metrics', 'logs', 'traces'])
/** What evidence of a change is told to come from. */
const OF_CHANGES: ReadonlySet<Evidence['source']> = new Set(['deploys', 'commits', 'flags'])

/** How a request ended that brought all there is. */
const WHOLE: ReadonlySet<AskOutcome> = new Set(['answered', 'empty'])

/** Ids of the integrations that gave evidence of such sources, and that are connected still. */
async function connectedTellers(
  { integrations }: Pick<InvestigationActs, 'integrations'>,
  evidence: readonly Evidence[],
  sources: ReadonlySet<Evidence['source']>,
): Promise<ReadonlySet<string>> {
  const { items } = await integrations.list({ limit: MOST_TOOLS, after: null })
  const connected = new Set(items.filter(({ status }) => status !== 'disabled').map(({ id }) => id))
  return new Set(
    evidence.flatMap(({ source, integration_id }) =>
      sources.has(source) && integration_id !== null && connected.has(integration_id) ? [integration_id] : [],
    ),
  )
}

/**
 * Whether a look saw nothing though a tool is connected by whose measurements an earlier root cause was found: it does not
 * answer, or no longer holds that time. What is not seen withdraws nothing.
 */
async function isBlind(
  acts: Pick<InvestigationActs, 'integrations'>,
  snapshot: Snapshot,
  { outcome, evidence }: RootCause,
): Promise<boolean> {
  if (outcome === 'inconclusive' || MEASURED.some((name) => snapshot[name].length > 0)) return false
  return (await connectedTellers(acts, evidence, OF_MEASURED)).size > 0
}

/**
 * Whether a look did not see the change that an earlier root cause is, though a tool is connected that told of changes then
 * and that gave none now, or not all: what is measured still shows who fails, and no longer why.
 */
async function missesChange(
  acts: Pick<InvestigationActs, 'integrations'>,
  { changes, sources }: Snapshot,
  { cause, evidence }: RootCause,
): Promise<boolean> {
  if (cause.change === null || changes.some(({ id }) => id === cause.change)) return false
  const giving = new Set(changes.map(({ source }) => source))
  const answersOf = (teller: string) => sources.filter(({ integration_id }) => integration_id === teller)
  const isWhole = (teller: string): boolean =>
    answersOf(teller).some(({ id }) => giving.has(id)) &&
    answersOf(teller).every(({ outcome }) => WHOLE.has(outcome))
  return [...(await connectedTellers(acts, evidence, OF_CHANGES))].some((teller) => !isWhole(teller))
}

/** What a look found: the root cause as it is now, and what was not seen if it is the one of before. */
interface Looked {
  readonly rootCause: RootCause
  readonly unseen: 'measurement' | 'change' | null
}

const UNSEEN = {
  measurement: 'no connected tool gave any measurement',
  change: 'a tool that told of changes then gave none now, or not all',
} as const

async function findRootCause(acts: InvestigationActs, { incident }: Lease, within: number): Promise<Looked> {
  const window = windowOfIncident(incident, acts.clock(), acts.windows)
  const collected = await collectSnapshot(acts, { window, service: incident.service, within })
  // Kept with what was collected, so that the same snapshot gives the same findings again.
  const gaps = [...collected.gaps, ...missedBy(incident.service, window, collected)]
  const snapshot = { ...collected, gaps }
  // Lists carry the earlier root cause shortened: what it rested on stands in the whole one.
  const previous =
    incident.root_cause === null ? null : ((await acts.incidents.read(incident.id))?.root_cause ?? null)
  if (previous !== null && (await isBlind(acts, snapshot, previous)))
    return { rootCause: previous, unseen: 'measurement' }
  const findings = investigate(snapshot, { service: incident.service })
  // Another cause that is surer than the change was needs no record of it.
  const isSurer = previous === null || findings.confidence > previous.confidence
  if (!isSurer && (await missesChange(acts, snapshot, previous)))
    return { rootCause: previous, unseen: 'change' }
  const snapshot_digest = await acts.snapshots.keep(incident.id, snapshot)
  const analysed_at = writeInstant(acts.clock())
  const held = previous === null ? findings : reviseFindings(findings, previous, analysed_at)
  return { rootCause: { ...held, snapshot_digest, analysed_at }, unseen: null }
}

/**
 * Runs the investigation of an incident if it is due and nobody else holds its lease.
 * @param remaining how long this worker may still run, in milliseconds
 * @returns `done`, `failed` (given back or given up), `lost` (the lease went to somebody else), `not_due`
 */
export async function runInvestigation(
  acts: InvestigationActs,
  id: string,
  remaining: number,
): Promise<'done' | 'failed' | 'lost' | 'not_due'> {
  const claimedAt = acts.clock()
  const lease = await acts.incidents.claimInvestigation(
    id,
    claimedAt,
    claimedAt + remaining + LEASE_MARGIN_MS,
  )
  if (lease === undefined) return 'not_due'
  const entry = (kind: 'analysed' | 'analysis_failed', text: string) => {
    const now = acts.clock()
    return { id: acts.newId('tl', now), at: writeInstant(now), kind, text, by: 'service' }
  }
  // Only a worker that died leaves its try behind: what ended so five times would end so for ever.
  if (lease.attempt > MOST_ATTEMPTS) {
    const died = entry(
      'analysis_failed',
      `The analysis did not come to an end ${lease.attempt - 1} times and was given up.`,
    )
    if (!(await acts.incidents.failInvestigation(lease, null, died))) return 'lost'
    acts.gaveUp(id)
    return 'failed'
  }
  try {
    const { rootCause, unseen } = await findRootCause(acts, lease, Math.max(0, remaining - WRITE_MS))
    const text =
      unseen === null
        ? `Analysed: ${rootCause.outcome}, confidence ${rootCause.confidence}.`
        : `Looked again: ${UNSEEN[unseen]}, so what was found at ${rootCause.analysed_at} stands.`
    // Receivers hear of the first root cause and of another outcome, not of every look that finds the same.
    const news = lease.incident.root_cause?.outcome !== rootCause.outcome
    const eventId = news ? acts.newId('evt', acts.clock()) : null
    const next = nextLook(lease.incident, acts.clock())
    const done = entry('analysed', text)
    return (await acts.incidents.completeInvestigation(lease, rootCause, done, eventId, next))
      ? 'done'
      : 'lost'
  } catch (error) {
    const again = retryAt(lease.attempt, acts.clock())
    const text =
      again === null
        ? `The analysis failed ${lease.attempt} times and was given up.`
        : `The analysis failed; it is tried again at ${writeInstant(again)}.`
    const held = await acts.incidents.failInvestigation(lease, again, entry('analysis_failed', text))
    if (!held) return 'lost'
    acts.report(error)
    if (again === null) acts.gaveUp(id)
    return 'failed'
  }
}
