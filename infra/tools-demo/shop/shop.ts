import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { type LogBook, logBook } from './log-book.ts'
import { type Metrics, metricsOfProcess } from './metrics.ts'

/** A key and a certificate in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** What can be done to the shop. */
export const FAULTS = ['bad-version', 'slow-dependency', 'full-disk'] as const
export type Fault = (typeof FAULTS)[number]

export const PAYMENTS_VERSIONS = { before: '1.4.2', after: '1.5.0' } as const

/** Ports on 127.0.0.1. */
export interface ShopPorts {
  readonly storefront: number
  readonly checkout: number
  /** Where charges are taken, over TLS. */
  readonly payments: number
  readonly paymentsMetrics: number
}

export interface Shop {
  readonly ports: ShopPorts
  readonly log: LogBook
  readonly volume: { readonly size: number; readonly used: number }
  readonly paymentsVersion: string
  breakBy(fault: Fault): void
  /** Gives payments another certificate, as a renewal does. */
  certify(certificate: Certificate): void
  stop(): Promise<void>
}

/** Orders a second: enough for a ratio to mean something, nothing to a processor. */
const ORDERS_PER_S = 5
/** How long each waits for the one that it calls: far more than a busy machine takes, and less than its caller waits. */
const PATIENCE_MS = { storefront: 6_000, checkout: 4_500, payments: 3_000 }
/** The provider of card payments beyond the shop: how long it usually takes, and how long when it is slow. */
const ACQUIRER_MS = { usual: 25, slow: 6_000 }
/** A connection to payments serves so many charges: then the next one shakes hands, and sees the certificate, anew. */
const CHARGES_A_CONNECTION = 10
const VOLUME_BYTES = 64 * 1024 * 1024
/** One order in the journal. */
const ORDER_BYTES = 2 * 1024
/** What debug lines that nobody rotates take at once: the volume is full some seconds after they are switched on. */
const DEBUG_BYTES = 2 * 1024 * 1024

const AMOUNTS = ['12.50', '89.00', '1,250.00', '7.25', '2,399.00', '45.10', '19.99', '1,020.40'] as const

