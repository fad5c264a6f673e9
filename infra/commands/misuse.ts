import { type ParseArgsConfig, parseArgs } from 'node:util'

/** A use of a command that cannot be understood; its message says in a line what is wrong. */
export class Misuse extends Error {}

/** What a word too many most often comes from: without the dashes, npm takes `--port` for its own and hands on `4020`. */
export const BEHIND_DASHES = 'with npm, options stand behind --, as in npm start -- --port 4020'

/**
 * Reads what was written behind the name of a command, as `parseArgs` of Node does.
 * @throws Misuse for options that the command does not have, or that miss their value
 */
export function readOptions<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    // What follows the first sentence tells how to write words that begin with a dash: no command here takes any.
    const [text = ''] = (error as Error).message.split(/\.\s/)
    const isWord = (error as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
    throw new Misuse(isWord ? `${text.split(' (')[0]}: ${BEHIND_DASHES}` : text, { cause: error })
  }
}

/** The exit status of a command that ended in an error: 2 for wrong use, 1 for whatever else failed. */
export const statusOf = (error: unknown): 1 | 2 => (error instanceof Misuse ? 2 : 1)

/** Says why `npm run <name>` failed, with where to read more when its use was wrong, and sets the exit status. */
export function tellFailure(name: string, error: unknown, text: string = (error as Error).message): void {
  const more = error instanceof Misuse ? `\nnpm run ${name} -- --help says more.` : ''
  process.stderr.write(`${name}: ${text}${more}\n`)
  process.exitCode = statusOf(error)
}
