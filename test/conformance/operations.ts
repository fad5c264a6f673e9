import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { examples } from '#shared/contract/examples.ts'
import { type OperationId, operationList } from '#shared/contract/operations.ts'
import { document } from './document.ts'
import {
  githubSettings,
  lazily,
  receiver,
  resourcesOf,
  SECRET,
  type Suite,
  until,
  unusedId,
} from './resources.ts'
import { OUTAGE_STARTED_AT } from './small-outage.ts'
import { also, states } from './states.ts'

const COUNT = { query: 'How many critical incidents are open?' }
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const EVIDENCE_SOURCES = [
  'metrics',
  'logs',
  'traces',
  'deploys',
  'commits',
  'flags',
  'alerts',
  'topology',
  'incidents',
  'integrations',
]
const EVIDENCE_TYPES = [
  'error',
  'anomaly',
  'change',
  'correlation',
  'pattern',
  'dependency',
  'absence',
  'statement',
]
const VERDICTS = ['same', 'drifted', 'contradicted', 'expired', 'unreachable'] as const
const EVIDENCE_FIELDS = [
  'content',
  'digest',
  'id',
  'integration_id',
  'link',
  'query',
  'source',
  'type',
  'window',
]

/** POST /query and GET /query/{id}. */
export function queries(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)
  const answered = lazily(async () => {
    await make.incident({ severity: 'critical' })
    return (await client.call('answer-query', { body: COUNT })).body
  })
  const why = lazily(async () => {
    const body = { query: 'Why is checkout failing?', context: { service: 'checkout' } }
    return (await client.call('answer-query', { body })).body
  })

  states('api-post-query', async () => {
    const { answered: response } = await client.call('answer-query', { body: COUNT })
    expect(response.status).toBe(200)
    expect(Object.keys(await answered())).toEqual(
      expect.arrayContaining(['id', 'answer', 'evidence', 'confidence', 'timestamp']),
    )
  })
  states('api-post-query-outcome', async () => {
    for (const { outcome } of [await answered(), await why()])
      expect(['identified', 'best_effort', 'inconclusive']).toContain(outcome)
  })
  states('api-post-query-hypotheses', async () => {
    expect((await answered()).hypotheses).toBeInstanceOf(Array)
    expect((await why()).hypotheses).toBeInstanceOf(Array)
  })
  states('api-post-query-ruled-out', async () => {
    expect((await answered()).ruled_out).toBeInstanceOf(Array)
    expect((await why()).ruled_out).toBeInstanceOf(Array)
  })
  states('api-post-query-gaps', async () => {
    const { integration } = await make.github()
    const body = { query: 'Why is checkout failing?', context: { service: 'checkout' } }
    const { gaps } = (await client.call('answer-query', { body })).body
    // The tool cannot be reached, so an answer without a gap would claim to have looked everywhere.
    expect(gaps.length, integration.id).toBeGreaterThan(0)
    for (const { what, why: reason } of gaps) expect(`${what} ${reason}`).toMatch(/\S \S/)
    await client.call('delete-integration', { id: integration.id })
  })
  states('api-get-query', async () => {
    for (const given of [await answered(), await why()])
      expect((await client.call('get-query', { id: given.id })).body).toEqual(given)
    await client.refusal({ method: 'GET', path: `/query/${unusedId('query')}` }, 404)
  })
  states('api-context-timezone', async () => {
    const ask = (context: unknown) => ({ ...COUNT, context })
    for (const timezone of ['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires'])
      await client.call('answer-query', { body: ask({ timezone }) })
    for (const timezone of ['Mars/Olympus', '+02:00', '', 7, null])
      await client.invalid({ method: 'POST', path: '/query', body: ask({ timezone }) }, 'context.timezone')
  })
  states('api-answer-understood', async () => {
    const { understood } = await why()
    expect(Object.keys(understood).sort()).toEqual(['carried_over', 'intent', 'service', 'window'])
    expect(understood.service).toBe('checkout')
    expect(understood.carried_over).toEqual([])
  })
  states('api-query-verify', async () => {
    const { id, evidence } = await answered()
    const { body } = await client.call('verify-query', { id })
    expect(body.evidence.map((item) => item.id)).toEqual(evidence.map((item) => item.id))
    for (const { status } of body.evidence) expect(VERDICTS).toContain(status)
    for (const verdict of VERDICTS)
      expect(body.counts[verdict]).toBe(body.evidence.filter(({ status }) => status === verdict).length)
    await client.refusal({ method: 'POST', path: `/query/${unusedId('query')}/verify` }, 404)
  })
  states('api-context-incident-id', async () => {
    const { id, title } = await make.incident({ service: 'checkout', title: `Till ${randomUUID()}` })
    const ask = (incident_id: unknown) => ({
      query: 'What is the status of this incident?',
      context: { incident_id },
    })
    expect((await client.call('answer-query', { body: ask(id) })).body.answer).toContain(title)
    const sent = (incident_id: unknown) => ({ method: 'POST', path: '/query', body: ask(incident_id) })
    for (const wrong of [unusedId('inc'), unusedId('query'), '', 7])
      await client.invalid(sent(wrong), 'context.incident_id')
  })
  states('api-context-previous-query-id', async () => {
    const { id, understood } = await why()
    const ask = (previous_query_id: unknown) => ({
      query: 'And an hour earlier?',
      context: { previous_query_id },
    })
    const next = (await client.call('answer-query', { body: ask(id) })).body.understood
    expect(next).toMatchObject({ service: understood.service, intent: understood.intent })
    expect(next.carried_over).toEqual(expect.arrayContaining(['service', 'intent']))
    const sent = (previous: unknown) => ({ method: 'POST', path: '/query', body: ask(previous) })
    for (const wrong of [unusedId('query'), unusedId('inc'), '', 7])
      await client.invalid(sent(wrong), 'context.previous_query_id')
  })
  also('an inconclusive answer has the confidence 0', async () => {
    for (const { outcome, confidence } of [await why()])
      if (outcome === 'inconclusive') expect(confidence).toBe(0)
  })
  also('a question in words that mean nothing is answered, not failed', async () => {
    for (const query of [
      '?',
      'qwertz',
      '😀',
      'x'.repeat(4_000),
      '"; DROP TABLE incidents; --',
      '{{7*7}} #{7*7}',
    ]) {
      const { body } = await client.call('answer-query', { body: { query } })
      expect(body.answer).toMatch(/\S/)
    }
  })
}

