import { PLAN_LIMITS, type RateState, rateState, windowOf } from '../domain/rate-limit.ts'

/** Addresses remembered at once; beyond that the oldest are forgotten, so memory stays bounded. */
const MOST_ADDRESSES = 10_000

/**
 * What callers without a valid key share, per source address and minute, in this process: it costs no database write.
 */
export class Allowance {
  #window = -1
  readonly #used = new Map<string, number>()

  /** Where an address stands without counting this request. */
  state(address: string, now: number): RateState {
    this.#turn(now)
    return rateState(PLAN_LIMITS.standard, this.#used.get(address) ?? 0, now)
  }

  /** Counts one request. @returns the state after it, and whether it is within the allowance */
  take(address: string, now: number): { readonly allowed: boolean; readonly rate: RateState } {
    this.#turn(now)
    const used = (this.#used.get(address) ?? 0) + 1
    const allowed = used <= PLAN_LIMITS.standard
    if (allowed) {
      if (!this.#used.has(address) && this.#used.size >= MOST_ADDRESSES) {
        const [oldest] = this.#used.keys()
        if (oldest !== undefined) this.#used.delete(oldest)
      }
      this.#used.set(address, used)
    }
    return { allowed, rate: rateState(PLAN_LIMITS.standard, used, now) }
  }

  #turn(now: number): void {
    const window = windowOf(now)
    if (window === this.#window) return
    this.#window = window
    this.#used.clear()
  }
}
