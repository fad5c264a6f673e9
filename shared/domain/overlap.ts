/** Seconds that a replaced secret, key or token stays valid beside what replaces it: by default a day, at most a week. */
const DEFAULT_OVERLAP_S = 86_400
export const MOST_OVERLAP_S = 7 * 86_400

/** For how long both are valid, as whoever replaces one asks for. */
export interface Overlap {
  readonly overlap_seconds?: number | undefined
}

/** Until when (ms) that stays valid which is replaced at an instant. */
export const overlapEnds = (at: number, { overlap_seconds = DEFAULT_OVERLAP_S }: Overlap): number =>
  at + overlap_seconds * 1_000