/** The operations on /integrations. */
export function integrations(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)
  const shared = lazily(() => make.github())

  states('api-integrations-list', async () => {
    const { integration } = await shared()
    const listed = (await client.call('list-integrations')).body.integrations
    expect(listed).toContainEqual(integration)
  })
  states('api-integrations-create', async () => {
    const { integration, answered } = await make.github()
    expect(answered.status).toBe(201)
    expect(answered.headers.location).toMatch(new RegExp(`/integrations/${integration.id}$`))
  })
  states('api-integrations-get', async () => {
    const { integration } = await shared()
    expect((await client.call('get-integration', { id: integration.id })).body).toEqual(integration)
    await client.refusal({ method: 'GET', path: `/integrations/${unusedId('github')}` }, 404)
  })
  states('api-integrations-patch', async () => {
    const { integration } = await make.github()
    const { id } = integration
    const body = { config: { app_id: '654321', repositories: ['owner/name'] } }
    const changed = (await client.call('update-integration', { id, body })).body
    expect(changed.config).toMatchObject({ app_id: '654321', client_id: 'Iv1.0123456789abcdef' })
    expect((await client.call('get-integration', { id })).body).toEqual(changed)
    const sent = { method: 'PATCH', path: `/integrations/${id}` }
    await client.refusal({ ...sent, body: {} }, 400)
    await client.invalid({ ...sent, body: { enabled: 'no' } }, 'enabled')
    await client.invalid({ ...sent, body: { config: { client_secret: null } } }, 'config.client_secret')
    const missing = `/integrations/${unusedId('github')}`
    await client.refusal({ method: 'PATCH', path: missing, body: { enabled: false } }, 404)
  })
  states('api-integrations-delete', async () => {
    const { id } = (await make.github()).integration
    const path = `/integrations/${id}`
    expect((await client.call('delete-integration', { id })).answered.text).toBe('')
    await client.refusal({ method: 'GET', path }, 404)
    await client.refusal({ method: 'DELETE', path }, 404)
    const listed = (await client.call('list-integrations')).body.integrations
    expect(listed.map((row) => row.id)).not.toContain(id)
  })
  states('api-integrations-has-secret', async () => {
    const secret = `secret-${randomUUID()}`
    const { integration, answered } = await make.github(secret)
    const { id } = integration
    const changed = `changed-${randomUUID()}`
    const config = { client_secret: changed }
    const answers = [
      answered,
      (await client.call('get-integration', { id })).answered,
      (await client.call('update-integration', { id, body: { enabled: false } })).answered,
      (await client.call('update-integration', { id, body: { config } })).answered,
      (await client.call('list-integrations')).answered,
    ]
    for (const { text } of answers) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(changed)
      expect(text).not.toContain('"client_secret"')
    }
    expect(integration.config.has_client_secret).toBe(true)
  })
  states('api-integrations-status', async (context) => {
    const { integration } = await make.github()
    const { id } = integration
    expect(integration.status).toBe('error')
    const set = async (enabled: boolean) =>
      (await client.call('update-integration', { id, body: { enabled } })).body.status
    expect(await set(false)).toBe('disabled')
    expect(await set(true)).toBe('error')
    expect((await make.bundle(context)).status).toBe('connected')
  })
  states('api-integrations-check', async () => {
    const { integration } = await make.github()
    const { id } = integration
    const { body, answered } = await client.call('check-integration', { id })
    expect(body).toMatchObject({ id, status: 'error', status_detail: expect.stringMatching(/\S \S/) })
    expect(answered.headers.etag).toMatch(/^"\d+"$/)
    await client.call('update-integration', { id, body: { enabled: false } })
    await client.refusal({ method: 'POST', path: `/integrations/${id}/check` }, 409)
  })
  states('api-integrations-events', async () => {
    const { id, path, token } = await make.sender()
    const service = `till-${randomUUID()}`
    const body = {
      incidentId: randomUUID(),
      action: 'created',
      priority: 'HIGH',
      title: 'Till fails',
      service,
    }
    const taken = await client.send({ method: 'POST', path, key: token, body })
    expect(taken.status, taken.text).toBe(202)
    expect(taken.body).toEqual({ integration_id: id, received_at: expect.stringMatching(INSTANT) })
    const opened = await until(
      async () => (await client.call('list-incidents')).body.incidents.find((row) => row.service === service),
      (incident) => incident !== undefined,
    )
    expect(opened).toMatchObject({ status: 'open', severity: 'high' })
  })
  states('api-integrations-events-authentication', async () => {
    const { path, token } = await make.sender()
    const sent = { method: 'POST', path, body: { incidentId: randomUUID(), action: 'resolved' } }
    for (const key of [null, `${token}x`, suite.service().keys.admin])
      await client.refusal({ ...sent, key }, 401)
    const named = { ...sent, key: null, headers: ['x-ingest-token', token] }
    expect((await client.send(named)).status).toBe(202)
  })
  states('api-integrations-events-limit', async () => {
    const { path, token } = await make.sender()
    const sent = { method: 'POST', path, key: token, body: { incidentId: randomUUID(), action: 'resolved' } }
    expect((await client.send(sent)).headers['x-ratelimit-limit']).toBe('6000')
  })
  also('an integration of an unreachable tool is kept and says what keeps it from working', async () => {
    const { integration } = await shared()
    expect(integration).toMatchObject({ status: 'error', status_detail: expect.stringMatching(/\S \S/) })
    expect(integration.connected_at).toBeNull()
  })
  also('refused settings do not come back in the refusal', async () => {
    const secret = `secret-${randomUUID()}`
    const config = { ...githubSettings(secret), app_id: '', tokn: secret }
    const sent = { method: 'POST', path: '/integrations', body: { type: 'github', config } }
    expect((await client.refusal(sent, 400)).answered.text).not.toContain(secret)
  })
  also('missing settings are named one by one', async () => {
    const sent = { method: 'POST', path: '/integrations', body: { type: 'github', config: {} } }
    const { details } = await client.refusal(sent, 400)
    expect((details.errors as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'config.app_id',
      'config.client_id',
      'config.client_secret',
    ])
  })
  also('repositories of an integration have the form owner/name', async () => {
    for (const repositories of [['name'], ['a/b/c'], ['../x'], 'a/b', [], { checkout: 'name' }, [7]]) {
      const config = { ...githubSettings('x'), repositories }
      const sent = { method: 'POST', path: '/integrations', body: { type: 'github', config } }
      expect((await client.refusal(sent, 400)).details.field).toMatch(/^config\.repositories/)
    }
  })
  also(
    'a bundle integration reads no folder but those of the bundles, and a wrong one is not kept',
    async (context) => {
      const { path } = suite.service().bundle ?? {}
      if (path === undefined) return context.skip('the bundle of this service is not read by `path`')
      const before = (await client.call('list-integrations')).body.integrations.length
      for (const config of [
        { path: '../small-outage' },
        { path: '/etc' },
        { path: 'small-outage/../..' },
        { path: 'no-such-folder' },
        { path: '..' },
      ]) {
        const sent = { method: 'POST', path: '/integrations', body: { type: 'bundle', config } }
        await client.invalid(sent, 'config.path')
      }
      expect((await client.call('list-integrations')).body.integrations).toHaveLength(before)
    },
  )
}

