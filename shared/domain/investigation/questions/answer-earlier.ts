/** Answers to "has this happened before": earlier incidents of the service, as the store knows them. */

import type { Evidence } from '../findings.ts'
import { quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import type { Window } from '../records/snapshot.ts'
import { spanLengthText } from './answer-ground.ts'
import type { ListedIncident } from './answer-listing.ts'

/** An incident with what was found of it. */
export interface EarlierIncident extends ListedIncident {
  readonly cause: string | null
  /** Milliseconds since the epoch; null where it is not resolved. */
  readonly resolved_at: number | null
}

export interface Earlier {
  readonly service: string | null
  /** Only incidents that began before this instant are earlier, milliseconds. */
  readonly before: number
  /** The time that was asked about, where one was. */
  readonly window?: Window | null
  readonly incidents: readonly EarlierIncident[]
  readonly is_cut: boolean
  /** What was asked of the store, word for word. */
  readonly query: string
}

/** Earlier incidents that are told one by one. */
const TOLD = 5

/** How long an incident was not resolved; nothing where it still is not. */
const lastedText = ({ created_at, resolved_at }: EarlierIncident): string =>
  resolved_at === null ? '' : `, resolved after ${spanLengthText(resolved_at - created_at)}`

/** The earlier incidents of a service, newest first, each with what was taken for its cause. */
export function answerEarlier({ service, before, window = null, incidents, is_cut, query }: Earlier): {
  readonly answer: string
  readonly evidence: readonly Evidence[]
} {
  const earlier = incidents

    .filter(
      ({ created_at, service: of }) =>
        created_at < before &&
        (service === null || of === service) &&
        (window === null || (created_at >= window.from && created_at < window.to)),
    )
    .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
  const of = service === null ? '' : ` of ${service}`
  const amount = `${is_cut ? 'At least ' : ''}${earlier.length === 0 ? (is_cut ? '0' : 'No') : earlier.length}`
  const span =
    window === null ? `before ${timeText(before)}` : spanText(window.from, Math.min(window.to, before))
  const noun = earlier.length === 1 ? 'incident' : 'incidents'
  const lead = `${amount} ${noun}${of} ${earlier.length === 1 ? 'is' : 'are'} known from ${span}.`
  const told = earlier.slice(0, TOLD).map((incident) => {
    const cause =
      incident.cause === null ? 'its cause was not found' : `what was found: ${quoteText(incident.cause)}`
    return `${incident.id} ${quoteText(incident.title)} (${incident.severity}, ${incident.status}) from ${timeText(incident.created_at)}${lastedText(incident)}; ${cause}.`
  })
  const evidence = [lead, ...told].map(
    (content, index): Evidence => ({
      id: `ev_${index + 1}`,
      source: 'incidents',
      type: index === 0 ? 'statement' : 'pattern',
      content,
      integration_id: null,
      query,
      window: null,
      link: null,
      digest: null,
    }),
  )
  const rest = earlier.length > TOLD ? ['\nThe others are not listed here.'] : []
  return { answer: [lead, ...told.map((line) => `\n- ${line}`), ...rest].join(''), evidence }
}
