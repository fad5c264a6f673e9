import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { localRules, strictRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { httpAccess } from '#shared/adapters/tools/http-access.ts'
import { askTool, type Question, type ToolReach } from '#shared/adapters/tools/tool-request.ts'
import { type LoopbackServer, serveSocket } from '../loopback-server.ts'
import { type Canned, type Seen, serveTool, withoutWaiting } from './tool-server.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const SECRET = 'c4n4ry-t0k3n/with"quotes'
const TOKEN = 'c4n4ry-t0k3n-of-the-tool'
const never = new AbortController().signal
const servers: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const reachOf = (url: string): ToolReach => ({
  tool: 'prometheus',
  title: 'Prometheus',
  base_url: url,
  headers: { authorization: `Bearer ${TOKEN}` },
  secrets: [TOKEN, SECRET],
  credential: 'config.bearer_token',
})

function deps(rules = localRules()) {
  const request = guardedRequest(rules)
  servers.push(request)
  const { wait, waited } = withoutWaiting()
  return { request, now: () => NOW, wait, waited }
}

async function ask(
  answers: readonly Canned[] | ((seen: Seen) => Canned),
  question: Partial<Question> = {},
  within = 5000,
) {
  let at = 0
  const server = await serveTool((seen) =>
    typeof answers === 'function' ? answers(seen) : (answers[Math.min(at++, answers.length - 1)] as Canned),
  )
  servers.push(server)
  const made = deps()
  const got = await askTool(made, reachOf(server.url), { path: '/api?x=1', ...question }, within, never)
  return { got, server, waited: made.waited }
}

const hostile = async (onSocket: Parameters<typeof serveSocket>[0], within = 300) => {
  const server: LoopbackServer = await serveSocket(onSocket)
  servers.push(server)
  return {
    got: await askTool({ ...deps(), now: Date.now }, reachOf(server.url), { path: '/' }, within, never),
    server,
  }
}

describe('a question to a tool', () => {
  it('goes to the path below its address with its credentials, and brings what it answers', async () => {
    const { got, server } = await ask([{ body: { status: 'success' } }])
    expect(got).toMatchObject({ ok: true, status: 200, body: { status: 'success' } })
    expect(server.seen).toMatchObject([
      {
        method: 'GET',
        path: '/api',
        headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
      },
    ])
  })

  it('carries a form or JSON', async () => {
    const form = await ask([{}], { method: 'POST', form: { query: 'up == 0' } })
    expect(form.server.seen[0]?.search.get('query')).toBe('up == 0')
    const json = await ask([{}], { method: 'POST', json: { size: 0 } })
    expect(json.server.seen[0]?.body).toBe('{"size":0}')
  })

  it('reads a text where one is asked for', async () => {
    expect((await ask([{ body: 'ready' }], { as: 'text' })).got).toMatchObject({ ok: true, body: 'ready' })
  })
})

describe('a tool that refuses', () => {
  it.each([
    [401, 'refused', 'Prometheus does not accept the credentials (status 401): go away'],
    [403, 'refused', 'Prometheus refuses access (status 403): go away'],
    [404, 'absent', 'Prometheus does not know this request (status 404): go away'],
    [400, 'rejected', 'Prometheus answers with status 400: go away'],
    [422, 'rejected', 'Prometheus answers with status 422: go away'],
    [500, 'failing', 'Prometheus has trouble (status 500): go away'],
  ])('with %i is told as %s with what it says', async (status, kind, why) => {
    for (const body of [{ error: 'go away' }, { message: 'go away' }, { detail: 'go away' }, 'go away']) {
      expect((await ask([{ status, body }])).got).toMatchObject({ ok: false, kind, why, status })
    }
  })

  it('with a page of HTML is told by the status alone', async () => {
    const { got } = await ask([{ status: 403, body: '<html>forbidden</html>' }])
    expect(got).toMatchObject({ why: 'Prometheus refuses access (status 403)' })
  })

  it('with a redirect is not followed, wherever it leads', async () => {
    for (const location of ['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/', '/elsewhere']) {
      const { got, server } = await ask([{ status: 302, headers: { location } }])
      expect(got).toMatchObject({ ok: false, kind: 'moved' })
      expect(server.seen).toHaveLength(1)
    }
  })
})

describe('a tool in trouble', () => {
  it('is asked once more after a 5xx', async () => {
    const { got, server, waited } = await ask([{ status: 503, body: '' }, { body: [1] }])
    expect(got).toMatchObject({ ok: true, body: [1] })
    expect([server.seen.length, waited]).toEqual([2, [250]])
  })

  it('that stays in trouble is told after two tries', async () => {
    const { got, server } = await ask([{ status: 502 }])
    expect(got).toMatchObject({ ok: false, kind: 'failing', status: 502 })
    expect(server.seen).toHaveLength(2)
  })

  it.each([
    ['seconds', { 'retry-after': '2' }, 2000],
    ['a date', { 'retry-after': 'Tue, 10 Mar 2026 12:00:03 GMT' }, 3000],
    ['nothing', {}, 1000],
    ['nonsense', { 'retry-after': 'soon' }, 1000],
  ])('that answers 429 with %s is asked again when that is over', async (_, headers, milliseconds) => {
    const { got, waited } = await ask([{ status: 429, headers }, { body: 1 }])
    expect(got).toMatchObject({ ok: true, body: 1 })
    expect(waited).toEqual([milliseconds])
  })

  it('that asks for more time than there is is left alone, and until when is told', async () => {
    const { got, server } = await ask([{ status: 429, headers: { 'retry-after': '60' } }])
    expect(got).toMatchObject({ ok: false, kind: 'limited', until: NOW + 60_000 })
    expect(server.seen).toHaveLength(1)
  })

  it('that limits by headers of its own is understood where the question says how', async () => {
    const { got, waited } = await ask([{ status: 403, headers: { 'x-ratelimit-reset': '4' } }, { body: 1 }], {
      limitedUntil: ({ headers }, now) =>
        headers['x-ratelimit-reset'] === undefined
          ? undefined
          : now + Number(headers['x-ratelimit-reset']) * 1000,
    })
    expect([got.ok, waited]).toEqual([true, [4000]])
  })

  it('that asks again and again is asked three times', async () => {
    const { got, server } = await ask([{ status: 429, headers: { 'retry-after': '1' } }])
    expect(got).toMatchObject({ kind: 'limited' })
    expect(server.seen).toHaveLength(3)
  })

  it('that hangs ends at the deadline', async () => {
    const { got } = await hostile(() => {})
    expect(got).toMatchObject({ ok: false, kind: 'timed_out', why: 'Prometheus did not answer in time.' })
  })

  it('that drips ends at the deadline', async () => {
    const { got } = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{')
    })
    expect(got).toMatchObject({ ok: false, kind: 'timed_out' })
  })

  it('that ends in the middle of its answer is asked once more, then told', async () => {
    const { got, server } = await hostile((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"a":'))
    }, 5000)
    expect(got).toMatchObject({ ok: false, kind: 'unreachable' })
    expect(server.connections()).toBe(2)
  })

  it('that speaks no HTTP is told as unreachable', async () => {
    const { got } = await hostile((socket) => socket.end('hello\r\n\r\n'), 5000)
    expect(got).toMatchObject({ ok: false, kind: 'unreachable' })
  })

  it('that nobody listens for is told as unreachable', async () => {
    const server = await serveSocket(() => {})
    await server.close()
    const got = await askTool(deps(), reachOf(server.url), { path: '/' }, 2000, never)
    expect(got).toMatchObject({
      ok: false,
      kind: 'unreachable',
      why: 'Prometheus could not be reached (ECONNREFUSED).',
    })
  })

  it('that sends more than is read is cut, and that counts as no answer', async () => {
    const { got } = await ask([{ body: 'x'.repeat(5000) }], { maxBytes: 1000 })
    expect(got).toMatchObject({
      ok: false,
      kind: 'cut',
      why: 'The answer of Prometheus was longer than 1000 bytes.',
    })
  })

  it('that answers no JSON is told so', async () => {
    expect((await ask([{ body: '<html>' }])).got).toMatchObject({ ok: false, kind: 'malformed' })
  })
})

