import { MINUTES, shopMinute } from './tea-shop.ts'

const MINUTE_MS = 60_000

export type ShopMinute = ReturnType<typeof shopMinute>

/** The two hours of the sample outage. */
export interface SampleHours {
  readonly minutes: readonly ShopMinute[]
  /** The instant of a minute, as bundles write it. */
  readonly at: (minute: number, millisecond?: number) => string
}

/** @param endsAt milliseconds since the epoch, rounded down to a minute */
export function sampleHours(endsAt: number): SampleHours {
  const start = Math.floor(endsAt / MINUTE_MS) * MINUTE_MS - MINUTES * MINUTE_MS
  return {
    minutes: Array.from({ length: MINUTES }, (_, minute) => shopMinute(minute)),
    at: (minute, millisecond = 0) => new Date(start + minute * MINUTE_MS + millisecond).toISOString(),
  }
}

/** A measurement as tools give it: six digits. */
export const measured = (value: number): number => Number(value.toPrecision(6))
