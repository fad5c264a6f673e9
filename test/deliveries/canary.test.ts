import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fanOut } from '#shared/domain/fan-out.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import { startReceiver, type TestReceiver } from '#test/endpoints/receiver.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { allItems } from '#test/endpoints/stored.ts'
import { failCalls } from '#test/storage/fail-calls.ts'

const SECRETS = [
  `whsec_${randomBytes(32).toString('base64')}`,
  `canary-${randomBytes(16).toString('hex')}`,
] as const
/** As it is, without its prefix, in base64, in hex. */
const FORMS = SECRETS.flatMap((secret) => [
  secret.replace('whsec_', ''),
  Buffer.from(secret).toString('base64').slice(0, -4),
  Buffer.from(secret).toString('hex'),
])

let service: Service
let receiver: TestReceiver
let seen = ''
beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      seen += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    })
  }
  service = await startService({ egress: 'local', queue: true })
  process.env.LOG_LEVEL = 'DEBUG'
  receiver = await startReceiver()
})
afterAll(async () => {
  vi.restoreAllMocks()
  receiver.close()
  await service.stop()
})

it('no secret of a webhook is in an answer, a log, a message, an item or a request, however deliveries fail', async () => {
  const { deliveries, documents, sweepActs } = await import('#shared/runtime.ts')
  const { handler } = (await import('../../functions/workers/deliver-webhook.ts')) as unknown as {
    handler: (event: object, context: object) => Promise<object>
  }
  const tell = (value: unknown) => {
    seen += `${JSON.stringify(value)}\n`
  }
  const events = ['incident.created', 'incident.resolved']
  const { id } = await service.done('create-webhook', {
    body: { url: receiver.url, events, secret: SECRETS[0] },
  })
  tell(await service.call('rotate-webhook-secret', { id, body: { secret: SECRETS[1] } }))
  tell(
    await service.call('rotate-webhook-secret', {
      id,
      body: { secret: SECRETS[1], overlap_seconds: 'soon' },
    }),
  )
  const faults = failCalls(documents())
  for (const [status, fault] of [[200], [500], [503, 3], [200, 5], [302, 2]] as const) {
    receiver.status = status
    const incident = await service.done('create-incident', {
      body: { title: 'Checkout fails', severity: 'low' },
    })
    const event = createdEventId(incident.id as string)
    await fanOut(sweepActs(), event)
    if (fault !== undefined) faults.failNext(fault, new Error('the store is away'))
    const message = { webhook_id: id, delivery_id: deliveries().idOf(event, id as string), due_at: 1 }
    const records = { Records: [{ messageId: 'one', body: JSON.stringify(message) }] }
    tell(await handler(records, { getRemainingTimeInMillis: () => 60_000 }))
  }
  tell(await service.call('ping-webhook', { id }))
  for (const operation of ['get-webhook', 'list-deliveries'] as const)
    tell(await service.call(operation, { id }))
  tell(await service.call('list-webhooks'))
  tell(await service.messages('deliveries'))
  tell(await allItems(service, 'webhooks'))
  tell(await allItems(service, 'incidents'))
  tell(receiver.received)
  expect(receiver.received.length).toBeGreaterThan(3)
  expect(seen).toContain('worker_finished')
  for (const form of FORMS) expect(seen.includes(form)).toBe(false)
}, 300_000)
