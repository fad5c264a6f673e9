import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { selfSigned } from './self-signed.ts'

/** How a receiver may behave, each with what it does. */
export const BEHAVIOURS = {
  ok: 'accepts every event with 204 (the default)',
  refuse: 'answers a status of your choice: --status N',
  gone: 'answers 410: the service disables the webhook',
  busy: 'answers 429 with Retry-After in seconds: --seconds N',
  'busy-until': 'answers 429 with Retry-After as a date: --seconds N from now',
  redirect: 'answers 307 to itself; the service does not follow',
  flaky: 'refuses with 503 as often as --times says, then accepts',
  'slow-head': 'answers after --seconds N',
  'drip-head': 'sends the head of its answer a line a second without an end',
  drip: 'accepts, and sends its body a byte a second without an end',
  endless: 'accepts, and sends a body without an end as fast as it can',
  reset: 'ends the connection without an answer',
  'reset-body': 'ends the connection in the middle of its answer',
  'early-hints': 'sends 103 again and again, and no answer',
  garbage: 'answers something that is no HTTP',
  hang: 'never answers',
  'self-signed': 'serves https with a certificate that nobody signed',
  expired: 'serves https with a certificate that has ended',
  'wrong-host': 'serves https with a certificate of another host',
} as const
export type Behaviour = keyof typeof BEHAVIOURS

/** In PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface ReceiverOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** Verifies what comes; one that is not `whsec_` counts as its own characters. */
  readonly secret: string
  readonly behaviour: Behaviour
  readonly status: number
  readonly seconds: number
  readonly times: number
  /** Serves https with them. */
  readonly tls?: Certificate
  /** Gets what is to be shown of each event. */
  readonly tell: (arrival: Arrival) => void
}

/** One event as it arrived. */
export interface Arrival {
  readonly id: string
  readonly verified: boolean
  /** Why it is not verified. */
  readonly problem: string | null
  /** Null when the body is no JSON. */
  readonly event: { readonly type?: unknown; readonly timestamp?: unknown; readonly data?: unknown } | null
  /** How often this id came so far, this time included: the same event may come twice. */
  readonly times: number
}

export interface RunningReceiver {
  readonly url: string
  close(): Promise<void>
}

/** What a sender must refuse to speak to. */
const BAD_CERTIFICATES: Partial<Record<Behaviour, () => Certificate>> = {
  'self-signed': () => selfSigned('127.0.0.1'),
  expired: () => selfSigned('127.0.0.1', '200102000000Z'),
  'wrong-host': () => selfSigned('elsewhere.example'),
}

/**
 * What verifies events under a secret; one that is not `whsec_` counts as its own characters.
 * @throws Error for a secret that stands for no key
 */
export const verifierOf = (secret: string): Webhook =>
  new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' })

const SECOND_MS = 1_000
const FLOOD_MS = 20

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Writes again and again until the other side is gone. */
function keepWriting(response: ServerResponse, everyMs: number, write: () => void): void {
  const timer = setInterval(write, everyMs)
  response.on('close', () => clearInterval(timer))
}

function endlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x')
  const push = () => {
    while (!response.destroyed && response.write(chunk)) {
      // As fast as the other side reads.
    }
  }
  response.on('drain', push)
  push()
}

function behave(options: ReceiverOptions, response: ServerResponse, arrivals: number): void {
  const { behaviour, seconds } = options
  const { socket } = response
  switch (behaviour) {
    case 'ok':
    case 'self-signed':
    case 'expired':
    case 'wrong-host':
      return void response.writeHead(204).end()
    case 'refuse':
      return void response.writeHead(options.status).end('refused')
    case 'gone':
      return void response.writeHead(410).end('gone')
    case 'busy':
      return void response.writeHead(429, { 'retry-after': String(seconds) }).end()
    case 'busy-until': {
      const until = new Date(Date.now() + seconds * SECOND_MS).toUTCString()
      return void response.writeHead(429, { 'retry-after': until }).end()
    }
    case 'redirect':
      return void response.writeHead(307, { location: '/' }).end()
    case 'flaky':
      return void response.writeHead(arrivals <= options.times ? 503 : 204).end()
    case 'slow-head':
      return void setTimeout(() => response.writeHead(204).end(), seconds * SECOND_MS)
    case 'drip-head':
      socket?.write('HTTP/1.1 200 OK\r\n')
      keepWriting(response, SECOND_MS, () => socket?.write('x-drip: .\r\n'))
      return
    case 'drip':
      response.writeHead(200).flushHeaders()
      keepWriting(response, SECOND_MS, () => response.write('.'))
      return
    case 'endless':
      response.writeHead(200)
      endlessly(response)
      return
    case 'reset':
      return void socket?.resetAndDestroy()
    case 'reset-body':
      response.writeHead(200, { 'content-length': '1000' }).write('half of it')
      return void setTimeout(() => socket?.resetAndDestroy(), FLOOD_MS)
    case 'early-hints':
      keepWriting(response, FLOOD_MS, () => socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'))
      return
    case 'garbage':
      return void socket?.end('this is no HTTP\r\n\r\n')
    case 'hang':
      return
  }
}

/** Starts a receiver on 127.0.0.1 that verifies what arrives and answers as it is told to. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const verifier = verifierOf(options.secret)
  const tls = options.tls ?? BAD_CERTIFICATES[options.behaviour]?.()
  const seen = new Map<string, number>()
  let arrivals = 0

  const read = async (request: IncomingMessage): Promise<Arrival> => {
    const body = await bodyOf(request)
    const header = (name: string) => String(request.headers[name] ?? '')
    const id = header('webhook-id')
    const times = (seen.get(id) ?? 0) + 1
    seen.set(id, times)
    let event: Arrival['event'] = null
    let problem: string | null = null
    try {
      event = JSON.parse(body) as Arrival['event']
      verifier.verify(body, {
        'webhook-id': id,
        'webhook-timestamp': header('webhook-timestamp'),
        'webhook-signature': header('webhook-signature'),
      })
    } catch (error) {
      problem = (error as Error).message
    }
    return { id, verified: problem === null, problem, event, times }
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // A sender that gives up is one of the things that happen here.
    response.on('error', () => undefined)
    read(request).then(
      (arrival) => {
        arrivals += 1
        options.tell(arrival)
        behave(options, response, arrivals)
      },
      () => response.destroy(),
    )
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/incidents`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
