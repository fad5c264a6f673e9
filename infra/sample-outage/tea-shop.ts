/**
 * A small tea shop in arithmetic: six services, one minute at a time. Everything follows from the minute's number, so
 * the same minute always looks the same; nothing here is random and nothing is read from a clock.
 *
 * The fault: version v42 of `pricing` looks exchange rates up without the default that v41 had. Baskets of guests carry
 * no currency, so pricing them throws. `checkout` asks once more before it gives up and answers 502; orders and mails
 * fall with the checkouts that never happen.
 */

/** Minutes are counted from the start of the baseline hour. */
export const MINUTES = 120
/** First minute of the incident's window. */
export const WINDOW_START = 60
/** Pods of `pricing` are replaced from this minute on, the second one two minutes later. */
export const ROLLOUT_START = 92
export const ROLLOUT_END = 94

/** Baskets of visitors who have not signed in. */
const GUEST_SHARE = 0.34

/** Noise between -1 and 1 for one thing in one minute: an integer hash (the finalizer of MurmurHash3). */
export function noise(minute: number, thing: number): number {
  let hash = Math.imul(minute + 1, 0x9e3779b1) ^ Math.imul(thing + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 31 - 1
}

const around = (value: number, share: number, minute: number, thing: number): number =>
  value * (1 + share * noise(minute, thing))

export const SERVICES = ['storefront', 'basket', 'checkout', 'pricing', 'orders', 'mailer'] as const
export type Service = (typeof SERVICES)[number]

/** What one service does in one minute. */
export interface Minute {
  readonly requests: number
  readonly failed: number
  readonly p95_ms: number
  readonly cpu_ratio: number
  readonly memory_bytes: number
}

export interface Calls {
  readonly caller: string
  readonly callee: string
  readonly calls: number
  readonly failed: number
  readonly latency_ms: number
}

/** Share of `pricing` requests that meet version v42: 0, half of them while one of two pods is new, then all. */
export const newVersionShare = (minute: number): number =>
  minute < ROLLOUT_START ? 0 : minute < ROLLOUT_END ? 0.5 : 1

/** How long one call takes when nothing is wrong, milliseconds. */
const USUAL_MS: Readonly<Record<string, number>> = {
  storefront: 48,
  basket: 9,
  checkout: 130,
  pricing: 14,
  orders: 38,
  mailer: 22,
  'orders-db': 6,
  'card-network': 61,
}

/** Everything that happens in the shop within one minute. */
export function shopMinute(minute: number): {
  readonly services: Readonly<Record<Service, Minute>>
  readonly calls: readonly Calls[]
  /** Pricing by version: how many requests each served and how many of them failed. */
  readonly pricingByVersion: Readonly<Record<'v41' | 'v42', { requests: number; failed: number }>>
} {
  // A gentle evening rise and fall over two hours, and a little unrest.
  const tide = 1 - Math.abs(minute - MINUTES / 2) / (MINUTES * 4)
  const visits = Math.round(around(2400 * tide, 0.03, minute, 0))
  const attempts = Math.round(around(visits * 0.12, 0.04, minute, 1))
  const share = newVersionShare(minute)
  // A guest's basket meets the new version with that probability, and again when checkout asks once more.
  const firstFailures = Math.round(attempts * GUEST_SHARE * share)
  const failedTwice = Math.round(firstFailures * share)
  const pricingRequests = attempts + firstFailures
  const pricingFailed = firstFailures + failedTwice
  // One card in a hundred and fifty is refused by a hiccup on any day.
  const hiccups = Math.max(0, Math.round(attempts / 150 + noise(minute, 2)))
  const checkoutFailed = failedTwice + hiccups
  const placed = attempts - checkoutFailed
  const basketRequests = Math.round(visits * 0.45) + attempts
  const basketFailed = Math.max(0, Math.round(1 + 1.4 * noise(minute, 3)))
  const ms = (of: string, thing: number, factor = 1): number =>
    around((USUAL_MS[of] ?? 1) * factor, 0.05, minute, thing)

  const retryFactor = 1 + (0.25 * firstFailures) / attempts
  const busy = (base: number, requests: number, usual: number, thing: number): number =>
    around(base * (0.4 + (0.6 * requests) / usual), 0.04, minute, thing)
  const memory = (mib: number, thing: number): number =>
    Math.round(around(mib, 0.01, minute, thing) * 1024 * 1024)
  const service = (
    name: Service,
    requests: number,
    failed: number,
    latency: number,
    usual: number,
    mib: number,
    thing: number,
  ): Minute => ({
    requests,
    failed,
    p95_ms: around((USUAL_MS[name] ?? 1) * 2.4 * latency, 0.06, minute, thing),
    cpu_ratio: busy(0.31, requests, usual, thing + 1),
    memory_bytes: memory(mib, thing + 2),
  })
  return {
    services: {
      storefront: service('storefront', visits, checkoutFailed + basketFailed, 1, 2200, 410, 10),
      basket: service('basket', basketRequests, basketFailed, 1, 1270, 190, 20),
      checkout: service('checkout', attempts, checkoutFailed, retryFactor, 270, 260, 30),
      pricing: service('pricing', pricingRequests, pricingFailed, 1, 270, 150, 40),
      orders: service('orders', placed, 0, 1, 265, 300, 50),
      mailer: service('mailer', placed, Math.max(0, Math.round(0.6 * noise(minute, 4))), 1, 265, 120, 60),
    },
    calls: [
      {
        caller: 'storefront',
        callee: 'basket',
        calls: basketRequests - attempts,
        failed: basketFailed,
        latency_ms: ms('basket', 70),
      },
      {
        caller: 'storefront',
        callee: 'checkout',
        calls: attempts,
        failed: checkoutFailed,
        latency_ms: ms('checkout', 71, retryFactor),
      },
      { caller: 'checkout', callee: 'basket', calls: attempts, failed: 0, latency_ms: ms('basket', 72) },
      {
        caller: 'checkout',
        callee: 'pricing',
        calls: pricingRequests,
        failed: pricingFailed,
        latency_ms: ms('pricing', 73),
      },
      {
        caller: 'checkout',
        callee: 'card-network',
        calls: placed + hiccups,
        failed: hiccups,
        latency_ms: ms('card-network', 74),
      },
      { caller: 'checkout', callee: 'orders', calls: placed, failed: 0, latency_ms: ms('orders', 75) },
      {
        caller: 'orders',
        callee: 'orders-db',
        calls: placed * 3,
        failed: 0,
        latency_ms: ms('orders-db', 76),
      },
      { caller: 'orders', callee: 'mailer', calls: placed, failed: 0, latency_ms: ms('mailer', 77) },
    ],
    pricingByVersion: {
      v41: { requests: Math.round(pricingRequests * (1 - share)), failed: 0 },
      v42: { requests: pricingRequests - Math.round(pricingRequests * (1 - share)), failed: pricingFailed },
    },
  }
}
