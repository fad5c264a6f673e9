/**
 * How likely the named cause is right at the level named.
 *
 * Method: a logistic function of three inputs, each with a fixed sign: the margin to the runner-up, the
 * number of independent kinds of evidence that agree, and the share of kinds of telemetry that were there.
 * The coefficients are set by hand so that a clear winner with three kinds of evidence stands near .9 and a
 * lone weak sign near .3; they are not fitted to the outcome of any benchmark case.
 */

const INTERCEPT = -3.2
const PER_MARGIN = 3.2
const PER_KIND = 0.8
const PER_COVERAGE = 0.7
/** Kinds beyond this add nothing: they are seldom independent any more. */
const MOST_KINDS = 4
/** Nobody who only reads telemetry is surer than this. */
export const CONFIDENCE_CAP = 0.95
/** Without a baseline, or where no rollout says when the change took effect. */
export const CONFIDENCE_CAP_UNMAPPED = 0.6
/** A mechanism that fits while nothing in the change names anything observed: possible, no more. */
export const CONFIDENCE_CAP_UNLINKED = 0.49
/** A change for which only closeness and words speak. */
export const CONFIDENCE_CAP_WORDS = 0.35
/** A resource at its end or data that cannot be read: what it looks like, while what led there is not known. */
export const CONFIDENCE_CAP_CONSEQUENCE = 0.6
/** A cause named only as a service says where, not what. */
export const CONFIDENCE_CAP_SERVICE = 0.7

export interface ConfidenceInput {
  /** Score of the best hypothesis, 0 to 1. */
  readonly best: number
  /** Score of the next one, 0 when there is none. */
  readonly runner_up: number
  readonly kinds: number
  /** Share of the kinds of telemetry that the snapshot holds, 0 to 1. */
  readonly coverage: number
  readonly caps: readonly number[]
}

/** The confidence, rounded to two digits; 0 where the best hypothesis does not stand out at all. */
export function confidenceOf(input: ConfidenceInput): number {
  const margin = Math.max(0, input.best - input.runner_up)
  if (margin === 0) return 0
  const logit =
    INTERCEPT +
    PER_MARGIN * margin +
    PER_KIND * Math.min(MOST_KINDS, input.kinds) +
    PER_COVERAGE * input.coverage
  const chance = 1 / (1 + Math.exp(-logit))
  return Math.round(Math.min(chance, CONFIDENCE_CAP, ...input.caps) * 100) / 100
}
