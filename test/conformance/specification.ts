import { expect } from 'vitest'
import { type OperationId, operationList } from '#shared/contract/operations.ts'
import type { Answered } from './client.ts'
import { githubSettings, lazily, receiver, resourcesOf, SECRET, type Suite, unusedId } from './resources.ts'
import { also, states } from './states.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const COUNT = { query: 'How many critical incidents are open?' }
const RANGE = { start: '2026-01-31T12:00:00Z', end: '2026-01-31T13:00:00Z' }
const STATUSES = ['open', 'investigating', 'resolved'] as const
const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
const CODES = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
]

/** What the specification says, sentence by sentence. */
export function specification(suite: Suite): void {
  const { client, service } = suite
  const make = resourcesOf(suite)
  const ask = (body: unknown) => client.call('answer-query', { body })
  const badQuestion = (body: unknown) => ({ method: 'POST', path: '/query', body })
  /** An answer that has evidence: there is an incident to count. */
  const answer = lazily(async () => {
    await make.incident({ severity: 'critical' })
    return (await ask(COUNT)).body
  })
  const github = lazily(() => make.github())
  const analysed = lazily(async () => make.analysed((await make.incident({ service: 'checkout' })).id))
  const severities = lazily(() =>
    Promise.all(SEVERITIES.map((severity) => make.incident({ severity, title: `A ${severity} one` }))),
  )

  // What the service does
  states('spec-accepts-query', async () => {
    await ask(COUNT)
    await ask({ query: 'Why is checkout failing?', context: { service: 'checkout' } })
    await ask({ query: 'Why is it failing?', context: { service: 'checkout', time_range: RANGE } })
  })
  states('spec-returns-answer', async () => {
    const { body } = await ask(COUNT)
    expect(body).toMatchObject({
      answer: expect.any(String),
      evidence: expect.any(Array),
      confidence: expect.any(Number),
      timestamp: expect.any(String),
    })
  })
  states('spec-lists-creates-integrations', async () => {
    const { integration } = await github()
    const { integrations } = (await client.call('list-integrations')).body
    expect(integrations.map(({ id }) => id)).toContain(integration.id)
  })
  states('spec-lists-incidents', async () => {
    const incident = await make.incident({ severity: 'high' })
    const since = new Date(Date.parse(incident.created_at) - 1).toISOString()
    const query = { status: 'open', severity: 'high', start_time: since }
    const { incidents } = (await client.call('list-incidents', { query })).body
    expect(incidents.map(({ id }) => id)).toContain(incident.id)
  })
  states('spec-single-incident', async () => {
    const incident = await analysed()
    expect(incident.root_cause).toMatchObject({ summary: expect.any(String) })
  })
  states('spec-registers-webhook', async () => {
    const { webhook } = await make.webhook({ events: ['incident.created', 'incident.resolved'] })
    expect(webhook.status).toBe('enabled')
  })
  states('spec-base-url', () => {
    expect(new URL(service().baseUrl).pathname.split('/')).toContain('v1')
  })
  states('spec-relative-paths', async () => {
    const requests = [
      badQuestion(COUNT),
      { method: 'GET', path: '/integrations' },
      { method: 'GET', path: '/incidents' },
      { method: 'GET', path: `/incidents/${(await analysed()).id}` },
    ]
    for (const request of requests) expect((await client.send(request)).status, request.path).toBe(200)
  })

  // Query request
  states('spec-query-required', async () => {
    for (const body of [{}, { query: null }, { query: 7 }, { query: ['why'] }])
      await client.invalid(badQuestion(body), 'query')
  })
  states('spec-query-empty-refused', async () => {
    for (const query of ['', ' ', '\t\n'])
      expect((await client.invalid(badQuestion({ query }), 'query')).code).toBe('INVALID_REQUEST')
  })
  states('spec-context-optional', async () => {
    await ask(COUNT)
    await ask({ ...COUNT, context: {} })
    for (const context of ['checkout', 7, null, ['checkout']])
      await client.invalid(badQuestion({ ...COUNT, context }), 'context')
  })
  states('spec-context-service', async () => {
    const { body } = await ask({ query: 'Why is it failing?', context: { service: 'checkout' } })
    expect(body.understood.service).toBe('checkout')
    for (const name of [7, null, ['checkout'], ''])
      await client.invalid(badQuestion({ ...COUNT, context: { service: name } }), 'context.service')
  })
  states('spec-context-time-range', async () => {
    const question = { query: 'Why is checkout failing?', context: { time_range: RANGE } }
    expect((await ask(question)).body.understood.window).toEqual({
      start: '2026-01-31T12:00:00.000Z',
      end: '2026-01-31T13:00:00.000Z',
    })
    await ask({ ...COUNT, context: { time_range: {} } })
    for (const time_range of ['today', 7, [RANGE.start, RANGE.end]])
      await client.invalid(badQuestion({ ...COUNT, context: { time_range } }), 'context.time_range')
  })
  states('spec-context-start', async () => {
    const start = new Date(Date.now() - 600_000).toISOString()
    const { body } = await ask({ query: 'Why is checkout failing?', context: { time_range: { start } } })
    expect(body.understood.window?.start).toBe(start)
    const time_range = { start: 'yesterday' }
    await client.invalid(badQuestion({ ...COUNT, context: { time_range } }), 'context.time_range.start')
  })
  states('spec-context-end', async () => {
    const end = '2026-01-31T13:00:00.000Z'
    const { body } = await ask({ query: 'Why is checkout failing?', context: { time_range: { end } } })
    expect(body.understood.window?.end).toBe(end)
    const time_range = { end: 'now' }
    await client.invalid(badQuestion({ ...COUNT, context: { time_range } }), 'context.time_range.end')
  })

  // Query response
  states('spec-answer-id', async () => expect((await answer()).id).toMatch(/^query_/))
  states('spec-answer-answer', async () => expect((await answer()).answer).toMatch(/\S/))
  states('spec-answer-evidence', async () => expect((await answer()).evidence.length).toBeGreaterThan(0))
  states('spec-answer-evidence-source', async () => {
    for (const { source } of (await answer()).evidence) expect(source).toMatch(/^[a-z]+$/)
  })
  states('spec-answer-evidence-type', async () => {
    for (const { type } of (await answer()).evidence) expect(type).toMatch(/^[a-z]+$/)
  })
  states('spec-answer-evidence-content', async () => {
    for (const { content } of (await answer()).evidence) expect(content).toMatch(/\S/)
  })
  states('spec-answer-confidence', async () => {
    const { confidence } = await answer()
    expect(confidence).toBeGreaterThanOrEqual(0)
    expect(confidence).toBeLessThanOrEqual(1)
  })
  states('spec-answer-timestamp', async () => {
    const { timestamp } = await answer()
    expect(timestamp).toMatch(INSTANT)
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(300_000)
  })

  // Integration
  states('spec-integration-id', async () => {
    expect((await github()).integration.id).toMatch(/^github_/)
  })
  states('spec-integration-type', async () => {
    expect((await github()).integration.type).toBe('github')
  })
  states('spec-integration-status', async (context) => {
    expect((await make.bundle(context)).status).toBe('connected')
  })
  states('spec-integration-connected-at', async (context) => {
    const { connected_at } = await make.bundle(context)
    expect(connected_at).toMatch(INSTANT)
  })
  states('spec-integration-type-required', async () => {
    const config = githubSettings('x')
    for (const type of [undefined, null, 7, '', 'no-such-tool', 'GitHub'])
      await client.invalid({ method: 'POST', path: '/integrations', body: { type, config } }, 'type')
  })
  states('spec-integration-config-required', async () => {
    for (const config of [undefined, null, 7, 'x', []]) {
      const body = { type: 'github', config }
      await client.invalid({ method: 'POST', path: '/integrations', body }, 'config')
    }
  })
  for (const field of ['app_id', 'client_id', 'client_secret'] as const) {
    const id = ({ app_id: 'app-id', client_id: 'client-id', client_secret: 'client-secret' } as const)[field]
    states(`spec-integration-${id}`, async () => {
      const { [field]: _left, ...config } = githubSettings('x')
      const refused = { method: 'POST', path: '/integrations', body: { type: 'github', config } }
      await client.invalid(refused, `config.${field}`)
      for (const value of [null, 7, '', 'x'.repeat(10_000)]) {
        const body = { type: 'github', config: { ...config, [field]: value } }
        await client.invalid({ ...refused, body }, `config.${field}`)
      }
      const { integration } = await github()
      if (field === 'client_secret') expect(integration.config).not.toHaveProperty(field)
      else expect(integration.config[field]).toBe(githubSettings('x')[field])
    })
  }

  // Incident
  states('spec-incident-id', async () => expect((await analysed()).id).toMatch(/^inc_/))
  states('spec-incident-title', async () => {
    const { id } = await make.incident({ title: 'Checkout answers 502' })
    expect((await client.call('get-incident', { id })).body.title).toBe('Checkout answers 502')
  })
  states('spec-incident-status', async () => expect(STATUSES).toContain((await analysed()).status))
  states('spec-incident-severity', async () => {
    expect((await severities()).map(({ severity }) => severity)).toEqual(SEVERITIES)
    const title = 'No such severity'
    for (const severity of ['', 'CRITICAL', 'info', 'none', 3]) {
      const body = { title, severity }
      await client.invalid({ method: 'POST', path: '/incidents', body }, 'severity')
    }
  })
  states('spec-incident-created-at', async () => {
    const { created_at } = await make.incident()
    expect(created_at).toMatch(INSTANT)
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(300_000)
  })
  states('spec-incident-root-cause', async () => {
    const incident = await analysed()
    expect(incident.analysis).toBe('done')
    expect(incident.root_cause).toBeTypeOf('object')
    expect(incident.root_cause).not.toBeNull()
  })
  states('spec-incident-root-cause-summary', async () => {
    expect((await analysed()).root_cause?.summary).toMatch(/\S/)
  })
  states('spec-incident-root-cause-confidence', async () => {
    const confidence = (await analysed()).root_cause?.confidence
    expect(confidence).toBeGreaterThanOrEqual(0)
    expect(confidence).toBeLessThanOrEqual(1)
  })
  states('spec-incident-root-cause-evidence', async () => {
    expect((await analysed()).root_cause?.evidence).toBeInstanceOf(Array)
  })

  // Webhook subscription
  const badWebhook = (more: object, field: string) => {
    const body = { url: receiver(), events: ['incident.created'], secret: SECRET, ...more }
    return client.invalid({ method: 'POST', path: '/webhooks', body }, field)
  }
  states('spec-webhook-url', async () => {
    for (const url of [
      undefined,
      null,
      7,
      '',
      'hook',
      '/hook',
      'receiver.example/hook',
      'mailto:a@b.example',
    ])
      await badWebhook({ url }, 'url')
  })
  states('spec-webhook-events', async () => {
    for (const events of [undefined, null, 'incident.created', {}]) await badWebhook({ events }, 'events')
    await badWebhook({ events: [7] }, 'events[0]')
  })
  states('spec-webhook-secret', async () => {
    for (const secret of [undefined, null, 7, '']) await badWebhook({ secret }, 'secret')
  })

  // States and transitions
  states('spec-incident-statuses', async () => {
    const { id } = await make.incident()
    for (const status of ['investigating', 'resolved'] as const) {
      expect((await client.call('update-incident', { id, body: { status } })).body.status).toBe(status)
    }
    for (const status of ['closed', 'OPEN', '', null])
      await client.invalid({ method: 'PATCH', path: `/incidents/${id}`, body: { status } }, 'status')
  })
  states('spec-integration-connected', async (context) => {
    const { id } = await make.bundle(context)
    expect((await client.call('get-integration', { id })).body.status).toBe('connected')
  })

  // Endpoints
  states('spec-all-carry-authorization', async () => {
    for (const { id, access, method, path, idPrefixes } of operationList) {
      if (access === 'anyone') continue
      const shown = path
        .replace('{id}', unusedId(idPrefixes?.[0] ?? 'x'))
        .replace('{delivery_id}', unusedId('dlv'))
      const error = await client.refusal({ method, path: shown, key: null }, 401)
      expect(error.code, id).toBe('UNAUTHORIZED')
    }
  })
  states('spec-bodies-json', async () => {
    const sent = { method: 'POST', path: '/query' }
    for (const raw of ['', '{', "{'query': 'why'}", 'query=why', '{"query": "why",}'])
      await client.invalid({ ...sent, raw }, 'body')
    for (const body of [null, [], 'why', 7, true]) await client.refusal({ ...sent, body }, 400)
  })
  states('spec-post-query', async () => {
    const { body } = await ask({
      query: 'Why is checkout failing?',
      context: { service: 'checkout', time_range: RANGE },
    })
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(['id', 'answer', 'evidence', 'confidence', 'timestamp']),
    )
  })
  states('spec-post-query-empty', async () => {
    const { code, details } = await client.refusal(badQuestion({ query: '' }), 400)
    expect(code).toBe('INVALID_REQUEST')
    expect(details).toMatchObject({ field: 'query', reason: expect.stringMatching(/\S/) })
  })
  states('spec-get-integrations-no-parameters', async () => {
    expect((await client.send({ method: 'GET', path: '/integrations' })).status).toBe(200)
  })
  states('spec-get-integrations', async () => {
    const { integration } = await github()
    const { integrations } = (await client.call('list-integrations')).body
    expect(integrations.find(({ id }) => id === integration.id)).toMatchObject({
      id: integration.id,
      type: 'github',
      status: expect.any(String),
    })
  })
  states('spec-post-integrations', async () => {
    const { integration } = await make.github()
    expect(integration.type).toBe('github')
  })
  states('spec-incidents-status', async () => {
    for (const status of STATUSES) {
      const { id } = await make.incident()
      if (status !== 'open') await make.moved(id, status)
      const { incidents } = (await client.call('list-incidents', { query: { status } })).body
      expect(incidents.map((incident) => incident.id)).toContain(id)
      expect(new Set(incidents.map((incident) => incident.status))).toEqual(new Set([status]))
    }
    for (const status of ['closed', 'Open', ''])
      await client.invalid({ method: 'GET', path: `/incidents?status=${status}` }, 'status')
  })
  states('spec-incidents-severity', async () => {
    for (const incident of await severities()) {
      const { severity, id } = incident
      const query = { severity, limit: '100' }
      const { incidents } = (await client.call('list-incidents', { query })).body
      expect(incidents.map((found) => found.id)).toContain(id)
      expect(new Set(incidents.map((found) => found.severity))).toEqual(new Set([severity]))
    }
    for (const severity of ['info', 'HIGH', ''])
      await client.invalid({ method: 'GET', path: `/incidents?severity=${severity}` }, 'severity')
  })
  states('spec-incidents-start-time', async () => {
    const { id, created_at } = await make.incident()
    const since = (start_time: string) => client.call('list-incidents', { query: { start_time } })
    const shift = (ms: number) => new Date(Date.parse(created_at) + ms).toISOString()
    expect((await since(shift(-1))).body.incidents.map((found) => found.id)).toContain(id)
    expect((await since(shift(60_000))).body.incidents).toEqual([])
  })
  states('spec-incidents-end-time', async () => {
    const { id, created_at } = await make.incident()
    const upTo = (end_time: string) => client.call('list-incidents', { query: { end_time, limit: '100' } })
    const shift = (ms: number) => new Date(Date.parse(created_at) + ms).toISOString()
    expect((await upTo(shift(1))).body.incidents.map((found) => found.id)).toContain(id)
    expect((await upTo(shift(-1))).body.incidents.map((found) => found.id)).not.toContain(id)
  })
  states('spec-get-incident-id', async () => {
    const { id } = await make.incident()
    expect((await client.call('get-incident', { id })).body.id).toBe(id)
  })
  states('spec-get-incident', async () => {
    expect(Object.keys(await analysed())).toEqual(
      expect.arrayContaining(['id', 'title', 'status', 'severity', 'created_at', 'root_cause']),
    )
  })
  states('spec-get-incident-missing', async () => {
    const error = await client.refusal({ method: 'GET', path: `/incidents/${unusedId('inc')}` }, 404)
    expect(error.code).toBe('NOT_FOUND')
  })
  states('spec-post-webhooks', async () => {
    const url = receiver()
    const { webhook } = await make.webhook({ url, events: ['incident.resolved'] })
    expect(webhook).toMatchObject({ url, events: ['incident.resolved'] })
  })

  // Authentication
  states('spec-bearer', async () => {
    const key = service().keys.admin
    const sent = { method: 'GET', path: '/incidents?limit=1', key: null }
    const headers = ['Authorization', `Bearer ${key}`]
    expect((await client.send({ ...sent, headers })).status).toBe(200)
    for (const value of [key, `Basic ${Buffer.from(`${key}:`).toString('base64')}`, `Token ${key}`])
      await client.refusal({ ...sent, headers: ['Authorization', value] }, 401)
  })
  states('spec-unauthorized', async () => {
    const error = await client.refusal({ method: 'GET', path: '/incidents', key: null }, 401)
    expect(error.code).toBe('UNAUTHORIZED')
  })
  states('spec-forbidden', async () => {
    const key = service().keys.assistant
    const error = await client.refusal({ method: 'GET', path: '/incidents', key }, 403)
    expect(error.code).toBe('FORBIDDEN')
  })
  states('spec-admin-access', async () => {
    const lists: OperationId[] = ['list-incidents', 'list-integrations', 'list-webhooks']
    for (const id of lists) await client.call(id, { key: service().keys.admin })
    await client.call('answer-query', { key: service().keys.admin, body: COUNT })
  })
  states('spec-assistant-access', async () => {
    const key = service().keys.assistant
    await client.call('answer-query', { key, body: COUNT })
    for (const path of ['/incidents', '/integrations', '/webhooks'])
      await client.refusal({ method: 'GET', path, key }, 403)
  })
  states('spec-subscribes', async () => {
    const { webhook } = await make.webhook({ events: ['incident.created', 'incident.resolved'] })
    expect(webhook.events).toEqual(['incident.created', 'incident.resolved'])
  })

  // Errors
  const errors = lazily(async () => {
    const { assistant } = service().keys
    return Promise.all([
      client.refusal(badQuestion({ query: '' }), 400),
      client.refusal({ method: 'GET', path: '/incidents', key: null }, 401),
      client.refusal({ method: 'GET', path: '/incidents', key: assistant }, 403),
      client.refusal({ method: 'GET', path: `/incidents/${unusedId('inc')}` }, 404),
    ])
  })
  states('spec-error-shape', async () => {
    for (const { answered } of await errors()) {
      const { error, ...more } = answered.body as { error: object }
      expect(more).toEqual({})
      expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message'])
    }
  })
  states('spec-error-code', async () => {
    for (const { code } of await errors()) expect(CODES).toContain(code)
  })
  states('spec-error-message', async () => {
    for (const { message } of await errors()) expect(message).toMatch(/\S \S/)
  })
  states('spec-error-details', async () => {
    const [refused] = await errors()
    expect(refused?.details).toMatchObject({
      field: expect.stringMatching(/\S/),
      reason: expect.stringMatching(/\S/),
    })
  })
  states('spec-code-invalid-request', async () => expect((await errors())[0]?.code).toBe('INVALID_REQUEST'))
  states('spec-code-unauthorized', async () => expect((await errors())[1]?.code).toBe('UNAUTHORIZED'))
  states('spec-code-forbidden', async () => expect((await errors())[2]?.code).toBe('FORBIDDEN'))
  states('spec-code-not-found', async () => expect((await errors())[3]?.code).toBe('NOT_FOUND'))

  // Limits
  const header = (answered: Answered, name: string) => Number(answered.headers[name])
  states('spec-limit-header', async () => {
    const { answered } = await client.call('list-webhooks')
    expect([100, 1_000]).toContain(header(answered, 'x-ratelimit-limit'))
  })
  states('spec-remaining-header', async () => {
    const { answered } = await client.call('list-webhooks')
    const remaining = header(answered, 'x-ratelimit-remaining')
    expect(Number.isInteger(remaining)).toBe(true)
    expect(remaining).toBeLessThan(header(answered, 'x-ratelimit-limit'))
  })
  states('spec-reset-header', async () => {
    const { answered } = await client.call('list-webhooks')
    expect(Number.isInteger(header(answered, 'x-ratelimit-reset'))).toBe(true)
  })

  // Versioning
  states('spec-version-segment', async () => {
    const { origin } = new URL(service().baseUrl)
    expect(service().baseUrl.startsWith(`${origin}/`)).toBe(true)
    expect(new URL(service().baseUrl).pathname.split('/').at(-1)).toBe('v1')
  })
  also('a filter by time takes both bounds at once and keeps what lies strictly between', async () => {
    const { id, created_at } = await make.incident()
    const shift = (ms: number) => new Date(Date.parse(created_at) + ms).toISOString()
    const between = async (start_time: string, end_time: string) => {
      const { body } = await client.call('list-incidents', { query: { start_time, end_time } })
      return body.incidents.map((found) => found.id)
    }
    expect(await between(shift(-1), shift(1))).toContain(id)
    expect(await between(shift(0), shift(1))).not.toContain(id)
    expect(await between(shift(-1), shift(0))).not.toContain(id)
  })
}
