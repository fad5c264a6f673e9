import {
  alertsAlone,
  DESCRIPTION_LENGTH,
  nothing,
  type ReadSent,
  type SentAlert,
  TITLE_LENGTH,
} from '../alert.ts'
import { instantOf, labelsOf, lineOf, linkOf, listOf, objectOf, textOf } from '../payload-fields.ts'
import { severityOf } from '../severity-map.ts'

/** Alerts that fire as long as all is well; that they end is what somebody wants to know, and no incident. */
const HEARTBEATS = new Set(['Watchdog', 'DeadMansSwitch', 'DeadMansSnitch', 'InfoInhibitor'])

/**
 * Reads the webhook of Alertmanager (version 4), which Grafana sends too. Each alert has a status of its own: a payload
 * that says `firing` may hold alerts that are resolved.
 */
export const readAlertmanager: ReadSent = ({ body, received_at }) => {
  const payload = objectOf(body)
  if (!Array.isArray(payload.alerts)) return nothing('no list of alerts')
  const hidden = Number(payload.truncatedAlerts ?? 0) || 0
  const leftOut: string[] = []
  const alerts: SentAlert[] = []
  for (const value of listOf(payload.alerts)) {
    const alert = objectOf(value)
    const labels = labelsOf(alert.labels)
    const annotations = labelsOf(alert.annotations)
    const name = labels.alertname ?? 'alert'
    if (HEARTBEATS.has(name)) {
      leftOut.push(`${name} is a sign of life`)
      continue
    }
    const resolved = textOf(alert.status, payload.status) === 'resolved'
    if (resolved && hidden > 0) {
      // Others of the group are hidden: who saw only these would end an incident that goes on.
      leftOut.push(`${name} resolved in a payload that hides ${hidden} alerts`)
      continue
    }
    const starts_at = instantOf(alert.startsAt)
    const ends_at = resolved ? instantOf(alert.endsAt) : null
    alerts.push({
      fingerprint: textOf(alert.fingerprint) ?? JSON.stringify(labels),
      status: resolved ? 'resolved' : 'firing',
      at: (resolved ? ends_at : starts_at) ?? received_at,
      severity: severityOf(textOf(labels.severity, labels.priority)),
      title: lineOf(textOf(annotations.summary, annotations.title, name) ?? name, TITLE_LENGTH),
      description: textOf(annotations.description, annotations.message)?.slice(0, DESCRIPTION_LENGTH) ?? null,
      labels,
      service: null,
      sender_group: textOf(payload.groupKey),
      starts_at,
      ends_at,
      url: linkOf(alert.generatorURL, alert.dashboardURL, payload.externalURL),
      ending: 'repeats',
    })
  }
  return alertsAlone(alerts, leftOut)
}
