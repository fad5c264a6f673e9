import { randomBytes } from 'node:crypto'
import { ulid } from 'ulid'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CONSOLE_PATHS } from '#shared/contract/console.ts'
import { type KeyType, writeKey } from '#shared/domain/api-key.ts'
import { conflict, notFound } from '#shared/domain/errors.ts'
import type { Entrance, KeyGate } from '#shared/domain/ports.ts'
import { rateState } from '#shared/domain/rate-limit.ts'
import { catchAll, endpoint } from '#shared/edge/endpoint.ts'
import { send } from './call-endpoint.ts'

const NOW = Date.UTC(2026, 0, 31, 12, 0, 30)
const admin = writeKey('test', 'admin', randomBytes(128))
const assistant = writeKey('test', 'assistant', randomBytes(128))
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
const ID = `inc_${ulid(NOW)}`

/** A gate that lets in what it is told to and remembers what it was asked. */
class Gate implements KeyGate {
  readonly asked: string[] = []
  readonly accepted = new Set<string>()
  verdict: (key: string) => Promise<Entrance> | Entrance = (key) => ({
    outcome: 'admitted',
    caller: { id: 'key_1', type: (key.includes('_adm_') ? 'admin' : 'assistant') satisfies KeyType },
    rate: rateState(100, this.asked.length, NOW),
  })
  seen(key: string) {
    return this.accepted.has(key)
  }
  async admit(key: string) {
    this.asked.push(key)
    const admission = await this.verdict(key)
    if (admission.outcome === 'admitted') this.accepted.add(key)
    return admission
  }
}

let gate: Gate
const keeping = { gate: () => gate, clock: () => NOW }
beforeEach(() => {
  gate = new Gate()
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
})

const creating = endpoint('create-incident', keeping, () => async ({ body }) => ({
  body: { got: body },
  version: 1,
}))
const reading = endpoint('get-incident', keeping, () => async ({ id, caller }) => ({
  body: { id, caller },
  version: 7,
}))
const listing = endpoint('list-incidents', keeping, () => async ({ query }) => ({ body: query }))
const good = { title: 'Checkout fails', severity: 'high' }

describe('every response', () => {
  const cases = {
    200: () => send(reading, { id: ID, headers: bearer(admin) }),
    201: () => send(creating, { method: 'POST', body: good, headers: bearer(admin) }),
    400: () => send(creating, { method: 'POST', body: {}, headers: bearer(admin) }),
    401: () => send(reading, { id: ID }),
    403: () => send(reading, { id: ID, headers: bearer(assistant) }),
    404: () => send(reading, { id: 'inc_1', headers: bearer(admin) }),
    413: () => send(creating, { method: 'POST', body: 'x'.repeat(300_000), headers: bearer(admin) }),
    415: () =>
      send(creating, {
        method: 'POST',
        body: good,
        headers: { ...bearer(admin), 'Content-Type': 'text/plain' },
      }),
  }
  for (const [status, sent] of Object.entries(cases)) {
    it(`${status} carries rate, request id, no-store and nosniff, and JSON in the declared shape`, async () => {
      const got = await sent()
      expect(got.status).toBe(Number(status))
      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        expect(got.headers[name]).toMatch(/^\d+$/)
      }
      expect(got.headers['X-RateLimit-Reset']).toBe(String(Date.UTC(2026, 0, 31, 12, 1) / 1_000))
      expect(got.headers['X-Request-Id']).toMatch(/^request-\d+$/)
      expect(got.headers['Cache-Control']).toBe('no-store')
      expect(got.headers['X-Content-Type-Options']).toBe('nosniff')
      expect(got.headers['Content-Type']).toBe('application/json; charset=utf-8')
      if (Number(status) >= 400) {
        expect(got.body).toEqual({
          error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) },
        })
      }
    })
  }
})

