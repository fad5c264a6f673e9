import type { SampleHours, ShopMinute } from './sample-hours.ts'
import { MINUTES, noise, ROLLOUT_START, WINDOW_START } from './tea-shop.ts'

/** Every service logs a line of routine this often, minutes. */
const ROUTINE_EVERY = 3

/** Lines of routine and of the rollout, with those that traced checkouts logged, in the order of time. */
export function sampleLogs({ minutes, at }: SampleHours, traced: readonly object[]): readonly object[] {
  const routine = minutes.flatMap((_, minute) =>
    minute % ROUTINE_EVERY === 0
      ? [
          {
            timestamp: at(minute, 1_000),
            service: 'basket',
            severity: 'INFO',
            message: `swept ${20 + (minute % 7)} baskets older than 30 days`,
          },
          {
            timestamp: at(minute, 1_400),
            service: 'mailer',
            severity: 'INFO',
            message: `sent ${190 + Math.round(20 * noise(minute, 5))} mails in the last minute`,
          },
        ]
      : [],
  )
  const rolloutLogs = [
    {
      timestamp: at(ROLLOUT_START, 4_000),
      service: 'pricing',
      severity: 'INFO',
      message: 'pricing v42 is listening on 8080',
      instance: 'pricing-6c8d5b7f9-k2x7q',
    },
    {
      timestamp: at(ROLLOUT_START + 2, 5_000),
      service: 'pricing',
      severity: 'INFO',
      message: 'pricing v42 is listening on 8080',
      instance: 'pricing-6c8d5b7f9-w9vlm',
    },
  ]
  const byTime = (a: { timestamp: string }, b: { timestamp: string }): number =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0
  return [...(traced as { timestamp: string }[]), ...routine, ...rolloutLogs].sort(byTime)
}

/** How many errors the services that fail logged, minute by minute. */
export const sampleErrorCounts = ({ minutes, at }: SampleHours): readonly object[] =>
  minutes.flatMap(({ services }, minute) =>
    (['storefront', 'checkout', 'pricing', 'orders'] as const).map((service) => ({
      service,
      severity: 'ERROR',
      t0: at(minute),
      interval_s: 60,
      count: services[service].failed,
    })),
  )

/** What a service logs again and again: how often within the window, and how often before. */
export function samplePatterns({ minutes }: SampleHours): readonly object[] {
  const sum = (from: number, to: number, count: (minute: ShopMinute) => number): number =>
    minutes.slice(from, to).reduce((total, minute) => total + count(minute), 0)
  const pattern = (service: string, signature: string, count: (minute: ShopMinute) => number) => ({
    signature,
    service,
    count: sum(WINDOW_START, MINUTES, count),
    baseline_count: sum(0, WINDOW_START, count),
  })
  return [
    pattern(
      'pricing',
      "cannot price basket <*>: TypeError: Cannot read properties of undefined (reading 'perEuro') at convert (pricing/src/rates.ts:21)",
      ({ services }) => services.pricing.failed,
    ),
    pattern(
      'pricing',
      'priced basket <*> with <*> lines',
      ({ services }) => services.pricing.requests - services.pricing.failed,
    ),
    pattern('checkout', 'order for basket <*> placed', ({ services }) => services.orders.requests),
    pattern('orders', 'order <*> stored', ({ services }) => services.orders.requests),
  ]
}