describe('our own side', () => {
  it('refuses private addresses, and says so', async () => {
    const got = await askTool(deps(strictRules()), reachOf('https://10.0.0.7'), { path: '/' }, 1000, never)
    expect(got).toEqual({ ok: false, kind: 'forbidden', why: '10.0.0.7 leads to a private address.' })
  })

  it('asks nothing when there is no time, or the caller gave up', async () => {
    const server = await serveTool(() => ({}))
    servers.push(server)
    const aborted = AbortSignal.abort()
    expect(await askTool(deps(), reachOf(server.url), { path: '/' }, 0, never)).toMatchObject({
      kind: 'timed_out',
    })
    expect(await askTool(deps(), reachOf(server.url), { path: '/' }, 9, aborted)).toMatchObject({
      kind: 'timed_out',
    })
    expect(server.seen).toHaveLength(0)
  })

  it('waits no longer than its caller', async () => {
    const server = await serveTool(() => ({ status: 429, headers: { 'retry-after': '30' } }))
    servers.push(server)
    const { request } = deps()
    const giveUp = new AbortController()
    const asking = askTool(
      { request: (asked) => request(asked).finally(() => giveUp.abort()), now: Date.now },
      reachOf(server.url),
      { path: '/' },
      60_000,
      giveUp.signal,
    )
    expect(await asking).toMatchObject({ kind: 'limited' })
  })

  it('keeps its secrets out of every answer, however the tool sends them back', async () => {
    const escaped = [...SECRET]
      .map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
    for (const status of [200, 400, 401, 500]) {
      for (const body of [
        { error: TOKEN, [TOKEN]: [{ deep: `Bearer ${TOKEN}` }] },
        { error: SECRET, list: [SECRET] },
        `{"error":"${escaped}"}`,
        `{"error":"c4n4ry-t0k3n\\/with\\"quotes"}`,
        TOKEN,
      ]) {
        const { got } = await ask([{ status, body }])
        const told = JSON.stringify(got)
        expect(told).not.toContain(TOKEN)
        expect(told).not.toContain(JSON.stringify(SECRET).slice(1, -1))
      }
    }
  })

  it('leaves an answer alone that holds none of its secrets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const body = JSON.stringify(value)
        const request = async () => ({ status: 200, headers: {}, body: Buffer.from(body), cut: false })
        const got = await askTool({ request, now: () => NOW }, reachOf('https://a'), { path: '/' }, 1, never)
        expect(got).toMatchObject({ ok: true })
        expect(JSON.stringify((got as { body: unknown }).body)).toBe(body)
      }),
    )
  })
})