describe('a refusal', () => {
  it('of a caller who may not says who may', async () => {
    const got = await send(reading, { id: ID, headers: bearer(assistant) })
    expect(got.body.error.message).toBe(
      'Only an Admin key, a signed-in user of the group admin or a signed-in user of the group viewer may call this operation.',
    )
  })

  it('of a body that is too large says how large it may be', async () => {
    const got = await send(creating, { method: 'POST', body: 'x'.repeat(262_145), headers: bearer(admin) })
    expect(got.body.error).toMatchObject({
      message: 'The body may have at most 256 KB (262144 bytes).',
      details: { field: 'body', reason: 'must have at most 262144 bytes' },
    })
  })
})

describe('the request id', () => {
  it('is the one the client gave when it is well formed', async () => {
    const got = await send(reading, {
      id: ID,
      headers: { ...bearer(admin), 'x-request-id': 'my_request-42' },
    })
    expect(got.headers['X-Request-Id']).toBe('my_request-42')
  })

  it.each(['short', 'x'.repeat(65), 'with space 1', 'line\nbreak-1', 'ümlaut-12345'])(
    'is our own when the client gave %j',
    async (given) => {
      const got = await send(reading, { id: ID, headers: { ...bearer(admin), 'X-Request-Id': given } })
      expect(got.headers['X-Request-Id']).toMatch(/^request-/)
    },
  )
})

describe('the order of checks', () => {
  const large = 'x'.repeat(300_000)
  it('size comes before the key', async () => {
    expect((await send(creating, { method: 'POST', body: large })).status).toBe(413)
    expect(gate.asked).toHaveLength(0)
  })

  it('the key comes before permission and input', async () => {
    expect((await send(creating, { method: 'POST', body: '{' })).status).toBe(401)
  })

  it('the rate comes before permission and input', async () => {
    gate.verdict = () => ({ outcome: 'limited', rate: rateState(100, 101, NOW) })
    const got = await send(creating, { method: 'POST', body: '{', headers: bearer(assistant) })
    expect(got.status).toBe(429)
    expect(got.headers['Retry-After']).toBe('30')
    expect(got.body.error.code).toBe('RATE_LIMIT_EXCEEDED')
    expect(got.headers['X-RateLimit-Remaining']).toBe('0')
  })

  it('permission comes before media type and input', async () => {
    const got = await send(creating, {
      method: 'POST',
      body: '{',
      headers: { ...bearer(assistant), 'Content-Type': 'text/plain' },
    })
    expect(got.status).toBe(403)
  })

  it('the media type comes before the input', async () => {
    const got = await send(creating, {
      method: 'POST',
      body: '{',
      headers: { ...bearer(admin), 'Content-Type': 'text/plain' },
    })
    expect(got.status).toBe(415)
    expect((await send(creating, { method: 'POST', headers: bearer(admin) })).status).toBe(415)
  })

  it.each(['gzip', 'br', 'identity, gzip'])(
    'a body that is compressed (%s) is told so, not what it reads as',
    async (coding) => {
      const got = await send(creating, {
        method: 'POST',
        body: Uint8Array.of(0x1f, 0x8b, 8, 0),
        headers: { ...bearer(admin), 'Content-Type': 'application/json', 'Content-Encoding': coding },
      })
      expect([got.status, got.body.error.code]).toEqual([415, 'INVALID_REQUEST'])
      expect(got.body.error.details.field).toBe('Content-Encoding')
    },
  )

  it('a body that says that it is not compressed is read', async () => {
    const headers = { ...bearer(admin), 'Content-Type': 'application/json', 'Content-Encoding': 'identity' }
    const got = await send(creating, { method: 'POST', body: '{', headers })
    expect([got.status, got.body.error.details.field]).toEqual([400, 'body'])
  })

  it('the input comes before existence', async () => {
    const got = await send(reading, { id: 'nonsense', query: { stauts: 'open' }, headers: bearer(admin) })
    expect(got.status).toBe(400)
    expect(got.body.error.details.field).toBe('stauts')
  })
})

