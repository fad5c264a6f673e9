import { createHook } from 'node:async_hooks'

/** One connection that was asked of the operating system. */
export interface Dial {
  readonly address: string
  readonly port: number
}

/**
 * Counts what is dialled at the place that every TCP connection of this process passes, whoever opens it: the request
 * that Node hands to the operating system. A host that is refused before leaves no trace there.
 */
export function watchDials(): { dials(): readonly Dial[]; stop(): void } {
  const requests: Dial[] = []
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      // Address and port are set right after it is made, so it is read later.
      if (type === 'TCPCONNECTWRAP') requests.push(resource as Dial)
    },
  }).enable()
  return {
    dials: () => requests.map(({ address, port }) => ({ address, port })),
    stop: () => void hook.disable(),
  }
}
