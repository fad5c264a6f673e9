import { createServer } from 'node:net'

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  return port
}
