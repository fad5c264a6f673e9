import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'

/** A server of a test, on a free port of this machine. */
export interface LoopbackServer {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly url: string
  /** Connections seen so far. */
  connections(): number
  /** First lines of the HTTP requests seen so far. */
  requests(): readonly string[]
  close(): Promise<void>
}

async function listening(
  server: net.Server,
  requests: readonly string[],
  host: string,
  port: number,
): Promise<LoopbackServer> {
  let connections = 0
  const open = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    connections += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  return {
    port: bound,
    url: `http://${net.isIP(host) === 6 ? `[${host}]` : host}:${bound}`,
    connections: () => connections,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

/** Serves HTTP by a listener. */
export function serveHttp(
  listener: http.RequestListener,
  host = '127.0.0.1',
  port = 0,
): Promise<LoopbackServer> {
  const requests: string[] = []
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  return listening(server, requests, host, port)
}

/** Serves HTTPS by a listener. */
export function serveHttps(
  listener: http.RequestListener,
  identity: { readonly key: string; readonly cert: string },
): Promise<LoopbackServer> {
  const requests: string[] = []
  const server = https.createServer(identity, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  return listening(server, requests, '127.0.0.1', 0)
}

/** Serves raw bytes: what a broken or hostile receiver does. */
export function serveSocket(onSocket: (socket: net.Socket) => void): Promise<LoopbackServer> {
  return listening(net.createServer(onSocket), [], '127.0.0.1', 0)
}
