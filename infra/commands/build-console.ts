import { buildConsole, CONSOLE_FILES } from '../build-console.ts'
import { readOptions, statusOf } from './misuse.ts'

const HELP = `Usage: npm run build:console

Builds the console into dist/console. npm start and every deployment do so themselves; nothing is done when nothing
changed. Prints the folder. Exit status: 0 built, 1 something does not compile, 2 bad usage.
`

async function main(): Promise<void> {
  const { values } = readOptions({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help === true) {
    process.stdout.write(HELP)
    return
  }
  await buildConsole()
  process.stdout.write(`${CONSOLE_FILES}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(statusOf(error))
})
