/** Answers to "which incidents" and "how many": sentences over given records, nothing else. */

import type { Evidence } from '../findings.ts'
import { quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { compareText } from '../records/log-templates.ts'
import type { Gap, Window } from '../records/snapshot.ts'
import type { Question } from './read-question.ts'

/** What is needed to know of an incident. */
export interface ListedIncident {
  readonly id: string
  readonly title: string
  readonly status: 'open' | 'investigating' | 'resolved'
  readonly severity: 'low' | 'medium' | 'high' | 'critical'
  /** Milliseconds since the epoch. */
  readonly created_at: number
  readonly service: string | null
}

export interface Listing {
  /** All incidents that fit the question, in any order. */
  readonly incidents: readonly ListedIncident[]
  /** True where there are more than could be read. */
  readonly is_cut: boolean
  /** What was asked of the store, word for word. */
  readonly query: string
}

export interface ListingAnswer {
  readonly answer: string
  readonly evidence: readonly Evidence[]
  /** 1 where the list is whole, .5 where it was cut, or holds incidents that were not asked for. */
  readonly confidence: number
  /** By what incidents were to be told apart, and are not. */
  readonly gaps: readonly Gap[]
}

/** Incidents that are named one by one; the rest is counted. */
const NAMED = 10
const SEVERITY_ORDER = ['critical', 'high', 'medium', 'low'] as const
/** By what a question can choose incidents. */
const APART = 'status, severity, service and time'
const TOLD_APART_BY = `a question can choose incidents by ${APART}`
/** Sure of a whole list, unsure of one that was cut. */
const CONFIDENCE_WHOLE = 1
const CONFIDENCE_CUT = 0.5

/**
 * Answers a question whose intent is `list_incidents` or `count_incidents`. Incidents that the question's
 * filters exclude are left out, whatever the store gave. Newest first.
 */
export function answerListing(question: Question, listing: Listing): ListingAnswer {
  const services = servicesOf(question)
  const incidents = listing.incidents
    .filter(
      (incident) =>
        (question.status === null || isAsked(question.status, incident.status)) &&
        (question.severity === null || incident.severity === question.severity) &&
        (services.length === 0 || services.includes(incident.service)) &&
        (question.window === null ||
          (incident.created_at >= question.window.from && incident.created_at < question.window.to)),
    )
    .sort((a, b) => b.created_at - a.created_at || compareText(a.id, b.id))
  const count = incidents.length
  const filters = filtersOf(question)
  const amount = `${listing.is_cut ? 'At least ' : ''}${count === 0 ? (listing.is_cut ? '0' : 'No') : count}`
  const noun = count === 1 ? 'incident' : 'incidents'
  const verb = count === 1 ? 'matches' : 'match'
  const lead =
    filters === ''
      ? `${amount} ${noun} ${count === 1 ? 'is' : 'are'} known.`
      : `${amount} ${noun} ${verb}: ${filters}.`
  const window = question.window === null ? null : isoWindow(question.window)
  const item = (id: number, content: string): Evidence => ({
    id: `ev_${id}`,
    source: 'incidents',
    type: 'statement',
    content,
    integration_id: null,
    query: listing.query,
    window,
    link: null,
    digest: null,
  })
  const severities = SEVERITY_ORDER.map(
    (severity) => [severity, incidents.filter((incident) => incident.severity === severity).length] as const,
  )
    .filter(([, number]) => number > 0)
    .map(([severity, number]) => `${number} ${severity}`)
    .join(', ')
  const bySeverity = severities === '' ? '' : ` By severity: ${severities}.`
  const cut = listing.is_cut ? ' There are more than could be read.' : ''
  const evidence = [
    item(1, `${lead}${bySeverity}${cut}`),
    ...incidents.slice(0, NAMED).map((incident, index) => item(index + 2, incidentSentence(incident))),
  ]
  const named =
    question.intent === 'count_incidents'
      ? ''
      : incidents
          .slice(0, NAMED)
          .map((incident) => `\n- ${incidentSentence(incident)}`)
          .join('')
  const rest =
    count > NAMED && question.intent !== 'count_incidents'
      ? `\nThe other ${count - NAMED} are not listed here.`
      : ''
  const unused = question.chosen_by ?? null
  const aside = unused === null ? '' : `\nThese are not told apart by “${unused}”: ${TOLD_APART_BY}.`
  return {
    answer: `${lead}${bySeverity}${cut}${named}${rest}${aside}`,
    evidence,
    confidence: listing.is_cut || unused !== null ? CONFIDENCE_CUT : CONFIDENCE_WHOLE,
    gaps:
      unused === null
        ? []
        : [{ what: `incidents by “${unused}”`, why: `incidents are told apart by ${APART}` }],
  }
}

/** An incident under investigation is open too, in the words of someone who asks what is open. */
const isAsked = (asked: ListedIncident['status'], status: ListedIncident['status']): boolean =>
  asked === status || (asked === 'open' && status === 'investigating')

const incidentSentence = (incident: ListedIncident): string =>
  `${incident.id} ${quoteText(incident.title)} (${incident.severity}, ${incident.status}${incident.service === null ? '' : `, ${incident.service}`}) since ${timeText(incident.created_at)}.`

/** Whose incidents are asked for: of each service that is named; of all where none is. */
const servicesOf = ({ service, others }: Question): readonly (string | null)[] =>
  service === null ? [] : [service, ...others]

function filtersOf(question: Question): string {
  const parts: string[] = []
  if (question.status !== null) parts.push(`status ${question.status}`)
  if (question.severity !== null) parts.push(`severity ${question.severity}`)
  const services = servicesOf(question)
  if (services.length > 0) parts.push(`service ${services.join(' or ')}`)
  if (question.window !== null)
    parts.push(`created from ${spanText(question.window.from, question.window.to)}`)
  return parts.join(', ')
}

const isoWindow = (window: Window): { start: string; end: string } => ({
  start: new Date(window.from).toISOString(),
  end: new Date(window.to).toISOString(),
})