describe('401', () => {
  it.each([
    ['no header', {}],
    ['another scheme', { Authorization: `Basic ${admin}` }],
    ['an empty key', { Authorization: 'Bearer ' }],
    ['two headers', { Authorization: [`Bearer ${admin}`, `Bearer ${admin}`] }],
    ['a wrong checksum', bearer(`${admin.slice(0, -1)}${admin.endsWith('0') ? '1' : '0'}`)],
    ['something else behind the key', { Authorization: `Bearer ${admin} x` }],
  ])('answers %s, names Bearer, and asks nobody', async (_name, headers) => {
    const got = await send(reading, { id: ID, headers })
    expect(got.status).toBe(401)
    expect(got.body.error.code).toBe('UNAUTHORIZED')
    expect(got.headers['WWW-Authenticate']).toBe('Bearer')
    expect(gate.asked).toHaveLength(0)
  })

  it('answers a key that the gate does not know', async () => {
    gate.verdict = () => ({ outcome: 'unknown' })
    expect((await send(reading, { id: ID, headers: bearer(admin) })).status).toBe(401)
    expect(gate.asked).toEqual([admin])
  })

  it('takes the scheme in any case', async () => {
    expect((await send(reading, { id: ID, headers: { authorization: `bearer ${admin}` } })).status).toBe(200)
  })
})

describe('callers without a valid key', () => {
  it('share 100 a minute per source address, and then cost the gate nothing', async () => {
    gate.verdict = () => ({ outcome: 'unknown' })
    const from = { id: ID, sourceIp: '203.0.113.7' }
    const remaining: string[] = []
    for (let count = 0; count < 100; count += 1) {
      const got = await send(reading, from)
      expect(got.status).toBe(401)
      remaining.push(got.headers['X-RateLimit-Remaining'] ?? '')
    }
    expect(new Set(remaining).size).toBe(100)
    expect((await send(reading, from)).status).toBe(429)
    expect((await send(reading, { ...from, headers: bearer(admin) })).status).toBe(429)
    expect(gate.asked).toHaveLength(0)
  })

  it('do not lock out a key that this process has seen accepted', async () => {
    const from = { id: ID, sourceIp: '203.0.113.8' }
    expect((await send(reading, { ...from, headers: bearer(admin) })).status).toBe(200)
    for (let count = 0; count < 101; count += 1) await send(reading, from)
    expect((await send(reading, from)).status).toBe(429)
    expect((await send(reading, { ...from, headers: bearer(admin) })).status).toBe(200)
  })

  it('are counted on operations that need no key, too', async () => {
    const health = endpoint('get-health', keeping, () => async () => ({ body: { status: 'ok' } }))
    const from = { sourceIp: '203.0.113.9' }
    for (let count = 0; count < 100; count += 1) expect((await send(health, from)).status).toBe(200)
    expect((await send(health, from)).status).toBe(429)
  })
})

