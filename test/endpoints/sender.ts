import { randomBytes } from 'node:crypto'
import { intakeOf, TOKEN_BYTES, writeToken } from '#shared/domain/alerts/intake.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { IntegrationConfig } from '#shared/domain/integration.ts'
import { withKey } from './service.ts'

/** An integration whose tool may send, and what it proves itself by. */
export interface TestSender {
  readonly id: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
}

/** Connects a tool that nobody has to ask: it is only sent by. */
export async function newSender(
  type = 'alertmanager',
  config: IntegrationConfig = {},
  status: 'connected' | 'disabled' = 'connected',
): Promise<TestSender> {
  const { integrations, newId } = await import('#shared/runtime.ts')
  const now = Date.now()
  const token = writeToken(randomBytes(TOKEN_BYTES))
  const id = newId(type, now)
  const at = writeInstant(now)
  const times = { created_at: at, updated_at: at, connected_at: at }
  await integrations().create(
    { id, type, status, status_detail: null, config, ...times, version: 1 },
    config,
    200,
    intakeOf(type, config, token),
  )
  return { id, token, headers: withKey(token) }
}

/** The webhook of Alertmanager for alerts, of which only what differs is given. */
export const alertmanagerWebhook = (...alerts: readonly Readonly<Record<string, unknown>>[]) => ({
  version: '4',
  status: 'firing',
  alerts: alerts.map((alert) => ({
    status: 'firing',
    labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'critical' },
    annotations: { summary: 'More than 5 % of the requests of checkout fail' },
    startsAt: new Date(Date.now() - 60_000).toISOString(),
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint: '187a5843d203a50f',
    ...alert,
  })),
})

/** An alarm of Amazon CloudWatch as EventBridge tells that it changed, of which only what differs is given. */
export const alarmEvent = (given: { readonly value?: string; readonly at?: number } = {}) => ({
  version: '0',
  id: 'c4c1c1c9-6542-e61b-6ef0-8c4d36933a92',
  'detail-type': 'CloudWatch Alarm State Change',
  source: 'aws.cloudwatch',
  account: '123456789012',
  time: new Date(given.at ?? Date.now()).toISOString(),
  region: 'eu-central-1',
  resources: ['arn:aws:cloudwatch:eu-central-1:123456789012:alarm:checkout-5xx'],
  detail: {
    alarmName: 'checkout-5xx',
    state: { value: given.value ?? 'ALARM', timestamp: new Date(given.at ?? Date.now()).toISOString() },
    configuration: {
      metrics: [
        { metricStat: { metric: { namespace: 'AWS/Lambda', dimensions: { FunctionName: 'checkout-api' } } } },
      ],
    },
  },
})
