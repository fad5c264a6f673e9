/** An environment variable that a function was given with its access. @throws Error naming it when it is missing */
export function given(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`environment variable ${name} is missing`)
  return value
}

/** Enough for seconds and days of thirty years; a number of more digits is a mistake. */
const WHOLE_NUMBER = /^\d{1,9}$/

/**
 * An environment variable that holds whole numbers, parted by commas.
 * @param what each of them is, in the order in which they stand
 * @throws Error naming the variable and what it must hold, when it is missing or holds anything else
 */
export function givenNumbers<const What extends readonly string[]>(
  name: string,
  what: What,
): { readonly [Index in keyof What]: number } {
  const parts = given(name).split(',')
  if (parts.length !== what.length || !parts.every((part) => WHOLE_NUMBER.test(part)))
    throw new Error(
      `environment variable ${name} must hold as whole numbers, parted by commas: ${what.join(', ')}`,
    )
  return parts.map(Number) as { readonly [Index in keyof What]: number }
}