describe('400', () => {
  const refused = async (body: unknown) => {
    const got = await send(creating, { method: 'POST', body, headers: bearer(admin) })
    expect(got.status).toBe(400)
    expect(got.body.error.code).toBe('INVALID_REQUEST')
    return got.body.error.details as { field: string; reason: string; errors: unknown[] }
  }

  it.each([
    ['a missing field', { severity: 'high' }, 'title', 'is required'],
    ['a wrong type', { ...good, title: 7 }, 'title', 'must be a string'],
    [
      'a value that is none of the allowed',
      { ...good, severity: 'worst' },
      'severity',
      'must be one of: low, medium, high, critical',
    ],
    ['an unknown field', { ...good, servcie: 'a' }, 'servcie', 'not a known field: did you mean service?'],
    ['a field that only the service sets', { ...good, id: ID }, 'id', 'Known: title, severity, service,'],
    ['an impossible date', { ...good, started_at: '2026-02-30T00:00:00Z' }, 'started_at', 'ISO 8601'],
    ['a blank text', { ...good, title: ' ' }, 'title', 'must not be empty'],
    ['a text that nobody sees', { ...good, title: '\u200b\u00ad\ufeff\u2060' }, 'title', 'must not be empty'],
    ['text that is too long', { ...good, title: '😀'.repeat(201) }, 'title', 'at most 200'],
    ['control characters', { ...good, title: 'a\u202eb' }, 'title', 'control characters'],
    ['an array', [], 'body', 'must be an object'],
    ['null', null, 'body', 'must be an object'],
  ])('names the field of %s', async (_name, body, field, reason) => {
    const details = await refused(body)
    expect(details.field).toBe(field)
    expect(details.reason).toContain(reason)
    expect(details.errors).toContainEqual({ field, reason: details.reason })
  })

  it('tells every failure, the first of them on top', async () => {
    const details = await refused({ severity: 'worst', more: 1 })
    expect(details.errors.length).toBeGreaterThanOrEqual(3)
  })

  it('counts length in code points', async () => {
    const got = await send(creating, {
      method: 'POST',
      body: { ...good, title: '😀'.repeat(200) },
      headers: bearer(admin),
    })
    expect(got.status).toBe(201)
  })

  it.each([
    ['broken JSON', '{"title":', 'body'],
    ['an empty body', '', 'body'],
    ['bad UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'body'],
    ['depth 33', '['.repeat(33) + ']'.repeat(33), 'body'],
    ['a hostile name', '{"title":"a","severity":"low","__proto__":{"x":1}}', '__proto__'],
    ['a hostile name deep inside', '{"title":{"a":[{"constructor":1}]}}', 'title.a[0].constructor'],
    ['NUL', '{"title":"a\\u0000b","severity":"low"}', 'title'],
    ['a lone surrogate', '{"title":"a\\ud800b","severity":"low"}', 'title'],
    ['a lone surrogate in a name', '{"a\\ud800b":1}', 'body'],
    ['an infinity', '{"title":1e999}', 'title'],
    ['a name twice', '{"title":"a","severity":"low","\\u0074itle":"b"}', 'title'],
    ['a name twice, deep inside', '{"title":{"a":[{"b":1,"b":1}]}}', 'title.a[0].b'],
  ])('refuses %s', async (_name, body, field) => {
    expect((await refused(body)).field).toBe(field)
  })

  it.each([
    ['NUL', '{"title":"a\\u0000b","severity":"low"}', 'must not hold the NUL character'],
    ['NUL where nobody else looks', '{"more":["a\\u0000b"]}', 'must not hold the NUL character'],
    ['a lone surrogate', '{"title":"a\\ud800b","severity":"low"}', 'must be well-formed Unicode'],
    ['an infinity', '{"more":1e999}', 'must be a finite number'],
    [
      'bad UTF-8 inside of a text',
      Buffer.from('{"title":"\xff","severity":"low"}', 'latin1'),
      'must be UTF-8',
    ],
    ['depth 33', '['.repeat(33) + ']'.repeat(33), 'must nest at most 32 levels'],
    ['a name twice', '{"title":"a","severity":"low","title":"b"}', 'must be given once'],
  ])('says of %s what it is', async (_name, body, reason) => {
    expect((await refused(body)).reason).toBe(reason)
  })

  it('counts as depth what nests, not what stands in a text or beside it', async () => {
    const title = `${'['.repeat(60)}\\"${'{'.repeat(60)}`
    const got = await send(creating, {
      method: 'POST',
      body: `{"title":"${title}","severity":"low","description":"${']['.repeat(40)}"}`,
      headers: bearer(admin),
    })
    expect(got.status).toBe(201)
    expect((await refused(`{"title":"]]]]]]","more":${'['.repeat(32)}${']'.repeat(32)}}`)).reason).toContain(
      '32 levels',
    )
  })

  it('never repeats what was sent when it is no JSON', async () => {
    const details = await refused('{"secret":"canary-5c1d"')
    expect(JSON.stringify(details)).not.toContain('canary')
  })

  it('refuses repeated and unknown query parameters by name', async () => {
    const repeated = await send(listing, { query: { status: ['open', 'resolved'] }, headers: bearer(admin) })
    expect(repeated.body.error.details).toMatchObject({ field: 'status', reason: 'must be given once' })
    const unknown = await send(listing, { query: { stauts: 'open' }, headers: bearer(admin) })
    expect(unknown.body.error.details).toMatchObject({
      field: 'stauts',
      reason: expect.stringContaining('is not a known parameter: did you mean status?'),
    })
    const nul = await send(listing, { query: { status: 'o\0' }, headers: bearer(admin) })
    expect(nul.body.error.details.field).toBe('status')
  })

  it.each(['0', '101', '1.5', '-1', 'ten', '01', ''])('refuses limit %j', async (limit) => {
    const got = await send(listing, { query: { limit }, headers: bearer(admin) })
    expect(got.body.error.details.field).toBe('limit')
  })

  it('refuses a body on an operation that takes none, but not an empty one', async () => {
    const asking = endpoint('request-investigation', keeping, () => async () => ({ body: {} }))
    const sent = { method: 'POST', id: ID, headers: bearer(admin) }
    expect((await send(asking, sent)).status).toBe(202)
    expect((await send(asking, { ...sent, body: {} })).status).toBe(202)
    expect((await send(asking, { ...sent, body: { now: true } })).body.error.details.field).toBe('now')
  })
})

describe('304', () => {
  const ask = (tags: string | string[] | undefined, handler = reading) =>
    send(handler, {
      id: ID,
      headers: { ...bearer(admin), ...(tags === undefined ? {} : { 'If-None-Match': tags }) },
    })

  it.each(['"7"', 'W/"7"', '*', '"6", "7"', ['"6"', '"7"'], ' W/"1" ,"7"'])(
    'answers nothing but headers, the ETag among them, to one that holds %j',
    async (tags) => {
      const got = await ask(tags)
      expect(got.status).toBe(304)
      expect(got.body).toBeNull()
      expect(got.headers).toMatchObject({ ETag: '"7"', 'Cache-Control': 'no-store' })
      expect(got.headers['X-RateLimit-Limit']).toBe('100')
      expect(got.headers).not.toHaveProperty('Content-Type')
    },
  )

  it.each([undefined, '"6"', '"77"', '"07"', '"7 "', '"v7"', '""'])(
    'is not for one that holds %j',
    async (tags) => {
      if (tags === '"7 "') expect((await ask(tags)).status).toBe(400)
      else expect(await ask(tags)).toMatchObject({ status: 200, headers: { ETag: '"7"' } })
    },
  )

  it.each(['7', '"7', '7"', '', ',', '"7" "6"', '*, "7"', "'7'", '"7"; q=1'])(
    'is not guessed from %j, which is refused by its name',
    async (tags) => {
      const got = await ask(tags)
      expect(got.status).toBe(400)
      expect(got.body.error.details.field).toBe('If-None-Match')
    },
  )

  it('compares with at most 20 tags', async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, index) => `"${index + 1}"`).join()
    expect((await ask(tags(20))).status).toBe(304)
    expect((await ask(tags(21))).body.error.details.field).toBe('If-None-Match')
  })

  it('comes from lists, writes and refusals never', async () => {
    expect((await ask('*', listing)).status).toBe(200)
    const created = await send(creating, {
      method: 'POST',
      body: good,
      headers: { ...bearer(admin), 'If-None-Match': '*' },
    })
    expect([created.status, created.headers.ETag]).toEqual([201, '"1"'])
    const absent = endpoint('get-incident', keeping, () => async () => {
      throw notFound('This')
    })
    const got = await ask('*', absent)
    expect(got.status).toBe(404)
    expect(got.headers).not.toHaveProperty('ETag')
  })

  it('comes also from a read that began beside the admission', async () => {
    gate.accepted.add(admin)
    expect((await ask('"7"')).status).toBe(304)
  })
})

