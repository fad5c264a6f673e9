import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Certificate, Fault } from './shop/shop.ts'
import type { ShopOpened, ShopOrder } from './shop/shop-process.ts'

/** The shop in a process of its own, so that nothing else slows it down. */
export interface RunningShop extends ShopOpened {
  breakBy(fault: Fault): void
  stop(): Promise<void>
}

/** @param volumeFolder where the exporter looks for what is told about volumes */
export async function startShop(certificate: Certificate, volumeFolder: string): Promise<RunningShop> {
  mkdirSync(volumeFolder, { recursive: true })
  const child = fork(fileURLToPath(new URL('shop/shop-process.ts', import.meta.url)), [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
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
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
