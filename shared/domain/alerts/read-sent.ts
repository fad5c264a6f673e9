import { MOST_AHEAD_MS } from '../instant.ts'
import { toldText } from '../investigation/told-text.ts'
import type { SignalBatch } from '../signals.ts'
import type { Alert, ReadSent, Sent, SentAlert } from './alert.ts'
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

/**
 * An alert as it can be stored and told, with no instant that is still to come: nothing was measured there, and whatever is told later, such as its
 * end, would count as earlier. Where a tool's clock or its offset is wrong, what it tells counts as of when it came in.
 */
function storable(alert: SentAlert, received: number): SentAlert {
  const told = (at: number): number => (at > received + MOST_AHEAD_MS ? received : at)
  const { at, description, url, starts_at, ends_at } = alert
  return {
    ...alert,
    // Half of a character, where it was cut or sent so, is no text that can be stored.
    description: description === null ? null : toldText(description.toWellFormed()),
    url: url === null ? null : toldText(url),
    at: told(at),
    starts_at: starts_at === null ? null : told(starts_at),
    ends_at: ends_at === null ? null : told(ends_at),
  }
}

/** Reads a verified message of an integration of a type. */
export function readSent(type: string, sent: Sent): ReadMessage {
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (read === undefined) return { alerts: [], signals: {}, left_out: [`${type} sends nothing`] }
  const { alerts, ...rest } = read(sent)
  const { integration_id, received_at, confirms } = sent
  return {
    ...rest,
    alerts: alerts.map((alert) => ({
      ...storable(alert, received_at),
      integration_id,
      received_at,
      group: groupOf(integration_id, alert),
      ...(confirms === undefined ? {} : { confirms }),
    })),
  }
}