describe('404', () => {
  it.each(['', 'inc_', 'wh_01KGA0000000000000000000AA', 'inc_1', "inc_' OR 1=1", '../../etc/passwd'])(
    'answers the id %j without a read',
    async (id) => {
      const read = vi.fn(async () => ({ body: {}, version: 1 }))
      const got = await send(
        endpoint('get-incident', keeping, () => read),
        { id, headers: bearer(admin) },
      )
      expect(got.status).toBe(404)
      expect(got.body.error.code).toBe('NOT_FOUND')
      expect(read).not.toHaveBeenCalled()
    },
  )
})

describe('500', () => {
  it('shows a request id and nothing else', async () => {
    const failing = endpoint('get-incident', keeping, () => async () => {
      throw new Error('table iis-Incidents canary-91ab is gone')
    })
    const got = await send(failing, { id: ID, headers: bearer(admin) })
    expect(got.status).toBe(500)
    expect(got.body.error.code).toBe('INTERNAL_ERROR')
    expect(got.body.error.details).toEqual({ request_id: got.headers['X-Request-Id'] })
    expect(JSON.stringify(got)).not.toContain('canary')
    expect(JSON.stringify(vi.mocked(process.stdout.write).mock.calls)).not.toContain('canary')
  })

  it('is the answer when the operation does not come to an end before the function must', async () => {
    const hanging = endpoint('get-incident', keeping, () => () => new Promise(() => undefined))
    const got = await send(hanging, { id: ID, headers: bearer(admin), remaining: 320 })
    expect(got.status).toBe(500)
  })

  it('a refusal of the domain keeps its own status', async () => {
    const busy = endpoint('update-incident', keeping, () => async () => {
      throw conflict('Others are changing it.', { field: 'status', reason: 'x' })
    })
    const got = await send(busy, {
      method: 'PATCH',
      id: ID,
      body: { status: 'open' },
      headers: bearer(admin),
    })
    expect(got.status).toBe(409)
    expect(got.body.error).toEqual({
      code: 'INVALID_REQUEST',
      message: 'Others are changing it.',
      details: { field: 'status', reason: 'x' },
    })
  })
})

