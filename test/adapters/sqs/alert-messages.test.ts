import { randomBytes } from 'node:crypto'
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sentBodies } from '#shared/adapters/objects/sent-bodies.ts'
import {
  messageQueue,
  messagesWait,
  openAlertMessage,
  readAlertMessage,
  writeAlertMessage,
} from '#shared/adapters/sqs/alert-messages.ts'
import { sqsClient } from '#shared/adapters/sqs/doorbell.ts'
import { MOST_SENT_BYTES } from '#shared/domain/alerts/intake.ts'
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

  it('is measured in bytes, of which a letter may take several', () => {
    const titled = (title: string) =>
      writeAlertMessage({ ...rest, headers: { title }, body: Buffer.from('{}') })
    expect(titled('e'.repeat(200 * 1_024))).not.toBeNull()
    expect(titled('é'.repeat(200 * 1_024))).toBeNull()
  })

  it('is refused when it is none, or unpacks to more than any body is', () => {
    expect(() => readAlertMessage('{}')).toThrow('the message is none of a tool')
    const both = JSON.stringify({ ...rest, body: 'x', stored: 'sent-bodies/x' })
    expect(() => readAlertMessage(both)).toThrow('the message is none of a tool')
    const elsewhere = JSON.stringify({ ...rest, stored: 'sent-bodies/x' })
    expect(() => readAlertMessage(elsewhere)).toThrow('kept elsewhere')
    const bomb = written(Buffer.alloc(MOST_SENT_BYTES + 1)) ?? ''
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

  const noisy = () => Buffer.from(JSON.stringify({ noise: randomBytes(300_000).toString('base64') }))
  const newQueue = async (name: string) =>
    (await client.send(new CreateQueueCommand({ QueueName: name }))).QueueUrl ?? ''

  it('takes a body that no message holds as an object, until its message was taken in', async () => {
    const url = await newQueue('large')
    const objects = new Map<string, Uint8Array>()
    const bodies = sentBodies(
      {
        put: async (key, bytes) => void objects.set(key, bytes),
        get: async (key) => objects.get(key),
      },
      () => `body-${objects.size}`,
    )
    const body = noisy()
    await messageQueue(client, url, { bodies }).put({ ...rest, body })
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: url }))
    const text = Messages[0]?.Body ?? ''
    expect([...objects.keys()]).toEqual(['sent-bodies/webhook_1/body-0'])
    const { sent, letGo } = await openAlertMessage(text, bodies)
    expect(sent).toEqual({ ...rest, body: JSON.parse(body.toString()) })
    await letGo?.()
    expect(await openAlertMessage(text, bodies)).toEqual({ sent: null })
    // Nothing is read but what was kept for a message, and what is not there is not taken for taken in.
    for (const stored of ['sent-bodies/webhook_1/none', 'snapshots/inc_1/a'])
      await expect(openAlertMessage(JSON.stringify({ ...rest, stored }), bodies)).rejects.toThrow('no body')
  })

  it('refuses a body that no message holds where nobody keeps it', async () => {
    const sending = messageQueue(client, await newQueue('small')).put({ ...rest, body: noisy() })
    await expect(sending).rejects.toMatchObject({ kind: 'too_large' })
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
