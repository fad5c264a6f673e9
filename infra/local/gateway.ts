import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Deployment } from './deployment.ts'
import type { Invoke } from './function-host.ts'
import {
  forbiddenStage,
  type GatewayAnswer,
  type GatewayErrorType,
  gatewayError,
  proxyEvent,
  type ReceivedRequest,
  readProxyAnswer,
  routeTable,
} from './gateway-event.ts'

/** Largest request that API Gateway takes. */
const MOST_REQUEST_BYTES = 10_485_760
/** Largest event that Lambda takes in a synchronous invocation (6 MB and a little, as the service counts it). */
const MOST_EVENT_BYTES = 6_291_556
/** Request line and header values together; API Gateway takes no more. */
const MOST_HEADER_BYTES = 10_240

export interface GatewayOptions {
  readonly deployment: Pick<Deployment, 'stage' | 'routes' | 'gatewayResponses' | 'throttle'>
  readonly invoke: Invoke
  /** 0 takes a free port. */
  readonly port: number
  readonly now?: () => number
  /** Calls back after so many ms and returns what takes the appointment back. */
  readonly after?: (ms: number, then: () => void) => () => void
  readonly newRequestId?: () => string
  /** Told one line about each failure that the caller is only shown a request id of. */
  readonly log?: (line: string) => void
}

export interface Gateway {
  /** `http://127.0.0.1:<port>/<stage>` */
  readonly baseUrl: string
  readonly port: number
  /** Takes no new connections and ends those that are open. */
  close(): Promise<void>
}

const appointment = (ms: number, then: () => void): (() => void) => {
  const timer = setTimeout(then, ms)
  return () => clearTimeout(timer)
}

/** Token bucket of the stage: `ratePerSecond` in the long run, `burst` at once. */
function throttleOf(throttle: Deployment['throttle'], now: () => number): () => boolean {
  let tokens = throttle.burst
  let filledAt = now()
  return () => {
    const at = now()
    tokens = Math.min(throttle.burst, tokens + ((at - filledAt) / 1_000) * throttle.ratePerSecond)
    filledAt = at
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

/** The body, or null when it is larger than API Gateway takes; the rest is read and dropped then. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MOST_REQUEST_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  return bytes > MOST_REQUEST_BYTES ? null : Buffer.concat(chunks)
}

/**
 * Serves the deployment's routes on 127.0.0.1 as an API Gateway REST API would: same routing, same events, same
 * limits, and the gateway responses of the template for what the gateway refuses itself.
 * @throws Error with code `EADDRINUSE` when the port is taken
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { deployment, invoke } = options
  const now = options.now ?? Date.now
  const after = options.after ?? appointment
  const newRequestId = options.newRequestId ?? randomUUID
  const log = options.log ?? (() => {})
  const match = routeTable(deployment.routes)
  const admit = throttleOf(deployment.throttle, now)
  let port = options.port

  async function answer(request: IncomingMessage): Promise<GatewayAnswer> {
    const requestId = newRequestId()
    const at = now()
    const target = request.url ?? '/'
    const method = request.method ?? 'GET'
    const sourceIp = request.socket.remoteAddress ?? '127.0.0.1'
    const [fullPath = '/'] = target.split('?', 1)
    const prefix = `/${deployment.stage}`
    if (fullPath !== prefix && !fullPath.startsWith(`${prefix}/`)) {
      request.resume()
      return forbiddenStage(requestId)
    }
    const path = fullPath.slice(prefix.length) || '/'
    const refuse = (type: GatewayErrorType, resource = path): GatewayAnswer =>
      gatewayError(deployment.gatewayResponses, type, {
        requestId,
        at,
        stage: deployment.stage,
        method,
        path: fullPath,
        resource,
        sourceIp,
      })

    const body = await readBody(request)
    if (!admit()) return refuse('THROTTLED')
    let found: ReturnType<typeof match>
    try {
      found = match(method, path)
    } catch {
      return refuse('BAD_REQUEST_PARAMETERS')
    }
    if (found?.route === undefined) return refuse('MISSING_AUTHENTICATION_TOKEN')
    const { route, resource } = found
    if (body === null) return refuse('REQUEST_TOO_LARGE', resource)
    const received: ReceivedRequest = {
      method,
      target,
      rawHeaders: request.rawHeaders,
      body,
      sourceIp,
      port,
      at,
      requestId,
    }
    const event = proxyEvent(received, found, deployment.stage, path)
    if ((event.body?.length ?? 0) > MOST_EVENT_BYTES) return refuse('REQUEST_TOO_LARGE', resource)

    let cancel = () => {}
    const timedOut = new Promise<'timeout'>((resolve) => {
      cancel = after(route.timeoutMs, () => resolve('timeout'))
    })
    const outcome = await Promise.race([invoke(route.functionId, event), timedOut])
    cancel()
    if (outcome === 'timeout') {
      log(`${requestId} ${route.functionId}: no answer within ${route.timeoutMs} ms`)
      return refuse('INTEGRATION_TIMEOUT', resource)
    }
    if (!outcome.ok) {
      log(`${requestId} ${route.functionId}: ${outcome.error.type}: ${outcome.error.message}`)
      return refuse('INTEGRATION_FAILURE', resource)
    }
    const read = readProxyAnswer(outcome.payload, requestId)
    if (read === null) {
      log(`${requestId} ${route.functionId}: malformed proxy response`)
      return refuse('INTEGRATION_FAILURE', resource)
    }
    return read
  }

  function send(response: ServerResponse, sent: GatewayAnswer): void {
    const names = new Map<string, { name: string; values: string[] }>()
    for (const [name, value] of sent.headers) {
      const known = names.get(name.toLowerCase())
      if (known === undefined) names.set(name.toLowerCase(), { name, values: [value] })
      else known.values.push(value)
    }
    for (const { name, values } of names.values()) {
      response.setHeader(name, values.length === 1 ? (values[0] ?? '') : values)
    }
    response.statusCode = sent.status
    if (sent.status !== 204 && sent.status !== 304) response.setHeader('Content-Length', sent.body.length)
    response.end(sent.body)
  }

  const server: Server = createServer({ maxHeaderSize: MOST_HEADER_BYTES }, (request, response) => {
    answer(request)
      .then((made) => send(response, made))
      .catch((error: unknown) => {
        // The client went away, or a function named a header that cannot be sent.
        log(`${request.method} ${request.url?.split('?', 1)[0]}: ${(error as Error).message}`)
        if (response.headersSent || response.destroyed) return response.destroy()
        for (const name of response.getHeaderNames()) response.removeHeader(name)
        send(
          response,
          gatewayError(deployment.gatewayResponses, 'INTEGRATION_FAILURE', {
            requestId: newRequestId(),
            at: now(),
            stage: deployment.stage,
            method: request.method ?? 'GET',
            path: request.url?.split('?', 1)[0] ?? '/',
            resource: '',
            sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
          }),
        )
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  port = (server.address() as AddressInfo).port
  return {
    baseUrl: `http://127.0.0.1:${port}/${deployment.stage}`,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