describe('a read that begins beside the admission', () => {
  /** An admission that is decided when the test says so. */
  const decideLater = () => {
    let decide: (admission: Entrance) => void = () => undefined
    const decided = new Promise<Entrance>((resolve) => {
      decide = resolve
    })
    gate.verdict = () => decided
    return decide
  }
  const lettingIn: Entrance = {
    outcome: 'admitted',
    caller: { id: 'key_1', type: 'admin' },
    rate: rateState(100, 1, NOW),
  }

  it('does so only once the key was seen accepted', async () => {
    const read = vi.fn(async () => ({ body: {}, version: 1 }))
    const handler = endpoint('get-incident', keeping, () => read)
    const decide = decideLater()
    const first = send(handler, { id: ID, headers: bearer(admin) })
    await new Promise(setImmediate)
    expect(read).not.toHaveBeenCalled()
    decide(lettingIn)
    expect((await first).status).toBe(200)
    const decideSecond = decideLater()
    const second = send(handler, { id: ID, headers: bearer(admin) })
    await new Promise(setImmediate)
    expect(read).toHaveBeenCalledTimes(2)
    decideSecond(lettingIn)
    expect((await second).status).toBe(200)
    expect(read).toHaveBeenCalledTimes(2)
  })

  it('is refused at once when the key is, whatever the read does', async () => {
    gate.accepted.add(admin)
    gate.verdict = () => ({ outcome: 'unknown' })
    const hanging = endpoint('get-incident', keeping, () => () => new Promise(() => undefined))
    expect((await send(hanging, { id: ID, headers: bearer(admin) })).status).toBe(401)
    const failing = endpoint('get-incident', keeping, () => async () => {
      throw new Error('never told')
    })
    expect((await send(failing, { id: ID, headers: bearer(admin) })).status).toBe(401)
  })

  it('does not begin when the text of the key permits nothing or the input is wrong', async () => {
    const read = vi.fn(async () => ({ body: {}, version: 1 }))
    const handler = endpoint('get-incident', keeping, () => read)
    gate.accepted.add(assistant)
    gate.accepted.add(admin)
    gate.verdict = () => ({ outcome: 'unknown' })
    await send(handler, { id: ID, headers: bearer(assistant) })
    await send(handler, { id: 'inc_1', headers: bearer(admin) })
    await send(handler, { id: ID, query: { x: '1' }, headers: bearer(admin) })
    expect(read).not.toHaveBeenCalled()
  })

  it('gives no write a head start', async () => {
    gate.accepted.add(admin)
    gate.verdict = () => ({ outcome: 'unknown' })
    const write = vi.fn(async () => ({ body: {}, version: 1 }))
    await send(
      endpoint('create-incident', keeping, () => write),
      { method: 'POST', body: good, headers: bearer(admin) },
    )
    expect(write).not.toHaveBeenCalled()
  })
})