/** The operations on /incidents. */
export function incidents(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)
  const statusOf = async (id: string) => (await client.call('get-incident', { id })).body
  const refuseStatus = async (id: string, status: string) => {
    const before = await statusOf(id)
    const error = await client.refusal({ method: 'PATCH', path: `/incidents/${id}`, body: { status } }, 409)
    expect(error.code).toBe('INVALID_REQUEST')
    expect((await statusOf(id)).status).toBe(before.status)
  }

  states('api-incidents-filters', async () => {
    const { id, created_at } = await make.incident({ severity: 'medium' })
    await make.moved(id, 'investigating')
    const at = (ms: number) => new Date(Date.parse(created_at) + ms).toISOString()
    const found = async (query: Readonly<Record<string, string>>) =>
      (await client.call('list-incidents', { query })).body.incidents.some((row) => row.id === id)
    expect(await found({ start_time: at(-1), end_time: at(1) })).toBe(true)
    expect(await found({ start_time: created_at })).toBe(false)
    expect(await found({ start_time: at(-10_000), end_time: created_at })).toBe(false)
    for (const status of ['open', 'investigating', 'resolved'])
      for (const severity of ['low', 'medium', 'high', 'critical']) {
        const query = { status, severity, start_time: at(-1), end_time: at(1) }
        expect(await found(query)).toBe(status === 'investigating' && severity === 'medium')
      }
  })
  states('api-incidents-list', async () => {
    await make.incident()
    const { body } = await client.call('list-incidents', { query: { limit: '1' } })
    expect(Object.keys(body).sort()).toEqual(['incidents', 'next_cursor'])
    expect(body.incidents).toHaveLength(1)
  })
  states('api-incidents-root-cause-null', async () => {
    const incident = await make.incident()
    expect(incident).toMatchObject({ root_cause: null, analysis: 'pending' })
    const { root_cause, analysis } = await make.analysed(incident.id)
    expect(analysis).toBe('done')
    expect(root_cause?.analysed_at).toMatch(INSTANT)
  })
  states('api-incidents-create', async () => {
    const least = { title: 'Checkout fails', severity: 'high' }
    const { body, answered } = await client.call('create-incident', { body: least })
    expect(answered.status).toBe(201)
    expect(answered.headers.location).toMatch(new RegExp(`/incidents/${body.id}$`))
    const unknown = { service: null, description: null, started_at: null, resolved_at: null }
    expect(body).toMatchObject({ ...least, ...unknown, status: 'open' })
    expect(body.updated_at).toBe(body.created_at)
    const more = {
      service: 'checkout',
      description: 'One in five\nfails. ✓ <script>alert(1)</script>',
      started_at: '2026-01-31T12:14:00.000Z',
    }
    expect((await client.call('create-incident', { body: { ...least, ...more } })).body).toMatchObject(more)
    const post = (given: object) => ({ method: 'POST', path: '/incidents', body: { ...least, ...given } })
    const wrong = {
      title: ['', '  ', 'x'.repeat(201), 'a\nb', 7, null],
      severity: ['', 'urgent', null],
      service: ['', 'x'.repeat(201), 7],
      description: ['', 'x'.repeat(4_001), 7],
      started_at: ['', 'now', 7],
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) await client.invalid(post({ [field]: value }), field)
    expect((await client.send(post({ title: '😀'.repeat(200) }))).status).toBe(201)
  })
  states('api-incidents-analysis', async () => {
    const { id, analysis } = await make.incident()
    expect(analysis).toBe('pending')
    expect((await make.analysed(id)).analysis).toBe('done')
    for (const incident of (await client.call('list-incidents')).body.incidents)
      expect(['pending', 'running', 'done', 'failed']).toContain(incident.analysis)
  })
  states('api-incidents-status-untouched', async () => {
    const { id } = await make.incident()
    expect((await make.analysed(id)).status).toBe('open')
    await make.moved(id, 'resolved')
    await client.call('request-investigation', { id })
    expect((await make.analysed(id)).status).toBe('resolved')
  })
  states('api-incidents-get', async () => {
    const { id } = await make.incident({ service: 'checkout' })
    await make.moved(id, 'investigating', 'resolved')
    const file = await statusOf(id)
    expect(file).toMatchObject({ service: 'checkout', alerts: [] })
    expect(file.updated_at).toMatch(INSTANT)
    expect(file.resolved_at).toMatch(INSTANT)
    const people = file.timeline.filter(({ kind }) => kind !== 'analysed')
    expect(people.map(({ kind }) => kind)).toEqual(['created', 'status_changed', 'status_changed'])
    for (const { by, text } of people) {
      expect(by).toMatch(/^key_/)
      expect(text).toMatch(/\S/)
    }
    const times = file.timeline.map(({ at }) => at)
    expect(times).toEqual([...times].sort())
  })
  states('api-incidents-patch', async () => {
    const { id } = await make.incident({ severity: 'low' })
    const change = { status: 'investigating', severity: 'critical', title: 'Another title' }
    expect((await client.call('update-incident', { id, body: change })).body).toMatchObject(change)
    expect(await statusOf(id)).toMatchObject(change)
    const kinds = (await statusOf(id)).timeline.map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['status_changed', 'severity_changed', 'title_changed']))
    const sent = { method: 'PATCH', path: `/incidents/${id}` }
    await client.refusal({ ...sent, body: {} }, 400)
    for (const [field, value] of Object.entries({ status: 'shut', severity: 'x', title: '' }))
      await client.invalid({ ...sent, body: { [field]: value } }, field)
  })
  states('api-incidents-open-investigating-resolved', async () => {
    const { id } = await make.incident()
    await make.moved(id, 'investigating')
    expect((await statusOf(id)).resolved_at).toBeNull()
    await make.moved(id, 'resolved')
    const { status, resolved_at } = await statusOf(id)
    expect(status).toBe('resolved')
    expect(resolved_at).toMatch(INSTANT)
  })
  states('api-incidents-open-resolved', async () => {
    const { id } = await make.incident()
    await make.moved(id, 'resolved')
    expect(await statusOf(id)).toMatchObject({
      status: 'resolved',
      resolved_at: expect.stringMatching(INSTANT),
    })
  })
  states('api-incidents-reopen', async () => {
    const { id } = await make.incident()
    await make.moved(id, 'resolved', 'investigating')
    expect(await statusOf(id)).toMatchObject({ status: 'investigating', resolved_at: null })
    await make.moved(id, 'resolved')
  })
  states('api-incidents-no-op', async () => {
    for (const path of [[], ['investigating'], ['resolved']] as const) {
      const { id } = await make.incident()
      await make.moved(id, ...path)
      // After the analysis nothing else changes the incident.
      const before = await make.analysed(id)
      const { status, severity, title } = before
      const body = { status, severity, title }
      expect((await client.call('update-incident', { id, body })).body.updated_at).toBe(before.updated_at)
      expect(await statusOf(id)).toEqual(before)
    }
  })
  states('api-incidents-else-409', async () => {
    const { id } = await make.incident()
    await make.moved(id, 'investigating')
    await refuseStatus(id, 'open')
    await make.moved(id, 'resolved')
    await refuseStatus(id, 'open')
    await make.moved(id, 'investigating')
    await refuseStatus(id, 'open')
    const body = { status: 'open', title: 'Not even this' }
    await client.refusal({ method: 'PATCH', path: `/incidents/${id}`, body }, 409)
    expect((await statusOf(id)).title).not.toBe(body.title)
  })
  states('api-incidents-investigate', async () => {
    const { id } = await make.incident()
    const first = await make.analysed(id)
    const { body, answered } = await client.call('request-investigation', { id })
    expect(answered.status).toBe(202)
    expect(body).toEqual({ id, analysis: 'pending' })
    const again = await make.analysed(id)
    expect(again.timeline.map(({ kind }) => kind)).toContain('analysis_requested')
    const at = Date.parse(again.root_cause?.analysed_at ?? '')
    expect(at).toBeGreaterThan(Date.parse(first.root_cause?.analysed_at ?? ''))
    const missing = `/incidents/${unusedId('inc')}/investigate`
    await client.refusal({ method: 'POST', path: missing }, 404)
    expect(
      (await client.send({ method: 'POST', path: `/incidents/${id}/investigate`, body: {} })).status,
    ).toBe(202)
  })
  also('two changes of one incident at once both hold', async () => {
    const { id } = await make.incident({ severity: 'low' })
    await Promise.all([
      client.call('update-incident', { id, body: { severity: 'high' } }),
      client.call('update-incident', { id, body: { title: 'Changed meanwhile' } }),
      client.call('update-incident', { id, body: { status: 'investigating' } }),
    ])
    const wanted = { severity: 'high', title: 'Changed meanwhile', status: 'investigating' }
    expect(await statusOf(id)).toMatchObject(wanted)
  })
}

