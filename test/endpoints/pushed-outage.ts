import { writeInstant } from '#shared/domain/instant.ts'

const MINUTE_MS = 60_000
/** Minutes that are told of: a calm hour before the hour of the outage. */
const MINUTES = 120
/** Minute at which the deploy takes effect and errors begin. */
const ONSET = 90
/** A sender that pushes every ten minutes. */
const EVERY = 10

/** The change that the errors follow. */
export const PUSHED_CULPRIT = 'deploy-118'

/** Batches of a sender that pushes what it knows every ten minutes: a checkout that fails from its deploy on. */
export function pushedOutage(endsAt: number) {
  const from = Math.floor(endsAt / MINUTE_MS) * MINUTE_MS - MINUTES * MINUTE_MS
  const at = (minute: number) => writeInstant(from + minute * MINUTE_MS)
  const calm = (minute: number) => ((minute * 7) % 5) / 1_000
  const series = (
    start: number,
    entity: string,
    name: string,
    unit: string,
    value: (of: number) => number,
  ) => ({
    entity,
    name,
    type: 'gauge',
    unit,
    interval_s: 60,
    t0: at(start),
    values: Array.from({ length: EVERY }, (_, minute) => value(start + minute)),
  })
  return Array.from({ length: MINUTES / EVERY }, (_, batch) => {
    const start = batch * EVERY
    const minutes = Array.from({ length: EVERY }, (__, minute) => start + minute)
    return {
      series: [
        series(start, 'checkout', 'http_server_errors_ratio', '1', (minute) =>
          minute < ONSET ? calm(minute) : 0.2 + calm(minute),
        ),
        series(start, 'catalogue', 'http_server_errors_ratio', '1', calm),
        series(start, 'checkout', 'http_server_requests_rate', '1/s', (minute) => 40 + ((minute * 3) % 7)),
      ],
      ...(minutes.includes(ONSET)
        ? {
            changes: [
              {
                id: PUSHED_CULPRIT,
                recorded_at: at(ONSET - 1),
                effective_at: { from: at(ONSET - 1), to: at(ONSET) },
                kind: 'deploy',
                entity: 'checkout',
                before: 'v117',
                after: 'v118',
                certainty: 'recorded',
              },
            ],
          }
        : {}),
      logs: minutes
        .filter((minute) => minute >= ONSET)
        .map((minute) => ({
          timestamp: at(minute),
          service: 'checkout',
          severity: 'ERROR',
          message: `cannot price basket ${minute}: currency is empty`,
        })),
    }
  })
}
