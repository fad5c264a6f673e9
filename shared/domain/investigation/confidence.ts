/**
 * How likely the named cause is right at the level named.
 *
 * Method: logistic regression of three inputs, each with a fixed sign: the margin to the runner-up, the number of
 * independent kinds of evidence that agree, and the share of kinds of telemetry that were there. The coefficients are
 * fitted, see `confidence-coefficients.ts`; what the fit has not seen is capped.
 */
import { COEFFICIENTS, FITTED_RANGE } from './confidence-coefficients.ts'

/** From here a cause counts as identified and is called likely, and what to do about it is said without an if. */
export const IDENTIFIED = 0.6

/** Nobody who only reads telemetry is surer than this. */
export const CONFIDENCE_CAP = 0.95
/** Without a baseline, without a rollout of the change, with a close runner-up, or outside of what the fit has seen. */
export const CONFIDENCE_CAP_UNMAPPED = 0.6
/** One of two things: a mechanism that fits while nothing names anything observed, or time and place alone. */
export const CONFIDENCE_CAP_UNLINKED = 0.49
/**
 * Time and place where both leave hardly any other, though nothing shows how. On faults that nobody had seen, 215 of 216 such
 * answers were right, of thirteen sorts of faults (docs/decisions/0085-bounds-by-what-unseen-faults-show.md).
 */
export const CONFIDENCE_CAP_TIMED = 0.9
/**
 * A part beside the calls of which two witnesses tell, itself and who needs it. On faults that nobody had seen, 100 of 101 such
 * answers were right, in nine of ten families of faults (docs/decisions/0099-what-is-aside-and-what-two-tell.md).
 */
export const CONFIDENCE_CAP_WITNESSED = 0.9
/**
 * Likely: it shows how, and time and place leave hardly any other, though most of what fails is elsewhere (decision 0099); and a
 * change that struck where something else was seen, which is put down to it
 * (docs/decisions/0093-how-it-fails-and-what-struck-there.md).
 */
export const CONFIDENCE_CAP_SHOWN = 0.75
/**
 * What programs say and calls that fail, with nothing measured or recorded of the cause itself: likely. On faults that nobody had
 * seen, most such answers that were stated surely were wrong (decision 0085).
 */
export const CONFIDENCE_CAP_SAID = 0.75
/**
 * Where nothing was measured at all. On faults that nobody had seen 25 of 39 answers at .8 or more were right then
 * (docs/decisions/0113-what-is-sure-without-records.md).
 */
export const CONFIDENCE_CAP_UNMEASURED = 0.75
/** A change for which only words speak, or one of several that were close. */
export const CONFIDENCE_CAP_WORDS = 0.35
/**
 * A resource at its end or data that cannot be read: what it looks like, while what led there is not known. And names that do not
 * resolve: on faults that nobody had seen none of 20 such answers was right (docs/decisions/0113-what-is-sure-without-records.md).
 */
export const CONFIDENCE_CAP_CONSEQUENCE = 0.6
/** A place, or a resource at its end, while the records of what happened were read and none of them explains it. */
export const CONFIDENCE_CAP_UNEXPLAINED = 0.49
/**
 * Where something fails, half of an answer or an everyday event, while most of what fails is elsewhere, and so a change that time
 * and place do not single out either: on faults that nobody had seen hardly any such answer was right (decisions 0085 and 0099).
 */
export const CONFIDENCE_CAP_ASIDE = 0.2
/**
 * A change that was taken back while the harm goes on: what it was taken for the cause of is there without it
 * (docs/decisions/0109-what-has-been-taken-back.md).
 */
export const CONFIDENCE_CAP_OUTLIVED = 0.49
/** What the alert is about is such as normal time has too: below every threshold at which one would act. */
export const CONFIDENCE_CAP_USUAL = 0.2

export interface ConfidenceInput {
  /** What the best hypothesis has before the runner-up, 0 (a tie) to 1. */
  readonly margin: number
  /** Independent kinds of evidence that agree, each counted by how far it stands from noise (0 to 1). */
  readonly kinds: number
  /** Share of the kinds of telemetry that the snapshot holds, 0 to 1. */
  readonly coverage: number
  readonly caps: readonly number[]
}

/** The inputs in the order of the coefficients. */
export const inputsOf = ({ margin, kinds, coverage }: ConfidenceInput): readonly [number, number, number] => [
  margin,
  Math.min(FITTED_RANGE.most_kinds, kinds),
  coverage,
]

/** The confidence, rounded to two digits; 0 where the best hypothesis does not stand out at all. */
export function confidenceOf(input: ConfidenceInput): number {
  if (input.margin <= 0) return 0
  const [margin, kinds, coverage] = inputsOf(input)
  const { intercept, per_margin, per_kind, per_coverage } = COEFFICIENTS
  const chance =
    1 / (1 + Math.exp(-(intercept + per_margin * margin + per_kind * kinds + per_coverage * coverage)))
  const caps = coverage < FITTED_RANGE.least_coverage ? [...input.caps, CONFIDENCE_CAP_UNMAPPED] : input.caps
  return Math.round(Math.min(chance, CONFIDENCE_CAP, ...caps) * 100) / 100
}
