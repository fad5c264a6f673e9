import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OperationId, operations } from '#shared/contract/operations.ts'
import { fanOut } from '#shared/domain/fan-out.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import type { Got, Sent } from '#test/edge/call-endpoint.ts'
import { changesBetween, dumpTables } from '#test/storage/dump-tables.ts'
import type { Fault } from '#test/storage/fault-layer.ts'
import { type DeployedService, startDeployedService } from './deployed-service.ts'
import { startReceiver, type TestReceiver } from './receiver.ts'

/** Secrets that go in by every door and must come out by none. */
const CANARY = { webhook: 'canary-of-the-webhook-0123456789', rotated: 'canary-of-the-rotation-98765432' }
/** The most calls that any operation makes here; beyond it something goes round in circles. */
const MOST_CALLS = 20

let deployed: DeployedService
let receiver: TestReceiver
let written = ''
/** Calls that met a fault, of every service. */
const commands = new Set<string>()
beforeAll(async () => {
  deployed = await startDeployedService()
  receiver = await startReceiver()
  process.env.LOG_LEVEL = 'DEBUG'
  const window = { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' }
  const head = JSON.stringify({ format: 'incident-bundle/1', window })
  await deployed.objects.put('bundles/one/bundle.json', Buffer.from(head))
  // The counts that quotas go by are there from the first of each kind on.
  await deployed.subscribe(receiver.url, CANARY.webhook)
  await deployed.connect('bundle', { prefix: 'one' })
  await forgetAll()
}, 120_000)
afterAll(async () => {
  vi.restoreAllMocks()
  receiver.close()
  await deployed.stop()
})
beforeEach(() => {
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += String(text)
      return true
    })
})
afterEach(() => {
  deployed.faults.off()
})

/** Subscriptions and integrations that a run made; they end with it. */
async function forgetAll(): Promise<void> {
  const { service } = deployed
  for (const { id } of (await service.done('list-webhooks', { query: { limit: '100' } })).webhooks)
    await service.done('delete-webhook', { id })
  for (const { id } of (await service.done('list-integrations', { query: { limit: '100' } })).integrations)
    await service.done('delete-integration', { id })
}
const subscribed = async (): Promise<Sent> => ({
  id: await deployed.subscribe(receiver.url, CANARY.webhook),
})

/** A request of each operation that calls the key, a queue or the bucket, on resources of its own. */
const REQUESTS = {
  'create-webhook': async () => ({
    body: { url: receiver.url, events: ['incident.created'], secret: CANARY.webhook },
  }),
  'rotate-webhook-secret': async () => ({ ...(await subscribed()), body: { secret: CANARY.rotated } }),
  'ping-webhook': subscribed,
  'update-webhook': async () => {
    const sent = await subscribed()
    await deployed.service.done('update-webhook', { ...sent, body: { status: 'disabled' } })
    return { ...sent, body: { status: 'enabled' } }
  },
  'recover-webhook': async () => ({
    ...(await subscribed()),
    body: { since: new Date(Date.now() - 3_600_000).toISOString() },
  }),
  redeliver: async () => {
    const { id = '' } = await subscribed()
    const body = { title: 'Checkout fails', severity: 'low' }
    const event = createdEventId((await deployed.service.done('create-incident', { body })).id as string)
    const { sweepActs } = await import('#shared/runtime.ts')
    await fanOut(sweepActs(), event)
    return { id, parameters: { delivery_id: sweepActs().deliveries.idOf(event, id) } }
  },
  'create-integration': async () => ({ body: { type: 'bundle', config: { prefix: 'one' } } }),
  'update-integration': async () => ({
    id: await deployed.connect('bundle', { prefix: 'one' }),
    body: { config: { prefix: 'one' } },
  }),
  'check-integration': async () => ({ id: await deployed.connect('bundle', { prefix: 'one' }) }),
  'answer-query': async () => {
    await deployed.connect('bundle', { prefix: 'one' })
    return { body: { query: 'Why is checkout failing?' } }
  },
} as const satisfies Partial<Record<OperationId, () => Promise<Sent>>>

/** What does nothing, in each way in which a service can, one call after the other. */
const UNDONE = ['throttled', 'failing', 'timed_out', 'refused'] as const satisfies readonly Fault[]
const undone = (call: number): Fault => UNDONE[call % UNDONE.length] ?? 'failing'
const WAYS: readonly (readonly [string, (call: number) => Fault])[] = [
  ['nothing is done', (call) => undone(call)],
  ['nothing is done, for other reasons', (call) => undone(call + 2)],
  ['it is answered twice', () => 'answered_twice'],
  ['it is done and its answer is lost', () => 'lost'],
]

const stored = () =>
  dumpTables(deployed.service.store.client, deployed.service.store.names, [
    'incidents',
    'integrations',
    'webhooks',
    'queries',
    'signals',
  ])

function expectClear(got: Got, id: OperationId, where: string): void {
  written += JSON.stringify(got)
  if (got.status === operations[id].success.status) return
  expect(got.status, `${where} ${JSON.stringify(got.body)}`).toBe(500)
  expect(got.body.error.code, where).toBe('INTERNAL_ERROR')
  expect(Object.keys(got.body.error.details), where).toEqual(['request_id'])
}

const CASES = (Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]).flatMap((id) =>
  WAYS.map(([how, faultAt]) => [id, how, faultAt] as const),
)

describe('with a fault at every call, also of key, queue and bucket', () => {
  it.each(CASES)(
    '%s succeeds or says that it failed, and writes all or nothing: %s',
    async (id, _how, faultAt) => {
      const { service, faults } = deployed
      let whole: string[] | undefined
      const seen: { readonly changes: string[]; readonly ended: boolean; readonly where: string }[] = []
      for (let call = 1; whole === undefined; call += 1) {
        if (call > MOST_CALLS) throw new Error(`more than ${MOST_CALLS} calls`)
        const request = await REQUESTS[id]()
        const before = await stored()
        const fault = faultAt(call)
        faults.at(call, fault)
        const got = await service.call(id, request)
        const [met] = faults.met
        faults.off()
        const where = `call ${call}: ${met?.command}, ${fault}`
        expectClear(got, id, where)
        const changes = changesBetween(before, await stored())
        const ended = got.status < 300
        if (met === undefined || fault === 'answered_twice') expect(ended, where).toBe(true)
        if (met === undefined) whole = changes
        else commands.add(met.command)
        seen.push({ changes, ended, where })
        await forgetAll()
      }
      for (const { changes, ended, where } of seen)
        if (ended || changes.length > 0) expect(changes, where).toEqual(whole)
    },
  )
})

describe('secrets', () => {
  it('are in no log line, no answer and no item, whatever failed', async () => {
    expect(written).toContain('request_failed')
    expect([...commands]).toEqual(
      expect.arrayContaining(['GenerateDataKey', 'Decrypt', 'SendMessageBatch', 'PutObject']),
    )
    const everything = [written, [...(await stored()).values()].join('\n')]
    for (const canary of [...Object.values(CANARY), deployed.service.adminKey])
      for (const form of [
        canary,
        ...(['base64', 'hex'] as const).map((as) => Buffer.from(canary).toString(as)),
      ])
        expect(
          everything.some((text) => text.includes(form)),
          canary,
        ).toBe(false)
  })
})
