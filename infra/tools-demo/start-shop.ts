import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Certificate, Fault } from './shop/shop.ts'
import type { ShopOpened, ShopOrder } from './shop/shop-process.ts'

/** The shop in a process of its own, so that nothing else slows it down. */
export interface RunningShop extends ShopOpened {
  breakBy(fault: Fault): void
  certify(certificate: Certificate): void
  stop(): Promise<void>
}

/** A shop that waits for a busy machine would look broken before it is. */
const FAVOURED = -10

function favour(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, FAVOURED)
  } catch {
    // Who may not favour it plays on a machine that has time.
  }
}

/** @param volumeFolder where the exporter looks for what is told about volumes */
export async function startShop(certificate: Certificate, volumeFolder: string): Promise<RunningShop> {
  mkdirSync(volumeFolder, { recursive: true })
  const child = fork(fileURLToPath(new URL('shop/shop-process.ts', import.meta.url)), [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  favour(child.pid)
  const ended = once(child, 'exit')
  const tell = (order: ShopOrder): void => void child.send(order)
  const opened = new Promise<ShopOpened>((resolve, reject) => {
    child.once('message', (message) => resolve(message as ShopOpened))
    child.once('exit', (code) => reject(new Error(`The shop did not open: exit code ${String(code)}.`)))
  })
  tell({ kind: 'open', certificate, volumeFolder })
  return {
    ...(await opened),
    breakBy: (fault) => tell({ kind: 'break', fault }),
    certify: (renewed) => tell({ kind: 'certify', certificate: renewed }),
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
