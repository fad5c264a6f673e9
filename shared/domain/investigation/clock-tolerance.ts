/**
 * How far the clocks of two tools lie apart.
 */

/** Clocks of two tools differ by this much at most, ms. */
export const CLOCK_TOLERANCE_MS = 60_000
