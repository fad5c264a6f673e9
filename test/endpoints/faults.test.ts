import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { SQSBatchResponse } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { examples } from '#shared/contract/examples.ts'
import { type Operation, type OperationId, operationList, operations } from '#shared/contract/operations.ts'
import { ENV } from '#shared/names.ts'
import { contextOf, type Got, type Sent } from '#test/edge/call-endpoint.ts'
import { changesBetween, type Dump, dumpTables, putBack, readTables } from '#test/storage/dump-tables.ts'
import { FAULTS, type Fault, type FaultLayer, faultLayer } from '#test/storage/fault-layer.ts'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { newDelivery } from './receiver.ts'
import { handlerOf, type Service, startService, withKey } from './service.ts'

/** Secrets that go in by every door and must come out by none. */
const CANARY = { webhook: 'canary-of-the-webhook-0123456789', integration: 'canary-of-the-integration-98765' }
const CANARIES = Object.values(CANARY)

let service: Service
let faults: FaultLayer
let github: Server
let written = ''
/** What must not hold a secret: every log line and every answer. */
const note = (text: string) => {
  written += text
}

/** What every try writes, accepted or not: how often a key was used in a minute, and when last. */
const COUNTER = /^(?:w\d+|last_used_at)$/

/** All that is stored, without the counters of keys and users. */
async function stored(): Promise<Dump> {
  const tables = ['incidents', 'integrations', 'webhooks', 'queries', 'signals', 'keys'] as const
  const dump = await dumpTables(service.store.client, service.store.names, tables)
  return new Map(
    [...dump]
      .filter(([key]) => !key.startsWith('keys USER#'))
      .map(([key, item]) => [
        key,
        JSON.stringify(JSON.parse(item), (name, value: unknown) => (COUNTER.test(name) ? undefined : value)),
      ]),
  )
}

const incident = { title: 'Checkout fails', severity: 'high', service: 'checkout' }
const webhook = { url: 'https://example.com/hook', events: ['incident.created'], secret: CANARY.webhook }
let integration: { type: string; config: Record<string, string> }

async function make(id: OperationId, body: unknown): Promise<string> {
  const { body: made, status } = await service.call(id, { body })
  expect(status, JSON.stringify(made)).toBe(201)
  return String(made.id)
}

let pushed = 0
/** A batch that was not pushed before. */
const newSignals = () => {
  pushed += 1
  return {
    logs: [
      { timestamp: '2026-01-31T12:00:00Z', service: 'checkout', severity: 'error', message: `no ${pushed}` },
    ],
  }
}

let lastWebhook: string | undefined
/** Ends the last subscription that was made: there may be 100 of them. */
async function forgetWebhook(): Promise<void> {
  if (lastWebhook !== undefined) await service.call('delete-webhook', { id: lastWebhook })
  lastWebhook = undefined
}

/**
 * A request of an operation that succeeds, on a resource of its own where it changes one.
 * @param before is done before another subscription is made
 */
async function requestOf(id: OperationId, before: () => Promise<void> = forgetWebhook): Promise<Sent> {
  const { path, method } = operations[id]
  const kind = path.split('/')[1]
  const body: unknown =
    id === 'push-signals'
      ? newSignals()
      : id === 'create-integration'
        ? integration
        : id === 'create-webhook'
          ? webhook
          : examples[id]?.[0]?.body
  const sent = method === 'GET' || body === undefined ? {} : { body }
  if (!path.includes('{id}')) return sent
  if (kind === 'keys') return { ...sent, id: await make('create-key', { name: 'on call', type: 'admin' }) }
  if (kind === 'incidents') return { ...sent, id: await make('create-incident', incident) }
  if (id === 'redeliver' || id === 'list-deliveries') {
    await before()
    const delivery = await newDelivery(service)
    lastWebhook = delivery.webhook_id
    return { ...sent, id: delivery.webhook_id, parameters: { delivery_id: delivery.id } }
  }
  if (kind === 'webhooks') {
    await before()
    lastWebhook = await make('create-webhook', webhook)
    // The instant of the example lies too far back by now.
    const since = { since: new Date(Date.now() - 3_600_000).toISOString() }
    return { ...sent, ...(id === 'recover-webhook' ? { body: since } : {}), id: lastWebhook }
  }
  if (id === 'push-events') {
    const made = await service.call('create-integration', { body: integration })
    return { id: made.body.id, headers: { 'X-Ingest-Token': made.body.ingest.token }, body: {} }
  }
  if (kind === 'integrations') return { ...sent, id: await make('create-integration', integration) }
  const asked = await service.call('answer-query', { body: { query: 'Why is checkout failing?' } })
  return { ...sent, id: asked.body.id }
}

