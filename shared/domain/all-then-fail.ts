/**
 * Does one thing after the other, each whether or not those before it failed, and fails at the end where one did: what
 * cannot be worked keeps nothing else waiting, and is not silent.
 */
export class AllThenFail {
  readonly #failures: unknown[] = []

  /** @returns what was done, or nothing where it failed */
  async try<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#failures.push(error)
      return undefined
    }
  }

  /** @throws what failed, or AggregateError where several things did */
  end(): void {
    const [first, ...more] = this.#failures
    if (more.length > 0) throw new AggregateError(this.#failures, `${more.length + 1} things failed`)
    if (this.#failures.length > 0) throw first
  }
}
