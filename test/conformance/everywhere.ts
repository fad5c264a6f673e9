import { expect } from 'vitest'
import { CATCH_ALL, operationList } from '#shared/contract/operations.ts'
import { type Answered, type ErrorAnswer, pathOf, type Sent } from './client.ts'
import { githubSettings, lazily, receiver, resourcesOf, SECRET, type Suite, unusedId } from './resources.ts'
import { also, states } from './states.ts'

const COUNT = { query: 'How many critical incidents are open?' }
const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}'
/** Timestamps that no reader may take, each for another reason. */
const NO_INSTANTS = [
  '2026-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-01-31T12:00:61Z',
  '2026-01-31T12:00:00',
  '2026-01-31T12:00:00+00:00',
  '2026-01-31T12:00:00+02:00',
  '2026-01-31T12:00:00-00:00',
  '2026-01-31',
  '2026-01',
  '2026-01-31 12:00:00Z',
  '2026-1-31T12:00:00Z',
  '2026-01-31T12:00:00Zulu',
  ' 2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00Z\n',
  '２０２６-01-31T12:00:00Z',
  '1769860800',
  'yesterday',
  '',
] as const
/** What `Date.parse` takes and a timestamp is not. */
const DATE_PARSE_TAKES = [
  'Sat, 31 Jan 2026 12:00:00 GMT',
  'January 31, 2026',
  '2026/01/31 12:00:00Z',
  '2026-01-31T12:00:00+02:00',
  '2026-01-31',
  '2026',
  '1',
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const KB = 1_024
const DAY_MS = 86_400_000

/** A question as JSON text of exactly so many bytes, padded with spaces. */
const padded = (bytes: number): string => {
  const text = JSON.stringify(COUNT)
  return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`
}

/** A question whose context holds arrays nested so that the body as a whole has so many levels. */
const nested = (levels: number): string =>
  `{"query":"why","context":{"deep":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`

/** What the API contract says under "Everywhere", but for order, lists and rates, which have groups of their own. */
export function everywhere(suite: Suite): void {
  const { client, service } = suite
  const make = resourcesOf(suite)
  const post = (path: string, body: unknown): Sent => ({ method: 'POST', path, body })
  const raw = (text: string | Uint8Array, path = '/query'): Sent => ({ method: 'POST', path, raw: text })
  const question = (context: unknown) => post('/query', { ...COUNT, context })

  // Base address and bodies
  states('api-stage-v1', async () => {
    expect(new URL(service().baseUrl).pathname).toBe('/v1')
    expect((await client.send({ method: 'GET', path: '/health', key: null })).status).toBe(200)
  })
  states('api-content-type', async () => {
    const { answered } = await client.call('list-incidents')
    expect(answered.headers['content-type']).toBe('application/json; charset=utf-8')
    const refused = await client.refusal({ method: 'GET', path: '/incidents/x' }, 404)
    expect(refused.answered.headers['content-type']).toBe('application/json; charset=utf-8')
  })
  states('api-415', async () => {
    const body = JSON.stringify(COUNT)
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json', '']
    for (const type of types) {
      const sent = { ...raw(body), headers: ['content-type', type] }
      expect((await client.refusal(sent, 415)).code).toBe('INVALID_REQUEST')
    }
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;charset=UTF-8',
    ])
      expect((await client.send({ ...raw(body), headers: ['content-type', type] })).status).toBe(200)
    const unnamed = { method: 'POST', path: '/query', headers: ['content-type', 'application/octet-stream'] }
    await client.refusal({ ...unnamed, raw: body }, 415)
  })

  // Ids
  states('api-id-query', async () => {
    const { body } = await client.call('answer-query', { body: COUNT })
    expect(body.id).toMatch(new RegExp(`^query_${ULID}$`))
  })
  states('api-id-incident', async () => {
    expect((await make.incident()).id).toMatch(new RegExp(`^inc_${ULID}$`))
  })
  states('api-id-integration', async () => {
    expect((await make.github()).integration.id).toMatch(new RegExp(`^github_${ULID}$`))
  })
  states('api-id-webhook', async () => {
    expect((await make.webhook()).webhook.id).toMatch(new RegExp(`^wh_${ULID}$`))
  })
  states('api-id-wrong-form', async () => {
    const { id } = await make.incident()
    const ulid = id.slice('inc_'.length)
    const forms = [
      'x',
      ulid,
      `wh_${ulid}`,
      `INC_${ulid}`,
      `inc_${ulid.toLowerCase()}`,
      `inc_${ulid.slice(1)}`,
      `${id}0`,
      `inc_8${ulid.slice(1)}`,
      `inc_U${ulid.slice(1)}`,
      `inc-${ulid}`,
      `${id}%20`,
      `${id}%00`,
      '%F0%9F%94%A5',
      `inc_${'0'.repeat(2_000)}`,
    ]
    for (const form of forms) await client.refusal({ method: 'GET', path: `/incidents/${form}` }, 404)
    for (const { id: operation, method, path, people, idPrefixes, body: shape } of operationList) {
      // Where a body is needed it is looked at first; where no key may, nothing is.
      if (idPrefixes === undefined || shape !== undefined || people === true) continue
      const sent = {
        method,
        path: path.replace('{id}', `inc-${ulid}`).replace('{delivery_id}', unusedId('dlv')),
      }
      expect((await client.refusal(sent, 404)).code, operation).toBe('NOT_FOUND')
    }
  })
  also('an id of another kind of resource is NOT_FOUND', async () => {
    const { id } = await make.incident()
    const { webhook } = await make.webhook()
    for (const path of [`/webhooks/${id}`, `/integrations/${id}`, `/query/${id}`, `/incidents/${webhook.id}`])
      await client.refusal({ method: 'GET', path }, 404)
    const foreign = webhook.id.replace('wh_', 'inc_')
    await client.refusal({ method: 'GET', path: `/incidents/${foreign}` }, 404)
  })

  // Time
  states('api-time-out', async () => {
    const { id } = await make.incident({ started_at: '2026-01-31T12:00:00Z' })
    await make.moved(id, 'resolved')
    const { body } = await client.call('get-incident', { id })
    const { webhook } = await make.webhook()
    const { integration } = await make.github()
    const answer = (await client.call('answer-query', { body: COUNT })).body
    const shown = [
      body.created_at,
      body.updated_at,
      body.resolved_at,
      body.started_at,
      ...body.timeline.map(({ at }) => at),
      webhook.created_at,
      webhook.updated_at,
      integration.created_at,
      integration.updated_at,
      answer.timestamp,
    ]
    for (const at of shown) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body.started_at).toBe('2026-01-31T12:00:00.000Z')
  })
  states('api-time-in', async () => {
    const taken = {
      '2026-01-31T12:00:00Z': '.000Z',
      '2024-02-29T23:59:59.5Z': '.500Z',
      '2026-01-31T12:00:00.123Z': '.123Z',
    }
    for (const [started_at, end] of Object.entries(taken)) {
      const incident = await make.incident({ started_at })
      expect(incident.started_at).toBe(started_at.slice(0, 19) + end)
    }
  })
  states('api-time-calendar', async () => {
    const wrong = '2026-02-30T00:00:00Z'
    const { start, end } = { start: 'context.time_range.start', end: 'context.time_range.end' }
    await client.invalid(question({ time_range: { start: wrong } }), start)
    await client.invalid(question({ time_range: { end: wrong } }), end)
    const incident = { title: 'x', severity: 'low', started_at: wrong }
    await client.invalid(post('/incidents', incident), 'started_at')
    for (const name of ['start_time', 'end_time'])
      await client.invalid({ method: 'GET', path: `/incidents?${name}=${wrong}` }, name)
  })
  states('api-time-else', async () => {
    for (const at of NO_INSTANTS) {
      const given = `started_at ${JSON.stringify(at)}`
      const incident = { title: given, severity: 'low', started_at: at }
      await client.invalid(post('/incidents', incident), 'started_at')
      const path = pathOf('list-incidents', { query: { start_time: at } })
      await client.invalid({ method: 'GET', path }, 'start_time')
    }
    for (const at of [null, 1_769_860_800, true, ['2026-01-31T12:00:00Z']])
      await client.invalid(post('/incidents', { title: 'x', severity: 'low', started_at: at }), 'started_at')
  })
  states('api-time-not-date-parse', async () => {
    for (const at of DATE_PARSE_TAKES) {
      expect(Number.isNaN(Date.parse(at)), at).toBe(false)
      await client.invalid(question({ time_range: { end: at } }), 'context.time_range.end')
    }
  })

  // Errors
  const everyRefusal = lazily(async (): Promise<ErrorAnswer[]> => {
    const { id } = await make.incident()
    await make.moved(id, 'resolved')
    const path = `/incidents/${id}`
    return [
      await client.refusal(post('/query', {}), 400),
      await client.refusal({ method: 'GET', path, key: null }, 401),
      await client.refusal({ method: 'GET', path, key: service().keys.assistant }, 403),
      await client.refusal({ method: 'GET', path: '/no-such-path' }, 404),
      await client.refusal({ method: 'GET', path: `/incidents/${unusedId('inc')}` }, 404),
      await client.refusal({ method: 'PUT', path, body: {} }, 405),
      await client.refusal({ method: 'PATCH', path, body: { status: 'open' } }, 409),
      await client.refusal(raw(padded(257 * KB)), 413),
      await client.refusal({ ...raw('{}'), headers: ['content-type', 'text/plain'] }, 415),
    ]
  })
  states('api-six-codes', async () => {
    const seen = new Set((await everyRefusal()).map(({ code }) => code))
    expect([...seen].sort()).toEqual(['FORBIDDEN', 'INVALID_REQUEST', 'NOT_FOUND', 'UNAUTHORIZED'])
  })
  states('api-status-400', async () => {
    expect((await client.refusal(post('/incidents', { title: 7 }), 400)).code).toBe('INVALID_REQUEST')
  })
  states('api-status-405', async () => {
    const paths = Map.groupBy(
      operationList.filter(({ id }) => id !== (CATCH_ALL as string)),
      ({ path }) => path,
    )
    for (const [path, rows] of paths) {
      const allowed = rows.map(({ method }) => method as string)
      const shown = path
        .replace('{id}', unusedId(rows[0]?.idPrefixes?.[0] ?? 'x'))
        .replace('{delivery_id}', unusedId('dlv'))
      for (const method of METHODS.filter((name) => !allowed.includes(name))) {
        const { code, answered } = await client.refusal({ method, path: shown }, 405)
        expect(code).toBe('INVALID_REQUEST')
        expect(answered.headers.allow?.split(', ').sort(), `${method} ${path}`).toEqual(allowed.sort())
      }
    }
    // Whoever needs no key to read needs none to be told that a path is only read.
    for (const path of ['/health', '/openapi.json']) {
      const { answered } = await client.refusal({ method: 'PUT', path, body: {}, key: null }, 405)
      expect(answered.headers.allow, path).toBe('GET')
    }
  })
  states('api-status-409', async () => {
    const { id } = await make.incident()
    await make.moved(id, 'investigating')
    const sent = { method: 'PATCH', path: `/incidents/${id}`, body: { status: 'open' } }
    expect((await client.refusal(sent, 409)).code).toBe('INVALID_REQUEST')
  })
  states('api-status-413', async () => {
    expect((await client.refusal(raw(padded(256 * KB + 1)), 413)).code).toBe('INVALID_REQUEST')
  })
  states('api-status-415', async () => {
    const sent = { ...raw('{}', '/webhooks'), headers: ['content-type', 'application/xml'] }
    expect((await client.refusal(sent, 415)).code).toBe('INVALID_REQUEST')
  })
  states('api-status-401', async () => {
    const { answered } = await client.refusal({ method: 'GET', path: '/webhooks', key: null }, 401)
    const { headers } = answered
    expect(headers['www-authenticate'] ?? headers['x-amzn-remapped-www-authenticate']).toBe('Bearer')
  })
  states('api-status-403', async () => {
    const sent = { method: 'GET', path: '/webhooks', key: service().keys.assistant }
    expect((await client.refusal(sent, 403)).code).toBe('FORBIDDEN')
  })
  states('api-status-404', async () => {
    for (const path of ['/', '/no-such-path', '/incident', '/incidents/x/y', '/query/x/verify/z', '/keys2'])
      expect((await client.refusal({ method: 'GET', path }, 404)).code).toBe('NOT_FOUND')
  })
  states('api-details-object', async () => {
    for (const { details, code } of await everyRefusal()) {
      expect(details, code).toBeTypeOf('object')
      expect(Array.isArray(details) || details === null, code).toBe(false)
    }
  })
  states('api-details-field', async () => {
    const time_range = { start: '2026-02-30T00:00:00Z' }
    const error = await client.invalid(question({ time_range }), 'context.time_range.start')
    expect(error.details.reason).toMatch(/\S/)
    const events = ['incident.created', 'incident.exploded']
    await client.invalid(post('/webhooks', { url: receiver(), events, secret: SECRET }), 'events[1]')
  })
  states('api-details-errors', async () => {
    const { details } = await client.refusal(post('/incidents', { severity: 'none', titel: 'x' }), 400)
    const errors = details.errors as { field: string; reason: string }[]
    expect(errors.map(({ field }) => field).sort()).toEqual(['severity', 'titel', 'title'])
    expect(errors[0]).toEqual({ field: details.field, reason: details.reason })
    for (const { reason } of errors) expect(reason).toMatch(/\S/)
  })
  states('api-unknown-body-field', async () => {
    const { id } = await make.incident()
    const { webhook } = await make.webhook()
    const { integration } = await make.github()
    const config = { ...githubSettings('x'), tokn: 'x' }
    const hook = { url: receiver(), events: ['incident.created'], secret: SECRET, evnts: [] }
    await client.invalid(post('/query', { ...COUNT, qurey: 'why' }), 'qurey')
    await client.invalid(question({ servce: 'x' }), 'context.servce')
    await client.invalid(question({ time_range: { form: 'x' } }), 'context.time_range.form')
    await client.invalid(post('/incidents', { title: 'x', severity: 'low', status: 'open' }), 'status')
    await client.invalid(post('/integrations', { type: 'github', config }), 'config.tokn')
    await client.invalid(post('/webhooks', hook), 'evnts')
    await client.invalid(post(`/incidents/${id}/investigate`, { again: true }), 'again')
    const patch = (path: string, body: unknown): Sent => ({ method: 'PATCH', path, body })
    await client.invalid(patch(`/incidents/${id}`, { title: 'x', service: 'y' }), 'service')
    await client.invalid(patch(`/webhooks/${webhook.id}`, { secret: SECRET }), 'secret')
    await client.invalid(patch(`/integrations/${integration.id}`, { type: 'bundle' }), 'type')
    await client.invalid(patch(`/integrations/${integration.id}`, { config: { tokn: 'x' } }), 'config.tokn')
  })
  states('api-unknown-parameter', async () => {
    await client.invalid({ method: 'GET', path: '/incidents?stauts=open' }, 'stauts')
    for (const { id, access, method, path, people, sender, body, idPrefixes } of operationList) {
      // Nothing is told to a tool before it has proven itself.
      if (body !== undefined || people === true || sender === true) continue
      const shown = path
        .replace('{id}', unusedId(idPrefixes?.[0] ?? 'x'))
        .replace('{delivery_id}', unusedId('dlv'))
      const key = access === 'anyone' ? { key: null } : {}
      const error = await client.invalid({ method, path: `${shown}?nonsense=1`, ...key }, 'nonsense')
      expect(error.details.reason, id).toMatch(/\S/)
    }
    for (const path of ['/query', '/incidents', '/webhooks', '/integrations']) {
      const error = await client.refusal(post(`${path}?nonsense=1`, {}), 400)
      expect(error.code).toBe('INVALID_REQUEST')
    }
    await client.invalid(post('/query?nonsense=1', COUNT), 'nonsense')
  })
  states('api-repeated-parameter', async () => {
    for (const query of ['status=open&status=open', 'status=open&status=resolved', 'limit=1&limit=2'])
      await client.invalid({ method: 'GET', path: `/incidents?${query}` }, query.split('=')[0] ?? '')
  })
  states('api-prototype-keys', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const places = {
        [name]: `{"query":"why","${name}":{}}`,
        [`context.${name}`]: `{"query":"why","context":{"${name}":{"admin":true}}}`,
        [`context.time_range.${name}`]: `{"query":"why","context":{"time_range":{"${name}":1}}}`,
      }
      for (const [field, text] of Object.entries(places)) await client.invalid(raw(text), field)
      const config = `{"type":"github","config":{"repositories":{"${name}":"a/b"}}}`
      await client.refusal(raw(config, '/integrations'), 400)
      await client.refusal(raw(`{"events":[{"${name}":1}]}`, '/webhooks'), 400)
      await client.refusal({ method: 'GET', path: `/incidents?${name}=1` }, 400)
    }
    await client.invalid(raw('{"query":"why","\\u005f_proto__":{}}'), '__proto__')
  })
  states('api-nesting', async () => {
    const over = await client.refusal(raw(nested(33)), 400)
    const within = await client.refusal(raw(nested(32)), 400)
    expect(within.details.field).toBe('context.deep')
    expect(over.details.reason).not.toBe(within.details.reason)
    await client.refusal(raw('['.repeat(100_000)), 400)
    await client.refusal(raw(`{"query":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`), 400)
    const brackets = { query: `Why does ${'['.repeat(100)} fail? "${'{'.repeat(100)}\\` }
    expect((await client.send(post('/query', brackets))).status).toBe(200)
  })
  states('api-nul', async () => {
    await client.invalid(post('/query', { query: 'why\0' }), 'query')
    await client.invalid(question({ service: '\0' }), 'context.service')
    await client.invalid(post('/incidents', { title: 'a\0b', severity: 'low' }), 'title')
    await client.refusal(post('/query', { ...COUNT, 'a\0b': 1 }), 400)
    await client.invalid({ method: 'GET', path: '/incidents?cursor=%00' }, 'cursor')
    await client.refusal(raw('{"query":"why\0"}'), 400)
  })
  states('api-lone-surrogates', async () => {
    await client.invalid(raw('{"query":"why \\ud800"}'), 'query')
    await client.invalid(raw('{"query":"why","context":{"service":"\\udc00x"}}'), 'context.service')
    await client.invalid(raw('{"title":"\\ude00\\ud83d","severity":"low"}', '/incidents'), 'title')
    await client.refusal(raw('{"query":"why","\\ud800":1}'), 400)
    expect((await client.send(raw('{"query":"why \\ud83d\\ude00"}'))).status).toBe(200)
  })
  states('api-non-finite', async () => {
    await client.invalid(raw('{"query":1e999}'), 'query')
    await client.invalid(raw('{"query":"why","context":{"service":-1e999}}'), 'context.service')
    for (const text of ['NaN', 'Infinity', '-Infinity'])
      await client.invalid(raw(`{"query":${text}}`), 'body')
  })
  also('a body that is not UTF-8 is INVALID_REQUEST', async () => {
    const bytes = (...middle: number[]) =>
      Buffer.concat([Buffer.from('{"query":"why '), Buffer.from(middle), Buffer.from('"}')])
    const broken = [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]
    for (const middle of broken) await client.invalid(raw(bytes(...middle)), 'body')
    await client.refusal(raw(Buffer.from(`\ufeff${JSON.stringify(COUNT)}`, 'utf16le')), 400)
  })

  // Limits
  states('api-body-256-kb', async () => {
    expect((await client.send(raw(padded(256 * KB)))).status).toBe(200)
    await client.refusal(raw(padded(256 * KB + 1)), 413)
  })
  states('api-query-4000', async () => {
    const most = 'why '.repeat(1_000)
    expect(most).toHaveLength(4_000)
    await client.call('answer-query', { body: { query: most } })
    await client.invalid(post('/query', { query: `${most}?` }), 'query')
    await client.call('answer-query', { body: { query: `${'😀'.repeat(3_999)}?` } })
    await client.invalid(post('/query', { query: '😀'.repeat(4_001) }), 'query')
  })
  states('api-config-32-kb', async () => {
    // Fifty repositories under service names of 200 characters of four bytes each: every field is within its own limit.
    const names = Array.from({ length: 50 }, (_, at) => [`${'😀'.repeat(196)}${1_000 + at}`, 'owner/name'])
    const config = { ...githubSettings('x'), repositories: Object.fromEntries(names) }
    expect(JSON.stringify(config).length * 2).toBeGreaterThan(32 * KB)
    await client.invalid(post('/integrations', { type: 'github', config }), 'config')
  })
  states('api-range-31-days', async () => {
    const end = Date.UTC(2026, 1, 1)
    const range = (ms: number) => ({
      query: 'Why is checkout failing?',
      context: {
        time_range: { start: new Date(end - ms).toISOString(), end: new Date(end).toISOString() },
      },
    })
    await client.call('answer-query', { body: range(31 * DAY_MS) })
    await client.call('answer-query', { body: range(1) })
    const field = /^context\.time_range(\.start|\.end)?$/
    for (const ms of [31 * DAY_MS + 1, 400 * DAY_MS, 0, -1, -DAY_MS]) {
      const { details } = await client.refusal(post('/query', range(ms)), 400)
      expect(details.field).toMatch(field)
    }
  })
  also(
    'a start alone that lies more than 31 days back is INVALID_REQUEST, as its window would be longer',
    async () => {
      const start = new Date(Date.now() - 32 * DAY_MS).toISOString()
      const { details } = await client.refusal(question({ time_range: { start } }), 400)
      expect(details.field).toMatch(/^context\.time_range/)
    },
  )
  states('api-secret-1-to-256', async () => {
    const hook = (secret: string) => ({ url: receiver(), events: ['incident.created'], secret })
    for (const secret of ['~', ' '.repeat(24), 'x'.repeat(256), SECRET]) await make.webhook({ secret })
    const refused = [
      '',
      'x'.repeat(257),
      'sécret',
      'tab\tulator',
      'line\n',
      '\x7f',
      'whsec_',
      'whsec_!!!',
      'whsec_abc',
    ]
    for (const secret of refused) await client.invalid(post('/webhooks', hook(secret)), 'secret')
  })
  states('api-secret-warning', async () => {
    const warned = async (secret: string) => (await make.webhook({ secret })).webhook.warnings
    const short = ['x'.repeat(23), 'x', `whsec_${Buffer.alloc(23, 1).toString('base64')}`]
    for (const secret of short) {
      const warnings = await warned(secret)
      expect(warnings?.join(' ')).toMatch(/secret/)
      if (secret.length > 1) expect(warnings?.join(' ')).not.toContain(secret)
    }
    for (const secret of ['x'.repeat(24), `whsec_${Buffer.alloc(24, 1).toString('base64')}`])
      expect(await warned(secret)).toBeUndefined()
  })

  // Every response
  const everyAnswer = lazily(async (): Promise<Answered[]> => {
    const { id } = await make.incident()
    const { webhook } = await make.webhook()
    return [
      ...(await everyRefusal()).map(({ answered }) => answered),
      (await client.call('list-incidents')).answered,
      (await client.call('request-investigation', { id })).answered,
      (await client.call('delete-webhook', { id: webhook.id })).answered,
      (await client.call('get-health', { key: null })).answered,
      (await client.call('get-openapi', { key: null })).answered,
      await client.send({ method: 'GET', path: '/health?x=1', key: null }),
    ]
  })
  states('api-every-response-error-shape', async () => {
    for (const { status, body } of await everyAnswer()) {
      if (status < 400) continue
      expect(body).toEqual({
        error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) },
      })
    }
  })
  states('api-every-response-headers', async () => {
    for (const { status, headers } of await everyAnswer()) {
      expect(headers, String(status)).toMatchObject({
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
        'x-request-id': expect.stringMatching(/\S/),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
    const ids = (await everyAnswer()).map(({ headers }) => headers['x-request-id'])
    expect(new Set(ids).size).toBe(ids.length)
  })
  states('api-gateway-made', async () => {
    // More than API Gateway takes: no function sees it.
    const { answered } = await client.refusal(raw(' '.repeat(10 * KB * KB + 1)), 413)
    expect(answered.headers).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '0',
    })
  })
}
