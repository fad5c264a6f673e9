import { spawnSync } from 'node:child_process'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countMessages, moveMessages } from '#infra/commands/move-messages.ts'
import { type RunningSqs, startSqs } from '#infra/local/queue-emulator.ts'
import { sqsClient } from '#shared/adapters/sqs/doorbell.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

let emulator: RunningSqs
let sqs: SQSClient
let made = 0
beforeAll(async () => {
  emulator = await startSqs()
  sqs = sqsClient({ endpoint: emulator.endpoint, region: 'us-east-1', credentials: EMULATOR_CREDENTIALS })
})
afterAll(async () => {
  sqs.destroy()
  await emulator.stop()
})

async function newQueue(Attributes: Record<string, string> = {}): Promise<string> {
  made += 1
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `queue-${made}`, Attributes }))
  return QueueUrl.replace(/^https?:\/\/[^/]+/, emulator.endpoint)
}
const put = (url: string, body: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }))
async function takeAll(url: string): Promise<string[]> {
  const bodies: string[] = []
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10 }),
    )
    if (Messages.length === 0) return bodies.sort()
    for (const { Body = '', ReceiptHandle } of Messages) {
      bodies.push(Body)
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }))
    }
  }
}

describe('messages that were put aside', () => {
  it('are given back, each once, however many there are', async () => {
    const [dead, queue] = [await newQueue(), await newQueue()]
    const bodies = Array.from({ length: 23 }, (_, index) => `message ${String(index).padStart(2, '0')}`)
    for (const body of bodies) await put(dead, body)
    expect(await countMessages(sqs, dead)).toBe(23)
    expect(await moveMessages(sqs, dead, queue)).toBe(23)
    expect(await takeAll(queue)).toEqual(bodies)
    expect(await countMessages(sqs, dead)).toBe(0)
  })

  it('are none in an empty queue', async () => {
    expect(await moveMessages(sqs, await newQueue(), await newQueue())).toBe(0)
  })

  it('stay where they are when they cannot be sent', async () => {
    // What is taken and not deleted is seen again at once.
    const dead = await newQueue({ VisibilityTimeout: '0' })
    await put(dead, 'a message')
    await expect(moveMessages(sqs, dead, `${dead}-that-is-not-there`)).rejects.toThrow()
    expect(await takeAll(dead)).toEqual(['a message'])
  })
})

describe('npm run redrive', () => {
  it.each([
    [[], '--stack is required'],
    [['--stack', 'a', '--queue', 'relay'], '--queue must be one of: investigations, deliveries, alerts'],
    [['--all'], "Unknown option '--all'"],
  ])('refuses %j', (args, reason) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/commands/redrive.ts', ...args], {
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(reason)
  })
})
