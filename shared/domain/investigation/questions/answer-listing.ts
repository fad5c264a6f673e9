/** Answers to "which incidents" and "how many": sentences over given records, nothing else. */

import type { Evidence } from '../findings.ts'
import { quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { compareText } from '../records/log-templates.ts'
import type { Window } from '../records/snapshot.ts'
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
  /** 1 where the list is whole, .5 where it was cut: then only "at least" is known. */
  readonly confidence: number
}

/** Incidents that are named one by one; the rest is counted. */
const NAMED = 10
const SEVERITY_ORDER = ['critical', 'high', 'medium', 'low'] as const
/** Sure of a whole list, unsure of one that was cut. */
const CONFIDENCE_WHOLE = 1
const CONFIDENCE_CUT = 0.5

/**
 * Answers a question whose intent is `list_incidents` or `count_incidents`. Incidents that the question's
 * filters exclude are left out, whatever the store gave. Newest first.
 */
export function answerListing(question: Question, listing: Listing): ListingAnswer {
  const incidents = listing.incidents
    .filter(
      (incident) =>
        (question.status === null || isAsked(question.status, incident.status)) &&
        (question.severity === null || incident.severity === question.severity) &&
        (question.service === null || incident.service === question.service) &&
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
  return {
    answer: `${lead}${bySeverity}${cut}${named}${rest}`,
    evidence,
    confidence: listing.is_cut ? CONFIDENCE_CUT : CONFIDENCE_WHOLE,
  }
}

/** An incident under investigation is open too, in the words of someone who asks what is open. */
const isAsked = (asked: ListedIncident['status'], status: ListedIncident['status']): boolean =>
  asked === status || (asked === 'open' && status === 'investigating')

const incidentSentence = (incident: ListedIncident): string =>
  `${incident.id} ${quoteText(incident.title)} (${incident.severity}, ${incident.status}${incident.service === null ? '' : `, ${incident.service}`}) since ${timeText(incident.created_at)}.`

function filtersOf(question: Question): string {
  const parts: string[] = []
  if (question.status !== null) parts.push(`status ${question.status}`)
  if (question.severity !== null) parts.push(`severity ${question.severity}`)
  if (question.service !== null) parts.push(`service ${question.service}`)
  if (question.window !== null)
    parts.push(`created from ${spanText(question.window.from, question.window.to)}`)
  return parts.join(', ')
}

const isoWindow = (window: Window): { start: string; end: string } => ({
  start: new Date(window.from).toISOString(),
  end: new Date(window.to).toISOString(),
})
