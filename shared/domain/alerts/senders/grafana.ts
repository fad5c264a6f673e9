import { nothing, type ReadSent } from '../alert.ts'
import { listOf, objectOf } from '../payload-fields.ts'
import { readAlertmanager } from './alertmanager.ts'

/** True for what the button "Test" of a contact point sends: it must arrive, and open nothing. */
const isTest = (alert: unknown): boolean => {
  const labels = objectOf(objectOf(alert).labels)
  return labels.alertname === 'TestAlert' && labels.instance === 'Grafana'
}

/** Reads the webhook of Grafana: the shape of Alertmanager's with more beside it. */
export const readGrafana: ReadSent = (sent) => {
  const alerts = listOf(objectOf(sent.body).alerts)
  return alerts.length > 0 && alerts.every(isTest)
    ? nothing('a test of the contact point')
    : readAlertmanager(sent)
}
