import { conflict } from './errors.ts'
import { cutText } from './investigation/cut-text.ts'
import type { RootCause } from './investigation/findings.ts'

export const INCIDENT_STATUSES = ['open', 'investigating', 'resolved'] as const
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export const ANALYSIS_STATES = ['pending', 'running', 'done', 'failed'] as const

export type IncidentStatus = (typeof INCIDENT_STATUSES)[number]
export type Severity = (typeof SEVERITIES)[number]
export type AnalysisState = (typeof ANALYSIS_STATES)[number]

/** A disturbance of the monitored system, as lists show it. */
export interface Incident {
  readonly id: string
  readonly title: string
  readonly status: IncidentStatus
  readonly severity: Severity
  readonly service: string | null
  readonly description: string | null
  readonly started_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly resolved_at: string | null
  /** State of the analysis; it never changes `status`, which is a matter of people and alerts. */
  readonly analysis: AnalysisState
  /** Null until analysed. Lists carry it shortened: the first three pieces of evidence, no more. */
  readonly root_cause: RootCause | null
  /** Counts the writes of what people see; guards against lost updates. */
  readonly version: number
}

/** What a timeline tells of. */
export const TIMELINE_KINDS = [
  'created',
  'status_changed',
  'severity_changed',
  'title_changed',
  'analysis_requested',
  'analysed',
  'analysis_failed',
] as const

/** One thing that happened to an incident, oldest first in its timeline. */
export interface TimelineEntry {
  readonly id: string
  readonly at: string
  readonly kind: (typeof TIMELINE_KINDS)[number]
  readonly text: string
  /** Id of the key or user that did it, or `service`. */
  readonly by: string
}

/** An alert as its incident shows it. */
export interface ListedAlert {
  readonly integration_id: string
  readonly title: string
  readonly description: string | null
  readonly severity: Severity
  readonly status: 'firing' | 'resolved'
  readonly service: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly starts_at: string
  readonly ends_at: string | null
  readonly url: string | null
}

/** An incident with everything that is known about it. */
export interface IncidentFile extends Incident {
  /** Those that fire first; at most 200, and no more than an answer holds. */
  readonly alerts: readonly ListedAlert[]
  readonly timeline: readonly TimelineEntry[]
}

/** What receivers may subscribe to; `incident.analyzed`: its root cause was found, or its outcome changed. */
export const EVENT_KINDS = ['incident.created', 'incident.resolved', 'incident.analyzed'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/**
 * The id of the event that tells of an incident's creation: its own ULID, so that whoever holds a later event of the
 * incident knows which one comes first.
 */
export const createdEventId = (incidentId: string): string => incidentId.replace(/^inc_/, 'evt_')

/** Something that receivers may subscribe to; written in the same transaction as what it tells of. */
export interface ServiceEvent {
  readonly id: string
  readonly kind: EventKind
  readonly incident_id: string
  readonly at: string
  /** Order of the events of one incident, from 1. */
  readonly sequence: number
  readonly incident: Incident
}

/** Which status may follow which. Same to same is no change at all. */
const NEXT: Readonly<Record<IncidentStatus, readonly IncidentStatus[]>> = {
  open: ['investigating', 'resolved'],
  investigating: ['resolved'],
  resolved: ['investigating'],
}

/** What a person may change of an incident. */
export interface IncidentChange {
  readonly status?: IncidentStatus | undefined
  readonly severity?: Severity | undefined
  readonly title?: string | undefined
}

/** An incident after a change, what happened in words, and whether receivers are told. */
export interface Changed {
  readonly incident: Incident
  readonly happened: readonly Pick<TimelineEntry, 'kind' | 'text'>[]
  readonly event: EventKind | null
}

/**
 * Applies a change to an incident at an instant.
 * Resolving sets `resolved_at`, raises `incident.resolved` and asks for a last look; reopening clears it.
 * A change to what already holds yields no happening, no event, and the same incident.
 * @throws Refusal `conflict` when the status may not follow the present one
 */
export function changeIncident(incident: Incident, change: IncidentChange, at: string): Changed {
  const happened: Pick<TimelineEntry, 'kind' | 'text'>[] = []
  let next: Incident = incident
  let event: EventKind | null = null
  const { status, severity, title } = change
  if (status !== undefined && status !== incident.status) {
    if (!NEXT[incident.status].includes(status)) {
      throw conflict(`An incident that is ${incident.status} cannot become ${status}.`, {
        field: 'status',
        reason: `allowed from ${incident.status}: ${NEXT[incident.status].join(', ')}`,
      })
    }
    if (status === 'resolved') event = 'incident.resolved'
    next = { ...next, status, resolved_at: status === 'resolved' ? at : null }
    // What ended the incident is evidence of its cause: it is looked at once more, now.
    if (status === 'resolved') next = { ...next, analysis: 'pending' }
    happened.push({ kind: 'status_changed', text: `Status changed from ${incident.status} to ${status}.` })
  }
  if (severity !== undefined && severity !== incident.severity) {
    next = { ...next, severity }
    happened.push({
      kind: 'severity_changed',
      text: `Severity changed from ${incident.severity} to ${severity}.`,
    })
  }
  if (title !== undefined && title !== incident.title) {
    next = { ...next, title }
    happened.push({ kind: 'title_changed', text: 'Title changed.' })
  }
  if (happened.length === 0) return { incident, happened, event: null }
  return { incident: { ...next, updated_at: at, version: incident.version + 1 }, happened, event }
}

/** How many pieces of evidence an incident keeps in lists; the whole root cause is an item of its own. */
const LISTED_EVIDENCE = 3
/** Characters that a piece of evidence keeps in lists. */
const LISTED_CONTENT = 400

/**
 * The root cause as lists carry it: summary, confidence, outcome, cause, and the first three pieces of evidence
 * shortened, so that an incident's item stays below 8 KB however much was found.
 */
export function shortened(rootCause: RootCause): RootCause {
  const { revision: _revision, decisive_lines: _lines, ...listed } = rootCause
  const { cause, evidence } = rootCause
  return {
    ...listed,
    summary: cutText(rootCause.summary, 1_000),
    confidence_basis: cutText(rootCause.confidence_basis, LISTED_CONTENT),
    cause: { ...cause, contributing: cause.contributing.slice(0, LISTED_EVIDENCE) },
    evidence: evidence.slice(0, LISTED_EVIDENCE).map((item) => ({
      ...item,
      content: cutText(item.content, LISTED_CONTENT),
      query: cutText(item.query, LISTED_CONTENT),
    })),
    blast_radius: rootCause.blast_radius.slice(0, 20),
    hypotheses: [],
    ruled_out: [],
    gaps: [],
    next_check: null,
    remediation: { ...rootCause.remediation, why: cutText(rootCause.remediation.why, LISTED_CONTENT) },
  }
}
