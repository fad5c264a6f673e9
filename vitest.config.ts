import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The report is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: process.env.TEST_REPORT ?? 'reports/tests.json' }]],
    // Two cores: more workers only take turns, and each holds an emulator of its own.
    maxWorkers: 2,
    // Guards against what hangs, not against a machine that is slow or shared.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      // One run tells both where time is short; a run of single files must not fail for what it leaves out.
      enabled: process.env.COVERAGE === 'true',
      provider: 'v8',
      include: ['shared/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { lines: 95, statements: 95, functions: 95, branches: 90 },
    },
  },
})
