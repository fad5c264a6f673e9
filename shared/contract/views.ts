import { senderOf } from '../domain/alerts/intake.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { ChartedIncident } from '../domain/chart-incident.ts'
import type { Connected } from '../domain/connect-integration.ts'
import type { MadeKey } from '../domain/create-key.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { Incident, IncidentFile } from '../domain/incident.ts'
import { writeInstant } from '../domain/instant.ts'
import type { Integration } from '../domain/integration.ts'
import type { IncidentCharts } from '../domain/investigation/screen/incident-charts.ts'
import { summaryCard } from '../domain/investigation/screen/summary-card.ts'
import type { LoggedDelivery, StoredAnswer } from '../domain/ports.ts'
import type { RotatedKey } from '../domain/rotate-key.ts'
import type { Rotation } from '../domain/rotate-secret.ts'
import type { Webhook } from '../domain/webhook.ts'

/** What the API shows of an incident. */
export function incidentView({ version: _version, ...incident }: Incident) {
  return incident
}

/** What the API shows of one incident with everything known about it. */
export function incidentFileView({ version: _version, ...file }: IncidentFile) {
  return { ...file, summary_card: file.root_cause === null ? null : summaryCard(file.root_cause) }
}

const markView = <Each extends { readonly at: number }>(mark: Each) => ({
  ...mark,
  at: writeInstant(mark.at),
})

function chartsView({ window, onset, ...charts }: IncidentCharts) {
  return {
    window: { start: writeInstant(window.from), end: writeInstant(window.to) },
    onset: onset && {
      at: writeInstant(onset.at),
      earliest: writeInstant(onset.earliest),
      latest: writeInstant(onset.latest),
    },
    alerts: charts.alerts.map(markView),
    changes: charts.changes.map(markView),
    events: charts.events.map(markView),
    failing: charts.failing.map(({ entity, from, to }) => ({
      service: entity,
      start: writeInstant(from),
      end: writeInstant(to),
    })),
    series: charts.series.map(({ entity, name, unit, before, onset: left, points }) => {
      const start = points[0]?.[0] ?? left
      return {
        service: entity,
        name,
        unit,
        before,
        onset: writeInstant(left),
        start: writeInstant(start),
        after_ms: points.map(([at]) => at - start),
        values: points.map(([, value]) => value),
      }
    }),
    services: charts.nodes,
    calls: charts.calls.flatMap(([from, to]) => {
      const [caller, callee] = [charts.nodes[from], charts.nodes[to]]
      return caller === undefined || callee === undefined ? [] : { caller: caller.name, callee: callee.name }
    }),
  }
}

/** What the API shows of what can be drawn of an incident. */
export const incidentChartsView = ({ id, charts }: ChartedIncident) => ({
  id,
  charts: charts && chartsView(charts),
})

/**
 * An object with its names in order, at every depth. Stores keep no order of names, and an answer that is the same is
 * the same byte for byte.
 */
function inOrder(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(given).sort()
  return Object.fromEntries(
    names.map((name) => {
      const value = given[name]
      const nested = typeof value === 'object' && value !== null && !Array.isArray(value)
      return [name, nested ? inOrder(value as Readonly<Record<string, unknown>>) : value]
    }),
  )
}

/**
 * What the API shows of an integration; its settings hold no secret.
 * @param base address of the API, below which its tool sends alerts
 * @param token its ingest token, where it is made just now
 */
export function integrationView(
  { version: _version, config, ...integration }: Integration,
  base: string,
  token: string | null = null,
) {
  const { id, type } = integration
  const ingest = senderOf(type) === undefined ? null : { url: `${base}/integrations/${id}/events`, token }
  return { ...integration, config: inOrder(config), ingest }
}

/** What the API shows of a subscription. */
export function webhookView({ version: _version, ...webhook }: Webhook) {
  return webhook
}

/** What the API shows of a rotation: until when both secrets sign, and never one of them. */
export function rotationView({ webhook, previousUntil, warnings }: Rotation) {
  const told = warnings.length > 0 ? { warnings } : {}
  return { ...webhookView(webhook), previous_secret_valid_until: writeInstant(previousUntil), ...told }
}

/** What the API shows of an answer; the question's own text and what was read of it for follow-ups are not repeated. */
export function answerView({
  query: _query,
  asks: _asks,
  snapshot_digest: _digest,
  ...answer
}: StoredAnswer) {
  return answer
}

/** What the API shows of a delivery. */
export function deliveryView(delivery: Delivery) {
  const { id, webhook_id, event_id, incident_id, status, reason, trigger } = delivery
  return {
    id,
    webhook_id,
    event_id,
    event: delivery.event_kind,
    incident_id,
    status,
    reason,
    trigger,
    next_attempt_at: status === 'pending' ? writeInstant(delivery.next_attempt_at) : null,
    created_at: writeInstant(delivery.created_at),
    updated_at: writeInstant(delivery.updated_at),
  }
}

/** What the API shows of a delivery with its attempts. */
export function loggedDeliveryView({ log, ...delivery }: LoggedDelivery) {
  return {
    ...deliveryView(delivery),
    attempts: log.map((attempt) => ({ ...attempt, at: writeInstant(attempt.at) })),
  }
}

/** What the API shows of a key: never its value, only what recognises it. */
export function keyView(key: ApiKey) {
  const { id, name, type, plan, prefix, last4, created_by, created_at } = key
  const { expires_at, last_used_at, revoked_at } = key
  return { id, name, type, plan, prefix, last4, created_by, created_at, expires_at, last_used_at, revoked_at }
}

/** What is told in place of a value that was answered before. */
const SHOWN_ONCE = { warnings: ['The value was answered to the first request with this Idempotency-Key.'] }

/** What the API shows of an integration that was made, with its ingest token the first time. */
export function connectedView({ integration, token }: Connected, base: string) {
  const told = senderOf(integration.type) !== undefined && token === null
  return { ...integrationView(integration, base, token), ...(told ? SHOWN_ONCE : {}) }
}

/** What the API shows of a key that was made, with its value the first time. */
export const madeKeyView = ({ apiKey, key }: MadeKey) => ({
  ...keyView(apiKey),
  value: key,
  ...(key === null ? SHOWN_ONCE : {}),
})

/** What the API shows of a key that was rotated: its new value the first time, and until when the one before is valid. */
export const rotatedKeyView = ({ previousUntil, ...made }: RotatedKey) => ({
  ...madeKeyView(made),
  previous_value_valid_until: writeInstant(previousUntil),
})
