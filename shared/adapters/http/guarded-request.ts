import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import { OWN_HEADERS } from '../../domain/header-form.ts'
import { type AddressRules, addressRefusal, urlRefusal } from './address-rules.ts'
import { type Lookup, resolveName } from './lookup.ts'

/** A request that leaves the service. */
export interface OutboundRequest {
  readonly method: string
  /** Absolute address. Its path may hold a secret, so no error repeats more than its host. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** One deadline over name resolution, connection, headers and body, in milliseconds. */
  readonly deadlineMs: number
  /** At most so many bytes of the answer are read; the rest is not waited for. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** Certificates in PEM that the other side's must descend from, instead of the well-known authorities. */
  readonly ca?: string | undefined
}

/** What came back, whatever its status: a redirect is an answer like any other. */
export interface OutboundAnswer {
  readonly status: number
  /** Names in lower case; repeated headers joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>
  /** As sent: nothing is decompressed. */
  readonly body: Uint8Array
  /** True where the answer was longer than `maxBytes`. */
  readonly cut: boolean
}

/**
 * Sends one request under address rules.
 * @throws EgressRefused when the rules forbid the address, EgressTimedOut at the deadline, EgressFailed for every other
 * reason for which no complete answer came.
 */
export type GuardedRequest = (request: OutboundRequest) => Promise<OutboundAnswer>

/** The rules forbid the address; nothing was sent. */
export class EgressRefused extends Error {
  constructor(host: string, reason: string) {
    super(`${host} ${reason}.`)
    this.name = 'EgressRefused'
  }
}

/** No complete answer came in time. */
export class EgressTimedOut extends Error {
  /** What was still missing: the head of the answer, or the end of its body. */
  readonly missing: 'answer' | 'body'

  constructor(host: string, missing: 'answer' | 'body', deadlineMs: number) {
    super(
      missing === 'answer'
        ? `${host} did not answer within ${deadlineMs} ms.`
        : `${host} did not end its answer within ${deadlineMs} ms.`,
    )
    this.name = 'EgressTimedOut'
    this.missing = missing
  }
}

/** The connection, TLS or HTTP failed, or the caller gave up. */
export class EgressFailed extends Error {
  /** Code of the cause, such as `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET`, `ABORTED`. */
  readonly code: string
  /**
   * True where a kept-alive connection died before any of the answer arrived, which happens when the other side closed
   * it meanwhile: one immediate repetition on a new connection is sensible.
   */
  readonly staleConnection: boolean

  constructor(host: string, code: string, staleConnection = false) {
    super(`The request to ${host} failed (${code}).`)
    this.name = 'EgressFailed'
    this.code = code
    this.staleConnection = staleConnection
  }
}

/** How a guarded request is made; the defaults serve everything but tests. */
export interface GuardedRequestOptions {
  readonly lookup?: Lookup
}

/** Longest head of an answer, in bytes; what Node's own parser takes. */
const MAX_HEADER_BYTES = 16_384
/** Connections kept per host: enough for a burst to one receiver without taking its whole allowance. */
const CONNECTIONS_PER_HOST = 16
/** How long an idle connection is kept, in milliseconds: below the 5 s after which common servers close it. */
const KEEP_ALIVE_MS = 4000
/** How long one connection attempt may go on after its request gave up, in milliseconds. */
const CONNECT_MS = 10_000

/**
 * Makes a function that sends requests only where the rules allow. The address is checked as written, every answer of
 * the resolver is checked and one bad answer refuses all, and the peer of the open connection is checked again, so that
 * a name whose address changes in between reaches nothing. Redirects are not followed, proxies of the environment not
 * used, answers not decompressed. undici is loaded at the first request.
 */
