import type { SignalBatch } from '../signals.ts'
import type { Alert, ReadSent, Sent } from './alert.ts'
import { groupOf } from './group-key.ts'
import { readAlertmanager } from './senders/alertmanager.ts'
import { readCloudwatch } from './senders/cloudwatch.ts'
import { readDatadog } from './senders/datadog.ts'
import { readGithub } from './senders/github.ts'
import { readGrafana } from './senders/grafana.ts'
import { readPagerduty } from './senders/pagerduty.ts'
import { readSentry } from './senders/sentry.ts'
import { readWebhook } from './senders/webhook.ts'

/** How the messages of each type of integration that sends any are read. */
const READERS: Readonly<Record<string, ReadSent>> = {
  alertmanager: readAlertmanager,
  cloudwatch: readCloudwatch,
  datadog: readDatadog,
  github: readGithub,
  grafana: readGrafana,
  pagerduty: readPagerduty,
  sentry: readSentry,
  webhook: readWebhook,
}

/** What a message came to. */
export interface ReadMessage {
  readonly alerts: readonly Alert[]
  readonly signals: SignalBatch
  readonly left_out: readonly string[]
}

/** Reads a verified message of an integration of a type. */
export function readSent(type: string, sent: Sent): ReadMessage {
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (read === undefined) return { alerts: [], signals: {}, left_out: [`${type} sends nothing`] }
  const { alerts, ...rest } = read(sent)
  const { integration_id, confirms } = sent
  return {
    ...rest,
    alerts: alerts.map((alert) => ({
      ...alert,
      integration_id,
      group: groupOf(integration_id, alert),
      ...(confirms === undefined ? {} : { confirms }),
    })),
  }
}
