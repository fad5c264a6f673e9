/** Length of a window of the rate limit, in milliseconds. */
export const WINDOW_MS = 60_000

export const PLANS = ['standard', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** Requests per minute that a plan allows (specification, Limits). */
export const PLAN_LIMITS: Readonly<Record<Plan, number>> = { standard: 100, enterprise: 1_000 }

/** Where a caller stands in its window. */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** End of the window, seconds since the epoch. */
  readonly reset: number
}

/** Number of the window that an instant (ms) falls into. */
export const windowOf = (now: number): number => Math.floor(now / WINDOW_MS)

/** Where a caller stands whose count in the window of `now` is `used`, this request included. */
export const rateState = (limit: number, used: number, now: number): RateState => ({
  limit,
  remaining: Math.max(0, limit - used),
  reset: ((windowOf(now) + 1) * WINDOW_MS) / 1_000,
})

/** Whole seconds until a window ends, at least one: the value of Retry-After. */
export const retryAfter = (state: RateState, now: number): number =>
  Math.max(1, Math.ceil(state.reset - now / 1_000))

/** The headers that every response carries. */
export const rateHeaders = (state: RateState): Record<string, string> => ({
  'X-RateLimit-Limit': String(state.limit),
  'X-RateLimit-Remaining': String(state.remaining),
  'X-RateLimit-Reset': String(state.reset),
})