export function guardedRequest(
  rules: AddressRules,
  options: GuardedRequestOptions = {},
): GuardedRequest & { close(): Promise<void> } {
  const lookup = options.lookup ?? resolveName
  /** Connections under way, which the client itself would wait for when it is closed. */
  const pending = new Set<Socket>()
  /** A client for each set of authorities: a connection made under one must not serve another. */
  const clients = new Map<string, Promise<Client>>()

  const load = async (ca: string | undefined): Promise<Client> => {
    const undici = await import('undici')
    const known = new Map<string, KnownOrigin>()
    const agent = new undici.Agent({
      connect: guardedConnector(undici.buildConnector, { rules, lookup, known, pending, ca }),
      connections: CONNECTIONS_PER_HOST,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // undici's own limits are idle times, which a slow drip never reaches; the deadline covers everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    })
    return { request: undici.request, agent, known }
  }

  const clientFor = (ca: string | undefined): Promise<Client> => {
    const found = clients.get(ca ?? '')
    if (found) return found
    const [oldest] = [...clients.keys()].filter((name) => name !== '')
    if (clients.size > MAX_AUTHORITIES && oldest !== undefined) {
      // Requests under way are let end.
      void clients.get(oldest)?.then(({ agent }) => agent.close())
      clients.delete(oldest)
    }
    const made = load(ca)
    clients.set(ca ?? '', made)
    return made
  }

  const send = async (asked: OutboundRequest): Promise<OutboundAnswer> => {
    const refusal = urlRefusal(asked.url, rules)
    const host = URL.canParse(asked.url) ? new URL(asked.url).host : 'The address'
    if (refusal !== undefined) throw new EgressRefused(host, refusal)
    const url = new URL(asked.url)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(asked.headers ?? {})) {
      if (OWN_HEADERS.includes(name.toLowerCase()))
        throw new EgressRefused(host, `is asked with a header ${name}`)
      if (name.toLowerCase() !== 'accept-encoding') headers[name] = value
    }
    headers['accept-encoding'] = 'identity'

    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), asked.deadlineMs)
    const signal = asked.signal ? AbortSignal.any([asked.signal, deadline.signal]) : deadline.signal
    let missing: 'answer' | 'body' = 'answer'
    let connectionsBefore = 0
    let connectionsNow = () => 0
    try {
      const { request, agent, known } = await clientFor(asked.ca)
      signal.throwIfAborted()
      connectionsNow = () => known.get(url.origin)?.connections ?? 0
      connectionsBefore = connectionsNow()
      const answer = await orAborted(
        request(url, {
          dispatcher: agent,
          method: asked.method as 'GET',
          headers,
          body: asked.body ?? null,
          signal,
        }),
        signal,
      )
      missing = 'body'
      const { body, cut } = await readAtMost(asked.maxBytes, answer.body)
      return { status: answer.statusCode, headers: joined(answer.headers), body, cut }
    } catch (error) {
      if (error instanceof EgressRefused) throw error
      const code = codeOf(error)
      if (deadline.signal.aborted || code === 'UND_ERR_CONNECT_TIMEOUT') {
        throw new EgressTimedOut(host, missing, asked.deadlineMs)
      }
      if (asked.signal?.aborted) throw new EgressFailed(host, 'ABORTED')
      const stale =
        missing === 'answer' &&
        STALE_CODES.has(code) &&
        connectionsBefore > 0 &&
        connectionsNow() === connectionsBefore
      // The cause stays out: texts of the client can hold addresses and parts of the answer.
      throw new EgressFailed(host, code, stale)
    } finally {
      clearTimeout(timer)
    }
  }

  const close = async (): Promise<void> => {
    const made = await Promise.all(clients.values())
    for (const socket of pending) socket.destroy(new Error('closed'))
    await Promise.all(made.map(({ agent }) => agent.destroy()))
  }
  return Object.assign(send, { close })
}

/**
 * undici looks at a signal only once it has a connection, so that a name that does not resolve and a host that does not
 * answer would hold a request past its deadline. The request itself is dropped unsent when the connection comes late.
 */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** How a connection ends that the other side had already closed. */
