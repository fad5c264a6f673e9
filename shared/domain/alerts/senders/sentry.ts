import {
  alertsAlone,
  DESCRIPTION_LENGTH,
  nothing,
  type ReadSent,
  type SentAlert,
  TITLE_LENGTH,
} from '../alert.ts'
import {
  instantOf,
  labelsOf,
  lineOf,
  linkOf,
  listOf,
  objectOf,
  type Payload,
  textOf,
} from '../payload-fields.ts'
import { severityOf } from '../severity-map.ts'

/** What happens to an issue that makes it over. */
const ENDS = new Set(['resolved', 'archived', 'ignored'])
/** What happens to an issue that makes it be there, for the first time or again. */
const BEGINS = new Set(['created', 'unresolved'])
/** What a metric alert that is over has as its status. */
const CLOSED = 2

type Rest = Pick<SentAlert, 'fingerprint' | 'status' | 'at' | 'severity' | 'ending'>

function alertOf(rest: Rest, found: Payload, more: Partial<SentAlert>): SentAlert {
  const title = textOf(found.title, found.message) ?? 'Sentry alert'
  return {
    ...rest,
    title: lineOf(title, TITLE_LENGTH),
    description: textOf(found.culprit)?.slice(0, DESCRIPTION_LENGTH) ?? null,
    labels: labelsOf({ environment: found.environment, level: found.level, platform: found.platform }),
    service: null,
    sender_group: null,
    starts_at: rest.status === 'firing' ? rest.at : null,
    ends_at: rest.status === 'resolved' ? rest.at : null,
    url: linkOf(found.web_url, found.url),
    ...more,
  }
}

/** An issue in a project: the webhook of an alert rule and of the issue itself share its id. */
const issue = (id: string): string => `issue:${id}`

/**
 * Reads the webhooks of Sentry: alert rules, metric alerts, issues, and the older plugin. What kind it is the header
 * says; where that is missing, the shape does.
 */
export const readSentry: ReadSent = ({ body, headers, received_at }) => {
  const payload = objectOf(body)
  const data = objectOf(payload.data)
  const action = textOf(payload.action) ?? ''
  const told = instantOf(headers['sentry-hook-timestamp']) ?? received_at

  if (data.metric_alert !== undefined) {
    const alert = objectOf(data.metric_alert)
    const id = textOf(alert.id)
    if (id === null) return nothing('a metric alert without id')
    const over = action === 'resolved' || (action === '' && alert.status === CLOSED)
    const at = over
      ? instantOf(alert.date_closed, told)
      : instantOf(alert.date_started, alert.date_detected, told)
    const rest = {
      fingerprint: `metric:${id}`,
      status: over ? ('resolved' as const) : ('firing' as const),
      at: at ?? told,
      severity: severityOf(action),
      ending: 'tells' as const,
    }
    const found = {
      ...alert,
      title: data.description_title ?? alert.title,
      culprit: data.description_text,
      ...data,
    }
    return alertsAlone([alertOf(rest, found, { service: textOf(...listOf(alert.projects)) })])
  }
  if (data.issue !== undefined) {
    const found = objectOf(data.issue)
    const id = textOf(found.id)
    if (id === null || !(ENDS.has(action) || BEGINS.has(action)))
      return nothing(`an issue that is ${action || 'nothing'} neither begins nor ends`)
    const over = ENDS.has(action)
    const rest = {
      fingerprint: issue(id),
      status: over ? ('resolved' as const) : ('firing' as const),
      at: action === 'created' ? (instantOf(found.firstSeen) ?? told) : told,
      severity: severityOf(textOf(found.level)),
      ending: 'silent' as const,
    }
    return alertsAlone([alertOf(rest, found, { service: textOf(objectOf(found.project).slug) })])
  }
  const event = objectOf(data.event ?? payload.event)
  const id = textOf(event.issue_id, payload.event === undefined ? null : payload.id)
  if (id === null || (data.event !== undefined && action !== 'triggered'))
    return nothing(`${headers['sentry-hook-resource'] ?? 'the payload'} tells of no alert`)
  const rest = {
    fingerprint: issue(id),
    status: 'firing' as const,
    at: instantOf(event.datetime, event.timestamp) ?? told,
    severity: severityOf(textOf(event.level, payload.level) ?? 'error'),
    ending: 'silent' as const,
  }
  const found = { ...payload, ...event }
  return alertsAlone([alertOf(rest, found, { service: textOf(payload.project_slug, payload.project) })])
}
