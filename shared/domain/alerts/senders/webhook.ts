import { alertsAlone, DESCRIPTION_LENGTH, nothing, type ReadSent, TITLE_LENGTH } from '../alert.ts'
import { instantOf, labelsOf, lineOf, linkOf, objectOf, textOf } from '../payload-fields.ts'
import { severityOf } from '../severity-map.ts'
import { readAlertmanager } from './alertmanager.ts'

const OVER = new Set(['resolved', 'closed', 'recovered', 'ok'])
/** What leaves an incident as it is. */
const BEGUN = new Set([
  'created',
  'updated',
  'opened',
  'reopened',
  'triggered',
  'firing',
  'acknowledged',
  'open',
])

/**
 * Reads what anybody sends who signs it: the shape of AWS DevOps Agent's webhook (`incidentId`, `action`, `priority`),
 * alone or as the `data` of an event, the plain names of this service, or a payload of Alertmanager's shape.
 */
export const readWebhook: ReadSent = (sent) => {
  const outer = objectOf(sent.body)
  if (Array.isArray(outer.alerts)) return readAlertmanager(sent)
  const inner = objectOf(outer.data)
  const payload = outer.incidentId === undefined && inner.incidentId !== undefined ? inner : outer
  const id = textOf(payload.incidentId, payload.incident_id, payload.fingerprint, payload.id)
  if (id === null) return nothing('neither incidentId nor fingerprint')
  const action = (textOf(payload.action, payload.status) ?? 'created').toLowerCase()
  const over = OVER.has(action)
  if (!over && !BEGUN.has(action)) return nothing(`an unknown action: ${lineOf(action, 40)}`)
  const told = instantOf(payload.timestamp, outer.timestamp)
  const starts_at = instantOf(payload.starts_at, payload.startsAt, over ? null : told)
  // What is told to go on, or to have begun again, may bear the begin of before: it counts as of when that is told.
  const fires_at = starts_at === null || told === null ? starts_at : Math.max(starts_at, told)
  const ends_at = over ? instantOf(payload.ends_at, payload.endsAt, told) : null
  return alertsAlone([
    {
      fingerprint: id,
      status: over ? 'resolved' : 'firing',
      at: (over ? ends_at : fires_at) ?? sent.received_at,
      severity: severityOf(textOf(payload.priority, payload.severity)),
      title: lineOf(textOf(payload.title, payload.summary) ?? `Alert ${id}`, TITLE_LENGTH),
      description: textOf(payload.description)?.slice(0, DESCRIPTION_LENGTH) ?? null,
      labels: labelsOf({ ...objectOf(payload.data), ...objectOf(payload.labels) }),
      service: textOf(payload.service),
      sender_group: null,
      starts_at,
      ends_at,
      url: linkOf(payload.url, payload.link),
      ending: 'tells',
    },
  ])
}
