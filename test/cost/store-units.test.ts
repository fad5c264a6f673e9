import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Activity, STORE_UNITS } from '#infra/cost/store-units.ts'
import { SAMPLE_INCIDENT } from '#infra/sample-outage/sample-incident.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { fanOut } from '#shared/domain/fan-out.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import { startReceiver, type TestReceiver } from '#test/endpoints/receiver.ts'
import { handlerOf, type Service, startService } from '#test/endpoints/service.ts'
import { doorbellFor, investigate } from '#test/workers/invocations.ts'
import { type Bill, billCalls, type StoreUnits } from './store-units.ts'

let service: Service
let receiver: TestReceiver
let bill: Bill
const measured: Partial<Record<Activity, StoreUnits>> = {}

const runtime = () => import('#shared/runtime.ts')
const worker = async (name: string, event: unknown = {}) => {
  const handler = (await handlerOf(`workers/${name}`)) as unknown as (
    event: unknown,
    context: unknown,
  ) => Promise<unknown>
  const answer = await handler(event, { getRemainingTimeInMillis: () => 60_000 })
  expect(answer).not.toMatchObject({ batchItemFailures: [expect.anything()] })
}
const newWebhook = async (): Promise<string> =>
  (
    await service.done('create-webhook', {
      body: { url: receiver.url, events: ['incident.created'], secret: 'x'.repeat(24) },
    })
  ).id

const least = (one: StoreUnits, other: StoreUnits): StoreUnits => ({
  writes: one.writes - other.writes,
  reads: one.reads - other.reads,
  stored_bytes: one.stored_bytes - other.stored_bytes,
})

/** The service's own functions do each activity once, over a real store, on the sample outage. */
async function measure(): Promise<void> {
  const request = { body: SAMPLE_INCIDENT }
  let id = ''
  measured['an incident is opened'] = await bill.of(async () => {
    id = (await service.done('create-incident', request)).id
  })
  measured['an incident is looked at'] = await bill.of(() => investigate([doorbellFor(id)]))
  measured['an incident is read'] = await bill.of(() => service.done('get-incident', { id }))
  measured['a question is answered'] = await bill.of(() =>
    service.done('answer-query', { body: { query: 'Why does checkout fail?' } }),
  )
  const { sweepActs } = await runtime()
  const acts = sweepActs()
  measured['an event is fanned out'] = await bill.of(() => fanOut(acts, createdEventId(id)))
  await newWebhook()
  const webhook = await newWebhook()
  const other = (await service.done('create-incident', request)).id as string
  const toTwo = await bill.of(() => fanOut(acts, createdEventId(other)))
  const extra = least(toTwo, measured['an event is fanned out'])
  const delivery_id = acts.deliveries.idOf(createdEventId(other), webhook)
  const body = JSON.stringify({ webhook_id: webhook, delivery_id, due_at: Date.now() })
  const attempt = await bill.of(() => worker('deliver-webhook', { Records: [{ messageId: 'm', body }] }))
  measured['an event is delivered'] = {
    writes: extra.writes / 2 + attempt.writes,
    reads: extra.reads / 2 + attempt.reads,
    stored_bytes: extra.stored_bytes / 2 + attempt.stored_bytes,
  }
  measured['an incident is resolved'] = await bill.of(() =>
    service.done('update-incident', { id, body: { status: 'resolved' } }),
  )
  for (const name of ['sweep-investigations', 'sweep-deliveries', 'check-integrations'] as const)
    await worker(name)
  measured['sweep-investigations finds nothing'] = await bill.of(() => worker('sweep-investigations'))
  measured['sweep-deliveries finds nothing'] = await bill.of(() => worker('sweep-deliveries'))
  measured['check-integrations finds nothing'] = await bill.of(() => worker('check-integrations'))
}

beforeAll(async () => {
  service = await startService({ queue: true, egress: 'local' })
  receiver = await startReceiver()
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })
  const { documents } = await runtime()
  bill = billCalls(documents(), service.store.client, service.store.names)
  await measure()
})
afterAll(async () => {
  receiver.close()
  await service.stop()
})

describe('what DynamoDB bills for each activity', () => {
  // Items differ by a few bytes from run to run: times and numbers in the evidence.
  it.each(Object.keys(STORE_UNITS) as Activity[])('%s: as the cost model says', (activity) => {
    const told = STORE_UNITS[activity]
    const seen = measured[activity]
    const report = `measured ${JSON.stringify(seen)}`
    const near = (unit: keyof StoreUnits, slack: number) =>
      expect(Math.abs((seen?.[unit] ?? 0) - told[unit]), `${unit}: ${report}`).toBeLessThanOrEqual(
        Math.max(slack, 0.1 * Math.abs(told[unit])),
      )
    near('writes', 0)
    near('reads', 0)
    near('stored_bytes', 16)
  })

  it('counts a request against its key with one write, however long the key has lived', async () => {
    expect((await bill.of(() => service.done('list-webhooks'))).writes).toBe(1)
  })
})
