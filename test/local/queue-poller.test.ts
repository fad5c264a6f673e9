import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DeployedQueue, QueueMapping } from '#infra/local/deployment.ts'
import type { InvokeOutcome } from '#infra/local/function-host.ts'
import { createQueues, type QueueAddress, type RunningSqs, startSqs } from '#infra/local/queue-emulator.ts'
import { failedItems, type Poller, startQueuePoller } from '#infra/local/queue-poller.ts'

const MAPPING: QueueMapping = {
  queue: 'work',
  functionId: 'worker',
  batchSize: 10,
  windowMs: 0,
  maxConcurrency: 2,
  reportsBatchItemFailures: true,
}
/** At once visible again, so that what failed is seen again without waiting. */
const QUEUE: DeployedQueue = {
  visibilityTimeoutMs: 0,
  retentionMs: 345_600_000,
  redrive: { maxReceiveCount: 3, queue: 'dead' },
}
const DEAD: DeployedQueue = { visibilityTimeoutMs: 30_000, retentionMs: 345_600_000, redrive: null }

let sqs: RunningSqs
let client: SQSClient
let serial = 0
const pollers: Poller[] = []

beforeAll(async () => {
  sqs = await startSqs()
  client = new SQSClient({
    endpoint: sqs.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
})
afterEach(async () => {
  await Promise.all(pollers.splice(0).map((poller) => poller.close(1_000)))
})
afterAll(async () => {
  client.destroy()
  await sqs.stop()
})

interface Setting {
  readonly work: QueueAddress
  readonly dead: QueueAddress
  readonly batches: SQSEvent[]
}

const settle = (payload: unknown = null): InvokeOutcome => ({ ok: true, payload })
const fail: InvokeOutcome = { ok: false, error: { type: 'Error', message: 'broken' } }

async function poll(
  answer: (event: SQSEvent, call: number) => InvokeOutcome | Promise<InvokeOutcome>,
  bodies: readonly string[],
  mapping: Partial<QueueMapping> = {},
  queue: DeployedQueue = QUEUE,
): Promise<Setting> {
  serial += 1
  const queues = await createQueues(client, sqs.endpoint, { work: queue, dead: DEAD }, `t${serial}`)
  const { work, dead } = queues as { work: QueueAddress; dead: QueueAddress }
  for (const body of bodies) {
    await client.send(new SendMessageCommand({ QueueUrl: work.url, MessageBody: body }))
  }
  const batches: SQSEvent[] = []
  pollers.push(
    startQueuePoller({
      client,
      queueUrl: work.url,
      queueArn: work.arn,
      mapping: { ...MAPPING, ...mapping },
      invoke: async (functionId, event) => {
        expect(functionId).toBe('worker')
        batches.push(event as SQSEvent)
        return answer(event as SQSEvent, batches.length)
      },
    }),
  )
  return { work, dead, batches }
}

/** Messages in a queue, visible or in flight. */
async function held(address: QueueAddress): Promise<number> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: address.url, AttributeNames: ['All'] }),
  )
  return (
    Number(Attributes?.ApproximateNumberOfMessages) +
    Number(Attributes?.ApproximateNumberOfMessagesNotVisible)
  )
}

async function bodiesIn(address: QueueAddress): Promise<string[]> {
  const { Messages } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: address.url, MaxNumberOfMessages: 10 }),
  )
  for (const { ReceiptHandle } of Messages ?? []) {
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: address.url, ReceiptHandle, VisibilityTimeout: 0 }),
    )
  }
  return (Messages ?? []).map(({ Body }) => Body ?? '').sort()
}

const bodiesOf = (event: SQSEvent | undefined): string[] => (event?.Records ?? []).map(({ body }) => body)

