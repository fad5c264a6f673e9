/** Work under way at once in every loop that is compared. */
export const AT_ONCE = 40

/** What a run came to. */
export interface Measured {
  readonly perSecond: number
  /** Processor time of this thread for one piece of work. */
  readonly cpuUs: number
}

/** Does something so many times, several at once. */
export async function inParallel(
  count: number,
  run: (number: number) => Promise<unknown>,
  lanes = AT_ONCE,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      const number = next
      next += 1
      await run(number)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Processor time of this thread (µs) that something takes. */
export async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

/** @param each how many pieces of work one run of `run` does */
export async function measured(
  count: number,
  run: (number: number) => Promise<unknown>,
  each = 1,
): Promise<Measured> {
  const at = performance.now()
  const cpu = await cpuOf(() => inParallel(count / each, run, AT_ONCE / each))
  return { perSecond: (count / (performance.now() - at)) * 1_000, cpuUs: cpu / count }
}
