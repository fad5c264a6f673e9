import { CreateQueueCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryDoorbell } from '#shared/adapters/sqs/delivery-doorbell.ts'
import { sqsClient } from '#shared/adapters/sqs/doorbell.ts'
import type { DeliveryCall } from '#shared/domain/ports.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

const app = buildApp({ logger: false, host: '127.0.0.1' })
let client: SQSClient
beforeAll(async () => {
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  client = sqsClient({ endpoint, region: 'us-east-1', credentials: EMULATOR_CREDENTIALS })
})
afterAll(async () => {
  client.destroy()
  await app.close()
})

interface Entry {
  readonly Id: string
  readonly MessageBody: string
  readonly MessageGroupId?: string
  readonly DelaySeconds?: number
}

let made = 0
/** A doorbell over a new queue, with every call as it left the service; some messages are refused at first. */
async function newDoorbell(refusedAtFirst: readonly string[] = []) {
  made += 1
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: `deliveries-${made}` }))
  const calls: (readonly Entry[])[] = []
  const pauses: number[] = []
  const counting = {
    send: async (command: { readonly input: object }) => {
      const { Entries } = command.input as { readonly Entries?: readonly Entry[] }
      if (Entries !== undefined) calls.push(Entries)
      if (calls.length === 1 && refusedAtFirst.length > 0)
        return { Failed: refusedAtFirst.map((Id) => ({ Id, SenderFault: false, Code: 'Busy' })) }
      return client.send(command as never)
    },
  } as unknown as SQSClient
  const pause = async (milliseconds: number) => void pauses.push(milliseconds)
  return { doorbell: deliveryDoorbell(counting, QueueUrl, () => NOW, pause), calls, pauses, QueueUrl }
}

const calling = (webhook: string, count: number): DeliveryCall[] =>
  Array.from({ length: count }, (_, number) => ({ webhook_id: webhook, delivery_id: `dlv_${number}` }))
const bodyOf = ({ MessageBody }: Entry) => JSON.parse(MessageBody) as Record<string, unknown>

describe('the doorbell of deliveries', () => {
  it('puts each message into the group of its subscription, so that one with a backlog delays no other', async () => {
    const { doorbell, calls, QueueUrl } = await newDoorbell()
    await doorbell.ring([...calling('wh_busy', 12), ...calling('wh_quiet', 1)])
    expect(calls.map(({ length }) => length)).toEqual([10, 3])
    for (const entry of calls.flat()) expect(entry.MessageGroupId).toBe(bodyOf(entry).webhook_id)
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    )
    expect(Messages).toHaveLength(10)
  })

  it('names the subscription, the delivery and the instant at which it rings', async () => {
    const { doorbell, calls } = await newDoorbell()
    await doorbell.ring([{ webhook_id: 'wh_1', delivery_id: 'dlv_1' }])
    expect(calls.flat().map(bodyOf)).toEqual([{ webhook_id: 'wh_1', delivery_id: 'dlv_1', due_at: NOW }])
    expect(calls.flat()[0]).not.toHaveProperty('DelaySeconds')
  })

  it('leaves out the delivery when it rings for a recovery', async () => {
    const { doorbell, calls } = await newDoorbell()
    await doorbell.ring([{ webhook_id: 'wh_1', delivery_id: null }])
    expect(calls.flat().map(bodyOf)).toEqual([{ webhook_id: 'wh_1', due_at: NOW }])
  })

  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [900_000, 900],
    [5_000_000, 900],
  ])(
    'rings after %i ms by a delay of %i s: never early, and no longer than SQS knows',
    async (ms, seconds) => {
      const { doorbell, calls } = await newDoorbell()
      await doorbell.ring(calling('wh_1', 1), ms)
      expect(calls.flat().map(({ DelaySeconds }) => DelaySeconds)).toEqual([seconds])
      expect(calls.flat().map((entry) => bodyOf(entry).due_at)).toEqual([NOW + seconds * 1_000])
    },
  )

  it('sends again what SQS refused, with its group and delay', async () => {
    const { doorbell, calls, pauses } = await newDoorbell(['1'])
    await doorbell.ring(calling('wh_1', 3), 5_000)
    expect(calls.map((entries) => entries.map((entry) => bodyOf(entry).delivery_id))).toEqual([
      ['dlv_0', 'dlv_1', 'dlv_2'],
      ['dlv_1'],
    ])
    expect(calls[1]?.[0]).toMatchObject({ MessageGroupId: 'wh_1', DelaySeconds: 5 })
    expect(pauses).toEqual([50])
  })

  it('tells how many messages wait, those with a delay not counted', async () => {
    const { doorbell } = await newDoorbell()
    expect(await doorbell.waiting()).toBe(0)
    await doorbell.ring(calling('wh_1', 3))
    await doorbell.ring(calling('wh_1', 2), 60_000)
    expect(await doorbell.waiting()).toBe(3)
  })
})
