import { defineConfig } from 'vitest/config'

/** The conformance suite alone, with a report of its own: that of the tests is what is counted. */
export default defineConfig({
  test: {
    include: ['test/conformance/conformance.test.ts'],
    reporters: [['json', { outputFile: process.env.CONFORMANCE_REPORT ?? 'reports/conformance.json' }]],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
