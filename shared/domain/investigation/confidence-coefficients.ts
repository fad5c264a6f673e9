/**
 * Written by `node test/bench/fit-confidence.ts`; nobody edits it by hand.
 *
 * Fitted on answers of public benchmarks, every set weighing the same; the sets name their sources in test/bench.
 * In all 131 answers, 117 of them right, with windows without a fault and cases without their culprit among the wrong ones.
 * Judged on the set that was left out of the fit, every set in turn: Brier skill 0.41, AUROC 0.96, wrong at ≥ .8 4, right at ≥ .8 108 of 117.
 * In sample: Brier skill 0.49, AUROC 0.97, wrong at ≥ .8 3, right at ≥ .8 109 of 117.
 */
export const COEFFICIENTS = {
  intercept: -0.955,
  per_margin: 0.146,
  per_kind: 3.584,
  per_coverage: 0,
} as const

/** What the fit has seen: below the coverage the confidence is capped, kinds beyond the most add nothing. */
export const FITTED_RANGE = { least_coverage: 0.25, most_kinds: 2 } as const