describe('a route that no operation has', () => {
  const refusing = catchAll(keeping)

  it('is 401 without a key and 404 with one, whichever it is', async () => {
    const unknown = { resource: '/{proxy+}', path: '/nothing/here', query: { a: ['1', '2'] } }
    expect((await send(refusing, unknown)).status).toBe(401)
    expect((await send(refusing, { ...unknown, headers: bearer(admin) })).status).toBe(404)
    expect((await send(refusing, { ...unknown, headers: bearer(assistant) })).status).toBe(404)
  })

  it('is 405 with what is allowed where the path exists', async () => {
    const got = await send(refusing, {
      method: 'PUT',
      resource: '/incidents',
      path: '/incidents',
      headers: bearer(admin),
    })
    expect(got.status).toBe(405)
    expect(got.headers.Allow).toBe('GET, POST')
    expect(got.body.error.code).toBe('INVALID_REQUEST')
  })

  it.each(CONSOLE_PATHS)('is 405 where the console is, which is only read: %s', async (resource) => {
    const posted = { method: 'POST', resource, path: '/console/settings/keys' }
    for (const headers of [{}, bearer(admin)]) {
      const got = await send(refusing, { ...posted, headers })
      expect(got.status).toBe(405)
      expect(got.headers.Allow).toBe('GET')
    }
  })

  it('is 405 without a key where no operation of the path asks for one, and 401 where any does', async () => {
    const watched = (path: string) => send(refusing, { method: 'HEAD', resource: path, path })
    for (const path of ['/health', '/openapi.json']) {
      const got = await watched(path)
      expect(got.status).toBe(405)
      expect(got.headers.Allow).toBe('GET')
      expect(got.headers['X-RateLimit-Limit']).toBe('100')
    }
    for (const path of ['/incidents', '/keys/{id}']) expect((await watched(path)).status).toBe(401)
  })

  it('is 429 without a key too, for an address that asks again and again', async () => {
    const sourceIp = '203.0.113.77'
    const head = { method: 'HEAD', resource: '/health', path: '/health', sourceIp }
    for (let count = 0; count < 100; count++) await send(refusing, head)
    expect((await send(refusing, head)).status).toBe(429)
  })
})

describe('what an operation is told', () => {
  it('is the instant by which its answer must stand, a second before the end of its function', async () => {
    const deadlines: number[] = []
    const asking = endpoint('get-incident', keeping, () => async ({ deadline }) => {
      deadlines.push(deadline)
      return { body: {}, version: 1 }
    })
    for (const remaining of [10_000, 900]) await send(asking, { id: ID, headers: bearer(admin), remaining })
    expect(deadlines).toEqual([NOW + 9_000, NOW])
  })
})

describe('callers without a valid key', () => {
  it('have their allowance anew in the next minute', async () => {
    let now = NOW + 3_600_000
    const asking = endpoint('get-incident', { gate: () => gate, clock: () => now }, () => async () => ({
      body: {},
      version: 1,
    }))
    const status = async () => (await send(asking, { id: ID, sourceIp: '203.0.113.77' })).status
    for (let asked = 0; asked < 100; asked += 1) expect(await status()).toBe(401)
    expect(await status()).toBe(429)
    now += 60_000
    expect(await status()).toBe(401)
  })
})
