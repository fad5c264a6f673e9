import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import tls from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { selfSigned } from '#infra/local/self-signed.ts'
import { type AddressRules, localRules, strictRules } from '#shared/adapters/http/address-rules.ts'
import { checkAddress } from '#shared/adapters/http/check-address.ts'
import {
  EgressFailed,
  EgressRefused,
  EgressTimedOut,
  guardedRequest,
  type OutboundRequest,
} from '#shared/adapters/http/guarded-request.ts'
import type { Lookup } from '#shared/adapters/http/lookup.ts'
import { outsideFile } from '#test/outside-data.ts'
import { type LoopbackServer, serveHttp, serveHttps, serveSocket } from './loopback-server.ts'

const corpus = JSON.parse(readFileSync(new URL('../data/hostile-urls.json', import.meta.url), 'utf8')) as {
  literal: string[]
  malformed: string[]
  names: Record<string, string[]>
}

const OWN = ['own.test', 'api.own.test:8443']
/** http is allowed, so that only the address can be the reason of a refusal. */
const publicOnly: AddressRules = { ...strictRules(OWN), http: true }

const ask = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  deadlineMs: 5000,
  maxBytes: 4096,
  ...more,
})

const family = (address: string): number => (address.includes(':') ? 6 : 4)
const resolverOf =
  (names: Readonly<Record<string, readonly string[]>>): Lookup =>
  async (name) => {
    const answers = names[name]
    if (!answers) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return answers.map((address) => ({ address, family: family(address) }))
  }

const text = (body: Uint8Array): string => Buffer.from(body).toString()

const closing: (() => Promise<void>)[] = []
const closed = <T extends { close(): Promise<void> }>(thing: T): T => {
  closing.push(() => thing.close())
  return thing
}
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const http = async (...from: Parameters<typeof serveHttp>) => closed(await serveHttp(...from))
const sockets = async (...from: Parameters<typeof serveSocket>) => closed(await serveSocket(...from))
const local = (lookup?: Lookup) => closed(guardedRequest(localRules(), lookup ? { lookup } : {}))

