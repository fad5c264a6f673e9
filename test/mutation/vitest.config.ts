import { defineConfig } from 'vitest/config'

/** The tests that mutants of shared/domain must not survive: its own, and those of the operations that use it. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? 'test/domain/**/*.test.ts').split(','),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