/** POST /signals. */
export function signals(suite: Suite): void {
  const { client } = suite
  const line = (message: string, at = new Date().toISOString()) => ({
    timestamp: at,
    service: 'signals-conformance',
    severity: 'error',
    message,
  })
  const none = { changes: 0, series: 0, logs: 0, spans: 0, edges: 0, events: 0 }
  const refused = (body: unknown, field: string) =>
    client.invalid({ method: 'POST', path: '/signals', body }, field)

  states('api-signals', async () => {
    // Pushed, and part of the very next answer, though no tool knows the service.
    const service = `pushed-${randomUUID()}`
    const [deployed, now] = [Date.now() - 600_000, Date.now()]
    const body = {
      changes: [
        { id: randomUUID(), kind: 'deploy', entity: service, recorded_at: new Date(deployed).toISOString() },
      ],
      logs: Array.from({ length: 20 }, (_, index) => ({
        ...line(`cannot price basket ${index}`, new Date(deployed + index * 20_000).toISOString()),
        service,
      })),
    }
    await client.call('push-signals', { body })
    const time_range = { start: new Date(now - 3_600_000).toISOString(), end: new Date(now).toISOString() }
    const asked = { query: `Why is ${service} failing?`, context: { service, time_range } }
    const { evidence } = (await client.call('answer-query', { body: asked })).body
    expect(evidence.some(({ query }) => query.includes('POST /signals'))).toBe(true)
  })
  states('api-signals-limit', async () => {
    const logs = (length: number) => Array.from({ length }, (_, index) => line(`line ${index}`))
    expect((await client.call('push-signals', { body: { logs: logs(1_000) } })).body.logs).toBe(1_000)
    await refused({ logs: logs(1_001) }, 'logs')
    const event = { timestamp: new Date().toISOString(), resource: 'db', kind: 'k', message: 'm' }
    await refused({ logs: logs(1_000), events: [event] }, 'body')
  })
  states('api-signals-all-or-nothing', async () => {
    const logs = Array.from({ length: 18 }, (_, index) =>
      line(`line ${index}`, index === 17 ? 'now' : undefined),
    )
    await refused({ logs }, 'logs[17].timestamp')
    await refused({ logs: [line('to come', '2099-01-01T00:00:00Z')] }, 'logs[0].timestamp')
  })
  states('api-signals-again', async () => {
    const body = { logs: [line(randomUUID())] }
    const first = await client.call('push-signals', { body })
    for (let times = 0; times < 2; times += 1)
      expect((await client.call('push-signals', { body })).body).toEqual(first.body)
  })
  states('api-signals-admin', async () => {
    const body = { logs: [line(randomUUID())] }
    const { assistant } = suite.service().keys
    await client.refusal({ method: 'POST', path: '/signals', body, key: assistant }, 403)
  })
  states('api-signals-answer', async () => {
    const { body, answered } = await client.call('push-signals', {
      body: { logs: [line(randomUUID()), line(randomUUID())] },
    })
    expect(answered.status).toBe(202)
    expect(body).toEqual({ ...none, logs: 2 })
  })
}

