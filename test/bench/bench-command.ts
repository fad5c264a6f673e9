/** What the commands of the benchmark have in common: how they read whole numbers and how they end. */

/** @throws RangeError that names the option, for what is no whole number or less than is needed */
export function wholeNumber(option: string, text: string, least = Number.NEGATIVE_INFINITY): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= least) return value
  const bound = Number.isFinite(least) ? ` from ${least} on` : ''
  throw new RangeError(`--${option} is a whole number${bound}, not "${text}"`)
}

/**
 * Prints the help where it is asked for, else runs the command. Whoever asks for what is not there is told so in a line, and the
 * process ends with 1.
 */
export async function runCommand(
  help: string,
  isHelpAsked: boolean,
  command: () => void | Promise<void>,
): Promise<void> {
  if (isHelpAsked) {
    console.log(help)
    return
  }
  try {
    await command()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
