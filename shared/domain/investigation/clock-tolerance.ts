/**
 * How far the clocks of two tools lie apart at most, so that two instants of theirs may be told as one.
 */

/** Clocks of two tools differ by this much at most, ms. */
export const CLOCK_TOLERANCE_MS = 60_000