/** How a version of payments reads an amount of money. */
const READ_AMOUNT: Readonly<Record<string, (amount: string) => number>> = {
  [PAYMENTS_VERSIONS.before]: (amount) => Number(amount.replaceAll(',', '')),
  [PAYMENTS_VERSIONS.after]: (amount) => Number(amount),
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
  return (server.address() as AddressInfo).port
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** What a handler came to: the status that the caller gets. */
type Handle = (body: string) => Promise<number>

interface Observed {
  readonly metrics: Metrics
  /** Counts one request under this team's names of metrics and labels. */
  readonly counted: (metrics: Metrics, status: number, seconds: number) => void
  readonly handle: Handle
}

function listener({ metrics, counted, handle }: Observed): RequestListener {
  return (message, response) => {
    if (message.url === '/metrics') return void response.end(metrics.text())
    if (message.url === '/healthz') return void response.end('ok')
    const began = performance.now()
    void textOf(message)
      .then(handle)
      .catch(() => 500)
      .then((status) => {
        counted(metrics, status, (performance.now() - began) / 1000)
        response.writeHead(status).end()
      })
  }
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`
}

/**
 * Three services that call each other, run by three teams that name things differently: the storefront is known by its
 * scrape job alone, checkout by app and namespace, payments by OpenTelemetry's names. Beyond them lies a provider of
 * card payments that nobody scrapes. Customers order by themselves.
 */
export async function openShop(certificate: Certificate): Promise<Shop> {
  const log = logBook()
  const servers: Server[] = []
  let acquirerMs: number = ACQUIRER_MS.usual
  let paymentsVersion: string = PAYMENTS_VERSIONS.before
  let used = VOLUME_BYTES * 0.4
  let writesDebug = false
  const open = async (server: Server): Promise<number> => {
    servers.push(server)
    return listen(server)
  }
  // The certificate is its own authority.
  const trusting = ({ cert }: Certificate): Agent =>
    new Agent({
      connect: { ca: cert, servername: 'payments.shop.svc' },
      // A session that is taken up again would not look at the certificate.
      maxCachedSessions: 0,
    })
  let tls = trusting(certificate)
  const call = async (url: string, body: string, timeout: number, dispatcher?: Agent): Promise<number> => {
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(timeout),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    })
    await answer.dump()
    return statusCode
  }

  const acquirer = await open(
    createServer((message, response) => {
      message.resume()
      setTimeout(() => response.end(), acquirerMs * (0.8 + 0.4 * Math.random()))
    }),
  )

  const payments: Observed = {
    metrics: metricsOfProcess(),
    counted: (metrics, status, seconds) =>
      metrics.observe(
        'http_server_request_duration_seconds',
        { http_request_method: 'POST', http_route: '/charge', http_response_status_code: String(status) },
        seconds,
      ),
    handle: async (amount) => {
      const cents = Math.round((READ_AMOUNT[paymentsVersion]?.(amount) ?? Number.NaN) * 100)
      if (Number.isNaN(cents)) {
        log.write('payments', `ERROR charge failed: TypeError: amount "${amount}" is not a number`)
        return 500
      }
      const began = performance.now()
      try {
        await call(`http://127.0.0.1:${acquirer}/authorize`, String(cents), PATIENCE_MS.payments)
      } catch (error) {
        log.write('payments', `ERROR cards.example.com did not authorize: ${reasonOf(error)}`)
        return 502
      }
      const tookMs = Math.round(performance.now() - began)
      if (tookMs > 1_000)
        log.write('payments', `WARN slow answer of cards.example.com: /authorize took ${tookMs} ms`)
      else log.write('payments', `INFO charged ${cents} cents`)
      return 200
    },
  }
  const paymentsServer = createTlsServer(certificate, listener(payments))
  paymentsServer.maxRequestsPerSocket = CHARGES_A_CONNECTION
  const paymentsPort = await open(paymentsServer as unknown as Server)
  const paymentsMetrics = await open(createServer(listener(payments)))

  const keep = (bytes: number): void => {
    if (used + bytes > VOLUME_BYTES) {
      used = VOLUME_BYTES
      throw Object.assign(new Error('ENOSPC: no space left on device, write /var/lib/checkout/journal'), {
        code: 'ENOSPC',
      })
    }
    used += bytes
  }
  const checkout: Observed = {
    metrics: metricsOfProcess(),
    counted: (metrics, status, seconds) => {
      metrics.count('http_requests_total', { method: 'POST', status: String(status) })
      metrics.observe('http_request_duration_seconds', { method: 'POST' }, seconds)
    },
    handle: async (amount) => {
      try {
        keep(writesDebug ? DEBUG_BYTES : ORDER_BYTES)
      } catch (error) {
        log.write('checkout', `level=error msg="order not written" err="${reasonOf(error)}"`)
        return 500
      }
      try {
        const status = await call(
          `https://127.0.0.1:${paymentsPort}/charge`,
          amount,
          PATIENCE_MS.checkout,
          tls,
        )
        if (status < 500) {
          log.write('checkout', 'level=info msg="order placed"')
          return 200
        }
        log.write('checkout', `level=error msg="POST https://payments.shop.svc/charge answered ${status}"`)
        return 502
      } catch (error) {
        log.write(
          'checkout',
          `level=error msg="POST https://payments.shop.svc/charge failed" err="${reasonOf(error)}"`,
        )
        return 504
      }
    },
  }
  const checkoutPort = await open(createServer(listener(checkout)))

  const storefront: Observed = {
    metrics: metricsOfProcess(),
    counted: (metrics, status, seconds) => {
      metrics.count('http_requests_total', { handler: '/buy', code: String(status) })
      metrics.observe('http_request_duration_seconds', { handler: '/buy' }, seconds)
    },
    handle: async (amount) => {
      try {
        const status = await call(`http://127.0.0.1:${checkoutPort}/orders`, amount, PATIENCE_MS.storefront)
        const level = status < 500 ? 'info' : 'error'
        log.write(
          'storefront',
          JSON.stringify({ level, msg: `POST http://checkout.shop.svc/orders ${status}` }),
        )
        return status < 500 ? 200 : 502
      } catch (error) {
        log.write('storefront', JSON.stringify({ level: 'error', msg: `checkout: ${reasonOf(error)}` }))
        return 504
      }
    },
  }
  const storefrontPort = await open(createServer(listener(storefront)))

  const stopping = new AbortController()
  let ordered = 0
  const customers = setInterval(() => {
    ordered += 1
    const amount = AMOUNTS[ordered % AMOUNTS.length] ?? AMOUNTS[0]
    request(`http://127.0.0.1:${storefrontPort}/buy`, {
      method: 'POST',
      body: amount,
      signal: stopping.signal,
    })
      .then(({ body }) => body.dump())
      .catch(() => {})
  }, 1000 / ORDERS_PER_S)

  return {
    ports: { storefront: storefrontPort, checkout: checkoutPort, payments: paymentsPort, paymentsMetrics },
    log,
    get volume() {
      return { size: VOLUME_BYTES, used }
    },
    get paymentsVersion() {
      return paymentsVersion
    },
    breakBy: (fault) => {
      if (fault === 'bad-version') {
        paymentsVersion = PAYMENTS_VERSIONS.after
        log.write('payments', `INFO payments ${paymentsVersion} listens`)
      }
      if (fault === 'slow-dependency') acquirerMs = ACQUIRER_MS.slow
      if (fault === 'full-disk') writesDebug = true
    },
    certify: (renewed) => {
      paymentsServer.setSecureContext(renewed)
      void tls.close()
      tls = trusting(renewed)
    },
    stop: async () => {
      clearInterval(customers)
      stopping.abort()
      await pause(0)
      for (const server of servers) server.closeAllConnections()
      await Promise.all(
        servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
      )
      await tls.destroy()
    },
  }
}
