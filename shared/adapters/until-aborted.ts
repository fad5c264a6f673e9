/**
 * What the work gives, or a rejection with the signal's reason as soon as it is aborted. The work itself is left to end
 * by itself; what it gives or throws after that is nobody's.
 */
export function untilAborted<Of>(work: Promise<Of>, signal: AbortSignal): Promise<Of> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