describe('a queue mapping', () => {
  it('hands messages over as Lambda does and deletes what the function took', async () => {
    const { work, batches } = await poll(() => settle(), ['one', 'two'])
    await expect.poll(() => held(work)).toBe(0)
    const records = batches.flatMap(({ Records }) => Records)
    expect(records.map(({ body }) => body).sort()).toEqual(['one', 'two'])
    expect(records[0]).toMatchObject({
      eventSource: 'aws:sqs',
      eventSourceARN: work.arn,
      awsRegion: 'us-east-1',
      messageAttributes: {},
      attributes: { ApproximateReceiveCount: '1' },
    })
    expect(records[0]?.attributes.SentTimestamp).toMatch(/^\d{13}$/)
  })

  it('keeps only the messages that the answer names, until the dead-letter queue takes them', async () => {
    const { work, dead } = await poll(
      ({ Records }) =>
        settle({
          batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({
            itemIdentifier: messageId,
          })),
        }),
      ['good', 'bad', 'fine'],
    )
    await expect.poll(() => held(work)).toBe(0)
    await expect.poll(() => bodiesIn(dead)).toEqual(['bad'])
  })

  it.each([
    ['throws', fail],
    ['names an unknown message', settle({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })],
    ['names an empty message', settle({ batchItemFailures: [{ itemIdentifier: '' }] })],
    ['misspells the name', settle({ batchItemFailures: [{ itemidentifier: 'x' }] })],
    ['answers a text', settle('done')],
  ])('fails the whole batch when the function %s', async (_, outcome) => {
    const { work, dead, batches } = await poll(() => outcome, ['one', 'two'])
    await expect.poll(() => bodiesIn(dead)).toEqual(['one', 'two'])
    expect(await held(work)).toBe(0)
    expect(batches.flatMap(bodiesOf).filter((body) => body === 'one')).toHaveLength(3)
  })

  it('gathers a batch for as long as its window', async () => {
    const { work, batches } = await poll(() => settle(), ['one'], { windowMs: 20_000, batchSize: 2 })
    await client.send(new SendMessageCommand({ QueueUrl: work.url, MessageBody: 'two' }))
    await expect.poll(() => batches.length).toBe(1)
    expect(bodiesOf(batches[0])).toEqual(['one', 'two'])
  }, 300_000)

  it('never invokes more often at once than the mapping allows', async () => {
    let running = 0
    let most = 0
    const release: (() => void)[] = []
    const { work, batches } = await poll(
      async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise<void>((resolve) => release.push(resolve))
        running -= 1
        return settle()
      },
      ['1', '2', '3', '4', '5'],
      { batchSize: 1 },
      { ...QUEUE, visibilityTimeoutMs: 30_000 },
    )
    await expect
      .poll(async () => {
        for (const next of release.splice(0)) next()
        return held(work)
      })
      .toBe(0)
    expect(batches).toHaveLength(5)
    expect(most).toBe(2)
  })

  it('finishes what is in hand when it closes, and takes nothing new', async () => {
    let finish: () => void = () => {}
    const { work, batches } = await poll(
      () =>
        new Promise<InvokeOutcome>((resolve) => {
          finish = () => resolve(settle())
        }),
      ['one'],
      {},
      { ...QUEUE, visibilityTimeoutMs: 30_000 },
    )
    await expect.poll(() => batches.length).toBe(1)
    const closing = pollers.splice(0)[0]?.close()
    await client.send(new SendMessageCommand({ QueueUrl: work.url, MessageBody: 'later' }))
    finish()
    await closing
    expect(batches.flatMap(bodiesOf)).toEqual(['one'])
    // In the queue or in flight to the receive that was broken off: not lost, and not handled.
    expect(await held(work)).toBe(1)
  })

  it('gives up waiting for what is in hand when its time to close is over', async () => {
    const { batches } = await poll(
      () => new Promise<InvokeOutcome>(() => {}),
      ['one'],
      {},
      { ...QUEUE, visibilityTimeoutMs: 30_000 },
    )
    await expect.poll(() => batches.length).toBe(1)
    await pollers.splice(0)[0]?.close(10)
  })
})

describe('the answer of a batch', () => {
  const identifiers = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 10 })

  it('fails exactly the named items, whichever they are', () => {
    fc.assert(
      fc.property(
        identifiers.chain((all) => fc.tuple(fc.constant(all), fc.subarray(all))),
        ([all, named]) => {
          const payload = { batchItemFailures: named.map((itemIdentifier) => ({ itemIdentifier })) }
          expect(failedItems(settle(payload), new Set(all), true)).toEqual(new Set(named))
        },
      ),
    )
  })

  it('fails all when one named item is none of the batch', () => {
    fc.assert(
      fc.property(identifiers, (all) => {
        const stranger = `${all.join('')}x`
        const payload = {
          batchItemFailures: [...all, stranger].map((itemIdentifier) => ({ itemIdentifier })),
        }
        expect(failedItems(settle(payload), new Set(all), true)).toBeNull()
      }),
    )
  })

  it.each([[null], [undefined], [''], [{}], [{ batchItemFailures: null }], [{ batchItemFailures: [] }]])(
    'counts as success when it is %j',
    (payload) => {
      expect(failedItems(settle(payload), new Set(['a']), true)).toEqual(new Set())
    },
  )

  it('is not read where the mapping does not ask for it', () => {
    expect(
      failedItems(settle({ batchItemFailures: [{ itemIdentifier: 'a' }] }), new Set(['a']), false),
    ).toEqual(new Set())
  })
})

it('refuses a dead-letter queue that the deployment does not have', async () => {
  const queues = { work: { ...QUEUE, redrive: { maxReceiveCount: 1, queue: 'nowhere' } } }
  await expect(createQueues(client, sqs.endpoint, queues, 'x')).rejects.toThrow(
    'queue work: there is no dead-letter queue nowhere',
  )
})
