import { PLAN_LIMITS, type RateState, rateState, windowOf } from '../domain/rate-limit.ts'

/** Names remembered at once; beyond that the oldest are forgotten, so memory stays bounded. */
const MOST_NAMES = 10_000

/**
 * What is counted in this process alone, per name and minute, since it must cost no database write: requests without a
 * valid key by their source address, messages of tools by their integration.
 */
export class Allowance {
  #window = -1
  readonly #used = new Map<string, number>()
  readonly #limit: number

  /** @param limit of one name in a minute; by default what callers without a valid key share */
  constructor(limit: number = PLAN_LIMITS.standard) {
    this.#limit = limit
  }

  /** Where a name stands without counting this request. */
  state(name: string, now: number): RateState {
    this.#turn(now)
    return rateState(this.#limit, this.#used.get(name) ?? 0, now)
  }

  /** Counts one request. @returns the state after it, and whether it is within the allowance */
  take(name: string, now: number): { readonly allowed: boolean; readonly rate: RateState } {
    this.#turn(now)
    const used = (this.#used.get(name) ?? 0) + 1
    const allowed = used <= this.#limit
    if (allowed) {
      if (!this.#used.has(name) && this.#used.size >= MOST_NAMES) {
        const [oldest] = this.#used.keys()
        if (oldest !== undefined) this.#used.delete(oldest)
      }
      this.#used.set(name, used)
    }
    return { allowed, rate: rateState(this.#limit, used, now) }
  }

  #turn(now: number): void {
    const window = windowOf(now)
    if (window === this.#window) return
    this.#window = window
    this.#used.clear()
  }
}
