import { defineConfig } from 'vitest/config'

/** The console in a real browser; `npm run test:browser`, and no part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.browser.ts'],
    globalSetup: ['test/browser/one-service.ts'],
    reporters: ['default', ['json', { outputFile: 'reports/browser.json' }]],
    // One service and one browser at a time: two cores carry no more without waiting for each other.
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
