import { measured, type SampleHours } from './sample-hours.ts'
import { MINUTES, ROLLOUT_START, SERVICES, WINDOW_START } from './tea-shop.ts'

/** The incident that a first start creates for the sample outage. */
export const SAMPLE_INCIDENT = {
  title: 'Checkout answers 502 for a third of all orders',
  severity: 'critical',
  service: 'checkout',
} as const

/** The alert fires when its condition has held for two minutes after the rollout reached every pod. */
const ALERT_AT = 96

/** The alert that tells of it. */
export function sampleAlerts({ minutes, at }: SampleHours): readonly object[] {
  const observed = minutes[ALERT_AT]?.services.checkout
  return [
    {
      name: 'CheckoutErrorRatio',
      service: 'checkout',
      metric: 'http_server_errors_ratio',
      threshold: 0.05,
      observed: observed === undefined ? 0 : measured(observed.failed / observed.requests),
      fired_at: at(ALERT_AT),
      for_s: 120,
      severity: 'critical',
      summary: 'checkout answers 502 for more than 5 % of requests',
    },
  ]
}

/** What Kubernetes recorded of the rollout. */
export function samplePodEvents({ at }: SampleHours): readonly object[] {
  const pod = (minute: number, millisecond: number, name: string, reason: string, message: string) => ({
    timestamp: at(minute, millisecond),
    kind: 'Pod',
    name,
    namespace: 'tea-shop',
    reason,
    message,
    count: 1,
  })
  return [
    {
      timestamp: at(ROLLOUT_START),
      kind: 'Deployment',
      name: 'pricing',
      namespace: 'tea-shop',
      reason: 'ScalingReplicaSet',
      message: 'Scaled up replica set pricing-6c8d5b7f9 to 1',
      count: 1,
    },
    pod(ROLLOUT_START, 3_000, 'pricing-6c8d5b7f9-k2x7q', 'Started', 'Started container pricing'),
    pod(ROLLOUT_START + 1, 58_000, 'pricing-79f4cd6b84-tq5zn', 'Killing', 'Stopping container pricing'),
    pod(ROLLOUT_START + 2, 4_000, 'pricing-6c8d5b7f9-w9vlm', 'Started', 'Started container pricing'),
    pod(ROLLOUT_START + 2, 6_000, 'pricing-79f4cd6b84-8mvb2', 'Killing', 'Stopping container pricing'),
  ]
}

/** The head of the bundle: its window, its normal time and who is in it. */
export function sampleHead({ at }: SampleHours): object {
  const entity = (name: string, kind: string) => ({
    name,
    kind,
    environment: 'prod',
    aliases: kind === 'service' ? [{ alias: `${name}-svc`, learnt_from: 'Kubernetes service name' }] : [],
  })
  return {
    format: 'incident-bundle/1',
    window: { from: at(WINDOW_START), to: at(MINUTES) },
    baselines: [{ name: 'b1', from: at(0), to: at(WINDOW_START) }],
    entities: [
      ...SERVICES.map((service) => entity(service, 'service')),
      entity('orders-db', 'datastore'),
      entity('card-network', 'external'),
    ],
  }
}

/** What the provider of card payments says of itself. */
export const sampleStatus = ({ at }: SampleHours): readonly object[] => [
  {
    provider: 'card-network',
    component: 'Charges',
    events: [{ timestamp: at(30), status: 'operational', detail: 'All systems operational' }],
  },
]
