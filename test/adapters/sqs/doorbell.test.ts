import { CreateQueueCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queueDoorbell, sqsClient } from '#shared/adapters/sqs/doorbell.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

const app = buildApp({ logger: false, host: '127.0.0.1' })
let endpoint: string
const clients: SQSClient[] = []
beforeAll(async () => {
  endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await app.close()
})

let made = 0
/** A new queue, with a client whose answers a test may change. */
async function newQueue() {
  const client = sqsClient({ endpoint, region: 'us-east-1', credentials: EMULATOR_CREDENTIALS })
  clients.push(client)
  made += 1
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: `queue-${made}` }))
  return { client, url: QueueUrl }
}

interface Entry {
  Id: string
  MessageBody: string
}
interface Failure {
  Id: string
  SenderFault: boolean
  Code: string
  Message?: string
}

/** Lets SQS refuse some messages of the calls to come, each of which is kept from the queue. */
function refuseSome(client: SQSClient, refuse: (entry: Entry, call: number) => Failure | undefined) {
  const sizes: number[] = []
  client.middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as { Entries?: Entry[] }
      if (input.Entries === undefined) return next(args)
      sizes.push(input.Entries.length)
      const failures = input.Entries.flatMap((entry) => refuse(entry, sizes.length) ?? [])
      const Entries = input.Entries.filter(({ Id }) => !failures.some((failure) => failure.Id === Id))
      if (Entries.length === 0) return { output: { Failed: failures, $metadata: {} }, response: {} } as never
      const answer = await next({ ...args, input: { ...args.input, Entries } as never })
      return { ...answer, output: { ...answer.output, Failed: failures } } as typeof answer
    },
    { step: 'initialize', name: 'refuseSome' },
  )
  return sizes
}

async function messages(client: SQSClient, QueueUrl: string): Promise<string[]> {
  const bodies: string[] = []
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 60 }),
    )
    if (Messages.length === 0) return bodies.sort()
    bodies.push(...Messages.map(({ Body = '' }) => Body))
  }
}
const bodiesOf = (ids: readonly string[]) => ids.map((id) => JSON.stringify({ incident_id: id })).sort()
const noPause = () => Promise.resolve()
const busy = ({ Id }: Entry): Failure => ({ Id, SenderFault: false, Code: 'Busy', Message: 'later' })

test('each incident rings once, ten in a call', async () => {
  const { client, url } = await newQueue()
  const sizes = refuseSome(client, () => undefined)
  const ids = Array.from({ length: 23 }, (_, index) => `inc_${index}`)
  await queueDoorbell(client, url).ring([...ids, ...ids])
  expect(sizes).toEqual([10, 10, 3])
  expect(await messages(client, url)).toEqual(bodiesOf(ids))
})

test('nothing to ring for is no call', async () => {
  const { client, url } = await newQueue()
  const sizes = refuseSome(client, () => undefined)
  await queueDoorbell(client, url).ring([])
  expect(sizes).toEqual([])
})

test('messages that SQS refuses are sent again, and only those', async () => {
  const { client, url } = await newQueue()
  const sizes = refuseSome(client, (entry, call) =>
    call < 3 && Number(entry.Id) < 4 / call ? busy(entry) : undefined,
  )
  const ids = Array.from({ length: 10 }, (_, index) => `inc_${index}`)
  const pauses: number[] = []
  await queueDoorbell(client, url, async (milliseconds) => {
    pauses.push(milliseconds)
  }).ring(ids)
  expect(sizes).toEqual([10, 4, 2])
  expect(pauses).toEqual([50, 100])
  expect(await messages(client, url)).toEqual(bodiesOf(ids))
})

test('messages that SQS goes on refusing are an error that says why; the others rang', async () => {
  const { client, url } = await newQueue()
  const sizes = refuseSome(client, (entry) =>
    entry.MessageBody.includes('inc_3"') ? busy(entry) : undefined,
  )
  const ids = Array.from({ length: 12 }, (_, index) => `inc_${index}`)
  await expect(queueDoorbell(client, url, noPause).ring(ids)).rejects.toThrow(
    '1 of 10 messages were not taken (Busy: later)',
  )
  expect(sizes).toEqual([10, 2, 1, 1, 1])
  expect(await messages(client, url)).toEqual(bodiesOf(ids.filter((id) => id !== 'inc_3')))
})

test('messages that are our own fault are not sent again', async () => {
  const { client, url } = await newQueue()
  const sizes = refuseSome(client, ({ Id }) => ({ Id, SenderFault: true, Code: 'InvalidMessageContents' }))
  await expect(queueDoorbell(client, url, noPause).ring(['inc_1'])).rejects.toThrow('InvalidMessageContents')
  expect(sizes).toEqual([1])
})

test('several batches that fail are one error with all of them', async () => {
  const { client, url } = await newQueue()
  refuseSome(client, ({ Id }) => ({ Id, SenderFault: true, Code: 'Bad' }))
  const ids = Array.from({ length: 11 }, (_, index) => `inc_${index}`)
  await expect(queueDoorbell(client, url, noPause).ring(ids)).rejects.toBeInstanceOf(AggregateError)
})
