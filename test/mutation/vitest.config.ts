import { defineConfig } from 'vitest/config'

/** The tests that mutants of shared/domain must not survive: its own, and those of the operations that use it. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? 'test/domain/**/*.test.ts').split(','),
    // A bound for what hangs: the longest test takes half a minute on a busy machine, with every mutant counted.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