/** The operations on /webhooks. */
export function webhooks(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)
  const post = (more: object) => ({
    method: 'POST',
    path: '/webhooks',
    body: { url: receiver(), events: ['incident.created'], secret: SECRET, ...more },
  })

  states('api-webhooks-list', async () => {
    const { webhook } = await make.webhook()
    const listed = (await client.call('list-webhooks')).body.webhooks
    expect(listed.find(({ id }) => id === webhook.id)).toEqual(webhook)
  })
  states('api-webhooks-create', async () => {
    const url = receiver()
    const { webhook, answered } = await make.webhook({ url })
    expect(answered.status).toBe(201)
    expect(answered.headers.location).toMatch(new RegExp(`/webhooks/${webhook.id}$`))
    expect(webhook).toMatchObject({ url, events: ['incident.created'], status: 'enabled' })
    expect(webhook.created_at).toMatch(INSTANT)
  })
  states('api-webhooks-get', async () => {
    const { webhook } = await make.webhook()
    expect((await client.call('get-webhook', { id: webhook.id })).body).toEqual(webhook)
    await client.refusal({ method: 'GET', path: `/webhooks/${unusedId('wh')}` }, 404)
  })
  states('api-webhooks-patch', async () => {
    const { webhook } = await make.webhook()
    const { id } = webhook
    const change = { url: receiver(), events: ['incident.resolved'], status: 'disabled' }
    expect((await client.call('update-webhook', { id, body: change })).body).toMatchObject(change)
    const { body } = await client.call('get-webhook', { id })
    expect(body).toMatchObject({ ...change, created_at: webhook.created_at })
    const sent = { method: 'PATCH', path: `/webhooks/${id}` }
    await client.refusal({ ...sent, body: {} }, 400)
    for (const [field, value] of Object.entries({ url: 'x', events: [], status: 'off' }))
      await client.invalid({ ...sent, body: { [field]: value } }, field)
    const missing = `/webhooks/${unusedId('wh')}`
    await client.refusal({ method: 'PATCH', path: missing, body: { status: 'disabled' } }, 404)
  })
  states('api-webhooks-delete', async () => {
    const { id } = (await make.webhook()).webhook
    const path = `/webhooks/${id}`
    expect((await client.call('delete-webhook', { id })).answered.text).toBe('')
    await client.refusal({ method: 'GET', path }, 404)
    await client.refusal({ method: 'DELETE', path }, 404)
    await client.refusal({ method: 'PATCH', path, body: { status: 'enabled' } }, 404)
    const listed = (await client.call('list-webhooks')).body.webhooks
    expect(listed.map((row) => row.id)).not.toContain(id)
  })
  states('api-webhooks-secret', async () => {
    for (const secret of [randomUUID(), `whsec_${Buffer.from(randomUUID()).toString('base64')}`]) {
      const { webhook, answered } = await make.webhook({ secret })
      const { id } = webhook
      const answers = [
        answered,
        (await client.call('get-webhook', { id })).answered,
        (await client.call('update-webhook', { id, body: { status: 'disabled' } })).answered,
        (await client.call('list-webhooks')).answered,
      ]
      for (const { text } of answers) {
        expect(text).not.toContain(secret)
        expect(text).not.toContain(secret.replace('whsec_', ''))
        expect(text).not.toContain('"secret"')
      }
    }
    const refused = await client.refusal(post({ secret: 'ünprintable-secret' }), 400)
    expect(refused.answered.text).not.toContain('printable-secret')
  })
  states('api-webhooks-events-non-empty', async () => {
    await client.invalid(post({ events: [] }), 'events')
  })
  states('api-webhooks-events-known', async () => {
    for (const kind of ['incident.deleted', 'INCIDENT.CREATED', '*', ''])
      await client.invalid(post({ events: ['incident.created', kind] }), 'events[1]')
  })
  states('api-webhooks-events-collapsed', async () => {
    const events = ['incident.resolved', 'incident.created', 'incident.resolved', 'incident.resolved']
    const { webhook } = await make.webhook({ events })
    expect([...webhook.events].sort()).toEqual(['incident.created', 'incident.resolved'])
  })
  states('api-event-kinds', async () => {
    for (const kind of ['incident.created', 'incident.resolved'])
      expect((await make.webhook({ events: [kind] })).webhook.events).toEqual([kind])
  })
  also('an address that must not be called is INVALID_REQUEST on url', async () => {
    const { origin } = new URL(suite.service().baseUrl)
    const addresses = [
      'https://10.0.0.1/hook',
      'https://172.16.0.1/hook',
      'https://192.168.1.1/hook',
      'https://169.254.169.254/latest/meta-data/',
      'https://100.64.0.1/hook',
      'https://0.0.0.0/hook',
      'https://224.0.0.1/hook',
      'https://[fd00::1]/hook',
      'https://[fe80::1]/hook',
      'https://[::ffff:10.0.0.1]/hook',
      'https://[64:ff9b::a00:1]/hook',
      'https://0x0a000001/hook',
      'https://167772161/hook',
      'https://user:password@receiver.example/hook',
      'ftp://receiver.example/hook',
      'file:///etc/passwd',
      'javascript:alert(1)',
      `${origin}/v1/incidents`,
    ]
    for (const url of addresses) await client.invalid(post({ url }), 'url')
    const { id } = (await make.webhook()).webhook
    const body = { url: 'https://10.0.0.1/hook' }
    await client.invalid({ method: 'PATCH', path: `/webhooks/${id}`, body }, 'url')
  })
  also('http and loopback are taken by the local runner alone', async (context) => {
    const urls = ['http://127.0.0.1:9/hook', 'http://[::1]:9/hook', 'http://localhost:9/hook']
    if (process.env.STRICT_EGRESS === '1' || !suite.service().localEgress) {
      for (const url of [...urls, 'https://127.0.0.1/hook', 'http://receiver.example/hook'])
        await client.invalid(post({ url }), 'url')
    } else for (const url of urls) await make.webhook({ url })
    expect(context.task.name).toMatch(/loopback/)
  })
  also('a receiver whose name does not resolve now is taken, since every delivery checks again', async () => {
    await make.webhook({ url: `https://${randomUUID()}.invalid/hook` })
  })
}