describe('a server on this machine', () => {
  let canary: LoopbackServer
  let canary6: LoopbackServer | undefined

  beforeEach(async () => {
    canary = await http((_, response) => response.end('reached'))
    // The same port over IPv6, where the machine has it.
    canary6 = await http((_, response) => response.end('reached'), '::1', canary.port).catch(() => undefined)
  })
  const connections = () => canary.connections() + (canary6?.connections() ?? 0)

  it('is reached when the rules allow it, so the counts below mean something', async () => {
    const request = local(resolverOf({ 'receiver.test': ['127.0.0.1'] }))
    expect(text((await request(ask(`http://127.0.0.1:${canary.port}/`))).body)).toBe('reached')
    expect(text((await request(ask(`http://receiver.test:${canary.port}/`))).body)).toBe('reached')
    expect(connections()).toBe(2)
  })

  it('sees no connection from any hostile address, with http or https', async () => {
    const request = closed(guardedRequest(publicOnly, { lookup: resolverOf(corpus.names) }))
    const strict = closed(guardedRequest(strictRules(OWN), { lookup: resolverOf(corpus.names) }))
    const urls = [
      ...corpus.literal,
      ...corpus.malformed,
      ...Object.keys(corpus.names).map((name) => `http://${name}:PORT/`),
    ].map((template) => template.replaceAll('PORT', String(canary.port)))
    const reached: string[] = []
    for (const url of urls) {
      for (const [send, dialled] of [
        [request, url],
        [request, url.replace('http:', 'https:')],
        [strict, url],
        [strict, url.replace('http:', 'https:')],
      ] as const) {
        const outcome = await send(ask(dialled)).catch((error: unknown) => error)
        if (!(outcome instanceof EgressRefused)) reached.push(dialled)
      }
    }
    expect(urls.length).toBeGreaterThanOrEqual(100)
    expect(reached).toEqual([])
    expect(connections()).toBe(0)
  })

  const outside = outsideFile('ssrf', 'hostile-urls.json')
  test.skipIf(outside === undefined)(
    'sees no connection from the outside corpus (not run without INCIDENT_DATA: 51 URLs, 7 names)',
    async () => {
      const data = JSON.parse(outside ?? '') as { urls: string[]; dns: Record<string, string[]> }
      const names = Object.fromEntries(
        Object.entries(data.dns).map(([name, answers]) => [
          name,
          answers.map((answer) => (answer.includes(' ') ? '203.0.114.10' : answer)),
        ]),
      )
      names['rebind.test'] = ['127.0.0.1']
      const request = closed(guardedRequest(publicOnly, { lookup: resolverOf(names) }))
      const urls = [...data.urls, ...Object.keys(names).map((name) => `http://${name}`)]
      for (const url of urls) {
        const outcome = await request(ask(`${url}:${canary.port}/`)).catch((error: unknown) => error)
        expect([url, outcome]).toEqual([url, expect.any(EgressRefused)])
      }
      expect(urls.length).toBeGreaterThanOrEqual(58)
      expect(connections()).toBe(0)
    },
  )

  it('sees no connection from a name that was public when it was written down and turned inwards since', async () => {
    const answers = [['203.0.114.10'], ['127.0.0.1']]
    const rebinding: Lookup = async () =>
      (answers.shift() ?? ['127.0.0.1']).map((address) => ({ address, family: 4 }))
    const url = `http://rebind.test:${canary.port}/`
    await checkAddress(url, publicOnly, 'url', rebinding)
    const request = closed(guardedRequest(publicOnly, { lookup: rebinding }))
    await expect(request(ask(url))).rejects.toThrow('leads to a loopback address')
    expect(connections()).toBe(0)
  })

  it('gets no request when the address changes between the check and the connection', async () => {
    let reads = 0
    const turning = {
      // Public while it is checked, this machine from then on.
      get address() {
        reads += 1
        return reads === 1 ? '203.0.114.10' : '127.0.0.1'
      },
      family: 4,
    }
    const request = closed(guardedRequest(publicOnly, { lookup: async () => [turning] }))
    await expect(request(ask(`http://turning.test:${canary.port}/`))).rejects.toBeInstanceOf(EgressRefused)
    expect(canary.connections()).toBe(1)
    expect(canary.requests()).toEqual([])
  })

  it('is not reached through a redirect, which is an answer like any other', async () => {
    const redirecting = await http((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end(),
    )
    const answer = await local()(ask(redirecting.url))
    expect(answer.status).toBe(302)
    expect(connections()).toBe(0)
  })

  it('is not reached through a proxy that the environment names', async () => {
    const before = process.env.HTTP_PROXY
    process.env.HTTP_PROXY = canary.url
    try {
      const request = closed(guardedRequest(publicOnly, { lookup: resolverOf({}) }))
      await expect(request(ask('http://receiver.test/'))).rejects.toMatchObject({ code: 'ENOTFOUND' })
      expect(connections()).toBe(0)
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY
      else process.env.HTTP_PROXY = before
    }
  })
})

describe('what is sent', () => {
  it('is the method, the headers and the body as given, and asks for an answer that is not compressed', async () => {
    const server = await http((request, response) => {
      response.setHeader('x-method', request.method ?? '')
      response.setHeader('x-encoding', request.headers['accept-encoding'] ?? '')
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.writeHead(201).write(`${request.headers['x-kept']} `)
      request.pipe(response)
    })
    const answer = await local()(
      ask(server.url, {
        method: 'POST',
        headers: { 'x-kept': 'yes', 'Accept-Encoding': 'gzip' },
        body: '{"a":1}',
      }),
    )
    expect(answer).toMatchObject({
      status: 201,
      cut: false,
      headers: { 'x-method': 'POST', 'x-encoding': 'identity', 'set-cookie': 'a=1, b=2' },
    })
    expect(text(answer.body)).toBe('yes {"a":1}')
  })

  it.each(['Host', 'host', 'Content-Length', 'Transfer-Encoding', 'Connection'])(
    'never holds a header %s of the caller',
    async (name) => {
      const server = await http((_, response) => response.end())
      await expect(local()(ask(server.url, { headers: { [name]: 'other.test' } }))).rejects.toBeInstanceOf(
        EgressRefused,
      )
      expect(server.connections()).toBe(0)
    },
  )

  it('never holds a header that breaks its line', async () => {
    const server = await http((_, response) => response.end())
    await expect(local()(ask(server.url, { headers: { 'x-a': 'b\r\nx-c: d' } }))).rejects.toBeInstanceOf(
      EgressFailed,
    )
    expect(server.requests()).toEqual([])
  })
})

describe('the size limit', () => {
  it('gives an answer of exactly that many bytes whole and cuts one byte more', async () => {
    const server = await http((request, response) =>
      response.end('x'.repeat(request.url === '/exact' ? 100 : 101)),
    )
    const request = local()
    const exact = await request(ask(`${server.url}/exact`, { maxBytes: 100 }))
    expect([exact.body.length, exact.cut]).toEqual([100, false])
    const longer = await request(ask(`${server.url}/longer`, { maxBytes: 100 }))
    expect([longer.body.length, longer.cut]).toEqual([100, true])
    const none = await request(ask(`${server.url}/exact`, { maxBytes: 0 }))
    expect([none.body.length, none.cut]).toEqual([0, true])
  })

  it('ends an endless body, closes its connection and leaves the client usable', async () => {
    let closedByUs: (() => void) | undefined
    const ended = new Promise<void>((resolve) => {
      closedByUs = resolve
    })
    const server = await http((request, response) => {
      if (request.url !== '/endless') return void response.end('fine')
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      }
      response.on('drain', more).on('close', () => closedByUs?.())
      more()
    })
    const request = local()
    const answer = await request(ask(`${server.url}/endless`))
    expect([answer.body.length, answer.cut]).toEqual([4096, true])
    await ended
    expect(text((await request(ask(`${server.url}/next`))).body)).toBe('fine')
  })

  it('does not expand a compressed answer that was sent all the same', async () => {
    const bomb = gzipSync('x'.repeat(1_000_000))
    const server = await http((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const answer = await local()(ask(server.url))
    expect(Buffer.from(answer.body)).toEqual(bomb)
    expect(answer.headers['content-encoding']).toBe('gzip')
  })
})

describe('the deadline', () => {
  const timedOut = async (url: string): Promise<EgressTimedOut> => {
    const outcome = await local()(ask(url, { deadlineMs: 150 })).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(EgressTimedOut)
    return outcome as EgressTimedOut
  }
  const everyTenMs = (act: () => void, response: ServerResponse | Socket): void => {
    const timer = setInterval(act, 10)
    response.on('close', () => clearInterval(timer))
  }

  it('ends a request that is never answered', async () => {
    const server = await http(() => {})
    expect((await timedOut(server.url)).missing).toBe('answer')
  })

  it('ends headers that drip', async () => {
    const server = await sockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      everyTenMs(() => socket.write('x-drip: 1\r\n'), socket)
    })
    expect((await timedOut(server.url)).missing).toBe('answer')
  })

  it('ends a flood of interim answers', async () => {
    const server = await sockets((socket) => {
      everyTenMs(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), socket)
    })
    expect((await timedOut(server.url)).missing).toBe('answer')
  })

  it('ends a body that drips, though no pause is long', async () => {
    const server = await http((_, response) => {
      response.writeHead(200)
      everyTenMs(() => response.write('.'), response)
    })
    expect((await timedOut(server.url)).missing).toBe('body')
  })

  // Far below the ten seconds after which the client itself gives a connection up.
  it('ends a name resolution that hangs', { timeout: 8_000 }, async () => {
    const request = local(() => new Promise(() => {}))
    const outcome = request(ask('http://slow.test/', { deadlineMs: 50 }))
    await expect(outcome).rejects.toMatchObject({ name: 'EgressTimedOut', missing: 'answer' })
  })

  it('leaves a request unsent whose connection comes after it', { timeout: 8_000 }, async () => {
    const server = await http((_, response) => response.end('late'))
    let answer: (() => void) | undefined
    let names = 0
    const request = local(() => {
      names += 1
      const found = [{ address: '127.0.0.1', family: 4 }]
      if (names > 1) return Promise.resolve(found)
      return new Promise((resolve) => {
        answer = () => resolve(found)
      })
    })
    const url = `http://slow.test:${server.port}`
    await expect(request(ask(`${url}/first`, { deadlineMs: 50 }))).rejects.toBeInstanceOf(EgressTimedOut)
    answer?.()
    expect(text((await request(ask(`${url}/second`))).body)).toBe('late')
    expect(server.requests()).toEqual(['GET /second'])
  })

  it('does not outlive the signal of the caller', async () => {
    const server = await http(() => aborting.abort())
    const aborting = new AbortController()
    const request = local()
    await expect(request(ask(server.url, { signal: aborting.signal }))).rejects.toMatchObject({
      name: 'EgressFailed',
      code: 'ABORTED',
    })
    await expect(request(ask(server.url, { signal: aborting.signal }))).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(server.requests()).toHaveLength(1)
  })
})

