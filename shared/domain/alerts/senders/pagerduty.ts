import { alertsAlone, nothing, type ReadSent, TITLE_LENGTH } from '../alert.ts'
import { instantOf, labelsOf, lineOf, linkOf, objectOf, textOf } from '../payload-fields.ts'
import { knownSeverity, severityOf } from '../severity-map.ts'

/** Reads the webhook of PagerDuty (version 3): every event of an incident tells the incident as it is. */
export const readPagerduty: ReadSent = ({ body, received_at }) => {
  const event = objectOf(objectOf(body).event)
  const kind = textOf(event.event_type)
  const incident = objectOf(event.data)
  const id = textOf(incident.id)
  if (kind === null || id === null || incident.type !== 'incident')
    return nothing(`${kind ?? 'the event'} tells of no incident`)
  const resolved = kind === 'incident.resolved' || incident.status === 'resolved'
  const occurred = instantOf(event.occurred_at) ?? received_at
  const starts_at = instantOf(incident.reopened_at, incident.created_at) ?? occurred
  // One that is opened again begins again, whether or not the incident says when.
  const begins = kind === 'incident.reopened' ? Math.max(starts_at, occurred) : starts_at
  const service = objectOf(incident.service)
  const { urgency } = incident
  return alertsAlone([
    {
      fingerprint: id,
      status: resolved ? 'resolved' : 'firing',
      at: resolved ? (instantOf(incident.resolved_at) ?? occurred) : begins,
      severity:
        knownSeverity(textOf(objectOf(incident.priority).summary)) ??
        (urgency === 'high' || urgency === 'low' ? urgency : severityOf(null)),
      title: lineOf(textOf(incident.title, incident.summary) ?? `PagerDuty incident ${id}`, TITLE_LENGTH),
      description: null,
      labels: labelsOf({ service_id: service.id, urgency, number: incident.number }),
      service: textOf(service.summary),
      sender_group: null,
      starts_at: begins,
      ends_at: resolved ? occurred : null,
      url: linkOf(incident.html_url),
      ending: 'tells',
    },
  ])
}
