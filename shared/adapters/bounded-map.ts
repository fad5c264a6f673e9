/** A map that holds at most so many values and forgets what was put in longest ago. */
export class BoundedMap<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(name: string): Value | undefined {
    return this.#values.get(name)
  }

  /** Puts a value in, as the newest one also where the name was known. */
  set(name: string, value: Value): void {
    this.#values.delete(name)
    this.#values.set(name, value)
    const oldest = this.#values.keys().next()
    if (this.#values.size > this.#most && oldest.done !== true) this.#values.delete(oldest.value)
  }

  delete(name: string): void {
    this.#values.delete(name)
  }
}
