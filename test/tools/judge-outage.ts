import { RULES } from '#infra/tools-demo/monitoring.ts'
import type { Played } from '#infra/tools-demo/play-outage.ts'
import { measuredBy } from '#shared/adapters/tools/promql.ts'

/** Everybody who serves somebody; a node or a volume serves nobody. */
const SERVICES = ['storefront', 'checkout', 'payments', 'cards.example.com']
/** From here on a wrong answer is a lie. */
export const SURE = 0.8

/** How an outage was explained. */
export interface Judged {
  /** The service that is named as where it began: the cause's, else the one that failed first. */
  readonly service: string | null
  readonly rightService: boolean
  /** The rollout that did it, or the kind of cause. */
  readonly rightCause: boolean
  readonly confidence: number
  readonly wrongAndSure: boolean
}

export function judge({ outage, root_cause }: Pick<Played, 'outage' | 'root_cause'>): Judged {
  const { cause, first_failing_service, confidence } = root_cause
  const { truth } = outage
  const service =
    cause.entity !== null && SERVICES.includes(cause.entity) ? cause.entity : first_failing_service
  const rightService = service !== null && truth.places.includes(service)
  const rightCause =
    truth.changed === null
      ? cause.change === null && truth.kinds.includes(cause.kind)
      : cause.change !== null && cause.entity === truth.changed
  return {
    service,
    rightService,
    rightCause,
    confidence,
    wrongAndSure: confidence >= SURE && !(rightService && (rightCause || cause.kind === 'unknown')),
  }
}

/** What a service with the usual names of metrics must have given without any query that is configured. */
const WITHOUT_CONFIGURATION = [
  'http_requests_per_second',
  'http_errors_per_second',
  'http_error_ratio',
  'http_latency_p95_seconds',
]

/** What of it is missing, and which alert's own expression; nothing where all is there. */
export function missingSeries({ snapshot }: Pick<Played, 'snapshot'>, service: string): readonly string[] {
  const named = snapshot.series.filter(({ entity }) => entity === service)
  const fired = RULES.filter(({ alert }) => snapshot.alerts.some(({ name }) => name === alert))
  return [
    ...WITHOUT_CONFIGURATION.filter((name) => !named.some((series) => series.name === name)),
    ...(fired.length === 0 ? ['an alert that fired'] : []),
    ...fired
      .filter(({ expr }) => !snapshot.series.some(({ query }) => query === measuredBy(expr)))
      .map(({ alert }) => `the expression of ${alert}`),
  ]
}
