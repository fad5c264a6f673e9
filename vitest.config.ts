import { configDefaults, defineConfig } from 'vitest/config'
import type { VitestPluginContext } from 'vitest/node'

/**
 * Rooms whose tests leave nothing behind in the process. They share the modules that a worker has loaded: loading the engine
 * anew for each of some three hundred files takes longer than its tests. All others begin with modules of their own, as a
 * function does that reads its settings when it is loaded.
 */
const PURE = ['domain', 'contract', 'edge', 'adapters/tools'].map((room) => `test/${room}/**/*.test.ts`)

/** Tests of simulated incidents. They take only types of `shared/`, and leave nothing behind either. */
const SIMULATOR = 'test/simulator/**/*.test.ts'

/**
 * Tests of a project that are not asked how much of `shared/` they run. V8 counts whatever runs in a process, the simulator
 * too, which takes half as long again with it. What such tests run of `shared/` is missing from the coverage: it never looks better.
 */
const uncounted = {
  name: 'uncounted',
  configureVitest: ({ project }: VitestPluginContext) => {
    project.config.coverage = { ...project.config.coverage, enabled: false }
  },
}

/**
 * Tests that read the synthesised stack. They leave nothing behind either: a worker loads the construct library once,
 * which takes longer than most of them run, and synthesises the committed settings once. `service-stack` is not among them: it
 * compares two syntheses, and the library orders what one nested stack takes from another by numbers that it counts up in a process.
 */
const SYNTHESIS = [
  'alarms-stack',
  'api-stack',
  'grants',
  'private-network',
  'read-deployment',
  'settings',
  'settings-options',
  'state-stack',
  'users',
  'workers-stack',
].map((name) => `test/infra/${name}.test.ts`)

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      {
        extends: true,
        plugins: [uncounted],
        test: { name: 'simulator', include: [SIMULATOR], isolate: false },
      },
      { extends: true, test: { name: 'synthesis', include: SYNTHESIS, isolate: false } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PURE, SIMULATOR, ...SYNTHESIS],
        },
      },
    ],
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
