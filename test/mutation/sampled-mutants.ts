import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The tests of files that have none of their own name: the first row whose prefix fits counts. */
const TESTS_OF: readonly (readonly [prefix: string, tests: readonly string[]])[] = [
  [
    'alerts/',
    [
      'test/domain/alerts/*.test.ts',
      'test/payloads.test.ts',
      'test/endpoints/push-events.test.ts',
      'test/workers/take-alerts.test.ts',
    ],
  ],
  ['chart-incident', ['test/endpoints/get-incident-charts.test.ts']],
  ['header-form', ['test/domain/connect-integration.test.ts', 'test/adapters/verify-sender.test.ts']],
  [
    'integration',
    [
      'test/domain/c*-integration*.test.ts',
      'test/contract/integration-fields.test.ts',
      'test/adapters/tools/every-tool.test.ts',
    ],
  ],
  [
    'investigation/questions/',
    ['test/domain/answer-*.test.ts', 'test/domain/investigation/questions/*.test.ts'],
  ],
  ['investigation/', ['test/domain/investigation/**/*.test.ts', 'test/domain/answer-question.test.ts']],
  ['repeat', ['test/endpoints/repeated-requests.test.ts', 'test/adapters/dynamo/repeats.test.ts']],
  ['rotate-ingest-token', ['test/endpoints/update-integration.test.ts']],
  ['rotate-key', ['test/endpoints/rotate-key.test.ts']],
  ['understand-question', ['test/domain/answer-*.test.ts']],
  ['user', ['test/endpoints/signed-in-users.test.ts', 'test/adapters/dynamo/users.test.ts']],
  ['', ['test/domain/**/*.test.ts']],
]

/** The tests against which mutants of a file of shared/domain are tried: those of its own name, or its row of the table. */
export function testsOf(file: string): readonly string[] {
  const own = file.replace('shared/', 'test/').replace(/\.ts$/, '.test.ts')
  if (existsSync(`${ROOT}/${own}`)) return [own]
  const name = file.replace('shared/domain/', '')
  return TESTS_OF.find(([prefix]) => name.startsWith(prefix))?.[1] ?? []
}

/** All tests that any file of shared/domain has: what the tests of its own file do not notice, others may. */
export const ALL_TESTS: readonly string[] = [
  'test/domain/**/*.test.ts',
  ...new Set(TESTS_OF.flatMap(([, tests]) => tests).filter((tests) => !tests.startsWith('test/domain/'))),
]

/** The files to draw from, in one order, so that a seed draws the same: those asked for, or all where none was. */
export const filesAsked = (all: readonly string[], asked: readonly string[]): readonly string[] =>
  all.filter((file) => asked.length === 0 || asked.includes(file)).toSorted()

/**
 * Draws from all mutants of all files, each with the same chance: those whose digests come first.
 * @returns only files of which one was drawn
 */
export function chosenOf<Mutant>(
  mutants: ReadonlyMap<string, readonly Mutant[]>,
  count: number,
  seed: number,
): ReadonlyMap<string, readonly Mutant[]> {
  const drawn = [...mutants]
    .flatMap(([file, of]) =>
      of.map((mutant, place) => ({
        file,
        mutant,
        place: createHash('sha256').update(`${seed}\n${file}\n${place}`).digest('hex'),
      })),
    )
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, count)
    .toSorted((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0))
  return new Map(
    [...Map.groupBy(drawn, ({ file }) => file)].map(([file, of]) => [file, of.map(({ mutant }) => mutant)]),
  )
}
