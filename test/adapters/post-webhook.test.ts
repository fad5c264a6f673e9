import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { BEHAVIOURS, type Behaviour, type ReceiverOptions, startReceiver } from '#infra/local/receiver.ts'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { localRules, strictRules } from '#shared/adapters/http/address-rules.ts'
import { EgressFailed, guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { webhookHeaders } from '#shared/domain/signature.ts'

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const EVENT = 'evt_01KGA2B3C4D5E6F7G8H9JKMNPQ'
const closing: (() => Promise<unknown> | undefined)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Posts one event to a receiver that behaves so. */
async function posted(behaviour: Behaviour, options: Partial<ReceiverOptions> = {}, deadlineMs = 400) {
  const arrivals: boolean[] = []
  const receiver = await startReceiver({
    port: 0,
    secret: SECRET,
    behaviour,
    status: 500,
    seconds: 30,
    times: 0,
    tell: ({ verified }) => arrivals.push(verified),
    ...options,
  })
  closing.push(() => receiver.close())
  const request = guardedRequest(localRules())
  closing.push(() => request.close())
  const post = postWebhook(request, 'incident-investigator/test')
  const body = JSON.stringify({ type: 'incident.created' })
  const headers = webhookHeaders(EVENT, Date.now(), body, [SECRET], hmacSign())
  const startedAt = performance.now()
  const result = await post({ url: receiver.url, headers, body, deadlineMs })
  return { result, arrivals, took: performance.now() - startedAt }
}

/** Every way that a receiver can play, and how its answer is to be read. */
const PLAYED: readonly (readonly [Behaviour, Partial<ReceiverOptions>, object])[] = [
  ['ok', {}, { kind: 'answered', status: 204, retryAfter: null, response: '' }],
  ['refuse', {}, { kind: 'answered', status: 500, retryAfter: null, response: 'refused' }],
  ['gone', {}, { kind: 'answered', status: 410 }],
  ['busy', { seconds: 17 }, { kind: 'answered', status: 429, retryAfter: '17' }],
  ['busy-until', {}, { kind: 'answered', status: 429, retryAfter: expect.stringMatching(/ GMT$/) }],
  ['redirect', {}, { kind: 'answered', status: 307 }],
  ['flaky', { times: 1 }, { kind: 'answered', status: 503 }],
  ['reset', {}, { kind: 'failed', error: 'connection' }],
  ['reset-body', {}, { kind: 'failed', error: 'connection' }],
  ['garbage', {}, { kind: 'failed', error: 'protocol' }],
  ['hang', {}, { kind: 'failed', error: 'timeout' }],
  ['slow-head', {}, { kind: 'failed', error: 'timeout' }],
  ['early-hints', {}, { kind: 'failed', error: 'timeout' }],
  ['drip', {}, { kind: 'failed', error: 'timeout_body' }],
  ['drip-head', {}, { kind: 'failed', error: 'timeout' }],
  ['endless', {}, { kind: 'answered', status: 200, response: 'x'.repeat(4_096) }],
  ['self-signed', {}, { kind: 'failed', error: 'tls' }],
  ['expired', {}, { kind: 'failed', error: 'tls' }],
  ['wrong-host', {}, { kind: 'failed', error: 'tls' }],
]

describe('a receiver on the network', () => {
  it('can play nothing that is not in the table', () => {
    expect(PLAYED.map(([behaviour]) => behaviour).sort()).toEqual(Object.keys(BEHAVIOURS).sort())
  })

  it.each(PLAYED)('that plays %s is told apart', async (behaviour, options, expected) => {
    const { error = '' } = expected as { error?: string }
    const silent = error.startsWith('timeout')
    const { result, arrivals, took } = await posted(behaviour, options, silent ? 400 : 8_000)
    expect(result).toMatchObject(expected)
    // Whom no certificate vouches for gets nothing at all.
    expect(arrivals).toEqual(error === 'tls' ? [] : [true])
    // One deadline over everything.
    if (silent) expect(took).toBeLessThan(4_000)
  })

  it('tells an event that another secret signed', async () => {
    const { arrivals } = await posted('ok', { secret: 'another, which is raw and long enough' })
    expect(arrivals).toEqual([false])
  })

  it('that is not there, or has no name, is told apart', async () => {
    const request = guardedRequest(localRules(), {
      lookup: () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
    })
    closing.push(() => request.close())
    const post = postWebhook(request, 'test')
    const to = (url: string) => post({ url, headers: {}, body: '{}', deadlineMs: 1_000 })
    expect(await to('http://127.0.0.1:1/')).toEqual({ kind: 'failed', error: 'connection' })
    expect(await to('http://unknown.test/')).toEqual({ kind: 'failed', error: 'no_address' })
  })
})

describe('a kept connection that died unanswered', () => {
  const answer = { status: 204, headers: {}, body: new Uint8Array(), cut: false }

  it('is tried once more, at once, within the same deadline', async () => {
    let now = 0
    const deadlines: number[] = []
    const post = postWebhook(
      ({ deadlineMs }) => {
        deadlines.push(deadlineMs)
        now += 4_000
        return deadlines.length === 1
          ? Promise.reject(new EgressFailed('host', 'UND_ERR_SOCKET', true))
          : Promise.resolve(answer)
      },
      'test',
      () => now,
    )
    expect(
      await post({ url: 'https://example.com/', headers: {}, body: '{}', deadlineMs: 15_000 }),
    ).toMatchObject({
      kind: 'answered',
      status: 204,
    })
    expect(deadlines).toEqual([15_000, 11_000])
  })

  it('is not tried a third time, and no other failure is tried again', async () => {
    for (const [stale, tries] of [
      [true, 2],
      [false, 1],
    ] as const) {
      let made = 0
      const post = postWebhook(() => {
        made += 1
        return Promise.reject(new EgressFailed('host', 'ECONNRESET', stale))
      }, 'test')
      expect(await post({ url: 'https://example.com/', headers: {}, body: '{}', deadlineMs: 9 })).toEqual({
        kind: 'failed',
        error: 'connection',
      })
      expect(made).toBe(tries)
    }
  })
})

describe('an answer of control characters', () => {
  it('is kept without what moves a terminal, and no longer than it was', async () => {
    const answer = `\u001b[2Jcleared\n\u0001\u0000${'\u0007'.repeat(20)}é`
    const post = postWebhook(
      async () => ({ status: 500, headers: {}, body: Buffer.from(answer), cut: false }),
      'test',
    )
    const result = await post({ url: 'https://example.com/', headers: {}, body: '{}', deadlineMs: 300 })
    expect(result).toMatchObject({ kind: 'answered', response: `cleared\n${' '.repeat(22)}é` })
  })
})

describe('a hostile address', () => {
  const corpus = JSON.parse(readFileSync(new URL('../data/hostile-urls.json', import.meta.url), 'utf8')) as {
    literal: string[]
    names: Record<string, string[]>
  }

  it('is never dialled by the sender, however it is written or resolved', async () => {
    let connections = 0
    const canary = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise<void>((resolve) => canary.close(() => resolve())))
    const port = String((canary.address() as AddressInfo).port)
    // http is allowed, so that only the address can be the reason.
    const request = guardedRequest(
      { ...strictRules(), http: true },
      {
        lookup: async (name) => {
          const answers = corpus.names[name]
          if (answers === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
          return answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        },
      },
    )
    closing.push(() => request.close())
    const post = postWebhook(request, 'test')
    const urls = [
      ...corpus.literal.map((url) => url.replace('PORT', port)),
      ...Object.keys(corpus.names).map((name) => `http://${name}:${port}/`),
    ]
    expect(urls.length).toBeGreaterThan(50)
    for (const url of urls) {
      const result = await post({ url, headers: {}, body: '{}', deadlineMs: 300 })
      const kind = result.kind === 'failed' ? result.error : result.kind
      const only = corpus.names[new URL(url).hostname]?.every((address) => address.startsWith('203.0.114.'))
      if (only !== true) expect(kind, url).toBe('refused_address')
    }
    expect(connections).toBe(0)
  }, 300_000)
})
