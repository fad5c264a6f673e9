import { Worker } from 'node:worker_threads'

/** Answers every POST with 204, in a thread of its own, so that its work is not counted as ours. */
const SOURCE = `
const { createServer } = require('node:http')
const { parentPort } = require('node:worker_threads')
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(204).end())
})
server.keepAliveTimeout = 60000
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

/** A server of a bench in a thread of its own. */
export interface ServerThread {
  readonly url: string
  stop(): Promise<unknown>
}

/** Runs a server whose source posts the port that it listens on. */
export async function startThread(source: string, workerData?: unknown): Promise<ServerThread> {
  const thread = new Worker(source, { eval: true, workerData })
  const port = await new Promise<number>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
  return { url: `http://127.0.0.1:${port}`, stop: () => thread.terminate() }
}

export const startReceiverThread = (): Promise<ServerThread> => startThread(SOURCE)