/** Shapes of evidence and of the root cause. */
export function evidence(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)
  const answer = lazily(async () => {
    await make.incident({ severity: 'critical' })
    return (await client.call('answer-query', { body: COUNT })).body
  })
  /** The root cause of an incident about the outage of the bundle, where there is one. */
  const found = lazily(async () => {
    const { bundle } = suite.service()
    const connected = bundle === undefined ? undefined : await make.integration('bundle', bundle)
    const started_at = OUTAGE_STARTED_AT
    const { id } = await make.incident({ service: 'checkout', severity: 'critical', started_at })
    const { root_cause } = await make.analysed(id)
    if (root_cause === null) throw new Error('the analysis left no root cause')
    return { rootCause: root_cause, integration: connected?.integration, id }
  })
  const items = async () => [...(await answer()).evidence, ...(await found()).rootCause.evidence]

  // First of the group: afterwards a bundle is connected.
  also(
    'without an integration the root cause is inconclusive, with confidence 0 and a gap',
    async (context) => {
      const { integrations: connected } = (await client.call('list-integrations')).body
      if (connected.some(({ status }) => status === 'connected' || status === 'degraded'))
        return context.skip('the service has integrations of its own')
      // Of a time of which nobody pushed anything, this suite neither.
      const about = { service: 'nobody-knows', started_at: '2001-01-01T00:00:00Z' }
      const { root_cause } = await make.analysed((await make.incident(about)).id)
      expect(root_cause).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
      expect(root_cause?.gaps.length).toBeGreaterThan(0)
    },
  )
  states('api-evidence-source', async () => {
    expect((await items()).length).toBeGreaterThan(0)
    for (const { source } of await items()) expect(EVIDENCE_SOURCES).toContain(source)
  })
  states('api-evidence-type', async () => {
    for (const { type } of await items()) expect(EVIDENCE_TYPES).toContain(type)
  })
  states('api-evidence-fields', async () => {
    for (const item of await items()) expect(Object.keys(item).sort()).toEqual(EVIDENCE_FIELDS)
    for (const group of [(await answer()).evidence, (await found()).rootCause.evidence])
      expect(new Set(group.map(({ id }) => id)).size).toBe(group.length)
  })
  states('api-evidence-query', async () => {
    for (const { query } of await items()) expect(query).toMatch(/\S/)
  })
  states('api-evidence-digest', async (context) => {
    // Only what a tool answered has a digest.
    if (suite.service().bundle === undefined)
      return context.skip('the keys file names no `bundle` of the service')
    const digests = (await items()).map(({ digest }) => digest).filter((digest) => digest !== null)
    expect(digests.length).toBeGreaterThan(0)
    for (const digest of digests) expect(digest).toMatch(/^(sha256:)?[0-9a-f]{64}$/)
  })
  states('api-evidence-root-cause', async (context) => {
    const { rootCause, integration } = await found()
    if (integration === undefined) return context.skip('the keys file names no `bundle` of the service')
    expect(rootCause.evidence.length).toBeGreaterThan(0)
    for (const item of rootCause.evidence) expect(Object.keys(item).sort()).toEqual(EVIDENCE_FIELDS)
    expect(rootCause.evidence.map(({ integration_id }) => integration_id)).toContain(integration.id)
  })
  states('api-incidents-verify', async (context) => {
    const { id, rootCause, integration } = await found()
    if (integration === undefined) return context.skip('the keys file names no `bundle` of the service')
    const { body } = await client.call('verify-incident', { id })
    expect(body.evidence.map((item) => item.id)).toEqual(rootCause.evidence.map((item) => item.id))
    // A recorded bundle says the same again.
    expect(body.evidence.map(({ status }) => status)).toEqual(rootCause.evidence.map(() => 'same'))
    expect(body.counts.same).toBe(rootCause.evidence.length)
    await client.refusal({ method: 'POST', path: `/incidents/${unusedId('inc')}/verify` }, 404)
  })
  states('api-root-cause-fields', async () => {
    expect(Object.keys((await found()).rootCause)).toEqual(
      expect.arrayContaining([
        'summary',
        'confidence',
        'evidence',
        'outcome',
        'cause',
        'state',
        'impact',
        'hypotheses',
        'ruled_out',
        'gaps',
        'next_check',
        'revert_to',
        'confidence_basis',
        'engine_version',
        'snapshot_digest',
      ]),
    )
  })
  also('what a root cause cites is among its evidence', async () => {
    const { rootCause } = await found()
    const ids = new Set(rootCause.evidence.map(({ id }) => id))
    for (const { supported_by, contradicted_by } of rootCause.hypotheses)
      for (const cited of [...supported_by, ...contradicted_by]) expect(ids).toContain(cited)
    for (const { evidence: cited } of rootCause.ruled_out) for (const id of cited) expect(ids).toContain(id)
  })
  also('a list carries the root cause with at most three pieces of its evidence', async () => {
    const { id } = await found()
    const listed = (await client.call('list-incidents', { query: { severity: 'critical' } })).body.incidents
    const mine = listed.find((incident) => incident.id === id)
    expect(mine?.root_cause?.summary).toMatch(/\S/)
    expect(mine?.root_cause?.evidence.length).toBeLessThanOrEqual(3)
  })
}