describe('TLS', () => {
  const identity = selfSigned('receiver.test')
  const lookup = resolverOf({ 'receiver.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] })
  const secure = async () => closed(await serveHttps((_, response) => response.end('secure'), identity))
  const trusted = tls.getCACertificates('default')

  afterEach(() => tls.setDefaultCACertificates(trusted))

  it('is spoken to a server whose certificate is trusted and names its host', async () => {
    tls.setDefaultCACertificates([...trusted, identity.cert])
    const server = await secure()
    const request = local(lookup)
    expect(text((await request(ask(`https://receiver.test:${server.port}/`))).body)).toBe('secure')
    await expect(request(ask(`https://other.test:${server.port}/`))).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect(server.requests()).toEqual(['GET /'])
  })

  it('is refused with a certificate that nobody trusts, also when the environment turns verification off', async () => {
    const server = await secure()
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await expect(local(lookup)(ask(`https://receiver.test:${server.port}/`))).rejects.toMatchObject({
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
    expect(server.requests()).toEqual([])
  })

  it('fails with a server that speaks none', async () => {
    const plain = await http((_, response) => response.end())
    await expect(local()(ask(plain.url.replace('http:', 'https:')))).rejects.toBeInstanceOf(EgressFailed)
  })
})

describe('failures', () => {
  it('tell their code when nobody listens or the name is unknown', async () => {
    const gone = await serveHttp(() => {})
    await gone.close()
    await expect(local()(ask(gone.url))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      staleConnection: false,
    })
    const request = local(resolverOf({ 'empty.test': [] }))
    await expect(request(ask('http://unknown.test/'))).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(request(ask('http://empty.test/'))).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  it('tell a fresh connection that was reset from a kept one that went stale', async () => {
    const resetting = await sockets((socket) => socket.once('data', () => socket.resetAndDestroy()))
    await expect(local()(ask(resetting.url))).rejects.toMatchObject({
      name: 'EgressFailed',
      staleConnection: false,
    })

    const dying = await sockets((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
        socket.once('data', () => socket.resetAndDestroy())
      })
    })
    const request = local()
    expect(text((await request(ask(dying.url))).body)).toBe('ok')
    // The client gives a connection back one turn of the event loop after its answer ended.
    await nextTurn()
    await nextTurn()
    await expect(request(ask(dying.url, { method: 'POST', body: 'x' }))).rejects.toMatchObject({
      name: 'EgressFailed',
      staleConnection: true,
    })
    expect(text((await request(ask(dying.url))).body)).toBe('ok')
  })

  it('count an answer that ends early as none', async () => {
    const server = await sockets((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    )
    await expect(local()(ask(server.url))).rejects.toBeInstanceOf(EgressFailed)
  })

  it('count what is not HTTP, and heads without end, as failures', async () => {
    const garbage = await sockets((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
    await expect(local()(ask(garbage.url))).rejects.toBeInstanceOf(EgressFailed)
    const wide = await sockets((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nx-wide: ${'x'.repeat(40_000)}\r\n\r\n`),
    )
    await expect(local()(ask(wide.url))).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_OVERFLOW' })
  })

  it('never repeat the path, the query, a header or a body in their text', async () => {
    const canary = 'c4n4ry-s3cr3t'
    const servers = [
      (await sockets((socket) => socket.destroy())).url,
      (await http(() => {})).url,
      'http://10.0.0.1',
      'http://unknown.test',
    ]
    const request = local(resolverOf({}))
    for (const url of servers) {
      const outcome = (await request(
        ask(`${url}/${canary}?token=${canary}`, {
          method: 'POST',
          headers: { authorization: `Basic ${canary}` },
          body: canary,
          deadlineMs: 100,
        }),
      ).catch((error: unknown) => error)) as Error
      expect(outcome).toBeInstanceOf(Error)
      expect(`${outcome.stack} ${JSON.stringify(outcome)} ${String(outcome.cause)}`).not.toContain(canary)
    }
  })

  it('close also what was never used', async () => {
    await guardedRequest(strictRules()).close()
  })
})