describe('the settings of tools behind HTTP', () => {
  const TOOL = { tool: 'loki', title: 'Loki' }
  const access = (config: object) => httpAccess({ base_url: 'https://loki.example/', ...config }, TOOL)

  it('become an address without its last slash and the headers', () => {
    expect(access({ headers: { 'X-Scope-OrgID': 'team-a' } })).toEqual({
      ...TOOL,
      base_url: 'https://loki.example',
      headers: { 'x-scope-orgid': 'team-a' },
      secrets: ['team-a'],
      credential: 'config.headers',
    })
    expect(access({ bearer_token: 'abc' })).toMatchObject({
      headers: { authorization: 'Bearer abc' },
      secrets: ['abc'],
      credential: 'config.bearer_token',
    })
    expect(access({ username: 'ann', password: 'häuser' })).toMatchObject({
      headers: { authorization: `Basic ${Buffer.from('ann:häuser').toString('base64')}` },
      credential: 'config.password',
    })
    expect(access({ username: 'ann' }).headers.authorization).toBe('Basic YW5uOg==')
    expect(access({})).toMatchObject({ headers: {}, secrets: [], credential: 'config.bearer_token' })
  })

  it.each([
    ['config.base_url', { base_url: undefined }],
    ['config.base_url', { base_url: 'no address' }],
    ['config.username', { bearer_token: 'abc', username: 'ann' }],
    ['config.username', { password: 'abc' }],
    ['config.username', { username: 'a:b' }],
    ['config.bearer_token', { bearer_token: 'a b' }],
    ['config.headers', { headers: { Host: 'x' } }],
    ['config.headers', { headers: { 'a b': 'x' } }],
    ['config.headers', { headers: { 'x-a': 'ü' } }],
    ['config.headers', { headers: { 'x-a': 1 } }],
    ['config.headers', { headers: ['x-a'] }],
    ['config.headers', { headers: { Authorization: 'x' }, bearer_token: 'abc' }],
  ])('are refused on %s: %j', (field, config) => {
    expect(() => access(config)).toThrow(
      expect.objectContaining({ kind: 'invalid', details: expect.objectContaining({ field }) }),
    )
  })
})