/** Health, the document, and the examples that it shows. */
export function serviceDocument(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)

  states('api-openapi', async () => {
    const { body } = await client.call('get-openapi', { key: null })
    expect(body).toEqual(document)
  })
  states('api-health', async () => {
    const { body } = await client.call('get-health', { key: null })
    expect(body).toEqual({ status: 'ok', version: expect.stringMatching(/\S/) })
  })
  also('every operation of the table is in the document, and no other', () => {
    const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> }
    const documented = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(documented.sort()).toEqual(operationList.map(({ id }) => id).sort())
  })
  const ids: Partial<Record<OperationId, () => Promise<string>>> = {
    'update-incident': async () => (await make.incident()).id,
    'update-integration': async () => (await make.github()).integration.id,
    'update-webhook': async () => (await make.webhook()).webhook.id,
    'rotate-webhook-secret': async () => (await make.webhook()).webhook.id,
    'recover-webhook': async () => (await make.webhook()).webhook.id,
  }
  for (const { id: operation, people } of operationList) {
    // The suite has keys, and no user to sign in.
    if (people === true) continue
    for (const { summary, body: shown, query } of examples[operation] ?? []) {
      // The instant of an example lies too far back by now.
      const recent = { since: new Date(Date.now() - 3_600_000).toISOString() }
      const body = operation === 'recover-webhook' ? recent : shown
      also(`the example "${summary}" of ${operation} is answered as the document declares`, async () => {
        const id = await ids[operation]?.()
        const { answered } = await client.call(operation, {
          ...(id === undefined ? {} : { id }),
          ...(body === undefined ? {} : { body }),
          ...(query === undefined ? {} : { query }),
        })
        const made = (answered.body as { id?: string } | undefined)?.id
        if (operation === 'create-webhook') make.made(`/webhooks/${made}`)
        if (operation === 'create-integration') make.made(`/integrations/${made}`)
      })
    }
  }
}
