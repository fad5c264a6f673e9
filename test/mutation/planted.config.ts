import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { PLANTED_FAULTS } from './planted-faults.ts'

const fault = PLANTED_FAULTS[Number(process.env.PLANTED_FAULT)]

/** Where the tests of a file are: the chain's pieces are tested through the chain. */
const testsOf = (file: string): string =>
  ['cursor.ts', 'log.ts', 'worker.ts'].includes(file) ? file.replace('.ts', '') : 'endpoint'

/** The tests of the edge, with one fault in the source as they load it; no file is written. */
export default defineConfig({
  plugins: [
    {
      name: 'planted-fault',
      enforce: 'pre',
      load(id) {
        const file = id.split('?')[0] ?? ''
        if (fault === undefined || !file.endsWith(`/shared/edge/${fault.file}`)) return null
        return readFileSync(file, 'utf8').replace(fault.from, () => fault.to)
      },
    },
  ],
  test: {
    include: [`test/edge/${fault === undefined ? '*' : testsOf(fault.file)}.test.ts`],
    // What is kept from one run to the next is kept by the file's content, which a fault does not change.
    fsModuleCache: false,
    bail: 1,
    maxWorkers: 1,
    isolate: false,
    reporters: ['json'],
    testTimeout: 10_000,
  },
})
