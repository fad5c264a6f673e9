import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startDynamoDb } from '#infra/local/dynamodb-emulator.ts'

const HELP = `Usage: npm run test:oracle -- [FILE...]

Runs the tests of everything that stores (or the files given) against DynamoDB Local, which Amazon makes, instead of the
emulator of every day: what passes on one emulator alone is a mistake of the emulator or of ours. Needs Java 17. Where
that is missing: one line that says so; with CI=true that is a failure.
`
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Where tests start a store of their own. */
const STORAGE_TESTS = ['test/adapters/dynamo', 'test/storage', 'test/endpoints']
/** Beside other work: ten times what the emulator of every day takes. */
const TIMEOUT_MS = 300_000

const files = process.argv.slice(2)
if (files.includes('--help')) {
  process.stdout.write(HELP)
} else {
  const emulator = await startDynamoDb({ kind: 'dynamodb-local' }).catch((error: Error) => error)
  if (emulator instanceof Error) {
    process.stdout.write(`skipped: ${emulator.message}\n`)
    process.exitCode = process.env.CI === 'true' ? 1 : 0
  } else {
    const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
    const child = spawn(
      process.execPath,
      [
        vitest,
        'run',
        ...(files.length > 0 ? files : STORAGE_TESTS),
        `--testTimeout=${TIMEOUT_MS}`,
        `--hookTimeout=${TIMEOUT_MS}`,
        '--reporter=default',
      ],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TEST_STORE_ENDPOINT: emulator.endpoint } },
    )
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
    const [code] = (await once(child, 'exit')) as [number | null]
    await emulator.stop()
    process.exitCode = code ?? 1
  }
}
