import * as z from 'zod/mini'
import { ANALYSIS_STATES, INCIDENT_STATUSES, SEVERITIES, TIMELINE_KINDS } from '../domain/incident.ts'
import { idOut, instantIn, instantOut, line, text } from './fields.ts'
import { rootCause } from './findings.ts'
import { nextCursor, pagingParameters } from './paging.ts'

/** Lines of the first screen. */
const MOST_CARD_LINES = 12

const incidentFields = {
  id: idOut('inc'),
  title: z.string(),
  status: z.enum(INCIDENT_STATUSES),
  severity: z.enum(SEVERITIES),
  service: z.nullable(z.string()),
  description: z.nullable(z.string()),
  started_at: z.nullable(instantOut()),
  created_at: instantOut(),
  updated_at: instantOut(),
  resolved_at: z.nullable(instantOut()),
  analysis: z.enum(ANALYSIS_STATES),
  root_cause: z.nullable(rootCause),
}

/** An incident as lists and writes answer it. */
export const incident = z.strictObject(incidentFields).register(z.globalRegistry, { id: 'Incident' })

/** An alert that belongs to an incident. */
export const listedAlert = z
  .strictObject({
    integration_id: z.string(),
    title: z.string(),
    description: z.nullable(z.string()),
    severity: z.enum(SEVERITIES),
    status: z.enum(['firing', 'resolved']),
    service: z.nullable(z.string()),
    labels: z.record(z.string(), z.string()),
    starts_at: instantOut(),
    ends_at: z.nullable(instantOut()),
    url: z.nullable(z.string()),
  })
  .register(z.globalRegistry, { id: 'Alert' })

/** One incident with everything that is known about it. */
export const incidentFile = z
  .strictObject({
    ...incidentFields,
    summary_card: z
      .nullable(z.array(z.string()).check(z.maxLength(MOST_CARD_LINES)))
      .register(z.globalRegistry, {
        description: 'What to read first, line by line; null until analysed.',
      }),
    alerts: z.array(listedAlert).register(z.globalRegistry, {
      description: 'Those that fire first; at most 200, and fewer where they come to more than 2 MB.',
    }),
    timeline: z.array(
      z.strictObject({
        id: z.string(),
        at: instantOut(),
        kind: z.enum(TIMELINE_KINDS),
        text: z.string(),
        by: z.string(),
      }),
    ),
  })
  .register(z.globalRegistry, { id: 'IncidentFile' })

export const incidentList = z
  .strictObject({ incidents: z.array(incident), next_cursor: nextCursor })
  .register(z.globalRegistry, { id: 'IncidentList' })

export const incidentFilters = z.strictObject({
  status: z.optional(z.enum(INCIDENT_STATUSES)),
  severity: z.optional(z.enum(SEVERITIES)),
  start_time: z.optional(instantIn()),
  end_time: z.optional(instantIn()),
  ...pagingParameters,
})

export const newIncident = z
  .strictObject({
    title: line(200),
    severity: z.enum(SEVERITIES),
    service: z.optional(line(200)),
    description: z.optional(text(4_000)),
    started_at: z.optional(instantIn()),
  })
  .register(z.globalRegistry, { id: 'NewIncident' })

export const incidentChange = z
  .strictObject({
    status: z.optional(z.enum(INCIDENT_STATUSES)),
    severity: z.optional(z.enum(SEVERITIES)),
    title: z.optional(line(200)),
  })
  .check(
    z.refine((change) => Object.keys(change).length > 0, { error: 'must name at least one field to change' }),
  )
  .register(z.globalRegistry, { id: 'IncidentChange', minProperties: 1 })

/** The answer to a request for a new investigation. */
export const investigationRequested = z
  .strictObject({ id: idOut('inc'), analysis: z.enum(ANALYSIS_STATES) })
  .register(z.globalRegistry, { id: 'InvestigationRequested' })
