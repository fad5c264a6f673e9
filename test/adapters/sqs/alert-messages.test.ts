import { randomBytes } from 'node:crypto'
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  messageQueue,
  messagesWait,
  readAlertMessage,
  writeAlertMessage,
} from '#shared/adapters/sqs/alert-messages.ts'
import { sqsClient } from '#shared/adapters/sqs/doorbell.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

const rest = { integration_id: 'webhook_1', config: { a: 1 }, headers: { b: 'c' }, received_at: 7 }
const written = (body: Uint8Array) => writeAlertMessage({ ...rest, body })

describe('a message of a tool', () => {
  it('comes out of the queue as it went in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = written(Buffer.from(JSON.stringify(value))) ?? ''
        expect(readAlertMessage(text)).toEqual({ ...rest, body: JSON.parse(JSON.stringify(value)) })
      }),
    )
  })

  it('says that it only confirms where we asked the tool ourselves, whatever its body says', () => {
    const text = writeAlertMessage({ ...rest, confirms: true, body: Buffer.from('{}') }) ?? ''
    expect(readAlertMessage(text)).toEqual({ ...rest, confirms: true, body: {} })
    const claimed = written(Buffer.from('{"confirms":true}')) ?? ''
    expect(readAlertMessage(claimed)).not.toHaveProperty('confirms')
  })

  it('says nothing when its body is no JSON', () => {
    expect(readAlertMessage(written(Buffer.from('hello')) ?? '').body).toBeNull()
  })

  it('is not written when SQS would not take it', () => {
    expect(written(randomBytes(256 * 1_024))).toBeNull()
    expect(written(Buffer.alloc(256 * 1_024, 'x'))).not.toBeNull()
  })

  it('is refused when it is none, or unpacks to more than any body is', () => {
    expect(() => readAlertMessage('{}')).toThrow('the message is none of a tool')
    const bomb = written(Buffer.alloc(1_024 * 1_024)) ?? ''
    expect(() => readAlertMessage(bomb)).toThrow()
  })
})

describe('the queue of what tools send', () => {
  const app = buildApp({ logger: false, host: '127.0.0.1' })
  let client: ReturnType<typeof sqsClient>
  beforeAll(async () => {
    const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
    client = sqsClient({ endpoint, region: 'us-east-1', credentials: EMULATOR_CREDENTIALS })
  })
  afterAll(async () => {
    client.destroy()
    await app.close()
  })

  it('says that messages wait until a worker has said that it took them', async () => {
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'alerts' }))
    expect(await messagesWait(client, QueueUrl)).toBe(false)
    await messageQueue(client, QueueUrl).put({ ...rest, body: Buffer.from('{}') })
    expect(await messagesWait(client, QueueUrl)).toBe(true)
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 60 }),
    )
    expect(await messagesWait(client, QueueUrl)).toBe(true)
    const ReceiptHandle = Messages[0]?.ReceiptHandle
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    expect(await messagesWait(client, QueueUrl)).toBe(false)
  })
})
