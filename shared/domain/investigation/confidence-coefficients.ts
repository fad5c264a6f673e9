/**
 * Written by `node test/bench/fit-confidence.ts`; nobody edits it by hand.
 *
 * Fitted on answers of public benchmarks, every set weighing the same; the sets name their sources in test/bench.
 * In all 128 answers, 117 of them right, with windows without a fault and cases without their culprit among the wrong ones.
 * Judged on the set that was left out of the fit, every set in turn: Brier skill 0.05, AUROC 0.79, wrong at ≥ .8 9, right at ≥ .8 113 of 117.
 * In sample: Brier skill 0.32, AUROC 0.92, wrong at ≥ .8 4, right at ≥ .8 113 of 117.
 */
export const COEFFICIENTS = {
  intercept: -0.632,
  per_margin: 1.144,
  per_kind: 2.987,
  per_coverage: 0.283,
} as const

/** What the fit has seen: below the coverage the confidence is capped, kinds beyond the most add nothing. */
export const FITTED_RANGE = { least_coverage: 0.25, most_kinds: 2 } as const
