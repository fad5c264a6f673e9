import { gunzipSync } from 'node:zlib'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ItemKey, itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import type { DeliveryStore, LoggedDelivery } from '#shared/domain/ports.ts'
import { runInvestigation } from '#shared/domain/run-investigation.ts'
import { sweepDeliveries } from '#shared/domain/sweep-deliveries.ts'
import { contextOf } from '#test/edge/call-endpoint.ts'
import { type DeployedService, startDeployedService } from '#test/endpoints/deployed-service.ts'
import { startReceiver, type TestReceiver } from '#test/endpoints/receiver.ts'
import { handlerOf, type QueueName } from '#test/endpoints/service.ts'
import { allItems } from '#test/endpoints/stored.ts'
import type { Fault } from '#test/storage/fault-layer.ts'
import { doorbellFor, investigate, relay, streamedRecords, sweep } from './invocations.ts'

/** Secrets that go in sealed and must come out nowhere. */
const CANARY = { webhook: 'canary-of-the-webhook-0123456789', integration: 'canary-of-the-integration-98765' }
/** Leases, waits and doorbells are over by then. */
const LATER_MS = 600_000
/** The most calls that any worker makes in one of these runs; beyond it something goes round in circles. */
const MOST_CALLS = 30

let deployed: DeployedService
let receiver: TestReceiver
let written = ''
let messages = ''
/** Calls that met a fault, of every service. */
const commands = new Set<string>()
beforeAll(async () => {
  deployed = await startDeployedService()
  receiver = await startReceiver()
  process.env.LOG_LEVEL = 'DEBUG'
  const head = {
    format: 'incident-bundle/1',
    window: { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
  }
  await deployed.objects.put('bundles/one/bundle.json', Buffer.from(JSON.stringify(head)))
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

const runtime = () => import('#shared/runtime.ts')
const later = () => Date.now() + LATER_MS
const opened = async (): Promise<string> =>
  (await deployed.service.done('create-incident', { body: { title: 'Checkout fails', severity: 'high' } })).id
/** Takes every message out of a queue. */
async function rung(queue: QueueName): Promise<string[]> {
  const bodies = (await deployed.service.messages(queue)).map(({ body }) => body)
  messages += bodies.join('\n')
  return bodies
}
async function itemOf(table: 'incidents' | 'webhooks', Key: ItemKey) {
  const { client, names } = deployed.service.store
  return (await client.send(new GetCommand({ TableName: names[table], Key, ConsistentRead: true }))).Item
}
/** True while something stands on the list of what is due, where a sweeper finds it. */
const isFound = async (table: 'incidents' | 'webhooks', key: ItemKey) =>
  (await itemOf(table, key))?.due_list !== undefined

/** What does nothing, in each way in which a service can, one call after the other. */
const UNDONE = ['throttled', 'failing', 'timed_out', 'refused'] as const satisfies readonly Fault[]
const undone = (call: number): Fault => UNDONE[call % UNDONE.length] ?? 'failing'
/** What may become of a call. */
const WAYS: readonly (readonly [string, (call: number) => Fault])[] = [
  ['nothing is done', (call) => undone(call)],
  ['nothing is done, for other reasons', (call) => undone(call + 2)],
  ['it is answered twice', () => 'answered_twice'],
  ['it is done and its answer is lost', () => 'lost'],
]

/** A delivery was rung for, or the sweeper rings for it once it is overdue: a message is only a doorbell. */
async function expectRung(id: string, where: string): Promise<void> {
  if ((await rung('deliveries')).join().includes(id)) return
  await sweepDeliveries({ ...(await runtime()).sweepActs(), clock: () => later() + LATER_MS })
  expect((await rung('deliveries')).join(), where).toContain(id)
}

/** One worker and what it promises. */
interface Promised<Ground> {
  readonly prepare: () => Promise<Ground>
  /** @throws when it gives its work back as a whole @returns false when it gives it back in part */
  readonly work: (ground: Ground) => Promise<boolean>
  /** What holds after any run, whether it was given back or not. */
  readonly holds: (ground: Ground, ended: boolean, where: string) => Promise<void>
  /** What holds once the worker ran again, undisturbed, and time has passed. */
  readonly whole: (ground: Ground, where: string) => Promise<void>
  readonly forget?: (ground: Ground) => Promise<void>
}

/** Runs a worker with a fault at its first call, its second, and so on, until a run makes fewer calls. */
async function atEveryCall<Ground>(
  faultAt: (call: number) => Fault,
  promised: Promised<Ground>,
): Promise<number> {
  for (let call = 1; call <= MOST_CALLS; call += 1) {
    const ground = await promised.prepare()
    const fault = faultAt(call)
    deployed.faults.at(call, fault)
    const ended = await promised.work(ground).catch(() => false)
    const [met] = deployed.faults.met
    if (met !== undefined) commands.add(met.command)
    deployed.faults.off()
    const where = `call ${call}: ${met?.command}, ${fault}`
    await promised.holds(ground, ended, where)
    // Nothing went wrong: it ends, and nothing is given back. So it does where the SDK tried again.
    if (met === undefined || fault === 'answered_twice') expect(ended, where).toBe(true)
    if (!ended) await promised.work(ground)
    await promised.whole(ground, where)
    await promised.forget?.(ground)
    if (met === undefined) return call - 1
  }
  throw new Error(`more than ${MOST_CALLS} calls`)
}

describe('the relay', () => {
  interface Ground {
    readonly incident: string
    readonly webhook: string
    readonly records: readonly DynamoDBRecord[]
  }
  const read = async ({ incident, webhook }: Ground) => {
    const { deliveries } = await runtime()
    const event = createdEventId(incident)
    const id = deliveries().idOf(event, webhook)
    const [delivery, waits] = await Promise.all([
      deliveries().get(webhook, id),
      isFound('incidents', itemKeys.event(event)),
    ])
    // An event that waits for its deliveries is on the list of what is due.
    return { id, delivery, waits }
  }

  it.each(WAYS)('loses neither an investigation nor a delivery: %s', async (_name, fault) => {
    let seen = (await streamedRecords(deployed.service)).length
    const calls = await atEveryCall<Ground>(fault, {
      prepare: async () => {
        const webhook = await deployed.subscribe(receiver.url, CANARY.webhook)
        const incident = await opened()
        const all = await streamedRecords(deployed.service)
        const records = all.slice(seen)
        seen = all.length
        await Promise.all([rung('investigations'), rung('deliveries')])
        return { incident, webhook, records }
      },
      work: async ({ records }) => (await relay(records)).length === 0,
      holds: async (ground, ended, where) => {
        const { delivery, waits } = await read(ground)
        // Marked as done only when it is.
        if (delivery === undefined) expect(waits, where).toBe(true)
        if (ended) expect([delivery?.status, waits], where).toEqual(['pending', false])
      },
      whole: async (ground, where) => {
        const { id, delivery, waits } = await read(ground)
        expect([delivery?.status, waits], where).toEqual(['pending', false])
        expect((await rung('investigations')).join(), where).toContain(ground.incident)
        await expectRung(id, where)
      },
      forget: ({ webhook }) => deployed.unsubscribe(webhook),
    })
    expect(calls).toBeGreaterThanOrEqual(5)
  })
})

describe('the sender', () => {
  interface Ground {
    readonly webhook: string
    readonly id: string
    readonly posts: number
  }
  const prepare = async (): Promise<Ground> => {
    const { sweepActs, deliveries } = await runtime()
    const { fanOut } = await import('#shared/domain/fan-out.ts')
    const webhook = await deployed.subscribe(receiver.url, CANARY.webhook)
    const event = createdEventId(await opened())
    await fanOut(sweepActs(), event)
    return { webhook, id: deliveries().idOf(event, webhook), posts: receiver.received.length }
  }
  const work = async ({ webhook, id }: Ground) => {
    const handler = (await handlerOf('workers/deliver-webhook')) as unknown as (
      event: object,
      context: object,
    ) => Promise<{ batchItemFailures: unknown[] }>
    const body = JSON.stringify({ webhook_id: webhook, delivery_id: id, due_at: Date.now() })
    const { batchItemFailures } = await handler({ Records: [{ messageId: 'one', body }] }, contextOf(60_000))
    return batchItemFailures.length === 0
  }
  const logged = async ({ webhook }: Ground): Promise<LoggedDelivery | undefined> => {
    const store: Pick<DeliveryStore, 'list'> = (await runtime()).deliveries()
    return (await store.list(webhook, { limit: 1, after: null })).items[0]
  }
  const accepted = ({ log }: Pick<LoggedDelivery, 'log'>) => log.filter(({ error }) => error === null).length

  it.each(WAYS)(
    'delivers once, or a second time only where it could not write it down: %s',
    async (_name, fault) => {
      const calls = await atEveryCall<Ground>(fault, {
        prepare,
        work,
        holds: async (ground, _ended, where) => {
          const delivery = await logged(ground)
          if (delivery === undefined) throw new Error(`${where}: the delivery is gone`)
          const posts = receiver.received.length - ground.posts
          expect(posts, where).toBeLessThanOrEqual(1)
          // The state and the log of attempts are one write; neither tells of what was not posted.
          expect(delivery.status === 'delivered', where).toBe(accepted(delivery) === 1)
          expect(accepted(delivery), where).toBeLessThanOrEqual(posts)
          // What has not ended is found again.
          if (delivery.status === 'pending')
            expect(await isFound('webhooks', itemKeys.delivery(ground.webhook, ground.id)), where).toBe(true)
        },
        whole: async (ground, where) => {
          const { deliveryActs } = await runtime()
          const acts = { ...deliveryActs(() => undefined), clock: later }
          await deliverWebhook(acts, { webhook_id: ground.webhook, delivery_id: ground.id }, () => 60_000)
          const delivery = await logged(ground)
          expect([delivery?.status, delivery && accepted(delivery)], where).toEqual(['delivered', 1])
          expect(receiver.received.length - ground.posts, where).toBeLessThanOrEqual(2)
        },
        forget: ({ webhook }) => deployed.unsubscribe(webhook),
      })
      expect(calls).toBeGreaterThanOrEqual(6)
    },
  )

  it('posts once when the same message is worked four times at once', async () => {
    const ground = await prepare()
    await Promise.all([1, 2, 3, 4].map(() => work(ground)))
    expect(receiver.received.length - ground.posts).toBe(1)
    expect((await logged(ground))?.status).toBe('delivered')
    await deployed.unsubscribe(ground.webhook)
  })
})

describe('the sweepers', () => {
  it.each(WAYS)('ring for every investigation that is due, or fail loudly: %s', async (_name, fault) => {
    const calls = await atEveryCall<string>(fault, {
      prepare: async () => {
        const id = await opened()
        await rung('investigations')
        return id
      },
      work: async () => (await sweep()) > 0,
      holds: async (id, _ended, where) => {
        expect(await isFound('incidents', itemKeys.incident(id)), where).toBe(true)
      },
      whole: async (id, where) => {
        expect((await rung('investigations')).join(), where).toContain(id)
      },
    })
    expect(calls).toBeGreaterThanOrEqual(2)
  })

  it.each(WAYS)('ring for deliveries and events that were lost, or fail loudly: %s', async (_name, fault) => {
    interface Ground {
      readonly webhook: string
      readonly incident: string
    }
    // What other tests left is swept before.
    await sweepDeliveries({ ...(await runtime()).sweepActs(), clock: later })
    const calls = await atEveryCall<Ground>(fault, {
      prepare: async () => {
        const webhook = await deployed.subscribe(receiver.url, CANARY.webhook)
        const incident = await opened()
        await rung('deliveries')
        return { webhook, incident }
      },
      work: async () => {
        await sweepDeliveries({ ...(await runtime()).sweepActs(), clock: later })
        return true
      },
      holds: async ({ webhook, incident }, _ended, where) => {
        const { deliveries } = await runtime()
        const event = createdEventId(incident)
        const delivery = await deliveries().get(webhook, deliveries().idOf(event, webhook))
        const waits = await isFound('incidents', itemKeys.event(event))
        expect(delivery !== undefined || waits, where).toBe(true)
      },
      whole: async ({ webhook, incident }, where) => {
        const { deliveries } = await runtime()
        const id = deliveries().idOf(createdEventId(incident), webhook)
        expect((await deliveries().get(webhook, id))?.status, where).toBe('pending')
        await expectRung(id, where)
      },
      forget: ({ webhook }) => deployed.unsubscribe(webhook),
    })
    expect(calls).toBeGreaterThanOrEqual(6)
  })
})

describe('the investigator', () => {
  const stateOf = async (id: string) => {
    const { analysis, timeline, root_cause } = await deployed.service.done('get-incident', { id })
    const full = (await itemOf('incidents', itemKeys.rootCause(id))) !== undefined
    const analysed = timeline.filter(({ kind }: { kind: string }) => kind === 'analysed').length
    const waits = await isFound('incidents', itemKeys.incident(id))
    const kept = (await deployed.objects.list(`snapshots/${id}/`)).length
    return { analysis, full, analysed, root_cause, waits, kept }
  }
  const work = async (id: string) => (await investigate([doorbellFor(id)])).length === 0

  it.each(WAYS)('writes a root cause whole, with its snapshot, or not at all: %s', async (_name, fault) => {
    const calls = await atEveryCall<string>(fault, {
      prepare: async () => {
        await deployed.connect('bundle', { prefix: 'one', note: CANARY.integration })
        return opened()
      },
      work,
      holds: async (id, ended, where) => {
        const { analysis, full, analysed, root_cause, waits, kept } = await stateOf(id)
        const isDone = analysis === 'done'
        expect([full, analysed === 1, root_cause !== null], where).toEqual([isDone, isDone, isDone])
        if (isDone) expect(kept, where).toBe(1)
        // By the queue now, or by the sweeper when its lease or wait is over.
        else if (ended) expect(waits, where).toBe(true)
      },
      whole: async (id, where) => {
        const { investigationActs } = await runtime()
        const acts = {
          ...investigationActs(
            () => undefined,
            () => undefined,
          ),
          clock: later,
        }
        await runInvestigation(acts, id, 20_000)
        // It stays on the list: while an incident is open it is looked at again.
        expect(await stateOf(id), where).toMatchObject({ analysis: 'done', full: true, waits: true })
      },
    })
    expect(calls).toBeGreaterThanOrEqual(8)
  })

  it('writes one root cause when the same incident is investigated four times at once', async () => {
    const id = await opened()
    await Promise.all([1, 2, 3, 4].map(() => work(id)))
    expect(await stateOf(id)).toMatchObject({ analysis: 'done', analysed: 1 })
  })
})

describe('secrets', () => {
  it('are in no log line, no message, no item and no object, whatever failed', async () => {
    expect(written).toContain('batch_item_failed')
    expect(messages).toContain('wh_')
    expect([...commands]).toEqual(
      expect.arrayContaining(['TransactWriteItems', 'SendMessageBatch', 'PutObject', 'Decrypt']),
    )
    const { service, objects } = deployed
    const items = await Promise.all(
      (['incidents', 'integrations', 'webhooks', 'queries', 'signals'] as const).map((table) =>
        allItems(service, table),
      ),
    )
    const keys = await objects.list('')
    const texts = await Promise.all(
      keys.map(async ({ key }) => {
        const bytes = Buffer.from((await objects.get(key)) ?? [])
        return (key.startsWith('snapshots/') ? gunzipSync(bytes) : bytes).toString('latin1')
      }),
    )
    expect(texts.length).toBeGreaterThan(3)
    const everything = [written, messages, JSON.stringify(items), ...texts]
    expect(everything.join().includes('"sealed"')).toBe(true)
    for (const canary of [...Object.values(CANARY), service.adminKey])
      for (const form of [
        canary,
        ...(['base64', 'base64url', 'hex'] as const).map((as) => Buffer.from(canary).toString(as)),
      ])
        expect(
          everything.some((text) => text.includes(form)),
          canary,
        ).toBe(false)
  })
})