const STALE_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

const codeOf = (error: unknown): string => {
  // What is no HTTP from its first byte on has no code of its own.
  if ((error as { name?: unknown; code?: unknown } | null)?.name === 'HTTPParserError') return 'HPE_INVALID'
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN'
}

const joined = (headers: Record<string, string | string[] | undefined>): Record<string, string> => {
  const result: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return result
}

async function readAtMost(
  maxBytes: number,
  stream: AsyncIterable<Uint8Array>,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = []
  let room = maxBytes
  let cut = false
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, room))
    cut = chunk.length > room
    // Leaving the loop destroys the stream and with it the connection.
    if (cut) break
    room -= chunk.length
  }
  return { body: Buffer.concat(chunks), cut }
}

/** What is kept about a host: its connector, which remembers TLS sessions, and how often it was connected to. */
interface KnownOrigin {
  readonly connect: (...from: Parameters<buildConnector.connector>) => Socket
  connections: number
}

/** A client with what is known of the hosts that it connected to. */
interface Client {
  readonly request: typeof import('undici').request
  readonly agent: Agent
  readonly known: Map<string, KnownOrigin>
}

/** Sets of authorities besides the well-known ones whose connections are kept at once. */
const MAX_AUTHORITIES = 16

/** Hosts kept at once; the oldest goes first, which costs it a full TLS handshake. */
const MAX_KNOWN_ORIGINS = 512

/**
 * Connects and lets nothing be sent until the resolver's answers and the peer are checked. What the address says as
 * written was checked before; a literal that should slip past that still ends at the peer.
 */
function guardedConnector(
  build: typeof buildConnector,
  {
    rules,
    lookup,
    known,
    pending,
    ca,
  }: {
    readonly rules: AddressRules
    readonly lookup: Lookup
    readonly known: Map<string, KnownOrigin>
    readonly pending: Set<Socket>
    readonly ca: string | undefined
  },
): buildConnector.connector {
  const originOf = (url: URL): KnownOrigin => {
    const found = known.get(url.origin)
    if (found) return found
    const [oldest] = known.keys()
    if (known.size >= MAX_KNOWN_ORIGINS && oldest !== undefined) known.delete(oldest)
    // It returns the socket that it is connecting, which its type keeps to itself.
    const connect = build({
      timeout: CONNECT_MS,
      allowH2: false,
      // Said aloud, because an environment variable can turn the default off for the whole process.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      autoSelectFamily: true,
      lookup: checkedLookup(url, rules, lookup),
    }) as unknown as KnownOrigin['connect']
    const origin = { connect, connections: 0 }
    known.set(url.origin, origin)
    return origin
  }
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const port = options.port ? `:${options.port}` : ''
    const url = new URL(`${options.protocol}//${isIP(host) === 6 ? `[${host}]` : host}${port}`)
    const origin = originOf(url)
    const connecting = origin.connect(options, (error, socket) => {
      pending.delete(connecting)
      if (error) return callback(error, null)
      const peer = addressRefusal(url, socket.remoteAddress ?? '', rules)
      if (peer !== undefined) {
        socket.destroy()
        return callback(new EgressRefused(url.host, peer), null)
      }
      origin.connections += 1
      callback(null, socket)
    })
    pending.add(connecting)
  }
}

/** A resolver for one URL that fails when any of its answers is refused: no answer is picked by luck. */
const checkedLookup =
  (url: URL, rules: AddressRules, lookup: Lookup): LookupFunction =>
  (name, _options, callback) => {
    lookup(name).then(
      (answers) => {
        const reason = answers
          .map(({ address }) => addressRefusal(url, address, rules))
          .find((found) => found)
        if (reason !== undefined) return callback(new EgressRefused(url.host, reason), [])
        if (answers.length === 0) {
          return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
        }
        // All of them: with automatic family selection Node asks for a list.
        return callback(null, [...answers])
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    )
  }
