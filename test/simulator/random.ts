/** Chance that is the same for the same seed. */
export interface Chance {
  /** From 0 to below 1. */
  next(): number
  between(low: number, high: number): number
  whole(low: number, high: number): number
  pick<Value>(values: readonly Value[]): Value
  is(probability: number): boolean
  /** Around 0 with standard deviation 1. */
  normal(): number
}

/** Mulberry32: small, and good enough for noise. */
export function chance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    whole,
    pick: (values) => values[whole(0, values.length - 1)] as (typeof values)[number],
    is: (probability) => next() < probability,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}
