import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { examples } from '#shared/contract/examples.ts'
import { type OperationId, operationList, operations } from '#shared/contract/operations.ts'
import { fanOut } from '#shared/domain/fan-out.ts'
import { createdEventId, INCIDENT_STATUSES, SEVERITIES } from '#shared/domain/incident.ts'
import type { Got, Sent } from '#test/edge/call-endpoint.ts'
import { type CallCount, countCalls } from '#test/storage/count-calls.ts'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { writeCalmBundle } from './calm-bundle.ts'
import { newSender } from './sender.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
let counted: CallCount
const ids: Partial<Record<'inc' | 'integration' | 'key' | 'wh' | 'query', string>> = {}

const incident = { title: 'Checkout fails', severity: 'high', service: 'checkout' }
const webhook = { url: 'https://example.com/hook', events: ['incident.created'], secret: 'x'.repeat(24) }

/** A request of each operation that succeeds, on resources made before. */
async function requestOf(id: OperationId): Promise<Sent> {
  const { path, method } = operations[id]
  const kind = path.split('/')[1]
  const prefix = {
    incidents: 'inc',
    integrations: 'integration',
    keys: 'key',
    webhooks: 'wh',
    query: 'query',
  }[kind ?? ''] as keyof typeof ids
  const needsId = path.includes('{id}')
  if (method === 'DELETE') return { id: (await make(prefix)).body.id }
  if (path.includes('/deliveries')) {
    const { id: delivery, webhook_id } = await makeDelivery()
    return {
      id: webhook_id,
      ...(path.includes('{delivery_id}') ? { parameters: { delivery_id: delivery } } : {}),
    }
  }
  // Evidence there has to be: without any no tool is asked.
  if (id === 'verify-query') {
    await writeSampleOutage(join(service.bundles, 'shop'), { endsAt: Date.now() })
    await service.done('create-integration', { body: { type: 'bundle', config: { path: 'shop' } } })
    return { id: (await make('query')).body.id as string }
  }
  if (id === 'verify-incident') {
    const made = (await make('inc')).body.id as string
    const { incidents } = await import('#shared/runtime.ts')
    const lease = await incidents().claimInvestigation(made, Date.now(), Date.now() + 60_000)
    if (lease === undefined) throw new Error('the incident is not due')
    const entry = sampleEntry(Date.now(), 'analysed')
    await incidents().completeInvestigation(lease, sampleRootCause(), entry)
    return { id: made }
  }
  if (id === 'push-events') {
    const sender = await newSender()
    return { id: sender.id, headers: sender.headers, body: {} }
  }
  // The common one is disabled by the row before.
  if (id === 'check-integration') return { id: (await make('integration')).body.id as string }
  const body =
    {
      'create-integration': { type: 'bundle', config: { path: 'one' } },
      'recover-webhook': { since: new Date(Date.now() - 3_600_000).toISOString() },
    }[id as string] ?? examples[id]?.[0]?.body
  return { ...(needsId ? { id: ids[prefix] ?? '' } : {}), ...(body === undefined ? {} : { body }) }
}

/** The delivery of an incident's event, as the relay gives it. */
async function makeDelivery(): Promise<{ readonly id: string; readonly webhook_id: string }> {
  const { sweepActs } = await import('#shared/runtime.ts')
  const acts = sweepActs()
  const opened = await make('inc')
  const event = createdEventId(opened.body.id as string)
  const webhook_id = (await make('wh')).body.id as string
  await fanOut(acts, event)
  return { id: acts.deliveries.idOf(event, webhook_id), webhook_id }
}

async function make(prefix: keyof typeof ids): Promise<Got> {
  switch (prefix) {
    case 'inc':
      return service.call('create-incident', { body: incident })
    case 'integration':
      return service.call('create-integration', { body: { type: 'bundle', config: { path: 'one' } } })
    case 'key':
      return service.call('create-key', { body: { name: 'a key', type: 'assistant' } })
    case 'wh':
      return service.call('create-webhook', { body: webhook })
    case 'query':
      return service.call('answer-query', { body: { query: 'Why is checkout failing?' } })
  }
}

beforeAll(async () => {
  service = await startService({ queue: true })
  await writeCalmBundle(join(service.bundles, 'one'))
  for (const prefix of ['inc', 'integration', 'key', 'wh', 'query'] as const) {
    const made = await make(prefix)
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
    ids[prefix] = made.body.id
  }
  // Lists read the key of their cursors once in the life of a process.
  for (const list of ['list-incidents', 'list-integrations', 'list-webhooks'] as const) {
    await service.call(list)
  }
  const { documents } = await import('#shared/runtime.ts')
  counted = countCalls(documents())
})
afterAll(() => service.stop())

describe('a successful request makes the store calls that its row of the table says', () => {
  it.each(operationList.map(({ id }) => id))('%s', async (id) => {
    const request = await requestOf(id)
    counted.reset()
    const got = await service.call(id, request)
    expect(got.status, JSON.stringify(got.body)).toBe(operations[id].success.status)
    expect(counted.names()).toEqual(operations[id].calls)
    expect(counted.attempts()).toBe(operations[id].calls.length)
  })
})

describe('a GET', () => {
  it('is one write and at most one read', () => {
    for (const { id, method, calls } of operationList) {
      // The index of keys holds ids alone, so that counting a request does not write it.
      if (method === 'GET' && id !== 'list-keys')
        expect(calls.filter((call) => call !== 'UpdateItem').length).toBeLessThanOrEqual(1)
    }
  })
})

describe('a request that is refused by its own text', () => {
  it.each([
    ['a malformed key', { id: 'inc_1', headers: withKey('iis_live_adm_nonsense') }, 401],
    ['no key', { id: 'inc_1', headers: {} }, 401],
  ] as const)('makes no store call: %s', async (_name, sent, status) => {
    counted.reset()
    expect((await service.call('get-incident', sent)).status).toBe(status)
    expect(counted.names()).toEqual([])
  })

  it('reads nothing for an id of the wrong form', async () => {
    counted.reset()
    expect((await service.call('get-incident', { id: 'inc_1' })).status).toBe(404)
    expect(counted.names()).toEqual(['UpdateItem'])
  })

  it('reads nothing for a key that may not', async () => {
    counted.reset()
    const got = await service.call('get-incident', {
      id: ids.inc ?? '',
      headers: withKey(service.assistantKey),
    })
    expect(got.status).toBe(403)
    expect(counted.names()).toEqual(['UpdateItem'])
  })
})

describe('every combination of filters of GET /incidents', () => {
  const times = [
    {},
    { start_time: '2026-01-01T00:00:00Z' },
    { end_time: '2099-01-01T00:00:00Z' },
    { start_time: '2026-01-01T00:00:00Z', end_time: '2099-01-01T00:00:00Z' },
  ]
  const combinations = [undefined, ...INCIDENT_STATUSES].flatMap((status) =>
    [undefined, ...SEVERITIES].flatMap((severity) =>
      times.map((time) => ({ ...(status ? { status } : {}), ...(severity ? { severity } : {}), ...time })),
    ),
  )

  it('is one Query, all 80 of them', async () => {
    expect(combinations).toHaveLength(80)
    for (const query of combinations) {
      counted.reset()
      const got = await service.call('list-incidents', { query: query as Record<string, string> })
      expect(got.status).toBe(200)
      expect(counted.names()).toEqual(['UpdateItem', 'Query'])
    }
  })
})