beforeAll(async () => {
  const started = await startService({ queue: true })
  // A fast machine sends more than one key may in a minute.
  const keys = await Promise.all(Array.from({ length: 6 }, () => started.newKey('admin')))
  let sent = 0
  service = {
    ...started,
    call: (operation, request = {}) => {
      sent += 1
      const isOfPeople = (operations[operation] as Operation).people === true
      const headers = isOfPeople ? started.permitted(operation) : withKey(keys[sent % keys.length]?.key ?? '')
      return started.call(operation, { headers, ...request })
    },
  }
  // The log is what is looked at: nothing of it is left out.
  process.env.LOG_LEVEL = 'DEBUG'
  process.env[ENV.egress] = 'local'
  github = createServer((_request, response) => response.writeHead(404).end('{}'))
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(github.address() as AddressInfo).port}/api/v3`
  integration = {
    type: 'github',
    config: { app_id: '1', client_id: 'Iv1.a', client_secret: CANARY.integration, base_url },
  }
  await mkdir(join(service.bundles, 'one'), { recursive: true })
  await writeFile(
    join(service.bundles, 'one', 'bundle.json'),
    JSON.stringify({
      format: 'incident-bundle/1',
      window: { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
    }),
  )
  const { documents } = await import('#shared/runtime.ts')
  faults = faultLayer(documents())
})
afterAll(async () => {
  await service.stop()
  github.close()
})
beforeEach(() => {
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      note(String(text))
      return true
    })
})

function expectClear(got: Got, id: OperationId): void {
  note(JSON.stringify(got))
  if (got.status === operations[id].success.status) return
  expect(got.status, JSON.stringify(got.body)).toBe(500)
  expect(got.body.error.code).toBe('INTERNAL_ERROR')
  expect(Object.keys(got.body.error.details)).toEqual(['request_id'])
  expect(got.headers['X-Request-Id']).toBe(got.body.error.details.request_id)
  expect(Object.keys(got.headers)).toEqual(
    expect.arrayContaining([
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Cache-Control',
    ]),
  )
}

describe('with every fault at every call of the store', () => {
  // Tables are read whole again and again: what a case made must not be there for all that come after it.
  let kept: Awaited<ReturnType<typeof readTables>>
  beforeAll(async () => {
    // The first of each kind begins its count, which no later one does.
    await make('create-webhook', webhook)
    await make('create-integration', integration)
    kept = await readTables(service.store.client, service.store.names)
  })
  afterEach(async () => {
    await putBack(service.store.client, service.store.names, kept)
    lastWebhook = undefined
  })

  const cases = operationList
    // What is asked again is looked at below: its calls are those of tools, which may fail.
    .filter(({ id, calls }) => calls.length > 0 && !id.startsWith('verify-'))
    .flatMap(({ id, calls }) => FAULTS.map((fault) => [id, fault, calls.length] as const))

  it.each(cases)('%s keeps its promises: %s', async (id, fault, calls) => {
    const clean = await requestOf(id)
    const untouched = await stored()
    expect((await service.call(id, clean)).status).toBe(operations[id].success.status)
    const whole = changesBetween(untouched, await stored())
    for (let call = 1; call <= calls; call += 1) {
      const request = await requestOf(id)
      const before = await stored()
      faults.at(call, fault)
      const got = await service.call(id, request)
      // A GET may answer its refusal while its read is still under way.
      await vi.waitFor(() => expect(faults.met.length).toBeGreaterThan(0))
      const { command, table } = faults.met[0] ?? {}
      faults.off()
      expectClear(got, id)
      const changes = changesBetween(before, await stored())
      if (changes.length > 0 || got.status < 300) expect(changes, `call ${call}`).toEqual(whole)
      if (fault === 'answered_twice') expect(got.status, `call ${call}`).toBe(operations[id].success.status)
      // What was pushed is one more tool: where it cannot be read the answer says so, and stands.
      const isTool = id === 'answer-query' && command === 'Query' && table === service.store.names.signals
      if (isTool && got.status === 200 && fault !== 'answered_twice')
        expect(got.body.gaps).toContainEqual({ what: 'pushed signals', why: 'could not be read' })
      if (fault === 'refused' || fault === 'lost') expect(got.status, `call ${call}`).toBe(isTool ? 200 : 500)
    }
  })
})

describe('evidence that is asked again', () => {
  /** An answer or a root cause with evidence of a connected tool. */
  async function withEvidence(id: OperationId): Promise<string> {
    if (id === 'verify-query') {
      const asked = await service.call('answer-query', { body: { query: 'Why does checkout fail?' } })
      expect(asked.body.evidence.length, JSON.stringify(asked.body)).toBeGreaterThan(0)
      return asked.body.id
    }
    const made = await make('create-incident', incident)
    const { incidents } = await import('#shared/runtime.ts')
    const lease = await incidents().claimInvestigation(made, Date.now(), Date.now() + 60_000)
    if (lease === undefined) throw new Error('the incident is not due')
    await incidents().completeInvestigation(lease, sampleRootCause(), sampleEntry(Date.now(), 'analysed'))
    return made
  }

  it.each(
    (['verify-query', 'verify-incident'] as const).flatMap((id) =>
      FAULTS.map((fault) => [id, fault] as const),
    ),
  )('%s says what could not be asked, or that it failed, and changes nothing: %s', async (id, fault) => {
    const path = 'outage'
    await writeSampleOutage(join(service.bundles, path), { endsAt: Date.now() })
    // Most of it is spans and lines of logs: it is read whole for every call, and what is left is evidence enough.
    for (const file of ['spans.ndjson', 'logs.ndjson']) await rm(join(service.bundles, path, file))
    const tool = await make('create-integration', { type: 'bundle', config: { path } })
    const of = await withEvidence(id)
    const before = await stored()
    let call = 1
    for (let isMet = true; isMet; call += 1) {
      faults.at(call, fault)
      const got = await service.call(id, { id: of })
      isMet = faults.met.length > 0
      faults.off()
      expectClear(got, id)
      expect(changesBetween(before, await stored()), `call ${call}`).toEqual([])
      if (!isMet || fault === 'answered_twice') expect(got.status, `call ${call}`).toBe(200)
    }
    // Every call of the row was met but the pages that there were none of.
    expect(call - 2).toBeGreaterThanOrEqual(4)
    expect(call - 2).toBeLessThanOrEqual(operations[id].calls.length)
    await service.call('delete-integration', { id: tool })
  })
})

describe('transactions that overlap', () => {
  it('are tried again until each has been written once', async () => {
    const id = await make('create-incident', incident)
    const got = await Promise.all(
      Array.from({ length: 6 }, () => service.call('request-investigation', { id })),
    )
    expect(got.map(({ status }) => status)).toEqual(Array(6).fill(202))
    expect(faults.met.some(({ fault }) => fault === 'conflict')).toBe(true)
    const { body } = await service.call('get-incident', { id })
    expect(body.timeline.filter(({ kind }: { kind: string }) => kind === 'analysis_requested')).toHaveLength(
      6,
    )
    faults.off()
  })

  it('count every member of a list that is added and removed at once', async () => {
    const before = (await service.call('list-webhooks', { query: { limit: '100' } })).body.webhooks.length
    const got = await Promise.all(
      Array.from({ length: 5 }, () => service.call('create-webhook', { body: webhook })),
    )
    const made = got.filter(({ status }) => status === 201)
    expect(got.filter(({ status }) => status !== 201 && status !== 500)).toEqual([])
    expect(made.length).toBeGreaterThan(0)
    const after = (await service.call('list-webhooks', { query: { limit: '100' } })).body.webhooks.length
    expect(after - before).toBe(made.length)
    const dump = await dumpTables(service.store.client, service.store.names, ['webhooks'])
    const counted = JSON.parse([...dump].find(([key]) => key.includes('_COUNT'))?.[1] ?? '{}')
    expect(Object.values(counted)).toContain(after)
    faults.off()
  })
})

describe('workers', () => {
  type Work = (event: unknown, context: unknown) => Promise<SQSBatchResponse>
  const worker = async (name: string) => (await handlerOf(`workers/${name}`)) as unknown as Work

  it.each(FAULTS)('an investigation is done whole or given back: %s', async (fault) => {
    const work = await worker('investigate-incident')
    const states = new Set<string>()
    for (let call = 1; call <= 6; call += 1) {
      const id = await make('create-incident', incident)
      faults.at(call, fault)
      const body = JSON.stringify({ incident_id: id })
      const answer = await work({ Records: [{ messageId: 'one', body }] }, contextOf(60_000))
      faults.off()
      const { body: file } = await service.call('get-incident', { id })
      const items = await dumpTables(service.store.client, service.store.names, ['incidents'])
      const full = items.has(`incidents INCIDENT#${id} ROOT_CAUSE`)
      const analysed = file.timeline.some(({ kind }: { kind: string }) => kind === 'analysed')
      expect([full, analysed, file.root_cause !== null], `call ${call}: ${file.analysis}`).toEqual(
        Array(3).fill(file.analysis === 'done'),
      )
      // Whatever has not ended is found again: by the queue now, or by the sweeper when its lease or wait is over.
      if (file.analysis !== 'done' && answer.batchItemFailures.length === 0)
        expect(
          [...items].some(([key, item]) => key.endsWith(`#${id} INCIDENT`) && item.includes('"due_list"')),
        ).toBe(true)
      states.add(file.analysis)
    }
    expect(states.has('done')).toBe(true)
  })

  it.each(['throttled', 'failing', 'refused'] as const)(
    'the sweeper fails loudly: %s',
    async (fault: Fault) => {
      const work = await worker('sweep-investigations')
      faults.at(1, fault)
      await expect(work({}, contextOf())).rejects.toThrow('planted')
      faults.off()
    },
  )
})

describe('by chance', () => {
  it.each([1, 2, 3])('nothing but success and INTERNAL_ERROR is answered, with seed %i', async (seed) => {
    const wanted: (readonly [OperationId, Sent])[] = []
    // One after the other: made at once, what counts in one item is tried again more often than a slow machine has time for.
    for (const { id } of operationList.filter(({ calls }) => calls.length > 0))
      wanted.push([id, await requestOf(id, async () => {})])
    faults.randomly(seed, 0.3)
    for (const [id, request] of wanted) expectClear(await service.call(id, request), id)
    expect(faults.met.length).toBeGreaterThan(3)
    faults.off()
  })
})

describe('secrets', () => {
  it('are in no log line, no answer and no item, whatever failed', async () => {
    expect(written).toContain('request_failed')
    const items = [...(await stored()).values()].join('\n')
    expect(items).toContain('"sealed"')
    for (const canary of [...CANARIES, service.adminKey]) {
      expect(written.includes(canary), canary).toBe(false)
      expect(items.includes(canary), canary).toBe(false)
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        const text = Buffer.from(canary).toString(form)
        expect(written.includes(text) || items.includes(text), canary).toBe(false)
      }
    }
  })
})
